/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The order of the series for free rotation, `impulse:taylor` (Schmitt 2003, section 3: "the expansion up to the term of
 * order 3 is enough for steps of h <= 0.01").
 *
 * Tested are a free body with the moments 1, 2, 3 kg m^2 that tumbles at 3 rad/s about its middle axis, and the pendulum of
 * table 9.1 of two masses. The angular momentum of the free body is constant: its change is the error of the series. A
 * series of order p has an error of order h^(p+1) in a step, and of order h^p in a run. */

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "paper/sheet.h"
#include "trammel/elementary.h"

enum { ORDERS = 8 };

static const char *const names[ORDERS] = {"1", "2", "3", "4", "5", "6", "8", "auto"};
static const double orders[ORDERS] = {1, 2, 3, 4, 5, 6, 8, 0};
static const double UNTIL = 10, D_MAX = 1e-12; /* s, m */
static const double ROUNDING = 1e-13;

static bool add_free_body(trm_model_def *def)
{
    static const double inertia[6] = {1, 2, 3, 0, 0, 0};
    trm_body_def body = trm_default_body_def();
    body.name = "body", body.mass = 1;
    for (int i = 0; i < 6; i++) body.inertia[i] = inertia[i];
    body.angular_velocity = trm_v3(0.3, 3, 0.1);
    return trm_add_body(def, &body) == TRM_OK;
}

/* Begins a scene with the option taylor. Returns false after reporting why it cannot. */
static bool begin(scene *s, trm_vec3 gravity, bool (*add)(trm_model_def *def), const trm_option *taylor, double h)
{
    if (!scene_begin(s, gravity)) return false;
    trm_simulation_def *o = &s->def->simulation;
    o->method = "impulse", o->order = 2, o->step = h;
    o->position_tolerance = o->angle_tolerance = o->velocity_tolerance = D_MAX;
    o->options = taylor, o->option_count = 1;
    return scene_simulate(s, add(s->def));
}

typedef struct tumble {
    double momentum, energy; /* relative changes */
    double seconds;          /* s of processor time */
} tumble;

static bool run_free_body(const trm_option *taylor, double h, tumble *f)
{
    scene s;
    bool good = begin(&s, trm_v3(0, 0, 0), add_free_body, taylor, h);
    if (good) {
        const trm_state *state = trm_sim_state(s.sim);
        const trm_vec3 L = trm_state_momentum(state).angular;
        const double E = trm_state_energy(state).kinetic;
        const clock_t began = clock();
        good = trm_sim_run(s.sim, &(trm_run_def){.until = UNTIL, .every = UNTIL}).ok;
        f->seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
        f->momentum = trm_v3_length(trm_v3_sub(trm_state_momentum(state).angular, L)) / trm_v3_length(L);
        f->energy = trm_state_energy(state).kinetic / E - 1;
    }
    scene_end(&s);
    return good;
}

static bool find_period(const trm_option *taylor, double h, double *T)
{
    scene s;
    track t = {0};
    bool good = begin(&s, trm_v3(0, -9.81, 0), add_rigid_pendulum, taylor, h);
    good = good && record(&s, trm_find_body(s.model, "bob"), 1.4 * pendulum_period(), &t);
    if (good) *T = smooth_zero(&t, 2) - smooth_zero(&t, 0);
    forget(&t);
    scene_end(&s);
    return good;
}

static bool measure(int i, sheet_row *row)
{
    const trm_option taylor = {.method = "impulse", .name = "taylor", .number = orders[i]};
    tumble coarse = {0}, fine = {0};
    double T = 0;
    if (!run_free_body(&taylor, 0.01, &coarse) || !run_free_body(&taylor, 0.005, &fine) ||
        !find_period(&taylor, 0.01, &T))
        return false;
    const bool seen = fine.momentum > ROUNDING;
    *row = (sheet_row){names[i],
                       {coarse.momentum, fine.momentum,
                        seen ? trm_log(coarse.momentum / fine.momentum) / trm_log(2) : NAN, coarse.energy,
                        T - pendulum_period(), fine.seconds}};
    return true;
}

static const sheet_table table = {
    .key = "rows",
    .title = "impulse:taylor=N, a free body (moments 1, 2, 3 kg m^2, 3 rad/s, 10 s) and the pendulum of table 9.1",
    .names = "taylor",
    .name_width = 7,
    .columns = {{"momentum_0.01", "|dL|/L, h = 0.01", "%16.2e"},
                {"momentum_0.005", "h = 0.005", "%10.2e"},
                {"order", "order", "%6.2f"},
                {"energy_0.01", "E/E0 - 1, h = 0.01", "%18.2e"},
                {"period", "T - T0, h = 0.01", "%17.6e"},
                {"time", "time", "%6.2f"}},
};

exit_code paper_taylor(const paper_request *request)
{
    sheet_row rows[ORDERS] = {0};
    sheet s;
    for (int i = 0; i < ORDERS; i++) {
        show_progress(request, names[i]);
        if (!measure(i, &rows[i])) return EXIT_STOPPED;
    }
    show_progress(request, NULL);
    const double unit = rows[ORDERS - 1].values[5];
    for (int i = 0; i < ORDERS; i++) rows[i].values[5] /= unit;
    sheet_begin(&s, request);
    sheet_print(&s, &table, rows, ORDERS);
    sheet_note(
        &s,
        "time: of the processor for the free body, in units of auto, which ends the series where terms are rounding\n"
        "and uses the closed form where two moments are equal, as the pendulum's.");
    sheet_end(&s);
    return EXIT_DONE;
}
