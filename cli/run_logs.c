/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "run_logs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *ending, *what;
} KINDS[OUT_KINDS] = {
    {NULL, "of rows"},
    {".glb", "that end in .glb, animations"},
    {".npz", "that end in .npz, arrays"},
    {".mcap", "that end in .mcap, logs"},
};

struct run_logs {
    const char *npz, *mcap; /* paths; NULL: none */
    FILE *npz_file, *mcap_file;
    const trm_results *columns;
    trm_table *table;
    trm_mcap *log;
    trm_status status; /* of the log: a file that could not be written is reported at the end */
};

/* ---- Paths --------------------------------------------------------------------------------- */

static out_kind kind_of(const char *path)
{
    const size_t length = strlen(path);
    for (int k = OUT_ROWS + 1; k < OUT_KINDS; k++) {
        const size_t ending = strlen(KINDS[k].ending);
        if (length >= ending && strcasecmp(path + length - ending, KINDS[k].ending) == 0) return (out_kind)k;
    }
    return OUT_ROWS;
}

const char *out_path(const command_line *line, out_kind kind)
{
    for (int i = 0; i < line->option_count; i++)
        if (strcmp(line->options[i]->name, "--out") == 0 && kind_of(line->values[i]) == kind) return line->values[i];
    return NULL;
}

bool has_logs(const command_line *line)
{
    return out_path(line, OUT_NPZ) || out_path(line, OUT_MCAP);
}

bool outs_are_good(const command_line *line)
{
    int count[OUT_KINDS] = {0};
    for (int i = 0; i < line->option_count; i++)
        if (strcmp(line->options[i]->name, "--out") == 0) count[kind_of(line->values[i])]++;
    for (int k = 0; k < OUT_KINDS; k++) {
        if (count[k] < 2) continue;
        fprintf(stderr, "trammel run: --out is given %d files %s; one of each kind is enough\n", count[k],
                KINDS[k].what);
        return false;
    }
    return true;
}

/* ---- Files --------------------------------------------------------------------------------- */

static bool open_file(const char *path, FILE **file)
{
    if (!path) return true;
    *file = fopen(path, "wb");
    if (!*file) fprintf(stderr, "trammel run: cannot write %s: %s\n", path, strerror(errno));
    return *file != NULL;
}

static bool begin(run_logs *l, const trm_state *start)
{
    if (!open_file(l->npz, &l->npz_file) || !open_file(l->mcap, &l->mcap_file)) return false;
    if (l->npz) l->table = trm_table_create(l->columns, NULL);
    if (l->mcap) l->status = trm_mcap_create(l->columns, start, NULL, trm_file_sink(l->mcap_file), &l->log);
    if ((!l->npz || l->table) && (!l->mcap || l->log)) return true;
    fprintf(stderr, "trammel run: cannot write %s: %s\n", l->log ? l->npz : l->mcap,
            l->status == TRM_IO_ERROR ? strerror(errno) : "out of memory");
    return false;
}

bool run_logs_begin(const command_line *line, const trm_results *columns, const trm_state *start, run_logs **logs)
{
    *logs = NULL;
    if (!has_logs(line)) return true;
    run_logs *l = calloc(1, sizeof *l);
    if (!l) fprintf(stderr, "trammel run: out of memory\n");
    if (!l) return false;
    l->npz = out_path(line, OUT_NPZ);
    l->mcap = out_path(line, OUT_MCAP);
    l->columns = columns;
    *logs = l;
    return begin(l, start);
}

bool run_logs_add(run_logs *l, const trm_state *state)
{
    if (l->log && l->status == TRM_OK) l->status = trm_mcap_add(l->log, state);
    return (!l->table || trm_table_add(l->table, state)) && l->status == TRM_OK;
}

static bool close_file(FILE **file, const char *path, trm_status status)
{
    const int error = errno;
    const bool closed = fclose(*file) == 0;
    *file = NULL;
    if (status == TRM_OK && closed) return true;
    fprintf(stderr, "trammel run: cannot write %s: %s\n", path,
            status == TRM_BAD_INPUT       ? "it would be larger than the 4 GiB that a .npz can hold"
            : status == TRM_OUT_OF_MEMORY ? "out of memory"
                                          : strerror(status == TRM_OK ? errno : error));
    return false;
}

bool run_logs_write(run_logs *l)
{
    bool good = true;
    if (l->npz_file) {
        const trm_status status = trm_write_npz(l->columns, l->table, NULL, trm_file_sink(l->npz_file));
        good = close_file(&l->npz_file, l->npz, status);
    }
    if (l->mcap_file) {
        const trm_status status = l->status == TRM_OK ? trm_mcap_end(l->log) : l->status;
        good = close_file(&l->mcap_file, l->mcap, status) && good;
    }
    return good;
}

void run_logs_end(run_logs *l)
{
    if (!l) return;
    if (l->npz_file) fclose(l->npz_file);
    if (l->mcap_file) fclose(l->mcap_file);
    trm_mcap_destroy(l->log);
    trm_table_destroy(l->table);
    free(l);
}
