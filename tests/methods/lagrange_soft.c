/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Soft joints: penalty, with a matrix of bodies, and constraint force mixing, with a matrix of joints, are equivalent
 * with cfm = 1 / alpha (Hishinuma 2018, (5) and (6)). */

#include "lagrange_models.h"
#include "methods/maximal/maximal.h"
#include "sim/sim.h"

/* Both matrices lose digits in proportion to alpha; tolerances for the remaining ones. */
static const double SAME_REACTION = 1e-9; /* relative to the largest force */
static const double SAME_PLACE = 1e-9;    /* m, rad */

/* ---- Equivalence -------------------------------------------------------------------------- */

/* Over all joints: the largest force, and the largest difference of two runs. */
typedef struct forces {
    double largest, difference;
} forces;

static void compare_forces(const running *r, const running *s, forces *f)
{
    for (int j = 0; j < trm_joint_count(r->model); j++) {
        const trm_spatial a = trm_joint_reaction(trm_sim_state(r->sim), j),
                          b = trm_joint_reaction(trm_sim_state(s->sim), j), d = trm_sp_add_scaled(a, -1, b);
        f->largest = fmax(f->largest, sqrt(trm_sp_dot(a, a)));
        f->difference = fmax(f->difference, sqrt(trm_sp_dot(d, d)));
    }
}

static void check_same(const char *name, trm_model *one, trm_model *other)
{
    static const double alpha = 1e4;
    char choice[100];
    snprintf(choice, sizeof choice, "lagrange:stabilise=penalty:alpha=%g:omega=20:mu=0.7", alpha);
    running penalty = run_chosen(one, (way){.choice = choice, .step = 0.002});
    snprintf(choice, sizeof choice, "lagrange:stabilise=cfm:cfm=%.17g:omega=20:mu=0.7", 1 / alpha);
    running cfm = run_chosen(other, (way){.choice = choice, .step = 0.002});
    trm_sim_enable_reactions(penalty.sim, true);
    trm_sim_enable_reactions(cfm.sim, true);
    forces f = {0, 0};
    double places = 0;
    for (int k = 0; k <= 5; k++) {
        if (k > 0) go_every(&penalty, 0.1 * k, 0.1);
        if (k > 0) go_every(&cfm, 0.1 * k, 0.1);
        assert_good(trm_sim_observe(penalty.sim));
        assert_good(trm_sim_observe(cfm.sim));
        compare_forces(&penalty, &cfm, &f);
        places = fmax(places, apart(&penalty, &cfm));
    }
    const double gap = fmax(trm_sim_accuracy(cfm.sim).gap.position, trm_sim_accuracy(cfm.sim).gap.angle);
    print_message("%s: forces differ by %.1e of the largest, places by %.1e; gaps up to %.1e\n", name,
                  f.difference / f.largest, places, gap);
    assert_true(gap > 1e-7); /* the joints are soft */
    assert_true(f.largest > 0.1);
    assert_true(f.difference <= SAME_REACTION * f.largest);
    assert_true(places <= SAME_PLACE);
    stop(&penalty);
    stop(&cfm);
}

static void penalty_and_constraint_force_mixing_are_the_same(void **state)
{
    (void)state;
    static const struct {
        const char *name, *model;
    } cases[] = {{"pendulum", ON_A_BALL},
                 {"four-bar, redundant rows", "four-bar"},
                 {"door on two balls, redundant rows", "two-ball-hinge"},
                 {"points and bars", POINTS},
                 {"moving body", MOVED},
                 {"drive", DRIVEN},
                 {"damper", DAMPED},
                 {"8-Loop", "eight-loop"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_same(cases[i].name, model_of(cases[i].model), model_of(cases[i].model));
    check_same("driven slider crank", driven_crank(), driven_crank());
    check_same("hub", hub(), hub());
}

/* ---- Row by row --------------------------------------------------------------------------- */

/* Asserts that J a + softness l = gamma holds after one solution, to rounding of the largest term. */
static void check_rows(const char *name, trm_model *model)
{
    static const double SOLVED = 1e-12; /* relative to the largest term; condition numbers are about 100 */
    running r = run_chosen(model, (way){.choice = "lagrange"});
    trm_maximal *w = trm_maximal_create(&r.sim->stepper, &trm_maximal_direct);
    double *softness = TRM_NEW_ARRAY(&r.sim->arena, double, model->row_count), worst = 0, largest = 0;
    trm_outcome outcome;
    assert_true(w && softness);
    for (int i = 0; i < model->row_count; i++) softness[i] = 0.05 * (1 + i % 7) * (1 + i);
    w->softness = softness;
    assert_true(trm_maximal_begin_accelerations(w, &outcome));
    w->solver->acceleration_round(w);
    for (int j = 0; j < w->joint_count; j++) {
        double gap[TRM_JOINT_ROWS];
        trm_maximal_acceleration_gap(w, &w->joints[j], gap);
        for (int k = 0; k < w->joints[j].joint->rows; k++) {
            const int row = w->joints[j].joint->row_offset + k;
            worst = fmax(worst, fabs(gap[k]));
            largest = fmax(largest, fabs(softness[row] * w->accelerations.lambda[row]));
        }
    }
    print_message("%s: rows fit to %.1e of the largest\n", name, worst / largest);
    assert_true(largest > 0.1 && worst <= SOLVED * largest);
    stop(&r);
}

static void each_row_gives_way_by_its_own(void **state)
{
    (void)state;
    check_rows("drive", model_of(DRIVEN));
    check_rows("four-bar", model_of("four-bar"));
    check_rows("8-Loop", model_of("eight-loop"));
    check_rows("hub", hub());
}

/* ---- Stiffness ---------------------------------------------------------------------------- */

static double gap_at(const char *model, const char *choice)
{
    running r = run_chosen(model_of(model), (way){.choice = choice, .step = 0.002});
    go_every(&r, 1, 0.05);
    const double gap = trm_sim_accuracy(r.sim).gap.position;
    stop(&r);
    return gap;
}

static void joints_ten_times_as_stiff_open_by_a_tenth(void **state)
{
    (void)state;
    static const char *const models[] = {ON_A_BALL, "four-bar", POINTS, DRIVEN};
    for (int m = 0; m < 4; m++) {
        const double soft = gap_at(models[m], "lagrange:stabilise=penalty:alpha=1e5");
        const double stiff = gap_at(models[m], "lagrange:stabilise=penalty:alpha=1e6");
        const double mixed = gap_at(models[m], "lagrange:stabilise=cfm:cfm=1e-6");
        print_message("model %d: gap %.3e, ten times as stiff %.3e\n", m, soft, stiff);
        assert_near(soft / stiff, 10, 0.5);
        assert_near(mixed / stiff, 1, 1e-6);
    }
}

/* A weight m is released on a bar straight below its end: with f = alpha / (alpha + m)
 *
 *     c'' + 2 f Omega mu c' + f Omega^2 c = m g / (alpha + m),     finally c = m g / (alpha Omega^2) */
static void a_hanging_weight_swings_on_its_joint_by_the_closed_form(void **state)
{
    (void)state;
    static const char *const hanging =
        "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [{ \"name\": \"b\", \"point\": true, \"mass\": 2,"
        "    \"position\": [0, -1, 0] }], \"joints\": [{ \"name\": \"bar\", \"type\": \"distance\","
        "    \"bodies\": [\"ground\", \"b\"], \"anchors\": [[0, 0, 0], [0, 0, 0]] }] }";
    static const char *const choices[] = {"lagrange:integrator=fehlberg8:stabilise=penalty:alpha=100:omega=30:mu=0.3",
                                          "lagrange:integrator=fehlberg8:stabilise=cfm:cfm=0.01:omega=30:mu=0.3"};
    const double m = 2, alpha = 100, omega = 30, mu = 0.3, f = alpha / (alpha + m);
    const double end = m * 9.81 / (alpha * omega * omega), beta = f * omega * mu;
    const double swing = sqrt(f * omega * omega - beta * beta);
    for (int i = 0; i < 2; i++) {
        running r = run_chosen(model_of_text(hanging), (way){.choice = choices[i], .step = 0.002});
        for (int k = 1; k <= 20; k++) {
            const double t = 0.05 * k;
            go_every(&r, t, 0.05);
            const double c = end * (1 - exp(-beta * t) * (cos(swing * t) + beta / swing * sin(swing * t)));
            assert_near(-1 - place_of(&r, "b").y, c, 1e-13); /* rounding of lengths of 1 m */
        }
        stop(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(penalty_and_constraint_force_mixing_are_the_same),
        cmocka_unit_test(each_row_gives_way_by_its_own),
        cmocka_unit_test(joints_ten_times_as_stiff_open_by_a_tenth),
        cmocka_unit_test(a_hanging_weight_swings_on_its_joint_by_the_closed_form),
    };
    return RUN_TESTS(tests);
}
