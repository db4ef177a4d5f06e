/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The method of Lagrange multipliers: the joints' second derivatives give accelerations (stabilise.c), an explicit
 * Runge-Kutta rule integrates them (runge_kutta.h).
 *
 *     s' = v,   q' = 1/2 (0, omega) o q,   V' = a(t, s, q, V),   W' = power
 *
 * Rotations are integrated as quaternions in R^4 and made unit ones where they are read: the exact motion keeps their
 * length, so its error is of the rule's order. Moving bodies are where they are prescribed to be at each stage. */

#include "methods/lagrange/lagrange.h"

#include <string.h>

#include "base/larger.h"
#include "base/message.h"
#include "math/rotation.h"

/* ---- The step ----------------------------------------------------------------------------- */

static trm_quat add_scaled_quat(trm_quat q, double s, trm_quat d)
{
    return (trm_quat){q.w + s * d.w, q.x + s * d.x, q.y + s * d.y, q.z + s * d.z};
}

/* q' = 1/2 (0, omega) o q */
static trm_quat turning(trm_vec3 omega, trm_quat q)
{
    const trm_quat spin = {0, 0.5 * omega.x, 0.5 * omega.y, 0.5 * omega.z};
    return trm_quat_mul(spin, q);
}

/* The state at time t that the sum of rates, weighted, leads to from where the step began. */
static void place(trm_lagrange *w, double t, double h, const double *weights, int count)
{
    trm_state *state = w->stepper->state;
    const int bodies = state->model->body_count;
    state->clock->time = t;
    for (int i = 0; i < bodies; i++) {
        const trm_body *body = &state->model->bodies[i];
        trm_pose X = w->pose[i];
        trm_spatial V = w->velocity[i];
        for (int s = 0; s < count; s++) {
            const trm_rates *k = &w->rates[s * bodies + i];
            if (weights[s] == 0) continue;
            X.p = trm_add_scaled(X.p, h * weights[s], k->p);
            X.q = add_scaled_quat(X.q, h * weights[s], k->q);
            V = trm_sp_add_scaled(V, h * weights[s], k->V);
        }
        state->pose[i] = (trm_pose){.p = X.p, .q = trm_quat_unit(X.q)};
        state->velocity[i] = V;
        if (body->motion) trm_motion_at(body->motion, t, &state->pose[i], &state->velocity[i], NULL);
    }
}

/* What drives and moving bodies put in through the joints, and all forces that are not potential. */
static double power_of_all(const trm_lagrange *w)
{
    const trm_maximal *m = w->machine;
    double power = trm_maximal_power(m, TRM_ALL_FORCES);
    for (int j = 0; j < m->joint_count; j++)
        for (int r = 0; m->joints[j].driven && r < m->joints[j].joint->rows; r++)
            power += m->joints[j].drive[r] * m->multiplier[m->joints[j].joint->row_offset + r];
    return power + trm_lagrange_contact_power(w);
}

/* The rates of stage s at the state that has been placed. */
static bool evaluate(trm_lagrange *w, int s, trm_outcome *outcome)
{
    const trm_state *state = w->stepper->state;
    const int bodies = state->model->body_count;
    if (!trm_lagrange_accelerate(w, outcome)) return false;
    for (int i = 0; i < bodies; i++)
        w->rates[s * bodies + i] = (trm_rates){
            .p = state->velocity[i].lin,
            .q = turning(state->velocity[i].ang, state->pose[i].q),
            .V = w->machine->acceleration[i],
        };
    w->power[s] = power_of_all(w);
    return true;
}

/* Positions move with the velocities that the step leads to: the stage's rates are made to say so. */
static void take_new_velocities(trm_lagrange *w, double h)
{
    for (int i = 0; i < w->stepper->model->body_count; i++) {
        trm_rates *k = &w->rates[i];
        const trm_spatial V = trm_sp_add_scaled(w->velocity[i], h, k->V);
        k->p = V.lin;
        k->q = turning(V.ang, w->pose[i].q);
    }
}

/* h sum e_i k_i, the largest over all bodies. */
static double estimate_error(const trm_lagrange *w, double h)
{
    const int bodies = w->stepper->model->body_count;
    double largest = 0;
    for (int i = 0; i < bodies; i++) {
        trm_vec3 p = {0, 0, 0};
        trm_quat q = {0, 0, 0, 0};
        trm_spatial V = {{0, 0, 0}, {0, 0, 0}};
        for (int s = 0; s < w->rule->stages; s++) {
            const trm_rates *k = &w->rates[s * bodies + i];
            p = trm_add_scaled(p, h * w->rule->e[s], k->p);
            q = add_scaled_quat(q, h * w->rule->e[s], k->q);
            V = trm_sp_add_scaled(V, h * h * w->rule->e[s], k->V);
        }
        largest = trm_larger(largest, trm_larger(trm_length(p), 2 * trm_quat_norm(q)));
        largest = trm_larger(largest, trm_larger(trm_length(V.lin), trm_length(V.ang)));
    }
    return largest;
}

/* The nearest poses, then the nearest velocities. In singular poses, where rows all but depend on others, velocities may
 * not fit: going on there would lose energy, so that the step fails. */
static bool project(const trm_lagrange *w, trm_outcome *outcome)
{
    return trm_maximal_fit_positions(w->machine, outcome) && trm_maximal_correct_velocities(w->machine, 0, outcome);
}

/* Reads t, q, V; writes q(t+h), V(t+h). */
static bool step(void *workspace, double h, trm_outcome *outcome)
{
    trm_lagrange *w = workspace;
    trm_state *state = w->stepper->state;
    const trm_runge_kutta *rule = w->rule;
    const double start = state->clock->time;
    memcpy(w->pose, state->pose, (size_t)state->model->body_count * sizeof *w->pose);
    memcpy(w->velocity, state->velocity, (size_t)state->model->body_count * sizeof *w->velocity);

    /* k_i = f(t + c_i h, y + h sum a_ij k_j) */
    const double *a = rule->a;
    for (int s = 0; s < rule->stages; a += s++) {
        if (s > 0) place(w, rule->c[s] == 1 ? w->stepper->goal : start + rule->c[s] * h, h, a, s);
        if (!evaluate(w, s, outcome)) return false;
    }

    /* y(t+h) = y + h sum b_i k_i */
    if (rule->semi_implicit) take_new_velocities(w, h);
    place(w, w->stepper->goal, h, rule->b, rule->stages);
    for (int s = 0; s < rule->stages; s++) state->clock->work += h * rule->b[s] * w->power[s];
    if (rule->e) w->error = estimate_error(w, h);
    state->clock->step = h;
    trm_remember_turns(state, h);
    return w->stabiliser != TRM_STABILISE_PROJECTION || project(w, outcome);
}

static bool fit_positions(void *workspace, trm_outcome *outcome)
{
    const trm_lagrange *w = workspace;
    return trm_maximal_fit_positions(w->machine, outcome);
}

/* Velocities that drift are the method's own, and to be seen. */
static bool fit_velocities(void *workspace, trm_outcome *outcome)
{
    const trm_lagrange *w = workspace;
    return w->stabiliser != TRM_STABILISE_PROJECTION || trm_maximal_correct_velocities(w->machine, 0, outcome);
}

static bool reactions(void *workspace, trm_outcome *outcome)
{
    const trm_lagrange *w = workspace;
    if (!trm_lagrange_accelerate(workspace, outcome)) return false;
    trm_maximal_keep_reactions(w->machine);
    return true;
}

static bool capture(void *workspace, trm_outcome *outcome)
{
    const trm_lagrange *w = workspace;
    return trm_maximal_correct_velocities(w->machine, 0, outcome);
}

static bool respond(void *workspace, int joint, trm_spatial *V, trm_outcome *outcome)
{
    const trm_lagrange *w = workspace;
    return trm_maximal_respond(w->machine, joint, V, outcome);
}

static double opening(void *workspace, int joint)
{
    const trm_lagrange *w = workspace;
    return trm_maximal_opening(w->machine, joint);
}

static int contacts(void *workspace, trm_contact_row *rows, int most)
{
    const trm_lagrange *w = workspace;
    return trm_touching_report(w->machine, rows, most);
}

static int dropped(const void *workspace, trm_row_name *rows, int most)
{
    const trm_lagrange *w = workspace;
    return w->penalty ? 0 : w->machine->solver->dropped(w->machine, rows, most);
}

static double error_of_step(const void *workspace)
{
    const trm_lagrange *w = workspace;
    return w->error;
}

/* ---- Options ------------------------------------------------------------------------------ */

static const char *const STABILISERS[] = {"none", "baumgarte", "penalty", "projection", "cfm", NULL};

static const trm_method_option OPTIONS[] = {
    {.name = "integrator", .words = trm_runge_kutta_names, .word = "rk4", .says = "the Runge-Kutta rule"},
    {.name = "stabilise", .words = STABILISERS, .word = "projection", .says = "what keeps the joints closed"},
    {.name = "beta", .number = 10, .says = "1/s, of baumgarte: 2 beta times the rate"},
    {.name = "gamma", .says = "1/s, of baumgarte: gamma^2 times the gap; as beta unless given"},
    {.name = "alpha", .number = 1e7, .positive = true, .says = "kg, of penalty: the weight of a gap's acceleration"},
    {.name = "cfm", .number = 1e-7, .says = "1/kg, of cfm: 1 / alpha"},
    {.name = "omega", .number = 10, .says = "rad/s, of penalty and cfm: at which gaps swing"},
    {.name = "mu", .number = 1, .says = "of penalty and cfm: how gaps are damped, 1 being critical"},
    {0},
};

static trm_stabiliser stabiliser_named(const char *name)
{
    int i = 0;
    while (strcmp(STABILISERS[i], name) != 0) i++;
    return (trm_stabiliser)i;
}

static double number(const trm_lagrange *w, const char *name)
{
    return trm_option_number(&trm_method_lagrange, w->stepper->options, name);
}

/* Critical damping, unless something else is asked for. */
static double gamma_of(const trm_lagrange *w)
{
    return number(w, trm_option_is_given(&trm_method_lagrange, w->stepper->options, "gamma") ? "gamma" : "beta");
}

static void read_options(trm_lagrange *w)
{
    const trm_simulation_def *options = w->stepper->options;
    w->rule = trm_find_runge_kutta(trm_option_word(&trm_method_lagrange, options, "integrator"));
    w->stabiliser = stabiliser_named(trm_option_word(&trm_method_lagrange, options, "stabilise"));
    if (w->stabiliser == TRM_STABILISE_BAUMGARTE) {
        w->damping = 2 * number(w, "beta");
        w->stiffness = gamma_of(w) * gamma_of(w);
    } else if (w->stabiliser == TRM_STABILISE_PENALTY || w->stabiliser == TRM_STABILISE_CFM) {
        w->damping = 2 * number(w, "omega") * number(w, "mu");
        w->stiffness = number(w, "omega") * number(w, "omega");
    }
    w->error = w->rule->e ? INFINITY : NAN;
}

/* Numbers of a stabilisation that is not chosen do nothing. */
static void look_at_options(const trm_simulation_def *options, trm_messages *messages)
{
    static const struct {
        const char *name;
        unsigned of; /* bits of trm_stabiliser */
    } numbers[] = {
        {"beta", 1 << TRM_STABILISE_BAUMGARTE},
        {"gamma", 1 << TRM_STABILISE_BAUMGARTE},
        {"alpha", 1 << TRM_STABILISE_PENALTY},
        {"cfm", 1 << TRM_STABILISE_CFM},
        {"omega", 1 << TRM_STABILISE_PENALTY | 1 << TRM_STABILISE_CFM},
        {"mu", 1 << TRM_STABILISE_PENALTY | 1 << TRM_STABILISE_CFM},
    };
    const char *chosen = trm_option_word(&trm_method_lagrange, options, "stabilise");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (trm_option_is_given(&trm_method_lagrange, options, numbers[i].name) &&
            !(numbers[i].of >> stabiliser_named(chosen) & 1))
            trm_say(messages, TRM_WARNING, (trm_place){0}, "", "lagrange.%s has no effect: stabilise is %s",
                    numbers[i].name, chosen);
}

static double own_order(const trm_simulation_def *options)
{
    const trm_runge_kutta *rule = trm_find_runge_kutta(trm_option_word(&trm_method_lagrange, options, "integrator"));
    return rule ? rule->order : 0;
}

/* ---- The workspace ------------------------------------------------------------------------ */

/* The same for all rows; NULL: out of memory. */
static const double *all_as_soft(const trm_lagrange *w, double cfm)
{
    const int rows = w->stepper->model->row_count;
    double *softness = TRM_NEW_ARRAY(w->stepper->arena, double, rows);
    for (int i = 0; softness && i < rows; i++) softness[i] = cfm;
    return softness;
}

static bool make_contacts(trm_lagrange *w)
{
    trm_stepper *s = w->stepper;
    if (!s->collider) return true;
    w->machine->touching = trm_touching_create(w->machine, s->collider);
    w->loose = TRM_NEW_ARRAY(s->arena, trm_spatial, s->model->body_count);
    w->gamma = TRM_NEW_ARRAY(s->arena, double, s->model->row_count);
    return w->machine->touching && w->loose && w->gamma;
}

static void *create(trm_stepper *stepper)
{
    const int bodies = stepper->model->body_count;
    trm_arena *arena = stepper->arena;
    trm_lagrange *w = TRM_NEW(arena, trm_lagrange);
    if (!w) return NULL;
    w->stepper = stepper;
    read_options(w);
    w->machine = trm_maximal_create(stepper, trm_maximal_solver_of(stepper->options));
    w->pose = TRM_NEW_ARRAY(arena, trm_pose, bodies);
    w->velocity = TRM_NEW_ARRAY(arena, trm_spatial, bodies);
    w->rates = TRM_NEW_ARRAY(arena, trm_rates, bodies * w->rule->stages);
    if (!w->machine || arena->failed || !make_contacts(w)) return NULL;
    if (w->stabiliser == TRM_STABILISE_CFM && !(w->machine->softness = all_as_soft(w, number(w, "cfm")))) return NULL;
    if (w->stabiliser == TRM_STABILISE_PENALTY && !(w->penalty = trm_penalty_create(w->machine, number(w, "alpha"))))
        return NULL;
    return w;
}

const trm_method trm_method_lagrange = {
    .name = "lagrange",
    .can = TRM_CAN_MAXIMAL | TRM_CAN_BOUNDS | TRM_CAN_FRICTION | TRM_CAN_BREAK | TRM_CAN_EVENTS | TRM_CAN_CONTACT,
    .create = create,
    .step = step,
    .fit_positions = fit_positions,
    .fit_velocities = fit_velocities,
    .reactions = reactions,
    .capture = capture,
    .respond = respond,
    .opening = opening,
    .contacts = contacts,
    .dropped = dropped,
    .error = error_of_step,
    .own_order = own_order,
    .look_at_options = look_at_options,
    .options = OPTIONS,
};
