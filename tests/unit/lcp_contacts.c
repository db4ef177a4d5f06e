/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The solvers of linear complementarity problems on random contact scenes: a few bodies of random mass, inertia and
 * velocity that touch each other and the ground at random points with random normals, up to 20 of them. A = J M^-1
 * J^T, b = J V, so that w is the velocity of the contacts after the impulses x. With more contacts than degrees of
 * freedom, A is singular. */

#include <string.h>

#include "check.h"
#include "lcp_problems.h"
#include "sanitized.h"

/* Sanitizers make a scene ten times as long. */
enum { SHARE = SANITIZED ? 5 : 1 }; /* 1/SHARE of the scenes are solved */

/* Relative to the largest number in w. */
static const double tolerance = 1e-9;

enum { BODIES = 4, CONTACTS = 20, DIRECTIONS = 16, ROWS = CONTACTS * (1 + DIRECTIONS), WAYS = 6 * BODIES };

typedef enum friction { NONE, PYRAMIDS, BOXES } friction;

typedef struct scene {
    int bodies, contacts, directions;
    double mu;
    double inverse_mass[WAYS], V[WAYS];
    double J[ROWS][WAYS];
} scene;

/* ---- Scenes --------------------------------------------------------------------------------- */

typedef struct vec {
    double x[3];
} vec;

static vec cross(vec a, vec b)
{
    return (vec){
        {a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2], a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}

static vec combine(double s, vec a, double t, vec b)
{
    return (vec){{s * a.x[0] + t * b.x[0], s * a.x[1] + t * b.x[1], s * a.x[2] + t * b.x[2]}};
}

static vec random_vec(trm_random *random)
{
    vec v;
    for (int i = 0; i < 3; i++) v.x[i] = trm_random_uniform(random, -1, 1);
    return v;
}

static vec unit(vec v)
{
    return combine(1 / sqrt(v.x[0] * v.x[0] + v.x[1] * v.x[1] + v.x[2] * v.x[2]), v, 0, v);
}

/* Sets the part of a body in a row: sign times the velocity of its point r along n. */
static void set_end(double *J, int body, double sign, vec n, vec r)
{
    const vec turn = cross(r, n);
    for (int i = 0; i < 3 && body >= 0; i++) {
        J[6 * body + i] = sign * n.x[i];
        J[6 * body + 3 + i] = sign * turn.x[i];
    }
}

/* Adds one contact: its normal, then its directions of friction. */
static void add_contact(scene *s, lcp_problem *p, int first, friction kind, trm_random *random)
{
    const int a = lcp_random_index(random, s->bodies), other = lcp_random_index(random, s->bodies + 1) - 1;
    const int b = other == a ? -1 : other, directions = p->lcp.n / s->contacts - 1;
    const vec n = unit(random_vec(random)), t = unit(cross(n, random_vec(random))), u = cross(n, t);
    const vec ra = random_vec(random), rb = random_vec(random);
    for (int d = 0; d <= directions; d++) {
        const double angle = 2 * acos(-1) * (d - 1) / (kind == BOXES ? 4 : directions);
        const vec along = d == 0 ? n : combine(cos(angle), t, sin(angle), u);
        const int row = first + d;
        set_end(s->J[row], a, 1, along, ra);
        set_end(s->J[row], b, -1, along, rb);
        if (d == 0) continue;
        p->friction[row] = first;
        p->hi[row] = s->mu;
        p->lo[row] = kind == BOXES ? -s->mu : 0;
    }
}

static scene random_scene(int contacts, double most_mu, trm_random *random)
{
    static const int directions[] = {4, 6, 8, 16};
    scene s = {.bodies = 1 + lcp_random_index(random, BODIES),
               .contacts = 1 + lcp_random_index(random, contacts),
               .directions = directions[lcp_random_index(random, 4)],
               .mu = trm_random_uniform(random, 0, most_mu)};
    for (int body = 0; body < s.bodies; body++) {
        const double mass = pow(10, trm_random_uniform(random, -1, 1));
        for (int i = 0; i < 6; i++) {
            s.inverse_mass[6 * body + i] = 1 / (i < 3 ? mass : mass * trm_random_uniform(random, 0.1, 0.5));
            s.V[6 * body + i] = trm_random_uniform(random, -1, 1);
        }
    }
    return s;
}

static lcp_problem scene_problem(scene *s, friction kind, trm_random *random, trm_arena *arena)
{
    const int each = 1 + (kind == NONE ? 0 : kind == BOXES ? 2 : s->directions), ways = 6 * s->bodies;
    lcp_problem p = lcp_problem_make(s->contacts * each, arena);
    const int n = p.lcp.n;
    for (int c = 0; c < s->contacts; c++) add_contact(s, &p, c * each, kind, random);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < ways; k++) {
            const double factor = s->J[i][k] * s->inverse_mass[k];
            p.b[i] += s->J[i][k] * s->V[k];
            for (int j = 0; j < n && factor != 0; j++) p.A[i * n + j] += factor * s->J[j][k];
        }
    return p;
}

/* Returns the difference of the velocities of the bodies after x and after y. */
static double difference_of_V(const scene *s, const trm_lcp *lcp, const double *x, const double *y)
{
    double most = 0;
    for (int k = 0; k < 6 * s->bodies; k++) {
        double sum = 0;
        for (int i = 0; i < lcp->n; i++) sum += s->J[i][k] * (x[i] - y[i]);
        most = fmax(most, fabs(sum * s->inverse_mass[k]));
    }
    return most;
}

/* ---- Lemke ---------------------------------------------------------------------------------- */

static void lemke_solves_all(friction kind, int scenes, uint64_t seed)
{
    trm_random random = trm_random_seed(seed);
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    double worst = 0;
    long pivots = 0, rows = 0;
    int most = 0;
    for (int k = 0; k < scenes; k++) {
        const trm_arena_mark mark = trm_arena_get_mark(&arena);
        scene s = random_scene(CONTACTS, 1.5, &random);
        lcp_problem p = scene_problem(&s, kind, &random, &arena);
        const trm_lcp_result result = trm_lcp_lemke(&p.lcp, &arena);
        assert_int_equal(result.status, TRM_LCP_SOLVED);
        const double residual = lcp_residual(&p.lcp, &arena) / lcp_size(&p.lcp);
        assert_near(residual, 0, tolerance);
        worst = fmax(worst, residual);
        pivots += result.steps;
        rows += p.lcp.n;
        if (result.steps > most) most = result.steps;
        trm_arena_reset(&arena, mark);
    }
    print_message("%d scenes of %.0f rows in the mean, worst residual %.2g, pivots %.0f in the mean, %d at most\n",
                  scenes, (double)rows / scenes, worst, (double)pivots / scenes, most);
    trm_arena_destroy(&arena);
}

static void lemke_solves_every_scene_with_pyramids(void **state)
{
    (void)state;
    lemke_solves_all(PYRAMIDS, 2000 / SHARE, 1);
}

static void lemke_solves_every_scene_with_boxes(void **state)
{
    (void)state;
    lemke_solves_all(BOXES, 1000 / SHARE, 2);
}

/* Without friction the velocity of the bodies is unique: the one of least energy (Moreau). */
static void lemke_and_dantzig_move_bodies_alike_without_friction(void **state)
{
    (void)state;
    enum { SCENES = 2000 / SHARE };
    trm_random random = trm_random_seed(3);
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    double worst = 0;
    for (int k = 0; k < SCENES; k++) {
        const trm_arena_mark mark = trm_arena_get_mark(&arena);
        scene s = random_scene(CONTACTS, 0, &random);
        lcp_problem p = scene_problem(&s, NONE, &random, &arena);
        double x[CONTACTS];
        assert_int_equal(trm_lcp_lemke(&p.lcp, &arena).status, TRM_LCP_SOLVED);
        memcpy(x, p.lcp.x, (size_t)p.lcp.n * sizeof *x);
        assert_int_equal(trm_lcp_dantzig(&p.lcp, &arena).status, TRM_LCP_SOLVED);
        const double difference = difference_of_V(&s, &p.lcp, p.lcp.x, x) / lcp_size(&p.lcp);
        assert_near(difference, 0, tolerance);
        worst = fmax(worst, difference);
        trm_arena_reset(&arena, mark);
    }
    print_message("velocities within %.2g\n", worst);
    trm_arena_destroy(&arena);
}

/* ---- Projected Gauss-Seidel ----------------------------------------------------------------- */

typedef struct sweep_count {
    int scenes, converged, same; /* converged: as reported by the solver; same: with the velocities of Lemke */
    double residual, difference; /* the largest of converged scenes; of scenes with the same velocities */
    double sweeps;               /* mean number */
} sweep_count;

/* Velocities with a smaller difference count as the same: the error at the end is the last change, 1e-13, divided by
 * the rate of convergence, which is that of some 4000 sweeps in the slowest scenes that converge. Other solutions
 * differ by 1e-5 and more. */
static const double same_velocity = 1e-8;

static sweep_count sweep_scenes(friction kind, double most_mu, int scenes, uint64_t seed)
{
    const trm_lcp_sweeps sweeps = {.most = 4000, .sor = 1, .tolerance = 1e-13};
    trm_random random = trm_random_seed(seed);
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    sweep_count count = {.scenes = scenes};
    for (int k = 0; k < scenes; k++) {
        const trm_arena_mark mark = trm_arena_get_mark(&arena);
        scene s = random_scene(CONTACTS, most_mu, &random);
        lcp_problem p = scene_problem(&s, kind, &random, &arena);
        double x[ROWS];
        assert_int_equal(trm_lcp_lemke(&p.lcp, &arena).status, TRM_LCP_SOLVED);
        memcpy(x, p.lcp.x, (size_t)p.lcp.n * sizeof *x);
        memset(p.lcp.x, 0, (size_t)p.lcp.n * sizeof *x);
        const trm_lcp_result result = trm_lcp_pgs(&p.lcp, &sweeps, &arena);
        const double size = lcp_size(&p.lcp), difference = difference_of_V(&s, &p.lcp, p.lcp.x, x) / size;
        count.sweeps += (double)result.steps / scenes;
        if (result.status == TRM_LCP_SOLVED) {
            count.converged++;
            count.residual = fmax(count.residual, lcp_residual(&p.lcp, &arena) / size);
            count.same += difference <= same_velocity;
            if (difference <= same_velocity) count.difference = fmax(count.difference, difference);
        }
        trm_arena_reset(&arena, mark);
    }
    print_message(
        "%d scenes, %d converged, in %.0f sweeps in the mean, residual %.2g; %d as Lemke, velocities within %.2g\n",
        scenes, count.converged, count.sweeps, count.residual, count.same, count.difference);
    trm_arena_destroy(&arena);
    return count;
}

static void sweeps_that_converge_move_bodies_as_lemke_does(void **state)
{
    (void)state;
    const sweep_count without = sweep_scenes(NONE, 0, 300 / SHARE, 4),
                      small = sweep_scenes(PYRAMIDS, 0.1, 80 / SHARE, 5);
    const sweep_count boxes = sweep_scenes(BOXES, 0.1, 100 / SHARE, 6);
    const sweep_count counts[] = {without, small, boxes};
    for (int k = 0; k < 3; k++) {
        assert_true(counts[k].converged >= 9 * counts[k].scenes / 10);
        assert_int_equal(counts[k].same, counts[k].converged);
        assert_near(counts[k].residual, 0, tolerance);
    }
}

/* Large coefficients of friction: several solutions, and for some scenes none to which sweeps converge. */
static void sweeps_that_converge_give_solutions_with_any_friction(void **state)
{
    (void)state;
    const sweep_count pyramids = sweep_scenes(PYRAMIDS, 1.5, 50 / SHARE, 7),
                      boxes = sweep_scenes(BOXES, 1.5, 100 / SHARE, 8);
    assert_true(pyramids.converged >= 7 * pyramids.scenes / 10 && boxes.converged >= 7 * boxes.scenes / 10);
    assert_near(pyramids.residual, 0, tolerance);
    assert_near(boxes.residual, 0, tolerance);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lemke_solves_every_scene_with_pyramids),
        cmocka_unit_test(lemke_solves_every_scene_with_boxes),
        cmocka_unit_test(lemke_and_dantzig_move_bodies_alike_without_friction),
        cmocka_unit_test(sweeps_that_converge_move_bodies_as_lemke_does),
        cmocka_unit_test(sweeps_that_converge_give_solutions_with_any_friction),
    };
    return RUN_TESTS(tests);
}
