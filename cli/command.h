/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Commands and their options, defined once: the parser, --help and shell completion all read the same tables. */

#ifndef TRM_CLI_COMMAND_H
#define TRM_CLI_COMMAND_H

#include "trammel/trammel.h"

typedef enum exit_code {
    EXIT_DONE = 0,
    EXIT_DIFFERS = 1,   /* a compared result differs */
    EXIT_USAGE = 2,     /* the command line is wrong */
    EXIT_BAD_INPUT = 3, /* a file is wrong or cannot be read or written */
    EXIT_STOPPED = 4,   /* the simulation could not continue */
    EXIT_BAD_RUN = 5,   /* the run is complete, but its result cannot be trusted: the verdict is bad */
} exit_code;

typedef struct option {
    const char *name; /* "--set" */
    const char
        *value; /* name of its value, "FILE"; NULL: it takes none; with ... at the end the option may be repeated */
    const char *help;
} option;

/* The parsed command line. */
typedef struct command_line {
    const char **words; /* words that are not options */
    int word_count;
    const option **options; /* one entry per occurrence */
    const char **values;    /* value of each; NULL: none */
    int option_count;
} command_line;

typedef struct command {
    const char *name;
    const char *words; /* "MODEL [OUT]" */
    int least, most;   /* words */
    const char *summary;
    const char *details; /* a paragraph for --help; may be NULL */
    const option *options;
    int option_count;
    exit_code (*run)(const command_line *line);
    bool together; /* all ranks run it (ranks.h); false: rank 0 alone does */
} command;

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof(array)[0]))

#define TRM_COMMAND(name) extern const command command_##name;
#include "commands.h"
#undef TRM_COMMAND

extern const command *const commands[];
extern const int command_count;

bool has_option(const command_line *line, const char *name);
const char *option_value(const command_line *line,
                         const char *name); /* Returns the last value of an option, NULL if it was not given. */

/* Reads all NAME=VALUE of an option, such as --set, as constants. Returns false after reporting what is wrong.
 * free_settings frees them in both cases. */
bool set_options(const command_line *line, const char *key, trm_constant **set, int *count);

void free_settings(trm_constant *set, int count);

/* Returns "trammel run MODEL --step 0.01", words with blanks in quotes; the caller frees it. Returns NULL if out of
 * memory. */
char *text_of_command(const char *name, const command_line *line);

/* Returns the bytes of a file with a zero after the last one; the caller frees them. Returns NULL if the file
 * cannot be read, or not a second time because it is a pipe. */
char *bytes_of_file(const char *path, size_t *count);
char *text_of_file(const char *path);

/* Messages to stderr, one per line. */
void print_messages(const trm_messages *messages);

#endif
