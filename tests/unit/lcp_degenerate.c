/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Lemke and Dantzig on properties of scenes of boxes: more contacts than degrees of freedom, equal rows, exact zeros,
 * ties between rows. Boxes stand on each other, with four corners on each face, on inclined ground; after a step of
 * gravity w is the velocity of the corners. Each scene is also solved with the rounding of a simulation after some
 * steps, so that ties are approximate, and with slightly displaced corners, as those of boxes that have moved: their
 * rows depend on each other up to 1e-8. */

#include "check.h"
#include "lcp_problems.h"

/* Relative to the largest number in w. */
static const double tolerance = 1e-9;

/* Rounding in a simulation after some steps, of the numbers in A and b. */
static const double noise_of_A = 1e-15, noise_of_b = 1e-13;

static const double PI = 3.14159265358979323846;

enum { MOST_BOXES = 8, CORNERS = 4, WAYS = 6 * MOST_BOXES };

typedef struct scene {
    int boxes;      /* in the stack */
    int directions; /* directions of a pyramid; 2: boxes of friction; 0: none */
    double mu;
    double slope,
        along;    /* degrees: inclination of the ground, and its direction of descent from the first direction */
    double speed; /* m/s: of all boxes, in the direction of descent */
    double moved; /* m: displacement of corners; if not 0, with the rounding of a simulation */
} scene;

static const double HALF[3] = {0.2, 0.2, 0.1}, MASS = 16, STEP = 0.01, GRAVITY = 9.81;

typedef double motion[WAYS]; /* a row of the Jacobian */

/* ---- Scenes --------------------------------------------------------------------------------- */

/* Sets the row of a corner of box i along n: on the ground or on the box below. */
static void set_row(double *J, int i, int corner, double moved, const double n[3])
{
    trm_random random = trm_random_seed((uint64_t)(CORNERS * i + corner));
    const double x = (corner & 1 ? HALF[0] : -HALF[0]) + moved * trm_random_uniform(&random, -1, 1);
    const double y = (corner & 2 ? HALF[1] : -HALF[1]) + moved * trm_random_uniform(&random, -1, 1);
    for (int end = 0; end < 2 && i - end >= 0; end++) {
        double *to = J + 6 * (i - end);
        const double z = end == 0 ? -HALF[2] : HALF[2], sign = end == 0 ? 1 : -1;
        const double turn[3] = {y * n[2] - z * n[1], z * n[0] - x * n[2], x * n[1] - y * n[0]};
        for (int k = 0; k < 3; k++) to[k] = sign * n[k], to[3 + k] = sign * turn[k];
    }
}

static void set_contact(const scene *s, lcp_problem *p, motion *J, int contact)
{
    static const double up[3] = {0, 0, 1};
    const int first = contact * (1 + s->directions);
    set_row(J[first], contact / CORNERS, contact % CORNERS, s->moved, up);
    for (int d = 0; d < s->directions; d++) {
        const double angle = s->directions == 2 ? PI / 2 * d : 2 * PI * d / s->directions;
        const double t[3] = {cos(angle), sin(angle), 0};
        const int row = first + 1 + d;
        set_row(J[row], contact / CORNERS, contact % CORNERS, s->moved, t);
        p->friction[row] = first;
        p->hi[row] = s->mu;
        p->lo[row] = s->directions == 2 ? -s->mu : 0;
    }
}

static double inverse_mass(int way)
{
    static const int other[3][2] = {{1, 2}, {0, 2}, {0, 1}};
    if (way % 6 < 3) return 1 / MASS;
    const double a = HALF[other[way % 6 - 3][0]], b = HALF[other[way % 6 - 3][1]];
    return 3 / (MASS * (a * a + b * b));
}

/* Returns the velocity of a box after the step without contact forces. */
static double velocity(const scene *s, int way)
{
    const double slope = s->slope * PI / 180, along = s->along * PI / 180;
    const double down = STEP * GRAVITY * sin(slope) + s->speed;
    const double V[6] = {down * cos(along), down * sin(along), -STEP * GRAVITY * cos(slope)};
    return V[way % 6];
}

static void add_noise(lcp_problem *p)
{
    trm_random random = trm_random_seed(1);
    const int n = p->lcp.n;
    for (int i = 0; i < n; i++) {
        p->b[i] += noise_of_b * trm_random_uniform(&random, -1, 1);
        for (int j = 0; j < n; j++) p->A[i * n + j] += noise_of_A * trm_random_uniform(&random, -1, 1);
    }
}

static lcp_problem scene_problem(const scene *s, trm_arena *arena)
{
    const int contacts = s->boxes * CORNERS, n = contacts * (1 + s->directions), ways = 6 * s->boxes;
    lcp_problem p = lcp_problem_make(n, arena);
    motion *J = TRM_NEW_ARRAY(arena, motion, n);
    for (int c = 0; c < contacts; c++) set_contact(s, &p, J, c);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < ways; k++) {
            const double factor = J[i][k] * inverse_mass(k);
            p.b[i] += J[i][k] * velocity(s, k);
            for (int j = 0; j < n && factor != 0; j++) p.A[i * n + j] += factor * J[j][k];
        }
    if (s->moved > 0) add_noise(&p);
    return p;
}

/* ---- All scenes ----------------------------------------------------------------------------- */

typedef trm_lcp_result (*solver)(const trm_lcp *lcp, trm_arena *scratch);

typedef struct tally {
    int scenes, pivots;
    double worst;
} tally;

/* Returns the residual of Dantzig's friction, whose boxes have the size of the loads before it: corners satisfy their
 * conditions, and friction is never along the slip. */
static double residual_in_old_boxes(const trm_lcp *lcp)
{
    double worst = 0;
    for (int i = 0; i < lcp->n; i++) {
        const double x = lcp->x[i], w = lcp_w(lcp, lcp->x, i);
        const double off = lcp->friction[i] < 0 ? fabs(fmin(x, w)) : x * w > 0 ? fmin(fabs(x), fabs(w)) : 0;
        if (!(off <= worst)) worst = off;
    }
    return worst;
}

static void solve_scene(solver solve, const scene *s, tally *count)
{
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    lcp_problem p = scene_problem(s, &arena);
    const trm_lcp_result result = solve(&p.lcp, &arena);
    const bool old_boxes = solve == trm_lcp_dantzig && s->mu > 0;
    const double residual =
        (old_boxes ? residual_in_old_boxes(&p.lcp) : lcp_residual(&p.lcp, &arena)) / lcp_size(&p.lcp);
    if (result.status != TRM_LCP_SOLVED || !(residual <= tolerance))
        fail_msg("%d boxes, %d directions, mu %g, slope %g along %g, speed %g, moved %g: status %d, residual %.2g",
                 s->boxes, s->directions, s->mu, s->slope, s->along, s->speed, s->moved, result.status, residual);
    count->scenes++;
    count->worst = fmax(count->worst, residual);
    count->pivots = result.steps > count->pivots ? result.steps : count->pivots;
    trm_arena_destroy(&arena);
}

/* Solves level and inclined scenes, sticking and sliding, along a direction and between two, at rest before and
 * moving. */
static void solve_slopes(solver solve, scene s, tally *count)
{
    static const double slopes[] = {0, 10, 35}, speeds[] = {0, 0.3}, moved[] = {0, 1e-15, 1e-8};
    const double between = s.directions == 2 ? 45 : s.directions > 0 ? 180.0 / s.directions : 30;
    const double ways[] = {0, between, 90, 90 + between};
    for (int k = 0; k < 3 * 2 * 4 * 3; k++) {
        s.moved = moved[k % 3];
        s.along = ways[k / 3 % 4];
        s.speed = speeds[k / 12 % 2];
        s.slope = slopes[k / 24];
        solve_scene(solve, &s, count);
    }
}

static void solve_stacks(solver solve, int most_boxes, int directions, tally *count)
{
    static const double mus[] = {0, 0.3, 0.5, 1};
    for (int boxes = 1; boxes <= most_boxes; boxes++)
        for (int k = 0; k < 4; k++)
            solve_slopes(solve, (scene){.boxes = boxes, .directions = directions, .mu = mus[k]}, count);
}

static void print_tally(const char *what, const tally *count)
{
    print_message("    %s: %d scenes, worst residual %.2g, %d pivots at most\n", what, count->scenes, count->worst,
                  count->pivots);
}

static void lemke_solves_boxes_on_each_other_with_pyramids(void **state)
{
    (void)state;
    static const int directions[] = {3, 4, 6, 8, 16}, boxes[] = {3, 3, 2, 2, 1};
    tally count = {0};
    for (int k = 0; k < 5; k++) solve_stacks(trm_lcp_lemke, boxes[k], directions[k], &count);
    print_tally("Lemke, pyramids", &count);
}

static void lemke_solves_a_high_stack_with_pyramids(void **state)
{
    (void)state;
    tally count = {0};
    for (int k = 0; k < 3; k++) {
        const double moved = k == 0 ? 0 : k == 1 ? 1e-15 : 1e-8;
        solve_scene(trm_lcp_lemke, &(scene){MOST_BOXES, 4, 0.3, 0, 0, 0, moved}, &count);
        solve_scene(trm_lcp_lemke, &(scene){MOST_BOXES, 4, 0.3, 10, 45, 0, moved}, &count);
        solve_scene(trm_lcp_lemke, &(scene){MOST_BOXES, 8, 0.3, 35, 0, 0, moved}, &count);
    }
    print_tally("Lemke, high stacks", &count);
}

static void both_solve_boxes_on_each_other_with_boxes_of_friction(void **state)
{
    (void)state;
    tally lemke = {0}, dantzig = {0};
    solve_stacks(trm_lcp_lemke, 4, 2, &lemke);
    solve_stacks(trm_lcp_dantzig, MOST_BOXES, 2, &dantzig);
    print_tally("Lemke, boxes of friction", &lemke);
    print_tally("Dantzig, boxes of friction", &dantzig);
}

static void both_solve_high_stacks_without_friction(void **state)
{
    (void)state;
    tally lemke = {0}, dantzig = {0};
    solve_stacks(trm_lcp_lemke, MOST_BOXES, 0, &lemke);
    solve_stacks(trm_lcp_dantzig, MOST_BOXES, 0, &dantzig);
    print_tally("Lemke, no friction", &lemke);
    print_tally("Dantzig, no friction", &dantzig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lemke_solves_boxes_on_each_other_with_pyramids),
        cmocka_unit_test(lemke_solves_a_high_stack_with_pyramids),
        cmocka_unit_test(both_solve_boxes_on_each_other_with_boxes_of_friction),
        cmocka_unit_test(both_solve_high_stacks_without_friction),
    };
    return RUN_TESTS(tests);
}
