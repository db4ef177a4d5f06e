/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/controller.h"
#include "cli/reading.h"
#include "cli/simulation_options.h"
#include "controls.h"
#include "grips.h"
#include "jog.h"
#include "past.h"
#include "settings.h"

enum { MOST_CONSTANTS = 64 };

/* A constant of the model that a page has changed. */
typedef struct changed_constant {
    char name[120];
    double value;
} changed_constant;

/* A model with its data, which are replaced together. */
typedef struct loaded_model {
    char name[LONGEST_NAME]; /* name of its file */
    parcel *files;           /* files dropped on a page, including that of the model; NULL: files are on disk */
    trm_model_def *def;
    trm_model *model;
    grips *grips;
    controller *controller; /* NULL: none; a reset does not restart it */
    changed_constant constants[MOST_CONSTANTS];
    int constant_count;
} loaded_model;

struct machine {
    const command_line *line;
    loaded_model at;
    settings set;
    trm_sim *sim;
    trm_live *live;
    unsigned wanting[MOST_PAGES]; /* pages that display reactions */
    int wanting_count;
    unsigned scene;
    bool (*may_continue)(void *context); /* the watch; NULL: none */
    void *may_continue_context;
    bool was_ended;   /* the watch has ended the last step */
    double exchanged; /* number of the last exchange with the controller since the start; -1: none yet */
    past *past;       /* earlier states to which pages can return */
    char stopped[SENTENCE];
    char note[SENTENCE]; /* message about the model that was dropped last */
};

/* ---- Messages ------------------------------------------------------------------------------ */

static const trm_message *first_error(const trm_messages *messages)
{
    for (int i = 0; messages && i < trm_message_count(messages); i++)
        if (trm_message_at(messages, i)->severity == TRM_ERROR) return trm_message_at(messages, i);
    return NULL;
}

/* Writes the first error and the number of others to why. Returns false. */
static bool describe_errors(const trm_messages *messages, trm_status status, char *why)
{
    const trm_message *error = first_error(messages);
    const int more = messages ? trm_error_count(messages) - 1 : 0;
    snprintf(why, SENTENCE, "%s", status == TRM_OUT_OF_MEMORY ? "there is not enough memory" : "that cannot be done");
    const int length = error ? trm_format_message(error, why, SENTENCE) : 0;
    if (more > 0 && length > 0 && length < SENTENCE)
        snprintf(why + length, (size_t)(SENTENCE - length), " (and %d more)", more);
    drop_start(why, "error: ");
    return false;
}

static bool describe_outcome(const trm_outcome *outcome, char *why)
{
    snprintf(why, SENTENCE, "at t = %.6g s: %s%s%s", outcome->time, outcome->element, outcome->element[0] ? ": " : "",
             outcome->why);
    return false;
}

/* ---- Simulations --------------------------------------------------------------------------- */

/* Returns whether the option that is to be changed has no effect, and writes the message, "order 3 has no effect:
 * ...", to why. */
static bool has_no_effect(const trm_messages *messages, const char *changed, char *why)
{
    for (int i = 0; changed && i < trm_message_count(messages); i++) {
        const trm_message *message = trm_message_at(messages, i);
        if (message->code != TRM_MESSAGE_NO_EFFECT || strcmp(message->subject, changed) != 0) continue;
        snprintf(why, SENTENCE, "%s", message->text);
        return true;
    }
    return false;
}

/* Creates a simulation. changed: option that was set last; NULL: none. held: with forces on bodies that are or have
 * been gripped. Fails with the reason in why. */
static trm_status make_sim(machine *m, const settings *set, const char *changed, bool held, char *why, trm_sim **sim)
{
    trm_simulation_def options = *trm_model_simulation(m->at.model);
    method_choice choice = {0};
    *sim = NULL;
    if (!settings_apply(set, &options, &choice, why)) return TRM_BAD_INPUT;
    trm_messages *messages = trm_messages_create(NULL);
    trm_status status = messages ? trm_sim_create(m->at.model, &options, NULL, messages, sim) : TRM_OUT_OF_MEMORY;
    if (status == TRM_OK && held) status = grips_add_forces(m->at.grips, *sim);
    const bool is_idle = status == TRM_OK && has_no_effect(messages, changed, why);
    if (is_idle)
        status = TRM_BAD_INPUT;
    else if (status != TRM_OK)
        describe_errors(messages, status, why);
    if (status != TRM_OK) {
        trm_sim_destroy(*sim);
        *sim = NULL;
    }
    trm_messages_destroy(messages);
    return status;
}

/* Replaces the current simulation by this one. If this one cannot be observed, destroys it and returns false with the
 * reason in why. took_over: it continues the current one, and so do the curves. */
static bool adopt_sim(machine *m, trm_sim *sim, bool took_over, char *why)
{
    grips_set_step(m->at.grips, trm_sim_options(sim)->step);
    trm_sim_enable_reactions(sim, m->wanting_count > 0);
    const trm_outcome outcome = trm_sim_observe(sim);
    trm_live *live = took_over ? m->live : outcome.ok ? trm_live_create(sim, NULL) : NULL;
    if (!outcome.ok || !live) {
        snprintf(why, SENTENCE, "there is not enough memory");
        if (!outcome.ok) describe_outcome(&outcome, why);
        trm_sim_destroy(sim);
        if (m->sim) grips_set_step(m->at.grips, trm_sim_options(m->sim)->step);
        return false;
    }
    if (took_over)
        trm_live_follow(live, sim);
    else
        trm_live_destroy(m->live);
    trm_sim_destroy(m->sim);
    m->sim = sim;
    m->live = live;
    if (!took_over) m->stopped[0] = 0;
    if (!took_over) m->exchanged = -1;
    return true;
}

/* Continues from a state whose joints may be open by more than the method accepts, because another method left them
 * so. Closes them. Returns false with the reason in why. */
static bool continue_from(trm_sim *sim, const trm_state *before, char *why)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_state_copy(trm_sim_state(sim), before);
    const trm_status status = messages ? trm_assemble(trm_sim_state(sim), NULL, messages, NULL) : TRM_OUT_OF_MEMORY;
    if (status != TRM_OK)
        snprintf(why, SENTENCE, "%s",
                 status == TRM_BAD_INPUT ? "the joints are too far open to continue; reset the simulation first"
                                         : "there is not enough memory");
    trm_messages_destroy(messages);
    return status == TRM_OK;
}

bool machine_reset(machine *m, char *why)
{
    trm_sim *sim;
    if (make_sim(m, &m->set, NULL, false, why, &sim) != TRM_OK || !adopt_sim(m, sim, false, why)) return false;
    grips_release_all(m->at.grips);
    past_clear(m->past);
    return true;
}

bool machine_rewind(machine *m, double time, char *why)
{
    const trm_state *then = past_at(m->past, time);
    trm_sim *sim;
    if (!then) {
        snprintf(why, SENTENCE, "there is nothing to go back to: the simulation has not moved since its start");
        return false;
    }
    if (make_sim(m, &m->set, NULL, false, why, &sim) != TRM_OK) return false;
    trm_state_copy(trm_sim_state(sim), then);
    if (!adopt_sim(m, sim, false, why)) return false;
    grips_release_all(m->at.grips);
    return true;
}

/* ---- Poses set by pages -------------------------------------------------------------------- */

/* Returns the body of a number given by a page. Returns 0, with the reason in why, if there is no such body or if it
 * cannot move. */
static int body_of(const machine *m, double number, char *why)
{
    const int body = number > 0 && number < trm_body_count(m->at.model) ? (int)number : 0;
    if (body != number) {
        snprintf(why, SENTENCE, "there is no body %g", number);
        return 0;
    }
    if (trm_body_info_of(m->at.model, body).mass > 0) return body;
    snprintf(why, SENTENCE, "body '%s' is held; it cannot be pulled", trm_body_info_of(m->at.model, body).name);
    return 0;
}

/* Restarts the simulation from a pose, at the current time, and destroys the pose. Returns false with the reason in
 * why. */
static bool take_pose(machine *m, trm_state *pose, bool found, char *why)
{
    trm_sim *sim = NULL;
    bool taken = found && make_sim(m, &m->set, NULL, false, why, &sim) == TRM_OK;
    if (taken && !continue_from(sim, pose, why)) {
        trm_sim_destroy(sim);
        taken = false;
    }
    if (pose) trm_state_destroy(pose);
    if (!taken || !adopt_sim(m, sim, false, why)) return false;
    grips_release_all(m->at.grips);
    return true;
}

static trm_state *copy_state(const machine *m, char *why)
{
    trm_state *copy = trm_state_create(m->at.model, NULL);
    if (!copy) snprintf(why, SENTENCE, "there is not enough memory");
    if (copy) trm_state_copy(copy, trm_sim_state(m->sim));
    return copy;
}

bool machine_jog(machine *m, double coordinate, double value, char *why)
{
    trm_state *pose = copy_state(m, why);
    return take_pose(m, pose, pose && jog_coordinate(m->at.model, pose, coordinate, value, why), why);
}

bool machine_place(machine *m, double number, trm_vec3 point, trm_vec3 target, char *why)
{
    const int body = body_of(m, number, why);
    trm_state *pose = body > 0 ? copy_state(m, why) : NULL;
    return take_pose(m, pose, pose && jog_point(pose, body, point, target, why), why);
}

/* ---- Settings ------------------------------------------------------------------------------ */

bool machine_set(machine *m, const char *name, const char *value, char *why)
{
    settings set = m->set;
    trm_sim *sim;
    if (!settings_change(&set, m->sim, name, value, why)) return false;
    const bool held = grips_any(m->at.grips);
    if (make_sim(m, &set, strcmp(name, "method") == 0 ? NULL : name, held, why, &sim) != TRM_OK) return false;
    if (!continue_from(sim, trm_sim_state(m->sim), why)) {
        trm_sim_destroy(sim);
        return false;
    }
    if (!adopt_sim(m, sim, false, why)) return false;
    if (!held) grips_release_all(m->at.grips);
    m->set = set;
    return true;
}

bool machine_control(machine *m, double control, double value, char *why)
{
    return controls_set(m->sim, m->at.model, control, value, why);
}

/* ---- Models -------------------------------------------------------------------------------- */

static void unload_model(loaded_model *l)
{
    controller_end(l->controller);
    grips_destroy(l->grips);
    trm_model_destroy(l->model);
    trm_model_def_destroy(l->def);
    parcel_destroy(l->files);
}

/* Returns the constants of the command line, replaced and extended by those that pages have changed. Returns NULL if
 * out of memory. */
static trm_constant *merge_constants(const loaded_model *l, const trm_read_options *given, int *count)
{
    trm_constant *all = calloc((size_t)(given->set_count + l->constant_count) + 1, sizeof *all);
    *count = 0;
    for (int i = 0; all && i < given->set_count; i++) {
        bool changed = false;
        for (int k = 0; k < l->constant_count; k++) changed |= strcmp(given->set[i].name, l->constants[k].name) == 0;
        if (!changed) all[(*count)++] = given->set[i];
    }
    for (int k = 0; all && k < l->constant_count; k++)
        all[(*count)++] = (trm_constant){l->constants[k].name, l->constants[k].value};
    return all;
}

static trm_status read_with(loaded_model *l, trm_read_options options, trm_messages *messages)
{
    int count;
    trm_constant *set = merge_constants(l, &options, &count);
    if (!set) return TRM_OUT_OF_MEMORY;
    options.set = set;
    options.set_count = count;
    options.without_mass = true;
    const trm_status status = trm_read_model_file(l->name, &options, NULL, messages, &l->def);
    free(set);
    return status;
}

/* Reads the model. The options of the command line apply only to the file that it names. */
static trm_status read_model(machine *m, loaded_model *l, trm_messages *messages)
{
    reading r;
    trm_status status = TRM_BAD_INPUT;
    if (l->files) {
        trm_read_options options = {0};
        options.files = parcel_files(l->files, &options.file_count);
        return read_with(l, options, messages);
    }
    if (reading_begin(m->line, &r)) status = read_with(l, r.options, messages);
    reading_end(&r);
    return status;
}

/* Stores the first warning and the number of others as the message for the page on which the model was dropped. */
static void note_warnings(machine *m, const trm_messages *messages)
{
    int count = 0;
    for (int i = 0; i < trm_message_count(messages); i++)
        if (trm_message_at(messages, i)->severity == TRM_WARNING && count++ == 0)
            trm_format_message(trm_message_at(messages, i), m->note, SENTENCE);
    const size_t used = strlen(m->note);
    if (count > 1)
        snprintf(m->note + used, SENTENCE - used, " (and %d more warnings, in the terminal of trammel view)",
                 count - 1);
}

bool machine_take_note(machine *m, char *note)
{
    const bool has = m->note[0] != 0;
    if (has) snprintf(note, SENTENCE, "%s", m->note);
    m->note[0] = 0;
    return has;
}

/* Appends what to do about a file that was not dropped with the model. */
static void advise_on_file(const trm_messages *messages, char *why)
{
    const trm_message *error = first_error(messages);
    const size_t used = strlen(why);
    if (error && error->code == TRM_MESSAGE_NO_FILE)
        snprintf(why + used, SENTENCE - used, "; drop it together with the model, or a folder that holds both");
}

static bool load_model_of(machine *m, loaded_model *l, char *why)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_status status = messages ? read_model(m, l, messages) : TRM_OUT_OF_MEMORY;
    if (status == TRM_OK) status = trm_model_create(l->def, NULL, messages, &l->model);
    if (status == TRM_OK && !(l->grips = grips_create(l->model))) status = TRM_OUT_OF_MEMORY;
    if (status != TRM_OK)
        describe_errors(messages, status, why);
    else
        print_messages(messages); /* prints warnings in the terminal */
    if (status == TRM_OK && l->files) note_warnings(m, messages);
    if (status != TRM_OK && l->files) advise_on_file(messages, why);
    trm_messages_destroy(messages);
    return status == TRM_OK;
}

/* Starts a controller for the model that the command line names; a dropped model has none. On failure destroys the
 * simulation and returns false with the reason in why. */
static bool start_controller(machine *m, loaded_model *l, trm_sim *sim, char *why)
{
    trm_messages *messages = l->files ? NULL : trm_messages_create(NULL);
    const bool started = l->files || (messages && controller_begin("view", m->line, l->model, trm_sim_options(sim),
                                                                   messages, &l->controller));
    m->at.controller = l->controller;
    if (messages) print_messages(messages);
    trm_messages_destroy(messages);
    if (started) return true;
    snprintf(why, SENTENCE, "the controller could not be started");
    trm_sim_destroy(sim);
    return false;
}

/* Replaces the current model by this one, from its start. If it cannot be simulated, the current one stays, and the
 * function returns false with the reason in why. */
static bool take_model(machine *m, loaded_model *l, const settings *set, char *why)
{
    const machine before = *m;
    trm_sim *sim;
    m->at = *l;
    if (make_sim(m, set, NULL, false, why, &sim) != TRM_OK || !start_controller(m, l, sim, why) ||
        !adopt_sim(m, sim, false, why)) {
        *m = before;
        m->note[0] = 0;
        unload_model(l);
        return false;
    }
    loaded_model old = before.at;
    if (old.model) unload_model(&old);
    m->set = *set;
    m->scene++;
    past_clear(m->past);
    return true;
}

/* Sets a constant for the next reading of the model; "none": the value of the model. Returns false with the reason in
 * why. */
static bool change_constant(loaded_model *l, const char *name, const char *value, char *why)
{
    double number = 0;
    char reason[200];
    const bool back = strcmp(value, "none") == 0;
    int i = 0;
    while (i < l->constant_count && strcmp(l->constants[i].name, name) != 0) i++;
    if (!back && !trm_evaluate(value, &number, reason, sizeof reason)) {
        snprintf(why, SENTENCE, "constant %s: \"%s\" is not a number: %s", name, value, reason);
        return false;
    }
    if (i == MOST_CONSTANTS || strlen(name) >= sizeof l->constants[0].name) {
        snprintf(why, SENTENCE, "constant %s: no more than %d constants can be changed here", name, MOST_CONSTANTS);
        return false;
    }
    if (back && i < l->constant_count) l->constants[i] = l->constants[--l->constant_count];
    if (back) return true;
    snprintf(l->constants[i].name, sizeof l->constants[i].name, "%s", name);
    l->constants[i].value = number;
    if (i == l->constant_count) l->constant_count++;
    return true;
}

bool machine_set_constant(machine *m, const char *name, const char *value, char *why)
{
    const settings set = m->set;
    loaded_model l = {.constant_count = m->at.constant_count};
    memcpy(l.name, m->at.name, sizeof l.name);
    memcpy(l.constants, m->at.constants, sizeof l.constants);
    if (!change_constant(&l, name, value, why)) return false;
    if (m->at.files) l.files = parcel_share(m->at.files);
    if (load_model_of(m, &l, why)) return take_model(m, &l, &set, why);
    unload_model(&l);
    return false;
}

bool machine_replace(machine *m, const char *name, const char *text, size_t length, char *why)
{
    parcel *files = parcel_create();
    snprintf(why, SENTENCE, "there is not enough memory");
    if (files && parcel_add(files, name, text, length, why)) return machine_load(m, name, files, why);
    parcel_destroy(files);
    return false;
}

/* Returns whether there is a model file of this name among the files that is not too large; otherwise false with the
 * reason in why. */
static bool has_model(const parcel *files, const char *name, char *why)
{
    const trm_file *file = files ? parcel_file(files, name) : NULL;
    if (!file)
        snprintf(why, SENTENCE, "no file of the name %s was sent", name);
    else if (file->length > MOST_REQUEST_BYTES)
        snprintf(why, SENTENCE, "%s is too large: a model file may have 4 MiB", name);
    return file && file->length <= MOST_REQUEST_BYTES;
}

bool machine_load(machine *m, const char *name, parcel *files, char *why)
{
    const settings none = {0};
    loaded_model l = {.files = files};
    snprintf(l.name, sizeof l.name, "%s", name);
    if (has_model(files, name, why) && load_model_of(m, &l, why)) return take_model(m, &l, &none, why);
    unload_model(&l);
    return false;
}

bool machine_reload(machine *m, char *why)
{
    loaded_model l = {0};
    if (m->at.files) {
        snprintf(why, SENTENCE, "%s was dropped on the page, so its file is not known here; drop it again",
                 m->at.name);
        return false;
    }
    memcpy(l.name, m->at.name, sizeof l.name);
    if (load_model_of(m, &l, why)) return take_model(m, &l, &m->set, why);
    unload_model(&l);
    return false;
}

machine *machine_open(const command_line *line, char *why)
{
    machine *m = calloc(1, sizeof *m);
    loaded_model l = {0};
    settings set = {0};
    bool opened = false;
    if (m) m->past = past_create();
    if (!m || !m->past)
        snprintf(why, SENTENCE, "there is not enough memory");
    else if (strlen(line->words[0]) >= sizeof l.name || !settings_read(line, &set))
        snprintf(why, SENTENCE, "the name of the model's file, or an option, is too long");
    else {
        m->line = line;
        memcpy(l.name, line->words[0], strlen(line->words[0]));
        if (load_model_of(m, &l, why))
            opened = take_model(m, &l, &set, why);
        else
            unload_model(&l);
    }
    if (opened) return m;
    if (m) past_destroy(m->past);
    free(m);
    return NULL;
}

void machine_close(machine *m)
{
    trm_live_destroy(m->live);
    trm_sim_destroy(m->sim);
    unload_model(&m->at);
    past_destroy(m->past);
    free(m);
}

/* ---- The mouse ----------------------------------------------------------------------------- */

/* Makes sure that the simulation permits a force on the body, which it must know before its first step. Returns false
 * with the reason in why. */
static bool prepare_grip(machine *m, int body, char *why)
{
    trm_sim *sim;
    if (grips_knows(m->at.grips, body)) return true;
    grips_learn(m->at.grips, body, true);
    if (make_sim(m, &m->set, NULL, true, why, &sim) == TRM_OK) {
        trm_sim_take_over(sim, m->sim);
        if (adopt_sim(m, sim, true, why)) return true;
    }
    grips_learn(m->at.grips, body, false);
    return false;
}

bool machine_grab(machine *m, unsigned page, double number, trm_vec3 point, char *why)
{
    const int body = body_of(m, number, why);
    if (body == 0) return false;
    grips_release(m->at.grips, page);
    if (!prepare_grip(m, body, why)) return false;
    grips_hold(m->at.grips, page, body, point, trm_point_position(trm_sim_state(m->sim), body, point));
    return true;
}

void machine_pull(machine *m, unsigned page, trm_vec3 target)
{
    grips_pull(m->at.grips, page, target);
}

void machine_release(machine *m, unsigned page)
{
    grips_release(m->at.grips, page);
}

void machine_enable_reactions(machine *m, unsigned page, bool wanted)
{
    int kept = 0;
    for (int i = 0; i < m->wanting_count; i++)
        if (m->wanting[i] != page) m->wanting[kept++] = m->wanting[i];
    if (wanted && kept < MOST_PAGES) m->wanting[kept++] = page;
    m->wanting_count = kept;
    trm_sim_enable_reactions(m->sim, kept > 0);
}

void machine_forget_page(machine *m, unsigned page)
{
    machine_release(m, page);
    machine_enable_reactions(m, page, false);
}

/* ---- Steps --------------------------------------------------------------------------------- */

static bool is_to_go_on(void *context)
{
    machine *m = context;
    m->was_ended = !m->may_continue(m->may_continue_context);
    return !m->was_ended;
}

void machine_set_watch(machine *m, bool (*may_continue)(void *context), void *context)
{
    m->may_continue = may_continue;
    m->may_continue_context = context;
}

/* Calls the controller at multiples of its period. Shortens *h so that the step ends at the next of them. */
static trm_outcome control(machine *m, double *h)
{
    static const double SAME_TIME = 1e-6; /* of the period */
    trm_outcome outcome = {.ok = true};
    if (!m->at.controller) return outcome;
    const double period = controller_period(m->at.controller), now = machine_time(m) / period;
    const double last = floor(now + SAME_TIME), left = (last + 1 - now) * period;
    if (*h > left * (1 - SAME_TIME)) *h = left;
    if (now - last > SAME_TIME || last == m->exchanged) return outcome; /* an interrupted step is continued */
    outcome = trm_sim_observe(m->sim);
    if (outcome.ok) outcome = controller_exchange(m->at.controller, m->sim);
    m->exchanged = last;
    return outcome;
}

bool machine_step(machine *m)
{
    if (m->stopped[0]) return false;
    m->was_ended = false;
    trm_sim_set_watch(m->sim, m->may_continue ? is_to_go_on : NULL, m);
    const double before = machine_time(m);
    past_keep(m->past, m->at.model, trm_sim_state(m->sim));
    double h = machine_step_length(m);
    trm_outcome outcome = control(m, &h);
    if (outcome.ok) outcome = trm_sim_step(m->sim, h);
    if (outcome.ok && machine_time(m) == before)
        snprintf(m->stopped, sizeof m->stopped, "at t = %.6g s: the step of %g s is too short to change the time",
                 before, h);
    else if (!outcome.ok && !m->was_ended)
        describe_outcome(&outcome, m->stopped);
    return !m->stopped[0];
}

double machine_time(const machine *m)
{
    return trm_state_time(trm_sim_state(m->sim));
}

double machine_step_length(const machine *m)
{
    return trm_sim_options(m->sim)->step;
}

const char *machine_stopped(const machine *m)
{
    return m->stopped;
}

unsigned machine_scene(const machine *m)
{
    return m->scene;
}

/* ---- For pages ----------------------------------------------------------------------------- */

bool machine_write_scene(const machine *m, trm_sink sink)
{
    const char *name = trm_model_name(m->at.model);
    return trm_live_write_scene(m->live, name[0] ? name : m->at.name, m->scene, sink) == TRM_OK;
}

static void put_words(trm_json_writer *w, const char *key, const char *const *words)
{
    trm_json_open_array_flat(w, key);
    while (*words) trm_json_put_text(w, NULL, *words++);
    trm_json_close(w);
}

static void put_choice(trm_json_writer *w, const trm_option_choice *choice)
{
    const char *text = choice->at_work.text;
    trm_json_open_object_flat(w, NULL);
    trm_json_put_text(w, "name", choice->at_work.name);
    if (choice->is_number)
        trm_json_put_number(w, "value", choice->at_work.number);
    else
        trm_json_put_text(w, "value", text ? text : "");
    trm_json_put_bool(w, "given", choice->is_given);
    if (choice->words) put_words(w, "words", choice->words);
    trm_json_put_text(w, "says", choice->description);
    trm_json_close(w);
}

static void put_options(const machine *m, trm_json_writer *w)
{
    const trm_simulation_def *o = trm_sim_options(m->sim);
    trm_option_choice choice;
    trm_json_open_object_flat(w, NULL);
    trm_json_put_text(w, "method", o->method);
    trm_json_put_text(w, "solver", o->solver);
    put_words(w, "solvers", trm_sim_solvers(m->sim));
    trm_json_put_text(w, "scheme", o->scheme);
    trm_json_put_text(w, "impact", o->impact);
    trm_json_put_number(w, "order", o->order);
    trm_json_put_number(w, "step", o->step);
    trm_json_put_number(w, "tolerance", o->position_tolerance);
    trm_json_put_number(w, "error", o->error);
    trm_json_put_text(w, "start", o->start ? o->start : "");
    trm_json_open_array_flat(w, "own");
    for (int i = 0; trm_sim_method_choice(m->sim, i, &choice); i++) put_choice(w, &choice);
    trm_json_close(w);
    trm_json_close(w);
}

/* Writes the constants of the model with their present values, and the range of times to which pages can return. */
static bool write_constants(const machine *m, trm_sink sink)
{
    const trm_model_def *def = m->at.def;
    trm_json_writer w = trm_json_begin(sink);
    trm_json_open_array_flat(&w, NULL);
    for (int i = 0; i < def->constant_count && i < MOST_CONSTANTS; i++) {
        bool changed = false;
        for (int k = 0; k < m->at.constant_count; k++)
            changed |= strcmp(def->constants[i].name, m->at.constants[k].name) == 0;
        trm_json_open_object_flat(&w, NULL);
        trm_json_put_text(&w, "name", def->constants[i].name);
        trm_json_put_number(&w, "value", def->constants[i].value);
        trm_json_put_bool(&w, "changed", changed);
        trm_json_close(&w);
    }
    trm_json_close(&w);
    char text[80];
    snprintf(text, sizeof text, isnan(past_start(m->past)) ? ", \"past\": null" : ", \"past\": [%.17g, %.17g]",
             past_start(m->past), past_end(m->past));
    return trm_json_end(&w) && trm_put_text(sink, text);
}

static bool write_head(const machine *m, const machine_status *status, trm_sink sink)
{
    char head[200];
    trm_json_writer w = trm_json_begin(sink);
    snprintf(head, sizeof head,
             "{ \"kind\": \"status\", \"playing\": %s, \"late\": %s, \"speed\": %.17g, \"pace\": %.6g, \"pages\": "
             "%d, \"options\": ",
             status->playing ? "true" : "false", status->late ? "true" : "false", status->speed, status->pace,
             status->pages);
    if (!trm_put_text(sink, head)) return false;
    put_options(m, &w);
    return trm_json_end(&w) && trm_put_text(sink, ", \"controls\": ") && controls_write(m->sim, m->at.model, sink) &&
           trm_put_text(sink, ", \"joints\": ") && jog_write(m->at.model, trm_sim_state(m->sim), sink) &&
           trm_put_text(sink, ", \"constants\": ") && write_constants(m, sink);
}

static bool write_text(const char *key, const char *text, trm_sink sink)
{
    trm_json_writer w = trm_json_begin(sink);
    if (!trm_put_text(sink, ", \"") || !trm_put_text(sink, key) || !trm_put_text(sink, "\": ")) return false;
    trm_json_put_text(&w, NULL, text);
    return trm_json_end(&w);
}

bool machine_write_status(const machine *m, const machine_status *status, trm_sink sink)
{
    return write_head(m, status, sink) && write_text("file", m->at.name, sink) &&
           write_text("stopped", m->stopped, sink) && trm_put_text(sink, ", \"report\": ") &&
           trm_write_report_json(m->sim, m->stopped[0] ? m->stopped : "ok", status->wall, sink) &&
           trm_put_text(sink, "}\n");
}

bool machine_observe(machine *m)
{
    const trm_outcome outcome = trm_sim_observe(m->sim);
    if (!outcome.ok && !m->stopped[0]) describe_outcome(&outcome, m->stopped);
    return outcome.ok;
}

bool machine_write_row(const machine *m, trm_sink sink)
{
    return trm_live_write_row(m->live, sink);
}

bool machine_write_frame(machine *m, unsigned number, trm_sink sink)
{
    const trm_state *state = trm_sim_state(m->sim);
    trm_grip list[MOST_PAGES];
    machine_observe(m);
    const int count = grips_list(m->at.grips, state, list);
    const trm_frame_def def = {m->scene, number, m->wanting_count > 0, list, count};
    return trm_live_write_frame(m->live, &def, sink);
}
