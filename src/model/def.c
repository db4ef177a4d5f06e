/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Definitions: their defaults, and the lists that hold them. A caller's struct may be smaller than the library's, for
 * programs compiled before the library got more fields: it is copied over the defaults (trm_read_def). */

#include "model/def.h"

#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/memory.h"
#include "trammel/analysis.h"
#include "trammel/io.h"
#include "trammel/model.h"
#include "trammel/sim.h"

/* ---- Defaults ----------------------------------------------------------------------------- */

#define NOT_GIVEN                                                                                                    \
    {                                                                                                                \
        NAN, NAN, NAN                                                                                                \
    }
#define ROUND_NOT_GIVEN                                                                                              \
    {                                                                                                                \
        .origin = NOT_GIVEN, .axis = NOT_GIVEN, .radius = NAN, .pitch = NAN, .major = NAN, .minor = NAN              \
    }

static const trm_input_def INPUT = {.range = {-INFINITY, INFINITY}};

static const trm_shape_def SHAPE = {
    .scale = {1, 1, 1},
    .orientation = {1, 0, 0, 0},
    .density = NAN,
    .friction = NAN,
    .restitution = NAN,
    .group = 1,
    .mask = 1,
    .collide = true,
};

static const trm_body_def BODY = {
    .inertia = {NAN, NAN, NAN, NAN, NAN, NAN},
    .com = NOT_GIVEN,
    .orientation = {1, 0, 0, 0},
    .gravity_factor = 1,
    .rod = {.from = NOT_GIVEN, .to = NOT_GIVEN},
    .moving = {.axis = {0, 0, 1}},
    .shape_size = sizeof(trm_shape_def),
};

static const trm_coordinate_def COORDINATE = {.anchor = NOT_GIVEN,
                                              .axis = NOT_GIVEN,
                                              .limits = {-INFINITY, INFINITY},
                                              .radius = NAN,
                                              .static_friction = NAN,
                                              .stribeck_velocity = NAN,
                                              .effort = INFINITY,
                                              .max_velocity = INFINITY};

static const trm_term_def TERM = {.coordinate = NAN, .factor = 1};

static const trm_joint_def JOINT = {
    .anchor = NOT_GIVEN,
    .axis = NOT_GIVEN,
    .axis2 = NOT_GIVEN,
    .x_axis = NOT_GIVEN,
    .anchors = {NOT_GIVEN, NOT_GIVEN},
    .axes = {NOT_GIVEN, NOT_GIVEN},
    .length = NAN,
    .curve = {.circle = ROUND_NOT_GIVEN, .helix = ROUND_NOT_GIVEN},
    .surface = {.sphere = ROUND_NOT_GIVEN, .cylinder = ROUND_NOT_GIVEN, .torus = ROUND_NOT_GIVEN},
    .pitch = NAN,
    .limits = {-INFINITY, INFINITY},
    .radius = NAN,
    .wrap = NAN,
    .static_friction = NAN,
    .stribeck_velocity = NAN,
    .effort = INFINITY,
    .max_velocity = INFINITY,
    .break_force = INFINITY,
    .max_force = INFINITY,
    .break_torque = INFINITY,
    .erp = NAN,
    .cfm = NAN,
    .spring_stiffness = NAN,
    .spring_damping = NAN,
    .attached = true,
    .align = "start",
    .coordinate = NAN,
    .geared = {NAN, NAN},
    .ratio = NAN,
    .offset = NAN,
    .coordinate_size = sizeof(trm_coordinate_def),
    .term_size = sizeof(trm_term_def),
};

static const trm_force_def FORCE = {
    .anchors = {NOT_GIVEN, NOT_GIVEN},
    .at = NOT_GIVEN,
    .coordinate = NAN,
    .rest = NAN,
    .stiffness = NAN,
    .gear = 1,
    .range = {-INFINITY, INFINITY},
    .max = INFINITY,
};

static const trm_contact_def CONTACT = {
    .friction = NAN, .restitution = NAN, .rolling = NAN, .torsional = NAN, .law = "poisson"};

static const trm_event_def EVENT = {.at = NAN, .delay = 0};

static const trm_output_def OUTPUT = {0};

static const trm_sensor_def SENSOR = {
    .coordinate = NAN, .orientation = {1, 0, 0, 0}, .anchors = {NOT_GIVEN, NOT_GIVEN}};

static const trm_simulation_def SIMULATION = {
    .method = "impulse",
    .solver = "direct",
    .step = 0.01,
    .time = 10,
    .order = 2,
    .scheme = "auto",
    .position_tolerance = NAN,
    .angle_tolerance = NAN,
    .velocity_tolerance = NAN,
    .error = NAN,
    .impact = "event",
    .simultaneous = false,
    .sleep = "auto",
    .every = NAN,
};

static const trm_pose_def POSE = {0};

static const trm_run_def RUN = {.every = NAN};

static const trm_record_def RECORD = {.every = NAN};

static const trm_report_def REPORT = {0};

static const trm_inverse_def INVERSE = {
    .position_tolerance = 1e-6, .velocity_tolerance = 1e-6, .acceleration_tolerance = 1e-6, .force_tolerance = 1e-6};

static const trm_equilibrium_def EQUILIBRIUM = {.relaxed = false, .tolerance = 1e-9, .most_iterations = 500};

static const trm_linearise_def LINEARISE = {0};

static const trm_goal GOAL = {.frame = {.q = {1, 0, 0, 0}}, .position = NOT_GIVEN, .orientation = {1, 0, 0, 0}};

static const trm_inverse_kinematics_def INVERSE_KINEMATICS = {
    .tolerance = 1e-9, .angle_tolerance = 1e-9, .starts = 100, .most_iterations = 200, .seed = 1};

static const trm_optimiser_def OPTIMISER = {.seed = 1, .restarts = 2, .sigma = 0.3, .tolerance = 1e-12};

/* What the library knows of a kind of definition, and where a model's definition has its list of them. */
typedef struct kind_info {
    const void *defaults;
    size_t size;
    size_t list, count; /* offsets in trm_model_def */
} kind_info;

#define ELEMENT(defaults, list, count)                                                                               \
    {                                                                                                                \
        &(defaults), sizeof(defaults), offsetof(trm_model_def, list), offsetof(trm_model_def, count)                 \
    }
#define OTHER(defaults)                                                                                              \
    {                                                                                                                \
        &(defaults), sizeof(defaults), 0, 0                                                                          \
    }

static const kind_info KINDS[] = {
    [TRM_DEF_INPUT] = ELEMENT(INPUT, inputs, input_count),
    [TRM_DEF_POSE] = ELEMENT(POSE, poses, pose_count),
    [TRM_DEF_BODY] = ELEMENT(BODY, bodies, body_count),
    [TRM_DEF_JOINT] = ELEMENT(JOINT, joints, joint_count),
    [TRM_DEF_FORCE] = ELEMENT(FORCE, forces, force_count),
    [TRM_DEF_CONTACT] = ELEMENT(CONTACT, contacts, contact_count),
    [TRM_DEF_EVENT] = ELEMENT(EVENT, events, event_count),
    [TRM_DEF_SENSOR] = ELEMENT(SENSOR, sensors, sensor_count),
    [TRM_DEF_OUTPUT] = ELEMENT(OUTPUT, outputs, output_count),
    [TRM_DEF_SHAPE] = OTHER(SHAPE),
    [TRM_DEF_COORDINATE] = OTHER(COORDINATE),
    [TRM_DEF_TERM] = OTHER(TERM),
    [TRM_DEF_SIMULATION] = OTHER(SIMULATION),
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

/* ---- Sizes -------------------------------------------------------------------------------- */

/* Returns how many bytes the caller's struct and the library's have in common. A larger one is of a newer program. */
static size_t common_size(trm_def_kind kind, size_t size)
{
    TRM_ASSERT(size > 0 && size <= KINDS[kind].size);
    return size < KINDS[kind].size ? size : KINDS[kind].size;
}

void trm_set_defaults(trm_def_kind kind, void *def, size_t size)
{
    TRM_ASSERT(kind >= 0 && (size_t)kind < sizeof KINDS / sizeof *KINDS);
    memcpy(def, KINDS[kind].defaults, common_size(kind, size));
}

void trm_read_def(trm_def_kind kind, trm_sized given, void *own)
{
    memcpy(own, KINDS[kind].defaults, KINDS[kind].size);
    if (given.def) memcpy(own, given.def, common_size(kind, given.size));
}

const void *trm_read_defs(trm_def_kind kind, trm_sized given, int count, trm_arena *arena)
{
    const size_t size = KINDS[kind].size;
    if (count <= 0 || given.size == size) return given.def;
    char *own = trm_arena_room(arena, (size_t)count, size);
    for (int i = 0; own && i < count; i++)
        trm_read_def(kind, trm_with_size((const char *)given.def + (size_t)i * given.size, given.size),
                     own + (size_t)i * size);
    return own;
}

/* ---- The definition of a model ------------------------------------------------------------- */

trm_model_def *trm_model_def_create(const trm_allocator *allocator)
{
    trm_arena arena;
    trm_arena_init(&arena, allocator);
    trm_model_def *def = TRM_NEW(&arena, trm_model_def);
    trm_arena *owner = TRM_NEW(&arena, trm_arena);
    if (!def || !owner) {
        trm_arena_destroy(&arena);
        return NULL;
    }
    def->arena = owner;
    def->simulation = trm_default_simulation_def();
    def->friction = 0.5;
    *owner = arena;
    return def;
}

void trm_model_def_destroy(trm_model_def *def)
{
    if (!def) return;
    trm_arena arena = *def->arena; /* the arena lives in its own memory */
    trm_arena_destroy(&arena);
}

/* Appends *item to the list in place, in the memory of the list's own arena. */
#define ADD(def, list, count, item)                                                                                  \
    do {                                                                                                             \
        void *grown = trm_arena_grow((def)->arena, (def)->list, (def)->count, sizeof *(def)->list);                  \
        if (!grown) return TRM_OUT_OF_MEMORY;                                                                        \
        (def)->list = grown;                                                                                         \
        (def)->list[(def)->count++] = (item);                                                                        \
    } while (0)

trm_status trm_add_constant(trm_model_def *def, const char *name, double value)
{
    const trm_constant constant = {name, value};
    ADD(def, constants, constant_count, constant);
    return TRM_OK;
}

/* Makes a list inside an element one of the library's own size. Returns false if out of memory. */
static bool own_list(trm_model_def *def, trm_def_kind kind, const void **list, int count, size_t *size)
{
    *list = trm_read_defs(kind, trm_with_size(*list, *size), count, def->arena);
    *size = KINDS[kind].size;
    return *list || count <= 0;
}

/* Likewise, all lists of an element. */
static bool own_lists(trm_model_def *def, trm_def_kind kind, void *element)
{
    bool done = true;
    if (kind == TRM_DEF_BODY) {
        trm_body_def *body = element;
        const void *shapes = body->shapes;
        done = own_list(def, TRM_DEF_SHAPE, &shapes, body->shape_count, &body->shape_size);
        body->shapes = shapes;
    } else if (kind == TRM_DEF_JOINT) {
        trm_joint_def *joint = element;
        const void *coordinates = joint->coordinates, *terms = joint->terms;
        done = own_list(def, TRM_DEF_COORDINATE, &coordinates, joint->coordinate_count, &joint->coordinate_size) &&
               own_list(def, TRM_DEF_TERM, &terms, joint->term_count, &joint->term_size);
        joint->coordinates = coordinates, joint->terms = terms;
    }
    return done;
}

trm_status trm_add_def(trm_model_def *def, trm_def_kind kind, trm_sized element)
{
    TRM_ASSERT(kind >= TRM_DEF_INPUT && kind <= TRM_DEF_OUTPUT && element.def);
    const kind_info *info = &KINDS[kind];
    void *list, *field = (char *)def + info->list;
    int *count = (int *)(void *)((char *)def + info->count);
    memcpy(&list, field, sizeof list);
    char *grown = trm_arena_grow(def->arena, list, *count, info->size);
    if (!grown) return TRM_OUT_OF_MEMORY;
    memcpy(field, &grown, sizeof grown);
    void *own = grown + (size_t)*count * info->size;
    trm_read_def(kind, element, own);
    if (!own_lists(def, kind, own)) return TRM_OUT_OF_MEMORY;
    ++*count;
    return TRM_OK;
}

bool trm_def_reserve(trm_model_def *def, trm_def_kind kind, int count)
{
    TRM_ASSERT(kind >= TRM_DEF_INPUT && kind <= TRM_DEF_OUTPUT);
    const kind_info *info = &KINDS[kind];
    const int *present = (const int *)(const void *)((char *)def + info->count);
    if (*present > 0 || count <= 0) return true;
    void *list = trm_arena_reserve_list(def->arena, count, info->size);
    if (list) memcpy((char *)def + info->list, &list, sizeof list);
    return list != NULL;
}

void *trm_def_item(const trm_model_def *def, trm_def_kind kind, int index)
{
    TRM_ASSERT(kind >= TRM_DEF_INPUT && kind <= TRM_DEF_OUTPUT);
    const kind_info *info = &KINDS[kind];
    char *list;
    memcpy(&list, (const char *)def + info->list, sizeof list);
    return list + (size_t)index * info->size;
}

trm_status trm_add_no_collide(trm_model_def *def, const char *first, const char *second)
{
    const trm_body_pair pair = {.bodies = {first, second}};
    ADD(def, no_collide, no_collide_count, pair);
    return TRM_OK;
}
