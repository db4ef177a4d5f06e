/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Machines of point masses and distances, and the distance of two of their states. */

#ifndef TRM_TESTS_POINT_MACHINES_H
#define TRM_TESTS_POINT_MACHINES_H

#include "machines.h"
#include "running.h"

/* Adds a point that moves like a point of a rigid body that turns with omega about the origin. */
static inline int add_turning_point(machine *m, double mass, trm_vec3 at, trm_vec3 omega)
{
    trm_body_def body = trm_default_body_def();
    body.kind = TRM_BODY_POINT;
    body.mass = mass;
    body.position = at;
    body.velocity = trm_v3_cross(omega, at);
    return add_body(m, body);
}

/* Builds four unequal points with all distances between them, hung on the ground by one of them, which turn about
 * it. */
static inline trm_model *tetrahedron(void)
{
    static const trm_vec3 corners[] = {{0, -0.4, 0}, {0.5, -0.8, 0.1}, {-0.3, -0.9, 0.4}, {-0.1, -0.7, -0.5}};
    const trm_vec3 omega = {1.5, 3, -1};
    machine m;
    machine_init(&m);
    for (int i = 0; i < 4; i++) add_turning_point(&m, 0.5 + 0.4 * i, corners[i], omega);
    add_bar(&m, 0, 1);
    for (int i = 1; i <= 4; i++)
        for (int j = i + 1; j <= 4; j++) add_bar(&m, i, j);
    m.def->gravity = trm_v3(0, -9.81, 0);
    return machine_finish(&m);
}

enum { CUBOID_PAIRS = 28 };

/* Builds the corners of a cuboid that turns about the origin, where one of its corners hangs. Pairs in left_out have
 * no distance; NULL: none is left out. The bar to the ground is the first joint. */
static inline trm_model *cuboid(const bool left_out[CUBOID_PAIRS])
{
    machine m;
    machine_init(&m);
    for (int i = 0; i < 8; i++)
        add_turning_point(&m, 1 + 0.1 * i, trm_v3(i & 1 ? 1.0 : 0.2, i & 2 ? -0.9 : -0.3, i & 4 ? 0.5 : 0),
                          trm_v3(1, -2, 0.5));
    add_bar(&m, 0, 1);
    for (int i = 1, pair = 0; i <= 8; i++)
        for (int j = i + 1; j <= 8; j++, pair++)
            if (!left_out || !left_out[pair]) add_bar(&m, i, j);
    m.def->gravity = trm_v3(0, -9.81, 0);
    return machine_finish(&m);
}

static inline trm_model *double_pendulum_of_points(void)
{
    return model_of_file(TRM_EXAMPLES "/problems/r13-double-pendulum.json");
}

static inline trm_model *chain_of_points(void)
{
    return model_of_file(TRM_EXAMPLES "/problems/r13-chain-8.json");
}

/* Returns the largest difference of positions and of velocities, m and m/s. */
static inline double apart(const trm_state *a, const trm_state *b, int body_count)
{
    double largest = 0;
    for (int i = 0; i < body_count; i++) {
        const trm_vec3 P = trm_v3_sub(trm_body_pose(a, i).p, trm_body_pose(b, i).p);
        const trm_vec3 V = trm_v3_sub(trm_body_velocity(a, i).lin, trm_body_velocity(b, i).lin);
        largest = fmax(largest, fmax(trm_v3_length(P), trm_v3_length(V)));
    }
    return largest;
}

static inline double runs_apart(const running *a, const running *b)
{
    assert_near(trm_state_time(trm_sim_state(a->sim)), trm_state_time(trm_sim_state(b->sim)), 0);
    return apart(trm_sim_state(a->sim), trm_sim_state(b->sim), trm_body_count(a->model));
}

/* Returns the largest present gap of all joints, m and rad. */
static inline double gap_now(const running *r)
{
    double largest = 0;
    for (int j = 0; j < trm_joint_count(r->model); j++) {
        const trm_gap gap = trm_position_gap(trm_sim_state(r->sim), j);
        largest = fmax(largest, fmax(gap.position, gap.angle));
    }
    return largest;
}

static inline double velocity_gap_now(const running *r)
{
    double largest = 0;
    for (int j = 0; j < trm_joint_count(r->model); j++) {
        const trm_gap gap = trm_velocity_gap(trm_sim_state(r->sim), j);
        largest = fmax(largest, fmax(gap.position, gap.angle));
    }
    return largest;
}

#endif
