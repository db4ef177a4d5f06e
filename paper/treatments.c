/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The three treatments of springs (Schmitt 2003, section 10): force at the ends of a step (9.2), implicit, and the
 * integral (9.1) inside the iteration.
 *
 * A mass on a spring, y'' = -y, makes steps y_(n+1) - 2 y_n + y_(n-1) = -h^2 times
 *     explicit  y_n                            sin(w h/2) = h/2                        T/T0 - 1 ~ -h^2/24
 *     implicit  y_(n+1)                        tan(w h) = h, amplitude (1 + h^2)^(-n/2)  T/T0 - 1 ~  h^2/3
 *     integral  (y_(n-1) + 6 y_n + y_(n+1))/8  cos(w h) = (1 - 3 h^2/8)/(1 + h^2/8)    T/T0 - 1 ~  h^2/48
 * A linkage of two rods with a damped spring shows the same with joints. */

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "paper/sheet.h"
#include "trammel/elementary.h"

enum { TREATMENTS = 3, STEPS = 4, FIRST_ZERO = 0, LAST_ZERO = 8 };

static const char *const treatments[TREATMENTS] = {"explicit", "implicit", "integral"};
static const double steps[STEPS] = {0.02, 0.01, 0.005, 0.0025};
static const double REST = 10, UNTIL = 27; /* m; s: past the ninth zero */
static const double D_MAX = 1e-13;         /* m */

/* ---- A mass on a spring -------------------------------------------------------------------- */

static bool add_mass(trm_model_def *def, const char *treatment)
{
    trm_body_def mass = trm_default_body_def();
    mass.name = "mass", mass.kind = TRM_BODY_POINT, mass.mass = 1;
    mass.position = trm_v3(REST + 1, 0, 0);
    trm_force_def spring = trm_default_force_def();
    spring.type = "spring";
    spring.bodies[0] = "ground", spring.bodies[1] = "mass";
    spring.anchors[0] = spring.anchors[1] = trm_v3(0, 0, 0);
    spring.rest = REST, spring.stiffness = 1, spring.treatment = treatment;
    return trm_add_body(def, &mass) == TRM_OK && trm_add_force(def, &spring) == TRM_OK;
}

/* Returns the relative deviation of the period from 2 pi. */
static double closed_form(int treatment, double h)
{
    const double x = h * h;
    const double angle = treatment == 0   ? 2 * trm_asin(h / 2)
                         : treatment == 1 ? trm_atan(h)
                                          : trm_acos((1 - 3 * x / 8) / (1 + x / 8));
    return h / angle - 1;
}

/* Returns the fraction that the amplitude has lost in the last half period of the track. */
static double lost_amplitude(const track *t)
{
    double most = 0;
    for (int i = (int)((UNTIL - trm_acos(-1)) / t->step); i < t->count; i++) most = fmax(most, fabs(t->x[i]));
    return 1 - most;
}

static bool measure_mass(int treatment, double h, double *values)
{
    const double pi = trm_acos(-1);
    scene s;
    track t = {0};
    bool good = scene_begin(&s, trm_v3(0, 0, 0));
    good = good && scene_ready(&s, add_mass(s.def, treatments[treatment]), h, D_MAX, D_MAX);
    good = good && record(&s, trm_find_body(s.model, "mass"), UNTIL, &t);
    for (int i = 0; good && i < t.count; i++) t.x[i] -= REST;
    if (good) {
        const double half_periods = LAST_ZERO - FIRST_ZERO;
        values[0] = h;
        values[1] = (smooth_zero(&t, LAST_ZERO) - smooth_zero(&t, FIRST_ZERO)) / (half_periods * pi) - 1;
        values[2] = closed_form(treatment, h);
        values[3] = lost_amplitude(&t);
    }
    forget(&t);
    scene_end(&s);
    return good;
}

static const sheet_table mass_table = {
    .key = "mass",
    .title = "A mass on a spring, y'' = -y: T/T0 - 1, and by how much the amplitude has fallen after 27 s",
    .names = "treatment",
    .name_width = 10,
    .columns = {{"h", "h", "%8g"},
                {"period", "T/T0 - 1", "%13.5e"},
                {"closed_form", "closed form", "%13.5e"},
                {"amplitude", "amplitude lost", "%15.2e"}},
};

/* ---- A linkage ----------------------------------------------------------------------------- */

/* Adds two rods of 1 m; a spring of 40 N/m and 1 N s/m connects the end of the second with a fixed point. */
static bool add_linkage(trm_model_def *def, const char *treatment)
{
    const trm_vec3 o = trm_v3(0, 0, 0), elbow = trm_v3(0.8, -0.6, 0), end = trm_v3(1.76, -0.32, 0);
    trm_force_def spring = trm_default_force_def();
    spring.type = "spring";
    spring.bodies[0] = "ground", spring.bodies[1] = "forearm";
    spring.anchors[0] = trm_v3(2, 1, 0), spring.anchors[1] = trm_v3(0.5, 0, 0);
    spring.rest = 1, spring.stiffness = 40, spring.damping = 1, spring.treatment = treatment;
    return add_rod_between(def, "arm", o, elbow, 0.02) && add_rod_between(def, "forearm", elbow, end, 0.02) &&
           add_joint_between(def, "hinge", "shoulder", "ground", "arm", o) &&
           add_joint_between(def, "hinge", "elbow", "arm", "forearm", elbow) && trm_add_force(def, &spring) == TRM_OK;
}

typedef struct linkage_run {
    trm_vec3 end;   /* m: centre of the forearm after 2 s */
    double checks;  /* checks of a joint per step */
    double seconds; /* s of processor time */
} linkage_run;

static bool run_linkage(const char *treatment, double order, double h, linkage_run *f)
{
    scene s;
    bool good = scene_begin(&s, trm_v3(0, -9.81, 0));
    if (good) {
        trm_simulation_def *o = &s.def->simulation;
        o->method = "impulse", o->order = order, o->step = h;
        o->position_tolerance = o->angle_tolerance = o->velocity_tolerance = D_MAX;
        good = scene_simulate(&s, add_linkage(s.def, treatment));
    }
    if (good) {
        const clock_t began = clock();
        good = trm_sim_run(s.sim, &(trm_run_def){.until = 2, .every = 2}).ok;
        const trm_counters *c = trm_sim_counters(s.sim);
        f->seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
        f->checks = (double)c->checks / (double)(c->steps * trm_joint_count(s.model));
        f->end = trm_body_pose(trm_sim_state(s.sim), trm_find_body(s.model, "forearm")).p;
    }
    scene_end(&s);
    return good;
}

static bool measure_linkage(int treatment, trm_vec3 right, sheet_row *row)
{
    linkage_run f = {0};
    double error[STEPS];
    row->name = treatments[treatment];
    for (int i = 0; i < STEPS; i++) {
        if (!run_linkage(treatments[treatment], 2, steps[i], &f)) return false;
        row->values[i] = error[i] = trm_v3_length(trm_v3_sub(f.end, right));
        if (i == 1) row->values[STEPS + 1] = f.checks;
    }
    row->values[STEPS] = trm_log(error[STEPS - 2] / error[STEPS - 1]) / trm_log(2);
    row->values[STEPS + 2] = f.seconds;
    return true;
}

static const sheet_table linkage_table = {
    .key = "linkage",
    .title = "Two rods in hinges, the last one on a spring of 40 N/m and 1 N s/m: error after 2 s in m",
    .names = "treatment",
    .name_width = 10,
    .columns = {{"at_0.02", "h = 0.02", "%9.2e"},
                {"at_0.01", "h = 0.01", "%9.2e"},
                {"at_0.005", "h = 0.005", "%9.2e"},
                {"at_0.0025", "h = 0.0025", "%10.2e"},
                {"order", "order", "%6.2f"},
                {"checks", "checks/step", "%11.2f"},
                {"time", "time", "%6.2f"}},
};

/* ---- Both ---------------------------------------------------------------------------------- */

static bool find_mass_rows(const paper_request *request, sheet_row *rows)
{
    show_progress(request, "a mass on a spring");
    for (int t = 0; t < TREATMENTS; t++)
        for (int i = 0; i < STEPS; i++) {
            rows[t * STEPS + i].name = treatments[t];
            if (!measure_mass(t, steps[i], rows[t * STEPS + i].values)) return false;
        }
    return true;
}

/* Computes the rows of the linkage. Times are divided by that of the explicit treatment. */
static bool find_linkage_rows(const paper_request *request, sheet_row *rows)
{
    linkage_run right = {0};
    show_progress(request, "a linkage");
    if (!run_linkage("explicit", 8, 0.0025, &right)) return false;
    for (int t = 0; t < TREATMENTS; t++)
        if (!measure_linkage(t, right.end, &rows[t])) return false;
    const double unit = rows[0].values[STEPS + 2];
    for (int t = 0; t < TREATMENTS; t++) rows[t].values[STEPS + 2] /= unit;
    show_progress(request, NULL);
    return true;
}

exit_code paper_treatments(const paper_request *request)
{
    sheet_row masses[TREATMENTS * STEPS] = {0}, linkages[TREATMENTS] = {0};
    sheet s;
    if (!find_mass_rows(request, masses) || !find_linkage_rows(request, linkages)) return EXIT_STOPPED;
    sheet_begin(&s, request);
    sheet_print(&s, &mass_table, masses, TREATMENTS * STEPS);
    sheet_print(&s, &linkage_table, linkages, TREATMENTS);
    sheet_note(
        &s, "Closed forms: see docs/forces.md. order: between the two smallest steps. checks/step: of a joint, at\n"
            "h = 0.01. time: of the processor at h = 0.0025, in units of the explicit treatment.");
    sheet_end(&s);
    return EXIT_DONE;
}
