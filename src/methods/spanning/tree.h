/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A machine as trees of bodies in joint coordinates y, what closes loops being cut.
 *
 * Every free body hangs on its parent by one joint, whose coordinates are its own; a body that no joint with coordinates leads to
 * hangs on the ground by six coordinates of its own (three of a point mass). With r from the parent's centre of mass to that of
 * the body, in world axes,
 *
 *     omega = omega_p + H_ang dy/dt,      v = v_p + omega_p x r + H_lin dy/dt
 *     A = (alpha_p, a_p + alpha_p x r) + H d2y/dt2 + bias
 *
 * H comes from the subspace S of the joint (model/joint.h), which is given in axes of frame A at the origin of frame B.
 *
 * In planar machines the coordinates of hinges may be the angles of the bodies in the plane instead of those between them,
 * q = sense (y - y_above). */

#ifndef TRM_METHODS_SPANNING_TREE_H
#define TRM_METHODS_SPANNING_TREE_H

#include "methods/method.h"

extern const trm_joint_type trm_joint_free; /* free_joint.c */

/* A body and the joint that it hangs by. */
typedef struct trm_link {
    int body, parent;
    const trm_joint *joint; /* of the model, or its own: */
    int index;              /* in the model; -1: it is free */
    bool backward;          /* the joint's first body is the child */
    int first, count;       /* its coordinates */
    double sense;           /* 0, or of an absolute angle: 1, or -1 where it turns the other way round */
    int above;              /* the coordinate of the next absolute angle towards the root; -1: there is none */
    /* Of a rotor (armature) on a coordinate, which moves as that does and has none of its own: */
    int rotor[TRM_JOINT_COORDINATES];       /* its body; 0: there is none */
    int rotor_gear[TRM_JOINT_COORDINATES];  /* the joint of the model that drives it */
    double armature[TRM_JOINT_COORDINATES]; /* kg or kg m^2 */
    trm_vec3 r;
    trm_spatial H[TRM_JOINT_COORDINATES];
    trm_spatial bias;
} trm_link;

/* Links that cut joints hold together, and those joints. */
typedef struct trm_branch {
    int first_link, link_count;
    int first, count; /* its coordinates */
    int first_cut, cut_count;
    int rows; /* of its cut joints */
} trm_branch;

typedef struct trm_tree {
    const trm_model *model;
    trm_link *links; /* branch after branch, parents before children */
    int link_count;
    int coordinates;
    trm_branch *branches;
    int branch_count;
    int *link_of; /* per body; -1: it is held */
    int *cuts;    /* joints of the model that close loops, or drive, branch after branch */
    int cut_count;
    trm_pose *pose; /* per body, at the present y */
    trm_spatial *velocity;
    trm_spatial *acceleration; /* with d2y/dt2 as last asked for */
    double t;
} trm_tree;

typedef struct trm_tree_options {
    const char *
        cut; /* joints that are to be cut, by name, separated by blanks or +; NULL: those that the search leaves over */
    bool
        rotors_apart; /* rotors are bodies with coordinates of their own, and their gears are cut; else armature of their links */
} trm_tree_options;

/* NULL: out of memory, or why says what is wrong. */
trm_tree *trm_tree_create(const trm_state *state, trm_tree_options options, trm_arena *arena, char *why, size_t size);

/* Hinges have absolute angles from now on; false: why says which joint does not lie in one plane with the others. */
bool trm_tree_take_absolute_angles(trm_tree *tree, const trm_state *state, char *why, size_t size);
/* Of numbers that belong to coordinates between bodies: forces along them, or rates, as those of the tree's coordinates. */
void trm_tree_transform_forces(const trm_tree *tree, const trm_branch *branch, double *forces, int first);
void trm_tree_transform_rates(const trm_tree *tree, const trm_branch *branch, double *rates);

/* y and dy/dt of a state; turns are counted as the state has them. */
void trm_tree_read(const trm_tree *tree, const trm_state *state, double *y, double *yd);

/* The time, and with it what is held. Poses of a branch at y; then its velocities, H and bias at dy/dt (NULL: 0); then accelerations at
 * d2y/dt2 (NULL: 0). */
void trm_tree_set_time(trm_tree *tree, double t);
void trm_tree_place(trm_tree *tree, const trm_branch *branch, const double *y);
void trm_tree_move(trm_tree *tree, const trm_branch *branch, const double *y, const double *yd);
void trm_tree_accelerate(trm_tree *tree, const trm_branch *branch, const double *ydd);

/* Memory of the branch's joints as it is at y: turns of the tree's coordinates, and what gears know of them. It is that of the poses
 * near y as well, however far the last step's end is. */
void trm_tree_know_turns(const trm_tree *tree, const trm_branch *branch, const double *y, double *memory);

/* Poses and velocities into a state. */
void trm_tree_write(const trm_tree *tree, trm_state *state);

/* Of a wrench (torque about the centre of mass, force) on a body: what it is along all coordinates between it and the root, added
 * to q, which begins with coordinate `first`. */
void trm_tree_project(const trm_tree *tree, int body, trm_spatial F, int first, double *q);

/* Rows of the joints that close loops of a branch, at its pose: what they leave open, phi, and G = d phi / dy, as many columns as
 * the branch has coordinates. Memory of all joints. */
void trm_tree_cut_residuals(const trm_tree *tree, const trm_branch *branch, const double *memory, double *phi);
void trm_tree_cut_rows(const trm_tree *tree, const trm_branch *branch, const double *memory, double *G);
/* gamma - J A of the same rows, A being the accelerations that trm_tree_accelerate has left: with those of d2y/dt2 = 0 it is what
 * G d2y/dt2 must be. */
void trm_tree_cut_gamma(const trm_tree *tree, const trm_branch *branch, const double *memory, double *gamma);

#endif
