/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The claims of Schirm, Blajer and Schiehlen 1993 about minimal coordinates, observed:
 *
 *     Bild 1          the criterion of the pendulum in x and y: cos^2 alpha of x is cos^2 phi, that of y sin^2 phi
 *     switching       another coordinate without restart of the integrator: "a distinct reduction of the number of
 *                     function calls"
 *     closures        explicit ones need no iteration: of single loops, and of linkages of two loops, ring after ring */

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "paper/sheet.h"
#include "trammel/elementary.h"

static const double G = 9.81, UNTIL = 10; /* m/s^2, s */

/* ---- The pendulum in x and y --------------------------------------------------------------- */

/* Adds a point mass in a plane on a massless bar, 2 rad from its lowest position, with this speed, m/s. */
static bool add_plane_pendulum(trm_model_def *def, double speed)
{
    trm_body_def bob = trm_default_body_def();
    bob.name = "bob", bob.kind = TRM_BODY_POINT, bob.mass = 1;
    bob.position = trm_v3(trm_sin(2), -trm_cos(2), 0);
    bob.velocity = trm_v3(speed * trm_cos(2), speed * trm_sin(2), 0);
    trm_joint_def plane = trm_default_joint_def(), bar = trm_default_joint_def();
    plane.type = "slot", plane.name = "plane";
    bar.type = "distance", bar.name = "bar", bar.length = 1;
    plane.bodies[0] = bar.bodies[0] = "ground", plane.bodies[1] = bar.bodies[1] = "bob";
    plane.anchors[0] = plane.anchors[1] = bar.anchors[0] = bar.anchors[1] = trm_v3(0, 0, 0);
    plane.axis = trm_v3(0, 0, 1);
    return trm_add_body(def, &bob) == TRM_OK && trm_add_joint(def, &plane) == TRM_OK &&
           trm_add_joint(def, &bar) == TRM_OK;
}

static bool add_swinging(trm_model_def *def)
{
    return add_plane_pendulum(def, 0);
}

static bool add_rotating(trm_model_def *def)
{
    return add_plane_pendulum(def, 5);
}

/* ---- Linkages ------------------------------------------------------------------------------ */

typedef struct bar {
    const char *name;
    double x1, y1, x2, y2; /* m */
} bar;

typedef struct pin {
    const char *name, *a, *b;
    double x, y; /* m */
} pin;

static bool add_linkage(trm_model_def *def, const bar *bars, int bar_count, const pin *pins, int pin_count)
{
    bool good = true;
    for (int i = 0; good && i < bar_count; i++)
        good = add_rod_between(def, bars[i].name, trm_v3(bars[i].x1, bars[i].y1, 0),
                               trm_v3(bars[i].x2, bars[i].y2, 0), 0.01);
    for (int i = 0; good && i < pin_count; i++)
        good = add_joint_between(def, "hinge", pins[i].name, pins[i].a, pins[i].b, trm_v3(pins[i].x, pins[i].y, 0));
    return good;
}

static bool add_four_bar(trm_model_def *def)
{
    static const bar bars[] = {{"crank", 0, 0, 0.1, 0.3}, {"coupler", 0.1, 0.3, 1, 0.7}, {"rocker", 0.8, 0, 1, 0.7}};
    static const pin pins[] = {{"A", "ground", "crank", 0, 0},
                               {"B", "crank", "coupler", 0.1, 0.3},
                               {"C", "coupler", "rocker", 1, 0.7},
                               {"D", "ground", "rocker", 0.8, 0}};
    return add_linkage(def, bars, 3, pins, 4);
}

static bool add_parallelogram(trm_model_def *def)
{
    static const bar bars[] = {{"left", 0, 0, 0.1, 0.3}, {"coupler", 0.1, 0.3, 1.1, 0.3}, {"right", 1, 0, 1.1, 0.3}};
    static const pin pins[] = {{"A", "ground", "left", 0, 0},
                               {"B", "left", "coupler", 0.1, 0.3},
                               {"C", "coupler", "right", 1.1, 0.3},
                               {"D", "ground", "right", 1, 0}};
    return add_linkage(def, bars, 3, pins, 4);
}

/* Adds one crank more than necessary: its rows depend on the others. */
static bool add_three_cranks(trm_model_def *def)
{
    static const bar bars[] = {{"left", 0, 0, 0.1, 0.3},
                               {"coupler", 0.1, 0.3, 1.1, 0.3},
                               {"right", 1, 0, 1.1, 0.3},
                               {"middle", 0.4, 0, 0.5, 0.3}};
    static const pin pins[] = {{"A", "ground", "left", 0, 0},       {"B", "left", "coupler", 0.1, 0.3},
                               {"C", "coupler", "right", 1.1, 0.3}, {"D", "ground", "right", 1, 0},
                               {"E", "ground", "middle", 0.4, 0},   {"F", "middle", "coupler", 0.5, 0.3}};
    return add_linkage(def, bars, 4, pins, 6);
}

/* Adds two four-bars that share the rocker. For any independent coordinate they can be closed ring after ring. */
static bool add_watt(trm_model_def *def)
{
    static const bar bars[] = {{"link", 1.3, 0.5, 1.9, 0.9}, {"arm", 1.7, 0, 1.9, 0.9}};
    static const pin pins[] = {
        {"E", "rocker", "link", 1.3, 0.5}, {"F", "link", "arm", 1.9, 0.9}, {"H", "ground", "arm", 1.7, 0}};
    return add_four_bar(def) && add_linkage(def, bars, 2, pins, 3);
}

/* Adds the four-bar with two more bars, from its coupler to the ground. It is explicit only while an angle of the
 * four-bar is independent. */
static bool add_stephenson(trm_model_def *def)
{
    static const bar bars[] = {{"link", 0.5, 0.8, 1.2, 1.4}, {"arm", 1.6, 0.5, 1.2, 1.4}};
    static const pin pins[] = {
        {"E", "coupler", "link", 0.5, 0.8}, {"F", "link", "arm", 1.2, 1.4}, {"H", "ground", "arm", 1.6, 0.5}};
    return add_four_bar(def) && add_linkage(def, bars, 2, pins, 3);
}

/* Adds a single loop with two degrees of freedom. */
static bool add_five_bar(trm_model_def *def)
{
    static const bar bars[] = {{"first", 0, 0, -0.2, 0.5},
                               {"second", -0.2, 0.5, 0.3, 1.1},
                               {"third", 0.3, 1.1, 0.9, 0.6},
                               {"fourth", 0.7, 0, 0.9, 0.6}};
    static const pin pins[] = {{"A", "ground", "first", 0, 0},
                               {"B", "first", "second", -0.2, 0.5},
                               {"C", "second", "third", 0.3, 1.1},
                               {"D", "third", "fourth", 0.9, 0.6},
                               {"E", "ground", "fourth", 0.7, 0}};
    return add_linkage(def, bars, 4, pins, 5);
}

/* ---- Runs ---------------------------------------------------------------------------------- */

typedef bool (*machine)(trm_model_def *def);

/* Begins a simulation by the method minimal with one of its options. */
static bool begin(scene *s, machine add, const trm_option *chosen, double error)
{
    if (!scene_begin(s, trm_v3(0, -G, 0))) return false;
    trm_simulation_def *o = &s->def->simulation;
    o->method = "minimal", o->step = isnan(error) ? 0.001 : 0.01, o->error = error;
    o->options = chosen, o->option_count = chosen ? 1 : 0;
    return scene_simulate(s, add(s->def));
}

typedef struct figures {
    double evaluations, newton, switches, gap, seconds, energy;
    trm_vec3 end; /* m: final position of the last body */
} figures;

static bool run(machine add, const char *name, const char *word, double error, figures *f)
{
    const trm_option chosen = {.method = "minimal", .name = name, .text = word};
    scene s;
    bool good = begin(&s, add, &chosen, error);
    if (good) {
        const clock_t began = clock();
        good = trm_sim_run(s.sim, &(trm_run_def){.until = UNTIL, .every = 0.01}).ok;
        const trm_counters *c = trm_sim_counters(s.sim);
        const trm_accuracy a = trm_sim_accuracy(s.sim);
        *f = (figures){.evaluations = (double)c->evaluations,
                       .newton = (double)c->newton,
                       .switches = (double)c->switches,
                       .gap = a.gap.position,
                       .seconds = (double)(clock() - began) / CLOCKS_PER_SEC,
                       .energy = a.energy_error_max,
                       .end = trm_body_pose(trm_sim_state(s.sim), trm_body_count(s.model) - 1).p};
    }
    scene_end(&s);
    return good;
}

/* ---- Bild 1 -------------------------------------------------------------------------------- */

enum { ANGLES = 7 };

/* The criterion at the row whose angle is nearest to each of these. */
typedef struct curves {
    trm_sim *sim;
    int body;
    double phi[ANGLES], x[ANGLES], y[ANGLES]; /* rad; cos^2 alpha */
    double off[ANGLES];                       /* rad: distance of that row from the angle */
    double wrong; /* largest difference of a criterion from its closed form, of all rows */
} curves;

static bool look(void *context, const trm_state *state)
{
    curves *c = context;
    const trm_vec3 p = trm_body_pose(state, c->body).p;
    const double phi = trm_atan2(p.x, -p.y), cosine = trm_cos(phi);
    trm_coordinate_note note[2];
    if (!trm_sim_coordinate(c->sim, 0, &note[0]) || !trm_sim_coordinate(c->sim, 1, &note[1])) return true;
    const double x = note[0].criterion, y = note[1].criterion;
    c->wrong = fmax(c->wrong, fmax(fabs(x - cosine * cosine), fabs(x + y - 1)));
    for (int i = 0; i < ANGLES; i++) {
        const double off = fabs(phi - c->phi[i]);
        if (off < c->off[i]) c->off[i] = off, c->x[i] = x, c->y[i] = y;
    }
    return true;
}

/* Computes the rows of Bild 1. With steps of one length the criterion belongs to the row. */
static bool find_curves(sheet_row *rows, char names[][16])
{
    const trm_option fixed = {.method = "minimal", .name = "integrator", .text = "rk4"};
    scene s;
    curves c = {0};
    bool good = begin(&s, add_swinging, &fixed, NAN);
    for (int i = 0; i < ANGLES; i++) c.phi[i] = 0.25 * i, c.off[i] = INFINITY;
    if (good) {
        c.sim = s.sim, c.body = trm_find_body(s.model, "bob");
        good = trm_sim_run(s.sim, &(trm_run_def){.until = UNTIL, .every = 1e-3, .row = look, .context = &c}).ok;
    }
    scene_end(&s);
    for (int i = 0; good && i < ANGLES; i++) {
        const double cosine = trm_cos(c.phi[i]), sine = trm_sin(c.phi[i]);
        snprintf(names[i], sizeof names[i], "%g", c.phi[i]);
        rows[i] = (sheet_row){names[i], {c.x[i], cosine * cosine, c.y[i], sine * sine, c.off[i], c.wrong}};
    }
    return good;
}

static const sheet_table curve_table = {
    .key = "criterion",
    .title = "Bild 1: cos^2 alpha of the coordinates of a pendulum at the angle phi",
    .names = "phi",
    .name_width = 6,
    .columns = {{"x", "of x", "%9.6f"},
                {"cos2", "cos^2 phi", "%9.6f"},
                {"y", "of y", "%9.6f"},
                {"sin2", "sin^2 phi", "%9.6f"},
                {"off", "row is off by", "%13.1e"},
                {"wrong", "all rows", "%9.1e"}},
};

/* ---- Switching ----------------------------------------------------------------------------- */

enum { SWITCHING = 3, CLOSURES = 6 };

static const struct {
    const char *name;
    machine add;
} switching[SWITCHING] = {{"swinging pendulum", add_swinging},
                          {"rotating pendulum", add_rotating},
                          {"five-bar", add_five_bar}},
  closures[CLOSURES] = {{"four-bar", add_four_bar}, {"parallelogram", add_parallelogram},
                        {"five-bar", add_five_bar}, {"three cranks", add_three_cranks},
                        {"Watt", add_watt},         {"Stephenson", add_stephenson}};

static bool find_switching(int i, sheet_row *row)
{
    figures kept = {0}, mapped = {0}, anew = {0};
    if (!run(switching[i].add, "history", "ring", 1e-9, &kept) ||
        !run(switching[i].add, "history", "differences", 1e-9, &mapped) ||
        !run(switching[i].add, "history", "restart", 1e-9, &anew))
        return false;
    *row = (sheet_row){switching[i].name,
                       {kept.switches, kept.evaluations, mapped.evaluations, anew.evaluations,
                        100 * (1 - kept.evaluations / anew.evaluations), kept.energy, anew.energy}};
    return true;
}

static const sheet_table switching_table = {
    .key = "switching",
    .title = "Switching without restart: evaluations in 10 s, error 1e-9",
    .names = "machine",
    .name_width = 18,
    .columns = {{"switches", "switches", "%8.0f"},
                {"ring", "ring", "%7.0f"},
                {"differences", "differences", "%11.0f"},
                {"restart", "restart", "%8.0f"},
                {"saved", "saved in %", "%10.1f"},
                {"energy", "energy error", "%12.1e"},
                {"energy_restart", "restarted", "%10.1e"}},
};

/* ---- Closures ------------------------------------------------------------------------------ */

static bool find_closures(int i, sheet_row *row)
{
    figures form = {0}, newton = {0};
    if (!run(closures[i].add, "closure", "auto", 1e-9, &form) ||
        !run(closures[i].add, "closure", "newton", 1e-9, &newton))
        return false;
    *row = (sheet_row){closures[i].name,
                       {form.newton / form.evaluations, newton.newton / newton.evaluations, form.evaluations,
                        newton.evaluations, form.gap, newton.gap, form.seconds / newton.seconds,
                        trm_v3_length(trm_v3_sub(form.end, newton.end))}};
    return true;
}

static const sheet_table closure_table = {
    .key = "closures",
    .title = "Explicit closures (closure=auto) next to Newton's method: iterations per evaluation, 10 s, error 1e-9",
    .names = "linkage",
    .name_width = 14,
    .columns = {{"explicit", "explicit", "%8.2f"},
                {"newton", "newton", "%7.2f"},
                {"evaluations", "evaluations", "%11.0f"},
                {"evaluations_newton", "newton", "%7.0f"},
                {"gap", "gap in m", "%9.1e"},
                {"gap_newton", "newton", "%8.1e"},
                {"time", "time", "%6.2f"},
                {"apart", "apart", "%8.1e"}},
};

exit_code paper_schirm(const paper_request *request)
{
    sheet_row curve[ANGLES] = {0}, switched[SWITCHING] = {0}, closed[CLOSURES] = {0};
    char names[ANGLES][16];
    sheet s;
    show_progress(request, "criterion");
    if (!find_curves(curve, names)) return EXIT_STOPPED;
    for (int i = 0; i < SWITCHING; i++) {
        show_progress(request, switching[i].name);
        if (!find_switching(i, &switched[i])) return EXIT_STOPPED;
    }
    for (int i = 0; i < CLOSURES; i++) {
        show_progress(request, closures[i].name);
        if (!find_closures(i, &closed[i])) return EXIT_STOPPED;
    }
    show_progress(request, NULL);
    sheet_begin(&s, request);
    sheet_print(&s, &curve_table, curve, ANGLES);
    sheet_print(&s, &switching_table, switched, SWITCHING);
    sheet_print(&s, &closure_table, closed, CLOSURES);
    sheet_note(
        &s, "ring: the past of all coordinates is kept. differences: it is mapped from the integrator's differences, "
            "as in\n"
            "the paper. time: of the processor, in units of Newton's method. apart: of the last body after 10 s, m.");
    sheet_end(&s);
    return EXIT_DONE;
}
