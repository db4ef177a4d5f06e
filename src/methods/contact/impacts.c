/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Computes the impacts at a pose: approaching contacts get impulses until none approaches.
 *
 * Impacts happen in rounds. All contacts that approach at the beginning of a round meet at the same instant, and
 * their impulses are one problem. Contacts that approach only because of these impulses belong to the next round. A
 * bar that falls flat on two supports meets both in one round. A shock runs through a row of balls in contact, one
 * round for each ball, because a ball at rest approaches its neighbour only after it was hit. The rounds do not
 * depend on the order of bodies or contacts.
 *
 * The contacts of a round form groups. Two contacts are in one group if an impulse at one can change the speed at the
 * other, which needs a chain of joints and of contacts of this round between them. Groups do not affect each other,
 * so their order does not matter. A group of one contact follows the law of impact.h with W, the inverse effective
 * mass of the whole machine along n, t1, t2. A group of several follows Poisson's law. If one contact of a pair of
 * bodies approaches, all contacts of the pair are in the group, such as the corners of a face. With "simultaneous"
 * all contacts are in the first round, whether they approach or not.
 *
 * The problem of a group is dense: its time grows with the third power of the number of contacts. If a group has
 * more than MOST_TOGETHER contacts, the solvers of sparse problems stop the approach of all contacts at this
 * instant without a rebound, as in time-stepping.
 *
 * Two contacts that meet at the same instant have different gaps, because joints are not exactly closed and poses and
 * times are rounded. A contact has an impact if its gap is at most trm_contact_set.impact_gap. Contacts that approach
 * within trm_contact_set.together join it. */

#include <string.h>

#include "base/union_find.h"
#include "methods/contact/contact_set.h"
#include "methods/contact/impact.h"

/* Rounds at one instant: after MANY all contacts are in one round, after MOST nothing bounces. */
enum { MOST_ROUNDS = 150, MANY_ROUNDS = 100 };
/* Largest number of contacts of a group. With a larger value one impact of a pallet of boxes takes minutes; a
 * smaller one loses the rebounds of chains of machines. */
enum { MOST_TOGETHER = 96 };

/* Uncertainty of speeds, as a fraction of the speed below which there is no impact. A larger value drops impacts of
 * slow bodies, with a smaller one rounding causes impacts. Tests pass with a tenth and with ten times of it. */
static const double NOISE = 1e-6;

/* The contacts of a round, one round after another. */
typedef struct impact_round {
    bool *chosen; /* per contact: it is in this round, and its group had no impact yet */
    int *parent;  /* per body: towards the root of its group */
    int *size;    /* per body: if it is the root of a group, contacts in it */
    double work;  /* J, of all groups so far */
} impact_round;

/* Contacts whose impulses are one problem, and the response of the machine to them. */
typedef struct group {
    int *contacts;
    int count;
    trm_spatial *responses; /* responses of all bodies, three per contact */
    double *W;              /* 3 count x 3 count */
    double *u, *p;          /* 3 count */
    trm_impact *impacts;
    double work; /* J: work of the impulses so far at the mean of the speeds before and after */
} group;

static double speed_along(const trm_step_contact *contact, int row, const trm_spatial *V)
{
    const int *body = contact->features.body;
    return trm_sp_dot(contact->J[2 * row], V[body[0]]) + trm_sp_dot(contact->J[2 * row + 1], V[body[1]]);
}

static bool are_of_one_pair(const trm_step_contact *a, const trm_step_contact *b)
{
    return a->features.body[0] == b->features.body[0] && a->features.body[1] == b->features.body[1];
}

/* Returns whether a contact whose gap is at most `near` approaches. */
static bool approaches(const trm_maximal *w, const trm_step_contact *contact, double near)
{
    return contact->at.gap <= near &&
           -speed_along(contact, 0, w->stepper->state->velocity) > w->contact_set->scale.still;
}

static bool any_impacts(const trm_maximal *w)
{
    for (int i = 0; i < w->contact_set->count; i++)
        if (approaches(w, &w->contact_set->contacts[i], w->contact_set->scale.impact_gap)) return true;
    return false;
}

/* ---- Rounds and their groups -------------------------------------------------------------- */

static bool make_round(const trm_maximal *w, trm_arena *arena, impact_round *r)
{
    *r = (impact_round){.chosen = TRM_NEW_ARRAY(arena, bool, w->contact_set->count),
                        .parent = TRM_NEW_ARRAY(arena, int, w->stepper->model->body_count),
                        .size = TRM_NEW_ARRAY(arena, int, w->stepper->model->body_count)};
    return r->chosen && r->parent && r->size;
}

/* Chooses all contacts of the pairs that approach, or of all pairs. */
static void choose_contacts(const trm_maximal *w, bool all, impact_round *r)
{
    const trm_contact_set *t = w->contact_set;
    for (int i = 0; i < t->count; i++) r->chosen[i] = all;
    for (int i = 0; i < t->count; i++) {
        if (r->chosen[i] || !approaches(w, &t->contacts[i], t->scale.together)) continue;
        for (int k = 0; k < t->count; k++)
            r->chosen[k] = r->chosen[k] || are_of_one_pair(&t->contacts[i], &t->contacts[k]);
    }
}

/* Connects bodies; those that no impulse moves connect nothing. Returns the root of the others; -1: there is none. */
static int join(const trm_maximal *w, int *parent, const int *body, int count)
{
    int first = -1;
    for (int k = 0; k < count; k++) {
        if (w->held[body[k]]) continue;
        const int root = trm_set_of(parent, body[k]);
        if (first >= 0)
            parent[root] = first;
        else
            first = root;
    }
    return first;
}

static void join_bodies(const trm_maximal *w, impact_round *r)
{
    trm_sets_clear(r->parent, w->stepper->model->body_count);
    for (int i = 0; i < w->joint_count; i++)
        if (w->joints[i].on) join(w, r->parent, w->joints[i].joint->body, w->joints[i].joint->body_count);
    for (int i = 0; i < w->contact_set->count; i++)
        if (r->chosen[i]) join(w, r->parent, w->contact_set->contacts[i].features.body, 2);
}

static bool make_group(const trm_maximal *w, int count, trm_arena *arena, group *g)
{
    const size_t n = (size_t)count, bodies = (size_t)w->stepper->model->body_count;
    *g = (group){.contacts = TRM_NEW_ARRAY(arena, int, n),
                 .responses = TRM_NEW_ARRAY(arena, trm_spatial, 3 * n * bodies),
                 .W = TRM_NEW_ARRAY(arena, double, 9 * n * n),
                 .u = TRM_NEW_ARRAY(arena, double, 3 * n),
                 .p = TRM_NEW_ARRAY(arena, double, 3 * n),
                 .impacts = TRM_NEW_ARRAY(arena, trm_impact, n)};
    return g->contacts && g->responses && g->W && g->u && g->p && g->impacts;
}

static bool is_in_group(const trm_maximal *w, const impact_round *r, int root, int i)
{
    return r->chosen[i] && join(w, r->parent, w->contact_set->contacts[i].features.body, 2) == root;
}

/* Moves the contacts of a group from the round to the group. Returns false if out of memory. */
static bool take_group(const trm_maximal *w, impact_round *r, int root, trm_arena *arena, group *g)
{
    const int contacts = w->contact_set->count;
    int count = 0;
    for (int i = 0; i < contacts; i++) count += is_in_group(w, r, root, i);
    if (!make_group(w, count, arena, g)) return false;
    for (int i = 0; i < contacts; i++) {
        if (!is_in_group(w, r, root, i)) continue;
        g->contacts[g->count++] = i;
        r->chosen[i] = false;
    }
    return true;
}

/* ---- One group ---------------------------------------------------------------------------- */

static bool find_responses(trm_maximal *w, group *g, trm_outcome *outcome)
{
    const trm_contact_set *t = w->contact_set;
    const int n = 3 * g->count, bodies = w->stepper->model->body_count;
    for (int c = 0; c < n; c++) {
        const trm_step_contact *contact = &t->contacts[g->contacts[c / 3]];
        trm_spatial *V = g->responses + (size_t)c * (size_t)bodies;
        if (!trm_maximal_respond_to(w, contact->features.body, 2, contact->J + 2 * (c % 3), V, outcome)) return false;
        for (int r = 0; r < n; r++) g->W[r * n + c] = speed_along(&t->contacts[g->contacts[r / 3]], r % 3, V);
    }
    for (int r = 0; r < n; r++)
        for (int c = 0; c < r; c++) g->W[r * n + c] = g->W[c * n + r] = 0.5 * (g->W[r * n + c] + g->W[c * n + r]);
    return true;
}

static void set_laws(const trm_maximal *w, group *g)
{
    for (int i = 0; i < g->count; i++) {
        const trm_step_contact *contact = &w->contact_set->contacts[g->contacts[i]];
        for (int r = 0; r < 3; r++) g->u[3 * i + r] = speed_along(contact, r, w->stepper->state->velocity);
        const double slip = sqrt(g->u[3 * i + 1] * g->u[3 * i + 1] + g->u[3 * i + 2] * g->u[3 * i + 2]);
        g->impacts[i] = (trm_impact){.friction = trm_contact_friction(&contact->law, slip),
                                     .restitution = contact->law.restitution,
                                     .law = contact->law.stronge ? TRM_STRONGE : TRM_POISSON};
    }
}

static bool apply_impacts(trm_maximal *w, group *g, trm_arena *arena)
{
    bool guarded = false;
    memset(g->p, 0, 3 * (size_t)g->count * sizeof *g->p);
    if (g->count == 1) {
        double W[3][3];
        memcpy(W, g->W, sizeof W);
        if (trm_impact_of_one(&g->impacts[0], W, g->u, g->p)) return true;
    }
    const double noise = fmax(w->stepper->options->velocity_tolerance, NOISE * w->contact_set->scale.still);
    const trm_impact_points points = {g->impacts, g->count, g->W, noise};
    const bool done = trm_impact_together(&points, g->u, g->p, arena, &guarded);
    w->stepper->counters->guarded += guarded;
    return done;
}

void trm_contact_set_forget_impacts(trm_maximal *w, int64_t number)
{
    trm_contact_set *t = w->contact_set;
    while (t->log.impact_count > 0 && t->log.impacts[t->log.impact_count - 1].impact_number >= number)
        t->log.impact_count--;
    if (t->log.last < number) return;
    w->stepper->counters->impacts -= t->log.last - number + 1;
    t->log.last = number - 1;
}

static void log_impact(trm_maximal *w, const group *g)
{
    trm_contact_set *t = w->contact_set;
    const int64_t number = ++w->stepper->state->clock->impact_count;
    trm_contact_set_forget_impacts(w, number);
    t->log.last = number;
    w->stepper->counters->impacts++;
    for (int i = 0; i < g->count && t->log.impact_count < TRM_IMPACTS_KEPT; i++) {
        const trm_step_contact *contact = &t->contacts[g->contacts[i]];
        const double *p = g->p + 3 * i;
        if (p[0] == 0) continue;
        trm_vec3 impulse = trm_v3_scale(p[0], contact->at.normal);
        for (int r = 0; r < 2; r++) impulse = trm_v3_add_scaled(impulse, p[r + 1], contact->frame.d[r + 1]);
        t->log.impacts[t->log.impact_count] = trm_contact_set_row(w, contact, impulse, true);
        t->log.impacts[t->log.impact_count++].impact_number = number;
    }
}

/* Returns half of the work of the impulses at the present speeds. */
static double half_work(const trm_maximal *w, const group *g)
{
    double work = 0;
    for (int c = 0; c < 3 * g->count; c++) {
        const trm_step_contact *contact = &w->contact_set->contacts[g->contacts[c / 3]];
        work += 0.5 * g->p[c] * speed_along(contact, c % 3, w->stepper->state->velocity);
    }
    return work;
}

static void apply(trm_maximal *w, const group *g)
{
    trm_state *state = w->stepper->state;
    const int bodies = state->model->body_count;
    for (int c = 0; c < 3 * g->count; c++) {
        w->contact_set->contacts[g->contacts[c / 3]].impacts |= g->p[c] != 0;
        for (int i = 0; i < bodies; i++)
            if (!w->held[i])
                state->velocity[i] = trm_sp_add_scaled(state->velocity[i], g->p[c],
                                                       g->responses[(size_t)c * (size_t)bodies + (size_t)i]);
    }
}

/* Computes one impact of a group, by the law of each contact. */
static bool impact_group(trm_maximal *w, group *g, trm_arena *arena, trm_outcome *outcome)
{
    if (!find_responses(w, g, outcome)) return false;
    if (!apply_impacts(w, g, arena)) return trm_fail_memory(outcome, "contacts");
    g->work += half_work(w, g);
    apply(w, g);
    g->work += half_work(w, g);
    log_impact(w, g);
    return true;
}

/* ---- All ---------------------------------------------------------------------------------- */

/* Returns whether a group of the round has too many contacts. */
static bool is_crowded(const trm_maximal *w, impact_round *r)
{
    memset(r->size, 0, (size_t)w->stepper->model->body_count * sizeof *r->size);
    for (int i = 0; i < w->contact_set->count; i++) {
        const int root = r->chosen[i] ? join(w, r->parent, w->contact_set->contacts[i].features.body, 2) : -1;
        if (root >= 0 && ++r->size[root] > MOST_TOGETHER) return true;
    }
    return false;
}

/* Returns whether a contact of the round would rebound. */
static bool any_rebounds(const trm_maximal *w, const impact_round *r)
{
    for (int i = 0; i < w->contact_set->count; i++)
        if (r->chosen[i] && w->contact_set->contacts[i].law.restitution > 0) return true;
    return false;
}

/* Computes the impact of the group of one contact, unless no contact in it is close enough yet. */
static bool impact_group_of(trm_maximal *w, impact_round *r, int contact, trm_arena *arena, trm_outcome *outcome)
{
    const trm_contact_set *t = w->contact_set;
    const int root = join(w, r->parent, t->contacts[contact].features.body, 2);
    const trm_arena_mark mark = trm_arena_get_mark(arena);
    group g;
    bool impact = false;
    bool good = take_group(w, r, root, arena, &g) || trm_fail_memory(outcome, "contacts");
    for (int i = 0; good && i < g.count; i++)
        impact = impact || approaches(w, &t->contacts[g.contacts[i]], t->scale.impact_gap);
    if (impact) {
        set_laws(w, &g);
        good = impact_group(w, &g, arena, outcome);
        r->work += g.work;
    }
    trm_arena_reset(arena, mark);
    return good;
}

/* Computes all impacts, round after round. Sets *wedged if some contacts still approach after the largest number of
 * rounds, or too many are in one group. The counter of reduced restitution counts the lost rebounds. */
static bool impact_all(trm_maximal *w, trm_arena *arena, double *work, bool *wedged, trm_outcome *outcome)
{
    impact_round r;
    if (!make_round(w, arena, &r)) return trm_fail_memory(outcome, "contacts");
    for (int rounds = 0; any_impacts(w); rounds++) {
        choose_contacts(w, w->stepper->options->simultaneous || rounds > MANY_ROUNDS, &r);
        join_bodies(w, &r);
        *wedged = rounds > MOST_ROUNDS || is_crowded(w, &r);
        if (*wedged) w->stepper->counters->guarded += any_rebounds(w, &r);
        if (*wedged) return true;
        for (int i = 0; i < w->contact_set->count; i++)
            if (r.chosen[i] && !impact_group_of(w, &r, i, arena, outcome)) return false;
        *work = r.work;
    }
    return true;
}

bool trm_contact_set_impact_jam(trm_maximal *w, int jammed, trm_outcome *outcome)
{
    trm_arena *arena = w->stepper->arena;
    trm_state *state = w->stepper->state;
    const double before = trm_state_energy(state).kinetic;
    const trm_works work = state->clock->work;
    const trm_arena_mark mark = trm_arena_get_mark(arena);
    group g;
    bool good = make_group(w, 1, arena, &g) || trm_fail_memory(outcome, "contacts");
    if (good) {
        g.contacts[0] = jammed, g.count = 1;
        set_laws(w, &g);
        g.impacts[0].sliding = true;
        good = impact_group(w, &g, arena, outcome);
    }
    trm_arena_reset(arena, mark);
    state->clock->work = work;
    trm_add_impact_work(state, trm_state_energy(state).kinetic - before, g.work);
    return good;
}

bool trm_contact_set_impacts(trm_maximal *w, trm_outcome *outcome)
{
    trm_arena *arena = w->stepper->arena;
    trm_state *state = w->stepper->state;
    if (!trm_contact_set_find(w, -INFINITY, INFINITY) || !trm_contact_set_make_rows(w, true))
        return trm_fail_memory(outcome, "contacts");
    w->contact_set->log.bounce_count = 0;
    if (!any_impacts(w)) return true;
    const double before = trm_state_energy(state).kinetic;
    const trm_works work = state->clock->work;
    const trm_arena_mark mark = trm_arena_get_mark(arena);
    double own = 0;
    bool wedged = false, good = impact_all(w, arena, &own, &wedged, outcome);
    trm_arena_reset(arena, mark);
    if (good && wedged) good = trm_contact_set_project_velocities(w, 0, 0, true, outcome); /* without rebound */
    state->clock->work = work;
    trm_add_impact_work(state, trm_state_energy(state).kinetic - before, own);
    return good && (wedged || trm_contact_set_find_bounces(w, outcome));
}
