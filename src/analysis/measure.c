/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Measures. Rows are stored as they come; the tree is evaluated over them when its value is requested. Every
 * reduction is computed once, inner ones first, so that max(x - mean(x)) costs two passes over the rows. */

#include "analysis/measure.h"

#include <math.h>

trm_status trm_measure_create(const trm_model *model, const char *text, const trm_constant *constants,
                              int constant_count, const trm_allocator *allocator, trm_messages *messages,
                              trm_measure **measure)
{
    trm_measure *m = trm_owner_create(allocator, sizeof *m);
    *measure = NULL;
    if (!m) return TRM_OUT_OF_MEMORY;
    const bool parsed = trm_measure_parse(m, text, model, constants, constant_count, messages);
    if (parsed) m->table = trm_table_create(m->columns, allocator);
    if (parsed && m->table) {
        *measure = m;
        return TRM_OK;
    }
    const trm_status status = parsed || m->arena.failed ? TRM_OUT_OF_MEMORY : TRM_BAD_INPUT;
    trm_measure_destroy(m);
    return status;
}

void trm_measure_destroy(trm_measure *m)
{
    if (!m) return;
    trm_table_destroy(m->table);
    trm_results_destroy(m->columns);
    trm_owner_destroy(m, sizeof *m);
}

bool trm_measure_needs_reactions(const trm_measure *m)
{
    return trm_results_need_reactions(m->columns);
}

trm_status trm_measure_enable(const trm_measure *m, trm_sim *sim)
{
    return trm_results_enable(m->columns, sim);
}

static void forget_values(trm_measure *m)
{
    for (int i = 0; i < m->reduction_count; i++) m->reductions[i]->known = false;
}

bool trm_measure_add(trm_measure *m, const trm_state *state)
{
    forget_values(m);
    return trm_table_add(m->table, state);
}

double trm_measure_at_row(const trm_measure *m, const trm_measure_node *node, size_t row)
{
    double x[TRM_MEASURE_ARGUMENTS];
    switch (node->kind) {
    case TRM_NODE_NUMBER: return node->value;
    case TRM_NODE_REDUCTION: return node->known ? node->value : NAN;
    case TRM_NODE_COLUMN:
        return trm_table_numbers(m->table)[row * (size_t)trm_result_count(m->columns) + (size_t)node->column];
    case TRM_NODE_POINTWISE: break;
    }
    for (int i = 0; i < node->argument_count; i++) x[i] = trm_measure_at_row(m, node->arguments[i], row);
    return node->pointwise(x, node->argument_count);
}

double trm_measure_value(trm_measure *m)
{
    for (int i = 0; i < m->reduction_count; i++) {
        trm_measure_node *node = m->reductions[i];
        if (node->known) continue;
        node->value = trm_table_rows(m->table) > 0 ? node->reduction(m, node) : NAN;
        node->known = true;
    }
    return trm_measure_at_row(m, m->root, 0);
}
