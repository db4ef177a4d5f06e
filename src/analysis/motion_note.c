/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Names of motions. The basis of a space of motions is arbitrary. Elimination with full pivoting (Gauss, Jordan)
 * finds a basis in which each vector has a leading coordinate that no other vector has. The spin of a rod is then one
 * vector, not a component of eight. */

#include <math.h>

#include "analysis/equilibrium.h"
#include "base/print.h"

/* Fraction of the largest component of a motion that is ignored. A larger value calls motions pure that are not, a
 * smaller one prints rounding as a component of the motion. Tests pass with a tenth and with ten times of it. */
static const double NOTHING = 1e-6;

static void eliminate(double *basis, int count, int n)
{
    for (int k = 0; k < count; k++) {
        int row = k, column = 0;
        for (int i = k; i < count; i++)
            for (int j = 0; j < n; j++)
                if (fabs(basis[i * n + j]) > 1.0001 * fabs(basis[row * n + column])) row = i, column = j;
        if (basis[row * n + column] == 0) return;
        const double pivot = basis[row * n + column];
        for (int j = 0; j < n; j++) {
            const double swap = basis[k * n + j];
            basis[k * n + j] = basis[row * n + j] / pivot;
            if (row != k) basis[row * n + j] = swap;
        }
        for (int i = 0; i < count; i++) {
            const double share = basis[i * n + column];
            for (int j = 0; i != k && share != 0 && j < n; j++) basis[i * n + j] -= share * basis[k * n + j];
        }
    }
}

static double clean(double x)
{
    return fabs(x) < NOTHING ? 0 : x;
}

static trm_vec3 clean3(double scale, trm_vec3 v)
{
    return trm_v3(clean(scale * v.x), clean(scale * v.y), clean(scale * v.z));
}

/* Returns the largest component of a body's motion, displacements and rotations in units of y. */
static double part_of(const trm_system *s, int body, const double *y)
{
    double most = 0;
    for (int k = 0; k < trm_body_freedoms(&s->model->bodies[body]); k++)
        most = fmax(most, fabs(y[s->first[body] + k]));
    return most;
}

static void name_motion(const trm_system *s, const double *y, trm_spatial *V, trm_motion_note *note)
{
    double most = 0;
    *note = (trm_motion_note){.alone = true};
    for (int b = 0; b < s->model->body_count; b++)
        if (s->first[b] >= 0 && part_of(s, b, y) > most) most = part_of(s, b, y), note->body = b;
    for (int b = 0; b < s->model->body_count; b++)
        if (s->first[b] >= 0 && b != note->body && part_of(s, b, y) > NOTHING * most) note->alone = false;
    trm_system_twists(s, y, V);
    const trm_spatial v = V[note->body];
    const double scale = fmax(fmax(fmax(fabs(v.ang.x), fabs(v.ang.y)), fabs(v.ang.z)),
                              fmax(fmax(fabs(v.lin.x), fabs(v.lin.y)), fabs(v.lin.z)));
    note->turn = clean3(scale > 0 ? 1 / scale : 0, v.ang);
    note->shift = clean3(scale > 0 ? 1 / scale : 0, v.lin);
    const trm_vec3 *turn = &note->turn, *shift = &note->shift;
    char how[80] = "";
    int at = 0;
    if (trm_v3_length(*turn) > 0)
        at = trm_print(how, sizeof how, " turns about (%.3g, %.3g, %.3g)", turn->x, turn->y, turn->z);
    if (trm_v3_length(*shift) > 0 && (trm_v3_length(*turn) == 0 || !note->alone))
        trm_print(how + at, sizeof how - (size_t)at, "%s shifts along (%.3g, %.3g, %.3g)", at > 0 ? "," : "",
                  shift->x, shift->y, shift->z);
    trm_print(note->text, sizeof note->text, "body '%.30s'%.60s%s", s->model->bodies[note->body].name, how,
              note->alone ? "" : ", with others");
}

bool trm_name_motions(const trm_system *s, double *basis, int count, trm_motion_note *notes, trm_arena *arena)
{
    trm_spatial *V = TRM_NEW_ARRAY(arena, trm_spatial, s->model->body_count);
    if (!V) return false;
    eliminate(basis, count, s->n);
    for (int k = 0; k < count; k++) name_motion(s, basis + (size_t)k * (size_t)s->n, V, &notes[k]);
    return true;
}
