/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Table 9.1 of Schmitt 2003: the period of a pendulum of 1 m that swings by 10 degrees.
 *
 *     T0 = 2 pi sqrt(L/g) / agm(1, cos(phi/2))      the arithmetic-geometric mean gives the elliptic integral
 *     T(h) = T0 - C h^2 + O(h^4),                    so  (4 T(h/2) - T(h))/3 = T0 + O(h^4)
 *
 * Two models: a point mass on a distance joint, and a rigid body of two equal masses at its ends, one of them at the
 * ball joint that holds it. Both have the same exact period, but their C differ. The second, with zeros found by straight
 * lines between steps, gives the paper's figures (docs/errata.md 12). */

#include <math.h>
#include <stdio.h>

#include "paper/tables.h"
#include "trammel/elementary.h"

enum { STEPS = 9 };

static const struct printed {
    double h, T, error; /* the paper's T - T0 is T0 - T */
} printed[STEPS] = {
    {0.04, 2.0085445249, 0.00134810239666},       {0.02, 2.0095560286, 0.00033659873943},
    {0.01, 2.0098089140, 0.00008371325490},       {0.005, 2.0098717016, 0.00002092568899},
    {0.0025, 2.0098873957, 0.00000523163119},     {0.00125, 2.0098913212, 0.00000130613721},
    {0.000625, 2.0098923000, 0.00000032733840},   {0.0003125, 2.0098925467, 0.00000008061132},
    {0.00015625, 2.0098926095, 0.00000001779746},
};

static const double PRINTED_T0 = 2.00989262729860, PRINTED_EXTRAPOLATED_ERROR = 3.5e-9;
static const double G = 9.81;                    /* m/s^2 */
static const double D_MAX = 1e-9, V_MAX = 1e-12; /* m, m/s */
static const int EXTRAPOLATED_FROM = 2;          /* the row of h = 0.01, and the next */

typedef struct measured {
    double T[STEPS];          /* s: point mass */
    double T_as_paper[STEPS]; /* s: two masses */
    double T0;
    int count;
} measured;

static double elliptic_period(double phi)
{
    double a = 1, b = trm_cos(phi / 2);
    for (int i = 0; i < 8; i++) { /* converges quadratically */
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 2 * trm_acos(-1) / sqrt(G) / a;
}

/* ---- The two pendulums -------------------------------------------------------------------- */

static trm_vec3 hanging_at(double phi, double length)
{
    return trm_v3(length * trm_sin(phi), -length * trm_cos(phi), 0);
}

static bool add_point(trm_model_def *def, double phi)
{
    trm_body_def bob = trm_default_body_def();
    bob.name = "bob";
    bob.kind = TRM_BODY_POINT;
    bob.mass = 1;
    bob.position = hanging_at(phi, 1);
    trm_joint_def string = trm_default_joint_def();
    string.name = "string";
    string.type = "distance";
    string.bodies[0] = "ground";
    string.bodies[1] = "bob";
    string.anchors[0] = string.anchors[1] = trm_v3(0, 0, 0);
    string.length = 1;
    return trm_add_body(def, &bob) == TRM_OK && trm_add_joint(def, &string) == TRM_OK;
}

static double amplitude(void)
{
    return 10 * trm_acos(-1) / 180;
}

bool add_point_pendulum(trm_model_def *def)
{
    return add_point(def, amplitude());
}

double pendulum_period(void)
{
    return elliptic_period(amplitude());
}

/* Adds the two masses. The frame of the body is at the bob, so that both pendulums are measured at the same place. */
static bool add_two_masses(trm_model_def *def, double phi)
{
    static const double inertia[6] = {0.5, 0, 0.5, 0, 0, 0}; /* two masses of 1 kg, each 0.5 m from the middle */
    trm_body_def body = trm_default_body_def();
    body.name = "bob";
    body.mass = 2;
    for (int i = 0; i < 6; i++) body.inertia[i] = inertia[i];
    body.com = trm_v3(0, 0.5, 0);
    body.position = hanging_at(phi, 1);
    body.orientation = (trm_quat){trm_cos(phi / 2), 0, 0, trm_sin(phi / 2)};
    trm_joint_def joint = trm_default_joint_def();
    joint.name = "suspension";
    joint.type = "ball";
    joint.bodies[0] = "ground";
    joint.bodies[1] = "bob";
    joint.anchor = trm_v3(0, 0, 0);
    return trm_add_body(def, &body) == TRM_OK && trm_add_joint(def, &joint) == TRM_OK;
}

bool add_rigid_pendulum(trm_model_def *def)
{
    return add_two_masses(def, amplitude());
}

typedef struct pendulum {
    bool (*add)(trm_model_def *def, double phi);
    double (*zero)(const track *t, int index);
} pendulum;

/* Measures the time from the first zero to the third: one period, both zeros with the same direction. */
static bool measure_period(const pendulum *p, double phi, double h, double *T)
{
    scene s;
    track t = {0};
    const double until = 1.4 * PRINTED_T0; /* the third zero is at 5/4 of a period */
    bool good = scene_begin(&s, trm_v3(0, -G, 0));
    good = good && scene_ready(&s, p->add(s.def, phi), h, D_MAX, V_MAX);
    good = good && record(&s, trm_find_body(s.model, "bob"), until, &t);
    if (good) *T = p->zero(&t, 2) - p->zero(&t, 0);
    forget(&t);
    scene_end(&s);
    return good;
}

static bool measure(const paper_request *request, measured *m)
{
    const double phi = amplitude();
    const pendulum point = {add_point, smooth_zero}, as_paper = {add_two_masses, linear_zero};
    m->T0 = elliptic_period(phi);
    m->count = request->rows < STEPS ? request->rows : STEPS;
    for (int i = 0; i < m->count; i++) {
        char text[40];
        snprintf(text, sizeof text, "h = %g", printed[i].h);
        show_progress(request, text);
        if (!measure_period(&point, phi, printed[i].h, &m->T[i]) ||
            !measure_period(&as_paper, phi, printed[i].h, &m->T_as_paper[i]))
            return false;
    }
    show_progress(request, NULL);
    return true;
}

/* ---- Printing ----------------------------------------------------------------------------- */

/* Returns the factor by which the error of the point mass is smaller than in the row before. */
static double fall(const measured *m, int row)
{
    return row == 0 ? NAN : (m->T0 - m->T[row - 1]) / (m->T0 - m->T[row]);
}

static double extrapolated(const double *T)
{
    return (4 * T[EXTRAPOLATED_FROM + 1] - T[EXTRAPOLATED_FROM]) / 3;
}

static bool has_extrapolated(const measured *m)
{
    return m->count > EXTRAPOLATED_FROM + 1;
}

static void print_text(const measured *m)
{
    printf("Table 9.1: period T of a 1-m pendulum that swings by 10 degrees, D_max = %g m, V_max = %g m/s\n", D_MAX,
           V_MAX);
    printf("T0 = %.14f s by the elliptic integral, %.14f s in print\n\n", m->T0, PRINTED_T0);
    printf("%-10s %-34s %s\n", "", "point mass on a distance joint", "as the paper: two masses, straight lines");
    printf("%-10s %14s %11s %6s  %13s %13s %11s %6s\n", "h", "T", "T0 - T", "fall", "T", "printed", "T0 - T",
           "ratio");
    for (int i = 0; i < m->count; i++) {
        const double as_paper = m->T0 - m->T_as_paper[i];
        printf("%-10g %14.11f %11.4e ", printed[i].h, m->T[i], m->T0 - m->T[i]);
        if (i == 0)
            printf("%6s", "");
        else
            printf("%6.3f", fall(m, i));
        printf("  %13.10f %13.10f %11.4e %6.3f\n", m->T_as_paper[i], printed[i].T, as_paper,
               as_paper / printed[i].error);
    }
    if (has_extrapolated(m))
        printf("\n(4 T(0.005) - T(0.01))/3 - T0: %.2e s of the point mass, %.2e s as the paper, %.2e s in print\n",
               extrapolated(m->T) - m->T0, extrapolated(m->T_as_paper) - m->T0, PRINTED_EXTRAPOLATED_ERROR);
    printf(
        "\nfall: how much smaller T0 - T is than in the row above. ratio: of T0 - T to the printed one, which the\n"
        "paper heads as T - T0.\n");
}

static void put_row(trm_json_writer *w, const measured *m, int i)
{
    trm_json_open_object(w, NULL);
    trm_json_put_number(w, "h", printed[i].h);
    trm_json_put_number(w, "T", m->T[i]);
    trm_json_put_number(w, "error", m->T[i] - m->T0);
    trm_json_put_number(w, "fall", fall(m, i));
    trm_json_put_number(w, "as_paper_T", m->T_as_paper[i]);
    trm_json_put_number(w, "as_paper_error", m->T_as_paper[i] - m->T0);
    trm_json_put_number(w, "printed_T", printed[i].T);
    trm_json_put_number(w, "printed_error", -printed[i].error);
    trm_json_put_number(w, "ratio", (m->T0 - m->T[i]) / printed[i].error);
    trm_json_put_number(w, "as_paper_ratio", (m->T0 - m->T_as_paper[i]) / printed[i].error);
    trm_json_close(w);
}

static void print_json(const measured *m)
{
    trm_json_writer w = trm_json_begin(trm_file_sink(stdout));
    trm_json_open_object(&w, NULL);
    trm_json_put_text(&w, "table", "9.1");
    trm_json_put_number(&w, "T0", m->T0);
    trm_json_put_number(&w, "printed_T0", PRINTED_T0);
    trm_json_open_array(&w, "rows");
    for (int i = 0; i < m->count; i++) put_row(&w, m, i);
    trm_json_close(&w);
    if (has_extrapolated(m)) {
        trm_json_open_object(&w, "extrapolated");
        trm_json_put_number(&w, "T", extrapolated(m->T));
        trm_json_put_number(&w, "error", extrapolated(m->T) - m->T0);
        trm_json_put_number(&w, "as_paper_error", extrapolated(m->T_as_paper) - m->T0);
        trm_json_put_number(&w, "printed_error", PRINTED_EXTRAPOLATED_ERROR);
        trm_json_close(&w);
    }
    trm_json_close(&w);
    trm_json_end(&w);
}

exit_code paper_pendulum(const paper_request *request)
{
    measured m;
    if (!measure(request, &m)) return EXIT_STOPPED;
    if (request->json)
        print_json(&m);
    else
        print_text(&m);
    return EXIT_DONE;
}
