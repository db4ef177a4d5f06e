/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Inverse kinematics of an arm with limits and of a Stewart platform from random goals; unreachable goals are
 * compared with closed forms. */

#include "base/random.h"
#include "math/rotation.h"
#include "resting.h"
#include "sanitized.h"

static const double EXACT = 1e-9; /* m, rad: the tolerance of a search */
enum { GOALS = SANITIZED ? 50 : 1000 };

static trm_inverse_kinematics_result bring(trm_state *state, const trm_goal *goals, int count,
                                           const trm_inverse_kinematics_def *def)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_inverse_kinematics_result result;
    const trm_status status = trm_inverse_kinematics(state, goals, count, def, NULL, messages, &result);
    print_messages(messages);
    trm_messages_destroy(messages);
    assert_int_equal(status, TRM_OK);
    return result;
}

static trm_goal goal_of(const trm_model *model, const char *frame)
{
    trm_goal goal = trm_default_goal();
    assert_true(trm_find_frame(model, frame, &goal.body, &goal.frame));
    return goal;
}

/* Asserts that no limit is exceeded and no joint is open. */
static void assert_allowed(const trm_state *state, const trm_model *model)
{
    for (int j = 0; j < trm_joint_count(model); j++) {
        double q[TRM_JOINT_COORDINATES];
        const trm_joint_info info = trm_joint_info_of(model, j);
        const trm_gap gap = trm_position_gap(state, j);
        assert_true(strcmp(info.type, "drive") == 0 || (gap.position < EXACT && gap.angle < EXACT));
        for (int k = 0; k < trm_joint_values(state, j, q, NULL); k++)
            assert_true(q[k] >= info.limits[k][0] - EXACT && q[k] <= info.limits[k][1] + EXACT);
    }
}

/* ---- An arm of six axes ------------------------------------------------------------------- */

enum { AXES = 6 };
static const double RANGE[AXES] = {2.9, 1.9, 2.3, 3.0, 2.0, 3.1}; /* rad: either way, but for the third */

/* Builds an arm like many industrial arms: shoulder at 0.4 m, upper arm 0.5 m, forearm 0.45 m, hand 0.1 m. */
static trm_model *arm(void)
{
    static const double z[AXES] = {0.2, 0.4, 0.9, 1.1, 1.35, 1.4}, top[AXES] = {0.4, 0.9, 1.1, 1.35, 1.4, 1.45};
    static const char *const axis[AXES] = {"0, 0, 1", "0, 1, 0", "0, 1, 0", "0, 0, 1", "0, 1, 0", "0, 0, 1"};
    static written w;
    w.length = 0;
    put(&w, "{ \"trammel\": 1, \"bodies\": [");
    for (int k = 0; k < AXES; k++)
        put(&w,
            "{ \"name\": \"b%d\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [0, 0, %g], \"frames\": { "
            "\"tip\": { \"position\": [0, 0, %g], \"orientation\": { \"axis\": [0, 1, 0], \"angle\": 0.5 } } } }%s",
            k + 1, z[k], top[k] - z[k], k + 1 < AXES ? "," : "");
    put(&w, "], \"joints\": [");
    for (int k = 0; k < AXES; k++)
        put(&w,
            "{ \"name\": \"j%d\", \"type\": \"hinge\", \"bodies\": [\"%s%.0d\", \"b%d\"], \"anchor\": [0, 0, %g], "
            "\"axis\": [%s], \"limits\": [%g, %g] }%s",
            k + 1, k ? "b" : "ground", k, k + 1, z[k], axis[k], k == 2 ? -0.3 : -RANGE[k], RANGE[k],
            k + 1 < AXES ? "," : "");
    put(&w, "] }");
    return model_of_text(w.text);
}

static void an_arm_finds_all_poses_that_its_limits_allow(void **state)
{
    (void)state;
    trm_model *model = arm();
    trm_state *now = trm_state_create(model, NULL), *other = trm_state_create(model, NULL);
    trm_random random = trm_random_seed(7);
    int found = 0, starts = 0, iterations = 0;
    for (int i = 0; i < GOALS; i++) {
        double q[AXES];
        for (int k = 0; k < AXES; k++) q[k] = trm_random_uniform(&random, k == 2 ? -0.3 : -RANGE[k], RANGE[k]);
        assert_int_equal(trm_set_coordinates(other, q, NULL), TRM_OK);
        trm_goal goal = goal_of(model, "b6.tip");
        const trm_pose X = trm_pose_mul(trm_body_pose(other, goal.body), goal.frame);
        goal.position = X.p, goal.orientation = X.q, goal.oriented = true;
        const trm_inverse_kinematics_result r = bring(now, &goal, 1, NULL);
        found += r.found, starts += r.starts, iterations += r.iterations;
        assert_allowed(now, model);
        if (r.found)
            assert_true(trm_goal_left(now, &goal).position <= EXACT && trm_goal_left(now, &goal).angle <= EXACT);
    }
    print_message("arm: %d of %d reachable poses found, %.2f starts, %.1f iterations each\n", found, GOALS,
                  (double)starts / GOALS, (double)iterations / GOALS);
    assert_true(found >= 0.99 * GOALS);
    trm_state_destroy(now);
    trm_state_destroy(other);
    trm_model_destroy(model);
}

/* If no limits interfere, the wrist of a stretched arm leaves the distance of the goal from the shoulder minus the
 * arm's length. */
static void a_goal_out_of_reach_of_an_arm_is_reported_with_its_distance(void **state)
{
    (void)state;
    const double reach = 1.05; /* m, of the tip from the shoulder at 0.4 m */
    const double FLAT = 1e-7;  /* m: the distance is least there, its square known to rounding */
    trm_model *model = arm();
    trm_state *now = trm_state_create(model, NULL);
    trm_random random = trm_random_seed(3);
    trm_inverse_kinematics_def def = trm_default_inverse_kinematics_def();
    def.starts = 20;
    for (int i = 0; i < GOALS / 10; i++) {
        const double a = trm_random_uniform(&random, -2, 2), e = trm_random_uniform(&random, -0.2, 1.2);
        const double far = trm_random_uniform(&random, 1.06, 4);
        trm_goal goal = goal_of(model, "b6.tip");
        goal.position = trm_v3(far * cos(e) * cos(a), far * cos(e) * sin(a), 0.4 + far * sin(e));
        const trm_inverse_kinematics_result r = bring(now, &goal, 1, &def);
        assert_false(r.found);
        assert_true(fabs(r.distance - (far - reach)) < FLAT);
        assert_allowed(now, model);
    }
    trm_state_destroy(now);
    trm_model_destroy(model);
}

static void a_limit_that_holds_a_goal_back_is_named(void **state)
{
    (void)state;
    trm_model *model = model_of_text(
        "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"cart\", \"mass\": 1, \"inertia\": [1, 1, 1] }], \"joints\": [{ "
        "\"name\": \"way\", \"type\": \"slider\", \"bodies\": [\"ground\", \"cart\"], \"anchor\": [0, 0, 0], "
        "\"axis\": [1, 0, 0], \"limits\": [-1, 2] }] }");
    trm_state *now = trm_state_create(model, NULL);
    trm_goal goal = goal_of(model, "cart");
    goal.position.x = 5;
    const trm_inverse_kinematics_result r = bring(now, &goal, 1, NULL);
    assert_false(r.found);
    assert_true(fabs(r.distance - 3) < 1e-12);
    assert_int_equal(r.at_limit, trm_find_joint(model, "way"));
    goal.position.x = 2;
    assert_true(bring(now, &goal, 1, NULL).found);
    trm_state_destroy(now);
    trm_model_destroy(model);
}

/* ---- A Stewart platform ------------------------------------------------------------------- */

static const double BASE[6] = {-10, 10, 110, 130, 230, 250}, TOP[6] = {-50, 50, 70, 170, 190, 290}; /* degrees */
static const double HEIGHT = 1, SHORTEST = -0.25, LONGEST = 0.35;                                   /* m */

static trm_vec3 corner(double radius, double degrees, double z)
{
    const double a = degrees * TRM_PI / 180;
    return trm_v3(radius * cos(a), radius * sin(a), z);
}

static void put_leg(written *w, int k)
{
    const trm_vec3 A = corner(1, BASE[k], 0), B = corner(0.6, TOP[k], HEIGHT), d = trm_v3_sub(B, A),
                   u = trm_v3_unit(d);
    const trm_vec3 t = trm_v3_unit(trm_v3_cross(trm_v3(0, 0, 1), A)), s = trm_v3_unit(trm_v3_cross(t, u));
    const trm_vec3 t2 = trm_v3_unit(trm_v3_cross(s, u)), up = trm_v3_add_scaled(A, 0.75, d);
    put(w,
        "{ \"name\": \"u%d\", \"type\": \"universal\", \"bodies\": [\"ground\", \"lower%d\"], \"anchor\": [%.17g, "
        "%.17g, %.17g], \"axis\": [%.17g, %.17g, %.17g], \"axis2\": [%.17g, %.17g, %.17g] },",
        k, k, XYZ(A), XYZ(t), XYZ(s));
    put(w,
        "{ \"name\": \"c%d\", \"type\": \"cylinder\", \"bodies\": [\"lower%d\", \"upper%d\"], \"anchor\": [%.17g, "
        "%.17g, %.17g], \"axis\": [%.17g, %.17g, %.17g], \"coordinates\": [{}, { \"limits\": [%g, %g] }] },",
        k, k, k, XYZ(up), XYZ(u), SHORTEST, LONGEST);
    put(w,
        "{ \"name\": \"v%d\", \"type\": \"universal\", \"bodies\": [\"platform\", \"upper%d\"], \"anchor\": [%.17g, "
        "%.17g, %.17g], \"axis\": [%.17g, %.17g, %.17g], \"axis2\": [%.17g, %.17g, %.17g] }%s",
        k, k, XYZ(B), XYZ(t2), XYZ(s), k < 5 ? "," : "");
}

static trm_model *stewart(void)
{
    static written w;
    w.length = 0;
    put(&w,
        "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"platform\", \"mass\": 10, \"inertia\": [1, 1, 2], "
        "\"position\": [0, 0, %g] }",
        HEIGHT);
    for (int k = 0; k < 6; k++) {
        const trm_vec3 A = corner(1, BASE[k], 0), d = trm_v3_sub(corner(0.6, TOP[k], HEIGHT), A);
        const trm_vec3 low = trm_v3_add_scaled(A, 0.25, d), up = trm_v3_add_scaled(A, 0.75, d);
        put(&w,
            ", { \"name\": \"lower%d\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [%.17g, %.17g, %.17g] }",
            k, XYZ(low));
        put(&w,
            ", { \"name\": \"upper%d\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [%.17g, %.17g, %.17g] }",
            k, XYZ(up));
    }
    put(&w, "], \"joints\": [");
    for (int k = 0; k < 6; k++) put_leg(&w, k);
    put(&w, "], \"forces\": [{ \"name\": \"d0\", \"type\": \"drive\", \"joint\": \"c0\", \"coordinate\": 2, "
            "\"motion\": 0 }] }");
    return model_of_text(w.text);
}

/* Returns how far the legs are within their limits at a pose, m; negative: a limit is exceeded. */
static double margin_of(trm_pose X)
{
    double margin = INFINITY;
    for (int k = 0; k < 6; k++) {
        const trm_vec3 A = corner(1, BASE[k], 0), B = corner(0.6, TOP[k], HEIGHT);
        const trm_vec3 now = trm_pose_point(X, trm_v3_sub(B, trm_v3(0, 0, HEIGHT)));
        const double longer = trm_v3_length(trm_v3_sub(now, A)) - trm_v3_length(trm_v3_sub(B, A));
        margin = fmin(margin, fmin(longer - SHORTEST, LONGEST - longer));
    }
    return margin;
}

/* Goals that the lengths of the legs allow are found, and all others are reported as unreachable, even if a leg is
 * driven elsewhere. */
static void a_stewart_platform_reaches_what_its_legs_allow_and_reports_the_rest(void **state)
{
    (void)state;
    trm_model *model = stewart();
    trm_state *now = trm_state_create(model, NULL), *start = trm_state_create(model, NULL);
    trm_random random = trm_random_seed(5);
    int reachable = 0, found = 0, wrong = 0;
    for (int i = 0; i < GOALS; i++) {
        trm_goal goal = goal_of(model, "platform");
        double x[6];
        for (int k = 0; k < 6; k++) x[k] = trm_random_uniform(&random, -0.25, 0.25);
        goal.position = trm_v3(x[0], x[1], HEIGHT + x[2]);
        goal.orientation = trm_quat_exp(trm_v3(x[3], x[4], x[5])), goal.oriented = true;
        trm_state_copy(now, start);
        const bool allowed = margin_of((trm_pose){.p = goal.position, .q = goal.orientation}) >= 0;
        trm_inverse_kinematics_def def = trm_default_inverse_kinematics_def();
        def.starts = allowed ? 100 : 2;
        const trm_inverse_kinematics_result r = bring(now, &goal, 1, &def);
        assert_allowed(now, model);
        reachable += allowed, found += allowed && r.found, wrong += !allowed && r.found;
    }
    print_message("Stewart platform: %d of %d reachable poses found, %d others said to be out of reach\n", found,
                  reachable, GOALS - reachable - wrong);
    assert_true(reachable > GOALS / 10 && reachable < GOALS * 9 / 10);
    assert_true(found >= 0.99 * reachable);
    assert_int_equal(wrong, 0);
    trm_state_destroy(now);
    trm_state_destroy(start);
    trm_model_destroy(model);
}

/* ---- The rest ----------------------------------------------------------------------------- */

static void two_goals_at_once_and_what_is_held_stays(void **state)
{
    (void)state;
    trm_model *model = arm();
    trm_state *now = trm_state_create(model, NULL);
    const double q[AXES] = {0.3, 0.4, 0.5, 0.6, 0.7, 0.8};
    double after[AXES];
    assert_int_equal(trm_set_coordinates(now, q, NULL), TRM_OK);
    trm_goal goals[2] = {goal_of(model, "b6.tip"), goal_of(model, "b3")};
    goals[0].position = trm_point_position(now, goals[0].body, goals[0].frame.p);
    goals[1].position = trm_point_position(now, goals[1].body, goals[1].frame.p);
    goals[1].position.x = NAN;
    trm_state_destroy(now);
    now = trm_state_create(model, NULL);
    assert_true(bring(now, goals, 2, NULL).found);
    trm_state_destroy(now);
    now = trm_state_create(model, NULL);
    const int held[] = {trm_find_joint(model, "j2"), trm_find_joint(model, "j4")};
    trm_inverse_kinematics_def def = trm_default_inverse_kinematics_def();
    def.held = held, def.held_count = 2;
    goals[0].position = trm_v3(0.3, 0.1, 1.2);
    assert_true(bring(now, goals, 1, &def).found);
    trm_get_coordinates(now, after, NULL);
    assert_true(after[1] == 0 && after[3] == 0);
    trm_state_destroy(now);
    trm_model_destroy(model);
}

/* A joint that closes a loop is kept fixed by rows of its own. */
static void a_loop_joint_that_is_held_stays(void **state)
{
    (void)state;
    trm_model *model = stewart();
    trm_state *now = trm_state_create(model, NULL);
    const int held[] = {trm_find_joint(model, "c3")};
    trm_inverse_kinematics_def def = trm_default_inverse_kinematics_def();
    double q[TRM_JOINT_COORDINATES];
    def.held = held, def.held_count = 1;
    trm_goal goal = goal_of(model, "platform");
    goal.position.z = 1.05;
    assert_true(bring(now, &goal, 1, &def).found);
    trm_joint_values(now, held[0], q, NULL);
    assert_true(fabs(q[0]) < EXACT && fabs(q[1]) < EXACT);
    trm_state_destroy(now);
    trm_model_destroy(model);
}

static void bad_goals_are_refused(void **state)
{
    (void)state;
    trm_model *model = arm();
    trm_state *now = trm_state_create(model, NULL);
    trm_goal bad[5];
    for (int i = 0; i < 5; i++) bad[i] = goal_of(model, "b6"), bad[i].position = trm_v3(0, 0, 1);
    bad[0].body = 0;
    bad[1].body = 99;
    bad[2].position = trm_v3(NAN, NAN, NAN);
    bad[3].position.x = INFINITY;
    bad[4].oriented = true, bad[4].orientation = (trm_quat){0, 0, 0, 0};
    for (int i = 0; i < 6; i++) {
        trm_messages *messages = trm_messages_create(NULL);
        trm_inverse_kinematics_result result;
        assert_int_equal(trm_inverse_kinematics(now, bad, i < 5 ? 1 : 0, NULL, NULL, messages, &result),
                         TRM_BAD_INPUT);
        assert_int_equal(trm_error_count(messages), 1);
        trm_messages_destroy(messages);
        if (i < 4) bad[0] = bad[i + 1];
    }
    trm_state_destroy(now);
    trm_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_arm_finds_all_poses_that_its_limits_allow),
        cmocka_unit_test(a_goal_out_of_reach_of_an_arm_is_reported_with_its_distance),
        cmocka_unit_test(a_limit_that_holds_a_goal_back_is_named),
        cmocka_unit_test(a_stewart_platform_reaches_what_its_legs_allow_and_reports_the_rest),
        cmocka_unit_test(two_goals_at_once_and_what_is_held_stays),
        cmocka_unit_test(a_loop_joint_that_is_held_stays),
        cmocka_unit_test(bad_goals_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
