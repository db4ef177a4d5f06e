/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Questions that the papers leave open, answered by runs:
 *   Schmitt 2003, 9     does true high order reach what extrapolation of periods promises?
 *   Schmitt 2003, 7     is it worth solving the whole system at once, or are impulses joint by joint as good?
 *   Schmitt 2003, 6     does the velocity correction change positions?
 *   SBP 2005, 5         how many rounds does Newton's method need in a step?
 * Machines: the point pendulum of table 9.1, the 8-Loop, a walker with four legs of three hinges each, a hanging chain of
 * 1000 rods. */

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "paper/tables.h"
#include "trammel/elementary.h"

/* ---- High orders --------------------------------------------------------------------------- */

typedef struct high_order {
    int order;
    double h, error; /* s: step, and error of the period */
} high_order;

static const double G = 9.81;

static bool find_period(int order, double h, double *T)
{
    scene s;
    track t = {0};
    bool good = scene_begin(&s, trm_v3(0, -G, 0));
    if (good) {
        trm_simulation_def *o = &s.def->simulation;
        o->method = "impulse", o->order = order, o->step = h;
        o->position_tolerance = o->angle_tolerance = o->velocity_tolerance = 1e-14;
        good = scene_simulate(&s, add_point_pendulum(s.def));
    }
    good = good && record(&s, trm_find_body(s.model, "bob"), 1.4 * pendulum_period(), &t);
    if (good) *T = smooth_zero(&t, 2) - smooth_zero(&t, 0);
    forget(&t);
    scene_end(&s);
    return good;
}

enum { ORDERS = 4 };

static bool find_orders(high_order found[ORDERS], double *extrapolated)
{
    double T = 0, coarse = 0, fine = 0;
    for (int i = 0; i < ORDERS; i++) {
        found[i] = (high_order){.order = 2 * (i + 1), .h = 0.01};
        if (!find_period(found[i].order, found[i].h, &T)) return false;
        found[i].error = T - pendulum_period();
    }
    if (!find_period(2, 0.01, &coarse) || !find_period(2, 0.005, &fine)) return false;
    *extrapolated = (4 * fine - coarse) / 3 - pendulum_period();
    return true;
}

/* ---- Machines ------------------------------------------------------------------------------ */

enum { CHAIN = 1000, LEGS = 4, NAME_SIZE = 16 };

static bool add_rod(trm_model_def *def, const char *name, trm_vec3 from, trm_vec3 to, double rate)
{
    trm_body_def rod = trm_default_body_def();
    rod.name = name;
    rod.kind = TRM_BODY_ROD;
    rod.rod = (trm_rod_def){from, to, 1, 0.01};
    rod.angular_velocity = trm_v3(0, 0, rate); /* rad/s; velocities are projected onto the joints */
    return trm_add_body(def, &rod) == TRM_OK;
}

static bool add_pendulum(trm_model_def *def, const paper_request *request)
{
    (void)request;
    return add_point_pendulum(def);
}

/* Returns a name that a definition borrows, the same in every machine. */
static const char *name_of(const char *kind, int number)
{
    static char names[2][CHAIN][NAME_SIZE];
    char *name = names[kind[0] == 'j'][number];
    snprintf(name, NAME_SIZE, "%s%d", kind, number);
    return name;
}

/* Adds rods of 1 m in ball joints, none in line with the next. */
static bool add_chain(trm_model_def *def, const paper_request *request)
{
    trm_vec3 at = trm_v3(0, 0, 0);
    bool good = true;
    (void)request;
    for (int i = 0; i < CHAIN && good; i++) {
        const trm_vec3 to = trm_v3_add(at, trm_v3(i % 2 ? 0.6 : 0.28, i % 2 ? -0.8 : -0.96, 0));
        const char *before = i > 0 ? name_of("rod", i - 1) : "ground";
        good = add_rod(def, name_of("rod", i), at, to, 0) &&
               add_joint_between(def, "ball", name_of("joint", i), before, name_of("rod", i), at);
        at = to;
    }
    return good;
}

/* Adds a floating body with four legs of three rods each. */
static bool add_walker(trm_model_def *def, const paper_request *request)
{
    bool good = add_rod(def, "trunk", trm_v3(-1, 0, 0), trm_v3(1, 0, 0), 0);
    (void)request;
    for (int i = 0; i < 3 * LEGS && good; i++) {
        const int leg = i / 3, part = i % 3;
        const double bend = part == 1 ? 0.3 : 0;
        const trm_vec3 at = trm_v3(-0.9 + 0.6 * leg - bend, -0.4 * part, 0);
        const trm_vec3 to = trm_v3(-0.9 + 0.6 * leg - (part == 0 ? 0.3 : 0), -0.4 * (part + 1), 0);
        good = add_rod(def, name_of("rod", i), at, to, i % 2 ? 2 : -3) &&
               add_joint_between(def, "hinge", name_of("joint", i), part > 0 ? name_of("rod", i - 1) : "trunk",
                                 name_of("rod", i), at);
    }
    return good;
}

static const struct {
    const char *name;
    bool (*add)(trm_model_def *def, const paper_request *request);
    double time; /* s */
    bool exact;  /* small enough for the exact matrix, which is dense */
} machines[] = {{"pendulum", add_pendulum, 2, true},
                {"8-Loop", add_loop, 2, true},
                {"walker", add_walker, 2, true},
                {"chain of 1000", add_chain, 0.1, false}};
enum { MACHINES = sizeof machines / sizeof machines[0] };

/* ---- Direct or iterative; velocity correction; rounds ---------------------------------------- */

typedef struct run_figures {
    bool ok;
    double rounds;  /* corrections of a joint per step: solutions of the system, or rounds over the joints */
    double seconds; /* s of processor time per step */
    trm_vec3 last;  /* m: final position of the last body */
} run_figures;

static const double H = 0.01, D_MAX = 1e-9, V_MAX = 1e-9;

/* Runs a machine. every: spacing of rows, at which velocities are corrected; the length of the run: only at its
 * end. */
static bool run_machine(const paper_request *request, int machine, const char *solver, double every, run_figures *f)
{
    static const trm_option exact = {.method = "impulse", .name = "newton", .text = "exact"};
    const bool is_exact = strcmp(solver, "exact") == 0;
    scene s;
    *f = (run_figures){0};
    bool good = scene_begin(&s, trm_v3(0, -G, 0));
    if (good) {
        trm_simulation_def *o = &s.def->simulation;
        o->method = "impulse", o->solver = is_exact ? "direct" : solver, o->order = 2, o->step = H;
        o->position_tolerance = o->angle_tolerance = D_MAX, o->velocity_tolerance = V_MAX;
        o->options = &exact, o->option_count = is_exact;
        good = scene_simulate(&s, machines[machine].add(s.def, request));
    }
    if (good) {
        const clock_t began = clock();
        const trm_run_def run = {.until = machines[machine].time, .every = every};
        f->ok = trm_sim_run(s.sim, &run).ok;
        const trm_counters *c = trm_sim_counters(s.sim);
        const double steps = (double)(c->steps > 0 ? c->steps : 1);
        f->seconds = (double)(clock() - began) / CLOCKS_PER_SEC / steps;
        f->rounds = (double)c->corrections / steps / trm_joint_count(s.model);
        f->last = trm_body_pose(trm_sim_state(s.sim), trm_body_count(s.model) - 1).p;
    }
    scene_end(&s);
    return good;
}

typedef struct answers {
    high_order orders[ORDERS];
    double extrapolated;
    run_figures direct[MACHINES], exact[MACHINES], iterative[MACHINES], uncorrected[MACHINES];
} answers;

static bool find_responses(const paper_request *request, answers *a)
{
    show_progress(request, "orders");
    if (!find_orders(a->orders, &a->extrapolated)) return false;
    for (int i = 0; i < MACHINES; i++) {
        show_progress(request, machines[i].name);
        a->exact[i] = (run_figures){.rounds = NAN, .seconds = NAN};
        if (!run_machine(request, i, "direct", H, &a->direct[i]) ||
            (machines[i].exact && !run_machine(request, i, "exact", H, &a->exact[i])) ||
            !run_machine(request, i, "iterative", H, &a->iterative[i]) ||
            !run_machine(request, i, "direct", machines[i].time, &a->uncorrected[i]))
            return false;
    }
    show_progress(request, NULL);
    return true;
}

static double moved(const answers *a, int i)
{
    const trm_vec3 d = trm_v3_sub(a->direct[i].last, a->uncorrected[i].last);
    return sqrt(trm_v3_dot(d, d));
}

/* ---- Printing ------------------------------------------------------------------------------ */

/* Prints the rounds. The paper says two to three; it makes the matrix again in every round. */
static void print_newton(const answers *a)
{
    printf("\nHow many rounds does Newton's method need? The paper says two to three. Solutions of the system per "
           "step:\n");
    printf("  %-14s %14s %14s %22s\n", "", "newton=exact", "newton=frozen", "time exact/frozen");
    for (int i = 0; i < MACHINES; i++) {
        printf("  %-14s ", machines[i].name);
        if (machines[i].exact)
            printf("%14.2f %14.2f %22.1f\n", a->exact[i].rounds, a->direct[i].rounds,
                   a->exact[i].seconds / a->direct[i].seconds);
        else
            printf("%14s %14.2f\n", "too large", a->direct[i].rounds);
    }
}

static void print_text(const answers *a)
{
    printf("Does real high order reach what extrapolation promises? Error of the period of the point pendulum, h = "
           "0.01:\n");
    printf("  extrapolated from h = 0.01 and 0.005  %10.2e s\n", a->extrapolated);
    for (int i = 0; i < ORDERS; i++) printf("  order %d %40.2e s\n", a->orders[i].order, a->orders[i].error);
    printf("\nIs the solution of the whole system worth it? h = %g, D_max = %g, per step:\n", H, D_MAX);
    printf("  %-14s %14s %14s %22s\n", "", "direct rounds", "joint rounds", "time iterative/direct");
    for (int i = 0; i < MACHINES; i++) {
        printf("  %-14s %14.2f ", machines[i].name, a->direct[i].rounds);
        if (a->iterative[i].ok)
            printf("%14.1f %22.1f\n", a->iterative[i].rounds, a->iterative[i].seconds / a->direct[i].seconds);
        else
            printf("%14s\n", "does not close");
    }
    printf("\nDoes the velocity correction change positions? Distance of the last body with and without it, at the "
           "end:\n");
    for (int i = 0; i < MACHINES; i++)
        printf("  %-14s after %4g s %14.2e m\n", machines[i].name, machines[i].time, moved(a, i));
    print_newton(a);
}

static void put_machine(trm_json_writer *w, const answers *a, int i)
{
    trm_json_open_object(w, NULL);
    trm_json_put_text(w, "machine", machines[i].name);
    trm_json_put_number(w, "direct_rounds", a->direct[i].rounds);
    trm_json_put_number(w, "exact_rounds", a->exact[i].rounds);
    trm_json_put_number(w, "exact_time_ratio", a->exact[i].seconds / a->direct[i].seconds);
    trm_json_put_bool(w, "iterative_ok", a->iterative[i].ok);
    trm_json_put_number(w, "iterative_rounds", a->iterative[i].rounds);
    trm_json_put_number(w, "time_ratio", a->iterative[i].seconds / a->direct[i].seconds);
    trm_json_put_number(w, "moved", moved(a, i));
    trm_json_close(w);
}

static void print_json(const answers *a)
{
    trm_json_writer w = trm_json_begin(trm_file_sink(stdout));
    trm_json_open_object(&w, NULL);
    trm_json_put_text(&w, "table", "questions");
    trm_json_put_number(&w, "extrapolated", a->extrapolated);
    trm_json_open_array(&w, "orders");
    for (int i = 0; i < ORDERS; i++) {
        trm_json_open_object_flat(&w, NULL);
        trm_json_put_integer(&w, "order", a->orders[i].order);
        trm_json_put_number(&w, "error", a->orders[i].error);
        trm_json_close(&w);
    }
    trm_json_close(&w);
    trm_json_open_array(&w, "rows");
    for (int i = 0; i < MACHINES; i++) put_machine(&w, a, i);
    trm_json_close(&w);
    trm_json_close(&w);
    trm_json_end(&w);
}

exit_code paper_questions(const paper_request *request)
{
    answers a;
    if (!find_responses(request, &a)) return EXIT_STOPPED;
    if (request->json)
        print_json(&a);
    else
        print_text(&a);
    return EXIT_DONE;
}
