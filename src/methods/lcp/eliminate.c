/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Joints are eliminated; the bounded rows form a linear complementarity problem for each island of rows.
 *
 * Let S = M^-1 - W (J W + soft)^-1 W^T be the response of the bodies to impulses with the joints closed (J, W of
 * joints), and U the velocities after the joints alone have acted on V. Then
 *
 *     w = (G S G^T + soft) x + G U + b            for the bounded rows G
 *
 * A column G S G_k^T is the response of the machine at rest to a unit impulse along row k. The sparse factors of
 * the direct solver are available (maximal/direct.c), so a column takes time linear in the joints of its island.
 * Once x is known, its impulses are applied to the bodies, and the joints are closed again: V+.
 *
 * Redundant contacts make G S G^T singular. With friction the motion depends on how they share a load. Each problem
 * is therefore solved twice, with k S_own (x - x_last) added to w of contacts, k = spread. The first solution has
 * x_last = 0, which shares the load evenly; the second starts from the first, which leaves an error of order k^2
 * (two steps of a proximal iteration). */

#include <string.h>

#include "base/union_find.h"
#include "methods/lcp/lcp.h"

/* Largest number of rows of one problem with a dense matrix. */
enum { MOST_ROWS = 6000 };
/* Part of the friction that normal impulses allow. A larger value doubts bodies that brake on their front edge, a
 * smaller one calls sleeves good that slide instead of jamming. */
static const double JAMMED = 0.5;
/* Fraction of its response without joints below which a row is held by them. A larger value holds bodies that joints
 * connect to much heavier ones, a smaller one takes rounding for a response. Tests pass with a tenth and with ten
 * times of it. */
static const double HELD = 1e-13;

/* ---- Joints ------------------------------------------------------------------------------- */

/* Solves J V + soft x = required, with V in accelerations.a. Writes the impulses of joints into
 * accelerations.lambda. */
static void close_joints(trm_lcp_method *w)
{
    trm_maximal *m = w->machine;
    const size_t rows = (size_t)m->stepper->model->row_count;
    memset(m->accelerations.lambda, 0, rows * sizeof *m->accelerations.lambda);
    memcpy(m->accelerations.gamma, w->required, rows * sizeof *m->accelerations.gamma);
    trm_maximal_solve_accelerations(m);
}

static double along(const trm_lcp_row *row, const trm_spatial *V)
{
    double sum = 0;
    for (int b = 0; b < row->bodies; b++) sum += trm_sp_dot(row->J[b], V[row->body[b]]);
    return sum;
}

static void apply_impulse(const trm_lcp_row *row, double x, trm_spatial *V)
{
    for (int b = 0; b < row->bodies; b++) V[row->body[b]] = trm_sp_add_scaled(V[row->body[b]], x, row->W[b]);
}

/* ---- Islands of rows ---------------------------------------------------------------------- */

/* Returns the node of a body: bodies connected by joints are one node, others one each; -1: no impulse moves the
 * body. */
static int node_of(const trm_lcp_method *w, int body)
{
    if (w->machine->held[body]) return -1;
    return w->machine->island_of[body] >= 0 ? w->machine->island_of[body] : w->machine->island_count + body;
}

/* Returns any node of a row; -1: it has none. */
static int first_node(const trm_lcp_method *w, const trm_lcp_row *row)
{
    int node = -1;
    for (int k = 0; k < row->bodies && node < 0; k++) node = node_of(w, row->body[k]);
    return node;
}

static void join_nodes(const trm_lcp_method *w, int *parent, int nodes)
{
    trm_sets_clear(parent, nodes);
    for (int i = 0; i < w->row_count; i++) {
        const trm_lcp_row *row = &w->rows[i];
        const int first = first_node(w, row);
        for (int k = 0; k < row->bodies; k++) {
            const int node = node_of(w, row->body[k]);
            if (node >= 0) parent[trm_set_of(parent, first)] = trm_set_of(parent, node);
        }
    }
}

/* The rows of each island, in their order. Rows without any response are left out. */
typedef struct islands {
    int count;
    int *first; /* count + 1 */
    int *rows;
} islands;

static bool find_islands(const trm_lcp_method *w, trm_arena *scratch, islands *found)
{
    const int nodes = w->machine->island_count + w->machine->stepper->model->body_count;
    int *parent = TRM_NEW_ARRAY(scratch, int, nodes), *number = TRM_NEW_ARRAY(scratch, int, nodes);
    found->first = TRM_NEW_ARRAY(scratch, int, w->row_count + 2);
    found->rows = TRM_NEW_ARRAY(scratch, int, w->row_count);
    if (!parent || !number || !found->first || !found->rows) return false;
    join_nodes(w, parent, nodes);
    found->count = 0;
    for (int i = 0; i < w->row_count; i++) {
        const int node = first_node(w, &w->rows[i]);
        if (node < 0) continue;
        int *here = &number[trm_set_of(parent, node)];
        if (*here == 0) *here = ++found->count;
        found->first[*here]++;
    }
    for (int i = 1; i <= found->count; i++) found->first[i] += found->first[i - 1];
    const int all = found->first[found->count];
    for (int i = w->row_count - 1; i >= 0; i--) {
        const int node = first_node(w, &w->rows[i]);
        if (node >= 0) found->rows[--found->first[number[trm_set_of(parent, node)]]] = i;
    }
    for (int i = 0; i < found->count; i++) found->first[i] = found->first[i + 1];
    found->first[found->count] = all;
    return true;
}

/* ---- One problem -------------------------------------------------------------------------- */

/* Returns the response of the bodies of a row to its unit impulse if no joint held them. */
static double free_response(const trm_lcp_row *row)
{
    double sum = 0;
    for (int b = 0; b < row->bodies; b++) sum += trm_sp_dot(row->J[b], row->W[b]);
    return sum;
}

/* Sets the response of a row to zero, and of others to it, if joints hold its bodies against each other along it:
 * what is left of it is rounding, and solvers that scale rows by it would follow that. A is positive semidefinite, so
 * the entries in row and column of a diagonal of zero are zero. */
static void drop_held_row(const trm_lcp_row *row, int i, int n, double *A)
{
    if (A[i * n + i] > HELD * free_response(row)) return;
    for (int k = 0; k < n; k++) A[i * n + k] = A[k * n + i] = 0;
}

static void fill_matrix(trm_lcp_method *w, const int *list, int n, double *A)
{
    for (int k = 0; k < n; k++) {
        const trm_lcp_row *row = &w->rows[list[k]];
        trm_maximal_apply_unit_impulse(w->machine, row->body, row->bodies, row->W);
        for (int i = 0; i < n; i++) A[i * n + k] = along(&w->rows[list[i]], w->machine->accelerations.a);
        trm_maximal_clear_response(w->machine, row->body, row->bodies);
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) A[i * n + k] = A[k * n + i] = 0.5 * (A[i * n + k] + A[k * n + i]);
    for (int i = 0; i < n; i++) {
        drop_held_row(&w->rows[list[i]], i, n, A);
        A[i * n + i] += w->rows[list[i]].soft + w->rows[list[i]].spread * A[i * n + i];
    }
}

static trm_lcp_result solve_problem(const trm_lcp_method *w, const trm_lcp *lcp, trm_arena *scratch)
{
    return w->solver == TRM_LCP_LEMKE ? trm_lcp_lemke(lcp, scratch) : trm_lcp_dantzig(lcp, scratch);
}

/* Solves the problem twice. For the second solution b of contacts changes by k S_own x of the first. */
static trm_lcp_result solve_rounds(const trm_lcp_method *w, const int *list, const trm_lcp *lcp, double *b,
                                   trm_arena *scratch)
{
    bool loaded = false;
    trm_lcp_result result = solve_problem(w, lcp, scratch);
    for (int i = 0; i < lcp->n && result.status == TRM_LCP_SOLVED; i++) {
        const double k = w->rows[list[i]].spread;
        b[i] -= k / (1 + k) * (lcp->A[i * lcp->n + i] - w->rows[list[i]].soft) * lcp->x[i];
        loaded = loaded || k * lcp->x[i] > 0;
    }
    if (!loaded) return result;
    const int steps = result.steps;
    result = solve_problem(w, lcp, scratch);
    result.steps += steps;
    return result;
}

/* Reports a failure with the two bodies of a row. Returns false. */
static bool fail_at_row(const trm_lcp_method *w, int row, double residual, const char *why, trm_outcome *outcome)
{
    const trm_model *model = w->machine->stepper->model;
    const int *body = w->rows[row].body;
    trm_fail(outcome, residual, "", NULL, "%s", why);
    return trm_name_pair(outcome, &model->bodies[body[0]], &model->bodies[body[1]]);
}

/* Reports that an island has no solution. A shorter step may have one. */
static bool report_no_solution(const trm_lcp_method *w, trm_lcp_status status, int row, trm_outcome *outcome)
{
    if (status == TRM_LCP_NO_MEMORY) return trm_fail_memory(outcome, "contacts");
    return fail_at_row(w, row, INFINITY,
                       status == TRM_LCP_NO_SOLUTION
                           ? "no impulses satisfy all bounds between them and the bodies in contact with them"
                           : "impulses within all bounds were not found",
                       outcome);
}

/* Returns whether slipping contacts have less friction than JAMMED of what their normal impulses allow. Slower motion
 * than `still` is no slip. Dantzig's solver bounds friction by the normal impulses without friction. Where friction
 * itself presses bodies together, as in a tilted sleeve on a pole, these are far too small: the sleeve slides instead
 * of jamming. */
static bool friction_is_too_small(const trm_lcp *lcp, double still)
{
    double allowed = 0, used = 0;
    for (int i = 0; i < lcp->n; i++) {
        double slip = lcp->b[i];
        for (int k = 0; lcp->friction[i] >= 0 && k < lcp->n; k++) slip += lcp->A[i * lcp->n + k] * lcp->x[k];
        if (lcp->friction[i] < 0 || !(fabs(slip) > still)) continue;
        allowed += lcp->hi[i] * lcp->x[lcp->friction[i]];
        used += fabs(lcp->x[i]);
    }
    return used < JAMMED * allowed;
}

/* Computes x of the rows of one island. */
static bool solve_island(trm_lcp_method *w, const int *list, int n, trm_arena *scratch, trm_outcome *outcome)
{
    if (n > MOST_ROWS)
        return fail_at_row(w, list[0], NAN,
                           "are in an island with too many contacts for this solver; use lcp:solver=pgs", outcome);
    double *A = TRM_NEW_ROOM(scratch, double, (size_t)n *(size_t)n), *b = TRM_NEW_ARRAY(scratch, double, 4 * n);
    int *friction = TRM_NEW_ARRAY(scratch, int, n), *local = TRM_NEW_ARRAY(scratch, int, w->row_count);
    if (!A || !b || !friction || !local) return trm_fail_memory(outcome, "contacts");
    double *lo = b + n, *hi = lo + n, *x = hi + n;
    for (int i = 0; i < n; i++) {
        const trm_lcp_row *row = &w->rows[list[i]];
        local[list[i]] = i;
        b[i] = row->b + row->free;
        lo[i] = row->lo, hi[i] = row->hi;
        friction[i] = row->friction >= 0 ? local[row->friction] : -1;
    }
    fill_matrix(w, list, n, A);
    const trm_lcp lcp = {.n = n, .A = A, .b = b, .lo = lo, .hi = hi, .friction = friction, .x = x};
    const trm_lcp_result result = solve_rounds(w, list, &lcp, b, scratch);
    w->machine->stepper->counters->newton += result.steps;
    if (result.status != TRM_LCP_SOLVED)
        return report_no_solution(w, result.status, list[result.row >= 0 ? result.row : 0], outcome);
    if (w->solver != TRM_LCP_LEMKE)
        w->machine->stepper->counters->jams +=
            friction_is_too_small(&lcp, w->machine->stepper->options->velocity_tolerance);
    for (int i = 0; i < n; i++) w->rows[list[i]].x = x[i];
    return true;
}

static bool solve_islands(trm_lcp_method *w, trm_outcome *outcome)
{
    trm_maximal *m = w->machine;
    trm_arena *scratch = m->stepper->arena;
    const trm_arena_mark mark = trm_arena_get_mark(scratch);
    islands found = {0};
    trm_maximal_clear_accelerations(m);
    bool ok = find_islands(w, scratch, &found) || trm_fail_memory(outcome, "contacts");
    for (int i = 0; ok && i < found.count; i++) {
        const trm_arena_mark inner = trm_arena_get_mark(scratch);
        ok = solve_island(w, found.rows + found.first[i], found.first[i + 1] - found.first[i], scratch, outcome);
        trm_arena_reset(scratch, inner);
    }
    trm_arena_reset(scratch, mark);
    return ok;
}

bool trm_lcp_eliminate(trm_lcp_method *w, trm_outcome *outcome)
{
    trm_maximal *m = w->machine;
    trm_state *state = m->stepper->state;
    const size_t bytes = (size_t)state->model->body_count * sizeof *state->velocity;
    memcpy(m->accelerations.a, state->velocity, bytes);
    close_joints(w);
    if (w->row_count > 0) {
        /* x <- G U + b;  V <- V + W x */
        for (int i = 0; i < w->row_count; i++) {
            w->rows[i].free = along(&w->rows[i], m->accelerations.a);
            w->rows[i].x = 0;
        }
        if (!solve_islands(w, outcome)) return false;
        memcpy(m->accelerations.a, state->velocity, bytes);
        for (int i = 0; i < w->row_count; i++) apply_impulse(&w->rows[i], w->rows[i].x, m->accelerations.a);
        close_joints(w);
    }
    memcpy(state->velocity, m->accelerations.a, bytes);
    return true;
}
