/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* XML 1.0 (W3C, Extensible Markup Language, fifth edition) without document types: elements, attributes, text, CDATA sections,
 * comments, processing instructions, character references and the five named ones. Documents that are not well formed
 * are refused with the messages of expat, which are easy to search for. Names may contain any character beyond
 * ASCII. */

#include "io/xml_scan.h"

#include <string.h>

static const char invalid[] = "not well-formed (invalid token)", unclosed[] = "unclosed token";

/* ---- Characters --------------------------------------------------------------------------- */

static bool starts_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' || (unsigned char)c >= 0x80;
}

static bool continues_name(char c)
{
    return starts_name(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

static bool is_character(uint32_t code)
{
    if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
    return code < 0xD800 || (code > 0xDFFF && code < 0xFFFE) || (code > 0xFFFF && code < 0x110000);
}

/* Returns the number of bytes of the character at this place; 0 if there is none. */
static int length_at(const char *at, const char *end)
{
    const unsigned char *c = (const unsigned char *)at;
    if (c[0] < 0x80) return is_character(c[0]);
    const int length = c[0] >= 0xF0 ? 4 : c[0] >= 0xE0 ? 3 : 2;
    if (c[0] < 0xC2 || c[0] > 0xF4 || end - at < length) return 0;
    uint32_t code = c[0] & (0x7Fu >> length);
    for (int k = 1; k < length; k++) {
        if ((c[k] & 0xC0) != 0x80) return 0;
        code = code << 6 | (c[k] & 0x3Fu);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    return code >= least[length] && is_character(code) ? length : 0;
}

static int put_character(uint32_t code, char *to)
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    const int length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (int k = length - 1; k > 0; k--, code >>= 6) to[k] = (char)(0x80 | (code & 0x3F));
    to[0] = (char)((0xF00u >> length & 0xF0u) | code);
    return length;
}

/* ---- Encodings ---------------------------------------------------------------------------- */

static const char *decode_utf16(trm_arena *arena, char **text, size_t *length)
{
    const unsigned char *from = (const unsigned char *)*text;
    const int high = from[0] == 0xFE ? 0 : 1; /* index of the high byte of each two */
    char *made = trm_arena_room(arena, 3 * (*length / 2) + 1, 1);
    size_t count = 0;
    if (!made) return NULL;
    for (size_t i = 2; i + 1 < *length; i += 2) {
        uint32_t code = (uint32_t)from[i + (size_t)high] << 8 | from[i + 1 - (size_t)high];
        if (code >= 0xD800 && code < 0xDC00 && i + 3 < *length) {
            const uint32_t low = (uint32_t)from[i + 2 + (size_t)high] << 8 | from[i + 3 - (size_t)high];
            if (low < 0xDC00 || low > 0xDFFF) return invalid;
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            i += 2;
        }
        if (!is_character(code)) return invalid;
        count += (size_t)put_character(code, made + count);
    }
    if (*length % 2 != 0) return "partial character";
    *text = made;
    *length = count;
    return NULL;
}

void trm_xml_decode_latin(trm_arena *arena, char **text, size_t *length)
{
    char *made = trm_arena_room(arena, 2 * *length + 1, 1);
    size_t count = 0;
    for (size_t i = 0; made && i < *length; i++)
        count += (size_t)put_character((unsigned char)(*text)[i], made + count);
    if (!made) return;
    *text = made;
    *length = count;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_word(const char *at, size_t length, const char *word)
{
    if (strlen(word) != length) return false;
    for (size_t i = 0; i < length; i++)
        if (lower(at[i]) != word[i]) return false;
    return true;
}

/* Returns the value of encoding="..." in the XML declaration. Returns NULL if there is none. */
static const char *find_encoding(const char *text, size_t length, size_t *size)
{
    static const char key[] = "encoding";
    const char *at = text, *end = text + length;
    if (length < 6 || memcmp(text, "<?xml", 5) != 0 || !trm_xml_is_space(text[5])) return NULL;
    for (; at + sizeof key < end && memcmp(at, key, sizeof key - 1) != 0; at++)
        if (*at == '>') return NULL;
    for (at += sizeof key - 1; at < end && (trm_xml_is_space(*at) || *at == '='); at++) continue;
    if (at >= end || (*at != '"' && *at != '\'')) return NULL;
    const char *close = memchr(at + 1, *at, (size_t)(end - at - 1));
    *size = close ? (size_t)(close - at - 1) : 0;
    return close ? at + 1 : NULL;
}

const char *trm_xml_decode(trm_arena *arena, char **text, size_t *length)
{
    if (trm_xml_is_utf16(*text, *length)) return decode_utf16(arena, text, length);
    if (*length >= 3 && memcmp(*text, "\xEF\xBB\xBF", 3) == 0) *text += 3, *length -= 3;
    size_t size = 0;
    const char *encoding = find_encoding(*text, *length, &size);
    if (!encoding || is_word(encoding, size, "utf-8") || is_word(encoding, size, "us-ascii")) return NULL;
    if (is_word(encoding, size, "utf-16")) return "encoding specified in XML declaration is incorrect";
    if (!is_word(encoding, size, "iso-8859-1")) return "unknown encoding";
    trm_xml_decode_latin(arena, text, length);
    return NULL;
}

/* ---- Places ------------------------------------------------------------------------------- */

/* Advances the count of lines and columns to a place of the text. */
static void count_to(trm_xml_scan *s, const char *to)
{
    if (!s->counted || to < s->counted) s->counted = s->text, s->line = 1 + s->lines_before, s->column = 1;
    for (const char *c = s->counted; c < to; c++) {
        const bool ends_line = *c == '\n' || (*c == '\r' && !(c + 1 < s->end && c[1] == '\n'));
        s->line += ends_line;
        s->column = ends_line ? 1 : s->column + (((unsigned char)*c & 0xC0) != 0x80);
    }
    s->counted = to;
}

void trm_xml_scan_place(trm_xml_scan *s, int *line, int *column)
{
    if (s->token != s->tag.token) {
        count_to(s, s->token);
        s->tag.token = s->token, s->tag.line = s->line, s->tag.column = s->column;
    }
    *line = s->tag.line;
    *column = s->tag.column;
}

static bool refuse(trm_xml_scan *s, const char *at, const char *why)
{
    s->token = at;
    s->error = why;
    return false;
}

/* ---- Small parts -------------------------------------------------------------------------- */

static bool starts_with(const trm_xml_scan *s, const char *what)
{
    const size_t length = strlen(what);
    return (size_t)(s->end - s->at) >= length && memcmp(s->at, what, length) == 0;
}

static void skip_spaces(trm_xml_scan *s)
{
    while (s->at < s->end && trm_xml_is_space(*s->at)) s->at++;
}

/* Reads a name. Returns its number of bytes; 0 after refusing a text without one. */
static size_t read_name(trm_xml_scan *s)
{
    const char *start = s->at;
    if (s->at < s->end && !starts_name(*s->at)) return (void)refuse(s, s->at, invalid), 0;
    while (s->at < s->end && continues_name(*s->at)) {
        const int length = (unsigned char)*s->at < 0x80 ? 1 : length_at(s->at, s->end);
        if (length == 0) return (void)refuse(s, s->at, invalid), 0;
        s->at += length;
    }
    if (s->at == s->end) return (void)refuse(s, s->token, unclosed), 0;
    return (size_t)(s->at - start);
}

/* Reads the code after "&#", up to ";". Returns false after refusing it. */
static bool read_number(trm_xml_scan *s, uint32_t *code)
{
    const char *start = s->at;
    const bool hexadecimal = s->at < s->end && *s->at == 'x';
    const uint32_t base = hexadecimal ? 16 : 10;
    *code = 0;
    int digits = 0;
    for (s->at += hexadecimal; s->at < s->end && *s->at != ';'; s->at++, digits++) {
        const char c = lower(*s->at);
        const uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                               : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                                                      : 99;
        if (digit >= base) return refuse(s, s->at, invalid);
        *code = *code < 0x110000 ? *code * base + digit : *code;
    }
    if (s->at == s->end) return refuse(s, start - 2, unclosed);
    if (digits == 0) return refuse(s, s->at, invalid);
    s->at++;
    return is_character(*code) || refuse(s, start - 2, "reference to invalid character number");
}

/* Reads a reference at "&" and writes the character that it represents. Returns false after refusing it. */
static bool read_reference(trm_xml_scan *s, char to[4], int *length)
{
    static const struct {
        const char *name;
        char stands_for;
    } named[] = {{"amp;", '&'}, {"lt;", '<'}, {"gt;", '>'}, {"quot;", '"'}, {"apos;", '\''}};
    const char *start = s->at++;
    uint32_t code = 0;
    if (starts_with(s, "#")) {
        s->at++;
        if (!read_number(s, &code)) return false;
        *length = put_character(code, to);
        return true;
    }
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (starts_with(s, named[i].name)) {
            s->at += strlen(named[i].name);
            to[0] = named[i].stands_for;
            *length = 1;
            return true;
        }
    const char *const token = s->token;
    s->token = start;
    if (read_name(s) == 0) return false;
    s->token = token;
    return refuse(s, *s->at == ';' ? start : s->at, *s->at == ';' ? "undefined entity" : invalid);
}

/* Skips the text up to the mark and the mark. Returns false after refusing a text without it. */
static bool skip_to(trm_xml_scan *s, const char *mark, const char *why)
{
    const char *start = s->token;
    while (s->at < s->end && !starts_with(s, mark)) {
        const int length = length_at(s->at, s->end);
        if (length == 0) return refuse(s, s->at, invalid);
        s->at += length;
    }
    if (s->at == s->end) return refuse(s, start, why);
    s->at += strlen(mark);
    return true;
}

/* ---- Tags --------------------------------------------------------------------------------- */

/* Skips characters of a value that need no replacement: not < & or white space other than blanks. */
static void skip_plain(trm_xml_scan *s, const char *close)
{
    while (s->at < close && (unsigned char)*s->at >= 0x20 && (unsigned char)*s->at < 0x80 && *s->at != '<' &&
           *s->at != '&')
        s->at++;
}

/* Skips a value in quotes. *raw: it contains references or white space to be replaced. Returns false after refusing
 * it. */
static bool read_value(trm_xml_scan *s, trm_xml_piece *value, bool *raw)
{
    const char *close = s->at < s->end ? memchr(s->at + 1, *s->at, (size_t)(s->end - s->at - 1)) : NULL;
    if (s->at < s->end && *s->at != '"' && *s->at != '\'') return refuse(s, s->at, invalid);
    if (!close) return refuse(s, s->token, unclosed);
    value->start = ++s->at;
    value->length = (size_t)(close - s->at);
    *raw = false;
    for (skip_plain(s, close); s->at < close; skip_plain(s, close)) {
        char stands_for[4];
        int length = length_at(s->at, s->end);
        if (length == 0 || *s->at == '<') return refuse(s, s->at, invalid);
        *raw = *raw || *s->at == '&' || trm_xml_is_space(*s->at);
        if (*s->at != '&')
            s->at += length;
        else if (!read_reference(s, stands_for, &length))
            return false;
    }
    s->at++;
    return true;
}

/* Replaces references and white space in a value, in its place, because the result is not longer. */
static void replace(trm_xml_scan *s, trm_xml_piece *value)
{
    char *const before = s->at, *to = value->start;
    const char *stop = value->start + value->length;
    for (s->at = value->start; s->at < stop;) {
        char stands_for[4];
        int length = 1;
        if (*s->at == '&') {
            read_reference(s, stands_for, &length);
            for (int i = 0; i < length; i++) *to++ = stands_for[i];
            continue;
        }
        if (*s->at == '\r' && s->at[1] == '\n') s->at++;
        *to++ = trm_xml_is_space(*s->at) ? ' ' : *s->at;
        s->at++;
    }
    s->at = before;
    value->length = (size_t)(to - value->start);
}

/* Makes room for one more attribute and the end of the list. Returns false if out of memory. */
static bool make_room(trm_xml_scan *s)
{
    if (2 * s->attribute_count + 3 <= s->attribute_room) return true;
    const int room = 4 * s->attribute_count + 64;
    trm_xml_piece *pieces = TRM_NEW_ARRAY(s->scratch, trm_xml_piece, room);
    const char **list = TRM_NEW_ARRAY(s->scratch, const char *, room);
    if (!pieces || !list) return false;
    for (int i = 0; i < 2 * s->attribute_count; i++) pieces[i] = s->pieces[i];
    s->pieces = pieces;
    s->attributes = list;
    s->attribute_room = room;
    return true;
}

static bool read_attribute(trm_xml_scan *s)
{
    char *const start = s->at;
    const size_t length = read_name(s);
    bool raw = false;
    if (length == 0 || !make_room(s)) return false;
    for (int i = 0; i < s->attribute_count; i++)
        if (s->pieces[2 * i].length == length && memcmp(s->pieces[2 * i].start, start, length) == 0)
            return refuse(s, start, "duplicate attribute");
    skip_spaces(s);
    if (s->at == s->end) return refuse(s, s->token, unclosed);
    if (*s->at++ != '=') return refuse(s, s->at - 1, invalid);
    skip_spaces(s);
    trm_xml_piece *pair = &s->pieces[2 * s->attribute_count];
    if (!read_value(s, &pair[1], &raw)) return false;
    pair[0] = (trm_xml_piece){start, length, false};
    pair[1].raw = raw;
    s->attribute_count++;
    return true;
}

/* Reads the attributes up to ">" or "/>". Returns false after refusing them. */
static bool read_attributes(trm_xml_scan *s, bool *is_empty)
{
    s->attribute_count = 0;
    for (;;) {
        const char *before = s->at;
        skip_spaces(s);
        if (s->at == s->end) return refuse(s, s->token, unclosed);
        *is_empty = *s->at == '/';
        if (*s->at == '>' || *is_empty) break;
        if (s->at == before) return refuse(s, s->at, invalid);
        if (!read_attribute(s)) return false;
    }
    s->at += *is_empty;
    if (s->at == s->end) return refuse(s, s->token, unclosed);
    if (*s->at != '>') return refuse(s, s->at, invalid);
    s->at++;
    return true;
}

/* Terminates names and values by zeros. These overwrite characters that have been read: quotes, "=" and white space
 * of the tag, or its end. Lines are counted before, because line feeds may be overwritten. */
static bool end_pieces(trm_xml_scan *s, char *name, size_t length)
{
    int line, column;
    trm_xml_scan_place(s, &line, &column);
    count_to(s, s->at);
    if (!make_room(s)) return false;
    for (int i = 0; i < 2 * s->attribute_count; i++) {
        if (s->pieces[i].raw) replace(s, &s->pieces[i]);
        s->attributes[i] = s->pieces[i].start;
    }
    for (int i = 0; i < 2 * s->attribute_count; i++) s->pieces[i].start[s->pieces[i].length] = 0;
    s->attributes[2 * s->attribute_count] = NULL;
    name[length] = 0;
    return true;
}

/* Reads a start tag, at "<" and a name. Returns false after refusing it, or if an event ended the scan. */
static bool read_start(trm_xml_scan *s)
{
    const char *const start = s->token = s->at++;
    char *const name = s->at;
    const size_t length = read_name(s);
    bool is_empty = false;
    if (length == 0 || !read_attributes(s, &is_empty)) return false;
    s->token = start;
    if (!end_pieces(s, name, length)) return false;
    if (!s->events.start(s->events.context, name, s->attributes) || s->depth > TRM_XML_DEPTH) return false;
    if (is_empty) return s->events.end(s->events.context);
    s->open[s->depth].name = name;
    s->open[s->depth++].length = length;
    return true;
}

/* Reads an end tag, at "</". Returns false after refusing it, or if an event ended the scan. */
static bool read_end(trm_xml_scan *s)
{
    s->token = s->at;
    s->at += 2;
    const char *name = s->at;
    const size_t length = read_name(s);
    if (length == 0) return false;
    skip_spaces(s);
    if (s->at == s->end) return refuse(s, s->token, unclosed);
    if (*s->at != '>') return refuse(s, s->at, invalid);
    const bool matches =
        s->open[s->depth - 1].length == length && memcmp(s->open[s->depth - 1].name, name, length) == 0;
    if (!matches) return refuse(s, name, "mismatched tag");
    s->at++;
    s->depth--;
    return s->events.end(s->events.context);
}

/* ---- Text --------------------------------------------------------------------------------- */

/* Skips characters of a text that need no processing. */
static void skip_letters(trm_xml_scan *s)
{
    while (s->at < s->end && ((unsigned char)*s->at >= 0x20 || *s->at == '\n' || *s->at == '\t') &&
           (unsigned char)*s->at < 0x80 && *s->at != '<' && *s->at != '&' && *s->at != ']')
        s->at++;
}

/* Reads text up to "<" or "&", or up to the mark of a CDATA section; ends of lines become \n. Returns false after
 * refusing it, or if an event ended the scan. */
static bool read_text(trm_xml_scan *s, const char *mark)
{
    const char *start = s->at;
    for (skip_letters(s); s->at < s->end; skip_letters(s)) {
        const int length = length_at(s->at, s->end);
        const bool ends = mark ? starts_with(s, mark) : *s->at == '<' || *s->at == '&';
        if (length == 0) return refuse(s, s->at, invalid);
        if (!mark && starts_with(s, "]]>")) return refuse(s, s->at + 2, invalid);
        if (*s->at == '\r' || ends) {
            if (s->at > start && !s->events.text(s->events.context, start, (size_t)(s->at - start))) return false;
            if (ends) return true;
            if (!s->events.text(s->events.context, "\n", 1)) return false;
            s->at += s->at + 1 < s->end && s->at[1] == '\n' ? 2 : 1;
            start = s->at;
        } else
            s->at += length;
    }
    return mark || s->at == start || s->events.text(s->events.context, start, (size_t)(s->at - start));
}

static bool read_cdata(trm_xml_scan *s)
{
    const char *start = s->token = s->at;
    s->at += strlen("<![CDATA[");
    if (!read_text(s, "]]>")) return false;
    if (s->at == s->end) return refuse(s, start, "unclosed CDATA section");
    s->at += 3;
    return true;
}

static bool report_reference(trm_xml_scan *s)
{
    char text[4];
    int length = 0;
    s->token = s->at;
    return read_reference(s, text, &length) && s->events.text(s->events.context, text, (size_t)length);
}

/* ---- Documents ---------------------------------------------------------------------------- */

/* Skips a comment, at "<!--". Returns false after refusing one that contains "--". */
static bool skip_comment(trm_xml_scan *s)
{
    s->token = s->at;
    s->at += 4;
    if (!skip_to(s, "--", unclosed)) return false;
    if (s->at == s->end) return refuse(s, s->token, unclosed);
    return *s->at++ == '>' || refuse(s, s->at - 1, invalid);
}

/* Skips a processing instruction, at "<?". Returns false after refusing it. */
static bool skip_instruction(trm_xml_scan *s)
{
    const char *start = s->token = s->at;
    s->at += 2;
    const char *name = s->at;
    const size_t length = read_name(s);
    if (length == 0) return false;
    if (is_word(name, length, "xml") && (start != s->text || memcmp(name, "xml", 3) != 0))
        return refuse(s, start, "XML or text declaration not at start of entity");
    if (!trm_xml_is_space(*s->at) && !starts_with(s, "?>")) return refuse(s, s->at, invalid);
    return skip_to(s, "?>", unclosed);
}

static bool read_inside(trm_xml_scan *s)
{
    if (*s->at == '&') return report_reference(s);
    if (*s->at != '<') return read_text(s, NULL);
    if (starts_with(s, "</")) return read_end(s);
    if (starts_with(s, "<!--")) return skip_comment(s);
    if (starts_with(s, "<![CDATA[")) return read_cdata(s);
    if (starts_with(s, "<?")) return skip_instruction(s);
    if (starts_with(s, "<!")) return refuse(s, s->at + 2, invalid);
    return read_start(s);
}

static bool read_outside(trm_xml_scan *s, bool *has_root)
{
    if (trm_xml_is_space(*s->at)) return skip_spaces(s), true;
    if (starts_with(s, "<!--")) return skip_comment(s);
    if (starts_with(s, "<?")) return skip_instruction(s);
    if (*has_root) return refuse(s, s->at, "junk after document element");
    s->token = s->at;
    if (starts_with(s, "<!DOCTYPE")) return s->events.doctype(s->events.context) && refuse(s, s->at, invalid);
    if (*s->at != '<') return refuse(s, s->at, length_at(s->at, s->end) > 0 ? "syntax error" : invalid);
    *has_root = true;
    return read_start(s);
}

bool trm_xml_scan_run(trm_xml_scan *s, char *text, size_t length)
{
    bool has_root = false;
    s->at = text;
    s->text = s->token = text;
    s->end = text + length;
    while (s->at < s->end)
        if (!(s->depth > 0 ? read_inside(s) : read_outside(s, &has_root))) return false;
    return (has_root && s->depth == 0) || refuse(s, s->end, "no element found");
}
