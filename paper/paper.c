/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel paper: prints the tables of Schmitt 2003 with our figures next to the printed ones, the claims of Schmitt,
 * Bender and Prautzsch 2005 and the example of Kasper and Vlasenko with observed figures (docs/paper.md). */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/paper.h"
#include "paper/tables.h"

static const struct {
    const char *name, *about;
    bool chain; /* table of the 8-Loop */
    exit_code (*print)(const paper_request *request);
} tables[] = {
    {"9.1", "the period of a pendulum, h = 0.04 ... 0.00015625", false, paper_pendulum},
    {"9.2", "8-Loop: checks of a joint per step, D_max = 1e-3 ... 1e-8", true, paper_loop_cells},
    {"9.3", "8-Loop: checks of a joint per simulated second, and the speed", true, paper_loop_cells},
    {"9.4", "8-Loop: mean error of the energy", true, paper_loop_cells},
    {"9.5", "8-Loop: error of the energy at t = 1 ... 10 s", true, paper_loop_seconds},
    {"starts", "8-Loop: how near each start comes to the printed table 9.4", false, paper_loop_starts},
    {"10.1", "a mass on a spring: period and deviation from the cosine", false, paper_spring},
    {"treatments", "springs by force, implicitly, and by the integral (9.1) inside the iteration", false,
     paper_treatments},
    {"contacts", "figure 11.1: joints, contacts and friction in turn, and solved together (section 11)", false,
     paper_contacts},
    {"taylor", "the order of the series for free rotation (section 3)", false, paper_taylor},
    {"convergence", "of Schmitt, Bender, Prautzsch 2005: orders and drift of impulse, lagrange, taylor", false,
     paper_convergence},
    {"schirm", "of Schirm, Blajer, Schiehlen: the criterion, switching without restart, explicit closures", false,
     paper_schirm},
    {"distributed", "of Kasper, Vlasenko: angles and drift of a loop of four bars, and of one that does drift", false,
     paper_distributed},
    {"stabilisation", "of Kasper, Vlasenko: cost in generalised coordinates and of poses, 4 to 32 bars", false,
     paper_stabilisation},
    {"hishinuma", "formulas of Hishinuma 2018 next to ODE: Baumgarte, penalty, ERP, CFM, pyramid, box", false,
     paper_hishinuma},
    {"questions",
     "that the papers leave open: high orders, direct or iterative, velocity correction, Newton's rounds", false,
     paper_questions},
};

static void list_tables(bool json)
{
    if (!json) {
        for (int i = 0; i < COUNT_OF(tables); i++) printf("%-13s %s\n", tables[i].name, tables[i].about);
        return;
    }
    trm_json_writer w = trm_json_begin(trm_file_sink(stdout));
    trm_json_open_object(&w, NULL);
    trm_json_open_array(&w, "tables");
    for (int i = 0; i < COUNT_OF(tables); i++) {
        trm_json_open_object_flat(&w, NULL);
        trm_json_put_text(&w, "name", tables[i].name);
        trm_json_put_text(&w, "about", tables[i].about);
        trm_json_close(&w);
    }
    trm_json_close(&w);
    trm_json_close(&w);
    trm_json_end(&w);
}

static bool read_rows(const command_line *line, int *rows)
{
    const char *text = option_value(line, "--rows");
    char *end;
    *rows = INT_MAX;
    if (!text) return true;
    const long number = strtol(text, &end, 10);
    if (end == text || *end || number < 1 || number > 100) {
        fprintf(stderr, "trammel paper: --rows takes a whole number from 1 on, not \"%s\"\n", text);
        return false;
    }
    *rows = (int)number;
    return true;
}

const char *const loop_starts[LOOP_STARTS] = {"horizontal", "zigzag", "folded"};

/* Reads an option that takes one of these words; the first one is the default. */
static bool read_choice(const command_line *line, const char *name, const char *const *words, int count, int *chosen)
{
    const char *text = option_value(line, name);
    for (*chosen = 0; *chosen < count; ++*chosen)
        if (!text || strcmp(text, words[*chosen]) == 0) return true;
    fprintf(stderr, "trammel paper: %s takes %s", name, words[0]);
    for (int i = 1; i < count; i++) fprintf(stderr, "%s%s", i + 1 < count ? ", " : " or ", words[i]);
    fprintf(stderr, ", not \"%s\"\n", text);
    return false;
}

/* Reads the angle. Defaults are the angles at which the tables come nearest to print (trammel paper starts). */
static bool read_angle(const command_line *line, loop_start start, double *angle)
{
    const char *text = option_value(line, "--angle");
    char why[200] = "it must lie between 0 and pi/2";
    *angle = start == LOOP_HORIZONTAL ? 1.1 : 0.5;
    if (!text || (trm_evaluate(text, angle, why, sizeof why) && *angle > 0 && *angle < 1.5707)) return true;
    fprintf(stderr, "trammel paper: --angle %s: %s\n", text, why);
    return false;
}

static bool read_request(const command_line *line, paper_request *request)
{
    static const char *const rods[2] = {"uniform", "ends"};
    int start = 0, ends = 0;
    request->json = has_option(line, "--json");
    request->plot = option_value(line, "--plot");
    request->progress = isatty(STDERR_FILENO);
    const bool good =
        read_rows(line, &request->rows) && read_choice(line, "--start", loop_starts, LOOP_STARTS, &start) &&
        read_choice(line, "--rods", rods, 2, &ends) && read_angle(line, (loop_start)start, &request->angle);
    request->start = (loop_start)start;
    request->mass_at_ends = ends;
    return good;
}

exit_code paper_run(const command_line *line)
{
    paper_request request = {0};
    if (!read_request(line, &request)) return EXIT_USAGE;
    if (line->word_count == 0) {
        list_tables(request.json);
        return EXIT_DONE;
    }
    for (int i = 0; i < COUNT_OF(tables); i++) {
        if (strcmp(tables[i].name, line->words[0]) != 0) continue;
        request.table = tables[i].name;
        if (!tables[i].chain &&
            (option_value(line, "--start") || option_value(line, "--rods") || option_value(line, "--angle"))) {
            fprintf(stderr, "trammel paper: --start, --angle and --rods are for the tables of the 8-Loop\n");
            return EXIT_USAGE;
        }
        if (request.plot && tables[i].print != paper_distributed) {
            fprintf(stderr, "trammel paper: --plot is for the figures of distributed\n");
            return EXIT_USAGE;
        }
        return tables[i].print(&request);
    }
    fprintf(stderr, "trammel paper: there is no table \"%s\"; trammel paper lists them\n", line->words[0]);
    return EXIT_USAGE;
}
