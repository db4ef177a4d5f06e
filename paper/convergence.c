/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The claims of Schmitt, Bender and Prautzsch 2005 about point masses with distances, observed:
 *
 *     section 5   Newton's method closes all distances in two or three rounds per step: with the exact matrix of each
 *                 round, and with the matrix of the start of the step frozen
 *     section 6   the Taylor method converges with the order of its series, and drifts
 *     section 7   so do Lagrange multipliers, which are the same accelerations
 *     section 8   the impulse method converges to the same motion with order 2, even with one round per step
 *
 * Errors are the largest distance of a point from the reference after 1 s, a Taylor series of order 14 whose own error
 * is far smaller. The observed order is that between the two smallest steps whose errors are larger than rounding. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paper/tables.h"

enum { SYSTEMS = 3, METHODS = 13, STEPS = 6, MOST_POINTS = 8, NAME = 16 };

static const double UNTIL = 1, LONGEST = 0.01; /* s */
static const double D_MAX = 1e-13;             /* m: the remaining error is that of the step */
static const double ROUNDING = 1e-12;          /* m: smaller errors do not show the order */

/* ---- The systems -------------------------------------------------------------------------- */

typedef struct point {
    trm_vec3 position, velocity;
    bool fixed;
} point;

typedef struct point_system {
    const char *name, *about;
    point points[MOST_POINTS];
    int point_count;
    int pairs[MOST_POINTS][2]; /* pairs of points that keep their distance */
    int pair_count;
} point_system;

static const point_system systems[SYSTEMS] = {
    {.name = "double pendulum",
     .about = "two masses of 1 kg on lines of 1 m, let go at 120 and at -10 degrees",
     .points = {{.fixed = true},
                {.position = {0.86602540378443865, 0.5, 0}},
                {.position = {0.69237722611750830, -0.48480775301220802, 0}}},
     .point_count = 3,
     .pairs = {{0, 1}, {1, 2}},
     .pair_count = 2},
    {.name = "loop",
     .about = "four masses of 1 kg on five lines between two fixed points, let go askew",
     .points = {{.fixed = true},
                {.position = {0.4, -0.6, 0.2}},
                {.position = {1.1, -0.9, 0.0}},
                {.position = {1.6, -0.4, 0.3}},
                {.position = {2.1, -0.5, -0.2}},
                {.position = {2.5, 0, 0}, .fixed = true}},
     .point_count = 6,
     .pairs = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}},
     .pair_count = 5},
    {.name = "gyroscope",
     .about = "a tetrahedron of three masses of 1 kg and a fixed tip, spinning at 10 rad/s",
     .points = {{.fixed = true},
                {.position = {0.5, 0.8, 0}, .velocity = {0, 0, -5}},
                {.position = {-0.25, 0.8, 0.43301270189221932}, .velocity = {4.3301270189221932, 0, 2.5}},
                {.position = {-0.25, 0.8, -0.43301270189221932}, .velocity = {-4.3301270189221932, 0, 2.5}}},
     .point_count = 4,
     .pairs = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {2, 3}, {3, 1}},
     .pair_count = 6},
};

static bool add_points(const point_system *system, trm_model_def *def, char names[][NAME])
{
    bool added = true;
    for (int i = 0; i < system->point_count; i++) {
        trm_body_def body = trm_default_body_def();
        snprintf(names[i], sizeof names[i], "p%d", i);
        body.name = names[i];
        body.kind = system->points[i].fixed ? TRM_BODY_FIXED : TRM_BODY_POINT;
        body.mass = system->points[i].fixed ? 0 : 1;
        body.position = system->points[i].position;
        body.velocity = system->points[i].velocity;
        added = added && trm_add_body(def, &body) == TRM_OK;
    }
    return added;
}

static bool add_distances(const point_system *system, trm_model_def *def, char names[][NAME],
                          char joint_names[][NAME])
{
    bool added = true;
    for (int i = 0; i < system->pair_count; i++) {
        const int *pair = system->pairs[i];
        trm_joint_def joint = trm_default_joint_def();
        snprintf(joint_names[i], sizeof joint_names[i], "d%d", i);
        joint.name = joint_names[i];
        joint.type = "distance";
        joint.bodies[0] = names[pair[0]];
        joint.bodies[1] = names[pair[1]];
        joint.anchors[0] = joint.anchors[1] = trm_v3(0, 0, 0);
        joint.length = trm_v3_length(trm_v3_sub(system->points[pair[1]].position, system->points[pair[0]].position));
        added = added && trm_add_joint(def, &joint) == TRM_OK;
    }
    return added;
}

/* Builds the model of a system. Returns false after reporting why it cannot. */
static bool build(const point_system *system, scene *s)
{
    char names[MOST_POINTS][NAME], joint_names[MOST_POINTS][NAME];
    if (!scene_begin(s, trm_v3(0, -9.81, 0))) return false;
    return scene_build(s, add_points(system, s->def, names) && add_distances(system, s->def, names, joint_names));
}

/* ---- The methods -------------------------------------------------------------------------- */

typedef struct claim {
    const char *name;
    const char *method, *solver;
    double order; /* requested, and claimed */
    trm_option options[2];
    int option_count;
    int section;
} claim;

#define LAGRANGE(rule, p)                                                                                            \
    {                                                                                                                \
        "lagrange, " rule, "lagrange", "direct", p,                                                                  \
            {{.method = "lagrange", .name = "integrator", .text = rule},                                             \
             {.method = "lagrange", .name = "stabilise", .text = "none"}},                                           \
            2, 7                                                                                                     \
    }
#define TAYLOR(p)                                                                                                    \
    {                                                                                                                \
        "taylor, p = " #p, "taylor", "direct", p, {{0}}, 0, 6                                                        \
    }

static const claim claims[METHODS] = {
    {"impulse, iterative", "impulse", "iterative", 2, {{0}}, 0, 8},
    {"impulse, frozen", "impulse", "direct", 2, {{0}}, 0, 5},
    {"impulse, exact", "impulse", "direct", 2, {{.method = "impulse", .name = "newton", .text = "exact"}}, 1, 5},
    {"impulse, one round", "impulse", "direct", 2, {{.method = "impulse", .name = "rounds", .number = 1}}, 1, 8},
    LAGRANGE("euler", 1),
    LAGRANGE("heun", 2),
    LAGRANGE("rk4", 4),
    LAGRANGE("dopri5", 5),
    TAYLOR(2),
    TAYLOR(3),
    TAYLOR(4),
    TAYLOR(5),
    TAYLOR(6),
};

static const claim reference = {"reference", "taylor", "direct", 14, {{0}}, 0, 0};

/* ---- Running ------------------------------------------------------------------------------ */

typedef struct trial {
    trm_vec3 places[MOST_POINTS];
    double gap;    /* m, at the end */
    double rounds; /* corrections of a joint per step: solutions of the system, or rounds over the joints */
} trial;

typedef struct row {
    double error[STEPS];
    double drift[STEPS];
    double rounds; /* at the longest step; NAN: none are made */
    double order;  /* NAN: not observable */
} row;

typedef struct results {
    row rows[SYSTEMS][METHODS];
    int steps;
} results;

static bool run_claim(const scene *s, const claim *c, double step, trial *t)
{
    trm_simulation_def options = trm_default_simulation_def();
    trm_sim *sim = NULL;
    options.method = c->method;
    options.solver = c->solver;
    options.order = c->order;
    options.step = step;
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = D_MAX;
    options.options = c->options;
    options.option_count = c->option_count;
    if (trm_sim_create(s->model, &options, NULL, s->messages, &sim) != TRM_OK) {
        print_messages(s->messages);
        return false;
    }
    const trm_run_def run = {.until = UNTIL, .every = UNTIL};
    const trm_outcome outcome = trm_sim_run(sim, &run);
    if (!outcome.ok)
        fprintf(stderr, "trammel paper: %s: stopped at t = %.9g s: %s %s\n", c->name, outcome.time, outcome.element,
                outcome.why);
    for (int i = 1; i < trm_body_count(s->model); i++) t->places[i - 1] = trm_body_pose(trm_sim_state(sim), i).p;
    t->gap = trm_sim_accuracy(sim).gap.position;
    const trm_counters *counters = trm_sim_counters(sim);
    t->rounds = (double)counters->corrections / (double)(counters->steps * trm_joint_count(s->model));
    trm_sim_destroy(sim);
    return outcome.ok;
}

static double farthest(const trial *a, const trial *b, int points)
{
    double most = 0;
    for (int i = 0; i < points; i++) most = fmax(most, trm_v3_length(trm_v3_sub(a->places[i], b->places[i])));
    return most;
}

static double step_of(int index)
{
    return ldexp(LONGEST, -index);
}

/* Returns the order between the two smallest steps whose errors are larger than rounding. */
static double observed_order(const row *r, int steps)
{
    int last = steps - 1;
    while (last > 0 && !(r->error[last] > ROUNDING)) last--;
    return last > 0 ? trm_log(r->error[last - 1] / r->error[last]) / trm_log(2) : NAN;
}

static bool measure_claim(const scene *s, const claim *c, const trial *right, int points, int steps, row *r)
{
    for (int h = 0; h < steps; h++) {
        trial t = {0};
        if (!run_claim(s, c, step_of(h), &t)) return false;
        r->error[h] = farthest(&t, right, points);
        r->drift[h] = t.gap;
        if (h == 0) r->rounds = t.rounds > 0 ? t.rounds : NAN;
    }
    r->order = observed_order(r, steps);
    return true;
}

static bool measure(const paper_request *request, results *r)
{
    bool good = true;
    r->steps = request->rows < STEPS ? request->rows : STEPS;
    for (int i = 0; good && i < SYSTEMS; i++) {
        scene s;
        trial right = {0};
        good = build(&systems[i], &s) && run_claim(&s, &reference, step_of(STEPS), &right);
        for (int m = 0; good && m < METHODS; m++) {
            char text[80];
            snprintf(text, sizeof text, "%s: %s", systems[i].name, claims[m].name);
            show_progress(request, text);
            good = measure_claim(&s, &claims[m], &right, systems[i].point_count, r->steps, &r->rows[i][m]);
        }
        scene_end(&s);
    }
    show_progress(request, NULL);
    return good;
}

/* ---- Printing ----------------------------------------------------------------------------- */

static void print_number(const char *format, int width, double value)
{
    if (isnan(value))
        printf(" %*s", width, "-");
    else
        printf(format, value);
}

static void print_system(const results *r, int system)
{
    const int last = r->steps - 1;
    printf("\n%s: %s\n", systems[system].name, systems[system].about);
    printf("%-20s %5s %6s %*s %14s  %s\n", "", "", "rounds", 10 * r->steps, "error at h =", "order", "gap at h =");
    printf("%-20s %5s %6s", "method", "sect.", "/step");
    for (int h = 0; h < r->steps; h++) printf(" %9g", step_of(h));
    printf("  claimed  seen  %8g %9g\n", step_of(0), step_of(last));
    for (int m = 0; m < METHODS; m++) {
        const row *here = &r->rows[system][m];
        printf("%-20s %5d", claims[m].name, claims[m].section);
        print_number(" %6.2f", 6, here->rounds);
        for (int h = 0; h < r->steps; h++) printf(" %9.1e", here->error[h]);
        printf("  %7g", claims[m].order);
        print_number(" %5.2f", 5, here->order);
        printf("  %8.1e %9.1e\n", here->drift[0], here->drift[last]);
    }
}

static void print_text(const results *r)
{
    printf("Convergence on point masses with distances (Schmitt, Bender, Prautzsch 2005)\n");
    for (int i = 0; i < SYSTEMS; i++) print_system(r, i);
    printf(
        "\nerror: largest distance of a point from the reference after 1 s, m. gap: by how much the worst distance\n"
        "is off then, m: it stays below D_max = %g m where all rounds are made, and drifts in lagrange without\n"
        "stabilisation and in taylor. Orders are seen between the two smallest steps above rounding. rounds: "
        "solutions of the\n"
        "system per step, or passes over the joints: with the matrix of the start of the step (frozen), recomputed "
        "in\n"
        "every round as in the paper (exact).\n",
        D_MAX);
}

static void put_row(trm_json_writer *w, const results *r, const claim *c, const row *here)
{
    trm_json_open_object(w, NULL);
    trm_json_put_text(w, "method", c->name);
    trm_json_put_integer(w, "section", c->section);
    trm_json_put_number(w, "claimed", c->order);
    trm_json_put_number(w, "observed", here->order);
    trm_json_put_number(w, "rounds_per_step", here->rounds);
    trm_json_open_array(w, "steps");
    for (int h = 0; h < r->steps; h++) {
        trm_json_open_object_flat(w, NULL);
        trm_json_put_number(w, "h", step_of(h));
        trm_json_put_number(w, "error", here->error[h]);
        trm_json_put_number(w, "gap", here->drift[h]);
        trm_json_close(w);
    }
    trm_json_close(w);
    trm_json_close(w);
}

static void print_json(const results *r)
{
    trm_json_writer w = trm_json_begin(trm_file_sink(stdout));
    trm_json_open_object(&w, NULL);
    trm_json_put_text(&w, "table", "convergence");
    trm_json_open_array(&w, "systems");
    for (int i = 0; i < SYSTEMS; i++) {
        trm_json_open_object(&w, NULL);
        trm_json_put_text(&w, "name", systems[i].name);
        trm_json_put_text(&w, "about", systems[i].about);
        trm_json_open_array(&w, "rows");
        for (int m = 0; m < METHODS; m++) put_row(&w, r, &claims[m], &r->rows[i][m]);
        trm_json_close(&w);
        trm_json_close(&w);
    }
    trm_json_close(&w);
    trm_json_close(&w);
    trm_json_end(&w);
}

exit_code paper_convergence(const paper_request *request)
{
    results r = {0};
    if (!measure(request, &r)) return EXIT_STOPPED;
    if (request->json)
        print_json(&r);
    else
        print_text(&r);
    return EXIT_DONE;
}
