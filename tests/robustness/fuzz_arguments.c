/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Fuzz target: any lines as the words of a command line are either refused, or parsed into words and options of the
 * command. Then constants, options of simulations and variations are read from them. Nothing is run, read or
 * written. */

int main_of_program(int count, char **words);
#define main main_of_program
#include "cli/main.c"
#undef main

#include "cli/reading.h"
#include "cli/simulation_options.h"
#include "cli/sweep_design.h"

enum { MOST_WORDS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static trm_model *make_model(void)
{
    static const char text[] = "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"p\", \"point\": true, \"mass\": 1 }] }";
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def = NULL;
    trm_model *model = NULL;
    if (trm_read_model_text(text, sizeof text - 1, "fuzz", NULL, NULL, messages, &def) != TRM_OK ||
        trm_model_create(def, NULL, messages, &model) != TRM_OK)
        abort();
    trm_model_def_destroy(def);
    trm_messages_destroy(messages);
    return model;
}

static void read_values(const command *c, const command_line *line)
{
    reading r;
    method_choice method = {0};
    trm_simulation_def options;
    design d = {0};
    char why[400];
    trm_model *model = make_model();
    reading_begin(line, &r);
    reading_end(&r);
    if (strcmp(c->name, "run") == 0) read_simulation_options("fuzz", line, model, &method, &options);
    bool good = true;
    for (int i = 0; good && i < line->option_count; i++)
        if (strcmp(line->options[i]->name, "--vary") == 0) good = add_variation(&d, line->values[i], why, sizeof why);
    free_design(&d);
    trm_model_destroy(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), *words[MOST_WORDS];
    const option *options[MOST_WORDS + 1];
    const char *plain[MOST_WORDS + 1], *values[MOST_WORDS + 1];
    int count = 0;
    memcpy(text, data, size);
    text[size] = 0;
    char *rest = text;
    for (char *word; count < MOST_WORDS && (word = strsep(&rest, "\n"));) words[count++] = word;
    const command *c = find_command(words[0]);
    command_line line = {.words = plain, .options = options, .values = values};
    if (c && sort_words(c, count - 1, words + 1, &line)) read_values(c, &line);
    free(text);
    return 0;
}
