/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "model/contact_law.h"

#include "base/sorted.h"
#include "model/model.h"

/* Larger coefficients of friction are replaced by this one, whose friction angle is within 1 mrad of a right angle.
 * With a larger one (1e5) the contact solver does not converge in double precision, and a box at rest on a slope
 * takes 1000 times as long (test methods_contact_friction). With a smaller one (100) long wedges slip that should
 * hold. */
static const double MOST_FRICTION = 1000;

int trm_compare_pairs(const int a[2], const int b[2])
{
    if (a[0] != b[0]) return a[0] < b[0] ? -1 : 1;
    return (a[1] > b[1]) - (a[1] < b[1]);
}

int trm_find_pair(const void *list, size_t size, int count, int a, int b)
{
    const int pair[2] = {a < b ? a : b, a < b ? b : a};
    int low = 0, high = count, order = 1; /* of item high */
    while (low < high) {
        const int middle = low + (high - low) / 2;
        const int here = trm_compare_pairs((const int *)((const char *)list + (size_t)middle * size), pair);
        if (here < 0)
            low = middle + 1;
        else
            high = middle, order = here;
    }
    return order == 0 ? high : -1;
}

static const trm_contact_entry *find_entry(const trm_model *model, int a, int b)
{
    const trm_contact_entry *list = model->collisions.contacts;
    const int found = trm_find_pair(list, sizeof *list, model->collisions.contact_count, a, b);
    return found >= 0 ? &list[found] : NULL;
}

const char *const trm_combine_words[] = {"geometric", "min", "max", NULL};

/* Returns the friction of a pair of shapes: that of the shape of higher priority, or by the rule of both. */
static double combined_friction(const trm_shape *a, const trm_shape *b)
{
    if (a->priority != b->priority) return a->priority > b->priority ? a->friction : b->friction;
    switch (a->combine > b->combine ? a->combine : b->combine) {
    case TRM_COMBINE_MIN: return fmin(a->friction, b->friction);
    case TRM_COMBINE_MAX: return fmax(a->friction, b->friction);
    default: return sqrt(a->friction * b->friction);
    }
}

/* Returns the larger lever arm, or that of the shape of higher priority. */
static double combined_arm(const trm_shape *a, const trm_shape *b, double arm_a, double arm_b)
{
    if (a->priority != b->priority) return a->priority > b->priority ? arm_a : arm_b;
    return fmax(arm_a, arm_b);
}

trm_contact_law trm_contact_law_of(const trm_model *model, int body_a, int shape_a, int body_b, int shape_b)
{
    const trm_shape *a = &model->bodies[body_a].shapes[shape_a], *b = &model->bodies[body_b].shapes[shape_b];
    const trm_contact_entry *entry = find_entry(model, body_a, body_b);
    trm_contact_law law =
        entry ? entry->law : (trm_contact_law){.friction = NAN, .restitution = NAN, .rolling = NAN, .torsional = NAN};
    if (isnan(law.friction)) law.friction = combined_friction(a, b);
    law.friction = fmin(law.friction, MOST_FRICTION);
    if (isnan(law.restitution)) law.restitution = fmax(a->restitution, b->restitution);
    if (isnan(law.rolling)) law.rolling = combined_arm(a, b, a->rolling, b->rolling);
    if (isnan(law.torsional)) law.torsional = combined_arm(a, b, a->torsional, b->torsional);
    return law;
}

static double friction_by_speed(const trm_contact_law *law, double speed)
{
    const double s = fabs(speed);
    const int last = law->speed_count - 1;
    if (last < 0) return law->friction;
    if (!(s > law->speeds[0])) return law->mus[0];
    if (s >= law->speeds[last]) return law->mus[last];
    const size_t i = trm_interval_of(law->speeds, 1, (size_t)law->speed_count, s);
    const double part = (s - law->speeds[i]) / (law->speeds[i + 1] - law->speeds[i]);
    return (1 - part) * law->mus[i] + part * law->mus[i + 1];
}

double trm_contact_friction(const trm_contact_law *law, double speed)
{
    return fmin(friction_by_speed(law, speed), MOST_FRICTION);
}

bool trm_bodies_may_collide(const trm_model *model, int a, int b)
{
    if (a == b || !(model->bodies[a].inverse_mass > 0 || model->bodies[b].inverse_mass > 0)) return false;
    const trm_excluded_pair *list = model->collisions.no_collide;
    return trm_find_pair(list, sizeof *list, model->collisions.no_collide_count, a, b) < 0;
}

/* Returns whether contacts of shapes of two bodies have rolling or torsional friction. */
static bool resist_turning(const trm_model *model, int a, int b)
{
    for (int i = 0; i < model->bodies[a].shape_count; i++)
        for (int k = 0; k < model->bodies[b].shape_count; k++) {
            const trm_contact_law law = trm_contact_law_of(model, a, i, b, k);
            const bool collide = model->bodies[a].shapes[i].collide && model->bodies[b].shapes[k].collide;
            if (collide && trm_contact_resists_turning(&law) && trm_shapes_may_collide(model, a, i, b, k))
                return true;
        }
    return false;
}

bool trm_find_turning_friction(const trm_model *model, int body[2])
{
    for (body[0] = 0; body[0] < model->body_count; body[0]++)
        for (body[1] = body[0] + 1; body[1] < model->body_count; body[1]++)
            if (resist_turning(model, body[0], body[1])) return true;
    return false;
}

bool trm_shapes_may_collide(const trm_model *model, int body_a, int shape_a, int body_b, int shape_b)
{
    const trm_shape *a = &model->bodies[body_a].shapes[shape_a], *b = &model->bodies[body_b].shapes[shape_b];
    return ((a->group & b->mask) | (b->group & a->mask)) != 0 && trm_bodies_may_collide(model, body_a, body_b);
}
