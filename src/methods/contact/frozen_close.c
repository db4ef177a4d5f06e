/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The equations of a frozen mode (frozen.h).
 *
 * Joints are eliminated first (reduced_joints.c). The rows n, t1, t2 of contacts remain,
 *
 *     u = D p + c,        joints closed by   l = -A^-1 (J V + c_t) - Y p
 *
 * A line is one equation of a contact: a combination `see` of its rows whose speed must be zero, and a combination
 * `along` of its impulses that achieves it. The two differ where friction follows from a normal force:
 *
 *     B l = -see u,   B = see D along,   p = along l
 *
 * In velocities the direction s of a slide is unknown, too, and has a line of its own. The slip across it, u_x, must
 * be zero, and a rotation of s by an angle rotates the friction:
 *
 *     d u_x = (see_x D along_x - u_s) d angle,   along_x = -mu lambda_n see_x
 *
 * Corners of one face make redundant lines. The solver takes the solution l of least norm. The unit of a line is
 * the square root of the response of its row. The solution is smooth in pose and velocity while the rank is
 * constant. */

#include <stdio.h>
#include <string.h>

#include "linalg/min_norm.h"
#include "methods/contact/frozen.h"
#include "methods/contact/reduced.h"
#include "trammel/elementary.h"

enum { MOST_LINES = 200, MOST_ROUNDS = 30, MOST_PROJECTIONS = 50, ROUNDS_THAT_TURN = 25, REFINEMENTS = 2 };
/* m/s: smaller residuals count as zero at any speed. A larger value accepts residuals of slow machines; with a
 * smaller one the iteration tries to halve residuals that are rounding. */
static const double NO_RESIDUAL = 1e-16;
/* rad: largest rotation of a direction in one round. A larger value overshoots, a smaller one takes more rounds.
 * Tests pass with a tenth and with ten times of it. */
static const double MOST_TURN = 0.5;

typedef struct line {
    trm_step_contact *contact;
    int index; /* number of its contact: its rows in D are the three from 3 index on */
    double see[3], along[3];
    double root, column; /* units of u and of l, from the square root of J M^-1 J^T */
    bool turns;          /* line of the direction of a slide */
    double slope;        /* -u_s of that line */
} line;

typedef struct equations {
    trm_maximal *w;
    trm_problem problem;
    trm_reduced reduced; /* all contacts and joints as one island */
    line *lines;
    int count;
    double *u;               /* per row of contacts: c at the present velocities, joints open as they are */
    double *open;            /* per row of joints, in elimination order: J V + c_t, or c/h */
    double *p;               /* N s, per row of contacts */
    double *b, *l;           /* per line */
    double *B, *room;        /* by columns */
    double *factors, *known; /* factors of B when it was last factorised, and that B */
    int *permutation;
    trm_min_norm solver;
    int solves; /* number of lines of the factors; 0: nothing is factorised */
} equations;

/* ---- Contact space ------------------------------------------------------------------------ */

static bool takes_part(const trm_maximal *w, const trm_maximal_joint *j)
{
    return j->on && trm_contact_set_has_joint(w, j);
}

static bool too_many(const trm_maximal *w, trm_outcome *outcome)
{
    return trm_fail(outcome, NAN, "contacts", NULL, "order %g supports at most %d contacts at once; use order 2",
                    w->stepper->options->order, MOST_LINES / 3);
}

/* Lists contacts, then joints, as constraints. Returns their number. */
static int list_constraints(trm_maximal *w, trm_constraint *constraints)
{
    int count = 0;
    for (int i = 0; i < w->contact_set->count; i++) {
        trm_step_contact *contact = &w->contact_set->contacts[i];
        constraints[count++] = (trm_constraint){.law = TRM_CONE,
                                                .rows = 3,
                                                .bodies = 2,
                                                .body = contact->features.body,
                                                .J = contact->J,
                                                .W = contact->W,
                                                .lambda = contact->lambda};
    }
    for (int i = 0; i < w->joint_count; i++) {
        const trm_maximal_joint *j = &w->joints[i];
        if (!takes_part(w, j)) continue;
        constraints[count++] = (trm_constraint){.law = TRM_CLOSED,
                                                .rows = j->joint->rows,
                                                .bodies = j->joint->body_count,
                                                .body = j->joint->body,
                                                .J = j->J,
                                                .W = j->W,
                                                .b = j->driven ? j->c_t : NULL,
                                                .lambda = w->contact_set->joint_lambda + j->joint->row_offset};
    }
    return count;
}

static bool reduce(trm_maximal *w, equations *e)
{
    trm_arena *arena = w->stepper->arena;
    const int bodies = w->stepper->model->body_count;
    trm_constraint *constraints = TRM_NEW_ARRAY(arena, trm_constraint, w->contact_set->count + w->joint_count);
    int *body = TRM_NEW_ARRAY(arena, int, bodies),
        *constraint = TRM_NEW_ARRAY(arena, int, w->contact_set->count + w->joint_count);
    if (!constraints || !body || !constraint) return false;
    trm_problem_island island = {
        .bodies = body, .constraints = constraint, .constraint_count = list_constraints(w, constraints)};
    for (int i = 0; i < island.constraint_count; i++) constraint[i] = i;
    for (int i = 0; i < bodies; i++)
        if (w->contact_set->marks.body[i] && !w->held[i]) body[island.body_count++] = i;
    e->problem = (trm_problem){.constraints = constraints,
                               .constraint_count = island.constraint_count,
                               .body_count = bodies,
                               .bodies = w->stepper->model->bodies,
                               .inverse_inertia = w->inverse_inertia,
                               .V = w->stepper->state->velocity,
                               .arena = arena};
    e->reduced = (trm_reduced){.p = &e->problem, .island = island, .arena = arena};
    return trm_reduced_make(&e->reduced);
}

static bool make_equations(trm_maximal *w, equations *e, trm_outcome *outcome)
{
    trm_arena *arena = w->stepper->arena;
    const size_t n = 3 * (size_t)w->contact_set->count;
    if (n > MOST_LINES) return too_many(w, outcome);
    *e = (equations){.w = w,
                     .lines = TRM_NEW_ARRAY(arena, line, n),
                     .u = TRM_NEW_ARRAY(arena, double, n),
                     .p = TRM_NEW_ARRAY(arena, double, n),
                     .b = TRM_NEW_ARRAY(arena, double, n),
                     .l = TRM_NEW_ARRAY(arena, double, n),
                     .B = TRM_NEW_ARRAY(arena, double, n *n),
                     .factors = TRM_NEW_ARRAY(arena, double, n *n),
                     .known = TRM_NEW_ARRAY(arena, double, n *n),
                     .room = TRM_NEW_ARRAY(arena, double, 3 * n),
                     .permutation = TRM_NEW_ARRAY(arena, int, n)};
    bool made =
        e->lines && e->u && e->p && e->b && e->l && e->B && e->factors && e->known && e->room && e->permutation;
    made = made && reduce(w, e);
    e->open = made ? TRM_NEW_ARRAY(arena, double, e->reduced.A.symbolic.rows) : NULL;
    return e->open || trm_fail_memory(outcome, "contacts");
}

/* ---- Lines -------------------------------------------------------------------------------- */

/* Adds the line of a row whose impulse acts along itself. */
static line *add_line(equations *e, int index, int row)
{
    line *made = &e->lines[e->count++];
    *made = (line){.contact = &e->w->contact_set->contacts[index], .index = index};
    made->see[row] = made->along[row] = 1;
    const double own = trm_frozen_response(made->contact, row);
    made->root = own > 0 ? sqrt(own) : 1;
    made->column = 1 / made->root;
    return made;
}

/* Adds the line of a sliding contact: see = n, along = n - mu s. */
static void add_slide(equations *e, int index)
{
    line *made = add_line(e, index, 0);
    for (int r = 1; r < 3; r++)
        made->along[r] =
            -made->contact->friction.mu * trm_v3_dot(made->contact->details->mode.way, made->contact->frame.d[r]);
}

/* Lists all lines except those of directions. */
static void list_lines(equations *e)
{
    e->count = 0;
    for (int i = 0; i < e->w->contact_set->count; i++) {
        if (e->w->contact_set->contacts[i].details->mode.slides)
            add_slide(e, i);
        else
            for (int r = 0; r < 3; r++) add_line(e, i, r);
    }
}

/* Returns see D along. */
static double response(const equations *e, const line *row, const line *column)
{
    const size_t n = (size_t)e->reduced.rows;
    const double *D = e->reduced.D + 3 * (size_t)row->index * n + 3 * (size_t)column->index;
    double sum = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; row->see[i] != 0 && k < 3; k++)
            sum += row->see[i] * D[(size_t)i * n + (size_t)k] * column->along[k];
    return sum;
}

/* Fills B in the units of its lines. */
static void fill(equations *e)
{
    for (int c = 0; c < e->count; c++)
        for (int r = 0; r < e->count; r++) {
            const line *row = &e->lines[r], *column = &e->lines[c];
            const double sum = response(e, row, column) + (r == c ? row->slope : 0);
            e->B[c * e->count + r] = sum * column->column / row->root;
        }
}

/* ---- Impulses ----------------------------------------------------------------------------- */

static void clear_impulses(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    for (int i = 0; i < t->count; i++) memset(t->contacts[i].lambda, 0, sizeof t->contacts[i].lambda);
    memset(t->joint_lambda, 0, (size_t)w->stepper->model->row_count * sizeof *t->joint_lambda);
}

/* Adds impulses to a constraint and applies them to V. */
static void apply_impulse(const equations *e, const trm_constraint *constraint, const double *change)
{
    trm_maximal *w = e->w;
    for (int k = 0; k < constraint->bodies; k++) {
        const int body = constraint->body[k];
        if (w->held[body]) continue;
        trm_spatial *V = &w->stepper->state->velocity[body];
        for (int r = 0; r < constraint->rows; r++)
            *V = trm_sp_add_scaled(*V, change[r], constraint->W[r * constraint->bodies + k]);
        w->look.moved[body] = true;
    }
    for (int r = 0; r < constraint->rows; r++) constraint->lambda[r] += change[r];
}

/* Factorises B. Rounds have the same B unless a slide turns or its coefficient changes. */
static void factorise(equations *e)
{
    const size_t n = (size_t)e->count, bytes = n * n * sizeof *e->B;
    if (e->solves == e->count && memcmp(e->B, e->known, bytes) == 0) return;
    memcpy(e->known, e->B, bytes);
    memcpy(e->factors, e->B, bytes);
    e->solver = trm_min_norm_factorise(e->factors, e->count, e->count, TRM_NO_PIVOT, e->room, e->permutation);
    e->solves = e->count;
}

/* Solves B l = -see (u - Y^T open) and computes p. */
static void solve(equations *e)
{
    const trm_reduced *r = &e->reduced;
    for (int i = 0; i < r->rows; i++) {
        const double *y = r->multiplier + (size_t)i * (size_t)r->A.symbolic.rows;
        for (int k = 0; k < r->A.symbolic.rows; k++) e->u[i] -= y[k] * e->open[k];
        e->p[i] = 0;
    }
    for (int i = 0; i < e->count; i++) {
        const line *at = &e->lines[i];
        e->b[i] = 0;
        for (int k = 0; k < 3; k++) e->b[i] -= at->see[k] * e->u[3 * at->index + k] / at->root;
    }
    factorise(e);
    trm_min_norm_apply(&e->solver, e->b, e->l);
    for (int i = 0; i < e->count; i++) {
        const line *at = &e->lines[i];
        e->l[i] *= at->column;
        for (int k = 0; k < 3; k++) e->p[3 * at->index + k] += at->along[k] * e->l[i];
    }
    e->w->stepper->counters->rounds++;
}

/* Applies p to contacts, and the impulses that close joints. */
static void apply_impulses(const equations *e)
{
    const trm_reduced *r = &e->reduced;
    trm_block_solve(&r->A.symbolic, r->A.values, e->open);
    for (int i = 0; i < r->rows; i++) {
        const double *y = r->multiplier + (size_t)i * (size_t)r->A.symbolic.rows;
        for (int k = 0; e->p[i] != 0 && k < r->A.symbolic.rows; k++) e->open[k] += e->p[i] * y[k];
    }
    for (int h = 0; h < r->constraints; h++) apply_impulse(e, r->constraint[h], e->p + r->first[h]);
    for (int j = 0; j < r->joints; j++) {
        double change[TRM_JOINT_ROWS];
        const double *x = e->open + trm_reduced_first_row(r, j);
        for (int i = 0; i < r->joint[j]->rows; i++) change[i] = -x[i];
        apply_impulse(e, r->joint[j], change);
    }
}

/* Sets the residuals of all rows of joints, and of glue, to zero. */
static void clear_open(equations *e)
{
    memset(e->open, 0, (size_t)e->reduced.A.symbolic.rows * sizeof *e->open);
}

/* Returns the residuals of a joint that takes part, in elimination order. */
static double *open_of(const equations *e, int joint)
{
    return e->open + trm_reduced_first_row(&e->reduced, joint);
}

/* ---- In the look-ahead -------------------------------------------------------------------- */

/* Rotates a tangent from one normal to another by the shortest rotation, so that the reverse rotation restores the
 * tangent. */
static trm_vec3 rotate_to_normal(trm_vec3 tangent, trm_vec3 from, trm_vec3 to)
{
    const trm_vec3 sum = trm_v3_add(from, to);
    return trm_v3_add_scaled(tangent, -trm_v3_dot(tangent, to) / (1 + trm_v3_dot(from, to)), sum);
}

/* Returns the slip of a sticking contact: of its points, or, where they roll, the mean of both slip velocities times
 * h. */
static double slip_distance(const trm_maximal *w, const trm_step_contact *contact, const trm_contact_at *ahead, int r)
{
    const int a = contact->features.body[0], b = contact->features.body[1];
    const trm_vec3 along = contact->frame.d[r + 1];
    if (!contact->curved)
        return trm_v3_dot(along, trm_v3_sub(trm_contact_set_shift(w, a, contact->at.point[0]),
                                            trm_contact_set_shift(w, b, contact->at.point[1])));
    const trm_vec3 later = trm_v3_sub(trm_contact_set_velocity_ahead(w, a, ahead->point[0]),
                                      trm_contact_set_velocity_ahead(w, b, ahead->point[1]));
    const double now = trm_v3_dot(along, trm_contact_set_velocity(w, contact, false));
    return 0.5 * w->look.h * (now + trm_v3_dot(rotate_to_normal(along, contact->at.normal, ahead->normal), later));
}

/* Computes the residuals of a contact at the end of the look-ahead, m. Returns the number of rows. */
static int contact_residuals(const trm_maximal *w, const trm_step_contact *contact, double *c)
{
    const int *body = contact->features.body;
    const trm_contact_at ahead =
        trm_contact_at_poses(&contact->features, w->look.ahead[body[0]], w->look.ahead[body[1]]);
    c[0] = ahead.gap;
    if (contact->details->mode.slides) return 1;
    for (int r = 0; r < 2; r++) c[r + 1] = slip_distance(w, contact, &ahead, r);
    return 3;
}

/* Computes u = c/h of all rows. Returns the worst in tolerances. */
static trm_maximal_worst largest_residual(equations *e)
{
    trm_maximal *w = e->w;
    trm_maximal_worst worst = {0, "", "", -1};
    for (int i = 0; i < w->stepper->model->body_count; i++)
        if (w->contact_set->marks.body[i] && !w->held[i]) trm_maximal_update_look_ahead(w, i);
    for (int i = 0; i < w->contact_set->count; i++) {
        const trm_step_contact *contact = &w->contact_set->contacts[i];
        double c[3];
        const int rows = contact_residuals(w, contact, c);
        for (int r = 0; r < rows; r++) {
            trm_maximal_take_worse(&worst, fabs(c[r]) * w->per_tolerance.position, "body",
                                   w->stepper->model->bodies[contact->features.body[0]].name);
            e->u[3 * i + r] = c[r] / w->look.h;
        }
    }
    clear_open(e);
    for (int i = 0, number = 0; i < w->joint_count; i++) {
        const trm_maximal_joint *j = &w->joints[i];
        double c[TRM_JOINT_ROWS], *open;
        if (!takes_part(w, j)) continue;
        trm_maximal_take_worse(&worst, trm_maximal_residual(w, j, c), "joint", j->joint->name);
        open = open_of(e, number++);
        for (int r = 0; r < j->joint->rows; r++) open[r] = c[r] / w->look.h;
    }
    return worst;
}

static bool close_lines(equations *e, trm_outcome *outcome)
{
    clear_impulses(e->w);
    list_lines(e);
    fill(e);
    double last = INFINITY;
    for (int round = 1;; round++) {
        const trm_maximal_worst worst = largest_residual(e);
        const bool better = worst.residual < 0.5 * last;
        if (worst.residual < TRM_FROZEN_CLOSER || (worst.residual < 1 && !better)) return true;
        if (!(worst.residual < TRM_DIVERGENT_RESIDUAL) || round > MOST_ROUNDS)
            return trm_maximal_diverged(outcome, &worst, "its constraint could not be satisfied in its mode");
        solve(e);
        apply_impulses(e);
        last = worst.residual;
    }
}

bool trm_frozen_close(trm_maximal *w, double h, trm_outcome *outcome)
{
    const trm_arena_mark mark = trm_arena_get_mark(w->stepper->arena);
    equations e;
    w->look.h = h;
    trm_contact_set_mark_islands(w, 0);
    const bool good = make_equations(w, &e, outcome) && close_lines(&e, outcome);
    trm_arena_reset(w->stepper->arena, mark);
    if (!good) return false;
    trm_contact_set_remember_forces(w);
    trm_add_work(w->stepper->state, 1, trm_contact_set_work(w, 0));
    w->stepper->counters->contacts += w->contact_set->count;
    w->stepper->counters->contact_problems++;
    return trm_maximal_correct_other_joints(w, h, w->contact_set->marks.joint, outcome);
}

/* ---- Velocities --------------------------------------------------------------------------- */

/* Returns J V + b of a row. */
static double speed_of(const equations *e, const trm_constraint *constraint, int row)
{
    double u = constraint->b ? constraint->b[row] : 0;
    for (int k = 0; k < constraint->bodies; k++)
        u += trm_sp_dot(constraint->J[row * constraint->bodies + k],
                        e->w->stepper->state->velocity[constraint->body[k]]);
    return u;
}

/* Computes u of all rows. Returns the worst of lines and joints. */
static double velocity_residuals(equations *e)
{
    const trm_reduced *r = &e->reduced;
    double worst = 0;
    for (int h = 0; h < r->constraints; h++)
        for (int i = 0; i < 3; i++) e->u[3 * h + i] = speed_of(e, r->constraint[h], i);
    for (int i = 0; i < e->count; i++) {
        double u = 0;
        for (int k = 0; k < 3; k++) u += e->lines[i].see[k] * e->u[3 * e->lines[i].index + k];
        worst = fmax(worst, fabs(u));
    }
    clear_open(e);
    for (int j = 0; j < r->joints; j++) {
        double *open = open_of(e, j);
        for (int i = 0; i < r->joint[j]->rows; i++) {
            open[i] = speed_of(e, r->joint[j], i);
            worst = fmax(worst, fabs(open[i]));
        }
    }
    return worst;
}

static trm_vec3 slip_of(const trm_maximal *w, const trm_step_contact *contact)
{
    const trm_vec3 apart = trm_contact_set_velocity(w, contact, false), n = contact->frame.d[0];
    return trm_v3_add_scaled(apart, -trm_v3_dot(apart, n), n);
}

/* Adds the line of the direction of a slide. Its unknown is an angle. */
static void add_turn(equations *e, int index)
{
    trm_step_contact *contact = &e->w->contact_set->contacts[index];
    const trm_vec3 slip = slip_of(e->w, contact);
    const double along = trm_v3_dot(slip, contact->details->mode.way);
    if (!trm_frozen_may_turn(contact, slip)) return;
    const trm_vec3 across = trm_v3_cross(contact->at.normal, contact->details->mode.way);
    const double own = fmax(trm_frozen_response(contact, 1), trm_frozen_response(contact, 2)),
                 root = own > 0 ? sqrt(own) : 1;
    line *made = &e->lines[e->count++];
    *made = (line){
        .contact = contact,
        .index = index,
        .root = root,
        .column = root / along, /* scaled like other lines, so that the result does not depend on the unit of mass */
        .turns = true,
        .slope = -along};
    for (int r = 1; r < 3; r++) {
        made->see[r] = trm_v3_dot(across, contact->frame.d[r]);
        made->along[r] = -contact->friction.mu * contact->lambda[0] * made->see[r];
    }
}

static void remove_impulses(const equations *e, const trm_constraint *constraint)
{
    double back[TRM_JOINT_ROWS];
    for (int r = 0; r < constraint->rows; r++) back[r] = -constraint->lambda[r];
    apply_impulse(e, constraint, back);
}

/* Finds the impulses that close all lines with the present directions and coefficients. */
static void close_lines_at(equations *e)
{
    for (int i = 0; i < e->problem.constraint_count; i++) remove_impulses(e, &e->problem.constraints[i]);
    clear_impulses(e->w);
    list_lines(e);
    fill(e);
    for (int i = 0; i < REFINEMENTS; i++) {
        velocity_residuals(e);
        solve(e);
        apply_impulses(e);
    }
}

static bool turns(const equations *e)
{
    for (int i = 0; i < e->count; i++)
        if (e->lines[i].turns) return true;
    return false;
}

/* Makes one step of Newton's method on the directions; all impulses change with them. */
static void turn(equations *e)
{
    if (!turns(e)) return;
    solve(e);
    for (int i = 0; i < e->count; i++) {
        trm_step_contact *contact = e->lines[i].contact;
        if (!e->lines[i].turns) continue;
        const double angle = fmin(fmax(e->l[i], -MOST_TURN), MOST_TURN);
        const trm_vec3 across = trm_v3_cross(contact->at.normal, contact->details->mode.way);
        contact->details->mode.way =
            trm_v3_add_scaled(trm_v3_scale(trm_cos(angle), contact->details->mode.way), trm_sin(angle), across);
    }
}

/* Returns the residual of velocities, including directions and coefficients, m/s. */
static double slide_residuals(equations *e, bool turning)
{
    trm_contact_set *t = e->w->contact_set;
    double changed = 0;
    for (int i = 0; i < t->count; i++) {
        trm_step_contact *contact = &t->contacts[i];
        if (!contact->details->mode.slides) continue;
        const double before = contact->friction.mu;
        contact->friction.mu = trm_contact_friction(&contact->law, trm_v3_length(slip_of(e->w, contact)));
        changed = fmax(changed, fabs(contact->friction.mu - before) * fabs(contact->lambda[0]) *
                                    trm_frozen_response(contact, 0));
        if (turning) add_turn(e, i);
    }
    fill(e);
    return fmax(changed, velocity_residuals(e));
}

/* Iterates until the residual stops decreasing. Returns false, with the reason in outcome, if it remains too
 * large. */
static bool project_all(equations *e, double dt, trm_outcome *outcome)
{
    trm_maximal *w = e->w;
    const double enough = w->stepper->options->velocity_tolerance;
    double last = INFINITY;
    for (int round = 1; round <= MOST_PROJECTIONS; round++) {
        trm_maximal_worst changed = {0, "", "", -1};
        if (dt != 0 && !trm_contact_set_evaluate_forces_again(w, dt, &changed, outcome)) return false;
        close_lines_at(e);
        const double left =
            slide_residuals(e, round <= ROUNDS_THAT_TURN); /* directions that jump to and fro are kept */
        if (left < enough && !(left > NO_RESIDUAL && left < 0.5 * last) && changed.residual < 1) return true;
        turn(e);
        last = left;
    }
    const trm_maximal_worst worst = {
        last / enough, "body", w->stepper->model->bodies[w->contact_set->contacts[0].features.body[0]].name, -1};
    return trm_maximal_diverged(outcome, &worst, "velocities could not be projected onto it");
}

/* Projects the velocities of bodies in contact. */
static bool project_in_contact(trm_maximal *w, double dt, trm_outcome *outcome)
{
    equations e;
    trm_maximal_rows(w);
    trm_contact_set_mark_islands(w, dt);
    clear_impulses(w);
    for (int i = 0; i < w->stepper->called_count; i++) w->forces.called[i] = (trm_spatial){{0, 0, 0}, {0, 0, 0}};
    const bool rows = trm_contact_set_make_rows(w, true) || trm_fail_memory(outcome, "contacts");
    const trm_arena_mark mark = trm_arena_get_mark(w->stepper->arena);
    const bool good = rows && make_equations(w, &e, outcome) && project_all(&e, dt, outcome);
    trm_arena_reset(w->stepper->arena, mark);
    if (!good) return false;
    trm_add_work(w->stepper->state, 1, trm_contact_set_work(w, 1));
    return true;
}

bool trm_frozen_project_velocities(trm_maximal *w, double dt, bool all, trm_outcome *outcome)
{
    if (!project_in_contact(w, dt, outcome) || !trm_contact_set_project_others(w, dt, all, outcome)) return false;
    w->stepper->state->clock->velocities_projected = all ? TRM_ALL_PROJECTED : TRM_SHAPED_PROJECTED;
    return true;
}
