/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Compiles expressions from text to postfix code, which expression_value.c runs.
 *
 * The compiler is a recursive descent over the grammar in the header. It writes the code into a fixed buffer in
 * the caller's frame and copies it to the arena when it is complete. An operation on constants is evaluated when
 * it is written, so a constant operand is always one OP_CONSTANT.
 *
 * The condition of an event is compiled to its margin, a number that rises through 0 where the condition becomes
 * true: a > b is a - b, a < b is b - a, "and" is the smaller of two margins, "or" the larger, not() the negative. */

#include "base/expression.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/expression_code.h"
#include "base/message.h"
#include "base/number.h"

typedef struct function {
    const char *name;
    trm_op op;
    int arguments;
    bool or_more, reserved;
    const char *usage;
} function;

/* Functions of expressions. reserved: a constant of the model cannot have this name. */
static const function functions[] = {
    {"sqrt", OP_SQRT, 1, .reserved = true, .usage = "sqrt(x)"},
    {"sin", OP_SIN, 1, .reserved = true, .usage = "sin(x)"},
    {"cos", OP_COS, 1, .reserved = true, .usage = "cos(x)"},
    {"tan", OP_TAN, 1, .reserved = true, .usage = "tan(x)"},
    {"asin", OP_ASIN, 1, .reserved = true, .usage = "asin(x)"},
    {"acos", OP_ACOS, 1, .reserved = true, .usage = "acos(x)"},
    {"atan", OP_ATAN, 1, .usage = "atan(x)"},
    {"atan2", OP_ATAN2, 2, .reserved = true, .usage = "atan2(y, x)"},
    {"exp", OP_EXP, 1, .reserved = true, .usage = "exp(x)"},
    {"log", OP_LOG, 1, .reserved = true, .usage = "log(x)"},
    {"abs", OP_ABS, 1, .reserved = true, .usage = "abs(x)"},
    {"min", OP_MIN, 2, .or_more = true, .reserved = true, .usage = "min(a, b, ...)"},
    {"max", OP_MAX, 2, .or_more = true, .reserved = true, .usage = "max(a, b, ...)"},
    {"sinh", OP_SINH, 1, .usage = "sinh(x)"},
    {"cosh", OP_COSH, 1, .usage = "cosh(x)"},
    {"tanh", OP_TANH, 1, .usage = "tanh(x)"},
    {"sign", OP_SIGN, 1, .usage = "sign(x)"},
    {"floor", OP_FLOOR, 1, .usage = "floor(x)"},
    {"ceil", OP_CEIL, 1, .usage = "ceil(x)"},
    {"mod", OP_MOD, 2, .usage = "mod(x, y)"},
    {"step", OP_STEP, 2, .usage = "step(x, x0)"},
    {"ramp", OP_RAMP, 3, .usage = "ramp(x, x0, x1)"},
    {"smooth", OP_SMOOTH, 3, .usage = "smooth(x, x0, x1)"},
    {"if", OP_IF, 3, .usage = "if(condition, then, else)"},
    {"not", OP_NOT, 1, .usage = "not(condition)"},
};

enum { FUNCTION_COUNT = sizeof functions / sizeof functions[0] };

#define PI 3.14159265358979323846

static const trm_constant known_constants[] = {{"pi", PI}, {"deg", PI / 180}};

/* Units, in SI. A constant of the model with the same name takes precedence. Ambiguous names are omitted: g (gram
 * or gravity), min (a function) and h (a step or an hour). */
static const trm_constant units[] = {
    {"m", 1},         {"mm", 1e-3},     {"cm", 1e-2},   {"km", 1e3},        {"um", 1e-6},
    {"inch", 0.0254}, {"in", 0.0254},   {"ft", 0.3048}, {"lb", 0.45359237}, {"lbf", 4.4482216152605},
    {"s", 1},         {"ms", 1e-3},     {"us", 1e-6},   {"minute", 60},     {"hour", 3600},
    {"kg", 1},        {"gram", 1e-3},   {"tonne", 1e3}, {"N", 1},           {"mN", 1e-3},
    {"kN", 1e3},      {"MN", 1e6},      {"J", 1},       {"kJ", 1e3},        {"W", 1},
    {"kW", 1e3},      {"Pa", 1},        {"kPa", 1e3},   {"MPa", 1e6},       {"GPa", 1e9},
    {"bar", 1e5},     {"rad", 1},       {"mrad", 1e-3}, {"rev", 2 * PI},    {"Hz", 1},
    {"kHz", 1e3},     {"rpm", PI / 30},
};

enum { UNIT_COUNT = sizeof units / sizeof units[0] };

enum { KNOWN_CONSTANT_COUNT = sizeof known_constants / sizeof known_constants[0] };

/* ---- The compiler's state and its errors -------------------------------------------------- */

typedef struct compiler {
    const char *text;
    int at; /* index of the next character */
    const trm_constant *constants;
    int constant_count;
    const trm_constant *inputs;
    int input_count;
    const trm_quantities *quantities; /* NULL: none are defined */
    bool allow_t, has_t;              /* has_t: t, an input or a quantity occurs */
    bool is_factor;                   /* the operand follows a * or / and may be a unit */
    bool as_margin;                   /* conditions are compiled to their margins */
    bool is_condition;                /* the part compiled last is a comparison, or made of comparisons */
    int nesting;                      /* depth of the descent */
    int depth;                        /* operands on the stack when the code runs */
    int count;
    trm_instruction *code; /* room for TRM_EXPRESSION_LARGEST */
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

/* A part of the text; messages show its first bytes. */
typedef struct word {
    const char *start;
    int length, at;
} word;

enum { SHOWN = 40 };

#define SHOW(word) ((word).length < SHOWN ? (word).length : SHOWN), (word).start

/* Fills the error. Returns false, so that a caller can return it. */
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

/* Returns the next character that is not a space; 0 at the end. */
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

/* Reports the symbol found where an operand should be. Returns false. */
static bool refuse_missing_operand(compiler *c)
{
    const char found = peek(c);
    if (!found) return fail(c, c->at, "the expression ends where a number, a name or '(' should follow");
    if (found == '*' && c->at > 0 && c->text[c->at - 1] == '*')
        return fail(c, c->at, "a number, a name or '(' is missing before '*'; a power is written ^");
    if (strchr("+-*/^),<>=!", found)) return fail(c, c->at, "a number, a name or '(' is missing before '%c'", found);
    return refuse_character(c);
}

/* Reports the symbol found where an operator or the end should be. Returns false. */
static bool refuse_missing_operator(compiler *c)
{
    const char found = peek(c);
    if (found == ')') return fail(c, c->at, "this ')' has no '(' before it");
    if (found == ',')
        return fail(c, c->at, "a comma stands only between the arguments of a function; decimals take a point");
    if (begins_name(found) || is_digit(found) || found == '.' || found == '(')
        return fail(c, c->at, "an operator is missing before '%c'; a product is written with *", found);
    if (found == '=') return fail(c, c->at, "'=' is not a comparison; write ==, <= or >=");
    return refuse_character(c);
}

/* ---- Writing the program ------------------------------------------------------------------ */

static bool write_instruction(compiler *c, int at, trm_instruction next)
{
    if (c->count == TRM_EXPRESSION_LARGEST)
        return fail(c, at, "the expression has more than %d operations; split it up", (int)TRM_EXPRESSION_LARGEST);
    c->code[c->count++] = next;
    return true;
}

static bool write_operand(compiler *c, int at, trm_instruction operand)
{
    if (c->depth == TRM_EXPRESSION_DEEPEST)
        return fail(c, at, "nested too deeply: more than %d unfinished operations; split the expression up",
                    (int)TRM_EXPRESSION_DEEPEST);
    c->depth++;
    return write_instruction(c, at, operand);
}

static bool write_constant(compiler *c, int at, double value)
{
    return write_operand(c, at, (trm_instruction){OP_CONSTANT, 0, value});
}

/* Returns the instruction `back` places before the end if it is a constant and therefore a complete operand, else
 * NULL. */
static trm_instruction *constant_operand(compiler *c, int back)
{
    trm_instruction *operand = c->count >= back ? &c->code[c->count - back] : NULL;
    return operand && operand->op == OP_CONSTANT ? operand : NULL;
}

static bool check_unary(const compiler *c, int at, trm_op o, double a)
{
    if (o == OP_SQRT && a < 0) return fail(c, at, "sqrt of %s: its argument must not be negative", show(a).text);
    if (o == OP_LOG && a <= 0) return fail(c, at, "log of %s: its argument must be positive", show(a).text);
    if ((o == OP_ASIN || o == OP_ACOS) && fabs(a) > 1)
        return fail(c, at, "%s of %s: its argument must lie between -1 and 1", o == OP_ASIN ? "asin" : "acos",
                    show(a).text);
    if (!isfinite(trm_operation_value(o, &a)))
        return fail(c, at, "%s of %s overflows: it is above 1.8e308", o == OP_EXP ? "exp" : "sinh or cosh",
                    show(a).text);
    return true;
}

static bool check_binary(const compiler *c, int at, trm_op o, const double *operands)
{
    const double a = operands[0], b = operands[1];
    if (o == OP_POWER && a == 0 && b < 0)
        return fail(c, at, "0 to the power %s divides by zero; the exponent must not be negative", show(b).text);
    if (o == OP_POWER && a < 0 && b != floor(b))
        return fail(c, at, "%s to the power %s is not a real number; the base must not be negative", show(a).text,
                    show(b).text);
    if (!isfinite(trm_operation_value(o, operands)))
        return fail(c, at, "%s %c %s overflows: it is beyond 1.8e308", show(a).text, c->text[at], show(b).text);
    return true;
}

/* Reports what is wrong with an operation whose last operands, or all of them, are constants. */
static bool check_operation(compiler *c, int at, trm_op o, const double *operands, bool all)
{
    const int count = trm_operands_of(o);
    const trm_instruction *last = constant_operand(c, 1), *middle = constant_operand(c, 2);
    if (count == 2 && (o == OP_DIVIDE || o == OP_MOD) && last && last->value == 0)
        return fail(c, at, "division by zero; the divisor must not be 0");
    if ((o == OP_RAMP || o == OP_SMOOTH) && last && middle && last->value == middle->value)
        return fail(c, at, "%s from %s to the same value; write x0 and x1 that differ, or step(x, x0)",
                    o == OP_RAMP ? "ramp" : "smooth", show(last->value).text);
    if (!all || count == 3) return true;
    return count == 1 ? check_unary(c, at, o, operands[0]) : check_binary(c, at, o, operands);
}

/* Writes an operation. at: position of the symbol or name at which an error is reported. Returns false after an
 * error. */
static bool write_operation(compiler *c, int at, trm_op o)
{
    const int count = trm_operands_of(o);
    double operands[3] = {0};
    bool all = true;
    for (int i = 0; i < count; i++) {
        const trm_instruction *operand = constant_operand(c, count - i);
        all = all && operand;
        if (operand) operands[i] = operand->value;
    }
    if (!check_operation(c, at, o, operands, all)) return false;
    c->depth -= count - 1;
    if (!all) return write_instruction(c, at, (trm_instruction){o, 0, 0});
    c->count -= count - 1;
    c->code[c->count - 1].value = trm_operation_value(o, operands);
    return true;
}

/* ---- Numbers and names -------------------------------------------------------------------- */

static int digits_from(const char *text, int at)
{
    while (is_digit(text[at])) at++;
    return at;
}

/* Returns the end of the number that begins at c->at: digits with an optional point and exponent. */
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

/* Writes the number in the notation of JSON, which trm_parse_number reads: at least one digit on each side of the
 * point, no leading zeros. */
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

/* Returns the end of a quantity. Names of elements that contain an operator are in quotes: 'left-coil'.force */
static int end_of_quantity(const compiler *c, int at)
{
    const char *text = c->text;
    for (;;) {
        if (text[at] == '\'') {
            const char *close = strchr(text + at + 1, '\'');
            if (!close) return at + (int)strlen(text + at);
            at = (int)(close - text) + 1;
        }
        while (begins_name(text[at]) || is_digit(text[at])) at++;
        const bool more =
            text[at] == '.' && (begins_name(text[at + 1]) || is_digit(text[at + 1]) || text[at + 1] == '\'');
        if (!more) return at;
        at++;
    }
}

static word take_name(compiler *c)
{
    const int at = c->at;
    while (begins_name(c->text[c->at]) || is_digit(c->text[c->at])) c->at++;
    if (c->quantities) c->at = end_of_quantity(c, at);
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

/* Finds a unit. A unit must follow a * or / after an operand, so that a missing constant is not taken for one:
 * "m*9.81". */
static const trm_constant *find_unit(const compiler *c, word name)
{
    return c->is_factor ? find_in(units, UNIT_COUNT, name) : NULL;
}

bool trm_is_reserved_name(const char *name)
{
    const word w = {name, (int)strnlen(name, TRM_EXPRESSION_LONGEST), 0};
    const function *f = find_function(w);
    return is_word(w, "t") || (f && f->reserved) || find_in(known_constants, KNOWN_CONSTANT_COUNT, w);
}

/* Returns the one of best (NULL: none yet) and candidate whose spelling is nearer to name. Candidates can so be
 * compared one by one, without a list. */
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
    if (find_in(units, UNIT_COUNT, name) && !as_function)
        return fail(c, name.at, "the unit '%s' stands alone; write it after a number: 25*%s, or 1/%s", shown, shown,
                    shown);
    if (is_word(name, "g") && !as_function)
        return fail(c, name.at, "'g' is not known; a mass in grams is 5*gram, gravity is a constant of the model");
    char quantity[2 * SHOWN + 1];
    if (c->quantities && c->quantities->nearest && !as_function &&
        c->quantities->nearest(c->quantities->context, shown, quantity, sizeof quantity))
        return fail(c, name.at, "unknown name '%s'; did you mean '%s'?", shown, quantity);
    if (c->allow_t && !c->quantities && !as_function && c->text[name.at + name.length] == '.')
        return fail(c, name.at,
                    "'%s.' is a result, and functions of time cannot read results; use a spring, damper or servo, or "
                    "an input that a controller sets",
                    shown);
    if (best) return fail(c, name.at, "unknown %s '%s'; did you mean '%.40s'?", kind, shown, best);
    if (as_function)
        return fail(
            c, name.at,
            "unknown function '%s'; there are sqrt sin cos tan asin acos atan atan2 sinh cosh tanh exp log abs "
            "min max sign floor ceil mod step ramp smooth if not",
            shown);
    return fail(c, name.at, "unknown name '%s'; known are pi, deg, %sthe functions%s and the model's constants",
                shown, c->allow_t ? "t, " : "", c->quantities ? ", columns of results" : "");
}

static bool compile_t(compiler *c, word name)
{
    if (!c->allow_t)
        return fail(c, name.at, "the time t is not allowed here; this value is the same for the whole run");
    c->has_t = true;
    return write_operand(c, name.at, (trm_instruction){OP_T, 0, 0});
}

static bool compile_input(compiler *c, word name, const trm_constant *input)
{
    c->has_t = true;
    return write_operand(c, name.at, (trm_instruction){OP_INPUT, (int)(input - c->inputs), input->value});
}

/* Returns the index of a quantity, whose name may have points and parts in quotes; its value comes with the
 * inputs. Returns -1 if there is none. */
static int find_quantity(const compiler *c, word name)
{
    return c->quantities ? c->quantities->find(c->quantities->context, name.start, name.length) : -1;
}

static bool compile_name(compiler *c, word name)
{
    if (is_word(name, "t")) return compile_t(c, name);
    const trm_constant *input = find_in(c->inputs, c->input_count, name);
    if (input) return compile_input(c, name, input);
    const int quantity = find_quantity(c, name);
    if (quantity >= 0) {
        c->has_t = true;
        return write_operand(c, name.at, (trm_instruction){OP_INPUT, quantity, NAN});
    }
    const trm_constant *constant = find_constant(c, name);
    if (!constant) constant = find_unit(c, name);
    if (constant && isfinite(constant->value)) return write_constant(c, name.at, constant->value);
    if (constant) return fail(c, name.at, "the constant '%.*s' is not a finite number", SHOW(name));
    const function *needs = find_function(name);
    if (needs)
        return fail(c, name.at, "the function %s needs its argument in parentheses: %s", needs->name, needs->usage);
    return refuse_name(c, name, false);
}

/* ---- The descent -------------------------------------------------------------------------- */

static bool compile_condition(compiler *c);

/* Expects the end of the parenthesis that was opened at `open`, after an operand. */
static bool close_parenthesis(compiler *c, int open)
{
    if (take(c, ')')) return true;
    if (!peek(c)) return fail(c, open, "this '(' is never closed; a ')' is missing");
    return refuse_missing_operator(c);
}

/* Compiles the arguments. More than two are combined two by two: min(a, b, c) = min(min(a, b), c). */
static bool compile_arguments(compiler *c, const function *f, int at)
{
    const int open = c->at++;
    int count = 0;
    if (peek(c) != ')') {
        do {
            if (!compile_condition(c)) return false;
            count++;
            if (count > f->arguments && !f->or_more)
                return fail(c, at, "%s has too many arguments; write %s", f->name, f->usage);
            if (count >= f->arguments && !write_operation(c, at, f->op)) return false;
        } while (take(c, ','));
    }
    if (!close_parenthesis(c, open)) return false;
    return count >= f->arguments || fail(c, at, "%s has too few arguments; write %s", f->name, f->usage);
}

/* Compiles not(condition): its margin is the negative of the condition's. */
static bool compile_opposite(compiler *c, const function *f, int at)
{
    const function margin = {f->name, OP_NEGATE, 1, false, false, f->usage};
    if (!compile_arguments(c, &margin, at)) return false;
    return c->is_condition || fail(c, at, "not() needs a condition, such as q > 1");
}

static bool compile_call(compiler *c, word name)
{
    const function *f = find_function(name);
    if (!f && (is_word(name, "t") || find_constant(c, name)))
        return fail(c, name.at, "'%.*s' is not a function; a product is written with *", SHOW(name));
    if (!f) return refuse_name(c, name, true);
    if (f->op == OP_NOT && c->as_margin) return compile_opposite(c, f, name.at);
    const bool outer = c->as_margin;
    c->as_margin = false; /* inside a function a condition is 1 or 0 */
    const bool good = compile_arguments(c, f, name.at);
    c->as_margin = outer;
    c->is_condition = f->op == OP_NOT;
    return good;
}

static bool compile_primary(compiler *c)
{
    const char next = peek(c);
    c->is_condition = false;
    const int open = c->at;
    if (is_digit(next) || next == '.') return compile_number(c);
    if (begins_name(next) || (next == '\'' && c->quantities)) {
        const word name = take_name(c);
        return peek(c) == '(' ? compile_call(c, name) : compile_name(c, name);
    }
    if (take(c, '(')) return compile_condition(c) && close_parenthesis(c, open);
    return refuse_missing_operand(c);
}

/* Compiles { "+" | "-" } power. Every parenthesis and every power passes through here, so this function limits the
 * nesting. */
static bool compile_signed(compiler *c)
{
    const int at = c->at;
    bool minus = false;
    for (char sign = peek(c); sign == '+' || sign == '-'; sign = peek(c)) minus ^= sign == '-', c->at++;
    if (c->nesting > TRM_EXPRESSION_DEEPEST)
        return fail(c, c->at, "nested too deeply: more than %d parentheses or powers; split the expression up",
                    (int)TRM_EXPRESSION_DEEPEST);

    c->nesting++;
    if (!compile_primary(c)) return false;
    if (peek(c) == '^') {
        const int operator_at = c->at++;
        c->is_factor = false;
        if (!compile_signed(c) || !write_operation(c, operator_at, OP_POWER)) return false;
    }
    c->nesting--;
    if (minus) c->is_condition = false;
    return !minus || write_operation(c, at, OP_NEGATE);
}

static bool compile_product(compiler *c)
{
    c->is_factor = false;
    if (!compile_signed(c)) return false;
    for (char next = peek(c); next == '*' || next == '/'; next = peek(c)) {
        const int at = c->at++;
        c->is_factor = true;
        if (!compile_signed(c) || !write_operation(c, at, next == '*' ? OP_MULTIPLY : OP_DIVIDE)) return false;
        c->is_condition = false;
    }
    return true;
}

static bool compile_sum(compiler *c)
{
    if (!compile_product(c)) return false;
    for (char next = peek(c); next == '+' || next == '-'; next = peek(c)) {
        const int at = c->at++;
        if (!compile_product(c) || !write_operation(c, at, next == '+' ? OP_ADD : OP_SUBTRACT)) return false;
        c->is_condition = false;
    }
    return true;
}

typedef struct comparison {
    const char *symbol;
    trm_op op;
    bool rises; /* true: the comparison becomes true where left - right rises through 0; false: where it falls */
} comparison;

/* Comparisons of two characters come first, so that "<=" is not read as "<". */
static const comparison comparisons[] = {
    {"<=", OP_AT_MOST, false},   {">=", OP_AT_LEAST, true}, {"==", OP_EQUAL, false},
    {"!=", OP_DIFFERENT, false}, {"<", OP_LESS, false},     {">", OP_GREATER, true},
};

static const comparison *take_comparison(compiler *c)
{
    peek(c);
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
        const size_t length = strlen(comparisons[i].symbol);
        if (strncmp(c->text + c->at, comparisons[i].symbol, length) != 0) continue;
        c->at += (int)length;
        return &comparisons[i];
    }
    return NULL;
}

/* Writes the margin of a comparison: left - right, or its negative. */
static bool write_margin(compiler *c, int at, const comparison *found)
{
    if (found->op == OP_EQUAL || found->op == OP_DIFFERENT)
        return fail(c, at, "the moment at which '%s' holds cannot be located; write < or >", found->symbol);
    return write_operation(c, at, OP_SUBTRACT) && (found->rises || write_operation(c, at, OP_NEGATE));
}

static bool compile_comparison(compiler *c)
{
    if (!compile_sum(c)) return false;
    peek(c);
    const int at = c->at;
    const comparison *found = take_comparison(c);
    if (!found) return true;
    if (!compile_sum(c)) return false;
    c->is_condition = true;
    return c->as_margin ? write_margin(c, at, found) : write_operation(c, at, found->op);
}

/* Reads the word "and" or "or" where an operator may be. Returns whether it is there. */
static bool take_word(compiler *c, const char *wanted)
{
    const char first = peek(c);
    const int before = c->at;
    if (first != wanted[0]) return false;
    if (is_word(take_name(c), wanted)) return true;
    c->at = before;
    return false;
}

static bool combine(compiler *c, int at, bool left, trm_op truth, trm_op margin)
{
    if (c->as_margin && !(left && c->is_condition))
        return fail(c, at, "\"and\" and \"or\" stand between conditions, such as q > 1");
    c->is_condition = true;
    return write_operation(c, at, c->as_margin ? margin : truth);
}

static bool compile_conjunction(compiler *c)
{
    if (!compile_comparison(c)) return false;
    for (int at = c->at; take_word(c, "and"); at = c->at) {
        const bool left = c->is_condition;
        if (!compile_comparison(c) || !combine(c, at, left, OP_AND, OP_MIN)) return false;
    }
    return true;
}

static bool compile_condition(compiler *c)
{
    if (!compile_conjunction(c)) return false;
    for (int at = c->at; take_word(c, "or"); at = c->at) {
        const bool left = c->is_condition;
        if (!compile_conjunction(c) || !combine(c, at, left, OP_OR, OP_MAX)) return false;
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
    if (!compile_condition(c) || (peek(c) && !refuse_missing_operator(c))) return false;
    return !c->as_margin || c->is_condition ||
           fail(c, 0, "this is a value, not a condition; compare it with another: q > 1, or v < 0");
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
    trm_instruction code[TRM_EXPRESSION_LARGEST];
    compiler c = {text, 0, constants, constant_count, .allow_t = allow_t, .code = code, .error = error};
    return finished(arena, &c);
}

const trm_expression *trm_expression_compile_with_inputs(trm_arena *arena, const char *text,
                                                         const trm_constant *constants, int constant_count,
                                                         const trm_constant *inputs, int input_count,
                                                         trm_expression_error *error)
{
    trm_instruction code[TRM_EXPRESSION_LARGEST];
    compiler c = {text,          0, constants, constant_count, inputs, input_count, .allow_t = true, .code = code,
                  .error = error};
    return finished(arena, &c);
}

const trm_expression *trm_expression_compile_quantities(trm_arena *arena, const char *text,
                                                        const trm_constant *constants, int constant_count,
                                                        const trm_quantities *quantities, bool condition,
                                                        trm_expression_error *error)
{
    trm_instruction code[TRM_EXPRESSION_LARGEST];
    compiler c = {.text = text,
                  .constants = constants,
                  .constant_count = constant_count,
                  .quantities = quantities,
                  .allow_t = true,
                  .as_margin = condition,
                  .code = code,
                  .error = error};
    return finished(arena, &c);
}

bool trm_evaluate_constant(const char *text, const trm_constant *constants, int constant_count, double *value,
                           trm_expression_error *error)
{
    trm_instruction code[TRM_EXPRESSION_LARGEST];
    compiler c = {text, 0, constants, constant_count, .allow_t = false, .code = code, .error = error};
    code[0] = (trm_instruction){0};
    if (!compile(&c)) return false;
    *value = code[0].value; /* without t everything is folded into one constant */
    return true;
}

bool trm_evaluate(const char *text, double *value, char *why, size_t why_size)
{
    trm_expression_error error;
    if (trm_evaluate_constant(text, NULL, 0, value, &error)) return true;
    snprintf(why, why_size, "%s", error.text);
    return false;
}
