/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Velocities and poses that are not numbers, or absurdly large, where bodies are in contact: a run continues or says
 * why not, all results are finite, and it recovers. */

#include "hanging.h"
#include "sanitized.h"
#include "scenes.h"

/* s of processor time: a test that takes longer is ended, because steps that are halved endlessly take forever. */
enum { MOST_SECONDS = 60, STEPS = 3 };

static const double H = 0.01;

static const double sizes[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 1e150, 1e30, 1e12, -1e6, 1e4};

/* A box and a ball on the floor, a ball on the box. */
static running touching_bodies(const char *impact)
{
    scene s;
    scene_init(&s, 0.3, 0.5);
    add_floor(&s);
    add_solid(&s, box_of(1, 1, 0.5), 2, trm_v3(0, 0, 0.25));
    add_solid(&s, sphere_of(0.2), 1, trm_v3(0, 0, 0.7));
    add_solid(&s, sphere_of(0.2), 1, trm_v3(2, 0, 0.2));
    s.m.def->simulation.impact = impact;
    return run_scene(&s, H);
}

static bool is_finite(const trm_state *state, int bodies)
{
    for (int i = 0; i < bodies; i++) {
        const trm_pose X = trm_body_pose(state, i);
        const trm_spatial V = trm_body_velocity(state, i);
        if (!isfinite(X.p.x + X.p.y + X.p.z + X.q.w + X.q.x + X.q.y + X.q.z)) return false;
        if (!isfinite(V.lin.x + V.lin.y + V.lin.z + V.ang.x + V.ang.y + V.ang.z)) return false;
    }
    return true;
}

/* Makes a step. A finite state stays finite; a failure has a reason. Returns whether there was none. */
static bool go_and_look(running *r)
{
    const int bodies = trm_body_count(r->model);
    const bool finite = is_finite(trm_sim_state(r->sim), bodies);
    trm_outcome outcome = {.ok = true};
    end_after(MOST_SECONDS);
    for (int i = 0; i < STEPS && outcome.ok; i++) outcome = trm_sim_step(r->sim, H);
    end_after(0);
    if (!outcome.ok) assert_true(outcome.why[0]);
    if (outcome.ok) assert_true(is_finite(trm_sim_state(r->sim), bodies));
    if (finite) assert_true(is_finite(trm_sim_state(r->sim), bodies));
    stop(r);
    return outcome.ok;
}

static bool go_with_velocity(const char *impact, trm_spatial V)
{
    running r = touching_bodies(impact);
    trm_set_body_velocity(trm_sim_state(r.sim), trm_find_body(r.model, "b2"), V);
    return go_and_look(&r);
}

static void absurd_velocities_of(const char *impact)
{
    const trm_vec3 none = trm_v3(0, 0, 0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const double x = sizes[i];
        const bool is_slow = x == 1e30 || x == 1e150; /* takes seconds; 1e12 and 1e300 run the same code */
        if (is_slow && SANITIZED) continue;
        bool good = go_with_velocity(impact, trm_sp(trm_v3(x, x, x), trm_v3(x, x, x)));
        if (is_slow) continue;
        good = go_with_velocity(impact, trm_sp(none, trm_v3(x, 0, 0))) && good;
        good = go_with_velocity(impact, trm_sp(none, trm_v3(0, 0, x))) && good;
        good = go_with_velocity(impact, trm_sp(trm_v3(0, x, 0), none)) && good;
        if (!isfinite(x)) assert_false(good);
    }
}

static void absurd_velocities_end_clearly_with_impacts_as_events(void **state)
{
    (void)state;
    absurd_velocities_of("event");
}

static void absurd_velocities_end_clearly_in_a_window(void **state)
{
    (void)state;
    absurd_velocities_of("window");
}

static void absurd_poses_end_clearly(void **state)
{
    (void)state;
    static const char *const impacts[] = {"event", "window"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int k = 0; k < 2; k++) {
            running r = touching_bodies(impacts[k]);
            const int body = trm_find_body(r.model, "b2");
            trm_pose X = trm_body_pose(trm_sim_state(r.sim), body);
            X.p = trm_v3(sizes[i], 0, sizes[i]);
            trm_set_body_pose(trm_sim_state(r.sim), body, X);
            const bool good = go_and_look(&r);
            if (!isfinite(sizes[i])) assert_false(good);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(absurd_velocities_end_clearly_with_impacts_as_events),
        cmocka_unit_test(absurd_velocities_end_clearly_in_a_window),
        cmocka_unit_test(absurd_poses_end_clearly),
    };
    return RUN_TESTS(tests);
}
