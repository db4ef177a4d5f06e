/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Reads the geometry of Wavefront OBJ (Advanced Visualizer manual, appendix B1):
 *
 *   v x y z [w or colours, not read]
 *   f corner corner corner ...        a polygon, divided into a fan about its first corner
 *   corner: v, v/vt, v//vn or v/vt/vn; v from 1, or negative: -1 is the last vertex given so far
 *   # comment                         to the end of the line
 *   \ at the end of a line            the next line continues it
 *
 * Other keywords are ignored. The text is read twice. The first pass counts, so that arrays have the right size
 * and a face may name a vertex that comes later. */

#include "io/mesh_file.h"

#include <limits.h>
#include <string.h>

#include "base/number.h"

typedef struct reader {
    const char *at, *end;
    const char *line_start;
    int line;
    const char *file;
    trm_messages *messages;
    trm_mesh *mesh;       /* its counts are those of the elements read so far */
    int vertices_in_file; /* number of vertices found by the first pass */
} reader;

/* A word of a line, with its place. */
typedef struct token {
    const char *text;
    int length;
    int line, column;
} token;

/* Largest number of characters of a faulty word in a message. */
enum { SHOWN = 40 };

static int shown_length(token word)
{
    return word.length < SHOWN ? word.length : SHOWN;
}

static trm_place place_of(const reader *r, token word)
{
    return (trm_place){r->file, word.line, word.column};
}

/* ---- Words and lines ---------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Returns the length of a backslash and the line end after it; 0 if there is none here. */
static int continuation_length(const reader *r)
{
    const ptrdiff_t left = r->end - r->at;
    if (left >= 2 && memcmp(r->at, "\\\n", 2) == 0) return 2;
    if (left >= 3 && memcmp(r->at, "\\\r\n", 3) == 0) return 3;
    return 0;
}

static void begin_line(reader *r, const char *start)
{
    r->at = r->line_start = start;
    r->line++;
}

static void skip_blanks(reader *r)
{
    while (r->at < r->end) {
        const int continuation = continuation_length(r);
        if (continuation)
            begin_line(r, r->at + continuation);
        else if (is_blank(*r->at))
            r->at++;
        else
            return;
    }
}

/* Gets the next word of this line. Returns false at its end or at a comment. */
static bool next_word(reader *r, token *word)
{
    skip_blanks(r);
    if (r->at == r->end || *r->at == '\n' || *r->at == '#') return false;
    const char *start = r->at;
    while (r->at < r->end && !is_blank(*r->at) && *r->at != '\n' && !continuation_length(r)) r->at++;
    *word = (token){start, (int)(r->at - start), r->line, (int)(start - r->line_start) + 1};
    return true;
}

static int count_words(reader *r)
{
    token word;
    int count = 0;
    while (next_word(r, &word)) count++;
    return count;
}

/* Skips the rest of this line, including continuation lines. */
static void finish_line(reader *r)
{
    count_words(r);
    while (r->at < r->end && *r->at != '\n') r->at++;
    if (r->at < r->end) begin_line(r, r->at + 1);
}

static bool is_word(token word, char letter)
{
    return word.length == 1 && *word.text == letter;
}

/* ---- Numbers ------------------------------------------------------------------------------ */

static int count_digits(const char *at, const char *end)
{
    int count = 0;
    while (at + count < end && at[count] >= '0' && at[count] <= '9') count++;
    return count;
}

/* Reads an integer with an optional sign. Returns its end, or NULL if there is none. An integer that is too large
 * becomes one larger than any vertex number. */
static const char *read_integer(const char *at, const char *end, int *value)
{
    const bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    const int digits = count_digits(at, end);
    if (digits == 0) return NULL;
    int sum = 0;
    for (int i = 0; i < digits; i++) sum = sum > (INT_MAX - 9) / 10 ? INT_MAX : 10 * sum + (at[i] - '0');
    *value = negative ? -sum : sum;
    return at + digits;
}

/* ---- Vertices ----------------------------------------------------------------------------- */

static void read_vertex(reader *r, token keyword)
{
    double xyz[3] = {0, 0, 0};
    token word;
    for (int i = 0; i < 3; i++) {
        if (!next_word(r, &word)) {
            trm_add_error(r->messages, place_of(r, keyword), "a vertex needs x, y and z; this one ends after %d", i);
            break;
        }
        if (!trm_is_number(word.text, word.text + word.length, &xyz[i]))
            trm_add_error(r->messages, place_of(r, word), "'%.*s' is not a (finite) number", shown_length(word),
                          word.text);
    }
    r->mesh->vertices[r->mesh->vertex_count++] = trm_v3(xyz[0], xyz[1], xyz[2]);
}

/* ---- Faces -------------------------------------------------------------------------------- */

/* Reads the vertex number of v, v/vt, v//vn or v/vt/vn. Returns false if the word has another form. */
static bool parse_corner(token word, int *vertex)
{
    const char *end = word.text + word.length;
    int unused;
    const char *at = read_integer(word.text, end, vertex);
    if (!at || at == end) return at != NULL;
    if (*at++ != '/') return false;
    if (at == end || *at != '/') {
        at = read_integer(at, end, &unused);
        if (!at || at == end) return at != NULL;
    }
    return *at == '/' && read_integer(at + 1, end, &unused) == end;
}

/* Returns the index, from 0, of the vertex that a corner names. Returns -1 after reporting that there is none. */
static int corner_of(reader *r, token word)
{
    const int seen = r->mesh->vertex_count, all = r->vertices_in_file;
    const trm_place place = place_of(r, word);
    int vertex;
    if (!parse_corner(word, &vertex))
        trm_add_error(r->messages, place, "'%.*s' is not a corner of a face; expected v, v/vt, v//vn or v/vt/vn",
                      shown_length(word), word.text);
    else if (vertex == 0)
        trm_add_error(r->messages, place, "there is no vertex 0; vertices are counted from 1");
    else if (vertex > all)
        trm_add_error(r->messages, place, "there is no vertex %.*s; the file has %d", shown_length(word), word.text,
                      all);
    else if (vertex < -seen)
        trm_add_error(r->messages, place, "there is no vertex %.*s; %d are given before this line",
                      shown_length(word), word.text, seen);
    else
        return vertex > 0 ? vertex - 1 : seen + vertex;
    return -1;
}

/* Adds a triangle unless it has the same corner twice. Such a triangle has no area, and its other two edges are
 * opposite to each other, so a closed surface stays closed without it. */
static void add_triangle(trm_mesh *mesh, int a, int b, int c)
{
    if (a == b || b == c || c == a || a < 0 || b < 0 || c < 0) return;
    int *triangle = mesh->triangles[mesh->triangle_count++];
    triangle[0] = a, triangle[1] = b, triangle[2] = c;
}

static void read_face(reader *r, token keyword)
{
    int first = -1, previous = -1, corners = 0;
    for (token word; next_word(r, &word); corners++) {
        const int corner = corner_of(r, word);
        if (corners == 0) first = corner;
        if (corners >= 2) add_triangle(r->mesh, first, previous, corner);
        previous = corner;
    }
    if (corners < 3)
        trm_add_error(r->messages, place_of(r, keyword), "a face needs at least 3 corners; this one has %d", corners);
}

/* ---- Files -------------------------------------------------------------------------------- */

/* Counts the vertices, and the triangles if every corner is valid. The counts fit into int, because they are below
 * the length of the text. */
static void count_elements(reader r, trm_mesh *counts)
{
    for (token keyword; r.at < r.end; finish_line(&r)) {
        if (!next_word(&r, &keyword)) continue;
        if (is_word(keyword, 'v')) counts->vertex_count++;
        if (!is_word(keyword, 'f')) continue;
        const int corners = count_words(&r);
        if (corners >= 3) counts->triangle_count += corners - 2;
    }
}

static void read_elements(reader *r)
{
    for (token keyword; r->at < r->end; finish_line(r)) {
        if (!next_word(r, &keyword)) continue;
        if (is_word(keyword, 'v')) read_vertex(r, keyword);
        if (is_word(keyword, 'f')) read_face(r, keyword);
    }
}

static trm_status read_counted(reader *r, trm_arena *arena)
{
    trm_mesh counts = {0};
    count_elements(*r, &counts);
    r->vertices_in_file = counts.vertex_count;
    r->mesh->vertices = TRM_NEW_ARRAY(arena, trm_vec3, counts.vertex_count);
    r->mesh->triangles = trm_arena_array(arena, (size_t)counts.triangle_count, sizeof *r->mesh->triangles);
    if (!r->mesh->vertices || !r->mesh->triangles) return TRM_OUT_OF_MEMORY;

    const int errors_before = trm_error_count(r->messages);
    read_elements(r);
    if (trm_error_count(r->messages) == errors_before && r->mesh->triangle_count == 0)
        trm_add_error(r->messages, (trm_place){r->file, 0, 0},
                      "the mesh has no faces; expected lines such as 'f 1 2 3'");
    if (trm_messages_status(r->messages) == TRM_OUT_OF_MEMORY) return TRM_OUT_OF_MEMORY;
    return trm_error_count(r->messages) > errors_before ? TRM_BAD_INPUT : TRM_OK;
}

trm_status trm_read_obj(trm_arena *arena, const char *text, size_t length, const char *file, trm_mesh *mesh,
                        trm_messages *messages)
{
    *mesh = (trm_mesh){0};
    if (length >= INT_MAX) {
        trm_add_error(messages, (trm_place){file, 0, 0}, "the file is larger than 2 GiB");
        return TRM_BAD_INPUT;
    }
    reader r = {.end = text + length, .file = file, .messages = messages, .mesh = mesh};
    const bool byte_order_mark = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0;
    begin_line(&r, byte_order_mark ? text + 3 : text);

    const trm_arena_mark mark = trm_arena_get_mark(arena);
    const trm_status status = read_counted(&r, arena);
    if (status != TRM_OK) {
        trm_arena_reset(arena, mark);
        *mesh = (trm_mesh){0};
    }
    return status;
}
