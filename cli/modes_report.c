/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The page of trammel modes. It is the page of a run (run_report.h) in which the machine moves along one mode after
 * the other. Each mode is scaled to one period per second, and its largest displacement to a twentieth of the
 * machine's size. Bode plots of all inputs and outputs follow as pictures. */

#include "modes_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "run_report.h"

enum { MOST_SHOWN = 12, FRAMES = 60, PERIODS = 2, BODE_POINTS = 200 };
static const double SHOWN_TURN = 0.25, SHOWN_SHIFT = 0.05; /* rad; fraction of the machine's size */

/* ---- Shapes in motion --------------------------------------------------------------------- */

/* Returns the pose of a body moved by a small rotation vector and a displacement of its centre of mass. */
static trm_pose moved(trm_pose X, trm_vec3 com, trm_vec3 turn, trm_vec3 shift)
{
    const double angle = trm_v3_length(turn), s = angle > 1e-12 ? trm_sin(0.5 * angle) / angle : 0.5;
    const trm_quat by = {trm_cos(0.5 * angle), s * turn.x, s * turn.y, s * turn.z};
    const trm_vec3 centre = trm_v3_add(trm_v3_add(X.p, trm_rotate(X.q, com)), shift);
    const trm_quat q = trm_quat_mul(by, X.q);
    return (trm_pose){q, trm_v3_sub(centre, trm_rotate(q, com))};
}

static double size_of(const loaded *l)
{
    double size = 0;
    for (int b = 1; b < trm_body_count(l->model); b++)
        size = fmax(size, trm_v3_length(trm_v3_sub(trm_body_pose(l->state, b).p, trm_body_pose(l->state, 1).p)));
    return size > 0 ? size : 1;
}

/* Returns the factor that scales the largest rotation or displacement of a shape to the size in which it is shown. */
static double scale_of(const double *shape, int bodies, double size)
{
    double scale = INFINITY;
    for (int i = 12; i < 12 * bodies; i++) {
        const double most = i % 6 < 3 ? SHOWN_TURN : SHOWN_SHIFT * size;
        if (fabs(shape[i]) > 1e-12) scale = fmin(scale, most / fabs(shape[i]));
    }
    return isfinite(scale) ? scale : 0;
}

static void displace(const loaded *l, const double *shape, double re, double im, trm_state *to)
{
    for (int b = 1; b < trm_body_count(l->model); b++) {
        const trm_body_info info = trm_body_info_of(l->model, b);
        const double *x = shape + 12 * b;
        double xi[6];
        if (info.kind == TRM_BODY_FIXED || info.kind == TRM_BODY_MOVING) continue;
        for (int i = 0; i < 6; i++) xi[i] = re * x[i] - im * x[6 + i];
        trm_set_body_pose(to, b,
                          moved(trm_body_pose(l->state, b), info.principal.p, trm_v3(xi[0], xi[1], xi[2]),
                                trm_v3(xi[3], xi[4], xi[5])));
    }
}

static bool add_mode(const loaded *l, const trm_linearisation *r, int mode, double *time, trm_state *state,
                     run_report *page)
{
    const int bodies = trm_body_count(l->model);
    const double *shape = r->shapes + (size_t)mode * 12 * (size_t)bodies, scale = scale_of(shape, bodies, size_of(l));
    for (int i = 0; i < FRAMES * PERIODS; i++) {
        const double phase = 2 * TRM_PI * i / FRAMES;
        *time += 1.0 / FRAMES;
        trm_state_copy(state, l->state);
        displace(l, shape, scale * trm_cos(phase), scale * trm_sin(phase), state);
        trm_set_state_time(state, *time);
        if (!run_report_add(page, state)) return false;
    }
    return true;
}

/* Writes a text with HTML characters escaped, because names come from files. */
static void put_escaped(FILE *to, const char *text)
{
    for (const char *c = text; *c; c++)
        if (*c == '<' || *c == '>' || *c == '&')
            fprintf(to, "&#%d;", *c);
        else
            fputc(*c, to);
}

/* ---- Bode plots --------------------------------------------------------------------------- */

static void draw_curve(FILE *to, const double *x, const double *y, int count, double low, double high, double top)
{
    fprintf(to, "<polyline fill=\"none\" stroke=\"#2060c0\" points=\"");
    for (int i = 0; i < count; i++)
        if (isfinite(y[i]))
            fprintf(to, "%.1f,%.1f ", 60 + 500 * (x[i] - x[0]) / (x[count - 1] - x[0]),
                    top + 120 * (high - y[i]) / (high > low ? high - low : 1));
    fprintf(to, "\"/>\n<text x=\"4\" y=\"%.0f\">%.3g</text><text x=\"4\" y=\"%.0f\">%.3g</text>\n", top + 10, high,
            top + 120, low);
}

/* Draws gain in dB and phase in degrees over frequency, from a tenth of the lowest mode to ten times the highest. */
static void draw_bode(FILE *to, const trm_linearisation *r, int input, int output)
{
    double x[BODE_POINTS], gain[BODE_POINTS], phase[BODE_POINTS], least = INFINITY, most = 0, turned = 0;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < r->mode_count; i++) {
        const double f = trm_hypot(r->modes[i].re, r->modes[i].im) / (2 * TRM_PI);
        if (f > 0) least = fmin(least, f), most = fmax(most, f);
    }
    if (!isfinite(least)) least = most = 1;
    for (int i = 0; i < BODE_POINTS; i++) {
        double re, im;
        x[i] = trm_log10(0.1 * least) + i * (trm_log10(10 * most) - trm_log10(0.1 * least)) / (BODE_POINTS - 1);
        const bool good = trm_frequency_response(r, 2 * TRM_PI * trm_pow(10, x[i]), input, output, &re, &im);
        gain[i] = good ? 20 * trm_log10(trm_hypot(re, im)) : NAN;
        const double angle = trm_atan2(im, re) * 180 / TRM_PI;
        phase[i] = good ? angle + turned : NAN;
        if (i > 0 && good && isfinite(phase[i - 1])) {
            turned += 360 * round((phase[i - 1] - phase[i]) / 360);
            phase[i] = angle + turned;
        }
        const double y[2] = {gain[i], phase[i]};
        for (int k = 0; k < 2; k++)
            if (isfinite(y[k])) low[k] = fmin(low[k], y[k]), high[k] = fmax(high[k], y[k]);
    }
    fprintf(to, "<figure><figcaption>");
    put_escaped(to, r->input_names[input]);
    fprintf(to, " to ");
    put_escaped(to, r->output_names[output]);
    fprintf(to, ": gain [dB] and phase [deg], %.3g to %.3g Hz</figcaption>\n", 0.1 * least, 10 * most);
    fprintf(to, "<svg viewBox=\"0 0 580 270\" font-size=\"10\" fill=\"currentColor\">\n");
    draw_curve(to, x, gain, BODE_POINTS, low[0], high[0], 5);
    draw_curve(to, x, phase, BODE_POINTS, low[1], high[1], 140);
    fprintf(to, "</svg></figure>\n");
}

static void append_table(FILE *to, const trm_linearisation *r)
{
    fprintf(
        to,
        "<table><caption>Modes, in the order in which they are shown, %d s each</caption><tr><th>frequency [Hz]</th>"
        "<th>real [1/s]</th><th>imaginary [1/s]</th><th>damping</th><th>motion</th></tr>\n",
        PERIODS);
    for (int i = 0; i < r->mode_count; i++) {
        const trm_mode *m = &r->modes[i];
        fprintf(to, "<tr><td>%.9g</td><td>%.9g</td><td>%.9g</td><td>%.4g</td><td>", m->frequency, m->re, m->im,
                m->damping);
        put_escaped(to, m->text);
        fprintf(to, "</td></tr>\n");
    }
    fprintf(to, "</table>\n");
}

static bool append_plots(const char *path, const trm_linearisation *r)
{
    FILE *to = fopen(path, "ab");
    if (!to) return false;
    fprintf(to, "\n<section id=\"modes\" class=\"block\">\n");
    append_table(to, r);
    for (int i = 0; i < r->input_count; i++)
        for (int k = 0; k < r->output_count; k++) draw_bode(to, r, i, k);
    fprintf(to, "</section>\n");
    return fclose(to) == 0;
}

/* ---- The page ----------------------------------------------------------------------------- */

bool write_modes_report(const command_line *line, const loaded *l, const trm_linearisation *r)
{
    const char *path = option_value(line, "--report");
    trm_sim *sim = NULL;
    trm_state *state = trm_state_create(l->model, NULL);
    double time = 0;
    bool good = state && trm_sim_create(l->model, NULL, NULL, l->messages, &sim) == TRM_OK;
    if (good) trm_state_copy(trm_sim_state(sim), l->state), trm_set_state_time(trm_sim_state(sim), 0);
    run_report *page = good ? run_report_begin(path, sim, NULL) : NULL;
    good = page != NULL;
    for (int i = 0, shown = 0; good && i < r->mode_count && shown < MOST_SHOWN; i++)
        good = add_mode(l, r, i, &time, state, page), shown++;
    good = good && run_report_write(page, "modes", line, l, NULL, 0) && append_plots(path, r);
    if (!good) fprintf(stderr, "trammel modes: cannot write the page %s\n", path);
    run_report_end(page);
    trm_sim_destroy(sim);
    trm_state_destroy(state);
    return good;
}
