/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The six-legged walker on the ground: eighteen servos; feet that strike, stick and lift off. */

#include "running.h"

static const double UNTIL = 2, ROW = 0.01; /* s */
static const double OPEN = 1e-10;          /* m: D_max */
static const double DEEP = 1e-6;           /* m: largest penetration */
static const double STANDING = -0.3;       /* m: height of the centres of feet that stand, relative to the trunk */

static const char *const legs[] = {"L1", "R1", "L2", "R2", "L3", "R3"};

/* Observations during a walk. */
typedef struct walk {
    double lowest, highest; /* m: of feet, relative to standing feet */
    double sunk;            /* m: largest descent of the trunk */
    double tilt;            /* rad: largest inclination of the trunk */
} walk;

static double foot_height(const running *r, const char *leg)
{
    char tibia[20];
    snprintf(tibia, sizeof tibia, "%s_tibia", leg);
    return trm_point_position(trm_sim_state(r->sim), trm_find_body(r->model, tibia), trm_v3(0, 0, -0.175)).z -
           STANDING;
}

static void look(const running *r, walk *seen)
{
    const trm_pose trunk = trm_body_pose(trm_sim_state(r->sim), trm_find_body(r->model, "trunk"));
    for (int i = 0; i < 6; i++) {
        const double height = foot_height(r, legs[i]);
        seen->lowest = fmin(seen->lowest, height);
        seen->highest = fmax(seen->highest, height);
    }
    seen->sunk = fmax(seen->sunk, -trunk.p.z);
    seen->tilt = fmax(seen->tilt, acos(fmin(trm_rotate(trunk.q, trm_v3(0, 0, 1)).z, 1)));
}

static void the_walker_walks_upright_with_joints_closed_and_feet_above_the_floor(void **state)
{
    (void)state;
    running r = run_file(TRM_EXAMPLES "/walker-on-ground.json", 0.005, OPEN);
    walk seen = {0};
    for (int row = 1; row * ROW < UNTIL + 0.5 * ROW; row++) {
        go_every(&r, row * ROW, ROW);
        look(&r, &seen);
    }
    const trm_vec3 trunk = place_of(&r, "trunk");
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    print_message("    %.2f m in %.0f s, joints open by %.1e m, feet sink by %.1e m, tilt %.2f deg, %lld impacts\n",
                  trunk.x, UNTIL, a.gap.position, -seen.lowest, seen.tilt * 180 / TRM_PI,
                  (long long)trm_sim_counters(r.sim)->impacts);
    assert_true(trunk.x >= 0.3 * UNTIL && fabs(trunk.y) <= 0.05);
    assert_true(seen.sunk <= 0.02 && seen.tilt <= 0.03);
    assert_true(seen.highest >= 0.05); /* feet are lifted and do not slide */
    assert_true(a.gap.position <= OPEN && a.gap.angle <= OPEN);
    assert_true(seen.lowest >= -DEEP);
    assert_int_equal(trm_sim_counters(r.sim)->halvings, 0);
    stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_walker_walks_upright_with_joints_closed_and_feet_above_the_floor),
    };
    return RUN_TESTS(tests);
}
