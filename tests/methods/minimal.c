/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Costs of runs with minimal coordinates, with absolute angles where the machine is planar: the number of evaluations
 * of accelerations in 10 s at three tolerances, the number of exchanges of coordinates, and the energy error. */

#include "minimal_cases.h"

static const double TOLERANCES[3] = {1e-6, 1e-9, 1e-12};
static const double EVALUATIONS = 0.1; /* relative tolerance of the figures: exact counts depend on rounding */
static const int SWITCHES = 2;         /* tolerance of the number of exchanges, for the same reason */
static const double ENERGY = 5;        /* factor of the figures, for the same reason */

typedef struct figures {
    double evaluations, switches, energy_error, gap;
} figures;

static figures run_ten_seconds(const machine_case *c, const char *history, double tolerance)
{
    char more[100];
    snprintf(more, sizeof more, ":history=%s%s", history, c->own);
    running r = start(c, more, tolerance);
    go_every(&r, 10, EVERY);
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    const figures f = {(double)trm_sim_counters(r.sim)->evaluations, (double)trm_sim_counters(r.sim)->switches,
                       a.energy_error_max, fmax(a.gap.position, a.gap.angle)};
    if (c->energy != 0) assert_near(a.energy_start, c->energy, 1e-9 * fmax(1, fabs(c->energy)));
    stop(&r);
    print_message("%s %-11s %.0e: %5.0f evaluations, %2.0f switches, energy %.1e J, gap %.0e\n", c->name, history,
                  tolerance, f.evaluations, f.switches, f.energy_error, f.gap);
    return f;
}

static void compare_figures(const machine_case *c, int i, figures f)
{
    assert_near(f.switches, c->switches, SWITCHES);
    assert_true(f.gap <= GAP);
    if (c->evaluations[i] == 0) return;
    assert_near(f.evaluations, c->evaluations[i], EVALUATIONS * c->evaluations[i]);
    assert_true(f.energy_error <= ENERGY * c->energy_error[i]);
}

static void runs_cost_what_the_prototype_cost(void **state)
{
    const machine_case *c = *state;
    for (int i = 0; i < 3; i++) {
        const figures ring = run_ten_seconds(c, "ring", TOLERANCES[i]);
        compare_figures(c, i, ring);
        if (c->saving == 0) continue;
        const figures restart = run_ten_seconds(c, "restart", TOLERANCES[i]);
        if (c->restarted[i] > 0) assert_near(restart.evaluations, c->restarted[i], EVALUATIONS * c->restarted[i]);
        assert_true(ring.evaluations <= (1 - c->saving) * restart.evaluations);
        /* with method "differences", as in the paper, evaluations of past points are repeated, and counted too */
        const figures differences = run_ten_seconds(c, "differences", TOLERANCES[i]);
        assert_true(differences.evaluations < restart.evaluations);
        assert_near(differences.switches, c->switches, SWITCHES);
    }
}

int main(void)
{
    return run_on_all_cases(runs_cost_what_the_prototype_cost);
}
