/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "run_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "page.h"

struct run_report {
    const char *path;
    FILE *file;
    trm_report *kept;
};

run_report *run_report_begin(const char *path, trm_sim *sim)
{
    if (!report_page()) {
        fprintf(stderr,
                "trammel run: --report: this program was built without its page; build it where node and npm are\n");
        return NULL;
    }
    run_report *made = calloc(1, sizeof *made);
    if (made) made->kept = trm_report_create(sim, NULL);
    if (!made || !made->kept) {
        fprintf(stderr, "trammel run: out of memory for %s\n", path);
        run_report_end(made);
        return NULL;
    }
    made->path = path;
    made->file = fopen(path, "wb");
    if (made->file) return made;
    fprintf(stderr, "trammel run: cannot write %s: %s\n", path, strerror(errno));
    run_report_end(made);
    return NULL;
}

bool run_report_add(run_report *report, const trm_state *state)
{
    return trm_report_add(report->kept, state);
}

/* ---- Facts --------------------------------------------------------------------------------- */

/* The model's file as it is; NULL: it cannot be read again (a pipe), which is no trouble. */
static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long size = -1;
    if (file && fseek(file, 0, SEEK_END) == 0) size = ftell(file);
    if (size >= 0) text = calloc((size_t)size + 1, 1);
    if (text) {
        rewind(file);
        text[fread(text, 1, (size_t)size, file)] = 0;
    }
    if (file) fclose(file);
    return text;
}

/* "trammel run MODEL --step 0.01"; words with blanks in quotes. */
static char *command_of(const command_line *line)
{
    trm_text *text = trm_text_create(NULL);
    const trm_sink sink = text ? trm_text_sink(text) : (trm_sink){0};
    bool good = text && sink.write(sink.context, "trammel run ", 12);
    for (int i = 0; good && i < line->word_count; i++)
        good = sink.write(sink.context, line->words[i], strlen(line->words[i]));
    for (int i = 0; good && i < line->option_count; i++) {
        const char *value = line->values[i], *quote = value && strpbrk(value, " *'\"$") ? "\"" : "";
        char word[600];
        const int length = snprintf(word, sizeof word, " %s%s%s%s%s", line->options[i]->name, value ? " " : "",
                                    value ? quote : "", value ? value : "", value ? quote : "");
        good = sink.write(sink.context, word, (size_t)(length < (int)sizeof word ? length : (int)sizeof word - 1));
    }
    char *said = good ? strdup(trm_text_get(text)) : NULL;
    trm_text_destroy(text);
    return said;
}

bool run_report_write(run_report *report, const command_line *line, const loaded *l, const char *status, double wall)
{
    char date[40];
    const time_t now = time(NULL);
    struct tm day;
    strftime(date, sizeof date, "%Y-%m-%d %H:%M", localtime_r(&now, &day));
    char *model = read_text(line->words[0]), *said = command_of(line);
    const trm_report_def def = {.page = report_page(),
                                .title = title_of(l, line->words[0]),
                                .status = status,
                                .wall = wall,
                                .model = model ? model : "",
                                .command = said ? said : "",
                                .date = date};
    const trm_status written = trm_write_report_html(report->kept, &def, trm_file_sink(report->file));
    const bool closed = fclose(report->file) == 0;
    report->file = NULL;
    free(model);
    free(said);
    if (written == TRM_OK && closed) return true;
    fprintf(stderr, "trammel run: cannot write %s: %s\n", report->path,
            written == TRM_OUT_OF_MEMORY ? "out of memory" : strerror(errno));
    return false;
}

void run_report_end(run_report *report)
{
    if (!report) return;
    if (report->file) fclose(report->file);
    trm_report_destroy(report->kept);
    free(report);
}
