/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel convert: reads a model and writes it again, also as point masses or MJCF. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "output.h"

static bool is_mjcf(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcmp(dot, ".xml") == 0;
}

/* Writes the format that the ending of the name selects. For MJCF, messages name everything that is lost. */
static trm_status put_model(const char *path, const trm_model_def *def, const loaded *l, trm_sink sink)
{
    if (!is_mjcf(path)) return trm_write_model(def, sink);
    const int before = trm_message_count(l->messages);
    const trm_status status = trm_write_mjcf(def, l->model, NULL, l->messages, sink);
    for (int i = before; i < trm_message_count(l->messages); i++) {
        char text[500];
        trm_format_message(trm_message_at(l->messages, i), text, sizeof text);
        fprintf(stderr, "%s\n", text);
    }
    return status;
}

/* Writes a temporary file next to the target and renames it, so that a failure leaves the old file. path: with
 * links resolved. */
static bool replace_file(const char *path, const trm_model_def *def, const loaded *l)
{
    char partial[4096];
    FILE *file = partial_name(path, partial, sizeof partial) ? fopen(partial, "wb") : NULL;
    bool good = file && put_model(path, def, l, trm_file_sink(file)) == TRM_OK;
    if (file && fclose(file) != 0) good = false;
    if (good && rename(partial, path) != 0) good = false;
    if (good) return true;
    fprintf(stderr, "trammel convert: cannot write %s: %s\n", path, strerror(errno));
    if (file) remove(partial);
    return false;
}

static bool write_file(const char *path, const trm_model_def *def, const loaded *l)
{
    char *file = replaceable_file("convert", "", path);
    const bool good = file && replace_file(file, def, l);
    free(file);
    return good;
}

/* Checks the ending of the name. The source is not overwritten, because its comments and expressions would be
 * lost. */
static bool writes_there(const char *in, const char *out)
{
    const char *dot = strrchr(out, '.');
    const named_file read = {"the model, and lose its comments and expressions", in}, written = {"OUT", out};
    if (strcmp(out, "-") == 0) return true;
    if (!dot || (strcmp(dot, ".json") != 0 && strcmp(dot, ".xml") != 0)) {
        fprintf(stderr, "trammel convert: %s: models are written as .json, or as MJCF in .xml\n", out);
        return false;
    }
    return outputs_differ("convert", &read, 1, &written, 1);
}

static bool write_model(const char *out, const trm_model_def *def, const loaded *l)
{
    if (strcmp(out, "-") != 0) return write_file(out, def, l);
    return trm_write_model(def, trm_file_sink(stdout)) == TRM_OK;
}

/* ---- Points ------------------------------------------------------------------------------- */

static void print_counts(const loaded *l, const trm_point_counts *counts, const trm_model_def *points)
{
    int fixed = 0;
    for (int i = 0; i < points->body_count; i++) fixed += points->bodies[i].kind == TRM_BODY_FIXED;
    fprintf(stderr, "%d points, %d of them fixed, and %d distances\n", points->body_count, fixed,
            points->joint_count);
    for (int i = 0; i < trm_body_count(l->model); i++)
        if (counts[i].points > 0)
            fprintf(stderr, "  %s: %d points, %d distances\n", trm_body_info_of(l->model, i).name, counts[i].points,
                    counts[i].distances);
}

/* Returns the definition of the point masses, which the caller destroys; NULL after messages. */
static trm_model_def *to_points(const command_line *line, const loaded *l)
{
    trm_model_def *points = NULL;
    const trm_point_layout layout = has_option(line, "--six") ? TRM_POINTS_SIX : TRM_POINTS_EIGHT;
    trm_point_counts *counts = calloc((size_t)trm_body_count(l->model), sizeof *counts);
    if (!counts || trm_to_points(l->model, layout, NULL, l->messages, counts, &points) == TRM_OUT_OF_MEMORY)
        fprintf(stderr, "trammel convert: out of memory\n");
    if (points) print_counts(l, counts, points);
    free(counts);
    return points;
}

/* ---- The command -------------------------------------------------------------------------- */

static bool takes_options(const command_line *line)
{
    const bool points = has_option(line, "--to-points");
    if (points && line->word_count > 1 && is_mjcf(line->words[1])) {
        fprintf(stderr, "trammel convert: point masses are written as .json only\n");
        return false;
    }
    if (!has_option(line, "--six") || points) return true;
    fprintf(stderr, "trammel convert: --six has no effect without --to-points; give both\n");
    return false;
}

static exit_code run(const command_line *line)
{
    loaded l;
    const char *out = line->word_count > 1 ? line->words[1] : "-";
    if (!takes_options(line) || !writes_there(line->words[0], out)) return EXIT_USAGE;
    const trm_status status =
        load_model_for_viewing(line, &l); /* build the model as well, so that only valid models are written */
    trm_model_def *points = status == TRM_OK && has_option(line, "--to-points") ? to_points(line, &l) : NULL;
    const trm_model_def *def = has_option(line, "--to-points") ? points : l.def;
    if (l.messages) print_messages(l.messages);
    const bool good = status == TRM_OK && def && write_model(out, def, &l);
    trm_model_def_destroy(points);
    unload(&l);
    return good ? EXIT_DONE : EXIT_BAD_INPUT;
}

static const option options[] = {
    {"--to-points", NULL,
     "convert bodies to equivalent point masses and distances (ball, hinge and distance joints only)"},
    {"--six", NULL, "with --to-points: the points of the joints and six on the axes instead of eight images of each"},
    MODEL_OPTIONS,
};

const command command_convert = {
    .name = "convert",
    .words = "IN [OUT]",
    .least = 1,
    .most = 2,
    .summary = "read a model and write its plain form: expressions evaluated, defaults left out",
    .details = "Without OUT, or with -, writes to stdout. Keeps expressions in t and tables. Writes MJCF if OUT ends "
               "in .xml,\n"
               "and names what MJCF cannot express.",
    .options = options,
    .option_count = COUNT_OF(options),
    .run = run,
};
