/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Driven axes: the torque of drives compared with inverse dynamics, and the servo axis that Schmitt (2003, section
 * 10) builds from two balls and two measuring points compared with a hinge with a servo. */

#include "check.h"
#include "choosing.h"
#include "sanitized.h"

static const double TIGHT = 1e-13;

/* ---- Inverse dynamics --------------------------------------------------------------------- */

/* Two links in a plane, the second on the tip of the first, with q1 of the first relative to the horizontal and q2 of
 * the second relative to the first (Siciliano, Robotics, 7.3.2):
 *
 *   m11 q1'' + m12 q2'' - c (2 q1' q2' + q2'^2) + g1 + g2 = tau1
 *   m12 q1'' + m22 q2'' + c q1'^2 + g2                    = tau2 */
#define M1 2.0
#define M2 1.5
#define L1 0.5
#define R1 0.3 /* to the centres of mass */
#define R2 0.2
#define I1 0.04
#define I2 0.03
#define G  9.81

typedef struct axis {
    double q, w, a; /* rad and its derivatives */
} axis;

static double coupling(double q2)
{
    return I2 + M2 * (R2 * R2 + L1 * R2 * cos(q2));
}

static double weight_of_second(double q1, double q2)
{
    return M2 * R2 * G * cos(q1 + q2);
}

static double torque_of_first(axis p, axis s)
{
    const double m11 = I1 + I2 + M1 * R1 * R1 + M2 * (L1 * L1 + R2 * R2 + 2 * L1 * R2 * cos(s.q));
    const double c = M2 * L1 * R2 * sin(s.q);
    return m11 * p.a + coupling(s.q) * s.a - c * (2 * p.w * s.w + s.w * s.w) + (M1 * R1 + M2 * L1) * G * cos(p.q) +
           weight_of_second(p.q, s.q);
}

static double torque_of_second(axis p, axis s)
{
    return coupling(s.q) * p.a + (I2 + M2 * R2 * R2) * s.a + M2 * L1 * R2 * sin(s.q) * p.w * p.w +
           weight_of_second(p.q, s.q);
}

/* amplitude (1 - cos(rate t)), which begins at rest */
static axis motion(double amplitude, double rate, double t)
{
    return (axis){amplitude * (1 - cos(rate * t)), amplitude * rate * sin(rate * t),
                  amplitude * rate * rate * cos(rate * t)};
}

static axis first_motion(double t)
{
    return motion(0.8, 2, t);
}

static axis second_motion(double t)
{
    return motion(-0.6, 3, t);
}

#define ARM(forces)                                                                                                  \
    "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["                                                    \
    "  { \"name\": \"a\", \"mass\": 2, \"inertia\": [0.02, 0.04, 0.04], \"position\": [0.3, 0, 0] },"                \
    "  { \"name\": \"b\", \"mass\": 1.5, \"inertia\": [0.01, 0.03, 0.03], \"position\": [0.7, 0, 0] }],"             \
    "  \"joints\": ["                                                                                                \
    "  { \"name\": \"shoulder\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"a\"], \"anchor\": [0, 0, 0],"       \
    "    \"axis\": [0, 0, 1] },"                                                                                     \
    "  { \"name\": \"elbow\", \"type\": \"hinge\", \"bodies\": [\"a\", \"b\"], \"anchor\": [0.5, 0, 0],"             \
    "    \"axis\": [0, 0, 1] }], \"forces\": [" forces "] }"
#define FIRST_DRIVE                                                                                                  \
    "{ \"name\": \"d1\", \"type\": \"drive\", \"joint\": \"shoulder\", \"motion\": \"0.8*(1 - cos(2*t))\" }"
#define SECOND_DRIVE                                                                                                 \
    "{ \"name\": \"d2\", \"type\": \"drive\", \"joint\": \"elbow\", \"motion\": \"-0.6*(1 - cos(3*t))\" }"

static double torque_of(const running *r, const char *drive)
{
    return trm_joint_reaction(trm_sim_state(r->sim), trm_find_joint(r->model, drive)).ang.z;
}

/* Largest errors of drives at the rows of a run. */
typedef struct worst {
    const running *r;
    double coordinate, torque; /* rad; relative to the largest torque */
} worst;

static bool watch_drives(void *context, const trm_state *state)
{
    static const double TORQUE = 20; /* N m: about the largest torque of the shoulder */
    worst *w = context;
    const double t = trm_state_time(state);
    const axis p = first_motion(t), s = second_motion(t);
    w->coordinate = fmax(w->coordinate, fabs(coordinate_of(w->r, "shoulder") - p.q));
    w->coordinate = fmax(w->coordinate, fabs(coordinate_of(w->r, "elbow") - s.q));
    w->torque = fmax(w->torque, fabs(torque_of(w->r, "d1") - torque_of_first(p, s)) / TORQUE);
    w->torque = fmax(w->torque, fabs(torque_of(w->r, "d2") - torque_of_second(p, s)) / TORQUE);
    return true;
}

/* Where all coordinates are driven, positions and velocities are those prescribed, and torques have no error. */
static void drives_keep_their_coordinates_and_give_the_torques_of_inverse_dynamics(void **state)
{
    (void)state;
    static const double steps[] = {0.01, 0.001};
    for (int i = 0; i < 2; i++) {
        running r = run_text(ARM(FIRST_DRIVE ", " SECOND_DRIVE), steps[i], TIGHT);
        worst w = {&r, 0, 0};
        const trm_run_def run = {.until = SANITIZED ? 0.3 : 3, .every = NAN, .row = watch_drives, .context = &w};
        trm_sim_enable_reactions(r.sim, true);
        assert_good(trm_sim_run(r.sim, &run));
        print_message("    h = %g s: coordinates off by %.1e rad, torques by %.1e of 20 N m\n", steps[i],
                      w.coordinate, w.torque);
        assert_true(w.coordinate <= 1e-12);
        assert_true(w.torque <= 1e-9);
        stop(&r);
    }
}

/* Returns the acceleration of a free elbow. */
static double free_acceleration(double q2, axis p)
{
    return -torque_of_second(p, (axis){q2, 0, 0}) / (I2 + M2 * R2 * R2);
}

/* Computes the motion of the elbow by the classical Runge-Kutta method in steps of 1e-4 s. */
static axis free_elbow(double until)
{
    enum { STEPS_PER_S = 10000 };
    const double h = 1.0 / STEPS_PER_S;
    axis s = {0, 0, 0};
    for (int i = 0; i < (int)round(until * STEPS_PER_S); i++) {
        const axis now = first_motion(i * h), half = first_motion((i + 0.5) * h), then = first_motion((i + 1) * h);
        const double a1 = free_acceleration(s.q, now), a2 = free_acceleration(s.q + h / 2 * s.w, half);
        const double a3 = free_acceleration(s.q + h / 2 * (s.w + h / 2 * a1), half);
        const double a4 = free_acceleration(s.q + h * (s.w + h / 2 * a2), then);
        s.q += h * (s.w + h / 6 * (a1 + a2 + a3));
        s.w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    s.a = free_acceleration(s.q, first_motion(until));
    return s;
}

/* Returns the relative error of the torque. The elbow is free, so that the torque of the shoulder depends on a
 * computed motion. */
static double torque_off(double step, const void *context)
{
    const axis *elbow = context;
    const double t = 1.5, wanted = torque_of_first(first_motion(t), *elbow);
    running r = run_text(ARM(FIRST_DRIVE), step, TIGHT);
    trm_sim_enable_reactions(r.sim, true);
    go_every(&r, t, t);
    assert_near(coordinate_of(&r, "shoulder"), first_motion(t).q, 1e-12);
    const double off = fabs(torque_of(&r, "d1") / wanted - 1);
    stop(&r);
    return off;
}

static void the_torque_of_a_drive_has_order_two(void **state)
{
    (void)state;
    const axis elbow = free_elbow(1.5);
    const double off = torque_off(0.001, &elbow);
    for (double h = 0.004; h > (SANITIZED ? 0.003 : 0.0009); h /= 2) {
        const double order = order_between(torque_off, &elbow, h);
        print_message("    h = %g s: order %.3f\n", h, order);
        assert_near(order, 2, 0.1);
    }
    print_message("    torque off by %.1e of itself at h = 0.001 s\n", off);
    assert_true(off <= 1e-4);
}

/* ---- A servo axis of two balls ------------------------------------------------------------ */

/* Body a swings from the ground, and b turns on it about an axis through P = (0.3, 0, 0) of a, along z of a. The
 * measuring points are at the distance R from P and coincide at the angle 0. */
#define START 0.6 /* rad */
#define R     0.25
#define KP    60.0
#define KD    9.0
#define MOST  5.0 /* N m */
#define BRAKE 0.4
#define UNTIL 1.5 /* s */

#define SWINGING(joints, forces)                                                                                     \
    "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["                                                    \
    "  { \"name\": \"a\", \"mass\": 3, \"inertia\": [0.2, 0.3, 0.25], \"position\": [0, -0.4, 0] },"                 \
    "  { \"name\": \"b\", \"mass\": 1, \"inertia\": [0.02, 0.05, 0.04], \"com\": [0.2, 0.05, 0.1],"                  \
    "    \"position\": [0.3, -0.4, 0], \"orientation\": { \"axis\": [0, 0, 1], \"angle\": 0.6 } }],"                 \
    "  \"joints\": ["                                                                                                \
    "  { \"name\": \"swing\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"a\"], \"anchor\": [0, 0, 0],"          \
    "    \"axis\": [1, 0, 0.5] }, " joints "], \"forces\": [" forces "],"                                            \
    "  \"sensors\": [{ \"name\": \"apart\", \"type\": \"distance\", \"bodies\": [\"a\", \"b\"],"                     \
    "    \"anchors\": [[0.55, 0, 0], [0.25, 0, 0]] }] }"
#define WITH_HINGE                                                                                                   \
    SWINGING("{ \"name\": \"turn\", \"type\": \"hinge\", \"bodies\": [\"a\", \"b\"], \"anchor\": [0.3, -0.4, 0],"    \
             " \"axis\": [0, 0, 1], \"q0\": 0.6 }",                                                                  \
             "{ \"type\": \"servo\", \"joint\": \"turn\", \"target\": \"1 - 0.5*cos(2*t)\", \"kp\": 60, \"kd\": 9,"  \
             " \"max\": 5, \"brake\": 0.4 }")
#define BALL(name, z)                                                                                                \
    "{ \"name\": \"" name "\", \"type\": \"ball\", \"bodies\": [\"a\", \"b\"], \"anchor\": [0.3, -0.4, " z "] }"
#define WITH_BALLS SWINGING(BALL("lower", "-0.2") ", " BALL("upper", "0.3"), "")

enum { A = 1, B = 2 };

/* Returns the torque of the hinge's servo at an angle and its rate. */
static double servo(double t, double angle, double rate)
{
    const double pull = KP * (1 - 0.5 * cos(2 * t) - angle) + KD * (sin(2 * t) - rate);
    return fmax(-MOST, fmin(MOST, pull)) - BRAKE * rate;
}

static trm_vec3 axis_of(const trm_state *state)
{
    return trm_rotate(trm_body_pose(state, A).q, trm_v3(0, 0, 1));
}

/* Returns the torque from the measuring points alone: their positions, and their velocities relative to a. */
static double measured_torque(const trm_state *state)
{
    const trm_vec3 P = trm_point_position(state, A, trm_v3(0.3, 0, 0)), n = axis_of(state);
    const trm_vec3 p1 = trm_point_position(state, A, trm_v3(0.3 + R, 0, 0));
    const trm_vec3 p2 = trm_point_position(state, B, trm_v3(R, 0, 0));
    const trm_vec3 u1 = trm_v3_sub(p1, P), u2 = trm_v3_sub(p2, P);
    const trm_vec3 of_a = trm_point_velocity(state, A, trm_pose_point_back(trm_body_pose(state, A), p2));
    const trm_vec3 v = trm_v3_sub(trm_point_velocity(state, B, trm_v3(R, 0, 0)), of_a);
    const double angle = atan2(trm_v3_dot(n, trm_v3_cross(u1, u2)), trm_v3_dot(u1, u2));
    return servo(trm_state_time(state), angle, trm_v3_dot(n, trm_v3_cross(u2, v)) / (R * R));
}

/* Returns the wrench of a pair of opposite forces across the axis (figure 10.1), which is a torque about it. */
static trm_spatial about_axis(const trm_state *state, double torque)
{
    return trm_sp(trm_v3_scale(torque, axis_of(state)), trm_v3(0, 0, 0));
}

static trm_spatial torque_on_b(void *context, const trm_state *state)
{
    (void)context;
    return about_axis(state, measured_torque(state));
}

static trm_spatial torque_on_a(void *context, const trm_state *state)
{
    (void)context;
    return about_axis(state, -measured_torque(state));
}

/* A controller that reads the distance of the measuring points before each step and holds its torque during the
 * step. */
typedef struct controller {
    double torque, angle, time;
} controller;

static bool control(void *context, trm_sim *sim)
{
    controller *c = context;
    double apart[TRM_SENSOR_NUMBERS];
    trm_sim_sensor(sim, 0, apart);
    const double t = trm_state_time(trm_sim_state(sim)), angle = 2 * asin(apart[0] / (2 * R));
    const double rate = t > c->time ? (angle - c->angle) / (t - c->time) : 0;
    *c = (controller){servo(t, angle, rate), angle, t};
    return true;
}

static trm_spatial held_on_b(void *context, const trm_state *state)
{
    return about_axis(state, ((const controller *)context)->torque);
}

static trm_spatial held_on_a(void *context, const trm_state *state)
{
    return about_axis(state, -((const controller *)context)->torque);
}

/* Returns how far the two machines diverge in a run, m and rad. */
static double axes_apart(double step, const void *is_sampled)
{
    controller c = {0, START, 0};
    running hinge = run_text(WITH_HINGE, step, TIGHT), balls = run_text(WITH_BALLS, step, TIGHT);
    if (is_sampled) trm_sim_set_hooks(balls.sim, control, NULL, &c);
    assert_int_equal(trm_sim_add_force(balls.sim, "on b", B, is_sampled ? held_on_b : torque_on_b, &c), TRM_OK);
    assert_int_equal(trm_sim_add_force(balls.sim, "on a", A, is_sampled ? held_on_a : torque_on_a, &c), TRM_OK);
    assert_good(trm_sim_observe(balls.sim));
    double most = 0;
    for (double t = 0.125; t <= UNTIL; t += 0.125) {
        go_every(&hinge, t, 0.125);
        go_every(&balls, t, 0.125);
        most = fmax(most, apart(&hinge, &balls));
    }
    assert_true(fabs(coordinate_of(&hinge, "turn") - START) > 0.3); /* it did turn */
    assert_true(trm_sim_accuracy(balls.sim).gap.position <= 1e-12);
    stop(&hinge);
    stop(&balls);
    return most;
}

static void two_balls_and_measuring_points_are_a_servo_axis(void **state)
{
    (void)state;
    static const double ROUNDING = 1e-10; /* the same law at the same times, and joints closed to 1e-13 */
    const double off = axes_apart(0.005, NULL);
    print_message("    torque by measuring points: %.1e apart\n", off);
    assert_true(off <= ROUNDING);
}

static void a_controller_that_reads_their_distance_drives_it_with_order_one(void **state)
{
    (void)state;
    const double h = SANITIZED ? 0.004 : 0.001, off = axes_apart(h, &state),
                 order = order_between(axes_apart, &state, h);
    print_message("    torque held through steps: %.1e apart at h = %g s, order %.2f\n", off, h, order);
    assert_true(SANITIZED || off <= 1e-3);
    assert_near(order, 1, 0.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drives_keep_their_coordinates_and_give_the_torques_of_inverse_dynamics),
        cmocka_unit_test(the_torque_of_a_drive_has_order_two),
        cmocka_unit_test(two_balls_and_measuring_points_are_a_servo_axis),
        cmocka_unit_test(a_controller_that_reads_their_distance_drives_it_with_order_one),
    };
    return RUN_WITH_ALL_SOLVERS(tests);
}
