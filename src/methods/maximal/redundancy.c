/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Decides which redundant rows of an island are dropped.
 *
 * Dependent rows have a self-stress z: J^T z = 0, so that A z = 0. Any row r with z_r != 0 may be dropped. But if
 * its share of z,
 *
 *     |z_r| sqrt(scale_r) / max over rows of |z| sqrt(scale)
 *
 * is small, the kept rows are nearly singular: A_KK then has an eigenvalue of the order of the share squared.
 * Elimination drops the row that comes last in its order, whatever its share. The following is done where a kept
 * pivot is weak.
 *
 * Test. With D the dropped rows, K the kept ones, and any g:
 *
 *     y = -A_KK^-1 A_KD g,   z = (y, g)   is a self-stress, if D is redundant: A z = 0
 *
 * Exchange. If row k has a far larger share of z than all of D, it replaces the row d in D on which it depends
 * most, the one with the largest |A_Dk A_KK^-1 e_k|: the determinant of A_KK grows by about the square of that
 * number (Gu, Eisenstat 1996).
 *
 * Search, if the result of the elimination is doubtful. Inverse iteration with the softened matrix A + mu
 * diag(scale), which is never singular, reduces any vector to self-stresses. The row with the largest share of z
 * is dropped. It is removed from self-stresses that are found later by subtracting z: Gauss elimination with
 * pivoting on the null space of A.
 *
 * The choice depends on the pose only. */

#include <string.h>

#include "methods/maximal/direct.h"
#include "methods/ranks/rank_map.h"

/* A vector z is a self-stress if |A z|, in units of scale and of its largest entry, is at most NO_STIFFNESS, the
 * value that TRM_DROPPED has for pivots. If it is ten times larger, the row of a third crank counts as redundant
 * while the crank leaves the line of the others (test methods_regularity); a smaller one misses self-stresses. */
static const double NO_STIFFNESS = 1e-11;
/* |A z| may also be (GAP_TURNS times the tolerance of joints)^2, because open joints turn rows, but never more than
 * MOST_TURNED. With larger values weak rows count as redundant; smaller ones miss redundant rows of joints that are
 * open by their tolerance. Tests pass with a tenth and with ten times of it. */
static const double GAP_TURNS = 10, MOST_TURNED = 1e-7;
/* After a kept pivot p, rounding leaves at most 1e-14 / p of redundant rows. A pivot below DOUBTFUL may belong to a
 * redundant row that was kept because of rounding or gaps. Larger values test more often, which costs time; smaller
 * ones keep a redundant row that rounding made independent. Tests pass with a tenth and with ten times of it. */
static const double DOUBTFUL = 1e-6, DOUBTFUL_PER_TOLERANCE = 1e3;
/* If less than this fraction of a vector remains after the known self-stresses are subtracted, the rest is
 * rounding. Larger or smaller by ten it still separates rounding from a self-stress. Tests pass with a tenth and
 * with ten times of it. */
static const double IS_LEFT = 0.1;
/* Fraction of the growth of a self-stress in an inverse iteration: a vector that grows less contains no
 * self-stress. A larger value misses self-stresses of weak rows, a smaller one iterates on vectors without one.
 * Tests pass with a tenth and with ten times of it. */
static const double NO_GROWTH = 1e-5;
/* Dropped rows must carry at least this fraction of a self-stress. A larger value exchanges rows without need; with
 * a smaller one rows that carry little stay dropped, and forces grow by its inverse. Tests pass with a tenth and
 * with ten times of it. */
static const double LEAST_SHARE = 1.0 / 30;
/* Entries that differ by less than this fraction count as equal, and the first row in a fixed order is chosen. A
 * larger value prefers an early row that carries less, a smaller one chooses between equal rows by rounding. Tests
 * pass with a tenth and with ten times of it. */
static const double EQUAL = 1e-3;
/* If the kept rows imply a dropped row, its gap is at most this many times their largest gap. A larger value
 * overlooks joints that are not redundant, a smaller one reports closed ones. Tests pass with a tenth and with ten
 * times of it. */
static const double OPEN_MORE = 30;
enum { MOST_ITERATIONS = 5, MOST_STRESSES = 64, MOST_EXCHANGES = 8 };

/* The self-stresses found with the present factorisation. */
typedef struct stresses {
    double *z; /* count x rows */
    int row[MOST_STRESSES];
    int count, most;
} stresses;

/* Returns the tolerance for |A z|, given that open joints turn rows. */
static double tolerance_of(const trm_maximal *w)
{
    const trm_simulation_def *o = w->stepper->options;
    const double turned = GAP_TURNS * fmax(o->position_tolerance, o->angle_tolerance);
    return fmax(NO_STIFFNESS, fmin(turned * turned, MOST_TURNED));
}

/* Returns a fixed number in [0.5, 1) for each row of the model; signed_number_of also has a fixed sign. */
static double number_of(int row)
{
    const unsigned bits = ((unsigned)row + 1) * 2654435761u;
    return 0.5 + 0.5 * (bits >> 8 & 0xffff) / 65536.0;
}

static double signed_number_of(int row)
{
    const unsigned bits = ((unsigned)row + 1) * 2246822519u;
    return bits >> 20 & 1 ? number_of(row) : -number_of(row);
}

/* ---- Rows of an island ---------------------------------------------------------------------- */

static double *entries_of(const trm_direct_island *island, int joint, double *x)
{
    return x + island->blocks[joint].first;
}

/* response = W x */
static void respond(trm_maximal *w, const trm_direct_island *island)
{
    trm_spatial *response = w->direct->response;
    for (int i = 0; i < island->body_count; i++) response[island->bodies[i]] = (trm_spatial){{0, 0, 0}, {0, 0, 0}};
    for (int j = 0; j < island->joint_count; j++) {
        const trm_maximal_joint *joint = &island->joints[j];
        const int n = joint->joint->body_count;
        const double *x = entries_of(island, j, island->x);
        for (int b = 0; b < n; b++) {
            const int body = joint->joint->body[b];
            if (w->stepper->model->bodies[body].inverse_mass == 0) continue;
            for (int r = 0; r < joint->joint->rows; r++)
                response[body] = trm_sp_add_scaled(response[body], x[r], joint->W[r * n + b]);
        }
    }
    if (island->shared) trm_rank_map_broadcast(w->rank_map, response);
}

/* Returns row r of J response. */
static double along(const trm_maximal *w, const trm_maximal_joint *joint, int r)
{
    const int n = joint->joint->body_count;
    double sum = 0;
    for (int b = 0; b < n; b++) {
        const int body = joint->joint->body[b];
        if (w->stepper->model->bodies[body].inverse_mass > 0)
            sum += trm_sp_dot(joint->J[r * n + b], w->direct->response[body]);
    }
    return sum;
}

/* Rows of joints: all, the dropped ones, or the kept ones. */
typedef enum which_rows { ALL_ROWS, LEFT_OUT, KEPT } which_rows;

static bool is_among(const trm_direct_island *island, int row, which_rows which)
{
    return which == ALL_ROWS || island->left_out[row] == (which == LEFT_OUT);
}

/* Returns the largest |entry| of x in units of scale. */
static double largest_entry(trm_maximal *w, const trm_direct_island *island, which_rows which)
{
    double largest = 0;
    for (int j = 0; j < island->joint_count; j++)
        for (int r = 0, row = island->blocks[j].first; r < island->blocks[j].rows; r++, row++)
            if (is_among(island, row, which))
                largest = fmax(largest, fabs(island->x[row]) * sqrt(island->scale[row]));
    trm_rank_map_largest(w->rank_map, &largest, NULL);
    return largest;
}

/* Returns the largest |A x| in units of scale; x is the impulse of the last response. */
static double stiffness(trm_maximal *w, const trm_direct_island *island)
{
    double largest = 0;
    for (int j = 0; j < island->joint_count; j++)
        for (int r = 0, row = island->blocks[j].first; r < island->blocks[j].rows; r++, row++)
            largest = fmax(largest, fabs(along(w, &island->joints[j], r)) / sqrt(island->scale[row]));
    trm_rank_map_largest(w->rank_map, &largest, NULL);
    return largest;
}

/* ---- The test ------------------------------------------------------------------------------- */

/* Marks a row of the model among the rows of the island, if this rank knows it. */
static void mark(const trm_direct_island *island, bool *marks, int model_row, bool marked)
{
    for (int j = 0; j < island->joint_count; j++) {
        const int r = model_row - island->joints[j].joint->row_offset;
        if (r >= 0 && r < island->blocks[j].rows) marks[island->blocks[j].first + r] = marked;
    }
}

/* Returns the first dropped row of the model from a given one on, or -1 if there is none. */
static int next_dropped(trm_maximal *w, const trm_direct_island *island, int from)
{
    int first = -1;
    for (int j = 0; j < island->joint_count; j++)
        for (int r = 0; r < island->blocks[j].rows; r++) {
            const int row = island->joints[j].joint->row_offset + r;
            if (island->dropped[island->blocks[j].first + r] && row >= from && (first < 0 || row < first))
                first = row;
        }
    double value = first < 0 ? -(double)INFINITY : -(double)first;
    trm_rank_map_largest(w->rank_map, &value, &first);
    return first;
}

/* Finds the rows that any rank has dropped. Each rank knows only those that it closes. */
static void find_left_out(trm_maximal *w, const trm_direct_island *island)
{
    if (!trm_rank_map_divides(w->rank_map)) return; /* left_out is dropped */
    memset(island->left_out, 0, (size_t)island->rows * sizeof *island->left_out);
    for (int row = 0; (row = next_dropped(w, island, row)) >= 0 && !trm_rank_map_is_lost(w->rank_map); row++)
        mark(island, island->left_out, row, true);
}

/* x <- g in dropped rows of active joints; if rest is true, 0 in all others. */
static void load_dropped(trm_direct_island *island, bool rest)
{
    for (int j = 0; j < island->joint_count; j++)
        for (int r = 0, row = island->blocks[j].first; r < island->blocks[j].rows; r++, row++)
            if (island->left_out[row] && island->joints[j].on)
                island->x[row] = signed_number_of(island->joints[j].joint->row_offset + r) / sqrt(island->scale[row]);
            else if (rest)
                island->x[row] = 0;
}

/* Removes the known self-stresses from x. */
static void subtract_known_stresses(trm_direct_island *island, const stresses *s)
{
    for (int i = 0; i < s->count; i++) {
        const double *z = s->z + (size_t)i * (size_t)island->rows, factor = island->x[s->row[i]];
        for (int r = 0; r < island->rows; r++) island->x[r] -= factor * z[r];
        island->x[s->row[i]] = 0;
    }
}

/* Solves A_KK x = -A z in the kept rows; z is the impulse of the last response. */
static void solve_rest(trm_maximal *w, trm_direct_island *island)
{
    for (int j = 0; j < island->joint_count; j++)
        for (int r = 0; r < island->blocks[j].rows; r++)
            island->x[island->blocks[j].first + r] = -along(w, &island->joints[j], r);
    w->solver->matrix->solve(w, island);
}

/* x <- z of the dropped rows, refined once because weak pivots cost digits. */
static void load_stress(trm_maximal *w, trm_direct_island *island)
{
    find_left_out(w, island);
    load_dropped(island, true);
    respond(w, island);
    solve_rest(w, island);
    load_dropped(island, false);
    memcpy(island->lambda, island->x, (size_t)island->rows * sizeof *island->x);
    respond(w, island);
    solve_rest(w, island);
    for (int r = 0; r < island->rows; r++)
        island->x[r] = island->lambda[r] + (island->left_out[r] ? 0 : island->x[r]);
}

typedef enum verdict { DROPS_WELL, DROPS_WEAK_ROWS, DROPS_OTHERS } verdict;

/* Tests the dropped rows. Afterwards x is their self-stress. */
static verdict test(trm_maximal *w, trm_direct_island *island, double tolerance)
{
    load_stress(w, island);
    const double carried = largest_entry(w, island, LEFT_OUT), most = fmax(carried, largest_entry(w, island, KEPT));
    respond(w, island);
    if (!(stiffness(w, island) <= tolerance * most)) return DROPS_OTHERS;
    return carried >= LEAST_SHARE * most ? DROPS_WELL : DROPS_WEAK_ROWS;
}

/* x <- an arbitrary vector, zero in barred and dropped rows. */
static void load_arbitrary(trm_direct_island *island)
{
    memset(island->x, 0, (size_t)island->rows * sizeof *island->x);
    for (int j = 0; j < island->joint_count; j++)
        for (int r = 0, row = island->blocks[j].first; r < island->blocks[j].rows; r++, row++)
            if (island->joints[j].on && !island->barred[row] && !island->dropped[row])
                island->x[row] = signed_number_of(island->joints[j].joint->row_offset + r) / sqrt(island->scale[row]);
}

/* x <- A^-1 diag(scale) x, divided by its largest entry. Returns that entry. */
static double iterate(trm_maximal *w, trm_direct_island *island, const stresses *s)
{
    for (int r = 0; r < island->rows; r++) island->x[r] *= island->scale[r];
    w->solver->matrix->solve(w, island);
    if (s) subtract_known_stresses(island, s);
    const double growth = largest_entry(w, island, ALL_ROWS);
    for (int r = 0; r < island->rows && growth > 0; r++) island->x[r] /= growth;
    return growth;
}

/* Returns whether the kept rows have a self-stress z: either |A z| is as small as gaps make it, or a pivot is
 * rounding. In the second case z - A^-1 A z is z; without a self-stress it is 0. */
static bool hides_stress(trm_maximal *w, trm_direct_island *island, double tolerance)
{
    load_arbitrary(island);
    iterate(w, island, NULL);
    memcpy(island->lambda, island->x, (size_t)island->rows * sizeof *island->x);
    respond(w, island);
    if (stiffness(w, island) <= tolerance) return true;
    solve_rest(w, island);
    for (int r = 0; r < island->rows; r++) island->x[r] += island->lambda[r];
    return !(largest_entry(w, island, ALL_ROWS) < IS_LEFT);
}

/* ---- The exchange --------------------------------------------------------------------------- */

/* Returns the row of the model with the largest entry of x in units of scale; among equal ones always the same.
 * Returns -1 if there is none. */
static int strongest_row(trm_maximal *w, const trm_direct_island *island, which_rows which)
{
    double most = 0;
    int strongest = -1;
    for (int j = 0; j < island->joint_count; j++)
        for (int r = 0; island->joints[j].on && r < island->blocks[j].rows; r++) {
            const int row = island->blocks[j].first + r, in_model = island->joints[j].joint->row_offset + r;
            const double entry = fabs(island->x[row]) * sqrt(island->scale[row]) * (1 + EQUAL * number_of(in_model));
            if (is_among(island, row, which) && entry > most) most = entry, strongest = in_model;
        }
    trm_rank_map_largest(w->rank_map, &most, &strongest);
    return most > 0 ? strongest : -1;
}

/* x <- A_Dk A_KK^-1 e_k of row k, in dropped rows, in units of their scale. */
static void load_dependence(trm_maximal *w, trm_direct_island *island, int model_row)
{
    memset(island->x, 0, (size_t)island->rows * sizeof *island->x);
    for (int j = 0; j < island->joint_count; j++) {
        const int r = model_row - island->joints[j].joint->row_offset;
        if (r >= 0 && r < island->blocks[j].rows) island->x[island->blocks[j].first + r] = 1;
    }
    w->solver->matrix->solve(w, island);
    respond(w, island);
    for (int j = 0; j < island->joint_count; j++)
        for (int r = 0, row = island->blocks[j].first; r < island->blocks[j].rows; r++, row++)
            if (island->left_out[row]) island->x[row] = along(w, &island->joints[j], r) / island->scale[row];
}

/* Bars the row with the largest share of the self-stress x instead of the dropped row on which it depends most.
 * Returns false if there is no such row. */
static bool exchange(trm_maximal *w, trm_direct_island *island)
{
    const int row = strongest_row(w, island, KEPT);
    if (row < 0) return false;
    load_dependence(w, island, row);
    const int back = strongest_row(w, island, LEFT_OUT);
    if (back < 0) return false;
    memcpy(island->barred, island->left_out, (size_t)island->rows * sizeof *island->barred);
    mark(island, island->barred, row, true);
    mark(island, island->barred, back, false);
    return true;
}

/* ---- The search ----------------------------------------------------------------------------- */

/* x <- a self-stress that is zero in barred rows and in the rows of the known ones. Returns false if there is no
 * other. */
static bool find_stress(trm_maximal *w, trm_direct_island *island, const stresses *s, double tolerance)
{
    load_arbitrary(island);
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        const double growth = iterate(w, island, s);
        if (!(growth * tolerance > NO_GROWTH) || trm_rank_map_is_lost(w->rank_map) || trm_step_is_ended(w->stepper))
            return false;
        if (i == 0) continue; /* other vectors still contribute much */
        respond(w, island);
        if (stiffness(w, island) <= tolerance) return true;
    }
    return false;
}

/* Stores x, so that the row can be removed from later self-stresses. */
static void keep_stress(const trm_direct_island *island, stresses *s, int model_row)
{
    double *z = s->z + (size_t)s->count * (size_t)island->rows;
    for (int j = 0; j < island->joint_count; j++) {
        const int r = model_row - island->joints[j].joint->row_offset;
        if (r >= 0 && r < island->blocks[j].rows) s->row[s->count] = island->blocks[j].first + r;
    }
    for (int r = 0; r < island->rows; r++) z[r] = island->x[r] / island->x[s->row[s->count]];
    s->count++;
}

/* Bars rows found with the softened matrix, as many as exist or fit into memory. Returns whether there may be
 * more. With a division among ranks no self-stress is stored: the matrix is factorised again for each row,
 * whatever the number of ranks, so that the same rows are found. */
static bool bar_rows(trm_maximal *w, trm_direct_island *island, trm_direct_scratch *scratch, double tolerance)
{
    const size_t room = scratch->stress_room / (size_t)island->rows;
    stresses s = {.z = scratch->stresses, .most = room < MOST_STRESSES ? (int)room : MOST_STRESSES};
    if (w->solver->plan) s.most = 0;
    island->softening = tolerance;
    w->solver->matrix->factorise(w, island);
    do {
        if (!find_stress(w, island, &s, tolerance)) return false;
        const int row = strongest_row(w, island, ALL_ROWS);
        if (row < 0) return false;
        if (s.count < s.most) keep_stress(island, &s, row);
        mark(island, island->barred, row, true);
    } while (s.count < s.most);
    return true;
}

/* Bars all rows that the search finds, and factorises. Returns the number of dropped rows. */
static int search(trm_maximal *w, trm_direct_island *island, trm_direct_scratch *scratch, double tolerance)
{
    memset(island->barred, 0, (size_t)island->rows * sizeof *island->barred);
    while (bar_rows(w, island, scratch, tolerance)) continue;
    island->softening = 0;
    return w->solver->matrix->factorise(w, island);
}

/* Returns whether a row of the glue was dropped. Slices of a body always stay together, so a row of a joint must be
 * dropped instead. */
static bool drops_glue(trm_maximal *w, const trm_direct_island *island)
{
    double any = 0;
    for (int b = island->joint_count; b < island->block_count; b++)
        for (int r = 0; r < island->blocks[b].rows; r++) any += island->dropped[island->blocks[b].first + r];
    trm_rank_map_largest(w->rank_map, &any, NULL);
    return any > 0;
}

int trm_direct_decide_rank(trm_maximal *w, trm_direct_island *island, trm_direct_scratch *scratch, int lost)
{
    const double tolerance = tolerance_of(w), doubtful = fmax(DOUBTFUL, DOUBTFUL_PER_TOLERANCE * tolerance);
    for (int i = 0; i < MOST_EXCHANGES; i++) {
        double weakness = 1 / island->weakest, dropped = lost;
        trm_rank_map_largest(w->rank_map, &weakness, NULL);
        trm_rank_map_largest(w->rank_map, &dropped, NULL);
        if (dropped > 0 && drops_glue(w, island)) break;
        if (!(weakness > 1 / TRM_WEAK_PIVOT)) return lost;
        if (!(weakness < 1 / doubtful) && hides_stress(w, island, tolerance)) break;
        const verdict found = dropped > 0 ? test(w, island, tolerance) : DROPS_WELL;
        if (found == DROPS_WELL) return lost;
        if (found == DROPS_OTHERS || !exchange(w, island)) break;
        lost = w->solver->matrix->factorise(w, island);
    }
    return search(w, island, scratch, tolerance);
}

/* ---- Held rank ------------------------------------------------------------------------------ */

/* Computes the largest gap of kept rows, at least a tolerance, and the largest gap of dropped rows with its joint,
 * in units of the root of their scale. */
static void compare_gaps(trm_maximal *w, const trm_direct_island *island, double *kept, double *dropped, int *joint)
{
    const trm_state *state = w->stepper->state;
    const double least = fmax(w->stepper->options->position_tolerance, w->stepper->options->angle_tolerance);
    find_left_out(w, island);
    for (int j = 0; j < island->joint_count; j++) {
        double c[TRM_JOINT_ROWS];
        trm_maximal_residual_at(w, &island->joints[j], state->pose, state->clock->time, c);
        for (int r = 0, row = island->blocks[j].first; r < island->blocks[j].rows; r++, row++) {
            const double gap = fabs(c[r]), per_root = 1 / sqrt(island->scale[row]);
            if (!island->left_out[row])
                *kept = fmax(*kept, fmax(gap, least) * per_root);
            else if (gap * per_root > *dropped)
                *dropped = gap * per_root, *joint = island->joints[j].index;
        }
    }
    trm_rank_map_largest(w->rank_map, kept, NULL);
    trm_rank_map_largest(w->rank_map, dropped, joint);
}

const trm_joint *trm_direct_opened_by_rank(trm_maximal *w)
{
    for (int i = 0; i < w->direct->island_count; i++) {
        double kept = 0, dropped = 0;
        int joint = -1;
        if (!w->direct->islands[i].loops || w->direct->islands[i].dropped_count == 0) continue;
        compare_gaps(w, &w->direct->islands[i], &kept, &dropped, &joint);
        if (dropped > OPEN_MORE * kept && joint >= 0) return &w->stepper->model->joints[joint];
    }
    return NULL;
}
