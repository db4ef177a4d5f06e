/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel convert: a model file, read and written anew. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model.h"

/* Through a file of its own beside the target, so that a failure leaves what was there. */
static bool write_file(const char *path, const trm_model_def *def)
{
    char partial[4096];
    if (snprintf(partial, sizeof partial, "%s.partial", path) >= (int)sizeof partial) errno = ENAMETOOLONG;
    FILE *file = errno == ENAMETOOLONG ? NULL : fopen(partial, "wb");
    bool good = file && trm_write_model(def, trm_file_sink(file)) == TRM_OK;
    if (file && fclose(file) != 0) good = false;
    if (good && rename(partial, path) != 0) good = false;
    if (good) return true;
    fprintf(stderr, "trammel convert: cannot write %s: %s\n", path, strerror(errno));
    if (file) remove(partial);
    return false;
}

/* Formats by their ending; the source is not written over, for its comments and expressions would be lost. */
static bool writes_there(const char *in, const char *out)
{
    const char *dot = strrchr(out, '.');
    if (strcmp(out, "-") == 0) return true;
    if (!dot || strcmp(dot, ".json") != 0) {
        fprintf(stderr, "trammel convert: %s: models are written as .json\n", out);
        return false;
    }
    if (strcmp(in, out) == 0) {
        fprintf(stderr, "trammel convert: %s would be written over itself and lose comments and expressions\n", in);
        return false;
    }
    return true;
}

static exit_code run(const command_line *line)
{
    loaded l;
    const char *out = line->word_count > 1 ? line->words[1] : "-";
    if (!writes_there(line->words[0], out)) return EXIT_USAGE;
    const trm_status status = load_model(line, &l); /* built too: what is written is sound */
    bool good = status == TRM_OK;
    if (l.messages) print_messages(l.messages);
    if (good && strcmp(out, "-") == 0)
        good = trm_write_model(l.def, trm_file_sink(stdout)) == TRM_OK;
    else if (good)
        good = write_file(out, l.def);
    unload(&l);
    return good ? EXIT_DONE : EXIT_BAD_INPUT;
}

static const option options[] = {SET_OPTION};

const command command_convert = {
    .name = "convert",
    .words = "IN [OUT]",
    .least = 1,
    .most = 2,
    .summary = "read a model and write it in its plain form: expressions evaluated, defaults left out",
    .details = "Without OUT, or with -, to stdout. Expressions in t and tables stay as they are.",
    .options = options,
    .option_count = COUNT_OF(options),
    .run = run,
};
