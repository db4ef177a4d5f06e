/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Inputs and outputs of a linearisation.
 *
 * An input u adds a generalised force b u. For a wrench, or a force along a coordinate, b is its row. For a
 * function of time, or an input of the model, b is the derivative of all forces. Outputs are columns y(q, q',
 * q''); with q'' = M^-1 (b u - K q - D q')
 *
 *     C = (dy/dq - dy/dq'' M^-1 K,  dy/dq' - dy/dq'' M^-1 D),    D = dy/dq'' M^-1 b
 *
 * Their derivatives are central differences of order 4. */

#include <math.h>
#include <string.h>

#include "analysis/linear.h"
#include "base/message.h"
#include "math/rotation.h"
#include "motion/sense.h"

static const double AT[4] = {1, -1, 2, -2}, WEIGHT[4] = {8.0 / 12, -8.0 / 12, -1.0 / 12, 1.0 / 12};

/* ---- Inputs ------------------------------------------------------------------------------- */

/* Returns the next item of the list without blanks around it. NULL: out of memory, or the end (*list is then
 * NULL). */
static const char *next_name(const char **list, trm_arena *arena)
{
    const char *text = *list + strspn(*list, ", ");
    size_t length = strcspn(text, ",");
    *list = text + length;
    while (length > 0 && text[length - 1] == ' ') length--;
    if (length == 0) *list = NULL;
    return length > 0 ? trm_arena_text_n(arena, text, length) : NULL;
}

/* Parses BODY.fx .. tz. */
static bool body_input(trm_linear_work *l, const char *owner, const char *key, double *g)
{
    static const char *const keys[] = {"tx", "ty", "tz", "fx", "fy", "fz"};
    const int body = trm_find_body(l->s.model, owner);
    if (body < 0) return false;
    for (int k = 0; k < 6; k++) {
        const trm_vec3 none = {0, 0, 0};
        if (strcmp(keys[k], key) != 0) continue;
        trm_system_add_row(&l->s, body, k < 3 ? trm_sp(trm_axis(k), none) : trm_sp(none, trm_axis(k - 3)), g);
        return true;
    }
    return false;
}

/* Parses JOINT.force, JOINT.force2: a force along a coordinate. */
static bool joint_input(trm_linear_work *l, const char *owner, const char *key, double *g)
{
    const int index = trm_find_joint(l->s.model, owner);
    if (index < 0 || strncmp(key, "force", 5) != 0) return false;
    const trm_joint *joint = &l->s.model->joints[index];
    const int k = key[5] ? key[5] - '1' : 0;
    if (k < 0 || k >= joint->coordinates || !joint->type->place) return false;
    trm_system_coordinate_row(&l->s, index, k, 1, g);
    return true;
}

static void add_rows(trm_linear_work *l, const trm_force *force, double factor, const trm_spatial *J, double *g)
{
    for (int b = 0; b < force->body_count; b++)
        trm_system_add_row(&l->s, force->body[b], trm_sp_scale(factor, J[b]), g);
}

/* target, velocity or value of a servo; zero at its force limit. */
static bool servo_input(trm_linear_work *l, const trm_force_at *at, const char *key, double *g)
{
    const trm_force *force = at->force;
    trm_force_row row;
    const double per_unit = strcmp(key, "target") == 0     ? force->kp
                            : strcmp(key, "velocity") == 0 ? force->kd
                            : strcmp(key, "value") == 0    ? 1
                                                           : NAN;
    if (isnan(per_unit)) return false;
    force->type->rows(at, &row);
    add_rows(l, force, fabs(row.push - row.stiffness * row.c) < force->most ? per_unit : 0, row.J, g);
    return true;
}

/* The value of an effort or an actuator, along its row. */
static bool row_input(trm_linear_work *l, const trm_force_at *at, double *g)
{
    const trm_force *force = at->force;
    if (!force->host) {
        const trm_force_line line = trm_force_line_of(at);
        add_rows(l, force, 1, line.J, g);
        return true;
    }
    const trm_force_coordinate x = trm_force_coordinate_of(at);
    add_rows(l, force, force->gear, x.G, g);
    return true;
}

/* A component of the value of a force or a torque. */
static bool vector_input(trm_linear_work *l, const trm_force_at *at, const char *key, double *g)
{
    const int k = key[5] ? key[5] - '1' : 0;
    if (k < 0 || k > 2) return false;
    const trm_vec3 axis = at->force->in_body_frame ? trm_rotate(at->X[0].q, trm_axis(k)) : trm_axis(k);
    const bool torque = at->force->type == &trm_force_torque;
    trm_system_add_row(&l->s, at->force->body[0],
                       torque ? trm_sp(axis, trm_v3(0, 0, 0)) : trm_sp(trm_v3_cross(at->r[0], axis), axis), g);
    return true;
}

/* Computes the derivative of a named force with respect to one of its functions. */
static bool force_input(trm_linear_work *l, const char *owner, const char *key, double *g)
{
    const trm_model *model = l->s.model;
    for (int i = 0; i < model->force_count; i++) {
        const trm_force *force = &model->forces[i];
        if (!force->name || strcmp(force->name, owner) != 0 || force->type == &trm_force_torsion) continue;
        const trm_force_at at = trm_force_now(l->s.state, i);
        if (force->type == &trm_force_servo) return servo_input(l, &at, key, g);
        if (strncmp(key, "value", 5) != 0 || !force->value[0].first) return false;
        return force->type->bodies == 2 ? row_input(l, &at, g) : vector_input(l, &at, key, g);
    }
    return false;
}

/* Computes the derivative of all forces with respect to an input of the model. */
static bool model_input(trm_linear_work *l, const char *name, double *g, double *other)
{
    const int index = trm_find_input(l->s.model, name);
    if (index < 0) return false;
    double *value = &l->s.state->memory[index];
    const double kept = *value, h = 1e-3 * fmax(1, fabs(kept));
    for (int k = 0; k < 4; k++) {
        *value = kept + AT[k] * h;
        trm_system_forces(&l->s, other);
        for (int i = 0; i < l->s.n; i++) g[i] += WEIGHT[k] / h * other[i];
    }
    *value = kept;
    return true;
}

static bool find_input(trm_linear_work *l, const char *name, double *g, double *other)
{
    const char *dot = strrchr(name, '.');
    if (model_input(l, name, g, other)) return true;
    const char *owner = dot ? trm_arena_text_n(&l->s.arena, name, (size_t)(dot - name)) : NULL;
    if (owner &&
        (body_input(l, owner, dot + 1, g) || joint_input(l, owner, dot + 1, g) || force_input(l, owner, dot + 1, g)))
        return true;
    if (dot && !owner) return false;
    trm_add_error(l->messages, (trm_place){0},
                  "there is no input \"%s\"; inputs are those of the model, SERVO.target, FORCE.value, JOINT.force, "
                  "BODY.fx .. tz",
                  name);
    l->failed = true;
    return false;
}

bool trm_linear_inputs(trm_linear_work *l)
{
    trm_linearisation *r = l->result;
    const char *list = l->def->inputs ? l->def->inputs : "", *name;
    int most = 1;
    for (const char *c = list; *c; c++) most += *c == ',';
    const char **names = TRM_NEW_ARRAY(r->arena, const char *, most);
    double *g = TRM_NEW_ARRAY(&l->s.arena, double, l->s.n + 1),
           *other = TRM_NEW_ARRAY(&l->s.arena, double, l->s.n + 1);
    l->B = TRM_NEW_ARRAY(&l->s.arena, double, (size_t)most *(size_t)(l->f + 1));
    if (!names || !g || !other || !l->B) return false;
    int count = 0;
    while ((name = next_name(&list, r->arena)) != NULL) {
        memset(g, 0, (size_t)l->s.n * sizeof *g);
        if (!find_input(l, name, g, other)) return false;
        names[count] = name;
        for (int k = 0; k < l->f; k++)
            for (int i = 0; i < l->s.n; i++)
                l->B[k * most + count] += l->S[(size_t)i * (size_t)l->f + (size_t)k] * g[i];
        count++;
    }
    for (int k = 0; k < l->f; k++) /* removes unused columns */
        for (int i = 0; i < count; i++) l->B[k * count + i] = l->B[k * most + i];
    r->input_names = names, r->input_count = count;
    return list == NULL || count > 0 || !l->def->inputs || !*l->def->inputs || !r->arena->failed;
}

/* ---- Outputs ------------------------------------------------------------------------------ */

typedef enum which { OF_POSES, OF_VELOCITIES, OF_ACCELERATIONS } which;

/* Moves the state along a motion y by h: poses, velocities or accelerations. */
static void displace(trm_linear_work *l, which what, const double *y, double h)
{
    trm_state *state = l->s.state;
    if (what == OF_POSES) {
        trm_system_move(&l->s, h, y);
        return;
    }
    trm_system_twists(&l->s, y, l->s.velocity);
    trm_spatial *V = what == OF_VELOCITIES ? state->velocity : state->acceleration;
    for (int b = 0; b < l->s.model->body_count; b++)
        if (l->s.first[b] >= 0) V[b] = trm_sp_add_scaled(V[b], h, l->s.velocity[b]);
}

static void read_outputs(trm_linear_work *l, const trm_results *columns, double *values)
{
    trm_state *state = l->s.state;
    for (int i = 0; i < l->s.model->observed.sensor_count; i++)
        trm_sense(state, &l->s.model->observed.sensors[i], state->sample + l->s.model->observed.sensors[i].offset);
    for (int i = 0; i < trm_result_count(columns); i++) values[i] = trm_result_value(columns, i, state);
}

/* Computes dy/d(coordinate k) of all outputs, into column k of slope (outputs x f). */
static void find_slopes(trm_linear_work *l, const trm_results *columns, which what, int k, double *y, double *values,
                        trm_state *kept, double *slope)
{
    const int count = trm_result_count(columns);
    double size = 0;
    for (int i = 0; i < l->s.n; i++) {
        y[i] = l->S[(size_t)i * (size_t)l->f + (size_t)k];
        size = fmax(size, fabs(y[i]));
    }
    const double h = (what == OF_POSES ? 1e-3 : 1) * l->s.size / fmax(size, 1e-300);
    for (int side = 0; side < 4; side++) {
        trm_state_copy(kept, l->s.state);
        displace(l, what, y, AT[side] * h);
        read_outputs(l, columns, values);
        trm_state_copy(l->s.state, kept);
        for (int i = 0; i < count; i++) slope[(size_t)i * (size_t)l->f + (size_t)k] += WEIGHT[side] / h * values[i];
    }
}

/* Computes C and D of the outputs from their derivatives. */
static void put_outputs(const trm_linear_work *l, const double *q, const double *qd, const double *qdd, double *C,
                        double *D)
{
    const trm_linearisation *r = l->result;
    const int f = l->f, states = r->state_count;
    for (int i = 0; i < r->output_count; i++)
        for (int k = 0; k < f; k++) {
            C[i * states + k] += q[i * f + k], C[i * states + f + k] += qd[i * f + k];
            for (int j = 0; j < states; j++) C[i * states + j] += qdd[i * f + k] * r->A[(f + k) * states + j];
            for (int j = 0; j < r->input_count; j++)
                D[i * r->input_count + j] += qdd[i * f + k] * r->B[(f + k) * r->input_count + j];
        }
}

static bool differentiate(trm_linear_work *l, const trm_results *columns, trm_state *kept)
{
    trm_linearisation *r = l->result;
    const int count = trm_result_count(columns), f = l->f;
    trm_arena *arena = &l->s.arena;
    double *slope[3], *y = TRM_NEW_ARRAY(arena, double, l->s.n + 1),
                      *values = TRM_NEW_ARRAY(arena, double, count + 1);
    double *C = TRM_NEW_ARRAY(r->arena, double, (size_t)count *(size_t)r->state_count + 1);
    double *D = TRM_NEW_ARRAY(r->arena, double, (size_t)count *(size_t)r->input_count + 1);
    double *start = TRM_NEW_ARRAY(r->arena, double, count + 1);
    const char **names = TRM_NEW_ARRAY(r->arena, const char *, count + 1);
    for (int w = 0; w < 3; w++) slope[w] = TRM_NEW_ARRAY(arena, double, (size_t)count *(size_t)f + 1);
    if (!y || !values || !C || !D || !start || !names || !slope[0] || !slope[1] || !slope[2]) return false;
    for (int w = 0; w < 3; w++)
        for (int k = 0; k < f; k++) find_slopes(l, columns, (which)w, k, y, values, kept, slope[w]);
    for (int i = 0; i < count; i++)
        if (!(names[i] = trm_arena_text(r->arena, trm_result_name(columns, i)))) return false;
    read_outputs(l, columns, start);
    r->output_count = count, r->output_names = names, r->output_start = start;
    put_outputs(l, slope[0], slope[1], slope[2], C, D);
    r->C = C, r->Du = D;
    return true;
}

static bool refuse_reactions(trm_linear_work *l, const trm_results *columns)
{
    for (int i = 0; i < trm_result_count(columns); i++) {
        const char *name = trm_result_name(columns, i), *dot = strrchr(name, '.');
        if (!dot || (dot[1] != 'f' && dot[1] != 't') || strlen(dot) != 3) continue;
        trm_add_error(l->messages, (trm_place){0},
                      "\"%s\" is a reaction, which is not available as an output of a linearisation", name);
        l->failed = true;
    }
    return !l->failed;
}

bool trm_linear_outputs(trm_linear_work *l)
{
    trm_results *columns = NULL;
    if (!l->def->outputs || !*l->def->outputs) return true;
    const trm_allocator *from = &l->s.arena.allocator;
    const trm_status status = trm_results_create(l->s.model, l->def->outputs, from, l->messages, &columns);
    if (status != TRM_OK) {
        l->failed = status == TRM_BAD_INPUT;
        return false;
    }
    trm_state *kept = trm_state_create(l->s.model, from);
    const bool good = kept && refuse_reactions(l, columns) && differentiate(l, columns, kept);
    trm_state_destroy(kept);
    trm_results_destroy(columns);
    return good;
}
