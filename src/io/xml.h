/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* XML documents as trees, for readers that account for all that they are given.
 *
 * The tree lives in the caller's arena. A document type declaration is refused, so there are no entities to
 * expand. Two faults that many files have are mended before parsing, without changing the place of anything, and
 * reported: text before the XML declaration, and "--" inside comments.
 *
 * A reader takes elements and attributes by the functions below, which mark them as used. Whatever is left
 * unmarked at the end is named by trm_xml_account: nothing is ignored in silence. */

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
    const char *text; /* of the element itself, all pieces together; "" if it has none */
    trm_place place;
    trm_xml *parent, *first_child, *last_child, *next; /* next: sibling */
    trm_xml_attribute *attributes;
    int attribute_count;
    bool used;
};

/* Bytes of a document, at most. */
enum { TRM_XML_BYTES = 1 << 28 };

/* The root element. NULL: the document is not well formed, with a message; or arena->failed. */
trm_xml *trm_xml_parse(trm_arena *arena, const char *text, size_t length, const char *file, trm_messages *messages);

/* The first child of that name, marked as used; NULL: there is none. */
trm_xml *trm_xml_child(trm_xml *element, const char *name);

/* The next sibling of the same name, marked as used; NULL: there is none. */
trm_xml *trm_xml_again(trm_xml *element);

/* The value of an attribute, marked as used; NULL: there is none. */
const char *trm_xml_value(trm_xml *element, const char *name);

/* ---- Values ------------------------------------------------------------------------------- */

/* Reads so many numbers separated by white space; decimals as C writes them ("+.5", "1.", "01"). False after an
 * error that names the element and the attribute, and the values stay as they were; an attribute that is not there
 * is no error. */
bool trm_xml_numbers(trm_xml *element, const char *attribute, double *values, int count, trm_messages *messages);

/* The same of the text of an element. */
bool trm_xml_text_numbers(trm_xml *element, double *values, int count, trm_messages *messages);

/* Reads a text of at most so many numbers. Returns their count; -1 after an error that names the element and what
 * it is. */
int trm_xml_list(const trm_xml *element, const char *what, const char *text, double *values, int most,
                 trm_messages *messages);

/* Inserts the children of another element after this one, as if they were written there. */
void trm_xml_splice(trm_xml *after, trm_xml *from);

/* Marks an element and all that is in it as used: after an error about it, so that nothing else is said of it. */
void trm_xml_use_all(trm_xml *element);

/* ---- Accounting --------------------------------------------------------------------------- */

/* Why a reader leaves something out. name: "element", "parent/element", "element@attribute" or "parent@attribute";
 * an element stands for all that is in it. */
typedef struct trm_xml_reason {
    const char *name, *why;
} trm_xml_reason;

typedef struct trm_xml_count {
    int elements; /* of the document */
    int used, named;
} trm_xml_count;

/* Adds messages for each kind of element and attribute that is not used, with its number and its first place: why,
 * by the list that ends with a name of NULL (kinds with the same text, the very same pointer, share a message), or
 * that it is unknown. strict: they are errors, else warnings. False: out of memory. */
bool trm_xml_account(trm_arena *scratch, const trm_xml *root, const trm_xml_reason *reasons, bool strict,
                     trm_messages *messages, trm_xml_count *count);

#endif
