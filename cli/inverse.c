/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel inverse: finds the forces that cause a given motion (docs/inverse.md). */

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "output.h"
#include "progress.h"
#include "trajectory.h"

/* Fraction of the largest force: accepted force that nothing provides, where accelerations are computed by
 * differentiation. */
static const double FOUND_TOLERANCE = 1e-3;

typedef struct inverse_state {
    const command_line *line;
    loaded l;
    trm_coordinate_name *driven;
    int driven_count;
    trm_inverse *inverse;
    trajectory motion;
    trm_results *columns;    /* besides t and the forces; NULL: none */
    double *forces, *others; /* per sought coordinate, N or N m; others: from fewer neighbouring rows */
    double *largest,
        *off; /* per sought coordinate, over all rows: largest force, and largest difference between both */
    output out;
    progress bar;
} inverse_state;

/* ---- Options ------------------------------------------------------------------------------ */

/* Reads JOINT, or JOINT.q2 for its second coordinate. Returns false after reporting what is wrong. */
static bool read_name(const trm_model *model, const char *text, trm_coordinate_name *name)
{
    char joint[400];
    const char *dot = strrchr(text, '.');
    *name = (trm_coordinate_name){.joint = trm_find_joint(model, text)};
    if (name->joint >= 0) return true;
    if (dot && dot[1] == 'q') {
        char *end;
        const long number = dot[2] ? strtol(dot + 2, &end, 10) : 1;
        snprintf(joint, sizeof joint, "%.*s", (int)(dot - text), text);
        *name = (trm_coordinate_name){trm_find_joint(model, joint), (int)number - 1};
        if (name->joint >= 0 && (!dot[2] || *end == 0) && number >= 1 &&
            number <= trm_joint_info_of(model, name->joint).coordinates)
            return true;
    }
    fprintf(stderr,
            "trammel inverse: --drive: the model has no joint, and no coordinate of one, that is called '%s'\n",
            text);
    return false;
}

static bool read_driven(inverse_state *s)
{
    const char *given = option_value(s->line, "--drive");
    if (!given) return true;
    char *text = strdup(given);
    s->driven = calloc(strlen(given) + 1, sizeof *s->driven);
    bool good = text && s->driven;
    for (char *name = text ? strtok(text, ", ") : NULL; good && name; name = strtok(NULL, ", "))
        good = read_name(s->l.model, name, &s->driven[s->driven_count++]);
    free(text);
    if (good && s->driven_count > 0) return true;
    if (good) fprintf(stderr, "trammel inverse: --drive names no joint\n");
    return false;
}

/* Returns the list of columns with the reactions of all joints and the requested columns. Returns NULL if none are
 * requested. */
static char *list_columns(const inverse_state *s)
{
    static const char *const parts[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
    const char *asked = option_value(s->line, "--columns");
    trm_text *text = trm_text_create(NULL);
    if (!text) return NULL;
    const trm_sink sink = trm_text_sink(text);
    char *list = NULL;
    bool good = !asked || sink.write(sink.context, asked, strlen(asked));
    for (int j = 0; good && has_option(s->line, "--reactions") && j < trm_joint_count(s->l.model); j++)
        for (int k = 0; good && k < 6; k++) {
            char column[400];
            const int length =
                snprintf(column, sizeof column, ",%s.%s", trm_joint_info_of(s->l.model, j).name, parts[k]);
            good = sink.write(sink.context, column, (size_t)length);
        }
    if (good) list = strdup(trm_text_get(text));
    trm_text_destroy(text);
    return list;
}

static bool choose_columns(inverse_state *s)
{
    if (!option_value(s->line, "--columns") &&
        !(has_option(s->line, "--reactions") && trm_joint_count(s->l.model) > 0))
        return true;
    char *list = list_columns(s);
    const bool good = list && trm_results_create(s->l.model, list, NULL, s->l.messages, &s->columns) == TRM_OK;
    free(list);
    return good;
}

/* ---- Rows --------------------------------------------------------------------------------- */

/* Writes JOINT.force, or JOINT.force2 for a joint with several coordinates. */
static void name_force(const inverse_state *s, int index, char *name, size_t size)
{
    const trm_coordinate_name of = trm_inverse_driven(s->inverse, index);
    const trm_joint_info joint = trm_joint_info_of(s->l.model, of.joint);
    if (joint.coordinates == 1)
        snprintf(name, size, "%s.force", joint.name);
    else
        snprintf(name, size, "%s.force%d", joint.name, of.coordinate + 1);
}

static const char *unit_of(const inverse_state *s, int index)
{
    return trm_inverse_is_torque(s->inverse, index) ? "N m" : "N";
}

static bool is_time(const inverse_state *s, int column)
{
    return strcmp(trm_result_name(s->columns, column), "t") == 0;
}

static void write_header(inverse_state *s)
{
    FILE *to = s->out.file;
    char name[420];
    const int columns = s->columns ? trm_result_count(s->columns) : 0;
    fprintf(to, "# trammel %s\n# model %s\n# inverse dynamics of %s\n", trm_version(),
            title_of(&s->l, s->line->words[0]), s->line->words[1]);
    for (int i = 0; i < trm_inverse_count(s->inverse); i++) {
        name_force(s, i, name, sizeof name);
        fprintf(to, "# %s in %s\n", name, unit_of(s, i));
    }
    fprintf(to, "t");
    for (int i = 0; i < trm_inverse_count(s->inverse); i++) {
        name_force(s, i, name, sizeof name);
        fprintf(to, ",%s", name);
    }
    for (int i = 0; i < columns; i++)
        if (!is_time(s, i)) fprintf(to, ",%s", trm_result_name(s->columns, i));
    output_check(&s->out, fprintf(to, "\n") > 0 && !ferror(to));
}

static void write_row(inverse_state *s, int row)
{
    FILE *to = s->out.file;
    const int columns = s->columns ? trm_result_count(s->columns) : 0;
    output_number(&s->out, "", s->motion.t[row]);
    for (int i = 0; i < trm_inverse_count(s->inverse); i++) output_number(&s->out, ",", s->forces[i]);
    for (int i = 0; i < columns; i++)
        if (!is_time(s, i)) output_number(&s->out, ",", trm_result_value(s->columns, i, s->l.state));
    output_check(&s->out, fprintf(to, "\n") > 0 && !ferror(to));
}

static trm_outcome solve(const inverse_state *s, int row, int neighbours, double *forces)
{
    const trm_outcome set = set_motion(&s->motion, row, neighbours, s->inverse, s->l.state);
    return set.ok ? trm_inverse_at(s->inverse, s->l.state, forces) : set;
}

/* Computes how far the forces are from those of polynomials through fewer rows. */
static trm_outcome compare_fewer(const inverse_state *s, int row)
{
    const int neighbours = s->motion.rows < MOST_NEIGHBOURS ? s->motion.rows : MOST_NEIGHBOURS;
    const trm_outcome outcome = solve(s, row, neighbours - 2, s->others);
    for (int i = 0; outcome.ok && i < trm_inverse_count(s->inverse); i++) {
        s->off[i] = fmax(s->off[i], fabs(s->forces[i] - s->others[i]));
        s->largest[i] = fmax(s->largest[i], fabs(s->forces[i]));
    }
    return outcome;
}

/* Computes the forces of a row and writes them to the file. */
static trm_outcome do_row(inverse_state *s, int row)
{
    trm_outcome outcome = solve(s, row, MOST_NEIGHBOURS, s->forces);
    if (!outcome.ok) return outcome;
    write_row(s, row);
    return accelerations_are_found(&s->motion) ? compare_fewer(s, row) : outcome;
}

static void report_origin(const inverse_state *s)
{
    char name[420];
    const int rows = s->motion.rows < MOST_NEIGHBOURS ? s->motion.rows : MOST_NEIGHBOURS;
    fprintf(stderr, "note: %s found by differentiating polynomials through %d rows; through %d rows,\n",
            velocities_are_found(&s->motion) ? "velocities and accelerations were" : "accelerations were", rows,
            rows - 2);
    for (int i = 0; i < trm_inverse_count(s->inverse); i++) {
        name_force(s, i, name, sizeof name);
        fprintf(stderr, "      %s, at most %.6g %s, would differ by at most %.2g %s\n", name, s->largest[i],
                unit_of(s, i), s->off[i], unit_of(s, i));
    }
}

/* ---- The command -------------------------------------------------------------------------- */

static exit_code report_row(const inverse_state *s, int row, const trm_outcome *outcome)
{
    fprintf(stderr, "%s:%d: error: t = %.9g s: %s%s%s\n", s->line->words[1], s->motion.lines[row], s->motion.t[row],
            outcome->element, outcome->element[0] ? " " : "", outcome->why);
    return isnan(outcome->residual) ? EXIT_STOPPED : EXIT_BAD_INPUT;
}

static exit_code do_rows(inverse_state *s)
{
    exit_code code = EXIT_DONE;
    s->bar = progress_begin(s->out.file != stdout, 0);
    write_header(s);
    for (int row = 0; code == EXIT_DONE && s->out.error == 0 && row < s->motion.rows; row++) {
        const trm_outcome outcome = do_row(s, row);
        progress_show(&s->bar, (row + 1.0) / s->motion.rows, "t = %.4g s", s->motion.t[row]);
        if (!outcome.ok) progress_end(&s->bar), code = report_row(s, row, &outcome);
    }
    progress_end(&s->bar);
    if (code == EXIT_DONE && accelerations_are_found(&s->motion)) report_origin(s);
    return code;
}

static bool files_differ(const command_line *line)
{
    const named_file read[] = {{"the model", line->words[0]}, {"the motion", line->words[1]}};
    const named_file written = {"--out", option_value(line, "--out")};
    return outputs_differ("inverse", read, COUNT_OF(read), &written, 1);
}

static bool open_out(inverse_state *s)
{
    const char *path = option_value(s->line, "--out");
    return output_open(&s->out, "inverse", path ? path : "-", "wb");
}

/* Creates the inverse dynamics. Rates that are computed by differentiation have no tolerance, and forces a looser one. */
static bool make_inverse(inverse_state *s)
{
    trm_inverse_def def = trm_default_inverse_def();
    def.driven = s->driven;
    def.driven_count = s->driven_count;
    if (s->motion.rows > 0 && velocities_are_found(&s->motion)) def.velocity_tolerance = INFINITY;
    if (s->motion.rows > 0 && accelerations_are_found(&s->motion)) {
        def.acceleration_tolerance = INFINITY;
        def.force_tolerance = FOUND_TOLERANCE;
    }
    trm_inverse_destroy(s->inverse);
    const trm_status status = trm_inverse_create(s->l.model, &def, NULL, s->l.messages, &s->inverse);
    if (status == TRM_OUT_OF_MEMORY) fprintf(stderr, "trammel inverse: out of memory\n");
    return status == TRM_OK;
}

static bool make_room(inverse_state *s)
{
    const size_t count = (size_t)trm_inverse_count(s->inverse) + 1;
    s->forces = calloc(4 * count, sizeof *s->forces);
    if (!s->forces) {
        fprintf(stderr, "trammel inverse: out of memory\n");
        return false;
    }
    s->others = s->forces + count;
    s->largest = s->others + count;
    s->off = s->largest + count;
    return true;
}

static exit_code invert(inverse_state *s)
{
    if (!read_driven(s)) return EXIT_USAGE;
    if (!choose_columns(s) || !make_inverse(s) || !make_room(s)) return EXIT_BAD_INPUT;
    if (!read_trajectory(&s->motion, s->l.model, s->inverse, s->line->words[1]) || !make_inverse(s))
        return EXIT_BAD_INPUT;
    if (!open_out(s)) return EXIT_BAD_INPUT;
    const exit_code code = do_rows(s);
    return output_close(&s->out, "inverse") ? code : EXIT_BAD_INPUT;
}

static exit_code run(const command_line *line)
{
    inverse_state s = {.line = line};
    if (!files_differ(line)) return EXIT_USAGE;
    const trm_status status = load_model(line, &s.l);
    const exit_code code = status == TRM_OK ? invert(&s) : EXIT_BAD_INPUT;
    if (s.l.messages) print_messages(s.l.messages);
    free_trajectory(&s.motion);
    trm_results_destroy(s.columns);
    trm_inverse_destroy(s.inverse);
    free(s.driven);
    free(s.forces);
    unload(&s.l);
    return code;
}

static const option options[] = {
    {"--drive", "JOINTS",
     "joints whose forces are computed, such as O,way or joint.q2 (default: those that the model drives)"},
    {"--reactions", NULL, "add the reactions of all joints, JOINT.fx to JOINT.tz"},
    {"--columns", "LIST", "add these columns of trammel run, such as 'rod.*,j1.q'"},
    {"--out", "FILE.csv", "write the rows to FILE.csv, - for stdout (default: stdout)"},
    MODEL_OPTIONS,
};

const command command_inverse = {
    .name = "inverse",
    .words = "MODEL TRAJECTORY.csv",
    .least = 2,
    .most = 2,
    .summary = "find the forces along joint coordinates that cause a given motion",
    .details =
        "The motion is a file of trammel run --out with t and the columns of all bodies, NAME.x to NAME.qz, or "
        "JOINT.q\n"
        "of all driven joints. Missing velocities and accelerations (NAME.vx to .wz, NAME.ax to .alz; JOINT.qd) are\n"
        "computed by differentiation, and the output estimates the error. Drives, motors and servos are left out "
        "where\n"
        "a force is computed. Exit code 3 if the motion violates the joints, 4 if nothing can provide a force.",
    .options = options,
    .option_count = COUNT_OF(options),
    .run = run,
};
