/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Hands the command line over to trammel-view, next to this program or in the PATH. */

#include "view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char PROGRAM[] = "trammel-view";

/* The folder of this program with the other's name; "": unknown. */
static void find_next_to_program(char *path, size_t size)
{
    const ssize_t length = readlink("/proc/self/exe", path, size - sizeof PROGRAM - 1);
    path[length > 0 ? length : 0] = 0;
    char *slash = strrchr(path, '/');
    if (slash) memcpy(slash + 1, PROGRAM, sizeof PROGRAM);
}

/* The words as they were sorted, options first. */
static char **words_of(const command_line *line)
{
    char **words = calloc((size_t)(line->word_count + 2 * line->option_count) + 4, sizeof *words);
    const char **next = (const char **)words;
    if (!words) return NULL;
    *next++ = PROGRAM;
    *next++ = "view";
    for (int i = 0; i < line->option_count; i++) {
        *next++ = line->options[i]->name;
        if (line->values[i]) *next++ = line->values[i];
    }
    *next++ = "--";
    for (int i = 0; i < line->word_count; i++) *next++ = line->words[i];
    return words;
}

exit_code view_run(const command_line *line)
{
    char path[4096];
    char **words = words_of(line);
    find_next_to_program(path, sizeof path);
    if (words) {
        execv(path, words);
        execvp(PROGRAM, words);
    }
    fprintf(stderr,
            "trammel view: cannot start %s: %s; it is built if libwebsockets is installed (Debian: "
            "libwebsockets-dev)\n",
            PROGRAM, strerror(errno));
    free(words);
    return EXIT_USAGE;
}
