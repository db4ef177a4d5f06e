/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The machine of figure 11.1 of Schmitt 2003, three linked bodies that fall on a plate (examples/figure-11-1.json), by
 * the iteration that section 11 describes, impulses of joints, contacts and friction in turn, and by the direct solver.
 *
 * Penetration is measured from poses alone: the depth of the deepest corner of a body below the top of the plate. */

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "paper/sheet.h"

#define BOX(name, x)                                                                                                 \
    "{ \"name\": \"" name "\", \"position\": [" x ", 0, 0.8],"                                                       \
    "  \"shapes\": [{ \"type\": \"box\", \"size\": [0.4, 0.15, 0.15], \"density\": 700 }] }"
#define BALL(name, a, b, x)                                                                                          \
    "{ \"name\": \"" name "\", \"type\": \"ball\", \"bodies\": [\"" a "\", \"" b "\"], \"anchor\": [" x ", 0, 0.8] " \
    "}"

static const char *const MACHINE =
    "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"defaults\": { \"friction\": 0.4, \"restitution\": 0.2 },"
    "  \"bodies\": [" BOX("left", "-0.5") "," BOX("middle", "0") "," BOX(
        "right", "0.5") ","
                        "    { \"name\": \"plate\", \"fixed\": true, \"orientation\": { \"axis\": [0, 1, 0], "
                        "\"angle\": \"10*deg\" },"
                        "      \"shapes\": [{ \"type\": \"box\", \"size\": [3, 2, 0.1] }] }],"
                        "  \"joints\": [" BALL("j1", "left", "middle", "-0.25") "," BALL("j2", "middle", "right",
                                                                                         "0.25") "] }";

static const trm_vec3 HALF = {0.2, 0.075, 0.075}; /* m: half the size of a box */
static const double TOP = 0.05, STEP = 0.002, UNTIL = 1.5;

enum { RUNS = 4, BODIES = 3 };

static const struct {
    const char *name, *solver, *impact;
} runs[RUNS] = {
    {"direct, event", "direct", "event"},
    {"iterative, event", "iterative", "event"},
    {"direct, window", "direct", "window"},
    {"iterative, window", "iterative", "window"},
};

/* ---- Penetration --------------------------------------------------------------------------- */

typedef struct depth {
    int body[BODIES], plate;
    double deepest; /* m */
} depth;

static void find_lowest_corner(depth *d, const trm_pose *body, const trm_pose *plate)
{
    for (int i = 0; i < 8; i++) {
        const trm_vec3 corner = trm_v3(i & 1 ? HALF.x : -HALF.x, i & 2 ? HALF.y : -HALF.y, i & 4 ? HALF.z : -HALF.z);
        const trm_vec3 at = trm_v3_add(body->p, trm_rotate(body->q, corner));
        const double height = trm_rotate_back(plate->q, trm_v3_sub(at, plate->p)).z - TOP;
        d->deepest = fmax(d->deepest, -height);
    }
}

static bool look(void *context, const trm_state *state)
{
    depth *d = context;
    const trm_pose plate = trm_body_pose(state, d->plate);
    for (int i = 0; i < BODIES; i++) {
        const trm_pose body = trm_body_pose(state, d->body[i]);
        find_lowest_corner(d, &body, &plate);
    }
    return true;
}

/* ---- Runs ---------------------------------------------------------------------------------- */

static bool run(int number, sheet_row *row, trm_vec3 *end)
{
    scene s;
    bool good = scene_read(&s, MACHINE);
    if (good) {
        trm_simulation_def *o = &s.def->simulation;
        o->solver = runs[number].solver, o->impact = runs[number].impact, o->step = STEP;
        good = scene_simulate(&s, true);
    }
    if (good) {
        depth d = {.body = {trm_find_body(s.model, "left"), trm_find_body(s.model, "middle"),
                            trm_find_body(s.model, "right")},
                   .plate = trm_find_body(s.model, "plate")};
        const clock_t began = clock();
        good = trm_sim_run(s.sim, &(trm_run_def){.until = UNTIL, .every = STEP, .row = look, .context = &d}).ok;
        const double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
        const trm_counters *c = trm_sim_counters(s.sim);
        const trm_accuracy a = trm_sim_accuracy(s.sim);
        *end = trm_body_pose(trm_sim_state(s.sim), d.body[1]).p;
        *row = (sheet_row){runs[number].name,
                           {(double)c->rounds / (double)c->steps, (double)c->contact_problems, (double)c->swept,
                            seconds, d.deepest, a.gap.position, a.energy_error_max}};
    }
    scene_end(&s);
    return good;
}

static const sheet_table table = {
    .key = "rows",
    .title = "Three linked bodies fall on a plate (figure 11.1), h = 0.002, 1.5 s",
    .names = "solver",
    .name_width = 18,
    .columns = {{"rounds", "rounds/step", "%11.1f"},
                {"problems", "problems", "%8.0f"},
                {"swept", "in turn", "%8.0f"},
                {"time", "time", "%6.2f"},
                {"penetration", "penetration", "%11.1e"},
                {"gap", "joint gap", "%9.1e"},
                {"energy", "energy error", "%12.1e"},
                {"apart", "apart", "%9.1e"}},
};

exit_code paper_contacts(const paper_request *request)
{
    sheet_row rows[RUNS] = {0};
    trm_vec3 ends[RUNS] = {{0, 0, 0}};
    sheet s;
    for (int i = 0; i < RUNS; i++) {
        show_progress(request, runs[i].name);
        if (!run(i, &rows[i], &ends[i])) return EXIT_STOPPED;
    }
    show_progress(request, NULL);
    for (int i = RUNS - 1; i >= 0; i--) {
        rows[i].values[3] /= rows[i - i % 2].values[3];
        rows[i].values[7] = i % 2 ? trm_v3_length(trm_v3_sub(ends[i], ends[i - 1])) : NAN;
    }
    sheet_begin(&s, request);
    sheet_print(&s, &table, rows, RUNS);
    sheet_note(
        &s,
        "problems: of joints, contacts and friction of an island; in turn: those that rounds over them solved, the\n"
        "direct solver the others. time: of the processor, in units of the direct solver. Lengths in m, energy in\n"
        "J. apart: distance of the middle body from that of the direct solver after 1.5 s.");
    sheet_end(&s);
    return EXIT_DONE;
}
