/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* An instance of an FMU.
 *
 * A communication step is a run (trm_sim_run) whose row spacing is the length of the step. An FMU is therefore
 * bit-identical with `trammel run --every STEP`: times are products of whole numbers with the step, and a communication
 * point that differs from such a product by rounding means the product. A communication point that is not a multiple of
 * its step is reached from the present time.
 *
 * Parameters are constants of the model. After they are set, the model is built again before the next value is read.
 * Inputs act from the next communication step on. */

#include "instance.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "derivative.h"

/* Fraction of a communication step, or of the time itself: times that differ by less are equal. */
static const double SAME_TIME = 1e-9;

struct fmu_instance {
    char *name;
    fmu_settings settings;
    fmu_callbacks callbacks;
    fmu_machine *machine;
    trm_sim *sim;      /* NULL: not created yet */
    bool model_is_old; /* parameters were set after the machine was created */
    bool is_observed;  /* the simulation is at its start or later, and its outputs can be read */
    fmu_mode mode;
    double start, stop; /* s; stop INFINITY: not given */
    double time;        /* s: the communication point */
    double *values;     /* per variable that can be set: its value (parameters, inputs, forces) */
    double *inputs;     /* last values passed to the inputs of the model */
    double *next;       /* scratch of the same length */
    trm_spatial *body_forces;
    long long happened; /* number of events before this communication step */
    fmu_step_result *result;
};

/* ---- Messages ------------------------------------------------------------------------------ */

static void report_text(const fmu_instance *f, const char *text)
{
    if (f->callbacks.log) f->callbacks.log(f->callbacks.context, f->name ? f->name : "", text);
}

bool fmu_refuse(fmu_instance *f, const char *format, ...)
{
    char text[1000];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    report_text(f, text);
    return false;
}

static bool report_messages(fmu_instance *f, const trm_messages *messages, const fmu_why *why)
{
    char text[1000];
    int reported = 0;
    for (int i = 0; messages && i < trm_message_count(messages); i++) {
        if (trm_message_at(messages, i)->severity != TRM_ERROR) continue;
        trm_format_message(trm_message_at(messages, i), text, sizeof text);
        report_text(f, text);
        reported++;
    }
    if (why->text[0]) report_text(f, why->text);
    if (reported == 0 && !why->text[0]) report_text(f, "out of memory");
    return false;
}

static bool report_outcome(fmu_instance *f, const trm_outcome *outcome)
{
    return fmu_refuse(f, "t = %.9g s: %s%s%s", outcome->time, outcome->element, outcome->element[0] ? ": " : "",
                      outcome->why);
}

bool fmu_may(fmu_instance *f, unsigned modes, const char *function)
{
    static const char *const names[] = {"before initialization", "during initialization", "in step mode",
                                        "in event mode", "after termination"};
    if (modes & 1u << f->mode) return true;
    return fmu_refuse(f, "%s must not be called %s", function, names[f->mode]);
}

/* ---- Machines and simulations -------------------------------------------------------------- */

static int kind_count(const fmu_machine *m, fmu_kind kind)
{
    return kind == FMU_PARAMETER     ? m->parameters
           : kind == FMU_INPUT       ? m->inputs
           : kind == FMU_MOTION      ? m->motions
           : kind == FMU_JOINT_FORCE ? m->joint_forces
                                     : 6 * m->bodies;
}

/* Returns the place of the value of a variable that can be set: parameters, inputs, joint forces, body forces. */
static double *value_of(const fmu_instance *f, fmu_kind kind, int index)
{
    int place = index;
    for (int k = FMU_PARAMETER; k < (int)kind; k++) place += kind_count(f->machine, (fmu_kind)k);
    return &f->values[place];
}

static int value_count(const fmu_machine *m)
{
    return m->parameters + m->inputs + m->motions + m->joint_forces + 6 * m->bodies;
}

/* Returns the number of inputs of the model: those of the importer, then those of motions. */
static int passed_count(const fmu_machine *m)
{
    return m->inputs + FMU_MOTION_INPUTS * m->motions;
}

static bool make_machine(fmu_instance *f, const double *parameters)
{
    fmu_why why;
    trm_messages *messages = trm_messages_create(NULL);
    fmu_machine *made = messages ? fmu_machine_create(&f->settings, parameters, messages, &why) : NULL;
    if (!made) report_messages(f, messages, messages ? &why : &(fmu_why){""});
    trm_messages_destroy(messages);
    if (!made) return false;
    trm_sim_destroy(f->sim);
    f->sim = NULL;
    fmu_machine_destroy(f->machine);
    f->machine = made;
    f->model_is_old = false;
    return true;
}

static trm_spatial body_force(void *context, const trm_state *state)
{
    const trm_spatial *force = context;
    (void)state;
    return *force;
}

/* Adds the forces of the importer, which must be known before the first step. */
static trm_status add_forces(fmu_instance *f, trm_sim *sim)
{
    const fmu_machine *m = f->machine;
    trm_status status = TRM_OK;
    for (int i = 0; i < m->joint_forces && status == TRM_OK; i++)
        status = trm_sim_add_joint_force(sim, m->joint_force[i].joint, m->joint_force[i].coordinate);
    for (int i = 0; i < m->bodies && status == TRM_OK; i++)
        status = trm_sim_add_force(sim, "importer", m->body[i], body_force, &f->body_forces[i]);
    return status;
}

/* Creates a simulation at the start of the model, which replaces the current one. Returns false after reporting why
 * it cannot. */
static bool make_sim(fmu_instance *f)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_sim *sim = NULL;
    trm_status status = TRM_OUT_OF_MEMORY;
    if (messages) status = trm_sim_create(f->machine->model, &f->machine->options, NULL, messages, &sim);
    if (status == TRM_OK) status = add_forces(f, sim);
    if (status != TRM_OK) report_messages(f, messages, &(fmu_why){""});
    trm_messages_destroy(messages);
    if (status != TRM_OK) {
        trm_sim_destroy(sim);
        return false;
    }
    trm_sim_enable_reactions(sim, trm_results_need_reactions(f->machine->columns));
    if (f->start != 0) trm_set_state_time(trm_sim_state(sim), f->start);
    trm_sim_destroy(f->sim);
    f->sim = sim;
    f->is_observed = false;
    for (int i = 0; i < passed_count(f->machine); i++) f->inputs[i] = trm_input_info_of(f->machine->model, i).start;
    return true;
}

/* Computes the inputs of motions. Each motion continues along a straight line from its present value and reaches the
 * importer's value at the end of the step; step 0: it has that value already. */
static void choose_motions(const fmu_instance *f, double step, double *next)
{
    for (int i = 0; i < f->machine->motions; i++) {
        const double *old = f->inputs + f->machine->inputs + FMU_MOTION_INPUTS * i,
                     goal = *value_of(f, FMU_MOTION, i);
        const double now = old[FMU_MOTION_POSITION] + old[FMU_MOTION_RATE] * (f->time - old[FMU_MOTION_TIME]);
        const bool there = step == 0 || fabs(goal - now) <= 4 * DBL_EPSILON * fmax(fabs(goal), fabs(now));
        next[FMU_MOTION_INPUTS * i + FMU_MOTION_POSITION] = there ? goal : now;
        next[FMU_MOTION_INPUTS * i + FMU_MOTION_RATE] = there ? 0 : (goal - now) / step;
        next[FMU_MOTION_INPUTS * i + FMU_MOTION_TIME] = f->time;
    }
}

/* Passes inputs that have changed, and forces, to the simulation. */
static bool pass_inputs(fmu_instance *f, double step)
{
    const fmu_machine *m = f->machine;
    const double *joints = value_of(f, FMU_JOINT_FORCE, 0);
    const size_t size = (size_t)passed_count(m) * sizeof *f->next;
    const double *bodies = value_of(f, FMU_BODY_FORCE, 0);
    for (int i = 0; i < m->joint_forces; i++) trm_sim_joint_forces(f->sim)[i] = joints[i];
    for (int i = 0; i < m->bodies; i++, bodies += 6)
        f->body_forces[i] = trm_sp(trm_v3(bodies[3], bodies[4], bodies[5]), trm_v3(bodies[0], bodies[1], bodies[2]));
    memcpy(f->next, value_of(f, FMU_INPUT, 0), (size_t)m->inputs * sizeof *f->next);
    choose_motions(f, step, f->next + m->inputs);
    if (size == 0 || memcmp(f->inputs, f->next, size) == 0) return true;
    memcpy(f->inputs, f->next, size);
    const trm_outcome outcome = trm_sim_inputs(f->sim, f->inputs);
    return outcome.ok || report_outcome(f, &outcome);
}

/* Observes the start, so that outputs have values. */
static bool observe_start(fmu_instance *f)
{
    if (f->model_is_old && !make_machine(f, f->values)) return false;
    if (!f->sim && !make_sim(f)) return false;
    if (f->is_observed) return true;
    if (!pass_inputs(f, 0)) return false;
    const trm_outcome outcome = trm_sim_run(f->sim, &(trm_run_def){.until = f->start, .every = NAN});
    f->is_observed = outcome.ok;
    return outcome.ok || report_outcome(f, &outcome);
}

/* ---- Opening and closing ------------------------------------------------------------------- */

static void take_starts(fmu_instance *f)
{
    for (int i = 0; i < f->machine->count; i++) {
        const fmu_variable *v = &f->machine->variables[i];
        if (v->kind != FMU_TIME && v->kind != FMU_OUTPUT) *value_of(f, v->kind, v->index) = v->start;
    }
}

static bool open_resources(fmu_instance *f, const char *token, const char *resources)
{
    if (!resources || !fmu_read_settings(resources, &f->settings))
        return fmu_refuse(f, "the resources of the FMU cannot be read from %s", resources ? resources : "nowhere");
    if (!token || strcmp(token, f->settings.token) != 0)
        return fmu_refuse(f, "the token of the FMU is %s, not %s", f->settings.token, token ? token : "NULL");
    if (!make_machine(f, NULL)) return false;
    f->values = calloc((size_t)value_count(f->machine) + 1, sizeof *f->values);
    f->inputs = calloc((size_t)passed_count(f->machine) + 1, sizeof *f->inputs);
    f->next = calloc((size_t)passed_count(f->machine) + 1, sizeof *f->next);
    f->body_forces = calloc((size_t)f->machine->bodies + 1, sizeof *f->body_forces);
    if (!f->values || !f->inputs || !f->next || !f->body_forces) return fmu_refuse(f, "out of memory");
    take_starts(f);
    return make_sim(f);
}

fmu_instance *fmu_open(const char *name, const char *token, const char *resources, fmu_callbacks callbacks)
{
    fmu_instance *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->callbacks = callbacks;
    f->stop = INFINITY;
    f->name = strdup(name ? name : "");
    if (f->name && open_resources(f, token, resources)) return f;
    f->callbacks.owner = NULL; /* the caller keeps it */
    fmu_close(f);
    return NULL;
}

void fmu_close(fmu_instance *f)
{
    if (!f) return;
    trm_sim_destroy(f->sim);
    fmu_machine_destroy(f->machine);
    fmu_free_settings(&f->settings);
    free(f->name);
    free(f->values);
    free(f->inputs);
    free(f->next);
    free(f->body_forces);
    free(f);
}

void *fmu_owner(const fmu_instance *f)
{
    return f->callbacks.owner;
}

fmu_mode fmu_mode_of(const fmu_instance *f)
{
    return f->mode;
}

void fmu_set_mode(fmu_instance *f, fmu_mode mode)
{
    f->mode = mode;
}

/* ---- Modes --------------------------------------------------------------------------------- */

bool fmu_setup(fmu_instance *f, double start, bool has_stop, double stop)
{
    if (!isfinite(start) || (has_stop && !(stop > start)))
        return fmu_refuse(f, "the start time %g s or the stop time %g s is wrong", start, stop);
    if (start != f->start) {
        trm_sim_destroy(f->sim);
        f->sim = NULL;
    }
    f->start = f->time = start;
    f->stop = has_stop ? stop : INFINITY;
    return true;
}

bool fmu_enter_initialization(fmu_instance *f)
{
    f->mode = FMU_INITIALIZING;
    return true;
}

bool fmu_exit_initialization(fmu_instance *f, fmu_mode next)
{
    if (!observe_start(f)) return false;
    f->mode = next;
    return true;
}

bool fmu_reset(fmu_instance *f)
{
    f->mode = FMU_INSTANTIATED;
    f->start = f->time = 0;
    f->stop = INFINITY;
    if (!make_machine(f, NULL)) return false;
    take_starts(f);
    return make_sim(f);
}

/* ---- Values -------------------------------------------------------------------------------- */

bool fmu_get(fmu_instance *f, const unsigned *references, size_t count, double *values)
{
    if (count > 0 && (!references || !values)) return fmu_refuse(f, "value references or values are NULL");
    for (size_t i = 0; i < count; i++) {
        if (references[i] >= (unsigned)f->machine->count)
            return fmu_refuse(f, "there is no value reference %u", references[i]);
        const fmu_variable v = f->machine->variables[references[i]];
        if (v.kind == FMU_TIME)
            values[i] = f->time;
        else if (v.kind != FMU_OUTPUT)
            values[i] = *value_of(f, v.kind, v.index);
        else if (f->mode == FMU_INSTANTIATED)
            return fmu_refuse(f, "the output '%s' has no value before initialization", v.name);
        else if (f->mode == FMU_INITIALIZING && !observe_start(f))
            return false;
        else
            values[i] = trm_result_value(f->machine->columns, v.index, trm_sim_state(f->sim));
    }
    return true;
}

static bool may_set(fmu_instance *f, unsigned reference, double value)
{
    if (reference >= (unsigned)f->machine->count) return fmu_refuse(f, "there is no value reference %u", reference);
    const fmu_variable *v = &f->machine->variables[reference];
    if (v->kind == FMU_TIME || v->kind == FMU_OUTPUT) return fmu_refuse(f, "'%s' cannot be set", v->name);
    if (v->kind == FMU_PARAMETER && f->mode > FMU_INITIALIZING)
        return fmu_refuse(f, "the parameter '%s' is fixed after initialization", v->name);
    return isfinite(value) || fmu_refuse(f, "'%s' is set to a number that is not finite", v->name);
}

/* Sets all values, or none of them. */
bool fmu_set(fmu_instance *f, const unsigned *references, size_t count, const double *values)
{
    if (count > 0 && (!references || !values)) return fmu_refuse(f, "value references or values are NULL");
    for (size_t i = 0; i < count; i++)
        if (!may_set(f, references[i], values[i])) return false;
    for (size_t i = 0; i < count; i++) {
        const fmu_variable *v = &f->machine->variables[references[i]];
        double *place = value_of(f, v->kind, v->index);
        if (memcmp(place, &values[i], sizeof values[i]) == 0) continue;
        *place = values[i];
        if (v->kind == FMU_PARAMETER) f->model_is_old = true;
        if (f->mode <= FMU_INITIALIZING) { /* the start is observed again */
            trm_sim_destroy(f->sim);
            f->sim = NULL;
            f->is_observed = false;
        }
    }
    return true;
}

double fmu_time(const fmu_instance *f)
{
    return f->time;
}

/* ---- Steps --------------------------------------------------------------------------------- */

static long long events_so_far(const fmu_instance *f)
{
    return trm_sim_event_count(f->sim) + trm_sim_counters(f->sim)->impacts;
}

/* Called after each step within a communication step, and at an event if early return is allowed; velocities are
 * projected. Returns false to end the communication step here. */
static bool on_row(void *context, const trm_state *state)
{
    fmu_instance *f = context;
    const double end = f->time;
    f->time = trm_state_time(state);
    const bool asked = f->callbacks.intermediate && f->callbacks.intermediate(f->callbacks.context, f->time);
    f->result->happened = events_so_far(f) > f->happened;
    f->result->early = asked || (f->callbacks.early_return && f->result->happened);
    f->time = end;
    return !f->result->early;
}

/* Returns the row spacing: the communication step if the current time is a multiple of it, else one so long that no
 * row falls into the step. */
static double spacing(const fmu_instance *f, double step)
{
    const double now = trm_state_time(trm_sim_state(f->sim)), own = f->machine->options.step;
    if (f->callbacks.intermediate || f->callbacks.early_return) return own;
    const double steps = now / step;
    if (steps < 1e15 && fabs(steps - round(steps)) <= SAME_TIME * fmax(1, fabs(steps))) return step;
    return ldexp(own, 40);
}

static trm_outcome run_to(fmu_instance *f, double step, double until)
{
    const bool watched = f->callbacks.intermediate || f->callbacks.early_return;
    return trm_sim_run(f->sim, &(trm_run_def){.until = until,
                                              .every = spacing(f, step),
                                              .row = watched ? on_row : NULL,
                                              .context = f,
                                              .to_event = f->callbacks.early_return});
}

bool fmu_step(fmu_instance *f, double time, double step, fmu_step_result *result)
{
    *result = (fmu_step_result){.time = f->time};
    if (!isfinite(time) || !isfinite(step) || !(step > 0))
        return fmu_refuse(f, "a communication step of %g s from %g s cannot be made", step, time);
    if (fabs(time - f->time) > SAME_TIME * fmax(step, fabs(time)))
        return fmu_refuse(f, "the communication point is %.9g s, not %.9g s", f->time, time);
    if (time + step > f->stop + SAME_TIME * fmax(step, fabs(f->stop)))
        return fmu_refuse(f, "the communication step ends at %.9g s, after the stop time %.9g s", time + step,
                          f->stop);
    if (!pass_inputs(f, step)) return false;
    f->happened = events_so_far(f);
    f->result = result;
    const trm_outcome outcome = run_to(f, step, time + step);
    f->result = NULL;
    if (!outcome.ok && !result->early) {
        result->failed = true;
        report_outcome(f, &outcome);
        trm_sim_observe(f->sim);
    }
    f->time = trm_state_time(trm_sim_state(f->sim));
    result->early = result->early && f->time < time + step - SAME_TIME * step;
    result->time = f->time;
    return true;
}

/* ---- Derivatives --------------------------------------------------------------------------- */

static bool multiply(fmu_instance *f, const trm_linearisation *l, unsigned unknown, const unsigned *knowns,
                     size_t known_count, const double *seed, double *sum)
{
    const int row = fmu_linear_output(f->machine, l, unknown);
    if (row < 0) return fmu_refuse(f, "the value reference %u is not an output", unknown);
    *sum = 0;
    for (size_t k = 0; k < known_count; k++) {
        const int column = fmu_linear_input(f->machine, knowns[k]);
        if (column < 0) return fmu_refuse(f, "the value reference %u is not an input", knowns[k]);
        *sum += l->Du[row * l->input_count + column] * seed[k];
    }
    return true;
}

bool fmu_derivative(fmu_instance *f, const unsigned *unknowns, size_t unknown_count, const unsigned *knowns,
                    size_t known_count, const double *seed, double *sensitivity)
{
    if ((unknown_count > 0 && (!unknowns || !sensitivity)) || (known_count > 0 && (!knowns || !seed)))
        return fmu_refuse(f, "an argument is NULL");
    if (!f->is_observed) return fmu_refuse(f, "there are no derivatives before the end of the initialization");
    trm_messages *messages = trm_messages_create(NULL);
    trm_linearisation *l = messages ? fmu_linearise(f->machine, trm_sim_state(f->sim), messages) : NULL;
    bool good = l != NULL;
    if (!l) fmu_refuse(f, "not all outputs of this FMU have derivatives, or it has no inputs");
    for (size_t i = 0; i < unknown_count && good; i++)
        good = multiply(f, l, unknowns[i], knowns, known_count, seed, &sensitivity[i]);
    trm_linearisation_destroy(l);
    trm_messages_destroy(messages);
    return good;
}

/* ---- States -------------------------------------------------------------------------------- */

/* Layout of a saved state: this struct, the values, the inputs that were passed on, the checkpoint of the simulation
 * (0 bytes: not created yet), a hash. */
typedef struct saved {
    char magic[8];
    uint64_t token;
    int32_t mode, is_observed;
    double start, stop, time;
    uint64_t values, inputs, sim; /* number of values, number of inputs, bytes of the checkpoint */
} saved;

static const char MAGIC[8] = {'T', 'R', 'M', 'F', 'M', 'U', '1', 0};

struct fmu_state {
    size_t length, room;
    char *bytes;
    bool failed;
};

static uint64_t hash_of(const void *bytes, size_t count)
{
    const unsigned char *b = bytes;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i++) hash = (hash ^ b[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static bool add(void *context, const char *bytes, size_t count)
{
    fmu_state *s = context;
    if (s->length + count > s->room) {
        char *more = realloc(s->bytes, 2 * (s->length + count));
        if (!more) s->failed = true;
        if (!more) return false;
        s->bytes = more;
        s->room = 2 * (s->length + count);
    }
    if (count > 0) memcpy(s->bytes + s->length, bytes, count);
    s->length += count;
    return true;
}

static void write_state(const fmu_instance *f, fmu_state *s)
{
    saved head;
    const trm_sink sink = {add, s};
    memset(&head, 0, sizeof head);
    memcpy(head.magic, MAGIC, sizeof MAGIC);
    head.token = hash_of(f->settings.token, strlen(f->settings.token));
    head.mode = (int32_t)f->mode;
    head.is_observed = f->is_observed;
    head.start = f->start;
    head.stop = f->stop;
    head.time = f->time;
    head.values = (uint64_t)value_count(f->machine);
    head.inputs = (uint64_t)passed_count(f->machine);
    s->length = 0;
    add(s, (const char *)&head, sizeof head);
    add(s, (const char *)f->values, (size_t)head.values * sizeof(double));
    add(s, (const char *)f->inputs, (size_t)head.inputs * sizeof(double));
    const size_t before = s->length;
    if (f->sim && f->is_observed && !f->model_is_old && trm_sim_save(f->sim, 0, sink) != TRM_OK) s->failed = true;
    head.sim = s->length - before;
    if (!s->failed) memcpy(s->bytes, &head, sizeof head);
    const uint64_t hash = s->failed ? 0 : hash_of(s->bytes, s->length);
    add(s, (const char *)&hash, sizeof hash);
}

fmu_state *fmu_state_get(fmu_instance *f, fmu_state *reused)
{
    fmu_state *s = calloc(1, sizeof *s);
    if (s) write_state(f, s);
    if (!s || s->failed) {
        fmu_state_free(s);
        fmu_refuse(f, "out of memory");
        return NULL;
    }
    if (!reused) return s;
    free(reused->bytes);
    *reused = *s;
    free(s);
    return reused;
}

void fmu_state_free(fmu_state *state)
{
    if (!state) return;
    free(state->bytes);
    free(state);
}

const void *fmu_state_bytes(const fmu_state *state, size_t *count)
{
    *count = state->length;
    return state->bytes;
}

/* Returns whether the bytes are a complete state of this FMU; if so, *head is its head. */
static bool is_state(const fmu_instance *f, const void *bytes, size_t count, saved *head)
{
    uint64_t hash;
    if (!bytes || count < sizeof *head + sizeof hash) return false;
    memcpy(head, bytes, sizeof *head);
    memcpy(&hash, (const char *)bytes + count - sizeof hash, sizeof hash);
    const size_t numbers = (size_t)value_count(f->machine) + (size_t)passed_count(f->machine);
    return memcmp(head->magic, MAGIC, sizeof MAGIC) == 0 && hash == hash_of(bytes, count - sizeof hash) &&
           head->token == hash_of(f->settings.token, strlen(f->settings.token)) && head->mode >= 0 &&
           head->mode < FMU_MODES && head->values == (uint64_t)value_count(f->machine) &&
           head->inputs == (uint64_t)passed_count(f->machine) && head->sim < count &&
           count == sizeof *head + numbers * sizeof(double) + head->sim + sizeof hash;
}

fmu_state *fmu_state_of_bytes(fmu_instance *f, const void *bytes, size_t count)
{
    saved head;
    if (!is_state(f, bytes, count, &head)) {
        fmu_refuse(f, "these bytes are not a state of this FMU");
        return NULL;
    }
    fmu_state *s = calloc(1, sizeof *s);
    if (s && add(s, bytes, count)) return s;
    fmu_state_free(s);
    fmu_refuse(f, "out of memory");
    return NULL;
}

/* Restores the simulation. A simulation that had not been observed is created later. */
static bool load_sim(fmu_instance *f, const char *bytes, size_t count)
{
    int64_t note;
    trm_messages *messages = trm_messages_create(NULL);
    const bool made = messages && make_sim(f);
    const bool good = made && trm_sim_load(f->sim, bytes, count, "state", &note, messages) == TRM_OK;
    if (made && !good) report_messages(f, messages, &(fmu_why){""});
    trm_messages_destroy(messages);
    return good;
}

bool fmu_state_set(fmu_instance *f, const fmu_state *state)
{
    saved head;
    if (!is_state(f, state->bytes, state->length, &head)) return fmu_refuse(f, "this is not a state of this FMU");
    const char *values = state->bytes + sizeof head, *inputs = values + head.values * sizeof(double);
    const bool other = memcmp(f->values, values, (size_t)f->machine->parameters * sizeof(double)) != 0;
    memcpy(f->values, values, (size_t)head.values * sizeof(double));
    f->start = head.start;
    f->stop = head.stop;
    f->time = head.time;
    f->mode = (fmu_mode)head.mode;
    if ((other || f->model_is_old) && !make_machine(f, f->values)) return false;
    trm_sim_destroy(f->sim);
    f->sim = NULL;
    f->is_observed = false;
    if (head.sim == 0) return true;
    if (!load_sim(f, inputs + head.inputs * sizeof(double), (size_t)head.sim)) return false;
    memcpy(f->inputs, inputs, (size_t)head.inputs * sizeof(double));
    /* Makes no step, but creates the workspace, as it was when the state was saved. Without it velocities would not
     * be projected onto inputs that are set now. */
    const trm_outcome outcome = trm_sim_run(f->sim, &(trm_run_def){.until = head.time, .every = NAN});
    f->is_observed = outcome.ok;
    return outcome.ok || report_outcome(f, &outcome);
}
