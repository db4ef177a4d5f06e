/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "analysis/multipliers.h"

#include <math.h>
#include <string.h>

#include "linalg/min_norm.h"
#include "linalg/vectors.h"

/* Fraction of the longest row: shorter remainders are redundant. A larger value drops rows of slender machines, a
 * smaller one divides by rounding and finds huge forces. */
static const double RANK_TOLERANCE = 1e-9;
/* Fraction of the largest force that is ignored. A larger value releases contacts that carry little, a smaller one
 * keeps contacts with forces of rounding. Tests pass with a tenth and with ten times of it. */
static const double NO_FORCE = 1e-11;

typedef struct search {
    const double *J, *g;
    const bool *one_sided;
    int m, n;
    double *a, *b, *x, *room, *lambda, *r;
    int *permutation, *chosen;
    bool *passive;
} search;

/* Computes the shortest x over the passive rows, into s->x by row. */
static void solve(search *s)
{
    int count = 0;
    for (int i = 0; i < s->m; i++) {
        s->x[i] = 0;
        if (!s->passive[i]) continue;
        memcpy(s->a + (size_t)count * (size_t)s->n, s->J + (size_t)i * (size_t)s->n, (size_t)s->n * sizeof *s->a);
        s->chosen[count++] = i;
    }
    for (int i = 0; i < s->n; i++) s->b[i] = -s->g[i];
    if (count == 0) return;
    double *found = s->room + 3 * s->m;
    trm_min_norm_solve(s->a, s->n, count, s->b, RANK_TOLERANCE, found, s->room, s->permutation);
    for (int k = 0; k < count; k++) s->x[s->chosen[k]] = found[k];
}

static void find_residual(search *s)
{
    memcpy(s->r, s->g, (size_t)s->n * sizeof *s->r);
    for (int i = 0; i < s->m; i++)
        for (int k = 0; s->lambda[i] != 0 && k < s->n; k++)
            s->r[k] += s->lambda[i] * s->J[(size_t)i * (size_t)s->n + (size_t)k];
}

/* Moves lambda towards x as far as signs allow, and releases rows whose lambda becomes zero. Returns false if it
 * moved all the way. */
static bool clip(search *s)
{
    double share = 1;
    int first = -1;
    for (int i = 0; i < s->m; i++)
        if (s->passive[i] && s->one_sided[i] && s->x[i] > 0) {
            const double here = s->lambda[i] / (s->lambda[i] - s->x[i]);
            if (here < share) share = here, first = i;
        }
    for (int i = 0; i < s->m; i++) s->lambda[i] += share * (s->x[i] - s->lambda[i]);
    if (first < 0) return false;
    s->passive[first] = false;
    s->lambda[first] = 0;
    for (int i = 0; i < s->m; i++)
        if (s->one_sided[i] && s->passive[i] && s->lambda[i] >= 0) s->passive[i] = false, s->lambda[i] = 0;
    return true;
}

/* Returns the one-sided row that resists the residual most; -1: none does. */
static int most_resisting(const search *s, double scale)
{
    int best = -1;
    double most = NO_FORCE * scale;
    for (int i = 0; i < s->m; i++) {
        double pull = 0;
        if (!s->one_sided[i] || s->passive[i]) continue;
        for (int k = 0; k < s->n; k++) pull += s->J[(size_t)i * (size_t)s->n + (size_t)k] * s->r[k];
        if (pull > most) most = pull, best = i;
    }
    return best;
}

static void find_signed(search *s)
{
    const double scale = vectors_largest(s->g, s->n);
    memset(s->lambda, 0, (size_t)s->m * sizeof *s->lambda);
    for (int i = 0; i < s->m; i++) s->passive[i] = !s->one_sided[i];
    solve(s);
    memcpy(s->lambda, s->x, (size_t)s->m * sizeof *s->lambda);
    find_residual(s);
    for (int round = 0; round < 3 * s->m + 10; round++) {
        const int next = most_resisting(s, scale);
        if (next < 0) return;
        s->passive[next] = true;
        for (int inner = 0; inner < s->m + 1; inner++) {
            solve(s);
            if (!clip(s)) break;
        }
        find_residual(s);
        if (!s->passive[next]) return; /* rounding: the row does not help */
    }
}

bool trm_find_multipliers(trm_arena *arena, const double *J, int m, int n, const bool *one_sided, const double *g,
                          double *lambda, double *r)
{
    const trm_arena_mark mark = trm_arena_get_mark(arena);
    search s = {.J = J, .g = g, .one_sided = one_sided, .m = m, .n = n, .lambda = lambda, .r = r};
    s.a = TRM_NEW_ROOM(arena, double, (size_t)m *(size_t)n + 1);
    s.b = TRM_NEW_ROOM(arena, double, n + m + 1);
    s.x = TRM_NEW_ROOM(arena, double, m + 1);
    s.room = TRM_NEW_ROOM(arena, double, 4 * m + 4);
    s.permutation = TRM_NEW_ROOM(arena, int, m + 1);
    s.chosen = TRM_NEW_ROOM(arena, int, m + 1);
    s.passive = TRM_NEW_ROOM(arena, bool, m + 1);
    const bool good = s.a && s.b && s.x && s.room && s.permutation && s.chosen && s.passive;
    if (good) {
        bool signs = true;
        for (int i = 0; i < m; i++) s.passive[i] = true;
        solve(&s);
        const double slack = NO_FORCE * vectors_largest(s.x, m);
        for (int i = 0; i < m; i++) signs = signs && !(one_sided[i] && s.x[i] > slack);
        memcpy(lambda, s.x, (size_t)m * sizeof *lambda);
        for (int i = 0; signs && i < m; i++)
            if (one_sided[i] && lambda[i] > 0) lambda[i] = 0;
        if (signs)
            find_residual(&s);
        else
            find_signed(&s);
    }
    trm_arena_reset(arena, mark);
    return good;
}
