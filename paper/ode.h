/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The formulas of Hishinuma 2018 as problems for the Open Dynamics Engine, and the results that it must give.
 *
 * A step of ODE (dWorldStep) solves J v+ = -(ERP/h) c - CFM lambda. With CFM > 0 that is a spring and a damper,
 *
 *     lambda = -k c+ - d v+,   k = ERP/(h CFM),   d = (1 - ERP)/CFM,
 *
 * by the implicit Euler rule. So any c'' + 2 beta c' + gamma^2 c = g is given by ERP = h k/(h k + d), CFM = 1/(h k + d)
 * with k = m gamma^2, d = 2 m beta. The rule replaces exp(s t) by (1 - h s)^-n, which is the closed form of its results.
 *
 * ODE's friction is a box: at most mu N along each of two directions. The pyramid of four directions is the box turned by 45
 * degrees with mu/sqrt(2). ODE has no pyramid of eight. */

#ifndef TRM_PAPER_ODE_H
#define TRM_PAPER_ODE_H

#include <stdbool.h>

/* Either a mass on a ball joint that is initially open, or a block on a slope. */
typedef struct ode_problem {
    const char *name; /* name of the formula */
    double h;         /* s */
    int steps;
    double erp, cfm;
    double mass;      /* kg */
    double gravity;   /* m/s^2: opens the gap; for a block 9.81, rotated by the slope */
    double gap;       /* m: initial gap */
    bool block;       /* the result is the distance along the slope, not the gap */
    bool pyramid;     /* friction of a block is a pyramid with four directions along x and y, else a box along them */
    double direction; /* rad: angle of the fall line of a block from x */
} ode_problem;

enum { ODE_PROBLEMS = 12 };

/* Slope and coefficient of friction of the block. */
extern const double ode_slope, ode_friction; /* rad, 1 */

void ode_list_problems(ode_problem all[ODE_PROBLEMS]);

/* Returns the gap or distance, m, after all steps. */
double ode_closed_form(const ode_problem *p);

/* Returns the distance that a block slides in n steps of semi-implicit Euler, m, with the coefficient mu along its
 * fall line. */
double slide_of_steps(double mu, double h, int n);

#endif
