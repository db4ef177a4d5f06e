/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Evaluates the code of an expression: value, or jet (v, d, dd) = (f, f', f'') at t.
 *
 * Jets pass through the code like values (forward-mode differentiation; Griewank, Walther, Evaluating Derivatives,
 * 2008, ch. 13). For g(t) inside f, and for products and quotients:
 *
 *   (f o g)'  = f'(g) g'                  (a b)'  = a' b + a b'                 q = a / b:
 *   (f o g)'' = f''(g) g'^2 + f'(g) g''   (a b)'' = a'' b + 2 a' b' + a b''     q'  = (a' - q b') / b
 *                                                                               q'' = (a'' - 2 q' b' - q b'') / b
 *
 * Transitions, with s = (x - x0) / (x1 - x0) clamped to 0 .. 1:
 *
 *   ramp = s        smooth = s^3 (10 - 15 s + 6 s^2), whose first two derivatives vanish at both ends
 *
 * Functions that jump (sign, floor, step, comparisons) have derivatives 0. */

#include <math.h>

#include "base/expression_code.h"
#include "trammel/elementary.h"

/* ---- Values ------------------------------------------------------------------------------- */

static double unary_value(trm_op o, double a)
{
    switch (o) {
    case OP_NEGATE: return -a;
    case OP_SQRT: return sqrt(a);
    case OP_SIN: return trm_sin(a);
    case OP_COS: return trm_cos(a);
    case OP_TAN: return trm_tan(a);
    case OP_ASIN: return trm_asin(a);
    case OP_ACOS: return trm_acos(a);
    case OP_ATAN: return trm_atan(a);
    case OP_SINH: return trm_sinh(a);
    case OP_COSH: return trm_cosh(a);
    case OP_TANH: return trm_tanh(a);
    case OP_EXP: return trm_exp(a);
    case OP_LOG: return trm_log(a);
    case OP_ABS: return fabs(a);
    case OP_SIGN: return isnan(a) ? a : (a > 0) - (a < 0);
    case OP_FLOOR: return floor(a);
    case OP_CEIL: return ceil(a);
    case OP_NOT: return isnan(a) ? a : a == 0;
    default: return NAN;
    }
}

/* Returns a - b floor(a / b), without the rounding of a / b: it has the sign of b and is smaller in magnitude. */
static double modulo(double a, double b)
{
    const double r = fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/* Returns 1 or 0, or NaN if an operand is NaN. */
static double truth_of(trm_op o, double a, double b)
{
    if (isnan(a) || isnan(b)) return NAN;
    switch (o) {
    case OP_STEP:
    case OP_AT_LEAST: return a >= b;
    case OP_LESS: return a < b;
    case OP_GREATER: return a > b;
    case OP_AT_MOST: return a <= b;
    case OP_EQUAL: return a == b;
    case OP_DIFFERENT: return a != b;
    case OP_AND: return a != 0 && b != 0;
    case OP_OR: return a != 0 || b != 0;
    default: return NAN;
    }
}

/* min and max return NaN if an operand is NaN, like all others. */
static double binary_value(trm_op o, double a, double b)
{
    switch (o) {
    case OP_ADD: return a + b;
    case OP_SUBTRACT: return a - b;
    case OP_MULTIPLY: return a * b;
    case OP_DIVIDE: return a / b;
    case OP_POWER: return trm_pow(a, b);
    case OP_ATAN2: return trm_atan2(a, b);
    case OP_MIN: return isnan(a) || a < b ? a : b;
    case OP_MAX: return isnan(a) || a > b ? a : b;
    case OP_MOD: return modulo(a, b);
    default: return truth_of(o, a, b);
    }
}

/* Returns s, the fraction of the way of x from x0 to x1, clamped to 0 .. 1. */
static double transition(trm_op o, double x, double x0, double x1)
{
    const double s = (x - x0) / (x1 - x0);
    const double held = s <= 0 ? 0 : s >= 1 ? 1 : s;
    return o == OP_RAMP ? held : held * held * held * (10 + held * (6 * held - 15));
}

double trm_operation_value(trm_op o, const double *operands)
{
    const double a = operands[0];
    switch (trm_operands_of(o)) {
    case 1: return unary_value(o, a);
    case 2: return binary_value(o, a, operands[1]);
    default: break;
    }
    if (o != OP_IF) return transition(o, a, operands[1], operands[2]);
    return isnan(a) ? a : operands[a != 0 ? 1 : 2];
}

static double operand_value(const trm_instruction *now, double t, const double *inputs)
{
    if (now->op == OP_T) return t;
    return now->op == OP_INPUT && inputs ? inputs[now->input] : now->value;
}

double trm_expression_value_at(const trm_expression *expression, double t, const double *inputs)
{
    double stack[TRM_EXPRESSION_DEEPEST] = {0};
    int depth = 0;
    for (int i = 0; i < expression->count; i++) {
        const trm_instruction *now = &expression->code[i];
        const int operands = trm_operands_of(now->op);
        depth -= operands;
        stack[depth] = operands == 0 ? operand_value(now, t, inputs) : trm_operation_value(now->op, &stack[depth]);
        depth++;
    }
    return stack[0];
}

/* ---- Jets --------------------------------------------------------------------------------- */

static bool stands_still(trm_jet a)
{
    return a.d == 0 && a.dd == 0;
}

static trm_jet negated(trm_jet a)
{
    return (trm_jet){-a.v, -a.d, -a.dd};
}

/* Returns f(g) with f = f(g.v), f1 = f'(g.v), f2 = f''(g.v). f1 and f2 may be infinite. Where g is constant, f is
 * constant, too (sqrt(max(0, t - 1)) before t = 1). Where g'' is zero, it adds nothing (sqrt(t) at 0 is (0, inf,
 * -inf)). */
static trm_jet chain(trm_jet g, double f, double f1, double f2)
{
    if (stands_still(g)) return (trm_jet){f, 0, 0};
    return (trm_jet){f, f1 * g.d, f2 * g.d * g.d + (g.dd == 0 ? 0 : f1 * g.dd)};
}

/* Returns whether a is smaller than b now, or immediately to the right of now. */
static bool is_below(trm_jet a, trm_jet b)
{
    if (a.v != b.v) return a.v < b.v;
    if (a.d != b.d) return a.d < b.d;
    return a.dd < b.dd;
}

/* Returns a jet with zero derivatives, for functions with jumps; NaN has NaN derivatives. */
static trm_jet constant_jet(double f)
{
    return isnan(f) ? (trm_jet){f, f, f} : (trm_jet){f, 0, 0};
}

static trm_jet unary_jet(trm_op o, trm_jet g)
{
    const double f = unary_value(o, g.v), x = g.v;
    switch (o) {
    case OP_NEGATE: return negated(g);
    case OP_SQRT: return chain(g, f, 0.5 / f, -0.25 / (f * x));
    case OP_SIN: return chain(g, f, trm_cos(x), -f);
    case OP_COS: return chain(g, f, -trm_sin(x), -f);
    case OP_TAN: return chain(g, f, 1 + f * f, 2 * f * (1 + f * f));
    case OP_ASIN:
    case OP_ACOS: {
        const double f1 = (o == OP_ASIN ? 1 : -1) / sqrt((1 - x) * (1 + x));
        return chain(g, f, f1, x * f1 * f1 * f1);
    }
    case OP_ATAN: return chain(g, f, 1 / (1 + x * x), -2 * x / ((1 + x * x) * (1 + x * x)));
    case OP_SINH: return chain(g, f, trm_cosh(x), f);
    case OP_COSH: return chain(g, f, trm_sinh(x), f);
    case OP_TANH: return chain(g, f, (1 - f) * (1 + f), -2 * f * (1 - f) * (1 + f));
    case OP_EXP: return chain(g, f, f, f);
    case OP_LOG: return chain(g, f, 1 / x, -1 / (x * x));
    case OP_ABS: return is_below(g, (trm_jet){0}) ? (trm_jet){f, -g.d, -g.dd} : (trm_jet){f, g.d, g.dd};
    default: return constant_jet(f);
    }
}

static trm_jet product(trm_jet a, trm_jet b)
{
    return (trm_jet){a.v * b.v, a.d * b.v + a.v * b.d, a.dd * b.v + 2 * a.d * b.d + a.v * b.dd};
}

static trm_jet quotient(trm_jet a, trm_jet b)
{
    const double q = a.v / b.v;
    const double q1 = (a.d - q * b.d) / b.v;
    return (trm_jet){q, q1, (a.dd - 2 * q1 * b.d - q * b.dd) / b.v};
}

/* Returns x^y. A constant exponent n gives the derivatives n x^(n-1) and n (n-1) x^(n-2), which hold for every sign
 * of x if n is an integer. A varying exponent is computed by x^y = exp(y log x). */
static trm_jet power(trm_jet x, trm_jet y)
{
    const double f = trm_pow(x.v, y.v), n = y.v;
    if (!stands_still(y)) return chain(product(y, unary_jet(OP_LOG, x)), f, f, f);
    const double f1 = n == 0 ? 0 : n * trm_pow(x.v, n - 1);
    const double f2 = n == 0 || n == 1 ? 0 : n * (n - 1) * trm_pow(x.v, n - 2);
    return chain(x, f, f1, f2);
}

/* Returns theta = atan2(y, x), with theta' = (x y' - y x') / r^2 divided by r twice, so that r^2 does not
 * overflow. */
static trm_jet polar_angle(trm_jet y, trm_jet x)
{
    const double theta = trm_atan2(y.v, x.v), r = trm_hypot(x.v, y.v);
    if (stands_still(x) && stands_still(y)) return (trm_jet){theta, 0, 0};
    const double c = x.v / r, s = y.v / r;
    const double r1 = c * x.d + s * y.d; /* r' */
    const double theta1 = (c * y.d - s * x.d) / r;
    return (trm_jet){theta, theta1, (c * y.dd - s * x.dd - 2 * theta1 * r1) / r};
}

static trm_jet chosen(double value, trm_jet branch)
{
    return (trm_jet){value, branch.d, branch.dd};
}

static trm_jet binary_jet(trm_op o, trm_jet a, trm_jet b)
{
    const double f = binary_value(o, a.v, b.v);
    switch (o) {
    case OP_ADD: return (trm_jet){f, a.d + b.d, a.dd + b.dd};
    case OP_SUBTRACT: return (trm_jet){f, a.d - b.d, a.dd - b.dd};
    case OP_MULTIPLY: return product(a, b);
    case OP_DIVIDE: return quotient(a, b);
    case OP_POWER: return power(a, b);
    case OP_ATAN2: return polar_angle(a, b);
    case OP_MIN: return chosen(f, isnan(a.v) || is_below(a, b) ? a : b);
    case OP_MAX: return chosen(f, isnan(a.v) || is_below(b, a) ? a : b);
    case OP_MOD: {
        const double turns = b.d == 0 && b.dd == 0 ? 0 : rint((a.v - f) / b.v);
        return (trm_jet){f, a.d - turns * b.d, a.dd - turns * b.dd};
    }
    default: return constant_jet(f);
    }
}

static trm_jet transition_jet(trm_op o, trm_jet x, trm_jet x0, trm_jet x1)
{
    const double f = transition(o, x.v, x0.v, x1.v);
    const trm_jet above = {x.v - x0.v, x.d - x0.d, x.dd - x0.dd}, span = {x1.v - x0.v, x1.d - x0.d, x1.dd - x0.dd};
    const trm_jet s = quotient(above, span);
    if (isnan(f) || is_below(s, (trm_jet){0}) || !is_below(s, (trm_jet){1, 0, 0})) return constant_jet(f);
    if (o == OP_RAMP) return chosen(f, s);
    const double rest = 1 - s.v;
    return chain(s, f, 30 * s.v * s.v * rest * rest, 60 * s.v * rest * (1 - 2 * s.v));
}

static trm_jet operation_jet(trm_op o, const trm_jet *operands)
{
    const trm_jet a = operands[0];
    switch (trm_operands_of(o)) {
    case 1: return unary_jet(o, a);
    case 2: return binary_jet(o, a, operands[1]);
    default: break;
    }
    if (o != OP_IF) return transition_jet(o, a, operands[1], operands[2]);
    return isnan(a.v) ? constant_jet(a.v) : operands[a.v != 0 ? 1 : 2];
}

static trm_jet operand_at(const trm_instruction *now, double t, const double *inputs)
{
    if (now->op == OP_T) return (trm_jet){t, 1, 0};
    return (trm_jet){now->op == OP_INPUT && inputs ? inputs[now->input] : now->value, 0, 0};
}

trm_jet trm_expression_at_inputs(const trm_expression *expression, double t, const double *inputs)
{
    trm_jet stack[TRM_EXPRESSION_DEEPEST];
    stack[0] = (trm_jet){0};
    int depth = 0;
    for (int i = 0; i < expression->count; i++) {
        const trm_instruction *now = &expression->code[i];
        const int operands = trm_operands_of(now->op);
        depth -= operands;
        stack[depth] = operands == 0 ? operand_at(now, t, inputs) : operation_jet(now->op, &stack[depth]);
        depth++;
    }
    return stack[0];
}

bool trm_expression_is_constant(const trm_expression *expression)
{
    return !expression->has_t;
}
