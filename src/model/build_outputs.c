/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Outputs: expressions of quantities, and poses of one frame in another. An output may name earlier outputs. */

#include <string.h>

#include "base/message.h"
#include "base/names.h"
#include "base/print.h"
#include "model/model.h"

#define WRONG(...) trm_report_element(build, def->place, "output", def->name, __VA_ARGS__)

/* ---- Formulas ----------------------------------------------------------------------------- */

typedef struct gathered {
    const trm_model *model;
    trm_quantity list[TRM_EXPRESSION_QUANTITIES];
    int count;
    bool too_many;
} gathered;

static bool is_same(const trm_quantity *a, const trm_quantity *b)
{
    return a->kind == b->kind && a->element == b->element && a->other == b->other && a->part == b->part &&
           a->at.x == b->at.x && a->at.y == b->at.y && a->at.z == b->at.z;
}

/* Adds a quantity to the formula unless it is there already. Returns its index, or -1 if there is no such
 * quantity. */
static int add_quantity(void *context, const char *text, int length)
{
    gathered *g = context;
    trm_quantity found;
    if (!trm_find_quantity(g->model, text, length, &found)) return -1;
    for (int i = 0; i < g->count; i++)
        if (is_same(&g->list[i], &found)) return i;
    if (g->count == TRM_EXPRESSION_QUANTITIES) {
        g->too_many = true;
        return -1;
    }
    g->list[g->count] = found;
    return g->count++;
}

static bool find_nearest(void *context, const char *text, char *buffer, size_t size)
{
    return trm_nearest_quantity(((const gathered *)context)->model, text, buffer, size);
}

bool trm_compile_formula(trm_model *model, const char *text, const trm_constant *constants, int constant_count,
                         bool condition, trm_formula *formula, trm_expression_error *why)
{
    gathered g = {.model = model};
    const trm_quantities quantities = {add_quantity, find_nearest, &g};
    *formula = (trm_formula){0};
    const trm_expression *made = trm_expression_compile_quantities(&model->arena, text, constants, constant_count,
                                                                   &quantities, condition, why);
    if (!made && model->arena.failed) return false;
    if (g.too_many)
        trm_print(why->text, sizeof why->text, "more than %d quantities are named; use outputs of outputs",
                  (int)TRM_EXPRESSION_QUANTITIES);
    if (!made || g.too_many) return true;
    formula->quantities = trm_arena_copy(&model->arena, g.list, (size_t)g.count, sizeof *g.list);
    formula->count = g.count;
    formula->expression = made;
    return g.count == 0 || formula->quantities;
}

/* Reports an error in a formula. place: the place of the text, whose opening quote comes before offset 0. */
void trm_report_formula(trm_build *build, trm_place place, const char *kind, const char *name, const char *text,
                        const trm_expression_error *error)
{
    if (place.line > 0) place.column += 1 + error->at;
    trm_report_element(build, place, kind, name, "in \"%.100s\": %s", text, error->text);
}

/* ---- Poses of one frame in another -------------------------------------------------------- */

static void build_pose(trm_build *build, const trm_output_def *def, trm_output *output)
{
    if (!def->of || !def->in) {
        WRONG("needs \"value\": an expression; or \"of\" and \"in\": the frames whose relative pose it is");
        return;
    }
    const char *const names[2] = {def->of, def->in};
    for (int k = 0; k < 2; k++)
        trm_named_frame_of(build, def->place, "output", def->name, names[k], &output->body[k], &output->frame[k]);
    if (trm_names_find(&build->model->body_names, def->name) >= 0)
        WRONG("the name is that of a body, which has columns NAME.x, too; choose another one");
}

/* ---- The list ----------------------------------------------------------------------------- */

static void check_output_name(trm_build *build, const trm_output_def *def, int index)
{
    const trm_model *model = build->model;
    if (trm_has_word("t E_kin E_pot W", def->name))
        WRONG("the name is that of a column of all results; choose another one");
    if (trm_is_reserved_name(def->name)) WRONG("this name has a meaning in expressions; choose another one");
    for (int i = 0; i < index; i++)
        if (model->observed.outputs[i].name && strcmp(model->observed.outputs[i].name, def->name) == 0)
            WRONG("the name is taken by another output; names must differ");
    for (int i = 0; i < model->input_count; i++)
        if (strcmp(model->inputs[i].name, def->name) == 0) WRONG("an input has the same name; choose another one");
    if (trm_names_find(&model->sensor_names, def->name) >= 0) WRONG("a sensor has the same name; choose another one");
}

static bool build_output(trm_build *build, const trm_output_def *def, trm_output *output)
{
    trm_expression_error error;
    if (def->value && (def->of || def->in)) WRONG("has both \"value\" and \"of\" or \"in\"; give one of them");
    if (!def->value) {
        build_pose(build, def, output);
        return true;
    }
    if (!trm_compile_formula(build->model, def->value, build->def->constants, build->def->constant_count, false,
                             &output->value, &error))
        return false;
    if (output->value.expression) return true;
    trm_report_formula(build, def->place, "output", def->name, def->value, &error);
    return true;
}

bool trm_build_outputs(trm_build *build)
{
    trm_model *model = build->model;
    const int count = build->def->output_count;
    /* formulas may name elements that were not built */
    if (trm_messages_status(build->messages) != TRM_OK) return true;
    model->observed.outputs = TRM_NEW_ARRAY(&model->arena, trm_output, count);
    if (!model->observed.outputs) return false;
    for (int i = 0; i < count; i++) {
        const trm_output_def *def = &build->def->outputs[i];
        trm_output *output = &model->observed.outputs[i];
        *output = (trm_output){.body = {-1, -1}, .unit = trm_arena_text(&model->arena, def->unit ? def->unit : "")};
        if (!output->unit) return false;
        if (trm_check_name(build, def->place, "output", def->name)) {
            check_output_name(build, def, i);
            output->name = trm_arena_text(&model->arena, def->name);
            if (!output->name || !build_output(build, def, output)) return false;
        }
        model->observed.output_count = i + 1; /* later outputs may name it */
    }
    return true;
}
