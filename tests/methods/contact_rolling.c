/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Round bodies: they slide, roll, and change from one to the other at the right times and speeds. */

#include "random_bodies.h"
#include "scenes.h"

static const double STEP = 0.01;     /* s */
static const double ROLLING = 1e-7;  /* m/s^2 */
static const double TURNING = 1e-9;  /* s, m, m/s: at the change from sliding to rolling */
static const double FLOATING = 1e-9; /* m: distance from the ground */

/* ---- Billiard balls ------------------------------------------------------------------------- */

/* R18: radius, friction, speed; the first ball is that of Siconos, slide_roll. */
static const double balls[][3] = {{1, 0.3, 20}, {0.028575, 0.2, 2}};

static running sliding_ball(const double *ball, trm_quat seen)
{
    scene s;
    scene_init(&s, ball[1], 0);
    add_solid(&s, sphere_of(ball[0]), 1, trm_v3(0, 0, ball[0]))->velocity = trm_v3(ball[2], 0, 0);
    add_floor(&s);
    turn_scene(&s, seen);
    return run_scene(&s, STEP);
}

static void check_ball(const double *ball, trm_quat seen)
{
    const double r = ball[0], mu = ball[1], v = ball[2], rolls = 2 * v / (7 * mu * G), x = 12 * v * v / (49 * mu * G);
    running run = sliding_ball(ball, seen);
    go_every(&run, rolls, rolls);
    assert_near(trm_rotate_back(seen, place_of(&run, "b1")).x, x, TURNING);
    for (double t = rolls; t < 4; t += 1) {
        go_every(&run, t, t);
        const trm_spatial V = motion_of(&run, "b1");
        const trm_vec3 p = trm_rotate_back(seen, place_of(&run, "b1"));
        assert_near(trm_rotate_back(seen, V.lin).x, 5 * v / 7, TURNING);
        assert_near(r * trm_rotate_back(seen, V.ang).y, 5 * v / 7, TURNING);
        assert_near(p.x, x + 5 * v / 7 * (t - rolls), TURNING);
        assert_near(p.y, 0, TURNING);
        assert_near(p.z, r, FLOATING);
    }
    stop(&run);
}

static void a_sliding_ball_rolls_at_five_sevenths_of_its_speed_at_the_right_time(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(18);
    for (int i = 0; i < 2; i++) {
        check_ball(balls[i], trm_quat_exp(trm_v3(0, 0, 0)));
        for (int k = 0; k < 5; k++) check_ball(balls[i], random_rotation(&random));
    }
}

/* The ball spins about another axis than that of rolling. Slip (v_x - w_y r, v_y + w_x r) keeps its direction as it
 * decreases, and the ball moves on a parabola until it rolls. */
static void a_ball_with_side_spin_curves_until_it_rolls(void **state)
{
    (void)state;
    const double r = 0.03, mu = 0.2, slip[2] = {1, 0.6}, size = sqrt(1 + 0.36), rolls = 2 * size / (7 * mu * G);
    scene s;
    scene_init(&s, mu, 0);
    trm_body_def *ball = add_solid(&s, sphere_of(r), 0.2, trm_v3(0, 0, r));
    ball->velocity = trm_v3(slip[0], 0, 0);
    ball->angular_velocity = trm_v3(slip[1] / r, 0, 7); /* the last one does not matter */
    add_floor(&s);
    running run = run_scene(&s, STEP);
    go_every(&run, rolls, rolls);
    const trm_vec3 v = velocity_of(&run, "b1"), p = place_of(&run, "b1");
    assert_near(v.x, slip[0] - 2 * slip[0] / 7, TURNING);
    assert_near(v.y, -2 * slip[1] / 7, TURNING);
    assert_near(p.x, slip[0] * rolls - slip[0] * rolls / 7, TURNING);
    assert_near(p.y, -slip[1] * rolls / 7, TURNING);
    stop(&run);
}

/* ---- Down a slope ------------------------------------------------------------------------- */

typedef struct roller {
    const char *what;
    trm_shape_def shape;
    double arm; /* J / (m r^2) about the axis of rolling */
} roller;

static running on_slope(const roller *it, double slope, double friction)
{
    scene s;
    scene_init(&s, friction, 0);
    lean(&s, slope);
    trm_body_def *body = add_solid(&s, it->shape, 0.1, trm_v3(0, 0, it->shape.radius));
    if (it->shape.length > 0) body->orientation = trm_quat_exp(trm_v3(TRM_PI / 2, 0, 0)); /* its axis is horizontal */
    add_floor(&s);
    return run_scene(&s, STEP);
}

static void check_rolling(const roller *it, double slope)
{
    const double a = G * sin(slope) / (1 + it->arm), r = it->shape.radius;
    running run = on_slope(it, slope, 0.5);
    go(&run, 1);
    const trm_spatial V = motion_of(&run, "b1");
    const trm_vec3 p = place_of(&run, "b1");
    print_message("    %-8s a off by %.1e m/s^2\n", it->what, fabs(V.lin.x - a));
    assert_near(V.lin.x, a, ROLLING);
    assert_near(r * V.ang.y, a, ROLLING);
    assert_near(2 * p.x, a, ROLLING);
    assert_near(p.y, 0, ROLLING);
    assert_near(p.z, r, FLOATING);
    assert_true(trm_sim_accuracy(run.sim).energy_error_max <= ROLLING);
    stop(&run);
}

static void check_sliding(const roller *it, double slope)
{
    const double mu = 0.05, a = G * (sin(slope) - mu * cos(slope)), r = it->shape.radius;
    running run = on_slope(it, slope, mu);
    go(&run, 1);
    const trm_spatial V = motion_of(&run, "b1");
    assert_near(V.lin.x, a, ROLLING);
    assert_near(r * V.ang.y, mu * G * cos(slope) / it->arm, ROLLING);
    assert_near(place_of(&run, "b1").z, r, FLOATING);
    stop(&run);
}

static void balls_cylinders_capsules_and_discs_roll_and_slide_down_a_slope(void **state)
{
    (void)state;
    const double r = 0.05, l = 0.1, rod = r * r * l, ball = 4 * r * r * r / 3;
    const roller rollers[] = {
        {"sphere", sphere_of(r), 0.4},
        {"cylinder", round_of("cylinder", r, l), 0.5},
        {"disc", round_of("cylinder", r, 0.001), 0.5},
        {"capsule", round_of("capsule", r, l), (0.5 * rod + 0.4 * ball) / (rod + ball)},
    };
    for (size_t i = 0; i < sizeof rollers / sizeof *rollers; i++) {
        check_rolling(&rollers[i], 15 * DEG);
        check_sliding(&rollers[i], 35 * DEG);
    }
}

/* ---- On other bodies ---------------------------------------------------------------------- */

/* A ball that slides down a fixed one leaves it where the normal force vanishes: v^2 = g L cos, L = R + r, and energy
 * gives v^2 = 2 g L (cos start - cos). From then on its speed along x stays v cos. */
static double speed_after_leaving(double step)
{
    const double R = 1, r = 0.1, L = R + r, start = 0.05, cosine = 2 * cos(start) / 3;
    scene s;
    scene_init(&s, 0, 0);
    add_solid(&s, sphere_of(r), 1, trm_v3(L * sin(start), 0, L * cos(start)));
    add_wall(&s, sphere_of(R), trm_v3(0, 0, 0));
    running run = run_scene(&s, step);
    go(&run, 2.5);
    assert_true(place_of(&run, "b1").z < 0);
    const double speed = velocity_of(&run, "b1").x;
    stop(&run);
    return speed - sqrt(G * L * cosine) * cosine;
}

/* The error has order 2; its size depends on the place in the step where the ball leaves. */
static void a_ball_leaves_a_sphere_where_it_should(void **state)
{
    (void)state;
    for (double h = 0.01; h > 0.001; h /= 2) {
        const double off = speed_after_leaving(h);
        print_message("    off by %.1e m/s at h = %g s\n", off, h);
        assert_near(off, 0, 2 * h * h);
    }
}

/* m: heights after a fall from the end of a table. A ball counts as beyond the edge from 1e-12 m above the edge on,
 * which is sqrt(2e-12 r) m later. */
static const double FALLEN = 1e-6;

/* A round body rolls at v, faster than sqrt(g r), on a table that ends at x = 1/2, and falls freely from there. */
static void check_fall_from_table(trm_shape_def shape, double step, int order)
{
    const double v = 0.9, r = shape.radius, t = 0.5 / v, end = 0.8, fall = 0.5 * G * (end - t) * (end - t);
    scene s;
    scene_init(&s, 0.5, 0);
    trm_body_def *body = add_solid(&s, shape, 1, trm_v3(0, 0, r));
    if (shape.length > 0) body->orientation = trm_quat_exp(trm_v3(90 * DEG, 0, 0));
    body->velocity = trm_v3(v, 0, 0);
    body->angular_velocity = trm_v3(0, v / r, 0);
    add_wall(&s, box_of(1, 1, 0.02), trm_v3(0, 0, -0.01));
    s.m.def->simulation.order = order;
    running run = run_scene(&s, step);
    go_every(&run, end, end);
    assert_near(place_of(&run, "b1").x, v * end, FALLEN);
    assert_near(place_of(&run, "b1").z, r - fall, FALLEN);
    stop(&run);
}

/* rad/s: a millionth of a second after an impact. */
static const double AFTER = 1e-3;

/* A wheel of 1 kg rolls at v against a curb of height c. It keeps its angular momentum about the edge of the curb, which
 * it hits with its whole length:  w r/v = (I + m r (r - c))/(I + m r^2). */
static trm_spatial motion_over_curb(const char *type, double v, double time)
{
    const double r = 0.1, c = 0.02;
    scene s;
    scene_init(&s, 0.8, 0);
    trm_body_def body = trm_default_body_def();
    body.mass = 1;
    const double inertia[6] = {0.004, 0.004, 0.005, 0, 0, 0};
    memcpy(body.inertia, inertia, sizeof inertia);
    body.position = trm_v3(0.2, 0, r);
    body.orientation = trm_quat_exp(trm_v3(90 * DEG, 0, 0));
    body.velocity = trm_v3(v, 0, 0);
    body.angular_velocity = trm_v3(0, v / r, 0);
    add_shaped(&s, body, round_of(type, r, 0.04));
    add_wall(&s, box_of(1, 1, c), trm_v3(1, 0, c / 2));
    add_floor(&s);
    running run = run_scene(&s, STEP);
    go_every(&run, time, time);
    const trm_spatial V = motion_of(&run, "b1");
    stop(&run);
    return V;
}

static void wheels_and_capsules_hit_a_curb_with_their_whole_length(void **state)
{
    (void)state;
    static const char *const TYPES[] = {"cylinder", "capsule"};
    const double v = 1.2, at = (0.5 - 0.06 - 0.2) / v;
    for (int i = 0; i < 2; i++) {
        assert_near(motion_over_curb(TYPES[i], v, at + 1e-6).ang.y, (0.005 + 0.008) / (0.005 + 0.01) * v / 0.1,
                    AFTER);
        const trm_spatial V = motion_over_curb(TYPES[i], v, 0.5);
        assert_near(V.lin.y, 0, TURNING);
        assert_near(V.ang.x, 0, TURNING);
        assert_near(V.ang.z, 0, TURNING);
        assert_true(V.lin.x > 0.5);
    }
}

static void balls_and_wheels_leave_a_table_where_it_ends(void **state)
{
    (void)state;
    static const double STEPS[] = {0.01, 0.007, 0.003};
    for (int i = 0; i < 3; i++)
        for (int order = 2; order <= 4; order += 2) {
            check_fall_from_table(sphere_of(0.03), STEPS[i], order);
            check_fall_from_table(round_of("cylinder", 0.05, 0.03), STEPS[i], order);
            check_fall_from_table(round_of("capsule", 0.05, 0.1), STEPS[i], order);
        }
}

/* A ball on a plank that slides on ice: both move as momentum and rolling without slip require. */
static void a_ball_rolls_on_a_plank_that_slides_away(void **state)
{
    (void)state;
    const double r = 0.1, M = 2, m = 1, v = 1;
    scene s;
    scene_init(&s, 0.3, 0);
    add_solid(&s, box_of(20, 1, 0.1), M, trm_v3(0, 0, 0.05));
    add_solid(&s, sphere_of(r), m, trm_v3(0, 0, 0.1 + r))->velocity = trm_v3(v, 0, 0);
    s.shapes[add_floor(&s) - s.m.def->bodies + 1].friction = 0; /* sqrt(0.3 * 0) = 0 between plank and ice */
    running run = run_scene(&s, STEP);
    go(&run, 2);
    /* slip s = v - w r - u decreases by m dv = -F, J dw = F r, M du = F: 1/m + r^2/J + 1/M */
    const double F = v / (1 / m + 2.5 / m + 1 / M);
    assert_near(velocity_of(&run, "b2").x, v - F / m, TURNING);
    assert_near(r * motion_of(&run, "b2").ang.y, 2.5 * F / m, TURNING);
    assert_near(velocity_of(&run, "b1").x, F / M, TURNING);
    stop(&run);
}

/* ---- Rolling friction --------------------------------------------------------------------- */

/* A torque of at most c N resists rolling, and friction at the contact adjusts: m a = m g sin - F, arm m r a = F r -
 * c N, so that a = (g sin - c/r g cos) / (1 + arm). */
static const double C = 0.002; /* m */
/* m, m/s: constant accelerations are integrated exactly, and the end of rolling is located like the end of a
 * slide. */
static const double BRAKING = 1e-9;
/* m: in the 500 steps of 5 s, each with contacts accurate to 1e-3 of the tolerance of 1e-10 m. */
static const double CREEP = 500 * 1e-3 * 1e-10;
/* m/s, rad/s: velocities are accurate to 1e-2 of the tolerance. */
static const double STANDING = 1e-12;
/* m: in time-stepping, until it has come to rest, a standing body obeys its laws to 0.03 of the speed that gravity
 * gives it in a step (methods/contact/solve.c), here 3e-3 m/s for at most one step. */
static const double SETTLING = 3e-5;

static void resist_rolling(scene *s, trm_contact_def *contact, const char *a, const char *b)
{
    *contact = trm_default_contact_def();
    contact->bodies[0] = a, contact->bodies[1] = b;
    contact->rolling = C;
    s->m.def->contacts = contact;
    s->m.def->contact_count = 1;
}

/* A body that rolls down along x on a slope with a speed, in rotated axes. */
typedef struct descent {
    double slope, speed, step;
    const char *impact;
    trm_quat seen;
} descent;

static running on_rough_slope(const roller *it, const descent *d)
{
    trm_contact_def contact;
    scene s;
    scene_init(&s, 0.9, 0);
    lean(&s, d->slope);
    trm_body_def *body = add_solid(&s, it->shape, 0.1, trm_v3(0, 0, it->shape.radius));
    if (it->shape.length > 0) body->orientation = trm_quat_exp(trm_v3(TRM_PI / 2, 0, 0)); /* its axis lies level */
    body->velocity = trm_v3(d->speed, 0, 0);
    body->angular_velocity = trm_v3(0, d->speed / it->shape.radius, 0);
    add_floor(&s);
    resist_rolling(&s, &contact, "b1", "b2");
    turn_scene(&s, d->seen);
    s.m.def->simulation.impact = d->impact;
    return run_scene(&s, d->step);
}

static double acceleration_of(const roller *it, double slope)
{
    return G * (sin(slope) - C / it->shape.radius * cos(slope)) / (1 + it->arm);
}

/* Returns a position in the axes of the slope. */
static trm_vec3 seen_place(const running *run, const descent *d)
{
    return trm_rotate_back(d->seen, place_of(run, "b1"));
}

static trm_spatial seen_motion(const running *run, const descent *d)
{
    const trm_spatial V = motion_of(run, "b1");
    return trm_sp(trm_rotate_back(d->seen, V.ang), trm_rotate_back(d->seen, V.lin));
}

static void check_moving(const running *run, const roller *it, const descent *d, double v, double x)
{
    const trm_spatial V = seen_motion(run, d);
    const trm_vec3 p = seen_place(run, d);
    assert_near(V.lin.x, v, BRAKING);
    assert_near(it->shape.radius * V.ang.y, v, BRAKING);
    assert_near(p.x, x, BRAKING);
    assert_near(p.y, 0, BRAKING);
    assert_near(p.z, it->shape.radius, FLOATING);
}

/* Asserts that the body has stopped after v^2 / 2a, and stays. */
static void check_stop(const roller *it, const descent *d)
{
    const double a = -acceleration_of(it, d->slope), v = d->speed, whole = v / a, way = 0.5 * v * v / a;
    running run = on_rough_slope(it, d);
    const double before = trm_state_energy(trm_sim_state(run.sim)).kinetic;
    go(&run, 0.5 * whole);
    check_moving(&run, it, d, 0.5 * v, 0.75 * way);
    go(&run, whole + 1);
    const trm_spatial V = seen_motion(&run, d);
    const double off = seen_place(&run, d).x - way, energy = trm_sim_accuracy(run.sim).energy_error_max;
    print_message("    %-8s stops %.1e m off, moves %.0e m/s then, energy off by %.1e of %.2g J\n", it->what, off,
                  trm_v3_length(V.lin), energy, before);
    check_moving(&run, it, d, 0, way);
    assert_near(trm_v3_length(V.lin), 0, STANDING);
    assert_near(trm_v3_length(V.ang), 0, STANDING / it->shape.radius);
    assert_true(energy <= BRAKING);
    stop(&run);
}

static void check_rest(const roller *it, const descent *d, double settling)
{
    running run = on_rough_slope(it, d);
    go(&run, 1);
    const trm_vec3 settled = seen_place(&run, d);
    assert_near(trm_v3_length(trm_v3_sub(settled, trm_v3(0, 0, it->shape.radius))), 0, settling);
    go(&run, 6);
    const double crept = trm_v3_length(trm_v3_sub(seen_place(&run, d), settled));
    print_message("    %-8s creeps %.1e m in 5 s\n", it->what, crept);
    assert_near(crept, 0, CREEP);
    stop(&run);
}

static void check_descent(const roller *it, const descent *d)
{
    const double a = acceleration_of(it, d->slope);
    running run = on_rough_slope(it, d);
    go(&run, 1);
    check_moving(&run, it, d, a, 0.5 * a);
    assert_true(trm_sim_accuracy(run.sim).energy_error_max <= BRAKING);
    stop(&run);
}

/* atan(c / r) is 2.29 degrees. */
static void rolling_friction_brakes_stops_and_holds(void **state)
{
    (void)state;
    const roller rollers[] = {{"sphere", sphere_of(0.05), 0.4}, {"cylinder", round_of("cylinder", 0.05, 0.1), 0.5}};
    trm_random random = trm_random_seed(8);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 4; k++) {
            descent d = {.speed = 0.5, .step = STEP, .impact = "event", .seen = random_rotation(&random)};
            if (k == 0) d.seen = trm_quat_exp(trm_v3(0, 0, 0));
            check_stop(&rollers[i], &d);
            d.slope = 1 * DEG;
            check_stop(&rollers[i], &d);
            d.speed = 0, d.slope = 2.2 * DEG;
            check_rest(&rollers[i], &d, CREEP);
            d.slope = 2.4 * DEG;
            check_descent(&rollers[i], &d);
            d.slope = 15 * DEG;
            check_descent(&rollers[i], &d);
        }
}

/* In time-stepping moving bodies obey their laws to 1e-3 of their speed (methods/contact/solve.c), which bounds the
 * error. */
static void rolling_friction_is_nearly_the_same_in_windows(void **state)
{
    (void)state;
    const double of_speed = 1e-3;
    const roller ball = {"sphere", sphere_of(0.05), 0.4};
    for (double h = 0.01; h > 0.002; h /= 2) {
        descent d = {.speed = 0.5, .step = h, .impact = "window", .seen = trm_quat_exp(trm_v3(0, 0, 0.6))};
        const double way = -0.125 / acceleration_of(&ball, 0);
        running run = on_rough_slope(&ball, &d);
        go(&run, 3);
        const double off = seen_place(&run, &d).x - way;
        print_message("    off by %.1e of %.2f m at h = %g s\n", off, way, h);
        assert_near(off, 0, of_speed * way);
        assert_near(trm_v3_length(motion_of(&run, "b1").lin), 0, STANDING);
        stop(&run);
        d.speed = 0, d.slope = 2.2 * DEG;
        check_rest(&ball, &d, SETTLING);
    }
}

/* The body keeps its rotation about the normal. */
static void rolling_friction_leaves_spin_alone(void **state)
{
    (void)state;
    trm_contact_def contact;
    scene s;
    scene_init(&s, 0.5, 0);
    trm_body_def *ball = add_solid(&s, sphere_of(0.05), 0.1, trm_v3(0, 0, 0.05));
    ball->velocity = trm_v3(0.1, 0, 0);
    ball->angular_velocity = trm_v3(0, 2, 7);
    add_floor(&s);
    resist_rolling(&s, &contact, "b1", "b2");
    running run = run_scene(&s, STEP);
    go(&run, 2);
    assert_near(trm_v3_length(trm_v3_sub(motion_of(&run, "b1").ang, trm_v3(0, 0, 7))), 0, BRAKING);
    stop(&run);
}

/* A ball that rolls on a plank on ice: m v' = -F, M u' = F, arm m r w' = F r - c m g and v - u = r w. The rolling
 * speed decreases by c g / r / (arm + M / (m + M)), and finally both have the momentum of the ball. */
static void a_ball_takes_along_the_plank_that_it_rolls_on(void **state)
{
    (void)state;
    const double r = 0.05, M = 2, m = 1, v = 0.5, u = m * v / (m + M);
    const double falls = C * G / r / (0.4 + M / (m + M));
    trm_contact_def contact;
    scene s;
    scene_init(&s, 0.5, 0);
    add_solid(&s, box_of(4, 1, 0.1), M, trm_v3(0, 0, 0.05));
    trm_body_def *ball = add_solid(&s, sphere_of(r), m, trm_v3(0, 0, 0.1 + r));
    ball->velocity = trm_v3(v, 0, 0);
    ball->angular_velocity = trm_v3(0, v / r, 0);
    s.shapes[add_floor(&s) - s.m.def->bodies + 1].friction = 0;
    resist_rolling(&s, &contact, "b2", "b1");
    running run = run_scene(&s, STEP);
    go(&run, 3);
    assert_near(velocity_of(&run, "b2").x, u, BRAKING);
    assert_near(velocity_of(&run, "b1").x, u, BRAKING);
    assert_near(place_of(&run, "b2").x - place_of(&run, "b1").x, 0.5 * v * v / falls, BRAKING);
    assert_near(trm_v3_length(motion_of(&run, "b2").ang), 0, BRAKING);
    stop(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sliding_ball_rolls_at_five_sevenths_of_its_speed_at_the_right_time),
        cmocka_unit_test(a_ball_with_side_spin_curves_until_it_rolls),
        cmocka_unit_test(balls_cylinders_capsules_and_discs_roll_and_slide_down_a_slope),
        cmocka_unit_test(a_ball_leaves_a_sphere_where_it_should),
        cmocka_unit_test(wheels_and_capsules_hit_a_curb_with_their_whole_length),
        cmocka_unit_test(balls_and_wheels_leave_a_table_where_it_ends),
        cmocka_unit_test(a_ball_rolls_on_a_plank_that_slides_away),
        cmocka_unit_test(rolling_friction_brakes_stops_and_holds),
        cmocka_unit_test(rolling_friction_is_nearly_the_same_in_windows),
        cmocka_unit_test(rolling_friction_leaves_spin_alone),
        cmocka_unit_test(a_ball_takes_along_the_plank_that_it_rolls_on),
    };
    return RUN_TESTS(tests);
}
