/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The machines of the paper on minimal form (Schirm, Blajer, Schiehlen 1993) and similar ones,
 * examples/problems/s*.json, with figures that a separate prototype computed for them. */

#ifndef TRM_TESTS_METHODS_MINIMAL_CASES_H
#define TRM_TESTS_METHODS_MINIMAL_CASES_H

#include "lagrange_models.h"

static const double EVERY = 0.05; /* s: interval at which energies and gaps are evaluated */
static const double GAP = 1e-12;  /* m, rad: largest gap of a loop during the run */

enum { MOST_READ = 4 };

/* A sum of coordinates of up to four joints with given signs, and its known value. */
typedef struct known {
    const char *joints;
    double at_1, at_10;
} known;

typedef struct machine_case {
    const char *name, *file;
    const char *own;  /* options with which the figures were found */
    const char *cuts; /* joints, any one of which may be cut */
    int switches;
    double evaluations[3], restarted[3]; /* 0: unknown */
    double saving;                       /* least relative saving of evaluations against restarting */
    double energy_error[3], energy;      /* J */
    double late;                         /* m, rad: accuracy of the known states at 10 s, or of the results */
    known list[MOST_READ];
} machine_case;

static const machine_case cases[] = {
    {.name = "PS",
     .file = "problems/s01-swinging-pendulum",
     .own = "",
     .cuts = "bar",
     .switches = 15,
     .evaluations = {719, 1206, 1877},
     .restarted = {978, 1774, 2876},
     .saving = 0.25,
     .energy_error = {3.6e-4, 6.3e-7, 6.0e-10},
     .energy = 4.082400466527,
     .late = 1e-7,
     .list = {{"x:bob", -0.9968207756938, 0.015727983627}, {"y:bob", -0.0796764779920, -0.999876307614}}},
    {.name = "PR",
     .file = "problems/s02-rotating-pendulum",
     .own = "",
     .cuts = "bar",
     .switches = 31,
     .evaluations = {838, 1369, 2157},
     .restarted = {1402, 2573, 4322},
     .saving = 0.40,
     .energy_error = {1.4e-3, 7.1e-7, 1.6e-9},
     .energy = 14.69,
     .late = 1e-7,
     .list = {{"x:bob", -0.9714943124914, -0.9157283468}, {"y:bob", 0.2370628625425, 0.4017979528}}},
    {.name = "TR",
     .file = "problems/s03-triple-rocker",
     .own = ":angles=absolute",
     .cuts = "A B C D",
     .switches = 17,
     .evaluations = {1845, 3289, 5489},
     .restarted = {2253, 4074, 6618},
     .saving = 0.15,
     .energy_error = {7.4e-3, 8.6e-6, 2.1e-9},
     .energy = 112.2978130793,
     .late = 1e-7,
     .list = {{"A", 0.643416644252, 1.42161340614},
              {"A B", 0.515877227773, -0.35063438358},
              {"D", 1.67504612201, 2.34625799418}}},
    {.name = "BR",
     .file = "problems/s08-bricard",
     .own = "",
     .cuts = "P1 P2 P3 P4 P5 P6",
     .switches = 19,
     .evaluations = {988, 1792, 2906},
     .restarted = {1334, 2581, 4028},
     .saving = 0.25,
     .energy_error = {2.2e-3, 7.5e-7, 5.2e-10},
     .energy = 52.62831537399,
     .late = 1e-7,
     .list = {{"P1", -1.2198823576, -2.0929325976}, {"P2", -1.8294894698, -0.1005967791}}},
    {.name = "L4",
     .file = "problems/s10-unequal-loop",
     .own = ":angles=absolute:cut=P4",
     .cuts = "P0 P1 P2 P3 P4",
     .switches = 2,
     .evaluations = {2362, 4108, 6875},
     .restarted = {2387, 4212, 6892},
     .energy_error = {2.9e-4, 2.1e-7, 3.1e-10},
     .energy = -0.3611671630925,
     .late = 1e-6, /* an error of 1e-12 becomes 1e-7 */
     .list = {{"P0", -3.05285241311, -1.46228284737},
              {"P0 P1", -2.21984970462, -1.83901707884},
              {"P0 P1 P2", -0.118765157762, 0.999763294236},
              {"P0 P1 P2 P3", 1.35948412174, 2.29894430976}}},
    {.name = "CR",
     .file = "problems/s04-crank-rocker",
     .own = ":angles=absolute",
     .cuts = "A B C D",
     .evaluations = {3544, 6295, 10540},
     .energy_error = {4.9e-3, 7.9e-6, 9.2e-9},
     .energy = 209.1487067668,
     .late = 1e-7,
     .list = {{"A", 11.8774189615, 102.47385794},
              {"A B", 1.22511215948, 0.50681669725},
              {"D", 2.07673221921, 1.87158635702}}},
    {.name = "SC",
     .file = "problems/s06-slider-crank",
     .own = ":angles=absolute",
     .cuts = "O B C way",
     .evaluations = {3353, 5963, 9680},
     .energy_error = {1.2e-2, 2.7e-6, 9.2e-9},
     .energy = 121.3816666667,
     .late = 1e-7,
     .list = {{"O", 12.4588326329, 108.407255828},
              {"O B", 0.0536912087631, -0.52345511276},
              {"way", 2.991341308, 1.70988702381}}},
    {.name = "PA",
     .file = "problems/s05-parallelogram",
     .own = ":angles=absolute",
     .cuts = "A B C D",
     .evaluations = {706, 1232, 2417},
     .energy_error = {1.4e-3, 5.3e-7, 3.0e-8},
     .energy = 114.7633333333,
     .late = 1e-7,
     .list = {{"A", 10.69580700686, 93.2382293537}}},
    {.name = "SR",
     .file = "problems/s07-slider-rocker",
     .own = ":angles=absolute",
     .cuts = "O B C way",
     .switches = 73,
     .energy = 93.17540763232,
     .late = 1e-7,
     .list = {{"O", 0.503489466296, -0.366390441},
              {"O B", 10.730106268522, 113.896101210},
              {"way", 1.489447645174, 2.564844708}}},
    {.name = "RS",
     .file = "problems/s09-rssr",
     .own = "",
     .cuts =
         "B C D", /* not A: the slender crank would hang on the rod, and one of its angles would at times move no mass */
     .energy = 110.38048709756,
     .late = 1e-7,
     .list = {{"A", 9.421850551081, 92.7375475217}, {"D", 4.189919347303, 4.2067087120}}},
};

enum { CASES = sizeof cases / sizeof *cases };

static inline running start(const machine_case *c, const char *more, double tolerance)
{
    char choice[150];
    snprintf(choice, sizeof choice, "minimal%s", more);
    return run_chosen(example(c->file), (way){.choice = choice, .step = 0.01, .error = tolerance});
}

/* Runs a test for each machine. */
static inline int run_on_all_cases(void (*claim)(void **))
{
    struct CMUnitTest tests[CASES] = {{0}};
    for (int i = 0; i < CASES; i++)
        tests[i] = (struct CMUnitTest){
            .name = cases[i].name, .test_func = claim, .initial_state = (void *)(uintptr_t)&cases[i]};
    return RUN_TESTS(tests);
}

#endif
