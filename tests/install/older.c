/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A program that uses every kind of definition, compiled against headers in which each definition has one field less
 * than the library knows (older.sh). The bytes after each definition are filled with garbage, which a library that
 * assumes a larger struct would read or overwrite. Prints the results of all calls, to be compared with the same
 * program compiled against the current headers. Status 3: the library wrote after a definition. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trammel/analysis.h"
#include "trammel/trammel.h"

enum { BEHIND = 512, RUBBISH = 0xa5 };

/* One or several definitions, and the guard bytes after them. */
#define GUARDED(type, name, count)                                                                                   \
    struct {                                                                                                         \
        type def[count];                                                                                             \
        unsigned char behind[BEHIND];                                                                                \
    } name;                                                                                                          \
    memset(&name, RUBBISH, sizeof name)

static void check_bytes(const unsigned char *behind, const char *name)
{
    for (int i = 0; i < BEHIND; i++) {
        if (behind[i] == RUBBISH) continue;
        fprintf(stderr, "%s: byte %d behind it was overwritten\n", name, i);
        exit(3);
    }
}

#define CHECK(name) check_bytes(name.behind, #name)

static void require(trm_status status, const trm_messages *messages, const char *what)
{
    if (status == TRM_OK) return;
    fprintf(stderr, "%s: %s\n", what, trm_status_text(status));
    for (int i = 0; i < trm_message_count(messages); i++) fprintf(stderr, "%s\n", trm_message_at(messages, i)->text);
    exit(1);
}

/* ---- The model: two coupled arms, a forearm on a universal joint, a dumbbell on a floor ----------- */

static void add_dumbbell(trm_model_def *def)
{
    GUARDED(trm_shape_def, plane, 1);
    GUARDED(trm_shape_def, balls, 2);
    GUARDED(trm_body_def, floor, 1);
    GUARDED(trm_body_def, dumbbell, 1);
    GUARDED(trm_contact_def, contact, 1);
    static trm_shape_def kept[3]; /* arrays are borrowed */
    plane.def[0] = trm_default_shape_def();
    plane.def[0].type = "plane", plane.def[0].normal = trm_v3(0, 1, 0);
    for (int i = 0; i < 2; i++) {
        balls.def[i] = trm_default_shape_def();
        balls.def[i].type = "sphere", balls.def[i].radius = 0.1 + 0.02 * i, balls.def[i].density = 1000;
        balls.def[i].position = trm_v3(i ? 0.3 : -0.3, 0, 0);
    }
    kept[0] = plane.def[0], kept[1] = balls.def[0], kept[2] = balls.def[1];
    floor.def[0] = trm_default_body_def();
    floor.def[0].name = "floor", floor.def[0].kind = TRM_BODY_FIXED;
    floor.def[0].shapes = kept, floor.def[0].shape_count = 1;
    dumbbell.def[0] = trm_default_body_def();
    dumbbell.def[0].name = "dumbbell", dumbbell.def[0].position = trm_v3(5, 0.2, 0);
    dumbbell.def[0].shapes = kept + 1, dumbbell.def[0].shape_count = 2;
    contact.def[0] = trm_default_contact_def();
    contact.def[0].bodies[0] = "floor", contact.def[0].bodies[1] = "dumbbell", contact.def[0].friction = 0;
    trm_add_body(def, floor.def), trm_add_body(def, dumbbell.def), trm_add_contact(def, contact.def);
    CHECK(plane), CHECK(balls), CHECK(floor), CHECK(dumbbell), CHECK(contact);
}

static void add_arm(trm_model_def *def, const char *body, const char *joint, double z)
{
    GUARDED(trm_body_def, arm, 1);
    GUARDED(trm_joint_def, hinge, 1);
    arm.def[0] = trm_default_body_def();
    arm.def[0].name = body, arm.def[0].kind = TRM_BODY_ROD, arm.def[0].rod.mass = 1 + z;
    arm.def[0].rod.from = trm_v3(0, 2, z), arm.def[0].rod.to = trm_v3(1, 2, z);
    hinge.def[0] = trm_default_joint_def();
    hinge.def[0].name = joint, hinge.def[0].type = "hinge";
    hinge.def[0].bodies[0] = "ground", hinge.def[0].bodies[1] = body;
    hinge.def[0].anchor = trm_v3(0, 2, z), hinge.def[0].axis = trm_v3(0, 0, 1);
    trm_add_body(def, arm.def), trm_add_joint(def, hinge.def);
    CHECK(arm), CHECK(hinge);
}

static void add_forearm(trm_model_def *def)
{
    GUARDED(trm_body_def, forearm, 1);
    GUARDED(trm_joint_def, elbow, 1);
    static trm_coordinate_def coordinates[2];
    for (int i = 0; i < 2; i++) {
        coordinates[i] = trm_default_coordinate_def();
        coordinates[i].damping = 0.1 * (i + 1), coordinates[i].stiffness = 3 + i;
    }
    forearm.def[0] = trm_default_body_def();
    forearm.def[0].name = "forearm", forearm.def[0].kind = TRM_BODY_ROD, forearm.def[0].rod.mass = 0.5;
    forearm.def[0].rod.from = trm_v3(1, 2, 0), forearm.def[0].rod.to = trm_v3(1.5, 2, 0);
    elbow.def[0] = trm_default_joint_def();
    elbow.def[0].name = "elbow", elbow.def[0].type = "universal";
    elbow.def[0].bodies[0] = "arm", elbow.def[0].bodies[1] = "forearm";
    elbow.def[0].anchor = trm_v3(1, 2, 0), elbow.def[0].axis = trm_v3(0, 0, 1), elbow.def[0].axis2 = trm_v3(0, 1, 0);
    elbow.def[0].coordinates = coordinates, elbow.def[0].coordinate_count = 2;
    trm_add_body(def, forearm.def), trm_add_joint(def, elbow.def);
    CHECK(forearm), CHECK(elbow);
}

static void add_rest(trm_model_def *def)
{
    GUARDED(trm_input_def, input, 1);
    GUARDED(trm_force_def, effort, 1);
    GUARDED(trm_event_def, event, 1);
    GUARDED(trm_sensor_def, sensor, 1);
    GUARDED(trm_output_def, output, 1);
    GUARDED(trm_pose_def, pose, 1);
    input.def[0] = trm_default_input_def();
    input.def[0].name = "u", input.def[0].start = 2;
    effort.def[0] = trm_default_force_def();
    effort.def[0].name = "drive", effort.def[0].type = "effort", effort.def[0].joint = "shoulder";
    effort.def[0].value[0] = trm_expression_function("u*cos(3*t)");
    event.def[0] = trm_default_event_def();
    event.def[0].at = 0.3, event.def[0].detach = "twin";
    sensor.def[0] = trm_default_sensor_def();
    sensor.def[0].name = "rate", sensor.def[0].type = "rate", sensor.def[0].joint = "shoulder";
    output.def[0] = trm_default_output_def();
    output.def[0].name = "twice", output.def[0].value = "2*shoulder.q";
    memset(pose.def, 0, sizeof pose.def);
    pose.def[0].name = "as it is";
    trm_add_input(def, input.def), trm_add_force(def, effort.def), trm_add_event(def, event.def);
    trm_add_sensor(def, sensor.def), trm_add_output(def, output.def), trm_add_pose(def, pose.def);
    CHECK(input), CHECK(effort), CHECK(event), CHECK(sensor), CHECK(output), CHECK(pose);
}

static void add_coupling(trm_model_def *def)
{
    GUARDED(trm_joint_def, coupling, 1);
    static trm_term_def terms[2];
    terms[0] = terms[1] = trm_default_term_def();
    terms[0].joint = "shoulder", terms[1].joint = "twin hinge", terms[1].factor = -0.5;
    coupling.def[0] = trm_default_joint_def();
    coupling.def[0].name = "twin", coupling.def[0].type = "coupling", coupling.def[0].terms = terms;
    coupling.def[0].term_count = 2;
    trm_add_joint(def, coupling.def);
    CHECK(coupling);
}

static trm_model *make_model(trm_messages *messages)
{
    trm_model_def *def = trm_model_def_create(NULL);
    trm_model *model = NULL;
    def->gravity = trm_v3(0, -9.81, 0);
    add_dumbbell(def);
    add_arm(def, "arm", "shoulder", 0), add_arm(def, "other", "twin hinge", 1);
    add_forearm(def), add_rest(def), add_coupling(def);
    const trm_joint_def *elbow = trm_def_item(def, TRM_DEF_JOINT, 2);
    printf("third joint: %s\n", elbow->name);
    require(trm_model_create(def, NULL, messages, &model), messages, "model");
    trm_model_def_destroy(def);
    printf("input: %s %g\n", trm_input_info_of(model, 0).name, trm_input_info_of(model, 0).start);
    return model;
}

/* ---- Results ---------------------------------------------------------------------------------------- */

static void print_bodies(const trm_model *model, const trm_state *state)
{
    for (int i = 0; i < trm_body_count(model); i++) {
        const trm_pose X = trm_body_pose(state, i);
        printf("%a %a %a %a %a\n", X.p.x, X.p.y, X.p.z, X.q.w, X.q.z);
    }
}

static void run(trm_model *model, trm_messages *messages)
{
    GUARDED(trm_simulation_def, options, 1);
    GUARDED(trm_run_def, first, 1);
    GUARDED(trm_record_def, second, 1);
    trm_sim *sim = NULL;
    trm_batch *batch = NULL;
    options.def[0] = *trm_model_simulation(model);
    options.def[0].step = 0.005;
    memset(first.def, 0, sizeof first.def), memset(second.def, 0, sizeof second.def);
    first.def[0].until = 0.2, first.def[0].every = NAN;
    second.def[0].until = 0.5, second.def[0].every = 0.1;
    require(trm_sim_create(model, options.def, NULL, messages, &sim), messages, "simulation");
    require(trm_batch_create(model, options.def, 2, 1, NULL, messages, &batch), messages, "batch");
    trm_find_hints(trm_sim_state(sim), options.def, messages);
    if (!trm_sim_run(sim, first.def).ok || !trm_sim_record(sim, second.def).ok) exit(1);
    print_bodies(model, trm_sim_state(sim));
    print_bodies(model, trm_sim_state(trm_batch_sim(batch, 1)));
    trm_batch_destroy(batch);
    trm_sim_destroy(sim);
    CHECK(options), CHECK(first), CHECK(second);
}

static void find_equilibrium(trm_state *state, trm_messages *messages)
{
    GUARDED(trm_equilibrium_def, def, 1);
    GUARDED(trm_linearise_def, linear, 1);
    trm_equilibrium_result *found = NULL;
    trm_linearisation *modes = NULL;
    def.def[0] = trm_default_equilibrium_def();
    memset(linear.def, 0, sizeof linear.def);
    linear.def[0].inputs = "u";
    require(trm_equilibrium(state, def.def, NULL, messages, &found), messages, "equilibrium");
    require(trm_linearise(state, linear.def, NULL, messages, &modes), messages, "modes");
    printf("equilibrium: %d %a, modes: %d %d\n", found->found, found->potential, modes->mode_count,
           modes->input_count);
    trm_equilibrium_destroy(found);
    trm_linearisation_destroy(modes);
    CHECK(def), CHECK(linear);
}

static void reach(const trm_model *model, trm_state *state, trm_messages *messages)
{
    GUARDED(trm_goal, goals, 2);
    GUARDED(trm_inverse_kinematics_def, def, 1);
    trm_inverse_kinematics_result result;
    def.def[0] = trm_default_inverse_kinematics_def();
    goals.def[0] = goals.def[1] = trm_default_goal();
    goals.def[0].body = trm_find_body(model, "forearm"), goals.def[0].position = trm_v3(0.9, 1.2, NAN);
    goals.def[1].body = trm_find_body(model, "dumbbell"), goals.def[1].position = trm_v3(4, 1, NAN);
    require(trm_inverse_kinematics(state, goals.def, 2, def.def, NULL, messages, &result), messages, "reach");
    printf("reach: %d %a %a\n", result.found, result.distance, trm_goal_left(state, goals.def).position);
    CHECK(goals), CHECK(def);
}

static void others(const trm_model *model, trm_messages *messages)
{
    GUARDED(trm_inverse_def, inverse, 1);
    GUARDED(trm_optimiser_def, optimiser, 1);
    const double lower[] = {0, 0}, upper[] = {1, 2};
    double points[64 * 2];
    trm_inverse *dynamics = NULL;
    trm_optimiser *search = NULL;
    inverse.def[0] = trm_default_inverse_def();
    optimiser.def[0] = trm_default_optimiser_def();
    printf("inverse: %s\n", trm_status_text(trm_inverse_create(model, inverse.def, NULL, messages, &dynamics)));
    require(trm_optimiser_create(2, lower, upper, NULL, optimiser.def, NULL, &search), messages, "optimiser");
    const int count = trm_optimiser_next(search, points);
    printf("optimiser: %d %a\n", count, points[1]);
    trm_inverse_destroy(dynamics);
    trm_optimiser_destroy(search);
    CHECK(inverse), CHECK(optimiser);
}

int main(void)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_model *model = make_model(messages);
    trm_state *state = trm_state_create(model, NULL);
    run(model, messages);
    find_equilibrium(state, messages);
    reach(model, state, messages);
    others(model, messages);
    fprintf(stderr, "sizes: body %zu, shape %zu, joint %zu, run %zu\n", sizeof(trm_body_def), sizeof(trm_shape_def),
            sizeof(trm_joint_def), sizeof(trm_run_def));
    trm_state_destroy(state);
    trm_model_destroy(model);
    trm_messages_destroy(messages);
    return 0;
}
