/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Measures how fast results are written and documents are read: rows of a chain of 1000 rods as CSV, triples of
 * numbers as JSON, a model of a million bodies from text to a state, robots of 1 MB as URDF and MJCF, and a mesh of
 * 20 MB as STL. Nothing is written to disk. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/messages.h"
#include "common/rods.h"
#include "io/json.h"
#include "io/mesh_file.h"
#include "trammel/trammel.h"

enum {
    RUNS = 5,
    RODS = 1000,
    ROWS = 40,
    TRIPLES = 1000 * 1000,
    BODIES = 1000 * 1000,
    ITEM = 200,
    LINKS = 1333,
    LINK = 1200,
    SIDE = 447
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void fail(trm_messages *messages)
{
    print_messages("bench_io", messages);
    exit(1);
}

static bool count_bytes(void *context, const char *bytes, size_t count)
{
    (void)bytes;
    *(size_t *)context += count;
    return true;
}

/* Measures rows of a moving chain with all columns. */
static void time_rows(trm_messages *messages)
{
    trm_model *model = make_rods(RODS, "hinge");
    trm_results *columns = NULL;
    trm_state *state = model ? trm_state_create(model, NULL) : NULL;
    double best = INFINITY;
    size_t bytes = 0;
    if (!state || trm_results_create(model, NULL, NULL, messages, &columns) != TRM_OK) fail(messages);
    for (int b = 1; b <= RODS; b++) {
        const trm_spatial V = {{0.1 / b, 0.7 / b, 0.3}, {sin(b), cos(b), 1.0 / b}};
        trm_set_body_velocity(state, b, V);
    }
    for (int run = 0; run < RUNS; run++) {
        const double started = seconds();
        bytes = 0;
        for (int row = 0; row < ROWS; row++) trm_write_csv_row(columns, state, (trm_sink){count_bytes, &bytes});
        best = fmin(best, seconds() - started);
    }
    printf("CSV   %d columns             %8.0f MB/s  %8.1f ns per number\n", trm_result_count(columns),
           1e-6 * (double)bytes / best, 1e9 * best / ROWS / trm_result_count(columns));
    trm_results_destroy(columns);
    trm_state_destroy(state);
    trm_model_destroy(model);
}

/* Returns a number from -10 to 10 with all digits. */
static double number_at(int i)
{
    return 10 * sin(i * 1.7 + 0.3);
}

static char *triples_text(void)
{
    char *text = malloc((size_t)TRIPLES * ITEM), *at = text;
    if (!text) exit(1);
    at += sprintf(at, "[");
    for (int i = 0; i < TRIPLES; i++)
        at += sprintf(at, "%s[%.16g, %.16g, %.16g]", i ? ",\n" : "", number_at(3 * i), number_at(3 * i + 1),
                      number_at(3 * i + 2));
    sprintf(at, "]");
    return text;
}

static void time_json(trm_messages *messages)
{
    char *text = triples_text();
    const size_t length = strlen(text);
    double best = INFINITY;
    for (int run = 0; run < RUNS; run++) {
        trm_arena arena;
        trm_arena_init(&arena, NULL);
        const double started = seconds();
        if (!trm_json_parse(&arena, text, length, "triples", NULL, messages)) fail(messages);
        best = fmin(best, seconds() - started);
        trm_arena_destroy(&arena);
    }
    printf("JSON  %d numbers in threes %6.0f MB/s  %8.1f ns per number\n", 3 * TRIPLES, 1e-6 * (double)length / best,
           1e9 * best / 3 / TRIPLES);
    free(text);
}

static char *bodies_text(void)
{
    char *text = malloc((size_t)BODIES * ITEM), *at = text;
    if (!text) exit(1);
    at += sprintf(at, "{\"trammel\":1,\"gravity\":[0,0,-9.81],\"bodies\":[");
    for (int i = 0; i < BODIES; i++)
        at += sprintf(at,
                      "%s{\"name\":\"b%d\",\"mass\":%.3f,\"inertia\":[0.1,0.2,0.25],\"position\":[%.6f,%.6f,%.6f],"
                      "\"velocity\":[%.6f,0,0]}",
                      i ? ",\n" : "", i, 11 + number_at(i), number_at(i + 1), number_at(i + 2), number_at(i + 3),
                      number_at(i + 4));
    sprintf(at, "]}");
    return text;
}

static void time_bodies(trm_messages *messages)
{
    char *text = bodies_text();
    const size_t length = strlen(text);
    trm_model_def *def = NULL;
    trm_model *model = NULL;
    const double started = seconds();
    if (trm_read_model_text(text, length, "bodies", NULL, NULL, messages, &def) != TRM_OK) fail(messages);
    const double read = seconds();
    if (trm_model_create(def, NULL, messages, &model) != TRM_OK) fail(messages);
    const double made = seconds();
    trm_state *state = trm_state_create(model, NULL);
    if (!state) fail(messages);
    printf("model %d bodies            %8.2f s: text %.2f (%.0f MB/s), model %.2f, state %.2f\n", BODIES,
           seconds() - started, read - started, 1e-6 * (double)length / (read - started), made - read,
           seconds() - made);
    trm_state_destroy(state);
    trm_model_destroy(model);
    trm_model_def_destroy(def);
    free(text);
}

/* Returns a URDF tree of links with masses, shapes and limits, in which each link carries two. */
static char *urdf_text(void)
{
    char *text = malloc((size_t)LINKS * LINK), *at = text;
    if (!text) exit(1);
    at += sprintf(at, "<robot name=\"tree\">");
    for (int i = 0; i < LINKS; i++)
        at += sprintf(at,
                      "<link name=\"link_%d\"><inertial><origin xyz=\"%.4f 0.02 0.03\" rpy=\"0.1 0.2 0.3\"/><mass "
                      "value=\"1.25\"/><inertia ixx=\"0.011\" iyy=\"0.012\" izz=\"0.013\" ixy=\"0.0001\" "
                      "ixz=\"-0.0002\" iyz=\"0.0003\"/></inertial><visual><origin xyz=\"0 0 0.05\"/><geometry>"
                      "<cylinder radius=\"0.02\" length=\"0.1\"/></geometry></visual><collision><origin xyz=\"0 0 "
                      "0.05\"/><geometry><cylinder radius=\"0.02\" length=\"0.1\"/></geometry></collision></link>\n",
                      i, 0.001 * number_at(i));
    for (int i = 1; i < LINKS; i++)
        at += sprintf(at,
                      "<joint name=\"joint_%d\" type=\"revolute\"><parent link=\"link_%d\"/><child link=\"link_%d\"/>"
                      "<origin xyz=\"0 0 0.1\" rpy=\"0 0 %.4f\"/><axis xyz=\"0 1 0\"/><limit lower=\"-1.57\" "
                      "upper=\"1.57\" effort=\"100\" velocity=\"3\"/><dynamics damping=\"0.1\"/></joint>\n",
                      i, (i - 1) / 2, i, 0.1 * number_at(i));
    sprintf(at, "</robot>");
    return text;
}

/* Returns MJCF chains of 20 bodies with a motor in each joint. */
static char *mjcf_text(void)
{
    char *text = malloc(2 * (size_t)LINKS * LINK), *at = text;
    if (!text) exit(1);
    at += sprintf(at, "<mujoco><worldbody>");
    for (int i = 0; i < 2 * LINKS; i++) {
        at += sprintf(at,
                      "<body name=\"b%d\" pos=\"0 0 0.1\" euler=\"1 2 3\"><inertial pos=\"%.4f 0.02 0.03\" "
                      "mass=\"1.25\" diaginertia=\"0.011 0.012 0.013\"/><joint name=\"j%d\" axis=\"0 1 0\" "
                      "range=\"-90 90\" damping=\"0.1\" armature=\"0.01\"/><geom type=\"capsule\" size=\"0.02 "
                      "0.05\" pos=\"0 0 0.05\" rgba=\"0.5 0.5 0.5 1\"/><site name=\"s%d\" pos=\"0 0 0.1\"/>\n",
                      i, 0.001 * number_at(i), i, i);
        for (int k = 0; k < 20 && (i % 20 == 19 || i == 2 * LINKS - 1) && k <= i % 20; k++)
            at += sprintf(at, "</body>");
    }
    at += sprintf(at, "</worldbody><actuator>");
    for (int i = 0; i < 2 * LINKS; i++) at += sprintf(at, "<motor joint=\"j%d\" gear=\"10\"/>\n", i);
    sprintf(at, "</actuator></mujoco>");
    return text;
}

static void time_robot(const char *format, char *text)
{
    const size_t length = strlen(text);
    double best = INFINITY;
    for (int run = 0; run < 4 * RUNS; run++) {
        trm_messages *messages = trm_messages_create(NULL);
        trm_model_def *def = NULL;
        const double started = seconds();
        if (!messages || trm_read_model_text(text, length, "robot", NULL, NULL, messages, &def) != TRM_OK)
            fail(messages);
        best = fmin(best, seconds() - started);
        trm_model_def_destroy(def);
        trm_messages_destroy(messages);
    }
    printf("%s  %.2f MB, %5d bodies      %8.1f ms\n", format, 1e-6 * (double)length,
           strcmp(format, "URDF") == 0 ? LINKS : 2 * LINKS, 1e3 * best);
    free(text);
}

/* Returns a wavy sheet of two triangles per square as STL. */
static char *stl_bytes(size_t *length)
{
    static const int CORNERS[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
    *length = 84 + (size_t)SIDE * SIDE * 100;
    const uint32_t count = 2 * SIDE * SIDE;
    char *bytes = calloc(*length, 1), *at = bytes + 84;
    if (!bytes) exit(1);
    memcpy(bytes + 80, &count, sizeof count);
    for (int i = 0; i < SIDE * SIDE; i++)
        for (int t = 0; t < 2; t++, at += 50)
            for (int k = 0; k < 3; k++) {
                const int x = i % SIDE + CORNERS[3 * t + k][0], y = i / SIDE + CORNERS[3 * t + k][1];
                const float v[3] = {0.01f * (float)x, 0.01f * (float)y, 0.1f * sinf(0.1f * (float)(x + y))};
                memcpy(at + 12 + 12 * k, v, sizeof v);
            }
    return bytes;
}

static void time_stl(trm_messages *messages)
{
    size_t length;
    char *bytes = stl_bytes(&length);
    double best = INFINITY;
    for (int run = 0; run < RUNS; run++) {
        trm_arena arena;
        trm_mesh mesh;
        trm_arena_init(&arena, NULL);
        const double started = seconds();
        if (trm_read_mesh(&arena, bytes, length, "sheet.stl", NULL, &mesh, messages) != TRM_OK) fail(messages);
        best = fmin(best, seconds() - started);
        trm_arena_destroy(&arena);
    }
    printf("STL   %d triangles         %8.0f MB/s\n", 2 * SIDE * SIDE, 1e-6 * (double)length / best);
    free(bytes);
}

int main(void)
{
    trm_messages *messages = trm_messages_create(NULL);
    if (!messages) return 1;
    time_rows(messages);
    time_json(messages);
    time_bodies(messages);
    time_robot("URDF", urdf_text());
    time_robot("MJCF", mjcf_text());
    time_stl(messages);
    trm_messages_destroy(messages);
    return 0;
}
