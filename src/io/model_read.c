/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Model files of any format: the file is read, its format recognised, and the reader of that format fills the
 * definition. */

#include <errno.h>
#include <math.h>
#include <string.h>

#include "io/files.h"
#include "io/format.h"

static const trm_format *const FORMATS[] = {
#define TRM_FORMAT(name) &trm_format_##name,
#include "io/formats.h"
#undef TRM_FORMAT
};

enum { FORMAT_COUNT = sizeof FORMATS / sizeof *FORMATS };

static const char *skip_comment(const char *at, const char *end, const char *close)
{
    const size_t size = strlen(close);
    for (; at + size <= end; at++)
        if (memcmp(at, close, size) == 0) return at + size;
    return end;
}

/* Returns the start of the name of the root element of an XML document. Returns NULL if it is not XML: JSON has no
 * '<' before its first bracket. */
static const char *find_root(const char *text, size_t length)
{
    const char *end = text + length;
    bool is_xml = false;
    while (text < end) {
        const size_t left = (size_t)(end - text);
        if (!is_xml && (*text == '{' || *text == '[')) return NULL;
        is_xml = is_xml || *text == '<';
        if (left > 4 && memcmp(text, "<!--", 4) == 0)
            text = skip_comment(text, end, "-->");
        else if (left > 2 && memcmp(text, "<?", 2) == 0)
            text = skip_comment(text, end, "?>");
        else if (*text == '<' && left > 1 && text[1] != '!')
            return text + 1;
        else
            text++;
    }
    return NULL;
}

bool trm_xml_root_is(const char *text, size_t length, const char *name)
{
    const char *root = find_root(text, length);
    const size_t size = strlen(name);
    return root && (size_t)(text + length - root) > size && memcmp(root, name, size) == 0 &&
           strchr(" \t\r\n>/", root[size]);
}

/* ---- Files that are not models ------------------------------------------------------------- */

/* Returns whether the first character of a text after white space is '<'. */
static bool begins_as_xml(const char *text, size_t length)
{
    size_t i = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (i < length && strchr(" \t\r\n", text[i]) && text[i]) i++;
    return i < length && text[i] == '<';
}

/* Returns why bytes of an unknown format are not a model. Returns NULL if they may be JSON, whose reader reports
 * errors. */
static const char *why_unknown(const trm_import *in, const char *text, size_t length)
{
    if (!begins_as_xml(text, length)) return NULL;
    const char *root = find_root(text, length);
    if (!root) return "this XML document has no element; a model has the root <robot>, <mujoco> or <sdf>";
    int size = 0;
    while (size < 60 && root + size < text + length && !strchr(" \t\r\n>/", root[size])) size++;
    return trm_arena_format(
        in->scratch,
        "the root element is <%.*s>; models have the root <robot> (URDF), <mujoco> (MJCF) or <sdf> (SDF)%s", size,
        root,
        trm_xml_root_is(text, length, "gazebo") ? "; this is SDF from before 1.3, which \"gz sdf -p\" converts" : "");
}

static bool read_unknown(trm_import *in, const char *text, size_t length)
{
    const char *why = why_unknown(in, text, length);
    if (!why) return FORMATS[FORMAT_COUNT - 1]->read(in, text, length);
    trm_add_error(in->messages, (trm_place){in->def->file, 1, 1}, "%s", why);
    return true;
}

static const trm_format UNKNOWN = {"unknown", NULL, read_unknown, NULL};

/* Returns the format of a document: the last one reads all that no other recognises, unless it cannot be a model. */
static const trm_format *recognise(const char *text, size_t length)
{
    for (int i = 0; i < FORMAT_COUNT - 1; i++)
        if (FORMATS[i]->recognises(text, length)) return FORMATS[i];
    return &UNKNOWN;
}

/* ---- Leaving out -------------------------------------------------------------------------- */

static void leave_out_of_joints(trm_model_def *def, unsigned without)
{
    for (int i = 0; i < def->joint_count; i++) {
        trm_joint_def *joint = &def->joints[i];
        if (without & TRM_WITHOUT_LIMITS) joint->limits[0] = -INFINITY, joint->limits[1] = INFINITY;
        if (without & TRM_WITHOUT_FRICTION)
            joint->friction = joint->mu = 0, joint->radius = joint->static_friction = joint->stribeck_velocity = NAN;
        if (without & TRM_WITHOUT_DAMPING) joint->damping = 0;
        trm_coordinate_def *each =
            (trm_coordinate_def *)(uintptr_t)joint->coordinates; /* in the definition's arena */
        for (int k = 0; k < joint->coordinate_count; k++) {
            if (without & TRM_WITHOUT_LIMITS) each[k].limits[0] = -INFINITY, each[k].limits[1] = INFINITY;
            if (without & TRM_WITHOUT_FRICTION)
                each[k].friction = each[k].mu = 0,
                each[k].radius = each[k].static_friction = each[k].stribeck_velocity = NAN;
            if (without & TRM_WITHOUT_DAMPING) each[k].damping = 0;
        }
    }
}

/* Makes no shape collide. Copies the shapes, because definitions borrow them. Returns false if out of memory. */
static bool leave_out_contacts(trm_model_def *def)
{
    for (int i = 0; i < def->body_count; i++) {
        trm_body_def *body = &def->bodies[i];
        if (body->shape_count == 0) continue;
        trm_shape_def *shapes = trm_arena_copy(def->arena, body->shapes, (size_t)body->shape_count, sizeof *shapes);
        if (!shapes) return false;
        for (int k = 0; k < body->shape_count; k++) shapes[k].collide = false;
        body->shapes = shapes;
    }
    def->contact_count = def->no_collide_count = 0;
    return true;
}

/* Removes servos and actuators. Motors are joints and are removed with these. */
static void leave_out_actuators(trm_model_def *def)
{
    int kept = 0;
    for (int i = 0; i < def->force_count; i++) {
        const char *type = def->forces[i].type;
        if (!type || (strcmp(type, "servo") != 0 && strcmp(type, "actuator") != 0 && strcmp(type, "effort") != 0))
            def->forces[kept++] = def->forces[i];
    }
    def->force_count = kept;
    kept = 0;
    for (int i = 0; i < def->joint_count; i++)
        if (!def->joints[i].type || strcmp(def->joints[i].type, "motor") != 0) def->joints[kept++] = def->joints[i];
    def->joint_count = kept;
}

/* Sets the initial values of inputs that the caller gives. Reports an error for an unknown input. */
static void start_inputs(trm_model_def *def, const trm_read_options *options, trm_messages *messages)
{
    for (int i = 0; i < options->input_count; i++) {
        const trm_constant *given = &options->inputs[i];
        int k = 0;
        while (k < def->input_count && strcmp(def->inputs[k].name, given->name) != 0) k++;
        if (k < def->input_count)
            def->inputs[k].start = given->value;
        else
            trm_add_error(messages, (trm_place){def->file, 0, 0},
                          "the model has no input \"%s\"; inputs are listed under \"inputs\"", given->name);
    }
}

static bool leave_out(trm_model_def *def, unsigned without)
{
    leave_out_of_joints(def, without);
    for (int i = 0; (without & TRM_WITHOUT_DAMPING) && i < def->force_count; i++)
        def->forces[i].damping = def->forces[i].linear = def->forces[i].angular = 0;
    if (without & TRM_WITHOUT_ACTUATORS) leave_out_actuators(def);
    if (without & TRM_WITHOUT_GRAVITY) def->gravity = trm_v3(0, 0, 0);
    return !(without & TRM_WITHOUT_CONTACTS) || leave_out_contacts(def);
}

/* ---- Additional model files --------------------------------------------------------------- */

#define JOIN(list, count)                                                                                            \
    for (int i = 0; i < more->count; i++)                                                                            \
        if (!TRM_APPEND(def->arena, def->list, def->count, more->list[i])) return false

/* Appends the elements of another definition whose lists are in the same arena. Returns false if out of memory. */
static bool join(trm_model_def *def, const trm_model_def *more)
{
    JOIN(constants, constant_count);
    JOIN(inputs, input_count);
    JOIN(bodies, body_count);
    JOIN(joints, joint_count);
    JOIN(forces, force_count);
    JOIN(contacts, contact_count);
    JOIN(events, event_count);
    JOIN(sensors, sensor_count);
    JOIN(no_collide, no_collide_count);
    JOIN(poses, pose_count);
    if (more->simulation.place.line > 0) def->simulation = more->simulation;
    if (trm_v3_length(more->gravity) > 0) def->gravity = more->gravity;
    return true;
}

#undef JOIN

/* Adds the elements of another model file, in Trammel's own format. Returns false if out of memory. */
static bool add_file(const trm_import *import, const char *path)
{
    trm_model_def more = {.file = trm_arena_text(import->def->arena, path),
                          .friction = import->def->friction,
                          .simulation = trm_default_simulation_def(),
                          .arena = import->def->arena};
    const trm_read_options plain = {
        .ranks = import->options->ranks, .files = import->options->files, .file_count = import->options->file_count};
    trm_import other = *import;
    char *text = NULL;
    size_t length = 0;
    other.def = &more;
    other.options = &plain;
    if (!more.file) return false;
    if (!trm_read_regular_file(import->scratch, import->options, path, &text, &length)) {
        if (!import->scratch->failed)
            trm_add_error(import->messages, (trm_place){more.file, 0, 0},
                          "cannot read this file of --with; check its path");
        return !import->scratch->failed;
    }
    return trm_format_json.read(&other, text, length) && join(import->def, &more);
}

static bool add_files(const trm_import *import)
{
    for (int i = 0; i < import->options->with_count; i++)
        if (!add_file(import, import->options->with[i])) return false;
    return true;
}

/* ---- Reading ------------------------------------------------------------------------------ */

/* Returns the folder of a path, "." for a bare name. Returns NULL if out of memory. */
static char *directory_of(trm_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? trm_arena_text_n(arena, path, slash == path ? 1 : (size_t)(slash - path))
                 : trm_arena_text(arena, ".");
}

static trm_status read_text(trm_model_def *def, const char *text, size_t length, const char *directory,
                            const trm_read_options *options, trm_messages *messages)
{
    static const trm_read_options none = {0};
    trm_arena scratch;
    trm_arena_init(&scratch, &def->arena->allocator);
    trm_import import = {.def = def,
                         .scratch = &scratch,
                         .directory = directory,
                         .options = options ? options : &none,
                         .messages = messages};
    import.without = import.options->without;
    const int first = trm_message_count(messages);
    static const char LFS[] = "version https://git-lfs";
    if (length > sizeof LFS && memcmp(text, LFS, sizeof LFS - 1) == 0) {
        trm_add_error(messages, (trm_place){def->file, 1, 1},
                      "this is not the file itself but a pointer of Git LFS to it; run \"git lfs pull\" first");
        trm_arena_destroy(&scratch);
        return TRM_BAD_INPUT;
    }
    const bool read =
        recognise(text, length)->read(&import, text, length) && add_files(&import) && leave_out(def, import.without);
    if (read) start_inputs(def, import.options, messages);
    trm_messages_sort(messages, first);
    trm_arena_destroy(&scratch);
    return read ? trm_messages_status(messages) : TRM_OUT_OF_MEMORY;
}

static trm_status give(trm_model_def *made, trm_status status, trm_model_def **def)
{
    if (status == TRM_OK)
        *def = made;
    else
        trm_model_def_destroy(made);
    return status;
}

trm_status trm_read_model_text(const char *text, size_t length, const char *name, const trm_read_options *options,
                               const trm_allocator *allocator, trm_messages *messages, trm_model_def **def)
{
    *def = NULL;
    trm_model_def *made = trm_model_def_create(allocator);
    if (!made) return TRM_OUT_OF_MEMORY;
    made->file = trm_arena_text(made->arena, name);
    const trm_status status = made->file ? read_text(made, text, length, NULL, options, messages) : TRM_OUT_OF_MEMORY;
    return give(made, status, def);
}

static trm_status read_file(trm_model_def *def, const char *path, const trm_read_options *options,
                            trm_messages *messages)
{
    char *text = NULL;
    size_t length = 0;
    def->file = trm_arena_text(def->arena, path);
    const char *directory = directory_of(def->arena, path);
    if (!def->file || !directory) return TRM_OUT_OF_MEMORY;
    trm_arena scratch;
    trm_arena_init(&scratch, &def->arena->allocator);
    errno = 0;
    trm_status status = TRM_OUT_OF_MEMORY;
    if (trm_read_whole_file(&scratch, options, path, &text, &length)) {
        status = read_text(def, text, length, directory, options, messages);
    } else if (!scratch.failed) {
        trm_add_error(messages, (trm_place){path, 0, 0}, "cannot read the model file: %s",
                      errno == EPIPE ? "it is a pipe that no program writes to"
                      : errno        ? strerror(errno)
                                     : "is it a folder?");
        status = TRM_IO_ERROR;
    }
    trm_arena_destroy(&scratch);
    return status;
}

trm_status trm_read_model_file(const char *path, const trm_read_options *options, const trm_allocator *allocator,
                               trm_messages *messages, trm_model_def **def)
{
    *def = NULL;
    trm_model_def *made = trm_model_def_create(allocator);
    if (!made) return TRM_OUT_OF_MEMORY;
    return give(made, read_file(made, path, options, messages), def);
}
