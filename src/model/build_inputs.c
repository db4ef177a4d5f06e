/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Inputs: numbers u that functions of time may name, f(t, u), and that the caller sets between steps. They are
 * constant until they are set again, so df/dt is that of f at constant u.
 *
 * Their values are the first numbers of the state's memory. A function gets the memory of its element, which begins
 * `offset` numbers later. A function that prescribes a position may only name inputs that are declared not to
 * jump. */

#include <string.h>

#include "base/check.h"
#include "math/function.h"
#include "model/model.h"

#define WRONG(...) trm_report_element(build, def->place, "input", def->name, __VA_ARGS__)

static void check_input(trm_build *build, const trm_input_def *def, int index)
{
    if (!trm_check_name(build, def->place, "input", def->name)) return;
    if (trm_is_reserved_name(def->name)) WRONG("this name has a meaning in expressions; choose another one");
    for (int i = 0; i < build->def->constant_count; i++)
        if (strcmp(build->def->constants[i].name, def->name) == 0)
            WRONG("a constant has the same name; choose another one");
    for (int i = 0; i < index; i++)
        if (build->def->inputs[i].name && strcmp(build->def->inputs[i].name, def->name) == 0)
            WRONG("the name is taken by another input; names must differ");
    if (!(def->range[0] <= def->range[1]))
        WRONG("\"range\" is [%g, %g]; the lower end comes first", def->range[0], def->range[1]);
    else if (!(def->start >= def->range[0] && def->start <= def->range[1]) || !isfinite(def->start))
        WRONG("\"start\" is %g; it must lie in the range [%g, %g]", def->start, def->range[0], def->range[1]);
}

bool trm_build_inputs(trm_build *build)
{
    trm_model *model = build->model;
    const int count = build->def->input_count;
    model->inputs = trm_arena_copy(&model->arena, build->def->inputs, (size_t)count, sizeof *model->inputs);
    model->input_starts = TRM_NEW_ARRAY(&model->arena, trm_constant, count);
    if (count > 0 && (!model->inputs || !model->input_starts)) return false;
    for (int i = 0; i < count; i++) {
        check_input(build, &build->def->inputs[i], i);
        model->inputs[i].name = trm_arena_text(&model->arena, build->def->inputs[i].name);
        model->inputs[i].place.file = NULL;
        model->input_starts[i] =
            (trm_constant){model->inputs[i].name ? model->inputs[i].name : "", model->inputs[i].start};
    }
    model->input_count = model->memory_count = count;
    return !model->arena.failed;
}

void trm_place_inputs(trm_model *model)
{
    for (int i = 0; i < model->joint_count; i++)
        model->joints[i].motion.offset = model->joints[i].velocity.offset = model->joints[i].memory_offset;
    for (int i = 0; i < model->force_count; i++) {
        trm_force *force = &model->forces[i];
        const int offset = force->host ? force->host->memory_offset : 0;
        for (int k = 0; k < 3; k++) force->value[k].offset = offset;
        force->target.offset = force->target_rate.offset = offset;
        force->most_law.offset = force->brake_law.offset = offset;
    }
}

void trm_refuse_inputs(trm_build *build, trm_place place, const char *kind, const char *name, const char *key,
                       const trm_function_def *def)
{
    trm_expression_error error;
    trm_arena *arena = &build->model->arena;
    const trm_model *model = build->model;
    if (def->kind != TRM_FUNCTION_EXPRESSION || model->input_count == 0) return;
    trm_constant *allowed = TRM_NEW_ARRAY(arena, trm_constant, model->input_count);
    int count = 0;
    for (int i = 0; allowed && i < model->input_count; i++)
        if (model->inputs[i].in_motions) allowed[count++] = model->input_starts[i];
    const bool without = allowed && trm_function_build(arena, def, build->def->constants, build->def->constant_count,
                                                       allowed, count, &error);
    if (!without && !arena->failed)
        trm_report_element(
            build, place, kind, name,
            "\"%s\" names an input; a prescribed motion would jump when it is set: use a servo or a motor", key);
}

/* ---- Queries ------------------------------------------------------------------------------ */

int trm_input_count(const trm_model *model)
{
    return model->input_count;
}

int trm_find_input(const trm_model *model, const char *name)
{
    for (int i = 0; i < model->input_count; i++)
        if (strcmp(model->inputs[i].name, name) == 0) return i;
    return -1;
}

void trm_input_info_sized(const trm_model *model, int input, trm_input_def *info, size_t size)
{
    TRM_ASSERT(input >= 0 && input < model->input_count);
    trm_set_defaults(TRM_DEF_INPUT, info, size);
    memcpy(info, &model->inputs[input], size < sizeof *info ? size : sizeof *info);
}
