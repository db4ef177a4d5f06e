/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel COMMAND ...: finds the command, parses the command line by the command's table, and runs the command. */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "man.h"
#include "nearest.h"
#include "ranks.h"

#define TRM_COMMAND(name) &command_##name,
const command *const commands[] = {
#include "commands.h"
};
#undef TRM_COMMAND
const int command_count = COUNT_OF(commands);

/* ---- Help --------------------------------------------------------------------------------- */

static void print_usage(FILE *to)
{
    fprintf(to, "%s %s: simulation of rigid bodies with joints, contacts and friction\n\n", program_name,
            trm_version());
    fprintf(to, "usage: %s COMMAND ...\n\n%s", program_name, program_words);
    for (int i = 0; i < command_count; i++) fprintf(to, "  %-12s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(to, "\n  trammel COMMAND --help   options of a command\n");
    fprintf(to, "  trammel --version        the version\n");
    fprintf(to, "  trammel --man            the manual page in roff; installed as trammel(1)\n\n");
    fprintf(to, "Results go to stdout, messages to stderr. Exit codes: 0 success, 1 a compared result differs,\n"
                "2 wrong usage, 3 bad input, 4 the simulation failed before its end,\n"
                "5 it reached its end, but the verdict on its result is bad.\n");
}

/* Prints the name of an option and its help, which is broken between words and continues in its column. */
static void print_option(const option *o)
{
    enum { WIDTH = 110, COLUMN = 25 };
    char left[64];
    snprintf(left, sizeof left, "%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
    int at = printf("  %-*s", COLUMN - 3, left);
    for (const char *word = o->help; *word;) {
        const int length = (int)strcspn(word, " ");
        if (at + 1 + length > WIDTH && at > COLUMN) at = printf("\n%*s", COLUMN - 1, "") - 1;
        at += printf(" %.*s", length, word);
        word += length + (word[length] == ' ');
    }
    printf("\n");
}

static void print_command_help(const command *c)
{
    printf("usage: trammel %s%s%s%s\n\n%s\n", c->name, c->words[0] ? " " : "", c->words,
           c->option_count ? " [options]" : "", c->summary);
    if (c->details) printf("\n%s\n", c->details);
    if (c->option_count) printf("\n");
    for (int i = 0; i < c->option_count; i++) print_option(&c->options[i]);
}

/* ---- The command line --------------------------------------------------------------------- */

static const command *find_command(const char *name)
{
    for (int i = 0; i < command_count; i++)
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    return NULL;
}

/* What other programs call a command or an option of this one. */
typedef struct synonym {
    const char *elsewhere, *here;
} synonym;

static const synonym synonyms[] = {
    {"simulate", "run"},
    {"sim", "run"},
    {"info", "check"},
    {"validate", "check"},
    {"show", "view"},
    {"visualize", "view"},
    {"export", "convert"},
    {"import", "convert"},
    {"version", "--version"},
    {"--dt", "--step"},
    {"--timestep", "--step"},
    {"--time-step", "--step"},
    {"--duration", "--time"},
    {"--t-end", "--time"},
    {"--tend", "--time"},
    {"--end-time", "--time"},
    {"--integrator", "--method"},
    {"--output", "--out"},
    {"-o", "--out"},
};

static const char *name_here(const char *word)
{
    for (size_t i = 0; i < COUNT_OF(synonyms); i++)
        if (strcmp(synonyms[i].elsewhere, word) == 0) return synonyms[i].here;
    return NULL;
}

static void refuse_command(const char *name)
{
    nearest n = {.word = name};
    for (int i = 0; i < command_count; i++) consider(&n, commands[i]->name);
    const char *meant = name_here(name) ? name_here(name) : n.found;
    fprintf(stderr, "trammel: there is no command \"%s\"", name);
    if (strchr(name, '.')) /* a file */
        fprintf(stderr, "; to simulate a model: trammel run %s", name);
    else if (meant)
        fprintf(stderr, "; did you mean \"%s\"?", meant);
    fprintf(stderr, "\n\n");
}

static const option *find_option(const command *c, const char *name, size_t length)
{
    for (int i = 0; i < c->option_count; i++)
        if (strlen(c->options[i].name) == length && strncmp(c->options[i].name, name, length) == 0)
            return &c->options[i];
    return NULL;
}

static bool may_be_repeated(const option *o)
{
    const size_t length = o->value ? strlen(o->value) : 0;
    return length > 3 && strcmp(o->value + length - 3, "...") == 0;
}

static void refuse_option(const command *c, const char *word, int length)
{
    char shown[60];
    snprintf(shown, sizeof shown, "%.*s", length, word);
    nearest n = {.word = shown};
    for (int i = 0; i < c->option_count; i++) consider(&n, c->options[i].name);
    const char *here = name_here(shown);
    const char *meant = here && find_option(c, here, strlen(here)) ? here : n.found;
    fprintf(stderr, "trammel %s: there is no option %.*s; ", c->name, length, word);
    if (meant) fprintf(stderr, "did you mean %s? ", meant);
    fprintf(stderr, "see trammel %s --help\n", c->name);
}

/* Parses "--name", "--name value" or "--name=value". Returns the number of words that belong to it; 0 after reporting
 * what is wrong. */
static int take_option(const command *c, int count, char **words, command_line *sorted)
{
    const char *equals = strchr(words[0], '=');
    const size_t length = equals ? (size_t)(equals - words[0]) : strlen(words[0]);
    const option *found = find_option(c, words[0], length);
    if (!found) {
        refuse_option(c, words[0], (int)length);
        return 0;
    }
    if (!found->value && equals) {
        fprintf(stderr, "trammel %s: %s takes no value\n", c->name, found->name);
        return 0;
    }
    if (found->value && !equals && count < 2) {
        fprintf(stderr, "trammel %s: %s needs %s\n", c->name, found->name, found->value);
        return 0;
    }
    for (int i = 0; i < sorted->option_count; i++)
        if (sorted->options[i] == found && !may_be_repeated(found)) {
            fprintf(stderr, "trammel %s: %s is given twice\n", c->name, found->name);
            return 0;
        }
    const bool next_word = found->value && !equals;
    sorted->options[sorted->option_count] = found;
    sorted->values[sorted->option_count++] = next_word ? words[1] : equals ? equals + 1 : NULL;
    return next_word ? 2 : 1;
}

/* Returns whether a word begins with "--", or with "-" and a letter; "-" is stdin or stdout, "-1" a number. */
static bool looks_like_option(const char *word)
{
    if (word[0] != '-') return false;
    const char second = (char)(word[1] | 32);
    return word[1] == '-' || (second >= 'a' && second <= 'z');
}

static bool sort_words(const command *c, int count, char **words, command_line *sorted)
{
    bool options_end = false;
    for (int i = 0; i < count;) {
        const bool is_option = !options_end && looks_like_option(words[i]);
        if (is_option && strcmp(words[i], "--") == 0) {
            options_end = true;
            i++;
        } else if (is_option) {
            const int taken = take_option(c, count - i, words + i, sorted);
            if (taken == 0) return false;
            i += taken;
        } else {
            sorted->words[sorted->word_count++] = words[i++];
        }
    }
    if (sorted->word_count >= c->least && sorted->word_count <= c->most) return true;
    fprintf(stderr, "usage: trammel %s %s%s\nsee trammel %s --help\n", c->name, c->words,
            c->option_count ? " [options]" : "", c->name);
    return false;
}

static exit_code run_command(const command *c, int count, char **words)
{
    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++) {
        if (strcmp(words[i], "--help") != 0 && strcmp(words[i], "-h") != 0) continue;
        print_command_help(c);
        return EXIT_DONE;
    }
    const size_t room = (size_t)count + 1;
    command_line sorted = {
        .words = calloc(room, sizeof *sorted.words),
        .options = calloc(room, sizeof *sorted.options),
        .values = calloc(room, sizeof *sorted.values),
    };
    exit_code code = EXIT_USAGE;
    if (!sorted.words || !sorted.options || !sorted.values)
        fprintf(stderr, "trammel: out of memory\n");
    else if (sort_words(c, count, words, &sorted))
        code = c->run(&sorted);
    free(sorted.words);
    free(sorted.options);
    free(sorted.values);
    return code;
}

static exit_code obey(const command *c, int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (c) return run_command(c, argc - 2, argv + 2);
    if (strcmp(name, "help") == 0 && argc == 3 && find_command(argv[2])) {
        print_command_help(find_command(argv[2]));
    } else if (strcmp(name, "--version") == 0) {
        printf("%s %s\n", program_name, trm_version());
    } else if (strcmp(name, "--man") == 0) {
        print_manual();
    } else if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_usage(stdout);
    } else {
        if (name[0]) refuse_command(name);
        print_usage(stderr);
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* a write beyond the size limit fails with an error, which is reported */
    if (!ranks_begin(argc, argv)) return EXIT_STOPPED;
    const command *c = find_command(argc > 1 ? argv[1] : "");
    exit_code code = EXIT_DONE;
    if (ranks_take_part(c && c->together)) code = obey(c, argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "trammel: the output could not be written\n");
        code = EXIT_BAD_INPUT;
    }
    return ranks_end((int)code);
}
