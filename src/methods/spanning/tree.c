/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Kinematics along the tree.
 *
 * With s = 1 where the joint's second body is the child and -1 where its first is, R_A the axes of frame A, x_B
 * the origin of frame B and d from there to the child's centre of mass:
 *
 *     H = s (R_A S_ang,  R_A S_lin + R_A S_ang x d)
 *     w = s R_A S_ang dq/dt,   u = s R_A S_lin dq/dt,   omega_A of the body that carries frame A
 *     dw/dt = s R_A (dS_ang/dt) dq/dt + omega_A x w,    du/dt likewise                              without d2q/dt2
 *     bias = (dw/dt,  omega_p x (v - v_p) + du/dt + dw/dt x d + w x dd/dt) */

#include "methods/spanning/tree.h"

#include <string.h>

#include "math/rotation.h"

/* ---- Poses -------------------------------------------------------------------------------- */

/* Copies the coordinates of the link to q and sets the other entries to 0. y NULL: all are 0. */
static void read_coordinates(const trm_link *link, const double *y, double *q)
{
    for (int k = 0; k < TRM_JOINT_COORDINATES; k++) q[k] = y && k < link->count ? y[link->first + k] : 0;
    if (y && link->sense != 0) q[0] = link->sense * (q[0] - (link->above >= 0 ? y[link->above] : 0));
}

static trm_pose frame_of(const trm_tree *tree, const trm_link *link, int side)
{
    return trm_pose_mul(tree->pose[link->joint->body[side]], link->joint->frame[side]);
}

static bool is_point(const trm_tree *tree, int body)
{
    return tree->model->bodies[body].kind == TRM_BODY_POINT;
}

static void place_link(trm_tree *tree, const trm_link *link, const double *y)
{
    const int child_side = link->backward ? 0 : 1;
    double q[TRM_JOINT_COORDINATES];
    read_coordinates(link, y, q);
    const trm_pose X_AB = link->joint->type->place(link->joint, q);
    const trm_pose X =
        trm_pose_mul(frame_of(tree, link, 1 - child_side), link->backward ? trm_pose_inverse(X_AB) : X_AB);
    trm_pose *pose = &tree->pose[link->body];
    *pose = trm_pose_mul(X, trm_pose_inverse(link->joint->frame[child_side]));
    pose->q = is_point(tree, link->body) ? trm_quat_identity() : trm_quat_unit(pose->q);
    for (int k = 0; k < link->count; k++)
        if (link->rotor[k]) tree->pose[link->rotor[k]].p.z = q[k];
}

void trm_tree_set_time(trm_tree *tree, double t)
{
    tree->t = t;
    for (int i = 0; i < tree->model->body_count; i++) {
        const trm_motion *motion = tree->model->bodies[i].motion;
        if (motion) trm_motion_at(motion, t, &tree->pose[i], &tree->velocity[i], &tree->acceleration[i]);
    }
}

void trm_tree_place(trm_tree *tree, const trm_branch *branch, const double *y)
{
    for (int i = 0; i < branch->link_count; i++) place_link(tree, &tree->links[branch->first_link + i], y);
}

/* ---- Velocities --------------------------------------------------------------------------- */

static trm_spatial scaled(double s, trm_spatial V)
{
    return trm_sp_scale(s, V);
}

/* Returns a vector of the joint's subspace in world axes, with the sign for the child. */
static trm_spatial in_world(const trm_link *link, trm_quat axes, trm_spatial local)
{
    const double s = link->backward ? -1 : 1;
    return scaled(s, trm_sp(trm_rotate(axes, local.ang), trm_rotate(axes, local.lin)));
}

static void find_subspace(const trm_tree *tree, trm_link *link, const trm_spatial *S, trm_pose A, trm_vec3 d)
{
    for (int k = 0; k < link->count; k++) {
        const trm_spatial H = in_world(link, A.q, S[k]);
        const trm_vec3 ang = is_point(tree, link->body) ? trm_v3(0, 0, 0) : H.ang;
        link->H[k] = trm_sp(ang, trm_v3_add(H.lin, trm_v3_cross(H.ang, d)));
    }
}

static trm_vec3 velocity_at(const trm_tree *tree, int body, trm_vec3 point)
{
    const trm_spatial V = tree->velocity[body];
    return trm_v3_add(V.lin, trm_v3_cross(V.ang, trm_v3_sub(point, tree->pose[body].p)));
}

static void move_link(trm_tree *tree, trm_link *link, const double *y, const double *yd)
{
    double q[TRM_JOINT_COORDINATES], qd[TRM_JOINT_COORDINATES];
    trm_spatial S[TRM_JOINT_COORDINATES], own = {{0, 0, 0}, {0, 0, 0}};
    const int a = link->joint->body[0], b = link->joint->body[1];
    const trm_pose A = frame_of(tree, link, 0);
    const trm_vec3 x_B = frame_of(tree, link, 1).p, d = trm_v3_sub(tree->pose[link->body].p, x_B);
    const trm_spatial V_p = tree->velocity[link->parent];
    read_coordinates(link, y, q);
    read_coordinates(link, yd, qd);
    link->r = trm_v3_sub(tree->pose[link->body].p, tree->pose[link->parent].p);
    link->joint->type->subspace(link->joint, q, S);
    find_subspace(tree, link, S, A, d);

    /* V */
    for (int k = 0; k < link->count; k++) own = trm_sp_add_scaled(own, qd[k], S[k]);
    own = in_world(link, A.q, own); /* w, u */
    for (int k = 0; k < link->count; k++)
        if (link->rotor[k]) tree->velocity[link->rotor[k]].lin.z = qd[k];
    trm_spatial *V = &tree->velocity[link->body];
    V->ang = is_point(tree, link->body) ? trm_v3(0, 0, 0) : trm_v3_add(V_p.ang, own.ang);
    V->lin = trm_v3_add(trm_v3_add(V_p.lin, trm_v3_cross(V_p.ang, link->r)),
                        trm_v3_add(own.lin, trm_v3_cross(own.ang, d)));

    /* acceleration without d2y/dt2 */
    const trm_spatial rate = in_world(link, A.q, link->joint->type->subspace_rate(link->joint, q, qd));
    const trm_vec3 omega_A = tree->velocity[a].ang, d_dot = trm_v3_sub(V->lin, velocity_at(tree, b, x_B));
    const trm_vec3 w_dot = trm_v3_add(rate.ang, trm_v3_cross(omega_A, own.ang));
    const trm_vec3 u_dot = trm_v3_add(rate.lin, trm_v3_cross(omega_A, own.lin));
    trm_vec3 lin = trm_v3_add(u_dot, trm_v3_cross(V_p.ang, trm_v3_sub(V->lin, V_p.lin)));
    lin = trm_v3_add(lin, trm_v3_add(trm_v3_cross(w_dot, d), trm_v3_cross(own.ang, d_dot)));
    link->bias = trm_sp(is_point(tree, link->body) ? trm_v3(0, 0, 0) : w_dot, lin);
}

void trm_tree_move(trm_tree *tree, const trm_branch *branch, const double *y, const double *yd)
{
    for (int i = 0; i < branch->link_count; i++) move_link(tree, &tree->links[branch->first_link + i], y, yd);
}

/* ---- Accelerations ------------------------------------------------------------------------ */

void trm_tree_accelerate(trm_tree *tree, const trm_branch *branch, const double *ydd)
{
    for (int i = 0; i < branch->link_count; i++) {
        const trm_link *link = &tree->links[branch->first_link + i];
        const trm_spatial A_p = tree->acceleration[link->parent];
        trm_spatial A = trm_sp(A_p.ang, trm_v3_add(A_p.lin, trm_v3_cross(A_p.ang, link->r)));
        if (is_point(tree, link->body)) A.ang = trm_v3(0, 0, 0);
        A = trm_sp_add_scaled(A, 1, link->bias);
        double qdd[TRM_JOINT_COORDINATES];
        read_coordinates(link, ydd, qdd);
        for (int k = 0; k < link->count; k++) A = trm_sp_add_scaled(A, qdd[k], link->H[k]);
        tree->acceleration[link->body] = A;
        for (int k = 0; k < link->count; k++)
            if (link->rotor[k]) tree->acceleration[link->rotor[k]].lin.z = qdd[k];
    }
}

/* ---- Turns -------------------------------------------------------------------------------- */

/* Returns the link of a joint; NULL if the joint is cut or NULL. */
static const trm_link *link_by(const trm_tree *tree, const trm_joint *joint)
{
    for (int b = 0; joint && b < 2; b++) {
        const int i = tree->link_of[joint->body[b]];
        if (i >= 0 && tree->links[i].joint == joint) return &tree->links[i];
    }
    return NULL;
}

static void set_gear_turns(const trm_tree *tree, const trm_joint *joint, const double *y, double *memory)
{
    double q[TRM_TERMS], all[TRM_JOINT_COORDINATES];
    for (int k = 0; k < joint->term_count; k++) {
        const trm_link *link = link_by(tree, joint->terms[k].host);
        if (!link) return;
        read_coordinates(link, y, all);
        q[k] = all[joint->terms[k].coordinate];
    }
    joint->type->know(joint, q, tree->t, memory + joint->memory_offset);
}

/* Sets the coordinate of a rotor to that of its host. */
static void set_rotor_turns(const trm_tree *tree, const trm_link *link, const double *q, double *memory)
{
    for (int k = 0; k < link->count; k++) {
        if (!link->rotor[k]) continue;
        const trm_joint *gear = &tree->model->joints[link->rotor_gear[k]];
        const double both[] = {q[k], q[k]};
        gear->type->know(gear, both, tree->t, memory + gear->memory_offset);
    }
}

void trm_tree_set_turns(const trm_tree *tree, const trm_branch *branch, const double *y, double *memory)
{
    for (int i = branch->first_link; i < branch->first_link + branch->link_count; i++) {
        const trm_link *link = &tree->links[i];
        double q[TRM_JOINT_COORDINATES];
        if (link->index < 0) continue;
        read_coordinates(link, y, q);
        set_rotor_turns(tree, link, q, memory);
        if (link->joint->memory_count == 0 || link->joint->type->remember) continue;
        memcpy(memory + link->joint->memory_offset, q, (size_t)link->count * sizeof *q);
    }
    for (int j = branch->first_cut; j < branch->first_cut + branch->cut_count; j++) {
        const trm_joint *joint = &tree->model->joints[tree->cuts[j]];
        if (joint->type->know) set_gear_turns(tree, joint, y, memory);
    }
}

/* ---- To and from a state ------------------------------------------------------------------ */

/* Reads the coordinates of a link, with the whole turns that the state has counted. */
static void read_link(const trm_state *state, const trm_link *link, double *y, double *yd)
{
    double q[TRM_JOINT_COORDINATES] = {0}, qd[TRM_JOINT_COORDINATES] = {0};
    const double *memory = link->index >= 0 ? state->memory + link->joint->memory_offset : NULL;
    const trm_joint_at at = trm_joint_at_poses(link->joint, state->pose, state->velocity, state->clock->time, memory);
    trm_joint_coordinates(&at, q);
    trm_joint_coordinate_rates(&at, qd);
    for (int k = 0; k < link->count; k++) y[link->first + k] = q[k], yd[link->first + k] = qd[k];
}

void trm_tree_read(const trm_tree *tree, const trm_state *state, double *y, double *yd)
{
    for (int i = 0; i < tree->link_count; i++)
        if (tree->links[i].count > 0) read_link(state, &tree->links[i], y, yd);
    for (int b = 0; b < tree->branch_count; b++) {
        trm_tree_transform_rates(tree, &tree->branches[b], y);
        trm_tree_transform_rates(tree, &tree->branches[b], yd);
    }
}

void trm_tree_transform_rates(const trm_tree *tree, const trm_branch *branch, double *rates)
{
    for (int i = branch->first_link; i < branch->first_link + branch->link_count; i++) {
        const trm_link *link = &tree->links[i];
        if (link->sense == 0) continue;
        rates[link->first] = link->sense * rates[link->first] + (link->above >= 0 ? rates[link->above] : 0);
    }
}

/* Children come after their parents, so the parent's own entry is used before a child changes it. */
void trm_tree_transform_forces(const trm_tree *tree, const trm_branch *branch, double *forces, int first)
{
    for (int i = branch->first_link; i < branch->first_link + branch->link_count; i++) {
        const trm_link *link = &tree->links[i];
        if (link->sense == 0) continue;
        double *own = &forces[link->first - first];
        *own *= link->sense;
        if (link->above >= 0) forces[link->above - first] -= *own;
    }
}

void trm_tree_write(const trm_tree *tree, trm_state *state)
{
    for (int i = 0; i < tree->model->body_count; i++) {
        state->pose[i] = tree->pose[i];
        state->velocity[i] = tree->velocity[i];
    }
}

void trm_tree_project(const trm_tree *tree, int body, trm_spatial F, int first, double *q)
{
    for (int i = tree->link_of[body]; i >= 0; i = tree->link_of[tree->links[i].parent]) {
        const trm_link *link = &tree->links[i];
        for (int k = 0; k < link->count; k++) {
            const double along = trm_sp_dot(link->H[k], F);
            q[link->first - first + k] += link->sense != 0 ? link->sense * along : along;
            if (link->above >= 0) q[link->above - first] -= link->sense * along;
        }
        F.ang = trm_v3_add(is_point(tree, link->body) ? trm_v3(0, 0, 0) : F.ang, trm_v3_cross(link->r, F.lin));
    }
}

void trm_tree_cut_residuals(const trm_tree *tree, const trm_branch *branch, const double *memory, double *phi)
{
    for (int j = branch->first_cut; j < branch->first_cut + branch->cut_count; j++) {
        const trm_joint *joint = &tree->model->joints[tree->cuts[j]];
        trm_joint_residual_at(joint, tree->pose, tree->t, memory, phi);
        phi += joint->rows;
    }
}

void trm_tree_cut_rows(const trm_tree *tree, const trm_branch *branch, const double *memory, double *G)
{
    memset(G, 0, (size_t)(branch->rows * branch->count) * sizeof *G);
    for (int j = branch->first_cut; j < branch->first_cut + branch->cut_count; j++) {
        const trm_joint *joint = &tree->model->joints[tree->cuts[j]];
        trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
        trm_joint_jacobian_at(joint, tree->pose, tree->t, memory, J);
        for (int r = 0; r < joint->rows; r++, G += branch->count)
            for (int b = 0; b < joint->body_count; b++)
                trm_tree_project(tree, joint->body[b], J[r * joint->body_count + b], branch->first, G);
    }
}

void trm_tree_cut_gamma(const trm_tree *tree, const trm_branch *branch, const double *memory, double *gamma)
{
    for (int i = branch->first_cut; i < branch->first_cut + branch->cut_count; i++) {
        const trm_joint *joint = &tree->model->joints[tree->cuts[i]];
        const int n = joint->body_count;
        trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
        const trm_joint_at at =
            trm_joint_at_poses(joint, tree->pose, tree->velocity, tree->t, memory + joint->memory_offset);
        trm_joint_gamma(&at, gamma);
        trm_joint_jacobian(&at, J);
        for (int r = 0; r < joint->rows; r++)
            for (int b = 0; b < n; b++) gamma[r] -= trm_sp_dot(J[r * n + b], tree->acceleration[joint->body[b]]);
        gamma += joint->rows;
    }
}
