/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* XML documents as trees, for readers that account for all of their input.
 *
 * The tree lives in the caller's arena. A document type declaration is refused, so there are no entities to
 * expand. Two common errors are repaired before parsing, without moving any text, and reported: text before the
 * XML declaration, and "--" inside comments.
 *
 * A reader gets elements and attributes by the functions below, which mark them as used. trm_xml_account reports
 * those that are not marked at the end, so that nothing is ignored silently. */

#ifndef TRM_IO_XML_H
#define TRM_IO_XML_H

#include "base/arena.h"
#include "base/message.h"
#include "io/xml_scan.h"

typedef struct trm_xml_attribute {
    const char *name, *value;
    bool used;
} trm_xml_attribute;

typedef struct trm_xml trm_xml;
struct trm_xml {
    const char *name;
    const char *text; /* text of the element itself, all pieces together; "" if it has none */
    trm_place place;
    trm_xml *parent, *first_child, *last_child, *next; /* next: sibling */
    trm_xml_attribute *attributes;
    int attribute_count;
    int scope;         /* for use by readers: number of the document that it is from */
    uint32_t initials; /* bit c & 31 for each first letter c of an attribute's name, which settles most searches */
    bool used;
};

/* Appends an attribute, for which there is room. */
static inline void trm_xml_add_attribute(trm_xml *element, const char *name, const char *value)
{
    element->attributes[element->attribute_count++] = (trm_xml_attribute){.name = name, .value = value};
    element->initials |= UINT32_C(1) << ((unsigned char)name[0] & 31);
}

/* Largest size of a document, bytes. */
enum { TRM_XML_BYTES = 1 << 28 };

/* Parses a document. Returns its root element. Returns NULL after a message if the document is not well formed, or if
 * out of memory (arena->failed). */
trm_xml *trm_xml_parse(trm_arena *arena, const char *text, size_t length, const char *file, trm_messages *messages);

/* Returns the first child of that name and marks it as used; NULL if there is none. */
trm_xml *trm_xml_child(trm_xml *element, const char *name);

/* Returns the next sibling of the same name and marks it as used; NULL if there is none. */
trm_xml *trm_xml_again(trm_xml *element);

/* Returns the number of elements in an element, itself included. */
int trm_xml_size(const trm_xml *element);

/* Returns the value of an attribute and marks it as used; NULL if there is none. */
const char *trm_xml_value(trm_xml *element, const char *name);

/* ---- Values ------------------------------------------------------------------------------- */

/* Reads `count` numbers separated by white space; decimals as in C ("+.5", "1.", "01"). Returns false after an
 * error that names the element and the attribute; then the values are unchanged. A missing attribute is not an
 * error. */
bool trm_xml_numbers(trm_xml *element, const char *attribute, double *values, int count, trm_messages *messages);

/* Reads one number, which may also be "inf", "-inf" or "infinity". */
bool trm_xml_number_or_infinite(trm_xml *element, const char *attribute, double *value, trm_messages *messages);

/* Reads the text of an element in the same way. */
bool trm_xml_text_numbers(trm_xml *element, double *values, int count, trm_messages *messages);

/* Reads a text of at most `most` numbers. Returns their count; -1 after an error that names the element and `what`. */
int trm_xml_list(const trm_xml *element, const char *what, const char *text, double *values, int most,
                 trm_messages *messages);

/* Inserts the children of another element after this one, as if they were written there. */
void trm_xml_splice(trm_xml *after, trm_xml *from);

/* Marks an element and its contents as used, so that after an error nothing else is reported about it. */
void trm_xml_use_all(trm_xml *element);

/* ---- Accounting --------------------------------------------------------------------------- */

/* The reason why a reader ignores elements and attributes. names: "element", "parent/element", "element@attribute" or
 * "parent@attribute", separated by blanks; an element includes its contents. */
typedef struct trm_xml_reason {
    const char *why, *names;
} trm_xml_reason;

typedef struct trm_xml_count {
    int elements; /* number of elements of the document */
    int used, named;
} trm_xml_count;

/* Adds a message for each kind of element and attribute that is not used, with its number, its first place and the
 * reason: that of the list, which ends with a reason of NULL, or that it is unknown. Kinds with the same reason share
 * a message. strict: errors instead of warnings. Adds to the counts. Returns false if out of
 * memory. */
bool trm_xml_account(trm_arena *scratch, const trm_xml *root, const trm_xml_reason *reasons, bool strict,
                     trm_messages *messages, trm_xml_count *count);

#endif
