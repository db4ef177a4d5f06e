/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A recursive-descent reader: one function per rule of RFC 8259, each leaving p->next after what it read.
 *
 *   value   = object | array | string | number | true | false | null
 *   object  = '{' [ key ':' value { ',' key ':' value } [ ',' ] ] '}'
 *   array   = '[' [ value { ',' value } [ ',' ] ] ']'
 *
 * Functions return false when the document is refused (with a message) or when out of memory (arena->failed).
 * Values of arrays and objects that are still open wait in one list, p->pending; when one is closed its values move
 * to the document in one piece. Lines can end only in white space and comments, so a column is a distance from
 * p->line_start. */

#include "io/json.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/names.h"
#include "base/number.h"

/* An array or object that has not been closed yet. */
typedef struct opening {
    char bracket, closing;
    int line, column;
} opening;

enum { KEYS_KNOWN = 64, FEW_KEYS = 12 };

typedef struct parser {
    trm_arena *arena;  /* the document */
    trm_arena scratch; /* released after reading */
    trm_messages *messages;
    const char *file;
    trm_json_limits limits;

    const char *next, *end;
    const char *line_start;
    int line;

    opening open; /* the innermost one; bracket 0: none is open */
    int depth, values;
    /* keys and values of all open arrays and objects, from the arena's allocator; no keys in arrays */
    trm_json_member *pending;
    int pending_count, pending_room;
    const char *keys[KEYS_KNOWN]; /* last key of each hash, because most keys occur many times in a document */
} parser;

static bool parse_value(parser *p, trm_json *value);

/* ---- Places and messages ------------------------------------------------------------------ */

static trm_place place_of(const parser *p, const char *at)
{
    return (trm_place){p->file, p->line, (int)(at - p->line_start) + 1};
}

/* Reports an error at a place of the current line. Returns false. */
#define REFUSE(p, at, ...) (trm_add_error((p)->messages, place_of(p, at), __VA_ARGS__), false)

enum { EXCERPT_BYTES = 40, EXCERPT_TEXT = EXCERPT_BYTES + 4 };

/* Returns a piece of the file for a message, shortened at a character, with control characters as '?'. */
static const char *excerpt(char buffer[EXCERPT_TEXT], const char *text, size_t length)
{
    const char *end = text + length;
    int used = 0;
    for (const char *at = text; at < end;) {
        const int bytes = trm_utf8_length(at, end);
        if (used + (bytes ? bytes : 1) > EXCERPT_BYTES) {
            memcpy(buffer + used, "...", 4);
            return buffer;
        }
        if (bytes == 0 || (unsigned char)*at < ' ' || *at == 0x7f) {
            buffer[used++] = '?';
            at++;
        } else {
            memcpy(buffer + used, at, (size_t)bytes);
            used += bytes;
            at += bytes;
        }
    }
    buffer[used] = '\0';
    return buffer;
}

/* Returns the character at p->next in quotes, or its byte value if it cannot be shown. */
static const char *shown_character(const parser *p, char buffer[EXCERPT_TEXT])
{
    const int bytes = trm_utf8_length(p->next, p->end);
    const unsigned char byte = (unsigned char)*p->next;
    if (bytes == 0 || byte < ' ' || byte == 0x7f)
        snprintf(buffer, EXCERPT_TEXT, "the byte 0x%02x", byte);
    else
        snprintf(buffer, EXCERPT_TEXT, "'%.*s'", bytes, p->next);
    return buffer;
}

static bool refuse_not_utf8(const parser *p, const char *at)
{
    return REFUSE(p, at, "the byte 0x%02x is not UTF-8 here; save the file in the encoding UTF-8",
                  (unsigned)(unsigned char)*at);
}

static const char *container_name(opening open)
{
    return open.bracket == '{' ? "object" : "array";
}

static bool refuse_at_end(const parser *p)
{
    if (!p->open.bracket) return REFUSE(p, p->next, "the file holds no value; a document is at least {}");
    return REFUSE(p, p->next,
                  "the file ends inside the %s that was opened in line %d, column %d; its '%c' is missing",
                  container_name(p->open), p->open.line, p->open.column, p->open.closing);
}

static bool refuse_closing_bracket(const parser *p)
{
    const char bracket = *p->next;
    if (!p->open.bracket) return REFUSE(p, p->next, "'%c' closes nothing; a value is expected", bracket);
    if (bracket == p->open.closing) return REFUSE(p, p->next, "a value is expected before '%c'", bracket);
    return REFUSE(p, p->next, "'%c' does not close the %s that was opened in line %d, column %d; '%c' is expected",
                  bracket, container_name(p->open), p->open.line, p->open.column, p->open.closing);
}

/* ---- Characters --------------------------------------------------------------------------- */

static bool is_between(const char *at, const char *end, unsigned char lo, unsigned char hi)
{
    return at < end && (unsigned char)*at >= lo && (unsigned char)*at <= hi;
}

int trm_utf8_length(const char *text, const char *end)
{
    if (text >= end) return 0;
    const unsigned char lead = (unsigned char)*text;
    if (lead < 0x80) return 1;
    if (lead < 0xc2 || lead > 0xf4) return 0;

    /* the range of the second byte excludes overlong forms, surrogates and code points above U+10FFFF */
    const unsigned char lo = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const unsigned char hi = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    const int length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (!is_between(text + 1, end, lo, hi)) return 0;
    for (int i = 2; i < length; i++)
        if (!is_between(text + i, end, 0x80, 0xbf)) return 0;
    return length;
}

static bool is_letter(const char *at, const char *end)
{
    return is_between(at, end, 'a', 'z') || is_between(at, end, 'A', 'Z') || is_between(at, end, '_', '_');
}

static bool is_digit(const char *at, const char *end)
{
    return is_between(at, end, '0', '9');
}

static bool is_next(const parser *p, char c)
{
    return p->next < p->end && *p->next == c;
}

static bool starts_with(const parser *p, const char *text)
{
    const size_t length = strlen(text);
    return (size_t)(p->end - p->next) >= length && memcmp(p->next, text, length) == 0;
}

/* ---- White space and comments ------------------------------------------------------------- */

/* Skips one character of white space or of a comment. Returns false after refusing it. */
static bool step(parser *p)
{
    const int bytes = trm_utf8_length(p->next, p->end);
    if (bytes == 0) return refuse_not_utf8(p, p->next);
    const bool line_ends = *p->next == '\n';
    p->next += bytes;
    if (line_ends) {
        p->line++;
        p->line_start = p->next;
    }
    return true;
}

static bool skip_line_comment(parser *p)
{
    while (p->next < p->end && *p->next != '\n')
        if (!step(p)) return false;
    return true;
}

static bool skip_block_comment(parser *p)
{
    const trm_place start = place_of(p, p->next);
    p->next += 2;
    while (p->next < p->end && !starts_with(p, "*/"))
        if (!step(p)) return false;
    if (p->next == p->end) {
        trm_add_error(p->messages, start, "this comment is not closed; '*/' is missing");
        return false;
    }
    p->next += 2;
    return true;
}

static bool skip_comment(parser *p)
{
    if (starts_with(p, "//")) return skip_line_comment(p);
    if (starts_with(p, "/*")) return skip_block_comment(p);
    return REFUSE(p, p->next, "'/' begins neither a value nor a comment; comments begin with // or /*");
}

static bool skip_space(parser *p)
{
    while (p->next < p->end) {
        const char c = *p->next;
        if (c == ' ' || c == '\t' || c == '\r')
            p->next++;
        else if (c == '\n')
            p->line++, p->line_start = ++p->next;
        else if (c != '/')
            return true;
        else if (!skip_comment(p))
            return false;
    }
    return true;
}

/* ---- Strings ------------------------------------------------------------------------------ */

/* Returns the closing quote of the string at p->next, or NULL if its line or the file ends before. */
static const char *closing_quote(const parser *p)
{
    for (const char *at = p->next + 1; at < p->end && *at != '\n'; at++) {
        if (*at == '"') return at;
        if (*at == '\\' && at + 1 < p->end && at[1] != '\n') at++;
    }
    return NULL;
}

/* Writes the UTF-8 of a code point. Returns its end. */
static char *put_utf8(char *out, unsigned code)
{
    if (code < 0x80) {
        *out++ = (char)code;
        return out;
    }
    if (code < 0x800) {
        *out++ = (char)(0xc0 | code >> 6);
    } else {
        if (code < 0x10000) {
            *out++ = (char)(0xe0 | code >> 12);
        } else {
            *out++ = (char)(0xf0 | code >> 18);
            *out++ = (char)(0x80 | (code >> 12 & 0x3f));
        }
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
    }
    *out++ = (char)(0x80 | (code & 0x3f));
    return out;
}

static int hexadecimal(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Returns the code unit of \uXXXX at text, or -1 if text is not of this form. */
static int code_unit(const char *text, const char *end)
{
    if (end - text < 6 || text[0] != '\\' || text[1] != 'u') return -1;
    int unit = 0;
    for (int i = 2; i < 6; i++) {
        const int digit = hexadecimal(text[i]);
        if (digit < 0) return -1;
        unit = 16 * unit + digit;
    }
    return unit;
}

/* Reads \uXXXX, or two of them if the first is a high surrogate. */
static bool read_unicode_escape(parser *p, const char *quote, char **out)
{
    const char *at = p->next;
    const int unit = code_unit(at, quote);
    const int low = unit < 0 ? -1 : code_unit(at + 6, quote);
    const bool is_high = unit >= 0xd800 && unit <= 0xdbff, is_low = unit >= 0xdc00 && unit <= 0xdfff;
    const bool is_pair = is_high && low >= 0xdc00 && low <= 0xdfff;

    if (unit < 0) return REFUSE(p, at, "\\u takes four hexadecimal digits, as in \\u00e9");
    if (unit == 0) return REFUSE(p, at, "\\u0000 is not accepted in strings; names end at a NUL");
    if ((is_high || is_low) && !is_pair)
        return REFUSE(p, at, "\\u%04x is half of a surrogate pair; %s", (unsigned)unit,
                      is_high ? "one of \\udc00 to \\udfff must follow" : "one of \\ud800 to \\udbff must go before");
    const int code = is_pair ? 0x10000 + (unit - 0xd800) * 0x400 + (low - 0xdc00) : unit;
    *out = put_utf8(*out, (unsigned)code);
    p->next += is_pair ? 12 : 6;
    return true;
}

static bool read_escape(parser *p, const char *quote, char **out)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char letter = p->next[1];
    if (letter == 'u') return read_unicode_escape(p, quote, out);
    const char *found = letter ? strchr(letters, letter) : NULL;
    if (!found) {
        char buffer[EXCERPT_TEXT];
        const int bytes = trm_utf8_length(p->next + 1, p->end);
        return REFUSE(p, p->next, "'\\%s' is not an escape; a backslash itself is written \\\\",
                      excerpt(buffer, p->next + 1, bytes ? (size_t)bytes : 1));
    }
    p->next += 2;
    *(*out)++ = meanings[found - letters];
    return true;
}

/* Reads one character other than an escape. */
static bool read_plain(parser *p, char **out)
{
    const unsigned char byte = (unsigned char)*p->next;
    const int bytes = trm_utf8_length(p->next, p->end);
    if (byte == '\0') return REFUSE(p, p->next, "a NUL byte in a string; remove it");
    if (byte < ' ')
        return REFUSE(p, p->next, "the control character 0x%02x in a string; write it as \\u%04x", byte, byte);
    if (bytes == 0) return refuse_not_utf8(p, p->next);
    memcpy(*out, p->next, (size_t)bytes);
    p->next += bytes;
    *out += bytes;
    return true;
}

static bool parse_string(parser *p, const char **text, size_t *length)
{
    const char *quote = closing_quote(p);
    if (!quote)
        return REFUSE(p, p->next,
                      "this string is not closed in its line; '\"' is missing (a line break inside is \\n)");

    /* the unescaped text is not longer */
    char *start = trm_arena_array(p->arena, (size_t)(quote - p->next), 1), *out = start;
    if (!start) return false;
    p->next++;
    while (p->next < quote && *p->next >= ' ' && *p->next != 0x7f && *p->next != '\\')
        *out++ = *p->next++; /* ASCII */
    while (p->next < quote)
        if (*p->next == '\\' ? !read_escape(p, quote, &out) : !read_plain(p, &out)) return false;
    p->next = quote + 1;
    *out = '\0';
    *text = start;
    *length = (size_t)(out - start);
    return true;
}

/* ---- Numbers and words -------------------------------------------------------------------- */

/* Returns the end of the word that a person would take for a number. */
static const char *end_of_word(const char *at, const char *end)
{
    while (is_letter(at, end) || is_digit(at, end) || is_between(at, end, '.', '.') ||
           is_between(at, end, '+', '+') || is_between(at, end, '-', '-') || is_between(at, end, 0x80, 0xff))
        at++;
    return at;
}

static bool is_infinity_or_nan(const char *word, size_t length)
{
    char lower[16] = "";
    for (size_t i = 0; i < length && i + 1 < sizeof lower; i++)
        lower[i] = (char)(word[i] >= 'A' && word[i] <= 'Z' ? word[i] - 'A' + 'a' : word[i]);
    return trm_has_word("nan inf infinity", lower);
}

/* Returns advice for a word that is not a valid number. */
static const char *number_hint(const char *word, const char *end)
{
    const char *at = word + (*word == '-' || *word == '+');
    if (is_infinity_or_nan(at, (size_t)(end - at))) return "numbers are finite";
    if (*word == '+') return "a number has no '+' before it";
    if (at == end) return "digits are missing after '-'";
    if (*at == '.') return "a digit is missing before the point, as in 0.5";
    if (*at == '0' && at + 1 < end && (at[1] == 'x' || at[1] == 'X')) return "numbers are written in decimal";
    if (*at == '0' && is_digit(at + 1, end)) return "a number has no zeros before it";

    while (is_digit(at, end)) at++;
    if (at < end && *at == '.') {
        if (!is_digit(++at, end)) return "a digit is missing after the point, as in 5.0";
        while (is_digit(at, end)) at++;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < end && (*at == '-' || *at == '+')) at++;
        if (at == end) return "digits are missing in the exponent, as in 1e-3";
    }
    return "text and formulas are written in double quotes";
}

static bool parse_number(parser *p, trm_json *value)
{
    const char *start = p->next, *stop = trm_parse_number(start, p->end, &value->number);
    const char *word_end = stop ? end_of_word(stop, p->end) : end_of_word(start, p->end);
    char buffer[EXCERPT_TEXT];
    if (stop != word_end)
        return REFUSE(p, start, "'%s' is not a number; %s", excerpt(buffer, start, (size_t)(word_end - start)),
                      number_hint(start, word_end));
    if (isinf(value->number))
        return REFUSE(p, start, "the number %s is too large; the largest is about 1.8e308",
                      excerpt(buffer, start, (size_t)(stop - start)));
    value->kind = TRM_JSON_NUMBER;
    p->next = stop;
    return true;
}

static bool refuse_word(const parser *p, size_t length)
{
    static const char *const words[] = {"true", "false", "null"};
    char buffer[EXCERPT_TEXT], lower[EXCERPT_TEXT];
    const char *word = excerpt(buffer, p->next, length);
    if (is_infinity_or_nan(p->next, length))
        return REFUSE(p, p->next, "'%s' is not accepted; numbers are finite", word);

    memcpy(lower, buffer, sizeof lower);
    for (char *c = lower; *c; c++)
        if (*c >= 'A' && *c <= 'Z') *c = (char)(*c - 'A' + 'a');
    const char *meant = trm_nearest_word(lower, words, 3);
    if (meant) return REFUSE(p, p->next, "'%s' is not a value; did you mean %s?", word, meant);
    return REFUSE(p, p->next, "'%s' is not a value; text is written in double quotes", word);
}

static bool parse_word(parser *p, trm_json *value)
{
    const char *at = p->next;
    while (is_letter(at, p->end) || is_digit(at, p->end)) at++;
    const size_t length = (size_t)(at - p->next);

    if (length == 4 && starts_with(p, "null"))
        value->kind = TRM_JSON_NULL;
    else if (length == 4 && starts_with(p, "true"))
        value->kind = TRM_JSON_BOOL, value->boolean = true;
    else if (length == 5 && starts_with(p, "false"))
        value->kind = TRM_JSON_BOOL;
    else
        return refuse_word(p, length);
    p->next = at;
    return true;
}

/* ---- Arrays and objects ------------------------------------------------------------------- */

static bool make_room(parser *p)
{
    const size_t room = p->pending_room ? 2 * (size_t)p->pending_room : 64;
    trm_json_member *larger = room > INT_MAX ? NULL : trm_allocate(&p->arena->allocator, room * sizeof *larger);
    if (!larger) {
        p->scratch.failed = true;
        return false;
    }
    if (p->pending_count) memcpy(larger, p->pending, (size_t)p->pending_count * sizeof *larger);
    trm_release(&p->arena->allocator, p->pending, (size_t)p->pending_room * sizeof *larger);
    p->pending = larger;
    p->pending_room = (int)room;
    return true;
}

static bool push(parser *p, const trm_json_member *member)
{
    if (p->pending_count == p->pending_room && !make_room(p)) return false;
    p->pending[p->pending_count++] = *member;
    return true;
}

/* Moves the pending values from number first on into an array of the document. */
static bool take_items(parser *p, trm_json *array, int first)
{
    const int count = p->pending_count - first;
    trm_json *items = TRM_NEW_ROOM(p->arena, trm_json, count);
    if (!items) return false;
    for (int i = 0; i < count; i++) items[i] = p->pending[first + i].value;
    array->count = count;
    array->items = items;
    p->pending_count = first;
    return true;
}

/* Sorts members by key; members with equal keys keep their order. Merge sort has no slow worst case that a hostile
 * file could exploit. */
static void sort_by_key(const trm_json_member **list, const trm_json_member **spare, int count)
{
    if (count < 2) return;
    const int half = count / 2;
    sort_by_key(list, spare, half);
    sort_by_key(list + half, spare, count - half);

    memcpy(spare, list, (size_t)half * sizeof *list);
    for (int left = 0, right = half, to = 0; left < half; to++) {
        const bool take_right = right < count && strcmp(list[right]->key, spare[left]->key) < 0;
        list[to] = take_right ? list[right++] : spare[left++];
    }
}

/* Returns whether a few keys are all different, by comparing all pairs. */
static bool few_keys_differ(const trm_json_member *members, int count)
{
    for (int i = 1; i < count; i++)
        for (int k = 0; k < i; k++)
            if (members[i].key == members[k].key ||
                (members[i].key[0] == members[k].key[0] && strcmp(members[i].key, members[k].key) == 0))
                return false;
    return true;
}

/* Returns whether all keys of an object differ. Otherwise refuses the object at the first repeated key. */
static bool keys_differ(parser *p, const trm_json_member *members, int count)
{
    if (count <= FEW_KEYS && few_keys_differ(members, count)) return true;
    const trm_arena_mark mark = trm_arena_get_mark(&p->scratch);
    const trm_json_member **list = TRM_NEW_ARRAY(&p->scratch, const trm_json_member *, count);
    const trm_json_member **spare = TRM_NEW_ARRAY(&p->scratch, const trm_json_member *, count / 2);
    if (!list || !spare) return false;
    for (int i = 0; i < count; i++) list[i] = &members[i];
    sort_by_key(list, spare, count);

    const trm_json_member *again = NULL, *first = NULL;
    for (int i = 1; i < count; i++) {
        const bool same = strcmp(list[i - 1]->key, list[i]->key) == 0;
        if (same && (!again || list[i] < again)) again = list[i], first = list[i - 1];
    }
    trm_arena_reset(&p->scratch, mark);
    if (!again) return true;

    char buffer[EXCERPT_TEXT];
    trm_add_error(p->messages, (trm_place){p->file, again->line, again->column},
                  "the key \"%s\" occurs twice in this object, first in line %d; remove one",
                  excerpt(buffer, again->key, strlen(again->key)), first->line);
    return false;
}

/* Moves the pending members from number first on into an object of the document. */
static bool take_members(parser *p, trm_json *object, int first)
{
    const int count = p->pending_count - first;
    const trm_json_member *source = count ? p->pending + first : NULL;
    if (!keys_differ(p, source, count)) return false;
    object->members = trm_arena_copy(p->arena, source, (size_t)count, sizeof *source);
    object->count = count;
    p->pending_count = first;
    return object->members != NULL;
}

static bool refuse_key(const parser *p)
{
    char buffer[EXCERPT_TEXT];
    if (p->next == p->end) return refuse_at_end(p);
    if (*p->next == '}' || *p->next == ']') return refuse_closing_bracket(p);
    if (*p->next == '\'') return REFUSE(p, p->next, "keys are written in double quotes, not in single ones");
    if (is_letter(p->next, p->end)) {
        const char *end = end_of_word(p->next, p->end);
        const char *word = excerpt(buffer, p->next, (size_t)(end - p->next));
        return REFUSE(p, p->next, "keys are written in double quotes: \"%s\"", word);
    }
    return REFUSE(p, p->next, "%s is not expected here; a key in double quotes, or '}', is",
                  shown_character(p, buffer));
}

/* Returns a key of letters, digits and underscores that has occurred before, without reading it again. Returns NULL
 * if there is none. */
static const char *known_key(parser *p, const char ***place)
{
    const char *first = p->next + 1, *at = first;
    unsigned hash = 0;
    while (is_letter(at, p->end) || is_digit(at, p->end)) hash = 31 * hash + (unsigned char)*at++;
    *place = NULL;
    if (at >= p->end || *at != '"') return NULL;
    *place = &p->keys[hash % KEYS_KNOWN];
    const char *key = **place;
    const size_t length = (size_t)(at - first);
    if (!key || strncmp(key, first, length) != 0 || key[length] != 0) return NULL;
    p->next = at + 1;
    return key;
}

/* Reads key ':'. */
static bool parse_key(parser *p, trm_json_member *member)
{
    if (!is_next(p, '"')) return refuse_key(p);
    const trm_place place = place_of(p, p->next);
    const char **known;
    size_t length = 0;
    member->key = known_key(p, &known);
    if (!member->key && !parse_string(p, &member->key, &length)) return false;
    if (known) *known = member->key;
    member->line = place.line;
    member->column = place.column;

    if (!skip_space(p)) return false;
    if (p->next == p->end) return refuse_at_end(p);
    if (*p->next != ':') {
        char buffer[EXCERPT_TEXT];
        return REFUSE(p, p->next, "':' is missing after the key \"%s\"",
                      excerpt(buffer, member->key, strlen(member->key)));
    }
    p->next++;
    return true;
}

/* Reads the comma after a value. The closing bracket is left. */
static bool parse_separator(parser *p)
{
    if (!skip_space(p)) return false;
    if (p->next == p->end) return refuse_at_end(p);
    if (*p->next == p->open.closing) return true;
    if (*p->next == '}' || *p->next == ']') return refuse_closing_bracket(p);
    if (*p->next != ',') {
        char buffer[EXCERPT_TEXT];
        return REFUSE(p, p->next, "%s is not expected here; a ',' is missing before it, or a '%c'",
                      shown_character(p, buffer), p->open.closing);
    }
    p->next++;
    return true;
}

/* Reads key ':' value in an object, or a value in an array, and the separator after it. */
static bool parse_entry(parser *p)
{
    trm_json_member member = {0};
    if (p->open.bracket == '{' && !parse_key(p, &member)) return false;
    return parse_value(p, &member.value) && push(p, &member) && parse_separator(p);
}

static bool parse_container(parser *p, trm_json *value)
{
    const opening outer = p->open;
    const bool is_object = *p->next == '{';
    const opening here = {is_object ? '{' : '[', is_object ? '}' : ']', value->line, value->column};
    const int first = p->pending_count;
    if (p->depth >= p->limits.depth)
        return REFUSE(p, p->next, "arrays and objects are nested deeper than the limit of %d", p->limits.depth);

    p->open = here;
    p->depth++;
    p->next++;
    if (!skip_space(p)) return false;
    while (!is_next(p, here.closing))
        if (!parse_entry(p) || !skip_space(p)) return false;
    p->next++;
    p->depth--;
    p->open = outer;
    value->kind = is_object ? TRM_JSON_OBJECT : TRM_JSON_ARRAY;
    return is_object ? take_members(p, value, first) : take_items(p, value, first);
}

/* ---- Values and the document -------------------------------------------------------------- */

static bool refuse_value(const parser *p)
{
    char buffer[EXCERPT_TEXT];
    switch (*p->next) {
    case ',': return REFUSE(p, p->next, "a value is missing before this ','");
    case '\'': return REFUSE(p, p->next, "strings are written in double quotes, not in single ones");
    case ']':
    case '}': return refuse_closing_bracket(p);
    default: break;
    }
    if (trm_utf8_length(p->next, p->end) == 0) return refuse_not_utf8(p, p->next);
    return REFUSE(p, p->next, "%s begins no value; a value is a number, \"text\", true, false, null, [...] or {...}",
                  shown_character(p, buffer));
}

static bool parse_value(parser *p, trm_json *value)
{
    if (!skip_space(p)) return false;
    if (p->next == p->end) return refuse_at_end(p);
    if (p->values >= p->limits.values)
        return REFUSE(p, p->next, "the file holds more values than the limit of %d", p->limits.values);
    p->values++;

    const trm_place place = place_of(p, p->next);
    const char c = *p->next;
    *value = (trm_json){.line = place.line, .column = place.column};
    if (c == '{' || c == '[') return parse_container(p, value);
    if (c == '-' || c == '+' || c == '.' || is_digit(p->next, p->end)) return parse_number(p, value);
    if (is_letter(p->next, p->end)) return parse_word(p, value);
    if (c != '"') return refuse_value(p);
    value->kind = TRM_JSON_STRING;
    return parse_string(p, &value->text, &value->length);
}

/* Skips the byte-order mark. Refuses an empty file and UTF-16, with a message that names the encoding. */
static bool parse_start(parser *p)
{
    if (p->next == p->end) return REFUSE(p, p->next, "the file is empty; a document is at least {}");
    if (starts_with(p, "\xff\xfe") || starts_with(p, "\xfe\xff"))
        return REFUSE(p, p->next, "the file is UTF-16; save it in the encoding UTF-8");
    if (starts_with(p, "\xef\xbb\xbf")) p->line_start = p->next += 3;
    return true;
}

static bool parse_document(parser *p, trm_json *root)
{
    if (!parse_start(p) || !parse_value(p, root) || !skip_space(p)) return false;
    char buffer[EXCERPT_TEXT];
    if (p->next < p->end)
        return REFUSE(p, p->next, "%s after the end of the document; a file holds one value",
                      shown_character(p, buffer));
    return true;
}

trm_json_limits trm_json_default_limits(void)
{
    return (trm_json_limits){.depth = 100, .bytes = (size_t)1 << 30, .values = INT_MAX};
}

static trm_json_limits usable_limits(const trm_json_limits *wanted)
{
    trm_json_limits limits = wanted ? *wanted : trm_json_default_limits();
    if (limits.depth > TRM_JSON_DEEPEST) limits.depth = TRM_JSON_DEEPEST;
    if (limits.bytes > INT_MAX - 1) limits.bytes = INT_MAX - 1;
    return limits;
}

const trm_json *trm_json_parse(trm_arena *arena, const char *text, size_t length, const char *file,
                               const trm_json_limits *limits, trm_messages *messages)
{
    parser p = {.arena = arena, .messages = messages, .file = file, .limits = usable_limits(limits), .line = 1};
    if (length > p.limits.bytes) {
        trm_add_error(messages, (trm_place){.file = file}, "the file has %zu bytes; the limit is %zu", length,
                      p.limits.bytes);
        return NULL;
    }
    p.next = p.line_start = text;
    p.end = text + length;
    trm_arena_init(&p.scratch, &arena->allocator);

    const trm_arena_mark mark = trm_arena_get_mark(arena);
    trm_json *root = TRM_NEW(arena, trm_json);
    const bool read = root && parse_document(&p, root);
    if (p.scratch.failed) arena->failed = true;
    trm_arena_destroy(&p.scratch);
    trm_release(&arena->allocator, p.pending, (size_t)p.pending_room * sizeof *p.pending);
    if (!read) trm_arena_reset(arena, mark);
    return read ? root : NULL;
}

const trm_json *trm_json_member_value(const trm_json *object, const char *key)
{
    for (int i = 0; i < object->count && object->kind == TRM_JSON_OBJECT; i++)
        if (object->members[i].key[0] == key[0] && strcmp(object->members[i].key, key) == 0)
            return &object->members[i].value;
    return NULL;
}

const char *trm_json_kind_name(trm_json_kind kind)
{
    switch (kind) {
    case TRM_JSON_NULL: return "null";
    case TRM_JSON_BOOL: return "true or false";
    case TRM_JSON_NUMBER: return "a number";
    case TRM_JSON_STRING: return "a string";
    case TRM_JSON_ARRAY: return "an array";
    case TRM_JSON_OBJECT: return "an object";
    }
    return "unknown";
}
