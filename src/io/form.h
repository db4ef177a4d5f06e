/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The model file: read, written and described by the forms of src/model/fields.h.
 *
 * A form is a list of fields, one line per key. The kind of a field (a number, three numbers, a function of time, a list
 * of another form ...) knows how to read, write and describe its value. A key that no field allows is an error, which
 * names the nearest allowed key. */

#ifndef TRM_IO_FORM_H
#define TRM_IO_FORM_H

#include "base/arena.h"
#include "base/expression.h"
#include "io/json.h"
#include "model/fields.h"
#include "trammel/app.h"
#include "trammel/io.h"

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

/* What the schema of a kind is: its definition or function, or an array or an object of values that have the
 * definition. */
typedef enum trm_schema_shape { TRM_SCHEMA_OWN, TRM_SCHEMA_ARRAY, TRM_SCHEMA_MAP } trm_schema_shape;

/* How a kind of value (src/model/value_kinds.h) is read, written and described. slot points at the member. */
typedef struct trm_kind {
    const char *what; /* "three numbers"; for messages about a missing value */
    /* Reports what is wrong with the value. Returns false only when out of memory. */
    bool (*read)(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot);
    void (*write)(trm_json_writer *w, const trm_field *field, const void *slot); /* NULL: an object in place */
    /* Its schema: the definition that it refers to, or a function that writes the members; both NULL: the variant's
     * mark. */
    trm_schema_shape shape;
    int items; /* of an array; 0: any number */
    const char *definition;
    /* Of arrays of a fixed length, and of lists of named values: the kind of a value, bytes from one to the next, place
     * of the value after the name, and what the file must have. */
    const struct trm_kind *item;
    size_t size, at;
    const char *expected;
    void (*schema)(trm_json_writer *w, const trm_field *field);
    bool decides; /* write finds out itself whether there is anything to write */
} trm_kind;

#define TRM_VALUE_KIND(name, bytes, hash) extern const trm_kind trm_kind_##name;
#include "model/value_kinds.h"
#undef TRM_VALUE_KIND

/* A kind from its functions NAME_read, NAME_write and NAME_schema. */
#define TRM_KIND(text, name)                                                                                         \
    {                                                                                                                \
        .what = (text), .read = name##_read, .write = name##_write, .schema = name##_schema                          \
    }

/* Likewise; its schema is a definition. */
#define TRM_DEFINED_KIND(text, name, defined)                                                                        \
    {                                                                                                                \
        .what = (text), .read = name##_read, .write = name##_write, .definition = (defined)                          \
    }

/* An array of so many values of a kind, and a list of structs of a name and a value, an object in the file. of: the
 * definition of the values in the schema. */
#define TRM_ARRAY_KIND(text, of, type, value, count, text_expected)                                                  \
    {                                                                                                                \
        .what = (text), .read = trm_array_read, .write = trm_array_write, .shape = TRM_SCHEMA_ARRAY,                 \
        .items = (count), .definition = (of), .item = &(value), .size = sizeof(type), .expected = (text_expected)    \
    }
#define TRM_MAP_KIND(text, of, type, member, value, text_expected)                                                   \
    {                                                                                                                \
        .what = (text), .read = trm_map_read, .write = trm_map_write, .shape = TRM_SCHEMA_MAP, .definition = (of),   \
        .item = &(value), .size = sizeof(type), .at = offsetof(type, member), .expected = (text_expected)            \
    }

const trm_kind *trm_kind_of(const trm_field *field);
/* Writes the members of the schema of a kind. */
void trm_kind_schema(trm_json_writer *w, const trm_kind *kind, const trm_field *field);

/* What reading and the schema of a form need besides its fields. */
typedef struct trm_form_hooks {
    const trm_form *form;
    /* Finds the variant of an object and sets it in item. Returns false after reporting that there is none. NULL:
     * by "type". */
    bool (*which)(trm_reader *reader, const trm_json *object, void *item, trm_variant *variant);
    /* Writes the schema properties that distinguish the variants; NULL: "type": its name. */
    void (*mark)(trm_json_writer *w, const trm_variant *variant);
    /* Called after all keys are read. Returns false if out of memory. */
    bool (*finish)(trm_reader *reader, const trm_json *object, void *item);
} trm_form_hooks;

extern const trm_form_hooks trm_hooks_body, trm_hooks_shape, trm_hooks_event, trm_hooks_model;

/* Returns the hooks of a form, all NULL for most. */
const trm_form_hooks *trm_hooks_of(const trm_form *form);

/* Report an error at a value, or at a place, with the key that is being read. */
void trm_read_error(trm_reader *reader, const trm_json *at, const char *format, ...) TRM_PRINTF(3, 4);
void trm_read_error_at(trm_reader *reader, int line, int column, const char *format, ...) TRM_PRINTF(4, 5);

/* Sets item to its defaults and reads an object into it. Returns false if out of memory. */
bool trm_form_read(trm_reader *reader, const trm_form *form, const trm_json *object, void *item);

/* Reads an object into an item that has its defaults. Returns false if out of memory. */
bool trm_form_read_into(trm_reader *reader, const trm_form *form, const trm_json *object, void *item);

/* Writes the values that differ from the defaults, as members of an open object. */
void trm_form_write(trm_json_writer *w, const trm_form *form, const void *item);

/* Writes the schema of one object, as members of an open schema object. */
void trm_form_schema(trm_json_writer *w, const trm_form *form);

/* Sets the element's name in messages, "joint 'j3'", from its label "joint", its object and its index in the list. */
void trm_name_element(trm_reader *reader, const char *label, const trm_json *object, int index);

/* ---- Kinds -------------------------------------------------------------------------------- */

/* For kinds of one element only. */
bool trm_read_number(trm_reader *reader, const trm_json *value, double *number);
bool trm_read_word(trm_reader *reader, const trm_json *value, const char *const *choices, const char **word);
bool trm_require_kind(trm_reader *reader, const trm_json *value, trm_json_kind kind, const char *what);
bool trm_read_text(trm_reader *reader, const trm_json *value, const char **text); /* returns false if out of memory */
bool trm_read_numbers(trm_reader *reader, const trm_json *value, const double **numbers, int *count);
bool trm_read_function(trm_reader *reader, const trm_json *value,
                       trm_function_def *f); /* returns false if out of memory */
void trm_write_function(trm_json_writer *w, const char *key, const trm_function_def *f);
extern const char *const trm_interpolations[]; /* of tables; NULL after the last */
/* Reports an error of an expression, whose offset is a column after the opening quote. */
void trm_report_expression(trm_reader *reader, const trm_json *value, const trm_expression_error *error);
void trm_write_text(trm_json_writer *w, const trm_field *field, const void *slot);
bool trm_read_array(trm_reader *reader, const trm_kind *kind, const trm_json *value, void *slot);
bool trm_array_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot);
void trm_array_write(trm_json_writer *w, const trm_field *field, const void *slot);
bool trm_map_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot);
void trm_map_write(trm_json_writer *w, const trm_field *field, const void *slot);
bool trm_read_vectors(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot);
bool trm_read_list(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot);
void trm_schema_list(trm_json_writer *w, const trm_field *field);
void trm_schema_words(trm_json_writer *w, const char *const *words); /* NULL after the last */
void trm_schema_ref(trm_json_writer *w, const char *definition);
void trm_write_schema_definitions(trm_json_writer *w);

/* ---- Parts of the reader: repeat.c, table_file.c, elsewhere.c, include.c, rename.c -------------- */

/* Returns the list with repeated items expanded, or the list itself if there are none. Returns NULL if out of memory.
 * Items with errors are reported and omitted. label: name of an item in messages: "joint". */
const trm_json *trm_repeat_items(trm_reader *reader, const char *label, const trm_json *list);

/* Reads the table that {"file": "cam.csv", "t": column, "y": column, "interpolate": word} names. Reports errors in
 * the request and in the file. Returns false if out of memory. */
bool trm_read_table_file(trm_reader *reader, const trm_json *value, trm_function_def *f);

/* Reads a file that the model names, whose path is relative to the folder of the model and may not leave it,
 * unless it lies below one of options->paths. If it cannot be read, *text is NULL and an error is reported at value.
 * what: "table", for messages. *path: path of the file, in the reader's arena. Returns false if out of memory. */
bool trm_read_named_file(trm_reader *reader, const trm_json *value, const char *what, char **text, size_t *length,
                         const char **path);

enum { TRM_MOST_OWNERS = 8 };

/* Lists the forms of list elements below a form that have a key. If nested lists have it, only the outermost is
 * listed. Returns their number, at most TRM_MOST_OWNERS. */
int trm_owners_of_key(const trm_form *form, const char *key, const trm_form *owners[TRM_MOST_OWNERS]);

/* Returns the key of the list, at any depth below a form, whose elements may have a type; NULL if there is none. */
const char *trm_list_of_type(const trm_form *form, const char *type);

extern const trm_kind trm_kind_include; /* reads nothing itself; trm_read_includes does */

/* Adds the elements of all included models after those of the model. Returns false if out of memory. */
bool trm_read_includes(trm_reader *reader, const trm_json *object, trm_model_def *def);

/* rename.c: adds the prefix to the names of the elements of an included model, also in references to each other,
 * replaces its constants in functions of time by their values, and moves it to its place. Names that it does not
 * define refer to the including model and are unchanged. Returns false if out of memory. */
typedef struct trm_renaming {
    trm_arena *arena;
    const trm_model_def *def; /* the definition before renaming */
    const char *prefix;
    trm_pose place;
} trm_renaming;

bool trm_rename_model(const trm_renaming *renaming, trm_model_def *def);

#endif
