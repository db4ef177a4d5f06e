/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Definitions of callers, and the lists that hold them. A caller's struct may be smaller than the library's, for
 * programs compiled before the library got more fields: it is copied over the defaults (trm_read_def). */

#include "model/def.h"

#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "trammel/analysis.h"
#include "trammel/io.h"
#include "trammel/model.h"
#include "trammel/sim.h"

/* ---- Defaults ----------------------------------------------------------------------------- */

/* Of what is no part of a model: the parts of a model have theirs in the tables of fields. */

#define NO_VECTOR                                                                                                    \
    {                                                                                                                \
        NAN, NAN, NAN                                                                                                \
    }

static const trm_run_def RUN = {.every = NAN};

static const trm_record_def RECORD = {.every = NAN};

static const trm_report_def REPORT = {0};

static const trm_inverse_def INVERSE = {
    .position_tolerance = 1e-6, .velocity_tolerance = 1e-6, .acceleration_tolerance = 1e-6, .force_tolerance = 1e-6};

static const trm_equilibrium_def EQUILIBRIUM = {.relaxed = false, .tolerance = 1e-9, .most_iterations = 500};

static const trm_linearise_def LINEARISE = {0};

static const trm_goal GOAL = {.frame = {.q = {1, 0, 0, 0}}, .position = NO_VECTOR, .orientation = {1, 0, 0, 0}};

static const trm_inverse_kinematics_def INVERSE_KINEMATICS = {
    .tolerance = 1e-9, .angle_tolerance = 1e-9, .starts = 100, .most_iterations = 200, .seed = 1};

static const trm_optimiser_def OPTIMISER = {.seed = 1, .restarts = 2, .sigma = 0.3, .tolerance = 1e-12};

/* What the library knows of a kind of definition. */
typedef struct kind_info {
    const trm_form *form; /* of a part of a model; NULL: of something else */
    const void *defaults; /* of something else */
    size_t size;
} kind_info;

#define PART(name, type)                                                                                             \
    {                                                                                                                \
        &trm_form_##name, NULL, sizeof(type)                                                                         \
    }
#define OTHER(defaults)                                                                                              \
    {                                                                                                                \
        NULL, &(defaults), sizeof(defaults)                                                                          \
    }

static const kind_info KINDS[] = {
    [TRM_DEF_INPUT] = PART(input, trm_input_def),
    [TRM_DEF_POSE] = PART(pose, trm_pose_def),
    [TRM_DEF_BODY] = PART(body, trm_body_def),
    [TRM_DEF_JOINT] = PART(joint, trm_joint_def),
    [TRM_DEF_FORCE] = PART(force, trm_force_def),
    [TRM_DEF_CONTACT] = PART(contact, trm_contact_def),
    [TRM_DEF_EVENT] = PART(event, trm_event_def),
    [TRM_DEF_SENSOR] = PART(sensor, trm_sensor_def),
    [TRM_DEF_OUTPUT] = PART(output, trm_output_def),
    [TRM_DEF_SHAPE] = PART(shape, trm_shape_def),
    [TRM_DEF_COORDINATE] = PART(coordinate, trm_coordinate_def),
    [TRM_DEF_TERM] = PART(term, trm_term_def),
    [TRM_DEF_SIMULATION] = PART(simulation, trm_simulation_def),
    [TRM_DEF_RUN] = OTHER(RUN),
    [TRM_DEF_RECORD] = OTHER(RECORD),
    [TRM_DEF_REPORT] = OTHER(REPORT),
    [TRM_DEF_INVERSE] = OTHER(INVERSE),
    [TRM_DEF_EQUILIBRIUM] = OTHER(EQUILIBRIUM),
    [TRM_DEF_LINEARISE] = OTHER(LINEARISE),
    [TRM_DEF_GOAL] = OTHER(GOAL),
    [TRM_DEF_INVERSE_KINEMATICS] = OTHER(INVERSE_KINEMATICS),
    [TRM_DEF_OPTIMISER] = OTHER(OPTIMISER),
};

/* Room for any definition. */
typedef union any_def {
    trm_body_def body;
    trm_joint_def joint;
    trm_force_def force;
    trm_simulation_def simulation;
} any_def;

/* ---- Sizes -------------------------------------------------------------------------------- */

/* Returns how many bytes the caller's struct and the library's have in common. A larger one is of a newer program. */
static size_t common_size(size_t own, size_t size)
{
    TRM_ASSERT(size > 0 && size <= own);
    return size < own ? size : own;
}

void trm_set_defaults(trm_def_kind kind, void *def, size_t size)
{
    TRM_ASSERT(kind >= 0 && (size_t)kind < sizeof KINDS / sizeof *KINDS);
    const kind_info *info = &KINDS[kind];
    any_def own;
    TRM_ASSERT(!info->form || info->size <= sizeof own);
    if (info->form) trm_form_set_defaults(info->form, &own);
    memcpy(def, info->form ? &own : info->defaults, common_size(info->size, size));
}

void trm_read_def(trm_def_kind kind, trm_sized given, void *own)
{
    if (!given.def || given.size < KINDS[kind].size) trm_set_defaults(kind, own, KINDS[kind].size);
    if (given.def) memcpy(own, given.def, common_size(KINDS[kind].size, given.size));
}

static const void *read_list(const void *defaults, size_t size, trm_sized given, int count, trm_arena *arena)
{
    if (count <= 0 || given.size == size) return given.def;
    char *own = trm_arena_room(arena, (size_t)count, size);
    for (int i = 0; own && i < count; i++) {
        memcpy(own + (size_t)i * size, defaults, size);
        memcpy(own + (size_t)i * size, (const char *)given.def + (size_t)i * given.size,
               common_size(size, given.size));
    }
    return own;
}

const void *trm_read_defs(trm_def_kind kind, trm_sized given, int count, trm_arena *arena)
{
    return read_list(KINDS[kind].defaults, KINDS[kind].size, given, count, arena);
}

/* Makes the lists inside an element of a model ones of the library's own sizes. Returns false when out of memory. */
static bool own_lists(const trm_form *form, trm_arena *arena, char *element)
{
    for (int i = 0; i < form->field_count; i++) {
        const trm_field *field = &form->fields[i];
        if (!field->size_offset) continue;
        any_def defaults;
        trm_sized given;
        memcpy(&given.def, element + field->offset, sizeof given.def);
        memcpy(&given.size, element + field->size_offset, sizeof given.size);
        const int count = *(const int *)(const void *)(element + field->count_offset);
        trm_form_set_defaults(field->form, &defaults);
        const void *own = read_list(&defaults, field->form->size, given, count, arena);
        if (!own && count > 0) return false;
        memcpy(element + field->offset, &own, sizeof own);
        memcpy(element + field->size_offset, &field->form->size, sizeof(size_t));
    }
    return true;
}

/* ---- The definition of a model ------------------------------------------------------------- */

trm_model_def *trm_model_def_create(const trm_allocator *allocator)
{
    trm_arena *arena = trm_owner_create(allocator, sizeof *arena);
    trm_model_def *def = arena ? TRM_NEW(arena, trm_model_def) : NULL;
    if (!def) {
        trm_owner_destroy(arena, sizeof *arena);
        return NULL;
    }
    trm_form_set_defaults(&trm_form_model, def);
    def->arena = arena;
    return def;
}

void trm_model_def_destroy(trm_model_def *def)
{
    if (def) trm_owner_destroy(def->arena, sizeof *def->arena);
}

trm_status trm_add_constant(trm_model_def *def, const char *name, double value)
{
    const trm_constant constant = {name, value};
    return TRM_APPEND(def->arena, def->constants, def->constant_count, constant) ? TRM_OK : TRM_OUT_OF_MEMORY;
}

/* Returns the field of a model that is the list of a kind of element. */
static const trm_field *list_of(trm_def_kind kind)
{
    TRM_ASSERT(kind >= TRM_DEF_INPUT && kind <= TRM_DEF_OUTPUT);
    const trm_field *field = trm_form_model.fields;
    while (field->form != KINDS[kind].form) field++;
    return field;
}

static int *count_in(const trm_model_def *def, const trm_field *list)
{
    return (int *)(void *)((char *)(uintptr_t)def + list->count_offset);
}

trm_status trm_add_def(trm_model_def *def, trm_def_kind kind, trm_sized element)
{
    const trm_field *field = list_of(kind);
    const trm_form *form = field->form;
    int *count = count_in(def, field);
    TRM_ASSERT(element.def);
    void *own = trm_arena_add(def->arena, (char *)def + field->offset, count, form->size);
    if (!own) return TRM_OUT_OF_MEMORY;
    trm_read_def(kind, element, own);
    if (own_lists(form, def->arena, own)) return TRM_OK;
    --*count;
    return TRM_OUT_OF_MEMORY;
}

bool trm_def_reserve(trm_model_def *def, trm_def_kind kind, int count)
{
    const trm_field *field = list_of(kind);
    if (*count_in(def, field) > 0 || count <= 0) return true;
    void *list = trm_arena_reserve_list(def->arena, count, field->form->size);
    if (list) memcpy((char *)def + field->offset, &list, sizeof list);
    return list != NULL;
}

void *trm_def_item(const trm_model_def *def, trm_def_kind kind, int index)
{
    const trm_field *field = list_of(kind);
    char *list;
    memcpy(&list, (const char *)def + field->offset, sizeof list);
    return list + (size_t)index * field->form->size;
}

trm_status trm_add_no_collide(trm_model_def *def, const char *first, const char *second)
{
    const trm_body_pair pair = {.bodies = {first, second}};
    return TRM_APPEND(def->arena, def->no_collide, def->no_collide_count, pair) ? TRM_OK : TRM_OUT_OF_MEMORY;
}
