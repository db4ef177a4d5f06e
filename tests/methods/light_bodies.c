/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Bodies of very small inertia, joined far from their centres: Newton's method must not change their orientation by
 * whole turns in a step. */

#include "running.h"

/* A pendulum of length l whose pivot vibrates, z = A sin(w t). Its bob has the moment of inertia I; its angle q is
 * measured from upright:
 *   (m l^2 + I) q'' = m l (g - A w^2 sin(w t)) sin q */
static const double A = 0.02, W = 300, L = 0.3, G = 9.81;

static trm_vec3 rate(double I, double t, double q, double qd)
{
    return trm_v3(qd, L / (L * L + I) * (G - A * W * W * sin(W * t)) * sin(q), 0);
}

/* Integrates the equation by the Runge-Kutta method of order 4. */
static double reference(double I, double end)
{
    const int steps = 20000; /* error below 1e-12 */
    const double h = end / steps;
    double q = 0.3, qd = 0;
    for (int i = 0; i < steps; i++) {
        const double t = i * h;
        const trm_vec3 a = rate(I, t, q, qd), b = rate(I, t + h / 2, q + h / 2 * a.x, qd + h / 2 * a.y);
        const trm_vec3 c = rate(I, t + h / 2, q + h / 2 * b.x, qd + h / 2 * b.y);
        const trm_vec3 d = rate(I, t + h, q + h * c.x, qd + h * c.y);
        q += h / 6 * (a.x + 2 * b.x + 2 * c.x + d.x);
        qd += h / 6 * (a.y + 2 * b.y + 2 * c.y + d.y);
    }
    return q;
}

static double pendulum(double I, int order, double step, double end)
{
    char text[1000];
    snprintf(text, sizeof text,
             "{ 'trammel': 1, 'gravity': [0, 0, -9.81], 'bodies': [{ 'name': 'pivot', 'moving': { 'position': [0, 0, "
             "'0.02*sin(300*t)'] } }, { 'name': 'bob', 'mass': 1, 'inertia': [%g, %g, %g], 'position': "
             "['0.3*sin(0.3)', 0, '0.3*cos(0.3)'], 'velocity': [0, 0, 6] }], 'joints': [{ 'name': 'h', 'type': "
             "'hinge', 'bodies': ['pivot', 'bob'], 'anchor': [0, 0, 0], 'axis': [0, 1, 0], 'q0': 0.3 }] }",
             I, I, I);
    trm_simulation_def o = trm_default_simulation_def();
    o.order = order;
    o.step = step;
    running r = run_model(quoted(text), &o);
    go(&r, end);
    double q[TRM_JOINT_COORDINATES], qd[TRM_JOINT_COORDINATES];
    trm_joint_values(trm_sim_state(r.sim), trm_find_joint(r.model, "h"), q, qd);
    stop(&r);
    return q[0];
}

static void a_bob_that_is_nearly_a_point_makes_no_turns_of_its_own(void **state)
{
    (void)state;
    static const double moments[] = {1e-9, 1e-7, 1e-3}, steps[] = {1e-3, 5e-4, 2e-4};
    const double end = 0.05, close = 0.01; /* rad: error of the coarsest step at order 2; a turn is 6.28 */
    for (int order = 2; order <= 4; order += 2)
        for (int k = 0; k < 9; k++) {
            const double q = pendulum(moments[k / 3], order, steps[k % 3], end);
            assert_near(q, reference(moments[k / 3], end), close);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bob_that_is_nearly_a_point_makes_no_turns_of_its_own),
    };
    return RUN_TESTS(tests);
}
