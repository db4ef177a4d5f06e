/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The description of an FMU (FMI 2.0.4, section 2.2; FMI 3.0, section 2.4). Variables are in the order of their value
 * references; the index of FMI 2 is one more. Parameters are fixed, inputs and outputs are continuous, and outputs
 * are calculated from the start on. The description does not say which outputs depend on which inputs: each may
 * depend on all. */

#include "description.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer {
    trm_sink sink;
    bool failed;
} writer;

static void put(writer *w, const char *text)
{
    if (!w->failed && !trm_put_text(w->sink, text)) w->failed = true;
}

/* Writes the value of an attribute. Control characters, which XML cannot contain, become blanks. */
static void put_escaped(writer *w, const char *text)
{
    for (; *text; text++) {
        const char letter[2] = {(unsigned char)*text < ' ' ? ' ' : *text, 0};
        put(w, *text == '&'   ? "&amp;"
               : *text == '<' ? "&lt;"
               : *text == '>' ? "&gt;"
               : *text == '"' ? "&quot;"
                              : letter);
    }
}

static void put_attribute(writer *w, const char *name, const char *value)
{
    put(w, " ");
    put(w, name);
    put(w, "=\"");
    put_escaped(w, value);
    put(w, "\"");
}

/* Writes a number with the fewest digits that read back bit-identically. */
static void put_number(writer *w, const char *name, double value)
{
    char text[40];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    put_attribute(w, name, text);
}

static void put_whole(writer *w, const char *name, int value)
{
    char text[20];
    snprintf(text, sizeof text, "%d", value);
    put_attribute(w, name, text);
}

/* ---- Capabilities -------------------------------------------------------------------------- */

static void put_capabilities(writer *w, const fmu_description *d)
{
    put(w, "  <CoSimulation");
    put_attribute(w, "modelIdentifier", d->identifier);
    put_attribute(w, "canHandleVariableCommunicationStepSize", "true");
    if (d->has_derivatives)
        put_attribute(w, d->version == 2 ? "providesDirectionalDerivative" : "providesDirectionalDerivatives",
                      "true");
    if (d->version == 2) {
        put_attribute(w, "canNotUseMemoryManagementFunctions", "true");
        put_attribute(w, "canGetAndSetFMUstate", "true");
        put_attribute(w, "canSerializeFMUstate", "true");
    } else {
        put_attribute(w, "canGetAndSetFMUState", "true");
        put_attribute(w, "canSerializeFMUState", "true");
        put_attribute(w, "providesIntermediateUpdate", "true");
        put_attribute(w, "canReturnEarlyAfterIntermediateUpdate", "true");
        put_attribute(w, "mightReturnEarlyFromDoStep", "true");
        put_attribute(w, "hasEventMode", "true");
    }
    put(w, "/>\n");
}

/* ---- Units --------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int kg, m, s, rad;
} UNITS[] = {
    {"s", 0, 0, 1, 0},       {"m", 0, 1, 0, 0},         {"rad", 0, 0, 0, 1},      {"m/s", 0, 1, -1, 0},
    {"rad/s", 0, 0, -1, 1},  {"m/s^2", 0, 1, -2, 0},    {"rad/s^2", 0, 0, -2, 1}, {"N", 1, 1, -2, 0},
    {"N m", 1, 2, -2, 0},    {"J", 1, 2, -2, 0},        {"W", 1, 2, -3, 0},       {"kg", 1, 0, 0, 0},
    {"kg m/s", 1, 1, -1, 0}, {"kg m^2/s", 1, 2, -1, 0}, {"N s", 1, 1, -1, 0},
};

static void put_unit(writer *w, const char *name)
{
    put(w, "    <Unit");
    put_attribute(w, "name", name);
    put(w, ">");
    for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0]; i++) {
        if (strcmp(UNITS[i].name, name) != 0) continue;
        put(w, "<BaseUnit");
        if (UNITS[i].kg) put_whole(w, "kg", UNITS[i].kg);
        if (UNITS[i].m) put_whole(w, "m", UNITS[i].m);
        if (UNITS[i].s) put_whole(w, "s", UNITS[i].s);
        if (UNITS[i].rad) put_whole(w, "rad", UNITS[i].rad);
        put(w, "/>");
    }
    put(w, "</Unit>\n");
}

/* Writes each unit once. The list is short, so that it is searched. */
static void put_units(writer *w, const fmu_machine *m)
{
    enum { MOST = 64 };
    const char *known[MOST];
    int count = 0;
    put(w, "  <UnitDefinitions>\n");
    for (int i = 0; i < m->count; i++) {
        int k = 0;
        while (k < count && strcmp(known[k], m->variables[i].unit) != 0) k++;
        if (k < count || !m->variables[i].unit[0] || count == MOST) continue;
        known[count++] = m->variables[i].unit;
        put_unit(w, m->variables[i].unit);
    }
    put(w, "  </UnitDefinitions>\n");
}

/* ---- Variables ----------------------------------------------------------------------------- */

static void put_kind(writer *w, const fmu_variable *v)
{
    static const char *const causality[] = {"independent", "parameter", "input", "input", "input", "input", "output"};
    put_attribute(w, "causality", causality[v->kind]);
    put_attribute(w, "variability", v->kind == FMU_PARAMETER ? "fixed" : "continuous");
    if (v->kind == FMU_PARAMETER) put_attribute(w, "initial", "exact");
    if (v->kind == FMU_OUTPUT) put_attribute(w, "initial", "calculated");
}

static void put_values(writer *w, const fmu_variable *v)
{
    if (v->unit[0]) put_attribute(w, "unit", v->unit);
    if (v->kind == FMU_TIME || v->kind == FMU_OUTPUT) return;
    if (isfinite(v->min)) put_number(w, "min", v->min);
    if (isfinite(v->max)) put_number(w, "max", v->max);
    put_number(w, "start", v->start);
}

static void put_variables(writer *w, const fmu_description *d)
{
    put(w, "  <ModelVariables>\n");
    for (int i = 0; i < d->machine->count; i++) {
        const fmu_variable *v = &d->machine->variables[i];
        put(w, d->version == 2 ? "    <ScalarVariable" : "    <Float64");
        put_attribute(w, "name", v->name);
        put_whole(w, "valueReference", i);
        put_kind(w, v);
        if (d->version == 2) put(w, "><Real");
        put_values(w, v);
        put(w, d->version == 2 ? "/></ScalarVariable>\n" : "/>\n");
    }
    put(w, "  </ModelVariables>\n");
}

/* ---- Structure ----------------------------------------------------------------------------- */

/* Writes all outputs, both as outputs and as unknowns of the initialization. */
static void put_outputs(writer *w, const fmu_description *d, const char *element)
{
    for (int i = 0; i < d->machine->count; i++) {
        if (d->machine->variables[i].kind != FMU_OUTPUT) continue;
        put(w, d->version == 2 ? "      <" : "    <");
        put(w, element);
        put_whole(w, d->version == 2 ? "index" : "valueReference", d->version == 2 ? i + 1 : i);
        put(w, "/>\n");
    }
}

static bool has_outputs(const fmu_machine *m)
{
    for (int i = 0; i < m->count; i++)
        if (m->variables[i].kind == FMU_OUTPUT) return true;
    return false;
}

static void put_structure(writer *w, const fmu_description *d)
{
    put(w, "  <ModelStructure>\n");
    if (d->version == 3) {
        put_outputs(w, d, "Output");
        put_outputs(w, d, "InitialUnknown");
    } else if (has_outputs(d->machine)) {
        put(w, "    <Outputs>\n");
        put_outputs(w, d, "Unknown");
        put(w, "    </Outputs>\n    <InitialUnknowns>\n");
        put_outputs(w, d, "Unknown");
        put(w, "    </InitialUnknowns>\n");
    }
    put(w, "  </ModelStructure>\n");
}

static void put_experiment(writer *w, const trm_simulation_def *o)
{
    put(w, "  <DefaultExperiment startTime=\"0\"");
    if (o->time > 0) put_number(w, "stopTime", o->time);
    put_number(w, "stepSize", isnan(o->every) ? o->step : o->every);
    put(w, "/>\n");
}

bool fmu_write_description(const fmu_description *d, trm_sink sink)
{
    writer w = {.sink = sink};
    char tool[60];
    snprintf(tool, sizeof tool, "Trammel %s", trm_version());
    put(&w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription");
    put_attribute(&w, "fmiVersion", d->version == 2 ? "2.0" : "3.0");
    put_attribute(&w, "modelName", d->name);
    put_attribute(&w, d->version == 2 ? "guid" : "instantiationToken", d->token);
    put_attribute(&w, "generationTool", tool);
    put_attribute(&w, "variableNamingConvention", "flat");
    if (d->version == 2) put_attribute(&w, "numberOfEventIndicators", "0");
    put(&w, ">\n");
    put_capabilities(&w, d);
    put_units(&w, d->machine);
    put(&w, "  <LogCategories>\n    <Category name=\"logStatusError\"");
    put_attribute(&w, "description", "why a function returned an error");
    put(&w, "/>\n  </LogCategories>\n");
    put_experiment(&w, &d->machine->options);
    put_variables(&w, d);
    put_structure(&w, d);
    put(&w, "</fmiModelDescription>\n");
    return !w.failed;
}
