/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Writes a run as one HTML file: the page made by viewer/build.mjs, in which one line is replaced by the data
 * (viewer/DATA.md). */

#include <string.h>

#include "base/memory.h"
#include "io/page.h"
#include "model/def.h"
#include "motion/state.h"
#include "sim/sim.h"

/* Largest number of numbers of all series together, so that reports can be sent by mail. Further joints get no
 * series. */
enum { MOST_NUMBERS = 80000 };

/* The data of a run that are stored for its report: poses (animation.h), and numbers at the same times. */
struct trm_report {
    trm_arena arena;
    trm_sim *sim;
    trm_animation *animation;
    trm_page_series series;
    float **rows; /* one number per series, for each row of the animation */
    int row_room;
};

/* ---- Storing ------------------------------------------------------------------------------- */

/* Stores the numbers of the row that the animation has just stored. Returns false if out of memory. */
static bool keep_row(trm_report *r, const trm_state *state)
{
    const int row = r->animation->row_count - 1;
    while (r->row_room <= row) {
        float *numbers = TRM_NEW_ARRAY(&r->arena, float, r->series.count);
        if (!numbers || !TRM_APPEND(&r->arena, r->rows, r->row_room, numbers)) return false;
    }
    for (int s = 0; s < r->series.count; s++) r->rows[row][s] = (float)trm_page_value(&r->series, s, state);
    return true;
}

static void swap_rows(void *report, int i, int k)
{
    trm_report *r = report;
    float *row = r->rows[i];
    r->rows[i] = r->rows[k];
    r->rows[k] = row;
}

static bool begin(trm_report *r, const trm_allocator *allocator)
{
    r->animation = trm_animation_create(r->sim->state, allocator);
    if (r->animation) r->animation->swap = swap_rows, r->animation->owner = r;
    return r->animation && trm_page_list_series(&r->series, r->sim->state, &r->arena) && keep_row(r, r->sim->state);
}

trm_report *trm_report_create(trm_sim *sim, const trm_allocator *allocator)
{
    trm_report *made = trm_owner_create(allocator, sizeof *made);
    if (!made) return NULL;
    made->sim = sim;
    if (begin(made, allocator)) return made;
    trm_report_destroy(made);
    return NULL;
}

void trm_report_destroy(trm_report *report)
{
    if (!report) return;
    trm_animation_destroy(report->animation);
    trm_owner_destroy(report, sizeof *report);
}

bool trm_report_add_columns(trm_report *report, const trm_results *columns)
{
    report->row_room = 0; /* the rows allocated so far are too short */
    report->rows = NULL;
    return trm_page_add_columns(&report->series, columns, &report->arena) && keep_row(report, report->sim->state);
}

bool trm_report_add(trm_report *report, const trm_state *state)
{
    return trm_animation_add(report->animation, state) && keep_row(report, state);
}

/* ---- Data ---------------------------------------------------------------------------------- */

/* A body in a short frame: its position, and its orientation as integers. */
typedef struct short_pose {
    float p[3];
    int16_t q[4];
} short_pose;

_Static_assert(sizeof(short_pose) == 20, "the layout of viewer/DATA.md");

static short_pose shorten(trm_pose X)
{
    const double most = 32767;
    return (short_pose){{(float)X.p.x, (float)X.p.y, (float)X.p.z},
                        {(int16_t)lround(most * X.q.w), (int16_t)lround(most * X.q.x), (int16_t)lround(most * X.q.y),
                         (int16_t)lround(most * X.q.z)}};
}

/* Writes the short frames: t and the poses of all bodies, including the ground. Fails if the sink does. */
static trm_status write_frames(const trm_report *r, trm_sink sink)
{
    const trm_animation *a = r->animation;
    const size_t bodies = (size_t)a->model->shown_body_count;
    const size_t size = (size_t)a->row_count * (sizeof(float) + bodies * sizeof(short_pose));
    char *all = trm_allocate(&r->arena.allocator, size), *next = all;
    if (!all) return TRM_OUT_OF_MEMORY;
    for (int row = 0; row < a->row_count; row++) {
        const float t = (float)a->times[row];
        memcpy(next, &t, sizeof t);
        next += sizeof t;
        for (int i = 0; i < a->model->shown_body_count; i++, next += sizeof(short_pose)) {
            const short_pose X = shorten(trm_animated_pose(a, row, i));
            memcpy(next, &X, sizeof X);
        }
    }
    const bool written = trm_write_base64(all, size, sink);
    trm_release(&r->arena.allocator, all, size);
    return written ? TRM_OK : TRM_IO_ERROR;
}

static bool put_values(const trm_report *r, int s, trm_json_writer *w)
{
    const int count = r->animation->row_count;
    const size_t size = (size_t)count * sizeof(float);
    float *values = trm_allocate(&r->arena.allocator, size);
    trm_text *text = trm_text_create(&r->arena.allocator);
    for (int row = 0; values && row < count; row++) values[row] = r->rows[row][s];
    const bool made = values && text && trm_write_base64(values, size, trm_text_sink(text));
    if (made) trm_json_put_text(w, "values", trm_text_get(text));
    trm_text_destroy(text);
    trm_release(&r->arena.allocator, values, size);
    return made;
}

static bool is_shown(const trm_report *r, int s, bool is_run)
{
    return is_run || strcmp(r->series.numbers[s].group, "coordinate") == 0;
}

static trm_status write_series(const trm_report *r, bool is_run, trm_sink sink)
{
    trm_json_writer w = trm_json_begin(sink);
    bool made = true;
    trm_json_open_array(&w, NULL);
    const int most = MOST_NUMBERS / r->animation->row_count;
    for (int s = 0; made && s < r->series.count && (s < most || s < r->series.first_count); s++) {
        if (!is_shown(r, s, is_run)) continue;
        trm_json_open_object_flat(&w, NULL);
        trm_page_describe(&r->series, s, &w);
        made = put_values(r, s, &w);
        trm_json_close(&w);
    }
    trm_json_close(&w);
    return !made ? TRM_OUT_OF_MEMORY : trm_json_end(&w) ? TRM_OK : TRM_IO_ERROR;
}

/* Writes a text as a JSON string after its key. Returns false if the sink failed. */
static bool put_fact(trm_sink sink, const char *key, const char *text)
{
    trm_json_writer w = trm_json_begin(sink);
    if (!trm_put_text(sink, ", \"") || !trm_put_text(sink, key) || !trm_put_text(sink, "\": ")) return false;
    trm_json_put_text(&w, NULL, text);
    return trm_json_end(&w);
}

static bool write_facts(const trm_report *r, const trm_report_def *def, trm_sink sink)
{
    const bool is_run = def->status != NULL;
    return trm_put_text(sink, "{ \"report\": ") &&
           (is_run ? trm_write_report_json(r->sim, def->status, def->wall, sink) : trm_put_text(sink, "{}")) &&
           put_fact(sink, "model", def->model) && put_fact(sink, "command", def->command) &&
           put_fact(sink, "date", def->date) && trm_put_text(sink, "}\n");
}

/* ---- The file ------------------------------------------------------------------------------ */

typedef struct sheet {
    const trm_report *report;
    const trm_report_def *def;
} sheet;

static trm_status write_scene_part(void *context, trm_sink sink)
{
    const sheet *s = context;
    return trm_page_write_scene(s->report->animation, s->def->title, sink);
}

static trm_status write_facts_part(void *context, trm_sink sink)
{
    const sheet *s = context;
    return write_facts(s->report, s->def, sink) ? TRM_OK : TRM_IO_ERROR;
}

static trm_status write_series_part(void *context, trm_sink sink)
{
    const sheet *s = context;
    return write_series(s->report, s->def->status != NULL, sink);
}

static trm_status write_frames_part(void *context, trm_sink sink)
{
    const sheet *s = context;
    return write_frames(s->report, sink);
}

trm_status trm_write_report_html_sized(const trm_report *report, trm_sized given, trm_sink sink)
{
    trm_report_def def;
    trm_read_def(TRM_DEF_REPORT, given, &def);
    sheet s = {report, &def};
    const trm_page_part parts[] = {{"scene", NULL, write_scene_part, &s},
                                   {"facts", NULL, write_facts_part, &s},
                                   {"series", NULL, write_series_part, &s},
                                   {"frames", "short", write_frames_part, &s}};
    return trm_write_page(def.page, parts, sizeof parts / sizeof parts[0], sink);
}
