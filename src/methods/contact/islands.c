/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Finds the part of the machine that the contact solver has to solve.
 *
 * Bodies are connected by active joints and, for the time that they act, by velocity-dependent forces. If a group
 * of connected bodies has an active contact, all its bodies and joints are in contact. All others are left to the
 * joint solver, as in a model without shapes. It solves them with the same arithmetic, independent of contacts
 * elsewhere.
 *
 * The contact problem has islands of its own: bodies that its constraints connect. Bodies at rest or with prescribed
 * motion connect nothing. */

#include "base/union_find.h"
#include "methods/contact/contact_set.h"

/* Connects bodies that an impulse may move; the others connect nothing. */
static void join(const trm_model *model, int *parent, const int *body, int bodies)
{
    int first = -1;
    for (int k = 0; k < bodies; k++) {
        if (model->bodies[body[k]].inverse_mass == 0) continue;
        const int root = trm_set_of(parent, body[k]);
        if (first >= 0 && root != first) parent[root > first ? root : first] = root > first ? first : root;
        first = trm_set_of(parent, root);
    }
}

/* Marks islands of joints whose bodies have shapes that may collide. */
static void find_shaped(const trm_maximal *w, bool *shaped)
{
    const trm_model *model = w->stepper->model;
    for (int i = 0; i < model->body_count; i++)
        if (w->island_of[i] >= 0 && trm_body_has_colliding_shapes(&model->bodies[i])) shaped[w->island_of[i]] = true;
}

bool trm_contact_set_prepare_islands(trm_maximal *w)
{
    trm_arena *arena = w->stepper->arena;
    const int bodies = w->stepper->model->body_count;
    trm_contact_set *t = w->contact_set;
    bool *shaped = TRM_NEW_ARRAY(arena, bool, w->island_count);
    t->marks.body = TRM_NEW_ARRAY(arena, bool, bodies);
    t->marks.free_body = TRM_NEW_ARRAY(arena, bool, bodies);
    t->marks.impacted = TRM_NEW_ARRAY(arena, bool, bodies);
    t->marks.farther = TRM_NEW_ARRAY(arena, bool, bodies);
    t->marks.joint = TRM_NEW_ARRAY(arena, bool, w->joint_count);
    t->marks.not_projected = TRM_NEW_ARRAY(arena, bool, w->joint_count);
    t->marks.first = TRM_NEW_ARRAY(arena, int, bodies);
    t->marks.first_of_group = TRM_NEW_ARRAY(arena, int, bodies);
    t->marks.landed = TRM_NEW_ARRAY(arena, trm_spatial, bodies);
    t->marks.group = TRM_NEW_ARRAY(arena, int, bodies);
    if (!shaped || !t->marks.body || !t->marks.free_body || !t->marks.impacted || !t->marks.farther ||
        !t->marks.joint || !t->marks.not_projected || !t->marks.first || !t->marks.first_of_group ||
        !t->marks.landed || !t->marks.group)
        return false;
    find_shaped(w, shaped);
    w->shaped = shaped;
    return true;
}

static void find_groups(const trm_maximal *w, double dt)
{
    const trm_model *model = w->stepper->model;
    int *parent = w->contact_set->marks.group;
    for (int i = 0; i < model->body_count; i++) parent[i] = i;
    for (int i = 0; i < w->joint_count; i++) {
        const trm_maximal_joint *j = &w->joints[i];
        if (j->on) join(model, parent, j->joint->body, j->joint->body_count);
    }
    for (int i = 0; dt != 0 && i < w->dampers.count; i++) {
        const trm_force *force = trm_maximal_force_of(w, &w->dampers.list[i]);
        if (trm_force_acts(w->stepper->state, w->dampers.list[i].force))
            join(model, parent, force->body, force->body_count);
    }
}

/* Returns whether a joint is in contact. An inactive joint has nothing to solve in either solver. */
static bool is_joint_in_contact(const trm_maximal *w, const trm_maximal_joint *j)
{
    return j->on && trm_contact_set_marks_any(w->contact_set, j->joint->body, j->joint->body_count);
}

void trm_contact_set_mark_islands(trm_maximal *w, double dt)
{
    trm_contact_set *t = w->contact_set;
    const trm_model *model = w->stepper->model;
    find_groups(w, dt);
    for (int i = 0; i < model->body_count; i++) t->marks.body[i] = false;
    for (int i = 0; i < t->count; i++)
        for (int k = 0; k < 2; k++) t->marks.body[trm_set_of(t->marks.group, t->contacts[i].features.body[k])] = true;
    for (int i = 0; w->exempt.engaged && i < w->joint_count; i++)
        for (int b = 0; w->exempt.engaged[i] && b < w->joints[i].joint->body_count; b++)
            t->marks.body[trm_set_of(t->marks.group, w->joints[i].joint->body[b])] = true;
    for (int i = 0; i < model->body_count; i++) { /* the root of a group is its first body */
        t->marks.body[i] = model->bodies[i].inverse_mass > 0 && t->marks.body[trm_set_of(t->marks.group, i)];
        t->marks.free_body[i] = !t->marks.body[i];
    }
    for (int i = 0; i < w->joint_count; i++) t->marks.joint[i] = is_joint_in_contact(w, &w->joints[i]);
}

/* Marks the groups of the joints that reached their limits fast in this step. Returns whether there are any. */
static bool mark_hit_limits(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    bool any = false;
    for (int i = 0; w->exempt.engaged && i < w->joint_count; i++) {
        const trm_joint *joint = w->joints[i].joint;
        if (!w->exempt.engaged[i] || !trm_contact_set_hits_bound(w, i)) continue;
        any = true;
        for (int b = 0; b < joint->body_count; b++)
            t->marks.impacted[trm_set_of(t->marks.group, joint->body[b])] = true;
    }
    return any;
}

const bool *trm_contact_set_mark_impacts(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    const int bodies = w->stepper->model->body_count;
    if (!trm_contact_set_is_active(t)) return NULL;
    memset(t->marks.impacted, 0, (size_t)bodies * sizeof *t->marks.impacted);
    for (int i = 0; i < t->count; i++)
        for (int k = 0; t->contacts[i].impacts && t->contacts[i].lambda[0] > 0 && k < 2; k++)
            t->marks.impacted[trm_set_of(t->marks.group, t->contacts[i].features.body[k])] = true;
    const bool hit = mark_hit_limits(w);
    for (int i = 0; i < bodies; i++) t->marks.impacted[i] = t->marks.impacted[trm_set_of(t->marks.group, i)];
    return t->count > 0 ? t->marks.body : hit ? t->marks.impacted : NULL;
}

bool trm_contact_set_has_joint(const trm_maximal *w, const trm_maximal_joint *j)
{
    return w->contact_set->marks.joint[j - w->joints];
}

bool trm_contact_set_evaluate_forces_again(trm_maximal *w, double dt, trm_maximal_worst *changed,
                                           trm_outcome *outcome)
{
    w->exempt.bodies = w->contact_set->marks.free_body;
    const bool finite = trm_maximal_update_caller_forces(w, dt, changed, outcome);
    w->exempt.bodies = NULL;
    return finite;
}

bool trm_contact_set_project_others(trm_maximal *w, double dt, bool all, trm_outcome *outcome)
{
    trm_contact_set *t = w->contact_set;
    for (int i = 0; i < w->island_count; i++)
        for (int j = w->first_joint[i]; j < w->first_joint[i + 1]; j++)
            t->marks.not_projected[j] = t->marks.joint[j] || !(all || w->shaped[i]);
    return trm_maximal_correct_other_velocities(w, dt, t->marks.not_projected, t->marks.body, outcome);
}

bool trm_contact_set_project_shaped(trm_maximal *w, trm_outcome *outcome)
{
    const int count = w->contact_set->count;
    w->contact_set->count = 0;
    trm_contact_set_mark_islands(w, 0);
    w->contact_set->count = count;
    if (!trm_contact_set_project_others(w, 0, false, outcome)) return false;
    w->stepper->state->clock->velocities_projected = TRM_SHAPED_PROJECTED;
    return true;
}

/* ---- Islands of the contact problem ------------------------------------------------------- */

static void join_bodies(const trm_maximal *w, int *parent)
{
    for (int i = 0; i < w->stepper->model->body_count; i++) parent[i] = i;
    for (int i = 0; i < w->contact_set->constraint_count; i++) {
        const trm_constraint *constraint = &w->contact_set->constraints[i];
        int first = -1;
        for (int k = 0; k < constraint->bodies; k++) {
            if (w->held[constraint->body[k]]) continue;
            const int root = trm_set_of(parent, constraint->body[k]);
            if (first >= 0 && root != first) parent[root > first ? root : first] = root > first ? first : root;
            first = trm_set_of(parent, root);
        }
    }
}

/* Returns the first body of a constraint that an impulse moves; -1: none. */
static int movable_body(const trm_maximal *w, const trm_constraint *constraint)
{
    for (int k = 0; k < constraint->bodies; k++)
        if (!w->held[constraint->body[k]]) return constraint->body[k];
    return -1;
}

/* Sorts items by their group; of[i] -1: item i is in none. */
static void sort_by_group(const int *of, int items, int groups, int *first, int *sorted)
{
    for (int g = 0; g <= groups; g++) first[g] = 0;
    for (int i = 0; i < items; i++)
        if (of[i] >= 0) first[of[i] + 1]++;
    for (int g = 0; g < groups; g++) first[g + 1] += first[g];
    for (int i = 0; i < items; i++)
        if (of[i] >= 0) sorted[first[of[i]]++] = i;
    for (int g = groups; g > 0; g--) first[g] = first[g - 1];
    first[0] = 0;
}

void trm_contact_set_change(trm_maximal *w, int constraint)
{
    const int island = w->contact_set->islands.of_constraint[constraint];
    if (island >= 0) w->contact_set->islands.changed[island] = true;
}

void trm_contact_set_change_all(trm_maximal *w)
{
    for (int i = 0; i < w->contact_set->islands.count; i++) w->contact_set->islands.changed[i] = true;
}

void trm_contact_set_find_islands(trm_maximal *w)
{
    trm_islands *found = &w->contact_set->islands;
    const int bodies = w->stepper->model->body_count, constraints = w->contact_set->constraint_count;
    found->count = 0;
    join_bodies(w, found->parent);
    for (int i = 0; i < bodies; i++) found->of[i] = -1;
    for (int i = 0; i < constraints; i++) {
        const int mover = movable_body(w, &w->contact_set->constraints[i]),
                  root = mover < 0 ? -1 : trm_set_of(found->parent, mover);
        if (root >= 0 && found->of[root] < 0) found->of[root] = found->count++;
        found->of_constraint[i] = root < 0 ? -1 : found->of[root];
    }
    for (int i = 0; i < bodies; i++) found->of[i] = w->held[i] ? -1 : found->of[trm_set_of(found->parent, i)];
    trm_contact_set_change_all(w);
    for (int i = 0; i < found->count; i++) found->solved[i] = found->failed[i] = false;
    sort_by_group(found->of, bodies, found->count, found->first_body, found->bodies);
    sort_by_group(found->of_constraint, constraints, found->count, found->first_constraint, found->constraints);
}
