/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "run_counters.h"

#include <string.h>

/* Names the solver that was used, if it is not the chosen one. */
static void print_contact_solver(const trm_counters *c, const char *solver, FILE *to)
{
    if (c->contact_problems == 0 || strcmp(solver, "direct") == 0) return;
    if (c->swept == 0)
        fprintf(to, "solver       direct in all %lld problems with contacts; %s in steps without contacts\n",
                c->contact_problems, solver);
    else
        fprintf(to, "solver       %s in %lld of %lld problems with contacts, direct in the others\n", solver,
                c->swept, c->contact_problems);
}

void print_contact_counters(const trm_sim *sim, FILE *to)
{
    const trm_counters *c = trm_sim_counters(sim);
    if (c->plain > 0)
        fprintf(
            to,
            "contacts     %lld steps are of order 2, because contacts changed between sticking and sliding in them\n",
            c->plain);
    if (c->dissipative > 0)
        fprintf(to,
                "             %lld steps were replaced by dissipative ones: events chattered, or contacts gained "
                "energy\n",
                c->dissipative);
    if (c->time_stepping > 0)
        fprintf(to,
                "             %lld steps were made by time-stepping: many contacts in one island, or events "
                "chattered\n",
                c->time_stepping);
    print_contact_solver(c, trm_sim_options(sim)->solver, to);
}
