/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Compares our method lcp with ODE, on which it is modelled: the same scenes, the same parameters.
 *
 *     bench_ode [--distances] [--energies] [--slides] [--formulas] [--times] [--scene EXAMPLE] [--step H] [--erp E] [--cfm C] [--steps N]
 *               [--gyroscopic implicit|none] [--rotation infinitesimal|finite] [--method NAME] [--most RODS]
 *     bench_ode --reference
 *     bench_ode --record > paper/ode_figures.h
 *
 * Without an option for the output everything is printed, or the distances of an EXAMPLE that is named, for which --step
 * and --steps are. --method selects another method of ours instead of lcp. --reference prints the figures of ODE in
 * tests/methods/lcp_ode.c, with ODE's defaults; --record those of `trammel paper hishinuma`. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/machine.h"
#include "figures.h"

typedef struct wishes {
    bool distances, energies, slides, formulas, times, reference, record;
    const char *example;
    int steps, most;
    parameters p;
} wishes;

static bool take_flag(wishes *w, const char *name)
{
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {{"--distances", &w->distances}, {"--energies", &w->energies}, {"--slides", &w->slides},
                 {"--formulas", &w->formulas},   {"--times", &w->times},       {"--reference", &w->reference},
                 {"--record", &w->record}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(flags[i].name, name) == 0) return *flags[i].flag = true;
    return false;
}

static bool take_value(wishes *w, const char *name, const char *value)
{
    if (strcmp(name, "--scene") == 0) return w->example = value, true;
    if (strcmp(name, "--method") == 0) return w->p.method = value, true;
    if (strcmp(name, "--step") == 0) return (w->p.h = atof(value)) > 0;
    if (strcmp(name, "--erp") == 0) return w->p.erp = atof(value), true;
    if (strcmp(name, "--cfm") == 0) return w->p.cfm = atof(value), true;
    if (strcmp(name, "--steps") == 0) return (w->steps = atoi(value)) > 0;
    if (strcmp(name, "--most") == 0) return (w->most = atoi(value)) > 0;
    if (strcmp(name, "--gyroscopic") == 0) return w->p.gyroscopic = strcmp(value, "none") != 0, true;
    if (strcmp(name, "--rotation") == 0) return w->p.finite = strcmp(value, "finite") == 0, true;
    return false;
}

static bool read_wishes(wishes *w, int argc, char **argv)
{
    *w = (wishes){.steps = 200, .most = 1000, .p = default_parameters()};
    for (int i = 1; i < argc; i++) {
        if (take_flag(w, argv[i])) continue;
        if (i + 1 == argc || !take_value(w, argv[i], argv[i + 1])) return false;
        i++;
    }
    if (!w->distances && !w->energies && !w->slides && !w->formulas && !w->times) {
        w->distances = true;
        w->energies = w->slides = w->formulas = w->times = w->example == NULL;
    }
    return true;
}

static bool print_all_distances(const wishes *w)
{
    /* only the last two turn about more than one axis: in a plane there is no gyroscopic torque, and hinges do not tilt */
    static const char *const examples[] = {"double-pendulum", "four-bar", "eight-loop", "problems/r10-heavy-top",
                                           "problems/r12-babyboot"};
    bool good = true;
    printf("\nODE's dWorldStep and ours: the largest difference in the first steps\n");
    printf("%-22s %8s %6s %6s %8s %12s %12s\n", "example", "h/s", "steps", "ERP", "CFM", "distance/m", "angle/rad");
    if (w->example) return print_distances(w->example, &w->p, w->steps);
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        good = print_distances(examples[i], &w->p, w->steps) && good;
    return good;
}

static bool print_reference(void)
{
    const parameters p = default_parameters();
    return print_places("double-pendulum", &p) && print_places("four-bar", &p) &&
           print_places("problems/r10-heavy-top", &p) && print_losses(&p, 0.01) && print_losses(&p, 0.005);
}

static bool print_wishes(const wishes *w)
{
    char machine[300];
    describe_machine(machine, sizeof machine);
    printf("ODE %s, our %s; gyroscopic torque %s, rotations %s; %s\n", world_version(), w->p.method,
           w->p.gyroscopic ? "implicit" : "none", w->p.finite ? "finite" : "infinitesimal", machine);
    bool good = true;
    if (w->distances) good = print_all_distances(w) && good;
    if (w->energies) good = print_energies(&w->p, 0.01) && print_energies(&w->p, 0.005) && good;
    if (w->slides) good = print_slides(&w->p) && good;
    if (w->formulas) good = print_formulas(&w->p) && good;
    if (w->times) good = print_times(&w->p, w->most) && good;
    return good;
}

int main(int argc, char **argv)
{
    wishes w;
    if (!read_wishes(&w, argc, argv)) {
        fprintf(stderr, "see the beginning of bench/ode/ode.c\n");
        return 2;
    }
    be_single_threaded(argv);
    if (w.record) return print_record(&w.p) ? 0 : 1;
    return (w.reference ? print_reference() : print_wishes(&w)) ? 0 : 1;
}
