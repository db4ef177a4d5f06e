/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The fields of every element of a model, each in one line: the table from which its default, its place in the fingerprint,
 * its reading, writing and schema follow, and against which the tests compare the documentation.
 *
 *     #define OF trm_body_def                          the struct of the fields that follow
 *     KEY(member, kind, default, variants, help)       one field; its key has the name of the member
 *     KEY_AS(key, member, ...)                         likewise, with another key
 *     MUST, WORD, MUST_WORD, COUNTED, LIST, OBJECT     likewise: required, one of some words, with a count ...
 *     HIDDEN(member, kind, default)                    a member without a key of its own
 *
 * A member whose size is not that of its kind does not compile. */

#ifndef TRM_MODEL_FIELDS_H
#define TRM_MODEL_FIELDS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trammel/model.h"

typedef enum trm_value_kind {
#define TRM_VALUE_KIND(name, bytes, hash) TRM_VALUE_##name,
#include "model/value_kinds.h"
#undef TRM_VALUE_KIND
    TRM_VALUE_KINDS
} trm_value_kind;

enum {
#define TRM_VALUE_KIND(name, bytes, hash) TRM_BYTES_##name = (bytes),
#include "model/value_kinds.h"
#undef TRM_VALUE_KIND
};

typedef struct trm_form trm_form;

typedef struct trm_field {
    const char *key; /* "": the file has no such key */
    trm_value_kind kind;
    size_t offset;              /* of the member in the definition struct */
    size_t count_offset;        /* lists: of their count; 0: no list */
    size_t size_offset;         /* lists: of the size of their items; 0: the size is known */
    const void *initial;        /* the default; NULL: all bytes zero */
    unsigned when;              /* variants that take the key, as bits; 0: all */
    bool required;              /* the file must have the key */
    bool apart;                 /* no part of the fingerprint: it changes neither motion nor results */
    const char *help;           /* with its unit */
    const trm_form *form;       /* objects and lists: of what */
    const char *const *choices; /* words: the allowed ones, NULL after the last */
} trm_field;

/* One variant of an element: the joint type "hinge", and the bits of the keys that it takes. */
typedef struct trm_variant {
    const char *name;
    unsigned takes;
    const char *mark; /* the key that makes it this variant; NULL: none, or "type" does */
} trm_variant;

/* An element, or an object inside one. */
struct trm_form {
    const char *name; /* "joint"; of an object in place its key */
    size_t size;      /* of the definition struct; 0: an object in place, whose defaults are part of the whole */
    const trm_field *fields;
    int field_count;
    bool has_place; /* the struct begins with a trm_place */
    bool repeats;   /* an item of a list may be repeated (src/io/repeat.c) */

    /* Returns variant number index of an element; its name is NULL after the last. NULL: there are no variants. */
    trm_variant (*variant)(int index);
    /* Returns the variant of an item; NULL: by "type". */
    trm_variant (*variant_of)(const void *item);
};

#define TRM_COUNT_OF(array) ((int)(sizeof(array) / sizeof(array)[0]))

extern const trm_form trm_form_model; /* fields_rest.c */
extern const trm_form trm_form_input;
extern const trm_form trm_form_contact;
extern const trm_form trm_form_event;
extern const trm_form trm_form_sensor;
extern const trm_form trm_form_output;
extern const trm_form trm_form_pose;
extern const trm_form trm_form_simulation; /* without the options of methods: fields_simulation.h */
extern const trm_form trm_form_tolerance;
extern const trm_form trm_form_body; /* fields_bodies.c */
extern const trm_form trm_form_shape;
extern const trm_form trm_form_joint; /* fields_joints.c: all joints that are not drives */
extern const trm_form trm_form_drive; /* joints that the file lists under "forces" */
extern const trm_form trm_form_coordinate;
extern const trm_form trm_form_law; /* trm_coordinate_law, which has the keys of a coordinate */
extern const trm_form trm_form_term;
extern const trm_form trm_form_force; /* fields_forces.c */

/* Sets an element to its defaults. */
void trm_form_set_defaults(const trm_form *form, void *item);

/* Copies the members of an item whose keys another form has as well. For keys of fixed size, not for lists. */
void trm_form_copy(const trm_form *from, const void *item, const trm_form *to, void *copy);

/* Returns whether a member has its default. */
bool trm_field_is_default(const trm_field *field, const void *item);

/* Returns the field of a key, or NULL if no variant has it. */
const trm_field *trm_form_field(const trm_form *form, const char *key);

/* Returns the member of an item if it is one text, else NULL. */
const char **trm_field_text(const trm_field *field, void *item);

/* Returns whether a variant takes the key of a field. */
bool trm_field_is_taken(const trm_field *field, unsigned takes);

/* Returns the variant of an item: all bits for an element without variants, or without a known type. */
trm_variant trm_form_variant_of(const trm_form *form, const void *item);

/* Returns the hash extended by an item: by every field that its variant takes and that is not the default. */
uint64_t trm_form_hash(uint64_t hash, const trm_form *form, const void *item);

/* ---- Shorthands of the tables --------------------------------------------------------------- */

#define TRM_MEMBER(member, kind)                                                                                     \
    (offsetof(OF, member) + 0 * sizeof(char[sizeof((OF *)0)->member == TRM_BYTES_##kind ? 1 : -1]))

#define FIELD(name, member, value, first, bits, text)                                                                \
    .key = (name), .kind = TRM_VALUE_##value, .offset = TRM_MEMBER(member, value), .initial = (first),               \
    .when = (bits), .help = (text)
#define COUNT(counter)            .count_offset = offsetof(OF, counter)
#define SIZED(counter, bytes, of) COUNT(counter), .size_offset = offsetof(OF, bytes), .form = (of)

#define KEY(member, kind, initial, bits, help) KEY_AS(#member, member, kind, initial, bits, help)
#define KEY_AS(key, member, kind, initial, bits, help)                                                               \
    {                                                                                                                \
        FIELD(key, member, kind, initial, bits, help)                                                                \
    }
#define MUST(member, kind, initial, bits, help) MUST_AS(#member, member, kind, initial, bits, help)
#define MUST_AS(key, member, kind, initial, bits, help)                                                              \
    {                                                                                                                \
        FIELD(key, member, kind, initial, bits, help), .required = true                                              \
    }
/* A key that changes neither the motion nor the results. */
#define APART(member, kind, initial, bits, help)                                                                     \
    {                                                                                                                \
        FIELD(#member, member, kind, initial, bits, help), .apart = true                                             \
    }
#define HIDDEN(member, kind, initial)                                                                                \
    {                                                                                                                \
        FIELD("", member, kind, initial, EVERY, NULL)                                                                \
    }
#define HIDDEN_LIST(member, kind, counter, of)                                                                       \
    {                                                                                                                \
        FIELD("", member, kind, 0, EVERY, NULL), COUNT(counter), .form = (of)                                        \
    }
#define WORD(member, initial, bits, list, help)                                                                      \
    {                                                                                                                \
        FIELD(#member, member, word, initial, bits, help), .choices = (list)                                         \
    }
#define MUST_WORD(member, initial, bits, list, help)                                                                 \
    {                                                                                                                \
        FIELD(#member, member, word, initial, bits, help), .choices = (list), .required = true                       \
    }
#define COUNTED(member, kind, counter, bits, help) COUNTED_AS(#member, member, kind, counter, bits, help)
#define COUNTED_AS(key, member, kind, counter, bits, help)                                                           \
    {                                                                                                                \
        FIELD(key, member, kind, 0, bits, help), COUNT(counter)                                                      \
    }
/* A list of elements: kind is how the file holds them. */
#define ELEMENTS(member, kind, counter, of, help)                                                                    \
    {                                                                                                                \
        FIELD(#member, member, kind, 0, EVERY, help), COUNT(counter), .form = (of)                                   \
    }
#define LIST(member, counter, bits, of, help)                                                                        \
    {                                                                                                                \
        FIELD(#member, member, list, 0, bits, help), COUNT(counter), .form = (of)                                    \
    }
/* A list whose items may be of the size that an older program knows. */
#define SIZED_LIST(member, counter, bytes, bits, of, help)                                                           \
    {                                                                                                                \
        FIELD(#member, member, list, 0, bits, help), SIZED(counter, bytes, of)                                       \
    }
#define MUST_SIZED_LIST(key, member, counter, bytes, bits, of, help)                                                 \
    {                                                                                                                \
        FIELD(key, member, list, 0, bits, help), SIZED(counter, bytes, of), .required = true                         \
    }
#define OBJECT(member, bits, of, text)                                                                               \
    {                                                                                                                \
        .key = #member, .kind = TRM_VALUE_object, .offset = offsetof(OF, member), .when = (bits), .form = (of),      \
        .help = (text)                                                                                               \
    }
/* An object whose members lie side by side in the struct itself. */
#define GROUP(name, bits, of, text)                                                                                  \
    {                                                                                                                \
        .key = (name), .kind = TRM_VALUE_object, .when = (bits), .form = (of), .help = (text)                        \
    }

enum { EVERY = 0 }; /* variants: all */

/* Both members of a form that its fields give, and the choices of a word. */
#define FIELDS(list) .fields = (list), .field_count = TRM_COUNT_OF(list)
/* The members of the form of a struct with a place. */
#define ELEMENT(title, list) .name = (title), .size = sizeof(OF), FIELDS(list), .has_place = true
#define ONE_OF(...)          ((const char *const[]){__VA_ARGS__, NULL})

/* Defaults; 0 stands for zeros, false and NULL. */
#define NUMBER(x)  (&(const double){x})
#define TEXT(text) (&(const char *const){text})
#define YES        (&(const bool){true})
#define NOT_GIVEN  ((const double[]){NAN, NAN, NAN, NAN, NAN, NAN})
#define UNBOUNDED  ((const double[]){-INFINITY, INFINITY})
#define ONES       ((const double[]){1, 1, 1})
#define Z_AXIS     ((const double[]){0, 0, 1})
#define IDENTITY   ((const double[]){1, 0, 0, 0})

#endif
