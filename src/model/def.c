/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Definitions: their defaults, and the lists that hold them. */

#include "base/arena.h"
#include "base/memory.h"
#include "trammel/model.h"

static const trm_vec3 NOT_GIVEN = {NAN, NAN, NAN};

trm_input_def trm_default_input_def(void)
{
    return (trm_input_def){.range = {-INFINITY, INFINITY}};
}

trm_shape_def trm_default_shape_def(void)
{
    return (trm_shape_def){
        .scale = {1, 1, 1},
        .orientation = {1, 0, 0, 0},
        .density = NAN,
        .friction = NAN,
        .restitution = NAN,
        .group = 1,
        .mask = 1,
        .collide = true,
    };
}

trm_body_def trm_default_body_def(void)
{
    return (trm_body_def){
        .inertia = {NAN, NAN, NAN, NAN, NAN, NAN},
        .com = NOT_GIVEN,
        .orientation = {1, 0, 0, 0},
        .gravity_factor = 1,
        .rod = {.from = NOT_GIVEN, .to = NOT_GIVEN},
        .moving = {.axis = {0, 0, 1}},
    };
}

#define ROUND_NOT_GIVEN                                                                                              \
    {                                                                                                                \
        .origin = NOT_GIVEN, .axis = NOT_GIVEN, .radius = NAN, .pitch = NAN, .major = NAN, .minor = NAN              \
    }

trm_coordinate_def trm_default_coordinate_def(void)
{
    return (trm_coordinate_def){.anchor = NOT_GIVEN,
                                .axis = NOT_GIVEN,
                                .limits = {-INFINITY, INFINITY},
                                .radius = NAN,
                                .static_friction = NAN,
                                .stribeck_velocity = NAN,
                                .effort = INFINITY,
                                .max_velocity = INFINITY};
}

trm_term_def trm_default_term_def(void)
{
    return (trm_term_def){.coordinate = NAN, .factor = 1};
}

trm_joint_def trm_default_joint_def(void)
{
    return (trm_joint_def){
        .anchor = NOT_GIVEN,
        .axis = NOT_GIVEN,
        .axis2 = NOT_GIVEN,
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
    };
}

trm_force_def trm_default_force_def(void)
{
    return (trm_force_def){
        .anchors = {NOT_GIVEN, NOT_GIVEN},
        .at = NOT_GIVEN,
        .coordinate = NAN,
        .rest = NAN,
        .stiffness = NAN,
        .gear = 1,
        .range = {-INFINITY, INFINITY},
        .max = INFINITY,
    };
}

trm_contact_def trm_default_contact_def(void)
{
    return (trm_contact_def){.friction = NAN, .restitution = NAN, .rolling = NAN, .torsional = NAN, .law = "poisson"};
}

trm_event_def trm_default_event_def(void)
{
    return (trm_event_def){.at = NAN, .delay = 0};
}

trm_output_def trm_default_output_def(void)
{
    return (trm_output_def){0};
}

trm_sensor_def trm_default_sensor_def(void)
{
    return (trm_sensor_def){.coordinate = NAN, .orientation = {1, 0, 0, 0}, .anchors = {NOT_GIVEN, NOT_GIVEN}};
}

trm_simulation_def trm_default_simulation_def(void)
{
    return (trm_simulation_def){
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
}

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

trm_status trm_add_input(trm_model_def *def, const trm_input_def *input)
{
    ADD(def, inputs, input_count, *input);
    return TRM_OK;
}

trm_status trm_add_pose(trm_model_def *def, const trm_pose_def *pose)
{
    ADD(def, poses, pose_count, *pose);
    return TRM_OK;
}

trm_status trm_add_body(trm_model_def *def, const trm_body_def *body)
{
    ADD(def, bodies, body_count, *body);
    return TRM_OK;
}

trm_status trm_add_joint(trm_model_def *def, const trm_joint_def *joint)
{
    ADD(def, joints, joint_count, *joint);
    return TRM_OK;
}

trm_status trm_add_force(trm_model_def *def, const trm_force_def *force)
{
    ADD(def, forces, force_count, *force);
    return TRM_OK;
}

trm_status trm_add_contact(trm_model_def *def, const trm_contact_def *contact)
{
    ADD(def, contacts, contact_count, *contact);
    return TRM_OK;
}

trm_status trm_add_event(trm_model_def *def, const trm_event_def *event)
{
    ADD(def, events, event_count, *event);
    return TRM_OK;
}

trm_status trm_add_output(trm_model_def *def, const trm_output_def *output)
{
    ADD(def, outputs, output_count, *output);
    return TRM_OK;
}

trm_status trm_add_no_collide(trm_model_def *def, const char *first, const char *second)
{
    const trm_body_pair pair = {.bodies = {first, second}};
    ADD(def, no_collide, no_collide_count, pair);
    return TRM_OK;
}

trm_status trm_add_sensor(trm_model_def *def, const trm_sensor_def *sensor)
{
    ADD(def, sensors, sensor_count, *sensor);
    return TRM_OK;
}
