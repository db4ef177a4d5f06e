/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* torture: tests random machines against the invariants of every machine.
 *
 *     torture --seconds 600 --seed 1 --out out/torture
 *
 * Machine number n of a run is drawn from the family n modulo the number of families; one of each family and seed
 * makes a round. All invariants are checked in a process of its own. A machine that fails is reduced and written as
 * a model file. */

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "torture.h"

#define TORTURE_FAMILY(name) &family_##name,
const family *const all_families[] = {
#include "families/list.h"
    NULL};
#undef TORTURE_FAMILY

#define TORTURE_CHECK(name) &check_##name,
const check *const all_checks[] = {
#include "checks/list.h"
    NULL};
#undef TORTURE_CHECK

typedef struct known_pair {
    const char *family, *check, *why;
} known_pair;

#define TORTURE_KNOWN(family, check, why) {#family, #check, why},
static const known_pair known[] = {
#include "known.h"
    {NULL, NULL, NULL}};
#undef TORTURE_KNOWN

typedef struct arguments {
    double seconds; /* of the whole run; 0: no end */
    long machines;  /* of each family; 0: no end */
    uint64_t seed;
    int seeds;                  /* how many, from seed on */
    const char *family, *check; /* names, several separated by commas; NULL: all */
    double order;               /* of all machines; 0: as drawn */
    const char *impact;         /* contact mode of all machines; NULL: as drawn */
    bool one;                   /* machine number "number" alone */
    uint64_t number;
    const char *out; /* folder; NULL: nothing is written */
    bool known;      /* leave out what is known to fail */
    double cpu;      /* s of processor time for each check */
    double reduce;   /* s for each reduction; 0: none */
    long keep;       /* failures of a family and invariant that are reduced and written */
    bool talks;      /* each finding on stderr */
    bool draws;      /* machines are written, not run */
    bool resumes;    /* what a run with the same folder and seeds has found is kept */
    bool whole;      /* nothing is sampled */
} arguments;

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- Arguments ---------------------------------------------------------------------------- */

static const char usage[] =
    "torture [OPTIONS]: random machines, and what is true of every machine; exit code 1 on failures\n"
    "  --seconds S    stop after this many seconds (default: 60)\n"
    "  --machines N   stop after this many machines of each family and seed, whatever the time\n"
    "  --seed K       another set of machines (default: 1)\n"
    "  --seeds N      this many sets in one run, from --seed on (default: 1)\n"
    "  --resume       continue the run of the same seeds whose state is in the folder of --out\n"
    "  --whole        sample nothing: all invariants look at each machine, in all ways\n"
    "  --family LIST  these families alone, separated by commas; --list prints them all\n"
    "  --check LIST   these invariants alone\n"
    "  --machine N    machine number N alone, as a failure names it\n"
    "  --order P      run all machines at this order instead of the one drawn\n"
    "  --impact NAME  run all machines in this contact mode: event, window or auto\n"
    "  --known        leave out what is known to fail (known.h)\n"
    "  --out FOLDER   where models that fail and summary.json go (default: none are written)\n"
    "  --cpu S        seconds of the processor for each look at a machine (default: 10)\n"
    "  --reduce S     seconds for reducing each machine that fails (default: 30)\n"
    "  --keep N       machines to reduce and write per family and invariant (default: 3)\n"
    "  --draw         write the models to the folder as they are drawn, and look at nothing\n"
    "  --talk         every finding on stderr\n";

static bool is_listed(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0')) return true;
    return !list;
}

static bool take_value(arguments *a, const char *name, const char *value)
{
    if (strcmp(name, "--seconds") == 0)
        a->seconds = atof(value);
    else if (strcmp(name, "--machines") == 0)
        a->machines = atol(value);
    else if (strcmp(name, "--seed") == 0)
        a->seed = strtoull(value, NULL, 10);
    else if (strcmp(name, "--seeds") == 0)
        a->seeds = atoi(value);
    else if (strcmp(name, "--family") == 0)
        a->family = value;
    else if (strcmp(name, "--check") == 0)
        a->check = value;
    else if (strcmp(name, "--machine") == 0)
        a->one = true, a->number = strtoull(value, NULL, 10);
    else if (strcmp(name, "--order") == 0)
        a->order = atof(value);
    else if (strcmp(name, "--impact") == 0)
        a->impact = value;
    else if (strcmp(name, "--out") == 0)
        a->out = value;
    else if (strcmp(name, "--cpu") == 0)
        a->cpu = atof(value);
    else if (strcmp(name, "--reduce") == 0)
        a->reduce = atof(value);
    else if (strcmp(name, "--keep") == 0)
        a->keep = atol(value);
    else
        return false;
    return true;
}

static void print_list(void)
{
    printf("families:\n");
    for (int i = 0; all_families[i]; i++) printf("  %-10s %s\n", all_families[i]->name, all_families[i]->about);
    printf("invariants:\n");
    for (int i = 0; all_checks[i]; i++) printf("  %-10s %s\n", all_checks[i]->name, all_checks[i]->claim);
    for (int i = 0; known[i].family; i++) printf("known: %s %s: %s\n", known[i].family, known[i].check, known[i].why);
}

/* Reads the arguments. Exits if nothing is to be run. */
static arguments read_arguments(int count, char **words)
{
    arguments a = {.seconds = 60, .seed = 1, .seeds = 1, .cpu = 10, .reduce = 30, .keep = 3};
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--known") == 0)
            a.known = true;
        else if (strcmp(words[i], "--talk") == 0)
            a.talks = true;
        else if (strcmp(words[i], "--draw") == 0)
            a.draws = true;
        else if (strcmp(words[i], "--resume") == 0)
            a.resumes = true;
        else if (strcmp(words[i], "--whole") == 0)
            a.whole = true;
        else if (strcmp(words[i], "--list") == 0) {
            print_list();
            exit(0);
        } else if (i + 1 < count && take_value(&a, words[i], words[i + 1]))
            i++;
        else {
            fputs(usage, strcmp(words[i], "--help") == 0 ? stdout : stderr);
            exit(strcmp(words[i], "--help") == 0 ? 0 : 2);
        }
    }
    if (a.machines > 0) a.seconds = 0;
    a.whole = a.whole || a.one;
    return a;
}

/* ---- Machines ----------------------------------------------------------------------------- */

/* Draws the scale: every fourth machine has a size from 1 mm to 1 km and masses from 1 mg to 1000 t. */
static void draw_scale(machine *m)
{
    const bool scaled = draw_chance(m, 0.25);
    const double length = draw_log(m, 1e-3, 1e3), mass = draw_log(m, 1e-6, 1e6);
    m->length = scaled ? length : 1;
    m->mass = scaled ? mass : 1;
}

machine *draw_machine(const family *f, uint64_t number)
{
    machine *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->random = trm_random_seed(number);
    m->simulation = trm_default_simulation_def();
    m->friction = 0.5;
    snprintf(m->name, sizeof m->name, "%s %llu", f->name, (unsigned long long)number);
    draw_scale(m);
    if (f->one_scale) m->length = m->mass = 1;
    f->draw(m);
    return m;
}

/* ---- One machine -------------------------------------------------------------------------- */

static bool is_known(const family *f, const check *c)
{
    for (int i = 0; known[i].family; i++)
        if (strcmp(known[i].family, f->name) == 0 &&
            (strcmp(known[i].check, c->name) == 0 || strcmp(known[i].check, "all") == 0))
            return true;
    return false;
}

static void note_failure(const arguments *a, totals *t, const machine *m, failure f, long before)
{
    subject s = {.m = m, .whole = a->whole};
    t->failure_total++;
    if (t->failure_count >= MOST_FAILURES || before >= a->keep) return;
    if (a->reduce > 0) f.finding = reduce(all_checks[f.check], &s, f.finding, a->reduce);
    if (a->out && !write_failure(a->out, &s, &f)) fprintf(stderr, "torture: cannot write to %s\n", a->out);
    t->failures[t->failure_count++] = f;
    fprintf(stderr, "torture: %s %s %llu: %s\n", all_families[f.family]->name, all_checks[f.check]->name,
            (unsigned long long)f.number, f.finding.text);
}

static void add_shares(const share *found, share *sums)
{
    for (int i = 0; i < SCORES; i++) {
        sums[i].hold += found[i].hold;
        sums[i].all += found[i].all;
    }
}

/* Lists the indices of the checks of a machine. Returns their number. */
static int list_checks(const arguments *a, const family *f, const subject *s, int *list)
{
    int count = 0;
    for (int c = 0; all_checks[c]; c++)
        if (is_listed(a->check, all_checks[c]->name) && !(a->known && is_known(f, all_checks[c])) &&
            (all_checks[c]->one_in == 0 || is_sampled(s, all_checks[c]->name, 0, all_checks[c]->one_in)))
            list[count++] = c;
    return count;
}

/* Records the finding of a check. Returns whether the machine hangs: other checks would only take their time, too. */
static bool take_finding(const arguments *a, totals *t, const machine *m, failure f)
{
    tally *sums = &t->tallies[f.family][f.check];
    const bool hangs = f.finding.verdict == HUNG && all_checks[f.check]->one_run;
    if (f.finding.verdict == HUNG && !hangs) f.finding.verdict = NOT_TOLD;
    const long before = sums->counts[FAILS] + sums->counts[CRASHED] + sums->counts[HUNG];
    sums->counts[f.finding.verdict]++;
    sums->seconds += f.finding.seconds;
    add_shares(f.finding.shares, t->shares[f.family]);
    if (a->talks)
        fprintf(stderr, "%s %s %llu: %d %s\n", all_families[f.family]->name, all_checks[f.check]->name,
                (unsigned long long)f.number, f.finding.verdict, f.finding.text);
    if (f.finding.verdict != HOLDS && f.finding.verdict != NOT_TOLD) note_failure(a, t, m, f, before);
    return hangs;
}

static void check_machine(const arguments *a, totals *t, int family_index, const subject *s, uint64_t number)
{
    int list[MOST_CHECKS];
    const check *checks[MOST_CHECKS];
    finding found[MOST_CHECKS];
    const int count = list_checks(a, all_families[family_index], s, list);
    for (int i = 0; i < count; i++) checks[i] = all_checks[list[i]];
    for (int i = 0; i < count;) {
        const int told = look_in_child(checks + i, count - i, s, a->cpu, found);
        bool hangs = false;
        for (int k = 0; k < told; k++)
            hangs = take_finding(a, t, s->m, (failure){family_index, list[i + k], number, found[k], ""});
        if (hangs) return;
        i += told;
    }
}

static void look_at(const arguments *a, totals *t, int family_index, uint64_t number)
{
    machine *m = draw_machine(all_families[family_index], number);
    if (!m) return;
    const subject s = {.m = m, .whole = a->whole};
    if (a->order > 0) m->simulation.order = a->order;
    if (a->impact) m->simulation.impact = a->impact;
    t->machines[family_index]++;
    if (a->draws) {
        failure drawn = {family_index, OF_NONE, number, {.text = "as drawn"}, ""};
        if (!a->out || !write_failure(a->out, &s, &drawn)) fprintf(stderr, "torture: --draw needs --out FOLDER\n");
    } else
        check_machine(a, t, family_index, &s, number);
    free(m);
}

/* ---- The run ------------------------------------------------------------------------------ */

static bool write_all(const arguments *a, const totals *t)
{
    char path[300];
    if (!a->out) return true;
    snprintf(path, sizeof path, "%s/summary.json", a->out);
    if (write_summary(path, t) && write_state(a->out, t)) return true;
    fprintf(stderr, "torture: cannot write to %s\n", a->out);
    return false;
}

/* Runs all machines: family by family, then seed by seed, then round by round. */
static void run_all(const arguments *a, totals *t)
{
    const double start = seconds_now() - t->seconds;
    double told = seconds_now();
    int families = 0;
    while (all_families[families]) families++;
    const uint64_t in_round = (uint64_t)families * (uint64_t)a->seeds;
    while (a->machines == 0 || t->next < in_round * (uint64_t)a->machines) {
        const int f = (int)(t->next % (uint64_t)families);
        const uint64_t seed = a->seed + t->next / (uint64_t)families % (uint64_t)a->seeds, round = t->next / in_round;
        t->seconds = seconds_now() - start;
        if ((a->seconds > 0 && t->seconds > a->seconds) || (a->one && round > 0)) return;
        if (is_listed(a->family, all_families[f]->name))
            look_at(a, t, f, a->one ? a->number : seed * 1000000 + round);
        t->next++;
        if (seconds_now() - told < 10) continue;
        told = seconds_now();
        write_all(a, t);
        fprintf(stderr, "torture: %.0f s, round %llu, %ld failures\n", t->seconds, (unsigned long long)round,
                t->failure_total);
    }
    t->seconds = seconds_now() - start;
}

int main(int count, char **words)
{
    const arguments a = read_arguments(count, words);
    totals *t = calloc(1, sizeof *t);
    if (!t) return 2;
    t->seed = a.seed;
    t->seeds = a.seeds;
    if (a.out) mkdir(a.out, 0777);
    if (a.resumes && (!a.out || !read_state(a.out, t))) fprintf(stderr, "torture: nothing to resume, so it starts\n");
    run_all(&a, t);
    print_totals(t, stdout);
    const bool failed = !write_all(&a, t) || t->failure_total > 0;
    free(t);
    return failed ? 1 : 0;
}
