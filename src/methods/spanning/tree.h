/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Represents a machine by trees of bodies in joint coordinates y. Joints that close loops are cut.
 *
 * One joint connects every free body with its parent, and its coordinates belong to the body. A body without a
 * joint that has coordinates is connected to the ground by six coordinates of its own (a point mass by three). With
 * r from the parent's centre of mass to that of the body, in world axes,
 *
 *     omega = omega_p + H_ang dy/dt,      v = v_p + omega_p x r + H_lin dy/dt
 *     A = (alpha_p, a_p + alpha_p x r) + H d2y/dt2 + bias
 *
 * H comes from the subspace S of the joint (model/joint.h), which is given in axes of frame A at the origin of
 * frame B.
 *
 * In planar machines hinges may have as coordinates the absolute angles of the bodies in the plane instead of the
 * angles between bodies, q = sense (y - y_above). */

#ifndef TRM_METHODS_SPANNING_TREE_H
#define TRM_METHODS_SPANNING_TREE_H

#include "methods/method.h"

extern const trm_joint_type trm_joint_free; /* free_joint.c */

/* A body and the joint that connects it with its parent. */
typedef struct trm_link {
    int body, parent;
    const trm_joint *joint; /* joint of the model, or trm_joint_free */
    int index;              /* index in the model; -1: the body is free */
    bool backward;          /* the joint's first body is the child */
    int first, count;       /* first coordinate and number of coordinates */
    double sense;           /* for an absolute angle 1, or -1 if it turns in the opposite sense; else 0 */
    int above;              /* coordinate of the next absolute angle towards the root; -1: none */
    /* Rotor (armature) on a coordinate: it moves with this coordinate and has none of its own. */
    int rotor[TRM_JOINT_COORDINATES];       /* body of the rotor; 0: none */
    int rotor_gear[TRM_JOINT_COORDINATES];  /* the joint of the model that drives it */
    double armature[TRM_JOINT_COORDINATES]; /* kg or kg m^2 */
    trm_vec3 r;
    trm_spatial H[TRM_JOINT_COORDINATES];
    trm_spatial bias;
} trm_link;

/* Links that are connected by cut joints, and these joints. */
typedef struct trm_branch {
    int first_link, link_count;
    int first, count; /* first coordinate and number of coordinates */
    int first_cut, cut_count;
    int rows; /* rows of its cut joints */
} trm_branch;

typedef struct trm_tree {
    const trm_model *model;
    trm_link *links; /* branch after branch, parents before children */
    int link_count;
    int coordinates;
    trm_branch *branches;
    int branch_count;
    int *link_of; /* per body; -1: it has no link */
    int *cuts;    /* joints of the model that close loops or drive, branch after branch */
    int cut_count;
    trm_pose *pose; /* per body, at the current y */
    trm_spatial *velocity;
    trm_spatial *acceleration; /* for the d2y/dt2 of the last call */
    double t;
} trm_tree;

typedef struct trm_tree_options {
    const char *cut;   /* names of joints to cut, separated by blanks or +; NULL: automatic */
    bool rotors_apart; /* rotors get own coordinates and their gears are cut; else armature of links */
} trm_tree_options;

/* Creates the tree. Returns NULL when out of memory, or with the reason in `why`. */
trm_tree *trm_tree_create(const trm_state *state, trm_tree_options options, trm_arena *arena, char *why, size_t size);

/* Changes the coordinates of hinges to absolute angles. Returns false if a joint does not lie in one plane with
 * the others; `why` names it. */
bool trm_tree_take_absolute_angles(trm_tree *tree, const trm_state *state, char *why, size_t size);
/* Transform forces or rates from the coordinates between bodies to those of the tree. */
void trm_tree_transform_forces(const trm_tree *tree, const trm_branch *branch, double *forces, int first);
void trm_tree_transform_rates(const trm_tree *tree, const trm_branch *branch, double *rates);

/* Reads y and dy/dt of a state, with the whole turns that the state has counted. */
void trm_tree_read(const trm_tree *tree, const trm_state *state, double *y, double *yd);

/* trm_tree_set_time sets the time and moves bodies with prescribed motion. trm_tree_place computes the poses of a
 * branch at y, trm_tree_move its velocities, H and bias at dy/dt (NULL: 0), trm_tree_accelerate its accelerations
 * at d2y/dt2 (NULL: 0). Call them in this order. */
void trm_tree_set_time(trm_tree *tree, double t);
void trm_tree_place(trm_tree *tree, const trm_branch *branch, const double *y);
void trm_tree_move(trm_tree *tree, const trm_branch *branch, const double *y, const double *yd);
void trm_tree_accelerate(trm_tree *tree, const trm_branch *branch, const double *ydd);

/* Sets the whole turns in the memory of the branch's joints and gears to those of the coordinates y. The memory is
 * then valid for poses near y, even if they are far from the end of the last step. */
void trm_tree_set_turns(const trm_tree *tree, const trm_branch *branch, const double *y, double *memory);

/* Writes poses and velocities into a state. */
void trm_tree_write(const trm_tree *tree, trm_state *state);

/* Projects a wrench on a body (torque about the centre of mass, force) onto all coordinates between the body and
 * the root, and adds the result to q, whose first entry is coordinate `first`. */
void trm_tree_project(const trm_tree *tree, int body, trm_spatial F, int first, double *q);

/* Compute the residuals phi of the joints that close loops of a branch, at its pose, and G = d phi / dy with one
 * column per coordinate of the branch. `memory` is that of all joints. */
void trm_tree_cut_residuals(const trm_tree *tree, const trm_branch *branch, const double *memory, double *phi);
void trm_tree_cut_rows(const trm_tree *tree, const trm_branch *branch, const double *memory, double *G);
/* Computes gamma - J A of the same rows, with A the accelerations of the last trm_tree_accelerate. With those of
 * d2y/dt2 = 0 this is the required G d2y/dt2. */
void trm_tree_cut_gamma(const trm_tree *tree, const trm_branch *branch, const double *memory, double *gamma);

/* Returns whether a coordinate of a link is an angle. */
static inline bool trm_link_turns(const trm_link *link, int coordinate)
{
    return link->index < 0 ? coordinate >= 3 : link->joint->type->kind[coordinate] != TRM_COORDINATE_LENGTH;
}

#endif
