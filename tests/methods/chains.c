/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Chains: hinges and sliders in a row without masses between them. Every method is compared with light intermediate
 * bodies whose masses are extrapolated to zero, with free flight, and with closed forms of forces on single
 * coordinates. */

#include "check.h"
#include "choosing.h"

/* ---- Light bodies ------------------------------------------------------------------------- */

#define ARM                                                                                                          \
    "{ 'name': 'arm', 'mass': 2, 'inertia': [0.3, 0.25, 0.1, 0.02, 0, 0], 'com': [0.1, 0, -0.5], 'position': [0.1, " \
    "0, 0] }"
#define FIRST  "'anchor': [0, 0, 0], 'axis': [0.1, 0.2, 1]"
#define SECOND "'anchor': [0.15, 0, 0.05], 'axis': [0.2, 1, 0]"
#define THIRD  "'anchor': [0.1, 0.1, -0.15], 'axis': [1, 0, 0.3]"

static const char *const CHAIN =
    "{ 'trammel': 1, 'gravity': [3, 2, -9.81], 'bodies': [" ARM "], 'joints': [{ 'name': 'hip', 'type': 'chain',"
    "'bodies': ['ground', 'arm'], 'q0': [0.5, 7, -0.25], 'chain': [{ 'type': 'hinge', " FIRST " },"
    "{ 'type': 'hinge', " SECOND ", 'damping': 0.1, 'stiffness': 0.5, 'spring_reference': 7 },"
    "{ 'type': 'hinge', " THIRD ", 'armature': 0.05 }] }]}";

/* Two bodies of mass m between the hinges. */
static const char *const LIGHT =
    "{ 'trammel': 1, 'constants': { 'm': 1e-6 }, 'gravity': [3, 2, -9.81], 'bodies': [" ARM
    ", { 'name': 'a', 'mass': 'm', 'inertia': ['m', 'm', 'm'] }, { 'name': 'b', 'mass': 'm', 'inertia': ['m', 'm', "
    "'m'] }],"
    "'joints': [{ 'name': 'one', 'type': 'hinge', 'bodies': ['ground', 'a'], " FIRST ", 'q0': 0.5 },"
    "{ 'name': 'two', 'type': 'hinge', 'bodies': ['a', 'b'], " SECOND
    ", 'q0': 7, 'damping': 0.1, 'stiffness': 0.5, 'spring_reference': 7 },"
    "{ 'name': 'three', 'type': 'hinge', 'bodies': ['b', 'arm'], " THIRD ", 'q0': -0.25, 'armature': 0.05 }]}";

/* Pose of the arm and coordinates after two seconds. */
typedef struct outcome {
    double y[6];
} outcome;

static outcome outcome_of(const running *r, bool chain)
{
    static const char *const names[] = {"one", "two", "three"};
    outcome o;
    const trm_vec3 p = place_of(r, "arm");
    o.y[0] = p.x, o.y[1] = p.y, o.y[2] = p.z;
    for (int k = 0; k < 3; k++) o.y[3 + k] = chain ? value_of_joint(r, "hip", k) : value_of_joint(r, names[k], 0);
    return o;
}

/* Extrapolates linearly in m; the remaining error is quadratic in m. */
static outcome without_mass(void)
{
    outcome at[2], o;
    for (int i = 0; i < 2; i++) {
        char text[4000];
        strcpy(text, LIGHT);
        if (i == 1) *strstr(text, "1e-6") = '2';
        running r = run_chosen(quoted(text), CLOSELY[1]);
        go(&r, 2);
        at[i] = outcome_of(&r, false);
        stop(&r);
    }
    for (int k = 0; k < 6; k++) o.y[k] = 2 * at[0].y[k] - at[1].y[k];
    return o;
}

static void a_chain_equals_light_bodies_extrapolated_to_no_mass(void **state)
{
    (void)state;
    const double same = 1e-8; /* m, rad: mostly errors of the methods' steps */
    const outcome expected = without_mass();
    for (int i = 0; i < CLOSE_WAYS; i++) {
        running r = run_chosen(quoted(CHAIN), CLOSELY[i]);
        double worst = 0;
        go(&r, 2);
        const outcome o = outcome_of(&r, true);
        for (int k = 0; k < 6; k++) worst = fmax(worst, fabs(o.y[k] - expected.y[k]));
        print_message("%s: %.2g\n", CLOSELY[i].choice, worst);
        assert_near(worst, 0, same);
        stop(&r);
    }
}

/* lcp has order 1: its error halves with the step. */
static double lcp_error(double step, const void *context)
{
    const outcome *expected = context;
    running r = run_chosen(quoted(CHAIN), (way){.choice = "lcp", .step = step});
    go(&r, 2);
    const outcome o = outcome_of(&r, true);
    stop(&r);
    return fabs(o.y[3] - expected->y[3]) + fabs(o.y[4] - expected->y[4]) + fabs(o.y[5] - expected->y[5]);
}

static void lcp_tends_to_the_same_motion(void **state)
{
    (void)state;
    const outcome expected = without_mass();
    const double order = order_between(lcp_error, &expected, 0.001);
    print_message("order %.2f\n", order);
    assert_near(order, 1, 0.2);
}

/* ---- Three axes that nearly meet ---------------------------------------------------------- */

/* The axes lie nearly in one plane, 3 cm from each other: what the rows allow turns by a right angle while the second
 * link moves by a few hundredths of a radian. */
static const char *const NEARLY_PLANE =
    "{ 'trammel': 1, 'gravity': [0, 0, -9.81], 'bodies': [{ 'name': 'arm', 'mass': 0.14,"
    "'inertia': [4.8e-4, 4.3e-4, 4.1e-4, 0, 0, -5e-5], 'com': [-0.015, 0, 0.03], 'position': [-0.01, -0.04, 0.19],"
    "'orientation': [0.82, -0.1, 0.56, 0.03] }], 'joints': [{ 'name': 'hip', 'type': 'chain',"
    "'bodies': ['ground', 'arm'], 'chain': ["
    "{ 'type': 'hinge', 'anchor': [-0.015, -0.032, 0.09], 'axis': [0.54, 0.83, 0.14], 'stiffness': 0.02 },"
    "{ 'type': 'hinge', 'anchor': [-0.028, -0.024, 0.07], 'axis': [0.49, -0.24, -0.84], 'damping': 2e-4 },"
    "{ 'type': 'hinge', 'anchor': [-0.033, -0.051, 0.069], 'axis': [0.74, 0.54, -0.41], 'stiffness': 0.01 }] }]}";

static void three_axes_that_nearly_meet_pass_a_plane(void **state)
{
    (void)state;
    enum { WAYS = 3 };
    static const way ways[WAYS] = {{.choice = "minimal", .step = 0.001, .error = 1e-12},
                                   {.choice = "impulse", .order = 8, .step = 0.001, .tolerance = 1e-14},
                                   {.choice = "lagrange:integrator=fehlberg8", .step = 0.001}};
    const double same = 1e-11; /* m, rad: errors of the steps; reached 6e-13 */
    outcome expected = {{0}};
    for (int i = 0; i < WAYS; i++) {
        running r = run_chosen(quoted(NEARLY_PLANE), ways[i]);
        double worst = 0;
        go(&r, 0.08);
        const outcome o = outcome_of(&r, true);
        if (i == 0) expected = o;
        for (int k = 0; k < 6; k++) worst = fmax(worst, fabs(o.y[k] - expected.y[k]));
        print_message("%s: %.2g\n", ways[i].choice, worst);
        assert_near(worst, 0, same);
        stop(&r);
    }
}

/* ---- Six links ---------------------------------------------------------------------------- */

#define FLYING                                                                                                       \
    "{ 'trammel': 1, 'gravity': [0, 0, -9.81], 'bodies': [{ 'name': 'top', 'mass': 2, 'inertia': [0.3, 0.2, 0.1],"   \
    "'velocity': [1, 2, 3], 'angular_velocity': [0.5, 0.6, 0.7] }]"

/* A chain of six links has no rows: the body flies, and its coordinates are read. */
static void six_links_leave_a_body_free(void **state)
{
    (void)state;
    for (int i = 0; i < CLOSE_WAYS; i++) {
        running a = run_chosen(quoted(FLYING "}"), CLOSELY[i]);
        running b = run_chosen(
            quoted(FLYING ", 'joints': [{ 'name': 'six', 'type': 'chain', 'bodies': ['ground', 'top'], 'chain': ["
                          "{ 'type': 'slider', 'axis': [1, 0, 0] }, { 'type': 'slider', 'axis': [0, 1, 0] },"
                          "{ 'type': 'slider', 'axis': [0, 0, 1] },"
                          "{ 'type': 'hinge', 'anchor': [0, 0, 0], 'axis': [0, 0, 1] },"
                          "{ 'type': 'hinge', 'anchor': [0, 0, 0], 'axis': [0, 1, 0] },"
                          "{ 'type': 'hinge', 'anchor': [0, 0, 0], 'axis': [1, 0, 0] }] }]}"),
            CLOSELY[i]);
        go(&a, 1);
        go(&b, 1);
        const trm_state *free = trm_sim_state(a.sim), *linked = trm_sim_state(b.sim);
        const trm_quat turn = trm_quat_mul(trm_quat_conj(trm_body_pose(free, 1).q), trm_body_pose(linked, 1).q);
        assert_near(trm_v3_length(trm_v3(turn.x, turn.y, turn.z)), 0, 1e-9);
        assert_near(value_of_joint(&b, "six", 0), 1, 1e-9);
        assert_near(value_of_joint(&b, "six", 1), 2, 1e-9);
        assert_near(value_of_joint(&b, "six", 2), 3 - 0.5 * 9.81, 1e-9);
        stop(&a);
        stop(&b);
    }
}

/* ---- Links without a motion of their own --------------------------------------------------- */

#define BOB(links)                                                                                                   \
    "{ 'trammel': 1, 'gravity': [3, -2, -8], 'bodies': [{ 'name': 'bob', 'mass': 1, 'inertia': [0.01, 0.02, 0.03],"  \
    "'position': [0.5, 0.3, -0.1] }], 'joints': [{ 'name': 'hip', 'type': 'chain', 'bodies': ['ground', 'bob'],"     \
    "'chain': [" links "] }]}"
#define HINGE(x, y, z, ax, ay, az)                                                                                   \
    "{ 'type': 'hinge', 'anchor': [" #x "," #y "," #z "], 'axis': [" #ax "," #ay "," #az "] }"
#define SLIDER(x, y, z) "{ 'type': 'slider', 'axis': [" #x "," #y "," #z "] }"

/* Two hinges on one line have one freedom, not two: their angles are not determined, and rows for two would let the
 * bob swing away. */
static void links_that_others_make_idle_are_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } wrong[] = {
        {BOB(HINGE(0, 0, 0, 0, 1, 0) "," HINGE(0, 0.3, 0, 0, 1, 0)), "link 2, a hinge,"},
        {BOB(HINGE(0, 0, 0, 0, 1, 0) "," HINGE(0, 0, 0, 0, -1, 0) "," HINGE(0, 0, 0, 1, 0, 0)), "link 2, a hinge,"},
        {BOB(HINGE(0, 0, 0, 1, 0, 0) "," HINGE(0, 0, 0, 0, 1, 0) "," HINGE(0, 1, 0, 0, 1, 0)), "link 3, a hinge,"},
        {BOB(SLIDER(1, 0, 0) "," SLIDER(2, 0, 0)), "link 2, a slider,"},
        {BOB(SLIDER(1, 0, 0) "," SLIDER(0, 1, 0) "," SLIDER(1, 1, 0)), "link 3, a slider,"},
        {BOB(SLIDER(1, 0, 0) "," SLIDER(0, 0, 1) "," HINGE(0, 0, 0, 0, 1, 0) "," HINGE(0.2, 0, 0.1, 0, 1, 0)),
         "link 4, a hinge,"},
        {BOB(HINGE(0, 0, 0, 1, 0, 0) "," HINGE(0, 0, 0, 0, 1, 0) "," HINGE(0, 0, 0, 0, 0, 1) "," HINGE(0, 0, 0, 1, 1,
                                                                                                       1)),
         "link 4, a hinge,"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[2000];
        strcpy(text, wrong[i].text);
        for (char *at = text; *at; at++)
            if (*at == '\'') *at = '"';
        trm_model_def *def = read_model(text);
        trm_messages *messages = trm_messages_create(NULL);
        trm_model *model = NULL;
        assert_int_equal(trm_model_create(def, NULL, messages, &model), TRM_BAD_INPUT);
        assert_int_equal(trm_message_count(messages), 1);
        assert_non_null(strstr(trm_message_at(messages, 0)->text, wrong[i].said));
        trm_messages_destroy(messages);
        trm_model_def_destroy(def);
    }
}

/* Chains that are singular only at their start have all their freedoms elsewhere. So have parallel hinges 0.01 mm
 * apart. */
static void links_that_are_idle_in_one_pose_only_are_accepted(void **state)
{
    (void)state;
    static const char *const right[] = {
        BOB(HINGE(0, 0, 0, 1, 0, 0) "," HINGE(0, 0, 0, 0, 1, 0) "," HINGE(0, 0, 0, 1, 0, 0)),
        BOB(HINGE(0, 0, 0, 0, 1, 0) "," HINGE(0.2, 0, 0, 0, 1, 0) "," HINGE(0.4, 0, 0, 0, 1, 0)),
        BOB(HINGE(0, 0, 0, 0, 1, 0) "," HINGE(1e-5, 0, 0, 0, 1, 0)),
    };
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) trm_model_destroy(quoted(right[i]));
}

/* The links are 0.2 m and 0.22 m long; no other joint holds the bob, which falls out of their reach. */
static void a_body_beyond_the_reach_of_the_links_is_called_bad(void **state)
{
    (void)state;
    static const char *const methods[] = {"impulse", "lagrange", "subsystem"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        running r = run_chosen(
            quoted(BOB(HINGE(0, 0, 0, 0, 1, 0) "," HINGE(0.2, 0, 0, 0, 1, 0) "," HINGE(0.3, 0, 0.2, 0, 1, 0))),
            (way){.choice = methods[i], .step = 0.001});
        go(&r, 0.5);
        trm_verdict verdict;
        trm_sim_verdict(r.sim, &verdict);
        assert_int_equal(verdict.grade, TRM_BAD);
        stop(&r);
    }
}

static void minimal_names_a_joint_that_starts_in_a_singular_pose(void **state)
{
    (void)state;
    trm_model *model = quoted(BOB(HINGE(0, 0, 0, 1, 0, 0) "," HINGE(0, 0, 0, 0, 1, 0) "," HINGE(0, 0, 0, 1, 0, 0)));
    trm_simulation_def options = *trm_model_simulation(model);
    trm_messages *messages = trm_messages_create(NULL);
    trm_sim *sim = NULL;
    options.method = "minimal";
    assert_int_not_equal(trm_sim_create(model, &options, NULL, messages, &sim), TRM_OK);
    assert_non_null(strstr(trm_message_at(messages, 0)->text, "joint 'hip' is in a singular pose"));
    trm_messages_destroy(messages);
    trm_model_destroy(model);
}

/* ---- Single coordinates ------------------------------------------------------------------- */

/* A carriage that slides along x and y and turns about z. */
#define CARRIAGE(first, second, third)                                                                               \
    "{ 'trammel': 1, 'gravity': [0, 0, -9.81], 'bodies': [{ 'name': 'cart', 'mass': 2, 'inertia': [0.3, 0.2, 0.5],"  \
    "'velocity': [1, 0.5, 0], 'angular_velocity': [0, 0, 3] }], 'joints': [{ 'name': 'ways', 'type': 'chain',"       \
    "'bodies': ['ground', 'cart'], 'chain': [{ 'type': 'slider', 'axis': [1, 0, 0]" first " },"                      \
    "{ 'type': 'slider', 'axis': [0, 1, 0]" second " },"                                                             \
    "{ 'type': 'hinge', 'anchor': [0, 0, 0], 'axis': [0, 0, 1]" third " }] }]"

static const char *const ACTING[] = {"impulse", "lagrange", "lcp"};

/* x bounces off its stop at 0.5 m, friction stops y after v^2/(2 mu/m), the rotation is damped. */
static void limits_friction_and_damping_act_on_single_links(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        running r = run_chosen(quoted(CARRIAGE(", 'limits': [-9, 0.5], 'limit_restitution': 1", ", 'friction': 1",
                                               ", 'damping': 0.25") "}"),
                               (way){.choice = ACTING[i], .step = 0.001});
        const double rough = i == 2 ? 5e-3 : 1e-6;
        go(&r, 2);
        print_message("%s: %.10g %.10g %.10g\n", ACTING[i], value_of_joint(&r, "ways", 0),
                      value_of_joint(&r, "ways", 1), value_of_joint(&r, "ways", 2));
        assert_near(value_of_joint(&r, "ways", 0), -1, rough);
        assert_near(value_of_joint(&r, "ways", 1), 0.25, rough);
        assert_near(value_of_joint(&r, "ways", 2), 6 * (1 - exp(-1)), rough);
        stop(&r);
    }
}

/* Each coordinate is driven, including rotations. */
static void drives_act_on_single_links(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        running r = run_chosen(
            quoted(CARRIAGE(
                "", "",
                "") ", 'forces': ["
                    "{ 'type': 'drive', 'joint': 'ways', 'coordinate': 1, 'motion': 't' },"
                    "{ 'type': 'motor', 'joint': 'ways', 'coordinate': 2, 'velocity': '0.5' },"
                    "{ 'name': 'turn', 'type': 'drive', 'joint': 'ways', 'coordinate': 3, 'motion': '3*t+t^2' }]}"),
            (way){.choice = i < 3 ? ACTING[i] : "minimal", .step = 0.01});
        go(&r, 4);
        assert_near(value_of_joint(&r, "ways", 0), 4, i == 2 ? 1e-3 : 1e-9);
        assert_near(value_of_joint(&r, "ways", 1), 2, i == 2 ? 1e-3 : 1e-9);
        assert_near(value_of_joint(&r, "ways", 2), 28, i == 2 ? 0.1 : 1e-9);
        stop(&r);
    }
}

/* A four-bar whose coupler hangs on a chain of two hinges: the loop is closed by a hinge. */
static const char *const LOOP =
    "{ 'trammel': 1, 'gravity': [3, -9.81, 0], 'bodies': ["
    "{ 'name': 'coupler', 'mass': 1, 'inertia': [0.1, 0.1, 0.1], 'position': [1, 1, 0] },"
    "{ 'name': 'rocker', 'mass': 1, 'inertia': [0.1, 0.1, 0.1], 'position': [2, 0.5, 0] }],"
    "'joints': [{ 'name': 'crank', 'type': 'chain', 'bodies': ['ground', 'coupler'], 'chain': ["
    "{ 'type': 'hinge', 'anchor': [0, 0, 0], 'axis': [0, 0, 1] },"
    "{ 'type': 'hinge', 'anchor': [0, 0.8, 0], 'axis': [0, 0, 1] }] },"
    "{ 'name': 'pin', 'type': 'ball', 'bodies': ['coupler', 'rocker'], 'anchor': [2, 1, 0] },"
    "{ 'name': 'foot', 'type': 'hinge', 'bodies': ['ground', 'rocker'], 'anchor': [2, 0, 0], 'axis': [0, 0, 1] }]}";

static void chains_close_loops(void **state)
{
    (void)state;
    double crank[CLOSE_WAYS];
    for (int i = 0; i < CLOSE_WAYS; i++) {
        running r = run_chosen(quoted(LOOP), CLOSELY[i]);
        go(&r, 0.3);
        crank[i] = value_of_joint(&r, "crank", 0);
        print_message("%s: %.12g\n", CLOSELY[i].choice, crank[i]);
        assert_near(crank[i], crank[0], 1e-8);
        stop(&r);
    }
    assert_true(fabs(crank[0]) > 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_equals_light_bodies_extrapolated_to_no_mass),
        cmocka_unit_test(lcp_tends_to_the_same_motion),
        cmocka_unit_test(three_axes_that_nearly_meet_pass_a_plane),
        cmocka_unit_test(six_links_leave_a_body_free),
        cmocka_unit_test(links_that_others_make_idle_are_refused_by_name),
        cmocka_unit_test(links_that_are_idle_in_one_pose_only_are_accepted),
        cmocka_unit_test(a_body_beyond_the_reach_of_the_links_is_called_bad),
        cmocka_unit_test(minimal_names_a_joint_that_starts_in_a_singular_pose),
        cmocka_unit_test(limits_friction_and_damping_act_on_single_links),
        cmocka_unit_test(drives_act_on_single_links),
        cmocka_unit_test(chains_close_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
