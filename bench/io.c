/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* How fast results are written and documents are read: rows of a chain of 1000 rods as CSV, triples of numbers as JSON, a model of a
 * million bodies from text to a state. Nothing goes to a disk. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/messages.h"
#include "common/rods.h"
#include "io/json.h"
#include "trammel/trammel.h"

enum { RUNS = 5, RODS = 1000, ROWS = 40, TRIPLES = 1000 * 1000, BODIES = 1000 * 1000, ITEM = 200 };

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

/* Rows of a moving chain, all columns. */
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

/* Of all digits, from -10 to 10. */
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

int main(void)
{
    trm_messages *messages = trm_messages_create(NULL);
    if (!messages) return 1;
    time_rows(messages);
    time_json(messages);
    time_bodies(messages);
    trm_messages_destroy(messages);
    return 0;
}
