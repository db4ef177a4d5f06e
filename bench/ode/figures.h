/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The outputs of the program. All return false after reporting that a rival could not be created or gave up. */

#ifndef TRM_BENCH_ODE_FIGURES_H
#define TRM_BENCH_ODE_FIGURES_H

#include "rivals.h"

/* trajectory.c: prints the largest distance of a centre of mass, and the largest angle, of our run from ODE's over
 * this many steps. */
bool print_distances(const char *example, const parameters *p, int steps);
/* Prints rows of a table in C: the centres of mass in ODE. */
bool print_places(const char *example, const parameters *p);

/* energy.c: prints the energy that the 8-Loop has lost at 1, 2, ..., 10 s. */
bool print_energies(const parameters *p, double h);
/* Prints rows of a table in C: the same for ODE alone. */
bool print_losses(const parameters *p, double h);

/* friction.c: prints the distance that a block slides in 1 s. */
bool print_slides(const parameters *p);

/* formulas.c: prints the formulas of Hishinuma 2018 next to their closed forms. */
bool print_formulas(const parameters *p);
/* Prints the complete file paper/ode_figures.h with the results of ODE. */
bool print_record(const parameters *p);

/* times.c: prints the time per step of chains of at most this many rods. */
bool print_times(const parameters *p, int most);

#endif
