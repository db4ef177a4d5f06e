/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Sorts contacts into four parallel lanes, and computes one sweep over four contacts at a time (lanes.h). */

#include "methods/contact/lanes.h"

#include <stdlib.h>
#include <string.h>

/* ---- Sorting into lanes ------------------------------------------------------------------- */

/* A pair with more than MOST_CONTACTS contacts is split into several runs. At most OPEN_GROUPS groups are filled at
 * a time, a bit each in `busy`. A lane whose run is shorter than the longest of its group waits. Therefore runs of
 * different lengths share a group only in islands with so few runs that groups would otherwise stay half empty. */
enum { MOST_CONTACTS = 8, OPEN_GROUPS = 32 };

/* Consecutive contacts of one pair of bodies. */
typedef struct run {
    int first, count; /* numbers in the island's constraints */
} run;

/* Runs that may be swept together, because their bodies differ. */
typedef struct group {
    int body[2][TRM_LANES];
    int lanes; /* lanes in use */
    int count; /* contacts of the longest run */
} group;

typedef struct sorter {
    const trm_problem *problem;
    const trm_problem_island *island;
    run *runs; /* four per group */
    group *groups;
    int group_count;
    int next;                              /* place at which the search for the next run begins */
    int spread;                            /* number of groups among which the first runs are spread */
    int uneven;                            /* largest difference of the lengths of runs in a group */
    int open[OPEN_GROUPS];                 /* groups that are being filled; -1: none */
    uint32_t of_length[MOST_CONTACTS + 1]; /* per length: a bit for each open group whose longest run has it */
    uint32_t *busy;                        /* per body: a bit for each open group that has it */
} sorter;

static const trm_constraint *constraint_at(const sorter *s, int i)
{
    return &s->problem->constraints[s->island->constraints[i]];
}

static bool moves(const sorter *s, int body)
{
    return s->problem->bodies[body].inverse_mass > 0;
}

/* Returns the run of contacts of the same two bodies from the i-th constraint on. */
static run run_at(const sorter *s, int i)
{
    const trm_constraint *first = constraint_at(s, i);
    int count = 1;
    for (; count < MOST_CONTACTS && i + count < s->island->constraint_count; count++) {
        const trm_constraint *next = constraint_at(s, i + count);
        if (next->law != TRM_CONE || next->body[0] != first->body[0] || next->body[1] != first->body[1]) break;
    }
    return (run){i, count};
}

static void close_group(sorter *s, int place)
{
    const group *full = &s->groups[s->open[place]];
    for (int k = 0; k < 2; k++)
        for (int lane = 0; lane < full->lanes; lane++) s->busy[full->body[k][lane]] &= ~(UINT32_C(1) << place);
    s->of_length[full->count] &= ~(UINT32_C(1) << place);
    s->open[place] = -1;
}

/* Returns the place of an open group of free places with runs of about the same length, in turn from the next one;
 * -1: none. Runs of neighbours take turns: in a stack of ten, which has a chain of ten pairs, groups of every second
 * pair would leave two pairs alone. */
static int shared_place(const sorter *s, uint32_t free, int count)
{
    for (int uneven = 0; uneven <= s->uneven; uneven++) {
        const uint32_t longer = count + uneven <= MOST_CONTACTS ? s->of_length[count + uneven] : 0;
        const uint32_t shorter = count > uneven ? s->of_length[count - uneven] : 0, fit = (longer | shorter) & free;
        for (int k = 0; fit && k < OPEN_GROUPS; k++) {
            const int place = (s->next + k) % OPEN_GROUPS;
            if (fit >> place & 1) return place;
        }
    }
    return -1;
}

/* Opens a new group, if need be in place of the next one in turn. Returns its place. */
static int new_place(sorter *s)
{
    int place = s->next;
    for (int k = 0; k < OPEN_GROUPS && s->open[place] >= 0; k++) place = (place + 1) % OPEN_GROUPS;
    if (s->open[place] >= 0) close_group(s, place);
    s->open[place] = s->group_count++;
    s->groups[s->open[place]] = (group){0};
    return place;
}

/* Returns the place for a run. */
static int place_for(sorter *s, const int *body, int count)
{
    const uint32_t busy = (moves(s, body[0]) ? s->busy[body[0]] : 0) | (moves(s, body[1]) ? s->busy[body[1]] : 0);
    int place = s->group_count < s->spread ? -1 : shared_place(s, ~busy, count);
    if (place < 0) place = new_place(s);
    s->next = (place + 1) % OPEN_GROUPS;
    return place;
}

static void add_run(sorter *s, run r)
{
    const int *body = constraint_at(s, r.first)->body;
    const int place = place_for(s, body, r.count);
    group *to = &s->groups[s->open[place]];
    s->runs[TRM_LANES * s->open[place] + to->lanes] = r;
    for (int k = 0; k < 2; k++) {
        to->body[k][to->lanes] = body[k];
        s->busy[body[k]] |= UINT32_C(1) << place;
    }
    s->of_length[to->count] &= ~(UINT32_C(1) << place);
    to->count = r.count > to->count ? r.count : to->count;
    s->of_length[to->count] |= UINT32_C(1) << place;
    if (++to->lanes == TRM_LANES) close_group(s, place);
}

/* ---- Contents of lanes -------------------------------------------------------------------- */

/* Sets one lane of a vector. */
static void put(trm_four_vec3 *to, int lane, trm_vec3 v)
{
    ((double *)&to->x)[lane] = v.x, ((double *)&to->y)[lane] = v.y, ((double *)&to->z)[lane] = v.z;
}

static void fill_bodies(trm_lane_pair *pair, const trm_problem *problem)
{
    for (int lane = 0; lane < TRM_LANES; lane++)
        for (int k = 0; k < 2; k++) {
            if (lane >= pair->lanes) pair->body[k][lane] = pair->body[k][0];
            const int body = pair->body[k][lane];
            pair->per_mass[k][lane] = problem->bodies[body].inverse_mass;
            for (int r = 0; r < 3; r++) {
                const double *row = problem->inverse_inertia[body].m[r];
                put(&pair->per_inertia[k][r], lane, trm_v3(row[0], row[1], row[2]));
            }
        }
}

static void fill_lane(trm_lane_contact *c, int lane, const trm_constraint *constraint)
{
    for (int r = 0; r < 3; r++) {
        put(&c->d[r], lane, constraint->frame->d[r]);
        c->b[r][lane] = constraint->b ? constraint->b[r] : 0;
        c->lambda[r][lane] = constraint->lambda[r];
    }
    for (int k = 0; k < 2; k++) put(&c->arm[k], lane, constraint->frame->arm[k]);
    c->friction[lane] = constraint->friction;
}

TRM_FOUR_KERNEL trm_four_vec3 turned_by(const trm_four_vec3 *per_inertia, trm_four_vec3 L)
{
    return (trm_four_vec3){trm_four_dot(per_inertia[0], L), trm_four_dot(per_inertia[1], L),
                           trm_four_dot(per_inertia[2], L)};
}

/* Returns 1/K in the lanes that are in use and have a response. */
static trm_four per(trm_four K, int lanes)
{
    trm_four inverse = {0, 0, 0, 0};
    for (int lane = 0; lane < lanes; lane++) inverse[lane] = K[lane] > 0 ? 1 / K[lane] : 0;
    return inverse;
}

/* Computes the responses of a contact to itself: K_rs = (1/m_a + 1/m_b) d_r . d_s + (r x d_r) . I^-1 (r x d_s) of
 * both. */
static void fill_responses(const trm_lane_pair *pair, trm_lane_contact *c)
{
    trm_four K[3][3];
    for (int s = 0; s < 3; s++)
        for (int r = 0; r <= s; r++)
            K[r][s] = (pair->per_mass[0] + pair->per_mass[1]) * trm_four_dot(c->d[r], c->d[s]);
    for (int k = 0; k < 2; k++) {
        trm_four_vec3 L[3];
        for (int s = 0; s < 3; s++) {
            L[s] = trm_four_cross(c->arm[k], c->d[s]);
            const trm_four_vec3 W = turned_by(pair->per_inertia[k], L[s]);
            for (int r = 0; r <= s; r++) K[r][s] += trm_four_dot(L[r], W);
        }
    }
    const trm_four half = 0.5 * (K[1][1] + K[2][2]), apart = 0.5 * (K[1][1] - K[2][2]);
    c->K_n = K[0][0];
    c->K_t = half + trm_four_sqrt(apart * apart + K[1][2] * K[1][2]);
    c->per_K_n = per(c->K_n, pair->lanes);
    c->per_K_t = per(c->K_t, pair->lanes);
    c->K_tn[0] = K[0][1], c->K_tn[1] = K[0][2];
}

/* Returns whether all four runs have an i-th contact. */
static bool all_reach(const run *runs, int i)
{
    return i < runs[0].count && i < runs[1].count && i < runs[2].count && i < runs[3].count;
}

static void fill_group(trm_lanes *lanes, const sorter *s, int number)
{
    const group *from = &s->groups[number];
    const run *runs = s->runs + TRM_LANES * number;
    trm_lane_pair *pair = &lanes->pairs[number];
    *pair = (trm_lane_pair){.lanes = from->lanes, .count = from->count, .first = lanes->contact_count};
    memcpy(pair->body, from->body, sizeof pair->body);
    lanes->contact_count += pair->count;
    fill_bodies(pair, s->problem);
    for (int i = 0; i < pair->count; i++) {
        trm_lane_contact *c = &lanes->contacts[pair->first + i];
        if (pair->lanes < TRM_LANES || !all_reach(runs, i)) memset(c, 0, sizeof *c);
        for (int lane = 0; lane < pair->lanes; lane++) {
            if (i >= runs[lane].count) continue;
            const trm_constraint *constraint = constraint_at(s, runs[lane].first + i);
            lanes->constraints[TRM_LANES * (pair->first + i) + lane] = constraint;
            fill_lane(c, lane, constraint);
        }
        for (int r = 0; r < 3; r++) c->change[r] = c->p[r] = (trm_four){0, 0, 0, 0};
        fill_responses(pair, c);
    }
}

/* Puts all runs into groups. */
static void sort_runs(sorter *s)
{
    for (int i = 0; i < s->island->constraint_count; i++) {
        if (constraint_at(s, i)->law != TRM_CONE) continue;
        const run r = run_at(s, i);
        add_run(s, r);
        i += r.count - 1;
    }
}

/* Returns the number of runs, and marks their bodies, not those of the whole model, as in no group. */
static int count_runs(sorter *s)
{
    int count = 0;
    for (int i = 0; i < s->island->constraint_count; i++) {
        const trm_constraint *constraint = constraint_at(s, i);
        if (constraint->law != TRM_CONE) continue;
        for (int k = 0; k < 2; k++) s->busy[constraint->body[k]] = 0;
        i += run_at(s, i).count - 1;
        count++;
    }
    return count;
}

bool trm_lanes_make(trm_lanes *lanes, const trm_problem *problem, const trm_problem_island *island)
{
    trm_arena *arena = problem->arena;
    sorter s = {.problem = problem, .island = island};
    s.busy = TRM_NEW_ROOM(arena, uint32_t, problem->body_count);
    if (!s.busy) return false;
    const int runs = count_runs(&s);
    int contacts = 0;
    s.runs = TRM_NEW_ROOM(arena, run, TRM_LANES * runs);
    s.groups = TRM_NEW_ROOM(arena, group, runs);
    if (!s.runs || !s.groups) return false;
    for (int place = 0; place < OPEN_GROUPS; place++) s.open[place] = -1;
    const bool few = runs <= TRM_LANES * OPEN_GROUPS;
    s.spread = few ? (runs + TRM_LANES - 1) / TRM_LANES : OPEN_GROUPS;
    s.uneven = few ? MOST_CONTACTS : 0;
    sort_runs(&s);
    for (int i = 0; i < s.group_count; i++) contacts += s.groups[i].count;
    *lanes = (trm_lanes){.V = problem->V,
                         .pairs = TRM_NEW_ROOM(arena, trm_lane_pair, s.group_count),
                         .pair_count = s.group_count,
                         .contacts = TRM_NEW_ROOM(arena, trm_lane_contact, contacts),
                         .constraints = TRM_NEW_ARRAY(arena, const trm_constraint *, TRM_LANES *contacts)};
    if (!lanes->pairs || !lanes->contacts || !lanes->constraints) return false;
    for (int i = 0; i < s.group_count; i++) fill_group(lanes, &s, i);
    return true;
}

/* ---- Four at a time ----------------------------------------------------------------------- */

/* The velocities of a group. */
typedef struct motion {
    trm_four_vec3 v[2], w[2];
} motion;

TRM_FOUR_KERNEL motion motion_of(const trm_lane_pair *pair, const trm_spatial *V)
{
    return (motion){{TRM_GATHER_VEC3(V, pair->body[0], lin), TRM_GATHER_VEC3(V, pair->body[1], lin)},
                    {TRM_GATHER_VEC3(V, pair->body[0], ang), TRM_GATHER_VEC3(V, pair->body[1], ang)}};
}

TRM_FOUR_KERNEL void set_motion(const trm_lane_pair *pair, const motion *m, trm_spatial *V)
{
    for (int k = 0; k < 2; k++)
        for (int lane = 0; lane < pair->lanes; lane++)
            if (pair->per_mass[k][lane] > 0) /* a fixed body is shared by lanes and may be read at this time */
                V[pair->body[k][lane]] = trm_sp(trm_v3(m->w[k].x[lane], m->w[k].y[lane], m->w[k].z[lane]),
                                                trm_v3(m->v[k].x[lane], m->v[k].y[lane], m->v[k].z[lane]));
}

TRM_FOUR_KERNEL void find_speeds(const trm_lane_contact *c, const motion *m, trm_four u[3])
{
    const trm_four_vec3 of_a = trm_four_add(m->v[0], trm_four_cross(m->w[0], c->arm[0]));
    const trm_four_vec3 of_b = trm_four_add(m->v[1], trm_four_cross(m->w[1], c->arm[1]));
    const trm_four_vec3 apart = trm_four_sub(of_a, of_b);
    for (int r = 0; r < 3; r++) u[r] = trm_four_dot(c->d[r], apart) + c->b[r];
}

TRM_FOUR_KERNEL void apply_impulse(const trm_lane_pair *pair, const trm_lane_contact *c, const trm_four change[3],
                                   motion *m)
{
    trm_four_vec3 p = trm_four_scale(change[0], c->d[0]);
    for (int r = 1; r < 3; r++) p = trm_four_add_scaled(p, change[r], c->d[r]);
    const trm_four_vec3 turn_a = turned_by(pair->per_inertia[0], trm_four_cross(c->arm[0], p));
    const trm_four_vec3 turn_b = turned_by(pair->per_inertia[1], trm_four_cross(c->arm[1], p));
    m->v[0] = trm_four_add_scaled(m->v[0], pair->per_mass[0], p);
    m->v[1] = trm_four_add_scaled(m->v[1], -pair->per_mass[1], p);
    m->w[0] = trm_four_add(m->w[0], turn_a);
    m->w[1] = trm_four_sub(m->w[1], turn_b);
}

/* lambda += beta p,  p <- beta p + D */
TRM_FOUR_KERNEL void extrapolate(trm_lane_contact *c, double beta)
{
    for (int r = 0; r < 3; r++) {
        const trm_four farther = beta * c->p[r];
        c->lambda[r] += farther;
        c->p[r] = farther + c->change[r];
    }
}

/* Projects (y1, y2) onto the disc of the given radius. If all four contacts stick, as at rest, no square root is
 * computed. */
TRM_FOUR_KERNEL void project_onto_disc(trm_four radius, trm_four *y1, trm_four *y2)
{
    const trm_four all = {1, 1, 1, 1}, square = *y1 * *y1 + *y2 * *y2;
    const trm_four_flags outside = square > radius * radius;
    if (!trm_four_any(outside)) return;
    const trm_four share = trm_four_choose(outside, radius / trm_four_sqrt(square), all);
    *y1 *= share;
    *y2 *= share;
}

/* Sets lambda_n = max(0, lambda_n - u_n / K_n), then projects lambda_t - u_t / K_t onto the disc of radius mu
 * lambda_n, with u_t after the change of lambda_n. Adds K D^2 to squares. Returns the changes of their own speeds. */
TRM_FOUR_KERNEL trm_four relax(const trm_lane_pair *pair, trm_lane_contact *c, motion *m, trm_four *squares)
{
    const trm_four none = {0, 0, 0, 0};
    trm_four u[3], *change = c->change;
    find_speeds(c, m, u);
    const trm_four normal = trm_four_max(c->lambda[0] - u[0] * c->per_K_n, none);
    change[0] = normal - c->lambda[0];
    trm_four y1 = c->lambda[1] - (u[1] + c->K_tn[0] * change[0]) * c->per_K_t;
    trm_four y2 = c->lambda[2] - (u[2] + c->K_tn[1] * change[0]) * c->per_K_t;
    project_onto_disc(c->friction * normal, &y1, &y2);
    change[1] = y1 - c->lambda[1];
    change[2] = y2 - c->lambda[2];
    for (int r = 0; r < 3; r++) c->lambda[r] += change[r];
    apply_impulse(pair, c, change, m);
    *squares += c->K_n * change[0] * change[0] + c->K_t * (change[1] * change[1] + change[2] * change[2]);
    return trm_four_max(c->K_n * trm_four_abs(change[0]),
                        c->K_t * trm_four_max(trm_four_abs(change[1]), trm_four_abs(change[2])));
}

trm_lanes_change trm_lanes_sweep(trm_lanes *lanes, double beta)
{
    trm_four most = {0, 0, 0, 0}, squares = {0, 0, 0, 0};
    for (int i = 0; i < lanes->pair_count; i++) {
        const trm_lane_pair *pair = &lanes->pairs[i];
        motion m = motion_of(pair, lanes->V);
        for (int c = 0; c < pair->count; c++) {
            trm_lane_contact *contact = &lanes->contacts[pair->first + c];
            extrapolate(contact, beta);
            most = trm_four_max(relax(pair, contact, &m, &squares), most);
        }
        set_motion(pair, &m, lanes->V);
    }
    return (trm_lanes_change){fmax(fmax(most[0], most[1]), fmax(most[2], most[3])),
                              squares[0] + squares[1] + squares[2] + squares[3]};
}

double trm_lanes_work(const trm_lanes *lanes)
{
    trm_four work = {0, 0, 0, 0};
    for (int i = 0; i < lanes->pair_count; i++) {
        const trm_lane_pair *pair = &lanes->pairs[i];
        const motion m = motion_of(pair, lanes->V);
        for (int c = pair->first; c < pair->first + pair->count; c++) {
            trm_four u[3];
            find_speeds(&lanes->contacts[c], &m, u);
            for (int r = 0; r < 3; r++) work += lanes->contacts[c].lambda[r] * u[r];
        }
    }
    return work[0] + work[1] + work[2] + work[3];
}

void trm_lanes_act(trm_lanes *lanes, double share)
{
    for (int i = 0; i < lanes->pair_count; i++) {
        const trm_lane_pair *pair = &lanes->pairs[i];
        motion m = motion_of(pair, lanes->V);
        for (int c = pair->first; c < pair->first + pair->count; c++) {
            const trm_four *lambda = lanes->contacts[c].lambda;
            apply_impulse(pair, &lanes->contacts[c],
                          (trm_four[]){share * lambda[0], share * lambda[1], share * lambda[2]}, &m);
        }
        set_motion(pair, &m, lanes->V);
    }
}

void trm_lanes_forget(trm_lanes *lanes)
{
    for (int c = 0; c < lanes->contact_count; c++)
        for (int r = 0; r < 3; r++) lanes->contacts[c].lambda[r] = (trm_four){0, 0, 0, 0};
}

void trm_lanes_write_back(const trm_lanes *lanes)
{
    for (int c = 0; c < lanes->contact_count; c++)
        for (int lane = 0; lane < TRM_LANES; lane++) {
            const trm_constraint *constraint = lanes->constraints[TRM_LANES * c + lane];
            for (int r = 0; constraint && r < 3; r++) constraint->lambda[r] = lanes->contacts[c].lambda[r][lane];
        }
}
