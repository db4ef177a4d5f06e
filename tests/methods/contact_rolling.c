/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Round bodies: they slide, roll, and go over from one to the other when and as they should. */

#include "random_bodies.h"
#include "scenes.h"

static const double STEP = 0.01;     /* s */
static const double ROLLING = 1e-7;  /* m/s^2 */
static const double TURNING = 1e-9;  /* s, m, m/s: where sliding goes over into rolling */
static const double FLOATING = 1e-9; /* m: off the ground */

/* ---- Billiard balls ------------------------------------------------------------------------- */

/* R18: radius, friction, speed; the first is of Siconos, slide_roll. */
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

/* Spin about another axis than that of rolling: slip (v_x - w_y r, v_y + w_x r) keeps its direction as it shrinks, and the
 * ball goes on a parabola until it rolls. */
static void a_ball_with_side_spin_curves_until_it_rolls(void **state)
{
    (void)state;
    const double r = 0.03, mu = 0.2, slip[2] = {1, 0.6}, size = sqrt(1 + 0.36), rolls = 2 * size / (7 * mu * G);
    scene s;
    scene_init(&s, mu, 0);
    trm_body_def *ball = add_solid(&s, sphere_of(r), 0.2, trm_v3(0, 0, r));
    ball->velocity = trm_v3(slip[0], 0, 0);
    ball->angular_velocity = trm_v3(slip[1] / r, 0, 7); /* the last does not matter */
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
    double arm; /* J / (m r^2) about the axis that it rolls about */
} roller;

static running on_slope(const roller *it, double slope, double friction)
{
    scene s;
    scene_init(&s, friction, 0);
    lean(&s, slope);
    trm_body_def *body = add_solid(&s, it->shape, 0.1, trm_v3(0, 0, it->shape.radius));
    if (it->shape.length > 0) body->orientation = trm_quat_exp(trm_v3(TRM_PI / 2, 0, 0)); /* its axis lies level */
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

/* ---- On other things ---------------------------------------------------------------------- */

/* A ball that slides down a fixed one leaves it where nothing presses it any more: v^2 = g L cos, L = R + r, and energy has
 * v^2 = 2 g L (cos start - cos). Its speed along x stays v cos from then on. */
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

/* Of order two; how much of it depends on where in a step it leaves. */
static void a_ball_leaves_a_sphere_where_it_should(void **state)
{
    (void)state;
    for (double h = 0.01; h > 0.001; h /= 2) {
        const double off = speed_after_leaving(h);
        print_message("    off by %.1e m/s at h = %g s\n", off, h);
        assert_near(off, 0, 2 * h * h);
    }
}

/* A ball on a plank that slides on ice: both move as momentum and rolling without slip demand. */
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
    /* slip s = v - w r - u dies by m dv = -F, J dw = F r, M du = F: 1/m + r^2/J + 1/M */
    const double F = v / (1 / m + 2.5 / m + 1 / M);
    assert_near(velocity_of(&run, "b2").x, v - F / m, TURNING);
    assert_near(r * motion_of(&run, "b2").ang.y, 2.5 * F / m, TURNING);
    assert_near(velocity_of(&run, "b1").x, F / M, TURNING);
    stop(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sliding_ball_rolls_at_five_sevenths_of_its_speed_at_the_right_time),
        cmocka_unit_test(a_ball_with_side_spin_curves_until_it_rolls),
        cmocka_unit_test(balls_cylinders_capsules_and_discs_roll_and_slide_down_a_slope),
        cmocka_unit_test(a_ball_leaves_a_sphere_where_it_should),
        cmocka_unit_test(a_ball_rolls_on_a_plank_that_slides_away),
    };
    return RUN_TESTS(tests);
}
