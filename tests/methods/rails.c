/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Rails and slots: point masses on them, end stops, and elements that Schmitt (2003, section 10) builds from them: a
 * slide-turn element of one rail and two points, a sledge of two rails. */

#include "check.h"
#include "running.h"

static const double TIGHT = 1e-12;

/* ---- Points ------------------------------------------------------------------------------- */

#define G 9.81

/* A bead on a rail or in a slot that is inclined by 30 degrees; axis: the axis or normal; more: further keys of its
 * joint. */
#define BEAD(type, axis, more)                                                                                       \
    "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0],"                                                                  \
    "  \"bodies\": [{ \"name\": \"bead\", \"point\": true, \"mass\": 2, \"position\": [0.3, 0.2, 0.1] }],"           \
    "  \"joints\": [{ \"name\": \"j\", \"type\": \"" type "\", \"bodies\": [\"ground\", \"bead\"],"                  \
    "    \"axis\": " axis more " }] }"

#define DOWN   "[\"-cos(30*deg)\", \"-sin(30*deg)\", 0]"
#define ACROSS "[\"-sin(30*deg)\", \"cos(30*deg)\", 0]"

static void a_bead_slides_down_its_rail_and_a_slot(void **unused)
{
    (void)unused;
    const double rounding = 1e-10; /* constant acceleration is exact; D_max of 100 steps remains */
    running rail = run_text(BEAD("rail", DOWN, ", \"q0\": 0.5"), 0.01, TIGHT);
    running slot = run_text(BEAD("slot", ACROSS, ""), 0.01, TIGHT);
    go(&rail, 1);
    go(&slot, 1);
    const double s = 0.5 * 0.5 * G;
    const trm_vec3 goal = {0.3 - s * sqrt(0.75), 0.2 - s / 2, 0.1};
    assert_near(coordinate_of(&rail, "j"), 0.5 + s, rounding);
    assert_near(trm_v3_length(trm_v3_sub(place_of(&rail, "bead"), goal)), 0, rounding);
    assert_near(trm_v3_length(trm_v3_sub(place_of(&slot, "bead"), goal)), 0, rounding);
    stop(&rail);
    stop(&slot);
}

/* A point has no orientation, so all coordinates are translations. */
static void a_point_has_no_coordinates_but_its_shifts(void **unused)
{
    (void)unused;
    running rail = run_text(BEAD("rail", DOWN, ""), 0.01, TIGHT);
    running slot = run_text(BEAD("slot", ACROSS, ""), 0.01, TIGHT);
    assert_int_equal(trm_joint_info_of(rail.model, 0).coordinates, 1);
    assert_int_equal(trm_joint_info_of(slot.model, 0).coordinates, 2);
    stop(&rail);
    stop(&slot);
}

/* The hub turns and the bead on its spoke moves outwards: r'' = w^2 r. */
static void a_bead_on_a_turning_rail_flies_out(void **unused)
{
    (void)unused;
    const double tolerance = 1e-8; /* order 4 at h = 0.01 */
    const char *const text = "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"hub\", \"moving\": { \"position\": [0, 0, "
                             "0], \"angle\": \"2*t\" } },"
                             "  { \"name\": \"bead\", \"point\": true, \"mass\": 1, \"position\": [0.1, 0, 0], "
                             "\"velocity\": [0, 0.2, 0] }],"
                             "  \"joints\": [{ \"name\": \"spoke\", \"type\": \"rail\", \"bodies\": [\"hub\", "
                             "\"bead\"], \"axis\": [1, 0, 0],"
                             "    \"q0\": 0.1 }], \"simulation\": { \"order\": 4 } }";
    running r = run_text(text, 0.01, TIGHT);
    go(&r, 1);
    assert_near(coordinate_of(&r, "spoke"), 0.1 * cosh(2), tolerance);
    assert_near(trm_v3_length(place_of(&r, "bead")), 0.1 * cosh(2), tolerance);
    stop(&r);
}

static void a_drive_moves_a_bead_along_its_rail(void **unused)
{
    (void)unused;
    running r =
        run_text("{ \"trammel\": 1, \"gravity\": [0, -9.81, 0],"
                 "  \"bodies\": [{ \"name\": \"bead\", \"point\": true, \"mass\": 2, \"position\": [0, 0, 0] }],"
                 "  \"joints\": [{ \"name\": \"j\", \"type\": \"rail\", \"bodies\": [\"ground\", \"bead\"], "
                 "\"axis\": [0, 1, 0] }],"
                 "  \"forces\": [{ \"type\": \"drive\", \"joint\": \"j\", \"motion\": \"0.5*t^2\" }] }",
                 0.01, TIGHT);
    go(&r, 1);
    assert_near(place_of(&r, "bead").y, 0.5, 2 * TIGHT);
    stop(&r);
}

/* ---- End stops ---------------------------------------------------------------------------- */

/* The bead slides 1 m, bounces with e = 0.5 and returns after 2 e v/a. */
static void a_bead_bounces_at_the_end_of_its_rail(void **unused)
{
    (void)unused;
    const double tolerance = 1e-8; /* m: from the error of the times of impacts, at 1e-9 m/s */
    running r = run_text(BEAD("rail", DOWN, ", \"limits\": [-1, 1], \"limit_restitution\": 0.5"), 0.01, TIGHT);
    const double a = 0.5 * G, v = sqrt(2 * a), hit = v / a;
    go(&r, hit + 0.1);
    assert_near(coordinate_of(&r, "j"), 1 - 0.5 * v * 0.1 + 0.5 * a * 0.01, tolerance);
    assert_int_equal(trm_sim_counters(r.sim)->impacts, 1);
    go(&r, 2.5);
    assert_near(coordinate_of(&r, "j"), 1, tolerance); /* it rests at the stop */
    assert_near(trm_v3_length(velocity_of(&r, "bead")), 0, tolerance);
    stop(&r);
}

/* The end of a rod slides on a rail: the rod rotates meanwhile, and the stop acts on that end only. */
static void the_end_of_a_rod_keeps_within_its_rail(void **unused)
{
    (void)unused;
    running r =
        run_text("{ \"trammel\": 1, \"gravity\": [1, -9.81, 0.5], \"bodies\": [{ \"name\": \"rod\","
                 "  \"rod\": { \"from\": [0, 0, 0], \"to\": [0.3, 0.6, 0.2], \"mass\": 1, \"radius\": 0.05 } }],"
                 "  \"joints\": [{ \"name\": \"j\", \"type\": \"rail\", \"bodies\": [\"ground\", \"rod\"], "
                 "\"anchor\": [0, 0, 0],"
                 "    \"axis\": [1, 0, 0], \"limits\": [-0.1, 0.2], \"limit_restitution\": 0.3 }] }",
                 0.002, TIGHT);
    double least = 0, most = 0;
    for (int i = 1; i <= 300; i++) {
        go(&r, 0.01 * i);
        least = fmin(least, coordinate_of(&r, "j"));
        most = fmax(most, coordinate_of(&r, "j"));
    }
    assert_true(trm_sim_counters(r.sim)->impacts >= 2);
    assert_true(least >= -0.1 - 1e-10 && most <= 0.2 + 1e-10);
    assert_true(least < -0.09 && most > 0.19); /* it has reached both ends */
    assert_true(trm_sim_accuracy(r.sim).gap.position <= 1e-10);
    stop(&r);
}

/* ---- Building blocks ---------------------------------------------------------------------- */

#define BODY(joints)                                                                                                 \
    "{ \"trammel\": 1, \"gravity\": [2, -9.81, 1], \"bodies\": [{ \"name\": \"body\", \"mass\": 1,"                  \
    " \"inertia\": [0.3, 0.2, 0.4, 0.02, 0.01, -0.03], \"position\": [0.5, 0, 0] }], \"joints\": [" joints "] }"
#define RAIL(name, x, z)                                                                                             \
    "{ \"name\": \"" name "\", \"type\": \"rail\", \"bodies\": [\"ground\", \"body\"], \"anchor\": [" x ", 0, " z    \
    "], \"axis\": [0, 0, 1] }"

/* Asserts that the body moves in the same way with the joint and with rails instead. */
static void check_alike(const char *joint, const char *rails)
{
    const double tolerance = 1e-9; /* of joints closed to 1e-12, over 400 steps */
    running one = run_text(joint, 0.005, TIGHT), other = run_text(rails, 0.005, TIGHT);
    for (int i = 1; i <= 20; i++) {
        go_every(&one, 0.1 * i, 0.1);
        go_every(&other, 0.1 * i, 0.1);
        assert_near(trm_v3_length(trm_v3_sub(place_of(&one, "body"), place_of(&other, "body"))), 0, tolerance);
    }
    assert_true(trm_v3_length(trm_v3_sub(place_of(&one, "body"), trm_v3(0.5, 0, 0))) > 1); /* the body moved */
    stop(&one);
    stop(&other);
}

static void two_points_on_one_rail_are_a_cylinder_joint(void **unused)
{
    (void)unused;
    check_alike(BODY("{ \"name\": \"c\", \"type\": \"cylinder\", \"bodies\": [\"ground\", \"body\"],"
                     " \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1] }"),
                BODY(RAIL("p", "0", "-0.5") "," RAIL("q", "0", "0.5")));
}

/* Three points on two rails have one redundant row. */
static void two_rails_are_a_slider(void **unused)
{
    (void)unused;
    check_alike(BODY("{ \"name\": \"s\", \"type\": \"slider\", \"bodies\": [\"ground\", \"body\"],"
                     " \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1] }"),
                BODY(RAIL("p", "0", "-0.5") "," RAIL("q", "0", "0.5") "," RAIL("r", "0.8", "0")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bead_slides_down_its_rail_and_a_slot),
        cmocka_unit_test(a_point_has_no_coordinates_but_its_shifts),
        cmocka_unit_test(a_bead_on_a_turning_rail_flies_out),
        cmocka_unit_test(a_drive_moves_a_bead_along_its_rail),
        cmocka_unit_test(a_bead_bounces_at_the_end_of_its_rail),
        cmocka_unit_test(the_end_of_a_rod_keeps_within_its_rail),
        cmocka_unit_test(two_points_on_one_rail_are_a_cylinder_joint),
        cmocka_unit_test(two_rails_are_a_slider),
    };
    return RUN_WITH_ALL_SOLVERS(tests);
}
