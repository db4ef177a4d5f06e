/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The verdict on a run: whether its result can be trusted, and why not.
 *
 * Energy. S is the energy that the machine exchanges and |E - E0 - W| the error of the energy balance. In a correct
 * run the order of the steps explains it (monitor.c). Where it is larger, an element is wrong, or its work is. A run
 * that has gained a good part of S has exploded. Losses are judged more mildly; those of implicit springs and of the
 * method lcp are intended.
 *
 * Passive elements only dissipate. Rounding, and the tolerance to which contacts are solved, are allowed.
 *
 * The limits were set by runs of all examples and published problems at steps from half to 16 times their own,
 * compared with runs of half the step (bench/verdict.sh). */

#include <float.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/larger.h"
#include "model/shape.h"
#include "sim/sim.h"
#include "trammel/elementary.h"

/* Fractions of S: a run with a larger energy error, at its largest and in the mean, gets the verdict check. Larger
 * limits call coarse runs good, smaller ones call good runs coarse (bench/verdict.sh counts both). */
static const double COARSE = 1e-2, COARSE_MEAN = 1e-3;
/* Fractions of S: a larger gain is an explosion; a larger loss is as bad as one. Larger limits call explosions
 * coarse, smaller ones call coarse runs explosions (bench/verdict.sh counts both). */
static const double EXPLODED = 0.1, LOST = 0.25;
/* An error has another cause than the order if it is larger than BEYOND_ORDER times what the order explains, and than
 * the fraction UNEXPLAINED of S; from the fraction UNEXPLAINED_BAD on the verdict is bad. Smaller limits call
 * rounding an unexplained error, larger ones hide wrong steps (bench/verdict.sh counts both). */
static const double BEYOND_ORDER = 100, UNEXPLAINED = 1e-6, UNEXPLAINED_BAD = 0.05;
/* Limits of (A/S)^(p/2) of bodies without contacts in time-stepping. Above them steps are too long for the motion;
 * the limit is lower where impacts magnify errors. Larger limits call runs good whose bodies are far off, smaller
 * ones doubt accurate runs (bench/verdict.sh counts both). */
static const double LONG_STEPS = 0.02, LONG_STEPS_AND_IMPACTS = 0.01, LONG_STEPS_OF_ORDER_1 = 0.1;
/* rad, and fraction of the size of the machine: allowed sum of the errors of steps. A light body may be far off with
 * an energy error that is small compared with the energy of heavy ones. A larger value calls runs good whose bodies
 * are far off; with a tenth, a correct pendulum is called coarse (test methods_verdict). */
static const double DRIFT = 3e-3;
/* Impacts magnify the errors before them: each impact of a body by PER_IMPACT, all together by at most BY_IMPACTS
 * times PER_BODY for each body, and MOST_BY_IMPACTS (random machines of tests/torture nearly all magnify less).
 * The magnified error may be MAGNIFIED, in the units of DRIFT. Larger factors doubt nearly every run with impacts,
 * smaller ones call runs good that impacts have made unpredictable (bench/verdict.sh counts both). Tests pass with
 * a tenth and with ten times of it. */
static const double PER_IMPACT = 4, BY_IMPACTS = 10, PER_BODY = 5, MOST_BY_IMPACTS = 5000, MAGNIFIED = 0.03;
/* The same for impacts whose times are known only to within a step. A larger value calls runs good whose impacts were
 * a step late, a smaller one doubts every pile. Tests pass with a tenth and with ten times of it. */
static const double JUMPED = 0.03;
/* Fractions of S: a passive element may add GAIN by rounding; above GAIN_BAD the verdict is bad. The work of impulses
 * differs from that of forces by an error of the order of the step, which falls and rises with the forces. Contacts
 * may return the energy that they took if that is all they took: up to GAIN_OF_ORDER times the energy error that the
 * order explains, and below COARSE_MEAN of S. A pendulum on a base that stands on the floor returns 2.1 times that
 * error. With 0.5 it would get the verdict check; with 50 COARSE_MEAN alone would be the limit. Larger limits hide
 * contacts that add energy, smaller ones report rounding. */
static const double GAIN = 1e-5, GAIN_BAD = 1e-2, GAIN_OF_ORDER = 5;
/* Fraction of the energy E and of the weight times the size of the machine: rounding of large potentials, and joints
 * within tolerance. A larger value hides errors of light parts of heavy machines, a smaller one doubts machines that
 * stand high above the origin. Tests pass with a tenth and with ten times of it. */
static const double ENERGY_ROUNDING = 1e-9;
/* Gaps of joints that get the verdict check or bad: in units of the tolerance, and fractions of the size of the
 * machine (angles in rad). Larger limits call open joints good, smaller ones doubt joints that are closed to their
 * tolerance. */
static const double GAP_TOLERANCES = 10, GAP = 1e-6, GAP_BAD = 0.02, GAP_BAD_ANGLE = 0.1;
/* Fractions of the momentum of all bodies. Larger limits hide forces without a counterpart, smaller ones report
 * rounding. Tests pass with a tenth and with ten times of it. */
static const double MOMENTUM = 1e-6, MOMENTUM_BAD = 1e-2;

/* Part of its size by which a machine moves in the whole run: the momentum of such a machine is counted at least. Larger
 * limits hide forces without a counterpart in slow machines, smaller ones call the rounding of a machine at rest under
 * its own tension bad. */
static const double SLOWEST = 1e-6;

/* Divisions per step of machines with contacts. Contacts that are hard to solve are often redundant, and the steps
 * then determine which of their forces act: a part that two fingers hold on a table slides or stops. A larger limit
 * calls such runs good, a smaller one doubts runs with one difficult step. */
static const double DIVIDED = 1e-2;

/* Jams per step of the method lcp. A larger limit calls runs good in which bodies slide that should be held, a
 * smaller one doubts runs with one such impact. */
static const double JAMS = 1e-2;

/* ---- Reasons ------------------------------------------------------------------------------ */

const char *trm_grade_name(trm_grade grade)
{
    return grade == TRM_GOOD ? "good" : grade == TRM_CHECK ? "check" : "bad";
}

/* Inserts a reason after those that are as bad or worse. */
static void insert(trm_verdict *v, trm_grade grade, const char *text)
{
    int at = v->count < TRM_VERDICT_REASONS ? v->count++ : TRM_VERDICT_REASONS;
    if (grade > v->grade) v->grade = grade;
    for (; at > 0 && v->reasons[at - 1].grade < grade; at--)
        if (at < TRM_VERDICT_REASONS) v->reasons[at] = v->reasons[at - 1];
    if (at == TRM_VERDICT_REASONS) return;
    v->reasons[at].grade = grade;
    snprintf(v->reasons[at].text, sizeof v->reasons[at].text, "%s", text);
}

static void TRM_PRINTF(3, 4) add_reason(trm_verdict *v, trm_grade grade, const char *format, ...)
{
    char text[sizeof v->reasons[0].text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    insert(v, grade, text);
}

/* ---- Energy ------------------------------------------------------------------------------- */

/* 1/s: speeds below this, in sizes of the machine, are rounding of forces that cancel. With a hundredth of it such
 * runs are bad (test methods_verdict); a larger value ignores errors of slower motion. */
static const double AT_REST = 1e-10;

/* Returns whether no body has moved by more than joints may be open, m and rad: all work of forces, however large, is
 * then that of errors within the tolerance. */
static bool has_not_moved(const trm_sim *sim)
{
    const trm_monitor *m = &sim->monitor;
    const trm_simulation_def *o = &sim->options;
    const double time = fabs(sim->state->clock->time - m->start_time);
    return time * m->fastest <= GAP_TOLERANCES * o->position_tolerance &&
           time * m->fastest_rate <= GAP_TOLERANCES * o->angle_tolerance;
}

/* Returns the energy in J below which differences are ignored. */
static double energy_floor(const trm_sim *sim, const trm_accuracy *a)
{
    const trm_monitor *m = &sim->monitor;
    if (has_not_moved(sim)) return INFINITY;
    const double weight = m->mass * trm_v3_length(sim->state->model->gravity);
    return ENERGY_ROUNDING * (fabs(a->energy_start) + fabs(a->energy_end) + a->energy_scale + weight * m->size) +
           m->mass * (AT_REST * m->size) * (AT_REST * m->size);
}

/* Returns whether losses are intended: steps damp motion that they cannot resolve. */
static bool damps_by_design(const trm_sim *sim)
{
    for (int i = 0; i < sim->state->model->force_count; i++)
        if (sim->state->model->forces[i].treatment == TRM_TREAT_IMPLICIT) return true;
    return sim->method->within_steps;
}

/* Returns whether a loss is at most what contacts added when they pushed shapes apart that overlapped at the start. */
static bool is_loss_of_pushing(const trm_sim *sim, const trm_accuracy *a, double loss)
{
    return sim->contact_search.overlap > 0 && loss <= a->gains.contact;
}

static void judge_energy(const trm_sim *sim, const trm_accuracy *a, trm_verdict *v)
{
    const double S = a->energy_scale, error = a->energy_error_max, floor = energy_floor(sim, a);
    const double gain = sim->monitor.error[1], loss = -sim->monitor.error[0];
    const bool unexplained = error > BEYOND_ORDER * a->energy_expected + UNEXPLAINED * S + floor;
    const bool coarse = error > COARSE * S + floor || a->energy_error_mean > COARSE_MEAN * S + floor;
    if (!isfinite(error) || !isfinite(S) || !isfinite(a->work))
        add_reason(v, TRM_BAD, "energies are no longer finite numbers");
    else if (gain > EXPLODED * S + floor)
        add_reason(v, TRM_BAD, "energy balance off by %.3g J of %.3g J: energy was gained without work", gain, S);
    else if (damps_by_design(sim) && loss == error && (unexplained || coarse))
        add_reason(v, TRM_CHECK, "energy balance off by %.3g J of %.3g J: steps damp motion that they cannot resolve",
                   loss, S);
    else if (is_loss_of_pushing(sim, a, loss) && loss == error && (unexplained || coarse))
        add_reason(
            v, TRM_CHECK,
            "energy balance off by %.3g J of %.3g J: steps damp the motion that pushes overlapping shapes apart",
            loss, S);
    else if (loss > LOST * S + floor)
        add_reason(v, TRM_BAD, "energy balance off by %.3g J of %.3g J: energy was lost without dissipation", loss,
                   S);
    else if (unexplained && error > UNEXPLAINED_BAD * S)
        add_reason(v, TRM_BAD, "energy balance off by %.3g J of %.3g J; steps of this order explain %.2g J", error, S,
                   a->energy_expected);
    else if (unexplained)
        add_reason(v, TRM_CHECK, "energy balance off by %.3g J of %.3g J; steps of this order explain %.2g J", error,
                   S, a->energy_expected);
    else if (coarse)
        add_reason(v, TRM_CHECK, "energy balance off by %.3g J of %.3g J: use shorter steps or a higher order", error,
                   S);
    else if (S > floor)
        add_reason(v, TRM_GOOD, "energy balance %.2g J of %.3g J", error, S);
    else
        add_reason(v, TRM_GOOD, "energy balance %.2g J, at rest", error);
}

/* Returns whether the order explains the errors of steps. With error control it does not. */
static bool order_explains_errors(const trm_sim *sim)
{
    return !sim->steps.start && !trm_sim_method_controls_error(sim);
}

static bool has_long_steps(const trm_sim *sim, const trm_accuracy *a)
{
    const double part = sim->options.order < 2      ? LONG_STEPS_OF_ORDER_1
                        : sim->counters.impacts > 0 ? LONG_STEPS_AND_IMPACTS
                                                    : LONG_STEPS;
    const double share = sim->monitor.free_change / a->energy_scale;
    return share > 0 &&
           trm_pow(share, 0.5 * sim->options.order) * a->energy_scale > part * a->energy_scale + energy_floor(sim, a);
}

/* Returns the size of the machine in m, or the distance that a single point mass travels: it has no size. */
static double size_of(const trm_sim *sim)
{
    const trm_monitor *m = &sim->monitor;
    return m->size > 0 ? m->size : m->fastest * fabs(sim->state->clock->time - m->start_time);
}

/* Returns the allowed drift in m: a part of the size, plus rounding of large coordinates. */
static double most_drift(const trm_sim *sim, double part)
{
    return part * size_of(sim) + ENERGY_ROUNDING * sim->monitor.reach;
}

/* Returns whether the rotation of a body does not affect its contacts. */
static bool is_ball(const trm_body *body)
{
    for (int i = 0; i < body->shape_count; i++) {
        const trm_shape *shape = &body->shapes[i];
        const bool centred = trm_v3_length(shape->pose.p) <= ENERGY_ROUNDING * shape->radius;
        if (shape->collide && !(shape->type->geometry == TRM_GEOMETRY_SPHERE && centred)) return false;
    }
    return true;
}

/* Returns by how much the impacts of a run magnify the errors of its steps in position and angle. An impact counts
 * for two bodies. Impacts of balls do not depend on their angles. */
static trm_gap magnified_by_impacts(const trm_sim *sim)
{
    const trm_model *model = sim->state->model;
    int moving = 0;
    bool balls = model->joint_count == 0;
    for (int i = 0; i < model->shown_body_count; i++) {
        moving += model->bodies[i].inverse_mass > 0;
        balls = balls && (model->bodies[i].inverse_mass == 0 || is_ball(&model->bodies[i]));
    }
    const double each = trm_pow(PER_IMPACT, 2 * (double)sim->counters.impacts / fmax(moving, 1));
    const double all = fmin(each, fmin(BY_IMPACTS * trm_pow(PER_BODY, moving), MOST_BY_IMPACTS));
    return (trm_gap){all, balls ? 1 : all};
}

static void judge_drift(const trm_sim *sim, trm_gap drift, trm_verdict *v)
{
    const trm_gap by = magnified_by_impacts(sim);
    if (!(drift.angle <= DRIFT && drift.position <= most_drift(sim, DRIFT)))
        add_reason(v, TRM_CHECK, "steps are long for this motion: their errors add up to about %.2g m, %.2g rad",
                   drift.position, drift.angle);
    else if (!(by.angle * drift.angle <= MAGNIFIED && by.position * drift.position <= most_drift(sim, MAGNIFIED)))
        add_reason(v, TRM_CHECK, "errors of steps add up to about %.2g m, %.2g rad, and %lld impacts magnify them",
                   drift.position, drift.angle, sim->counters.impacts);
}

static void judge_step(const trm_sim *sim, const trm_accuracy *a, trm_verdict *v)
{
    const trm_gap jumps = trm_monitor_jumps(&sim->monitor, sim->state->clock->time);
    if (!order_explains_errors(sim) || has_not_moved(sim) || !isfinite(a->energy_scale)) return;
    if (!(jumps.angle <= JUMPED && jumps.position <= most_drift(sim, JUMPED)))
        add_reason(v, TRM_CHECK, "impacts within steps leave bodies uncertain by about %.2g m, %.2g rad",
                   jumps.position, jumps.angle);
    if (has_long_steps(sim, a))
        add_reason(v, TRM_CHECK, "steps are long for this motion: errors of their order are about %.2g J of %.3g J",
                   a->energy_expected, a->energy_scale);
    else
        judge_drift(sim, a->motion_expected, v);
}

static void judge_gain(double gain, double S, double allowed, const char *who, trm_verdict *v)
{
    if (!(gain <= allowed))
        add_reason(v, gain <= GAIN_BAD * S + allowed ? TRM_CHECK : TRM_BAD,
                   "%s added %.3g J, although they can only dissipate energy", who, gain);
}

/* Returns the energy that contacts may return of the energy that they took, J; 0 if they took more than errors of the
 * order. */
static double returned_by_order(const trm_accuracy *a)
{
    const double most = fmin(GAIN_OF_ORDER * a->energy_expected, COARSE_MEAN * a->energy_scale);
    const double taken = a->gains.contact - a->works.contact;
    return a->energy_expected > 0 && taken <= most ? most : 0;
}

static void judge_gains(const trm_sim *sim, const trm_accuracy *a, trm_verdict *v)
{
    const double S = a->energy_scale, rounding = GAIN * S + energy_floor(sim, a);
    judge_gain(a->gains.friction, S, rounding, "frictions in joints", v);
    judge_gain(a->gains.damping, S, rounding, "dampers", v);
    judge_gain(a->gains.impact, S, rounding, "impacts", v);
    if (sim->contact_search.overlap > 0 && a->gains.contact > rounding)
        add_reason(v, TRM_CHECK, "contacts added %.3g J: shapes that overlap by %.2g m at the start are pushed apart",
                   a->gains.contact, sim->contact_search.overlap);
    else
        judge_gain(a->gains.contact, S, rounding + returned_by_order(a), "contacts", v);
}

/* ---- Momentum and joints ------------------------------------------------------------------ */

static void judge_momentum(const trm_sim *sim, const trm_accuracy *a, trm_verdict *v)
{
    const trm_monitor *m = &sim->monitor;
    if (!a->is_free) return;
    const double size = size_of(sim), time = fabs(sim->state->clock->time - m->start_time);
    const double least = time > 0 ? SLOWEST * m->mass * size / time : 0;
    const double linear = a->linear_error / fmax(m->momentum + least, 1e-300),
                 spin = a->angular_error / fmax(m->spin + least * size, 1e-300);
    const double part = trm_larger(linear, spin);
    if (!(part <= MOMENTUM))
        add_reason(v, part <= MOMENTUM_BAD ? TRM_CHECK : TRM_BAD,
                   "momentum changed by %.3g kg m/s and %.3g kg m^2/s, although nothing acts from outside",
                   a->linear_error, a->angular_error);
}

static void judge_gaps(const trm_sim *sim, const trm_accuracy *a, trm_verdict *v)
{
    const trm_simulation_def *o = &sim->options;
    const double size = size_of(sim), far = 64 * DBL_EPSILON * sim->monitor.reach;
    if (a->gap_joint < 0) return;
    const double most = fmax(fmax(GAP_TOLERANCES * o->position_tolerance, GAP * size), far);
    const double most_angle = fmax(GAP_TOLERANCES * o->angle_tolerance, GAP);
    const char *name = sim->state->model->joints[a->gap_joint].name;
    if (a->gap.position <= most && a->gap.angle <= most_angle)
        add_reason(v, TRM_GOOD, "joints closed to %.2g m, %.2g rad", a->gap.position, a->gap.angle);
    else
        add_reason(v, a->gap.position <= GAP_BAD * size && a->gap.angle <= GAP_BAD_ANGLE ? TRM_CHECK : TRM_BAD,
                   "joint '%s' was open by %.3g m, %.3g rad; the tolerance is %.3g m, %.3g rad", name,
                   a->gap.position, a->gap.angle, o->position_tolerance, o->angle_tolerance);
}

/* ---- Difficulties of the steps ------------------------------------------------------------- */

/* Names the columns that are not unique, if it is known which columns are read. */
static void judge_forces(const trm_sim *sim, trm_verdict *v)
{
    const int dropped = sim->caller.reactions_enabled ? trm_sim_dropped_rows(sim, NULL, 0) : 0;
    const char *name = "", *are = dropped == 1 ? " is" : "s are";
    if (dropped == 0) return;
    const int count = sim->caller.read_known ? trm_sim_ambiguous_columns(sim, &name) : -1;
    if (count < 0) add_reason(v, TRM_CHECK, "forces in joints are not unique: %d row%s redundant", dropped, are);
    if (count == 1) add_reason(v, TRM_CHECK, "%s is not unique: %d row%s redundant", name, dropped, are);
    if (count > 1)
        add_reason(v, TRM_CHECK, "%s and %d other columns are not unique: %d row%s redundant", name, count - 1,
                   dropped, are);
}

static void judge_passages(const trm_sim *sim, trm_verdict *v)
{
    const trm_passages *p = &sim->monitor.passages;
    const trm_body *bodies = sim->state->model->bodies;
    if (p->count > 0)
        add_reason(v, TRM_BAD,
                   "'%s' and '%s' passed through each other within a step at t = %.4g s: take shorter steps",
                   bodies[p->body[0]].name, bodies[p->body[1]].name, p->time);
}

static void judge_steps(const trm_sim *sim, trm_verdict *v)
{
    const trm_counters *c = &sim->counters;
    if (sim->stepper.collider && (double)c->halvings > DIVIDED * (double)c->steps)
        add_reason(v, TRM_CHECK, "steps were divided %lld times, because their contacts could not be solved",
                   c->halvings);
    if (c->dissipative > 0)
        add_reason(v, TRM_CHECK, "%lld of %lld steps were replaced by dissipative ones", c->dissipative, c->steps);
    if (c->plain > 0 && sim->options.order > 2)
        add_reason(v, TRM_CHECK, "%lld of %lld steps are of order 2, because contacts changed in them", c->plain,
                   c->steps);
    if (c->guarded > 0 && c->guarded <= c->impacts)
        add_reason(
            v, TRM_CHECK,
            "in %lld of %lld impacts restitution was reduced: it would have added energy, or too many contacts met "
            "at once",
            c->guarded, c->impacts);
    else if (c->guarded > 0) /* time-stepping does not count impacts */
        add_reason(v, TRM_CHECK, "restitution was reduced %lld times: it would have added energy", c->guarded);
    if ((double)c->jams > JAMS * (double)c->steps)
        add_reason(
            v, TRM_CHECK,
            "in %lld of %lld steps contacts slipped with less than half of their friction; those that jam need "
            "lcp:solver=lemke",
            c->jams, c->steps);
    judge_forces(sim, v);
}

/* Functions of time are sought here and not where a simulation is created: the samples take longer than many a
 * run. */
static void judge_functions(const trm_sim *sim, trm_verdict *v)
{
    const double h = sim->steps.sampling.interval, steps = ceil(sim->options.time / h);
    if (!isfinite(h)) return;
    const char *name = trm_model_missed_function(sim->state->model, sim->state->memory, 0, h, fmax(steps, 1));
    if (!name) return;
    add_reason(v, TRM_CHECK,
               "a function of time of '%s' varies within steps of %.3g s, which may miss it: use shorter steps", name,
               h);
}

void trm_sim_add_remark(trm_sim *sim, trm_grade grade, const char *text)
{
    insert(&sim->remarks, grade, text);
}

trm_accuracy trm_sim_accuracy(const trm_sim *sim)
{
    trm_accuracy a = sim->monitor.result;
    double own = sim->method->own_error ? sim->method->own_error(&sim->options) : NAN;
    if (!isnan(own) && sim->notes.requested > 0) own = sim->notes.requested / sim->notes.size;
    if (sim->steps.start) own = sim->options.error / sim->steps.size;
    a.energy_expected = isnan(own) ? trm_monitor_energy(&sim->monitor, sim->options.order) : a.energy_scale * own;
    a.motion_expected = trm_monitor_drift(&sim->monitor, sim->options.order);
    return a;
}

void trm_sim_verdict(const trm_sim *sim, trm_verdict *verdict)
{
    const trm_accuracy a = trm_sim_accuracy(sim);
    *verdict = (trm_verdict){.grade = TRM_GOOD};
    for (int i = 0; i < sim->remarks.count; i++)
        insert(verdict, sim->remarks.reasons[i].grade, sim->remarks.reasons[i].text);
    judge_functions(sim, verdict);
    if (a.observed == 0) {
        add_reason(verdict, TRM_CHECK, "nothing was observed");
        return;
    }
    judge_gains(sim, &a, verdict);
    judge_energy(sim, &a, verdict);
    judge_step(sim, &a, verdict);
    judge_gaps(sim, &a, verdict);
    judge_momentum(sim, &a, verdict);
    judge_passages(sim, verdict);
    judge_steps(sim, verdict);
}
