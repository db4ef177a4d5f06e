/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Self-stresses of the joints, and the quantities that are unique in spite of them.
 *
 * Where rows are redundant, J^T S = 0 has solutions S: multipliers that act on no body. Then the multipliers lambda are
 * not unique: lambda + S moves the machine in the same way. A quantity is unique if no self-stress changes it. In a
 * planar linkage of hinges, for example, forces in the plane and the torque of a drive are unique, and so are all
 * accelerations. */

#include <math.h>

#include "motion/quantity_value.h"
#include "sim/self_stress.h"
#include "sim/sim.h"

enum { MOST_JUDGED = 500 }; /* rows: a larger null space takes too long for a verdict */
/* Fraction of a self-stress: a smaller change of a column is rounding. A larger value calls forces unique that are
 * not, a smaller one calls columns ambiguous because of rounding. */
static const double STRESSED = 1e-8;

static bool holds(const trm_self_stress *s, int j)
{
    const trm_joint *joint = &s->sim->state->model->joints[j];
    if (!s->sim->state->attached[j] || joint->one_sided || isfinite(joint->most)) return false;
    for (int b = 0; b < joint->body_count; b++)
        if (!s->island_of_body || s->island_of_body[joint->body[b]] == s->island) return true;
    return false;
}

static void fill_columns(const trm_self_stress *s, double *T)
{
    const trm_model *model = s->sim->state->model;
    for (int j = 0; j < model->joint_count; j++) {
        trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
        const trm_joint *joint = &model->joints[j];
        if (s->row_of_joint[j] < 0) continue;
        const trm_joint_at at = trm_joint_now(s->sim->state, j);
        trm_joint_jacobian(&at, J);
        for (int r = 0; r < joint->rows; r++)
            for (int b = 0; b < joint->body_count; b++) {
                const trm_spatial x = J[r * joint->body_count + b];
                const double numbers[6] = {x.ang.x, x.ang.y, x.ang.z, x.lin.x, x.lin.y, x.lin.z};
                const int freedoms = trm_body_freedoms(&model->bodies[joint->body[b]]);
                for (int k = 6 - freedoms; freedoms > 0 && k < 6; k++)
                    T[((size_t)(6 * joint->body[b] + k)) * (size_t)s->rows + (size_t)(s->row_of_joint[j] + r)] +=
                        numbers[k];
            }
    }
    for (int i = 0; i < 6 * model->body_count; i++) {
        double *row = T + (size_t)i * (size_t)s->rows, square = 0;
        for (int k = 0; k < s->rows; k++) square += row[k] * row[k];
        for (int k = 0; square > 0 && k < s->rows; k++) row[k] /= sqrt(square);
    }
}

bool trm_find_self_stress(trm_self_stress *s, int most, trm_arena *scratch)
{
    const trm_model *model = s->sim->state->model;
    s->rows = 0;
    s->row_of_joint = TRM_NEW_ARRAY(scratch, int, model->joint_count);
    for (int j = 0; s->row_of_joint && j < model->joint_count; j++) {
        s->row_of_joint[j] = holds(s, j) ? s->rows : -1;
        if (s->row_of_joint[j] >= 0) s->rows += model->joints[j].rows;
    }
    if (scratch->failed || s->rows > most) return false;
    double *T = TRM_NEW_ARRAY(scratch, double, 6 * (size_t)model->body_count * (size_t)s->rows);
    s->null = T ? trm_null_space_create(scratch, 6 * model->body_count, s->rows) : NULL;
    if (!s->null) return false;
    fill_columns(s, T);
    trm_null_space_find(s->null, T, 6 * model->body_count, 1e-9);
    return true;
}

/* ---- Unique quantities -------------------------------------------------------------------- */

/* Adds a self-stress to the multipliers of a state. */
static void add_stress(const trm_self_stress *s, int column, double factor, trm_state *state)
{
    const trm_model *model = state->model;
    for (int j = 0; j < model->joint_count; j++)
        for (int r = 0; s->row_of_joint[j] >= 0 && r < model->joints[j].rows; r++)
            state->reaction[model->joints[j].row_offset + r] +=
                factor * s->null->Q[(size_t)(s->row_of_joint[j] + r) * (size_t)s->rows + (size_t)column];
}

/* Marks the columns that change with this self-stress. */
static void mark_changed(const trm_sim *sim, const trm_state *stressed, double factor, bool *changed)
{
    for (int i = 0; i < sim->caller.read_count; i++) {
        const double value = trm_quantity_value(&sim->caller.read[i].quantity, sim->state);
        const double other = trm_quantity_value(&sim->caller.read[i].quantity, stressed);
        changed[i] = changed[i] || !(fabs(other - value) <= STRESSED * factor);
    }
}

/* Marks the columns that change with any self-stress. Returns false if self-stresses cannot be found. */
static bool mark_ambiguous(const trm_sim *sim, trm_state *stressed, trm_arena *scratch, bool *changed)
{
    trm_self_stress s = {.sim = sim};
    double factor = 1; /* as large as the multipliers, so that rounding is small compared with it */
    if (!trm_find_self_stress(&s, MOST_JUDGED, scratch)) return false;
    for (int r = 0; r < sim->state->model->row_count; r++) factor = fmax(factor, fabs(sim->state->reaction[r]));
    for (int c = s.null->rank; c < s.rows; c++) {
        trm_state_copy(stressed, sim->state);
        add_stress(&s, c, factor, stressed);
        mark_changed(sim, stressed, factor, changed);
    }
    return true;
}

int trm_sim_ambiguous_columns(const trm_sim *sim, const char **first)
{
    trm_arena scratch;
    int count = -1;
    trm_arena_init(&scratch, &sim->arena.allocator);
    trm_state *stressed = trm_state_create(sim->state->model, &sim->arena.allocator);
    bool *changed = TRM_NEW_ARRAY(&scratch, bool, sim->caller.read_count + 1);
    if (stressed && changed && mark_ambiguous(sim, stressed, &scratch, changed)) {
        count = 0;
        for (int i = 0; i < sim->caller.read_count; i++)
            if (changed[i] && count++ == 0) *first = sim->caller.read[i].name;
    }
    trm_state_destroy(stressed);
    trm_arena_destroy(&scratch);
    return count;
}

bool trm_sim_read(trm_sim *sim, const trm_quantity *quantity, const char *name)
{
    sim->caller.reactions_enabled = true;
    for (int i = 0; i < sim->caller.read_count; i++) {
        const trm_quantity *known = &sim->caller.read[i].quantity;
        if (known->kind == quantity->kind && known->element == quantity->element && known->part == quantity->part)
            return true;
    }
    const char *own = trm_arena_text(&sim->arena, name);
    return own &&
           TRM_APPEND(&sim->arena, sim->caller.read, sim->caller.read_count, (trm_read_column){*quantity, own});
}
