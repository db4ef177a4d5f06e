/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Linearisation about a state at rest (linear.h), or about its motion (steady.h). */

#include <math.h>
#include <string.h>

#include "analysis/linear.h"
#include "analysis/steady.h"
#include "base/memory.h"
#include "base/message.h"
#include "linalg/dense.h"
#include "model/contact_law.h"
#include "model/def.h"

/* Fraction of the largest force that may be unbalanced without a message. A larger value linearises about poses that
 * are not equilibria without a message, a smaller one reports the rounding of files with seven digits. Tests pass
 * with a tenth and with ten times of it. */
static const double BALANCED = 1e-7;
/* m/s, or rad/s times the size: slower motion counts as rest. A larger value drops the velocity terms of slow
 * motions, a smaller one treats a projected rest as motion and differentiates numerically. */
static const double AT_REST = 1e-12;

/* ---- At rest ------------------------------------------------------------------------------ */

static bool make_room(trm_linear_work *l)
{
    trm_arena *arena = &l->s.arena;
    const size_t n = (size_t)l->s.n + 1;
    trm_balance *b = &l->b;
    b->s = &l->s;
    if (!trm_system_find_rows(&l->s, 1e-6 * l->s.size)) return false;
    b->g = TRM_NEW_ARRAY(arena, double, n), b->r = TRM_NEW_ARRAY(arena, double, n);
    b->K = TRM_NEW_ARRAY(arena, double, n *n), b->reduced = TRM_NEW_ARRAY(arena, double, n *n);
    b->w = TRM_NEW_ARRAY(arena, double, n), b->room = TRM_NEW_ARRAY(arena, double, 4 * n);
    b->null = trm_null_space_create(arena, l->s.row_count, l->s.n);
    return b->g && b->r && b->K && b->reduced && b->w && b->room && b->null;
}

static void warn_of_unbalanced(const trm_linear_work *l)
{
    const trm_balance *b = &l->b;
    if (b->residual <= BALANCED * b->scale) return;
    trm_add_warning(
        l->messages, (trm_place){0},
        "the state is not in equilibrium: a force of %.3g N is not balanced and is left out; linearise at the "
        "equilibrium",
        b->residual);
}

/* Copies S out of the null space; it has room for n x n. */
static bool copy_null_space(trm_linear_work *l)
{
    const size_t n = (size_t)l->s.n, f = (size_t)l->b.freedoms;
    l->f = l->b.freedoms;
    l->S = TRM_NEW_ARRAY(&l->s.arena, double, n *f + 1);
    for (size_t i = 0; l->S && i < n; i++)
        for (size_t k = 0; k < f; k++) l->S[i * f + k] = l->b.null->Q[i * n + (size_t)l->b.null->rank + k];
    return l->S != NULL;
}

/* Returns S^T X S of an n x n matrix. */
static double *reduce(trm_linear_work *l, const double *X)
{
    const size_t n = (size_t)l->s.n, f = (size_t)l->f;
    double *XS = TRM_NEW_ARRAY(&l->s.arena, double, n *f + 1), *R = TRM_NEW_ARRAY(l->result->arena, double, f *f + 1);
    if (!XS || !R) return NULL;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; X[i * n + j] != 0 && k < f; k++) XS[i * f + k] += X[i * n + j] * l->S[j * f + k];
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; a < f; a++)
            for (size_t k = 0; k < f; k++) R[a * f + k] += l->S[i * f + a] * XS[i * f + k];
    return R;
}

static double *reduce_mass(trm_linear_work *l)
{
    const size_t n = (size_t)l->s.n, f = (size_t)l->f;
    double *x = TRM_NEW_ARRAY(&l->s.arena, double, n + 1), *Mx = TRM_NEW_ARRAY(&l->s.arena, double, n + 1);
    double *R = TRM_NEW_ARRAY(l->result->arena, double, f *f + 1);
    if (!x || !Mx || !R) return NULL;
    for (size_t k = 0; k < f; k++) {
        for (size_t i = 0; i < n; i++) x[i] = l->S[i * f + k];
        trm_system_times_mass(&l->s, x, Mx);
        for (size_t a = 0; a < f; a++)
            for (size_t i = 0; i < n; i++) R[a * f + k] += l->S[i * f + a] * Mx[i];
    }
    return R;
}

static bool find_matrices(trm_linear_work *l)
{
    trm_linearisation *r = l->result;
    const size_t n = (size_t)l->s.n;
    l->K = reduce(l, l->b.K);
    memset(l->b.K, 0, n * n * sizeof *l->b.K);
    trm_system_add_damping(&l->s, l->b.K);
    l->D = reduce(l, l->b.K);
    l->M = reduce_mass(l);
    r->M = l->M, r->D = l->D, r->K = l->K;
    return l->K && l->D && l->M && !l->s.failed;
}

/* Computes the twists of all bodies per coordinate. */
static bool find_motion(trm_linear_work *l)
{
    const size_t f = (size_t)l->f;
    const int bodies = l->s.model->shown_body_count;
    double *motion = TRM_NEW_ARRAY(l->result->arena, double, 6 * (size_t)bodies * f + 1);
    double *y = TRM_NEW_ARRAY(&l->s.arena, double, l->s.n + 1);
    if (!motion || !y) return false;
    for (size_t k = 0; k < f; k++) {
        for (int i = 0; i < l->s.n; i++) y[i] = l->S[(size_t)i * f + k];
        trm_system_twists(&l->s, y, l->s.velocity);
        for (int b = 0; b < bodies; b++) {
            const trm_spatial v = l->s.velocity[b];
            const double xi[6] = {v.ang.x, v.ang.y, v.ang.z, v.lin.x, v.lin.y, v.lin.z};
            for (int i = 0; i < 6; i++) motion[(size_t)(6 * b + i) * f + k] = xi[i];
        }
    }
    l->result->motion = motion;
    return true;
}

/* A = (0 1; -M^-1 K, -M^-1 D), B = (0; M^-1 b). */
static bool find_state_space(trm_linear_work *l)
{
    trm_linearisation *r = l->result;
    const int f = l->f, states = 2 * f, inputs = r->input_count, wide = 2 * f + inputs;
    double *A = TRM_NEW_ARRAY(r->arena, double, (size_t)states *(size_t)states + 1);
    double *B = TRM_NEW_ARRAY(r->arena, double, (size_t)states *(size_t)inputs + 1);
    double *M = trm_arena_copy(&l->s.arena, l->M, (size_t)f * (size_t)f, sizeof *M);
    double *X = TRM_NEW_ARRAY(&l->s.arena, double, (size_t)f *(size_t)wide + 1);
    if (!A || !B || (f > 0 && !M) || !X) return false;
    for (int i = 0; i < f; i++) {
        for (int k = 0; k < f; k++) X[i * wide + k] = -l->K[i * f + k], X[i * wide + f + k] = -l->D[i * f + k];
        for (int k = 0; k < inputs; k++) X[i * wide + 2 * f + k] = l->B[i * inputs + k];
    }
    if (!trm_dense_solve(M, f, X, wide)) return false;
    for (int i = 0; i < f; i++) {
        A[i * states + f + i] = 1;
        for (int k = 0; k < states; k++) A[(f + i) * states + k] = X[i * wide + k];
        for (int k = 0; k < inputs; k++) B[(f + i) * inputs + k] = X[i * wide + states + k];
    }
    r->A = A, r->B = B, r->state_count = states;
    return true;
}

static bool linearise_at_rest(trm_linear_work *l)
{
    if (!make_room(l) || !trm_balance_forces(&l->b)) return false;
    warn_of_unbalanced(l);
    bool *also = TRM_NEW_ARRAY(&l->s.arena, bool, l->b.candidate_count + 1);
    if (!also) return false;
    for (int k = 0; k < l->b.candidate_count; k++) also[k] = l->s.rows[l->b.candidates[k]].joint < 0;
    if (!trm_balance_stiffness(&l->b, also) || !copy_null_space(l)) return false;
    l->result->freedoms = l->f;
    return trm_linear_name(l) && find_matrices(l) && find_motion(l) && trm_linear_inputs(l) && find_state_space(l) &&
           trm_linear_outputs(l) && trm_linear_modes(l);
}

/* Returns whether a closed contact has friction: it rolls, and has velocity rows. */
static bool something_rolls(trm_system *s)
{
    if (!s->collider || !trm_system_find_rows(s, 1e-6 * s->size)) return false;
    for (int i = 0; i < s->contacts.count; i++) {
        const trm_contact *c = &s->contacts.items[i];
        const trm_contact_law law = trm_contact_law_of(s->model, c->body[0], c->shape[0], c->body[1], c->shape[1]);
        if (trm_contact_friction(&law, 0) > 0) return true;
    }
    return false;
}

/* ---- The call ----------------------------------------------------------------------------- */

static bool is_at_rest(const trm_system *s)
{
    for (int b = 0; b < s->model->body_count; b++) {
        const trm_spatial v = s->state->velocity[b];
        if (trm_v3_length(v.ang) > AT_REST || trm_v3_length(v.lin) > AT_REST * s->size) return false;
    }
    return true;
}

trm_status trm_linearise_sized(const trm_state *state, trm_sized given, const trm_allocator *allocator,
                               trm_messages *messages, trm_linearisation **result)
{
    trm_linearise_def def;
    trm_read_def(TRM_DEF_LINEARISE, given, &def);
    trm_linear_work l = {.def = &def, .messages = messages};
    *result = NULL;
    trm_arena *arena = trm_owner_create(allocator, sizeof *arena);
    if (!arena) return TRM_OUT_OF_MEMORY;
    l.result = TRM_NEW(arena, trm_linearisation);
    if (l.result) l.result->arena = arena;
    trm_status status = l.result ? trm_system_create(&l.s, state, allocator, messages) : TRM_OUT_OF_MEMORY;
    if (status == TRM_OK) {
        l.result->moving = !is_at_rest(&l.s) || something_rolls(&l.s);
        const bool good = l.result->moving ? trm_linearise_motion(&l) : linearise_at_rest(&l);
        status = good ? TRM_OK : l.failed ? TRM_BAD_INPUT : TRM_OUT_OF_MEMORY;
    }
    if (l.result) trm_system_destroy(&l.s);
    if (status == TRM_OK) {
        *result = l.result;
        return TRM_OK;
    }
    trm_owner_destroy(arena, sizeof *arena);
    return status;
}

void trm_linearisation_destroy(trm_linearisation *result)
{
    if (result) trm_owner_destroy(result->arena, sizeof *result->arena);
}

/* Solves (i omega - A)(x + i y) = b as one real system of twice the size. */
bool trm_frequency_response(const trm_linearisation *r, double omega, int input, int output, double *re, double *im)
{
    const int n = r->state_count;
    const trm_allocator *from = &r->arena->allocator;
    const size_t bytes = (4 * (size_t)n * (size_t)n + 2 * (size_t)n) * sizeof(double);
    double *a = trm_allocate(from, bytes), *x = a ? a + 4 * (size_t)n * (size_t)n : NULL;
    if (!a) return false;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) a[i * 2 * n + k] = a[(n + i) * 2 * n + n + k] = -r->A[i * n + k];
        a[i * 2 * n + n + i] = -omega, a[(n + i) * 2 * n + i] = omega;
        x[i] = r->B[i * r->input_count + input];
    }
    const bool good = trm_dense_solve(a, 2 * n, x, 1);
    *re = r->Du[output * r->input_count + input], *im = 0;
    for (int i = 0; good && i < n; i++) *re += r->C[output * n + i] * x[i], *im += r->C[output * n + i] * x[n + i];
    trm_release(from, a, bytes);
    return good && isfinite(*re) && isfinite(*im);
}
