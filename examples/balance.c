/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A pole on a cart is kept upright for 10 s by a controller that knows its noisy sensors only.
 *
 * The cart slides along x; a rod of 1 m stands on it and leans by 0.1 rad at the start. Four sensors are read 100 times a
 * second: the lean and its speed, where the cart is and how fast. A hundred times a second the controller pushes the
 * cart with
 *
 *     F = k1 lean + k2 dlean/dt + k3 x + k4 dx/dt
 *
 * held until the next samples. The gains are those of the linear regulator that weighs x^2, lean^2 and their speeds by
 * 2, 10, 1, 1 and F^2 by 0.1. */

#include "trammel/trammel.h"
#include <math.h>
#include <stdio.h>

enum { LEAN, LEAN_SPEED, PLACE, SPEED, SENSORS };

static const double START = 0.1;                                  /* rad */
static const double NOISE[SENSORS] = {0.002, 0.02, 0.002, 0.02};  /* rad, rad/s, m, m/s */
static const double GAIN[SENSORS] = {54.75, 14.00, 4.472, 7.013}; /* N per each of these */

typedef struct controller {
    int sensor[SENSORS];
    double push;                   /* N: the last command */
    double farthest, largest_lean; /* m, rad: as the sensors had them */
} controller;

/* Before each step: from the samples to a command. */
static bool control(void *context, trm_sim *sim)
{
    controller *c = context;
    double value[SENSORS];
    c->push = 0;
    for (int i = 0; i < SENSORS; i++) {
        trm_sim_sensor(sim, c->sensor[i], &value[i]);
        c->push += GAIN[i] * value[i];
    }
    c->farthest = fmax(c->farthest, fabs(value[PLACE]));
    c->largest_lean = fmax(c->largest_lean, fabs(value[LEAN]));
    return fabs(value[LEAN]) < 1; /* it has fallen */
}

static trm_spatial push_cart(void *context, const trm_state *state)
{
    const controller *c = context;
    (void)state;
    return trm_sp(trm_v3(0, 0, 0), trm_v3(c->push, 0, 0));
}

static trm_status add_bodies(trm_model_def *def)
{
    trm_body_def cart = trm_default_body_def(), pole = trm_default_body_def();
    cart.name = "cart", cart.mass = 1;
    for (int i = 0; i < 6; i++) cart.inertia[i] = i < 3 ? 0.01 : 0;
    pole.name = "pole", pole.kind = TRM_BODY_ROD;
    pole.rod = (trm_rod_def){.to = trm_v3(sin(START), cos(START), 0), .mass = 0.2, .radius = 0.005};
    const trm_status status = trm_add_body(def, &cart);
    return status == TRM_OK ? trm_add_body(def, &pole) : status;
}

static trm_status add_joints(trm_model_def *def)
{
    trm_joint_def track = trm_default_joint_def(), pin = trm_default_joint_def();
    track.name = "track", track.type = "slider", track.bodies[0] = "ground", track.bodies[1] = "cart";
    track.anchor = trm_v3(0, 0, 0), track.axis = trm_v3(1, 0, 0);
    pin.name = "pin", pin.type = "hinge", pin.bodies[0] = "cart", pin.bodies[1] = "pole";
    pin.anchor = trm_v3(0, 0, 0), pin.axis = trm_v3(0, 0, -1), pin.q0[0] = START; /* towards x */
    const trm_status status = trm_add_joint(def, &track);
    return status == TRM_OK ? trm_add_joint(def, &pin) : status;
}

static trm_status add_sensors(trm_model_def *def)
{
    static const char *const names[SENSORS] = {"lean", "lean speed", "place", "speed"};
    trm_status status = TRM_OK;
    for (int i = 0; i < SENSORS && status == TRM_OK; i++) {
        trm_sensor_def sensor = trm_default_sensor_def();
        sensor.name = names[i];
        sensor.type = i == LEAN || i == PLACE ? "angle" : "rate";
        sensor.joint = i == LEAN || i == LEAN_SPEED ? "pin" : "track";
        sensor.rate = 100, sensor.noise = NOISE[i];
        status = trm_add_sensor(def, &sensor);
    }
    return status;
}

/* Where the pole really is in the end. */
static double final_lean(trm_sim *sim, const trm_model *model)
{
    double lean;
    trm_joint_values(trm_sim_state(sim), trm_find_joint(model, "pin"), &lean, NULL);
    return lean;
}

static bool balance(trm_sim *sim, const trm_model *model, trm_model_def *def)
{
    controller c = {.push = 0};
    for (int i = 0; i < SENSORS; i++) c.sensor[i] = trm_find_sensor(model, def->sensors[i].name);
    if (trm_sim_add_force(sim, "push", trm_find_body(model, "cart"), push_cart, &c) != TRM_OK) return false;
    trm_sim_set_hooks(sim, control, NULL, &c);
    const trm_run_def run = {.until = 10, .every = 0.01};
    const trm_outcome outcome = trm_sim_run(sim, &run);
    printf("the cart went %.2f m, the pole leant by %.3f rad at most\n", c.farthest, c.largest_lean);
    printf("at %.2f s it %s, %.4f rad off the vertical\n", trm_state_time(trm_sim_state(sim)),
           outcome.ok ? "stands" : "has fallen", fabs(final_lean(sim, model)));
    return outcome.ok && fabs(final_lean(sim, model)) < 0.05;
}

int main(void)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def = trm_model_def_create(NULL);
    trm_model *model = NULL;
    trm_sim *sim = NULL;
    def->gravity = trm_v3(0, -9.81, 0);
    def->simulation.step = 0.005;
    const bool built = add_bodies(def) == TRM_OK && add_joints(def) == TRM_OK && add_sensors(def) == TRM_OK &&
                       trm_model_create(def, NULL, messages, &model) == TRM_OK &&
                       trm_sim_create(model, NULL, NULL, messages, &sim) == TRM_OK;
    for (int i = 0; i < trm_message_count(messages); i++) fprintf(stderr, "%s\n", trm_message_at(messages, i)->text);
    const bool stands = built && balance(sim, model, def);

    trm_sim_destroy(sim);
    trm_model_destroy(model);
    trm_model_def_destroy(def);
    trm_messages_destroy(messages);
    return stands ? 0 : 1;
}
