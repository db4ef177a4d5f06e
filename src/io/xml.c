/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "io/xml.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"

/* ---- Parsing ------------------------------------------------------------------------------ */

typedef struct parsing {
    trm_arena *arena;
    trm_xml_scan scan;
    const char *file;
    trm_messages *messages;
    trm_xml *root, *open;
    char *piece; /* text since the last tag */
    size_t piece_length, piece_room;
    int depth;
} parsing;

static trm_place here(parsing *p)
{
    int line, column;
    trm_xml_scan_place(&p->scan, &line, &column);
    return (trm_place){p->file, line, column};
}

static int pairs_in(const char **attributes)
{
    int count = 0;
    while (attributes[2 * count]) count++;
    return count;
}

static void append(trm_xml *parent, trm_xml *child)
{
    child->parent = parent;
    if (parent->last_child)
        parent->last_child->next = child;
    else
        parent->first_child = child;
    parent->last_child = child;
}

static bool is_blank(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!trm_xml_is_space(text[i])) return false;
    return true;
}

/* Appends the text since the last tag to the open element, unless it is white space between elements. Returns false
 * if out of memory. */
static bool end_piece(parsing *p)
{
    const size_t length = p->piece_length;
    p->piece_length = 0;
    if (!p->open || is_blank(p->piece, length)) return true;
    const size_t before = strlen(p->open->text);
    char *whole = trm_arena_room(p->arena, before + length + 1, 1);
    if (!whole) return false;
    memcpy(whole, p->open->text, before);
    memcpy(whole + before, p->piece, length);
    whole[before + length] = 0;
    p->open->text = whole;
    return true;
}

static bool on_start(void *context, const char *name, const char **attributes)
{
    parsing *p = context;
    if (!end_piece(p)) return false;
    if (p->depth++ == TRM_XML_DEPTH) {
        trm_add_error(p->messages, here(p), "elements are nested deeper than %d levels", TRM_XML_DEPTH);
        return false;
    }
    const int count = pairs_in(attributes);
    trm_xml *element = trm_arena_room(p->arena, sizeof *element + (size_t)count * sizeof *element->attributes, 1);
    if (!element) return false;
    *element = (trm_xml){.name = name, .text = "", .place = here(p)};
    element->attributes = (trm_xml_attribute *)(element + 1);
    for (int i = 0; i < count; i++) trm_xml_add_attribute(element, attributes[2 * i], attributes[2 * i + 1]);
    if (p->open)
        append(p->open, element);
    else
        p->root = element;
    p->open = element;
    return true;
}

static bool on_end(void *context)
{
    parsing *p = context;
    if (!end_piece(p)) return false;
    p->depth--;
    p->open = p->open->parent;
    return true;
}

/* Receives a piece of text. Returns false if out of memory. */
static bool on_text(void *context, const char *text, size_t length)
{
    parsing *p = context;
    const size_t needed = p->piece_length + length;
    if (needed > p->piece_room) {
        char *larger = trm_arena_room(p->arena, 2 * needed, 1);
        if (!larger) return false;
        memcpy(larger, p->piece, p->piece_length);
        p->piece = larger;
        p->piece_room = 2 * needed;
    }
    memcpy(p->piece + p->piece_length, text, length);
    p->piece_length = needed;
    return true;
}

static bool on_doctype(void *context)
{
    parsing *p = context;
    trm_add_error(p->messages, here(p),
                  "a document type declaration (<!DOCTYPE ...>) is not read; remove it and write its entities out");
    return false;
}

/* Replaces one of two "-" inside comments by a blank, so that no text moves. Returns the number of comments
 * changed. */
static int mend_comments(char *text, size_t length)
{
    int mended = 0;
    for (size_t i = 0; i + 3 < length; i++) {
        bool found = false;
        const char *open = memchr(text + i, '<', length - i);
        if (!open) break;
        i = (size_t)(open - text);
        if (i + 3 >= length || memcmp(open, "<!--", 4) != 0) continue;
        for (i += 4; i + 2 < length && memcmp(text + i, "-->", 3) != 0; i++)
            if (text[i] == '-' && text[i + 1] == '-') text[i] = ' ', found = true;
        mended += found;
    }
    return mended;
}

static void blank(char *from, const char *to)
{
    for (; from < to; from++)
        if (!trm_xml_is_space(*from)) *from = ' ';
}

/* Replaces text before the XML declaration by blanks, except line feeds. Returns whether there was such text. */
static bool mend_start(char *text, size_t length)
{
    static const char *const declaration = "<?xml";
    const size_t size = strlen(declaration);
    size_t at = 0;
    while (at + size < length && at < 4096 && memcmp(text + at, declaration, size) != 0) at++;
    if (is_blank(text, at) || at + size >= length || at == 4096) return false;
    blank(text, text + at);
    return true;
}

static bool is_utf8(const char *text, size_t length)
{
    const unsigned char *c = (const unsigned char *)text, *end = c + length;
    while (c < end) {
        int more = *c < 0x80 ? 0 : (*c >> 5) == 6 ? 1 : (*c >> 4) == 14 ? 2 : (*c >> 3) == 30 ? 3 : -1;
        if (more < 0 || more >= end - c) return false;
        for (c++; more > 0; more--, c++)
            if ((*c >> 6) != 2) return false;
    }
    return true;
}

static bool declares_latin(const char *text, size_t length)
{
    static const char *const names[] = {"ISO-8859-1", "iso-8859-1"};
    for (size_t i = 0; i + 10 <= length && i < 200 && text[i] != '>'; i++)
        if (memcmp(text + i, names[0], 10) == 0 || memcmp(text + i, names[1], 10) == 0) return true;
    return false;
}

/* Replaces an XML declaration by blanks that would be refused: without a version, or with an unknown encoding, which
 * is mostly a name of ASCII. Returns whether it did. */
static bool mend_declaration(char *text, size_t length)
{
    static const char *const KNOWN[] = {"utf-8", "utf-16", "iso-8859-1", "us-ascii"};
    char *start = text, *stop = NULL;
    while (start < text + length && trm_xml_is_space(*start)) start++;
    const size_t left = length - (size_t)(start - text);
    if (left < 6 || memcmp(start, "<?xml", 5) != 0 || !trm_xml_is_space(start[5])) return false;
    for (char *c = start; !stop && c + 1 < text + length; c++)
        if (c[0] == '?' && c[1] == '>') stop = c;
    if (!stop) return false;
    *stop = '\0';
    const char *encoding = strstr(start, "encoding");
    bool sound = strstr(start, " version=") && !encoding;
    for (size_t i = 0; encoding && strstr(start, " version=") && i < sizeof KNOWN / sizeof *KNOWN; i++) {
        const char *value = encoding + strcspn(encoding, "\"'");
        sound = sound || (*value && strncasecmp(value + 1, KNOWN[i], strlen(KNOWN[i])) == 0);
    }
    *stop = '?';
    if (!sound) blank(start, stop + 2);
    return !sound;
}

/* Scans the document. Returns false after reporting an error, or if out of memory. */
static bool run(parsing *p, char *text, size_t length, int lines_before)
{
    trm_arena scratch;
    trm_arena_init(&scratch, &p->arena->allocator);
    p->scan = (trm_xml_scan){.scratch = &scratch, .events = {p, on_start, on_end, on_text, on_doctype}};
    p->scan.lines_before = lines_before;
    p->scan.text = p->scan.token = p->scan.end = p->scan.at = text;
    p->scan.error = trm_xml_decode(p->arena, &text, &length);
    const bool good = !p->scan.error && !p->arena->failed && trm_xml_scan_run(&p->scan, text, length);
    if (p->scan.error && p->open)
        trm_add_error(p->messages, here(p), "this is not well-formed XML: %s; <%s> of line %d is still open here",
                      p->scan.error, p->open->name, p->open->place.line);
    else if (p->scan.error)
        trm_add_error(p->messages, here(p), "this is not well-formed XML: %s", p->scan.error);
    p->arena->failed = p->arena->failed || scratch.failed;
    trm_arena_destroy(&scratch);
    return good;
}

trm_xml *trm_xml_parse(trm_arena *arena, const char *text, size_t length, const char *file, trm_messages *messages)
{
    if (length > TRM_XML_BYTES) {
        trm_add_error(messages, (trm_place){file, 0, 0}, "the file is larger than %d MiB", TRM_XML_BYTES >> 20);
        return NULL;
    }
    char *own = trm_arena_text_n(arena, text, length);
    parsing p = {.arena = arena, .file = file, .messages = messages, .piece = own};
    if (!own) return NULL;
    if (length >= 3 && memcmp(own, "\xEF\xBB\xBF", 3) == 0) blank(own, own + 3); /* the byte order mark */
    const int comments = mend_comments(own, length);
    if (comments > 0)
        trm_add_warning(messages, (trm_place){file, 0, 0},
                        "%d comment%s \"--\" inside, which XML forbids; the file is read anyway", comments,
                        comments == 1 ? " has" : "s have");
    if (mend_start(own, length))
        trm_add_warning(messages, (trm_place){file, 1, 1},
                        "there is text before \"<?xml\", which must come first; it is ignored");
    if (mend_declaration(own, length))
        trm_add_warning(messages, (trm_place){file, 1, 1},
                        "the XML declaration is ignored: it has no version, or an unknown encoding");
    if (!is_utf8(own, length) && !trm_xml_is_utf16(own, length) && !declares_latin(own, length)) {
        trm_add_warning(messages, (trm_place){file, 0, 0},
                        "the file is not UTF-8; it is read as ISO 8859-1, which affects only accented letters");
        trm_xml_decode_latin(arena, &own, &length);
    }
    int lines = 0; /* white space comes before the XML declaration, which must be first */
    for (; length > 0 && trm_xml_is_space(*own); own++, length--) lines += *own == '\n';
    const bool good = run(&p, own, length, lines);
    return good && !arena->failed ? p.root : NULL;
}

/* ---- Reading elements and attributes ------------------------------------------------------ */

/* Returns whether two names are equal. Most differ in their first letter, which is compared first. */
static bool is_same(const char *a, const char *b)
{
    return a[0] == b[0] && strcmp(a, b) == 0;
}

static trm_xml *find(trm_xml *from, const char *name)
{
    for (; from; from = from->next)
        if (is_same(from->name, name)) {
            from->used = true;
            return from;
        }
    return NULL;
}

trm_xml *trm_xml_child(trm_xml *element, const char *name)
{
    return element ? find(element->first_child, name) : NULL;
}

int trm_xml_size(const trm_xml *element)
{
    int count = 1;
    for (const trm_xml *e = element->first_child; e; e = e->next) count += trm_xml_size(e);
    return count;
}

trm_xml *trm_xml_again(trm_xml *element)
{
    return find(element->next, element->name);
}

const char *trm_xml_value(trm_xml *element, const char *name)
{
    if (!element || !(element->initials >> ((unsigned char)name[0] & 31) & 1)) return NULL;
    for (int i = 0; i < element->attribute_count; i++)
        if (is_same(element->attributes[i].name, name)) {
            element->attributes[i].used = true;
            return element->attributes[i].value;
        }
    return NULL;
}

/* ---- Values ------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads one number. Returns its end, or NULL if there is none. */
static const char *read_number(const char *text, double *value)
{
    const char *end = text;
    while (*end && !trm_xml_is_space(*end)) end++;
    return trm_is_number(text, end, value) ? end : NULL;
}

static bool read_numbers(const char *text, double *values, int count)
{
    double read[16];
    for (int i = 0; i < count; i++) {
        while (trm_xml_is_space(*text)) text++;
        text = read_number(text, &read[i]);
        if (!text) return false;
    }
    while (trm_xml_is_space(*text)) text++;
    if (*text) return false;
    memcpy(values, read, (size_t)count * sizeof *values);
    return true;
}

/* Returns whether a text has a word such as nan or inf, or a number that is too large. */
static bool has_word(const char *text)
{
    const char *power = strpbrk(text, "eE");
    const bool huge = power && is_digit(power[1 + (power[1] == '+')]) && strlen(power) >= 4;
    return huge || strstr(text, "nan") || strstr(text, "NaN") || strstr(text, "inf") || strstr(text, "Inf");
}

static bool not_numbers(const trm_xml *element, const char *what, const char *text, int count, trm_messages *messages)
{
    trm_add_error(messages, element->place, "<%s>: %s is \"%.60s\"; it must be %d %snumber%s%s", element->name, what,
                  text, count, has_word(text) ? "finite " : "", count == 1 ? "" : "s separated by spaces",
                  strchr(text, ',') ? ", with a decimal point and without commas" : "");
    return false;
}

bool trm_xml_numbers(trm_xml *element, const char *attribute, double *values, int count, trm_messages *messages)
{
    const char *text = trm_xml_value(element, attribute);
    return !text || read_numbers(text, values, count) || not_numbers(element, attribute, text, count, messages);
}

bool trm_xml_number_or_infinite(trm_xml *element, const char *attribute, double *value, trm_messages *messages)
{
    const char *text = trm_xml_value(element, attribute), *word = text;
    while (word && trm_xml_is_space(*word)) word++;
    const bool minus = word && *word == '-';
    if (word && (*word == '-' || *word == '+')) word++;
    const bool infinite =
        word && (strncmp(word, "inf", 3) == 0 || strncmp(word, "Inf", 3) == 0 || strncmp(word, "INF", 3) == 0);
    if (infinite) *value = minus ? -INFINITY : INFINITY;
    return infinite || trm_xml_numbers(element, attribute, value, 1, messages);
}

bool trm_xml_text_numbers(trm_xml *element, double *values, int count, trm_messages *messages)
{
    return read_numbers(element->text, values, count) ||
           not_numbers(element, "its text", element->text, count, messages);
}

int trm_xml_list(const trm_xml *element, const char *what, const char *text, double *values, int most,
                 trm_messages *messages)
{
    int count = 0;
    for (const char *at = text;;) {
        while (trm_xml_is_space(*at)) at++;
        if (!*at) return count;
        at = count < most ? read_number(at, &values[count]) : NULL;
        if (!at) {
            trm_add_error(messages, element->place, "<%s>: %s is \"%.60s\"; it must be at most %d number%s",
                          element->name, what, text, most, most == 1 ? "" : "s separated by spaces");
            return -1;
        }
        count++;
    }
}

void trm_xml_use_all(trm_xml *element)
{
    element->used = true;
    for (int i = 0; i < element->attribute_count; i++) element->attributes[i].used = true;
    for (trm_xml *child = element->first_child; child; child = child->next) trm_xml_use_all(child);
}

void trm_xml_splice(trm_xml *after, trm_xml *from)
{
    if (!from->first_child) return;
    for (trm_xml *child = from->first_child; child; child = child->next) child->parent = after->parent;
    from->last_child->next = after->next;
    if (after->parent->last_child == after) after->parent->last_child = from->last_child;
    after->next = from->first_child;
    from->first_child = from->last_child = NULL;
}
