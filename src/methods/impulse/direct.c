/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* All joints at once (Schmitt 2003, section 7; SBP sections 4, 5).
 *
 * Positions: Newton's method on c(q(t+h)) = 0 for the impulses lambda at t. The frozen matrix A = J(q_t) M^-1 J(q_t)^T,
 * factorised once per pose, gives  A dlambda = -c/h;  a round that gains less than a factor GAIN is followed by one
 * with the exact matrix  B = J(q_{t+h}) M^-1 J(q_t)^T,  solved densely per island for the shortest dlambda that closes
 * the joints as far as they can be: near singular poses only this converges.
 * Velocities: A mu = -(J V + c_t) with the factorisation that the next look-ahead uses.
 *
 * Redundant rows: A is positive semi-definite and the right sides are consistent, so rows of which nothing is left are
 * dropped (linalg/block_ldlt.h); they are counted and named. */

#include <string.h>

#include "linalg/block_ldlt.h"
#include "linalg/min_norm.h"
#include "methods/impulse/impulse.h"
#include "model/topology.h"

static const double GAIN = 4;
/* An island with more rows than this is not solved densely: 2 n^3 operations each time. */
enum { MOST_DENSE_ROWS = 600, MOST_NEWTON = 40, GROWTH_ALLOWED = 100 };
/* Pivots of the exact matrix below this share of its largest, both scaled by free-body values, are nothing. */
static const double EXACT_RANK = 1e-11;
/* Velocities along redundant rows may differ by this share of the speeds that meet there. */
static const double CONSISTENT = 1e-9;

/* Joints a and b meet in a body: slot k of each. Their block gets J_a[., k] . W_b[., l]. */
typedef struct meeting {
    int a, b, k, l;
    size_t place; /* of the block */
} meeting;

struct trm_direct {
    trm_block_symbolic symbolic;
    double *values, *scale, *x;
    bool *dropped;
    int dropped_count;        /* at the present pose */
    double velocity_residual; /* of the last round over velocities, in tolerances */
    meeting *meetings;
    int meeting_count;
    int *first;  /* per impulse joint: its first row in elimination order */
    int *island; /* per impulse joint */
    int island_count;
    int *rows;                   /* per island */
    double *B, *b, *step, *root; /* the exact system of the largest island that is solved densely */
    bool *exact;                 /* per island: its next round is an exact one */
    double *open, *before;       /* per island: the largest residual of this and of the last round, in tolerances */
};

/* ---- The graph of joints ------------------------------------------------------------------- */

static bool is_free(const trm_impulse *w, int body)
{
    return w->stepper->model->bodies[body].inverse_mass > 0;
}

/* Visits every pair of joint ends at one free body; with list NULL it only counts. */
static int meet(const trm_impulse *w, const int *first, const int *end, meeting *list)
{
    int count = 0;
    for (int body = 0; body < w->stepper->model->body_count; body++)
        for (int p = first[body]; p < first[body + 1]; p++)
            for (int q = first[body]; q < first[body + 1]; q++, count++)
                if (list)
                    list[count] =
                        (meeting){.a = end[2 * p], .b = end[2 * q], .k = end[2 * p + 1], .l = end[2 * q + 1]};
    return count;
}

/* Joint ends by body: (joint, slot) pairs end[2 p], end[2 p + 1], p from first[body]. */
static bool list_ends(const trm_impulse *w, trm_arena *arena, int **first, int **end)
{
    const int bodies = w->stepper->model->body_count;
    int total = 0;
    *first = TRM_NEW_ARRAY(arena, int, bodies + 1);
    int *next = TRM_NEW_ARRAY(arena, int, bodies + 1);
    if (!*first || !next) return false;
    for (int j = 0; j < w->joint_count; j++)
        for (int k = 0; k < w->joints[j].joint->body_count; k++)
            if (is_free(w, w->joints[j].joint->body[k])) (*first)[w->joints[j].joint->body[k] + 1]++, total++;
    for (int i = 0; i < bodies; i++) next[i + 1] = (*first)[i + 1] += (*first)[i];
    *end = TRM_NEW_ARRAY(arena, int, 2 * (size_t)total);
    if (!*end) return false;
    for (int j = 0; j < w->joint_count; j++)
        for (int k = 0; k < w->joints[j].joint->body_count; k++) {
            if (!is_free(w, w->joints[j].joint->body[k])) continue;
            int *slot = *end + 2 * next[w->joints[j].joint->body[k]]++;
            slot[0] = j, slot[1] = k;
        }
    return true;
}

/* The neighbours of each joint, for the symbolic phase; a host and its drive meet in two bodies and are named twice. */
static bool make_graph(const trm_impulse *w, const trm_direct *d, trm_arena *arena, trm_block_graph *graph)
{
    const int n = w->joint_count;
    int *size = TRM_NEW_ARRAY(arena, int, n), *first = TRM_NEW_ARRAY(arena, int, n + 1);
    int *next = TRM_NEW_ARRAY(arena, int, n + 1), *neighbour = TRM_NEW_ARRAY(arena, int, d->meeting_count);
    if (arena->failed) return false;
    for (int j = 0; j < n; j++) size[j] = w->joints[j].joint->rows;
    for (int m = 0; m < d->meeting_count; m++) first[d->meetings[m].a + 1] += d->meetings[m].a != d->meetings[m].b;
    for (int j = 0; j < n; j++) next[j + 1] = first[j + 1] += first[j];
    for (int m = 0; m < d->meeting_count; m++)
        if (d->meetings[m].a != d->meetings[m].b) neighbour[next[d->meetings[m].a]++] = d->meetings[m].b;
    *graph = (trm_block_graph){n, size, first, neighbour, NULL};
    return true;
}

/* ---- Creating ------------------------------------------------------------------------------ */

static bool find_meetings(const trm_impulse *w, trm_arena *arena, trm_direct *d)
{
    int *first, *end;
    if (!list_ends(w, arena, &first, &end)) return false;
    d->meeting_count = meet(w, first, end, NULL);
    d->meetings = TRM_NEW_ARRAY(arena, meeting, d->meeting_count);
    if (!d->meetings) return false;
    meet(w, first, end, d->meetings);
    return true;
}

/* Islands of joints, for the exact matrix. */
static bool find_islands(const trm_impulse *w, trm_arena *arena, trm_direct *d)
{
    trm_topology topology;
    d->island = TRM_NEW_ARRAY(arena, int, w->joint_count);
    if (!d->island || !trm_topology_find(w->stepper->model, w->stepper->state->attached, arena, &topology))
        return false;
    for (int j = 0; j < w->joint_count; j++) d->island[j] = topology.island_of_joint[w->joints[j].index];
    d->island_count = topology.island_count;
    return true;
}

/* Room for the largest island that is small enough to be solved densely. */
static bool make_dense(const trm_impulse *w, trm_arena *arena, trm_direct *d)
{
    size_t most = 0;
    d->rows = TRM_NEW_ARRAY(arena, int, d->island_count);
    if (!d->rows) return false;
    for (int j = 0; j < w->joint_count; j++) d->rows[d->island[j]] += w->joints[j].joint->rows;
    for (int i = 0; i < d->island_count; i++)
        if (d->rows[i] <= MOST_DENSE_ROWS && (size_t)d->rows[i] > most) most = (size_t)d->rows[i];
    d->B = TRM_NEW_ARRAY(arena, double, most *most);
    d->b = TRM_NEW_ARRAY(arena, double, most);
    d->step = TRM_NEW_ARRAY(arena, double, most);
    d->root = TRM_NEW_ARRAY(arena, double, most);
    const trm_arena_mark mark = trm_arena_get_mark(arena); /* room for the solver, so that no step allocates */
    const bool room = trm_arena_array(arena, 4 * most + 64, sizeof(double)) != NULL;
    trm_arena_reset(arena, mark);
    return d->B && d->b && d->step && d->root && room;
}

/* Of each pair of joints one block is stored, (a, b) or (b, a): its shares are kept. */
static void keep_stored_meetings(trm_direct *d)
{
    int kept = 0;
    for (int m = 0; m < d->meeting_count; m++) {
        bool transposed;
        meeting share = d->meetings[m];
        share.place = trm_block_place(&d->symbolic, share.a, share.b, &transposed);
        if (!transposed) d->meetings[kept++] = share;
    }
    d->meeting_count = kept;
}

static bool create(trm_impulse *w)
{
    trm_arena *arena = w->stepper->arena;
    trm_block_graph graph;
    trm_direct *d = TRM_NEW(arena, trm_direct);
    if (!d) return false;
    w->direct = d;
    if (!find_meetings(w, arena, d) || !make_graph(w, d, arena, &graph)) return false;
    if (!trm_block_symbolic_find(&graph, arena, &d->symbolic) || !find_islands(w, arena, d)) return false;
    d->values = TRM_NEW_ARRAY(arena, double, d->symbolic.values);
    d->scale = TRM_NEW_ARRAY(arena, double, d->symbolic.rows);
    d->x = TRM_NEW_ARRAY(arena, double, d->symbolic.rows);
    d->dropped = TRM_NEW_ARRAY(arena, bool, d->symbolic.rows);
    d->first = TRM_NEW_ARRAY(arena, int, w->joint_count);
    d->exact = TRM_NEW_ARRAY(arena, bool, d->island_count);
    d->open = TRM_NEW_ARRAY(arena, double, d->island_count);
    d->before = TRM_NEW_ARRAY(arena, double, d->island_count);
    if (arena->failed || !make_dense(w, arena, d)) return false;
    for (int j = 0; j < w->joint_count; j++) d->first[j] = d->symbolic.first_row[d->symbolic.position[j]];
    keep_stored_meetings(d);
    return true;
}

/* ---- The frozen matrix A --------------------------------------------------------------------- */

/* One share of the block of two joints: J_a . W_b in the body where they meet. */
static void add_share(const trm_impulse *w, const meeting *m, double *block)
{
    const trm_impulse_joint *a = &w->joints[m->a], *b = &w->joints[m->b];
    const int ra = a->joint->rows, rb = b->joint->rows, na = a->joint->body_count, nb = b->joint->body_count;
    for (int r = 0; r < ra; r++)
        for (int c = 0; c < rb; c++) block[r * rb + c] += trm_sp_dot(a->J[r * na + m->k], b->W[c * nb + m->l]);
}

/* A at the present pose, factorised. */
static void prepare(trm_impulse *w)
{
    trm_direct *d = w->direct;
    memset(d->values, 0, d->symbolic.values * sizeof *d->values);
    for (int m = 0; m < d->meeting_count; m++) add_share(w, &d->meetings[m], d->values + d->meetings[m].place);
    for (int k = 0; k < d->symbolic.blocks; k++)
        for (int r = 0, n = d->symbolic.size[k]; r < n; r++) {
            const double free_value = d->values[d->symbolic.pivot[k] + (size_t)(r * n + r)];
            d->scale[d->symbolic.first_row[k] + r] = free_value > 0 ? free_value : 1;
        }
    d->dropped_count = trm_block_factorise(&d->symbolic, d->values, d->scale, d->dropped);
    const bool resumed = isnan(w->rows_time) && w->stepper->counters->steps > 0; /* it was counted before the break */
    if (!resumed) w->stepper->counters->factorisations++;
}

/* ---- The exact matrix B -------------------------------------------------------------------- */

/* The block of joints a and b: rows of a at the look-ahead (J) against responses of b at the present pose, over the
 * bodies that they share. The block starts at B and lies in rows of length n. */
static void exact_block(const trm_impulse_joint *a, const trm_spatial *J, const trm_impulse_joint *b, double *B,
                        int n)
{
    const int na = a->joint->body_count, nb = b->joint->body_count;
    for (int k = 0; k < na; k++)
        for (int l = 0; l < nb; l++) {
            if (a->joint->body[k] != b->joint->body[l]) continue;
            for (int r = 0; r < a->joint->rows; r++)
                for (int c = 0; c < b->joint->rows; c++) B[r * n + c] += trm_sp_dot(J[r * na + k], b->W[c * nb + l]);
        }
}

/* B and b of an island, b from x; returns the rows. */
static int fill_exact(const trm_impulse *w, trm_direct *d, int island)
{
    const int n = d->rows[island];
    int row = 0;
    memset(d->B, 0, (size_t)n * (size_t)n * sizeof *d->B);
    for (int a = 0; a < w->joint_count; a++) {
        if (d->island[a] != island) continue;
        const trm_impulse_joint *joint = &w->joints[a];
        const trm_joint_at at = trm_joint_at_poses(joint->joint, w->ahead, NULL, w->stepper->goal, NULL);
        trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
        trm_joint_jacobian(&at, J);
        for (int b = 0, column = 0; b < w->joint_count; b++) {
            if (d->island[b] != island) continue;
            exact_block(joint, J, &w->joints[b], d->B + row * n + column, n);
            column += w->joints[b].joint->rows;
        }
        memcpy(d->b + row, d->x + d->first[a], (size_t)joint->joint->rows * sizeof *d->b);
        row += joint->joint->rows;
    }
    return n;
}

/* Visits the rows of an island in the order of its joints: root of the free-body scale. */
static void fill_roots(const trm_impulse *w, const trm_direct *d, int island, double *root)
{
    for (int j = 0, row = 0; j < w->joint_count; j++)
        for (int r = 0; d->island[j] == island && r < w->joints[j].joint->rows; r++)
            root[row++] = sqrt(d->scale[d->first[j] + r]);
}

/* The shortest impulses (in the scaled sense) that close the island's joints in the linear picture; applied. */
static void solve_exactly(trm_impulse *w, trm_direct *d, int island)
{
    const int n = fill_exact(w, d, island);
    fill_roots(w, d, island, d->root);
    for (int r = 0; r < n; r++) {
        d->b[r] /= d->root[r];
        for (int c = 0; c < n; c++) d->B[r * n + c] /= d->root[r] * d->root[c];
    }
    trm_min_norm_solve(d->B, n, n, d->b, EXACT_RANK, d->step, w->stepper->arena);
    for (int r = 0; r < n; r++) d->step[r] /= d->root[r];
    for (int j = 0, row = 0; j < w->joint_count; j++) {
        if (d->island[j] != island) continue;
        trm_impulse_push(w, &w->joints[j], d->step + row);
        row += w->joints[j].joint->rows;
    }
}

/* ---- Positions ---------------------------------------------------------------------------- */

/* The residuals of all joints into x, and for each island whether the round before gained too little. */
static trm_impulse_worst check_all(trm_impulse *w, trm_direct *d, bool first_round)
{
    trm_impulse_worst worst = {0, "", ""};
    for (int i = 0; i < d->island_count; i++) d->before[i] = first_round ? INFINITY : d->open[i], d->open[i] = 0;
    for (int j = 0; j < w->joint_count; j++) {
        const double open = trm_impulse_look(w, &w->joints[j], d->x + d->first[j]);
        w->stepper->counters->checks++;
        d->open[d->island[j]] = fmax(d->open[d->island[j]], open);
        trm_impulse_take_worse(&worst, open, "joint", w->joints[j].joint->name);
    }
    for (int i = 0; i < d->island_count; i++)
        d->exact[i] =
            (!first_round && d->exact[i]) || (GAIN * d->open[i] > d->before[i] && d->rows[i] <= MOST_DENSE_ROWS);
    return worst;
}

/* One round of Newton: exact islands on their own, the others together by the frozen matrix. */
static void correct_all(trm_impulse *w, trm_direct *d, double h)
{
    for (int r = 0; r < d->symbolic.rows; r++) d->x[r] *= -1 / h;
    for (int i = 0; i < d->island_count; i++)
        if (d->exact[i] && d->open[i] >= 1) solve_exactly(w, d, i);
    trm_block_solve(&d->symbolic, d->values, d->x);
    for (int j = 0; j < w->joint_count; j++)
        if (!d->exact[d->island[j]]) trm_impulse_push(w, &w->joints[j], d->x + d->first[j]);
    w->stepper->counters->corrections += w->joint_count;
}

static bool correct_joints(trm_impulse *w, double h, trm_outcome *outcome)
{
    trm_direct *d = w->direct;
    double first = 0;
    for (int round = 1;; round++) {
        const trm_impulse_worst worst = check_all(w, d, round == 1);
        w->stepper->counters->newton++;
        if (worst.residual < 1) return true;
        if (round == 1) first = worst.residual;
        if (!(worst.residual <= GROWTH_ALLOWED * first) || round > MOST_NEWTON)
            return trm_impulse_diverged(outcome, &worst, "its gap could not be closed");
        correct_all(w, d, h);
    }
}

/* ---- Velocities --------------------------------------------------------------------------- */

/* The largest speed that a body has along a row: what is left of J V is the difference of such. */
static double row_speed(const trm_impulse *w)
{
    double largest = 0;
    for (int j = 0; j < w->joint_count; j++) {
        const trm_joint *joint = w->joints[j].joint;
        for (int r = 0; r < joint->rows; r++)
            for (int b = 0; b < joint->body_count; b++)
                largest = fmax(largest, fabs(trm_sp_dot(w->joints[j].J[r * joint->body_count + b],
                                                        w->stepper->state->velocity[joint->body[b]])));
    }
    return largest;
}

/* Redundant rows agree with the others only as well as the joints are closed: what a round did not halve stays, if it
 * is little. */
static bool is_all_that_fits(const trm_impulse *w, int round, double residual)
{
    trm_direct *d = w->direct;
    const double before = round > 1 ? d->velocity_residual : INFINITY;
    d->velocity_residual = residual;
    return d->dropped_count > 0 && 2 * residual > before &&
           residual * w->stepper->options->velocity_tolerance <= CONSISTENT * row_speed(w);
}

static void match_velocities(trm_impulse *w, int round, trm_impulse_worst *worst)
{
    trm_direct *d = w->direct;
    trm_impulse_worst joints = {0, "", ""};
    for (int j = 0; j < w->joint_count; j++) {
        const double open = trm_impulse_check_velocity(w, &w->joints[j], d->x + d->first[j]);
        trm_impulse_take_worse(&joints, open, "joint", w->joints[j].joint->name);
    }
    if (joints.residual < 1 || is_all_that_fits(w, round, joints.residual)) return;
    trm_impulse_take_worse(worst, joints.residual, joints.kind, joints.name);
    for (int r = 0; r < d->symbolic.rows; r++) d->x[r] = -d->x[r];
    trm_block_solve(&d->symbolic, d->values, d->x);
    for (int j = 0; j < w->joint_count; j++) trm_impulse_push(w, &w->joints[j], d->x + d->first[j]);
}

static void match_accelerations(trm_impulse *w)
{
    trm_direct *d = w->direct;
    for (int j = 0; j < w->joint_count; j++) trm_impulse_acceleration_gap(w, &w->joints[j], d->x + d->first[j]);
    for (int r = 0; r < d->symbolic.rows; r++) d->x[r] = -d->x[r];
    trm_block_solve(&d->symbolic, d->values, d->x);
    for (int j = 0; j < w->joint_count; j++) trm_impulse_hold(w, &w->joints[j], d->x + d->first[j]);
}

static int dropped(const trm_impulse *w, trm_row_name *rows, int most)
{
    int count = 0;
    for (int j = 0; j < w->joint_count; j++)
        for (int r = 0; r < w->joints[j].joint->rows; r++) {
            if (!w->direct->dropped[w->direct->first[j] + r]) continue;
            if (count < most) rows[count] = (trm_row_name){w->joints[j].index, r};
            count++;
        }
    return count;
}

const trm_impulse_solver trm_impulse_direct = {
    .name = "direct",
    .most_velocity_rounds = 1000, /* one or two, but for forces that take part */
    .create = create,
    .prepare = prepare,
    .correct_joints = correct_joints,
    .match_velocities = match_velocities,
    .match_accelerations = match_accelerations,
    .most_reaction_rounds = 3, /* solved, and refined twice */
    .dropped = dropped,
};
