/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Table 10.1 of Schmitt 2003: y'' = -y, y(0) = 1, y'(0) = 0, a mass of 1 kg on a spring of 1 N/m, y its elongation.
 *
 * The scheme is Verlet's: sin(w h/2) = h/2, so that its period is 2 pi (1 - h^2/24 + ...). How the paper measured was
 * found by reproducing all of its digits (docs/errata.md 4):
 *     second column   delay of the sixth zero, by straight lines between steps, relative to 11 quarter periods, in % of
 *                     one quarter period: eleven times the deviation of the period
 *     third column    the sum of |y - cos t| over all steps up to that zero, divided by their number including the start
 *     Euler           explicit; y at step n is compared with the cosine of step n - 1
 *     Runge-Kutta     the printed mean lacks a zero after the decimal point */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "paper/tables.h"
#include "trammel/elementary.h"

enum { STEPS = 7, SIXTH = 5, EXTRAPOLATED_FROM = 2, METHODS = 3 };

static const struct printed {
    double h, percent, mean;
} printed[STEPS] = {
    {0.04, -0.0733752740, 0.0003663015},     {0.02, -0.0183389285, 0.0000917266},
    {0.01, -0.0045842580, 0.0000229515},     {0.005, -0.0011459594, 0.0000057404},
    {0.0025, -0.0002864587, 0.0000014354},   {0.00125, -0.0000716143, 0.0000003589},
    {0.000625, -0.0000179040, 0.0000000897},
};

/* Figures in the text below the table, for h = 0.01. */
static const struct printed_other {
    const char *name;
    double percent, mean;
} printed_others[METHODS] = {
    {"explicit Euler", 0.03666314, 0.0291477436411},
    {"Runge-Kutta 4", 0.00000078, 0.000000004590},
    {"extrapolated", 0.0000001401, 0.00000000336},
};

static const double REST = 10;     /* m: any length, as long as the spring does not turn round */
static const double UNTIL = 17.6;  /* s: after the sixth zero at 17.28 s */
static const double D_MAX = 1e-10; /* without effect: there is no joint */

typedef struct measured {
    double period;  /* % of 2 pi, by interpolation of degree 7 */
    double percent; /* %: delay of the sixth zero, as in the paper */
    double mean;    /* |y - cos t| */
    double late;    /* the same relative to the cosine one step earlier */
} measured;

typedef struct results {
    measured rows[STEPS];
    int count;
    measured others[METHODS];
} results;

/* ---- Measuring ---------------------------------------------------------------------------- */

static double mean_deviation(const track *t, double until, int delay, bool start_counts)
{
    double sum = 0;
    int n = 1;
    for (; n < t->count && (double)n * t->step <= until; n++)
        sum += fabs(t->x[n] - trm_cos((double)(n - delay) * t->step));
    return sum / (start_counts ? n : n - 1);
}

static measured measure_track(const track *t, bool start_counts)
{
    const double pi = trm_acos(-1), sixth = linear_zero(t, SIXTH);
    const double two_periods = smooth_zero(t, 4) - smooth_zero(t, 0);
    return (measured){
        .period = 100 * (two_periods - 4 * pi) / (4 * pi),
        .percent = 100 * (sixth - 5.5 * pi) / (0.5 * pi),
        .mean = mean_deviation(t, sixth, 0, start_counts),
        .late = mean_deviation(t, sixth, 1, start_counts),
    };
}

static bool add_spring(trm_model_def *def)
{
    trm_body_def mass = trm_default_body_def();
    mass.name = "mass";
    mass.kind = TRM_BODY_POINT;
    mass.mass = 1;
    mass.position = trm_v3(REST + 1, 0, 0);
    trm_force_def spring = trm_default_force_def();
    spring.type = "spring";
    spring.bodies[0] = "ground";
    spring.bodies[1] = "mass";
    spring.anchors[0] = spring.anchors[1] = trm_v3(0, 0, 0);
    spring.rest = REST;
    spring.stiffness = 1;
    return trm_add_body(def, &mass) == TRM_OK && trm_add_force(def, &spring) == TRM_OK;
}

static bool measure_row(double h, measured *m)
{
    scene s;
    track t = {0};
    bool good = scene_begin(&s, trm_v3(0, 0, 0));
    good = good && scene_ready(&s, add_spring(s.def), h, D_MAX, D_MAX);
    good = good && record(&s, trm_find_body(s.model, "mass"), UNTIL, &t);
    for (int i = 0; good && i < t.count; i++) t.x[i] -= REST;
    if (good) *m = measure_track(&t, true);
    forget(&t);
    scene_end(&s);
    return good;
}

/* ---- The other methods -------------------------------------------------------------------- */

static void euler(double h, double *y, double *v)
{
    const double before = *y;
    *y += h * *v;
    *v -= h * before;
}

/* Makes a step of Runge-Kutta of order 4, which for a linear equation is the Taylor polynomial of degree 4. */
static void runge_kutta(double h, double *y, double *v)
{
    const double c = 1 - h * h / 2 + h * h * h * h / 24, s = h - h * h * h / 6, before = *y;
    *y = c * before + s * *v;
    *v = c * *v - s * before;
}

static bool measure_other(void (*step)(double, double *, double *), double h, measured *m)
{
    const int count = (int)(UNTIL / h);
    double y = 1, v = 0;
    track t = {.step = h, .x = calloc((size_t)count, sizeof *t.x), .count = count};
    if (!t.x) return false;
    for (int i = 0; i < count; i++) {
        t.x[i] = y;
        step(h, &y, &v);
    }
    *m = measure_track(&t, false);
    forget(&t);
    return true;
}

static double extrapolate(double at_h, double at_half)
{
    return (4 * at_half - at_h) / 3;
}

static bool measure_others(results *r)
{
    const measured *at_h = &r->rows[EXTRAPOLATED_FROM], *at_half = at_h + 1;
    const double h = printed[EXTRAPOLATED_FROM].h;
    r->others[2] = (measured){
        .period = extrapolate(at_h->period, at_half->period),
        .percent = extrapolate(at_h->percent, at_half->percent),
        .mean = extrapolate(at_h->mean, at_half->mean),
        .late = NAN,
    };
    return measure_other(euler, h, &r->others[0]) && measure_other(runge_kutta, h, &r->others[1]);
}

static bool has_others(const results *r)
{
    return r->count > EXTRAPOLATED_FROM + 1;
}

static bool measure(const paper_request *request, results *r)
{
    r->count = request->rows < STEPS ? request->rows : STEPS;
    for (int i = 0; i < r->count; i++) {
        char text[40];
        snprintf(text, sizeof text, "h = %g", printed[i].h);
        show_progress(request, text);
        if (!measure_row(printed[i].h, &r->rows[i])) return false;
    }
    show_progress(request, NULL);
    return !has_others(r) || measure_others(r);
}

/* ---- Printing ----------------------------------------------------------------------------- */

static double theory_percent(double h)
{
    return -100 * h * h / 24;
}

static void print_others(const results *r)
{
    printf("\nAt h = 0.01:\n");
    for (int i = 0; i < METHODS; i++) {
        const measured *m = &r->others[i];
        printf("%-15s %12.4e  %15.6e %15.6e  %13.6e %13.6e\n", printed_others[i].name, m->period, m->percent,
               printed_others[i].percent, m->mean, printed_others[i].mean);
    }
    printf("Euler's mean is %.13f when y is compared with the cosine one step earlier, which is the printed\n"
           "figure. The printed mean of Runge-Kutta lacks a zero after the decimal point.\n",
           r->others[0].late);
}

static void print_text(const results *r)
{
    printf("Table 10.1: y'' = -y as a mass on a spring\n\n");
    printf("%-10s %-30s  %-38s  %s\n", "", "deviation of the period in %", "how late the sixth zero is in %",
           "mean |y - cos t|");
    printf("%-10s %17s %12s  %15s %15s %6s  %13s %13s %6s\n", "h", "ours", "-h^2/24", "ours", "printed", "ratio",
           "ours", "printed", "ratio");
    for (int i = 0; i < r->count; i++) {
        const measured *m = &r->rows[i];
        const struct printed *p = &printed[i];
        printf("%-10g %17.10f %12.4e  %15.10f %15.10f %6.4f  %13.10f %13.10f %6.4f\n", p->h, m->period,
               theory_percent(p->h), m->percent, p->percent, m->percent / p->percent, m->mean, p->mean,
               m->mean / p->mean);
    }
    if (has_others(r)) print_others(r);
    printf(
        "\nThe paper's second column is headed as the deviation of the period, but is that of the sixth zero, at 11\n"
        "quarter periods, in %% of one quarter period: 11 times as much. Means are taken up to that zero.\n");
}

static void put_measured(trm_json_writer *w, const measured *m, double percent, double mean)
{
    trm_json_put_number(w, "period_percent", m->period);
    trm_json_put_number(w, "sixth_zero_percent", m->percent);
    trm_json_put_number(w, "printed_percent", percent);
    trm_json_put_number(w, "ratio_percent", m->percent / percent);
    trm_json_put_number(w, "mean", m->mean);
    trm_json_put_number(w, "printed_mean", mean);
    trm_json_put_number(w, "ratio_mean", m->mean / mean);
}

static void put_others(trm_json_writer *w, const results *r)
{
    trm_json_open_array(w, "others");
    for (int i = 0; i < METHODS; i++) {
        trm_json_open_object(w, NULL);
        trm_json_put_text(w, "method", printed_others[i].name);
        trm_json_put_number(w, "h", printed[EXTRAPOLATED_FROM].h);
        put_measured(w, &r->others[i], printed_others[i].percent, printed_others[i].mean);
        trm_json_put_number(w, "mean_one_step_late", r->others[i].late);
        trm_json_close(w);
    }
    trm_json_close(w);
}

static void print_json(const results *r)
{
    trm_json_writer w = trm_json_begin(trm_file_sink(stdout));
    trm_json_open_object(&w, NULL);
    trm_json_put_text(&w, "table", "10.1");
    trm_json_open_array(&w, "rows");
    for (int i = 0; i < r->count; i++) {
        trm_json_open_object(&w, NULL);
        trm_json_put_number(&w, "h", printed[i].h);
        trm_json_put_number(&w, "theory_percent", theory_percent(printed[i].h));
        put_measured(&w, &r->rows[i], printed[i].percent, printed[i].mean);
        trm_json_close(&w);
    }
    trm_json_close(&w);
    if (has_others(r)) put_others(&w, r);
    trm_json_close(&w);
    trm_json_end(&w);
}

exit_code paper_spring(const paper_request *request)
{
    results r;
    if (!measure(request, &r)) return EXIT_STOPPED;
    if (request->json)
        print_json(&r);
    else
        print_text(&r);
    return EXIT_DONE;
}
