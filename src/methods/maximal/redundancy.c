/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Which rows of an island are left out where rows depend on each other.
 *
 * Dependent rows have a self-stress z: J^T z = 0, so that A z = 0. Any row r with z_r != 0 may be left out, but with only the share
 *
 *     |z_r| sqrt(scale_r) / max over rows of |z| sqrt(scale)
 *
 * of z in it, the rows that are kept are nearly singular: A_KK then has an eigenvalue of the order of the share squared. An
 * elimination leaves out the row that comes last in its order, whatever it carries.
 *
 * Test. With D the rows left out, K the others, and any g:
 *
 *     y = -A_KK^-1 A_KD g,   z = (y, g)   is a self-stress, if D is redundant: A z = 0
 *
 * Rows are chosen anew if z has little of its largest entry in D, or if A z is not 0.
 *
 * Choice. Inverse iteration with the softened matrix A + mu diag(scale), which is never singular, leaves of any vector only
 * self-stresses. The row that carries most of z is left out. It is removed from the self-stresses that are found later by
 * subtracting z: Gauss elimination with pivoting on the null space of A. So |entries| <= 1 next to each pivot, and J_K is as well
 * conditioned as J but for a moderate factor (Golub, Van Loan 2013, 5.4; Pan 2000). What is chosen depends on the pose only.
 *
 * Rows that contradict each other because joints are open turn by about the gap. Self-stresses are therefore recognised with a
 * tolerance that grows with that of the joints. */

#include <string.h>

#include "methods/hierarchy/share.h"
#include "methods/maximal/direct.h"

/* |A z| of a self-stress, in units of scale and of its largest entry: what TRM_DROPPED is for pivots, */
static const double NO_STIFFNESS = 1e-11;
/* or (GAP_TURNS times the tolerance of joints)^2, arms being 0.1 m and more; no more than MOST_TURNED. */
static const double GAP_TURNS = 10, MOST_TURNED = 1e-7;
/* Redundant rows are tested if the weakest pivot kept is below WEAK of its scale. Below DOUBTFUL rounding in the elimination may
 * have hidden redundant rows: they are looked for. */
static const double WEAK = 1e-4, DOUBTFUL = 1e-8, DOUBTFUL_PER_TOLERANCE = 1e3;
/* Rows left out carry at least this share of a self-stress. */
static const double LEAST_SHARE = 1.0 / 30;
/* Pivots of the softened matrix are kept, whatever is left: compared with this share of their scale. */
static const double SOFT_LIMIT = 1e-4;
/* Entries within this share are equal, and rows are then taken in a fixed order. */
static const double EQUAL = 1e-3;
/* Rows that are implied by others are open by so many times as much as those at most, and some tolerances. */
static const double OPEN_MORE = 1000;
enum { ITERATIONS = 4, MOST_STRESSES = 64 };

/* Self-stresses that have been found with the present factorisation. */
typedef struct stresses {
    double *z; /* count x rows */
    int row[MOST_STRESSES];
    int count, most;
} stresses;

void trm_direct_find_limits(trm_direct_island *island)
{
    const double share = island->softening > 0 ? SOFT_LIMIT : 1;
    for (int r = 0; island->loops && r < island->rows; r++)
        island->limit[r] = island->barred[r] ? INFINITY : share * island->scale[r];
}

static double tolerance_of(const trm_maximal *w)
{
    const trm_simulation_def *o = w->stepper->options;
    const double turned = GAP_TURNS * fmax(o->position_tolerance, o->angle_tolerance);
    return fmax(NO_STIFFNESS, fmin(turned * turned, MOST_TURNED));
}

/* A number of [0.5, 1) that belongs to a row of the model, and a sign that does. */
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

bool trm_direct_rank_matters(const trm_direct_island *island)
{
    return island->loops && (island->dropped_count > 0 || !(island->weakest > WEAK));
}

/* ---- Rows of an island ---------------------------------------------------------------------- */

static double *entries_of(const trm_direct_island *island, int joint, double *x)
{
    return x + island->blocks[joint].first;
}

/* x <- A^-1 x, glue being at rest */
static void solve(trm_maximal *w, trm_direct_island *island)
{
    for (int b = island->joint_count; b < island->block_count; b++)
        memset(island->x + island->blocks[b].first, 0, 6 * sizeof *island->x);
    w->solver->matrix->solve(w, island);
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
    if (island->shared) trm_share_tell(w->share, response);
}

/* Row r of J response. */
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

/* The largest |entry| of x in units of scale, over rows of joints that are dropped, or that are not. */
static double largest_entry(trm_maximal *w, const trm_direct_island *island, bool dropped)
{
    double largest = 0;
    for (int j = 0; j < island->joint_count; j++)
        for (int r = 0, row = island->blocks[j].first; r < island->blocks[j].rows; r++, row++)
            if (island->dropped[row] == dropped)
                largest = fmax(largest, fabs(island->x[row]) * sqrt(island->scale[row]));
    trm_share_largest(w->share, &largest, NULL);
    return largest;
}

/* The largest |A x| in units of scale; x is the impulse of the last response. */
static double stiffness(trm_maximal *w, const trm_direct_island *island)
{
    double largest = 0;
    for (int j = 0; j < island->joint_count; j++)
        for (int r = 0, row = island->blocks[j].first; r < island->blocks[j].rows; r++, row++)
            largest = fmax(largest, fabs(along(w, &island->joints[j], r)) / sqrt(island->scale[row]));
    trm_share_largest(w->share, &largest, NULL);
    return largest;
}

/* ---- The test ------------------------------------------------------------------------------- */

/* Marks a row of the model among those of the island, where it is known. */
static void mark(const trm_direct_island *island, bool *marks, int model_row)
{
    for (int j = 0; j < island->joint_count; j++) {
        const int r = model_row - island->joints[j].joint->row_offset;
        if (r >= 0 && r < island->blocks[j].rows) marks[island->blocks[j].first + r] = true;
    }
}

/* The first dropped row of the model from a given one on; -1: there is none. */
static int next_dropped(trm_maximal *w, const trm_direct_island *island, int from)
{
    int first = -1;
    for (int j = 0; j < island->joint_count; j++)
        for (int r = 0; r < island->blocks[j].rows; r++) {
            const int row = island->joints[j].joint->row_offset + r;
            if (island->dropped[island->blocks[j].first + r] && row >= from && (first < 0 || row < first)) first = row;
        }
    double value = first < 0 ? -(double)INFINITY : -(double)first;
    trm_share_largest(w->share, &value, &first);
    return first;
}

/* A rank knows only which of the rows that it closes were dropped: all are told. */
static void tell_dropped(trm_maximal *w, const trm_direct_island *island)
{
    if (!w->share) return;
    for (int row = 0; (row = next_dropped(w, island, row)) >= 0 && !trm_share_is_lost(w->share); row++)
        mark(island, island->dropped, row);
}

/* x <- g in dropped rows of joints that hold; rest: in the others 0. */
static void load_dropped(trm_direct_island *island, bool rest)
{
    for (int j = 0; j < island->joint_count; j++)
        for (int r = 0, row = island->blocks[j].first; r < island->blocks[j].rows; r++, row++)
            if (island->dropped[row] && island->joints[j].on)
                island->x[row] =
                    signed_number_of(island->joints[j].joint->row_offset + r) / sqrt(island->scale[row]);
            else if (rest)
                island->x[row] = 0;
}

static bool drops_well(trm_maximal *w, trm_direct_island *island, double tolerance)
{
    tell_dropped(w, island);
    load_dropped(island, true);
    respond(w, island);
    for (int j = 0; j < island->joint_count; j++)
        for (int r = 0; r < island->blocks[j].rows; r++)
            island->x[island->blocks[j].first + r] = -along(w, &island->joints[j], r);
    solve(w, island);
    load_dropped(island, false);
    const double carried = largest_entry(w, island, true), most = fmax(carried, largest_entry(w, island, false));
    respond(w, island);
    return carried >= LEAST_SHARE * most && stiffness(w, island) <= tolerance * most;
}

/* ---- The choice ----------------------------------------------------------------------------- */

/* Takes the self-stresses known out of x. */
static void purge(trm_direct_island *island, const stresses *s)
{
    for (int i = 0; i < s->count; i++) {
        const double *z = s->z + (size_t)i * (size_t)island->rows, factor = island->x[s->row[i]];
        for (int r = 0; r < island->rows; r++) island->x[r] -= factor * z[r];
        island->x[s->row[i]] = 0;
    }
}

/* x <- a self-stress without the rows that are barred and those of the stresses known. False: there is no other. */
static bool find_stress(trm_maximal *w, trm_direct_island *island, const stresses *s, double tolerance)
{
    memset(island->x, 0, (size_t)island->rows * sizeof *island->x);
    for (int j = 0; j < island->joint_count; j++)
        for (int r = 0, row = island->blocks[j].first; r < island->blocks[j].rows; r++, row++)
            if (island->joints[j].on && !island->barred[row])
                island->x[row] =
                    signed_number_of(island->joints[j].joint->row_offset + r) / sqrt(island->scale[row]);
    for (int i = 0; i < ITERATIONS; i++) {
        for (int r = 0; r < island->rows; r++) island->x[r] *= island->scale[r];
        solve(w, island);
        purge(island, s);
        const double largest = largest_entry(w, island, false);
        if (!(largest > 0) || trm_share_is_lost(w->share)) return false;
        for (int r = 0; r < island->rows; r++) island->x[r] /= largest;
    }
    respond(w, island);
    return stiffness(w, island) <= tolerance;
}

/* The row of the model that carries most of the self-stress x, of equal ones always the same. */
static int strongest_row(trm_maximal *w, const trm_direct_island *island)
{
    double most = -1;
    int strongest = -1;
    for (int j = 0; j < island->joint_count; j++)
        for (int r = 0; r < island->blocks[j].rows; r++) {
            const int row = island->blocks[j].first + r, in_model = island->joints[j].joint->row_offset + r;
            const double entry = fabs(island->x[row]) * sqrt(island->scale[row]) * (1 + EQUAL * number_of(in_model));
            if (!island->barred[row] && entry > most) most = entry, strongest = in_model;
        }
    trm_share_largest(w->share, &most, &strongest);
    return strongest;
}

/* Keeps x, so that later ones can be freed of the row. */
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

/* Bars rows with the matrix softened, as many as room allows or there are. Whether others may follow. Ranks that know some rows only
 * keep none: the matrix is then factorised again for each row. */
static bool bar_some(trm_maximal *w, trm_direct_island *island, trm_direct_desk *desk, double tolerance)
{
    const size_t room = desk->stress_room / (size_t)island->rows;
    stresses s = {.z = desk->stresses, .most = room < MOST_STRESSES ? (int)room : MOST_STRESSES};
    if (w->share) s.most = 0;
    island->softening = tolerance;
    w->solver->matrix->factorise(w, island);
    do {
        if (!find_stress(w, island, &s, tolerance)) return false;
        const int row = strongest_row(w, island);
        if (row < 0) return false;
        if (s.count < s.most) keep_stress(island, &s, row);
        mark(island, island->barred, row);
    } while (s.count < s.most);
    return true;
}

int trm_direct_decide_rank(trm_maximal *w, trm_direct_island *island, trm_direct_desk *desk, int lost)
{
    const double tolerance = tolerance_of(w), doubtful = fmax(DOUBTFUL, DOUBTFUL_PER_TOLERANCE * tolerance);
    double weakness = 1 / island->weakest, dropped = lost;
    trm_share_largest(w->share, &weakness, NULL);
    trm_share_largest(w->share, &dropped, NULL);
    if (!(weakness > 1 / WEAK) || (dropped == 0 && weakness < 1 / doubtful)) return lost;
    if (weakness < 1 / doubtful && drops_well(w, island, tolerance)) return lost;
    while (bar_some(w, island, desk, tolerance)) continue;
    island->softening = 0;
    return w->solver->matrix->factorise(w, island);
}

/* ---- A rank that was held ------------------------------------------------------------------- */

/* Gaps of rows that were kept, and of the joint with the largest of a row that was dropped. */
static void compare_gaps(const trm_maximal *w, const trm_direct_island *island, double *kept, double *dropped,
                         int *joint)
{
    const trm_state *state = w->stepper->state;
    for (int j = 0; j < island->joint_count; j++) {
        double c[TRM_JOINT_ROWS];
        trm_maximal_open(w, &island->joints[j], state->pose, state->clock->time, c);
        for (int r = 0, row = island->blocks[j].first; r < island->blocks[j].rows; r++, row++) {
            if (!island->dropped[row])
                *kept = fmax(*kept, fabs(c[r]));
            else if (fabs(c[r]) > *dropped)
                *dropped = fabs(c[r]), *joint = island->joints[j].index;
        }
    }
    trm_share_largest(w->share, kept, NULL);
    trm_share_largest(w->share, dropped, joint);
}

const trm_joint *trm_direct_opened_by_rank(const trm_maximal *w)
{
    const trm_simulation_def *o = w->stepper->options;
    for (int i = 0; i < w->direct->island_count; i++) {
        double kept = fmax(o->position_tolerance, o->angle_tolerance), dropped = 0;
        int joint = -1;
        if (w->direct->islands[i].dropped_count == 0) continue;
        compare_gaps(w, &w->direct->islands[i], &kept, &dropped, &joint);
        if (dropped > OPEN_MORE * kept && joint >= 0) return &w->stepper->model->joints[joint];
    }
    return NULL;
}
