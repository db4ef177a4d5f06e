/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Sinks, and the JSON writer (RFC 8259).
 *
 * levels[depth] has bits for the array or object that is open at that depth: it is an object, it is flat, it has a
 * value already. levels[0] is the document itself, which has one value. */

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/number.h"
#include "io/json.h"
#include "trammel/app.h"
#include "trammel/io.h"

/* ---- Sinks -------------------------------------------------------------------------------- */

static bool write_to_file(void *context, const char *text, size_t length)
{
    return fwrite(text, 1, length, context) == length;
}

bool trm_put_text(trm_sink sink, const char *text)
{
    return sink.write(sink.context, text, strlen(text));
}

trm_sink trm_file_sink(FILE *file)
{
    return (trm_sink){write_to_file, file};
}

struct trm_text {
    trm_allocator allocator;
    char *bytes;
    size_t length, room; /* room includes the terminator, length does not */
};

enum { FIRST_ROOM = 256 };

trm_text *trm_text_create(const trm_allocator *allocator)
{
    const trm_allocator from = trm_allocator_or_default(allocator);
    trm_text *text = trm_allocate(&from, sizeof *text);
    if (text) text->allocator = from;
    return text;
}

void trm_text_destroy(trm_text *text)
{
    if (!text) return;
    const trm_allocator from = text->allocator;
    trm_release(&from, text->bytes, text->room);
    trm_release(&from, text, sizeof *text);
}

/* Makes room for length more bytes and the terminator. Returns false if out of memory. */
static bool make_room(trm_text *text, size_t length)
{
    if (text->room > text->length && text->room - text->length > length) return true;
    if (length > SIZE_MAX / 4 - text->length) return false;
    size_t room = text->room ? 2 * text->room : FIRST_ROOM;
    if (room < text->length + length + 1) room = text->length + length + 1;

    char *larger = text->allocator.allocate(text->allocator.context, room);
    if (!larger) return false;
    if (text->length) memcpy(larger, text->bytes, text->length);
    trm_release(&text->allocator, text->bytes, text->room);
    text->bytes = larger;
    text->room = room;
    return true;
}

static bool write_to_text(void *context, const char *bytes, size_t length)
{
    trm_text *text = context;
    if (!make_room(text, length)) return false;
    if (length) memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
    return true;
}

trm_sink trm_text_sink(trm_text *text)
{
    return (trm_sink){write_to_text, text};
}

const char *trm_text_get(const trm_text *text)
{
    return text->bytes ? text->bytes : "";
}

size_t trm_text_length(const trm_text *text)
{
    return text->length;
}

/* ---- Characters --------------------------------------------------------------------------- */

static void put_bytes(trm_json_writer *w, const char *bytes, size_t length)
{
    if (!w->failed && length && !w->sink.write(w->sink.context, bytes, length)) w->failed = true;
}

static void put(trm_json_writer *w, const char *text)
{
    put_bytes(w, text, strlen(text));
}

/* Writes a byte of a string as an escape. */
static void put_escape(trm_json_writer *w, unsigned char byte)
{
    static const char special[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *found = byte ? strchr(special, byte) : NULL;
    char text[8];
    if (found)
        snprintf(text, sizeof text, "\\%c", letters[found - special]);
    else
        snprintf(text, sizeof text, "\\u%04x", byte < ' ' ? (unsigned)byte : 0xfffdu);
    put(w, text);
}

static void put_string(trm_json_writer *w, const char *text)
{
    /* plain: start of the bytes that are not written yet and need no escape */
    const char *end = text + strlen(text), *plain = text;
    put(w, "\"");
    for (const char *at = text; at < end;) {
        const int bytes = trm_utf8_length(at, end);
        const unsigned char byte = (unsigned char)*at;
        if (bytes > 0 && byte >= ' ' && byte != '"' && byte != '\\') {
            at += bytes;
            continue;
        }
        put_bytes(w, plain, (size_t)(at - plain));
        put_escape(w, byte);
        plain = ++at;
    }
    put_bytes(w, plain, (size_t)(end - plain));
    put(w, "\"");
}

/* ---- Structure ---------------------------------------------------------------------------- */

enum { OBJECT = 1, FLAT = 2, FILLED = 4 };

static unsigned level_of(const trm_json_writer *w)
{
    return w->levels[w->depth];
}

static void put_new_line(trm_json_writer *w)
{
    put(w, "\n");
    for (int i = 0; i < w->depth; i++) put(w, "  ");
}

/* Writes the separator and white space before the next value, and its key. */
static void put_lead(trm_json_writer *w, const char *key)
{
    if (w->failed) return; /* levels are invalid after a failure */
    const unsigned level = level_of(w);
    const bool key_fits = (key != NULL) == ((level & OBJECT) != 0);
    const bool place_is_free = w->depth > 0 || !(level & FILLED);
    TRM_ASSERT(key_fits);
    TRM_ASSERT(place_is_free);
    if (!key_fits || !place_is_free) w->failed = true;
    if (w->failed) return;

    if (level & FILLED) put(w, level & FLAT ? ", " : ",");
    if (w->depth > 0 && !(level & FLAT)) put_new_line(w);
    w->levels[w->depth] |= FILLED;
    if (key) {
        put_string(w, key);
        put(w, ": ");
    }
}

static void open_level(trm_json_writer *w, const char *key, unsigned kind)
{
    TRM_ASSERT(w->depth < TRM_JSON_WRITER_DEPTH);
    if (w->depth >= TRM_JSON_WRITER_DEPTH) w->failed = true;
    put_lead(w, key);
    if (w->failed) return;
    const unsigned inherited = level_of(w) & FLAT;
    w->levels[++w->depth] = (unsigned char)(kind | inherited);
    put(w, kind & OBJECT ? "{" : "[");
}

trm_json_writer trm_json_begin(trm_sink sink)
{
    return (trm_json_writer){.sink = sink};
}

bool trm_json_end(trm_json_writer *w)
{
    const bool complete = w->failed || (w->depth == 0 && (level_of(w) & FILLED));
    TRM_ASSERT(complete);
    if (!complete) w->failed = true;
    put(w, "\n");
    return !w->failed;
}

void trm_json_open_object(trm_json_writer *w, const char *key)
{
    open_level(w, key, OBJECT);
}

void trm_json_open_array(trm_json_writer *w, const char *key)
{
    open_level(w, key, 0);
}

void trm_json_open_object_flat(trm_json_writer *w, const char *key)
{
    open_level(w, key, OBJECT | FLAT);
}

void trm_json_open_array_flat(trm_json_writer *w, const char *key)
{
    open_level(w, key, FLAT);
}

void trm_json_close(trm_json_writer *w)
{
    if (w->failed) return;
    TRM_ASSERT(w->depth > 0);
    if (w->depth == 0) {
        w->failed = true;
        return;
    }
    const unsigned level = level_of(w);
    w->depth--;
    if (level & FILLED && !(level & FLAT)) put_new_line(w);
    put(w, level & OBJECT ? "}" : "]");
}

/* ---- Values ------------------------------------------------------------------------------- */

void trm_json_put_number(trm_json_writer *w, const char *key, double value)
{
    char text[TRM_NUMBER_TEXT] = "null";
    if (isfinite(value)) trm_format_number(text, value);
    put_lead(w, key);
    put(w, text);
}

void trm_json_put_integer(trm_json_writer *w, const char *key, long long value)
{
    char text[TRM_NUMBER_TEXT];
    snprintf(text, sizeof text, "%lld", value);
    put_lead(w, key);
    put(w, text);
}

void trm_json_put_text(trm_json_writer *w, const char *key, const char *value)
{
    put_lead(w, key);
    if (value)
        put_string(w, value);
    else
        put(w, "null");
}

void trm_json_put_bool(trm_json_writer *w, const char *key, bool value)
{
    put_lead(w, key);
    put(w, value ? "true" : "false");
}

void trm_json_put_null(trm_json_writer *w, const char *key)
{
    put_lead(w, key);
    put(w, "null");
}

void trm_json_put_numbers(trm_json_writer *w, const char *key, const double *values, int count)
{
    trm_json_open_array_flat(w, key);
    for (int i = 0; i < count; i++) trm_json_put_number(w, NULL, values[i]);
    trm_json_close(w);
}

void trm_json_put_texts(trm_json_writer *w, const char *key, const char *const *values, int count)
{
    trm_json_open_array_flat(w, key);
    for (int i = 0; i < count; i++) trm_json_put_text(w, NULL, values[i]);
    trm_json_close(w);
}
