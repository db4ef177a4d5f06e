/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The time at which a series of ever smaller bounces ends.
 *
 * A body that leaves an impact at the speed v, is accelerated back at g, and leaves each impact at e times the speed
 * of approach has infinitely many bounces in the finite time
 *
 *     2 v/g (1 + e + e^2 + ...) = 2 v / (g (1 - e))
 *
 * This is exact while g is constant, and its error decreases with the time. The slowest bounces are not computed: a
 * contact slower than trm_contact_set.scale.still is closed at once, because such bounces are lower than any
 * tolerance. g is -gap'' under the accelerations of the bodies without a force in this contact, while all other
 * contacts keep their forces. */

#include <string.h>

#include "math/rotation.h"
#include "methods/contact/contact_set.h"

/* s: time before and after now, for the second difference of a gap. A larger value shows the curvature of the gap,
 * a smaller one loses the second difference to rounding. Tests pass with a tenth and with ten times of it. */
static const double MOMENT = 1e-4;

/* Collects the forces on bodies from all contacts except those with an impact. */
static void find_contact_wrenches(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    memset(w->accelerations.contact_wrench, 0,
           (size_t)w->stepper->model->body_count * sizeof *w->accelerations.contact_wrench);
    trm_contact_set_recall(w, 1);
    for (int i = 0; i < t->count; i++)
        for (int r = 0; r < 6 && !t->contacts[i].impacts; r++) {
            trm_spatial *F = &w->accelerations.contact_wrench[t->contacts[i].features.body[r % 2]];
            *F = trm_sp_add_scaled(*F, t->contacts[i].lambda[r / 2], t->contacts[i].J[r]);
        }
}

/* Returns the pose of a body at a time s from now. */
static trm_pose pose_in(const trm_maximal *w, int body, double s)
{
    const trm_pose *now = &w->stepper->state->pose[body];
    const trm_spatial V = w->stepper->state->velocity[body], a = w->accelerations.a[body];
    const trm_vec3 turn = trm_v3_add_scaled(trm_v3_scale(s, V.ang), 0.5 * s * s, a.ang);
    return (trm_pose){trm_quat_mul(trm_quat_exp(turn), now->q),
                      trm_v3_add_scaled(trm_v3_add_scaled(now->p, s, V.lin), 0.5 * s * s, a.lin)};
}

/* Returns the acceleration of the bodies towards each other, -gap'', m/s^2. */
static double return_acceleration(const trm_maximal *w, const trm_contact *contact)
{
    double sum = 0;
    for (int k = -1; k <= 1; k++) {
        const trm_pose a = pose_in(w, contact->body[0], k * MOMENT), b = pose_in(w, contact->body[1], k * MOMENT);
        sum += (k == 0 ? 2 : -1) * trm_contact_at_poses(contact, a, b).gap;
    }
    return sum / (MOMENT * MOMENT);
}

static trm_bounce *bounce_of(trm_contact_set *t, const int *body)
{
    for (int i = 0; i < t->log.bounce_count; i++)
        if (t->log.bounces[i].body[0] == body[0] && t->log.bounces[i].body[1] == body[1]) return &t->log.bounces[i];
    if (t->log.bounce_count == TRM_BOUNCES_KEPT) return NULL;
    t->log.bounces[t->log.bounce_count] = (trm_bounce){.body = {body[0], body[1]}, .ends = -INFINITY, .held = true};
    return &t->log.bounces[t->log.bounce_count++];
}

/* Adds one contact of a pair. The pair bounces as long as the last of its contacts does. */
static void add_contact(trm_maximal *w, const trm_step_contact *contact)
{
    const double now = w->stepper->state->clock->time, e = contact->law.restitution;
    trm_bounce *bounce = bounce_of(w->contact_set, contact->features.body);
    if (!bounce) return;
    const double v = trm_v3_dot(contact->at.normal, trm_contact_set_velocity(w, contact, false));
    const double g = return_acceleration(w, &contact->features);
    bounce->at = now;
    bounce->held = bounce->held && v <= w->contact_set->scale.still;
    bounce->high = fmax(bounce->high, 0.5 * v * v / g);
    bounce->back = fmax(bounce->back, g > 0 ? now + 2 * v / g : INFINITY);
    bounce->ends = fmax(bounce->ends, g > 0 ? now + 2 * fmax(v, 0) / (g * (1 - e)) : INFINITY);
}

bool trm_contact_set_find_bounces(trm_maximal *w, trm_outcome *outcome)
{
    trm_contact_set *t = w->contact_set;
    bool any = false;
    t->log.bounce_count = 0;
    for (int i = 0; i < t->count; i++) {
        const double e = t->contacts[i].law.restitution;
        t->contacts[i].impacts = t->contacts[i].impacts && e > 0 && e < 1;
        any = any || t->contacts[i].impacts;
    }
    if (!any) return true;
    find_contact_wrenches(w);
    if (!trm_maximal_begin_accelerations(w, outcome)) return false;
    trm_maximal_solve_accelerations(w);
    for (int i = 0; i < t->count; i++)
        if (t->contacts[i].impacts) add_contact(w, &t->contacts[i]);
    return true;
}
