/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "request.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LINE = 800 };

/* The words of requests, with their numbers of numbers. */
static const struct {
    const char *word;
    request_kind kind;
    int numbers;
} words[] = {
    {"play", REQUEST_PLAY, 0},           {"pause", REQUEST_PAUSE, 0},         {"step", REQUEST_STEP, 0},
    {"reset", REQUEST_RESET, 0},         {"reload", REQUEST_RELOAD, 0},       {"release", REQUEST_RELEASE, 0},
    {"speed", REQUEST_SPEED, 1},         {"seen", REQUEST_SEEN, 1},           {"pull", REQUEST_PULL, 3},
    {"grab", REQUEST_GRAB, 4},           {"want reactions", REQUEST_WANT, 1}, {"control", REQUEST_CONTROL, 2},
    {"uncontrol", REQUEST_UNCONTROL, 1}, {"rewind", REQUEST_REWIND, 1},       {"jog", REQUEST_JOG, 2},
    {"place", REQUEST_PLACE, 7},         {"drop", REQUEST_DROP, 0},
};
enum { WORDS = sizeof words / sizeof words[0] };

static bool refuse(char *why, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

static bool refuse(char *why, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(why, size, format, list);
    va_end(list);
    return false;
}

/* Returns the rest of a line after a word. Returns NULL if the line does not begin with the word. */
static const char *after_word(const char *line, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(line, word, length) != 0) return NULL;
    return line[length] == 0 || line[length] == ' ' ? line + length : NULL;
}

/* Reads count numbers, each after a blank, with nothing after the last. */
static bool read_numbers(const char *rest, int count, double *numbers)
{
    for (int i = 0; i < count; i++) {
        char *end;
        if (rest[0] != ' ' || rest[1] == ' ' || rest[1] == 0) return false;
        numbers[i] = strtod(rest + 1, &end);
        if (end == rest + 1 || !isfinite(numbers[i])) return false;
        rest = end;
    }
    return rest[0] == 0;
}

static bool read_setting(const char *word, const char *rest, request *r, char *why, size_t size)
{
    const char *blank = rest[0] == ' ' ? strchr(rest + 1, ' ') : NULL;
    if (!blank || blank == rest + 1 || blank[1] == 0) return refuse(why, size, "%s takes a name and a value", word);
    const int length = (int)(blank - rest - 1);
    if (length >= (int)sizeof r->name || strlen(blank + 1) >= sizeof r->value)
        return refuse(why, size, "a setting is too long");
    snprintf(r->name, sizeof r->name, "%.*s", length, rest + 1);
    snprintf(r->value, sizeof r->value, "%s", blank + 1);
    return true;
}

/* Reads the name of a file, which is the rest of the line. Returns false with the reason in why. */
static bool read_name(const char *word, request_kind kind, const char *rest, request *r, char *why, size_t size)
{
    if (rest[0] == 0 || rest[1] == 0) return refuse(why, size, "%s takes a name", word);
    if (strlen(rest + 1) >= sizeof r->name) return refuse(why, size, "the name of a file is too long");
    r->kind = kind;
    snprintf(r->name, sizeof r->name, "%s", rest + 1);
    return true;
}

static bool read_line(const char *line, request *r, char *why, size_t size)
{
    const char *rest = after_word(line, "set"), *constant = after_word(line, "constant"),
               *load = after_word(line, "load");
    if (after_word(line, "model")) return refuse(why, size, "model takes the text of a file after its line");
    if (after_word(line, "file")) return refuse(why, size, "file takes the bytes of a file after its line");
    if (load) return read_name("load", REQUEST_LOAD, load, r, why, size);
    r->kind = constant ? REQUEST_CONSTANT : REQUEST_SET;
    if (rest || constant)
        return read_setting(constant ? "constant" : "set", constant ? constant : rest, r, why, size);
    for (int i = 0; i < WORDS; i++) {
        rest = after_word(line, words[i].word);
        if (!rest) continue;
        r->kind = words[i].kind;
        if (read_numbers(rest, words[i].numbers, r->numbers)) return true;
        return refuse(why, size, "%s takes %d numbers", words[i].word, words[i].numbers);
    }
    return refuse(why, size, "there is no request of this name");
}

/* Reads a message with a file after its first line, "model NAME" or "file NAME". Returns false with the reason in
 * why. */
static bool read_file(const char *line, const char *message, size_t length, request *r, char *why, size_t size)
{
    const char *model = after_word(line, "model"), *name = model ? model : after_word(line, "file");
    const size_t used = strlen(line) + 1;
    if (!name) return refuse(why, size, "only model and file take more than one line");
    if (!read_name(model ? "model" : "file", model ? REQUEST_MODEL : REQUEST_FILE, name, r, why, size)) return false;
    r->text = message + used;
    r->length = length - used;
    return true;
}

bool read_request(const char *message, size_t length, request *r, char *why, size_t size)
{
    char line[LONGEST_LINE + 1];
    const char *end = length > 0 ? memchr(message, '\n', length) : NULL;
    const size_t first = end ? (size_t)(end - message) : length;
    *r = (request){0};
    if (first == 0) return refuse(why, size, "an empty message");
    if (first > LONGEST_LINE) return refuse(why, size, "the line is too long");
    memcpy(line, message, first);
    line[first] = 0;
    for (size_t i = 0; i < first; i++)
        if ((unsigned char)line[i] < ' ') return refuse(why, size, "there is a control character in the line");
    return end ? read_file(line, message, length, r, why, size) : read_line(line, r, why, size);
}
