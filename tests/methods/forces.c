/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Forces on coordinates, between points and against velocities, in motion: compared with closed forms; the order of
 * the remaining errors, and the energy balance. */

#include "check.h"
#include "choosing.h"
#include "resuming.h"

enum { SECOND = 2 };

/* Asserts that the errors at two steps show order two. */
static void assert_second_order(const char *what, error_of_step error, const void *context, double step)
{
    const double order = order_between(error, context, step);
    print_message("    %-40s order %.3f, %.1e at h = %g s\n", what, order, error(step, context), step);
    assert_near(order, SECOND, 0.1);
}

static running run_impulse(const char *text, double step)
{
    return run_chosen(model_of_text(text), (way){.choice = "impulse", .step = step, .tolerance = 1e-13});
}

/* Forces that only the direct solver supports. */
static bool has_lagrange(void)
{
    return strcmp(running_solver, "direct") == 0;
}

/* ---- On a coordinate ---------------------------------------------------------------------- */

/* A wheel of 2 kg m^2 on a hinge, or 2 kg on a slider, with one force on the coordinate. */
#define ON(joint, spin, force)                                                                                       \
    "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"b\", \"mass\": 2, \"inertia\": [1, 1.5, 2], " spin " }],"          \
    "  \"joints\": [{ \"name\": \"j\", \"type\": \"" joint "\", \"bodies\": [\"ground\", \"b\"],"                    \
    "    \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1] }], \"forces\": [{ \"name\": \"f\", \"joint\": \"j\", " force    \
    " }] }"
#define ON_HINGE(force)  ON("hinge", "\"angular_velocity\": [0, 0, 3]", force)
#define ON_SLIDER(force) ON("slider", "\"velocity\": [0, 0, 3]", force)
#define TORSION          "\"type\": \"torsion\", \"rest\": 0.5, \"stiffness\": 50, \"damping\": 0.8"
/* The same law: kp = k, kd and brake together d. */
#define SERVO "\"type\": \"servo\", \"target\": 0.5, \"kp\": 50, \"kd\": 0.5, \"brake\": 0.3"

/* 2 e'' + 0.8 e' + 50 e = 0 with e(0) = -0.5, e'(0) = 3. */
static double damped(double t)
{
    const double decay = 0.2, w = sqrt(25 - decay * decay);
    return exp(-decay * t) * (-0.5 * cos(w * t) + (3 - 0.5 * decay) / w * sin(w * t));
}

static double off_from_damped(double step, const void *text)
{
    running r = run_impulse(text, step);
    go(&r, 2);
    const double off = fabs(coordinate_of(&r, "j") - 0.5 - damped(2));
    stop(&r);
    return off;
}

static double energy_off(double step, const void *text)
{
    running r = run_impulse(text, step);
    go(&r, 2);
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    const double off = fabs(a.energy_end - a.energy_start - a.work);
    assert_true(fabs(a.work) > 0.1);
    stop(&r);
    return off;
}

static void a_damped_oscillation_on_a_coordinate_is_the_textbooks(void **state)
{
    (void)state;
    static const struct {
        const char *what, *text;
    } cases[] = {
        {"torsion on a hinge", ON_HINGE(TORSION)},
        {"torsion on a slider", ON_SLIDER(TORSION)},
        {"servo on a hinge", ON_HINGE(SERVO)},
        {"servo on a slider", ON_SLIDER(SERVO)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_second_order(cases[i].what, off_from_damped, cases[i].text, 0.01);
        assert_second_order("its energy balance", energy_off, cases[i].text, 0.01);
        if (!has_lagrange()) continue;
        running exact =
            run_chosen(model_of_text(cases[i].text),
                       (way){.choice = "lagrange:integrator=fehlberg8", .step = 0.01, .tolerance = 1e-13});
        go(&exact, 2);
        assert_near(coordinate_of(&exact, "j"), 0.5 + damped(2), 1e-11);
        stop(&exact);
    }
}

/* Composed steps go back in time, which a spring allows. */
static void torsion_without_damping_keeps_its_energy_at_any_order(void **state)
{
    (void)state;
    const char *text = ON_HINGE("\"type\": \"torsion\", \"stiffness\": 50");
    running r =
        run_chosen(model_of_text(text), (way){.choice = "impulse", .order = 6, .step = 0.01, .tolerance = 1e-13});
    go(&r, 5);
    assert_near(coordinate_of(&r, "j"), 3.0 / 5 * sin(5 * 5.0), 1e-9);
    assert_true(trm_sim_accuracy(r.sim).energy_error_max <= 1e-9);
    stop(&r);
}

/* Wound up by ten turns: 2 q'' = -0.5 (q - q0); after half a period, 2 pi s, it is equally far on the other side. */
static void torsion_counts_turns(void **state)
{
    (void)state;
    running r = run_impulse(ON("hinge", "\"angular_velocity\": [0, 0, 0]",
                               "\"type\": \"torsion\", \"rest\": \"20*pi\", \"stiffness\": 0.5"),
                            0.001);
    go(&r, 2 * TRM_PI);
    assert_near(coordinate_of(&r, "j"), 40 * TRM_PI, 1e-5);
    stop(&r);
}

/* ---- Servos ------------------------------------------------------------------------------- */

/* At its limit the torque is constant, until the wheel comes near the target. */
static void a_servo_gives_no_more_than_its_limit(void **state)
{
    (void)state;
    running r = run_impulse(ON("hinge", "\"angular_velocity\": [0, 0, 0]",
                               "\"type\": \"servo\", \"target\": 3, \"kp\": 40, \"kd\": 40, \"max\": 6"),
                            0.01);
    go(&r, 0.5);
    assert_near(coordinate_of(&r, "j"), 0.5 * 3 * 0.25, 1e-10); /* 6 N m on 2 kg m^2 */
    assert_near(trm_sim_accuracy(r.sim).work, 6 * 0.375, 1e-9);
    go(&r, 30); /* it stays at the target */
    assert_near(coordinate_of(&r, "j"), 3, 1e-9);
    stop(&r);
}

/* With kp, kd and a smooth target, the forced motion remains after the start has died out: q = f - 2 f'' / kp ... of
 * 2 q'' = kp (f - q) + kd (f' - q'); with e = q - f: 2 e'' + kd e' + kp e = -2 f''. */
static double servo_lags(double step, const void *context)
{
    (void)context;
    running r = run_impulse(ON("hinge", "\"angular_velocity\": [0, 0, 0]",
                               "\"type\": \"servo\", \"target\": \"sin(2*t)\", \"kp\": 200, \"kd\": 40"),
                            step);
    const double t = 4, w = 2, re = 200 - 2 * w * w, im = 40 * w; /* e = Im(2 w^2 e^(i w t) / (re + i im)) */
    go(&r, t);
    const double e = 2 * w * w * (re * sin(w * t) - im * cos(w * t)) / (re * re + im * im);
    const double off = fabs(coordinate_of(&r, "j") - (sin(w * t) + e));
    stop(&r);
    return off;
}

static void a_servo_tracks_its_target_as_its_gains_say(void **state)
{
    (void)state;
    assert_second_order("servo behind sin(2 t)", servo_lags, NULL, 0.01);
}

/* The limit is reached and left several times. */
static void the_work_of_a_servo_closes_the_energy_balance(void **state)
{
    (void)state;
    const char *text = ON("hinge", "\"angular_velocity\": [0, 0, 1]",
                          "\"type\": \"servo\", \"target\": \"2*sin(3*t)\", \"kp\": 80, \"kd\": 8, \"max\": 20,"
                          " \"brake\": 0.2");
    const double coarse = energy_off(0.005, text), fine = energy_off(0.0025, text);
    print_message("    a servo at its limit: %.1e, %.1e J left of the balance\n", coarse, fine);
    assert_true(coarse <= 1e-2 && fine <= 0.4 * coarse);
}

/* h kd / I = 5000: the second half of the step is implicit, so that the motion stays stable and no step is halved. */
static void gains_of_any_size_are_stable(void **state)
{
    (void)state;
    running r = run_impulse(ON("hinge", "\"angular_velocity\": [0, 0, 0]",
                               "\"type\": \"servo\", \"target\": 1, \"kp\": 1e4, \"kd\": 1e6, \"max\": 50"),
                            0.01);
    go(&r, 10);
    assert_true(fabs(coordinate_of(&r, "j")) <= 1);
    assert_int_equal(trm_sim_counters(r.sim)->halvings, 0);
    stop(&r);
}

/* ---- Between points, and against velocities ------------------------------------------------ */

/* 3 N between 1 kg and 2 kg. */
static void an_actuator_pushes_two_masses_apart(void **state)
{
    (void)state;
    static const char *const ways[] = {"impulse", "lagrange:integrator=rk4"};
    for (int i = 0; i < (has_lagrange() ? 2 : 1); i++) {
        running r = run_chosen(
            model_of_text("{ \"trammel\": 1, \"bodies\": [{ \"name\": \"a\", \"point\": true, \"mass\": 1 },"
                          " { \"name\": \"b\", \"mass\": 2, \"inertia\": [1, 1, 1], \"position\": [2, 0, 0] }],"
                          " \"forces\": [{ \"type\": \"actuator\", \"bodies\": [\"a\", \"b\"],"
                          "   \"anchors\": [[0, 0, 0], [-0.5, 0, 0]], \"value\": \"3*t\" }] }"),
            (way){.choice = ways[i], .step = 0.001});
        go(&r, 2);
        const double impulse = 3 * 2 * 2 / 2.0, gone = 3 * 2 * 2 * 2 / 6.0; /* N s, and its integral over time */
        assert_near(velocity_of(&r, "a").x, -impulse, 1e-9);
        assert_near(velocity_of(&r, "b").x, impulse / 2, 1e-9);
        assert_near(place_of(&r, "a").x, -gone, 1e-5);
        assert_near(place_of(&r, "b").x, 2 + gone / 2, 1e-5);
        const trm_accuracy a = trm_sim_accuracy(r.sim);
        assert_true(a.is_free && a.linear_error <= 1e-12);
        assert_near(a.work, 0.5 * impulse * impulse * (1 + 0.5), 1e-4);
        assert_near(a.energy_end - a.energy_start, a.work, 1e-4);
        stop(&r);
    }
}

#define DRAGGED(linear, angular)                                                                                     \
    "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"b\", \"mass\": 2, \"inertia\": [1, 1, 1.5], \"com\": [0, 0, 0.1]," \
    "  \"velocity\": [3, 0, 0], \"angular_velocity\": [0, 0, 4] }],"                                                 \
    "  \"forces\": [{ \"type\": \"drag\", \"body\": \"b\", \"linear\": " linear ", \"angular\": " angular " }] }"

static double drag_off(double step, const void *context)
{
    (void)context;
    running r = run_impulse(DRAGGED("1.2", "0.6"), step);
    go(&r, 2);
    const trm_spatial V = trm_body_velocity(trm_sim_state(r.sim), 1);
    const double off = fabs(V.lin.x - 3 * exp(-1.2)) + fabs(V.ang.z - 4 * exp(-0.8)) +
                       fabs(place_of(&r, "b").x - 3 / 0.6 * (1 - exp(-1.2)));
    stop(&r);
    return off;
}

static void drag_lets_velocities_decay_exponentially(void **state)
{
    (void)state;
    assert_second_order("drag", drag_off, NULL, 0.02);
    assert_second_order("its energy balance", energy_off, DRAGGED("1.2", "0.6"), 0.02);
    /* decays a thousand times within a step */
    running stiff = run_impulse(DRAGGED("1e5", "1e5"), 0.02);
    go(&stiff, 2);
    assert_true(trm_v3_length(velocity_of(&stiff, "b")) <= 3 && trm_sim_counters(stiff.sim)->halvings == 0);
    stop(&stiff);
}

/* A tumbling body, whose angular velocity changes its direction relative to the body's axes. */
static void drag_on_a_tumbling_body_closes_the_energy_balance(void **state)
{
    (void)state;
    static const char *const text =
        "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"b\", \"mass\": 2, \"inertia\": [1, 2, 2.5],"
        "  \"velocity\": [3, 0, 0], \"angular_velocity\": [1, 3, 2] }],"
        "  \"forces\": [{ \"type\": \"drag\", \"body\": \"b\", \"linear\": 0.5, \"angular\": 0.7 }] }";
    assert_second_order("drag on a tumbling body, energy", energy_off, text, 0.02);
}

/* ---- Implicit springs ---------------------------------------------------------------------- */

/* h sqrt(k/m) = 10: an explicit step would be unstable. */
static void a_stiff_spring_settles_from_a_tenth_of_a_metre_off(void **state)
{
    (void)state;
    running r = run_text("{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["
                         "  { \"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [0, -1.1, 0] }],"
                         "  \"forces\": [{ \"type\": \"spring\", \"bodies\": [\"ground\", \"b\"], \"rest\": 1,"
                         "    \"anchors\": [[0, 0, 0], [0, 0, 0]], \"stiffness\": 1e6, \"damping\": 100,"
                         "    \"implicit\": true }] }",
                         0.01, 1e-10);
    for (int i = 1; i <= 500; i++) {
        go(&r, 0.01 * i);
        assert_true(fabs(place_of(&r, "b").y + 1) <= 0.1);
    }
    const double off = fabs(place_of(&r, "b").y + 1 + 9.81e-6);
    print_message("    k = 1e6 N/m at h = 0.01 s: %.1e m and %.1e m/s off its rest after 5 s\n", off,
                  trm_v3_length(velocity_of(&r, "b")));
    assert_true(off <= 1e-12 && trm_v3_length(velocity_of(&r, "b")) <= 1e-9);
    assert_int_equal(trm_sim_counters(r.sim)->halvings, 0);
    stop(&r);
}

static void an_implicit_spring_has_order_one(void **state)
{
    (void)state;
    static const char *const texts[] = {ON_HINGE(TORSION ", \"implicit\": true"),
                                        ON_SLIDER(TORSION ", \"implicit\": true")};
    for (int i = 0; i < 2; i++) {
        const double order = order_between(off_from_damped, texts[i], 1e-3);
        print_message("    implicit torsion: order %.3f, %.1e at h = 0.001 s\n", order,
                      off_from_damped(1e-3, texts[i]));
        assert_near(order, 1, 0.1);
    }
}

/* The same oscillation, 2 e'' + 0.8 e' + 50 e = 0, between two points: 6 kg and 3 kg on the spring between them. */
#define BETWEEN(more)                                                                                                \
    "{ \"trammel\": 1, \"bodies\": ["                                                                                \
    "  { \"name\": \"a\", \"mass\": 6, \"inertia\": [1, 1, 1], \"velocity\": [-1, 0, 0] },"                          \
    "  { \"name\": \"b\", \"point\": true, \"mass\": 3, \"position\": [1.5, 0, 0], \"velocity\": [2, 0, 0] }],"      \
    "  \"forces\": [{ \"type\": \"spring\", \"bodies\": [\"a\", \"b\"], \"anchors\": [[0, 0, 0], [0, 0, 0]],"        \
    "    \"rest\": 2, \"stiffness\": 50, \"damping\": 0.8" more " }] }"

static double length_off_from_damped(double step, const void *text)
{
    running r = run_impulse(text, step);
    go(&r, 2);
    const double off = fabs(trm_v3_length(trm_v3_sub(place_of(&r, "b"), place_of(&r, "a"))) - 2 - damped(2));
    assert_true(trm_sim_accuracy(r.sim).linear_error <= 1e-12);
    stop(&r);
    return off;
}

static void a_spring_between_points_has_order_two_and_implicit_order_one(void **state)
{
    (void)state;
    assert_second_order("spring between points", length_off_from_damped, BETWEEN(""), 0.01);
    const char *implicit = BETWEEN(", \"implicit\": true");
    const double order = order_between(length_off_from_damped, implicit, 1e-3);
    print_message("    %-40s order %.3f, %.1e at h = 0.001 s\n", "the same, implicit", order,
                  length_off_from_damped(1e-3, implicit));
    assert_near(order, 1, 0.1);
}

/* Four rods in a row, held level by springs in their hinges that are nearly rigid: each sags by the moment of
 * everything that hangs on it over its stiffness. */
#define ROD(name, from, to)                                                                                          \
    "{ \"name\": \"" name "\", \"rod\": { \"from\": [" from ", 0, 0], \"to\": [" to                                  \
    ", 0, 0], \"mass\": 1, \"radius\": 0.02 } }"
#define KNEE(name, a, b, x)                                                                                          \
    "{ \"name\": \"" name "\", \"type\": \"hinge\", \"bodies\": [\"" a "\", \"" b "\"], \"anchor\": [" x             \
    ", 0, 0], \"axis\": [0, 0, 1] }"
#define STIFF(joint)                                                                                                 \
    "{ \"type\": \"torsion\", \"joint\": \"" joint "\", \"stiffness\": 1e7, \"damping\": 10, \"implicit\": true }"

static void springs_that_pull_on_each_other_through_joints_are_solved_together(void **state)
{
    (void)state;
    running r =
        run_text(
            "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [" ROD("r1", "0", "1") ", " ROD("r2", "1", "2") ", " ROD(
                "r3", "2",
                "3") ", " ROD("r4", "3",
                              "4") "], \"joints\": [" KNEE("j1", "ground", "r1",
                                                           "0") ", " KNEE("j2", "r1", "r2",
                                                                          "1") ", " KNEE("j3", "r2", "r3",
                                                                                         "2") ", " KNEE("j4", "r3",
                                                                                                        "r4",
                                                                                                        "3") "],"
                                                                                                             " \"forc"
                                                                                                             "es\": "
                                                                                                             "[" STIFF("j1") ", " STIFF("j2") ", " STIFF(
                                                                                                                 "j3") ", " STIFF("j4") "] }",
            0.01, 1e-12);
    go(&r, 2);
    static const char *const joints[] = {"j4", "j3", "j2", "j1"};
    for (int i = 0; i < 4; i++) /* i + 1 rods, their weight at half their length */
        assert_near(coordinate_of(&r, joints[i]), -9.81 * (i + 1) * (i + 1) / 2 / 1e7, 1e-11);
    assert_int_equal(trm_sim_counters(r.sim)->halvings, 0);
    stop(&r);
}

/* More springs than one matrix holds: groups of them are solved in turn. */
static void more_springs_than_share_a_matrix_take_turns(void **state)
{
    (void)state;
    enum { LINKS = 70 };
    char names[LINKS][8];
    trm_model_def *def = trm_model_def_create(NULL);
    def->gravity = trm_v3(0, -9.81, 0);
    for (int i = 0; i < LINKS; i++) {
        trm_body_def point = trm_default_body_def();
        trm_force_def spring = trm_default_force_def();
        snprintf(names[i], sizeof names[i], "p%d", i);
        point.name = names[i];
        point.kind = TRM_BODY_POINT;
        point.mass = 0.1;
        point.position = trm_v3(0, -1 - i, 0);
        spring.type = "spring";
        spring.bodies[0] = i == 0 ? "ground" : names[i - 1];
        spring.bodies[1] = names[i];
        spring.anchors[0] = spring.anchors[1] = trm_v3(0, 0, 0);
        spring.stiffness = 1e4;
        spring.damping = 100;
        spring.implicit = true;
        assert_int_equal(trm_add_body(def, &point), TRM_OK);
        assert_int_equal(trm_add_force(def, &spring), TRM_OK);
    }
    running r = run_model_at(build_model(def), 0.02, 1e-9);
    trm_model_def_destroy(def);
    go_every(&r, 0.2, 0.2); /* stable on its way down, too */
    assert_true(place_of(&r, "p69").y <= -70 && place_of(&r, "p69").y >= -70.5);
    assert_int_equal(trm_sim_counters(r.sim)->halvings, 0);
    stop(&r);
}

static void forces_that_cannot_be_implicit_are_refused(void **state)
{
    (void)state;
    const char *text = ON_HINGE(TORSION ", \"implicit\": true");
    chosen c;
    trm_simulation_def options;
    trm_model *model = model_of_text(text);
    options_of(model, &(way){.choice = "lagrange:integrator=rk4"}, &c, &options);
    assert_refused(model, &options, "is to be applied implicitly");
    model = model_of_text(text);
    options_of(model, &(way){.choice = "impulse", .order = 4}, &c, &options);
    assert_refused(model, &options, "is applied implicitly, by steps of order 1");
}

/* ---- Integrated springs -------------------------------------------------------------------- */

#define INTEGRAL ", \"treatment\": \"integral\""

static void an_integrated_spring_has_order_two_with_its_damping_and_its_work(void **state)
{
    (void)state;
    assert_second_order("integrated torsion on a hinge", off_from_damped, ON_HINGE(TORSION INTEGRAL), 0.01);
    assert_second_order("integrated torsion on a slider", off_from_damped, ON_SLIDER(TORSION INTEGRAL), 0.01);
    assert_second_order("its energy balance", energy_off, ON_HINGE(TORSION INTEGRAL), 0.01);
    assert_second_order("integrated spring between points", length_off_from_damped, BETWEEN(INTEGRAL), 0.01);
}

/* Its steps are symmetric in time, so that they can be composed to higher orders. */
static void an_integrated_spring_without_damping_has_any_order(void **state)
{
    (void)state;
    const char *text = ON_HINGE("\"type\": \"torsion\", \"stiffness\": 50" INTEGRAL);
    running r =
        run_chosen(model_of_text(text), (way){.choice = "impulse", .order = 6, .step = 0.01, .tolerance = 1e-13});
    go(&r, 5);
    assert_near(coordinate_of(&r, "j"), 3.0 / 5 * sin(5 * 5.0), 1e-9);
    assert_true(trm_sim_accuracy(r.sim).energy_error_max <= 1e-9);
    stop(&r);
}

static double widest(double step, const char *text)
{
    double most = 0;
    running r = run_impulse(text, step);
    for (int i = 1; i <= 200; i++) {
        go(&r, step * i);
        most = fmax(most, fabs(coordinate_of(&r, "j")));
    }
    stop(&r);
    return most;
}

/* omega = 5 rad/s: a force at the ends of steps is stable for omega h < 2, the integral for omega h < 2 sqrt(2). */
static void an_integrated_spring_is_stable_for_longer_steps(void **state)
{
    (void)state;
    const char *explicitly = ON_SLIDER("\"type\": \"torsion\", \"stiffness\": 50");
    const char *integrated = ON_SLIDER("\"type\": \"torsion\", \"stiffness\": 50" INTEGRAL);
    const double bounded = 10, grown = 20; /* m; beyond it steps are halved, because rounding exceeds the tolerance */
    assert_true(widest(2.1 / 5, explicitly) > grown);
    assert_true(widest(2.1 / 5, integrated) < bounded);
    assert_true(widest(2.8 / 5, integrated) < bounded);
    assert_true(widest(2.9 / 5, integrated) > grown);
}

static void forces_that_cannot_be_integrated_are_refused(void **state)
{
    (void)state;
    chosen c;
    trm_simulation_def options;
    trm_model *model = model_of_text(ON_HINGE(TORSION INTEGRAL));
    options_of(model, &(way){.choice = "lagrange:integrator=rk4"}, &c, &options);
    assert_refused(model, &options, "is to be integrated over the look-ahead");
}

/* After a joint is detached, its servo and spring act no more. */
static void a_force_on_a_detached_joint_does_not_act(void **state)
{
    (void)state;
    running r = run_impulse(
        "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"b\", \"mass\": 2, \"inertia\": [1, 1.5, 2] }], \"joints\": ["
        "  { \"name\": \"j\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"b\"], \"anchor\": [0, 0, 0],"
        "    \"axis\": [0, 0, 1] }], \"events\": [{ \"at\": 1, \"detach\": \"j\" }], \"forces\": ["
        "  { \"type\": \"servo\", \"joint\": \"j\", \"target\": 9, \"kp\": 1000, \"kd\": 1, \"max\": 4 }] }",
        0.01);
    go(&r, 3);
    assert_near(trm_body_velocity(trm_sim_state(r.sim), 1).ang.z, 2, 1e-10); /* 4 N m on 2 kg m^2 for 1 s */
    stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damped_oscillation_on_a_coordinate_is_the_textbooks),
        cmocka_unit_test(torsion_without_damping_keeps_its_energy_at_any_order),
        cmocka_unit_test(torsion_counts_turns),
        cmocka_unit_test(a_servo_gives_no_more_than_its_limit),
        cmocka_unit_test(a_servo_tracks_its_target_as_its_gains_say),
        cmocka_unit_test(the_work_of_a_servo_closes_the_energy_balance),
        cmocka_unit_test(gains_of_any_size_are_stable),
        cmocka_unit_test(an_actuator_pushes_two_masses_apart),
        cmocka_unit_test(drag_lets_velocities_decay_exponentially),
        cmocka_unit_test(drag_on_a_tumbling_body_closes_the_energy_balance),
        cmocka_unit_test(a_force_on_a_detached_joint_does_not_act),
        cmocka_unit_test(a_stiff_spring_settles_from_a_tenth_of_a_metre_off),
        cmocka_unit_test(an_implicit_spring_has_order_one),
        cmocka_unit_test(a_spring_between_points_has_order_two_and_implicit_order_one),
        cmocka_unit_test(springs_that_pull_on_each_other_through_joints_are_solved_together),
        cmocka_unit_test(more_springs_than_share_a_matrix_take_turns),
        cmocka_unit_test(forces_that_cannot_be_implicit_are_refused),
        cmocka_unit_test(an_integrated_spring_has_order_two_with_its_damping_and_its_work),
        cmocka_unit_test(an_integrated_spring_without_damping_has_any_order),
        cmocka_unit_test(an_integrated_spring_is_stable_for_longer_steps),
        cmocka_unit_test(forces_that_cannot_be_integrated_are_refused),
    };
    return RUN_WITH_ALL_SOLVERS(tests);
}
