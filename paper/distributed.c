/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The example of Kasper and Vlasenko, section 4: a loop of four bars, Runge-Kutta of order 2, h = 0.01, 10 s.
 *
 * Their figures 3 (angles over time) and 4 (the largest error in the joints over time) are reproduced as they made them:
 * generalised coordinates, both projections at once, twice. They are compared with subsystems in coordinates of all
 * bodies, no projection, and impulse. The paper does not say how its bars lie: ours hang from a corner and swing as its
 * text says.
 *
 * Equal bars keep phi3 = phi1 + pi, phi4 = phi2 + pi. These relations are linear, so that a Runge-Kutta rule keeps them
 * up to rounding. The printed drift of 5e-15 m therefore does not show the effect of the projection. The second loop, of
 * unequal bars, is opened by the steps themselves. Without projection its energy is that of the tree without P2.
 * Reference: both loops integrated by another program with 24 to 40 digits. */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paper/tables.h"
#include "trammel/elementary.h"

enum { BARS = 4, LOOPS = 2, WAYS = 5, TIMES = 4, STEPS = 1000, NAME_SIZE = 8 };

static const double STEP = 0.01, UNTIL = 10; /* s */
static const double TOLERANCE = 1e-13;       /* m, m/s: of impulse, and of the start */
static const double PRINTED_DRIFT = 5e-15;   /* m */
static const int times[TIMES] = {1, 2, 5, 10};

/* ---- The loops ----------------------------------------------------------------------------- */

typedef struct loop {
    const char *name, *about, *file;
    double length[BARS]; /* m: bar after bar, from the fixed corner and back to it, */
    double phi[BARS];    /* rad, from the x axis */
    trm_vec3 gravity;
    double reference[TIMES]; /* phi1 */
} loop;

static const loop loops[LOOPS] = {
    {.name = "equal bars",
     .about = "1 m each, hung from a corner, 45 degrees off the vertical: the paper's example",
     .file = "equal",
     .length = {1, 1, 1, 1},
     .phi = {-TRM_PI / 4, TRM_PI / 4, 3 * TRM_PI / 4, 5 * TRM_PI / 4},
     .gravity = {9.81, 0, 0},
     .reference = {0.6079454164207, 0.0213025633736, -0.5884864601842, 0.1056243996178}},
    {.name = "unequal bars",
     .about = "1, 0.8, 1.3 and 0.9 m, held at a corner: never singular, and not closed by symmetry",
     .file = "unequal",
     .length = {1, 0.8, 1.3, 0.9},
     .phi = {-TRM_PI / 4, TRM_PI / 4, 2.3186070093797168, 4.2657457957405691},
     .gravity = {0, -9.81, 0},
     .reference = {-3.05285241311, -2.05435273478, -1.83088133539, -1.46228284737}},
};

static void find_corners(const loop *l, trm_vec3 corner[BARS + 1])
{
    corner[0] = trm_v3(0, 0, 0);
    for (int i = 0; i < BARS; i++) {
        const trm_vec3 along = trm_v3(trm_cos(l->phi[i]), trm_sin(l->phi[i]), 0);
        corner[i + 1] = trm_v3_add(corner[i], trm_v3_scale(l->length[i], along));
    }
    corner[BARS] = corner[0]; /* equal up to rounding */
}

static bool add_bars(trm_model_def *def, const trm_vec3 *corner, char names[BARS][NAME_SIZE])
{
    for (int i = 0; i < BARS; i++) {
        trm_body_def bar = trm_default_body_def();
        snprintf(names[i], NAME_SIZE, "bar%d", i + 1);
        bar.name = names[i];
        bar.kind = TRM_BODY_ROD;
        bar.rod = (trm_rod_def){corner[i], corner[i + 1], 1, 0};
        if (trm_add_body(def, &bar) != TRM_OK) return false;
    }
    return true;
}

/* Adds the pins. Joint i precedes bar i, the last one follows all bars: coordinates are differences of successive
 * angles. */
static bool add_pins(trm_model_def *def, const loop *l, const trm_vec3 *corner, char bars[BARS][NAME_SIZE],
                     char names[BARS + 1][NAME_SIZE])
{
    for (int i = 0; i <= BARS; i++) {
        trm_joint_def pin = trm_default_joint_def();
        const bool last = i == BARS;
        snprintf(names[i], NAME_SIZE, "P%d", i);
        pin.name = names[i];
        pin.type = "hinge";
        pin.bodies[0] = i == 0 || last ? "ground" : bars[i - 1];
        pin.bodies[1] = last ? bars[i - 1] : bars[i];
        pin.anchor = corner[i];
        pin.axis = trm_v3(0, 0, 1);
        pin.q0[0] = last ? l->phi[i - 1] : l->phi[i] - (i > 0 ? l->phi[i - 1] : 0);
        if (trm_add_joint(def, &pin) != TRM_OK) return false;
    }
    return true;
}

static bool build(const loop *l, scene *s)
{
    trm_vec3 corner[BARS + 1];
    char bars[BARS][NAME_SIZE], pins[BARS + 1][NAME_SIZE];
    if (!scene_begin(s, l->gravity)) return false;
    find_corners(l, corner);
    return scene_build(s, add_bars(s->def, corner, bars) && add_pins(s->def, l, corner, bars, pins));
}

/* ---- The ways ------------------------------------------------------------------------------ */

typedef struct way {
    const char *name, *about;
    const char *method;
    trm_option options[3];
    int option_count;
} way;

#define OF_SUBSYSTEM(of, as)                                                                                         \
    {                                                                                                                \
        .method = "subsystem", .name = of, .text = as                                                                \
    }

static const way ways[WAYS] = {
    {"as the paper",
     "generalised coordinates, both projections at once, twice",
     "subsystem",
     {OF_SUBSYSTEM("integrator", "heun"), OF_SUBSYSTEM("stabilise", "double"),
      OF_SUBSYSTEM("coordinates", "generalised")},
     3},
    {"in turn",
     "all bodies, poses projected and then velocities",
     "subsystem",
     {OF_SUBSYSTEM("integrator", "heun")},
     1},
    {"in turn, rk4", "the same with Runge-Kutta 4, the method's default", "subsystem", {{0}}, 0},
    {"not projected",
     "generalised coordinates alone",
     "subsystem",
     {OF_SUBSYSTEM("integrator", "heun"), OF_SUBSYSTEM("stabilise", "none"),
      OF_SUBSYSTEM("coordinates", "generalised")},
     3},
    {"impulse", "the impulse method of order 2", "impulse", {{0}}, 0},
};

/* ---- Running ------------------------------------------------------------------------------- */

/* One loop run by one method. A run that stops keeps its rows up to there. */
typedef struct course {
    double time[STEPS + 1], phi[BARS][STEPS + 1]; /* s, rad */
    double drift[STEPS + 1];                      /* m: gap of the worst joint */
    int count;
    double drift_max, velocity_max, energy_max; /* m, m/s, J */
    trm_outcome outcome;
} course;

typedef struct courses {
    course of[LOOPS][WAYS];
} courses;

static bool note_row(void *context, const trm_state *state)
{
    course *c = context;
    const int row = c->count;
    double q[TRM_JOINT_COORDINATES], phi = 0;
    if (row > STEPS) return false;
    c->time[row] = trm_state_time(state);
    for (int j = 0; j <= BARS; j++) c->drift[row] = fmax(c->drift[row], trm_position_gap(state, j).position);
    for (int i = 0; i < BARS; i++) {
        trm_joint_values(state, i, q, NULL);
        c->phi[i][row] = phi += q[0];
    }
    c->count++;
    return true;
}

static bool run_way(const scene *s, const way *w, course *c)
{
    trm_simulation_def options = trm_default_simulation_def();
    trm_sim *sim = NULL;
    options.method = w->method;
    options.step = STEP;
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = TOLERANCE;
    options.options = w->options;
    options.option_count = w->option_count;
    if (trm_sim_create(s->model, &options, NULL, s->messages, &sim) != TRM_OK) {
        print_messages(s->messages);
        return false;
    }
    const trm_run_def run = {.until = UNTIL, .every = STEP, .row = note_row, .context = c};
    c->outcome = trm_sim_run(sim, &run);
    const trm_accuracy found = trm_sim_accuracy(sim);
    c->drift_max = found.gap.position;
    c->velocity_max = found.velocity_gap.position;
    c->energy_max = found.energy_error_max;
    trm_sim_destroy(sim);
    return true;
}

static bool run_all(const paper_request *request, courses *all)
{
    bool good = true;
    for (int l = 0; good && l < LOOPS; l++) {
        scene s;
        good = build(&loops[l], &s);
        for (int w = 0; good && w < WAYS; w++) {
            char text[80];
            snprintf(text, sizeof text, "%s, %s", loops[l].name, ways[w].name);
            show_progress(request, text);
            good = run_way(&s, &ways[w], &all->of[l][w]);
        }
        scene_end(&s);
    }
    show_progress(request, NULL);
    return good;
}

/* Returns phi1 at time number i; NAN: the run did not reach it. */
static double phi1_at(const course *c, int i)
{
    const int row = (int)lround(times[i] / STEP);
    return row < c->count ? c->phi[0][row] : NAN;
}

/* ---- Drawing ------------------------------------------------------------------------------- */

static bool write_drawing(const trm_plot *plot, const char *prefix, const char *name)
{
    char path[1000];
    if (snprintf(path, sizeof path, "%s-%s.svg", prefix, name) >= (int)sizeof path) errno = ENAMETOOLONG, path[0] = 0;
    FILE *file = path[0] ? fopen(path, "wb") : NULL;
    bool good = file && trm_write_plot_svg(plot, trm_file_sink(file));
    if (file && fclose(file) != 0) good = false;
    if (!good) fprintf(stderr, "trammel paper: cannot write %s-%s.svg: %s\n", prefix, name, strerror(errno));
    return good;
}

/* Draws figure 3. */
static bool draw_angles(const courses *all, const char *prefix)
{
    static const char *const names[BARS] = {"phi1", "phi2", "phi3", "phi4"};
    const course *c = &all->of[0][0];
    trm_plot_series series[BARS];
    for (int i = 0; i < BARS; i++) series[i] = (trm_plot_series){names[i], c->time, c->phi[i], c->count};
    const trm_plot plot = {.title = "Four equal bars, as in Kasper and Vlasenko, figure 3",
                           .x = {"t, s", false},
                           .y = {"angle, rad", false},
                           .series = series,
                           .series_count = BARS};
    return write_drawing(&plot, prefix, "angles");
}

/* Draws figure 4 for one of the loops. */
static bool draw_drift(const courses *all, int l, const char *prefix)
{
    char title[100], name[40];
    trm_plot_series series[WAYS];
    for (int w = 0; w < WAYS; w++) {
        const course *c = &all->of[l][w];
        series[w] = (trm_plot_series){ways[w].name, c->time, c->drift, c->count};
    }
    snprintf(title, sizeof title, "Four %s: how far the worst joint is open (Kasper, Vlasenko, figure 4)",
             loops[l].name);
    snprintf(name, sizeof name, "drift-%s", loops[l].file);
    const trm_plot plot = {
        .title = title, .x = {"t, s", false}, .y = {"gap, m", true}, .series = series, .series_count = WAYS};
    return write_drawing(&plot, prefix, name);
}

static bool draw_all(const courses *all, const char *prefix)
{
    bool good = draw_angles(all, prefix);
    for (int l = 0; good && l < LOOPS; l++) good = draw_drift(all, l, prefix);
    return good;
}

/* ---- Printing ------------------------------------------------------------------------------ */

static void print_angle(double phi)
{
    if (isnan(phi))
        printf(" %10s", "-");
    else
        printf(" %10.6f", phi);
}

static void print_loop(const courses *all, int l)
{
    printf("\n%s: %s\n", loops[l].name, loops[l].about);
    printf("%-14s %9s %9s %10s %10s\n%-14s %9s %9s %10s", "", "drift", "speed", "energy", "phi1 at t", "", "m", "m/s",
           "J");
    for (int i = 0; i < TIMES; i++) printf(" %8d s", times[i]);
    printf("\n");
    for (int w = 0; w < WAYS; w++) {
        const course *c = &all->of[l][w];
        printf("%-14s %9.1e %9.1e %10.3e", ways[w].name, c->drift_max, c->velocity_max, c->energy_max);
        for (int i = 0; i < TIMES; i++) print_angle(phi1_at(c, i));
        printf("\n");
    }
    printf("%-14s %9s %9s %10s", "reference", "", "", "");
    for (int i = 0; i < TIMES; i++) print_angle(loops[l].reference[i]);
    printf("\n");
    for (int w = 0; w < WAYS; w++) {
        const trm_outcome *end = &all->of[l][w].outcome;
        if (!end->ok) printf("%s: stopped at t = %.6g s: %s: %s\n", ways[w].name, end->time, end->element, end->why);
    }
}

static void print_text(const courses *all)
{
    printf("Four bars of 1 kg in a loop (Kasper, Vlasenko, section 4): Runge-Kutta 2, h = %g s, %g s\n", STEP, UNTIL);
    for (int l = 0; l < LOOPS; l++) print_loop(all, l);
    printf("\n");
    for (int w = 0; w < WAYS; w++) printf("%-14s %s\n", ways[w].name, ways[w].about);
    printf(
        "drift: the largest gap of a joint, speed: the largest at which one opens, energy: its largest error.\n"
        "impulse closes joints to its tolerance, %g m.\n\n"
        "In print the drift is at most %g m, which proves nothing: equal bars stay closed by symmetry. They keep\n"
        "phi3 = phi1 + pi and phi4 = phi2 + pi, and so does every Runge-Kutta rule. Only rounding opens the loop,\n"
        "many times more whenever it is stretched, so that without projection it comes apart; when, differs from\n"
        "machine to machine. Unequal bars are opened by the steps themselves: they show what a projection does.\n",
        TOLERANCE, PRINTED_DRIFT);
}

static void put_way(trm_json_writer *w, const loop *l, const way *made, const course *c)
{
    trm_json_open_object(w, NULL);
    trm_json_put_text(w, "way", made->name);
    trm_json_put_text(w, "about", made->about);
    trm_json_put_number(w, "drift", c->drift_max);
    trm_json_put_number(w, "speed", c->velocity_max);
    trm_json_put_number(w, "energy_error", c->energy_max);
    trm_json_open_array(w, "phi1");
    for (int i = 0; i < TIMES; i++) {
        const double phi = phi1_at(c, i);
        trm_json_open_object_flat(w, NULL);
        trm_json_put_number(w, "t", times[i]);
        trm_json_put_number(w, "phi1", phi);
        trm_json_put_number(w, "error", phi - l->reference[i]);
        trm_json_close(w);
    }
    trm_json_close(w);
    trm_json_put_text(w, "stopped", c->outcome.ok ? NULL : c->outcome.why);
    trm_json_close(w);
}

static void print_json(const courses *all)
{
    trm_json_writer w = trm_json_begin(trm_file_sink(stdout));
    trm_json_open_object(&w, NULL);
    trm_json_put_text(&w, "table", "distributed");
    trm_json_put_number(&w, "h", STEP);
    trm_json_put_number(&w, "printed_drift", PRINTED_DRIFT);
    trm_json_open_array(&w, "loops");
    for (int l = 0; l < LOOPS; l++) {
        trm_json_open_object(&w, NULL);
        trm_json_put_text(&w, "name", loops[l].name);
        trm_json_put_text(&w, "about", loops[l].about);
        trm_json_open_array(&w, "rows");
        for (int i = 0; i < WAYS; i++) put_way(&w, &loops[l], &ways[i], &all->of[l][i]);
        trm_json_close(&w);
        trm_json_close(&w);
    }
    trm_json_close(&w);
    trm_json_close(&w);
    trm_json_end(&w);
}

exit_code paper_distributed(const paper_request *request)
{
    courses *all = calloc(1, sizeof *all);
    if (!all) {
        fprintf(stderr, "trammel paper: out of memory\n");
        return EXIT_STOPPED;
    }
    exit_code code = run_all(request, all) ? EXIT_DONE : EXIT_STOPPED;
    if (code == EXIT_DONE && request->plot && !draw_all(all, request->plot)) code = EXIT_BAD_INPUT;
    if (code == EXIT_DONE && request->json)
        print_json(all);
    else if (code == EXIT_DONE)
        print_text(all);
    free(all);
    return code;
}
