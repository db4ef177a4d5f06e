/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Round solids, ellipsoids and bodies of two shapes that roll and spin against resistance, with rules for the
 * friction of their pairs, friction that depends on the slip, and both laws of restitution. */

#include "common.h"

/* Sets what a shape adds to the friction of its pairs. */
static void roughen(machine *m, trm_shape_def *shape)
{
    static const char *const rules[] = {"geometric", "min", "max"};
    shape->friction = draw_chance(m, 0.1) ? 0 : draw_between(m, 0.1, 1);
    shape->restitution = draw_chance(m, 0.5) ? 0 : draw_between(m, 0, 0.9);
    shape->combine = DRAW_WORD(m, rules);
    shape->priority = draw_below(m, 2);
    if (m->simulation.order > 2) return; /* what resists rolling and spinning is of order 2 */
    if (draw_chance(m, 0.5)) shape->rolling = draw_log(m, 1e-4, 0.02);
    if (draw_chance(m, 0.5)) shape->torsional = draw_log(m, 1e-3, 0.05);
}

static trm_shape_def round_shape(machine *m)
{
    static const char *const types[] = {"ellipsoid", "ellipsoid", "sphere", "capsule", "cylinder"};
    trm_shape_def shape = plain_shape(DRAW_WORD(m, types));
    if (shape.type[0] == 'e')
        shape.size = trm_v3(draw_between(m, 0.2, 0.6), draw_between(m, 0.2, 0.6), draw_between(m, 0.2, 0.6));
    else
        shape.radius = draw_between(m, 0.1, 0.3);
    if (shape.type[0] == 'c') shape.length = draw_between(m, 0.1, 0.5);
    return shape;
}

/* Adds a body of one or two shapes at a height. */
static int add_round_body(machine *m, trm_vec3 place)
{
    const int body = add_rigid(m, (trm_pose){draw_rotation(m), place}, 1, 1);
    machine_body *b = &m->bodies[body];
    const int count = draw_chance(m, 0.3) ? 2 : 1;
    for (int i = 0; i < 6; i++) b->def.inertia[i] = NAN;
    b->def.mass = 0;
    b->def.com = trm_v3(NAN, NAN, NAN);
    for (int i = 0; i < count; i++) {
        trm_shape_def shape = round_shape(m);
        roughen(m, &shape);
        if (count > 1) {
            shape.position = draw_vector(m, 0.2);
            shape.orientation = draw_rotation(m);
        }
        add_shape(m, body, shape, draw_between(m, 5, 50));
    }
    b->def.velocity = draw_vector(m, 1.5);
    b->def.angular_velocity = draw_vector(m, 6);
    return body;
}

/* Gives a pair of bodies friction that falls with the slip, or the law of restitution of Stronge. */
static void rule(machine *m, int a, int b)
{
    machine_contact *contact = &m->contacts[add_contact(m, a, b)];
    if (draw_chance(m, 0.5)) {
        contact->def.law = "stronge";
        return;
    }
    contact->speeds[0] = 0;
    contact->speeds[1] = draw_log(m, 0.01, 1);
    contact->mus[0] = draw_between(m, 0.3, 1);
    contact->mus[1] = contact->mus[0] * draw_between(m, 0.4, 1);
    contact->def.speeds = contact->speeds;
    contact->def.mus = contact->mus;
    contact->def.speed_count = 2;
}

static void draw(machine *m)
{
    draw_contact_mode(m);
    const int count = 1 + draw_below(m, 2), ground = add_ground_shape(m);
    roughen(m, &m->bodies[ground].shapes[0]);
    for (int i = 0; i < count; i++) {
        const trm_vec3 place = trm_v3(draw_between(m, -0.3, 0.3), draw_between(m, -0.3, 0.3), 0.7 + 1.2 * i);
        const int body = add_round_body(m, place);
        if (draw_chance(m, 0.3)) rule(m, ground, body);
    }
    m->gravity = trm_v3(0, 0, -9.81);
    set_run(m, 0.01, 0.8);
}

const family family_rolling = {"rolling", "round solids that roll and spin against resistance", draw, false};
