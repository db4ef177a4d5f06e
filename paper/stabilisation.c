/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Kasper and Vlasenko claim that stabilisation in generalised coordinates is cheaper, because its matrix has two columns
 * of rows per loop instead of 2n. Measured are steps of Heun's rule with the double projection in generalised coordinates
 * (their step 7), with the projection of all poses through the tree of subsystems, and with neither.
 *
 * The cost of a stabilisation is the time of a step with it minus that of a step without it, in the same coordinates.
 * Loops of 4 (their example), 8, 16 and 32 bars whose corners lie on an ellipse, held at a corner. */

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "paper/sheet.h"
#include "trammel/elementary.h"

enum { LOOPS = 4, MOST_BARS = 32, NAME = 16, REPEATS = 3 };

static const int bars[LOOPS] = {4, 8, 16, 32};
static const char *const names[LOOPS] = {"4", "8", "16", "32"};
static const double STEP = 0.001, UNTIL = 0.5; /* s: short, so that all loops stay far from singular poses */

/* Returns a corner. Corners are at uneven angles, so that no two bars are equal; the loop of 4 is the paper's
 * rhombus. */
static trm_vec3 corner(int count, int i)
{
    const double turn = 2 * TRM_PI * (i % count) / count, angle = count == 4 ? turn : turn + 0.2 * trm_sin(turn);
    return trm_v3(1 - trm_cos(angle), (count == 4 ? 1 : 1.3) * trm_sin(angle), 0);
}

static bool add_loop_of(trm_model_def *def, int count)
{
    static char rods[MOST_BARS][NAME], pins[MOST_BARS + 1][NAME];
    bool good = true;
    for (int i = 0; good && i < count; i++) {
        snprintf(rods[i], NAME, "bar%d", i);
        good = add_rod_between(def, rods[i], corner(count, i), corner(count, i + 1), 0.01);
    }
    for (int i = 0; good && i <= count; i++) {
        snprintf(pins[i], NAME, "pin%d", i);
        const char *before = i == 0 ? "ground" : rods[i - 1], *after = i == count ? "ground" : rods[i];
        good = add_joint_between(def, "hinge", pins[i], before, after, corner(count, i));
    }
    return good;
}

typedef struct cost {
    double seconds; /* s of processor time per step, the least of several runs */
    double drift;   /* m */
} cost;

static bool run_once(int count, const trm_option *options, int option_count, cost *c)
{
    scene s;
    bool good = scene_begin(&s, trm_v3(0, -9.81, 0));
    if (good) {
        trm_simulation_def *o = &s.def->simulation;
        o->method = "subsystem", o->step = STEP, o->options = options, o->option_count = option_count;
        good = scene_simulate(&s, add_loop_of(s.def, count));
    }
    if (good) {
        const clock_t began = clock();
        good = trm_sim_run(s.sim, &(trm_run_def){.until = UNTIL, .every = UNTIL}).ok;
        c->seconds = fmin(c->seconds, (double)(clock() - began) / CLOCKS_PER_SEC * STEP / UNTIL);
        c->drift = trm_sim_accuracy(s.sim).gap.position;
    }
    scene_end(&s);
    return good;
}

static bool measure_cost(int count, const char *coordinates, const char *stabilise, cost *c)
{
    const trm_option options[] = {{.method = "subsystem", .name = "integrator", .text = "heun"},
                                  {.method = "subsystem", .name = "coordinates", .text = coordinates},
                                  {.method = "subsystem", .name = "stabilise", .text = stabilise}};
    *c = (cost){.seconds = INFINITY};
    for (int i = 0; i < REPEATS; i++)
        if (!run_once(count, options, 3, c)) return false;
    return true;
}

static bool measure_loop(int i, sheet_row *row)
{
    cost general = {0}, poses = {0}, none_general = {0}, none = {0};
    if (!measure_cost(bars[i], "generalised", "double", &general) ||
        !measure_cost(bars[i], "generalised", "none", &none_general) ||
        !measure_cost(bars[i], "global", "double", &poses) || !measure_cost(bars[i], "global", "none", &none))
        return false;
    const double us = 1e6, of_general = general.seconds - none_general.seconds,
                 of_poses = poses.seconds - none.seconds;
    *row = (sheet_row){names[i],
                       {us * of_general, us * of_poses, of_general / of_poses, us * general.seconds,
                        us * poses.seconds, general.drift, poses.drift, none_general.drift}};
    return true;
}

static const sheet_table table = {
    .key = "rows",
    .title = "Cost of the double projection, us per step of Heun's rule, h = 0.001, 0.5 s",
    .names = "bars",
    .name_width = 5,
    .columns = {{"generalised", "generalised", "%11.2f"},
                {"poses", "poses", "%8.2f"},
                {"ratio", "ratio", "%6.2f"},
                {"step_generalised", "whole step", "%10.2f"},
                {"step_poses", "whole step", "%10.2f"},
                {"drift_generalised", "drift", "%8.1e"},
                {"drift_poses", "drift", "%8.1e"},
                {"drift_none", "not at all", "%10.1e"}},
};

exit_code paper_stabilisation(const paper_request *request)
{
    sheet_row rows[LOOPS] = {0};
    sheet s;
    for (int i = 0; i < LOOPS; i++) {
        show_progress(request, names[i]);
        if (!measure_loop(i, &rows[i])) return EXIT_STOPPED;
    }
    show_progress(request, NULL);
    sheet_begin(&s, request);
    sheet_print(&s, &table, rows, LOOPS);
    sheet_note(&s,
               "generalised, poses: time of a step with the projection less that of a step without it; whole step "
               "and drift in\n"
               "m of both, and the drift without any projection.");
    sheet_end(&s);
    return EXIT_DONE;
}
