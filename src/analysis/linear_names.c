/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Independent coordinates by name (linear.h). They are in the order of joint space (trammel/joint_space.h):
 * coordinates of bodies first, then those of joints in the order of the model. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/linear.h"
#include "linalg/dense.h"

/* Fraction of the longest remaining row that a joint coordinate needs to be preferred to coordinates of bodies. A
 * larger value names modes by bodies where a joint coordinate would be enough, a smaller one names them by joints
 * that hardly move in them. Tests pass with a tenth and with ten times of it. */
static const double GOOD_ENOUGH = 0.02;

typedef struct candidates {
    double *G;          /* count x f: rows G S */
    double *left;       /* count x f: remainders after the chosen rows */
    const char **names; /* count */
    bool *joints;       /* it belongs to a joint */
    int count;
} candidates;

static void put_candidate(trm_linear_work *l, candidates *c, const double *row, const char *name, bool joint)
{
    for (int k = 0; k < l->f; k++) {
        double sum = 0;
        for (int i = 0; i < l->s.n; i++) sum += row[i] * l->S[(size_t)i * (size_t)l->f + (size_t)k];
        c->G[(size_t)c->count * (size_t)l->f + (size_t)k] = sum;
    }
    c->names[c->count] = name;
    c->joints[c->count++] = joint;
}

static void add_to_row(const trm_system *s, int body, trm_spatial G, double *row)
{
    const int i = s->first[body];
    const double xi[6] = {G.ang.x, G.ang.y, G.ang.z, G.lin.x, G.lin.y, G.lin.z};
    const bool rigid = s->model->bodies[body].kind == TRM_BODY_RIGID;
    for (int k = 0; i >= 0 && k < (rigid ? 6 : 3); k++) row[i + k] += s->unit[i + k] * xi[rigid ? k : k + 3];
}

/* Adds the rows of the coordinates of a joint, in radians, or metres over the machine's size. */
static bool offer_joint(trm_linear_work *l, candidates *c, int index, double *row)
{
    const trm_joint *joint = &l->s.model->joints[index];
    trm_spatial G[TRM_JOINT_COORDINATES * 2];
    if (joint->coordinates == 0 || !joint->type->place || !l->s.state->attached[index]) return true;
    const trm_joint_at at = trm_joint_now(l->s.state, index);
    trm_joint_coordinate_rows(&at, G);
    for (int k = 0; k < joint->coordinates; k++) {
        memset(row, 0, (size_t)l->s.n * sizeof *row);
        for (int b = 0; b < 2; b++) add_to_row(&l->s, joint->body[b], G[2 * k + b], row);
        char suffix[8];
        snprintf(suffix, sizeof suffix, joint->coordinates == 1 ? "q" : "q%d", k + 1);
        const char *name = trm_arena_format(l->result->arena, "%s.%s", joint->name, suffix);
        if (!name) return false;
        put_candidate(l, c, row, name, true);
    }
    return true;
}

static bool offer_body(trm_linear_work *l, candidates *c, int body, double *row)
{
    static const char *const parts[] = {"turn_x", "turn_y", "turn_z", "x", "y", "z"};
    const bool rigid = l->s.model->bodies[body].kind == TRM_BODY_RIGID;
    for (int k = rigid ? 0 : 3; l->s.first[body] >= 0 && k < 6; k++) {
        memset(row, 0, (size_t)l->s.n * sizeof *row);
        const trm_vec3 axis = trm_axis(k % 3), none = {0, 0, 0};
        add_to_row(&l->s, body, k < 3 ? trm_sp(axis, none) : trm_sp(none, axis), row);
        const char *name = trm_arena_format(l->result->arena, "%s.%s", l->s.model->bodies[body].name, parts[k]);
        if (!name) return false;
        put_candidate(l, c, row, name, false);
    }
    return true;
}

static double left_of(const trm_linear_work *l, const candidates *c, int i)
{
    double square = 0;
    for (int k = 0; k < l->f; k++)
        square += c->left[(size_t)i * (size_t)l->f + (size_t)k] * c->left[(size_t)i * (size_t)l->f + (size_t)k];
    return sqrt(square);
}

/* Returns the next coordinate: the joint's with the longest remainder, if that is long enough, else the body's. */
static int choose_next(const trm_linear_work *l, const candidates *c)
{
    int joint = -1, body = -1;
    double of_joint = 0, of_body = 0;
    for (int i = 0; i < c->count; i++) {
        const double left = left_of(l, c, i);
        if (c->joints[i] && left > 1.0001 * of_joint) of_joint = left, joint = i;
        if (!c->joints[i] && left > 1.0001 * of_body) of_body = left, body = i;
    }
    return joint >= 0 && of_joint > GOOD_ENOUGH * of_body ? joint : body;
}

static void project_out(const trm_linear_work *l, candidates *c, int chosen)
{
    const size_t f = (size_t)l->f;
    const double square = left_of(l, c, chosen) * left_of(l, c, chosen);
    double *v = c->left + (size_t)chosen * f;
    for (int i = 0; i < c->count; i++) {
        double dot = 0, *x = c->left + (size_t)i * f;
        if (i == chosen) continue;
        for (size_t k = 0; k < f; k++) dot += x[k] * v[k];
        for (size_t k = 0; k < f; k++) x[k] -= dot / square * v[k];
    }
    memset(v, 0, f * sizeof *v);
}

/* Returns whether candidate a comes before candidate b in the result. */
static bool comes_before(const candidates *c, int a, int b)
{
    return c->joints[a] != c->joints[b] ? c->joints[b] : a < b;
}

/* Chooses f candidates, in the order of the result. Returns false if there are too few: only a rotor is left. */
static bool choose_all(const trm_linear_work *l, candidates *c, int *list)
{
    for (int k = 0; k < l->f; k++) {
        const int next = choose_next(l, c);
        int at = k;
        if (next < 0) return false;
        for (; at > 0 && comes_before(c, next, list[at - 1]); at--) list[at] = list[at - 1];
        list[at] = next;
        project_out(l, c, next);
    }
    return true;
}

/* Computes S (G S)^-1 by solving with the transposes, f right-hand sides at once. */
static bool transform(trm_linear_work *l, const double *chosen, trm_arena *arena)
{
    const size_t f = (size_t)l->f, n = (size_t)l->s.n;
    double *T = TRM_NEW_ARRAY(arena, double, f *f + 1), *R = TRM_NEW_ARRAY(arena, double, f *n + 1);
    if (!T || !R) return false;
    for (size_t i = 0; i < f; i++)
        for (size_t k = 0; k < f; k++) T[i * f + k] = chosen[k * f + i];
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < f; k++) R[k * n + i] = l->S[i * f + k];
    if (!trm_dense_solve(T, l->f, R, l->s.n)) return true; /* S stays as it was */
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < f; k++) l->S[i * f + k] = R[k * n + i];
    return true;
}

bool trm_linear_name(trm_linear_work *l)
{
    trm_arena *arena = &l->s.arena;
    const trm_model *model = l->s.model;
    int most = 6 * model->shown_body_count;
    for (int j = 0; j < model->shown_joint_count; j++) most += TRM_JOINT_COORDINATES;
    candidates c = {.G = TRM_NEW_ARRAY(arena, double, (size_t)(most + 1) * (size_t)(l->f + 1)),
                    .names = TRM_NEW_ARRAY(arena, const char *, most + 1),
                    .joints = TRM_NEW_ARRAY(arena, bool, most + 1)};
    double *row = TRM_NEW_ARRAY(arena, double, l->s.n + 1);
    double *chosen = TRM_NEW_ARRAY(arena, double, (size_t)(l->f + 1) * (size_t)(l->f + 1));
    int *list = TRM_NEW_ARRAY(arena, int, l->f + 1);
    const char **names = TRM_NEW_ARRAY(l->result->arena, const char *, l->f + 1);
    bool good = c.G && c.names && c.joints && row && chosen && list && names;
    for (int j = 0; good && j < model->shown_joint_count; j++) good = offer_joint(l, &c, j, row);
    for (int b = 1; good && b < model->shown_body_count; b++) good = offer_body(l, &c, b, row);
    if (good) c.left = trm_arena_copy(arena, c.G, (size_t)(c.count + 1) * (size_t)(l->f + 1), sizeof *c.G);
    if (!good || !c.left) return false;
    if (!choose_all(l, &c, list)) return true; /* coordinates stay unnamed */
    for (int k = 0; k < l->f; k++) {
        names[k] = c.names[list[k]];
        memcpy(chosen + (size_t)k * (size_t)l->f, c.G + (size_t)list[k] * (size_t)l->f,
               (size_t)l->f * sizeof *chosen);
    }
    l->result->names = names;
    return transform(l, chosen, arena);
}
