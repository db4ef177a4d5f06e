/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Values of quantities.
 *
 * A force element acts with F_b on each of its bodies b. Its power is sum F_b . V_b. Along a line with unit vector
 * n its tension is -F_2 . n, positive if it pulls its ends together. Along a coordinate with dq/dt = G V, F_b =
 * G_b tau,
 *     tau = sum G_b . F_b / sum G_b . G_b.
 * For all other force elements the value is the magnitude. */

#include "motion/quantity_value.h"

#include "model/force.h"
#include "motion/sense.h"

static double component(trm_vec3 v, int i)
{
    return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

static double quat_component(trm_quat q, int i)
{
    const double wxyz[4] = {q.w, q.x, q.y, q.z};
    return wxyz[i];
}

/* ---- Bodies ------------------------------------------------------------------------------- */

static double body_energy(const trm_state *state, int index, bool potential)
{
    const trm_model *model = state->model;
    const trm_body *body = &model->bodies[index];
    double energy = 0;
    if (!potential) {
        const trm_spatial V = state->velocity[index];
        const trm_vec3 w = trm_rotate_back(state->pose[index].q, V.ang), J = body->inertia;
        return 0.5 * (body->mass * trm_v3_dot(V.lin, V.lin) + J.x * w.x * w.x + J.y * w.y * w.y + J.z * w.z * w.z);
    }
    for (int i = 0; i < model->force_count; i++) {
        if (model->forces[i].type != &trm_force_gravity || model->forces[i].body[0] != index) continue;
        const trm_force_at at = trm_force_now(state, i);
        energy += trm_force_potential(&at);
    }
    return energy;
}

static double body_value(const trm_quantity *q, const trm_state *state)
{
    const int body = q->element;
    switch (q->kind) {
    case TRM_Q_POSITION: return component(trm_body_pose(state, body).p, q->part);
    case TRM_Q_ORIENTATION: return quat_component(trm_body_pose(state, body).q, q->part);
    case TRM_Q_VELOCITY: return component(trm_body_velocity(state, body).lin, q->part);
    case TRM_Q_SPIN: return component(trm_body_velocity(state, body).ang, q->part);
    case TRM_Q_ACCELERATION: return component(trm_body_acceleration(state, body).lin, q->part);
    case TRM_Q_ANGULAR_ACCELERATION: return component(trm_body_acceleration(state, body).ang, q->part);
    case TRM_Q_BODY_ENERGY: return body_energy(state, body, q->part == 1);
    case TRM_Q_POINT: return component(trm_point_position(state, body, q->at), q->part);
    case TRM_Q_POINT_VELOCITY: return component(trm_point_velocity(state, body, q->at), q->part);
    case TRM_Q_AXIS: return component(trm_rotate(trm_body_pose(state, body).q, q->at), q->part);
    default: return NAN;
    }
}

/* ---- Joints ------------------------------------------------------------------------------- */

static double reaction_part(trm_spatial F, int part)
{
    return part < 3 ? component(F.lin, part) : component(F.ang, part - 3);
}

static double frame_reaction(const trm_state *state, int joint, int part)
{
    const trm_spatial F = trm_joint_reaction(state, joint);
    const trm_quat q = trm_joint_now(state, joint).X[0].q;
    return reaction_part(trm_sp(trm_rotate_back(q, F.ang), trm_rotate_back(q, F.lin)), part);
}

static double row_value(const trm_quantity *q, const trm_state *state)
{
    const trm_joint *joint = &state->model->joints[q->element];
    const trm_joint_at at = trm_joint_now(state, q->element);
    const double force = state->attached[q->element] ? state->reaction[joint->row_offset] : 0;
    if (q->kind == TRM_Q_ROW_LENGTH) return trm_v3_length(trm_v3_sub(at.X[1].p, at.X[0].p));
    if (q->kind == TRM_Q_ROW_FORCE) return joint->type == &trm_joint_distance ? -force : force;
    double qd[TRM_JOINT_COORDINATES];
    trm_joint_values(state, (int)(joint->host - state->model->joints), NULL, qd);
    return force * qd[joint->coordinate];
}

static double joint_value(const trm_quantity *q, const trm_state *state)
{
    double values[TRM_JOINT_COORDINATES];
    switch (q->kind) {
    case TRM_Q_COORDINATE: trm_joint_values(state, q->element, values, NULL); return values[q->part];
    case TRM_Q_RATE: trm_joint_values(state, q->element, NULL, values); return values[q->part];
    case TRM_Q_GAP: {
        const trm_gap gap = trm_position_gap(state, q->element);
        return q->part == 0 ? gap.position : gap.angle;
    }
    case TRM_Q_REACTION: return reaction_part(trm_joint_reaction(state, q->element), q->part);
    case TRM_Q_FRAME_REACTION: return frame_reaction(state, q->element, q->part);
    default: return row_value(q, state);
    }
}

/* ---- Forces ------------------------------------------------------------------------------- */

static double dot(int count, const trm_spatial *a, const trm_spatial *b)
{
    double sum = 0;
    for (int k = 0; k < count; k++) sum += trm_sp_dot(a[k], b[k]);
    return sum;
}

static double along_coordinate(const trm_force_at *at, const trm_spatial *F)
{
    const trm_force_coordinate x = trm_force_coordinate_of(at);
    const double size = dot(at->force->body_count, x.G, x.G);
    return size > 0 ? dot(at->force->body_count, x.G, F) / size : 0;
}

static double strength(const trm_force_at *at, const trm_spatial *F)
{
    if (at->force->host) return along_coordinate(at, F);
    if (at->force->type->takes & TRM_FORCE_TAKES_BODIES) return -trm_v3_dot(F[1].lin, trm_force_line_of(at).n);
    return trm_v3_length(at->force->type == &trm_force_torque ? F[0].ang : F[0].lin);
}

static bool is_saturated(const trm_force_at *at)
{
    trm_force_row row;
    if (at->force->type->rows(at, &row) != 1 || !isfinite(row.most)) return false;
    const double rate = dot(at->force->body_count, row.J, at->V);
    const double pull = row.push - (row.stiffness * row.c + row.damping * (rate + row.c_t));
    return fabs(pull) >= row.most;
}

static double force_value(const trm_quantity *q, const trm_state *state)
{
    const trm_force_at at = trm_force_now(state, q->element);
    trm_spatial F[TRM_JOINT_BODIES];
    const bool acts = trm_force_acts(state, q->element);
    switch (q->kind) {
    case TRM_Q_FORCE_LENGTH: return at.force->host ? trm_force_coordinate_of(&at).q : trm_force_line_of(&at).length;
    case TRM_Q_FORCE_RATE: return at.force->host ? trm_force_coordinate_of(&at).rate : trm_force_line_of(&at).rate;
    case TRM_Q_FORCE_ENERGY: return acts ? trm_force_potential(&at) : 0;
    case TRM_Q_FORCE_SATURATED: return acts && is_saturated(&at);
    default: break;
    }
    if (!acts) return 0;
    at.force->type->wrench(&at, F);
    if (q->kind == TRM_Q_FORCE) return strength(&at, F);
    return dot(at.force->body_count, F, at.V);
}

/* ---- Outputs and quantities of the whole machine ------------------------------------------ */

static double relative_value(const trm_quantity *q, const trm_state *state)
{
    const trm_output *output = &state->model->observed.outputs[q->element];
    const trm_pose of = trm_pose_mul(trm_body_pose(state, output->body[0]), output->frame[0]);
    const trm_pose in = trm_pose_mul(trm_body_pose(state, output->body[1]), output->frame[1]);
    const trm_pose X = trm_pose_mul(trm_pose_inverse(in), of);
    return q->part < 3 ? component(X.p, q->part) : quat_component(X.q, q->part - 3);
}

static double energy_value(const trm_state *state, int part)
{
    const trm_energy energy = trm_state_energy(state);
    return part == 0 ? energy.kinetic : part == 1 ? energy.potential : trm_works_sum(state->clock->work);
}

static double contact_value(const trm_quantity *q, const trm_state *state)
{
    const trm_vec3 force = trm_contact_force(state, (const int[2]){q->element, q->other});
    return q->part < 3 ? component(force, q->part) : trm_v3_length(force);
}

static double sensor_value(const trm_quantity *q, const trm_state *state)
{
    double values[TRM_SENSOR_NUMBERS];
    trm_sensor_values(state, q->element, values);
    return values[q->part];
}

double trm_formula_value(const trm_formula *formula, const trm_state *state)
{
    double values[TRM_EXPRESSION_QUANTITIES];
    for (int i = 0; i < formula->count; i++) values[i] = trm_quantity_value(&formula->quantities[i], state);
    return trm_expression_value_at(formula->expression, state->clock->time, values);
}

double trm_quantity_value(const trm_quantity *q, const trm_state *state)
{
    switch (q->kind) {
    case TRM_Q_TIME: return state->clock->time;
    case TRM_Q_SENSOR: return sensor_value(q, state);
    case TRM_Q_INPUT: return trm_input_value(state, q->part);
    case TRM_Q_CONTACT: return contact_value(q, state);
    case TRM_Q_OUTPUT: return trm_formula_value(&state->model->observed.outputs[q->element].value, state);
    case TRM_Q_RELATIVE: return relative_value(q, state);
    case TRM_Q_ENERGY: return energy_value(state, q->part);
    default: break;
    }
    if (q->kind <= TRM_Q_AXIS) return body_value(q, state);
    return q->kind <= TRM_Q_ROW_POWER ? joint_value(q, state) : force_value(q, state);
}

/* ---- All parts ---------------------------------------------------------------------------- */

static bool put_vector(double *parts, trm_vec3 v)
{
    parts[0] = v.x, parts[1] = v.y, parts[2] = v.z;
    return true;
}

static bool put_quaternion(double *parts, trm_quat q)
{
    parts[0] = q.w, parts[1] = q.x, parts[2] = q.y, parts[3] = q.z;
    return true;
}

static bool put_reaction(double *parts, trm_spatial F)
{
    return put_vector(parts, F.lin) && put_vector(parts + 3, F.ang);
}

static bool put_gap(double *parts, trm_gap gap)
{
    parts[0] = gap.position, parts[1] = gap.angle;
    return true;
}

bool trm_quantity_parts(const trm_quantity *q, const trm_state *state, double *parts)
{
    switch (q->kind) {
    case TRM_Q_POSITION: return put_vector(parts, trm_body_pose(state, q->element).p);
    case TRM_Q_ORIENTATION: return put_quaternion(parts, trm_body_pose(state, q->element).q);
    case TRM_Q_VELOCITY: return put_vector(parts, trm_body_velocity(state, q->element).lin);
    case TRM_Q_SPIN: return put_vector(parts, trm_body_velocity(state, q->element).ang);
    case TRM_Q_ACCELERATION: return put_vector(parts, trm_body_acceleration(state, q->element).lin);
    case TRM_Q_ANGULAR_ACCELERATION: return put_vector(parts, trm_body_acceleration(state, q->element).ang);
    case TRM_Q_REACTION: return put_reaction(parts, trm_joint_reaction(state, q->element));
    case TRM_Q_GAP: return put_gap(parts, trm_position_gap(state, q->element));
    case TRM_Q_COORDINATE: trm_joint_values(state, q->element, parts, NULL); return true;
    case TRM_Q_RATE: trm_joint_values(state, q->element, NULL, parts); return true;
    default: return false;
    }
}
