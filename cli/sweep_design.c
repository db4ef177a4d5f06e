/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "sweep_design.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trammel/base.h"
#include "trammel/elementary.h"
#include "trammel/function.h"

static bool refuse(char *why, size_t size, const char *format, ...) TRM_PRINTF(3, 4);

static bool refuse(char *why, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, size, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- Reading ------------------------------------------------------------------------------ */

/* Cuts the text in place at each separator outside of parentheses. Returns the number of pieces. */
static int cut(char *text, char separator, char **pieces, int most)
{
    int count = 1, depth = 0;
    pieces[0] = text;
    for (; *text; text++) {
        depth += *text == '(' ? 1 : *text == ')' ? -1 : 0;
        if (*text != separator || depth > 0) continue;
        *text = 0;
        if (count < most) pieces[count] = text + 1;
        count++;
    }
    return count;
}

static bool read_value(const variation *v, const char *text, double *value, char *why, size_t size)
{
    char wrong[200];
    if (text[strspn(text, " ")] == 0)
        return refuse(why, size, "%s: a value is missing; give NAME=a,b,c or NAME=FROM:COUNT:TO", v->name);
    if (trm_evaluate(text, value, wrong, sizeof wrong)) return true;
    return refuse(why, size, "%s: %s: %s", v->name, text, wrong);
}

static bool read_list(variation *v, char *text, char *why, size_t size)
{
    const size_t room = strlen(text) + 1;
    char **pieces = calloc(room, sizeof *pieces);
    v->values = calloc(room, sizeof *v->values);
    bool good = pieces && v->values;
    if (!good) refuse(why, size, "out of memory");
    const int count = good ? cut(text, ',', pieces, (int)room) : 0;
    for (; good && v->count < count; v->count++)
        good = read_value(v, pieces[v->count], &v->values[v->count], why, size);
    free(pieces);
    return good;
}

/* Returns the value at a fraction 0 .. 1 of a range. Ends are exact, and so are powers of ten between powers of
 * ten. */
static double between(const variation *v, double share, double of)
{
    if (share == 0) return v->from;
    if (share == of) return v->to;
    if (!v->logarithmic) return v->from + (v->to - v->from) * share / of;
    return trm_pow(10, (trm_log10(v->from) * (of - share) + trm_log10(v->to) * share) / of);
}

static bool spread(variation *v, double count, char *why, size_t size)
{
    if (!(count >= 1) || count > MOST_RUNS || count != floor(count))
        return refuse(why, size, "%s: in FROM:COUNT:TO COUNT is a whole number from 1 to %d, not %g", v->name,
                      MOST_RUNS, count);
    if (count == 1 && v->from != v->to)
        return refuse(why, size, "%s: one value cannot be both ends, %g and %g; give %s=%g or a larger count",
                      v->name, v->from, v->to, v->name, v->from);
    if (count > 1 && v->from == v->to)
        return refuse(why, size, "%s: the range from %g to %g is empty; there are no %g values in it", v->name,
                      v->from, v->to, count);
    v->values = calloc((size_t)count, sizeof *v->values);
    if (!v->values) return refuse(why, size, "out of memory");
    v->count = (int)count;
    for (int i = 0; i < v->count; i++) v->values[i] = between(v, i, fmax(v->count - 1, 1));
    return true;
}

static bool read_range(variation *v, char *text, char *why, size_t size)
{
    char *pieces[4];
    double count = 0;
    int numbers = cut(text, ':', pieces, 4);
    v->is_range = true;
    v->logarithmic = numbers >= 2 && numbers <= 4 && strcmp(pieces[numbers - 1], "log") == 0;
    if (v->logarithmic) numbers--;
    if (numbers != 2 && numbers != 3)
        return refuse(why, size,
                      "%s: a range is FROM:COUNT:TO, or FROM:COUNT:TO:log; at random FROM:TO or FROM:TO:log",
                      v->name);
    if (!read_value(v, pieces[0], &v->from, why, size) || !read_value(v, pieces[numbers - 1], &v->to, why, size))
        return false;
    if (v->logarithmic && !(v->from > 0 && v->to > 0))
        return refuse(why, size, "%s: a range with :log has positive ends; these are %g and %g", v->name, v->from,
                      v->to);
    if (numbers == 3) return read_value(v, pieces[1], &count, why, size) && spread(v, count, why, size);
    if (v->from == v->to) return refuse(why, size, "%s: the range from %g to %g is empty", v->name, v->from, v->to);
    return true;
}

static bool read_variation(variation *v, char *text, char *why, size_t size)
{
    char *equals = strchr(text, '=');
    v->name = text;
    if (!equals || equals == text)
        return refuse(why, size, "--vary takes NAME=FROM:COUNT:TO or NAME=a,b,c, not \"%s\"", text);
    *equals = 0;
    return strchr(equals + 1, ':') ? read_range(v, equals + 1, why, size) : read_list(v, equals + 1, why, size);
}

bool add_variation(design *d, const char *text, char *why, size_t size)
{
    variation *more = realloc(d->variations, ((size_t)d->variation_count + 1) * sizeof *more);
    char *own = strdup(text);
    if (more) d->variations = more;
    if (!more || !own) {
        free(own);
        return refuse(why, size, "out of memory");
    }
    variation *v = &d->variations[d->variation_count++];
    *v = (variation){.name = own};
    if (!read_variation(v, own, why, size)) return false;
    for (int i = 0; i < d->variation_count - 1; i++)
        if (strcmp(d->variations[i].name, v->name) == 0) return refuse(why, size, "%s is varied twice", v->name);
    return true;
}

/* ---- Points ------------------------------------------------------------------------------- */

bool make_grid(design *d, char *why, size_t size)
{
    double runs = 1;
    for (int i = 0; i < d->variation_count; i++) {
        const variation *v = &d->variations[i];
        if (v->count == 0)
            return refuse(why, size, "%s: how many values between %g and %g? give %s=FROM:COUNT:TO, or --random N",
                          v->name, v->from, v->to, v->name);
        runs *= v->count;
    }
    if (runs > MOST_RUNS) return refuse(why, size, "these are %.4g runs; a sweep has at most %d", runs, MOST_RUNS);
    d->run_count = (int)runs;
    return true;
}

/* splitmix64 (Steele, Lea, Flood 2014): the same numbers on every machine. */
static uint64_t draw_bits(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double draw_share(uint64_t *state) /* 0 <= x < 1 */
{
    return (double)(draw_bits(state) >> 11) * 0x1p-53;
}

/* Shuffles the parts of one variation; all orders are equally likely (Fisher, Yates). */
static void shuffle(int *parts, int count, uint64_t *state)
{
    for (int i = 0; i < count; i++) parts[i] = i;
    for (int i = count - 1; i > 0; i--) {
        const int other = (int)(draw_bits(state) % ((uint64_t)i + 1));
        const int part = parts[i];
        parts[i] = parts[other];
        parts[other] = part;
    }
}

static double drawn_value(const variation *v, double share)
{
    if (v->count == 0) return between(v, share, 1);
    const int index = (int)(share * v->count);
    return v->values[index < v->count ? index : v->count - 1];
}

bool make_hypercube(design *d, int runs, uint64_t seed, char *why, size_t size)
{
    for (int i = 0; i < d->variation_count; i++)
        if (d->variations[i].is_range && d->variations[i].count > 0)
            return refuse(why, size, "%s: with --random N a range is FROM:TO or FROM:TO:log, without a count",
                          d->variations[i].name);
    const size_t width = (size_t)d->variation_count;
    int *parts = calloc((size_t)runs, sizeof *parts);
    d->drawn = calloc((size_t)runs * width, sizeof *d->drawn);
    d->run_count = runs;
    for (size_t k = 0; parts && d->drawn && k < width; k++) {
        shuffle(parts, runs, &seed);
        for (int i = 0; i < runs; i++)
            d->drawn[(size_t)i * width + k] =
                drawn_value(&d->variations[k], (parts[i] + draw_share(&seed)) / (double)runs);
    }
    const bool good = parts && d->drawn;
    free(parts);
    return good || refuse(why, size, "out of memory");
}

void point_of(const design *d, int run, double *values)
{
    const size_t width = (size_t)d->variation_count;
    if (d->drawn) {
        memcpy(values, d->drawn + (size_t)run * width, width * sizeof *values);
        return;
    }
    for (size_t k = width; k-- > 0;) {
        const variation *v = &d->variations[k];
        values[k] = v->values[run % v->count];
        run /= v->count;
    }
}

void free_design(design *d)
{
    for (int i = 0; i < d->variation_count; i++) {
        free(d->variations[i].name);
        free(d->variations[i].values);
    }
    free(d->variations);
    free(d->drawn);
    *d = (design){0};
}
