/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The claims of Schmitt, Bender and Prautzsch about point masses (SBP): the velocity correction as printed and as
 * corrected, its iteration on a singular matrix, one round of Newton's method compared with the Taylor method, and
 * starts that violate distances in position and velocity. */

#include "base/random.h"
#include "check.h"
#include "point_machines.h"
#include "random_bodies.h"

static const double TOLERANCE = 1e-12; /* m, m/s: D_max, V_max */

/* ---- SBP (2.7) ---------------------------------------------------------------------------- */

typedef struct pair {
    double m[2];
    trm_vec3 P[2], V[2];
} pair;

static pair pair_of_length(double length)
{
    return (pair){
        {1, 3},
        {{0.1, 0.2, -0.3}, trm_v3_add_scaled(trm_v3(0.1, 0.2, -0.3), length, trm_v3_unit(trm_v3(2, -1, 2)))},
        {{0.5, -1, 0.3}, {-0.2, 0.4, 0.9}}};
}

/* Returns the rate of the distance, m/s. */
static double rate(const pair *p)
{
    return trm_v3_dot(trm_v3_unit(trm_v3_sub(p->P[1], p->P[0])), trm_v3_sub(p->V[1], p->V[0]));
}

/* Applies the impulse as printed, or divided by |A| once more. */
static void correct(pair *p, bool as_printed)
{
    const trm_vec3 A = trm_v3_sub(p->P[1], p->P[0]);
    const double D = trm_v3_dot(A, trm_v3_sub(p->V[1], p->V[0])), masses = 1 / p->m[1] + 1 / p->m[0];
    const trm_vec3 I = trm_v3_scale(D / masses / (as_printed ? trm_v3_length(A) : trm_v3_dot(A, A)), A);
    p->V[0] = trm_v3_add_scaled(p->V[0], 1 / p->m[0], I);
    p->V[1] = trm_v3_add_scaled(p->V[1], -1 / p->m[1], I);
}

static void the_correction_as_printed_leaves_1_minus_the_length(void **state)
{
    (void)state;
    static const double LENGTHS[] = {0.01, 0.5, 1, 1.9, 3};
    for (int i = 0; i < 5; i++) {
        pair p = pair_of_length(LENGTHS[i]);
        const double before = rate(&p);
        assert_true(fabs(before) > 0.1);
        correct(&p, true);
        assert_near(rate(&p), (1 - LENGTHS[i]) * before, 1e-14);
        for (int more = 0; more < 40; more++) correct(&p, true);
        if (LENGTHS[i] > 2) assert_true(fabs(rate(&p)) > 1e10 * fabs(before)); /* 2^41 is 2e12 */
        if (LENGTHS[i] < 2) assert_true(fabs(rate(&p)) < fabs(before));
    }
}

static void divided_by_the_length_once_more_it_corrects_in_one_go(void **state)
{
    (void)state;
    static const double LENGTHS[] = {0.01, 0.5, 1, 3, 1000};
    for (int i = 0; i < 5; i++) {
        pair p = pair_of_length(LENGTHS[i]);
        correct(&p, false);
        assert_near(rate(&p), 0, 1e-15);
    }
}

static trm_model *model_of_pair(const pair *p)
{
    machine m;
    machine_init(&m);
    for (int i = 0; i < 2; i++) {
        trm_body_def body = trm_default_body_def();
        body.kind = TRM_BODY_POINT;
        body.mass = p->m[i];
        body.position = p->P[i];
        add_body(&m, body);
    }
    add_bar(&m, 1, 2);
    return machine_finish(&m);
}

static running start(trm_model *model, const char *solver, double step)
{
    trm_simulation_def options = *trm_model_simulation(model);
    options.solver = solver;
    options.order = 2;
    options.step = step;
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = TOLERANCE;
    return run_model(model, &options);
}

static const char *const SOLVERS[] = {"direct", "iterative"};

/* Velocities that violate the rods become those of the corrected formula, at any length. */
static void our_correction_is_the_right_one_at_any_length(void **state)
{
    (void)state;
    static const double LENGTHS[] = {0.01, 3};
    for (int i = 0; i < 4; i++) {
        pair p = pair_of_length(LENGTHS[i % 2]);
        running r = start(model_of_pair(&p), SOLVERS[i / 2], 0.01);
        for (int k = 0; k < 2; k++)
            trm_set_body_velocity(trm_sim_state(r.sim), 1 + k, trm_sp(trm_v3(0, 0, 0), p.V[k]));
        assert_good(trm_sim_observe(r.sim));
        correct(&p, false);
        assert_near(velocity_gap_now(&r), 0, 1e-15);
        for (int k = 0; k < 2; k++)
            assert_near(trm_v3_length(trm_v3_sub(trm_body_velocity(trm_sim_state(r.sim), 1 + k).lin, p.V[k])), 0,
                        1e-15);
        stop(&r);
    }
}

/* ---- SBP section 4 ------------------------------------------------------------------------ */

static void set_random_velocities(const running *r, uint64_t seed)
{
    trm_random random = trm_random_seed(seed);
    for (int i = 1; i < trm_body_count(r->model); i++)
        trm_set_body_velocity(trm_sim_state(r->sim), i, trm_sp(trm_v3(0, 0, 0), random_vector(&random, 1)));
}

/* The matrix of 28 distances between 8 points has rank 18. Nevertheless corrections distance by distance lead to the
 * velocities of the solution of all at once: Gauss-Seidel converges on a positive semi-definite matrix if the right
 * side is consistent. */
static void gauss_seidel_converges_on_a_singular_matrix(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        running r[2];
        for (int i = 0; i < 2; i++) {
            r[i] = start(cuboid(NULL), SOLVERS[i], 0.01);
            set_random_velocities(&r[i], seed);
            assert_true(velocity_gap_now(&r[i]) > 0.1);
            assert_good(trm_sim_observe(r[i].sim));
            assert_true(velocity_gap_now(&r[i]) <= TOLERANCE);
        }
        const double off = runs_apart(&r[0], &r[1]);
        print_message("    seed %d: %lld rounds over 29 distances, %.1e m/s off all at once\n", (int)seed,
                      trm_sim_counters(r[1].sim)->rounds, off);
        assert_near(off, 0, 100 * TOLERANCE); /* slow convergence: the remaining error exceeds the last change */
        stop(&r[0]);
        stop(&r[1]);
    }
}

/* ---- SBP section 8 ------------------------------------------------------------------------ */

/* Compares x of one round of Newton's method (5.8), (5.9) with the Taylor method's lambda_0 (6.11), for a point of 2
 * kg on a string from the origin. */
static double impulse_against_force(double h, const void *context)
{
    (void)context;
    const double mass = 2;
    const trm_vec3 g = {0, -9.81, 0}, P = {0.6, -0.8, 0}, V = trm_v3_scale(1.7, trm_v3(0.8, 0.6, 0));
    const trm_vec3 ahead = trm_v3_add_scaled(trm_v3_add_scaled(P, h, V), 0.5 * h * h, g);
    const double x = (1 - trm_v3_dot(ahead, ahead)) / (2 * h) / (trm_v3_dot(ahead, P) / mass);
    const double lambda = (-trm_v3_dot(V, V) - trm_v3_dot(P, g)) / (trm_v3_dot(P, P) / mass);
    return fabs(x / (h / 2) - lambda);
}

/* "(2/h) b" in the proof is (h/2) b: x = h/2 lambda_0 + O(h^2). */
static void the_impulse_of_one_round_is_the_taylor_force_over_half_a_step(void **state)
{
    (void)state;
    const double off = impulse_against_force(1e-3, NULL), seen = order_between(impulse_against_force, NULL, 1e-3);
    print_message("    x / (h/2) is %.1e N/m off lambda_0 at h = 0.001 s, order %.2f\n", off, seen);
    assert_near(seen, 1, 0.1);
}

/* ---- SBP section 5 ------------------------------------------------------------------------ */

/* Largest displacement of points as a fraction of the shortest distance, and size of the velocities, which violate
 * all distances. */
static const double SHARE = 0.03, SPEED = 0.5;

static void disturb(const running *r, double length, uint64_t seed)
{
    trm_random random = trm_random_seed(seed);
    trm_state *state = trm_sim_state(r->sim);
    for (int i = 1; i < trm_body_count(r->model); i++) {
        trm_pose pose = trm_body_pose(state, i);
        pose.p = trm_v3_add(pose.p, random_vector(&random, SHARE * length));
        trm_set_body_pose(state, i, pose);
        trm_set_body_velocity(state, i, trm_sp(trm_v3(0, 0, 0), random_vector(&random, SPEED)));
    }
}

typedef struct displaced {
    const char *name;
    trm_model *(*make)(void);
    double length; /* m: the shortest distance */
} displaced;

static trm_model *redundant_cuboid(void)
{
    return cuboid(NULL);
}

static void check_inconsistent_start(const displaced *d, const char *solver, uint64_t seed)
{
    running r = start(d->make(), solver, 0.01);
    assert_good(trm_sim_step(r.sim, 0.01));
    disturb(&r, d->length, seed);
    const double open = gap_now(&r);
    assert_true(open > 0.2 * SHARE * d->length);
    assert_good(trm_sim_step(r.sim, 0.01));
    print_message("    %-16s %-9s open by %.1e m, after a step by %.1e m\n", d->name, solver, open, gap_now(&r));
    assert_true(gap_now(&r) <= TOLERANCE);
    assert_int_equal(trm_sim_counters(r.sim)->halvings, 0);
    assert_good(trm_sim_observe(r.sim));
    assert_true(velocity_gap_now(&r) <= TOLERANCE);
    stop(&r);
}

static void a_step_closes_gaps_in_position_and_velocity(void **state)
{
    (void)state;
    static const displaced machines[] = {
        {"double pendulum", double_pendulum_of_points, 1},
        {"chain of 8", chain_of_points, 0.25},
        {"tetrahedron", tetrahedron, 0.4},
        {"cuboid", redundant_cuboid, 0.36},
    };
    for (int i = 0; i < 4; i++)
        for (int s = 0; s < 2; s++)
            for (uint64_t seed = 1; seed <= 3; seed++) check_inconsistent_start(&machines[i], SOLVERS[s], seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_correction_as_printed_leaves_1_minus_the_length),
        cmocka_unit_test(divided_by_the_length_once_more_it_corrects_in_one_go),
        cmocka_unit_test(our_correction_is_the_right_one_at_any_length),
        cmocka_unit_test(gauss_seidel_converges_on_a_singular_matrix),
        cmocka_unit_test(the_impulse_of_one_round_is_the_taylor_force_over_half_a_step),
        cmocka_unit_test(a_step_closes_gaps_in_position_and_velocity),
    };
    return RUN_TESTS(tests);
}
