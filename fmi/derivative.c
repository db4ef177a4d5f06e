/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "derivative.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_input(const fmu_variable *v)
{
    return v->kind == FMU_INPUT || v->kind == FMU_JOINT_FORCE || v->kind == FMU_BODY_FORCE;
}

/* Writes the name of an input or output in the linearisation. */
static void name_of(const fmu_machine *m, const fmu_variable *v, char *name, size_t room)
{
    static const char *const parts[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
    if (v->kind == FMU_INPUT) {
        snprintf(name, room, "%s", trm_input_info_of(m->model, v->index).name);
    } else if (v->kind == FMU_JOINT_FORCE) {
        const trm_coordinate_name at = m->joint_force[v->index];
        snprintf(name, room, "%s.force%d", trm_joint_info_of(m->model, at.joint).name, at.coordinate + 1);
    } else if (v->kind == FMU_BODY_FORCE) {
        const int body = m->body[v->index / 6];
        snprintf(name, room, "%s.%s", trm_body_info_of(m->model, body).name, parts[v->index % 6]);
    } else {
        snprintf(name, room, "%s", trm_result_name(m->columns, v->index));
    }
}

/* Returns the names of all inputs, or of all outputs, separated by commas; the caller frees them. Returns NULL if
 * there are none or if out of memory. */
static char *names_of(const fmu_machine *m, bool inputs)
{
    trm_text *text = trm_text_create(NULL);
    bool good = text != NULL;
    for (int i = 0; i < m->count && good; i++) {
        char name[300];
        const fmu_variable *v = &m->variables[i];
        if (inputs ? !is_input(v) : v->kind != FMU_OUTPUT) continue;
        name_of(m, v, name, sizeof name);
        good = (trm_text_length(text) == 0 || trm_put_text(trm_text_sink(text), ",")) &&
               trm_put_text(trm_text_sink(text), name);
    }
    char *names = good && trm_text_length(text) > 0 ? strdup(trm_text_get(text)) : NULL;
    trm_text_destroy(text);
    return names;
}

trm_linearisation *fmu_linearise(const fmu_machine *m, const trm_state *state, trm_messages *messages)
{
    trm_linearisation *l = NULL;
    if (m->motions > 0) return NULL; /* the output depends on the step length through the end of a motion */
    char *inputs = names_of(m, true), *outputs = names_of(m, false);
    const trm_linearise_def def = {.inputs = inputs, .outputs = outputs};
    if (inputs && outputs && trm_linearise(state, &def, NULL, messages, &l) != TRM_OK) l = NULL;
    free(inputs);
    free(outputs);
    return l;
}

int fmu_linear_input(const fmu_machine *m, unsigned reference)
{
    int place = 0;
    if (reference >= (unsigned)m->count || !is_input(&m->variables[reference])) return -1;
    for (unsigned i = 0; i < reference; i++) place += is_input(&m->variables[i]);
    return place;
}

int fmu_linear_output(const fmu_machine *m, const trm_linearisation *l, unsigned reference)
{
    char name[300];
    if (reference >= (unsigned)m->count || m->variables[reference].kind != FMU_OUTPUT) return -1;
    name_of(m, &m->variables[reference], name, sizeof name);
    for (int i = 0; i < l->output_count; i++)
        if (strcmp(l->output_names[i], name) == 0) return i;
    return -1;
}
