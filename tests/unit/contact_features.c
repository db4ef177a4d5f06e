/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "check.h"
#include "collide/contact.h"
#include "random_bodies.h"

/* For lengths of about 1 after some tens of operations. */
static const double rounding = 1e-14;

/* Central differences with h = 1e-5: h^2 times third derivatives of up to 1e4, where cores are 0.05 apart. */
static const double of_differences = 1e-6;

static const trm_feature_kind pairs[][2] = {
    {TRM_FEATURE_POINT, TRM_FEATURE_POINT},      {TRM_FEATURE_POINT, TRM_FEATURE_LINE},
    {TRM_FEATURE_POINT, TRM_FEATURE_PLANE},      {TRM_FEATURE_LINE, TRM_FEATURE_LINE},
    {TRM_FEATURE_CIRCLE, TRM_FEATURE_PLANE},     {TRM_FEATURE_ELLIPSOID, TRM_FEATURE_POINT},
    {TRM_FEATURE_ELLIPSOID, TRM_FEATURE_LINE},   {TRM_FEATURE_ELLIPSOID, TRM_FEATURE_PLANE},
    {TRM_FEATURE_ELLIPSOID, TRM_FEATURE_CIRCLE}, {TRM_FEATURE_ELLIPSOID, TRM_FEATURE_ELLIPSOID},
};
enum { PAIRS = (int)(sizeof pairs / sizeof pairs[0]) };

static const trm_mat3 half_axes = {{{0.1, 0.02, 0}, {-0.01, 0.2, 0.03}, {0, -0.1, 0.15}}};

static trm_feature random_feature(trm_random *random, trm_feature_kind kind, bool is_round)
{
    const bool is_ellipsoid = kind == TRM_FEATURE_ELLIPSOID;
    const bool has_radius = kind == TRM_FEATURE_CIRCLE || (is_round && kind != TRM_FEATURE_PLANE && !is_ellipsoid);
    return (trm_feature){kind, random_vector(random, 1), random_direction(random),
                         has_radius ? trm_random_uniform(random, 0.01, 0.2) : 0, is_ellipsoid ? &half_axes : NULL};
}

/* outward: from b to a, as given by the code that makes the contact. */
static trm_contact random_contact(trm_random *random, int pair, bool turned, bool is_round, trm_pose a, trm_pose b)
{
    trm_contact contact = {.body = {0, 1}};
    for (int k = 0; k < 2; k++)
        contact.feature[k] = random_feature(random, pairs[pair][turned ? 1 - k : k], is_round);
    contact.outward = random_direction(random);
    const trm_contact_at at = trm_contact_at_poses(&contact, a, b);
    contact.outward = trm_rotate_back(b.q, at.normal);
    return contact;
}

static trm_pose moved(trm_pose pose, trm_spatial velocity, double dt)
{
    const trm_quat turn = trm_quat_exp(trm_v3_scale(dt, velocity.ang));
    return (trm_pose){trm_quat_mul(turn, pose.q), trm_v3_add_scaled(pose.p, dt, velocity.lin)};
}

static trm_vec3 velocity_at(trm_pose pose, trm_spatial velocity, trm_vec3 x)
{
    return trm_v3_add(velocity.lin, trm_v3_cross(velocity.ang, trm_v3_sub(x, pose.p)));
}

/* Returns whether the nearest points move much faster than the bodies: those of nearly parallel lines, and of an
 * ellipsoid over the inside of a circle, which is treated as a disc there. */
static bool is_blunt(const trm_contact *contact, trm_pose a, trm_pose b, trm_vec3 n)
{
    const trm_feature *f = contact->feature;
    const trm_vec3 u = trm_rotate(a.q, f[0].direction), v = trm_rotate(b.q, f[1].direction);
    if (f[0].kind == TRM_FEATURE_LINE && f[1].kind == TRM_FEATURE_LINE)
        return trm_v3_length(trm_v3_cross(u, v)) <= 0.3;
    const bool disc[2] = {f[0].kind == TRM_FEATURE_CIRCLE && f[1].kind == TRM_FEATURE_ELLIPSOID,
                          f[1].kind == TRM_FEATURE_CIRCLE && f[0].kind == TRM_FEATURE_ELLIPSOID};
    return (disc[0] && trm_v3_length(trm_v3_cross(u, n)) <= 0.3) ||
           (disc[1] && trm_v3_length(trm_v3_cross(v, n)) <= 0.3);
}

/* gap = n . (p_a - p_b), and its rate is n . (v_a(p_a) - v_b(p_b)). */
static void gaps_change_as_the_points_part_along_the_normal(void **state)
{
    (void)state;
    const double h = 1e-5;
    for (int pair = 0; pair < PAIRS; pair++)
        for (uint64_t seed = 0; seed < 400; seed++) {
            trm_random random = trm_random_seed(1000 * (uint64_t)pair + seed);
            const trm_pose a = random_pose(&random), b = random_pose(&random);
            const trm_spatial va = random_spatial(&random), vb = random_spatial(&random);
            const trm_contact contact = random_contact(&random, pair, seed % 2, seed % 4 < 2, a, b);
            const trm_contact_at at = trm_contact_at_poses(&contact, a, b);
            const trm_contact_at before = trm_contact_at_poses(&contact, moved(a, va, -h), moved(b, vb, -h));
            const trm_contact_at after = trm_contact_at_poses(&contact, moved(a, va, h), moved(b, vb, h));
            if (at.gap + contact.feature[0].radius + contact.feature[1].radius < 0.05)
                continue; /* curvature is too large */
            const trm_vec3 rate = trm_v3_sub(velocity_at(a, va, at.point[0]), velocity_at(b, vb, at.point[1]));
            assert_near(trm_v3_length(at.normal), 1, rounding);
            assert_near(trm_v3_dot(at.normal, trm_v3_sub(at.point[0], at.point[1])), at.gap, rounding);
            if (!is_blunt(&contact, a, b, at.normal))
                assert_near(trm_v3_dot(at.normal, rate), (after.gap - before.gap) / (2 * h), of_differences);
        }
}

/* With exchanged bodies the normal is reversed and the points are swapped. */
static void swapped_bodies_have_the_same_gap(void **state)
{
    (void)state;
    for (int pair = 0; pair < PAIRS; pair++)
        for (uint64_t seed = 0; seed < 200; seed++) {
            trm_random random = trm_random_seed(1000 * (uint64_t)pair + seed);
            const trm_pose a = random_pose(&random), b = random_pose(&random);
            const trm_contact contact = random_contact(&random, pair, seed % 2, seed % 4 < 2, a, b);
            const trm_vec3 outward = trm_rotate(b.q, contact.outward);
            const trm_contact other = {.feature = {contact.feature[1], contact.feature[0]},
                                       .outward = trm_v3_neg(trm_rotate_back(a.q, outward))};
            const trm_contact_at p = trm_contact_at_poses(&contact, a, b), q = trm_contact_at_poses(&other, b, a);
            assert_near(p.gap, q.gap, rounding);
            assert_near(trm_v3_length(trm_v3_add(p.normal, q.normal)), 0, 100 * rounding);
            for (int k = 0; k < 2; k++)
                assert_near(trm_v3_length(trm_v3_sub(p.point[k], q.point[1 - k])), 0, 1e4 * rounding);
        }
}

/* A pair of bodies that is moved far away, or rotated as a whole, keeps its gaps. */
static void gaps_far_from_the_origin_are_as_exact(void **state)
{
    (void)state;
    const double far = 1024; /* exact in binary: only differences of positions count */
    for (int pair = 0; pair < PAIRS; pair++)
        for (uint64_t seed = 0; seed < 100; seed++) {
            trm_random random = trm_random_seed(1000 * (uint64_t)pair + seed);
            trm_pose a = random_pose(&random), b = random_pose(&random);
            a.p = trm_v3_scale(1.0 / 1024, trm_v3(rint(1024 * a.p.x), rint(1024 * a.p.y), rint(1024 * a.p.z)));
            b.p = trm_v3_scale(1.0 / 1024, trm_v3(rint(1024 * b.p.x), rint(1024 * b.p.y), rint(1024 * b.p.z)));
            const trm_contact contact = random_contact(&random, pair, seed % 2, seed % 4 < 2, a, b);
            const double near = trm_contact_at_poses(&contact, a, b).gap;
            a.p.x += far, b.p.x += far;
            assert_true(trm_contact_at_poses(&contact, a, b).gap == near);
        }
}

/* ---- Features that pass through each other ------------------------------------------------ */

static const trm_pose at_origin = {{1, 0, 0, 0}, {0, 0, 0}};

static double gap_at_height(const trm_contact *contact, double z)
{
    return trm_contact_at_poses(contact, (trm_pose){{1, 0, 0, 0}, {0, 0, z}}, at_origin).gap;
}

static void bare_corners_and_edges_pass_each_other_without_a_kink(void **state)
{
    (void)state;
    const trm_feature point = {TRM_FEATURE_POINT, {0, 0, 0}, {0, 0, 0}, 0, NULL};
    const trm_feature x_line = {TRM_FEATURE_LINE, {0, 0, 0}, {1, 0, 0}, 0, NULL};
    const trm_feature y_line = {TRM_FEATURE_LINE, {0, 0, 0}, {0, 1, 0}, 0, NULL};
    const trm_contact contacts[] = {
        {.feature = {point, point}, .outward = {0, 0, 1}},   {.feature = {point, x_line}, .outward = {0, 0, 1}},
        {.feature = {x_line, point}, .outward = {0, 0, 1}},  {.feature = {x_line, y_line}, .outward = {0, 0, 1}},
        {.feature = {y_line, x_line}, .outward = {0, 0, 1}}, {.feature = {x_line, x_line}, .outward = {0, 0, 1}},
    };
    const double heights[] = {0.1, 1e-6, 1e-13, 1e-17, 0, -1e-17, -1e-13, -1e-6, -0.1};
    for (size_t i = 0; i < sizeof contacts / sizeof *contacts; i++)
        for (size_t k = 0; k < sizeof heights / sizeof *heights; k++)
            assert_near(gap_at_height(&contacts[i], heights[k]), heights[k], 1e-16);
}

static void round_cores_keep_their_distance_and_touch_along_outward_where_they_meet(void **state)
{
    (void)state;
    const trm_feature ball = {TRM_FEATURE_POINT, {0, 0, 0}, {0, 0, 0}, 0.1, NULL};
    const trm_feature x_axis = {TRM_FEATURE_LINE, {0, 0, 0}, {1, 0, 0}, 0.1, NULL};
    const trm_feature y_axis = {TRM_FEATURE_LINE, {0, 0, 0}, {0, 1, 0}, 0.1, NULL};
    const trm_contact contacts[] = {{.feature = {ball, ball}, .outward = {0, 0, -1}},
                                    {.feature = {ball, x_axis}, .outward = {0, 0, -1}},
                                    {.feature = {x_axis, y_axis}, .outward = {0, 0, -1}},
                                    {.feature = {x_axis, x_axis}, .outward = {0, 0, -1}}};
    for (int i = 0; i < 4; i++) {
        assert_near(gap_at_height(&contacts[i], 0.5), 0.3, rounding);
        assert_near(gap_at_height(&contacts[i], -0.5), 0.3, rounding);
        assert_near(gap_at_height(&contacts[i], 0), -0.2, rounding);
        assert_near(trm_contact_at_poses(&contacts[i], at_origin, at_origin).normal.z, -1, rounding);
    }
}

static void a_disc_that_lies_flat_has_the_gap_of_its_centre(void **state)
{
    (void)state;
    const trm_contact contact = {.feature = {{TRM_FEATURE_CIRCLE, {0, 0, 0}, {0, 0, 1}, 0.3, NULL},
                                             {TRM_FEATURE_PLANE, {0, 0, 0}, {0, 0, 1}, 0, NULL}},
                                 .outward = {0, 0, 1}};
    assert_near(gap_at_height(&contact, 0.2), 0.2, rounding);
    for (double tilt = 1e-16; tilt < 1; tilt *= 10) {
        const trm_pose a = {trm_quat_exp(trm_v3(tilt, 0, 0)), {0, 0, 0.2}};
        assert_near(trm_contact_at_poses(&contact, a, at_origin).gap, 0.2 - 0.3 * sin(tilt), rounding);
    }
}

/* ---- Rims --------------------------------------------------------------------------------- */

static double off_rim(const trm_feature *rim, trm_pose pose, trm_vec3 x)
{
    const trm_vec3 d = trm_v3_sub(trm_pose_point_back(pose, x), rim->point);
    const double along = trm_v3_dot(d, rim->direction);
    return hypot(along, trm_v3_length(trm_v3_add_scaled(d, -along, rim->direction)) - rim->radius);
}

/* Returns the vector from the centre of a rim about u to its lowest point. */
static trm_vec3 down_from_centre(trm_vec3 u, double radius)
{
    return trm_v3_scale(-radius, trm_v3_unit(trm_v3_add_scaled(trm_v3(0, 0, 1), -u.z, u)));
}

static trm_vec3 random_tilted(trm_random *random)
{
    for (;;) {
        const trm_vec3 u = random_direction(random);
        if (fabs(u.z) < 0.9) return u;
    }
}

/* Returns a rim over the top of another rim, over a level line or over a point, at 0.05 to 0.1 m. */
static trm_contact rim_over(trm_random *random, trm_feature_kind kind, bool is_round, trm_pose *a)
{
    const double r = trm_random_uniform(random, 0.2, 0.4);
    const trm_feature rim = {TRM_FEATURE_CIRCLE, {0, 0, 0}, {0, 0, 1}, r, NULL};
    trm_contact contact = {.body = {0, 1}, .feature = {rim, random_feature(random, kind, is_round)}};
    trm_feature *below = &contact.feature[1];
    below->direction = random_tilted(random);
    below->point = kind == TRM_FEATURE_CIRCLE ? down_from_centre(below->direction, below->radius) : trm_v3(0, 0, 0);
    if (kind == TRM_FEATURE_LINE) below->direction = trm_v3_unit(trm_v3(below->direction.x, below->direction.y, 0));
    a->q = trm_quat_between(trm_v3(0, 0, 1), random_tilted(random));
    const double over = trm_random_uniform(random, 0.05, 0.1) + (kind == TRM_FEATURE_CIRCLE ? 0 : below->radius);
    a->p = trm_v3_sub(trm_v3(0, 0, over), down_from_centre(trm_rotate(a->q, trm_v3(0, 0, 1)), r));
    contact.outward = trm_v3(0, 0, 1);
    return contact;
}

/* The points are the nearest ones: moving them along the tangents does not reduce their distance to first order; and
 * they are on the rims. */
static void rims_are_touched_where_they_are_nearest(void **state)
{
    (void)state;
    const double h = 1e-5;
    const trm_pose b = {{1, 0, 0, 0}, {0, 0, 0}};
    const trm_feature_kind kinds[] = {TRM_FEATURE_POINT, TRM_FEATURE_LINE, TRM_FEATURE_CIRCLE};
    for (int k = 0; k < 3; k++)
        for (uint64_t seed = 0; seed < 400; seed++) {
            trm_random random = trm_random_seed(seed);
            trm_pose a;
            const trm_contact contact = rim_over(&random, kinds[k], seed % 2, &a);
            const trm_spatial va = random_spatial(&random), vb = random_spatial(&random);
            const trm_contact_at at = trm_contact_at_poses(&contact, a, b);
            const trm_contact_at before = trm_contact_at_poses(&contact, moved(a, va, -h), moved(b, vb, -h));
            const trm_contact_at after = trm_contact_at_poses(&contact, moved(a, va, h), moved(b, vb, h));
            const trm_vec3 rate = trm_v3_sub(velocity_at(a, va, at.point[0]), velocity_at(b, vb, at.point[1]));
            assert_near(off_rim(&contact.feature[0], a, at.point[0]), 0, 10 * rounding);
            if (k == 2) assert_near(off_rim(&contact.feature[1], b, at.point[1]), 0, 10 * rounding);
            assert_near(trm_v3_dot(at.normal, trm_v3_sub(at.point[0], at.point[1])), at.gap, rounding);
            assert_near(trm_v3_dot(at.normal, rate), (after.gap - before.gap) / (2 * h), of_differences);
        }
}

/* A rim that moves down through an edge or another rim that crosses it. */
static void bare_rims_pass_edges_and_rims_without_a_kink(void **state)
{
    (void)state;
    const trm_feature rim = {TRM_FEATURE_CIRCLE, {0, 0, 0.3}, {1, 0, 0}, 0.3, NULL};
    const trm_feature edge = {TRM_FEATURE_LINE, {0, 0, 0}, {1, 0, 0}, 0, NULL};
    const trm_feature below = {TRM_FEATURE_CIRCLE, {0, 0, -0.2}, {0, 1, 0}, 0.2, NULL};
    const trm_contact contacts[] = {{.feature = {rim, edge}, .outward = {0, 0, 1}},
                                    {.feature = {rim, below}, .outward = {0, 0, 1}}};
    const double heights[] = {0.1, 1e-6, 1e-13, 0, -1e-13, -1e-6, -0.05};
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < sizeof heights / sizeof *heights; k++)
            assert_near(gap_at_height(&contacts[i], heights[k]), heights[k], 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_change_as_the_points_part_along_the_normal),
        cmocka_unit_test(swapped_bodies_have_the_same_gap),
        cmocka_unit_test(gaps_far_from_the_origin_are_as_exact),
        cmocka_unit_test(bare_corners_and_edges_pass_each_other_without_a_kink),
        cmocka_unit_test(round_cores_keep_their_distance_and_touch_along_outward_where_they_meet),
        cmocka_unit_test(a_disc_that_lies_flat_has_the_gap_of_its_centre),
        cmocka_unit_test(rims_are_touched_where_they_are_nearest),
        cmocka_unit_test(bare_rims_pass_edges_and_rims_without_a_kink),
    };
    return RUN_TESTS(tests);
}
