/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Landings: impacts of one body at several instants of a time-stepping step, or next to other contacts.
 *
 * Two contacts of a body that close one after the other have impacts in turn, the first to close first:
 *
 *     p_i = -(1 + e_i) u_i / D_ii,  u += D p      while one of them approaches
 *
 * A contact at rest has its impact after the one that pushes it. Time-stepping solves them together, u_i+ >= -e_i u_i.
 * Both agree if neither acts on the other, or if there is no restitution and each presses the other. The difference
 * of the velocities that both give to the body is the error of a landing that the step does not resolve. Contacts
 * that close at the same instant (impacts.c) have no order, and no error. D is the response of the bodies without
 * their joints. Joints carry an impact to other bodies, at most with its speed u: a contact there that closes later
 * would rebound at e u. */

#include <math.h>
#include <string.h>

#include "base/union_find.h"
#include "methods/contact/contact_set.h"

/* Impulses in turn, at most. Their sums converge geometrically. A larger value takes time, with a smaller one heavy
 * bodies on light ones end their landing early. Tests pass with a tenth and with ten times of it. */
enum { IMPULSES = 200 };
/* Fraction of the fastest approach: slower ones are over. A larger value gives errors to landings without an order, a
 * smaller one takes time. Tests pass with a tenth and with ten times of it. */
static const double OVER = 1e-3;

/* Returns the time after the start of the step at which a fast contact closes, s. */
static double closing_time(const trm_step_contact *contact)
{
    return contact->at.gap / -contact->u[0];
}

/* Two contacts, with normal rows J x bodies, W = M^-1 J and D = J W. */
typedef struct impact_pair {
    const trm_step_contact *contact[2];
    trm_spatial J[2][2], W[2][2];
    double D[2][2];
} impact_pair;

static impact_pair pair_of(const trm_maximal *w, const trm_step_contact *first, const trm_step_contact *then)
{
    impact_pair p = {.contact = {first, then}};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            const trm_contact_frame *frame = &p.contact[i]->frame;
            const trm_vec3 n = trm_v3_scale(k ? -1 : 1, frame->d[0]);
            p.J[i][k] = trm_sp(trm_v3_cross(frame->arm[k], n), n);
            p.W[i][k] = trm_maximal_response(w, p.contact[i]->features.body[k], p.J[i][k]);
        }
    for (int n = 0; n < 16; n++) { /* contacts i, j and bodies k, l */
        const int i = n / 8, j = n / 4 % 2, k = n / 2 % 2, l = n % 2;
        if (p.contact[i]->features.body[k] == p.contact[j]->features.body[l])
            p.D[i][j] += trm_sp_dot(p.J[i][k], p.W[j][l]);
    }
    return p;
}

/* Finds the normal impulses of a pair that has its impacts in turn, or together. */
static void find_impulses(const impact_pair *pair, bool together, double p[2])
{
    const double start[] = {fmin(pair->contact[0]->u[0], 0), fmin(pair->contact[1]->u[0], 0)};
    const double over = -OVER * fmin(start[0], start[1]);
    double u[] = {start[0], start[1]}, changed = INFINITY;
    for (int n = 0; n < IMPULSES && (n < 2 || changed > over); n++) {
        const int i = n % 2;
        const double e = pair->contact[i]->law.restitution;
        const double goal = together ? -e * start[i] : u[i] < 0 ? -e * u[i] : u[i];
        const double du = fmax(goal - u[i], together ? -p[i] * pair->D[i][i] : 0);
        changed = i == 0 ? fabs(du) : fmax(changed, fabs(du));
        p[i] += du / pair->D[i][i];
        for (int k = 0; k < 2; k++) u[k] += pair->D[k][i] * du / pair->D[i][i];
    }
}

/* Returns the difference of the velocities of a body after its impacts in turn and together. */
static trm_spatial difference(const impact_pair *pair, int body)
{
    double in_turn[2] = {0}, together[2] = {0};
    trm_spatial V = {{0, 0, 0}, {0, 0, 0}};
    find_impulses(pair, false, in_turn);
    find_impulses(pair, true, together);
    for (int i = 0; i < 2; i++)
        V = trm_sp_add_scaled(V, in_turn[i] - together[i], pair->W[i][pair->contact[i]->features.body[1] == body]);
    return V;
}

/* Returns whether two contacts close at the same instant. */
static bool are_together(const trm_contact_set *t, const trm_step_contact *a, const trm_step_contact *b)
{
    const double speed = fmax(-a->u[0], -b->u[0]);
    return a == b ||
           (a->impacts && b->impacts && fabs(closing_time(a) - closing_time(b)) * speed <= t->scale.together);
}

/* Sets *best to contact i if that closes earlier. -1: none. */
static void keep_earlier(const trm_contact_set *t, int i, int *best)
{
    if (*best < 0 || closing_time(&t->contacts[i]) < closing_time(&t->contacts[*best])) *best = i;
}

/* Finds for each body, and for each group of bodies that joints connect, the impact that closes first; -1: none.
 * Returns whether there are any. */
static bool find_first(const trm_contact_set *t, int bodies)
{
    bool any = false;
    for (int i = 0; i < bodies; i++) t->marks.first[i] = t->marks.first_of_group[i] = -1;
    for (int i = 0; i < t->count; i++)
        for (int k = 0; t->contacts[i].impacts && t->contacts[i].lambda[0] > 0 && k < 2; k++) {
            const int body = t->contacts[i].features.body[k];
            keep_earlier(t, i, &t->marks.first[body]);
            keep_earlier(t, i, &t->marks.first_of_group[trm_set_of(t->marks.group, body)]);
            any = true;
        }
    return any;
}

/* Returns the error of the velocity of body k of a contact that closes after another one. */
static trm_spatial error_after(const trm_maximal *w, const trm_step_contact *first, const trm_step_contact *then,
                               int k)
{
    const int body = then->features.body[k];
    if (first->features.body[0] == body || first->features.body[1] == body) {
        const impact_pair pair = pair_of(w, first, then);
        return difference(&pair, body);
    }
    const double speed = then->law.restitution * -first->u[0], arm = trm_v3_length(then->frame.arm[k]);
    return (trm_spatial){trm_v3(arm > 0 ? speed / arm : 0, 0, 0), trm_v3_scale(speed, then->frame.d[0])};
}

static trm_vec3 longer(trm_vec3 a, trm_vec3 b)
{
    return trm_v3_length(a) > trm_v3_length(b) ? a : b;
}

/* Adds the error of body k of contact i to that of its body. first: the contact that closes first; -1: none. */
static void add_error(trm_maximal *w, int first, int i, int k)
{
    const trm_contact_set *t = w->contact_set;
    trm_spatial *landed = &t->marks.landed[t->contacts[i].features.body[k]];
    if (first < 0 || are_together(t, &t->contacts[first], &t->contacts[i])) return;
    const trm_spatial V = error_after(w, &t->contacts[first], &t->contacts[i], k);
    *landed = (trm_spatial){longer(V.ang, landed->ang), longer(V.lin, landed->lin)};
}

const trm_spatial *trm_contact_set_find_landings(trm_maximal *w)
{
    const trm_contact_set *t = w->contact_set;
    const int bodies = w->stepper->model->body_count;
    if (!find_first(t, bodies)) return NULL;
    memset(t->marks.landed, 0, (size_t)bodies * sizeof *t->marks.landed);
    for (int i = 0; i < t->count; i++)
        for (int k = 0; t->contacts[i].lambda[0] > 0 && k < 2; k++) {
            const int body = t->contacts[i].features.body[k];
            if (w->held[body]) continue;
            add_error(w, t->marks.first[body], i, k);
            add_error(w, t->marks.first_of_group[trm_set_of(t->marks.group, body)], i, k);
        }
    return t->marks.landed;
}
