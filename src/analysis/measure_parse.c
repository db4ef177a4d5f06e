/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Parses the text of a measure into its tree by recursive descent (grammar: measure.h). Names are collected first,
 * so that the columns exist when the tree is built. A name that is neither a constant nor a column is reported
 * with similar names. */

#include <math.h>
#include <string.h>

#include "analysis/measure.h"
#include "base/message.h"
#include "base/number.h"
#include "trammel/elementary.h"

typedef struct parser {
    trm_measure *m;
    const trm_constant *constants;
    int constant_count;
    trm_messages *messages;
    const char *at;
    int depth;
    bool failed;
} parser;

static trm_measure_node *parse_sum(parser *p);

/* Reports the first error with its place in the text. Returns NULL. */
static trm_measure_node *fail(parser *p, const char *what)
{
    if (!p->failed && !p->m->arena.failed)
        trm_add_error(p->messages, (trm_place){0}, "\"%s\": %s at \"%.20s\"", p->m->text, what,
                      *p->at ? p->at : "the end");
    p->failed = true;
    return NULL;
}

/* ---- Pointwise functions ------------------------------------------------------------------ */

#define POINTWISE(name, formula)                                                                                     \
    static double name(const double *x, int count)                                                                   \
    {                                                                                                                \
        (void)count;                                                                                                 \
        return formula;                                                                                              \
    }

POINTWISE(do_add, x[0] + x[1])
POINTWISE(do_subtract, x[0] - x[1])
POINTWISE(do_multiply, x[0] * x[1])
POINTWISE(do_divide, x[0] / x[1])
POINTWISE(do_negate, -x[0])
POINTWISE(do_power, trm_pow(x[0], x[1]))
POINTWISE(do_abs, fabs(x[0]))
POINTWISE(do_sqrt, sqrt(x[0]))
POINTWISE(do_sin, trm_sin(x[0]))
POINTWISE(do_cos, trm_cos(x[0]))
POINTWISE(do_tan, trm_tan(x[0]))
POINTWISE(do_asin, trm_asin(x[0]))
POINTWISE(do_acos, trm_acos(x[0]))
POINTWISE(do_atan2, trm_atan2(x[0], x[1]))
POINTWISE(do_exp, trm_exp(x[0]))
POINTWISE(do_log, trm_log(x[0]))

static double do_min(const double *x, int count)
{
    double least = x[0];
    for (int i = 1; i < count; i++) least = isnan(x[i]) || x[i] < least ? x[i] : least;
    return least;
}

static double do_max(const double *x, int count)
{
    double most = x[0];
    for (int i = 1; i < count; i++) most = isnan(x[i]) || x[i] > most ? x[i] : most;
    return most;
}

static const struct {
    const char *name;
    int least, most; /* arguments */
    trm_measure_pointwise pointwise;
} pointwise[] = {
    {"abs", 1, 1, do_abs},
    {"sqrt", 1, 1, do_sqrt},
    {"sin", 1, 1, do_sin},
    {"cos", 1, 1, do_cos},
    {"tan", 1, 1, do_tan},
    {"asin", 1, 1, do_asin},
    {"acos", 1, 1, do_acos},
    {"exp", 1, 1, do_exp},
    {"log", 1, 1, do_log},
    {"atan2", 2, 2, do_atan2},
    {"min", 2, TRM_MEASURE_ARGUMENTS, do_min},
    {"max", 2, TRM_MEASURE_ARGUMENTS, do_max},
};
enum { POINTWISE_COUNT = sizeof pointwise / sizeof *pointwise };

/* ---- Nodes -------------------------------------------------------------------------------- */

static trm_measure_node *new_node(parser *p)
{
    return TRM_NEW(&p->m->arena, trm_measure_node);
}

static trm_measure_node *number_node(parser *p, double value)
{
    trm_measure_node *node = new_node(p);
    if (node) node->kind = TRM_NODE_NUMBER, node->value = value;
    return node;
}

static trm_measure_node *operation(parser *p, trm_measure_pointwise f, trm_measure_node *a, trm_measure_node *b)
{
    trm_measure_node *node = a && (b || f == do_negate) ? new_node(p) : NULL;
    if (!node) return NULL;
    node->kind = TRM_NODE_POINTWISE;
    node->pointwise = f;
    node->arguments[0] = a, node->arguments[1] = b;
    node->argument_count = b ? 2 : 1;
    node->series = a->series || (b && b->series);
    return node;
}

static trm_measure_node *reduction_node(parser *p, trm_measure_node *node, const trm_measure_function *function)
{
    trm_measure *m = p->m;
    if (node->argument_count < function->least || node->argument_count > function->most)
        return fail(p, "a function has too few or too many arguments");
    if (!node->arguments[0]->series) return fail(p, "a function over the run needs a column as its first argument");
    for (int i = 1; i < node->argument_count; i++)
        if (node->arguments[i]->series) return fail(p, "a number is required here, not a column; use final(..)");
    if (!TRM_APPEND(&m->arena, m->reductions, m->reduction_count, node)) return NULL;
    node->kind = TRM_NODE_REDUCTION;
    node->reduction = function->reduction;
    return node;
}

/* min and max of one argument are over the run, those of several arguments row by row. */
static trm_measure_node *function_node(parser *p, const char *name, trm_measure_node *node)
{
    const trm_measure_function *reduction = trm_measure_find_reduction(name);
    for (int i = 0; i < POINTWISE_COUNT; i++) {
        if (strcmp(pointwise[i].name, name) != 0) continue;
        if (reduction && node->argument_count == 1) break;
        if (node->argument_count < pointwise[i].least || node->argument_count > pointwise[i].most)
            return fail(p, "a function has too few or too many arguments");
        node->kind = TRM_NODE_POINTWISE;
        node->pointwise = pointwise[i].pointwise;
        for (int k = 0; k < node->argument_count; k++) node->series = node->series || node->arguments[k]->series;
        return node;
    }
    if (!reduction)
        return fail(p, "no such function; there are max min mean rms integral initial final at crossing settle, and "
                       "abs sqrt sin cos tan asin acos atan2 exp log; unknown");
    return reduction_node(p, node, reduction);
}

/* ---- The grammar -------------------------------------------------------------------------- */

static void skip_space(parser *p)
{
    p->at += strspn(p->at, " \t\n");
}

static bool take(parser *p, char c)
{
    skip_space(p);
    if (*p->at != c) return false;
    p->at++;
    return true;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Returns the length of an unquoted name at the text: letters, digits, _ and . */
static size_t name_length(const char *at)
{
    size_t n = is_letter(*at) ? 1 : 0;
    while (n > 0 && (is_letter(at[n]) || is_digit(at[n]) || at[n] == '.')) n++;
    return n;
}

static trm_measure_node *named_node(parser *p, const char *name)
{
    for (int i = 0; i < p->constant_count; i++)
        if (strcmp(p->constants[i].name, name) == 0) return number_node(p, p->constants[i].value);
    if (strcmp(name, "pi") == 0) return number_node(p, TRM_PI);
    if (strcmp(name, "deg") == 0) return number_node(p, TRM_PI / 180);
    for (int i = 0; i < trm_result_count(p->m->columns); i++) {
        if (strcmp(trm_result_name(p->m->columns, i), name) != 0) continue;
        trm_measure_node *node = new_node(p);
        if (node) node->kind = TRM_NODE_COLUMN, node->series = true, node->column = i;
        return node;
    }
    return fail(p, "neither a constant nor a column of this model");
}

static trm_measure_node *parse_call(parser *p, const char *name)
{
    trm_measure_node *node = new_node(p);
    if (!node) return NULL;
    do {
        if (node->argument_count == TRM_MEASURE_ARGUMENTS) return fail(p, "too many arguments");
        trm_measure_node *argument = parse_sum(p);
        if (!argument) return NULL;
        node->arguments[node->argument_count++] = argument;
    } while (take(p, ','));
    if (!take(p, ')')) return fail(p, "\")\" is missing");
    return function_node(p, name, node);
}

static trm_measure_node *parse_name(parser *p)
{
    const bool quoted = take(p, '"');
    const size_t length = quoted ? strcspn(p->at, "\"") : name_length(p->at);
    const char *name = trm_arena_text_n(&p->m->arena, p->at, length);
    if (!name) return NULL;
    const char *begun = p->at;
    p->at += length;
    if (quoted && !take(p, '"')) return fail(p, "a quote is not closed");
    if (!quoted && take(p, '(')) return parse_call(p, name);
    trm_measure_node *node = NULL;
    const char *after = p->at;
    p->at = begun; /* an error is reported at the name */
    node = named_node(p, name);
    if (node) p->at = after;
    return node;
}

static trm_measure_node *parse_primary(parser *p)
{
    double value;
    skip_space(p);
    if (is_digit(*p->at) || *p->at == '.') {
        const char *after = trm_parse_number(p->at, p->at + strlen(p->at), &value);
        if (!after) return fail(p, "this is not a number");
        p->at = after;
        return number_node(p, value);
    }
    if (take(p, '(')) {
        trm_measure_node *node = parse_sum(p);
        if (node && !take(p, ')')) return fail(p, "\")\" is missing");
        return node;
    }
    if (*p->at == '"' || is_letter(*p->at)) return parse_name(p);
    return fail(p, "a number, a column or a function is expected");
}

static trm_measure_node *parse_signed(parser *p)
{
    if (p->depth++ > TRM_MEASURE_DEEPEST) return fail(p, "too deeply nested");
    trm_measure_node *node;
    if (take(p, '-'))
        node = operation(p, do_negate, parse_signed(p), NULL);
    else if (take(p, '+'))
        node = parse_signed(p);
    else {
        node = parse_primary(p);
        if (node && take(p, '^')) node = operation(p, do_power, node, parse_signed(p));
    }
    p->depth--;
    return node;
}

static trm_measure_node *parse_product(parser *p)
{
    trm_measure_node *node = parse_signed(p);
    while (node)
        if (take(p, '*'))
            node = operation(p, do_multiply, node, parse_signed(p));
        else if (take(p, '/'))
            node = operation(p, do_divide, node, parse_signed(p));
        else
            break;
    return node;
}

static trm_measure_node *parse_sum(parser *p)
{
    trm_measure_node *node = parse_product(p);
    while (node)
        if (take(p, '+'))
            node = operation(p, do_add, node, parse_product(p));
        else if (take(p, '-'))
            node = operation(p, do_subtract, node, parse_product(p));
        else
            break;
    return node;
}

/* ---- Columns ------------------------------------------------------------------------------ */

static bool is_constant(const parser *p, const char *name, size_t length)
{
    for (int i = 0; i < p->constant_count; i++)
        if (strlen(p->constants[i].name) == length && strncmp(p->constants[i].name, name, length) == 0) return true;
    return (length == 2 && strncmp(name, "pi", 2) == 0) || (length == 3 && strncmp(name, "deg", 3) == 0);
}

/* Returns "t,rod.y,j1.q": the names in the text that are neither functions nor constants. NULL: out of memory. */
static const char *selection_of(parser *p)
{
    const char *list = "t";
    for (const char *at = p->m->text; *at;) {
        const bool quoted = *at == '"';
        const char *name = at + quoted;
        const size_t length = quoted ? strcspn(name, "\"") : name_length(at);
        double ignored;
        const char *number = is_digit(*at) ? trm_parse_number(at, at + strlen(at), &ignored) : NULL;
        at = length > 0 ? name + length + (quoted && name[length]) : number ? number : at + 1;
        const bool call = !quoted && at[strspn(at, " \t\n")] == '(';
        if (length == 0 || call || is_constant(p, name, length)) continue;
        list = trm_arena_format(&p->m->arena, "%s,%.*s", list, (int)length, name);
        if (!list) return NULL;
    }
    return list;
}

bool trm_measure_parse(trm_measure *m, const char *text, const trm_model *model, const trm_constant *constants,
                       int constant_count, trm_messages *messages)
{
    parser p = {.m = m, .constants = constants, .constant_count = constant_count, .messages = messages};
    m->text = trm_arena_text(&m->arena, text);
    const char *selection = m->text ? selection_of(&p) : NULL;
    if (!selection) return false;
    const trm_status status = trm_results_create(model, selection, &m->arena.allocator, messages, &m->columns);
    if (status == TRM_OUT_OF_MEMORY) m->arena.failed = true;
    if (status != TRM_OK) return false;
    for (int i = 0; i < trm_result_count(m->columns); i++)
        if (strcmp(trm_result_name(m->columns, i), "t") == 0) m->t = i;
    p.at = m->text;
    m->root = parse_sum(&p);
    skip_space(&p);
    if (m->root && *p.at) m->root = fail(&p, "this does not belong to the expression");
    if (m->root && m->root->series)
        m->root = fail(
            &p,
            "this is a value at every row; reduce it to one number, for example by max(..), rms(..) or final(..),");
    return m->root != NULL;
}
