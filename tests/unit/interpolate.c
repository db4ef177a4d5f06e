/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* States between steps: exact for polynomials, of order 6 for smooth motion, and as rows of a run. */

#include "sim/interpolate.h"

#include "check.h"
#include "math/rotation.h"
#include "running.h"
#include "trammel/elementary.h"

static const char *const a_point_and_a_body =
    "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"p\", \"point\": true, \"mass\": 1 },"
    "  { \"name\": \"b\", \"mass\": 1, \"inertia\": [1, 2, 2.5] },"
    "  { \"name\": \"m\", \"moving\": { \"position\": [\"sin(t)\", 0, 0] } }] }";
enum { POINT = 1, BODY, MOVING };

/* Pose and twist of a motion at a time. */
typedef void (*motion)(double t, trm_pose *X, trm_spatial *V);

typedef struct nodes {
    trm_model *model;
    trm_state *at[3], *between;
} nodes;

static nodes make_nodes(void)
{
    nodes n = {.model = model_of_text(a_point_and_a_body)};
    for (int i = 0; i < 3; i++) n.at[i] = start_of(n.model);
    n.between = start_of(n.model);
    return n;
}

static void free_nodes(nodes *n)
{
    for (int i = 0; i < 3; i++) trm_state_destroy(n->at[i]);
    trm_state_destroy(n->between);
    trm_model_destroy(n->model);
}

static void set_nodes(nodes *n, int body, motion m, double t0, double t1, double t2)
{
    const double t[3] = {t0, t1, t2};
    for (int i = 0; i < 3; i++) {
        n->at[i]->clock->time = t[i];
        n->at[i]->clock->work.input = 100 * t[i];
        m(t[i], &n->at[i]->pose[body], &n->at[i]->velocity[body]);
    }
}

static void interpolate(nodes *n, int count, double t)
{
    const trm_state *const list[3] = {n->at[0], n->at[1], n->at[2]};
    trm_interpolate(list + 3 - count, count, t, n->between);
}

/* ---- Polynomials -------------------------------------------------------------------------- */

static double polynomial(const double *c, int degree, double t, double *slope)
{
    double value = 0;
    *slope = 0;
    for (int i = degree; i >= 0; i--) {
        *slope = *slope * t + value;
        value = value * t + c[i];
    }
    return value;
}

static void move_by(const double c[3][6], int degree, double t, trm_pose *X, trm_spatial *V)
{
    *X = trm_pose_identity();
    *V = (trm_spatial){{0, 0, 0}, {0, 0, 0}};
    X->p.x = polynomial(c[0], degree, t, &V->lin.x);
    X->p.y = polynomial(c[1], degree, t, &V->lin.y);
    X->p.z = polynomial(c[2], degree, t, &V->lin.z);
}

static const double coefficients[3][6] = {{1, -2, 3, 0.5, -1, 2}, {0, 1, 0, -1, 0.3, -0.7}, {2, 0, 1, 1, 1, 1}};

static void quintic(double t, trm_pose *X, trm_spatial *V)
{
    move_by(coefficients, 5, t, X, V);
}

static void cubic(double t, trm_pose *X, trm_spatial *V)
{
    move_by(coefficients, 3, t, X, V);
}

static void check_exact(motion m, int count)
{
    const double tolerance = 1e-13; /* for numbers up to 20, with divided differences over 0.1 s */
    nodes n = make_nodes();
    set_nodes(&n, POINT, m, 1, 1.1, 1.3); /* steps need not be equal */
    for (double t = 1.1; t <= 1.3; t += 0.01) {
        trm_pose X;
        trm_spatial V;
        m(t, &X, &V);
        interpolate(&n, count, t);
        assert_near(trm_v3_length(trm_v3_sub(n.between->pose[POINT].p, X.p)), 0, tolerance);
        assert_near(trm_v3_length(trm_v3_sub(n.between->velocity[POINT].lin, V.lin)), 0, 100 * tolerance);
    }
    free_nodes(&n);
}

static void three_steps_give_a_quintic_exactly(void **unused)
{
    (void)unused;
    check_exact(quintic, 3);
}

static void two_steps_give_a_cubic_exactly(void **unused)
{
    (void)unused;
    check_exact(cubic, 2);
}

/* ---- Order -------------------------------------------------------------------------------- */

/* A smooth motion that rotates about changing axes, faster than 1 rad/s. */
static void smooth(double t, trm_pose *X, trm_spatial *V)
{
    const trm_vec3 r = {sin(t), 0.5 * cos(2 * t), 1 + t}, r_dot = {cos(t), -sin(2 * t), 1};
    X->q = trm_quat_exp(r);
    X->p = trm_v3(sin(2 * t), exp(-t), cos(t));
    V->ang = trm_mat_vec(trm_exp_jacobian(r), r_dot);
    V->lin = trm_v3(2 * cos(2 * t), -exp(-t), -sin(t));
}

typedef struct errors {
    double place, turn, velocity, spin;
} errors;

static errors errors_at(int count, double h)
{
    errors largest = {0, 0, 0, 0};
    nodes n = make_nodes();
    set_nodes(&n, BODY, smooth, 0.7 - h, 0.7, 0.7 + h);
    for (int i = 1; i < 10; i++) {
        trm_pose X;
        trm_spatial V;
        const double t = 0.7 + 0.1 * i * h;
        smooth(t, &X, &V);
        interpolate(&n, count, t);
        const trm_pose *Y = &n.between->pose[BODY];
        const trm_spatial *U = &n.between->velocity[BODY];
        largest.place = fmax(largest.place, trm_v3_length(trm_v3_sub(X.p, Y->p)));
        largest.turn = fmax(largest.turn, trm_v3_length(trm_quat_log(trm_quat_mul(X.q, trm_quat_conj(Y->q)))));
        largest.velocity = fmax(largest.velocity, trm_v3_length(trm_v3_sub(V.lin, U->lin)));
        largest.spin = fmax(largest.spin, trm_v3_length(trm_v3_sub(V.ang, U->ang)));
    }
    free_nodes(&n);
    return largest;
}

static void check_order(int count, double h, double order)
{
    const double slack = 0.2;
    const errors coarse = errors_at(count, h), fine = errors_at(count, h / 2);
    assert_near(log2(coarse.place / fine.place), order, slack);
    assert_near(log2(coarse.turn / fine.turn), order, slack);
    assert_near(log2(coarse.velocity / fine.velocity), order - 1, slack);
    assert_near(log2(coarse.spin / fine.spin), order - 1, slack);
}

static void three_steps_give_poses_of_order_6_and_velocities_of_order_5(void **unused)
{
    (void)unused;
    check_order(3, 0.1, 6);
}

static void two_steps_give_poses_of_order_4_and_velocities_of_order_3(void **unused)
{
    (void)unused;
    check_order(2, 0.05, 4);
}

static void at_a_step_the_state_is_that_of_the_step(void **unused)
{
    (void)unused;
    const double tolerance = 1e-14;
    nodes n = make_nodes();
    set_nodes(&n, BODY, smooth, 0.5, 0.6, 0.7);
    for (int i = 1; i < 3; i++) {
        interpolate(&n, 3, n.at[i]->clock->time);
        const trm_pose *X = &n.at[i]->pose[BODY], *Y = &n.between->pose[BODY];
        assert_near(trm_v3_length(trm_v3_sub(X->p, Y->p)), 0, tolerance);
        assert_near(trm_v3_length(trm_quat_log(trm_quat_mul(X->q, trm_quat_conj(Y->q)))), 0, tolerance);
    }
    free_nodes(&n);
}

static void time_work_and_prescribed_motion_are_those_between(void **unused)
{
    (void)unused;
    nodes n = make_nodes();
    set_nodes(&n, BODY, smooth, 0.5, 0.6, 0.8);
    interpolate(&n, 3, 0.65);
    assert_near(n.between->clock->time, 0.65, 0);
    assert_near(n.between->clock->work.input, 65, 1e-12);
    assert_near(n.between->pose[MOVING].p.x, trm_sin(0.65), 0);
    assert_near(n.between->velocity[MOVING].lin.x, trm_cos(0.65), 0);
    free_nodes(&n);
}

/* ---- Rows of a run ------------------------------------------------------------------------ */

/* Observations of all rows. */
typedef struct rows {
    double every;
    int count;
    double gap, late_gap; /* m: largest gap of the bar; late_gap: in rows from the third step on */
    double late;          /* s: time of the third step */
} rows;

static bool watch_bar(void *context, const trm_state *state)
{
    rows *r = context;
    assert_true(trm_state_time(state) == r->count * r->every);
    const double gap = fabs(trm_v3_length(trm_body_pose(state, 1).p) - 1);
    r->gap = fmax(r->gap, gap);
    if (trm_state_time(state) > r->late) r->late_gap = fmax(r->late_gap, gap);
    r->count++;
    return true;
}

static rows rows_of_pendulum(double step)
{
    running r = run_file(TRM_EXAMPLES "/pendulum.json", step, 1e-13);
    rows list = {.every = step / 7, .late = 2 * step};
    const trm_run_def run = {.until = 1, .every = list.every, .row = watch_bar, .context = &list};
    assert_good(trm_sim_run(r.sim, &run));
    assert_near(trm_state_time(trm_sim_state(r.sim)), 1, 0);
    assert_int_equal(trm_sim_counters(r.sim)->steps, (int)lround(1 / step));
    stop(&r);
    return list;
}

/* Order 4, not 6: the velocities at the steps, which have errors of second order, do not quite agree with the
 * positions. */
static void rows_at_a_seventh_of_the_step_lie_on_the_circle_with_order_4(void **unused)
{
    (void)unused;
    const double slack = 0.2;
    const rows coarse = rows_of_pendulum(0.02), fine = rows_of_pendulum(0.01);
    assert_int_equal(coarse.count, 7 * 50 + 1);
    assert_int_equal(fine.count, 7 * 100 + 1);
    assert_true(coarse.gap < 1e-4); /* between the first two steps: order 4 */
    assert_near(log2(coarse.late_gap / fine.late_gap), 4, slack);
    assert_true(fine.late_gap < 1e-6);
}

/* The angle of a hinge that keeps turning does not jump between steps. */
static bool watch_turns(void *context, const trm_state *state)
{
    const double tolerance = 1e-9;
    double q, qd;
    (void)context;
    trm_joint_values(state, 0, &q, &qd);
    assert_near(q, 20 * trm_state_time(state), tolerance);
    assert_near(qd, 20, 1e-7);
    return true;
}

static void turns_are_counted_between_steps(void **unused)
{
    (void)unused;
    running r =
        run_text("{ \"trammel\": 1, \"bodies\": [{ \"name\": \"wheel\", \"mass\": 1, \"inertia\": [1, 1, 2],"
                 "  \"angular_velocity\": [0, 0, 20] }], \"joints\": [{ \"name\": \"axle\", \"type\": \"hinge\","
                 "  \"bodies\": [\"ground\", \"wheel\"], \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1] }] }",
                 0.05, 1e-12);
    const trm_run_def run = {.until = 3, .every = 0.007, .row = watch_turns};
    assert_good(trm_sim_run(r.sim, &run));
    stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_steps_give_a_quintic_exactly),
        cmocka_unit_test(two_steps_give_a_cubic_exactly),
        cmocka_unit_test(three_steps_give_poses_of_order_6_and_velocities_of_order_5),
        cmocka_unit_test(two_steps_give_poses_of_order_4_and_velocities_of_order_3),
        cmocka_unit_test(at_a_step_the_state_is_that_of_the_step),
        cmocka_unit_test(time_work_and_prescribed_motion_are_those_between),
        cmocka_unit_test(rows_at_a_seventh_of_the_step_lie_on_the_circle_with_order_4),
        cmocka_unit_test(turns_are_counted_between_steps),
    };
    return RUN_TESTS(tests);
}
