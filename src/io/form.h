/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Forms: what the model file may hold, said once and used three times: to read, to write, and to print the schema.
 *
 * A form is a list of fields, one line per key: its kind, where its value goes in the definition struct, for which
 * variants of the element it is allowed, and a sentence with its unit. A kind (a number, three numbers, a function of
 * time, a list of another form ...) knows how to read, write and describe its value. A key that no field allows is an
 * error that names the nearest one that is. */

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

/* What reading needs to know, and whose turn it is, for messages. */
typedef struct trm_reader {
    trm_arena *arena;
    trm_messages *messages;
    const char *file;
    const char *directory; /* where files named in the model are; NULL: none can be read */
    const trm_read_options *options;
    const trm_constant *constants;
    int constant_count;
    const trm_constant *inputs;
    int input_count;
    char element[120];                 /* "joint 'j3'" */
    const char *key;                   /* whose value is being read, for messages; NULL: none */
    int depth;                         /* of models within models */
    const struct trm_reader *includer; /* that reads the model which includes this one; NULL: none */
} trm_reader;

/* A kind of value. slot points at the field's place in the definition. */
typedef struct trm_kind {
    const char *what; /* "three numbers"; for what is missing */
    size_t size;      /* bytes at slot that tell whether it is still the default; 0: written always */
    /* false: out of memory; what is wrong with the value is said */
    bool (*read)(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot);
    void (*write)(trm_json_writer *w, const trm_field *field, const void *slot); /* NULL: an object in place */
    void (*schema)(trm_json_writer *w, const trm_field *field); /* members of its schema; NULL: the variant's mark */
} trm_kind;

struct trm_field {
    const char *key;
    const trm_kind *kind;
    size_t offset;       /* of the slot in the definition */
    size_t count_offset; /* lists: of their length */
    unsigned when;       /* variants that take it, as bits; 0: all */
    bool required;
    const char *help;           /* with its unit */
    const trm_form *form;       /* objects and lists: of what */
    const char *const *choices; /* words: which, NULL behind the last */
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

    /* Elements with variants: number index; name NULL behind the last. */
    trm_variant (*variant)(int index);
    /* Which variant this is, setting it in item; false: it is none, and what is wrong is said. NULL: by "type". */
    bool (*which)(trm_reader *reader, const trm_json *object, void *item, trm_variant *variant);
    /* Which variant an item is, for writing; NULL: by "type". */
    trm_variant (*variant_of)(const void *item);
    /* Properties of the schema that tell the variants apart; NULL: "type": its name. */
    void (*mark)(trm_json_writer *w, const trm_variant *variant);
    /* After all keys are read; false: out of memory. */
    bool (*finish)(trm_reader *reader, const trm_json *object, void *item);
};

#define TRM_COUNT_OF(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* Says what is wrong at a value, naming its key. */
void trm_read_error(trm_reader *reader, const trm_json *at, const char *format, ...) TRM_PRINTF(3, 4);
void trm_read_error_at(trm_reader *reader, int line, int column, const char *format, ...) TRM_PRINTF(4, 5);

/* Reads an object into item, which gets its defaults first. False: out of memory. */
bool trm_form_read(trm_reader *reader, const trm_form *form, const trm_json *object, void *item);

/* Writes what differs from the defaults, as the members of an open object. */
void trm_form_write(trm_json_writer *w, const trm_form *form, const void *item);

/* The schema of one object, as the members of an open schema object. */
void trm_form_schema(trm_json_writer *w, const trm_form *form);

/* One item for a list, read by its form; label "joint" gives the element's name in messages. */
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
bool trm_want_kind(trm_reader *reader, const trm_json *value, trm_json_kind kind, const char *what);
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
