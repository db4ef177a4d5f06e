/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Inverse dynamics: forces that were applied in a simulation are recovered from its motion, those of R09 from its
 * closed form. */

#include "failing_allocator.h"
#include "running.h"

/* N, N m: error of forces of about 10 N m, in states whose joints are open by 1e-13 m and rad. */
static const double FORCE = 1e-11;

enum { MOST = 32 };

/* ---- Machines ----------------------------------------------------------------------------- */

#define ROD(name, from, to)                                                                                          \
    "{\"name\": \"" name "\", \"rod\": {\"from\": " from ", \"to\": " to ", \"mass\": 1, \"radius\": 0.02}}"
#define HINGE(name, a, b, at)                                                                                        \
    "{\"name\": \"" name "\", \"type\": \"hinge\", \"bodies\": [\"" a "\", \"" b "\"], \"anchor\": " at              \
    ", \"axis\": [0, 0, 1]}"
#define START "{\"trammel\": 1, \"gravity\": [0, -9.81, 0], "

#define BODIES(list) "\"bodies\": [" list "], "
#define JOINTS(list) "\"joints\": [" list "]"

#define PIN      HINGE("pin", "ground", "rod", "[0, 0, 0]")
#define PENDULUM START BODIES(ROD("rod", "[0, 0, 0]", "[1, 0, 0]")) JOINTS(PIN)

#define UPPER    ROD("upper", "[0, 0, 0]", "[1, 0, 0]")
#define LOWER    ROD("lower", "[1, 0, 0]", "[2, 0, 0]")
#define SHOULDER HINGE("shoulder", "ground", "upper", "[0, 0, 0]")
#define ELBOW    HINGE("elbow", "upper", "lower", "[1, 0, 0]")
#define DOUBLE   START BODIES(UPPER ", " LOWER) JOINTS(SHOULDER ", " ELBOW)

#define CRANK    ROD("crank", "[0, 0, 0]", "[0, 1, 0]")
#define COUPLER  ROD("coupler", "[0, 1, 0]", "[2, 1.5, 0]")
#define ROCKER   ROD("rocker", "[2, 0, 0]", "[2, 1.5, 0]")
#define AB       HINGE("A", "ground", "crank", "[0, 0, 0]") ", " HINGE("B", "crank", "coupler", "[0, 1, 0]")
#define CD       HINGE("C", "coupler", "rocker", "[2, 1.5, 0]") ", " HINGE("D", "ground", "rocker", "[2, 0, 0]")
#define FOUR_BAR START BODIES(CRANK ", " COUPLER ", " ROCKER) JOINTS(AB ", " CD)

static trm_inverse *invert_with(const trm_model *model, const trm_inverse_def *def)
{
    trm_inverse *inverse = NULL;
    trm_messages *messages = trm_messages_create(NULL);
    const trm_status status = trm_inverse_create(model, def, NULL, messages, &inverse);
    print_messages(messages);
    trm_messages_destroy(messages);
    assert_int_equal(status, TRM_OK);
    assert_true(trm_inverse_count(inverse) <= MOST);
    return inverse;
}

static trm_inverse *invert(const trm_model *model)
{
    return invert_with(model, NULL);
}

/* Makes the inverse problem with unknown forces on the first coordinates of joints. */
static trm_inverse *invert_for(const trm_model *model, int count, const char *const *joints)
{
    trm_coordinate_name driven[MOST] = {{0, 0}};
    trm_inverse_def def = trm_default_inverse_def();
    for (int i = 0; i < count; i++) driven[i].joint = trm_find_joint(model, joints[i]);
    def.driven = driven;
    def.driven_count = count;
    return invert_with(model, &def);
}

static running begin(const char *text, const char *method, double order, double step)
{
    trm_model *model = model_of_text(text);
    trm_simulation_def options = *trm_model_simulation(model);
    options.method = method;
    options.order = order;
    options.step = step;
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = 1e-13;
    running r = run_model(model, &options);
    trm_sim_enable_reactions(r.sim, true);
    return r;
}

/* Copies time, poses, velocities and accelerations of all moving bodies to a state of a model with the same
 * bodies. */
static void carry_over(const trm_model *model, const trm_state *from, trm_state *to)
{
    trm_set_state_time(to, trm_state_time(from));
    for (int i = 0; i < trm_body_count(model); i++) {
        const trm_body_kind kind = trm_body_info_of(model, i).kind;
        if (kind != TRM_BODY_RIGID && kind != TRM_BODY_POINT) continue;
        trm_set_body_pose(to, i, trm_body_pose(from, i));
        trm_set_body_velocity(to, i, trm_body_velocity(from, i));
        trm_set_body_acceleration(to, i, trm_body_acceleration(from, i));
    }
}

static trm_joint_info joint_of(const trm_inverse *inverse, const trm_model *model, int index)
{
    return trm_joint_info_of(model, trm_inverse_driven(inverse, index).joint);
}

/* ---- Known forces ------------------------------------------------------------------------- */

typedef double (*known_force)(const trm_state *state, int index);

/* Simulates the first model, and computes the forces by the other one at ten rows. */
static void find_again(const char *text, const char *without, const char *method, double order, known_force known)
{
    running r = begin(text, method, order, 0.005);
    trm_model *model = model_of_text(without);
    trm_state *now = start_of(model);
    trm_inverse *inverse = invert(model);
    for (int i = 0; i <= 10; i++) {
        double forces[MOST];
        if (i > 0) go_every(&r, 0.1 * i, 0.1);
        assert_good(trm_sim_observe(r.sim));
        carry_over(model, trm_sim_state(r.sim), now);
        assert_good(trm_inverse_at(inverse, now, forces));
        for (int k = 0; k < trm_inverse_count(inverse); k++)
            assert_near(forces[k], known(trm_sim_state(r.sim), k), FORCE);
    }
    trm_inverse_destroy(inverse);
    trm_state_destroy(now);
    trm_model_destroy(model);
    stop(&r);
}

static double swelling(const trm_state *state, int index)
{
    return index == 0 ? 3 + 2 * sin(5 * trm_state_time(state)) : 0;
}

static void a_torque_on_a_pendulum_is_found_again(void **state)
{
    (void)state;
    find_again(PENDULUM ", \"forces\": [{\"name\": \"f\", \"type\": \"torque\", \"body\": \"rod\", \"value\": [0, 0, "
                        "\"3 + 2*sin(5*t)\"]}]}",
               PENDULUM "}", "impulse", 8, swelling);
}

static void a_torque_on_a_four_bar_is_found_again(void **state)
{
    (void)state;
    static const char with[] = FOUR_BAR ", \"forces\": [{\"name\": \"f\", \"type\": \"torque\", \"body\": \"crank\", "
                                        "\"value\": [0, 0, \"3 + 2*sin(5*t)\"]}]}";
    /* a drive selects the coordinate whose force is unknown; its prescribed function does not matter */
    static const char without[] =
        FOUR_BAR ", \"forces\": [{\"name\": \"d\", \"type\": \"drive\", \"joint\": \"A\", \"motion\": \"0\"}]}";
    find_again(with, without, "impulse", 8, swelling);
    find_again(with, without, "minimal", 12, swelling);
}

static double servo(const trm_state *state, int index)
{
    static const double kp[] = {80, 30}, kd[] = {9, 3};
    const double t = trm_state_time(state);
    const double target = index == 0 ? 0.5 * sin(3 * t) : -t, rate = index == 0 ? 1.5 * cos(3 * t) : -1;
    double q, qd;
    trm_joint_values(state, index, &q, &qd);
    return kp[index] * (target - q) + kd[index] * (rate - qd);
}

#define SERVOS                                                                                                       \
    ", \"forces\": [{\"name\": \"s\", \"type\": \"servo\", \"joint\": \"shoulder\", \"target\": \"0.5*sin(3*t)\", "  \
    "\"kp\": 80, \"kd\": 9}, {\"name\": \"e\", \"type\": \"servo\", \"joint\": \"elbow\", \"target\": \"-t\", "      \
    "\"kp\": 30, \"kd\": 3}]}"

static void forces_of_servos_are_recovered(void **state)
{
    (void)state;
    find_again(DOUBLE SERVOS, DOUBLE SERVOS, "impulse", 2, servo);
    find_again(DOUBLE SERVOS, DOUBLE SERVOS, "minimal", 12, servo);
}

/* The same with rotors at both joints: their inertia is on the diagonal of the mass matrix. */
#define WITH_ROTOR(name, a, b, at, armature)                                                                         \
    "{\"name\": \"" name "\", \"type\": \"hinge\", \"bodies\": [\"" a "\", \"" b "\"], \"anchor\": " at              \
    ", \"axis\": [0, 0, 1], \"armature\": " armature "}"
#define GEARED                                                                                                       \
    START BODIES(UPPER ", " LOWER)                                                                                   \
        JOINTS(WITH_ROTOR("shoulder", "ground", "upper", "[0, 0, 0]",                                                \
                          "0.7") ", " WITH_ROTOR("elbow", "upper", "lower", "[1, 0, 0]", "0.2"))
/* and a rotor at a joint of a loop */
#define GEARED_BAR                                                                                                   \
    START BODIES(CRANK ", " COUPLER ", " ROCKER) JOINTS(AB ", " HINGE(                                               \
        "C", "coupler", "rocker", "[2, 1.5, 0]") ", " WITH_ROTOR("D", "ground", "rocker", "[2, 0, 0]", "0.5"))

static void rotors_are_accelerated_too(void **state)
{
    (void)state;
    find_again(GEARED SERVOS, GEARED SERVOS, "impulse", 2, servo);
    find_again(GEARED SERVOS, GEARED SERVOS, "minimal", 12, servo);
    find_again(GEARED_BAR ", \"forces\": [{\"name\": \"f\", \"type\": \"torque\", \"body\": \"crank\", "
                          "\"value\": [0, 0, \"3 + 2*sin(5*t)\"]}]}",
               GEARED_BAR ", \"forces\": [{\"name\": \"d\", \"type\": \"drive\", \"joint\": \"A\", "
                          "\"motion\": \"0\"}]}",
               "minimal", 12, swelling);
}

/* The same with friction in the elbow, which slips throughout. */
#define STIFF                                                                                                        \
    "{\"name\": \"elbow\", \"type\": \"hinge\", \"bodies\": [\"upper\", \"lower\"], \"anchor\": [1, 0, 0], "         \
    "\"axis\": [0, 0, 1], \"friction\": 0.4}"

static void friction_of_a_moving_joint_is_known(void **state)
{
    (void)state;
    running r = begin(START BODIES(UPPER ", " LOWER) JOINTS(SHOULDER ", " STIFF) SERVOS, "impulse", 2, 0.005);
    trm_inverse *inverse = invert(r.model);
    for (int i = 1; i <= 10; i++) {
        double forces[2], rate;
        go_every(&r, 0.02 * i, 0.02);
        trm_state *now = trm_sim_state(r.sim);
        trm_joint_values(now, 1, NULL, &rate);
        assert_true(fabs(rate) > 1e-3);
        const double known[] = {servo(now, 0), servo(now, 1)};
        assert_good(trm_inverse_at(inverse, now, forces));
        for (int k = 0; k < 2; k++) assert_near(forces[k], known[k], FORCE);
    }
    trm_inverse_destroy(inverse);
    stop(&r);
}

/* Asserts that reactions of drives and motors after inverse dynamics equal those of the simulation, as do all other
 * joints'. */
static void compare_reactions(const running *r, trm_inverse *inverse, double tolerance)
{
    double forces[MOST];
    trm_state *now = trm_sim_state(r->sim), *again = start_of(r->model);
    trm_state_copy(again, now);
    assert_good(trm_inverse_at(inverse, again, forces));
    for (int j = 0; j < trm_joint_count(r->model); j++) {
        const trm_spatial F = trm_joint_reaction(now, j), G = trm_joint_reaction(again, j);
        assert_near(trm_v3_length(trm_v3_sub(F.lin, G.lin)), 0, tolerance);
        assert_near(trm_v3_length(trm_v3_sub(F.ang, G.ang)), 0, tolerance);
    }
    trm_state_destroy(again);
}

static void a_motor_does_what_the_simulation_says(void **state)
{
    (void)state;
    running r = begin(DOUBLE ", \"forces\": [{\"name\": \"m\", \"type\": \"motor\", \"joint\": \"shoulder\", "
                             "\"velocity\": \"sin(4*t)\", \"max\": 30}, {\"name\": \"e\", \"type\": \"servo\", "
                             "\"joint\": \"elbow\", \"target\": \"0.2\", \"kp\": 30, \"kd\": 3}]}",
                      "impulse", 2, 0.005);
    trm_inverse *inverse = invert(r.model);
    for (int i = 1; i <= 10; i++) {
        go_every(&r, 0.1 * i, 0.1);
        compare_reactions(&r, inverse, FORCE);
    }
    trm_inverse_destroy(inverse);
    stop(&r);
}

/* An arm of seven servo axes grips a part and releases it: joints are attached and detached at their times. */
static void an_arm_that_takes_a_part_is_followed(void **state)
{
    (void)state;
    running r = run_file(TRM_EXAMPLES "/arm.json", 0.005, 1e-13);
    trm_sim_enable_reactions(r.sim, true);
    trm_inverse *inverse = invert(r.model);
    assert_int_equal(trm_inverse_count(inverse), 7);
    for (int i = 1; i <= 9; i++) { /* before, while and after the part is held */
        go_every(&r, 0.43 * i, 0.43);
        compare_reactions(&r, inverse, FORCE);
    }
    trm_inverse_destroy(inverse);
    stop(&r);
}

/* Free motion needs no forces: with loops, points, gears, curves, and without joints. */
static void free_motion_needs_no_forces(void **state)
{
    (void)state;
    static const char *const names[] = {"double-pendulum",       "four-bar",
                                        "slider-crank",          "engine",
                                        "parallelogram",         "rhombus",
                                        "eight-loop-hinges",     "tensegrity",
                                        "roller-coaster",        "eight-loop",
                                        "two-ball-hinge",        "pendulum",
                                        "problems/r14-car-axis", "problems/r15b-screw",
                                        "problems/r06-universal"};
    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        char path[400];
        snprintf(path, sizeof path, TRM_EXAMPLES "/%s.json", names[m]);
        running r = run_file(path, 0.01, 1e-12);
        trm_sim_enable_reactions(r.sim, true);
        trm_inverse *inverse = invert(r.model);
        go_every(&r, 0.3, 0.1);
        double forces[MOST];
        assert_good(trm_inverse_at(inverse, trm_sim_state(r.sim), forces));
        for (int k = 0; k < trm_inverse_count(inverse); k++) assert_near(forces[k], 0, FORCE);
        trm_inverse_destroy(inverse);
        stop(&r);
    }
}

/* ---- R09 ---------------------------------------------------------------------------------- */

/* The slider-crank of Flores at 150 rad/s: time, torque, forces in O, B, C and of the guide, from the closed form of
 * the motion. */
static const double R09[][9] = {
    {0.002, 30.751873644460023, -577.226914585858, 32.018547000533665, -514.740743173375, 50.975004917735234,
     -361.8036574087135, 69.93146283493681, -69.18590283493681},
    {0.005, 39.07100096544457, -359.54696255955776, 14.242738388308112, -311.6890228686933, 58.454245584534334,
     -211.0648665422631, 102.66575278076056, -101.92019278076056},
    {0.01, -25.781025747768588, 154.0701519476839, -209.31061804395787, 158.6968954657642, -144.43974470765318,
     130.65891118707557, -79.56887137134848, 80.31443137134848},
    {0.02, -2.0356102426791987, 295.0684891241753, -28.435468803681502, 230.31555490278168, -19.577941876505736,
     132.45009654511045, -10.720414949329971, 11.46597494932997},
    {0.04, -29.268834393273522, -581.9996920534927, -29.683142196387823, -519.1973540294089, -48.33179139483407,
     -365.1160128042601, -66.98044059328032, 67.72600059328032},
};

static void the_driven_slider_crank_meets_its_closed_form(void **state)
{
    (void)state;
    static const double RELATIVE = 4e-13; /* the closed form itself is accurate to 3.8e-13; forces are up to 582 N */
    trm_model *model = model_of_file(TRM_EXAMPLES "/problems/r09-slider-crank.json");
    trm_state *now = start_of(model);
    trm_inverse *inverse = invert(model);
    assert_int_equal(trm_inverse_count(inverse), 1);
    assert_string_equal(joint_of(inverse, model, 0).name, "O");
    assert_true(trm_inverse_is_torque(inverse, 0));
    for (size_t i = 0; i < sizeof R09 / sizeof *R09; i++) {
        const double q = 150 * R09[i][0], qd = 150, qdd = 0;
        double torque;
        assert_good(trm_inverse_close(inverse, R09[i][0], &q, &qd, &qdd, now));
        assert_good(trm_inverse_at(inverse, now, &torque));
        assert_near(torque, R09[i][1], RELATIVE * 582);
        assert_near(trm_joint_reaction(now, trm_find_joint(model, "drive")).ang.z, R09[i][1], RELATIVE * 582);
        for (int j = 0; j < 3; j++) {
            assert_near(trm_joint_reaction(now, j).lin.x, R09[i][2 + 2 * j], RELATIVE * 582);
            assert_near(trm_joint_reaction(now, j).lin.y, R09[i][3 + 2 * j], RELATIVE * 582);
        }
        assert_near(trm_joint_reaction(now, 3).lin.y, R09[i][8], RELATIVE * 582);
    }
    trm_inverse_destroy(inverse);
    trm_state_destroy(now);
    trm_model_destroy(model);
}

/* ---- More unknown forces than degrees of freedom ------------------------------------------ */

/* From the single torque tau of the crank, tau_A and tau_D of the same power follow as the shortest vector, along
 * their rates. */
static void two_drives_of_one_freedom_share_by_their_rates(void **state)
{
    (void)state;
    static const double ROUNDING = 1e-12;
    trm_model *model = model_of_text(FOUR_BAR "}");
    trm_state *now = start_of(model);
    const char *const joints[] = {"A", "D", "B", "C"};
    trm_inverse *one = invert_for(model, 1, joints), *two = invert_for(model, 2, joints),
                *all = invert_for(model, 4, joints);
    for (int i = 0; i < 5; i++) {
        const double q = 0.2 * i, qd = 1 + i, qdd = 3 - i;
        double tau, both[2], four[4], rate[4], square = 0;
        assert_good(trm_inverse_close(one, 0.1 * i, &q, &qd, &qdd, now));
        assert_good(trm_inverse_at(one, now, &tau));
        assert_good(trm_inverse_at(two, now, both));
        assert_good(trm_inverse_at(all, now, four));
        for (int k = 0; k < 4; k++) trm_joint_values(now, trm_find_joint(model, joints[k]), NULL, &rate[k]);
        for (int k = 0; k < 2; k++)
            assert_near(both[k], tau * qd * rate[k] / (rate[0] * rate[0] + rate[1] * rate[1]), ROUNDING * fabs(tau));
        for (int k = 0; k < 4; k++) square += rate[k] * rate[k];
        for (int k = 0; k < 4; k++) assert_near(four[k], tau * qd * rate[k] / square, ROUNDING * fabs(tau));
    }
    trm_inverse_destroy(one);
    trm_inverse_destroy(two);
    trm_inverse_destroy(all);
    trm_state_destroy(now);
    trm_model_destroy(model);
}

/* ---- Refusals ----------------------------------------------------------------------------- */

static void refused(trm_outcome outcome, const char *element, const char *part)
{
    assert_false(outcome.ok);
    assert_string_equal(outcome.element, element);
    if (!strstr(outcome.why, part)) print_error("\"%s\" has no \"%s\"\n", outcome.why, part);
    assert_non_null(strstr(outcome.why, part));
}

static void a_motion_that_joints_do_not_allow_is_refused(void **state)
{
    (void)state;
    trm_model *model = model_of_text(FOUR_BAR "}");
    trm_state *now = start_of(model);
    trm_inverse *inverse = invert(model);
    const int rocker = trm_find_body(model, "rocker");
    const trm_spatial rest = {{0, 0, 0}, {0, 0, 0}};
    double tau;
    assert_good(trm_inverse_at(inverse, now, &tau));

    trm_pose pose = trm_body_pose(now, rocker);
    const trm_pose before = pose;
    pose.p.x += 3e-5;
    trm_set_body_pose(now, rocker, pose);
    const trm_outcome outcome = trm_inverse_at(inverse, now, &tau);
    refused(outcome, "joint 'C'", "it is open by 3e-05 m and ");
    assert_near(outcome.residual, 30, 1e-6);

    trm_set_body_pose(now, rocker, before);
    trm_set_body_velocity(now, rocker, (trm_spatial){{0, 0, 0}, {0, 0.25, 0}});
    refused(trm_inverse_at(inverse, now, &tau), "joint 'C'", "it opens at 0.25 m/s and 0 rad/s");
    trm_set_body_velocity(now, rocker, rest);
    trm_set_body_acceleration(now, rocker, (trm_spatial){{0, 0, 0}, {2, 0, 0}});
    refused(trm_inverse_at(inverse, now, &tau), "joint 'C'", "it opens at 2 m/s^2 and 0 rad/s^2");
    trm_set_body_acceleration(now, rocker, rest);
    assert_good(trm_inverse_at(inverse, now, &tau));
    trm_inverse_destroy(inverse);
    trm_state_destroy(now);
    trm_model_destroy(model);
}

/* Crank 1 m, coupler 2.06 m, rocker 1.5 m, base 2 m: the rocker cannot make a full turn. */
static void coordinates_that_leave_a_loop_open_are_refused(void **state)
{
    (void)state;
    trm_model *model = model_of_text(FOUR_BAR "}"), *two = model_of_text(DOUBLE "}");
    trm_state *now = start_of(model), *start = start_of(two);
    const char *const rocker[] = {"D"}, *const elbow[] = {"elbow"};
    trm_inverse *inverse = invert_for(model, 1, rocker), *half = invert_for(two, 1, elbow);
    const double near = 0.1, far = 3, rate = 0;
    assert_good(trm_inverse_close(inverse, 0, &near, &rate, &rate, now));
    const trm_outcome outcome = trm_inverse_close(inverse, 0, &far, &rate, &rate, now);
    assert_false(outcome.ok);
    assert_non_null(strstr(outcome.why, "closes a loop that these coordinates leave open"));
    refused(trm_inverse_close(half, 0, &near, &rate, &rate, start), "body 'upper'", "have 2 coordinates, but only 1");
    trm_inverse_destroy(inverse);
    trm_inverse_destroy(half);
    trm_state_destroy(now);
    trm_state_destroy(start);
    trm_model_destroy(model);
    trm_model_destroy(two);
}

/* Two rods that stay level at rest: each joint would have to carry a moment. */
static void a_force_that_nothing_gives_is_named(void **state)
{
    (void)state;
    trm_model *model = model_of_text(DOUBLE "}");
    trm_state *now = start_of(model);
    const char *const shoulder[] = {"shoulder"}, *const both[] = {"elbow", "shoulder"};
    trm_inverse *inverse = invert_for(model, 1, shoulder);
    double forces[2];
    const trm_outcome outcome = trm_inverse_at(inverse, now, forces);
    refused(outcome, "joint 'elbow'", "4.91 N m along its coordinate 1, which nothing provides"); /* 9.81/2, 4.905 */
    assert_true(isnan(outcome.residual));
    trm_inverse_destroy(inverse);
    inverse = invert_for(model, 2, both);
    assert_good(trm_inverse_at(inverse, now, forces));
    assert_near(forces[0], 9.81 / 2, 1e-13);
    assert_near(forces[1], 9.81 / 2 + 9.81 * 1.5, 1e-13);
    trm_inverse_destroy(inverse);
    trm_state_destroy(now);
    trm_model_destroy(model);
}

/* Asserts that the inverse problem is refused with a message that contains the text. */
static void not_made(const char *text, const trm_inverse_def *def, const char *part)
{
    char said[1000] = "";
    trm_model *model = model_of_text(text);
    trm_messages *messages = trm_messages_create(NULL);
    trm_inverse *inverse;
    assert_int_equal(trm_inverse_create(model, def, NULL, messages, &inverse), TRM_BAD_INPUT);
    assert_null(inverse);
    assert_int_equal(trm_error_count(messages), 1);
    trm_format_message(trm_message_at(messages, 0), said, sizeof said);
    if (!strstr(said, part)) print_error("\"%s\" has no \"%s\"\n", said, part);
    assert_non_null(strstr(said, part));
    trm_messages_destroy(messages);
    trm_model_destroy(model);
}

static void models_whose_forces_do_not_follow_are_refused(void **state)
{
    (void)state;
    trm_coordinate_name name = {0, 0}, twice[2] = {{0, 0}, {0, 0}};
    trm_inverse_def def = trm_default_inverse_def();
    not_made(START "\"bodies\": [{\"name\": \"bob\", \"point\": true, \"mass\": 1, \"position\": [1, 0, 0]}], "
                   "\"joints\": [{\"name\": \"r\", \"type\": \"distance\", \"bodies\": [\"ground\", \"bob\"], "
                   "\"anchors\": [[0, 0, 0], [0, 0, 0]], \"rope\": true}]}",
             NULL, "joint 'r': is a rope, which only pulls");
    not_made(START "\"bodies\": [{\"name\": \"ball\", \"shapes\": [{\"type\": \"sphere\", \"radius\": 1, "
                   "\"density\": 1}]}, {\"name\": \"ball2\", \"position\": [3, 0, 0], \"shapes\": [{\"type\": "
                   "\"sphere\", \"radius\": 1, \"density\": 1}]}]}",
             NULL, "has shapes that may collide");
    def.driven = &name;
    def.driven_count = 1;
    name.joint = 1;
    not_made(DOUBLE ", \"forces\": [{\"name\": \"m\", \"type\": \"motor\", \"joint\": \"shoulder\", \"velocity\": "
                    "\"1\", \"max\": 3}]}",
             &def, "joint 'm': is a motor whose force is unknown");
    name.joint = 7;
    not_made(DOUBLE "}", &def, "there is no joint number 7");
    name = (trm_coordinate_name){1, 1};
    not_made(DOUBLE "}", &def, "joint 'elbow': has no coordinate of this number");
    def.driven = twice;
    def.driven_count = 2;
    not_made(DOUBLE "}", &def, "joint 'shoulder': is listed twice");
}

/* ---- Memory ------------------------------------------------------------------------------- */

static bool survives(const trm_model *model, const trm_allocator *hooks, double *torque)
{
    const double q = 1.5, qd = 150, qdd = 0;
    bool done = false;
    trm_inverse *inverse = NULL;
    trm_state *now = start_of(model);
    trm_messages *messages = trm_messages_create(NULL);
    if (trm_inverse_create(model, NULL, hooks, messages, &inverse) == TRM_OK) {
        const trm_outcome closed = trm_inverse_close(inverse, 0.01, &q, &qd, &qdd, now);
        const trm_outcome found = closed.ok ? trm_inverse_at(inverse, now, torque) : closed;
        done = found.ok;
        if (!done) assert_string_equal(found.why, "out of memory");
    }
    assert_int_equal(trm_error_count(messages), 0);
    trm_inverse_destroy(inverse);
    trm_state_destroy(now);
    trm_messages_destroy(messages);
    return done;
}

static void out_of_memory_is_survived(void **state)
{
    (void)state;
    failing_allocator memory;
    trm_model *model = model_of_file(TRM_EXAMPLES "/problems/r09-slider-crank.json");
    double torque = 0;
    long k = 0;
    bool done;
    do {
        failing_allocator_reset(&memory, ++k, false);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        done = survives(model, &hooks, &torque);
        assert_true(failing_allocator_is_clean(&memory));
    } while (!done && k < 10000);
    assert_true(k > 3);
    assert_near(torque, R09[2][1], FORCE);
    trm_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_torque_on_a_pendulum_is_found_again),
        cmocka_unit_test(a_torque_on_a_four_bar_is_found_again),
        cmocka_unit_test(forces_of_servos_are_recovered),
        cmocka_unit_test(rotors_are_accelerated_too),
        cmocka_unit_test(friction_of_a_moving_joint_is_known),
        cmocka_unit_test(a_motor_does_what_the_simulation_says),
        cmocka_unit_test(an_arm_that_takes_a_part_is_followed),
        cmocka_unit_test(free_motion_needs_no_forces),
        cmocka_unit_test(the_driven_slider_crank_meets_its_closed_form),
        cmocka_unit_test(two_drives_of_one_freedom_share_by_their_rates),
        cmocka_unit_test(a_motion_that_joints_do_not_allow_is_refused),
        cmocka_unit_test(coordinates_that_leave_a_loop_open_are_refused),
        cmocka_unit_test(a_force_that_nothing_gives_is_named),
        cmocka_unit_test(models_whose_forces_do_not_follow_are_refused),
        cmocka_unit_test(out_of_memory_is_survived),
    };
    return RUN_TESTS(tests);
}
