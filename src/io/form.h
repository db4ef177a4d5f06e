/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Forms: the contents of the model file, defined once and used three times: to read it, to write it, and to print
 * its schema.
 *
 * A form is a list of fields, one line per key: its kind, the place of its value in the definition struct, the
 * variants of the element that allow it, and a help sentence with its unit. A kind (a number, three numbers, a function
 * of time, a list of another form ...) knows how to read, write and describe its value. A key that no field allows
 * is an error, which names the nearest allowed key. */

#ifndef TRM_IO_FORM_H
#define TRM_IO_FORM_H

#include "base/arena.h"
#include "base/expression.h"
#include "io/json.h"
#include "trammel/app.h"
#include "trammel/io.h"
#include "trammel/model.h"

typedef struct trm_field trm_field;
typedef struct trm_form trm_form;

/* The context of reading, and the element that is being read, for messages. */
typedef struct trm_reader {
    trm_arena *arena;
    trm_messages *messages;
    const char *file;
    const char *directory; /* folder of the files named in the model; NULL: none can be read */
    const trm_read_options *options;
    const trm_constant *constants;
    int constant_count;
    const trm_constant *inputs;
    int input_count;
    const trm_form *root; /* form of the whole file, in which misplaced words are looked up; NULL: none */
    char element[120];    /* "joint 'j3'" */
    const char *key;      /* key whose value is being read, for messages; NULL: none */
    int depth;            /* nesting depth of included models */
    const struct trm_reader *includer; /* reader of the model that includes this one; NULL: none */
} trm_reader;

/* A kind of value. slot points at the field's place in the definition. */
typedef struct trm_kind {
    const char *what; /* "three numbers"; for messages about a missing value */
    size_t size;      /* bytes at slot to compare with the default; 0: always written */
    /* Reports what is wrong with the value. Returns false only when out of memory. */
    bool (*read)(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot);
    void (*write)(trm_json_writer *w, const trm_field *field, const void *slot); /* NULL: an object in place */
    void (*schema)(trm_json_writer *w, const trm_field *field); /* members of its schema; NULL: the variant's mark */
} trm_kind;

struct trm_field {
    const char *key;
    const trm_kind *kind;
    size_t offset;       /* of the slot in the definition */
    size_t count_offset; /* lists: of their length */
    unsigned when;       /* variants that allow the key, as bits; 0: all */
    bool required;
    const char *help;           /* with its unit */
    const trm_form *form;       /* objects and lists: of what */
    const char *const *choices; /* words: the allowed ones, NULL after the last */
};

/* One variant of an element: the joint type "hinge", and the bits of the keys that it takes. */
typedef struct trm_variant {
    const char *name;
    unsigned takes;
    const char *mark; /* the key that makes it this variant; NULL: none, or "type" does */
} trm_variant;

struct trm_form {
    const char *name;                /* "joint"; of an object in place its key */
    size_t size;                     /* of the definition struct */
    void (*set_default)(void *item); /* NULL: an object in place, whose defaults are set with those of the whole */
    const trm_field *fields;
    int field_count;
    bool has_place; /* the struct begins with a trm_place */
    bool repeats;   /* an item of a list may be repeated (repeat.h) */

    /* Returns variant number index of an element; its name is NULL after the last. */
    trm_variant (*variant)(int index);
    /* Finds the variant of an object and sets it in item. Returns false after reporting that there is none. NULL:
     * by "type". */
    bool (*which)(trm_reader *reader, const trm_json *object, void *item, trm_variant *variant);
    /* Returns the variant of an item, for writing; NULL: by "type". */
    trm_variant (*variant_of)(const void *item);
    /* Writes the schema properties that distinguish the variants; NULL: "type": its name. */
    void (*mark)(trm_json_writer *w, const trm_variant *variant);
    /* Called after all keys are read. Returns false if out of memory. */
    bool (*finish)(trm_reader *reader, const trm_json *object, void *item);
};

#define TRM_COUNT_OF(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* Report an error at a value, or at a place, with the key that is being read. */
void trm_read_error(trm_reader *reader, const trm_json *at, const char *format, ...) TRM_PRINTF(3, 4);
void trm_read_error_at(trm_reader *reader, int line, int column, const char *format, ...) TRM_PRINTF(4, 5);

/* Sets item to its defaults and reads an object into it. Returns false if out of memory. */
bool trm_form_read(trm_reader *reader, const trm_form *form, const trm_json *object, void *item);

/* Writes the values that differ from the defaults, as members of an open object. */
void trm_form_write(trm_json_writer *w, const trm_form *form, const void *item);

/* Writes the schema of one object, as members of an open schema object. */
void trm_form_schema(trm_json_writer *w, const trm_form *form);

/* Sets the element's name in messages, "joint 'j3'", from its label "joint", its object and its index in the list. */
void trm_name_element(trm_reader *reader, const char *label, const trm_json *object, int index);

/* ---- Kinds -------------------------------------------------------------------------------- */

extern const trm_kind trm_kind_number;      /* double; also an expression in a string */
extern const trm_kind trm_kind_bool;        /* bool */
extern const trm_kind trm_kind_text;        /* const char * */
extern const trm_kind trm_kind_word;        /* const char *, one of field->choices */
extern const trm_kind trm_kind_vec3;        /* trm_vec3 */
extern const trm_kind trm_kind_vec3_pair;   /* trm_vec3[2] */
extern const trm_kind trm_kind_vec3_list;   /* const trm_vec3 *, counted */
extern const trm_kind trm_kind_range;       /* double[2] */
extern const trm_kind trm_kind_coordinates; /* double[3]: a number, or up to three */
extern const trm_kind trm_kind_names;       /* const char *[2] */
extern const trm_kind trm_kind_orientation; /* trm_quat: quaternion, axis and angle, or roll, pitch, yaw */
extern const trm_kind trm_kind_inertia;     /* double[6]: three or six */
extern const trm_kind trm_kind_function;    /* trm_function_def */
extern const trm_kind trm_kind_functions;   /* trm_function_def[3] */
extern const trm_kind trm_kind_frames;      /* const trm_named_frame *, counted: an object of named frames */
extern const trm_kind trm_kind_points;      /* const trm_named_point *, counted: an object of named vectors */
extern const trm_kind trm_kind_settings;    /* const trm_setting *, counted: an object of named functions */
extern const trm_kind trm_kind_object;      /* a struct in place, by field->form */
extern const trm_kind trm_kind_list;        /* const struct *, counted, by field->form */

/* For kinds of one form only. */
bool trm_read_number(trm_reader *reader, const trm_json *value, double *number);
bool trm_read_word(trm_reader *reader, const trm_json *value, const char *const *choices, const char **word);
bool trm_require_kind(trm_reader *reader, const trm_json *value, trm_json_kind kind, const char *what);
bool trm_read_text(trm_reader *reader, const trm_json *value, const char **text); /* false: out of memory */
bool trm_read_numbers(trm_reader *reader, const trm_json *value, const double **numbers, int *count);
bool trm_read_function(trm_reader *reader, const trm_json *value, trm_function_def *f); /* false: out of memory */
void trm_write_function(trm_json_writer *w, const char *key, const trm_function_def *f);
extern const char *const trm_interpolations[]; /* of tables; NULL after the last */
/* Reports an error of an expression, whose offset is a column after the opening quote. */
void trm_report_expression(trm_reader *reader, const trm_json *value, const trm_expression_error *error);
void trm_schema_ref(trm_json_writer *w, const char *definition);
void trm_schema_array(trm_json_writer *w, const char *definition, int least, int most);
void trm_write_schema_definitions(trm_json_writer *w);

#endif
