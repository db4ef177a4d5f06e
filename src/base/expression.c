/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Expressions: text -> postfix program -> value, or jet (v, d, dd) = (f, f', f'') at t.
 *
 * Jets go through the program as values do (forward-mode differentiation; Griewank, Walther, Evaluating
 * Derivatives, 2008, ch. 13). For g(t) inside f, and for products and quotients:
 *
 *   (f o g)'  = f'(g) g'                  (a b)'  = a' b + a b'                 q = a / b:
 *   (f o g)'' = f''(g) g'^2 + f'(g) g''   (a b)'' = a'' b + 2 a' b' + a b''     q'  = (a' - q b') / b
 *                                                                               q'' = (a'' - 2 q' b' - q b'') / b
 *
 * The compiler is a recursive descent over the grammar in the header. It writes the program into a fixed buffer in
 * the caller's frame and copies it to the arena once it is finished. An operation on constants is carried out when it is
 * written; so in the program an operand that is constant is one OP_CONSTANT. */

#include "base/expression.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/number.h"
#include "trammel/elementary.h"

/* Operands, then operations on one operand, then those on two. */
typedef enum op {
    OP_CONSTANT,
    OP_T,
    OP_INPUT,
    OP_NEGATE,
    OP_SQRT,
    OP_SIN,
    OP_COS,
    OP_TAN,
    OP_ASIN,
    OP_ACOS,
    OP_EXP,
    OP_LOG,
    OP_ABS,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_POWER,
    OP_ATAN2,
    OP_MIN,
    OP_MAX,
} op;

typedef struct instruction {
    op op;
    int input;    /* of OP_INPUT: its number */
    double value; /* of OP_CONSTANT; of OP_INPUT before others are given */
} instruction;

struct trm_expression {
    bool has_t;
    int count;
    instruction code[];
};

typedef struct function {
    const char *name;
    op op;
    int arguments;
    bool or_more;
    const char *usage;
} function;

static const function functions[] = {
    {"sqrt", OP_SQRT, 1, false, "sqrt(x)"},       {"sin", OP_SIN, 1, false, "sin(x)"},
    {"cos", OP_COS, 1, false, "cos(x)"},          {"tan", OP_TAN, 1, false, "tan(x)"},
    {"asin", OP_ASIN, 1, false, "asin(x)"},       {"acos", OP_ACOS, 1, false, "acos(x)"},
    {"atan2", OP_ATAN2, 2, false, "atan2(y, x)"}, {"exp", OP_EXP, 1, false, "exp(x)"},
    {"log", OP_LOG, 1, false, "log(x)"},          {"abs", OP_ABS, 1, false, "abs(x)"},
    {"min", OP_MIN, 2, true, "min(a, b, ...)"},   {"max", OP_MAX, 2, true, "max(a, b, ...)"},
};

enum { FUNCTION_COUNT = sizeof functions / sizeof functions[0] };

static const trm_constant known_constants[] = {
    {"pi", 3.14159265358979323846},
    {"deg", 3.14159265358979323846 / 180},
};

enum { KNOWN_CONSTANT_COUNT = sizeof known_constants / sizeof known_constants[0] };

/* ---- Values ------------------------------------------------------------------------------- */

static bool is_operand(op o)
{
    return o <= OP_INPUT;
}

static bool is_binary(op o)
{
    return o >= OP_ADD;
}

static double unary_value(op o, double a)
{
    switch (o) {
    case OP_NEGATE: return -a;
    case OP_SQRT: return sqrt(a);
    case OP_SIN: return trm_sin(a);
    case OP_COS: return trm_cos(a);
    case OP_TAN: return trm_tan(a);
    case OP_ASIN: return trm_asin(a);
    case OP_ACOS: return trm_acos(a);
    case OP_EXP: return trm_exp(a);
    case OP_LOG: return trm_log(a);
    case OP_ABS: return fabs(a);
    default: return NAN;
    }
}

/* min and max pass a NaN on, as all the others do. */
static double binary_value(op o, double a, double b)
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
    default: return NAN;
    }
}

double trm_expression_value(const trm_expression *expression, double t)
{
    double stack[TRM_EXPRESSION_DEEPEST] = {0};
    int depth = 0;
    for (int i = 0; i < expression->count; i++) {
        const instruction *now = &expression->code[i];
        if (is_operand(now->op)) {
            stack[depth++] = now->op == OP_T ? t : now->value;
        } else if (is_binary(now->op)) {
            depth--;
            stack[depth - 1] = binary_value(now->op, stack[depth - 1], stack[depth]);
        } else {
            stack[depth - 1] = unary_value(now->op, stack[depth - 1]);
        }
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

/* f(g) with f = f(g.v), f1 = f'(g.v), f2 = f''(g.v). f1 and f2 may be infinite: where g stands still f does too
 * (sqrt(max(0, t - 1)) before t = 1), and a g'' that is zero adds nothing (sqrt(t) at 0 is (0, inf, -inf)). */
static trm_jet chain(trm_jet g, double f, double f1, double f2)
{
    if (stands_still(g)) return (trm_jet){f, 0, 0};
    return (trm_jet){f, f1 * g.d, f2 * g.d * g.d + (g.dd == 0 ? 0 : f1 * g.dd)};
}

/* Smaller now, or just to the right of now. */
static bool is_below(trm_jet a, trm_jet b)
{
    if (a.v != b.v) return a.v < b.v;
    if (a.d != b.d) return a.d < b.d;
    return a.dd < b.dd;
}

static trm_jet unary_jet(op o, trm_jet g)
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
    case OP_EXP: return chain(g, f, f, f);
    case OP_LOG: return chain(g, f, 1 / x, -1 / (x * x));
    case OP_ABS: return is_below(g, (trm_jet){0}) ? (trm_jet){f, -g.d, -g.dd} : (trm_jet){f, g.d, g.dd};
    default: return (trm_jet){f, f, f};
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

/* n x^(n-1) and n (n-1) x^(n-2) for an exponent that stands still, right for every sign of x where n is whole;
 * x^y = exp(y log x) for one that moves. */
static trm_jet power(trm_jet x, trm_jet y)
{
    const double f = trm_pow(x.v, y.v), n = y.v;
    if (!stands_still(y)) return chain(product(y, unary_jet(OP_LOG, x)), f, f, f);
    const double f1 = n == 0 ? 0 : n * trm_pow(x.v, n - 1);
    const double f2 = n == 0 || n == 1 ? 0 : n * (n - 1) * trm_pow(x.v, n - 2);
    return chain(x, f, f1, f2);
}

/* theta' = (x y' - y x') / r^2, divided by r twice so that r^2 does not overflow. */
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

static trm_jet binary_jet(op o, trm_jet a, trm_jet b)
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
    default: return (trm_jet){f, f, f};
    }
}

static trm_jet operand_at(const instruction *now, double t, const double *inputs)
{
    if (now->op == OP_T) return (trm_jet){t, 1, 0};
    return (trm_jet){now->op == OP_INPUT && inputs ? inputs[now->input] : now->value, 0, 0};
}

trm_jet trm_expression_at(const trm_expression *expression, double t)
{
    return trm_expression_at_inputs(expression, t, NULL);
}

trm_jet trm_expression_at_inputs(const trm_expression *expression, double t, const double *inputs)
{
    trm_jet stack[TRM_EXPRESSION_DEEPEST];
    stack[0] = (trm_jet){0};
    int depth = 0;
    for (int i = 0; i < expression->count; i++) {
        const instruction *now = &expression->code[i];
        if (is_operand(now->op)) {
            stack[depth++] = operand_at(now, t, inputs);
        } else if (is_binary(now->op)) {
            depth--;
            stack[depth - 1] = binary_jet(now->op, stack[depth - 1], stack[depth]);
        } else {
            stack[depth - 1] = unary_jet(now->op, stack[depth - 1]);
        }
    }
    return stack[0];
}

/* ---- The compiler's state and its errors -------------------------------------------------- */

typedef struct compiler {
    const char *text;
    int at; /* the next character */
    const trm_constant *constants;
    int constant_count;
    const trm_constant *inputs;
    int input_count;
    bool allow_t, has_t; /* has_t: t or an input occurs */
    int nesting;         /* of the descent */
    int depth;           /* operands waiting on the stack that the program will use */
    int count;
    instruction *code; /* room for TRM_EXPRESSION_LARGEST */
    trm_expression_error *error;
} compiler;

typedef struct shown_number {
    char text[TRM_NUMBER_TEXT];
} shown_number;

static shown_number show(double value)
{
    shown_number shown = {""};
    trm_format_number(shown.text, value);
    return shown;
}

/* A piece of the text; shown in messages by its first bytes. */
typedef struct word {
    const char *start;
    int length, at;
} word;

enum { SHOWN = 40 };

#define SHOW(word) ((word).length < SHOWN ? (word).length : SHOWN), (word).start

/* Fills the error; false, so that a caller can return it. */
static bool fail(const compiler *c, int at, const char *format, ...) TRM_PRINTF(3, 4);

static bool fail(const compiler *c, int at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    c->error->at = at;
    vsnprintf(c->error->text, sizeof c->error->text, format, arguments);
    va_end(arguments);
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool begins_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The next character that is not space; 0 at the end. */
static char peek(compiler *c)
{
    while (c->text[c->at] && strchr(" \t\r\n", c->text[c->at])) c->at++;
    return c->text[c->at];
}

static bool take(compiler *c, char wanted)
{
    if (peek(c) != wanted) return false;
    c->at++;
    return true;
}

static bool refuse_character(compiler *c)
{
    const unsigned char found = (unsigned char)peek(c);
    if (found < 0x20 || found > 0x7e)
        return fail(c, c->at, "byte 0x%02X is not a symbol of an expression; symbols are plain ASCII", found);
    return fail(c, c->at, "'%c' is not a symbol of an expression", found);
}

/* Something stands where an operand should. */
static bool refuse_missing_operand(compiler *c)
{
    const char found = peek(c);
    if (!found) return fail(c, c->at, "the expression ends where a number, a name or '(' should follow");
    if (found == '*' && c->at > 0 && c->text[c->at - 1] == '*')
        return fail(c, c->at, "a number, a name or '(' is missing before '*'; a power is written ^");
    if (strchr("+-*/^),", found)) return fail(c, c->at, "a number, a name or '(' is missing before '%c'", found);
    return refuse_character(c);
}

/* Something stands where an operator or the end should. */
static bool refuse_missing_operator(compiler *c)
{
    const char found = peek(c);
    if (found == ')') return fail(c, c->at, "this ')' has no '(' before it");
    if (found == ',')
        return fail(c, c->at, "a comma stands only between the arguments of a function; decimals take a point");
    if (begins_name(found) || is_digit(found) || found == '.' || found == '(')
        return fail(c, c->at, "an operator is missing before '%c'; a product is written with *", found);
    return refuse_character(c);
}

/* ---- Writing the program ------------------------------------------------------------------ */

static bool write_instruction(compiler *c, int at, instruction next)
{
    if (c->count == TRM_EXPRESSION_LARGEST)
        return fail(c, at, "the expression has more than %d operations; split it up", (int)TRM_EXPRESSION_LARGEST);
    c->code[c->count++] = next;
    return true;
}

static bool write_operand(compiler *c, int at, instruction operand)
{
    if (c->depth == TRM_EXPRESSION_DEEPEST)
        return fail(c, at, "nested too deeply: more than %d operands wait here", (int)TRM_EXPRESSION_DEEPEST);
    c->depth++;
    return write_instruction(c, at, operand);
}

static bool write_constant(compiler *c, int at, double value)
{
    return write_operand(c, at, (instruction){OP_CONSTANT, 0, value});
}

/* The instruction back places before the end, if it is a constant: then it is a whole operand. */
static instruction *constant_operand(compiler *c, int back)
{
    instruction *operand = c->count >= back ? &c->code[c->count - back] : NULL;
    return operand && operand->op == OP_CONSTANT ? operand : NULL;
}

static bool check_unary(const compiler *c, int at, op o, double a)
{
    if (o == OP_SQRT && a < 0) return fail(c, at, "sqrt of %s: its argument must not be negative", show(a).text);
    if (o == OP_LOG && a <= 0) return fail(c, at, "log of %s: its argument must be positive", show(a).text);
    if ((o == OP_ASIN || o == OP_ACOS) && fabs(a) > 1)
        return fail(c, at, "%s of %s: its argument must lie between -1 and 1", o == OP_ASIN ? "asin" : "acos",
                    show(a).text);
    if (!isfinite(unary_value(o, a))) return fail(c, at, "exp of %s overflows: it is above 1.8e308", show(a).text);
    return true;
}

static bool check_binary(const compiler *c, int at, op o, double a, double b)
{
    if (o == OP_POWER && a == 0 && b < 0)
        return fail(c, at, "0 to the power %s divides by zero; the exponent must not be negative", show(b).text);
    if (o == OP_POWER && a < 0 && b != floor(b))
        return fail(c, at, "%s to the power %s is not a real number; the base must not be negative", show(a).text,
                    show(b).text);
    if (!isfinite(binary_value(o, a, b)))
        return fail(c, at, "%s %c %s overflows: it is beyond 1.8e308", show(a).text, c->text[at], show(b).text);
    return true;
}

/* at: the symbol or name that a fault is to be shown at. */
static bool write_unary(compiler *c, int at, op o)
{
    instruction *a = constant_operand(c, 1);
    if (!a) return write_instruction(c, at, (instruction){o, 0, 0});
    if (!check_unary(c, at, o, a->value)) return false;
    a->value = unary_value(o, a->value);
    return true;
}

static bool write_binary(compiler *c, int at, op o)
{
    instruction *a = constant_operand(c, 2), *b = constant_operand(c, 1);
    if (o == OP_DIVIDE && b && b->value == 0) return fail(c, at, "division by zero; the divisor must not be 0");
    c->depth--;
    if (!a || !b) return write_instruction(c, at, (instruction){o, 0, 0});
    if (!check_binary(c, at, o, a->value, b->value)) return false;
    a->value = binary_value(o, a->value, b->value);
    c->count--;
    return true;
}

/* ---- Numbers and names -------------------------------------------------------------------- */

static int digits_from(const char *text, int at)
{
    while (is_digit(text[at])) at++;
    return at;
}

/* The end of the number that begins at c->at: digits with a point somewhere and an exponent. */
static int end_of_number(const compiler *c)
{
    int end = digits_from(c->text, c->at);
    if (c->text[end] == '.') end = digits_from(c->text, end + 1);
    if (c->text[end] != 'e' && c->text[end] != 'E') return end;
    const int sign = c->text[end + 1] == '+' || c->text[end + 1] == '-';
    const int exponent = end + 1 + sign;
    return is_digit(c->text[exponent]) ? digits_from(c->text, exponent) : end;
}

enum { LONGEST_NUMBER = 400 };

/* The number as JSON writes it, which is what trm_parse_number reads: one digit at least on each side of the point,
 * no zeros in front. */
static int number_as_json(char json[LONGEST_NUMBER + 3], const char *number, int length)
{
    int n = 0;
    while (length > 1 && number[0] == '0' && is_digit(number[1])) number++, length--;
    if (number[0] == '.') json[n++] = '0';
    for (int i = 0; i < length; i++) {
        json[n++] = number[i];
        const bool last = i + 1 == length;
        if (number[i] == '.' && (last || !is_digit(number[i + 1]))) json[n++] = '0';
    }
    return n;
}

static bool compile_number(compiler *c)
{
    const int at = c->at, end = end_of_number(c);
    if (c->text[at] == '.' && !is_digit(c->text[at + 1]))
        return fail(c, at, "a point without digits is not a number");
    if (end - at > LONGEST_NUMBER) return fail(c, at, "the number has more than %d digits", (int)LONGEST_NUMBER);

    char json[LONGEST_NUMBER + 3];
    const int length = number_as_json(json, c->text + at, end - at);
    double value = 0;
    if (trm_parse_number(json, json + length, &value) != json + length || !isfinite(value))
        return fail(c, at, "the number %.*s overflows: it is above 1.8e308", end - at < SHOWN ? end - at : SHOWN,
                    c->text + at);
    c->at = end;
    return write_constant(c, at, value);
}

static bool is_word(word w, const char *name)
{
    return strncmp(w.start, name, (size_t)w.length) == 0 && name[w.length] == 0;
}

static word take_name(compiler *c)
{
    const int at = c->at;
    while (begins_name(c->text[c->at]) || is_digit(c->text[c->at])) c->at++;
    return (word){c->text + at, c->at - at, at};
}

static const function *find_function(word name)
{
    for (int i = 0; i < FUNCTION_COUNT; i++)
        if (is_word(name, functions[i].name)) return &functions[i];
    return NULL;
}

static const trm_constant *find_in(const trm_constant *list, int count, word name)
{
    for (int i = 0; i < count; i++)
        if (is_word(name, list[i].name)) return &list[i];
    return NULL;
}

static const trm_constant *find_constant(const compiler *c, word name)
{
    const trm_constant *known = find_in(known_constants, KNOWN_CONSTANT_COUNT, name);
    return known ? known : find_in(c->constants, c->constant_count, name);
}

bool trm_is_reserved_name(const char *name)
{
    const word w = {name, (int)strnlen(name, TRM_EXPRESSION_LONGEST), 0};
    return is_word(w, "t") || find_function(w) || find_in(known_constants, KNOWN_CONSTANT_COUNT, w);
}

/* The nearer of best (NULL: none yet) and candidate, so that candidates need no list of their own. */
static const char *nearer(const char *name, const char *best, const char *candidate)
{
    const char *pair[2] = {best ? best : candidate, candidate};
    return trm_nearest_word(name, pair, 2);
}

static bool refuse_name(const compiler *c, word name, bool as_function)
{
    char shown[SHOWN + 1];
    snprintf(shown, sizeof shown, "%.*s", SHOW(name));
    const char *best = NULL;
    for (int i = 0; i < FUNCTION_COUNT; i++) best = nearer(shown, best, functions[i].name);
    if (c->allow_t && !as_function) best = nearer(shown, best, "t");
    for (int i = 0; i < KNOWN_CONSTANT_COUNT && !as_function; i++)
        best = nearer(shown, best, known_constants[i].name);
    for (int i = 0; i < c->constant_count && !as_function; i++) best = nearer(shown, best, c->constants[i].name);
    for (int i = 0; i < c->input_count && !as_function; i++) best = nearer(shown, best, c->inputs[i].name);

    const char *kind = as_function ? "function" : "name";
    if (best) return fail(c, name.at, "unknown %s '%s'; did you mean '%.40s'?", kind, shown, best);
    if (as_function)
        return fail(c, name.at,
                    "unknown function '%s'; there are sqrt sin cos tan asin acos atan2 exp log abs min max", shown);
    return fail(c, name.at, "unknown name '%s'; known are pi, deg, %sthe functions and the model's constants", shown,
                c->allow_t ? "t, " : "");
}

static bool compile_t(compiler *c, word name)
{
    if (!c->allow_t)
        return fail(c, name.at, "the time t is not allowed here; this value is the same for the whole run");
    c->has_t = true;
    return write_operand(c, name.at, (instruction){OP_T, 0, 0});
}

static bool compile_input(compiler *c, word name, const trm_constant *input)
{
    c->has_t = true;
    return write_operand(c, name.at, (instruction){OP_INPUT, (int)(input - c->inputs), input->value});
}

static bool compile_name(compiler *c, word name)
{
    if (is_word(name, "t")) return compile_t(c, name);
    const trm_constant *input = find_in(c->inputs, c->input_count, name);
    if (input) return compile_input(c, name, input);
    const trm_constant *constant = find_constant(c, name);
    if (constant && isfinite(constant->value)) return write_constant(c, name.at, constant->value);
    if (constant) return fail(c, name.at, "the constant '%.*s' is not a finite number", SHOW(name));
    const function *needs = find_function(name);
    if (needs)
        return fail(c, name.at, "the function %s needs its argument in parentheses: %s", needs->name, needs->usage);
    return refuse_name(c, name, false);
}

/* ---- The descent -------------------------------------------------------------------------- */

static bool compile_sum(compiler *c);

/* Behind an operand inside the parenthesis that was opened at open. */
static bool close_parenthesis(compiler *c, int open)
{
    if (take(c, ')')) return true;
    if (!peek(c)) return fail(c, open, "this '(' is never closed; a ')' is missing");
    return refuse_missing_operator(c);
}

static bool write_function(compiler *c, const function *f, int at)
{
    return is_binary(f->op) ? write_binary(c, at, f->op) : write_unary(c, at, f->op);
}

/* More than two arguments are taken two by two: min(a, b, c) = min(min(a, b), c). */
static bool compile_arguments(compiler *c, const function *f, int at)
{
    const int open = c->at++;
    int count = 0;
    if (peek(c) != ')') {
        do {
            if (!compile_sum(c)) return false;
            count++;
            if (count > f->arguments && !f->or_more)
                return fail(c, at, "%s has too many arguments; write %s", f->name, f->usage);
            if (count >= f->arguments && !write_function(c, f, at)) return false;
        } while (take(c, ','));
    }
    if (!close_parenthesis(c, open)) return false;
    return count >= f->arguments || fail(c, at, "%s has too few arguments; write %s", f->name, f->usage);
}

static bool compile_call(compiler *c, word name)
{
    const function *f = find_function(name);
    if (!f && (is_word(name, "t") || find_constant(c, name)))
        return fail(c, name.at, "'%.*s' is not a function; a product is written with *", SHOW(name));
    if (!f) return refuse_name(c, name, true);
    return compile_arguments(c, f, name.at);
}

static bool compile_primary(compiler *c)
{
    const char next = peek(c);
    const int open = c->at;
    if (is_digit(next) || next == '.') return compile_number(c);
    if (begins_name(next)) {
        const word name = take_name(c);
        return peek(c) == '(' ? compile_call(c, name) : compile_name(c, name);
    }
    if (take(c, '(')) return compile_sum(c) && close_parenthesis(c, open);
    return refuse_missing_operand(c);
}

/* Every parenthesis and every power comes through here, so the nesting is counted here. */
static bool compile_signed(compiler *c)
{
    const int at = c->at;
    bool minus = false;
    for (char sign = peek(c); sign == '+' || sign == '-'; sign = peek(c)) minus ^= sign == '-', c->at++;
    if (c->nesting > TRM_EXPRESSION_DEEPEST)
        return fail(c, c->at, "nested too deeply: more than %d parentheses or powers", (int)TRM_EXPRESSION_DEEPEST);

    c->nesting++;
    if (!compile_primary(c)) return false;
    if (peek(c) == '^') {
        const int operator_at = c->at++;
        if (!compile_signed(c) || !write_binary(c, operator_at, OP_POWER)) return false;
    }
    c->nesting--;
    return !minus || write_unary(c, at, OP_NEGATE);
}

static bool compile_product(compiler *c)
{
    if (!compile_signed(c)) return false;
    for (char next = peek(c); next == '*' || next == '/'; next = peek(c)) {
        const int at = c->at++;
        if (!compile_signed(c) || !write_binary(c, at, next == '*' ? OP_MULTIPLY : OP_DIVIDE)) return false;
    }
    return true;
}

static bool compile_sum(compiler *c)
{
    if (!compile_product(c)) return false;
    for (char next = peek(c); next == '+' || next == '-'; next = peek(c)) {
        const int at = c->at++;
        if (!compile_product(c) || !write_binary(c, at, next == '+' ? OP_ADD : OP_SUBTRACT)) return false;
    }
    return true;
}

static bool compile(compiler *c)
{
    *c->error = (trm_expression_error){0};
    if (strnlen(c->text, TRM_EXPRESSION_LONGEST + 1) > TRM_EXPRESSION_LONGEST)
        return fail(c, TRM_EXPRESSION_LONGEST, "the expression is longer than %d characters",
                    (int)TRM_EXPRESSION_LONGEST);
    if (!peek(c)) return fail(c, 0, "the expression is empty; write a number or a formula");
    return compile_sum(c) && (!peek(c) || refuse_missing_operator(c));
}

static const trm_expression *finished(trm_arena *arena, compiler *c)
{
    if (!compile(c)) return NULL;
    const size_t code_bytes = (size_t)c->count * sizeof *c->code;
    trm_expression *expression = trm_arena_array(arena, 1, sizeof *expression + code_bytes);
    if (!expression) {
        fail(c, 0, "out of memory");
        return NULL;
    }
    expression->has_t = c->has_t;
    expression->count = c->count;
    memcpy(expression->code, c->code, code_bytes);
    return expression;
}

const trm_expression *trm_expression_compile(trm_arena *arena, const char *text, const trm_constant *constants,
                                             int constant_count, bool allow_t, trm_expression_error *error)
{
    instruction code[TRM_EXPRESSION_LARGEST];
    compiler c = {text, 0, constants, constant_count, .allow_t = allow_t, .code = code, .error = error};
    return finished(arena, &c);
}

const trm_expression *trm_expression_compile_with_inputs(trm_arena *arena, const char *text,
                                                         const trm_constant *constants, int constant_count,
                                                         const trm_constant *inputs, int input_count,
                                                         trm_expression_error *error)
{
    instruction code[TRM_EXPRESSION_LARGEST];
    compiler c = {text,          0, constants, constant_count, inputs, input_count, .allow_t = true, .code = code,
                  .error = error};
    return finished(arena, &c);
}

bool trm_expression_is_constant(const trm_expression *expression)
{
    return !expression->has_t;
}

bool trm_evaluate_constant(const char *text, const trm_constant *constants, int constant_count, double *value,
                           trm_expression_error *error)
{
    instruction code[TRM_EXPRESSION_LARGEST];
    compiler c = {text, 0, constants, constant_count, .allow_t = false, .code = code, .error = error};
    code[0] = (instruction){0};
    if (!compile(&c)) return false;
    *value = code[0].value; /* without t everything is folded into one */
    return true;
}

bool trm_evaluate(const char *text, double *value, char *why, size_t why_size)
{
    trm_expression_error error;
    if (trm_evaluate_constant(text, NULL, 0, value, &error)) return true;
    snprintf(why, why_size, "%s", error.text);
    return false;
}
