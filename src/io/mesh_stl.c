/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* STL (3D Systems 1989).
 *
 *   binary   80 arbitrary bytes, a 32-bit count n, then n times 50 bytes: normal and three corners, each three 32-bit floats,
 *            and two arbitrary bytes; all little-endian. The file has exactly 84 + 50 n bytes.
 *   text     solid NAME  { facet normal x y z  outer loop  vertex x y z (three times)  endloop  endfacet }  endsolid
 *
 * Normals are not read: they follow from the order of the corners. STL has no shared vertices: corners with equal
 * coordinates are merged (mesh_weld.h). */

#include "io/mesh_file.h"

#include <limits.h>
#include <string.h>

#include "base/number.h"
#include "io/mesh_weld.h"

enum { HEADER = 84, RECORD = 50 };

/* ---- Binary ------------------------------------------------------------------------------- */

static uint32_t word_at(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double float_at(const char *bytes)
{
    const uint32_t word = word_at(bytes);
    float value;
    memcpy(&value, &word, sizeof value);
    return (double)value;
}

static bool is_binary(const char *bytes, size_t length)
{
    return length >= HEADER && (length - HEADER) / RECORD == word_at(bytes + 80) && (length - HEADER) % RECORD == 0;
}

static void read_binary(trm_welding *w, const char *bytes, int count)
{
    for (int i = 0; i < count; i++) {
        const char *record = bytes + HEADER + (size_t)i * RECORD + 12;
        trm_vec3 corners[3];
        for (int k = 0; k < 3; k++)
            corners[k] =
                trm_v3(float_at(record + 12 * k), float_at(record + 12 * k + 4), float_at(record + 12 * k + 8));
        trm_weld_triangle(w, corners);
    }
}

/* ---- Text --------------------------------------------------------------------------------- */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *next_word(const char *at, const char *end, size_t *length)
{
    while (at < end && is_space(*at)) at++;
    const char *word = at;
    while (at < end && !is_space(*at)) at++;
    *length = (size_t)(at - word);
    return word;
}

static bool is_word(const char *word, size_t length, const char *expected)
{
    return length == strlen(expected) && memcmp(word, expected, length) == 0;
}

static int count_words(const char *text, const char *end, const char *expected)
{
    int count = 0;
    size_t length;
    for (const char *word = next_word(text, end, &length); length > 0; word = next_word(word + length, end, &length))
        if (is_word(word, length, expected) && count < INT_MAX) count++;
    return count;
}

static bool read_number(const char **at, const char *end, double *value)
{
    size_t length;
    const char *word = next_word(*at, end, &length);
    *at = word + length;
    return trm_is_number(word, *at, value);
}

/* Returns NULL if the whole text was read, else the place of the error. */
static const char *read_text(trm_welding *w, const char *text, const char *end)
{
    trm_vec3 corners[3];
    int corner = 0;
    size_t length;
    for (const char *word = next_word(text, end, &length); length > 0;
         word = next_word(word + length, end, &length)) {
        if (!is_word(word, length, "vertex")) continue;
        const char *at = word + length;
        trm_vec3 *v = &corners[corner];
        if (!read_number(&at, end, &v->x) || !read_number(&at, end, &v->y) || !read_number(&at, end, &v->z))
            return word;
        word = at, length = 0;
        corner = (corner + 1) % 3;
        if (corner == 0) trm_weld_triangle(w, corners);
    }
    return NULL;
}

static int line_of(const char *text, const char *at)
{
    int line = 1;
    for (; text < at; text++) line += *text == '\n';
    return line;
}

/* ---- Either form -------------------------------------------------------------------------- */

static trm_status refuse(trm_mesh *mesh, trm_place place, const char *why, trm_messages *messages)
{
    *mesh = (trm_mesh){0};
    trm_add_error(messages, place, "%s", why);
    return TRM_BAD_INPUT;
}

trm_status trm_read_stl(trm_arena *arena, const char *bytes, size_t length, const char *file, trm_mesh *mesh,
                        trm_messages *messages)
{
    const char *end = bytes + length, *wrong = NULL;
    const bool binary = is_binary(bytes, length);
    const int count = binary ? (int)((length - HEADER) / RECORD) : count_words(bytes, end, "vertex") / 3;
    trm_welding w;
    *mesh = (trm_mesh){0};
    if (length >= HEADER + (size_t)RECORD * (INT_MAX / 16))
        return refuse(mesh, (trm_place){file, 0, 0}, "the mesh is too large", messages);
    if (count == 0)
        return refuse(mesh, (trm_place){file, 0, 0}, "it contains no triangles, or it is cut off", messages);
    if (!trm_weld_begin(&w, arena, mesh, count)) return TRM_OUT_OF_MEMORY;
    if (binary)
        read_binary(&w, bytes, count);
    else
        wrong = read_text(&w, bytes, end);
    if (wrong)
        return refuse(mesh, (trm_place){file, line_of(bytes, wrong), 1},
                      "\"vertex\" must be followed by three numbers", messages);
    return TRM_OK;
}
