/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "elsewhere.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes the path of a program in the folder of this one; "" if the folder is unknown. */
static void find_beside(const char *program, char *path, size_t size)
{
    const size_t room = strlen(program) + 1;
    const ssize_t length = readlink("/proc/self/exe", path, size - room - 1);
    path[length > 0 ? length : 0] = 0;
    char *slash = strrchr(path, '/');
    if (slash) memcpy(slash + 1, program, room);
}

/* Returns the words of the command line, options first; the caller frees them. */
static char **words_of(const char *program, const char *name, const command_line *line)
{
    char **words = calloc((size_t)(line->word_count + 2 * line->option_count) + 4, sizeof *words);
    const char **next = (const char **)words;
    if (!words) return NULL;
    *next++ = program;
    *next++ = name;
    for (int i = 0; i < line->option_count; i++) {
        *next++ = line->options[i]->name;
        if (line->values[i]) *next++ = line->values[i];
    }
    *next++ = "--";
    for (int i = 0; i < line->word_count; i++) *next++ = line->words[i];
    return words;
}

exit_code run_elsewhere(const char *program, const char *name, const char *advice, const command_line *line)
{
    char path[4096];
    char **words = words_of(program, name, line);
    find_beside(program, path, sizeof path);
    if (words) {
        execv(path, words);
        execvp(program, words);
    }
    fprintf(stderr, "trammel %s: cannot start %s: %s; %s\n", name, program, strerror(errno), advice);
    free(words);
    return EXIT_USAGE;
}
