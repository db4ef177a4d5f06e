/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Functions of time in a model: forces, drives, motions of bodies.
 *
 * A function may act for a short time within a long step and be zero at both ends, where the error of the step is
 * estimated. So all functions are sampled at intervals r within a step [t, t + H] before it is made, and compared
 * with the polynomial of degree 5 that has their values and first two derivatives at both ends,
 *
 *     p(s) = sum over both ends of f a(s) + f' H b(s) + f'' H^2 c(s),    s = 0 .. 1
 *     a = 1 - 10 s^3 + 15 s^4 - 6 s^5,  b = s - 6 s^3 + 8 s^4 - 3 s^5,  c = (s^2 - 3 s^3 + 3 s^4 - s^5) / 2
 *
 * at the start, and at the end the same with 1 - s for s and -b for b. The step is allowed if no sample is further
 * from p than a fraction of the largest change of f in the step: 1e-4, or the requested error if it is smaller.
 * Otherwise a step of half the length is, and so on down to r, which is always allowed. So nothing is missed that
 * steps of length r would not miss.
 *
 * What steps of length h do miss is sought for the verdict, at POINTS times within the steps of the run, because no
 * energy shows it: a pulse between two evaluations of f, or a vibration of about a period per step, which looks
 * constant or slow. In a step from t to t + h, f exceeds its ends by
 *
 *     d = max over s in (0, 1) of the distance of f(t + s h) from the interval between f(t) and f(t + h)
 *
 * A jump or a ramp has d = 0, a sine of amplitude a with n steps per period d <= a (1 - cos(pi/n)). Steps do not
 * resolve f if d is more than MOST_EXCESS of the range of all samples: a sine with less than about four steps per
 * period, a pulse shorter than a step. The times s are multiples of the golden ratio modulo 1, because a vibration
 * may be zero at equidistant ones. */

#include "model/model.h"

/* Steps are at most MOST_SAMPLES r long. A larger value takes longer samples between steps, with a smaller one slow
 * machines take more steps. */
enum { MOST_SAMPLES = 256 };
/* Allowed fraction of the change, if the requested error is not smaller. A larger value misses larger pulses, with a
 * smaller one smooth functions shorten steps. */
static const double DEVIATION = 1e-4;
/* Fraction of the value of a function that rounding may change. A larger value misses smaller pulses on large values,
 * a smaller one takes rounding for pulses. */
static const double ROUNDING = 1e-13;

/* Fraction of the range. A larger value misses vibrations with three steps per period, a smaller one reports
 * functions that steps resolve to a few per cent. */
static const double MOST_EXCESS = 0.15;
static const double GOLDEN = 0.6180339887498949;
/* More samples of all functions take longer and find shorter pulses. */
enum { POINTS = 8, MOST_SOUGHT = 20000 };

/* An interval in which functions are sampled. */
typedef struct window {
    const double *memory; /* of the model */
    double t, H;          /* s */
    int samples;          /* parts of H */
    double accuracy;      /* allowed difference from p, as a fraction of the change */
    double steps;         /* of length H from t on, in `samples` of which missed functions are sought */
    int *count;           /* counts functions */
} window;

/* A property of a function whose inputs are in memory. */
typedef bool (*test)(const trm_function *function, const window *w);

/* Returns the polynomials a, b, c of one end. */
static double share_of_end(trm_jet end, double H, double s)
{
    const double s2 = s * s, s3 = s2 * s, s4 = s3 * s, s5 = s4 * s;
    return end.v * (1 - 10 * s3 + 15 * s4 - 6 * s5) + end.d * H * (s - 6 * s3 + 8 * s4 - 3 * s5) +
           end.dd * H * H * 0.5 * (s2 - 3 * s3 + 3 * s4 - s5);
}

static bool deviates(const trm_function *function, const window *w)
{
    const trm_jet start = trm_function_at_inputs(function, w->t, w->memory),
                  end = trm_function_at_inputs(function, w->t + w->H, w->memory);
    double change = fabs(end.v - start.v), error = 0;
    for (int i = 1; i < w->samples; i++) {
        const double s = (double)i / w->samples, f = trm_function_at_inputs(function, w->t + s * w->H, w->memory).v;
        const double p = share_of_end(start, w->H, s) + share_of_end(end, -w->H, 1 - s);
        change = fmax(change, fabs(f - start.v));
        error = fabs(f - p) <= error ? error : fabs(f - p);
    }
    return !(error <= w->accuracy * change + ROUNDING * fabs(start.v));
}

static bool is_any(const trm_function *function, const window *w)
{
    (void)function, (void)w;
    return true;
}

static bool is_counted(const trm_function *function, const window *w)
{
    (void)function, ++*w->count;
    return false;
}

/* Widens range to the values in the step from t on; returns how far they exceed its ends. */
static double excess(const trm_function *function, const window *w, double t, double range[2])
{
    const double start = trm_function_at_inputs(function, t, w->memory).v,
                 end = trm_function_at_inputs(function, t + w->H, w->memory).v;
    double least = fmin(start, end), most = fmax(start, end);
    for (int i = 1; i <= POINTS; i++) {
        const double s = i * GOLDEN, f = trm_function_at_inputs(function, t + (s - (int)s) * w->H, w->memory).v;
        least = fmin(least, f), most = fmax(most, f);
    }
    range[0] = fmin(range[0], least), range[1] = fmax(range[1], most);
    return fmax(fmin(start, end) - least, most - fmax(start, end));
}

static bool is_missed(const trm_function *function, const window *w)
{
    double range[2] = {INFINITY, -INFINITY}, worst = 0;
    for (int k = 0; k < w->samples; k++)
        worst = fmax(worst, excess(function, w, w->t + floor(k * w->steps / w->samples) * w->H, range));
    return worst > MOST_EXCESS * (range[1] - range[0]);
}

/* ---- All functions of a model -------------------------------------------------------------- */

/* function NULL: there is none. */
static bool any_of_one(const trm_function *function, test is, const window *w)
{
    return function && !trm_function_is_constant(function) && is(function, w);
}

/* w NULL: tests also the functions that are not chosen at present. */
static bool any_of_chosen(const trm_chosen *of, test is, const window *w)
{
    const double *own = w && w->memory ? w->memory + of->offset : NULL;
    if (w) return !trm_chosen_is_set(of, own) && any_of_one(trm_chosen_function(of, own), is, w);
    bool any = any_of_one(of->first, is, w);
    for (int i = 0; i < of->other_count; i++) any = any || any_of_one(of->others[i], is, w);
    return any;
}

static bool any_of_motion(const trm_motion *motion, test is, const window *w)
{
    bool any = any_of_one(motion->angle, is, w);
    for (int k = 0; k < 3; k++) any = any || any_of_one(motion->position[k], is, w);
    return any;
}

static bool any_of_force(const trm_force *force, test is, const window *w)
{
    return any_of_chosen(&force->value[0], is, w) || any_of_chosen(&force->value[1], is, w) ||
           any_of_chosen(&force->value[2], is, w) || any_of_chosen(&force->target, is, w) ||
           any_of_chosen(&force->target_rate, is, w) || any_of_chosen(&force->most_law, is, w) ||
           any_of_chosen(&force->brake_law, is, w);
}

/* Returns the name of the first element of which this is true for a function; NULL: there is none. */
static const char *first_with(const trm_model *model, test is, const window *w)
{
    for (int i = 0; i < model->body_count; i++)
        if (model->bodies[i].motion && any_of_motion(model->bodies[i].motion, is, w)) return model->bodies[i].name;
    for (int j = 0; j < model->joint_count; j++)
        if (any_of_chosen(&model->joints[j].motion, is, w) || any_of_chosen(&model->joints[j].velocity, is, w))
            return model->joints[j].name;
    for (int i = 0; i < model->force_count; i++)
        if (any_of_force(&model->forces[i], is, w))
            return model->forces[i].name ? model->forces[i].name : model->forces[i].type->name;
    return NULL;
}

bool trm_model_varies_with_time(const trm_model *model)
{
    return first_with(model, is_any, NULL) != NULL;
}

double trm_model_longest_step(const trm_model *model, const double *memory, double t, double h,
                              const trm_sampling *sampling)
{
    const double r = sampling->interval;
    const double wanted = fmin(fabs(h), sampling->longest);
    if (isinf(r)) return wanted;
    double length = fmin(wanted, MOST_SAMPLES * r);
    for (; length > r; length *= 0.5) {
        const window w = {.memory = memory,
                          .t = t,
                          .H = copysign(length, h),
                          .samples = (int)ceil(length / r),
                          .accuracy = fmin(DEVIATION, sampling->error)};
        if (!first_with(model, deviates, &w)) return length;
    }
    return fmin(wanted, r);
}

const char *trm_model_missed_function(const trm_model *model, const double *memory, double t, double h, double steps)
{
    int count = 0;
    window w = {.memory = memory, .t = t, .H = h, .steps = steps, .count = &count};
    first_with(model, is_counted, &w);
    w.samples = count ? (int)fmin(steps, MOST_SOUGHT / (POINTS + 2) / count + 1) : 0;
    return first_with(model, is_missed, &w);
}
