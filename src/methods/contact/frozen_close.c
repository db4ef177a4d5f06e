/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The equations of a frozen mode (frozen.h).
 *
 * A line is one of them: a row J that is to see no speed, and the impulse J' that it has for it, unsymmetric where friction
 * follows from a normal force:
 *
 *     u = J V + b,   V += M^-1 J'^T l,   B l = -u,   B = J M^-1 J'^T
 *
 * In velocities the direction s of a slide is unknown too, and has a line of its own: the slip across it, u_x, is to be
 * nothing, and turning s by an angle turns the friction that has been given,
 *
 *     d u_x = (J_x M^-1 (-mu lambda_n J_x)^T - u_s) d angle
 *
 * Corners of one face make lines that depend on each other: of all l the shortest is taken, lines being measured by the root
 * of what a row answers to itself. It is smooth in pose and velocity as long as the rank stays. */

#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "linalg/min_norm.h"
#include "methods/contact/frozen.h"
#include "trammel/elementary.h"

enum { MOST_LINES = 200, MOST_ROUNDS = 30, MOST_FITS = 50, ROUNDS_THAT_TURN = 25, REFINEMENTS = 2 };
/* Of the tolerance of positions: so closely all is to be closed, where rounding lets it. */
static const double CLOSER = 1e-4;
/* Of the largest pivot: what is less depends on the others. */
static const double NO_PIVOT = 1e-10;
/* m/s: less is none, whatever the speeds. */
static const double ROUNDING = 1e-16;
/* rad: no direction turns more in one round. */
static const double MOST_TURN = 0.5;

typedef struct line {
    const int *body;
    int bodies;
    const trm_spatial *J;            /* per body */
    trm_spatial W[TRM_JOINT_BODIES]; /* M^-1 J'^T */
    double root, column;             /* units of u and of l, by the root of J M^-1 J^T */
    double c_t;                      /* m/s: that the outside prescribes */
    double *lambda;                  /* of a joint's row, or of a contact's three, */
    double along[3];                 /* and how much of l goes into each */
    int shares;
    trm_touch *turns;      /* the line of its direction; else NULL, */
    trm_spatial across[2]; /* J_x, */
    double slope;          /* -u_s */
} line;

typedef struct equations {
    trm_maximal *w;
    line *lines;
    int count;
    double *u, *l;           /* per line */
    double *B, *room;        /* column after column */
    double *factors, *known; /* of what B was when it was last factorised, and that B */
    int *permutation;
    trm_min_norm solver;
    int solves; /* so many lines; 0: nothing is factorised */
} equations;

/* ---- Lines -------------------------------------------------------------------------------- */

static bool takes_part(const trm_maximal *w, const trm_maximal_joint *j)
{
    return j->on && trm_touching_has_joint(w, j);
}

static int count_lines(const trm_maximal *w)
{
    int count = 0;
    for (int i = 0; i < w->touching->count; i++) count += w->touching->touches[i].slides ? 2 : 3;
    for (int i = 0; i < w->joint_count; i++) count += takes_part(w, &w->joints[i]) ? w->joints[i].joint->rows : 0;
    return count;
}

static bool too_many(const trm_maximal *w, trm_outcome *outcome)
{
    outcome->ok = false;
    outcome->residual = NAN;
    snprintf(outcome->element, sizeof outcome->element, "contacts");
    trm_print(outcome->why, sizeof outcome->why,
              "order %g is for at most %d rows of joints and contacts at once; take order 2",
              w->stepper->options->order, MOST_LINES);
    return false;
}

static bool make_equations(trm_maximal *w, equations *e, trm_outcome *outcome)
{
    trm_arena *arena = w->stepper->arena;
    const size_t n = (size_t)count_lines(w);
    if (n > MOST_LINES) return too_many(w, outcome);
    *e = (equations){.w = w,
                     .lines = TRM_NEW_ARRAY(arena, line, n),
                     .u = TRM_NEW_ARRAY(arena, double, n),
                     .l = TRM_NEW_ARRAY(arena, double, n),
                     .B = TRM_NEW_ARRAY(arena, double, n *n),
                     .factors = TRM_NEW_ARRAY(arena, double, n *n),
                     .known = TRM_NEW_ARRAY(arena, double, n *n),
                     .room = TRM_NEW_ARRAY(arena, double, 3 * n),
                     .permutation = TRM_NEW_ARRAY(arena, int, n)};
    const bool made = e->lines && e->u && e->l && e->B && e->factors && e->known && e->room && e->permutation;
    return made || trm_touching_out_of_memory(outcome);
}

static double answer(const line *a, const line *b)
{
    double sum = 0;
    for (int k = 0; k < a->bodies; k++)
        for (int m = 0; m < b->bodies; m++)
            if (a->body[k] == b->body[m]) sum += trm_sp_dot(a->J[k], b->W[m]);
    return sum;
}

/* The line of a row that is pushed along itself. */
static void add_line(equations *e, const int *body, int bodies, const trm_spatial *J, const trm_spatial *W,
                     double *lambda)
{
    line *made = &e->lines[e->count++];
    *made = (line){.body = body, .bodies = bodies, .J = J, .lambda = lambda, .along = {1}, .shares = 1};
    memcpy(made->W, W, (size_t)bodies * sizeof *W);
    const double own = answer(made, made);
    made->root = own > 0 ? sqrt(own) : 1;
    made->column = 1 / made->root;
}

/* W_n - mu (s_1 W_t1 + s_2 W_t2) */
static void add_slide(equations *e, trm_touch *touch)
{
    const double mu = touch->friction;
    add_line(e, touch->contact.body, 2, touch->J, touch->W, touch->lambda);
    line *made = &e->lines[e->count - 1];
    made->shares = 3;
    for (int r = 1; r < 3; r++) {
        made->along[r] = -mu * trm_dot(touch->way, touch->spot.d[r]);
        for (int k = 0; k < 2; k++) made->W[k] = trm_sp_add_scaled(made->W[k], made->along[r], touch->W[2 * r + k]);
    }
}

/* All but those of directions, at the present pose. */
static void list_lines(equations *e)
{
    trm_maximal *w = e->w;
    e->count = 0;
    for (int i = 0; i < w->touching->count; i++) {
        trm_touch *touch = &w->touching->touches[i];
        if (touch->slides) add_slide(e, touch);
        for (int r = 0; r < 3 && !touch->slides; r++)
            add_line(e, touch->contact.body, 2, touch->J + 2 * r, touch->W + 2 * r, touch->lambda + r);
    }
    for (int i = 0; i < w->joint_count; i++) {
        const trm_maximal_joint *j = &w->joints[i];
        const int n = j->joint->body_count;
        for (int r = 0; takes_part(w, j) && r < j->joint->rows; r++) {
            add_line(e, j->joint->body, n, j->J + r * n, j->W + r * n,
                     w->touching->joint_lambda + j->joint->row_offset + r);
            if (j->driven) e->lines[e->count - 1].c_t = j->c_t[r];
        }
    }
}

/* B in the units of its lines. */
static void fill(equations *e)
{
    for (int c = 0; c < e->count; c++)
        for (int r = 0; r < e->count; r++) {
            const line *row = &e->lines[r], *column = &e->lines[c];
            const double sum = answer(row, column) + (r == c ? row->slope : 0);
            e->B[c * e->count + r] = sum * column->column / row->root;
        }
}

/* ---- Impulses ----------------------------------------------------------------------------- */

static void forget_impulses(trm_maximal *w)
{
    trm_touching *t = w->touching;
    for (int i = 0; i < t->count; i++) memset(t->touches[i].lambda, 0, sizeof t->touches[i].lambda);
    memset(t->joint_lambda, 0, (size_t)w->stepper->model->row_count * sizeof *t->joint_lambda);
}

static void push(const equations *e, const line *at, double l)
{
    trm_maximal *w = e->w;
    for (int k = 0; k < at->bodies; k++) {
        trm_spatial *V = &w->stepper->state->velocity[at->body[k]];
        if (w->held[at->body[k]]) continue;
        *V = trm_sp_add_scaled(*V, l, at->W[k]);
        w->moved[at->body[k]] = true;
    }
    for (int r = 0; r < at->shares; r++) at->lambda[r] += l * at->along[r];
}

/* Rounds have the same B unless a slide turns, or its coefficient changes. */
static void factorise(equations *e)
{
    const size_t n = (size_t)e->count, bytes = n * n * sizeof *e->B;
    if (e->solves == e->count && memcmp(e->B, e->known, bytes) == 0) return;
    memcpy(e->known, e->B, bytes);
    memcpy(e->factors, e->B, bytes);
    e->solver = trm_min_norm_factorise(e->factors, e->count, e->count, NO_PIVOT, e->room, e->permutation);
    e->solves = e->count;
}

/* B l = -u */
static void solve(equations *e)
{
    const int n = e->count;
    for (int r = 0; r < n; r++) e->u[r] /= -e->lines[r].root;
    factorise(e);
    trm_min_norm_apply(&e->solver, e->u, e->l);
    for (int r = 0; r < n; r++) e->l[r] *= e->lines[r].column;
    e->w->stepper->counters->rounds++;
}

static void act(const equations *e)
{
    for (int i = 0; i < e->count; i++) push(e, &e->lines[i], e->l[i]);
}

/* ---- In the look-ahead -------------------------------------------------------------------- */

/* A tangent at t carried along to another normal on the shortest way, so that it is the same back. */
static trm_vec3 carry(trm_vec3 tangent, trm_vec3 from, trm_vec3 to)
{
    const trm_vec3 sum = trm_add(from, to);
    return trm_add_scaled(tangent, -trm_dot(tangent, to) / (1 + trm_dot(from, to)), sum);
}

/* What a contact that sticks has slipped: its points have, or, where they roll, the mean of both slip velocities times h. */
static double slipped(const trm_maximal *w, const trm_touch *touch, const trm_contact_at *ahead, int r)
{
    const int a = touch->contact.body[0], b = touch->contact.body[1];
    const trm_vec3 along = touch->spot.d[r + 1];
    if (!touch->curved)
        return trm_dot(along, trm_sub(trm_touching_shift(w, a, touch->at.point[0]),
                                      trm_touching_shift(w, b, touch->at.point[1])));
    const trm_vec3 later = trm_sub(trm_touching_velocity_ahead(w, a, ahead->point[0]),
                                   trm_touching_velocity_ahead(w, b, ahead->point[1]));
    const double now = trm_dot(along, trm_touching_velocity(w, touch, false));
    return 0.5 * w->h * (now + trm_dot(carry(along, touch->at.normal, ahead->normal), later));
}

/* m: of all rows of a contact at the end of the look-ahead. */
static int look_at_contact(const trm_maximal *w, const trm_touch *touch, double *c)
{
    const int *body = touch->contact.body;
    const trm_contact_at ahead = trm_contact_at_poses(&touch->contact, w->ahead[body[0]], w->ahead[body[1]]);
    c[0] = ahead.gap;
    if (touch->slides) return 1;
    for (int r = 0; r < 2; r++) c[r + 1] = slipped(w, touch, &ahead, r);
    return 3;
}

/* u = c/h of all lines; the worst in tolerances. */
static trm_maximal_worst look_at_all(equations *e)
{
    trm_maximal *w = e->w;
    trm_maximal_worst worst = {0, "", "", -1};
    int at = 0;
    for (int i = 0; i < w->stepper->model->body_count; i++)
        if (w->touching->in_contact[i] && !w->held[i]) trm_maximal_look_again(w, i);
    for (int i = 0; i < w->touching->count; i++) {
        const trm_touch *touch = &w->touching->touches[i];
        double c[3];
        const int rows = look_at_contact(w, touch, c);
        for (int r = 0; r < rows; r++) {
            trm_maximal_take_worse(&worst, fabs(c[r]) * w->per_tolerance.position, "body",
                                   w->stepper->model->bodies[touch->contact.body[0]].name);
            e->u[at++] = c[r] / w->h;
        }
    }
    for (int i = 0; i < w->joint_count; i++) {
        const trm_maximal_joint *j = &w->joints[i];
        double c[TRM_JOINT_ROWS];
        if (!takes_part(w, j)) continue;
        trm_maximal_take_worse(&worst, trm_maximal_look(w, j, c), "joint", j->joint->name);
        for (int r = 0; r < j->joint->rows; r++) e->u[at++] = c[r] / w->h;
    }
    return worst;
}

static bool close_lines(equations *e, trm_outcome *outcome)
{
    forget_impulses(e->w);
    list_lines(e);
    fill(e);
    double last = INFINITY;
    for (int round = 1;; round++) {
        const trm_maximal_worst worst = look_at_all(e);
        const bool better = worst.residual < 0.5 * last;
        if (worst.residual < CLOSER || (worst.residual < 1 && !better)) return true;
        if (!(worst.residual < TRM_BEYOND_HOPE) || round > MOST_ROUNDS)
            return trm_maximal_diverged(outcome, &worst, "it could not be held in its mode");
        solve(e);
        act(e);
        last = worst.residual;
    }
}

bool trm_frozen_close(trm_maximal *w, double h, trm_outcome *outcome)
{
    const trm_arena_mark mark = trm_arena_get_mark(w->stepper->arena);
    equations e;
    w->h = h;
    trm_touching_mark_islands(w, 0);
    const bool good = make_equations(w, &e, outcome) && close_lines(&e, outcome);
    trm_arena_reset(w->stepper->arena, mark);
    if (!good) return false;
    trm_touching_remember_forces(w);
    trm_add_work(w->stepper->state, 1, trm_touching_work(w, 0));
    w->stepper->counters->contacts += w->touching->count;
    return trm_maximal_correct_other_joints(w, h, w->touching->joint_in_contact, outcome);
}

/* ---- Velocities --------------------------------------------------------------------------- */

/* u = J V + c_t of all lines; the worst. */
static double look_at_velocities(equations *e)
{
    const trm_maximal *w = e->w;
    double worst = 0;
    for (int i = 0; i < e->count; i++) {
        const line *at = &e->lines[i];
        e->u[i] = at->c_t;
        for (int k = 0; k < at->bodies; k++)
            e->u[i] += trm_sp_dot(at->J[k], w->stepper->state->velocity[at->body[k]]);
        worst = fmax(worst, fabs(e->u[i]));
    }
    return worst;
}

static trm_vec3 slip_of(const trm_maximal *w, const trm_touch *touch)
{
    const trm_vec3 apart = trm_touching_velocity(w, touch, false), n = touch->spot.d[0];
    return trm_add_scaled(apart, -trm_dot(apart, n), n);
}

/* The line of the direction of a slide, whose unknown is an angle. */
static void add_turn(equations *e, trm_touch *touch)
{
    const trm_vec3 slip = slip_of(e->w, touch);
    const double along = trm_dot(slip, touch->way);
    if (!trm_frozen_may_turn(touch, slip)) return;
    const trm_vec3 across = trm_cross(touch->at.normal, touch->way);
    line *made = &e->lines[e->count++];
    *made = (line){.body = touch->contact.body, .bodies = 2, .J = made->across, .slope = -along, .turns = touch};
    for (int r = 1; r < 3; r++) {
        const double part = trm_dot(across, touch->spot.d[r]), push = -touch->friction * touch->lambda[0] * part;
        for (int k = 0; k < 2; k++) {
            made->across[k] = trm_sp_add_scaled(made->across[k], part, touch->J[2 * r + k]);
            made->W[k] = trm_sp_add_scaled(made->W[k], push, touch->W[2 * r + k]);
        }
    }
    made->root = along;
    made->column = 1;
}

/* The impulses that close all lines with the directions and coefficients of now. */
static void fit_lines(equations *e)
{
    for (int i = 0; i < e->count; i++)
        if (!e->lines[i].turns) push(e, &e->lines[i], -e->lines[i].lambda[0]); /* its first share is all of it */
    forget_impulses(e->w);
    list_lines(e);
    fill(e);
    for (int i = 0; i < REFINEMENTS; i++) {
        look_at_velocities(e);
        solve(e);
        act(e);
    }
}

static bool turns(const equations *e)
{
    for (int i = 0; i < e->count; i++)
        if (e->lines[i].turns) return true;
    return false;
}

/* One step of Newton's method on the directions, all impulses changing with them. */
static void turn(equations *e)
{
    if (!turns(e)) return;
    solve(e);
    for (int i = 0; i < e->count; i++) {
        trm_touch *touch = e->lines[i].turns;
        if (!touch) continue;
        const double angle = fmin(fmax(e->l[i], -MOST_TURN), MOST_TURN);
        const trm_vec3 across = trm_cross(touch->at.normal, touch->way);
        touch->way = trm_add_scaled(trm_scale(trm_cos(angle), touch->way), trm_sin(angle), across);
    }
}

/* How far velocities are from fitting, directions and coefficients included, m/s. */
static double look_at_slides(equations *e, bool turning)
{
    trm_touching *t = e->w->touching;
    double changed = 0;
    for (int i = 0; i < t->count; i++) {
        trm_touch *touch = &t->touches[i];
        if (!touch->slides) continue;
        const double before = touch->friction;
        touch->friction = trm_contact_friction(&touch->law, trm_length(slip_of(e->w, touch)));
        changed =
            fmax(changed, fabs(touch->friction - before) * fabs(touch->lambda[0]) * trm_frozen_answer(touch, 0));
        if (turning) add_turn(e, touch);
    }
    fill(e);
    return fmax(changed, look_at_velocities(e));
}

/* Until it gets no better. */
static bool fit_all(equations *e, double dt, trm_outcome *outcome)
{
    trm_maximal *w = e->w;
    const double enough = w->stepper->options->velocity_tolerance;
    double last = INFINITY;
    for (int round = 1; round <= MOST_FITS; round++) {
        trm_maximal_worst asked = {0, "", "", -1};
        if (dt != 0 && !trm_touching_ask_again(w, dt, &asked, outcome)) return false;
        fit_lines(e);
        const double left = look_at_slides(e, round <= ROUNDS_THAT_TURN); /* what jumps to and fro stays */
        if (left < enough && !(left > ROUNDING && left < 0.5 * last) && asked.residual < 1) return true;
        turn(e);
        last = left;
    }
    const trm_maximal_worst worst = {last / enough, "body",
                                     w->stepper->model->bodies[w->touching->touches[0].contact.body[0]].name, -1};
    return trm_maximal_diverged(outcome, &worst, "velocities could not be made to fit it");
}

/* Of those that contacts reach. */
static bool fit_in_contact(trm_maximal *w, double dt, trm_outcome *outcome)
{
    equations e;
    trm_maximal_rows(w);
    trm_touching_mark_islands(w, dt);
    forget_impulses(w);
    for (int i = 0; i < w->stepper->called_count; i++) w->called[i] = (trm_spatial){{0, 0, 0}, {0, 0, 0}};
    const bool rows = trm_touching_make_rows(w, true) || trm_touching_out_of_memory(outcome);
    const trm_arena_mark mark = trm_arena_get_mark(w->stepper->arena);
    const bool good = rows && make_equations(w, &e, outcome) && fit_all(&e, dt, outcome);
    trm_arena_reset(w->stepper->arena, mark);
    if (!good) return false;
    trm_add_work(w->stepper->state, 1, trm_touching_work(w, 1));
    return true;
}

bool trm_frozen_fit(trm_maximal *w, double dt, bool all, trm_outcome *outcome)
{
    if (!fit_in_contact(w, dt, outcome) || !trm_touching_fit_others(w, dt, all, outcome)) return false;
    w->stepper->state->clock->velocities_fit = all ? TRM_ALL_FIT : TRM_SHAPED_FIT;
    return true;
}
