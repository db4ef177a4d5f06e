/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The projected impulse step is symplectic, as docs/impulse.md states: it leaves the form
 *
 *     Omega(u, v) = m (dx_u . dv_v - dv_u . dx_v) + dtheta_u . dL_v - dL_u . dtheta_v - L . (dtheta_u x dtheta_v)
 *
 * of any two changes u, v of the start unchanged. dtheta is a small turn, L = I omega, both in world axes; the last
 * term is there because turns do not commute. The machine is a top with three different moments on a ball joint.
 * Derivatives are central differences. */

#include "check.h"
#include "choosing.h"
#include "math/rotation.h"
#include "motion/state.h"

enum { DIRECTIONS = 6, STEPS = 5 };
static const double AWAY = 1e-4; /* rad, rad/s: displacement to either side in a central difference */

typedef struct sample {
    trm_vec3 x, v, L;
    trm_quat q;
} sample;

typedef struct tangent {
    trm_vec3 x, v, L, turn;
} tangent;

static sample sample_of(const running *r)
{
    const trm_state *state = trm_sim_state(r->sim);
    const trm_quat q = state->pose[1].q;
    const trm_vec3 J = state->model->bodies[1].inertia, w = trm_rotate_back(q, state->velocity[1].ang);
    return (sample){.x = state->pose[1].p,
                    .v = state->velocity[1].lin,
                    .L = trm_rotate(q, trm_v3(J.x * w.x, J.y * w.y, J.z * w.z)),
                    .q = q};
}

/* Runs the top from a start that is displaced in one direction: rotations about three axes, then the angular
 * velocities. Returns the start and the end. */
static void run_from(const way *how, int direction, double away, sample *start, sample *end)
{
    char text[900];
    trm_vec3 turn = {0.3, -0.5, 0.2}, omega = {3, 4, 6};
    if (direction < 3) turn = trm_v3_add_scaled(turn, away, trm_axis(direction));
    if (direction >= 3) omega = trm_v3_add_scaled(omega, away, trm_axis(direction - 3));
    const trm_quat q = trm_quat_exp(turn);
    const trm_vec3 x = trm_rotate(q, trm_v3(0.3, 0.1, 0.2)), v = trm_v3_cross(omega, x);
    snprintf(
        text, sizeof text,
        "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{ \"name\": \"top\", \"mass\": 1.5,"
        "  \"inertia\": [0.02, 0.05, 0.06], \"position\": [%.17g, %.17g, %.17g], \"orientation\": [%.17g, %.17g, "
        "%.17g, %.17g],"
        "  \"velocity\": [%.17g, %.17g, %.17g], \"angular_velocity\": [%.17g, %.17g, %.17g] }], \"joints\": ["
        "  { \"name\": \"tip\", \"type\": \"ball\", \"bodies\": [\"ground\", \"top\"], \"anchor\": [0, 0, 0] }] }",
        x.x, x.y, x.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, omega.x, omega.y, omega.z);
    running r = run_chosen(model_of_text(text), *how);
    *start = sample_of(&r);
    go(&r, STEPS * how->step);
    *end = sample_of(&r);
    stop(&r);
}

static tangent difference(const sample *more, const sample *less)
{
    const double per = 0.5 / AWAY;
    return (tangent){.x = trm_v3_scale(per, trm_v3_sub(more->x, less->x)),
                     .v = trm_v3_scale(per, trm_v3_sub(more->v, less->v)),
                     .L = trm_v3_scale(per, trm_v3_sub(more->L, less->L)),
                     .turn = trm_v3_scale(per, trm_quat_log(trm_quat_mul(more->q, trm_quat_conj(less->q))))};
}

static double form(const tangent *u, const tangent *v, trm_vec3 L)
{
    const double m = 1.5;
    return m * (trm_v3_dot(u->x, v->v) - trm_v3_dot(u->v, v->x)) + trm_v3_dot(u->turn, v->L) -
           trm_v3_dot(u->L, v->turn) - trm_v3_dot(L, trm_v3_cross(u->turn, v->turn));
}

/* Returns the largest change of the form over all pairs of directions, relative to its largest value. */
static double change_of_form(way how)
{
    sample start, end, from[2], to[2];
    tangent u[DIRECTIONS], after[DIRECTIONS];
    run_from(&how, 0, 0, &start, &end);
    for (int i = 0; i < DIRECTIONS; i++) {
        for (int k = 0; k < 2; k++) run_from(&how, i, k == 0 ? AWAY : -AWAY, &from[k], &to[k]);
        u[i] = difference(&from[0], &from[1]);
        after[i] = difference(&to[0], &to[1]);
    }
    double change = 0, largest = 0;
    for (int i = 0; i < DIRECTIONS; i++)
        for (int j = 0; j < i; j++) {
            const double before = form(&u[i], &u[j], start.L);
            largest = fmax(largest, fabs(before));
            change = fmax(change, fabs(form(&after[i], &after[j], end.L) - before));
        }
    print_message("    %s, order %g: the form changes by %.2g of itself\n", how.choice, how.order, change / largest);
    return change / largest;
}

/* Error of differences: the square of AWAY times third derivatives. Steps that are not symplectic change the form a
 * hundred times as much. */
static const double KEPT = 1e-6, CHANGED = 1e-4;

static void impulse_steps_and_their_compositions_are_symplectic(void **state)
{
    (void)state;
    assert_true(change_of_form((way){.choice = "impulse", .step = 0.05, .tolerance = 1e-13, .order = 2}) < KEPT);
    assert_true(change_of_form((way){.choice = "impulse", .step = 0.05, .tolerance = 1e-13, .order = 4}) < KEPT);
}

/* The same step with a short series for the free rotation, and a Runge-Kutta method. */
static void other_steps_are_not(void **state)
{
    (void)state;
    assert_true(change_of_form((way){.choice = "impulse:taylor=2", .step = 0.05, .tolerance = 1e-13, .order = 2}) >
                CHANGED);
    assert_true(change_of_form((way){.choice = "lagrange:integrator=heun", .step = 0.05, .tolerance = 1e-13}) >
                CHANGED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impulse_steps_and_their_compositions_are_symplectic),
        cmocka_unit_test(other_steps_are_not),
    };
    return RUN_TESTS(tests);
}
