/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel run: simulates a model and writes its results and an accuracy report. */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "controller.h"
#include "interrupt.h"
#include "model.h"
#include "output.h"
#include "progress.h"
#include "run_figures.h"
#include "run_logs.h"
#include "run_plot.h"
#include "run_report.h"
#include "run_text.h"
#include "run_verify.h"
#include "simulation_options.h"
#include "state_model.h"
#include "together.h"

/* Interval of checkpoints, s of wall-clock time. */
static const double CHECKPOINT_SECONDS = 1;
/* s: a run that is to end waits at most this long for its next row. */
static const double PATIENCE_SECONDS = 1;

/* Largest number of contacts that are written at one time. */
enum { MOST_CONTACTS = 100000 };

typedef struct run_state {
    const command_line *line;
    loaded l;
    trm_simulation_def options;
    method_choice method;
    trm_sim *sim;
    trm_results *columns;
    output out;                    /* rows */
    output contacts;               /* rows of contacts */
    trm_contact_row *contact_rows; /* memory for the contacts at one time */
    output coordinates;            /* rows of minimal coordinates */
    FILE *glb;                     /* NULL: not requested; written when the run ends */
    FILE *picture;
    trm_animation *animation;
    run_plot *plot;
    run_report *page;
    run_logs *logs; /* NULL: none */
    run_verify *verify;
    controller *controller; /* NULL: none */
    run_figures *figures;
    double at;                                   /* s: time of the state that --write-model writes; NAN: the end */
    trm_state *kept;                             /* the state at that time; NULL: the final state */
    char *checkpoint;                            /* NULL: not requested */
    double started, last_checkpoint, last_flush; /* s of wall-clock time */
    double interrupted_at;                       /* s of wall-clock time; 0: not yet seen */
    double begun;                                /* s: simulated time at which this run began or was resumed */
    long long steps_before;                      /* number of steps up to that time */
    bool crawls;                                 /* a message has said that it makes far more steps than planned */
    progress bar;
    bool out_of_memory; /* for files that are written when the run ends */
} run_state;

/* ---- Progress and checkpoints ------------------------------------------------------------- */

static double share_done(const run_state *r)
{
    return r->options.time > 0 ? trm_state_time(trm_sim_state(r->sim)) / r->options.time : 1;
}

/* Writes all rows so far to the disk. Sets *offset to where they end, 0 for a pipe. Returns false on failure. */
static bool settle_rows(run_state *r, int64_t *offset)
{
    *offset = 0;
    if (!r->out.file) return true;
    if (!output_flush(&r->out)) return false;
    const long end = ftell(r->out.file);
    if (end > 0 && fsync(fileno(r->out.file)) == 0) *offset = end;
    return true;
}

static bool write_partial(const run_state *r, const char *partial, int64_t offset)
{
    FILE *file = fopen(partial, "wb");
    if (!file) return false;
    bool good = trm_sim_save(r->sim, offset, trm_file_sink(file)) == TRM_OK;
    if (fflush(file) != 0 || fsync(fileno(file)) != 0) good = false;
    if (fclose(file) != 0) good = false;
    return good && rename(partial, r->checkpoint) == 0;
}

/* Writes a checkpoint: first the rows, then the checkpoint under a temporary name, which is then renamed. At any time
 * one complete checkpoint exists, and the rows that it counts are in the file. */
static bool write_checkpoint(run_state *r)
{
    char partial[4096];
    int64_t offset;
    if (!settle_rows(r, &offset)) return false;
    if (!partial_name(r->checkpoint, partial, sizeof partial)) partial[0] = 0;
    if (partial[0] && write_partial(r, partial, offset)) return true;
    fprintf(stderr, "trammel run: cannot write the checkpoint %s: %s\n", r->checkpoint, strerror(errno));
    if (partial[0]) remove(partial);
    return false;
}

/* Writes impacts since the last row, and the contacts that are closed now. */
static void write_contacts(run_state *r)
{
    const int count = trm_sim_contacts(r->sim, r->contact_rows, MOST_CONTACTS);
    for (int i = 0; i < count && i < MOST_CONTACTS; i++) {
        const trm_contact_row *c = &r->contact_rows[i];
        const int written =
            fprintf(r->contacts.file,
                    "%.17g,%s,%lld,%s,%s,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", c->time,
                    c->impact ? "impact" : "contact", c->impact_number, trm_body_info_of(r->l.model, c->body[0]).name,
                    trm_body_info_of(r->l.model, c->body[1]).name, c->point.x, c->point.y, c->point.z, c->normal.x,
                    c->normal.y, c->normal.z, c->gap, c->force.x, c->force.y, c->force.z);
        output_check(&r->contacts, written >= 0);
    }
}

/* Writes the present independent coordinates, and the suitability of each coordinate. */
static void write_coordinates(run_state *r)
{
    trm_coordinate_note c;
    for (int i = 0; trm_sim_coordinate(r->sim, i, &c); i++) {
        const char *name =
            c.joint >= 0 ? trm_joint_info_of(r->l.model, c.joint).name : trm_body_info_of(r->l.model, c.body).name;
        const int written =
            fprintf(r->coordinates.file, "%.17g,%s,%d,%s,%.17g\n", trm_state_time(trm_sim_state(r->sim)), name,
                    c.coordinate + 1, c.independent ? "independent" : "dependent", c.criterion);
        output_check(&r->coordinates, written >= 0);
    }
}

static bool could_write(const run_state *r)
{
    return !r->out.error && !r->contacts.error && !r->coordinates.error && !r->out_of_memory;
}

static bool on_row(void *context, const trm_state *state)
{
    run_state *r = context;
    if (r->contacts.file) write_contacts(r);
    if (r->coordinates.file) write_coordinates(r);
    if (r->out.file) output_check(&r->out, trm_write_csv_row(r->columns, state, trm_file_sink(r->out.file)));
    if (r->animation && !trm_animation_add(r->animation, state)) r->out_of_memory = true;
    if (r->plot && !run_plot_add(r->plot, state)) r->out_of_memory = true;
    if (r->page && !run_report_add(r->page, state)) r->out_of_memory = true;
    if (r->logs && !run_logs_add(r->logs, state)) r->out_of_memory = true;
    if (r->verify) run_verify_add(r->verify, state);
    if (!run_figures_add(r->figures, state)) r->out_of_memory = true;
    return could_write(r);
}

/* Flushes all rows at intervals; with several ranks always, because any rank may be lost. Returns whether all rows
 * could be written. */
static bool flush_rows(run_state *r, double now)
{
    if (!ranks() && now - r->last_flush <= 1) return true;
    r->last_flush = now;
    return output_flush(&r->out) && output_flush(&r->contacts) && output_flush(&r->coordinates);
}

/* Reports once during the run that it makes far more steps than planned. With error control the number is not
 * planned. */
static void report_crawling(run_state *r)
{
    static const double FAR_MORE = 1000;
    const trm_outcome *trouble = trm_sim_trouble(r->sim);
    const double t = trm_state_time(trm_sim_state(r->sim)), planned = fmax(ceil((t - r->begun) / r->options.step), 1);
    const double made = (double)(trm_sim_counters(r->sim)->steps - r->steps_before);
    if (r->crawls || made <= FAR_MORE * planned || !isnan(r->options.error)) return;
    r->crawls = true;
    progress_end(&r->bar);
    fprintf(stderr, "trammel run: t = %.6g s: %.0f steps where %.0f were planned, because of %s: %s\n", t, made,
            planned, trouble->ok ? "events" : trouble->element, trouble->ok ? "too many in each step" : trouble->why);
    fputs("trammel run: the run continues; a shorter --step or a looser --tolerance may need fewer\n", stderr);
}

/* Returns false if the run is to end. It first waits a short time for the next row, because a run ends best there. */
static bool not_interrupted(void *context)
{
    run_state *r = context;
    report_crawling(r);
    if (!interrupted()) return true;
    if (r->interrupted_at == 0) r->interrupted_at = wall_seconds();
    return wall_seconds() - r->interrupted_at < PATIENCE_SECONDS;
}

static bool on_pulse(void *context)
{
    run_state *r = context;
    const double now = wall_seconds();
    if (interrupted()) return false;
    if (!flush_rows(r, now)) return false;
    progress_show(&r->bar, share_done(r), "t = %.4g s", trm_state_time(trm_sim_state(r->sim)));
    if (r->checkpoint && now - r->last_checkpoint > CHECKPOINT_SECONDS) {
        r->last_checkpoint = now;
        return write_checkpoint(r);
    }
    return true;
}

static trm_outcome on_control(void *context, trm_sim *sim)
{
    const run_state *r = context;
    return controller_exchange(r->controller, sim);
}

/* ---- Files -------------------------------------------------------------------------------- */

/* Returns the contents of a checkpoint file; NULL after reporting why it cannot be read. */
static char *read_checkpoint(const char *path, size_t *count)
{
    char *bytes = bytes_of_file(path, count);
    if (!bytes) fprintf(stderr, "trammel run: cannot read the checkpoint %s: %s\n", path, strerror(errno));
    return bytes;
}

/* Loads the checkpoint, which the first rank reads. Sets *offset to the length of the results at that time. Returns
 * false after reporting what is wrong. */
static bool resume(run_state *r, const char *path, int64_t *offset)
{
    size_t count = 0;
    char *bytes = spread_bytes(is_first_rank() ? read_checkpoint(path, &count) : NULL, &count);
    if (!bytes) return false;
    const bool good = trm_sim_load(r->sim, bytes, count, path, offset, r->l.messages) == TRM_OK;
    free(bytes);
    return good;
}

static bool begins_with(FILE *file, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (fgetc(file) != (unsigned char)text[i]) return false;
    return true;
}

/* Returns whether the file contains the rows that the checkpoint counts, with the columns and options of this run. */
static bool has_these_results(const run_state *r, FILE *file, int64_t offset)
{
    trm_text *header = trm_text_create(NULL);
    const bool same = header && trm_write_csv_header(r->columns, r->sim, trm_text_sink(header)) &&
                      begins_with(file, trm_text_get(header), trm_text_length(header));
    trm_text_destroy(header);
    return same && fseek(file, 0, SEEK_END) == 0 && ftell(file) >= offset;
}

/* Opens the results of a run that is resumed, and cuts them after the rows that the checkpoint counts. */
static FILE *reopen_out(const run_state *r, const char *path, int64_t offset)
{
    FILE *file = fopen(path, "r+b");
    if (!file) {
        fprintf(stderr, "trammel run: cannot continue %s: %s\n", path, strerror(errno));
        return NULL;
    }
    const bool fits = has_these_results(r, file, offset);
    if (fits && ftruncate(fileno(file), (off_t)offset) == 0 && fseek(file, 0, SEEK_END) == 0) return file;
    fprintf(stderr, "trammel run: cannot continue %s: %s\n", path,
            fits ? strerror(errno) : "it does not hold the rows before the checkpoint, with the same columns");
    fclose(file);
    return NULL;
}

static bool open_out(run_state *r, const char *path, int64_t offset)
{
    if (!path) return true;
    if (offset > 0 && strcmp(path, "-") != 0) {
        r->out = (output){.file = reopen_out(r, path, offset), .path = path};
        return r->out.file != NULL;
    }
    if (!output_open(&r->out, "run", path, "wb")) return false;
    output_check(&r->out, trm_write_csv_header(r->columns, r->sim, trm_file_sink(r->out.file)));
    return true;
}

static bool open_contacts(run_state *r, const char *path)
{
    if (!path) return true;
    r->contact_rows = malloc(MOST_CONTACTS * sizeof *r->contact_rows);
    if (!r->contact_rows) fprintf(stderr, "trammel run: out of memory for %s\n", path);
    if (!r->contact_rows || !output_open(&r->contacts, "run", path, "wb")) return false;
    output_check(&r->contacts,
                 fprintf(r->contacts.file, "t,kind,impact_number,body1,body2,x,y,z,nx,ny,nz,gap,fx,fy,fz\n") > 0);
    return true;
}

static bool open_coordinates(run_state *r, const char *path)
{
    if (!path) return true;
    if (strcmp(trm_sim_options(r->sim)->method, "minimal") != 0)
        fprintf(stderr, "trammel run: warning: --coordinates: the method \"%s\" has none of its own\n",
                trm_sim_options(r->sim)->method);
    if (!output_open(&r->coordinates, "run", path, "wb")) return false;
    output_check(&r->coordinates, fprintf(r->coordinates.file, "t,joint,coordinate,role,criterion\n") > 0);
    return true;
}

/* ---- Pictures ----------------------------------------------------------------------------- */

/* Returns whether the files to be written differ from the model and from each other. */
static bool files_differ(const command_line *line)
{
    static const char *const others[] = {"--plot",        "--report",      "--contacts",
                                         "--coordinates", "--write-model", "--checkpoint"};
    enum { MOST = OUT_KINDS + COUNT_OF(others) };
    const named_file read[] = {{"the model", line->words[0]}, {"the checkpoint", option_value(line, "--resume")}};
    named_file files[MOST];
    for (int i = 0; i < OUT_KINDS; i++) files[i] = (named_file){"--out", out_path(line, (out_kind)i)};
    for (int i = 0; i < COUNT_OF(others); i++)
        files[OUT_KINDS + i] = (named_file){others[i], option_value(line, others[i])};
    /* the last one, a checkpoint, may replace the one from which the run resumes */
    return outputs_differ("run", read, 2, files, MOST - 1) && outputs_differ("run", read, 1, files, MOST);
}

/* Opens a file before the run, so that a file that cannot be written is reported before it. */
static bool open_picture(FILE **file, const char *path)
{
    *file = fopen(path, "wb");
    if (!*file) fprintf(stderr, "trammel run: cannot write %s: %s\n", path, strerror(errno));
    return *file != NULL;
}

static bool open_animation(run_state *r, const char *path)
{
    if (!path) return true;
    if (!open_picture(&r->glb, path)) return false;
    r->animation = trm_animation_create(trm_sim_state(r->sim), NULL);
    if (!r->animation) fprintf(stderr, "trammel run: out of memory for %s\n", path);
    return r->animation != NULL;
}

static bool open_plot(run_state *r, const char *path)
{
    if (!path) return true;
    const trm_results *columns = option_value(r->line, "--columns") ? r->columns : NULL;
    r->plot = run_plot_begin(r->sim, r->l.model, columns, r->l.messages);
    return r->plot && open_picture(&r->picture, path);
}

static bool open_report(run_state *r, const char *path)
{
    const trm_results *columns = option_value(r->line, "--columns") ? r->columns : NULL;
    return !path || (r->page = run_report_begin(path, r->sim, columns)) != NULL;
}

/* Closes a file after the run. Reports why it could not be written, whether the run succeeded or not. */
static bool close_picture(FILE **file, const char *path, bool written, const char *why)
{
    const bool closed = fclose(*file) == 0;
    *file = NULL;
    if (written && closed) return true;
    fprintf(stderr, "trammel run: cannot write %s: %s\n", path, why ? why : strerror(errno));
    return false;
}

static bool close_pictures(run_state *r)
{
    bool good = true;
    if (r->glb) {
        const trm_status status = trm_write_gltf(r->animation, trm_file_sink(r->glb));
        good = close_picture(&r->glb, out_path(r->line, OUT_GLB), status == TRM_OK,
                             status == TRM_BAD_INPUT       ? "it would be larger than the 4 GiB that a .glb can hold"
                             : status == TRM_OUT_OF_MEMORY ? "out of memory"
                                                           : NULL);
    }
    if (r->logs) good = run_logs_write(r->logs) && good;
    if (r->picture) {
        const bool written = run_plot_write(r->plot, title_of(&r->l, r->line->words[0]), r->picture);
        good = close_picture(&r->picture, option_value(r->line, "--plot"), written, NULL) && good;
    }
    return good;
}

/* Closes all files. Each file that failed has its own message. */
static bool close_outputs(run_state *r)
{
    const bool coordinates = output_close(&r->coordinates, "run"), contacts = output_close(&r->contacts, "run");
    if (r->out_of_memory) fprintf(stderr, "trammel run: out of memory for the animation, the plot or the report\n");
    return output_close(&r->out, "run") && coordinates && contacts && !r->out_of_memory;
}

/* ---- The report --------------------------------------------------------------------------- */

static void print_run(const run_state *r, double wall, FILE *to)
{
    const run_facts facts = {r->l.model, r->sim, title_of(&r->l, r->line->words[0]), r->begun, wall};
    print_run_facts(&facts, to);
    if (r->verify) run_verify_print(r->verify, to);
}

/* Adds reasons to the verdict that the library does not know: that the run did not reach its end, and the result of a
 * second run. */
static void add_remarks(const run_state *r, const trm_outcome *outcome, const char *status)
{
    char text[200];
    if (r->verify) run_verify_judge(r->verify, r->sim);
    if (outcome->ok && could_write(r)) return;
    snprintf(text, sizeof text, "stopped at t = %.6g s: %.160s", trm_state_time(trm_sim_state(r->sim)), status);
    trm_sim_add_remark(r->sim, TRM_BAD, text);
}

/* Writes the report, on a page if requested. Returns whether the page could be written. */
static bool report(const run_state *r, const trm_outcome *outcome, trm_grade *grade)
{
    trm_verdict verdict;
    char status[400] = "ok";
    FILE *to = r->out.file == stdout ? stderr : stdout;
    const double wall = fmax(wall_seconds() - r->started - (r->verify ? run_verify_wall(r->verify) : 0), 1e-9);
    if (!could_write(r))
        snprintf(status, sizeof status, "the results could not be written");
    else if (!outcome->ok)
        snprintf(status, sizeof status, "%s%s%s", outcome->element, outcome->element[0] ? ": " : "", outcome->why);
    if (!outcome->ok) fprintf(stderr, "trammel run: stopped at t = %.9g s: %s\n", outcome->time, status);
    add_remarks(r, outcome, status);
    trm_sim_verdict(r->sim, &verdict);
    *grade = verdict.grade;
    if (has_option(r->line, "--json"))
        trm_write_report_json(r->sim, status, wall, trm_file_sink(to));
    else
        print_run(r, wall, to), print_verdict(&verdict, to);
    run_figures_print(r->figures, has_option(r->line, "--json") ? stderr : to);
    const char *until = option_value(r->line, "--until");
    if (outcome->ok && until && trm_state_time(trm_sim_state(r->sim)) >= r->options.time)
        fprintf(stderr, "trammel run: --until '%s' did not become true in %.9g s; the run ended at its --time\n",
                until, r->options.time);
    if (outcome->ok && verdict.grade == TRM_BAD)
        fprintf(stderr, "trammel run: the result is not to be trusted: %s\n", verdict.reasons[0].text);
    return !r->page || run_report_write(r->page, "run", r->line, &r->l, status, wall);
}

/* ---- The command -------------------------------------------------------------------------- */

/* Finds the file of checkpoints before the run, as all files are opened before it. */
static bool open_checkpoint(run_state *r, const char *path)
{
    return !path || (r->checkpoint = replaceable_file("run", "the checkpoint ", path)) != NULL;
}

static bool open_files(run_state *r, const char *out, int64_t offset)
{
    return open_checkpoint(r, option_value(r->line, "--checkpoint")) && open_out(r, out, offset) &&
           open_contacts(r, option_value(r->line, "--contacts")) &&
           open_coordinates(r, option_value(r->line, "--coordinates")) &&
           open_animation(r, out_path(r->line, OUT_GLB)) &&
           run_logs_begin(r->line, r->columns, trm_sim_state(r->sim), &r->logs) &&
           open_plot(r, option_value(r->line, "--plot")) && open_report(r, option_value(r->line, "--report"));
}

/* Returns whether the method auto can be used: with several ranks each would have to try the whole machine. */
static bool can_choose(const run_state *r)
{
    if (!ranks() || strcmp(r->options.method, "auto") != 0) return true;
    fprintf(stderr, "trammel run: the method auto runs on one rank; name a method, such as --method impulse\n");
    return false;
}

/* Divides the work among ranks where possible, unless the command line says otherwise. */
static void choose_solver(run_state *r)
{
    const bool plain = strcmp(r->options.method, "impulse") == 0 && strcmp(r->options.solver, "direct") == 0;
    if (plain && !option_value(r->line, "--solver")) r->options.solver = usual_solver;
}

/* Runs the model, in two parts if --write-model requests the state at a time within the run. */
static trm_outcome run_legs(run_state *r)
{
    trm_run_def run = {.until = r->options.time,
                       .every = r->options.every,
                       .row = on_row,
                       .pulse = on_pulse,
                       .may_continue = not_interrupted,
                       .control = r->controller ? on_control : NULL,
                       .period = r->controller ? controller_period(r->controller) : 0,
                       .context = r};
    if (isnan(r->at) || r->at >= r->options.time) return trm_sim_run(r->sim, &run);
    run.until = r->at;
    const trm_outcome outcome = trm_sim_run(r->sim, &run);
    if (!outcome.ok) return outcome;
    r->kept = trm_state_create(r->l.model, NULL);
    if (r->kept) trm_state_copy(r->kept, trm_sim_state(r->sim));
    run.until = r->options.time;
    return trm_sim_run(r->sim, &run);
}

/* Writes the model of --write-model. */
static bool write_end(run_state *r)
{
    const char *path = option_value(r->line, "--write-model");
    if (!path || !is_first_rank()) return true;
    return write_state_model("run", &r->l, r->kept ? r->kept : trm_sim_state(r->sim), path);
}

static exit_code simulate(run_state *r)
{
    const char *out = out_path(r->line, OUT_ROWS);
    const bool needs_columns =
        out || has_logs(r->line) || (option_value(r->line, "--plot") && option_value(r->line, "--columns"));
    int64_t offset = 0;
    if (!can_choose(r)) return EXIT_USAGE;
    choose_solver(r);
    trm_find_hints(r->l.state, &r->options, r->l.messages);
    trm_status status = trm_sim_create(r->l.model, &r->options, NULL, r->l.messages, &r->sim);
    if (status == TRM_OK) status = trm_sim_distribute(r->sim, ranks(), r->l.messages);
    if (status == TRM_OK && (needs_columns || option_value(r->line, "--columns") || has_option(r->line, "--verify")))
        status = trm_results_create(r->l.model, option_value(r->line, "--columns"), NULL, r->l.messages, &r->columns);
    if (status == TRM_OUT_OF_MEMORY) fprintf(stderr, "trammel run: out of memory\n");
    if (status != TRM_OK) return EXIT_BAD_INPUT;
    if (has_option(r->line, "--verify") &&
        !(r->verify = run_verify_begin(r->sim, r->l.model, r->columns, r->l.messages)))
        return EXIT_BAD_INPUT;
    if (!controller_begin("run", r->line, r->l.model, &r->options, r->l.messages, &r->controller)) return EXIT_USAGE;
    r->figures = run_figures_begin(r->line, r->l.def, r->l.model, r->l.messages);
    if (!r->figures) return EXIT_BAD_INPUT;
    trm_sim_enable_reactions(r->sim, option_value(r->line, "--report") ||
                                         (r->controller && controller_needs_reactions(r->controller)));
    const bool reads = !r->columns || trm_results_enable(r->columns, r->sim) == TRM_OK;
    if (!reads || !run_figures_enable(r->figures, r->sim)) {
        fprintf(stderr, "trammel run: out of memory\n");
        return EXIT_BAD_INPUT;
    }
    if (option_value(r->line, "--resume") && !resume(r, option_value(r->line, "--resume"), &offset))
        return EXIT_BAD_INPUT;
    if (!all_ranks_agree(!is_first_rank() || open_files(r, out, offset))) return EXIT_BAD_INPUT;

    r->bar = progress_begin(r->out.file != stdout, share_done(r));
    r->begun = trm_state_time(trm_sim_state(r->sim));
    r->steps_before = trm_sim_counters(r->sim)->steps;
    r->started = r->last_checkpoint = r->last_flush = wall_seconds();
    listen_to_signals();
    trm_outcome outcome = run_legs(r);
    progress_end(&r->bar);
    if (interrupted() && !outcome.ok)
        snprintf(outcome.why, sizeof outcome.why, "%s",
                 ranks() ? "a rank was lost, or all were to end" : "interrupted");
    const bool whole = outcome.ok || !ranks(); /* of several ranks none has the whole state in the middle of a run */
    const bool saved = !r->checkpoint || !whole || write_checkpoint(r);
    trm_grade grade = TRM_GOOD;
    const bool reported = report(r, &outcome, &grade), written = close_outputs(r),
               drawn = close_pictures(r) && reported && write_end(r);
    if (!written || !drawn || !saved) return EXIT_BAD_INPUT;
    return !outcome.ok ? EXIT_STOPPED : grade == TRM_BAD ? EXIT_BAD_RUN : EXIT_DONE;
}

/* Returns whether a controller can be used: its process cannot repeat an answer, and cannot serve several ranks. */
static bool can_control(const command_line *line)
{
    const char *needed[] = {"--controller-period", "--controller-columns", "--controller-format", "--controller-core",
                            "--controller-timeout"};
    if (option_value(line, "--controller")) {
        if (!ranks() && !has_option(line, "--verify")) return true;
        fprintf(stderr, "trammel run: --controller %s\n",
                ranks() ? "runs on one rank; run without mpiexec" : "cannot be combined with --verify");
        return false;
    }
    for (int i = 0; i < COUNT_OF(needed); i++) {
        if (!option_value(line, needed[i])) continue;
        fprintf(stderr, "trammel run: %s has no effect without --controller\n", needed[i]);
        return false;
    }
    return true;
}

static bool can_verify(const command_line *line)
{
    if (!has_option(line, "--verify")) return true;
    if (option_value(line, "--resume"))
        fprintf(stderr, "trammel run: --verify compares whole runs; run without --resume\n");
    else if (ranks())
        fprintf(stderr, "trammel run: --verify runs on one rank; run without mpiexec\n");
    else
        return true;
    return false;
}

static exit_code run(const command_line *line)
{
    run_state r = {.line = line};
    exit_code code = EXIT_BAD_INPUT;
    if (!outs_are_good(line) || !files_differ(line) || !can_verify(line) || !can_control(line) ||
        !read_model_time("run", line, &r.at))
        return EXIT_USAGE;
    trm_status status = load_model(line, &r.l);
    if (!option_value(line, "--print") && !option_value(line, "--write-model")) {
        trm_model_def_destroy(r.l.def); /* the model is all that other runs need */
        r.l.def = NULL;
    }
    if (status == TRM_OK)
        code = read_simulation_options("run", line, r.l.model, &r.method, &r.options) ? simulate(&r) : EXIT_USAGE;
    if (r.l.messages) print_messages(r.l.messages);
    free(r.contact_rows);
    free(r.checkpoint);
    if (r.glb) fclose(r.glb);
    if (r.picture) fclose(r.picture);
    trm_animation_destroy(r.animation);
    run_plot_end(r.plot);
    run_report_end(r.page);
    run_logs_end(r.logs);
    run_verify_end(r.verify);
    controller_end(r.controller);
    run_figures_end(r.figures);
    trm_state_destroy(r.kept);
    trm_results_destroy(r.columns);
    trm_sim_destroy(r.sim);
    unload(&r.l);
    return code;
}

static const option options[] = {
    SIMULATION_OPTIONS,
    {"--until", "CONDITION", "end the run when a condition becomes true, such as 'ball.z < 0'"},
    {"--columns", "LIST", "columns, such as 't,rod.*,j1.q' (default: all but those on request)"},
    {"--out", "FILE...",
     "write the rows: FILE.csv, - for stdout, FILE.npz for numpy, FILE.mcap for Foxglove, FILE.glb as glTF animation "
     "(long runs: at most 60 rows per s)"},
    {"--plot", "FILE.svg", "draw the columns over time (default: energies, their error and the largest gap)"},
    {"--report", "FILE.html", "write one HTML page with replay, plots and the report; it needs no network"},
    {"--contacts", "FILE.csv",
     "write impacts, and at each row the active contacts: bodies, position [m], normal, gap [m], force [N]"},
    {"--coordinates", "FILE.csv",
     "write at each row the independent coordinates of the method minimal, and the suitability of each, 0 to 1"},
    {"--print", "EXPRESSION...",
     "print a figure over the rows, such as 'max(abs(rod.y))', 'settle(j1.q, 0.01)': max min mean rms integral "
     "initial final at crossing settle; with --json to stderr"},
    {"--write-model", "FILE.json", "write the final state as a model that starts there"},
    {"--at", "T", "time of the state that --write-model writes [s] (default: the end)"},
    {"--json", NULL, "print the report as one JSON object"},
    {"--verify", NULL, "run again with half the step and print the differences of the rows, column by column"},
    CONTROLLER_OPTIONS,
    {"--checkpoint", "FILE", "write a checkpoint every second and at the end"},
    {"--resume", "FILE", "resume from a checkpoint, with the same model and options"},
    MODEL_OPTIONS,
};

const command command_run = {
    .name = "run",
    .words = "MODEL",
    .least = 1,
    .most = 1,
    .summary = "simulate a model, write its results, report its accuracy",
    .details = "Options default to those of the model's \"simulation\". A run that fails keeps all rows written so "
               "far, reports\n"
               "when, where and why it stopped, and ends with exit code 4. The report ends with a verdict: good, "
               "check or bad,\n"
               "and its reasons. Exit code 5 if the verdict is bad: do not trust the result.",
    .options = options,
    .option_count = COUNT_OF(options),
    .together = true,
    .run = run,
};
