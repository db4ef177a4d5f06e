/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Included models. Each item of "include" names a model file. Its elements are added to those of the model with a
 * prefix, at another place, and with other values of its constants. "repeat" adds them several times; then i = 0,
 * 1, ... is a constant, and {i} stands for its digits in the prefix.
 *
 * A file is read by the same forms, so its errors name it with line and column. It may include others, but not
 * itself. */

#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "io/form.h"

enum { MOST_REPEATED = 10000, MOST_NESTED = 20 };

typedef struct include_def {
    trm_place place;
    const char *file, *prefix;
    trm_vec3 position;
    trm_quat orientation;
    double repeat;
    const trm_constant *constants;
    int constant_count;
} include_def;

/* ---- The form ----------------------------------------------------------------------------- */

#define OF include_def

static const trm_field include_fields[] = {
    MUST(file, text, 0, EVERY, "model file, in the folder of this one or below it"),
    KEY(prefix, text, TEXT(""), EVERY, "prefix of the names of its elements"),
    KEY(position, vec3, 0, EVERY, "[m] position of its origin in the world"),
    KEY(orientation, orientation, IDENTITY, EVERY, "orientation of its axes in the world"),
    KEY(repeat, number, NUMBER(1), EVERY, "number of copies; i counts from 0 (default: 1)"),
    COUNTED(constants, values, constant_count, EVERY, "values that replace those of its constants"),
};

static const trm_form form_include = {ELEMENT("include", include_fields)};

/* ---- Reading ------------------------------------------------------------------------------ */

/* Reads the file as a definition that shares the memory of the reader. *read becomes false after errors in it were
 * reported. Returns false if out of memory. */
static bool read_file(trm_reader *reader, const include_def *include, const trm_json *at, trm_model_def *def,
                      bool *read)
{
    char *text = NULL;
    size_t length = 0;
    const char *path = NULL;
    const int errors = trm_error_count(reader->messages);
    *read = false;
    if (!trm_read_named_file(reader, at, "model", &text, &length, &path)) return false;
    if (!text) return true;
    const char *slash = strrchr(path, '/');
    trm_read_options options = {0};
    if (reader->options) options = *reader->options;
    options.set = include->constants, options.set_count = include->constant_count;
    options.inputs = NULL, options.input_count = 0;
    trm_reader inner = {.arena = reader->arena,
                        .messages = reader->messages,
                        .file = path,
                        .directory = slash ? trm_arena_text_n(reader->arena, path, (size_t)(slash - path)) : ".",
                        .options = &options,
                        .root = reader->root,
                        .depth = reader->depth + 1,
                        .includer = reader};
    for (const trm_reader *r = reader; r; r = r->includer)
        if (strcmp(r->file, path) == 0 || inner.depth > MOST_NESTED) {
            trm_read_error(reader, at, "the model file \"%s\" includes itself; leave one of the includes out",
                           at->text);
            return true;
        }
    const trm_json *root = trm_json_parse(reader->arena, text, length, path, NULL, reader->messages);
    if (!root) return !reader->arena->failed;
    if (!inner.directory || !trm_form_read_into(&inner, &trm_form_model, root, def)) return false;
    *read = trm_error_count(reader->messages) == errors;
    return true;
}

#define APPEND(list, count, add)                                                                                     \
    for (int k = 0; k < from->count; k++)                                                                            \
        if (add(def, &from->list[k]) != TRM_OK) return false

static bool append(trm_model_def *def, const trm_model_def *from)
{
    APPEND(inputs, input_count, trm_add_input);
    APPEND(bodies, body_count, trm_add_body);
    APPEND(joints, joint_count, trm_add_joint);
    APPEND(forces, force_count, trm_add_force);
    APPEND(contacts, contact_count, trm_add_contact);
    APPEND(events, event_count, trm_add_event);
    APPEND(sensors, sensor_count, trm_add_sensor);
    APPEND(outputs, output_count, trm_add_output);
    APPEND(poses, pose_count, trm_add_pose);
    for (int k = 0; k < from->no_collide_count; k++)
        if (trm_add_no_collide(def, from->no_collide[k].bodies[0], from->no_collide[k].bodies[1]) != TRM_OK)
            return false;
    return true;
}

/* Returns the text with {i} replaced by the number. Returns NULL if out of memory. */
static const char *numbered(trm_arena *arena, const char *text, int i)
{
    const char *mark = strstr(text, "{i}");
    return mark ? trm_arena_format(arena, "%.*s%d%s", (int)(mark - text), text, i, mark + 3) : text;
}

static bool include_once(trm_reader *reader, const trm_json *item, const include_def *include, int i,
                         trm_model_def *def)
{
    trm_model_def inner = {.arena = def->arena, .file = def->file};
    bool read;
    if (!read_file(reader, include, trm_json_member_value(item, "file"), &inner, &read)) return false;
    if (!read) return true;
    const trm_renaming renaming = {reader->arena,
                                   &inner,
                                   numbered(reader->arena, include->prefix, i),
                                   {.p = include->position, .q = include->orientation}};
    trm_model_def renamed = inner;
    return renaming.prefix && trm_rename_model(&renaming, &renamed) && append(def, &renamed);
}

/* Sets the constants of the reader to those of the model and i. Returns false if out of memory. */
static bool set_index(trm_reader *reader, const trm_constant *own, int count, int i)
{
    trm_constant *list = TRM_NEW_ARRAY(reader->arena, trm_constant, count + 1);
    if (!list) return false;
    list[0] = (trm_constant){"i", i};
    for (int k = 0; k < count; k++) list[k + 1] = own[k];
    reader->constants = list;
    reader->constant_count = count + 1;
    return true;
}

static bool include_item(trm_reader *reader, const trm_json *item, trm_model_def *def)
{
    const trm_constant *own = reader->constants;
    const int own_count = reader->constant_count;
    int count = 1;
    bool good = true;
    for (int i = 0; good && i < count; i++) {
        include_def include;
        const int errors = trm_error_count(reader->messages);
        good = set_index(reader, own, own_count, i) && trm_form_read(reader, &form_include, item, &include);
        if (!good || trm_error_count(reader->messages) > errors) break;
        if (!(include.repeat >= 0 && include.repeat <= MOST_REPEATED) || include.repeat != (int)include.repeat) {
            trm_read_error(reader, item, "\"repeat\" is %g; it must be a whole number from 0 to %d", include.repeat,
                           (int)MOST_REPEATED);
            break;
        }
        count = (int)include.repeat;
        good = count == 0 || include_once(reader, item, &include, i, def);
        if (trm_error_count(reader->messages) > errors) break; /* further repetitions have the same errors */
    }
    reader->constants = own;
    reader->constant_count = own_count;
    return good;
}

bool trm_read_includes(trm_reader *reader, const trm_json *object, trm_model_def *def)
{
    const trm_json *list = trm_json_member_value(object, "include");
    if (!list || !trm_require_kind(reader, list, TRM_JSON_ARRAY, "an array of objects {\"file\": ...}")) return true;
    for (int i = 0; i < list->count; i++) {
        snprintf(reader->element, sizeof reader->element, "include number %d", i + 1);
        if (!include_item(reader, &list->items[i], def)) return false;
    }
    reader->element[0] = 0;
    return true;
}

/* ---- The key ------------------------------------------------------------------------------ */

static bool include_read(trm_reader *reader, const trm_field *field, const trm_json *value, void *slot)
{
    (void)reader, (void)field, (void)value, (void)slot; /* done by trm_read_includes after all other keys */
    return true;
}

static void include_write(trm_json_writer *w, const trm_field *field, const void *slot)
{
    (void)w, (void)field, (void)slot; /* included elements are written as part of the model */
}

static void include_schema(trm_json_writer *w, const trm_field *field)
{
    (void)field;
    trm_json_put_text(w, "type", "array");
    trm_json_open_object(w, "items");
    trm_form_schema(w, &form_include);
    trm_json_close(w);
}

const trm_kind trm_kind_include = TRM_KIND("a list of models", include);
