/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A step of Adams' method: the blocks of STEP (Shampine, Gordon 1975, chapter 10), one function or two for each.
 *
 * With k the order and phi*_i = beta_i phi_i the differences on the grid with t + h appended, a step
 *
 *     predicts    p  = y + h sum g_i phi*_i,              i = 1 .. k
 *     carries     phi_i <- phi*_i + phi_(i+1)             the differences at t + h if f were the polynomial there
 *     evaluates   e  = f(t + h, p) - phi_1
 *     estimates   errors of orders k - 2 .. k from e and the differences; accepts the step if h |e| (g_k - g_(k+1)) is
 *                 within the tolerance
 *     corrects    y  = p + h g_(k+1) e                    by the formula of order k + 1
 *     evaluates   phi_(k+1) = f(t + h, y) - phi_1, which is added to phi_1 .. phi_k
 *
 * and chooses order and length of the next one. It departs from the book in one point. There the weights g are
 * continued from a diagonal of the last step, which is wrong (by up to 1e-4) after the order has fallen and risen
 * again at one step length. Here g is recomputed in every step, with at most 66 products. */

#include <float.h>
#include <math.h>
#include <string.h>

#include "methods/minimal/adams_state.h"
#include "trammel/elementary.h"

static const double two_u = 2 * DBL_EPSILON, four_u = 4 * DBL_EPSILON;

/* After a short step the usual length is at least LEAST_PART of the one before, and falls by the factor FADING in
 * each step. A larger LEAST_PART makes larger errors after jumps, with a smaller one steps pass jumps in more
 * attempts. A FADING nearer to 1 is slower to follow motions that become faster. */
static const double FADING = 0.98, LEAST_PART = 1.0 / 16;

/* gamma*_i = |coefficients of the corrector at equal steps|, to the digits of the book. The error of order i is h
 * gamma*_i sigma_(i+1) |phi_(i+1)|. */
static const double gamma_star[] = {0,      0.5,     0.0833,  0.0417,  0.0264,  0.0188,  0.0143,
                                    0.0114, 0.00936, 0.00789, 0.00679, 0.00592, 0.00524, 0.00468};

/* ---- Create and start --------------------------------------------------------------------- */

trm_adams *trm_adams_create(trm_arena *arena, int unknowns)
{
    const size_t n = (size_t)unknowns;
    trm_adams *a = TRM_NEW(arena, trm_adams);
    double *kept = trm_arena_array(arena, trm_adams_kept(unknowns), sizeof *kept);
    double *room = trm_arena_array(arena, 6 * n, sizeof *room);
    if (!a || !kept || !room) return NULL;
    double *after = kept + n * TRM_ADAMS_COLUMNS;
    *a = (trm_adams){.unknowns = unknowns,
                     .phi = kept,
                     .y = after,
                     .f = after + n,
                     .lost = after + 2 * n,
                     .predicted = room,
                     .corrected = room + n,
                     .rates = room + 2 * n,
                     .lost_then = room + 3 * n,
                     .lost_after = room + 4 * n,
                     .weight = room + 5 * n};
    return a;
}

static void remember_time(trm_adams_state *s, double t)
{
    memmove(s->times + 1, s->times, (TRM_ADAMS_POINTS - 1) * sizeof *s->times);
    s->times[0] = s->t = t;
    if (s->points < TRM_ADAMS_POINTS) s->points++;
}

void trm_adams_start(trm_adams *a, double t, const double *y, double first)
{
    trm_adams_state *s = &a->now;
    const long long evaluations = s->evaluations, failures = s->failures;
    const double usual = s->usual;
    memset(s, 0, sizeof *s); /* including the padding: it may be saved */
    s->evaluations = evaluations;
    s->failures = failures;
    s->usual = usual;
    s->h = first;
    s->order = 1;
    s->sigma[1] = s->g[1] = 1;
    s->g[2] = 0.5;
    remember_time(s, t);
    memmove(a->y, y, (size_t)a->unknowns * sizeof *y);
    memset(a->f, 0, (size_t)a->unknowns * sizeof *a->f);
    memset(a->lost, 0, (size_t)a->unknowns * sizeof *a->lost);
    memset(a->phi, 0, (size_t)a->unknowns * TRM_ADAMS_COLUMNS * sizeof *a->phi);
}

/* ---- Small parts -------------------------------------------------------------------------- */

static double square(double x)
{
    return x * x;
}

/* Returns sqrt(sum (x_i / weight_i)^2). */
static double weighted_length(const trm_adams *a, const double *x)
{
    double sum = 0;
    for (int i = 0; i < a->unknowns; i++) sum += square(x[i] / a->weight[i]);
    return sqrt(sum);
}

/* Returns the same of x + e, e = f of the prediction - phi_1. */
static double weighted_length_plus_e(const trm_adams *a, const double *x)
{
    const double *phi_1 = trm_adams_phi(a, 1);
    double sum = 0;
    for (int i = 0; i < a->unknowns; i++) sum += square((x[i] + (a->rates[i] - phi_1[i])) / a->weight[i]);
    return sqrt(sum);
}

typedef struct right_side {
    trm_adams_rates f;
    void *context;
} right_side;

/* rates <- f(t, y). Returns false also where f is not finite. */
static bool evaluate(trm_adams *a, right_side right, double t, const double *y)
{
    a->now.evaluations++;
    if (!right.f(right.context, t, y, a->rates)) return false;
    for (int i = 0; i < a->unknowns; i++)
        if (!isfinite(a->rates[i])) return false;
    return true;
}

/* Returns the shortest step that changes t; at t = 0 any normal number does. */
static double shortest(double t)
{
    return fmax(four_u * fabs(t), DBL_MIN);
}

/* ---- First step --------------------------------------------------------------------------- */

/* Computes f at the start, and a step length that order 1 can make: h^2 |f| <= tolerance / 16. */
static bool find_first_step(trm_adams *a, right_side right, double tolerance, double rounding)
{
    trm_adams_state *s = &a->now;
    if (!evaluate(a, right, s->t, a->y)) return false;
    memcpy(a->f, a->rates, (size_t)a->unknowns * sizeof *a->f);
    memcpy(trm_adams_phi(a, 1), a->rates, (size_t)a->unknowns * sizeof *a->f);
    const double speed = weighted_length(a, a->f);
    double length = fabs(s->h);
    if (tolerance < 16 * speed * s->h * s->h) length = 0.25 * sqrt(tolerance / speed);
    s->h = copysign(fmax(length, shortest(s->t)), s->h);
    s->first_phase = s->begun = true;
    s->careful = 0.5 * tolerance <= 100 * rounding;
    return true;
}

/* ---- Coefficients of the grid ------------------------------------------------------------- */

/* Computes g_i, i = 3 .. k + 1, column after column of the triangle of integrals; g_1 = 1 and g_2 = 1/2 always. */
static void make_predictor_weights(trm_adams_state *s)
{
    double w[TRM_ADAMS_ORDERS + 1];
    for (int q = 1; q <= s->order; q++) w[q] = 1.0 / (q * (q + 1));
    for (int i = 2; i <= s->order; i++) {
        for (int q = 1; q <= s->order + 1 - i; q++) w[q] -= s->alpha[i] * w[q + 1];
        s->g[i + 1] = w[1];
    }
}

/* Computes psi, alpha, beta, sigma and g on the grid with t + h. Entries for equal steps stay. */
static void extend_grid(trm_adams_state *s)
{
    const int k = s->order;
    if (s->h != s->h_last) s->alike = 0;
    if (s->alike <= s->last) s->alike++;
    const int alike = s->alike;
    if (k < alike) return;
    s->beta[alike] = 1;
    s->alpha[alike] = 1.0 / alike;
    s->sigma[alike + 1] = 1;
    double sum = s->h * alike;
    for (int i = alike + 1; i <= k; i++) {
        const double before = s->psi[i - 1];
        s->psi[i - 1] = sum;
        s->beta[i] = s->beta[i - 1] * sum / before;
        sum = before + s->h;
        s->alpha[i] = s->h / sum;
        s->sigma[i + 1] = i * s->alpha[i] * s->sigma[i];
    }
    s->psi[k] = sum;
    make_predictor_weights(s);
}

/* Restores psi of the grid without t + h. */
static void shrink_grid(trm_adams_state *s)
{
    for (int i = 2; i <= s->order; i++) s->psi[i - 1] = s->psi[i] - s->h;
}

/* ---- Predict ------------------------------------------------------------------------------ */

/* phi_i <- beta_i phi_i; phi_(k+1) moves to phi_(k+2) for the estimate of order k + 1. */
static void stretch_differences(trm_adams *a)
{
    const trm_adams_state *s = &a->now;
    const size_t column = (size_t)a->unknowns * sizeof(double);
    for (int i = s->alike + 1; i <= s->order; i++) {
        double *phi = trm_adams_phi(a, i);
        for (int j = 0; j < a->unknowns; j++) phi[j] *= s->beta[i];
    }
    memcpy(trm_adams_phi(a, s->order + 2), trm_adams_phi(a, s->order + 1), column);
    memset(trm_adams_phi(a, s->order + 1), 0, column);
}

/* predicted <- sum g_i phi_i, and phi_i <- phi_i + phi_(i+1), from the highest down */
static void carry_differences(trm_adams *a)
{
    memset(a->predicted, 0, (size_t)a->unknowns * sizeof *a->predicted);
    for (int i = a->now.order; i >= 1; i--) {
        const double g = a->now.g[i];
        const double *above = trm_adams_phi(a, i + 1);
        double *phi = trm_adams_phi(a, i);
        for (int j = 0; j < a->unknowns; j++) {
            a->predicted[j] += g * phi[j];
            phi[j] += above[j];
        }
    }
}

static void predict(trm_adams *a)
{
    const double h = a->now.h;
    stretch_differences(a);
    carry_differences(a);
    for (int i = 0; i < a->unknowns; i++) {
        const double change = h * a->predicted[i] - (a->now.careful ? a->lost[i] : 0);
        a->predicted[i] = a->y[i] + change;
        a->lost_then[i] = (a->predicted[i] - a->y[i]) - change;
    }
}

/* Restores phi to its values before the prediction, except for rounding and phi_(k+1), which only an estimate
 * needs. */
static void undo_prediction(trm_adams *a)
{
    for (int i = 1; i <= a->now.order; i++) {
        const double *above = trm_adams_phi(a, i + 1);
        const double ratio = 1 / a->now.beta[i];
        double *phi = trm_adams_phi(a, i);
        for (int j = 0; j < a->unknowns; j++) phi[j] = ratio * (phi[j] - above[j]);
    }
    shrink_grid(&a->now);
}

/* ---- Estimate ----------------------------------------------------------------------------- */

typedef struct estimates {
    double two_below, below, here; /* errors if the step had order k - 2, k - 1, k */
    double local;                  /* error of the step as it is */
    int order;                     /* k, or k - 1 if its error is smaller */
} estimates;

/* Returns the estimates if f does not exist: the error is infinite. */
static estimates no_estimates(const trm_adams *a)
{
    return (estimates){.local = INFINITY, .order = a->now.order};
}

static estimates estimate(const trm_adams *a)
{
    const trm_adams_state *s = &a->now;
    const int k = s->order;
    const double length = fabs(s->h);
    estimates e = no_estimates(a);
    if (k > 2)
        e.two_below =
            length * s->sigma[k - 1] * gamma_star[k - 2] * weighted_length_plus_e(a, trm_adams_phi(a, k - 1));
    if (k > 1) e.below = length * s->sigma[k] * gamma_star[k - 1] * weighted_length_plus_e(a, trm_adams_phi(a, k));
    const double deviation = length * weighted_length_plus_e(a, trm_adams_phi(a, k + 1)); /* phi_(k+1) = 0 */
    e.local = deviation * (s->g[k] - s->g[k + 1]);
    e.here = deviation * s->sigma[k + 1] * gamma_star[k];
    if (k > 2 ? fmax(e.below, e.two_below) <= e.here : k == 2 && e.below <= 0.5 * e.here) e.order = k - 1;
    return e;
}

/* ---- Correct ------------------------------------------------------------------------------ */

static void correct(trm_adams *a)
{
    const double weight = a->now.h * a->now.g[a->now.order + 1];
    const double *phi_1 = trm_adams_phi(a, 1);
    for (int i = 0; i < a->unknowns; i++) {
        const double change = weight * (a->rates[i] - phi_1[i]) - (a->now.careful ? a->lost_then[i] : 0);
        a->corrected[i] = a->predicted[i] + change;
        a->lost_after[i] = (a->corrected[i] - a->predicted[i]) - change;
    }
}

/* Updates the differences with f of the corrected y; phi_(k+2) becomes the change of phi_(k+1). */
static void add_to_differences(trm_adams *a)
{
    const int k = a->now.order;
    const double *phi_1 = trm_adams_phi(a, 1);
    double *highest = trm_adams_phi(a, k + 1), *change = trm_adams_phi(a, k + 2);
    for (int j = 0; j < a->unknowns; j++) {
        highest[j] = a->rates[j] - phi_1[j];
        change[j] = highest[j] - change[j];
    }
    for (int i = 1; i <= k; i++) {
        double *phi = trm_adams_phi(a, i);
        for (int j = 0; j < a->unknowns; j++) phi[j] += highest[j];
    }
}

static void accept(trm_adams *a)
{
    const size_t bytes = (size_t)a->unknowns * sizeof(double);
    trm_adams_state *s = &a->now;
    add_to_differences(a);
    memcpy(a->y, a->corrected, bytes);
    memcpy(a->f, a->rates, bytes);
    memcpy(a->lost, a->lost_after, bytes);
    s->last = s->order;
    s->h_last = s->h;
    if (!s->first_phase) s->usual = fmax(fabs(s->h), FADING * s->usual);
    remember_time(s, s->t + s->h);
}

/* ---- The next step ------------------------------------------------------------------------ */

/* Sets the order of the next step. Returns the expected error at the current length; 0 in the first phase. Order k
 * + 1 is tried only where the last steps were equal, because otherwise phi_(k+2) does not measure its error. */
static double choose_order(trm_adams *a, const estimates *e)
{
    trm_adams_state *s = &a->now;
    const int k = s->order;
    if (e->order < k || k == TRM_ADAMS_ORDERS) s->first_phase = false;
    if (s->first_phase) {
        s->order = k + 1;
        return 0;
    }
    bool lower = e->order < k, higher = false;
    double above = 0;
    if (!lower && k + 1 <= s->alike) {
        above = fabs(s->h) * gamma_star[k + 1] * weighted_length(a, trm_adams_phi(a, k + 2));
        lower = k > 1 && e->below <= fmin(e->here, above);
        higher = !lower && k < TRM_ADAMS_ORDERS && above < (k > 1 ? e->here : 0.5 * e->here);
    }
    s->order = k + higher - lower;
    return lower ? e->below : higher ? above : e->here;
}

/* Doubles the length, keeps it, or reduces it at most to half. A change of length costs the estimate of order k +
 * 1. */
static void choose_length(trm_adams_state *s, double aim, double error)
{
    if (s->first_phase || aim >= ldexp(error, s->order + 1)) {
        s->h *= 2;
    } else if (aim < error) {
        const double ratio = trm_pow(aim / error, 1.0 / (s->order + 1));
        s->h = copysign(fmax(fabs(s->h) * fmax(0.5, fmin(0.9, ratio)), shortest(s->t)), s->h);
    }
}

/* After a failure: halves the length and takes the order with the smaller error. Takes order 1 from the third
 * failure, and a length that suits it from the fourth. Returns false if no length is left. */
static bool shorten(trm_adams_state *s, const estimates *e, double aim, int failures)
{
    const bool known = e->local < INFINITY;
    const double ratio = failures > 3 && known && aim < 0.25 * e->here ? sqrt(aim / e->here) : 0.5;
    s->failures++;
    s->first_phase = false;
    s->order = failures < 3 ? e->order : 1;
    s->h *= ratio;
    if (fabs(s->h) >= shortest(s->t)) return true;
    s->h = copysign(shortest(s->t), s->h);
    return false;
}

void trm_adams_set_rounding(trm_adams *a, double rounding)
{
    a->rounding = rounding;
}

double trm_adams_usual(const trm_adams *a, double first)
{
    const trm_adams_state *s = &a->now;
    return s->usual > 0 ? fmax(fabs(s->h), LEAST_PART * s->usual) : fmax(fabs(s->h), first);
}

/* ---- The step ----------------------------------------------------------------------------- */

/* Returns the tolerance, or the error that rounding of f makes in this step if that is larger: a shorter step would
 * meet it, but the steps after it would not, and the errors would add up to the same. */
static double with_rounding(const trm_adams *a, double tolerance)
{
    return fmax(tolerance, fabs(a->now.h) * a->rounding);
}

/* Tries a step. Returns true, with the corrected y and f in the scratch arrays, if it can be accepted; else
 * restores phi. */
static bool try_step(trm_adams *a, right_side right, double tolerance, estimates *e)
{
    extend_grid(&a->now);
    predict(a);
    *e = no_estimates(a);
    const double t = a->now.t + a->now.h;
    if (evaluate(a, right, t, a->predicted)) {
        *e = estimate(a);
        if (e->local <= with_rounding(a, tolerance)) {
            correct(a);
            if (evaluate(a, right, t, a->corrected)) return true;
        }
    }
    undo_prediction(a);
    return false;
}

trm_adams_result trm_adams_step(trm_adams *a, trm_adams_rates f, void *context, double tolerance)
{
    trm_adams_state *s = &a->now;
    const right_side right = {f, context};
    const double aim = 0.5 * tolerance; /* for the next step; this step is tested against the full tolerance */
    if (fabs(s->h) < shortest(s->t)) {
        s->h = copysign(shortest(s->t), s->h);
        return TRM_ADAMS_STUCK;
    }
    for (int i = 0; i < a->unknowns; i++) a->weight[i] = fabs(a->y[i]) + 1;
    const double rounding = two_u * weighted_length(a, a->y);
    if (!(aim >= rounding)) return TRM_ADAMS_TOO_TIGHT;
    if (!s->begun && !find_first_step(a, right, tolerance, rounding)) return TRM_ADAMS_STUCK;

    estimates e;
    for (int failures = 1; !try_step(a, right, tolerance, &e); failures++)
        if (!shorten(s, &e, aim, failures)) return TRM_ADAMS_STUCK;
    accept(a);
    const double error = choose_order(a, &e);
    choose_length(s, with_rounding(a, aim), error);
    return TRM_ADAMS_DONE;
}
