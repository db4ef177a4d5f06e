/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "base/expression.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "failing_allocator.h"
#include "trammel/elementary.h"

#define PI 3.14159265358979323846

static const trm_constant constants[] = {{"r", 0.25}, {"length_1", 4}, {"_x2", -3}, {"broken", INFINITY}};

enum { CONSTANT_COUNT = sizeof constants / sizeof constants[0] };

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* Returns value and derivatives of an expression at one t. The text must compile. */
static trm_jet jet_of(const char *text, double t)
{
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    trm_expression_error error;
    const trm_expression *e = trm_expression_compile(&arena, text, constants, CONSTANT_COUNT, true, &error);
    if (!e) fail_msg("\"%s\" at %d: %s", text, error.at, error.text);
    const trm_jet jet = trm_expression_at_inputs(e, t, NULL);
    const double value = trm_expression_value_at(e, t, NULL);
    if (!(value == jet.v || (isnan(value) && isnan(jet.v))))
        fail_msg("\"%s\": value %.17g, but %.17g with derivatives", text, value, jet.v);
    trm_arena_destroy(&arena);
    return jet;
}

static double constant_of(const char *text)
{
    trm_expression_error error;
    double value = NAN;
    if (!trm_evaluate_constant(text, constants, CONSTANT_COUNT, &value, &error))
        fail_msg("\"%s\" at %d: %s", text, error.at, error.text);
    return value;
}

static void assert_value(const char *text, double expected)
{
    const double value = constant_of(text);
    if (value != expected) fail_msg("\"%s\" = %.17g, expected %.17g", text, value, expected);
}

/* ---- Values ------------------------------------------------------------------------------- */

static void numbers_are_read_in_every_decimal_form(void **state)
{
    (void)state;
    assert_value("0", 0);
    assert_value("12", 12);
    assert_value("0.1", 0.1);
    assert_value(".5", 0.5);
    assert_value("2.", 2);
    assert_value("2.*3", 6);
    assert_value("2.e3", 2000);
    assert_value(".5e+1", 5);
    assert_value("1e-3", 1e-3);
    assert_value("1E3", 1000);
    assert_value("007", 7);
    assert_value("00.5", 0.5);
    assert_value("1e-999", 0);
    assert_value("1.7976931348623157e308", 1.7976931348623157e308);
}

static void operators_bind_as_in_mathematics(void **state)
{
    (void)state;
    assert_value("2+3*4", 14);
    assert_value("(2+3)*4", 20);
    assert_value("10-4-3", 3);
    assert_value("24/4/2", 3);
    assert_value("24/4*2", 12);
    assert_value("-2^2", -4);
    assert_value("(-2)^2", 4);
    assert_value("2^3^2", 512);
    assert_value("2^-1", 0.5);
    assert_value("2^-1^2", 0.5);
    assert_value("2^+2", 4);
    assert_value("2*-3", -6);
    assert_value("2--3", 5);
    assert_value("2+-+-3", 5);
    assert_value("---3", -3);
    assert_value("+3", 3);
    assert_value("-3*-3", 9);
    assert_value("-sqrt(4)^2", -4);
    assert_value("2*3^2", 18);
}

static void space_is_ignored_between_symbols(void **state)
{
    (void)state;
    assert_value("  1\t+\n2 *\r3  ", 7);
    assert_value(" sqrt ( 4 ) ", 2);
    assert_value("max( 1 , 2 )", 2);
}

static void names_have_their_values(void **state)
{
    (void)state;
    assert_value("pi", PI);
    assert_value("180*deg", 180 * (PI / 180));
    assert_value("r", 0.25);
    assert_value("length_1*r", 1);
    assert_value("_x2", -3);
}

static void functions_agree_with_the_c_library(void **state)
{
    (void)state;
    assert_value("sqrt(2)", sqrt(2));
    assert_value("sin(0.7)", trm_sin(0.7));
    assert_value("cos(0.7)", trm_cos(0.7));
    assert_value("tan(0.7)", trm_tan(0.7));
    assert_value("asin(0.7)", trm_asin(0.7));
    assert_value("acos(-1)", trm_acos(-1));
    assert_value("atan2(1, -2)", trm_atan2(1, -2));
    assert_value("atan2(0, 0)", 0);
    assert_value("exp(1.5)", trm_exp(1.5));
    assert_value("log(1.5)", trm_log(1.5));
    assert_value("abs(-1.5)", 1.5);
    assert_value("min(2, 1)", 1);
    assert_value("max(2, 1)", 2);
    assert_value("min(3, 1, 2, 0.5, 4)", 0.5);
    assert_value("max(3, 1, 2, 0.5, 4)", 4);
    assert_value("2^0.5", trm_pow(2, 0.5));
    assert_value("(-2)^3", -8);
    assert_value("0^0", 1);
    assert_value("0^2", 0);
}

static void reserved_names_are_those_with_a_meaning(void **state)
{
    (void)state;
    const char *reserved[] = {"pi",   "deg",   "t",   "sqrt", "sin", "cos", "tan", "asin",
                              "acos", "atan2", "exp", "log",  "abs", "min", "max"};
    for (int i = 0; i < COUNT(reserved); i++) assert_true(trm_is_reserved_name(reserved[i]));
    const char *free_names[] = {"", "p", "pi2", "T", "Sin", "sinh", "r", "atan"};
    for (int i = 0; i < COUNT(free_names); i++) assert_false(trm_is_reserved_name(free_names[i]));
}

static void only_an_expression_without_t_is_constant(void **state)
{
    (void)state;
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    trm_expression_error error;
    assert_true(trm_expression_is_constant(trm_expression_compile(&arena, "r+1", constants, 1, true, &error)));
    assert_false(trm_expression_is_constant(trm_expression_compile(&arena, "r+t", constants, 1, true, &error)));
    assert_false(trm_expression_is_constant(trm_expression_compile(&arena, "0*t", NULL, 0, true, &error)));
    trm_arena_destroy(&arena);
}

static void the_program_does_not_need_its_text_afterwards(void **state)
{
    (void)state;
    char text[] = "r*t", name[] = "r";
    trm_constant own[] = {{name, 2}};
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    trm_expression_error error;
    const trm_expression *e = trm_expression_compile(&arena, text, own, 1, true, &error);
    assert_non_null(e);
    memset(text, '#', sizeof text), memset(name, '#', sizeof name), own[0].value = 7;
    assert_true(trm_expression_value_at(e, 3, NULL) == 6);
    trm_arena_destroy(&arena);
}

/* ---- Derivatives -------------------------------------------------------------------------- */

/* For closed forms evaluated in double precision at arguments of order one: a few roundings. */
static const double closed_form_tolerance = 2e-14;

static void assert_jet(const char *text, double t, double v, double d, double dd)
{
    const trm_jet jet = jet_of(text, t);
    const double seen[3] = {jet.v, jet.d, jet.dd}, expected[3] = {v, d, dd};
    for (int i = 0; i < 3; i++) {
        const double tolerance = closed_form_tolerance * (1 + fabs(expected[i]));
        if (seen[i] == expected[i] || fabs(seen[i] - expected[i]) <= tolerance) continue;
        if (isnan(seen[i]) && isnan(expected[i])) continue;
        fail_msg("\"%s\" at %g: derivative %d is %.17g, expected %.17g", text, t, i, seen[i], expected[i]);
    }
}

static void derivatives_match_closed_forms(void **state)
{
    (void)state;
    const double t = 0.6, w = 3, s = sin(w * t), c = cos(w * t), e = exp(-2 * t);
    assert_jet("7", t, 7, 0, 0);
    assert_jet("t", t, t, 1, 0);
    assert_jet("-t", t, -t, -1, 0);
    assert_jet("t+t*t", t, t + t * t, 1 + 2 * t, 2);
    assert_jet("5-t*t*t", t, 5 - t * t * t, -3 * t * t, -6 * t);
    assert_jet("1/t", t, 1 / t, -1 / (t * t), 2 / (t * t * t));
    assert_jet("t/(1+t)", t, t / (1 + t), 1 / pow(1 + t, 2), -2 / pow(1 + t, 3));
    assert_jet("sin(3*t)", t, s, w * c, -w * w * s);
    assert_jet("cos(3*t)", t, c, -w * s, -w * w * c);
    assert_jet("tan(t)", t, tan(t), 1 / pow(cos(t), 2), 2 * tan(t) / pow(cos(t), 2));
    assert_jet("exp(-2*t)", t, e, -2 * e, 4 * e);
    assert_jet("log(2*t)", t, log(2 * t), 1 / t, -1 / (t * t));
    assert_jet("sqrt(t)", t, sqrt(t), 0.5 / sqrt(t), -0.25 / pow(t, 1.5));
    assert_jet("asin(t)", t, asin(t), 1 / sqrt(1 - t * t), t / pow(1 - t * t, 1.5));
    assert_jet("acos(t)", t, acos(t), -1 / sqrt(1 - t * t), -t / pow(1 - t * t, 1.5));
    assert_jet("atan2(t, 1)", t, atan2(t, 1), 1 / (1 + t * t), -2 * t / pow(1 + t * t, 2));
    assert_jet("atan2(sin(3*t), cos(3*t))", t, w * t, w, 0);
    assert_jet("sin(t^2)", t, sin(t * t), 2 * t * cos(t * t), 2 * cos(t * t) - 4 * t * t * sin(t * t));
    assert_jet("2^t", t, pow(2, t), log(2) * pow(2, t), log(2) * log(2) * pow(2, t));
    const double tt = pow(t, t), l = 1 + log(t);
    assert_jet("t^t", t, tt, tt * l, tt * (l * l + 1 / t));
    assert_jet("t^2.5", t, pow(t, 2.5), 2.5 * pow(t, 1.5), 3.75 * pow(t, 0.5));
}

static void whole_powers_are_right_for_every_base(void **state)
{
    (void)state;
    assert_jet("t^3", -2, -8, 12, -12);
    assert_jet("t^2", -2, 4, -4, 2);
    assert_jet("t^-1", -2, -0.5, -0.25, -0.25);
    assert_jet("t^0", 0, 1, 0, 0);
    assert_jet("t^1", 0, 0, 1, 0);
    assert_jet("t^2", 0, 0, 0, 2);
    assert_jet("t^3", 0, 0, 0, 0);
    assert_jet("(t-1)^4", 1, 0, 0, 0);
    assert_jet("(-2)^t", 2, 4, NAN, NAN);
}

static void kinks_have_the_derivative_of_the_branch_taken(void **state)
{
    (void)state;
    assert_jet("abs(t)", -2, 2, -1, 0);
    assert_jet("abs(t^3)", -2, 8, -12, 12);
    assert_jet("abs(t)", 3, 3, 1, 0);
    assert_jet("min(t, 1)", 0.5, 0.5, 1, 0);
    assert_jet("min(t, 1)", 2, 1, 0, 0);
    assert_jet("max(t^2, t, 0)", 0.5, 0.5, 1, 0);
    assert_jet("max(t^2, t, 0)", 2, 4, 4, 2);
    assert_jet("max(t^2, t, 0)", -2, 4, -4, 2);
}

static void at_a_kink_the_derivative_is_the_one_to_the_right(void **state)
{
    (void)state;
    assert_jet("abs(t)", 0, 0, 1, 0);
    assert_jet("abs(-t)", 0, 0, 1, 0);
    assert_jet("abs(-t^2)", 0, 0, 0, 2);
    assert_jet("max(0, t)", 0, 0, 1, 0);
    assert_jet("max(t, 0)", 0, 0, 1, 0);
    assert_jet("min(0, t)", 0, 0, 0, 0);
    assert_jet("min(t, 0)", 0, 0, 0, 0);
    assert_jet("max(t, t^2)", 1, 1, 2, 2);
}

static void singular_points_give_infinity_or_nan_and_still_ones_do_not(void **state)
{
    (void)state;
    assert_jet("sqrt(t)", 0, 0, INFINITY, -INFINITY);
    assert_jet("sqrt(t)", -1, NAN, NAN, NAN);
    assert_jet("sqrt(max(0, t-1))", 0, 0, 0, 0);
    assert_jet("max(0, t-1)^0.5", 0, 0, 0, 0);
    assert_jet("atan2(max(0, t-1), max(0, t-1))", 0, 0, 0, 0);
    assert_jet("asin(min(1, t))", 2, PI / 2, 0, 0);
    assert_true(isinf(jet_of("1/t", 0).v));
    assert_true(isnan(jet_of("t/t", 0).v));
    assert_true(isnan(jet_of("log(t)", -1).v));
    assert_true(isnan(jet_of("min(sqrt(t), 1)", -1).v));
    assert_true(isnan(jet_of("max(1, sqrt(t))", -1).v));
    assert_true(isnan(jet_of("t", NAN).v));
    assert_true(isinf(jet_of("exp(t)", 1000).v));
}

static void the_polar_angle_neither_overflows_nor_underflows(void **state)
{
    (void)state;
    assert_jet("atan2(1e-200*t, 1e-200)", 1, PI / 4, 0.5, -0.5);
    assert_jet("atan2(1e200*t, 1e200)", 1, PI / 4, 0.5, -0.5);
}

/* ---- Random expressions ------------------------------------------------------------------- */

/* A text buffer that is cut off silently at its end. */
typedef struct writer {
    trm_random random;
    char text[20000];
    int length;
} writer;

static int pick(writer *w, int count)
{
    return (int)(trm_random_bits(&w->random) % (uint64_t)count);
}

static void put(writer *w, const char *piece)
{
    const int room = (int)sizeof w->text - w->length;
    const int wanted = snprintf(w->text + w->length, (size_t)room, "%s%s", pick(w, 6) ? "" : " ", piece);
    w->length += wanted < room ? wanted : room - 1;
}

/* Value and derivatives of an expression, computed while it is written. */
typedef struct worth {
    double value;
    bool constant;
    bool faulty; /* some constant part is not finite, or something is divided by a constant zero */
} worth;

/* The levels of the grammar; an operator of a lower level than required is put in parentheses. */
typedef enum level { SUM, PRODUCT, SIGNED, POWER, PRIMARY } level;

static worth write_random(writer *w, level wanted, int depth, double t);

static worth finished(double value, worth a, worth b)
{
    const bool constant = a.constant && b.constant;
    return (worth){value, constant, a.faulty || b.faulty || (constant && !isfinite(value))};
}

static worth write_leaf(writer *w, double t)
{
    char number[40];
    switch (pick(w, 6)) {
    case 0: put(w, "pi"); return (worth){PI, true, false};
    case 1: put(w, "r"); return (worth){0.25, true, false};
    case 2: put(w, "_x2"); return (worth){-3, true, false};
    case 3:
        snprintf(number, sizeof number, "%.3f", trm_random_uniform(&w->random, 0, 3));
        put(w, number);
        return (worth){strtod(number, NULL), true, false};
    default: put(w, "t"); return (worth){t, false, false};
    }
}

static worth write_infix(writer *w, char symbol, int depth, double t)
{
    const bool sum = symbol == '+' || symbol == '-';
    const worth a = write_random(w, symbol == '^' ? PRIMARY : sum ? SUM : PRODUCT, depth, t);
    put(w, (const char[]){symbol, 0});
    const worth b = write_random(w, sum ? PRODUCT : SIGNED, depth, t);
    switch (symbol) {
    case '+': return finished(a.value + b.value, a, b);
    case '-': return finished(a.value - b.value, a, b);
    case '*': return finished(a.value * b.value, a, b);
    case '^': return finished(trm_pow(a.value, b.value), a, b);
    default: break;
    }
    worth quotient = finished(a.value / b.value, a, b);
    if (b.constant && b.value == 0) quotient.faulty = true;
    return quotient;
}

static double nan_or_min(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : fmin(a, b);
}

static double nan_or_max(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

static worth write_call(writer *w, int depth, double t)
{
    static const struct {
        const char *name;
        double (*one)(double);
        double (*two)(double, double);
    } calls[] = {
        {"sqrt", sqrt, NULL},     {"sin", trm_sin, NULL},     {"cos", trm_cos, NULL},    {"tan", trm_tan, NULL},
        {"asin", trm_asin, NULL}, {"acos", trm_acos, NULL},   {"exp", trm_exp, NULL},    {"log", trm_log, NULL},
        {"abs", fabs, NULL},      {"atan2", NULL, trm_atan2}, {"min", NULL, nan_or_min}, {"max", NULL, nan_or_max},
    };
    const int i = pick(w, COUNT(calls));
    put(w, calls[i].name), put(w, "(");
    const worth a = write_random(w, SUM, depth, t);
    if (calls[i].one) {
        put(w, ")");
        return finished(calls[i].one(a.value), a, a);
    }
    put(w, ",");
    const worth b = write_random(w, SUM, depth, t);
    put(w, ")");
    return finished(calls[i].two(a.value, b.value), a, b);
}

static worth write_random(writer *w, level wanted, int depth, double t)
{
    const int choice = depth == 0 ? 0 : pick(w, 10);
    if (choice < 2) return write_leaf(w, t);
    if (choice < 4) return write_call(w, depth - 1, t);

    static const char symbols[] = "+-*/^~";
    static const level levels[] = {SUM, SUM, PRODUCT, PRODUCT, POWER, SIGNED};
    const int i = choice - 4;
    const bool parentheses = levels[i] < wanted || pick(w, 8) == 0;
    if (parentheses) put(w, "(");
    worth result;
    if (symbols[i] == '~') {
        put(w, "-");
        const worth a = write_random(w, SIGNED, depth - 1, t);
        result = finished(-a.value, a, a);
    } else {
        result = write_infix(w, symbols[i], depth - 1, t);
    }
    if (parentheses) put(w, ")");
    return result;
}

static void random_expressions_have_the_value_they_were_written_with(void **state)
{
    (void)state;
    enum { TRIES = 50000, DEPTH = 5 };
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    static writer w;
    w.random = trm_random_seed(11);
    int compiled = 0, refused = 0;
    for (int i = 0; i < TRIES; i++) {
        const trm_arena_mark mark = trm_arena_get_mark(&arena);
        w.length = 0;
        const double t = trm_random_uniform(&w.random, -2, 2);
        const worth expected = write_random(&w, SUM, DEPTH, t);
        trm_expression_error error;
        const trm_expression *e = trm_expression_compile(&arena, w.text, constants, CONSTANT_COUNT, true, &error);
        if (!e != expected.faulty) fail_msg("\"%s\": %s", w.text, e ? "a fault was not found" : error.text);
        e ? compiled++ : refused++;
        const double seen = e ? trm_expression_at_inputs(e, t, NULL).v : 0;
        if (e && !(seen == expected.value || (isnan(seen) && isnan(expected.value))))
            fail_msg("\"%s\" at %.17g: %.17g, expected %.17g", w.text, t, seen, expected.value);
        if (e) assert_true(trm_expression_is_constant(e) == expected.constant);
        trm_arena_reset(&arena, mark);
    }
    assert_true(compiled > TRIES / 2 && refused > TRIES / 100); /* both outcomes were frequent */
    trm_arena_destroy(&arena);
}

/* Smooth functions of A and B, defined for all their values, that together use every function: name, text,
 * formula. */
#define SMOOTH_PIECES(PIECE)                                                                                         \
    PIECE(sum, "(A+B)", a + b)                                                                                       \
    PIECE(difference, "(A-B)", a - b)                                                                                \
    PIECE(product, "A*B", a *b)                                                                                      \
    PIECE(quotient, "A/(2+cos(B))", a / (2 + cosl(b)))                                                               \
    PIECE(negative, "(-A)", -a)                                                                                      \
    PIECE(root, "sqrt(1+(A)^2)", sqrtl(1 + a * a))                                                                   \
    PIECE(sine, "sin(A)", sinl(a))                                                                                   \
    PIECE(cosine, "cos(A)", cosl(a))                                                                                 \
    PIECE(tangent, "tan(sin(A))", tanl(sinl(a)))                                                                     \
    PIECE(arcsine, "asin(0.75*sin(A))", asinl(0.75L * sinl(a)))                                                      \
    PIECE(arccosine, "acos(0.75*sin(A))", acosl(0.75L * sinl(a)))                                                    \
    PIECE(angle, "atan2(A, 3+sin(B))", atan2l(a, 3 + sinl(b)))                                                       \
    PIECE(exponential, "exp(sin(A))", expl(sinl(a)))                                                                 \
    PIECE(logarithm, "log(2+cos(A))", logl(2 + cosl(a)))                                                             \
    PIECE(magnitude, "abs(-2+sin(A))", fabsl(-2 + sinl(a)))                                                          \
    PIECE(least, "min(A, 1e9)", a)                                                                                   \
    PIECE(most, "max(A, -1e9)", a)                                                                                   \
    PIECE(cube, "(A)^3", a *a *a)                                                                                    \
    PIECE(inverse, "(2+sin(A))^-1.5", powl(2 + sinl(a), -1.5L))                                                      \
    PIECE(power, "(2+cos(A))^sin(B)", powl(2 + cosl(a), sinl(b)))

#define DEFINE_PIECE(name, text, formula)                                                                            \
    static long double smooth_##name(long double a, long double b)                                                   \
    {                                                                                                                \
        (void)b;                                                                                                     \
        return formula;                                                                                              \
    }
SMOOTH_PIECES(DEFINE_PIECE)

#define LIST_PIECE(name, text, formula) {text, smooth_##name},

static const struct smooth_piece {
    const char *text;
    long double (*formula)(long double a, long double b);
} smooth_pieces[] = {SMOOTH_PIECES(LIST_PIECE)};

/* The five points t - 2h, t - h, t, t + h, t + 2h of central differences of order four. */
typedef struct stencil {
    long double f[5];
} stencil;

static stencil write_smooth(writer *w, int depth, stencil t)
{
    if (depth == 0) {
        put(w, "t");
        return t;
    }
    const struct smooth_piece *piece = &smooth_pieces[pick(w, COUNT(smooth_pieces))];
    stencil a = t, b = t;
    for (const char *c = piece->text; *c; c++) {
        if (*c == 'A')
            a = write_smooth(w, depth - 1, t);
        else if (*c == 'B')
            b = write_smooth(w, depth - 1, t);
        else
            w->text[w->length++] = *c;
    }
    stencil result;
    for (int i = 0; i < 5; i++) result.f[i] = piece->formula(a.f[i], b.f[i]);
    return result;
}

/* With h = 1e-3 differences have a truncation error of h^4 f^(6) / 90 and a rounding error of 1e-19 |f| / h^2; higher
 * derivatives of the written expressions are up to some thousand times f and its first two. */
static const double difference_step = 1e-3;
static const double difference_tolerance = 1e-7;

static void check_against_differences(const char *text, trm_jet jet, stencil s)
{
    const double h = difference_step;
    const double d = (double)(s.f[0] - 8 * s.f[1] + 8 * s.f[3] - s.f[4]) / (12 * h);
    const double dd = (double)(-s.f[0] + 16 * s.f[1] - 30 * s.f[2] + 16 * s.f[3] - s.f[4]) / (12 * h * h);
    const double tolerance = difference_tolerance * (1 + fabs(jet.v) + fabs(d) + fabs(dd));
    if (fabs(jet.d - d) <= tolerance && fabs(jet.dd - dd) <= tolerance) return;
    fail_msg("\"%s\": (%.10g, %.10g, %.10g), differences give %.10g, %.10g", text, jet.v, jet.d, jet.dd, d, dd);
}

static void derivatives_of_random_expressions_match_differences(void **state)
{
    (void)state;
    enum { TRIES = 5000, DEPTH = 3 };
    static writer w;
    w.random = trm_random_seed(12);
    for (int i = 0; i < TRIES; i++) {
        memset(w.text, 0, sizeof w.text);
        w.length = 0;
        const double t = trm_random_uniform(&w.random, -1, 1), h = difference_step;
        const stencil points = {{t - 2.0L * h, (long double)t - h, t, (long double)t + h, t + 2.0L * h}};
        const stencil s = write_smooth(&w, 1 + pick(&w, DEPTH), points);
        check_against_differences(w.text, jet_of(w.text, t), s);
    }
}

/* ---- Errors ------------------------------------------------------------------------------- */

static void assert_refused(const char *text, bool allow_t, int at, const char *says)
{
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    trm_expression_error error;
    if (trm_expression_compile(&arena, text, constants, CONSTANT_COUNT, allow_t, &error))
        fail_msg("\"%s\" should be refused", text);
    if (error.at != at || !strstr(error.text, says))
        fail_msg("\"%s\": at %d \"%s\", expected at %d \"%s\"", text, error.at, error.text, at, says);
    assert_true(arena.bytes_used == 0);
    trm_arena_destroy(&arena);
}

static void bad_syntax_is_refused_at_its_place(void **state)
{
    (void)state;
    assert_refused("", true, 0, "empty");
    assert_refused(" \t ", true, 0, "empty");
    assert_refused("1+", true, 2, "ends where a number");
    assert_refused("1 + *2", true, 4, "missing before '*'");
    assert_refused("2**3", true, 2, "a power is written ^");
    assert_refused("*2", true, 0, "missing before '*'");
    assert_refused("2^", true, 2, "ends where");
    assert_refused("-", true, 1, "ends where");
    assert_refused("()", true, 1, "missing before ')'");
    assert_refused("(1+2", true, 0, "never closed");
    assert_refused("3*(1+(2)", true, 2, "never closed");
    assert_refused("sin(1", true, 3, "never closed");
    assert_refused("sin(", true, 4, "ends where");
    assert_refused("1+2)", true, 3, "has no '('");
    assert_refused(")", true, 0, "missing before ')'");
    assert_refused("1 2", true, 2, "operator is missing");
    assert_refused("2t", true, 1, "product is written with *");
    assert_refused("2(3)", true, 1, "operator is missing");
    assert_refused("(2)(3)", true, 3, "operator is missing");
    assert_refused("(1 2)", true, 3, "operator is missing");
    assert_refused("1.2.3", true, 3, "operator is missing");
    assert_refused("1e", true, 1, "operator is missing before 'e'");
    assert_refused("0x10", true, 1, "operator is missing before 'x'");
    assert_refused("1,5", true, 1, "decimals take a point");
    assert_refused("(1,5)", true, 2, "comma stands only between");
    assert_refused(".", true, 0, "point without digits");
    assert_refused("1+.e3", true, 2, "point without digits");
    assert_refused("1 # 2", true, 2, "'#' is not a symbol");
    assert_refused("$", true, 0, "'$' is not a symbol");
    assert_refused("2\xc3\x97t", true, 1, "byte 0xC3");
}

static void unknown_names_are_refused_with_the_nearest_known(void **state)
{
    (void)state;
    assert_refused("2*lenght_1", true, 2, "unknown name 'lenght_1'; did you mean 'length_1'?");
    assert_refused("Pi", true, 0, "did you mean 'pi'?");
    assert_refused("tt", true, 0, "did you mean 't'?");
    assert_refused("zzzzzz", true, 0, "known are pi, deg, t, the functions");
    assert_refused("zzzzzz", false, 0, "known are pi, deg, the functions");
    assert_refused("1+sinn(2)", true, 2, "unknown function 'sinn'; did you mean 'sin'?");
    assert_refused("qwxyzk(2)", true, 0, "unknown function 'qwxyzk'; there are sqrt");
    assert_refused("r(2)", true, 0, "'r' is not a function");
    assert_refused("t (2)", true, 0, "'t' is not a function");
    assert_refused("sin t", true, 0, "needs its argument in parentheses: sin(x)");
    assert_refused("1+t", false, 2, "time t is not allowed");
    assert_refused("1+broken", true, 2, "constant 'broken' is not a finite number");
}

static void a_long_name_is_refused_within_the_message(void **state)
{
    (void)state;
    char name[3000];
    memset(name, 'q', sizeof name - 1);
    name[sizeof name - 1] = 0;
    assert_refused(name, true, 0, "unknown name 'qqqq");
}

static void wrong_numbers_of_arguments_are_refused(void **state)
{
    (void)state;
    assert_refused("1+sin()", true, 2, "sin has too few arguments; write sin(x)");
    assert_refused("sin(1,2)", true, 0, "sin has too many arguments; write sin(x)");
    assert_refused("atan2(t)", true, 0, "too few arguments; write atan2(y, x)");
    assert_refused("atan2(1,2,3)", true, 0, "too many arguments; write atan2(y, x)");
    assert_refused("min(1)", true, 0, "too few arguments; write min(a, b, ...)");
    assert_refused("max()", true, 0, "too few arguments");
    assert_refused("max(1,)", true, 6, "missing before ')'");
    assert_refused("max(,1)", true, 4, "missing before ','");
}

static void faulty_constant_parts_are_refused_even_next_to_t(void **state)
{
    (void)state;
    assert_refused("1/0", false, 1, "division by zero");
    assert_refused("1/0*t", true, 1, "division by zero");
    assert_refused("t/0", true, 1, "division by zero");
    assert_refused("t + 3/(2-2)", true, 5, "division by zero");
    assert_refused("2*sqrt(-4)", true, 2, "sqrt of -4");
    assert_refused("log(-2.5)", true, 0, "log of -2.5");
    assert_refused("log(0)", true, 0, "log of 0: its argument must be positive");
    assert_refused("t*asin(1.5)", true, 2, "asin of 1.5: its argument must lie between -1 and 1");
    assert_refused("acos(-2)", true, 0, "acos of -2");
    assert_refused("acos(1.0000001)", true, 0, "acos of 1.0000001: its argument must lie");
    assert_refused("1e200*1e200", true, 5, "1e200 * 1e200 overflows");
    assert_refused("1e308+1e308", true, 5, "+ 1e308 overflows");
    assert_refused("-1e308-1e308", true, 6, "- 1e308 overflows");
    assert_refused("1e300/1e-300", true, 5, "/ 1e-300 overflows");
    assert_refused("exp(1000)", true, 0, "exp of 1000 overflows");
    assert_refused("10^400", true, 2, "10 ^ 400 overflows");
    assert_refused("0^-1", true, 1, "0 to the power -1 divides by zero");
    assert_refused("(-1)^0.5", true, 4, "-1 to the power 0.5 is not a real number");
    assert_refused("1+1e999", true, 2, "1e999 overflows");
}

static void constants_are_refused_as_expressions_are(void **state)
{
    (void)state;
    trm_expression_error error;
    double value = 5;
    assert_false(trm_evaluate_constant("2*t", NULL, 0, &value, &error));
    assert_int_equal(error.at, 2);
    assert_non_null(strstr(error.text, "time t is not allowed"));
    assert_false(trm_evaluate_constant("1/0", NULL, 0, &value, &error));
    assert_int_equal(error.at, 1);
    assert_true(value == 5);
}

/* ---- Limits ------------------------------------------------------------------------------- */

/* Returns head, then count times unit, then tail. */
static char *repeated(const char *head, const char *unit, int count, const char *tail)
{
    const size_t before = strlen(head), step = strlen(unit), after = strlen(tail);
    char *text = malloc(before + (size_t)count * step + after + 1);
    if (!text) abort();
    memcpy(text, head, before);
    char *end = text + before;
    for (int i = 0; i < count; i++, end += step) memcpy(end, unit, step);
    memcpy(end, tail, after + 1);
    return text;
}

static void assert_repeated_refused(const char *unit, int count, const char *says)
{
    char *text = repeated("", unit, count, "1");
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    trm_expression_error error;
    assert_null(trm_expression_compile(&arena, text, NULL, 0, true, &error));
    if (!strstr(error.text, says)) fail_msg("%s...: \"%s\", expected \"%s\"", unit, error.text, says);
    trm_arena_destroy(&arena);
    free(text);
}

static void too_deep_and_too_long_texts_are_refused(void **state)
{
    (void)state;
    assert_repeated_refused("(", 1000000, "longer than 65535");
    assert_repeated_refused("(", 60000, "nested too deeply");
    assert_repeated_refused("sin(", 10000, "nested too deeply");
    assert_repeated_refused("2^", 20000, "nested too deeply");
    assert_repeated_refused("2^-", 20000, "nested too deeply");
    assert_repeated_refused("min(1,", 10000, "nested too deeply");
    assert_repeated_refused("t+t*t^(", 5000, "unfinished operations");
    assert_repeated_refused("t+", 20000, "more than 2048 operations");
    assert_repeated_refused("9", 60000, "more than 400 digits");
}

static void long_texts_within_the_limits_are_accepted(void **state)
{
    (void)state;
    char *sum = repeated("0", "+1", 30000, "");
    assert_value(sum, 30000);
    free(sum);
    char *signs = repeated("", "-", 60000, "1");
    assert_value(signs, 1);
    free(signs);
    char *deep = repeated("", "(", TRM_EXPRESSION_DEEPEST, "1");
    char *closed = repeated(deep, ")", TRM_EXPRESSION_DEEPEST, "");
    assert_value(closed, 1);
    free(deep), free(closed);
    char *terms = repeated("t", "+t", 1000, "");
    assert_jet(terms, 2, 2002, 1001, 0);
    free(terms);
    char *digits = repeated("0.", "3", 300, "");
    assert_value(digits, 1.0 / 3);
    free(digits);
}

/* ---- Robustness --------------------------------------------------------------------------- */

static void a_failing_allocator_is_reported_and_leaves_nothing(void **state)
{
    (void)state;
    failing_allocator memory;
    const trm_expression *e = NULL;
    int k = 0;
    do {
        failing_allocator_reset(&memory, ++k, false);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        trm_arena arena;
        trm_arena_init(&arena, &hooks);
        trm_expression_error error;
        e = trm_expression_compile(&arena, "sin(t)+r", constants, CONSTANT_COUNT, true, &error);
        if (!e) assert_string_equal(error.text, "out of memory");
        trm_arena_destroy(&arena);
        assert_true(failing_allocator_is_clean(&memory));
    } while (!e);
    assert_true(k > 1);
}

/* Asserts that any text gives either a program that evaluates or an error whose place is inside the text. */
static void check_any_text(trm_arena *arena, const char *text, bool allow_t)
{
    const trm_arena_mark mark = trm_arena_get_mark(arena);
    trm_expression_error error;
    const trm_expression *e = trm_expression_compile(arena, text, constants, CONSTANT_COUNT, allow_t, &error);
    if (e) {
        const double jet_value = trm_expression_at_inputs(e, 0.3, NULL).v,
                     value = trm_expression_value_at(e, 0.3, NULL);
        assert_true(value == jet_value || (isnan(value) && isnan(jet_value)));
        if (trm_expression_is_constant(e)) assert_true(isfinite(value));
    } else {
        assert_in_range(error.at, 0, strlen(text));
        assert_true(error.text[0] != 0);
    }
    trm_arena_reset(arena, mark);
}

static void random_texts_compile_or_are_refused(void **state)
{
    (void)state;
    static const char alphabet[] = "0123456789.eE+-*/^(), \tptidegr_sqnx\xc3#";
    static const char *const tokens[] = {"1",   "0",  ".5",    "1e308",  "t",   "pi",    "r",      "+",    "-",
                                         "*",   "/",  "^",     "(",      ")",   ",",     "sin(",   "min(", "log(",
                                         "-1)", "t)", "sqrt(", "atan2(", "deg", "acos(", "broken", " "};
    trm_random random = trm_random_seed(13);
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    for (int i = 0; i < 200000; i++) {
        char text[400] = "";
        const int length = (int)(trm_random_bits(&random) % 40);
        for (int k = 0; k < length; k++) {
            const uint64_t bits = trm_random_bits(&random) >> 8;
            if (i % 2)
                strcat(text, tokens[bits % (uint64_t)COUNT(tokens)]);
            else
                text[k] = alphabet[bits % (sizeof alphabet - 1)];
        }
        check_any_text(&arena, text, i % 4 < 2);
    }
    trm_arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_in_every_decimal_form),
        cmocka_unit_test(operators_bind_as_in_mathematics),
        cmocka_unit_test(space_is_ignored_between_symbols),
        cmocka_unit_test(names_have_their_values),
        cmocka_unit_test(functions_agree_with_the_c_library),
        cmocka_unit_test(reserved_names_are_those_with_a_meaning),
        cmocka_unit_test(only_an_expression_without_t_is_constant),
        cmocka_unit_test(the_program_does_not_need_its_text_afterwards),
        cmocka_unit_test(derivatives_match_closed_forms),
        cmocka_unit_test(whole_powers_are_right_for_every_base),
        cmocka_unit_test(kinks_have_the_derivative_of_the_branch_taken),
        cmocka_unit_test(at_a_kink_the_derivative_is_the_one_to_the_right),
        cmocka_unit_test(singular_points_give_infinity_or_nan_and_still_ones_do_not),
        cmocka_unit_test(the_polar_angle_neither_overflows_nor_underflows),
        cmocka_unit_test(random_expressions_have_the_value_they_were_written_with),
        cmocka_unit_test(derivatives_of_random_expressions_match_differences),
        cmocka_unit_test(bad_syntax_is_refused_at_its_place),
        cmocka_unit_test(unknown_names_are_refused_with_the_nearest_known),
        cmocka_unit_test(a_long_name_is_refused_within_the_message),
        cmocka_unit_test(wrong_numbers_of_arguments_are_refused),
        cmocka_unit_test(faulty_constant_parts_are_refused_even_next_to_t),
        cmocka_unit_test(constants_are_refused_as_expressions_are),
        cmocka_unit_test(too_deep_and_too_long_texts_are_refused),
        cmocka_unit_test(long_texts_within_the_limits_are_accepted),
        cmocka_unit_test(a_failing_allocator_is_reported_and_leaves_nothing),
        cmocka_unit_test(random_texts_compile_or_are_refused),
    };
    return RUN_TESTS(tests);
}
