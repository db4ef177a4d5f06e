/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Compares a run with a second one that has half the step.
 *
 * Both runs advance together, so that no rows are stored. The difference of a column is compared with the range of its
 * values. For the verdict bodies are compared: the distance of their positions, as a fraction of the size of the motion,
 * and the angle between their orientations. With a method of order p the second run has 2^-p of the error of the first,
 * so that the difference is the error of the first run. Where motion is chaotic, the difference grows with steps of any
 * length, and the rows are one of many possible motions. */

#include "run_verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"
#include "trammel/elementary.h"

/* Fractions of the size of the motion, and rad: two runs that are closer than AGREE agree, runs farther apart than
 * CONTRADICT contradict each other. */
static const double AGREE = 1e-2, CONTRADICT = 0.2;

enum { MOST_PRINTED = 30 };

typedef struct compared {
    double off;       /* largest difference */
    double low, high; /* values of the first run */
} compared;

struct run_verify {
    trm_sim *half;
    const trm_model *model;
    const trm_results *columns;
    compared *of; /* per column */
    trm_outcome outcome;
    double place, angle; /* m, rad: largest differences of a body */
    trm_vec3 low, high;  /* m: range of the positions of bodies in the first run */
    long long rows;
    double wall;
};

static trm_simulation_def half_of(const trm_sim *sim)
{
    trm_simulation_def options = *trm_sim_options(sim);
    const bool by_error = !isnan(options.error) || strcmp(options.method, "minimal") == 0;
    const double usual = 1e-9; /* the error of the method minimal */
    options.step *= 0.5;
    if (by_error) options.error = 0.1 * (isnan(options.error) ? usual : options.error);
    return options;
}

run_verify *run_verify_begin(const trm_sim *sim, const trm_model *model, const trm_results *columns,
                             trm_messages *messages)
{
    run_verify *v = calloc(1, sizeof *v);
    const trm_simulation_def options = half_of(sim);
    if (!v) return NULL;
    *v = (run_verify){.model = model, .columns = columns, .outcome = {.ok = true}};
    v->low = (trm_vec3){INFINITY, INFINITY, INFINITY}, v->high = (trm_vec3){-INFINITY, -INFINITY, -INFINITY};
    v->of = calloc((size_t)trm_result_count(columns) + 1, sizeof *v->of);
    if (v->of && trm_sim_create(model, &options, NULL, messages, &v->half) == TRM_OK) {
        trm_sim_enable_reactions(v->half, trm_results_need_reactions(columns));
        for (int i = 0; i < trm_result_count(columns); i++) v->of[i] = (compared){0, INFINITY, -INFINITY};
        return v;
    }
    run_verify_end(v);
    return NULL;
}

void run_verify_end(run_verify *verify)
{
    if (!verify) return;
    trm_sim_destroy(verify->half);
    free(verify->of);
    free(verify);
}

/* ---- Comparing ----------------------------------------------------------------------------- */

static void widen(trm_vec3 p, trm_vec3 *low, trm_vec3 *high)
{
    *low = (trm_vec3){fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z)};
    *high = (trm_vec3){fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z)};
}

static double angle_between(trm_quat a, trm_quat b)
{
    const double c = fabs(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z);
    return 2 * trm_acos(fmin(c, 1));
}

static void compare_bodies(run_verify *v, const trm_state *state, const trm_state *half)
{
    for (int i = 1; i < trm_body_count(v->model); i++) {
        const trm_pose a = trm_body_pose(state, i), b = trm_body_pose(half, i);
        const trm_vec3 off = {a.p.x - b.p.x, a.p.y - b.p.y, a.p.z - b.p.z};
        if (trm_body_info_of(v->model, i).kind == TRM_BODY_FIXED) continue;
        widen(a.p, &v->low, &v->high);
        v->place = fmax(v->place, sqrt(off.x * off.x + off.y * off.y + off.z * off.z));
        v->angle = fmax(v->angle, angle_between(a.q, b.q));
    }
}

void run_verify_add(run_verify *v, const trm_state *state)
{
    const double started = wall_seconds(), t = trm_state_time(state);
    const trm_run_def run = {.until = t, .every = NAN};
    if (!v->outcome.ok) return;
    if (t > trm_state_time(trm_sim_state(v->half))) v->outcome = trm_sim_run(v->half, &run);
    if (v->outcome.ok) v->outcome = trm_sim_observe(v->half);
    if (v->outcome.ok) {
        const trm_state *half = trm_sim_state(v->half);
        for (int i = 0; i < trm_result_count(v->columns); i++) {
            const double a = trm_result_value(v->columns, i, state), b = trm_result_value(v->columns, i, half);
            compared *c = &v->of[i];
            if (!(fabs(a - b) <= c->off) && !(isnan(a) && isnan(b))) c->off = fabs(a - b);
            c->low = fmin(c->low, a), c->high = fmax(c->high, a);
        }
        compare_bodies(v, state, half);
        v->rows++;
    }
    v->wall += wall_seconds() - started;
}

double run_verify_wall(const run_verify *verify)
{
    return verify->wall;
}

/* ---- Results ------------------------------------------------------------------------------- */

static double size_of_motion(const run_verify *v)
{
    return sqrt(trm_pow(v->high.x - v->low.x, 2) + trm_pow(v->high.y - v->low.y, 2) +
                trm_pow(v->high.z - v->low.z, 2));
}

void run_verify_judge(const run_verify *v, trm_sim *sim)
{
    char text[200];
    const double size = size_of_motion(v), closed = 10 * trm_sim_options(sim)->position_tolerance;
    const double part = v->place <= closed ? 0 : v->place / size;
    const double off = fmax(part, v->angle);
    const trm_grade grade = off <= AGREE ? TRM_GOOD : off <= CONTRADICT ? TRM_CHECK : TRM_BAD;
    if (!v->outcome.ok) {
        snprintf(text, sizeof text, "with half the step the run stopped at t = %.6g s: %.50s: %.70s", v->outcome.time,
                 v->outcome.element, v->outcome.why);
        trm_sim_add_remark(sim, TRM_CHECK, text);
    }
    snprintf(text, sizeof text, "with half the step bodies are at most %.2g m of %.3g m and %.2g rad elsewhere",
             v->place, size, v->angle);
    trm_sim_add_remark(sim, grade, text);
}

/* Returns the difference of a column as a fraction of its range. Gaps differ within their tolerance. */
static double part_of_range(const run_verify *v, int column)
{
    const compared *c = &v->of[column];
    if (strstr(trm_result_name(v->columns, column), ".gap")) return 0;
    const double range = c->high - c->low;
    return range > 0 ? c->off / range : c->off > 0 ? INFINITY : 0;
}

/* Prints the columns, those with the largest differences first. */
void run_verify_print(const run_verify *v, FILE *to)
{
    const int count = trm_result_count(v->columns);
    double last = INFINITY;
    int printed = 0, last_column = -1;
    fprintf(to, "verify       largest differences from a run with half the step, at %lld rows:\n", v->rows);
    for (; printed < MOST_PRINTED && printed < count; printed++) {
        int worst = -1;
        for (int i = 0; i < count; i++) {
            const double part = part_of_range(v, i);
            const bool left = part < last || (part == last && i > last_column);
            if (left && (worst < 0 || part > part_of_range(v, worst))) worst = i;
        }
        if (worst < 0 || part_of_range(v, worst) == 0) break;
        const char *unit = trm_result_unit(v->columns, worst);
        last = part_of_range(v, worst), last_column = worst;
        fprintf(to, "             %-20s %.3g%s%s of a range of %.3g\n", trm_result_name(v->columns, worst),
                v->of[worst].off, unit[0] ? " " : "", unit, v->of[worst].high - v->of[worst].low);
    }
    if (printed == MOST_PRINTED) fprintf(to, "             %d more columns differ by less\n", count - printed);
}
