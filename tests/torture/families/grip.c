/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Grippers: two fingers on sliders or hinges that motors or servos of limited force close on an object, above a
 * floor. */

#include "common.h"

static void add_finger(machine *m, int palm, double side, bool slides)
{
    const trm_vec3 place = trm_v3(side * draw_between(m, 0.2, 0.3), 0, 0.2);
    const int finger = add_rigid(m, (trm_pose){trm_quat_identity(), place}, draw_between(m, 0.1, 0.5), 0.2);
    m->bodies[finger].def.com = trm_v3(0, 0, 0);
    add_shape(m, finger, box_shape(0.04, 0.1, 0.25), 0);
    const trm_vec3 top = trm_v3(place.x, 0, 0.35), inwards = trm_v3(-side, 0, 0);
    const int j = add_joint(m, slides ? "slider" : "hinge", palm, finger, top, slides ? inwards : trm_v3(0, side, 0));
    const double most = draw_between(m, 2, 20) * (slides ? 1 : 0.15);
    if (draw_chance(m, 0.5))
        add_motor(m, j, (wave){draw_between(m, 0.1, 1), 0, 0, 0}, most);
    else {
        machine_force *servo = &m->forces[add_force(m, "servo")];
        servo->host = j;
        servo->target = (wave){0.3, 0, 0, 0};
        servo->def.kp = most * 10;
        servo->def.kd = most;
        servo->def.max = most;
    }
}

static void draw(machine *m)
{
    const bool slides = draw_chance(m, 0.6), hangs = draw_chance(m, 0.5);
    const int floor = add_fixed(m, trm_pose_identity());
    trm_shape_def plane = plain_shape("plane");
    plane.normal = trm_v3(0, 0, 1);
    add_shape(m, floor, plane, 0);
    const int palm = add_rigid(m, (trm_pose){trm_quat_identity(), trm_v3(0, 0, 0.4)}, 2, 0.4);
    m->bodies[palm].def.com = trm_v3(0, 0, 0);
    add_joint(m, hangs ? "fixed" : "slider", GROUND, palm, trm_v3(0, 0, 0.4), trm_v3(0, 0, 1));
    if (!hangs) add_drive(m, m->joint_count - 1, (wave){0.1, -0.1, 2, TRM_PI / 2});
    add_finger(m, palm, 1, slides);
    add_finger(m, palm, -1, slides);
    const int object = add_rigid(m, (trm_pose){trm_quat_identity(), trm_v3(0, 0, 0.1)}, draw_between(m, 0.1, 1), 0.2);
    m->bodies[object].def.com = trm_v3(0, 0, 0);
    trm_shape_def shape = box_shape(0.16, 0.16, 0.2);
    if (draw_chance(m, 0.4)) {
        shape = plain_shape("cylinder");
        shape.radius = 0.08;
        shape.length = 0.2;
    }
    add_shape(m, object, shape, 0);
    m->gravity = trm_v3(0, 0, -9.81);
    m->friction = draw_between(m, 0.3, 1);
    draw_contact_mode(m);
    set_run(m, 0.005, 1);
}

const family family_grip = {"grip", "grippers of limited force that close on an object", draw, false};
