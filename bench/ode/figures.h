/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What the program prints. All return false if a rival could not be made or gave up, which is said on stderr. */

#ifndef TRM_BENCH_ODE_FIGURES_H
#define TRM_BENCH_ODE_FIGURES_H

#include "rivals.h"

/* trajectory.c: the largest distance of a centre of mass, and the largest angle, of ours from ODE's over this many steps. */
bool print_distances(const char *example, const parameters *p, int steps);
/* Rows of a table in C: where ODE has the centres of mass. */
bool print_places(const char *example, const parameters *p);

/* energy.c: what the 8-Loop has lost at 1, 2, ..., 10 s. */
bool print_energies(const parameters *p, double h);
/* Rows of a table in C: the same of ODE alone. */
bool print_losses(const parameters *p, double h);

/* friction.c: how far a block slides in 1 s. */
bool print_slides(const parameters *p);

/* formulas.c: the formulas of Hishinuma 2018, next to their closed forms. */
bool print_formulas(const parameters *p);
/* The file paper/ode_figures.h, whole: what ODE finds. */
bool print_record(const parameters *p);

/* times.c: time per step of chains of at most this many rods. */
bool print_times(const parameters *p, int most);

#endif
