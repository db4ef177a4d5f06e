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

run_report *run_report_begin(const char *path, trm_sim *sim, const trm_results *columns)
{
    if (!report_page()) {
        fprintf(
            stderr,
            "trammel run: --report: this program was built without its page; build it with node and npm installed\n");
        return NULL;
    }
    run_report *made = calloc(1, sizeof *made);
    if (made) made->kept = trm_report_create(sim, NULL);
    if (!made || !made->kept || (columns && !trm_report_add_columns(made->kept, columns))) {
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

/* ---- The file ------------------------------------------------------------------------------ */

bool run_report_write(run_report *report, const char *who, const command_line *line, const loaded *l,
                      const char *status, double wall)
{
    char date[40];
    const time_t now = time(NULL);
    struct tm day;
    strftime(date, sizeof date, "%Y-%m-%d %H:%M", localtime_r(&now, &day));
    char *model = text_of_file(line->words[0]), *said = text_of_command(who, line);
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
    fprintf(stderr, "trammel %s: cannot write %s: %s\n", who, report->path,
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
