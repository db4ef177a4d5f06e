/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Values of SDF: texts of child elements. */

#include <math.h>
#include <string.h>

#include "io/sdf.h"

const char *trm_sdf_text(trm_sdf *s, trm_xml *element, const char *child)
{
    trm_xml *e = element ? trm_xml_child(element, child) : NULL;
    if (!e) return NULL;
    const char *start = e->text + strspn(e->text, " \t\r\n");
    size_t length = strlen(start);
    while (length > 0 && strchr(" \t\r\n", start[length - 1])) length--;
    return trm_arena_text_n(s->in->scratch, start, length);
}

static bool is_infinite(const char *text)
{
    const char *digits = text + (*text == '-' || *text == '+');
    return strcmp(digits, "inf") == 0 || strcmp(digits, "Inf") == 0 || strcmp(digits, "infinity") == 0;
}

double trm_sdf_number(trm_sdf *s, trm_xml *element, const char *child, double otherwise)
{
    double value = otherwise;
    const char *text = trm_sdf_text(s, element, child);
    if (!text || !*text) return otherwise;
    if (is_infinite(text)) return *text == '-' ? -INFINITY : INFINITY;
    return trm_xml_list(trm_xml_child(element, child), "its text", text, &value, 1, s->in->messages) == 1 ? value
                                                                                                          : otherwise;
}

bool trm_sdf_is(trm_sdf *s, trm_xml *element, const char *child, bool otherwise)
{
    const char *text = trm_sdf_text(s, element, child);
    if (!text || !*text) return otherwise;
    if (strcmp(text, "1") == 0 || strcmp(text, "true") == 0 || strcmp(text, "True") == 0) return true;
    if (strcmp(text, "0") != 0 && strcmp(text, "false") != 0 && strcmp(text, "False") != 0)
        trm_add_error(s->in->messages, trm_xml_child(element, child)->place,
                      "<%s> is \"%.60s\"; it must be true or false", child, text);
    return false;
}

bool trm_sdf_vector(trm_sdf *s, trm_xml *element, const char *child, trm_vec3 *v)
{
    double x[3];
    trm_xml *e = element ? trm_xml_child(element, child) : NULL;
    if (!e || !trm_xml_text_numbers(e, x, 3, s->in->messages)) return false;
    *v = trm_v3(x[0], x[1], x[2]);
    return true;
}
