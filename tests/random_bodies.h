/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Random vectors, poses and bodies of size about one, for tests that hold for any of them. */

#ifndef TRM_TESTS_RANDOM_BODIES_H
#define TRM_TESTS_RANDOM_BODIES_H

#include "base/random.h"
#include "math/rotation.h"
#include "trammel/model.h"

static inline trm_vec3 random_vector(trm_random *random, double size)
{
    return trm_v3(trm_random_uniform(random, -size, size), trm_random_uniform(random, -size, size),
                  trm_random_uniform(random, -size, size));
}

static inline trm_vec3 random_direction(trm_random *random)
{
    for (;;) {
        const trm_vec3 v = random_vector(random, 1);
        if (trm_v3_length(v) > 0.1 && trm_v3_length(v) < 1) return trm_v3_unit(v);
    }
}

static inline trm_quat random_rotation(trm_random *random)
{
    return trm_quat_exp(trm_v3_scale(trm_random_uniform(random, 0, 6), random_direction(random)));
}

static inline trm_pose random_pose(trm_random *random)
{
    const trm_quat q = random_rotation(random);
    return (trm_pose){q, random_vector(random, 1)};
}

static inline trm_spatial random_spatial(trm_random *random)
{
    const trm_vec3 ang = random_vector(random, 1);
    return trm_sp(ang, random_vector(random, 1));
}

/* Computes the six numbers of trm_body_def.inertia: moments about axes that are rotated by q relative to the
 * body's. */
static inline void turned_inertia(trm_vec3 moments, trm_quat q, double inertia[6])
{
    const trm_mat3 R = trm_quat_matrix(q);
    const trm_mat3 J = trm_mat_mul(R, trm_mat_mul(trm_diag(moments), trm_transpose(R)));
    const double six[6] = {J.m[0][0], J.m[1][1], J.m[2][2], J.m[0][1], J.m[0][2], J.m[1][2]};
    for (int i = 0; i < 6; i++) inertia[i] = six[i];
}

/* Returns the moments of a solid box with sides between 0.5 and 1.5. */
static inline trm_vec3 random_moments(trm_random *random, double mass)
{
    const double x = trm_random_uniform(random, 0.5, 1.5), y = trm_random_uniform(random, 0.5, 1.5),
                 z = trm_random_uniform(random, 0.5, 1.5);
    return trm_v3_scale(mass / 12, trm_v3(y * y + z * z, x * x + z * z, x * x + y * y));
}

/* Returns a rigid body whose frame is neither at its centre of mass nor along its principal axes. */
static inline trm_body_def random_body(trm_random *random, const char *name)
{
    trm_body_def body = trm_default_body_def();
    const trm_pose start = random_pose(random);
    body.name = name;
    body.mass = trm_random_uniform(random, 0.5, 2);
    turned_inertia(random_moments(random, body.mass), random_rotation(random), body.inertia);
    body.com = random_vector(random, 0.5);
    body.position = start.p;
    body.orientation = start.q;
    body.velocity = random_vector(random, 1);
    body.angular_velocity = random_vector(random, 1);
    return body;
}

/* Returns the pose of a body after a time s with constant twist V: the centre of mass moves straight, and the body
 * turns evenly. */
static inline trm_pose moved_by(trm_pose X, trm_spatial V, double s)
{
    return (trm_pose){trm_quat_mul(trm_quat_exp(trm_v3_scale(s, V.ang)), X.q), trm_v3_add_scaled(X.p, s, V.lin)};
}

#endif
