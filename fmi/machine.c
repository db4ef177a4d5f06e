/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/simulation_options.h"

/* ---- Settings ------------------------------------------------------------------------------ */

static bool put_line(trm_sink sink, const char *key, const char *value)
{
    return !value || (trm_put_text(sink, key) && trm_put_text(sink, " ") && trm_put_text(sink, value) &&
                      trm_put_text(sink, "\n"));
}

bool fmu_write_settings(const fmu_settings *s, trm_sink sink)
{
    bool good = put_line(sink, "token", s->token) && put_line(sink, "inputs", s->inputs) &&
                put_line(sink, "outputs", s->outputs);
    if (s->plain) good = good && put_line(sink, "plain", "yes");
    for (int i = 0; i < s->option_count; i++) good = good && put_line(sink, s->options[i], s->values[i]);
    for (int i = 0; i < s->set_count; i++) good = good && put_line(sink, "--set", s->set[i]);
    return good;
}

bool fmu_add_option(fmu_settings *s, const char *name, const char *value)
{
    const bool is_set = strcmp(name, "--set") == 0;
    int *count = is_set ? &s->set_count : &s->option_count;
    if (*count == FMU_MOST_OPTIONS) return false;
    char **place = is_set ? &s->set[*count] : &s->values[*count];
    *place = strdup(value);
    if (!is_set) s->options[*count] = strdup(name);
    const bool good = *place && (is_set || s->options[*count]);
    ++*count;
    return good;
}

/* Reads one line, "key value", which is cut in place. */
static bool take_line(fmu_settings *s, char *line)
{
    char *value = strchr(line, ' ');
    if (!value) return line[0] == 0;
    *value++ = 0;
    char **place = strcmp(line, "token") == 0     ? &s->token
                   : strcmp(line, "inputs") == 0  ? &s->inputs
                   : strcmp(line, "outputs") == 0 ? &s->outputs
                                                  : NULL;
    if (place) return !*place && (*place = strdup(value)) != NULL;
    if (strcmp(line, "plain") == 0) return s->plain = true;
    return fmu_add_option(s, line, value);
}

/* Returns a file of a folder as text; the caller frees it. Returns NULL if it cannot be read. */
static char *read_text(const char *folder, const char *name)
{
    const size_t length = strlen(folder) + strlen(name) + 2;
    char *path = malloc(length), *text = NULL;
    if (path) snprintf(path, length, "%s/%s", folder, name);
    FILE *file = path ? fopen(path, "rb") : NULL;
    long size = -1;
    if (file && fseek(file, 0, SEEK_END) == 0) size = ftell(file);
    if (size >= 0) text = malloc((size_t)size + 1);
    if (text) {
        rewind(file);
        text[fread(text, 1, (size_t)size, file)] = 0;
    }
    if (file) fclose(file);
    free(path);
    return text;
}

bool fmu_read_settings(const char *folder, fmu_settings *s)
{
    char *lines = read_text(folder, "trammel.txt");
    *s = (fmu_settings){.text = read_text(folder, "model.json")};
    bool good = lines && s->text;
    for (char *line = lines, *next; good && line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        good = take_line(s, line);
    }
    free(lines);
    return good && s->token;
}

void fmu_free_settings(fmu_settings *s)
{
    free(s->text);
    free(s->inputs);
    free(s->outputs);
    free(s->token);
    for (int i = 0; i < FMU_MOST_OPTIONS; i++) free(s->options[i]), free(s->values[i]), free(s->set[i]);
    *s = (fmu_settings){0};
}

/* ---- Variables ----------------------------------------------------------------------------- */

static bool is_taken(const fmu_machine *m, const char *name)
{
    for (int i = 0; i < m->count; i++)
        if (strcmp(m->variables[i].name, name) == 0) return true;
    return false;
}

/* Adds a variable. Names must differ: a constant with the name of an earlier variable gets its kind before its
 * name. */
static void add_variable(fmu_machine *m, const char *name, fmu_variable v)
{
    static const char *const kinds[] = {"time", "constant", "input", "motion", "force", "force", "output"};
    if (m->count == m->room) {
        const int room = m->room > 0 ? 2 * m->room : 64;
        fmu_variable *more = realloc(m->variables, (size_t)room * sizeof *more);
        if (!more) m->out_of_memory = true;
        if (!more) return;
        m->variables = more;
        m->room = room;
    }
    const size_t length = strlen(name) + 16;
    v.name = malloc(length);
    if (!v.name) m->out_of_memory = true;
    if (!v.name) return;
    const bool taken = v.kind != FMU_OUTPUT && is_taken(m, name);
    snprintf(v.name, length, "%s%s%s", taken ? kinds[v.kind] : "", taken ? "." : "", name);
    if (!v.unit) v.unit = "";
    m->variables[m->count++] = v;
}

/* ---- Patterns ------------------------------------------------------------------------------ */

enum { MOST_PATTERNS = 256 };

/* Inputs that the user requests besides those of the model. */
typedef struct chooser {
    const char *patterns;
    bool used[MOST_PATTERNS];
} chooser;

static bool fits(const char *pattern, size_t length, const char *name)
{
    if (length == 0) return *name == 0;
    if (*pattern != '*') return *name == *pattern && fits(pattern + 1, length - 1, name + 1);
    for (;; name++) {
        if (fits(pattern + 1, length - 1, name)) return true;
        if (*name == 0) return false;
    }
}

static const char *next_pattern(const char **text, size_t *length)
{
    *text += strspn(*text, ", ");
    const char *pattern = *text;
    *length = strcspn(pattern, ",");
    *text += *length;
    while (*length > 0 && pattern[*length - 1] == ' ') --*length;
    return *length > 0 ? pattern : NULL;
}

static bool is_chosen(chooser *c, const char *name)
{
    const char *text = c->patterns, *pattern;
    size_t length;
    bool chosen = false;
    for (int i = 0; text && i < MOST_PATTERNS && (pattern = next_pattern(&text, &length)); i++)
        if (fits(pattern, length, name)) chosen = c->used[i] = true;
    return chosen;
}

/* ---- Functions that become inputs ---------------------------------------------------------- */

/* A function of time that an input replaces. */
typedef struct replaced {
    char name[200];      /* "s1.target" */
    char identifier[32]; /* name in expressions */
} replaced;

/* A motion of a drive that inputs replace. */
typedef struct replaced_motion {
    char name[200];                          /* "d1.motion" */
    char identifiers[FMU_MOTION_INPUTS][40]; /* of p, v, t0 in the expression */
    char expression[200];
    const char *joint; /* joint that is driven */
    double start;
} replaced_motion;

typedef struct replacing {
    chooser *chooser;
    replaced *list;
    int count, room;
    replaced_motion *motions; /* memory for one per joint */
    int motion_count;
    bool out_of_memory;
} replacing;

/* Returns the initial value of the input: the value of the function if it is a number, else 0. */
static double start_of(const trm_function_def *f)
{
    char why[200];
    double value;
    if (f->kind == TRM_FUNCTION_CONSTANT) return f->value;
    return f->kind == TRM_FUNCTION_EXPRESSION && trm_evaluate(f->expression, &value, why, sizeof why) &&
                   isfinite(value)
               ? value
               : 0;
}

static void offer_function(replacing *r, trm_model_def *def, const char *owner, const char *part,
                           trm_function_def *function)
{
    char name[200];
    if (!owner || snprintf(name, sizeof name, "%s.%s", owner, part) >= (int)sizeof name ||
        !is_chosen(r->chooser, name))
        return;
    if (r->count == r->room) { /* the definition borrows the identifiers, so that the list cannot move */
        r->out_of_memory = true;
        return;
    }
    replaced *one = &r->list[r->count];
    trm_input_def input = trm_default_input_def();
    memcpy(one->name, name, sizeof name);
    snprintf(one->identifier, sizeof one->identifier, "fmu_input_%d", r->count);
    input.name = one->identifier;
    input.start = start_of(function);
    *function = trm_expression_function(one->identifier);
    if (trm_add_input(def, &input) != TRM_OK) r->out_of_memory = true;
    r->count++;
}

static bool has_type(const char *type, const char *name)
{
    return type && strcmp(type, name) == 0;
}

static void offer_force(replacing *r, trm_model_def *def, trm_force_def *f)
{
    static const char *const parts[] = {"value1", "value2", "value3"};
    if (has_type(f->type, "servo")) {
        offer_function(r, def, f->name, "target", &f->target);
        if (f->has_velocity) offer_function(r, def, f->name, "velocity", &f->velocity);
    }
    if (has_type(f->type, "effort") || has_type(f->type, "actuator") || has_type(f->type, "servo"))
        offer_function(r, def, f->name, "value", &f->value[0]);
    for (int k = 0; k < 3 && (has_type(f->type, "force") || has_type(f->type, "torque")); k++)
        offer_function(r, def, f->name, parts[k], &f->value[k]);
}

/* Returns the value of the driven coordinate at the start. */
static double start_of_motion(const trm_model_def *def, const trm_joint_def *drive)
{
    const int k = isnan(drive->coordinate) ? 0 : (int)drive->coordinate - 1;
    for (int i = 0; drive->joint && k >= 0 && k < TRM_JOINT_COORDINATES && i < def->joint_count; i++)
        if (def->joints[i].name && strcmp(def->joints[i].name, drive->joint) == 0)
            return isfinite(def->joints[i].q0[k]) ? def->joints[i].q0[k] : 0;
    return 0;
}

/* Replaces the motion of a drive by p + v (t - t0). */
static void offer_motion(replacing *r, trm_model_def *def, trm_joint_def *drive)
{
    static const char parts[] = "pvt";
    replaced_motion *one = &r->motions[r->motion_count];
    if (!drive->name || snprintf(one->name, sizeof one->name, "%s.motion", drive->name) >= (int)sizeof one->name ||
        !is_chosen(r->chooser, one->name))
        return;
    one->joint = drive->joint;
    one->start = start_of_motion(def, drive);
    for (int k = 0; k < FMU_MOTION_INPUTS; k++) {
        trm_input_def input = trm_default_input_def();
        snprintf(one->identifiers[k], sizeof one->identifiers[k], "fmu_motion_%d_%c", r->motion_count, parts[k]);
        input.name = one->identifiers[k];
        input.start = k == FMU_MOTION_POSITION ? one->start : 0;
        input.in_motions = true;
        if (trm_add_input(def, &input) != TRM_OK) r->out_of_memory = true;
    }
    snprintf(one->expression, sizeof one->expression, "%s + %s*(t - %s)", one->identifiers[0], one->identifiers[1],
             one->identifiers[2]);
    drive->motion = trm_expression_function(one->expression);
    r->motion_count++;
}

static void offer_functions(replacing *r, trm_model_def *def)
{
    for (int i = 0; i < def->force_count; i++) offer_force(r, def, &def->forces[i]);
    for (int i = 0; i < def->joint_count; i++)
        if (has_type(def->joints[i].type, "motor"))
            offer_function(r, def, def->joints[i].name, "velocity", &def->joints[i].velocity);
    for (int i = 0; i < def->joint_count; i++) /* drives come after all others, because their inputs are the last */
        if (has_type(def->joints[i].type, "drive")) offer_motion(r, def, &def->joints[i]);
}

/* ---- Forces -------------------------------------------------------------------------------- */

static void offer_joint_forces(fmu_machine *m, chooser *c)
{
    const int count = trm_coordinate_count(m->model);
    m->joint_force = calloc((size_t)count + 1, sizeof *m->joint_force);
    if (!m->joint_force) m->out_of_memory = true;
    for (int i = 0; i < count && m->joint_force; i++) {
        char name[300];
        const trm_coordinate_name at = trm_coordinate_at(m->model, i);
        const trm_joint_info joint = trm_joint_info_of(m->model, at.joint);
        const bool length = strcmp(trm_coordinate_unit(m->model, i), "m") == 0;
        const int size = joint.coordinates > 1
                             ? snprintf(name, sizeof name, "%s.force%d", joint.name, at.coordinate + 1)
                             : snprintf(name, sizeof name, "%s.force", joint.name);
        if (size >= (int)sizeof name || !is_chosen(c, name)) continue;
        add_variable(m, name,
                     (fmu_variable){.kind = FMU_JOINT_FORCE,
                                    .index = m->joint_forces,
                                    .unit = length ? "N" : "N m",
                                    .min = -INFINITY,
                                    .max = INFINITY});
        m->joint_force[m->joint_forces++] = at;
    }
}

static void offer_body_forces(fmu_machine *m, chooser *c)
{
    static const char *const parts[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
    m->body = calloc((size_t)trm_body_count(m->model), sizeof *m->body);
    if (!m->body) m->out_of_memory = true;
    for (int i = 1; i < trm_body_count(m->model) && m->body; i++) {
        const trm_body_info body = trm_body_info_of(m->model, i);
        const int before = m->count;
        for (int k = 0; k < 6 && body.mass > 0; k++) {
            char name[300];
            const bool turns = body.kind != TRM_BODY_POINT || k < 3;
            if (!turns || snprintf(name, sizeof name, "%s.%s", body.name, parts[k]) >= (int)sizeof name ||
                !is_chosen(c, name))
                continue;
            add_variable(m, name,
                         (fmu_variable){.kind = FMU_BODY_FORCE,
                                        .index = 6 * m->bodies + k,
                                        .unit = k < 3 ? "N" : "N m",
                                        .min = -INFINITY,
                                        .max = INFINITY});
        }
        if (m->count > before) m->body[m->bodies++] = i;
    }
}

/* ---- The list ------------------------------------------------------------------------------ */

static void list_inputs(fmu_machine *m, const replacing *r)
{
    m->motions = r->motion_count;
    m->inputs = trm_input_count(m->model) - FMU_MOTION_INPUTS * m->motions;
    const int own = m->inputs - r->count; /* inputs of the file come first */
    for (int i = 0; i < m->inputs; i++) {
        const trm_input_def input = trm_input_info_of(m->model, i);
        add_variable(
            m, i < own ? input.name : r->list[i - own].name,
            (fmu_variable){
                .kind = FMU_INPUT, .index = i, .start = input.start, .min = input.range[0], .max = input.range[1]});
    }
}

static void list_motions(fmu_machine *m, const replacing *r)
{
    for (int i = 0; i < r->motion_count; i++) {
        const replaced_motion *one = &r->motions[i];
        const int joint = trm_find_joint(m->model, one->joint);
        const char *unit = "";
        for (int k = 0; k < trm_coordinate_count(m->model); k++)
            if (trm_coordinate_at(m->model, k).joint == joint) unit = trm_coordinate_unit(m->model, k);
        add_variable(m, one->name,
                     (fmu_variable){.kind = FMU_MOTION,
                                    .index = i,
                                    .unit = unit,
                                    .start = one->start,
                                    .min = -INFINITY,
                                    .max = INFINITY});
    }
}

/* Lists all columns except the time and the inputs, which are variables already. */
static void list_outputs(fmu_machine *m)
{
    for (int i = 0; i < trm_result_count(m->columns); i++) {
        const char *name = trm_result_name(m->columns, i);
        if (strcmp(name, "t") == 0 || trm_find_input(m->model, name) >= 0) continue;
        add_variable(m, name, (fmu_variable){.kind = FMU_OUTPUT, .index = i, .unit = trm_result_unit(m->columns, i)});
    }
}

/* Lists all variables. Most of them are outputs, whose names differ from each other: only other names are compared
 * with all. */
static void list_variables(fmu_machine *m, chooser *c, const replacing *r, bool plain)
{
    add_variable(m, "time", (fmu_variable){.kind = FMU_TIME, .unit = "s"});
    list_outputs(m);
    list_inputs(m, r);
    list_motions(m, r);
    offer_joint_forces(m, c);
    offer_body_forces(m, c);
    m->parameters = plain ? 0 : m->def->constant_count;
    for (int i = 0; i < m->parameters; i++)
        add_variable(m, m->def->constants[i].name,
                     (fmu_variable){.kind = FMU_PARAMETER,
                                    .index = i,
                                    .start = m->def->constants[i].value,
                                    .min = -INFINITY,
                                    .max = INFINITY});
}

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(fmu_variable *const *)a)->name, (*(fmu_variable *const *)b)->name);
}

/* Numbers outputs with equal names, such as a sensor and a body, except one of them. */
static void number_equal_names(fmu_machine *m)
{
    fmu_variable **sorted = calloc((size_t)m->count + 1, sizeof *sorted);
    if (!sorted) m->out_of_memory = true;
    for (int i = 0; sorted && i < m->count; i++) sorted[i] = &m->variables[i];
    if (sorted) qsort(sorted, (size_t)m->count, sizeof *sorted, compare_names);
    for (int i = 1, number = 2; sorted && i < m->count; i++) {
        if (strcmp(sorted[i - 1]->name, sorted[i]->name) != 0) continue;
        const size_t length = strlen(sorted[i]->name) + 16;
        char *other = malloc(length);
        if (!other) m->out_of_memory = true;
        if (!other) break;
        snprintf(other, length, "%s#%d", sorted[i - 1]->name, number++);
        free(sorted[i - 1]->name);
        sorted[i - 1]->name = other;
    }
    free(sorted);
}

/* Returns whether every pattern of --inputs matches something; reports the others in why. */
static bool are_all_used(const chooser *c, fmu_why *why)
{
    const char *text = c->patterns, *pattern;
    size_t length;
    for (int i = 0; text && i < MOST_PATTERNS && (pattern = next_pattern(&text, &length)); i++) {
        if (c->used[i]) continue;
        snprintf(why->text, sizeof why->text,
                 "no input matches \"%.*s\"; inputs are those of the model, SERVO.target, FORCE.value, "
                 "MOTOR.velocity, DRIVE.motion, JOINT.force, "
                 "BODY.fx to .tz",
                 (int)length, pattern);
        return false;
    }
    return true;
}

/* ---- Creating ------------------------------------------------------------------------------ */

/* Reads "NAME=VALUE" as a constant, whose name the caller frees. Returns false with the reason in why. */
static bool read_constant(const char *text, trm_constant *made, fmu_why *why)
{
    const char *equals = strchr(text, '=');
    if (!equals || !trm_evaluate(equals + 1, &made->value, why->text, sizeof why->text)) return false;
    made->name = strndup(text, (size_t)(equals - text));
    return made->name != NULL;
}

/* Sets the constants to those of the settings or of the importer. `before` is the definition that contains their
 * names. */
static bool choose_constants(const fmu_settings *s, const trm_model_def *before, const double *parameters,
                             trm_constant *set, int *count, fmu_why *why)
{
    *count = 0;
    for (int i = 0; parameters && !s->plain && i < before->constant_count; i++) {
        set[i] = (trm_constant){strdup(before->constants[i].name), parameters[i]};
        if (!set[(*count)++].name) return false;
    }
    for (int i = 0; (!parameters || s->plain) && i < s->set_count; i++)
        if (!read_constant(s->set[i], &set[(*count)++], why)) return false;
    return true;
}

static bool read_definition(fmu_machine *m, const fmu_settings *s, const double *parameters, trm_messages *messages,
                            fmu_why *why)
{
    const size_t length = strlen(s->text);
    if (trm_read_model_text(s->text, length, "model.json", NULL, NULL, messages, &m->def) != TRM_OK) return false;
    if (s->set_count == 0 && (!parameters || s->plain)) return true;
    trm_model_def *before = m->def;
    int count = 0;
    trm_constant *set = calloc((size_t)(before->constant_count + FMU_MOST_OPTIONS), sizeof *set);
    const bool chosen = set && choose_constants(s, before, parameters, set, &count, why);
    const trm_read_options options = {.set = set, .set_count = count};
    m->def = NULL;
    const bool good =
        chosen && trm_read_model_text(s->text, length, "model.json", &options, NULL, messages, &m->def) == TRM_OK;
    for (int i = 0; set && i < count; i++) free((char *)(uintptr_t)set[i].name);
    free(set);
    trm_model_def_destroy(before);
    return good;
}

static bool take_options(fmu_machine *m, const fmu_settings *s, fmu_why *why)
{
    m->options = *trm_model_simulation(m->model);
    for (int i = 0; i < s->option_count; i++)
        if (!set_simulation_option(s->options[i], s->values[i], &m->options, &m->choice, why->text, sizeof why->text))
            return false;
    return true;
}

static bool build(fmu_machine *m, const fmu_settings *s, const double *parameters, trm_messages *messages,
                  fmu_why *why)
{
    chooser c = {.patterns = s->inputs};
    replacing r = {.chooser = &c};
    bool good = read_definition(m, s, parameters, messages, why);
    if (good) {
        r.room = 5 * m->def->force_count + m->def->joint_count + 1;
        r.list = calloc((size_t)r.room, sizeof *r.list);
        r.motions = calloc((size_t)m->def->joint_count + 1, sizeof *r.motions);
        if (r.list && r.motions) offer_functions(&r, m->def);
        for (int i = 0; i < m->def->input_count; i++)
            is_chosen(&c, m->def->inputs[i].name); /* patterns may name them, too */
        good = r.list && r.motions && !r.out_of_memory &&
               trm_model_create(m->def, NULL, messages, &m->model) == TRM_OK &&
               trm_results_create(m->model, s->outputs, NULL, messages, &m->columns) == TRM_OK;
    }
    if (good) list_variables(m, &c, &r, s->plain), number_equal_names(m);
    free(r.list);
    free(r.motions);
    return good && !m->out_of_memory && are_all_used(&c, why) && take_options(m, s, why);
}

fmu_machine *fmu_machine_create(const fmu_settings *s, const double *parameters, trm_messages *messages, fmu_why *why)
{
    fmu_machine *m = calloc(1, sizeof *m);
    why->text[0] = 0;
    if (m && build(m, s, parameters, messages, why)) return m;
    fmu_machine_destroy(m);
    return NULL;
}

void fmu_machine_destroy(fmu_machine *m)
{
    if (!m) return;
    for (int i = 0; i < m->count; i++) free(m->variables[i].name);
    free(m->variables);
    free(m->joint_force);
    free(m->body);
    trm_results_destroy(m->columns);
    trm_model_destroy(m->model);
    trm_model_def_destroy(m->def);
    free(m);
}
