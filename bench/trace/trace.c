/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Records which functions one step of a machine calls: the library is compiled with -finstrument-functions, whose hooks are
 * here. Started by trace.sh, which turns addresses into names and counts.
 *
 *     bench_trace MODEL STEPS [--impact WORD] [--step S]
 *
 * Makes STEPS steps, then records one. Prints a line for each pair of a calling and a called function:
 *
 *     ADDRESS_OF_CALLER ADDRESS_OF_CALLED LEVEL CALLS      in hexadecimal, the rest decimal
 *
 * LEVEL is the smallest depth of the called function; trm_sim_step has level 1, and its caller is 0. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trammel/trammel.h"

enum { MOST_CALLS = 1 << 16, MOST_LEVELS = 4096 };

typedef struct call {
    void *from, *to;
    int level;
    long long count;
} call;

static call calls[MOST_CALLS];
static void *stack[MOST_LEVELS];
static int depth, records;

void __cyg_profile_func_enter(void *called, void *site) __attribute__((no_instrument_function));
void __cyg_profile_func_exit(void *called, void *site) __attribute__((no_instrument_function));
static call *find_call(void *from, void *to) __attribute__((no_instrument_function));

static call *find_call(void *from, void *to)
{
    size_t place = ((size_t)from * 31 + (size_t)to) / 4 % MOST_CALLS;
    while (calls[place].to && (calls[place].from != from || calls[place].to != to)) place = (place + 1) % MOST_CALLS;
    return &calls[place];
}

void __cyg_profile_func_enter(void *called, void *site)
{
    (void)site;
    if (!records || depth + 1 >= MOST_LEVELS) return;
    call *c = find_call(stack[depth], called);
    stack[++depth] = called;
    if (!c->to || depth < c->level) c->level = depth;
    c->from = stack[depth - 1];
    c->to = called;
    c->count++;
}

void __cyg_profile_func_exit(void *called, void *site)
{
    (void)called;
    (void)site;
    if (records && depth > 0) depth--;
}

static void print_calls(void)
{
    for (int i = 0; i < MOST_CALLS; i++)
        if (calls[i].to)
            printf("%zx %zx %d %lld\n", (size_t)calls[i].from, (size_t)calls[i].to, calls[i].level, calls[i].count);
}

static bool trace(trm_sim *sim, int steps, double step)
{
    bool good = trm_sim_observe(sim).ok;
    for (int i = 0; good && i < steps; i++) good = trm_sim_step(sim, step).ok;
    records = 1;
    good = good && trm_sim_step(sim, step).ok;
    records = 0;
    return good;
}

static const char *option(int count, char **words, const char *name)
{
    for (int i = 0; i + 1 < count; i++)
        if (strcmp(words[i], name) == 0) return words[i + 1];
    return NULL;
}

int main(int count, char **words)
{
    trm_model_def *def = NULL;
    trm_model *model = NULL;
    trm_sim *sim = NULL;
    trm_messages *messages = trm_messages_create(NULL);
    bool good = count > 2 && messages && trm_read_model_file(words[1], NULL, NULL, messages, &def) == TRM_OK &&
                trm_model_create(def, NULL, messages, &model) == TRM_OK;
    if (good) {
        trm_simulation_def options = *trm_model_simulation(model);
        if (option(count, words, "--impact")) options.impact = option(count, words, "--impact");
        if (option(count, words, "--step")) options.step = strtod(option(count, words, "--step"), NULL);
        good = trm_sim_create(model, &options, NULL, messages, &sim) == TRM_OK &&
               trace(sim, atoi(words[2]), options.step);
    }
    if (good) print_calls();
    if (!good) fprintf(stderr, "usage: bench_trace MODEL STEPS [--impact WORD] [--step S]; or the run failed\n");
    trm_sim_destroy(sim);
    trm_model_destroy(model);
    trm_model_def_destroy(def);
    trm_messages_destroy(messages);
    return good ? 0 : 1;
}
