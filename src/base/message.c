/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "base/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/print.h"

struct trm_messages {
    trm_arena arena;
    trm_message *list;
    int count;
    int errors; /* number of errors, stored or not */
    bool kept;  /* the last message is stored */
    bool out_of_memory;
};

trm_messages *trm_messages_create(const trm_allocator *allocator)
{
    return trm_owner_create(allocator, sizeof(trm_messages));
}

void trm_messages_destroy(trm_messages *messages)
{
    trm_owner_destroy(messages, sizeof *messages);
}

void trm_messages_clear(trm_messages *messages)
{
    trm_arena_destroy(&messages->arena);
    messages->list = NULL;
    messages->count = messages->errors = 0;
    messages->out_of_memory = false;
}

int trm_message_count(const trm_messages *messages)
{
    return messages->count;
}

int trm_error_count(const trm_messages *messages)
{
    return messages->errors;
}

const trm_message *trm_message_at(const trm_messages *messages, int index)
{
    return index >= 0 && index < messages->count ? &messages->list[index] : NULL;
}

trm_status trm_messages_status(const trm_messages *messages)
{
    if (messages->out_of_memory) return TRM_OUT_OF_MEMORY;
    return messages->errors ? TRM_BAD_INPUT : TRM_OK;
}

/* Replaces control characters by question marks, also those of two bytes (U+0080 to U+009F), because messages quote
 * files and are printed on terminals. */
static void replace_control_characters(char *text)
{
    for (unsigned char *c = (unsigned char *)text; c && *c; c++) {
        const bool two_bytes = c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0;
        if (two_bytes) c[1] = '?';
        if (two_bytes || *c < ' ' || *c == 0x7f) *c = '?';
    }
}

static const char *disarmed_copy(trm_arena *arena, const char *text)
{
    char *copy = trm_arena_text(arena, text);
    replace_control_characters(copy);
    return copy;
}

/* Stores a message with copies of its texts. Fails only when out of memory. */
static bool store_message(trm_messages *messages, trm_message message)
{
    trm_arena *arena = &messages->arena;
    message.place.file = disarmed_copy(arena, message.place.file);
    message.element = disarmed_copy(arena, message.element);
    return !arena->failed && TRM_APPEND(arena, messages->list, messages->count, message);
}

static void add_list(trm_messages *messages, trm_severity severity, trm_place place, const char *element,
                     const char *format, va_list arguments)
{
    if (severity == TRM_ERROR) messages->errors++;
    messages->kept = false;
    if (messages->count >= TRM_MESSAGES_KEPT) return;

    va_list again;
    va_copy(again, arguments);
    const int length = trm_print_list(NULL, 0, format, arguments);
    char *text = trm_arena_array(&messages->arena, (size_t)(length < 0 ? 0 : length) + 1, 1);
    if (text) trm_print_list(text, (size_t)length + 1, format, again);
    va_end(again);

    replace_control_characters(text);
    messages->kept =
        text && store_message(messages, (trm_message){severity, place, element, text, TRM_MESSAGE_OTHER, ""});
    if (!messages->kept) messages->out_of_memory = true;
}

void trm_add_message(trm_messages *messages, trm_severity severity, trm_place place, const char *element,
                     const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_list(messages, severity, place, element, format, arguments);
    va_end(arguments);
}

void trm_add_error(trm_messages *messages, trm_place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_list(messages, TRM_ERROR, place, "", format, arguments);
    va_end(arguments);
}

void trm_add_warning(trm_messages *messages, trm_place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_list(messages, TRM_WARNING, place, "", format, arguments);
    va_end(arguments);
}

void trm_mark_message(trm_messages *messages, trm_message_code code, const char *subject)
{
    if (!messages->kept) return;
    const char *copy = disarmed_copy(&messages->arena, subject);
    if (!copy) messages->out_of_memory = true;
    messages->list[messages->count - 1].code = code;
    messages->list[messages->count - 1].subject = copy ? copy : "";
}

void trm_add_messages(trm_messages *messages, const trm_messages *from)
{
    for (int i = 0; messages && i < trm_message_count(from); i++) {
        const trm_message *m = trm_message_at(from, i);
        trm_add_message(messages, m->severity, m->place, m->element, "%s", m->text);
        trm_mark_message(messages, m->code, m->subject);
    }
}

static bool comes_before(trm_place a, trm_place b)
{
    if ((a.line > 0) != (b.line > 0)) return a.line > 0;
    return a.line != b.line ? a.line < b.line : a.column < b.column;
}

/* Sorts by insertion, which is stable; there are few messages. */
void trm_messages_sort(trm_messages *messages, int first)
{
    for (int i = first + 1; i < messages->count; i++) {
        const trm_message message = messages->list[i];
        int at = i;
        for (; at > first && comes_before(message.place, messages->list[at - 1].place); at--)
            messages->list[at] = messages->list[at - 1];
        messages->list[at] = message;
    }
}

int trm_format_message(const trm_message *message, char *buffer, size_t size)
{
    char where[64] = "";
    if (message->place.line > 0) snprintf(where, sizeof where, ":%d:%d", message->place.line, message->place.column);
    const char *file = message->place.file ? message->place.file : "";
    const char *kind = message->severity == TRM_ERROR ? "error" : "warning";
    const bool named = message->element && message->element[0];
    return snprintf(buffer, size, "%s%s%s%s: %s%s%s", file, where, *file || *where ? ": " : "", kind,
                    named ? message->element : "", named ? ": " : "", message->text);
}

const char *trm_status_text(trm_status status)
{
    switch (status) {
    case TRM_OK: return "ok";
    case TRM_OUT_OF_MEMORY: return "out of memory";
    case TRM_BAD_INPUT: return "bad input";
    case TRM_IO_ERROR: return "a file could not be read or written";
    }
    return "unknown status";
}

enum { LONGEST_WORD = 63 };

static int least(int a, int b, int c)
{
    const int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Returns the Levenshtein distance, in which two exchanged letters count as one change. Of words longer than
 * LONGEST_WORD only the beginning is compared. */
static int edit_distance(const char *a, const char *b)
{
    const int na = (int)strnlen(a, LONGEST_WORD), nb = (int)strnlen(b, LONGEST_WORD);
    int rows[3][LONGEST_WORD + 1]; /* row i is rows[i % 3] */
    for (int j = 0; j <= nb; j++) rows[0][j] = j;
    for (int i = 1; i <= na; i++) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= nb; j++) {
            row[j] = least(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && before[j - 2] + 1 < row[j]) row[j] = before[j - 2] + 1;
        }
    }
    return rows[na % 3][nb];
}

const char *trm_nearest_word(const char *word, const char *const *candidates, int count)
{
    const char *nearest = NULL;
    /* a word that differs in more than half of its letters is not suggested */
    int best = 1 + (int)strnlen(word, LONGEST_WORD) / 2;
    for (int i = 0; i < count; i++) {
        const int distance = edit_distance(word, candidates[i]);
        if (distance < best) best = distance, nearest = candidates[i];
    }
    return nearest;
}
