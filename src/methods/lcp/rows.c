/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Bounded rows: limits and ropes, motors and friction in joints, forces too stiff for explicit steps, contacts.
 *
 * A bouncing contact or limit acts once its gap is closed. All others that may close within the step may close but
 * not penetrate (Stewart, Trinkle 1996: gap + h u >= 0). A force along a row, -(k c + d c'), at the end of the step
 * is a soft row without bounds: ERP = h k/(h k + d), CFM = 1/(h k + d). */

#include "methods/lcp/lcp.h"

#include "trammel/elementary.h"
#include "trammel/model.h"

/* Limits farther away than this multiple of their approach in the step are ignored. Limits that are missed act once
 * they are violated, as all limits do in ODE. A larger value adds rows without effect, a smaller one finds limits a
 * step too late. Tests pass with a tenth and with ten times of it. */
static const double IN_REACH = 4;
/* Rows of a contact besides its normal: torsional and rolling friction, box friction. */
enum { TURNING_ROWS = 3, BOX_ROWS = 2 };

/* ---- Room --------------------------------------------------------------------------------- */

static bool make_room(trm_lcp_method *w, int rows, int pairs)
{
    trm_arena *arena = w->machine->stepper->arena;
    if (rows > w->row_room) {
        w->rows = TRM_NEW_ARRAY(arena, trm_lcp_row, 2 * rows);
        w->diagonal = TRM_NEW_ARRAY(arena, double, 2 * rows);
        w->row_room = w->rows && w->diagonal ? 2 * rows : 0;
    }
    if (pairs > w->pair_room) {
        w->pairs = TRM_NEW_ARRAY(arena, trm_lcp_pair, 2 * pairs);
        w->pair_room = w->pairs ? 2 * pairs : 0;
    }
    return rows <= w->row_room && pairs <= w->pair_room;
}

int trm_lcp_count_joint_rows(const trm_model *model)
{
    int count = 0;
    for (int j = 0; j < model->joint_count; j++)
        count += model->joints[j].one_sided + isfinite(model->joints[j].most);
    return count;
}

/* Returns the largest possible number of bounded rows. */
static int count_bounded(const trm_lcp_method *w)
{
    const trm_maximal *m = w->machine;
    const trm_model *model = m->stepper->model;
    const int per_contact = 1 + (w->directions > 0 ? w->directions : BOX_ROWS) + TURNING_ROWS;
    const int contacts = m->contact_set ? m->contact_set->count : 0;
    return 2 * m->dampers.count + contacts * per_contact + trm_lcp_count_joint_rows(model);
}

/* Adds a row along J, with w >= 0 and x >= 0, and computes its response W. The caller may change the bounds. */
static trm_lcp_row *add_row_of(trm_lcp_method *w, const int *body, int bodies, const trm_spatial *J, trm_spatial *W)
{
    trm_lcp_row *row = &w->rows[w->row_count++];
    for (int k = 0; k < bodies; k++) W[k] = trm_maximal_response(w->machine, body[k], J[k]);
    *row = (trm_lcp_row){.body = body,
                         .bodies = bodies,
                         .J = J,
                         .W = W,
                         .soft = w->cfm / w->h,
                         .hi = INFINITY,
                         .friction = -1,
                         .works = TRM_LCP_WORKS_AS_CONTACT};
    return row;
}

/* Adds a row of two bodies. */
static trm_lcp_row *add_row(trm_lcp_method *w, const int *body, const trm_spatial *J)
{
    trm_lcp_pair *pair = &w->pairs[w->pair_count++];
    for (int k = 0; k < 2; k++) pair->body[k] = body[k], pair->J[k] = J[k];
    return add_row_of(w, pair->body, 2, pair->J, pair->W);
}

/* Adds the row of a joint times a sign, of all bodies on which it acts. */
static trm_lcp_row *add_joint_row(trm_lcp_method *w, const trm_joint *joint, const trm_spatial *J, double sign)
{
    trm_lcp_joint_row *own = &w->joint_rows[w->joint_row_count++];
    for (int k = 0; k < joint->body_count; k++) own->J[k] = trm_sp_scale(sign, J[k]);
    return add_row_of(w, joint->body, joint->body_count, own->J, own->W);
}

/* Sets the destination of a row's impulse, and its initial value for sweeps. */
static void send_to(trm_lcp_row *row, double *to, double share, double initial)
{
    row->to[0] = to;
    row->share[0] = share;
    row->x = initial;
}

/* ---- Joints ------------------------------------------------------------------------------- */

/* Returns the speed above which impacts bounce, m/s or rad/s. */
static double bounce_speed(const trm_lcp_method *w)
{
    return isnan(w->bounce) ? 2 * trm_v3_length(w->machine->stepper->model->gravity) * w->h : w->bounce;
}

/* Computes b for a gap and its rate. Returns false if the row is not active in this step. */
static bool gap_term(const trm_lcp_method *w, double gap, double rate, double restitution, double *b)
{
    const bool impact = restitution > 0 && rate < -bounce_speed(w);
    if (impact && gap > 0) return false;
    *b = impact ? restitution * rate : gap > 0 ? gap / w->h : fmax(w->erp * gap / w->h, -w->correction);
    return true;
}

static void add_one_sided(trm_lcp_method *w, int index)
{
    trm_state *state = w->machine->stepper->state;
    const trm_joint *joint = &state->model->joints[index];
    const double rate = -trm_joint_speed(state, index);
    trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
    double c[TRM_JOINT_ROWS], b;
    trm_joint_residual_at(joint, state->pose, state->clock->time, state->memory, c);
    const double fall = trm_v3_length(state->model->gravity) * w->h;
    if (-c[0] > IN_REACH * w->h * (fabs(rate) + fall)) return;
    if (!gap_term(w, -c[0], rate, joint->limit_restitution, &b)) return;
    trm_joint_jacobian_at(joint, state->pose, state->clock->time, state->memory, J);
    trm_lcp_row *row = add_joint_row(w, joint, J, -1);
    double *force = &state->force[joint->row_offset];
    row->b = b;
    row->works = TRM_LCP_WORKS_AS_IMPACT;
    send_to(row, force, -1 / w->h, fmax(-*force * w->h, 0));
}

static void add_limited(trm_lcp_method *w, int index)
{
    trm_state *state = w->machine->stepper->state;
    const trm_joint_at at = trm_joint_now(state, index);
    trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
    double c_t[TRM_JOINT_ROWS] = {0};
    trm_joint_jacobian(&at, J);
    trm_joint_rate(&at, c_t);
    trm_lcp_row *row = add_joint_row(w, at.joint, J, 1);
    double *force = &state->force[at.joint->row_offset];
    row->b = c_t[0];
    row->soft = w->softness[at.joint->row_offset];
    row->hi = at.joint->most * w->h;
    row->lo = -row->hi;
    row->works = trm_joint_is_friction(at.joint) ? TRM_LCP_WORKS_AS_FRICTION : TRM_LCP_WORKS_AS_INPUT;
    send_to(row, force, 1 / w->h, *force * w->h);
}

/* Adds an equation for each row of a joint. */
static void add_joint(trm_lcp_method *w, const trm_maximal_joint *j)
{
    const int n = j->joint->body_count;
    for (int r = 0; r < j->joint->rows; r++) {
        const int at = j->joint->row_offset + r;
        w->rows[w->row_count++] = (trm_lcp_row){.body = j->joint->body,
                                                .bodies = n,
                                                .J = j->J + r * n,
                                                .W = j->W + r * n,
                                                .b = -w->required[at],
                                                .soft = w->softness[at],
                                                .lo = -INFINITY,
                                                .hi = INFINITY,
                                                .friction = -1,
                                                .x = w->h * w->machine->stepper->state->force[at],
                                                .to = {&w->machine->accelerations.lambda[at]},
                                                .share = {1}};
    }
}

static void add_equations(trm_lcp_method *w)
{
    const trm_maximal *m = w->machine;
    for (int j = 0; j < m->joint_count; j++)
        if (m->joints[j].on) add_joint(w, &m->joints[j]);
}

static void add_bounded(trm_lcp_method *w)
{
    const trm_state *state = w->machine->stepper->state;
    for (int j = 0; j < state->model->joint_count; j++) {
        const trm_joint *joint = &state->model->joints[j];
        if (!state->attached[j]) continue;
        if (joint->one_sided) add_one_sided(w, j);
        if (isfinite(joint->most)) add_limited(w, j);
    }
}

/* ---- Forces ------------------------------------------------------------------------------- */

/* Adds a row for the force push - (k c + d c') at the end of the step, within bounds. */
static void add_stiff_force(trm_lcp_method *w, trm_maximal_damper *d, double k, double damping, double most)
{
    const trm_force_row *pull = &d->row;
    if (!(w->h * k + damping > 0)) return;
    const trm_softness soft = trm_softness_of_spring(k, damping, w->h);
    const trm_force *force = trm_maximal_force_of(w->machine, d);
    trm_lcp_row *row = add_row_of(w, force->body, force->body_count, pull->J, d->W);
    row->b = (k > 0 ? soft.erp / w->h * pull->c : 0) + pull->c_t - soft.cfm * pull->push;
    row->soft = soft.cfm / w->h;
    row->hi = most * w->h;
    row->lo = -row->hi;
    row->works = TRM_LCP_WORKS_NOT;
    send_to(row, &d->impulse, 1, 0);
}

/* Adds the rows of stiff forces. A brake has no target. */
static void add_stiff_forces(trm_lcp_method *w)
{
    const trm_maximal *m = w->machine;
    for (int i = 0; i < m->dampers.count; i++) {
        trm_maximal_damper *d = &m->dampers.list[i];
        if (!trm_lcp_is_stiff(w, d)) continue;
        const int before = w->row_count;
        add_stiff_force(w, d, d->row.stiffness, d->row.damping, d->row.most);
        const int pulls = w->row_count;
        add_stiff_force(w, d, 0, d->row.brake, INFINITY);
        if (w->row_count > pulls) w->rows[pulls].b = 0;
        if (w->row_count == before) d->impulse = 0;
    }
}

/* ---- Contacts ----------------------------------------------------------------------------- */

/* Adds a row along a direction at the contact point. */
static trm_lcp_row *add_direction(trm_lcp_method *w, const trm_step_contact *contact, trm_vec3 d)
{
    trm_spatial J[2];
    for (int k = 0; k < 2; k++) {
        const trm_vec3 on = trm_v3_scale(k ? -1 : 1, d);
        J[k] = trm_sp(trm_v3_cross(contact->frame.arm[k], on), on);
    }
    return add_row(w, contact->features.body, J);
}

static void bound_by(trm_lcp_row *row, int normal, double mu, double lo, double cfm)
{
    row->friction = normal;
    row->hi = mu;
    row->lo = lo;
    row->soft = cfm;
}

static void add_box(trm_lcp_method *w, trm_step_contact *contact, int normal)
{
    for (int r = 1; r <= BOX_ROWS; r++) {
        trm_lcp_row *row = add_direction(w, contact, contact->frame.d[r]);
        bound_by(row, normal, contact->friction.mu, -contact->friction.mu, w->friction_cfm / w->h);
        send_to(row, &contact->lambda[r], 1, contact->lambda[r]);
    }
}

/* Adds friction directions around the normal. The directions that point along the initial impulse share it. The sum
 * of (d . t) d over one half of k directions is k/4 t, so k/4 times the softness makes them as compliant together
 * as one row. */
static void add_pyramid(trm_lcp_method *w, trm_step_contact *contact, int normal)
{
    const double softness = 0.25 * w->directions * w->friction_cfm / w->h;
    for (int i = 0; i < w->directions; i++) {
        const double angle = 2 * TRM_PI * i / w->directions, along = trm_cos(angle), across = trm_sin(angle);
        const trm_vec3 d = trm_v3_add_scaled(trm_v3_scale(along, contact->frame.d[1]), across, contact->frame.d[2]);
        trm_lcp_row *row = add_direction(w, contact, d);
        bound_by(row, normal, contact->friction.mu, 0, softness);
        const double initial = along * contact->lambda[1] + across * contact->lambda[2];
        send_to(row, &contact->lambda[1], along, 4 * fmax(initial, 0) / w->directions);
        row->to[1] = &contact->lambda[2];
        row->share[1] = across;
    }
}

/* Adds torsional friction, about n, and rolling friction, about t1 and t2. */
static void add_turning(trm_lcp_method *w, trm_step_contact *contact, int normal)
{
    for (int r = 0; r < TURNING_ROWS; r++) {
        const double arm = r == 0 ? contact->law.torsional : contact->law.rolling;
        const trm_vec3 axis = contact->frame.d[r], none = {0, 0, 0};
        if (!(arm > 0)) continue;
        const trm_spatial J[2] = {trm_sp(axis, none), trm_sp(trm_v3_neg(axis), none)};
        trm_lcp_row *row = add_row(w, contact->features.body, J);
        bound_by(row, normal, arm, -arm, w->friction_cfm / w->h);
        send_to(row, &contact->details->turning.lambda[r], 1, contact->details->turning.lambda[r]);
    }
}

static void add_contacts(trm_lcp_method *w)
{
    trm_contact_set *t = w->machine->contact_set;
    for (int i = 0; i < t->count; i++) {
        trm_step_contact *contact = &t->contacts[i];
        double b;
        if (!gap_term(w, contact->at.gap, contact->u[0], contact->law.restitution, &b)) {
            contact->lambda[0] = contact->lambda[1] = contact->lambda[2] = 0;
            for (int r = 0; r < TURNING_ROWS; r++) contact->details->turning.lambda[r] = 0;
            continue;
        }
        const int normal = w->row_count;
        trm_lcp_row *row = add_direction(w, contact, contact->frame.d[0]);
        row->b = b;
        row->spread = w->spread;
        send_to(row, &contact->lambda[0], 1, contact->lambda[0]);
        w->machine->stepper->counters->impacts += contact->at.gap <= 0 && contact->u[0] < -bounce_speed(w);
        if (contact->friction.mu > 0 && w->directions > 0) add_pyramid(w, contact, normal);
        if (contact->friction.mu > 0 && w->directions == 0) add_box(w, contact, normal);
        add_turning(w, contact, normal);
    }
}

bool trm_lcp_list_rows(trm_lcp_method *w)
{
    const int most = count_bounded(w);
    w->row_count = w->pair_count = w->joint_row_count = 0;
    if (!make_room(w, most + w->machine->stepper->model->row_count, most)) return false;
    if (w->solver == TRM_LCP_PGS) add_equations(w);
    add_bounded(w);
    add_stiff_forces(w);
    if (w->machine->contact_set) add_contacts(w);
    return true;
}

void trm_lcp_distribute_impulses(trm_lcp_method *w)
{
    const trm_state *state = w->machine->stepper->state;
    for (int j = 0; j < state->model->joint_count; j++)
        if (trm_joint_is_bounded(&state->model->joints[j])) state->force[state->model->joints[j].row_offset] = 0;
    for (int i = 0; i < w->row_count; i++)
        for (int k = 0; k < 2; k++)
            if (w->rows[i].to[k]) *w->rows[i].to[k] = 0;
    for (int i = 0; i < w->row_count; i++)
        for (int k = 0; k < 2; k++)
            if (w->rows[i].to[k]) *w->rows[i].to[k] += w->rows[i].share[k] * w->rows[i].x;
}
