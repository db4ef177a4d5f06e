/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Tolerances of joints.
 *
 * With L the size of the machine and R its largest coordinate, both at the start, eps the rounding of numbers:
 *
 *     not given, order 2     1e-10 m, rad, m/s
 *     not given, above       1e-13 L, so that gaps do not limit what the order gains
 *     never below            8 eps R, the resolution of coordinates as large as R
 *     error control          1e-13 L too, and at most 1e-3 of the requested error per second where it is given:
 *                            the error of a step is computed as a difference, in which gaps are noise
 *     bounds                 a hundredth: a step, however short, moves coordinates by the gaps that it closes, and
 *                            a chain of bodies magnifies that, so joints are kept closer than the distance that
 *                            counts as being at a bound
 *
 * A given tolerance below the resolution of coordinates is raised with a warning: no step could reach it. */

#include <float.h>

#include "base/message.h"
#include "base/print.h"
#include "sim/sim.h"

/* The tolerances of the table above: m at order 2, and fractions of the size, of the requested error and of the
 * distance to a bound. Larger values show in the energy at small steps, smaller ones cost iterations and come near
 * rounding; docs/impulse.md#orders-4-6-and-8 shows the figures. Tests pass with a tenth and with ten times of it. */
static const double USUAL = 1e-10, OF_SIZE = 1e-13, OF_ERROR = 1e-3, OF_BOUNDS = 1e-2;
enum { ROUNDINGS = 8 };

/* ---- Size and coordinates ----------------------------------------------------------------- */

typedef struct extent {
    double size, coordinate; /* m */
} extent;

static void take_in(trm_vec3 p, trm_vec3 *low, trm_vec3 *high)
{
    *low = trm_v3(fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z));
    *high = trm_v3(fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z));
}

/* Measures the joint frames on the bodies, and the centres of mass of the bodies. */
static extent measure(const trm_state *state)
{
    const trm_model *model = state->model;
    trm_vec3 low = trm_v3(INFINITY, INFINITY, INFINITY), high = trm_v3(-INFINITY, -INFINITY, -INFINITY);
    extent e = {0, 0};
    for (int i = 0; i < model->shown_body_count; i++) {
        e.coordinate = fmax(e.coordinate, trm_v3_length(state->pose[i].p));
        if (model->bodies[i].inverse_mass > 0) take_in(state->pose[i].p, &low, &high);
    }
    if (low.x <= high.x) e.size = trm_v3_length(trm_v3_sub(high, low));
    for (int j = 0; j < model->shown_joint_count; j++)
        for (int k = 0; k < model->joints[j].body_count; k++) {
            const int body = model->joints[j].body[k];
            const double arm = trm_v3_length(model->joints[j].frame[k].p);
            e.coordinate = fmax(e.coordinate, trm_v3_length(state->pose[body].p) + arm);
            if (model->bodies[body].inverse_mass > 0) e.size = fmax(e.size, arm);
        }
    if (e.size == 0) e.size = 1;
    return e;
}

double trm_machine_size(const trm_state *state)
{
    return measure(state).size;
}

/* ---- Choosing ----------------------------------------------------------------------------- */

static double given_or(double given, double usual)
{
    return isnan(given) ? usual : given;
}

void trm_fill_tolerances(trm_simulation_def *o, const trm_state *state)
{
    const extent e = measure(state);
    const double rounding = ROUNDINGS * DBL_EPSILON * e.coordinate;
    const trm_method *method = trm_find_method(o->method);
    const bool accurate = method && !method->own_order && (o->order > 2 || !isnan(o->error));
    o->position_tolerance = given_or(o->position_tolerance, fmax(accurate ? OF_SIZE * e.size : USUAL, rounding));
    o->angle_tolerance = given_or(o->angle_tolerance, accurate ? OF_SIZE : USUAL);
    o->velocity_tolerance = given_or(o->velocity_tolerance, accurate ? OF_SIZE * fmax(e.size, 1) : USUAL);
}

/* Raises a given tolerance that is below the rounding of coordinates. */
static void raise_to_rounding(trm_simulation_def *o, double rounding, trm_messages *messages)
{
    if (o->position_tolerance >= rounding) return;
    trm_add_warning(
        messages, (trm_place){0},
        "the tolerance %g m is below the rounding of coordinates as large as those of this model; %.2g m is used",
        o->position_tolerance, rounding);
    o->position_tolerance = rounding;
}

static void tighten(double *tolerance, double to, double least)
{
    *tolerance = fmin(*tolerance, fmax(to, least));
}

static void keep_closer_than_error(trm_sim *sim, double rounding)
{
    trm_simulation_def *o = &sim->options;
    const double before = o->position_tolerance;
    tighten(&o->position_tolerance, OF_ERROR * o->error, fmax(OF_SIZE, rounding));
    tighten(&o->angle_tolerance, OF_ERROR * o->error, OF_SIZE);
    tighten(&o->velocity_tolerance, OF_ERROR * o->error, OF_SIZE);
    if (o->position_tolerance < before)
        trm_print(sim->notes.tolerance, sizeof sim->notes.tolerance,
                  "tighter than %.3g m, because of the requested error", before);
}

/* Tightens tolerances in models with bounds. A joint counts as at its bound within the tolerance that it would have
 * without them. */
static void keep_closer_than_bounds(trm_sim *sim, double rounding, bool chosen)
{
    trm_simulation_def *o = &sim->options;
    const double least = fmax(OF_SIZE, rounding);
    sim->events.nearness = (trm_gap){o->position_tolerance, o->angle_tolerance};
    if (sim->events.watched_count == 0) return;
    tighten(&o->position_tolerance, OF_BOUNDS * o->position_tolerance, least);
    tighten(&o->angle_tolerance, OF_BOUNDS * o->angle_tolerance, OF_SIZE);
    if (chosen) { /* not given: there is room for both */
        sim->events.nearness.position = fmax(sim->events.nearness.position, o->position_tolerance / OF_BOUNDS);
        sim->events.nearness.angle = fmax(sim->events.nearness.angle, o->angle_tolerance / OF_BOUNDS);
    }
    trm_print(sim->notes.tolerance, sizeof sim->notes.tolerance,
              "tighter than the %.3g m and %.3g rad within which joint '%s' counts as at its limit",
              sim->events.nearness.position, sim->events.nearness.angle,
              sim->stepper.model->joints[sim->events.watched[0]].name);
}

void trm_sim_choose_tolerances(trm_sim *sim, trm_messages *messages)
{
    trm_simulation_def *o = &sim->options;
    const bool chosen = isnan(o->position_tolerance) && isnan(o->angle_tolerance);
    const double rounding = ROUNDINGS * DBL_EPSILON * measure(sim->state).coordinate;
    trm_fill_tolerances(o, sim->state);
    raise_to_rounding(o, rounding, messages);
    if (sim->steps.start) keep_closer_than_error(sim, rounding);
    keep_closer_than_bounds(sim, rounding, chosen);
}

const char *trm_sim_tolerance_note(const trm_sim *sim)
{
    return sim->notes.tolerance[0] ? sim->notes.tolerance : NULL;
}
