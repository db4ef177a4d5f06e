/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Impacts at a pose: contacts that approach get impulses until none does.
 *
 * Two bodies that touch in one point meet by the law of impact.h with W, the answer of the whole machine to impulses along n,
 * t1, t2, joints holding; where they touch in several points, as two faces do, these are struck together, always by Poisson's
 * law. Pairs of bodies are struck one after another, the one that approaches fastest first, as a shock runs through a row of
 * balls; or all that touch at once, where the model says "simultaneous". */

#include <string.h>

#include "methods/contact/impact.h"
#include "methods/contact/touching.h"

/* Strikes at one instant, after which all is held that touches, and after which all that touch are struck together. */
enum { MOST_STRIKES = 150, MANY_STRIKES = 100 };

/* Contacts that are struck together and how the machine answers to them. */
typedef struct group {
    int *touches;
    int count;
    trm_spatial *answers; /* three per contact, of all bodies each */
    double *W;            /* 3 count x 3 count */
    double *u, *p;        /* 3 count */
    trm_impact *impacts;
    double work; /* J, of the impulses so far at the mean of the speeds before and after */
} group;

static double speed_along(const trm_touch *touch, int row, const trm_spatial *V)
{
    const int *body = touch->contact.body;
    return trm_sp_dot(touch->J[2 * row], V[body[0]]) + trm_sp_dot(touch->J[2 * row + 1], V[body[1]]);
}

static bool are_of_one_pair(const trm_touch *a, const trm_touch *b)
{
    return a->contact.body[0] == b->contact.body[0] && a->contact.body[1] == b->contact.body[1];
}

/* The contact that approaches fastest; -1: none is faster than what counts as nothing. */
static int fastest(const trm_maximal *w)
{
    const trm_touching *t = w->touching;
    double most = t->still;
    int worst = -1;
    for (int i = 0; i < t->count; i++) {
        const double approach = -speed_along(&t->touches[i], 0, w->stepper->state->velocity);
        if (approach > most && t->touches[i].at.gap <= t->striking) most = approach, worst = i;
    }
    return worst;
}

static bool make_group(const trm_maximal *w, trm_arena *arena, group *g)
{
    const size_t n = (size_t)w->touching->count, bodies = (size_t)w->stepper->model->body_count;
    *g = (group){.touches = TRM_NEW_ARRAY(arena, int, n),
                 .answers = TRM_NEW_ARRAY(arena, trm_spatial, 3 * n * bodies),
                 .W = TRM_NEW_ARRAY(arena, double, 9 * n * n),
                 .u = TRM_NEW_ARRAY(arena, double, 3 * n),
                 .p = TRM_NEW_ARRAY(arena, double, 3 * n),
                 .impacts = TRM_NEW_ARRAY(arena, trm_impact, n)};
    return g->touches && g->answers && g->W && g->u && g->p && g->impacts;
}

/* Those that are struck together with the first. */
static void choose(const trm_maximal *w, int first, bool all, group *g)
{
    const trm_touching *t = w->touching;
    g->count = 0;
    for (int i = 0; i < t->count; i++)
        if (all || are_of_one_pair(&t->touches[i], &t->touches[first])) g->touches[g->count++] = i;
}

static bool find_answers(trm_maximal *w, group *g, trm_outcome *outcome)
{
    const trm_touching *t = w->touching;
    const int n = 3 * g->count, bodies = w->stepper->model->body_count;
    for (int c = 0; c < n; c++) {
        const trm_touch *touch = &t->touches[g->touches[c / 3]];
        trm_spatial *V = g->answers + (size_t)c * (size_t)bodies;
        if (!trm_maximal_respond_to(w, touch->contact.body, 2, touch->J + 2 * (c % 3), V, outcome)) return false;
        for (int r = 0; r < n; r++) g->W[r * n + c] = speed_along(&t->touches[g->touches[r / 3]], r % 3, V);
    }
    for (int r = 0; r < n; r++)
        for (int c = 0; c < r; c++) g->W[r * n + c] = g->W[c * n + r] = 0.5 * (g->W[r * n + c] + g->W[c * n + r]);
    return true;
}

static void set_laws(const trm_maximal *w, group *g)
{
    for (int i = 0; i < g->count; i++) {
        const trm_touch *touch = &w->touching->touches[g->touches[i]];
        for (int r = 0; r < 3; r++) g->u[3 * i + r] = speed_along(touch, r, w->stepper->state->velocity);
        const double slip = sqrt(g->u[3 * i + 1] * g->u[3 * i + 1] + g->u[3 * i + 2] * g->u[3 * i + 2]);
        g->impacts[i] = (trm_impact){.friction = trm_contact_friction(&touch->law, slip),
                                     .restitution = touch->law.restitution,
                                     .law = touch->law.stronge ? TRM_STRONGE : TRM_POISSON};
    }
}

static bool strike(trm_maximal *w, group *g, trm_arena *arena)
{
    bool guarded = false;
    memset(g->p, 0, 3 * (size_t)g->count * sizeof *g->p);
    if (g->count == 1) {
        double W[3][3];
        memcpy(W, g->W, sizeof W);
        if (trm_impact_of_one(&g->impacts[0], W, g->u, g->p)) return true;
    }
    const bool done = trm_impact_together(g->impacts, g->count, g->W, g->u, g->p, arena, &guarded);
    w->stepper->counters->guarded += guarded;
    return done;
}

void trm_touching_forget_strikes(trm_maximal *w, int64_t number)
{
    trm_touching *t = w->touching;
    while (t->struck_count > 0 && t->struck[t->struck_count - 1].strike >= number) t->struck_count--;
    if (t->strikes < number) return;
    w->stepper->counters->impacts -= t->strikes - number + 1;
    t->strikes = number - 1;
}

static void take_note(trm_maximal *w, const group *g)
{
    trm_touching *t = w->touching;
    const int64_t number = ++w->stepper->state->clock->strikes;
    trm_touching_forget_strikes(w, number);
    t->strikes = number;
    w->stepper->counters->impacts++;
    for (int i = 0; i < g->count && t->struck_count < TRM_STRUCK_KEPT; i++) {
        const trm_touch *touch = &t->touches[g->touches[i]];
        const double *p = g->p + 3 * i;
        if (p[0] == 0) continue;
        trm_vec3 impulse = trm_scale(p[0], touch->at.normal);
        for (int r = 0; r < 2; r++) impulse = trm_add_scaled(impulse, p[r + 1], touch->spot.d[r + 1]);
        t->struck[t->struck_count] = trm_touching_row(w, touch, impulse, true);
        t->struck[t->struck_count++].strike = number;
    }
}

/* Half of what the impulses do at the present speeds. */
static double half_work(const trm_maximal *w, const group *g)
{
    double work = 0;
    for (int c = 0; c < 3 * g->count; c++) {
        const trm_touch *touch = &w->touching->touches[g->touches[c / 3]];
        work += 0.5 * g->p[c] * speed_along(touch, c % 3, w->stepper->state->velocity);
    }
    return work;
}

static void apply(trm_maximal *w, const group *g)
{
    trm_state *state = w->stepper->state;
    const int bodies = state->model->body_count;
    for (int c = 0; c < 3 * g->count; c++) {
        w->touching->touches[g->touches[c / 3]].struck |= g->p[c] != 0;
        for (int i = 0; i < bodies; i++)
            if (!w->held[i])
                state->velocity[i] = trm_sp_add_scaled(state->velocity[i], g->p[c],
                                                       g->answers[(size_t)c * (size_t)bodies + (size_t)i]);
    }
}

/* Once, by the law of each. */
static bool strike_group(trm_maximal *w, group *g, trm_arena *arena, trm_outcome *outcome)
{
    if (!find_answers(w, g, outcome)) return false;
    if (!strike(w, g, arena)) return trm_touching_out_of_memory(outcome);
    g->work += half_work(w, g);
    apply(w, g);
    g->work += half_work(w, g);
    take_note(w, g);
    return true;
}

/* wedged: some still approach after as many strikes as are made. */
static bool strike_all(trm_maximal *w, trm_arena *arena, double *work, bool *wedged, trm_outcome *outcome)
{
    group g;
    if (!make_group(w, arena, &g)) return trm_touching_out_of_memory(outcome);
    for (int strikes = 0, first = fastest(w); first >= 0; first = fastest(w), strikes++) {
        *wedged = strikes > MOST_STRIKES;
        if (*wedged) return true;
        choose(w, first, w->stepper->options->simultaneous || strikes > MANY_STRIKES, &g);
        set_laws(w, &g);
        if (!strike_group(w, &g, arena, outcome)) return false;
        *work = g.work;
    }
    return true;
}

bool trm_touching_strike_jam(trm_maximal *w, int jammed, trm_outcome *outcome)
{
    trm_arena *arena = w->stepper->arena;
    trm_state *state = w->stepper->state;
    const double before = trm_state_energy(state).kinetic;
    const trm_works work = state->clock->work;
    const trm_arena_mark mark = trm_arena_get_mark(arena);
    group g;
    bool good = make_group(w, arena, &g) || trm_touching_out_of_memory(outcome);
    if (good) {
        g.touches[0] = jammed, g.count = 1;
        set_laws(w, &g);
        g.impacts[0].sliding = true;
        good = strike_group(w, &g, arena, outcome);
    }
    trm_arena_reset(arena, mark);
    state->clock->work = work;
    trm_add_impact_work(state, trm_state_energy(state).kinetic - before, g.work);
    return good;
}

bool trm_touching_impacts(trm_maximal *w, trm_outcome *outcome)
{
    trm_arena *arena = w->stepper->arena;
    trm_state *state = w->stepper->state;
    if (!trm_touching_find(w, -INFINITY, INFINITY) || !trm_touching_make_rows(w, true))
        return trm_touching_out_of_memory(outcome);
    w->touching->bounce_count = 0;
    if (fastest(w) < 0) return true;
    const double before = trm_state_energy(state).kinetic;
    const trm_works work = state->clock->work;
    const trm_arena_mark mark = trm_arena_get_mark(arena);
    double own = 0;
    bool wedged = false, good = strike_all(w, arena, &own, &wedged, outcome);
    trm_arena_reset(arena, mark);
    if (good && wedged) good = trm_touching_fit_velocities(w, 0, 0, outcome); /* nothing bounces */
    state->clock->work = work;
    trm_add_impact_work(state, trm_state_energy(state).kinetic - before, own);
    return good && (wedged || trm_touching_find_bounces(w, outcome));
}
