/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Reports the elements and attributes that a reader of an XML format has not used.
 *
 * Kinds are "parent/element" and "element@attribute". An unused element includes its contents, which count as
 * reported and get no message of their own. */

#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "io/xml.h"

typedef struct kind {
    const char *parent, *element, *attribute; /* attribute NULL: the element itself */
    trm_place first;
    int count;
    bool again;    /* an element of the same name before it was used */
    bool reported; /* in the message of another kind */
} kind;

typedef struct account {
    trm_arena *arena;
    kind *kinds;
    int kind_count;
    trm_xml_count *count;
} account;

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_again(const trm_xml *element, const char *attribute)
{
    if (attribute || !element->parent) return false;
    for (const trm_xml *e = element->parent->first_child; e && e != element; e = e->next)
        if (e->used && strcmp(e->name, element->name) == 0) return true;
    return false;
}

/* Adds an element or attribute to its kind. Returns false if out of memory. */
static bool add(account *a, const trm_xml *element, const char *attribute)
{
    const char *parent = element->parent ? element->parent->name : "";
    for (int i = 0; i < a->kind_count; i++) {
        kind *k = &a->kinds[i];
        if (!same(k->element, element->name) || !same(k->attribute, attribute)) continue;
        if (!attribute && !same(k->parent, parent)) continue;
        k->count++;
        return true;
    }
    return TRM_APPEND(
        a->arena, a->kinds, a->kind_count,
        (kind){parent, element->name, attribute, element->place, 1, is_again(element, attribute), false});
}

static bool walk(account *a, const trm_xml *element)
{
    if (!element->used) {
        a->count->named += trm_xml_size(element);
        return add(a, element, NULL);
    }
    a->count->used++;
    for (int i = 0; i < element->attribute_count; i++)
        if (!element->attributes[i].used && !add(a, element, element->attributes[i].name)) return false;
    for (const trm_xml *child = element->first_child; child; child = child->next)
        if (!walk(a, child)) return false;
    return true;
}

/* Returns why a kind is ignored. A reason applies to "element", "parent/element", "element@attribute" or, for all
 * elements of a parent, "parent@attribute". Returns NULL if there is none. */
static const char *why(const trm_xml_reason *reasons, const kind *k)
{
    char own[200], within[200];
    snprintf(own, sizeof own, "%s%s%s", k->element, k->attribute ? "@" : "", k->attribute ? k->attribute : "");
    snprintf(within, sizeof within, "%s%s%s", k->parent, k->attribute ? "@" : "/",
             k->attribute ? k->attribute : k->element);
    while (reasons->why && !trm_has_word(reasons->names, own) && !trm_has_word(reasons->names, within)) reasons++;
    return reasons->why;
}

enum { NAMES = 300 }; /* largest number of characters of a list of kinds */

/* Appends "<element> in parent" or "attribute x of <element>", with its number. Returns false if there is no room. */
static bool add_name(char *names, const kind *k)
{
    char what[200], times[40] = "";
    const size_t length = strlen(names);
    if (k->attribute)
        snprintf(what, sizeof what, "attribute %s of <%s>", k->attribute, k->element);
    else
        snprintf(what, sizeof what, "<%s>%s%s", k->element, k->parent[0] ? " in " : "", k->parent);
    if (k->count > 1) snprintf(times, sizeof times, " (%d times%s)", k->count, length == 0 ? ", first here" : "");
    if (length > 0 && length + strlen(what) + strlen(times) + 8 >= NAMES) return false;
    snprintf(names + length, NAMES - length, "%s%s%s", length > 0 ? ", " : "", what, times);
    return true;
}

/* Reports a kind. Kinds with the same reason share a message if there is room; each unknown kind has its own. */
static void report(account *a, const trm_xml_reason *reasons, int first, bool strict, trm_messages *messages)
{
    char names[NAMES] = "";
    const char *reason = why(reasons, &a->kinds[first]);
    const int kinds = a->kind_count;
    int others = 0;
    add_name(names, &a->kinds[first]);
    for (int i = first + 1; reason && i < kinds; i++)
        if (!a->kinds[i].reported && why(reasons, &a->kinds[i]) == reason && add_name(names, &a->kinds[i])) {
            a->kinds[i].reported = true;
            others++;
        }
    trm_add_message(messages, strict ? TRM_ERROR : TRM_WARNING, a->kinds[first].first, "", "%s %s not used: %s",
                    names, others > 0 ? "are" : "is",
                    reason                  ? reason
                    : a->kinds[first].again ? "only the first one in its place is read"
                                            : "it is unknown in this format");
}

bool trm_xml_account(trm_arena *scratch, const trm_xml *root, const trm_xml_reason *reasons, bool strict,
                     trm_messages *messages, trm_xml_count *count)
{
    count->elements += trm_xml_size(root);
    account a = {.arena = scratch, .count = count};
    if (!walk(&a, root)) return false;
    for (int i = 0; i < a.kind_count; i++)
        if (!a.kinds[i].reported) report(&a, reasons, i, strict, messages);
    return true;
}
