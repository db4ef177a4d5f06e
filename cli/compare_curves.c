/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Curves of each run of a comparison, for its report.
 *
 * Each run is made once more for its curves. Observing a state takes time and projects velocities onto the joints,
 * which changes the following steps by rounding. The figures of the table therefore come from runs that are
 * observed as often as without a report.
 *
 * All runs are observed at the same times, so that their states can be subtracted. These times must be ends of
 * steps, because the error of interpolation exceeds that of high orders. Steps must also keep their requested
 * length (a run shortens steps to reach a row). So the spacing of rows is a multiple of all steps, including that
 * of the finest run: the least common multiple, times a factor that limits the number of rows. If there is none
 * (steps of 0.01 s and 0.0097 s for 1 s), each run has its own rows after a fixed number of its steps; the
 * distance from the reference is then known only at common times. The end of the run is always a row; the steps
 * after the last multiple are shortened to reach it and may differ from those of the run in the table. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

enum {
    MOST_NUMBERS = 360000, /* numbers of 4 bytes in all curves: 1.9 MB as base64 */
    MOST_RUNS = 1000,
    MOST_ROWS = 200,    /* rows per run, without the first and the last */
    FEWEST_ROWS = 20,   /* the same if there are very many runs */
    USEFUL_ROWS = 8,    /* with fewer rows a curve shows nothing; then each run gets its own rows */
    USUAL_COLUMNS = 16, /* columns that fit with this many rows */
    MOST_ELEMENTS = 50, /* at most this many bodies, and joints, have columns */
    LARGEST_MULTIPLE = 1000,
};
/* Tolerance of a spacing in steps: a ratio this close to an integer counts as one. */
static const double WHOLE = 1e-9;

/* Columns of every comparison, in this order. */
enum { TIME, DISTANCE, KINETIC, POTENTIAL, WORK, ENERGY_ERROR, GAP, ANGLE_GAP, BASIC_COLUMNS };

/* ---- When --------------------------------------------------------------------------------- */

static bool is_whole(double x)
{
    return x > 0.5 && fabs(x - round(x)) <= WHOLE * x;
}

static bool has_whole_steps(const comparison *c, double spacing)
{
    bool all = c->reference.file || is_whole(spacing / c->finest.step);
    for (int i = 0; i < c->step_count; i++) all = all && is_whole(spacing / c->steps[i]);
    return all;
}

/* Returns the smallest multiple of this spacing that gives few enough rows. */
static double stretch(const comparison *c, double spacing, int most_rows)
{
    return spacing * fmax(ceil(c->options.time / spacing / most_rows - WHOLE), 1);
}

/* Returns the common spacing of rows, NAN if there is none with a useful number of rows. */
static double common_spacing(const comparison *c, int most_rows)
{
    double longest = 0;
    for (int i = 0; i < c->step_count; i++) longest = fmax(longest, c->steps[i]);
    for (int k = 1; k <= LARGEST_MULTIPLE; k++) {
        if (k > 1 && k * longest * USEFUL_ROWS > c->options.time) return NAN;
        if (has_whole_steps(c, k * longest)) return stretch(c, k * longest, most_rows);
    }
    return NAN;
}

static double spacing_of(const comparison *c, const curves *k, const trial *t, int most_rows)
{
    return isnan(k->every) ? stretch(c, t->step, most_rows) : k->every;
}

/* ---- What --------------------------------------------------------------------------------- */

static int find_result(const trm_results *results, const char *name)
{
    for (int i = 0; i < trm_result_count(results); i++)
        if (strcmp(trm_result_name(results, i), name) == 0) return i;
    return -1;
}

/* Adds a result column if one has that name. */
static void add_result(curves *k, const trm_results *results, const char *kind, const char *element,
                       const char *suffix)
{
    curve_column *column = &k->columns[k->column_count];
    snprintf(column->name, sizeof column->name, "%s.%s", element, suffix);
    column->result = find_result(results, column->name);
    if (column->result < 0) return;
    column->unit = trm_result_unit(results, column->result);
    column->kind = kind;
    column->element = element;
    k->column_count++;
}

static void add_basic(curves *k, const trm_results *results)
{
    static const curve_column basic[BASIC_COLUMNS] = {
        [TIME] = {"t", "s", "time", NULL, -1},
        [DISTANCE] = {"distance from the reference", "m", "distance", NULL, -1},
        [KINETIC] = {"E_kin", "J", "energy", NULL, -1},
        [POTENTIAL] = {"E_pot", "J", "energy", NULL, -1},
        [WORK] = {"W", "J", "energy", NULL, -1},
        [ENERGY_ERROR] = {"|E - E0 - W|", "J", "error", NULL, -1},
        [GAP] = {"largest gap", "m", "gap", NULL, -1},
        [ANGLE_GAP] = {"largest gap of angles", "rad", "gap", NULL, -1},
    };
    memcpy(k->columns, basic, sizeof basic);
    k->column_count = BASIC_COLUMNS;
    k->columns[WORK].result = find_result(results, "W");
}

static bool has_place(const trm_model *model, int body)
{
    return body > 0 && body < trm_body_count(model) && trm_body_info_of(model, body).kind != TRM_BODY_FIXED;
}

static void add_body(curves *k, const trm_results *results, const char *name)
{
    static const char *const axes[] = {"x", "y", "z"};
    for (int i = 0; i < 3; i++) add_result(k, results, "body", name, axes[i]);
    k->bodies++;
}

static void add_joint(curves *k, const trm_results *results, const trm_joint_info *joint)
{
    for (int i = 0; i < joint->coordinates; i++) {
        char suffix[16] = "q";
        if (joint->coordinates > 1) snprintf(suffix, sizeof suffix, "q%d", i + 1);
        add_result(k, results, "joint", joint->name, suffix);
    }
    k->joints++;
}

/* Adds columns of bodies and joints alternately while there is room. */
static void add_elements(const trm_model *model, curves *k, const trm_results *results, int most)
{
    const int bodies = trm_body_count(model), joints = trm_joint_count(model);
    for (int i = 0; i < bodies || i < joints; i++) {
        const bool body = has_place(model, i + 1), joint = i < joints && trm_joint_info_of(model, i).coordinates > 0;
        k->bodies_there += body;
        k->joints_there += joint;
        if (body && k->bodies < MOST_ELEMENTS && k->column_count + 3 <= most)
            add_body(k, results, trm_body_info_of(model, i + 1).name);
        if (!joint) continue;
        const trm_joint_info info = trm_joint_info_of(model, i);
        if (k->joints < MOST_ELEMENTS && k->column_count + info.coordinates <= most) add_joint(k, results, &info);
    }
}

static bool choose_columns(const comparison *c, curves *k, const trm_results *results, int rows)
{
    const int room = MOST_NUMBERS / (k->run_count * (rows + 2));
    const int most = room < BASIC_COLUMNS ? BASIC_COLUMNS : room;
    const int largest = BASIC_COLUMNS + MOST_ELEMENTS * (3 + TRM_JOINT_COORDINATES);
    k->columns = calloc((size_t)largest, sizeof *k->columns);
    if (!k->columns) return false;
    add_basic(k, results);
    add_elements(c->model, k, results, most < largest ? most : largest);
    return true;
}

/* ---- Keeping ------------------------------------------------------------------------------- */

/* One run that is being observed. */
typedef struct keeper {
    comparison *c;
    const curves *k;
    const trial *t;
    const trm_results *results;
    curve *curve;
    int room;         /* rows */
    track *reference; /* positions of the reference; the finest run fills them */
    bool makes_reference;
    int next;            /* index of the next time of the reference to compare */
    double last;         /* s, of the last row */
    double energy_start; /* J */
    const trm_state *state;
    bool failed; /* out of memory */
} keeper;

static double largest_distance(const keeper *r, const trm_vec3 *places)
{
    const reference *from = &r->c->reference;
    double most = 0;
    for (int i = 0; i < r->reference->body_count; i++)
        if (!from->file || from->known[i]) {
            const double d = trm_v3_length(trm_v3_sub(trm_body_pose(r->state, i).p, places[i]));
            if (d > most || isnan(d)) most = d; /* NAN remains NAN */
        }
    return most;
}

/* Returns the largest distance from the reference at this time, NAN if it has no row there. */
static double distance_now(keeper *r)
{
    const track *p = r->reference;
    const double time = trm_state_time(r->state);
    while (r->next < p->count && p->times[r->next] < time && !same_time(p->times[r->next], time)) r->next++;
    if (r->next >= p->count || !same_time(p->times[r->next], time)) return NAN;
    return largest_distance(r, p->places + (size_t)r->next * (size_t)p->body_count);
}

static trm_gap largest_gap(const trm_model *model, const trm_state *state)
{
    trm_gap most = {0};
    for (int j = 0; j < trm_joint_count(model); j++) {
        if (!trm_joint_attached(state, j)) continue;
        const trm_gap gap = trm_position_gap(state, j);
        most.position = fmax(most.position, gap.position);
        most.angle = fmax(most.angle, gap.angle);
    }
    return most;
}

static bool keep_reference(keeper *r)
{
    trm_vec3 *places = extend_track(r->reference, trm_state_time(r->state));
    for (int i = 0; places && i < r->reference->body_count; i++) places[i] = trm_body_pose(r->state, i).p;
    return places;
}

static bool on_row(void *context, const trm_state *state)
{
    keeper *r = context;
    curve *kept = r->curve;
    if (kept->rows >= r->room) return true;
    r->state = state;
    r->last = trm_state_time(state);
    r->failed = r->makes_reference && !keep_reference(r);
    if (r->failed) return false;
    float *row = kept->values + (size_t)kept->rows * (size_t)r->k->column_count;
    const trm_energy energy = trm_state_energy(state);
    const trm_gap gap = largest_gap(r->c->model, state);
    const double work = trm_result_value(r->results, r->k->columns[WORK].result, state);
    const double total = energy.kinetic + energy.potential;
    if (kept->rows == 0) r->energy_start = total - work;
    row[TIME] = (float)trm_state_time(state);
    row[DISTANCE] = (float)distance_now(r);
    row[KINETIC] = (float)energy.kinetic;
    row[POTENTIAL] = (float)energy.potential;
    row[WORK] = (float)work;
    row[ENERGY_ERROR] = (float)fabs(total - r->energy_start - work);
    row[GAP] = (float)gap.position;
    row[ANGLE_GAP] = (float)gap.angle;
    for (int i = BASIC_COLUMNS; i < r->k->column_count; i++)
        row[i] = (float)trm_result_value(r->results, r->k->columns[i].result, state);
    kept->rows++;
    show_comparison(r->c, r->t, trm_state_time(state));
    return true;
}

/* Adds a row at the end unless there is one. */
static void keep_end(keeper *r, const trm_state *state)
{
    if (r->curve->rows == 0 || !same_time(r->last, trm_state_time(state))) on_row(r, state);
}

/* Returns false if out of memory. A run that stops early keeps the rows before. */
static bool run_again(keeper *r, int most_rows)
{
    trm_messages *messages = trm_messages_create(NULL);
    method_choice choice = {0};
    trm_sim *sim = messages ? make_sim(r->c, r->t, &choice, messages) : NULL;
    r->room = most_rows + 2;
    r->curve->values = calloc((size_t)r->room * (size_t)r->k->column_count, sizeof *r->curve->values);
    if (sim && r->curve->values) {
        const trm_run_def run = {.until = r->c->options.time,
                                 .every = spacing_of(r->c, r->k, r->t, most_rows),
                                 .row = on_row,
                                 .context = r};
        const trm_outcome outcome = trm_sim_run(sim, &run);
        if (outcome.ok) keep_end(r, trm_sim_state(sim));
    }
    count_trial(r->c, r->t);
    trm_sim_destroy(sim);
    trm_messages_destroy(messages);
    return messages && r->curve->values && !r->failed;
}

/* ---- All ----------------------------------------------------------------------------------- */

typedef struct moments {
    const comparison *c;
    const curves *k;
    int most_rows;
} moments;

/* Returns whether some run has a row at this time. */
static bool has_row_at(const void *context, double time)
{
    const moments *m = context;
    if (same_time(time, m->c->options.time)) return true;
    for (int i = 0; i < m->c->trial_count; i++) {
        const double spacing = spacing_of(m->c, m->k, &m->c->trials[i], m->most_rows);
        if (time == 0 || same_time(round(time / spacing) * spacing, time)) return true;
    }
    return false;
}

/* Reads the reference rows from its file if there is one; otherwise the finest run records them. */
static bool find_reference(const comparison *c, const curves *k, int most_rows, track *p)
{
    const moments m = {c, k, most_rows};
    p->body_count = trm_body_count(c->model);
    return !c->reference.file || read_reference_track(c->model, &c->reference, c->options.time, has_row_at, &m, p);
}

static bool out_of_memory(void)
{
    fprintf(stderr, "trammel compare: no curves of the runs: out of memory\n");
    return false;
}

/* The finest run comes first, because the others are compared with it. */
static bool run_all_again(comparison *c, curves *k, const trm_results *results, int most_rows)
{
    track measure = {0};
    const bool finest = !c->reference.file, found = find_reference(c, k, most_rows, &measure);
    bool good = found;
    c->bar = progress_begin(true, c->work_done / c->work_there);
    for (int i = 0; good && i < k->run_count; i++) {
        const int number = finest ? i - 1 : i;
        k->runs[i].trial = number;
        keeper r = {.c = c,
                    .k = k,
                    .t = number < 0 ? &c->finest : &c->trials[number],
                    .results = results,
                    .curve = &k->runs[i],
                    .reference = &measure,
                    .makes_reference = number < 0};
        good = run_again(&r, most_rows);
    }
    progress_end(&c->bar);
    free_track(&measure);
    return good || (found && out_of_memory());
}

static int limit(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

bool find_curves(comparison *c, curves *k)
{
    k->runs_there = c->trial_count + !c->reference.file;
    k->run_count = limit(k->runs_there, 1, MOST_RUNS);
    const int most_rows = limit(MOST_NUMBERS / (k->run_count * USUAL_COLUMNS), FEWEST_ROWS, MOST_ROWS);
    trm_messages *messages = trm_messages_create(NULL);
    trm_results *results = NULL;
    k->every = common_spacing(c, most_rows);
    k->runs = calloc((size_t)k->run_count, sizeof *k->runs);
    const bool ready = messages && k->runs &&
                       trm_results_create(c->model, NULL, NULL, messages, &results) == TRM_OK &&
                       choose_columns(c, k, results, most_rows);
    const bool good = ready ? run_all_again(c, k, results, most_rows) : out_of_memory();
    trm_results_destroy(results);
    trm_messages_destroy(messages);
    return good;
}

void free_curves(curves *k)
{
    for (int i = 0; k->runs && i < k->run_count; i++) free(k->runs[i].values);
    free(k->runs);
    free(k->columns);
}
