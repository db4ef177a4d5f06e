/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Runs of machines. Steps are counted, so that a run that crawls is detected on any computer. */

#include "run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "math/rotation.h"
#include "model/model.h"
#include "motion/state.h"
#include "sim/sim.h"

static const double STEPS_PER_PLANNED = 200; /* a run with more steps per planned step crawls */
static const double STEPS_ALWAYS = 1000;     /* allowed in any run, for its events */
static const int ROWS = 50;

/* ---- One run ------------------------------------------------------------------------------ */

typedef struct watching {
    const run_def *def;
    motion *run;
    trm_sim *sim;
    double most_steps;
    bool begun;
} watching;

static bool watch(void *context)
{
    watching *w = context;
    w->run->spent = ++w->run->steps > w->most_steps;
    return !w->run->spent;
}

static bool is_sound(const trm_model *model, const trm_state *state)
{
    for (int i = 0; i < trm_body_count(model); i++) {
        const trm_pose X = trm_body_pose(state, i);
        const trm_spatial V = trm_body_velocity(state, i);
        if (!trm_v3_is_finite(X.p) || !isfinite(trm_quat_norm(X.q)) || !trm_v3_is_finite(V.lin) ||
            !trm_v3_is_finite(V.ang))
            return false;
    }
    return true;
}

static bool keep_row(void *context, const trm_state *state)
{
    watching *w = context;
    const trm_energy e = trm_state_energy(state);
    const double total = e.kinetic + e.potential;
    motion *run = w->run;
    if (!w->begun) run->energy_first = total;
    w->begun = true;
    run->energy_most = fmax(run->energy_most, total - run->energy_first);
    run->kinetic_most = fmax(run->kinetic_most, e.kinetic);
    run->finite = run->finite && isfinite(total) && is_sound(state->model, state);
    if (w->def->row) w->def->row(w->def->context, w->sim);
    return run->finite;
}

static void keep_end(const subject *s, const run_def *def, trm_sim *sim, const trm_model *model, motion *run)
{
    const trm_state *state = trm_sim_state(sim);
    run->accuracy = trm_sim_accuracy(sim);
    run->counters = *trm_sim_counters(sim);
    trm_verdict judged;
    trm_sim_verdict(sim, &judged);
    run->grade = judged.grade;
    snprintf(run->reason, sizeof run->reason, "%s", judged.count > 0 ? judged.reasons[0].text : "");
    run->position_tolerance = trm_sim_options(sim)->position_tolerance;
    run->angle_tolerance = trm_sim_options(sim)->angle_tolerance;
    run->velocity_tolerance = trm_sim_options(sim)->velocity_tolerance;
    run->nearness = sim->events.nearness;
    for (int i = 0; i < s->m->body_count; i++) {
        const int index = trm_find_body(model, s->m->bodies[i].name);
        const trm_body_kind kind = s->m->bodies[i].def.kind;
        run->there[i] = index >= 0 && (kind == TRM_BODY_RIGID || kind == TRM_BODY_POINT);
        if (!run->there[i]) continue;
        const trm_pose X = trm_body_pose(state, index);
        run->pose[i] = (trm_pose){view_rotation_back(&def->view, X.q), view_point_back(&def->view, X.p)};
        if (kind == TRM_BODY_POINT) run->pose[i].q = trm_quat_identity();
    }
}

static void keep_messages(const trm_messages *messages, motion *run)
{
    for (int i = 0; i < trm_message_count(messages); i++)
        if (trm_message_at(messages, i)->severity == TRM_ERROR) {
            trm_format_message(trm_message_at(messages, i), run->why, sizeof run->why);
            return;
        }
}

static void simulate(const subject *s, const run_def *def, trm_sim *sim, const trm_model *model, motion *run)
{
    const trm_simulation_def *o = &def->options;
    watching w = {def, run, sim, STEPS_ALWAYS + def->patience * ceil(o->time / o->step), false};
    const trm_run_def run_options = {.until = o->time, .every = def->every, .row = keep_row, .context = &w};
    trm_sim_set_watch(sim, watch, &w);
    trm_sim_enable_reactions(sim, def->reactions);
    const trm_outcome outcome = trm_sim_run(sim, &run_options);
    run->ok = outcome.ok && run->finite && !run->spent;
    if (run->spent)
        snprintf(run->why, sizeof run->why, "took %.0f steps instead of %.0f up to t = %.6g s of %.6g s", run->steps,
                 ceil(o->time / o->step), trm_state_time(trm_sim_state(sim)), o->time);
    else if (!run->finite)
        snprintf(run->why, sizeof run->why, "numbers that are not finite at t = %.6g s",
                 trm_state_time(trm_sim_state(sim)));
    else if (!outcome.ok)
        snprintf(run->why, sizeof run->why, "stopped at t = %.6g s: %s %s", outcome.time, outcome.element,
                 outcome.why);
    keep_end(s, def, sim, model, run);
}

static motion run_anew(const subject *s, const run_def *def)
{
    motion run = {.finite = true};
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *made = machine_build(s->m, &def->view, &s->r);
    trm_model *model = NULL;
    trm_sim *sim = NULL;
    if (made && trm_model_create(made, NULL, messages, &model) == TRM_OK &&
        trm_sim_create(model, &def->options, NULL, messages, &sim) == TRM_OK) {
        run.accepted = true;
        simulate(s, def, sim, model, &run);
    } else
        keep_messages(messages, &run);
    trm_sim_destroy(sim);
    trm_model_destroy(model);
    trm_model_def_destroy(made);
    trm_messages_destroy(messages);
    return run;
}

/* ---- Runs that were made ------------------------------------------------------------------ */

/* The checks of one machine share a process and make many equal runs: the plain one, and those for the sensitivity of
 * the machine. A definition that differs only in padding is run again, which only costs time. */
enum { MOST_KEPT = 48 };
static struct kept {
    subject s;
    run_def def;
    motion run;
} kept[MOST_KEPT];
static int kept_count;

static bool may_be_kept(const run_def *def)
{
    return !def->row && def->options.option_count == 0;
}

motion run_machine(const subject *s, const run_def *def)
{
    if (!may_be_kept(def)) return run_anew(s, def);
    for (int i = 0; i < kept_count; i++)
        if (kept[i].s.m == s->m && memcmp(&kept[i].def, def, sizeof *def) == 0 &&
            memcmp(&kept[i].s.r, &s->r, sizeof s->r) == 0)
            return kept[i].run;
    const motion run = run_anew(s, def);
    if (kept_count < MOST_KEPT) kept[kept_count++] = (struct kept){*s, *def, run};
    return run;
}

bool is_sampled(const subject *s, const char *what, int index, int one_in)
{
    const uint64_t hash = trm_hash_text(trm_hash_text(TRM_HASH_START, s->m->name), what);
    return s->whole || (hash >> 32) % (uint64_t)one_in == (uint64_t)(index % one_in);
}

run_def run_plain(const subject *s)
{
    run_def def = {.view = view_plain(s->m), .options = s->m->simulation, .patience = STEPS_PER_PLANNED};
    const double planned = fmax(1, round(s->m->simulation.time / s->m->simulation.step));
    def.options.step *= def.view.time;
    def.options.time *= def.view.time * (1 - s->r.time);
    def.every = def.options.step * ceil(planned / ROWS);
    return def;
}

/* ---- What checks compare ------------------------------------------------------------------ */

double motion_distance(const subject *s, const motion *a, const motion *b)
{
    double most = 0;
    for (int i = 0; i < s->m->body_count; i++) {
        if (!a->there[i] || !b->there[i]) continue;
        const trm_vec3 turn = trm_quat_log(trm_quat_mul(a->pose[i].q, trm_quat_conj(b->pose[i].q)));
        most = fmax(most, fmax(trm_v3_length(trm_v3_sub(a->pose[i].p, b->pose[i].p)), trm_v3_length(turn)));
    }
    return most;
}

double sensitivity_to(const subject *s, const run_def *def, const motion *run, double nudge)
{
    run_def moved = *def;
    moved.view.nudge = nudge;
    const motion other = run_machine(s, &moved);
    return other.ok ? motion_distance(s, run, &other) / fabs(nudge) : INFINITY;
}

double sensitivity(const subject *s, const run_def *def, const motion *run, double enough)
{
    static const double nudges[] = {1e-7, -1e-6}; /* m/s: far above the tolerance of joints, far below the motion */
    double most = 1;
    for (size_t i = 0; i < sizeof nudges / sizeof *nudges && most <= enough; i++)
        most = fmax(most, sensitivity_to(s, def, run, nudges[i]));
    return most;
}

/* ---- Traits ------------------------------------------------------------------------------- */

static unsigned traits_of_joint(const trm_joint *j)
{
    unsigned traits = 0;
    if (j->side != 0 || j->rope || isfinite(j->most) || isfinite(j->break_force) || isfinite(j->break_torque))
        traits |= HAS_EVENTS;
    if (trm_joint_is_rheonomic(j)) traits |= HAS_POWER;
    if (j->curve && j->curve->radius == 0) traits |= HAS_SPLINES;
    return traits;
}

static unsigned traits_of_force(const trm_force *f)
{
    unsigned traits = 0;
    if (f->type == &trm_force_gravity) return 0;
    if (trm_force_depends_on_velocity(f)) traits |= HAS_DAMPING;
    if (f->type == &trm_force_servo && isfinite(f->most)) traits |= HAS_EVENTS;
    if (f->type != &trm_force_spring && f->type != &trm_force_torsion && f->type != &trm_force_drag)
        traits |= HAS_POWER;
    return traits;
}

static unsigned traits_of_model(const trm_model *model)
{
    unsigned traits = model->collisions.may_collide ? HAS_CONTACTS : 0;
    for (int i = 0; i < model->joint_count; i++) {
        traits |= traits_of_joint(&model->joints[i]);
        for (int k = 0; k < model->joints[i].body_count; k++)
            if (model->bodies[model->joints[i].body[k]].inverse_mass == 0) traits |= HAS_HOLDS;
    }
    for (int i = 0; i < model->force_count; i++) traits |= traits_of_force(&model->forces[i]);
    for (int i = 0; i < model->body_count; i++)
        if (model->bodies[i].motion) traits |= HAS_POWER | HAS_HOLDS;
    return traits;
}

/* Returns the model of a subject as it is run; NULL: it is invalid, for example after removing too much. */
static trm_model *model_of(const subject *s)
{
    const view v = view_plain(s->m);
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def = machine_build(s->m, &v, &s->r);
    trm_model *model = NULL;
    if (def) trm_model_create(def, NULL, messages, &model);
    trm_model_def_destroy(def);
    trm_messages_destroy(messages);
    return model;
}

unsigned traits_of(const subject *s)
{
    trm_model *model = model_of(s);
    const unsigned traits = model ? traits_of_model(model) : 0;
    trm_model_destroy(model);
    return traits;
}

static double size_of(const trm_state *state, const trm_model *model)
{
    double most = 0;
    for (int i = 1; i < model->body_count; i++)
        for (int k = 1; k < i; k++)
            if (model->bodies[i].inverse_mass > 0 && model->bodies[k].inverse_mass > 0)
                most = fmax(most, trm_v3_length(trm_v3_sub(state->pose[i].p, state->pose[k].p)));
    return most;
}

double energy_scale(const subject *s)
{
    trm_model *model = model_of(s);
    trm_state *state = model ? trm_state_create(model, NULL) : NULL;
    double scale = 0;
    if (state) {
        const trm_energy e = trm_state_energy(state);
        const double size = size_of(state, model) + s->m->length;
        double mass = 0, springs = 0;
        for (int i = 0; i < model->body_count; i++) mass += model->bodies[i].mass;
        for (int i = 0; i < model->force_count; i++)
            if (model->forces[i].type != &trm_force_gravity && trm_force_acts(state, i)) {
                const trm_force_at at = trm_force_now(state, i);
                springs += fabs(trm_force_potential(&at));
            }
        scale = e.kinetic + springs + mass * trm_v3_length(model->gravity) * size;
    }
    trm_state_destroy(state);
    trm_model_destroy(model);
    return scale;
}

/* ---- Findings ----------------------------------------------------------------------------- */

finding holds(void)
{
    return (finding){.verdict = HOLDS};
}

finding not_told(const char *why)
{
    finding f = {.verdict = NOT_TOLD};
    snprintf(f.text, sizeof f.text, "%s", why);
    return f;
}

finding fails(const char *kind, double value, double bound, const char *format, ...)
{
    finding f = {.verdict = FAILS, .value = value, .bound = bound};
    snprintf(f.kind, sizeof f.kind, "%s", kind);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(f.text, sizeof f.text, format, arguments);
    va_end(arguments);
    return f;
}

finding sound(const motion *run)
{
    if (!run->accepted) return not_told(run->why);
    if (!run->ok)
        return fails(run->spent ? "crawls" : run->finite ? "stops" : "not finite", run->steps, 0, "%s", run->why);
    return holds();
}
