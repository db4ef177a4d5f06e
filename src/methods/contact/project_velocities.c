/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Projects velocities at a pose onto joints and contacts, with friction. Half of the normal impulse of a step acts
 * here, and so does half of the friction. Velocity-dependent forces act for dt at the resulting velocities.
 *
 * The work of an impulse p at the end of a step is p u with u the speed after it. Together with the work p u at the
 * start, u being the speed before it, that is correct to second order for a force. It is not correct for an impulse
 * that stops a slide at once, as friction does where no force can keep a sliding contact closed (Painleve). An
 * impulse more than twice as large as the forces of the look-ahead predict is not a force: its unpredicted part
 * counts at the mean of the speeds before and after it. */

#include <string.h>

#include "methods/contact/contact_set.h"

enum { MOST_ROUNDS = 100, MOST_SHARES = 5 };
/* In velocity tolerances: accuracy of contacts, accepted accuracy, and accepted accuracy in time-stepping. Larger
 * ones leave speeds of contacts at rest that show as drift, smaller ones only cost rounds. Tests pass with a tenth
 * and with ten times of it. */
static const double CLOSER = 1e-2, ENOUGH = 100, ENOUGH_IN_WINDOW = 1e6;

/* Sets b of each joint row, so that u = J V + c_t, and zero impulses. */
static void prepare_joints(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    memset(t->joint_lambda, 0, (size_t)w->stepper->model->row_count * sizeof *t->joint_lambda);
    for (int i = 0; i < w->joint_count; i++) {
        const trm_maximal_joint *j = &w->joints[i];
        for (int r = 0, row = j->joint->row_offset; r < j->joint->rows; r++, row++)
            t->joint_b[row] = !j->on                             ? 0
                              : trm_contact_set_is_engaged(w, j) ? trm_contact_set_bounded_rate(w, j)
                              : j->driven                        ? j->c_t[r]
                                                                 : 0;
    }
}

/* Starts with the contact impulses that the forces of the look-ahead predict. */
static void prepare_contacts(trm_maximal *w, double span)
{
    trm_contact_set *t = w->contact_set;
    trm_contact_set_recall(w, span);
    for (int i = 0; i < t->count; i++) {
        trm_step_contact *contact = &t->contacts[i];
        contact->b[0] = contact->left = contact->rebound;
        contact->healing = 0;
        contact->foreseen = trm_contact_set_impulse(contact);
        contact->foreseen_turn = trm_contact_set_turning_impulse(contact);
    }
    trm_contact_set_apply_impulses(w);
    trm_contact_set_agree_on_slip(w);
}

/* Returns the work, J, at the mean of the speeds before and after an impulse beyond that at the speed after it, if a
 * force predicts less than half of the impulse; otherwise 0. */
static double work_of_jump(trm_vec3 impulse, trm_vec3 foreseen, trm_vec3 before, trm_vec3 after)
{
    const trm_vec3 jump = trm_v3_sub(impulse, foreseen);
    return trm_v3_length(jump) > trm_v3_length(foreseen) ? 0.5 * trm_v3_dot(jump, trm_v3_sub(before, after)) : 0;
}

static double work_of_jumps(const trm_maximal *w)
{
    double work = 0;
    for (int i = 0; i < w->contact_set->count; i++) {
        const trm_step_contact *contact = &w->contact_set->contacts[i];
        work += work_of_jump(trm_contact_set_impulse(contact), contact->foreseen, contact->free,
                             trm_contact_set_velocity(w, contact, true));
        if (trm_contact_resists_turning(&contact->law))
            work += work_of_jump(trm_contact_set_turning_impulse(contact), contact->foreseen_turn, contact->free_turn,
                                 trm_contact_set_turn(w, contact, true));
    }
    return work;
}

/* Solves. A dissipative step keeps its coefficients of friction. */
static bool solve(trm_maximal *w, trm_contact_set_accuracy accuracy, trm_outcome *outcome)
{
    return w->stepper->dissipative ? trm_contact_set_solve(w, accuracy, outcome)
                                   : trm_contact_set_solve_with_friction(w, accuracy, outcome);
}

/* Projects the velocities of bodies in contact. */
static bool fit_in_contact(trm_maximal *w, double dt, double span, trm_outcome *outcome)
{
    const double tolerance = CLOSER * w->stepper->options->velocity_tolerance;
    const double closed = ENOUGH / CLOSER * tolerance,
                 enough = w->stepper->window ? ENOUGH_IN_WINDOW / CLOSER * tolerance : closed;
    trm_maximal_worst changed = {INFINITY, "", "", -1};
    trm_maximal_rows(w);
    prepare_joints(w);
    if (!trm_contact_set_prepare(w, dt, dt, outcome)) return false;
    w->contact_set->falling = 0;
    if (!w->stepper->window) trm_contact_set_note_speeds(w); /* otherwise those before the forces at this end count */
    prepare_contacts(w, span);
    for (int i = 0; i < w->stepper->called_count; i++) w->forces.called[i] = (trm_spatial){{0, 0, 0}, {0, 0, 0}};
    for (int round = 1; changed.residual >= 1; round++) {
        changed = (trm_maximal_worst){0, "", "", -1};
        if (dt != 0 && !trm_contact_set_evaluate_forces_again(w, dt, &changed, outcome)) return false;
        int shares = 0;
        trm_contact_set_change_all(w);
        do {
            if (!solve(w, (trm_contact_set_accuracy){tolerance, enough, closed, 0}, outcome)) return false;
        } while (trm_contact_set_forget_reversed(w) || (shares++ < MOST_SHARES && trm_contact_set_share_evenly(w)));
        if (round >= MOST_ROUNDS)
            return trm_maximal_diverged(outcome, &changed, "velocities could not be projected onto it");
    }
    if (w->stepper->window &&
        !trm_contact_set_bound_rebounds(w, (trm_contact_set_accuracy){tolerance, enough, closed, 0}, outcome))
        return false;
    trm_contact_set_take_modes(w, dt, true);
    trm_add_work(w->stepper->state, 1, trm_contact_set_work(w, w->stepper->window ? 0.5 : 1));
    if (!w->stepper->window) trm_add_work(w->stepper->state, 1, (trm_works){.contact = work_of_jumps(w)});
    return true;
}

bool trm_contact_set_project_velocities(trm_maximal *w, double dt, double span, bool all, trm_outcome *outcome)
{
    if (!trm_contact_set_is_active(w->contact_set)) trm_contact_set_mark_islands(w, dt);
    if (trm_contact_set_is_active(w->contact_set) && !fit_in_contact(w, dt, span, outcome)) return false;
    if (!trm_contact_set_project_others(w, dt, all, outcome)) return false;
    w->stepper->state->clock->velocities_fit = all ? TRM_ALL_FIT : TRM_SHAPED_FIT;
    return true;
}
