/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The penalty form, a matrix with a block per body (Hishinuma 2018, (5), with the missing J^T added to Q_R):
 *
 *     (M + J^T alpha J) a = Q + J^T alpha gamma,     l = alpha (gamma - J a)
 *
 * gamma contains the stabilising terms. The system is solved for the difference d to the accelerations without
 * joints. It is refined, because alpha costs digits:
 *
 *     (M + J^T alpha J) d = M (a_free - a) + J^T alpha (gamma - J a),   a += d
 *
 * For fixed bodies and bodies with prescribed motion J a is known. */

#include <string.h>

#include "base/larger.h"
#include "linalg/block_ldlt.h"
#include "methods/lagrange/lagrange.h"

enum { REFINED = 2 };
/* The residual after the last refinement may be at most this fraction of the first one. A larger value accepts
 * accelerations with few digits, a smaller one fails where masses differ by orders of magnitude. Tests pass with a
 * tenth and with ten times of it. */
static const double ACCURATE = 1e-9;

/* Two bodies of a joint, in slots k and l, whose block (k, l) is stored. */
typedef struct body_pair {
    const trm_maximal_joint *joint;
    int k, l;
    size_t place;
} body_pair;

struct trm_penalty {
    double alpha;
    int *block_of; /* per body of the model; -1: it is not an unknown */
    int *body_of;  /* per block */
    int *size;     /* per block: 6, or 3 for a point, which has no orientation */
    body_pair *pairs;
    int pair_count;
    trm_block_symbolic symbolic;
    double *values, *scale, *x;
    bool *dropped;
    trm_spatial *free; /* per body: accelerations without joints */
};

/* ---- The graph ---------------------------------------------------------------------------- */

static int number_bodies(trm_penalty *p, const trm_model *model)
{
    int blocks = 0;
    for (int i = 0; i < model->body_count; i++) {
        const bool unknown = model->bodies[i].inverse_mass > 0;
        p->block_of[i] = unknown ? blocks : -1;
        if (!unknown) continue;
        p->body_of[blocks] = i;
        p->size[blocks++] = trm_body_freedoms(&model->bodies[i]);
    }
    return blocks;
}

/* Lists every pair of bodies of a joint that are both unknown. Returns their number. list NULL: only counts. */
static int find_pairs(const trm_penalty *p, const trm_maximal *machine, body_pair *list)
{
    int count = 0;
    for (int j = 0; j < machine->joint_count; j++) {
        const trm_joint *joint = machine->joints[j].joint;
        for (int k = 0; k < joint->body_count; k++)
            for (int l = 0; l < joint->body_count; l++) {
                if (p->block_of[joint->body[k]] < 0 || p->block_of[joint->body[l]] < 0) continue;
                if (list) list[count] = (body_pair){&machine->joints[j], k, l, 0};
                count++;
            }
    }
    return count;
}

static int block_at(const trm_penalty *p, const body_pair *m, int slot)
{
    return p->block_of[m->joint->joint->body[slot]];
}

/* Bodies are neighbours if they share a joint. */
static bool make_graph(const trm_penalty *p, const trm_maximal *machine, int blocks, trm_arena *scratch,
                       trm_block_graph *graph)
{
    trm_block_elements elements;
    if (!trm_block_elements_create(&elements, machine->joint_count, machine->joint_count * TRM_JOINT_BODIES, scratch))
        return false;
    for (int j = 0; j < machine->joint_count; j++) {
        const trm_joint *joint = machine->joints[j].joint;
        trm_block_elements_add(&elements, p->block_of, joint->body, joint->body_count);
    }
    return trm_block_graph_make(&elements, blocks, p->size, scratch, graph);
}

/* Keeps the stored one of each two pairs (a, b) and (b, a), with the place of its block. */
static void keep_stored(trm_penalty *p)
{
    int kept = 0;
    for (int m = 0; m < p->pair_count; m++) {
        body_pair here = p->pairs[m];
        bool transposed;
        here.place =
            trm_block_place(&p->symbolic, block_at(p, &here, here.k), block_at(p, &here, here.l), &transposed);
        if (!transposed) p->pairs[kept++] = here;
    }
    p->pair_count = kept;
}

static bool make_matrix(trm_penalty *p, const trm_maximal *machine, int blocks, trm_arena *arena)
{
    trm_arena scratch;
    trm_block_graph graph;
    p->pair_count = find_pairs(p, machine, NULL);
    p->pairs = TRM_NEW_ARRAY(arena, body_pair, p->pair_count);
    if (!p->pairs) return false;
    find_pairs(p, machine, p->pairs);
    trm_arena_init(&scratch, &arena->allocator);
    const bool made = make_graph(p, machine, blocks, &scratch, &graph) &&
                      trm_block_symbolic_find(&graph, arena, &scratch, &p->symbolic);
    trm_arena_destroy(&scratch);
    if (made) keep_stored(p);
    return made;
}

trm_penalty *trm_penalty_create(const trm_maximal *machine, double alpha)
{
    trm_arena *arena = machine->stepper->arena;
    const int bodies = machine->stepper->model->body_count;
    trm_penalty *p = TRM_NEW(arena, trm_penalty);
    if (!p) return NULL;
    p->alpha = alpha;
    p->block_of = TRM_NEW_ARRAY(arena, int, bodies);
    p->body_of = TRM_NEW_ARRAY(arena, int, bodies);
    p->size = TRM_NEW_ARRAY(arena, int, bodies);
    p->free = TRM_NEW_ARRAY(arena, trm_spatial, bodies);
    if (arena->failed) return NULL;
    if (!make_matrix(p, machine, number_bodies(p, machine->stepper->model), arena)) return NULL;
    p->values = TRM_NEW_ARRAY(arena, double, p->symbolic.values);
    p->scale = TRM_NEW_ARRAY(arena, double, p->symbolic.rows);
    p->x = TRM_NEW_ARRAY(arena, double, p->symbolic.rows);
    p->dropped = TRM_NEW_ARRAY(arena, bool, p->symbolic.rows);
    return arena->failed ? NULL : p;
}

/* ---- The matrix --------------------------------------------------------------------------- */

/* The components of a spatial vector; a point has only the last three. */
typedef struct components {
    double v[6];
} components;

static components components_of(trm_spatial s)
{
    return (components){{s.ang.x, s.ang.y, s.ang.z, s.lin.x, s.lin.y, s.lin.z}};
}

static trm_spatial from_components(components c)
{
    return trm_sp(trm_v3(c.v[0], c.v[1], c.v[2]), trm_v3(c.v[3], c.v[4], c.v[5]));
}

/* Returns M a of a body, with its inertia in world axes. */
static trm_spatial mass_times(const trm_body *body, trm_quat q, trm_spatial a)
{
    const trm_vec3 w = trm_rotate_back(q, a.ang), J = body->inertia;
    return trm_sp(trm_rotate(q, trm_v3(J.x * w.x, J.y * w.y, J.z * w.z)), trm_v3_scale(body->mass, a.lin));
}

static void add_mass(trm_penalty *p, const trm_state *state, int block)
{
    const int body = p->body_of[block], n = p->size[block], k = p->symbolic.position[block];
    double *D = p->values + p->symbolic.pivot[k];
    for (int c = 0; c < n; c++) {
        components unit = {{0}};
        unit.v[6 - n + c] = 1;
        const components column =
            components_of(mass_times(&state->model->bodies[body], state->pose[body].q, from_components(unit)));
        for (int r = 0; r < n; r++) D[r * n + c] += column.v[6 - n + r];
    }
}

/* J_k^T alpha J_l */
static void add_pair(trm_penalty *p, const body_pair *m)
{
    const trm_joint *joint = m->joint->joint;
    const int n = p->size[block_at(p, m, m->k)], o = p->size[block_at(p, m, m->l)];
    for (int r = 0; r < joint->rows; r++) {
        const components a = components_of(m->joint->J[r * joint->body_count + m->k]);
        const components b = components_of(m->joint->J[r * joint->body_count + m->l]);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < o; j++)
                p->values[m->place + (size_t)(i * o + j)] += p->alpha * a.v[6 - n + i] * b.v[6 - o + j];
    }
}

static void factorise(trm_penalty *p, const trm_state *state)
{
    const trm_block_symbolic *s = &p->symbolic;
    memset(p->values, 0, s->values * sizeof *p->values);
    for (int b = 0; b < s->blocks; b++) add_mass(p, state, b);
    /* a pivot is never less than the row's own mass: compared with that, no row is dropped */
    for (int k = 0; k < s->blocks; k++)
        for (int r = 0, n = s->size[k]; r < n; r++)
            p->scale[s->first_row[k] + r] = p->values[s->pivot[k] + (size_t)(r * n + r)];
    for (int m = 0; m < p->pair_count; m++) add_pair(p, &p->pairs[m]);
    trm_block_factorise(s, p->values, p->scale, p->dropped);
}

/* ---- Solving ------------------------------------------------------------------------------ */

static void add_to_x(trm_penalty *p, int body, double weight, trm_spatial F)
{
    const int block = p->block_of[body];
    if (block < 0) return;
    double *x = p->x + p->symbolic.first_row[p->symbolic.position[block]];
    const components f = components_of(F);
    for (int r = 0, n = p->size[block]; r < n; r++) x[r] += weight * f.v[6 - n + r];
}

/* Computes M (a_free - a) + J^T alpha (gamma - J a) into x, and the multipliers. */
static void find_residual(trm_penalty *p, trm_maximal *machine)
{
    trm_state *state = machine->stepper->state;
    memset(p->x, 0, (size_t)p->symbolic.rows * sizeof *p->x);
    for (int i = 0; i < state->model->body_count; i++) {
        const trm_spatial missing = trm_sp_add_scaled(p->free[i], -1, machine->accelerations.a[i]);
        add_to_x(p, i, 1, mass_times(&state->model->bodies[i], state->pose[i].q, missing));
    }
    for (int j = 0; j < machine->joint_count; j++) {
        const trm_maximal_joint *joint = &machine->joints[j];
        const int n = joint->joint->body_count;
        double gap[TRM_JOINT_ROWS];
        trm_maximal_acceleration_gap(machine, joint, gap);
        for (int r = 0; r < joint->joint->rows; r++) {
            const double l = -p->alpha * gap[r];
            machine->accelerations.lambda[joint->joint->row_offset + r] = l;
            for (int b = 0; b < n; b++) add_to_x(p, joint->joint->body[b], l, joint->J[r * n + b]);
        }
    }
}

static void add_solution(const trm_penalty *p, trm_maximal *machine)
{
    for (int b = 0; b < p->symbolic.blocks; b++) {
        const double *x = p->x + p->symbolic.first_row[p->symbolic.position[b]];
        components d = {{0}};
        for (int r = 0, n = p->size[b]; r < n; r++) d.v[6 - n + r] = x[r];
        trm_spatial *a = &machine->accelerations.a[p->body_of[b]];
        *a = trm_sp_add_scaled(*a, 1, from_components(d));
    }
}

static double largest_of(const double *x, int count)
{
    double largest = 0;
    for (int i = 0; i < count; i++) largest = trm_larger(largest, fabs(x[i]));
    return largest;
}

bool trm_penalty_accelerate(trm_penalty *p, trm_maximal *machine)
{
    factorise(p, machine->stepper->state);
    memcpy(p->free, machine->accelerations.a, (size_t)machine->stepper->model->body_count * sizeof *p->free);
    find_residual(p, machine);
    const double first = largest_of(p->x, p->symbolic.rows);
    for (int round = 0; round <= REFINED; round++) {
        trm_block_solve(&p->symbolic, p->values, p->x);
        add_solution(p, machine);
        find_residual(p, machine);
    }
    return largest_of(p->x, p->symbolic.rows) <= ACCURATE * first;
}
