/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Rays and nearest points (trammel/geometry.h). Rays are compared with closed forms, and with sphere tracing: the ray
 * advances by the distance of its end from the shape until that vanishes. Distances are those of the narrow phase,
 * whose code is independent of rays. */

#include "trammel/geometry.h"
#include "base/random.h"
#include "check.h"
#include "motion/state.h"
#include "reading.h"

static const double PROBE = 1e-3;     /* m: radius of the ball that sphere tracing moves */
static const double ROUNDING = 1e-12; /* m: for distances of about 10 m */
static const double TRACED = 1e-8;    /* m: distance at which tracing ends; grazing rays are not compared */
enum { RAYS = 200 };

static const char MODEL[] = "{ \"trammel\": 1, \"bodies\": ["
                            "{ \"name\": \"probe\", \"position\": [50, 0, 0], \"shapes\": [{ \"type\": \"sphere\", "
                            "\"radius\": 1e-3, \"density\": 1 }] },"
                            "{ \"name\": \"ball\", \"position\": [0, 0, 0], \"shapes\": [{ \"type\": \"sphere\", "
                            "\"radius\": 0.5, \"density\": 1 }] },"
                            "{ \"name\": \"box\", \"position\": [5, 0, 0], \"shapes\": [{ \"type\": \"box\", "
                            "\"size\": [1, 0.6, 0.8], \"density\": 1, "
                            "\"orientation\": { \"axis\": [1, 2, 3], \"angle\": 0.7 } }] },"
                            "{ \"name\": \"pill\", \"position\": [10, 0, 0], \"shapes\": [{ \"type\": \"capsule\", "
                            "\"radius\": 0.3, \"length\": 0.9, "
                            "\"density\": 1, \"orientation\": { \"axis\": [1, 0, 0], \"angle\": 1 } }] },"
                            "{ \"name\": \"drum\", \"position\": [15, 0, 0], \"shapes\": [{ \"type\": \"cylinder\", "
                            "\"radius\": 0.4, \"length\": 0.7, "
                            "\"density\": 1, \"orientation\": { \"axis\": [1, 1, 0], \"angle\": 0.5 } }] },"
                            "{ \"name\": \"wedge\", \"position\": [20, 0, 0], \"shapes\": [{ \"type\": \"hull\", "
                            "\"density\": 1, \"points\": [[0, 0, 0], [1, 0, 0], "
                            "[0, 1, 0], [0, 0, 1], [0.8, 0.8, 0.1]] }] },"
                            "{ \"name\": \"egg\", \"position\": [25, 0, 0], \"shapes\": [{ \"type\": \"ellipsoid\", "
                            "\"size\": [1, 0.7, 0.5], \"density\": 1 }] },"
                            "{ \"name\": \"rock\", \"fixed\": true, \"position\": [30, 0, 0], \"shapes\": [{ "
                            "\"type\": \"mesh\", \"points\": [[0, 0, 0], [1, 0, 0], "
                            "[0, 1, 0], [0, 0, 1]], \"triangles\": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] }] },"
                            "{ \"name\": \"floor\", \"fixed\": true, \"shapes\": [{ \"type\": \"plane\", \"normal\": "
                            "[0, 0, 1], \"offset\": -3 }] },"
                            "{ \"name\": \"pair\", \"position\": [0, 20, 0], \"shapes\": [{ \"type\": \"sphere\", "
                            "\"radius\": 0.5, \"density\": 1 }, "
                            "{ \"type\": \"sphere\", \"radius\": 0.25, \"position\": [2, 0, 0] }, { \"type\": "
                            "\"sphere\", \"radius\": 9, \"collide\": false }] }"
                            "] }";

typedef struct shapes {
    trm_model *model;
    trm_state *state;
    trm_shape_set *geometry;
} shapes;

static shapes begin(void)
{
    shapes s = {.model = model_of_text(MODEL)};
    s.state = trm_state_create(s.model, NULL);
    assert_int_equal(trm_shape_set_create(s.model, NULL, &s.geometry), TRM_OK);
    return s;
}

static void end(shapes *s)
{
    trm_shape_set_destroy(s->geometry);
    trm_state_destroy(s->state);
    trm_model_destroy(s->model);
}

static trm_vec3 random_vector(trm_random *random, double size)
{
    return trm_v3(trm_random_uniform(random, -size, size), trm_random_uniform(random, -size, size),
                  trm_random_uniform(random, -size, size));
}

/* ---- Rays ---------------------------------------------------------------------------------- */

static void rays_meet_shapes_where_closed_forms_say(void **state)
{
    (void)state;
    shapes s = begin();
    trm_ray_hit hit;
    const int ball = trm_find_body(s.model, "ball"), floor = trm_find_body(s.model, "floor");
    assert_true(trm_ray_cast(s.geometry, s.state, trm_v3(-3, 0.3, 0), trm_v3(2, 0, 0), INFINITY, -1, &hit));
    assert_int_equal(hit.body, ball);
    assert_near(hit.distance, 3 - 0.4, ROUNDING);
    assert_near(hit.normal.x, -0.8, ROUNDING);
    assert_near(hit.normal.y, 0.6, ROUNDING);
    assert_near(hit.point.x, -0.4, ROUNDING);
    assert_false(trm_ray_cast(s.geometry, s.state, trm_v3(-3, 0.3, 0), trm_v3(2, 0, 0), 2.5, -1, &hit)); /* too far */
    assert_int_equal(hit.body, -1);
    /* without the ball, it continues to the box, at 5 m */
    assert_true(trm_ray_cast(s.geometry, s.state, trm_v3(-3, 0, 0), trm_v3(1, 0, 0), INFINITY, ball, &hit));
    assert_int_equal(hit.body, trm_find_body(s.model, "box"));
    /* downwards, without meeting the others */
    assert_true(trm_ray_cast(s.geometry, s.state, trm_v3(2.5, 0, 1), trm_v3(0, 0, -1), INFINITY, -1, &hit));
    assert_int_equal(hit.body, floor);
    assert_near(hit.distance, 4, ROUNDING);
    assert_near(hit.normal.z, 1, ROUNDING);
    assert_false(trm_ray_cast(s.geometry, s.state, trm_v3(2.5, 0, 1), trm_v3(0, 0, 1), INFINITY, -1, &hit));
    /* from inside */
    assert_true(trm_ray_cast(s.geometry, s.state, trm_v3(0, 0.1, 0), trm_v3(0, 1, 0), INFINITY, -1, &hit));
    assert_true(hit.body == ball && hit.distance == 0 && hit.normal.y == -1);
    /* shapes that do not collide are ignored; the second shape of a body */
    assert_true(trm_ray_cast(s.geometry, s.state, trm_v3(2, 10, 0), trm_v3(0, 1, 0), INFINITY, -1, &hit));
    assert_true(hit.body == trm_find_body(s.model, "pair") && hit.shape == 1);
    assert_near(hit.distance, 9.75, ROUNDING);
    end(&s);
}

/* Returns the distance along a ray to a body by sphere tracing; NAN if the ray comes so close to the body without
 * meeting it that few steps do not decide. */
static double traced(shapes *s, int body, trm_vec3 from, trm_vec3 d)
{
    const int probe = trm_find_body(s->model, "probe");
    double t = 0;
    for (int i = 0; i < 400; i++) {
        trm_nearest_points nearest;
        bool found;
        s->state->pose[probe].p = trm_v3_add_scaled(from, t, d);
        assert_int_equal(trm_find_nearest_points(s->geometry, s->state, probe, body, &found, &nearest), TRM_OK);
        assert_true(found);
        const double left = nearest.distance + PROBE;
        if (left < 1e-10) return t;
        t += left;
        if (t > 20) return INFINITY;
    }
    return NAN;
}

static void rays_meet_shapes_where_their_distance_vanishes(void **state)
{
    static const char *const names[] = {"ball", "box", "pill", "drum", "wedge", "egg", "rock", "floor"};
    shapes s = begin();
    trm_random random = trm_random_seed(25);
    (void)state;
    for (int k = 0; k < 8; k++) {
        const int body = trm_find_body(s.model, names[k]);
        int hits = 0, misses = 0;
        double worst = 0;
        for (int i = 0; i < RAYS; i++) {
            const trm_vec3 centre =
                k < 7 ? s.state->pose[body].p : trm_v3(2.5, -5, -3); /* no other body is over the floor there */
            const trm_vec3 from = trm_v3_add(centre, trm_v3_add(trm_v3(0, 0, 2), random_vector(&random, 1)));
            const trm_vec3 aim = trm_v3_add(centre, random_vector(&random, 0.6)),
                           d = trm_v3_unit(trm_v3_sub(aim, from));
            trm_ray_hit hit;
            const bool is_hit = trm_ray_cast(s.geometry, s.state, from, d, INFINITY, -1, &hit) && hit.body == body;
            const double t = traced(&s, body, from, d);
            if (isnan(t)) continue;
            hits += is_hit, misses += !is_hit;
            if (is_hit != isfinite(t)) print_error("%s: ray %d\n", names[k], i);
            assert_int_equal(is_hit, isfinite(t));
            if (!is_hit) continue;
            const double slope = -trm_v3_dot(hit.normal, d); /* grazing rays end early when traced */
            if (slope > 0.01) worst = fmax(worst, fabs(hit.distance - t));
            assert_true(slope >= 0);
        }
        print_message("%s: %d hits, %d misses, off by %.2g m\n", names[k], hits, misses, worst);
        assert_true(hits > RAYS / 8 && worst < TRACED);
    }
    end(&s);
}

/* ---- Nearest points ------------------------------------------------------------------------ */

static void nearest_points_are_as_far_apart_as_the_distance_says(void **state)
{
    static const char *const names[] = {"ball", "box", "pill", "drum", "wedge", "egg", "rock", "floor", "pair"};
    shapes s = begin();
    trm_random random = trm_random_seed(8);
    trm_nearest_points nearest;
    bool found;
    (void)state;
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 9; k++) {
            const int a = trm_find_body(s.model, names[i]), b = trm_find_body(s.model, names[k]);
            const trm_pose kept = s.state->pose[a];
            if (i == k || s.model->bodies[a].inverse_mass == 0) continue;
            for (int round = 0; round < 20; round++) {
                s.state->pose[a].p = trm_v3_add(s.state->pose[b].p, random_vector(&random, 3));
                if (k == 7) s.state->pose[a].p.z += 1;
                assert_int_equal(trm_find_nearest_points(s.geometry, s.state, a, b, &found, &nearest), TRM_OK);
                assert_true(found);
                const trm_vec3 d = trm_v3_sub(nearest.point[0], nearest.point[1]);
                if (nearest.distance < 1e-6) continue; /* overlapping */
                if (fabs(trm_v3_length(d) - nearest.distance) > 1e-9)
                    print_error("%s, %s: %g m, points %g m\n", names[i], names[k], nearest.distance,
                                trm_v3_length(d));
                assert_near(trm_v3_length(d), nearest.distance, 1e-9);
                assert_near(trm_v3_dot(d, nearest.normal), nearest.distance, 1e-9);
                trm_nearest_points back;
                assert_int_equal(trm_find_nearest_points(s.geometry, s.state, b, a, &found, &back), TRM_OK);
                assert_near(back.distance, nearest.distance, 1e-9);
            }
            s.state->pose[a] = kept;
        }
    const int ball = trm_find_body(s.model, "ball"), pair = trm_find_body(s.model, "pair");
    s.state->pose[ball].p = trm_v3(2, 21, 0);
    assert_int_equal(trm_find_nearest_points(s.geometry, s.state, ball, pair, &found, &nearest), TRM_OK);
    assert_true(nearest.shape[0] == 0 && nearest.shape[1] == 1);
    assert_near(nearest.distance, 0.25, ROUNDING);
    assert_near(nearest.point[0].y, 20.5, ROUNDING);
    assert_near(nearest.point[1].y, 20.25, ROUNDING);
    s.state->pose[ball].p = trm_v3(0, 20.75, 0); /* overlapping by 0.25 m */
    assert_int_equal(trm_find_nearest_points(s.geometry, s.state, ball, pair, &found, &nearest), TRM_OK);
    assert_near(nearest.distance, -0.25, ROUNDING);
    assert_int_equal(trm_find_nearest_points(s.geometry, s.state, ball, 0, &found, &nearest), TRM_OK);
    assert_false(found); /* the ground has no shapes */
    assert_int_equal(trm_find_nearest_points(s.geometry, s.state, trm_find_body(s.model, "rock"),
                                             trm_find_body(s.model, "floor"), &found, &nearest),
                     TRM_OK);
    assert_false(found); /* a mesh of a fixed body and a plane */
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_meet_shapes_where_closed_forms_say),
        cmocka_unit_test(rays_meet_shapes_where_their_distance_vanishes),
        cmocka_unit_test(nearest_points_are_as_far_apart_as_the_distance_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
