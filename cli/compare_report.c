/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A comparison as one HTML file (viewer/DATA.md, "Comparison file"). */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compare.h"
#include "page.h"

/* Largest size of a model in bytes that the file includes, so that it can be sent by mail. */
enum { LONGEST_MODEL = 300000 };

struct compare_report {
    const char *path;
    FILE *file;
};

compare_report *compare_report_begin(const char *path)
{
    if (!compare_page()) {
        fprintf(stderr, "trammel compare: --report: this program was built without its page; build it with node and "
                        "npm installed\n");
        return NULL;
    }
    compare_report *made = calloc(1, sizeof *made);
    if (!made) {
        fprintf(stderr, "trammel compare: out of memory for %s\n", path);
        return NULL;
    }
    made->path = path;
    made->file = fopen(path, "wb");
    if (made->file) return made;
    fprintf(stderr, "trammel compare: cannot write %s: %s\n", path, strerror(errno));
    compare_report_end(made);
    return NULL;
}

void compare_report_end(compare_report *report)
{
    if (!report) return;
    if (report->file) fclose(report->file);
    free(report);
}

/* ---- Facts --------------------------------------------------------------------------------- */

typedef struct sheet {
    const comparison *c;
    const curves *k;
    const char *model, *command, *date;
} sheet;

/* Writes a key and a text as a JSON string. */
static bool put_fact(trm_sink sink, const char *key, const char *text)
{
    trm_json_writer w = trm_json_begin(sink);
    if (!trm_put_text(sink, ", \"") || !trm_put_text(sink, key) || !trm_put_text(sink, "\": ")) return false;
    trm_json_put_text(&w, NULL, text);
    return trm_json_end(&w);
}

static trm_status write_facts(void *context, trm_sink sink)
{
    const sheet *s = context;
    const bool good = trm_put_text(sink, "{ \"compare\": ") && write_json(s->c, sink) &&
                      put_fact(sink, "title", s->c->title) && put_fact(sink, "trammel", trm_version()) &&
                      put_fact(sink, "model", s->model) && put_fact(sink, "command", s->command) &&
                      put_fact(sink, "date", s->date) && trm_put_text(sink, "}\n");
    return good ? TRM_OK : TRM_IO_ERROR;
}

/* ---- Curves -------------------------------------------------------------------------------- */

static void put_share(trm_json_writer *w, const char *key, int kept, int there)
{
    trm_json_put_numbers(w, key, (double[]){kept, there}, 2);
}

static void put_columns(trm_json_writer *w, const curves *k)
{
    trm_json_open_array(w, "columns");
    for (int i = 0; i < k->column_count; i++) {
        trm_json_open_object_flat(w, NULL);
        trm_json_put_text(w, "name", k->columns[i].name);
        trm_json_put_text(w, "unit", k->columns[i].unit);
        trm_json_put_text(w, "kind", k->columns[i].kind);
        if (k->columns[i].element) trm_json_put_text(w, "element", k->columns[i].element);
        trm_json_close(w);
    }
    trm_json_close(w);
}

/* Writes the curves of a run. Returns false if out of memory. */
static bool put_run(trm_json_writer *w, const curves *k, const curve *run)
{
    const size_t numbers = (size_t)run->rows * (size_t)k->column_count;
    trm_text *text = trm_text_create(NULL);
    const bool made = text && trm_write_base64(run->values, numbers * sizeof *run->values, trm_text_sink(text));
    trm_json_open_object_flat(w, NULL);
    trm_json_put_integer(w, "run", run->trial);
    trm_json_put_integer(w, "count", run->rows);
    trm_json_put_text(w, "values", made ? trm_text_get(text) : "");
    trm_json_close(w);
    trm_text_destroy(text);
    return made;
}

static trm_status write_curves(void *context, trm_sink sink)
{
    const curves *k = ((const sheet *)context)->k;
    trm_json_writer w = trm_json_begin(sink);
    bool made = true;
    trm_json_open_object(&w, NULL);
    trm_json_put_number(&w, "every", k->every);
    put_share(&w, "runs_kept", k->run_count, k->runs_there);
    put_share(&w, "bodies_kept", k->bodies, k->bodies_there);
    put_share(&w, "joints_kept", k->joints, k->joints_there);
    put_columns(&w, k);
    trm_json_open_array(&w, "runs");
    for (int i = 0; made && i < k->run_count; i++) made = put_run(&w, k, &k->runs[i]);
    trm_json_close(&w);
    trm_json_close(&w);
    return !made ? TRM_OUT_OF_MEMORY : trm_json_end(&w) ? TRM_OK : TRM_IO_ERROR;
}

/* ---- The file ------------------------------------------------------------------------------ */

static trm_status write_all(const compare_report *report, sheet *s, const command_line *line)
{
    char date[40];
    const time_t now = time(NULL);
    struct tm day;
    strftime(date, sizeof date, "%Y-%m-%d %H:%M", localtime_r(&now, &day));
    char *model = text_of_file(line->words[0]), *said = text_of_command("compare", line);
    s->model = model && strlen(model) <= LONGEST_MODEL ? model : "";
    s->command = said ? said : "";
    s->date = date;
    const trm_page_part parts[] = {{"facts", NULL, write_facts, s}, {"curves", NULL, write_curves, s}};
    const trm_status status = trm_write_page(compare_page(), parts, COUNT_OF(parts), trm_file_sink(report->file));
    free(model);
    free(said);
    return status;
}

bool compare_report_write(compare_report *report, comparison *c, const command_line *line)
{
    curves k = {0};
    sheet s = {.c = c, .k = &k};
    const bool found = find_curves(c, &k);
    const trm_status written = found ? write_all(report, &s, line) : TRM_OK;
    const bool closed = fclose(report->file) == 0;
    report->file = NULL;
    free_curves(&k);
    if (!found || (written == TRM_OK && closed)) return found;
    fprintf(stderr, "trammel compare: cannot write %s: %s\n", report->path,
            written == TRM_OUT_OF_MEMORY ? "out of memory" : strerror(errno));
    return false;
}
