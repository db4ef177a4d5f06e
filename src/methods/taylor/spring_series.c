/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "methods/taylor/spring_series.h"

void trm_spring_series_add(trm_spring_series *s, int k, trm_vec3 D)
{
    s->D[k] = D;
    if (k == 0) {
        s->L[0] = trm_v3_length(D);
        s->e[0] = trm_v3_scale(1 / s->L[0], D);
        return;
    }
    double square = 0; /* coefficient of L^2 without the term of the unknown L_k */
    trm_vec3 rest = D; /* coefficient of D = e L without the term of the unknown e_k */
    for (int i = 0; i <= k; i++) square += trm_v3_dot(s->D[i], s->D[k - i]);
    for (int i = 1; i < k; i++) square -= s->L[i] * s->L[k - i];
    s->L[k] = square / (2 * s->L[0]);
    for (int i = 1; i <= k; i++) rest = trm_v3_add_scaled(rest, -s->L[i], s->e[k - i]);
    s->e[k] = trm_v3_scale(1 / s->L[0], rest);
}

static bool is_linear(const trm_force *force)
{
    return force->rest == 0 && force->damping == 0;
}

bool trm_spring_series_exists(const trm_spring_series *s)
{
    return s->L[0] > 0 || is_linear(s->force);
}

static double pull(const trm_spring_series *s, int k)
{
    const trm_force *f = s->force;
    return f->stiffness * (s->L[k] - (k == 0 ? f->rest : 0)) + f->damping * (k + 1) * s->L[k + 1];
}

trm_vec3 trm_spring_series_force(const trm_spring_series *s, int k)
{
    trm_vec3 F = {0, 0, 0};
    if (is_linear(s->force)) return trm_v3_scale(-s->force->stiffness, s->D[k]);
    for (int i = 0; i <= k; i++) F = trm_v3_add_scaled(F, -pull(s, i), s->e[k - i]);
    return F;
}

double trm_spring_series_work(const trm_spring_series *s, int order, double h)
{
    double work = 0; /* -damping times the integral of L'^2, by Horner */
    if (s->force->damping == 0) return 0;
    for (int k = order; k >= 0; k--) {
        double square = 0;
        for (int i = 0; i <= k; i++) square += (i + 1) * s->L[i + 1] * (k - i + 1) * s->L[k - i + 1];
        work = square / (k + 1) + h * work;
    }
    return -s->force->damping * h * work;
}
