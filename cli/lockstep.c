/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Messages between a simulation and its controller.
 *
 *     greeting   { "trammel": "0.2.0", "model": ..., "format": "json", "period": 0.01, "values": [...], "inputs": [...] }
 *     message    { "t": 0.01, "lean": 0.098, ... }          answer   { "push": 1.5 }   or   [1.5]
 *     binary     8-byte doubles: t, then the values         answer   8-byte doubles, one per input; NAN: unchanged
 *
 * Numbers in JSON have enough digits to read back bit-identically. */

#include "lockstep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Buffers ------------------------------------------------------------------------------- */

bool buffer_add(byte_buffer *b, const void *bytes, size_t count)
{
    if (b->length + count > b->capacity) {
        const size_t capacity = 2 * (b->length + count);
        char *larger = realloc(b->bytes, capacity);
        if (!larger) return false;
        b->bytes = larger;
        b->capacity = capacity;
    }
    if (count > 0) memcpy(b->bytes + b->length, bytes, count);
    b->length += count;
    return true;
}

void buffer_drop(byte_buffer *b, size_t count)
{
    b->length -= count;
    if (b->length > 0) memmove(b->bytes, b->bytes + count, b->length);
}

static bool add_text(void *context, const char *text, size_t length)
{
    return buffer_add(context, text, length);
}

/* ---- To the controller --------------------------------------------------------------------- */

static void put_inputs(trm_json_writer *w, const trm_model *model)
{
    trm_json_open_array_flat(w, "inputs");
    for (int i = 0; i < trm_input_count(model); i++) {
        const trm_input_def input = trm_input_info_of(model, i);
        trm_json_open_object_flat(w, NULL);
        trm_json_put_text(w, "name", input.name);
        trm_json_put_numbers(w, "range", input.range, 2); /* an end that is not finite is null */
        trm_json_put_number(w, "start", input.start);
        trm_json_close(w);
    }
    trm_json_close(w);
}

/* Returns whether a column is the time, which every message contains. */
static bool is_time(const trm_results *columns, int i)
{
    return strcmp(trm_result_name(columns, i), "t") == 0;
}

static void put_values(trm_json_writer *w, const trm_results *columns)
{
    trm_json_open_array_flat(w, "values");
    for (int i = 0; i < trm_result_count(columns); i++) {
        if (is_time(columns, i)) continue;
        trm_json_open_object_flat(w, NULL);
        trm_json_put_text(w, "name", trm_result_name(columns, i));
        trm_json_put_text(w, "unit", trm_result_unit(columns, i));
        trm_json_close(w);
    }
    trm_json_close(w);
}

bool lockstep_write_greeting(const lockstep *l, byte_buffer *to)
{
    trm_json_writer w = trm_json_begin((trm_sink){add_text, to});
    trm_json_open_object_flat(&w, NULL);
    trm_json_put_text(&w, "trammel", trm_version());
    trm_json_put_text(&w, "model", trm_model_name(l->model));
    trm_json_put_text(&w, "format", l->format == LOCKSTEP_BINARY ? "binary" : "json");
    trm_json_put_number(&w, "period", l->period);
    put_values(&w, l->columns);
    put_inputs(&w, l->model);
    trm_json_close(&w);
    return trm_json_end(&w);
}

static bool write_binary(const lockstep *l, const trm_state *state, byte_buffer *to)
{
    const double t = trm_state_time(state);
    bool good = buffer_add(to, &t, sizeof t);
    for (int i = 0; good && i < trm_result_count(l->columns); i++) {
        const double value = trm_result_value(l->columns, i, state);
        if (!is_time(l->columns, i)) good = buffer_add(to, &value, sizeof value);
    }
    return good;
}

bool lockstep_write_values(const lockstep *l, const trm_state *state, bool reset, byte_buffer *to)
{
    if (l->format == LOCKSTEP_BINARY) return write_binary(l, state, to);
    trm_json_writer w = trm_json_begin((trm_sink){add_text, to});
    trm_json_open_object_flat(&w, NULL);
    trm_json_put_number(&w, "t", trm_state_time(state));
    if (reset) trm_json_put_bool(&w, "reset", true);
    for (int i = 0; i < trm_result_count(l->columns); i++)
        if (!is_time(l->columns, i))
            trm_json_put_number(&w, trm_result_name(l->columns, i), trm_result_value(l->columns, i, state));
    trm_json_close(&w);
    return trm_json_end(&w);
}

/* ---- From the controller ------------------------------------------------------------------- */

size_t lockstep_answer_length(const lockstep *l, const byte_buffer *from)
{
    if (from->length == 0) return 0;
    if (l->format == LOCKSTEP_BINARY) {
        const size_t whole = (size_t)trm_input_count(l->model) * sizeof(double);
        return from->length >= whole ? whole : 0;
    }
    const char *end = memchr(from->bytes, '\n', from->length);
    return end ? (size_t)(end - from->bytes) + 1 : 0;
}

/* The line that is being read. */
typedef struct scanner {
    const char *at, *end;
} scanner;

static void skip_blanks(scanner *s)
{
    while (s->at < s->end && strchr(" \t\r\n", *s->at)) s->at++;
}

static bool take(scanner *s, char letter)
{
    skip_blanks(s);
    if (s->at == s->end || *s->at != letter) return false;
    s->at++;
    return true;
}

/* Reads a string in quotes without unescaping it, because names of inputs contain no characters that JSON escapes. */
static bool take_name(scanner *s, const char **name, size_t *length)
{
    if (!take(s, '"')) return false;
    *name = s->at;
    while (s->at < s->end && *s->at != '"') s->at++;
    *length = (size_t)(s->at - *name);
    return take(s, '"');
}

static int digits(scanner *s)
{
    int count = 0;
    for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++) count++;
    return count;
}

/* Reads -?digits[.digits][e+-digits], or null, which is NAN. Returns false if there is no number. */
static bool take_number(scanner *s, double *value)
{
    char text[64], why[200];
    skip_blanks(s);
    const char *start = s->at;
    *value = NAN;
    if (s->end - start >= 4 && memcmp(start, "null", 4) == 0) {
        s->at += 4;
        return true;
    }
    if (s->at < s->end && *s->at == '-') s->at++;
    if (digits(s) == 0) return false;
    if (s->at < s->end && *s->at == '.') {
        s->at++;
        if (digits(s) == 0) return false;
    }
    if (s->at < s->end && (*s->at == 'e' || *s->at == 'E')) {
        s->at++;
        if (s->at < s->end && (*s->at == '+' || *s->at == '-')) s->at++;
        if (digits(s) == 0) return false;
    }
    const size_t length = (size_t)(s->at - start);
    if (length >= sizeof text) return false;
    memcpy(text, start, length);
    text[length] = 0;
    return trm_evaluate(text, value, why, sizeof why) && isfinite(*value);
}

static bool report_name(const lockstep *l, const char *name, size_t length, char *why, size_t size)
{
    int used =
        snprintf(why, size, "set '%.*s', which is not an input of the model; its inputs are", (int)length, name);
    for (int i = 0; used > 0 && (size_t)used < size && i < trm_input_count(l->model); i++)
        used += snprintf(why + used, size - (size_t)used, "%s %s", i ? "," : "", trm_input_info_of(l->model, i).name);
    return false;
}

static int find_input(const trm_model *model, const char *name, size_t length)
{
    for (int i = 0; i < trm_input_count(model); i++) {
        const char *own = trm_input_info_of(model, i).name;
        if (strlen(own) == length && memcmp(own, name, length) == 0) return i;
    }
    return -1;
}

typedef enum verdict { ANSWERED, NONSENSE, WRONG } verdict; /* NONSENSE: not an answer; WRONG: why has the reason */

/* Reads one member of an object: an input, or "t", which must be the time of the message. */
static verdict read_member(const lockstep *l, scanner *s, double time, double *inputs, char *why, size_t size)
{
    const char *name;
    size_t length;
    double value;
    if (!take_name(s, &name, &length) || !take(s, ':') || !take_number(s, &value)) return NONSENSE;
    const int input = find_input(l->model, name, length);
    if (input >= 0) {
        inputs[input] = value;
        return ANSWERED;
    }
    if (length != 1 || name[0] != 't') return report_name(l, name, length, why, size), WRONG;
    if (value == time) return ANSWERED;
    snprintf(why, size, "answered the message of t = %.9g s when that of t = %.9g s was due", value, time);
    return WRONG;
}

static verdict read_object(const lockstep *l, scanner *s, double time, double *inputs, char *why, size_t size)
{
    if (take(s, '}')) return ANSWERED;
    do {
        const verdict v = read_member(l, s, time, inputs, why, size);
        if (v != ANSWERED) return v;
    } while (take(s, ','));
    return take(s, '}') ? ANSWERED : NONSENSE;
}

static verdict read_array(const lockstep *l, scanner *s, double *inputs, char *why, size_t size)
{
    const int most = trm_input_count(l->model);
    int count = 0;
    double value;
    if (!take(s, ']')) {
        do {
            if (!take_number(s, &value)) return NONSENSE;
            if (count < most) inputs[count] = value;
            count++;
        } while (take(s, ','));
        if (!take(s, ']')) return NONSENSE;
    }
    if (count == most) return ANSWERED;
    snprintf(why, size, "answered with %d numbers; the model has %d inputs", count, most);
    return WRONG;
}

static bool read_binary(const lockstep *l, const char *bytes, double *inputs, char *why, size_t size)
{
    const int count = trm_input_count(l->model);
    memcpy(inputs, bytes, (size_t)count * sizeof *inputs);
    for (int i = 0; i < count; i++) {
        if (!isinf(inputs[i])) continue;
        snprintf(why, size, "set the input '%s' to a number that is not finite", trm_input_info_of(l->model, i).name);
        return false;
    }
    return true;
}

/* Writes the beginning of the line as a reason, without control characters. Returns false. */
static bool report_line(const char *bytes, size_t length, char *why, size_t size)
{
    enum { MOST_SHOWN = 60 };
    char shown[MOST_SHOWN + 1];
    size_t count = 0;
    for (; count < length && count < MOST_SHOWN && bytes[count] != '\n'; count++)
        shown[count] = bytes[count] >= ' ' && bytes[count] < 0x7f ? bytes[count] : '?';
    shown[count] = 0;
    snprintf(why, size,
             "answered '%s%s'; an answer is one line, {\"INPUT\": number, ...} or [number, ...] with one per input",
             shown, length > count + 1 ? "..." : "");
    return false;
}

bool lockstep_read_answer(const lockstep *l, const char *bytes, size_t length, double time, double *inputs, char *why,
                          size_t size)
{
    scanner s = {bytes, bytes + length};
    for (int i = 0; i < trm_input_count(l->model); i++) inputs[i] = NAN;
    if (l->format == LOCKSTEP_BINARY) return read_binary(l, bytes, inputs, why, size);
    verdict v = take(&s, '{')   ? read_object(l, &s, time, inputs, why, size)
                : take(&s, '[') ? read_array(l, &s, inputs, why, size)
                                : NONSENSE;
    skip_blanks(&s);
    if (v == ANSWERED && s.at != s.end) v = NONSENSE;
    return v == NONSENSE ? report_line(bytes, length, why, size) : v == ANSWERED;
}
