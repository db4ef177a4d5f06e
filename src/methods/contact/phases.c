/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The phases of a step that include contacts: the look-ahead and the projection of velocities.
 *
 * All bodies look ahead with V. At the end joints are open by c, contacts by the gap g, and contacts have slipped by d.
 * Linearised with the rows at t,
 *
 *     u = J V + b,   b = c/h - J V,   (g, d_1, d_2)/h - J V     at the V of the look-ahead
 *
 * New V and impulses obey all laws (problem.h). This is repeated until c, g and d themselves obey them. Slip is the
 * relative displacement of body points, p_a(t+h) - p_a(t) minus that of b. Where a point rolls over a surface, slip is
 * the integral of the slip velocity, h (u(t) + u(t+h)) / 2. The rotation against torsional or rolling friction is
 * such an integral, too.
 *
 * Projection of velocities at a pose onto joints and contacts, with friction: half of the normal impulse of a step acts
 * there, and so does half of the friction. Velocity-dependent forces act for dt at the resulting velocities.
 *
 * The work of an impulse p at the end of a step is p u with u the speed after it. Together with the work p u at the
 * start, u being the speed before it, that is correct to second order for a force. It is not correct for an impulse
 * that stops a slide at once, as friction does where no force can keep a sliding contact closed (Painleve). An
 * impulse more than twice as large as the forces of the look-ahead predict is not a force: its unpredicted part
 * counts at the mean of the speeds before and after it. */

#include <string.h>

#include "methods/contact/contact_set.h"

enum {
    MOST_ROUNDS = 100,
    MOST_SHARES = 5,
    ROUNDS_TO_HALVE = 10,
    ROUNDS_FOR_MORE = 5,
    WINDOW_ROUNDS = 8,
    ROUNDS_TO_AGREE = 3
};
/* In joint tolerances: accuracy of contacts, which is high so that bodies at rest stay at rest, and accuracy
 * accepted in time-stepping. If CLOSER is ten times larger, spinning bodies do not stay at rest (test
 * methods_contact_torsion); a smaller one only costs rounds. A larger ENOUGH_IN_WINDOW leaves penetrations, a
 * smaller one costs time in piles. */
static const double CLOSER = 1e-3, ENOUGH_IN_WINDOW = 1e4;
/* The linearised problem is solved to this fraction of the initial residual, because the next look-ahead replaces
 * it. In time-stepping contacts are not evaluated again, and it is solved fully. A larger value needs more
 * look-aheads, a smaller one solves more accurately a problem that the next look-ahead replaces. Tests pass with a
 * tenth and with ten times of it. */
static const double LINEARISED_PART = 1e-3;
/* Fraction of the initial residual by which rows of a face, linearised at other velocities, may contradict each
 * other in the first rounds of a time-stepping step with joints. A larger value accepts wrong solutions, a smaller
 * one loads few points of a gripped face, which then turns about them (test methods_contact_grip). */
static const double CONTRADICTION = 0.05;
/* m: in time-stepping, gaps and penetrations up to this size count as contact and are not closed if joints hold a
 * body. A larger value shows in results. With a smaller one rounding moves bodies at rest to and fro: rounding
 * tilts a face that friction holds, so that it rests on few of its points, and a gripped body turns about them. */
static const double BAND = 1e-10;
/* In piles: fraction of a penetration that is removed in a step; penetration that remains, m; largest speed of
 * removal, m/s. Larger values throw bodies out of deep contacts, smaller ones leave piles sunk for longer.
 * Tests pass with a tenth and with ten times of it. */
static const double RECOVERED = 0.2, LEFT_DEEP = 2e-4, RECOVERY_SPEED = 1;
/* m: accepted difference between the position of a point and that predicted by the look-ahead of its contact. A
 * larger value keeps contacts whose point has moved, a smaller one searches contacts again in almost every step.
 * Tests pass with a tenth and with ten times of it. */
static const double LITTLE = 1e-6;
/* m: the same where joints hold a body, so that its contacts cannot settle. A larger value tilts gripped faces
 * (BAND), with a smaller one rounding causes new searches for contacts. */
static const double LITTLE_WITH_JOINTS = 1e-11;
/* rad: if a body turns farther in a step, the curvature of its motion at t is not meaningful. A larger value adds a
 * wrong curvature, a smaller one loses order 2 for bodies that turn fast. Tests pass with a tenth and with ten
 * times of it. */
static const double FAR_TURN = 0.3;
/* Elsewhere: largest speed of removal, m/s, so that very short steps do not throw bodies apart. Larger speeds add
 * energy, smaller ones leave bodies in each other. Tests pass with a tenth and with ten times of it. */
static const double SLOW_RECOVERY = 1e-3, WINDOW_RECOVERY = 0.1;
/* Fraction of the speed that gravity adds in a step: speed at which penetrations are removed in time-stepping.
 * Above 1 bodies lift off; with a larger value piles do not come to rest, with a smaller one they sink. Tests pass
 * with a tenth and with ten times of it. */
static const double OF_FALL = 0.6;
/* Least fraction of a friction limit that is used to predict the end of a slide. A larger value predicts the end of
 * a slide too late, a smaller one divides by almost nothing. Tests pass with a tenth and with ten times of it. */
static const double LEAST_USED = 1.0 / 8;
/* Projection, in velocity tolerances: accuracy of contacts, accepted accuracy, and accepted accuracy in
 * time-stepping. Larger values leave speeds of contacts at rest that show as drift, smaller ones only cost rounds.
 * Tests pass with a tenth and with ten times of it. */
static const double CLOSER_SPEED = 1e-2, ENOUGH_SPEED = 100, ENOUGH_SPEED_IN_WINDOW = 1e6;

/* ---- Residuals of the look-ahead ---------------------------------------------------------- */

trm_vec3 trm_contact_set_shift(const trm_maximal *w, int body, trm_vec3 point)
{
    const trm_pose *now = &w->stepper->state->pose[body];
    return trm_v3_sub(trm_pose_point(w->look.ahead[body], trm_pose_point_back(*now, point)), point);
}

/* Returns the velocity of a body at the end of the step, and its pose X there. */
static trm_spatial velocity_at_end(const trm_maximal *w, int body, trm_pose *X)
{
    const trm_stepper *s = w->stepper;
    trm_spatial V = s->state->velocity[body];
    *X = s->state->pose[body];
    if (s->model->bodies[body].motion)
        trm_motion_at(s->model->bodies[body].motion, s->step.goal, X, &V, NULL);
    else if (!w->held[body])
        trm_arrive(&w->look.start[body], s->model->bodies[body].gravity, &w->look.ahead[body], X, &V);
    return V;
}

trm_vec3 trm_contact_set_velocity_ahead(const trm_maximal *w, int body, trm_vec3 point)
{
    trm_pose X;
    const trm_spatial V = velocity_at_end(w, body, &X);
    return trm_v3_add(V.lin, trm_v3_cross(V.ang, trm_v3_sub(point, X.p)));
}

/* Computes d along both tangents. u: J V at t. */
static void find_slip(const trm_maximal *w, const trm_step_contact *contact, const trm_contact_at *ahead,
                      const double *u, double d[2])
{
    const int a = contact->features.body[0], b = contact->features.body[1];
    const trm_vec3 moved =
        contact->curved ? trm_v3_scale(w->look.h, trm_v3_sub(trm_contact_set_velocity_ahead(w, a, ahead->point[0]),
                                                             trm_contact_set_velocity_ahead(w, b, ahead->point[1])))
                        : trm_v3_sub(trm_contact_set_shift(w, a, contact->at.point[0]),
                                     trm_contact_set_shift(w, b, contact->at.point[1]));
    for (int r = 0; r < 2; r++) {
        d[r] = trm_v3_dot(moved, contact->frame.d[r + 1]);
        if (contact->curved) d[r] = 0.5 * (d[r] + w->look.h * u[r + 1]);
    }
}

/* Returns the speed at which penetrating bodies separate, m/s. In time-stepping gravity takes back in a step the
 * energy that this adds. */
static double recovery_speed(const trm_maximal *w)
{
    const double fall = OF_FALL * trm_v3_length(w->stepper->model->gravity) * fabs(w->look.h);
    return w->stepper->window ? fmax(fmin(fall, WINDOW_RECOVERY), SLOW_RECOVERY) : SLOW_RECOVERY;
}

static bool has_joints(const trm_maximal *w, const trm_step_contact *contact)
{
    const int *body = contact->features.body;
    return w->island_of[body[0]] >= 0 || w->island_of[body[1]] >= 0;
}

/* Returns the target of the gap at the end of the step. Penetrations are removed, slowly in piles so that bodies do
 * not jump. */
static double target_of(const trm_maximal *w, const trm_step_contact *contact)
{
    const bool banded = w->stepper->window && !contact->pile && has_joints(w, contact);
    const double band = banded ? BAND : 0, deep = -contact->at.gap - band;
    if (deep <= 0) return fmin(contact->at.gap, band);
    if (!contact->pile) return contact->at.gap + fmin(deep, recovery_speed(w) * fabs(w->look.h));
    return -deep + fmin(RECOVERED * fmax(deep - LEFT_DEEP, 0), RECOVERY_SPEED * fabs(w->look.h));
}

static void find_remaining_gap(const trm_maximal *w, trm_step_contact *contact)
{
    contact->left = (contact->at.gap - target_of(w, contact)) / w->look.h;
    contact->recovery = fmax(-contact->left, 0);
}

/* Returns the velocity that gravity adds to a body in half a step of the look-ahead, m/s; 0 at the end of a step. */
static trm_vec3 gravity_speed_of(const trm_maximal *w, int body)
{
    return w->held[body] ? trm_v3(0, 0, 0)
                         : trm_v3_scale(w->contact_set->falling, w->stepper->model->bodies[body].gravity);
}

/* Returns whether the bodies turn so far in a time-stepping step that its curvature is not meaningful. */
static bool turns_far(const trm_maximal *w, const trm_step_contact *contact)
{
    double farthest = 0;
    for (int k = 0; w->stepper->window && k < 2; k++) {
        const int body = contact->features.body[k];
        const double turn = fabs(w->look.h) * trm_v3_length(w->stepper->state->velocity[body].ang);
        if (!w->held[body]) farthest = fmax(farthest, turn);
    }
    return farthest > FAR_TURN;
}

/* Returns whether b comes from the rows at t alone: in a pile, whose sweeps do not follow the look-ahead anyway, and
 * where the look-ahead is not reliable. */
static bool is_along_rows(const trm_maximal *w, const trm_step_contact *contact)
{
    return w->stepper->step.dissipative || contact->pile || turns_far(w, contact);
}

static trm_vec3 gravity_speed_between(const trm_maximal *w, const trm_step_contact *contact)
{
    return trm_v3_sub(gravity_speed_of(w, contact->features.body[0]), gravity_speed_of(w, contact->features.body[1]));
}

/* Returns the contribution of curvature, h/2 w x (w x arm) of both bodies, to the mean relative velocity of two
 * points in the step, m/s, at the velocities before its impulses. */
static trm_vec3 curvature_between(const trm_maximal *w, const trm_step_contact *contact)
{
    trm_vec3 bend = {0, 0, 0};
    for (int k = 0; k < 2; k++) {
        const int body = contact->features.body[k];
        const trm_vec3 turn = w->contact_set->start.velocity[body].ang;
        if (!w->held[body] && fabs(w->look.h) * trm_v3_length(turn) < FAR_TURN)
            bend = trm_v3_add_scaled(bend, (k ? -0.5 : 0.5) * w->look.h,
                                     trm_v3_cross(turn, trm_v3_cross(turn, contact->frame.arm[k])));
    }
    return bend;
}

static void evaluate_along_rows(const trm_maximal *w, trm_step_contact *contact)
{
    const trm_vec3 bend =
        w->stepper->step.dissipative || contact->curved ? trm_v3(0, 0, 0) : curvature_between(w, contact);
    const trm_vec3 more = trm_v3_add(gravity_speed_between(w, contact), bend);
    for (int r = 0; r < 3; r++) contact->b[r] = trm_v3_dot(contact->frame.d[r], more);
    contact->along_rows = true;
    find_remaining_gap(w, contact);
    contact->b[0] += contact->left;
    contact->slide = INFINITY;
    contact->keeps_sliding = false;
}

/* Returns the fraction of the step after which a slip or a rotation ends that starts with one velocity and has
 * another on average. It is extrapolated beyond 1, and is infinity if the motion does not slow down, or covers less
 * than a tolerance until then.
 *
 * If friction keeps the contact in place, the mean is 0, and the velocities alone give an end at half of the step.
 * Friction then needs the fraction `used` of its limit to reverse the velocity, and the whole limit would stop it
 * after that fraction of half the step. */
static double end_of(const trm_maximal *w, const double start[2], const double mean[2], double used, double tolerance)
{
    const double speed = sqrt(start[0] * start[0] + start[1] * start[1]);
    const double at_end = 2 * (mean[0] * start[0] + mean[1] * start[1]) / speed - speed;
    if (!(speed > TRM_NO_SLIP) || !(at_end < speed)) return INFINITY;
    const double part = used * speed / (speed - at_end);
    return 0.5 * part * speed * fabs(w->look.h) > tolerance ? part : INFINITY;
}

/* Returns the used fraction of a friction limit, at least LEAST_USED; 1 if there is no limit. */
static double used_of(const double *friction, double limit)
{
    const double used = sqrt(friction[0] * friction[0] + friction[1] * friction[1]) / limit;
    return used < TRM_NEARLY_ALL ? fmax(used, LEAST_USED) : 1;
}

/* Returns whether the contact point of a rim has moved so far along the rim that the row at t does not describe the
 * contact at t + h, as for a coin that falls flat. Fixed points of the rim then replace it. */
static bool moves_along_rim(const trm_maximal *w, const trm_step_contact *contact, const trm_contact_at *ahead)
{
    for (int k = 0; k < 2; k++) {
        const int body = contact->features.body[k];
        const trm_feature *rim = &contact->features.feature[k];
        if (rim->kind != TRM_FEATURE_CIRCLE) continue;
        const trm_vec3 then =
            trm_v3_sub(contact->at.point[k], trm_pose_point(w->stepper->state->pose[body], rim->point));
        const trm_vec3 now = trm_v3_sub(ahead->point[k], trm_pose_point(w->look.ahead[body], rim->point));
        if (trm_v3_length(trm_v3_sub(now, then)) > FAR_TURN * rim->radius) return true;
    }
    return false;
}

static void evaluate_contact(const trm_maximal *w, trm_step_contact *contact)
{
    const int *body = contact->features.body;
    const trm_contact_at ahead =
        trm_contact_at_poses(&contact->features, w->look.ahead[body[0]], w->look.ahead[body[1]]);
    double u[3], d[2];
    if (w->stepper->window && moves_along_rim(w, contact, &ahead)) return evaluate_along_rows(w, contact);
    contact->along_rows = false;
    const trm_vec3 apart = trm_contact_set_velocity(w, contact, false);
    for (int r = 0; r < 3; r++) u[r] = trm_v3_dot(contact->frame.d[r], apart);
    find_slip(w, contact, &ahead, u, d);
    find_remaining_gap(w, contact);
    contact->b[0] = (ahead.gap - target_of(w, contact)) / w->look.h - u[0];
    for (int r = 0; r < 2; r++) contact->b[r + 1] = d[r] / w->look.h - u[r + 1];
    const double mean[2] = {d[0] / w->look.h, d[1] / w->look.h};
    const double used = used_of(contact->lambda + 1, contact->friction.mu * contact->lambda[0]);
    contact->slide = end_of(w, contact->u + 1, mean, used, w->stepper->options->position_tolerance);
    contact->keeps_sliding = !w->stepper->window && trm_contact_set_motion_continues(contact->u + 1, mean);
}

/* Computes b of the friction about one or two directions of the contact frame, from `first` on. now, later: relative
 * angular velocities at both ends of the step. Returns whether the initial rotation lasts; *ends: when it ends. */
static bool evaluate_rotation(const trm_maximal *w, trm_step_contact *contact, int first, int rows, trm_vec3 now,
                              trm_vec3 later, double *ends)
{
    const trm_vec3 *d = contact->frame.d + first;
    double start[2] = {0, 0}, mean[2] = {0, 0}, lambda[2] = {0, 0};
    for (int r = 0; r < rows; r++) {
        start[r] = trm_v3_dot(d[r], contact->details->turn);
        mean[r] = 0.5 * trm_v3_dot(d[r], trm_v3_add(now, later));
        lambda[r] = contact->details->turning.lambda[first + r];
        contact->details->turning.b[first + r] = w->stepper->step.dissipative ? 0 : mean[r] - trm_v3_dot(d[r], now);
    }
    const double arm = first == 0 ? contact->law.torsional : contact->law.rolling;
    *ends = end_of(w, start, mean, used_of(lambda, arm * contact->lambda[0]), w->stepper->options->angle_tolerance);
    return !w->stepper->window && trm_contact_set_motion_continues(start, mean);
}

/* Evaluates the rotation against torsional and rolling friction. */
static void evaluate_turn(const trm_maximal *w, trm_step_contact *contact)
{
    trm_pose X;
    trm_contact_turning *turning = &contact->details->turning;
    const trm_vec3 now = trm_contact_set_turn(w, contact, false);
    const trm_vec3 later = trm_v3_sub(velocity_at_end(w, contact->features.body[0], &X).ang,
                                      velocity_at_end(w, contact->features.body[1], &X).ang);
    double spin_ends = INFINITY, roll_ends = INFINITY;
    if (contact->law.torsional > 0) turning->spin_lasts = evaluate_rotation(w, contact, 0, 1, now, later, &spin_ends);
    if (contact->law.rolling > 0) turning->roll_lasts = evaluate_rotation(w, contact, 1, 2, now, later, &roll_ends);
    turning->ends = fmin(spin_ends, roll_ends);
}

static void evaluate_joint(trm_maximal *w, const trm_maximal_joint *j, trm_maximal_worst *worst)
{
    const int m = j->joint->rows, n = j->joint->body_count;
    double *b = w->contact_set->joint_b + j->joint->row_offset, c[TRM_JOINT_ROWS];
    if (!j->on || !trm_contact_set_has_joint(w, j)) return;
    const double open = trm_maximal_residual(w, j, c);
    if (trm_contact_set_is_engaged(w, j)) {
        c[0] -= trm_contact_set_bounded_target(w, j, recovery_speed(w) * fabs(w->look.h));
        trm_maximal_take_worse_joint(worst, trm_contact_set_bounded_residual(w, j, c[0]), j);
    } else if (!isfinite(j->joint->most)) {
        trm_maximal_take_worse_joint(worst, open, j); /* others may slip */
    }
    for (int r = 0; r < m; r++) {
        b[r] = c[r] / w->look.h;
        for (int k = 0; k < n; k++)
            b[r] -= trm_sp_dot(j->J[r * n + k], w->stepper->state->velocity[j->joint->body[k]]);
    }
}

/* Evaluates all joints after a look-ahead. Returns the worst in tolerances. */
static trm_maximal_worst evaluate_joints(trm_maximal *w)
{
    trm_maximal_worst worst = {0, "", "", -1};
    for (int i = 0; i < w->stepper->model->body_count; i++)
        if (w->contact_set->marks.body[i] && !w->held[i]) trm_maximal_update_look_ahead(w, i);
    for (int i = 0; i < w->joint_count; i++) evaluate_joint(w, &w->joints[i], &worst);
    return worst;
}

/* Stores the velocities at which contacts of changed islands are evaluated. */
static void note_velocities(const trm_maximal *w)
{
    const trm_contact_set *t = w->contact_set;
    for (int i = 0; i < w->stepper->model->body_count; i++)
        if (t->islands.of[i] < 0 || t->islands.changed[t->islands.of[i]]) t->seen[i] = w->stepper->state->velocity[i];
}

/* Evaluates all contacts of changed islands. Returns the worst in tolerances. Contacts in piles do not count, because
 * sweeps have no given accuracy. */
static trm_maximal_worst evaluate_contacts(trm_maximal *w)
{
    const trm_contact_set *t = w->contact_set;
    const trm_stepper *s = w->stepper;
    trm_maximal_worst worst = {0, "", "", -1};
    note_velocities(w);
    for (int i = 0; i < t->count; i++) {
        trm_step_contact *contact = &t->contacts[i];
        const int island = t->islands.of_constraint[i];
        if (island >= 0 && !t->islands.changed[island]) continue;
        const int turns_of = (contact->law.torsional > 0) + (contact->law.rolling > 0);
        const int turn = turns_of > 0 ? contact->details->turning.first : 0;
        (is_along_rows(w, contact) ? evaluate_along_rows : evaluate_contact)(w, contact);
        if (turns_of > 0) evaluate_turn(w, contact);
        if (contact->pile) continue;
        const double left = fabs(w->look.h) * trm_constraint_residual(&t->constraints[i], s->state->velocity);
        double turns = 0;
        for (int k = turn; k < turn + turns_of; k++)
            turns = fmax(turns, fabs(w->look.h) * trm_constraint_residual(&t->constraints[k], s->state->velocity));
        trm_maximal_take_worse(&worst, fmax(left * w->per_tolerance.position, turns * w->per_tolerance.angle), "body",
                               s->model->bodies[contact->features.body[0]].name);
    }
    return worst;
}

/* Returns whether b of a contact is still valid at the present velocities: the curvature of the motion of its
 * point, h/2 w x (w x arm), has hardly changed. In time-stepping this replaces another evaluation of all contacts. */
static bool is_still_valid(const trm_maximal *w, const trm_step_contact *contact)
{
    double off = 0;
    if (contact->along_rows) return true;
    for (int k = 0; k < 2; k++) {
        const int body = contact->features.body[k];
        const trm_vec3 now = w->stepper->state->velocity[body].ang, then = w->contact_set->seen[body].ang;
        const double turn = trm_v3_length(now) + trm_v3_length(then);
        if (!w->held[body])
            off += w->look.h * w->look.h * turn * trm_v3_length(trm_v3_sub(now, then)) *
                   trm_v3_length(contact->frame.arm[k]);
    }
    return off < (has_joints(w, contact) ? LITTLE_WITH_JOINTS : LITTLE);
}

/* Marks the islands that must be solved again: in time-stepping those whose contacts must be evaluated again,
 * otherwise all. Only islands that were solved since the last call have new velocities. Returns whether there are
 * any. */
static bool mark_changes(trm_maximal *w, bool shared, double joints)
{
    bool any = shared || !(joints < 1);
    if (!w->stepper->window || !(joints < 1)) {
        trm_contact_set_change_all(w);
        return true;
    }
    const trm_islands *islands = &w->contact_set->islands;
    for (int i = 0; i < islands->count; i++) any = any || islands->changed[i];
    for (int i = 0; i < w->contact_set->count; i++) {
        const int island = islands->of_constraint[i];
        if (island < 0 || !islands->solved[island] || islands->changed[island]) continue;
        if (is_still_valid(w, &w->contact_set->contacts[i])) continue;
        trm_contact_set_change(w, i);
        any = true;
    }
    for (int i = 0; i < islands->count; i++) islands->solved[i] = false;
    return any;
}

/* ---- Impulses ----------------------------------------------------------------------------- */

/* Starts with the forces of the last step. */
static void apply_last_forces(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    const double span = fabs(w->stepper->state->clock->step) > TRM_USABLE_STEP * fabs(w->look.h) ? w->look.span : 0;
    trm_contact_set_recall(w, span);
    for (int i = 0; i < w->stepper->model->row_count; i++) t->joint_lambda[i] = span * w->stepper->state->force[i];
    trm_contact_set_apply_impulses(w);
    for (int i = t->count + t->memory.turn_count; i < t->constraint_count; i++) {
        double lambda[TRM_JOINT_ROWS];
        const trm_constraint *constraint = &t->constraints[i];
        memcpy(lambda, constraint->lambda, (size_t)constraint->rows * sizeof *lambda);
        memset(constraint->lambda, 0, (size_t)constraint->rows * sizeof *lambda);
        trm_constraint_apply_impulse(constraint, lambda, w->stepper->state->velocity);
    }
    for (int i = 0; i < w->stepper->model->body_count; i++)
        if (t->marks.body[i]) w->look.moved[i] = !w->held[i];
}

/* Removes the initial contact forces of islands to which they would add energy. Forces of the last step, such as
 * those of an impact, may be wrong in this one, and the look-ahead uses the resulting velocities. */
static void begin_without_gain(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    for (int i = 0; i < t->islands.count; i++) {
        const trm_problem_island island = trm_contact_set_island(t, i);
        double gain = 0, pressed = 0;
        for (int k = 0; k < island.constraint_count; k++) {
            if (island.constraints[k] >= t->count) continue;
            const trm_step_contact *contact = &t->contacts[island.constraints[k]];
            if (!trm_contact_set_acts(contact)) continue;
            const trm_vec3 now = trm_contact_set_velocity(w, contact, true), fall = gravity_speed_between(w, contact);
            const trm_vec3 impulse = trm_contact_set_impulse(contact);
            gain += trm_v3_dot(impulse, trm_v3_add(trm_v3_scale(0.5, trm_v3_add(contact->free, now)), fall));
            pressed += trm_v3_length(impulse);
        }
        if (!(gain > w->stepper->options->velocity_tolerance * pressed)) continue;
        for (int k = 0; k < island.constraint_count; k++) {
            const trm_constraint *constraint = &t->constraints[island.constraints[k]];
            memset(constraint->lambda, 0, (size_t)constraint->rows * sizeof *constraint->lambda);
        }
        for (int k = 0; k < island.body_count; k++)
            w->stepper->state->velocity[island.bodies[k]] = t->start.velocity[island.bodies[k]];
    }
}

void trm_contact_set_remember_forces(trm_maximal *w)
{
    const double per_span = w->look.span == 0 ? 0 : 1 / w->look.span;
    trm_contact_set_remember(w, w->look.span);
    for (int i = 0; i < w->joint_count; i++) {
        const trm_maximal_joint *j = &w->joints[i];
        if (!trm_contact_set_has_joint(w, j) || trm_joint_sleeps(w->stepper->state, j->index)) continue;
        for (int r = 0, row = j->joint->row_offset; r < j->joint->rows; r++, row++)
            w->stepper->state->force[row] = j->on ? per_span * w->contact_set->joint_lambda[row] : 0;
    }
}

double trm_contact_set_slide_ends(const trm_maximal *w)
{
    double first = INFINITY;
    for (int i = 0; i < w->contact_set->count; i++) {
        const trm_step_contact *contact = &w->contact_set->contacts[i];
        first = fmin(first, contact->slide);
        if (trm_contact_resists_turning(&contact->law)) first = fmin(first, contact->details->turning.ends);
    }
    return first;
}

/* Sets joints that use their whole limited force to slip, until an event changes that. */
static void let_slip(trm_maximal *w)
{
    int constraint = w->contact_set->count + w->contact_set->memory.turn_count;
    for (int i = 0; i < w->joint_count; i++) {
        if (!w->joints[i].on || !trm_contact_set_has_joint(w, &w->joints[i])) continue;
        const trm_constraint *h = &w->contact_set->constraints[constraint++];
        if (trm_contact_set_is_engaged(w, &w->joints[i])) continue;
        if (h->law != TRM_BOUNDED || (h->lambda[0] > h->least && h->lambda[0] < h->most)) continue;
        w->stepper->state->mode[w->joints[i].index] = h->lambda[0] > 0 ? TRM_MINUS : TRM_PLUS;
    }
}

/* Returns whether the residual of contacts is accepted. After some rounds the accuracy of joints suffices. */
static bool contacts_are_accurate(double residual, int round)
{
    return residual < (round > ROUNDS_FOR_MORE ? 1 : CLOSER);
}

/* Returns a body of the worst element that an impulse can move. */
static int body_of(const trm_maximal *w, const trm_maximal_worst *worst)
{
    const trm_model *model = w->stepper->model;
    for (int b = 0; worst->joint >= 0 && b < model->joints[worst->joint].body_count; b++)
        if (!w->held[model->joints[worst->joint].body[b]]) return model->joints[worst->joint].body[b];
    for (int i = 0; i < model->body_count; i++)
        if (worst->joint < 0 && model->bodies[i].name == worst->name) return i;
    return 0;
}

static bool report_divergence(const trm_maximal *w, const trm_maximal_worst *worst, trm_outcome *outcome)
{
    trm_maximal_diverged(outcome, worst, "its constraints could not be satisfied");
    trm_contact_set_report_loaded(w, body_of(w, worst), outcome);
    return false;
}

/* Returns the speed with which a contact closes in the step: u^2 = u0^2 - 2 a g, with u0 at the start, and the
 * acceleration a of forces and gravity. u0 alone would lose a part a h / u0 of each rebound. */
static double closing_speed(const trm_maximal *w, const trm_step_contact *contact)
{
    const trm_vec3 *n = &contact->frame.d[0], fall = gravity_speed_between(w, contact);
    const double kicked = trm_v3_dot(*n, trm_contact_set_velocity(w, contact, false));
    const double du = 2 * (kicked - contact->u[0] + trm_v3_dot(*n, fall)); /* a h */
    const double gap = fmax(contact->at.gap, 0);
    return -sqrt(fmax(contact->u[0] * contact->u[0] - 2 * du / fabs(w->look.h) * gap, 0));
}

/* Starts with the forces of the last step, in time-stepping only if they add no energy. */
static void begin(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    const size_t bodies = (size_t)w->stepper->model->body_count;
    if (w->stepper->window) {
        memcpy(t->start.velocity, w->stepper->state->velocity, bodies * sizeof *t->start.velocity);
        memset(t->ledger, 0, bodies * sizeof *t->ledger);
        for (int i = 0; i < t->count; i++)
            if (t->contacts[i].rebound < 0)
                t->contacts[i].rebound = t->contacts[i].law.restitution * closing_speed(w, &t->contacts[i]);
    }
    apply_last_forces(w);
    if (w->stepper->window) begin_without_gain(w);
}

/* Stores the solution and adds its work. Returns true. */
static bool keep_closed(trm_maximal *w, double h)
{
    trm_contact_set_remember_forces(w);
    let_slip(w);
    trm_contact_set_take_modes(w, w->look.span != 0 ? w->look.span : 0.5 * h, false);
    trm_add_work(w->stepper->state, 1, trm_contact_set_work(w, w->stepper->window ? 0.5 : 0));
    w->stepper->counters->contacts += w->contact_set->count;
    return true;
}

/* ---- A dissipative step --------------------------------------------------------------------- */

/* Computes b of the rows at t, J (V + g h/2) + c_t. Open joints are closed slowly. */
static void evaluate_joint_along_rows(trm_maximal *w, const trm_maximal_joint *j)
{
    const int m = j->joint->rows, n = j->joint->body_count;
    const double speed = recovery_speed(w);
    double *b = w->contact_set->joint_b + j->joint->row_offset, c[TRM_JOINT_ROWS];
    if (!j->on || !trm_contact_set_has_joint(w, j)) return;
    trm_maximal_residual_at(w, j, w->stepper->state->pose, w->stepper->state->clock->time, c);
    if (trm_contact_set_is_engaged(w, j)) {
        c[0] -= trm_contact_set_bounded_target(w, j, speed * fabs(w->look.h));
    } else {
        for (int r = 0; r < m; r++) c[r] = fmin(fmax(c[r], -speed * fabs(w->look.h)), speed * fabs(w->look.h));
    }
    for (int r = 0; r < m; r++) {
        b[r] = c[r] / w->look.h + (j->driven ? j->c_t[r] : 0);
        for (int k = 0; k < n; k++) b[r] += trm_v3_dot(j->J[r * n + k].lin, gravity_speed_of(w, j->joint->body[k]));
    }
}

/* Solves one problem of velocities with the rows at t, in which no curvature lends energy. Joints that it leaves open
 * are closed after the step (trm_contact_set_project). It fails only where drives contradict contacts. */
static bool solve_along_rows(trm_maximal *w, trm_contact_set_accuracy accuracy, trm_outcome *outcome)
{
    for (int i = 0; i < w->joint_count; i++) evaluate_joint_along_rows(w, &w->joints[i]);
    evaluate_contacts(w);
    w->stepper->counters->rounds++;
    trm_contact_set_take_friction(w);
    if (!trm_contact_set_solve(w, accuracy, outcome)) return false;
    trm_contact_set_bound_gain(w);
    return true;
}

/* Closes the joints and contacts of bodies in contact. */
static bool close_in_contact(trm_maximal *w, double h, trm_outcome *outcome)
{
    const trm_simulation_def *o = w->stepper->options;
    const double tolerance = 0.5 * CLOSER * fmin(o->position_tolerance, o->angle_tolerance) / fabs(h);
    const double closed = tolerance / CLOSER, enough = (w->stepper->window ? ENOUGH_IN_WINDOW : 1) * closed;
    w->contact_set->falling = 0.5 * h;
    begin(w);
    if (w->stepper->step.dissipative)
        return solve_along_rows(w, (trm_contact_set_accuracy){tolerance, enough, closed, 0, 0}, outcome) &&
               keep_closed(w, h);
    double best = INFINITY;
    for (int round = 1, since = 0;; round++, since++) {
        const bool shared = round > 1 && round <= ROUNDS_FOR_MORE && trm_contact_set_share_evenly(w);
        const trm_maximal_worst joints = evaluate_joints(w);
        if (round > 1 && !mark_changes(w, shared, joints.residual)) break;
        if (w->stepper->window && joints.residual < 1 && round > WINDOW_ROUNDS)
            return trm_contact_set_gained(w, outcome);
        const trm_maximal_worst contacts = evaluate_contacts(w);
        if (joints.residual < 1 && !w->stepper->window && contacts_are_accurate(contacts.residual, round)) break;
        const trm_maximal_worst *worse = joints.residual < 1 ? &contacts : &joints; /* NaN is worse than all */
        if (worse->residual < 0.5 * best) best = worse->residual, since = 0;
        if (!(worse->residual < TRM_DIVERGENT_RESIDUAL) || round > MOST_ROUNDS || since > ROUNDS_TO_HALVE)
            return report_divergence(w, worse, outcome);
        w->stepper->counters->rounds++;
        if (round == 1 && !w->contact_set->projected) trm_contact_set_take_friction(w);
        const double part = w->stepper->window ? 0 : LINEARISED_PART,
                     contradiction = w->stepper->window && round <= ROUNDS_TO_AGREE ? CONTRADICTION : 0;
        const trm_contact_set_accuracy accuracy = {tolerance, enough, closed, part, contradiction};
        if (!trm_contact_set_solve_with_friction(w, accuracy, outcome)) return false;
    }
    if (w->stepper->window && !trm_contact_set_bound_gain(w)) return trm_contact_set_gained(w, outcome);
    return keep_closed(w, h);
}

bool trm_contact_set_close(trm_maximal *w, double h, trm_outcome *outcome)
{
    return trm_contact_set_prepare(w, w->look.span != 0 ? w->look.span : 0.5 * h, 0, outcome) &&
           close_in_contact(w, h, outcome) &&
           trm_maximal_correct_other_joints(w, h, w->contact_set->marks.joint, outcome);
}

/* ---- Projection of velocities ------------------------------------------------------------- */

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
        contact->recovery = 0;
        if (w->stepper->window) continue;
        contact->details->predicted = trm_contact_set_impulse(contact);
        contact->details->predicted_turn = trm_contact_set_turning_impulse(contact);
    }
    trm_contact_set_apply_impulses(w);
    trm_contact_set_choose_slip(w);
}

/* Returns the work, J, at the mean of the speeds before and after an impulse beyond that at the speed after it, if a
 * force predicts less than half of the impulse; otherwise 0. */
static double work_of_jump(trm_vec3 impulse, trm_vec3 predicted, trm_vec3 before, trm_vec3 after)
{
    const trm_vec3 jump = trm_v3_sub(impulse, predicted);
    return trm_v3_length(jump) > trm_v3_length(predicted) ? 0.5 * trm_v3_dot(jump, trm_v3_sub(before, after)) : 0;
}

static double work_of_jumps(const trm_maximal *w)
{
    double work = 0;
    for (int i = 0; i < w->contact_set->count; i++) {
        const trm_step_contact *contact = &w->contact_set->contacts[i];
        work += work_of_jump(trm_contact_set_impulse(contact), contact->details->predicted, contact->free,
                             trm_contact_set_velocity(w, contact, true));
        if (trm_contact_resists_turning(&contact->law))
            work += work_of_jump(trm_contact_set_turning_impulse(contact), contact->details->predicted_turn,
                                 contact->details->free_turn, trm_contact_set_turn(w, contact, true));
    }
    return work;
}

/* Solves the problem with coefficients of friction at its slip. A dissipative step keeps its coefficients. */
static bool solve(trm_maximal *w, trm_contact_set_accuracy accuracy, trm_outcome *outcome)
{
    return w->stepper->step.dissipative ? trm_contact_set_solve(w, accuracy, outcome)
                                        : trm_contact_set_solve_with_friction(w, accuracy, outcome);
}

/* Projects the velocities of bodies in contact. */
static bool project_in_contact(trm_maximal *w, double dt, double span, trm_outcome *outcome)
{
    const double tolerance = CLOSER_SPEED * w->stepper->options->velocity_tolerance;
    const double closed = ENOUGH_SPEED / CLOSER_SPEED * tolerance,
                 enough = w->stepper->window ? ENOUGH_SPEED_IN_WINDOW / CLOSER_SPEED * tolerance : closed;
    trm_maximal_worst changed = {INFINITY, "", "", -1};
    trm_maximal_rows(w);
    prepare_joints(w);
    if (!trm_contact_set_prepare(w, dt, dt, outcome)) return false;
    w->contact_set->falling = 0;
    if (!w->stepper->window)
        trm_contact_set_note_speeds(w); /* time-stepping uses the speeds before the forces at this end */
    prepare_contacts(w, span);
    for (int i = 0; i < w->stepper->called_count; i++) w->forces.called[i] = (trm_spatial){{0, 0, 0}, {0, 0, 0}};
    for (int round = 1; changed.residual >= 1; round++) {
        changed = (trm_maximal_worst){0, "", "", -1};
        if (dt != 0 && !trm_contact_set_evaluate_forces_again(w, dt, &changed, outcome)) return false;
        int shares = 0;
        trm_contact_set_change_all(w);
        do {
            if (!solve(w, (trm_contact_set_accuracy){tolerance, enough, closed, 0, 0}, outcome)) return false;
        } while (trm_contact_set_forget_reversed(w) || (shares++ < MOST_SHARES && trm_contact_set_share_evenly(w)));
        if (round >= MOST_ROUNDS)
            return trm_maximal_diverged(outcome, &changed, "velocities could not be projected onto it");
    }
    if (w->stepper->window &&
        !trm_contact_set_bound_rebounds(w, (trm_contact_set_accuracy){tolerance, enough, closed, 0, 0}, outcome))
        return false;
    trm_contact_set_take_modes(w, dt, true);
    trm_add_work(w->stepper->state, 1, trm_contact_set_work(w, w->stepper->window ? 0.5 : 1));
    if (!w->stepper->window) trm_add_work(w->stepper->state, 1, (trm_works){.contact = work_of_jumps(w)});
    return true;
}

bool trm_contact_set_project_velocities(trm_maximal *w, double dt, double span, bool all, trm_outcome *outcome)
{
    if (!trm_contact_set_is_active(w->contact_set)) trm_contact_set_mark_islands(w, dt);
    if (trm_contact_set_is_active(w->contact_set) && !project_in_contact(w, dt, span, outcome)) return false;
    if (!trm_contact_set_project_others(w, dt, all, outcome)) return false;
    w->stepper->state->clock->velocities_projected = all ? TRM_ALL_PROJECTED : TRM_SHAPED_PROJECTED;
    return true;
}
