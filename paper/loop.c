/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Tables 9.2 to 9.5 of Schmitt 2003: the 8-Loop, eight rods of 1 m and 1 kg in a chain of ball joints, held at
 * both ends, released at rest, for 10 s.
 *
 * One run per step h and tolerance D_max gives
 *     9.2   checks (P-step 1) per interval h
 *     9.3   checks per simulated second
 *     9.4   the mean over all steps of |E - E0|, velocities corrected
 *
 * The paper says that all links are initially at the height of the suspensions, but not how far the suspensions are
 * apart. Our starts: a zigzag in the level plane, a zigzag in the plane of gravity, or straight and folded at the far end
 * (docs/paper.md). The rods are uniform, or have their mass at their ends, like the pendulum of table 9.1. V_max is the
 * paper's (P-step 4): the remaining error of velocities lies along the rows of the joints, orthogonal to admissible
 * velocities, so that it changes the energy only by its square. */

#include <math.h>
#include <stdio.h>

#include "paper/tables.h"
#include "trammel/elementary.h"

enum { RODS = 8, STEPS = 8, TOLERANCES = 6, SECONDS = 10, NAME_SIZE = 8 };

static const double TIME = 10; /* s */
static const double H_OF_SPEED = 0.01,
                    D_MAX_OF_SPEED = 1e-5; /* step and tolerance at which the paper measured its speed ... */
static const double PRINTED_SPEED = 64;    /* ... in simulated s per s of wall-clock time */
static const double V_MAX = 1e-4;          /* m/s */
static const double steps[STEPS] = {0.02, 0.01, 0.005, 0.0025, 0.00125, 0.000625, 0.0003125, 0.00015625};
static const double tolerances[TOLERANCES] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};

typedef struct cell {
    double per_step, per_second; /* checks */
    double energy;               /* J */
    double speed;                /* simulated s per s of wall-clock time */
    long long halvings;
    trm_outcome outcome;
} cell;

typedef struct cells {
    cell at[STEPS][TOLERANCES];
    int count; /* rows */
} cells;

/* ---- The printed tables ------------------------------------------------------------------- */

typedef struct table {
    const char *name, *title;
    const char *key; /* of our value in JSON */
    int decimals;    /* of both in text */
    double (*value)(const cell *c);
    double printed[STEPS][TOLERANCES];
} table;

static double per_step(const cell *c)
{
    return c->per_step;
}

static double per_second(const cell *c)
{
    return c->per_second;
}

static double energy(const cell *c)
{
    return c->energy;
}

static const table tables[] = {
    {
        "9.2",
        "checks of a joint (P-step 1) per step",
        "checks",
        2,
        per_step,
        {
            {48.39, 92.73, 158.40, 254.68, 364.99, 443.07},
            {24.63, 60.68, 113.08, 199.96, 299.45, 370.53},
            {13.14, 39.88, 81.36, 144.80, 223.30, 336.23},
            {9.51, 20.33, 51.38, 101.46, 171.46, 286.42},
            {9.01, 10.93, 28.47, 68.49, 126.56, 215.85},
            {9.00, 9.13, 15.56, 44.85, 95.81, 161.56},
            {9.00, 9.00, 10.00, 24.86, 59.24, 112.94},
            {9.00, 9.00, 9.03, 13.19, 36.72, 76.30},
        },
    },
    {
        "9.3",
        "checks of a joint (P-step 1) per simulated second",
        "checks",
        0,
        per_second,
        {
            {2419, 4636, 7919, 12734, 18249, 22153},
            {2462, 6068, 11307, 19995, 29944, 37053},
            {2627, 7975, 16271, 28959, 44659, 67245},
            {3805, 8132, 20550, 40582, 68585, 114566},
            {7209, 8747, 22777, 54795, 101249, 172677},
            {14400, 14601, 24896, 71761, 153293, 258496},
            {28799, 28802, 32001, 79539, 189572, 361410},
            {57597, 57597, 57791, 84443, 235024, 488322},
        },
    },
    {
        "9.4",
        "mean |E - E0| over all steps, in J",
        "energy_error",
        8,
        energy,
        {
            {8.34888268, 3.91859475, 1.18293503, 1.76430215, 1.96143197, 2.28035856},
            {0.73559002, 0.18926225, 0.20830578, 0.25642428, 0.23072030, 0.25728820},
            {0.38693763, 0.08356390, 0.04945572, 0.05274739, 0.05417435, 0.05432397},
            {0.71407485, 0.05918295, 0.01288742, 0.01401945, 0.01286931, 0.01426934},
            {0.18258168, 0.01396812, 0.00373649, 0.00337147, 0.00339436, 0.00314362},
            {0.06504896, 0.02756842, 0.00183589, 0.00088356, 0.00085766, 0.00089008},
            {0.01170068, 0.00561310, 0.00132198, 0.00034599, 0.00022715, 0.00020310},
            {0.00203239, 0.00203239, 0.00138729, 0.00016536, 0.00006400, 0.00005337},
        },
    },
};

static const double printed_seconds[SECONDS][2] = {
    {-0.03867, 2.50409}, {-0.03359, 3.05036}, {-0.02942, 7.99727}, {-0.07474, 7.67494}, {-0.01186, 9.34529},
    {-0.01703, 6.92466}, {-0.11441, 8.24925}, {0.00264, 10.35616}, {-0.04581, 8.52872}, {-0.05355, 10.28015},
};

/* ---- The model ---------------------------------------------------------------------------- */

/* Returns the position at which rods i and i + 1 meet. */
static trm_vec3 corner(int i, const paper_request *request)
{
    const double side = i % 2 == 1 ? trm_sin(request->angle) : 0;
    if (request->start == LOOP_FOLDED) return trm_v3(i < RODS ? i : RODS - 2, 0, 0);
    if (request->start == LOOP_HORIZONTAL) return trm_v3(i * trm_cos(request->angle), 0, side);
    return trm_v3(i * trm_cos(request->angle), -side, 0);
}

/* Puts half a kilogram at each end of a rod; x is along the rod. */
static void put_mass_at_ends(trm_body_def *rod, trm_vec3 from, trm_vec3 to)
{
    static const double inertia[6] = {0, 0.25, 0.25, 0, 0, 0};
    const trm_vec3 d = trm_v3_sub(to, from);
    /* about z where it rises, else about y, on which z turns to -x */
    const double angle = d.z == 0 ? trm_atan2(d.y, d.x) : trm_atan2(-d.z, d.x), s = trm_sin(angle / 2);
    rod->kind = TRM_BODY_RIGID;
    rod->mass = 1;
    for (int i = 0; i < 6; i++) rod->inertia[i] = inertia[i];
    rod->position = trm_v3_scale(0.5, trm_v3_add(from, to));
    rod->orientation = (trm_quat){trm_cos(angle / 2), 0, d.z == 0 ? 0 : s, d.z == 0 ? s : 0};
}

static bool add_rods(trm_model_def *def, const paper_request *request, char names[RODS][NAME_SIZE])
{
    for (int i = 0; i < RODS; i++) {
        const trm_vec3 from = corner(i, request), to = corner(i + 1, request);
        trm_body_def rod = trm_default_body_def();
        snprintf(names[i], NAME_SIZE, "rod%d", i + 1);
        rod.name = names[i];
        rod.kind = TRM_BODY_ROD;
        rod.rod = (trm_rod_def){from, to, 1, 0.01};
        if (request->mass_at_ends) put_mass_at_ends(&rod, from, to);
        if (trm_add_body(def, &rod) != TRM_OK) return false;
    }
    return true;
}

static bool add_joints(trm_model_def *def, const paper_request *request, char rods[RODS][NAME_SIZE],
                       char names[RODS + 1][NAME_SIZE])
{
    for (int i = 0; i <= RODS; i++) {
        trm_joint_def joint = trm_default_joint_def();
        snprintf(names[i], NAME_SIZE, "j%d", i);
        joint.name = names[i];
        joint.type = "ball";
        joint.bodies[0] = i > 0 ? rods[i - 1] : "ground";
        joint.bodies[1] = i < RODS ? rods[i] : "ground";
        joint.anchor = corner(i, request);
        if (trm_add_joint(def, &joint) != TRM_OK) return false;
    }
    return true;
}

bool add_loop(trm_model_def *def, const paper_request *request)
{
    static char rods[RODS][NAME_SIZE], joints[RODS + 1][NAME_SIZE]; /* the definition borrows these names */
    return add_rods(def, request, rods) && add_joints(def, request, rods, joints);
}

static bool begin_loop(scene *s, const paper_request *request, double h, double d_max)
{
    return scene_begin(s, trm_v3(0, -9.81, 0)) && scene_ready(s, add_loop(s->def, request), h, d_max, V_MAX);
}

/* ---- Running ------------------------------------------------------------------------------ */

static bool run_cell(const paper_request *request, double h, double d_max, cell *c)
{
    scene s;
    const bool good = begin_loop(&s, request, h, d_max);
    *c = (cell){0};
    if (good) {
        const double started = wall_clock();
        const trm_run_def run = {.until = TIME, .every = NAN};
        c->outcome = trm_sim_run(s.sim, &run);
        c->speed = TIME / fmax(wall_clock() - started, 1e-9);
        c->per_second = (double)trm_sim_counters(s.sim)->checks / TIME;
        c->per_step = c->per_second * h;
        c->energy = trm_sim_accuracy(s.sim).energy_error_mean;
        c->halvings = trm_sim_counters(s.sim)->halvings;
    }
    scene_end(&s);
    return good;
}

static bool run_cells(const paper_request *request, cells *all)
{
    all->count = request->rows < STEPS ? request->rows : STEPS;
    for (int i = 0; i < all->count; i++)
        for (int k = 0; k < TOLERANCES; k++) {
            char text[60];
            snprintf(text, sizeof text, "h = %g, D_max = %g (%d of %d)", steps[i], tolerances[k],
                     i * TOLERANCES + k + 1, all->count * TOLERANCES);
            show_progress(request, text);
            if (!run_cell(request, steps[i], tolerances[k], &all->at[i][k])) return false;
        }
    show_progress(request, NULL);
    return true;
}

static const cell *cell_of_speed(const cells *all)
{
    for (int i = 0; i < all->count; i++)
        for (int k = 0; k < TOLERANCES; k++)
            if (steps[i] == H_OF_SPEED && tolerances[k] == D_MAX_OF_SPEED) return &all->at[i][k];
    return NULL;
}

static const char *rods_name(const paper_request *request)
{
    return request->mass_at_ends ? "ends" : "uniform";
}

static const char *start_name(const paper_request *request)
{
    return loop_starts[request->start];
}

/* Returns exp of the mean of |log(ours / printed)| over all cells that ran: the average factor between both. */
static double mean_factor(const cells *all, const table *t)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < all->count; i++)
        for (int k = 0; k < TOLERANCES; k++) {
            if (!all->at[i][k].outcome.ok) continue;
            sum += fabs(trm_log(t->value(&all->at[i][k]) / t->printed[i][k]));
            count++;
        }
    return count > 0 ? trm_exp(sum / count) : NAN;
}

/* ---- Tables 9.2, 9.3, 9.4 ----------------------------------------------------------------- */

static void print_line(const cells *all, const table *t, int row, const char *what)
{
    printf("%-8s", what);
    for (int k = 0; k < TOLERANCES; k++) {
        const cell *c = &all->at[row][k];
        if (what[0] == 'p')
            printf(" %11.*f", t->decimals, t->printed[row][k]);
        else if (!c->outcome.ok)
            printf(" %11s", "-");
        else if (what[0] == 'o')
            printf(" %11.*f", t->decimals, t->value(c));
        else
            printf(" %11.2f", t->value(c) / t->printed[row][k]);
    }
    printf("\n");
}

/* Prints why cells have a dash, or that their steps were halved. */
static void print_notes(const cells *all)
{
    long long halvings = 0;
    for (int i = 0; i < all->count; i++)
        for (int k = 0; k < TOLERANCES; k++) {
            const cell *c = &all->at[i][k];
            halvings += c->halvings;
            if (!c->outcome.ok)
                printf("h = %g, D_max = %g: stopped at t = %.6g s: %s: %s\n", steps[i], tolerances[k],
                       c->outcome.time, c->outcome.element, c->outcome.why);
        }
    printf("Steps that did not converge and were halved, in all runs: %lld.\n", halvings);
}

static void print_text(const paper_request *request, const cells *all, const table *t)
{
    const cell *speed = cell_of_speed(all);
    printf("Table %s: 8-Loop, %s start, rods %s, 10 s: %s\n\n%-19s", t->name, start_name(request), rods_name(request),
           t->title, "h      D_max");
    for (int k = 0; k < TOLERANCES; k++) printf(" %11g", tolerances[k]);
    printf("\n");
    for (int i = 0; i < all->count; i++) {
        printf("%-10g ", steps[i]);
        print_line(all, t, i, "ours");
        printf("%-10s ", "");
        print_line(all, t, i, "printed");
        printf("%-10s ", "");
        print_line(all, t, i, "ratio");
    }
    printf("\n");
    if (speed && t->value == per_second)
        printf("At h = %g, D_max = %g: %.0f times real time here, %.0f times in print.\n", H_OF_SPEED, D_MAX_OF_SPEED,
               speed->speed, PRINTED_SPEED);
    printf("On average ours and the printed figures differ by a factor of %.2f.\n", mean_factor(all, t));
    print_notes(all);
}

static void put_cell(trm_json_writer *w, const cell *c, const table *t, int row, int column)
{
    const double value = c->outcome.ok ? t->value(c) : NAN;
    trm_json_open_object(w, NULL);
    trm_json_put_number(w, "h", steps[row]);
    trm_json_put_number(w, "dmax", tolerances[column]);
    trm_json_put_number(w, t->key, value);
    trm_json_put_number(w, "printed", t->printed[row][column]);
    trm_json_put_number(w, "ratio", value / t->printed[row][column]);
    trm_json_put_integer(w, "halvings", c->halvings);
    trm_json_put_text(w, "stopped", c->outcome.ok ? NULL : c->outcome.why);
    trm_json_close(w);
}

static void print_json(const paper_request *request, const cells *all, const table *t)
{
    const cell *speed = cell_of_speed(all);
    trm_json_writer w = trm_json_begin(trm_file_sink(stdout));
    trm_json_open_object(&w, NULL);
    trm_json_put_text(&w, "table", t->name);
    trm_json_put_text(&w, "start", start_name(request));
    trm_json_put_text(&w, "rods", rods_name(request));
    trm_json_put_number(&w, "mean_factor", mean_factor(all, t));
    trm_json_open_array(&w, "rows");
    for (int i = 0; i < all->count; i++)
        for (int k = 0; k < TOLERANCES; k++) put_cell(&w, &all->at[i][k], t, i, k);
    trm_json_close(&w);
    if (speed && t->value == per_second) {
        trm_json_put_number(&w, "real_time_factor", speed->speed);
        trm_json_put_number(&w, "printed_real_time_factor", PRINTED_SPEED);
    }
    trm_json_close(&w);
    trm_json_end(&w);
}

exit_code paper_loop_cells(const paper_request *request)
{
    const table *t = tables;
    cells all;
    while (t->name[2] != request->table[2]) t++;
    if (!run_cells(request, &all)) return EXIT_BAD_INPUT;
    if (request->json)
        print_json(request, &all, t);
    else
        print_text(request, &all, t);
    return EXIT_DONE;
}

/* ---- Table 9.5 ---------------------------------------------------------------------------- */

typedef struct seconds {
    double energy[SECONDS + 1];
    int count;
} seconds;

static bool note_energy(void *context, const trm_state *state)
{
    seconds *s = context;
    const trm_energy e = trm_state_energy(state);
    if (s->count <= SECONDS) s->energy[s->count++] = e.kinetic + e.potential;
    return true;
}

static void print_seconds(const paper_request *request, const seconds *s)
{
    printf("Table 9.5: 8-Loop, %s start, rods %s, h = %g, D_max = %g: E - E0 in J\n\n%5s %12s %12s %12s\n",
           start_name(request), rods_name(request), H_OF_SPEED, D_MAX_OF_SPEED, "t", "ours", "printed", "another");
    for (int i = 1; i < s->count; i++)
        printf("%5d %12.5f %12.5f %12.5f\n", i, s->energy[i] - s->energy[0], printed_seconds[i - 1][0],
               printed_seconds[i - 1][1]);
    printf(
        "\nanother: the commercial system that the paper compares itself with. The motion is chaotic: single values\n"
        "cannot agree, only their size.\n");
}

static void put_seconds(const paper_request *request, const seconds *s)
{
    trm_json_writer w = trm_json_begin(trm_file_sink(stdout));
    trm_json_open_object(&w, NULL);
    trm_json_put_text(&w, "table", "9.5");
    trm_json_put_text(&w, "start", start_name(request));
    trm_json_put_text(&w, "rods", rods_name(request));
    trm_json_open_array(&w, "rows");
    for (int i = 1; i < s->count; i++) {
        trm_json_open_object(&w, NULL);
        trm_json_put_number(&w, "h", H_OF_SPEED);
        trm_json_put_number(&w, "t", i);
        trm_json_put_number(&w, "energy_error", s->energy[i] - s->energy[0]);
        trm_json_put_number(&w, "printed", printed_seconds[i - 1][0]);
        trm_json_put_number(&w, "printed_commercial", printed_seconds[i - 1][1]);
        trm_json_close(&w);
    }
    trm_json_close(&w);
    trm_json_close(&w);
    trm_json_end(&w);
}

exit_code paper_loop_seconds(const paper_request *request)
{
    scene s;
    seconds found = {0};
    trm_outcome outcome = {0};
    const bool good = begin_loop(&s, request, H_OF_SPEED, D_MAX_OF_SPEED);
    const trm_run_def run = {.until = TIME, .every = 1, .row = note_energy, .context = &found};
    if (good) outcome = trm_sim_run(s.sim, &run);
    scene_end(&s);
    if (!good) return EXIT_BAD_INPUT;
    if (request->json)
        put_seconds(request, &found);
    else
        print_seconds(request, &found);
    if (outcome.ok) return EXIT_DONE;
    fprintf(stderr, "trammel paper: stopped at t = %.6g s: %s: %s\n", outcome.time, outcome.element, outcome.why);
    return EXIT_STOPPED;
}

/* ---- Starts -------------------------------------------------------------------------------- */

static const struct {
    loop_start start;
    double angle; /* rad */
} compared[] = {{LOOP_HORIZONTAL, 0.3}, {LOOP_HORIZONTAL, 0.5}, {LOOP_HORIZONTAL, 0.7},
                {LOOP_HORIZONTAL, 0.9}, {LOOP_HORIZONTAL, 1.1}, {LOOP_HORIZONTAL, 1.3},
                {LOOP_ZIGZAG, 0.3},     {LOOP_ZIGZAG, 0.5},     {LOOP_ZIGZAG, 0.7}};
enum { USUAL_ROWS = 4 }; /* smaller steps take long, and the factors hardly change there */

exit_code paper_loop_starts(const paper_request *request)
{
    paper_request one = *request;
    cells all;
    const table *t = &tables[2];
    trm_json_writer w = trm_json_begin(trm_file_sink(stdout));
    if (request->rows > STEPS) one.rows = USUAL_ROWS;
    if (request->json) trm_json_open_object(&w, NULL), trm_json_open_array(&w, "rows");
    if (!request->json)
        printf("Table 9.4, steps down to %g s: by which factor ours and the printed figures differ on average\n\n"
               "%-12s %6s %12s %12s\n",
               steps[one.rows - 1], "start", "angle", "uniform rods", "mass at ends");
    for (int i = 0; i < COUNT_OF(compared); i++) {
        double factor[2];
        one.start = compared[i].start, one.angle = compared[i].angle;
        for (int ends = 0; ends < 2; ends++) {
            one.mass_at_ends = ends;
            if (!run_cells(&one, &all)) return EXIT_BAD_INPUT;
            factor[ends] = mean_factor(&all, t);
        }
        if (!request->json)
            printf("%-12s %6g %12.2f %12.2f\n", loop_starts[one.start], one.angle, factor[0], factor[1]);
        if (!request->json) continue;
        trm_json_open_object(&w, NULL);
        trm_json_put_text(&w, "start", loop_starts[one.start]);
        trm_json_put_number(&w, "angle", one.angle);
        trm_json_put_number(&w, "uniform", factor[0]);
        trm_json_put_number(&w, "ends", factor[1]);
        trm_json_close(&w);
    }
    if (!request->json) return EXIT_DONE;
    trm_json_close(&w);
    trm_json_close(&w);
    trm_json_end(&w);
    return EXIT_DONE;
}
