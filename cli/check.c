/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel check: describes a model and checks it without running it. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "coordinate_table.h"
#include "model.h"
#include "trammel/elementary.h"

/* ---- Text --------------------------------------------------------------------------------- */

static const char *const kind_names[] = {"rigid", "point", "fixed", "moving", "rigid"}; /* by trm_body_kind */

typedef struct kinds {
    int rigid, points, fixed, moving;
} kinds;

static kinds count_kinds(const trm_model *model)
{
    kinds k = {0};
    for (int i = 1; i < trm_body_count(model); i++) {
        const trm_body_kind kind = trm_body_info_of(model, i).kind;
        k.rigid += kind == TRM_BODY_RIGID;
        k.points += kind == TRM_BODY_POINT;
        k.fixed += kind == TRM_BODY_FIXED;
        k.moving += kind == TRM_BODY_MOVING;
    }
    return k;
}

static void print_joint_types(const trm_model *model)
{
    const char *separator = ": ";
    for (int t = 0; trm_joint_type_name(t); t++) {
        int count = 0;
        for (int j = 0; j < trm_joint_count(model); j++)
            count += strcmp(trm_joint_info_of(model, j).type, trm_joint_type_name(t)) == 0;
        if (count == 0) continue;
        printf("%s%d %s", separator, count, trm_joint_type_name(t));
        separator = ", ";
    }
    printf("\n");
}

/* Errors of the initial pose leave the analysis valid, so it is printed with them. */
static void print_verdict(const trm_messages *messages)
{
    const int errors = trm_error_count(messages);
    if (errors == 0 && trm_message_count(messages) > 0)
        printf("sound      yes, with warnings\n");
    else if (errors == 0)
        printf("sound      yes\n");
    else
        printf("sound      no: %d error%s\n", errors, errors == 1 ? "" : "s");
}

static void print_islands(const trm_analysis *a)
{
    const trm_island *w = &a->whole;
    printf("islands    %d, with %d loop%s\n", a->island_count, w->loops, w->loops == 1 ? "" : "s");
    printf("freedom    %d by rank in this pose: %d of the bodies - %d independent rows\n", w->freedoms - w->rank,
           w->freedoms, w->rank);
    printf("           %d by count:             %d of the bodies - %d rows\n", w->freedoms - w->rows, w->freedoms,
           w->rows);
    if (a->island_count < 2) return;
    enum { MOST_SHOWN = 20 };
    for (int i = 0; i < a->island_count && i < MOST_SHOWN; i++) {
        const trm_island *s = &a->islands[i];
        printf("           island %d: %d bodies, %d joints, %d loops, freedom %d\n", i + 1, s->bodies, s->joints,
               s->loops, s->freedoms - s->rank);
    }
    if (a->island_count > MOST_SHOWN) printf("           ... and %d more islands\n", a->island_count - MOST_SHOWN);
}

static bool is_singular(const trm_regularity *r, trm_row_name row)
{
    for (int i = 0; r && r->known && i < r->singular_count; i++)
        if (r->singular[i].joint == row.joint && r->singular[i].row == row.row) return true;
    return false;
}

static void print_redundant(const trm_model *model, const trm_analysis *a, const trm_regularity *r)
{
    printf("redundant  %d row%s%s\n", a->redundant_count, a->redundant_count == 1 ? "" : "s",
           a->redundant_count ? ", each implied by the joints before it:" : "");
    for (int i = 0; i < a->redundant_count; i++) {
        const trm_joint_info joint = trm_joint_info_of(model, a->redundant[i].joint);
        printf("           %s '%s': %s%s\n", joint.type, joint.name, joint.row_names[a->redundant[i].row],
               is_singular(r, a->redundant[i]) ? ", in this pose only" : "");
    }
}

static void print_singular(const trm_analysis *a, const trm_regularity *r)
{
    const int count = r->singular_count;
    printf("regular    no, a singular pose: %d row%s on others in this pose only", count,
           count == 1 ? " depends" : "s depend");
    if (r->redundant_count > 0)
        printf("; %d may be left out, %d of %d rows remain\n", r->redundant_count, r->rows, a->whole.rows);
    else
        printf("; none may be left out\n");
    if (r->infinitesimal)
        printf("           the motion that the rank predicts cannot be followed: every nearby pose that was found is "
               "singular too\n");
    printf("           the solver direct passes through such poses; other solvers may not\n");
}

/* In the sense of Schmitt, Bender, Prautzsch 2005, section 4. */
static void print_regularity(const trm_analysis *a, const trm_regularity *r)
{
    const int count = r->redundant_count;
    if (!r->known)
        printf("regular    unknown: no nearby pose was reached\n");
    else if (!r->regular)
        print_singular(a, r);
    else if (count > 0)
        printf("regular    once the redundant row%s left out: %d of %d rows remain, with the same motion\n",
               count == 1 ? " is" : "s are", r->rows, a->whole.rows);
    else
        printf("regular    yes: no row depends on others\n");
}

static int widest_gap(const trm_gap *gaps, int count)
{
    int widest = 0;
    for (int i = 1; i < count; i++)
        if (trm_hypot(gaps[i].position, gaps[i].angle) > trm_hypot(gaps[widest].position, gaps[widest].angle))
            widest = i;
    return widest;
}

static void print_gaps(const trm_model *model, const trm_analysis *a)
{
    const int count = trm_joint_count(model);
    if (count == 0) return;
    const int open = widest_gap(a->gaps, count), opening = widest_gap(a->velocity_gaps, count);
    printf("start gap  at most %.3g m, %.3g rad (joint '%s')\n", a->gaps[open].position, a->gaps[open].angle,
           trm_joint_info_of(model, open).name);
    printf("           at most %.3g m/s, %.3g rad/s (joint '%s')\n", a->velocity_gaps[opening].position,
           a->velocity_gaps[opening].angle, trm_joint_info_of(model, opening).name);
}

static void print_body_table(const trm_model *model)
{
    printf("\n%-16s %-7s %10s  %-32s %s\n", "body", "kind", "mass/kg", "principal moments/(kg m^2)",
           "centre of mass/m");
    for (int i = 1; i < trm_body_count(model); i++) {
        const trm_body_info body = trm_body_info_of(model, i);
        char moments[60] = "", centre[60] = "";
        if (body.kind == TRM_BODY_RIGID) {
            snprintf(moments, sizeof moments, "%.4g %.4g %.4g", body.moments.x, body.moments.y, body.moments.z);
            snprintf(centre, sizeof centre, "%.4g %.4g %.4g", body.principal.p.x, body.principal.p.y,
                     body.principal.p.z);
        }
        printf("%-16s %-7s %10.6g  %-32s %s\n", body.name, kind_names[body.kind], body.mass, moments, centre);
    }
}

static void print_joint_table(const trm_model *model, const trm_analysis *a)
{
    printf("\n%-16s %-10s %-26s %4s %10s %10s\n", "joint", "type", "bodies", "rows", "gap/m", "gap/rad");
    for (int j = 0; j < trm_joint_count(model); j++) {
        const trm_joint_info joint = trm_joint_info_of(model, j);
        char bodies[80];
        snprintf(bodies, sizeof bodies, "%s - %s", trm_body_info_of(model, joint.bodies[0]).name,
                 trm_body_info_of(model, joint.bodies[1]).name);
        printf("%-16s %-10s %-26s %4d %10.2g %10.2g\n", joint.name, joint.type, bodies, joint.rows,
               a->gaps[j].position, a->gaps[j].angle);
    }
}

/* Models with more bodies than this are not tried: trials would take longer than all other checks. */
enum { MOST_TRIED = 300 };

/* Writes the reason why the method of the file would refuse a run with the options of the file. Returns false if
 * it would run, or was not tried. */
static bool find_refusal(const trm_model *model, const char *method, char *why, size_t size)
{
    const trm_simulation_def *options = trm_model_simulation(model);
    trm_sim *sim = NULL;
    bool refused = false;
    if (strcmp(options->method, method) != 0 || trm_body_count(model) > MOST_TRIED) return false;
    trm_messages *messages = trm_messages_create(NULL);
    if (messages && trm_sim_create(model, options, NULL, messages, &sim) == TRM_BAD_INPUT)
        for (int i = 0; i < trm_message_count(messages) && !refused; i++) {
            const trm_message *m = trm_message_at(messages, i);
            refused = m->severity == TRM_ERROR;
            if (refused) snprintf(why, size, "%s%s%s", m->element, m->element[0] ? ": " : "", m->text);
        }
    trm_sim_destroy(sim);
    trm_messages_destroy(messages);
    return refused;
}

/* Does what trm_judge_method does, and also tries the method of the file. */
static bool judge(const loaded *l, const trm_analysis *a, int index, char *why, size_t size, trm_method_verdict *v)
{
    if (!trm_judge_method(l->state, a, index, why, size, v)) return false;
    if (v->could_run && find_refusal(l->model, v->name, why, size)) v->could_run = false, v->why = why;
    return true;
}

static void print_methods(const loaded *l, const trm_analysis *a)
{
    enum { MOST_METHODS = 16 };
    char why[MOST_METHODS][400];
    trm_method_verdict v[MOST_METHODS];
    int count = 0;
    while (count < MOST_METHODS && judge(l, a, count, why[count], sizeof why[count], &v[count])) count++;
    printf("methods    can run it:");
    for (int i = 0; i < count; i++)
        if (v[i].could_run) printf(" %s", v[i].name);
    printf("\n");
    for (int i = 0; i < count; i++)
        if (!v[i].could_run) printf("           not %s: %s\n", v[i].name, v[i].why);
}

/* Writes the choice of the method auto with the options of the file. Returns false if auto was not tried, or was
 * refused. */
static bool find_automatic(const trm_model *model, char *text, size_t size)
{
    trm_simulation_def options = *trm_model_simulation(model);
    trm_automatic_choice choice;
    trm_sim *sim = NULL;
    trm_messages *unread = trm_messages_create(NULL);
    options.method = "auto";
    const bool chosen = unread && trm_body_count(model) <= MOST_TRIED &&
                        trm_sim_create(model, &options, NULL, unread, &sim) == TRM_OK &&
                        trm_sim_automatic_choice(sim, &choice);
    if (chosen) snprintf(text, size, "%s", choice.text);
    trm_sim_destroy(sim);
    trm_messages_destroy(unread);
    return chosen;
}

/* Findings about a model. regularity NULL: the initial pose cannot be assembled, so there is no pose to judge. */
typedef struct findings {
    trm_analysis *given; /* of the initial pose in the file */
    trm_analysis *analysis;
    trm_regularity *regularity;
} findings;

static void print_text(const char *file, const loaded *l, const findings *f, bool all)
{
    const trm_model *model = l->model;
    const kinds k = count_kinds(model);
    const trm_vec3 g = trm_model_gravity(model);
    const trm_energy energy = trm_state_energy(l->state);
    const trm_analysis *a = f->analysis;
    char automatic[400];
    enum { MOST_LISTED = 40 };
    printf("%s (%s)\n\n", title_of(l, file), file);
    print_verdict(l->messages);
    printf("bodies     %d rigid, %d points, %d fixed, %d moving\n", k.rigid, k.points, k.fixed, k.moving);
    printf("joints     %d", trm_joint_count(model));
    print_joint_types(model);
    printf("gravity    [%g, %g, %g] m/s^2\n", g.x, g.y, g.z);
    printf("energy     %.10g J kinetic, %.10g J potential at the start\n", energy.kinetic, energy.potential);
    print_islands(a);
    print_redundant(model, a, f->regularity);
    if (f->regularity) print_regularity(a, f->regularity);
    print_gaps(model, a);
    print_methods(l, a);
    if (f->regularity && find_automatic(model, automatic, sizeof automatic)) printf("auto       %s\n", automatic);
    const bool few = trm_joint_count(model) <= MOST_LISTED && trm_body_count(model) <= MOST_LISTED;
    if (!all && !few) {
        printf("\n--all lists all bodies and joints\n");
        return;
    }
    if (trm_body_count(model) > 1) print_body_table(model);
    if (trm_joint_count(model) > 0) print_joint_table(model, a);
    print_coordinate_table(l->def);
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void put_messages(trm_json_writer *w, const trm_messages *messages)
{
    trm_json_open_array(w, "messages");
    for (int i = 0; i < trm_message_count(messages); i++) {
        const trm_message *m = trm_message_at(messages, i);
        trm_json_open_object(w, NULL);
        trm_json_put_text(w, "severity", m->severity == TRM_ERROR ? "error" : "warning");
        trm_json_put_integer(w, "line", m->place.line);
        trm_json_put_integer(w, "column", m->place.column);
        trm_json_put_text(w, "element", m->element);
        trm_json_put_text(w, "text", m->text);
        trm_json_close(w);
    }
    trm_json_close(w);
}

static void put_counts(trm_json_writer *w, const trm_island *island)
{
    trm_json_put_integer(w, "bodies", island->bodies);
    trm_json_put_integer(w, "joints", island->joints);
    trm_json_put_integer(w, "loops", island->loops);
    trm_json_put_integer(w, "freedoms", island->freedoms);
    trm_json_put_integer(w, "rows", island->rows);
    trm_json_put_integer(w, "rank", island->rank);
    trm_json_put_integer(w, "dof_by_count", island->freedoms - island->rows);
    trm_json_put_integer(w, "dof_by_rank", island->freedoms - island->rank);
}

static void put_bodies(trm_json_writer *w, const trm_model *model, const trm_analysis *a)
{
    trm_json_open_array(w, "bodies");
    for (int i = 1; i < trm_body_count(model); i++) {
        const trm_body_info body = trm_body_info_of(model, i);
        const double moments[3] = {body.moments.x, body.moments.y, body.moments.z};
        const double com[3] = {body.principal.p.x, body.principal.p.y, body.principal.p.z};
        const trm_quat q = body.principal.q;
        const double axes[4] = {q.w, q.x, q.y, q.z};
        trm_json_open_object(w, NULL);
        trm_json_put_text(w, "name", body.name);
        trm_json_put_text(w, "kind", kind_names[body.kind]);
        trm_json_put_number(w, "mass", body.mass);
        trm_json_put_numbers(w, "moments", moments, 3);
        trm_json_put_numbers(w, "com", com, 3);
        trm_json_put_numbers(w, "principal_axes", axes, 4);
        trm_json_put_integer(w, "island", a->island_of_body[i]);
        trm_json_close(w);
    }
    trm_json_close(w);
}

static void put_gap(trm_json_writer *w, const char *key, trm_gap gap)
{
    trm_json_open_object_flat(w, key);
    trm_json_put_number(w, "position", gap.position);
    trm_json_put_number(w, "angle", gap.angle);
    trm_json_close(w);
}

static void put_joints(trm_json_writer *w, const trm_model *model, const trm_analysis *a)
{
    trm_json_open_array(w, "joints");
    for (int j = 0; j < trm_joint_count(model); j++) {
        const trm_joint_info joint = trm_joint_info_of(model, j);
        trm_json_open_object(w, NULL);
        trm_json_put_text(w, "name", joint.name);
        trm_json_put_text(w, "type", joint.type);
        trm_json_open_array_flat(w, "bodies");
        for (int k = 0; k < joint.body_count; k++)
            trm_json_put_text(w, NULL, trm_body_info_of(model, joint.bodies[k]).name);
        trm_json_close(w);
        trm_json_put_integer(w, "rows", joint.rows);
        trm_json_put_integer(w, "coordinates", joint.coordinates);
        trm_json_put_bool(w, "in_tree", a->tree_joint[j]);
        put_gap(w, "gap", a->gaps[j]);
        put_gap(w, "velocity_gap", a->velocity_gaps[j]);
        trm_json_close(w);
    }
    trm_json_close(w);
}

static void put_rows(trm_json_writer *w, const char *key, const trm_model *model, const trm_row_name *rows, int count)
{
    trm_json_open_array(w, key);
    for (int i = 0; i < count; i++) {
        const trm_joint_info joint = trm_joint_info_of(model, rows[i].joint);
        trm_json_open_object_flat(w, NULL);
        trm_json_put_text(w, "joint", joint.name);
        trm_json_put_integer(w, "row", rows[i].row);
        trm_json_put_text(w, "name", joint.row_names[rows[i].row]);
        trm_json_close(w);
    }
    trm_json_close(w);
}

static void put_regularity(trm_json_writer *w, const trm_model *model, const trm_regularity *r)
{
    trm_json_open_object(w, "regularity");
    trm_json_put_bool(w, "known", r->known);
    trm_json_put_bool(w, "regular", r->regular);
    trm_json_put_bool(w, "infinitesimal", r->infinitesimal);
    trm_json_put_integer(w, "rows", r->rows);
    put_rows(w, "redundant", model, r->redundant, r->redundant_count);
    put_rows(w, "singular", model, r->singular, r->singular_count);
    trm_json_close(w);
}

static void put_methods(trm_json_writer *w, const loaded *l, const trm_analysis *a)
{
    char why[400];
    trm_method_verdict v;
    trm_json_open_array(w, "methods");
    for (int i = 0; judge(l, a, i, why, sizeof why, &v); i++) {
        trm_json_open_object_flat(w, NULL);
        trm_json_put_text(w, "name", v.name);
        trm_json_put_bool(w, "could_run", v.could_run);
        trm_json_put_text(w, "why", v.why);
        trm_json_close(w);
    }
    trm_json_close(w);
}

static void put_findings(trm_json_writer *w, const loaded *l, const findings *f)
{
    const trm_analysis *a = f->analysis;
    const trm_energy energy = trm_state_energy(l->state);
    char automatic[400];
    trm_json_put_text(w, "model", trm_model_name(l->model));
    put_bodies(w, l->model, a);
    put_joints(w, l->model, a);
    trm_json_open_object(w, "whole");
    put_counts(w, &a->whole);
    trm_json_close(w);
    trm_json_open_array(w, "islands");
    for (int i = 0; i < a->island_count; i++) {
        trm_json_open_object(w, NULL);
        put_counts(w, &a->islands[i]);
        trm_json_close(w);
    }
    trm_json_close(w);
    put_rows(w, "redundant", l->model, a->redundant, a->redundant_count);
    if (f->regularity) put_regularity(w, l->model, f->regularity);
    trm_json_open_object_flat(w, "energy");
    trm_json_put_number(w, "kinetic", energy.kinetic);
    trm_json_put_number(w, "potential", energy.potential);
    trm_json_close(w);
    put_methods(w, l, a);
    trm_json_put_text(w, "auto",
                      f->regularity && find_automatic(l->model, automatic, sizeof automatic) ? automatic : NULL);
}

/* Without an analysis the model could not be built. */
static void print_json(const char *file, const loaded *l, trm_status status, const findings *f)
{
    trm_json_writer w = trm_json_begin(trm_file_sink(stdout));
    trm_json_open_object(&w, NULL);
    trm_json_put_text(&w, "file", file);
    trm_json_put_text(&w, "status", trm_status_text(status));
    if (f->analysis) put_findings(&w, l, f);
    put_messages(&w, l->messages);
    trm_json_close(&w);
    trm_json_end(&w);
}

/* ---- Columns ------------------------------------------------------------------------------ */

/* Prints the name and unit of each column that a run can write. Columns of pairs of bodies, "A on B.force", are found
 * by name only. */
static trm_status print_columns(const loaded *l)
{
    trm_results *columns, *usual = NULL;
    trm_status status = trm_results_create(l->model, "*", NULL, l->messages, &columns);
    if (status == TRM_OK) status = trm_results_create(l->model, NULL, NULL, l->messages, &usual);
    for (int i = 0, k = 0; status == TRM_OK && i < trm_result_count(columns); i++) {
        const char *name = trm_result_name(columns, i), *unit = trm_result_unit(columns, i);
        const bool written = k < trm_result_count(usual) && strcmp(trm_result_name(usual, k), name) == 0;
        k += written;
        printf("%-32s %s%s\n", name, unit && unit[0] ? unit : "1", written ? "" : ", on request");
    }
    trm_results_destroy(columns);
    trm_results_destroy(usual);
    return status;
}

/* ---- The command -------------------------------------------------------------------------- */

/* Finds the initial pose of a run, assembled if necessary, and the gaps of the pose in the file. */
static trm_status find(loaded *l, findings *f)
{
    f->given = trm_analyse(l->state, NULL);
    if (!f->given) return TRM_OUT_OF_MEMORY;
    const trm_status status = trm_assemble(l->state, NULL, l->messages, NULL);
    f->analysis = trm_analyse(l->state, NULL);
    if (!f->analysis) return TRM_OUT_OF_MEMORY;
    f->analysis->gaps = f->given->gaps;
    f->analysis->velocity_gaps = f->given->velocity_gaps;
    if (status != TRM_OK) return status;
    f->regularity = trm_find_regularity(l->state, f->analysis, NULL);
    return f->regularity ? TRM_OK : TRM_OUT_OF_MEMORY;
}

static exit_code run(const command_line *line)
{
    loaded l;
    findings f = {0};
    trm_status status = load_model_for_viewing(line, &l);
    if (status == TRM_OK) status = find(&l, &f);
    if (status == TRM_OK) trm_find_hints(l.state, NULL, l.messages);
    const char *file = line->words[0];
    if (has_option(line, "--columns") && f.analysis)
        status = print_columns(&l);
    else if (has_option(line, "--json"))
        print_json(file, &l, status, &f);
    else if (f.analysis)
        print_text(file, &l, &f, has_option(line, "--all"));
    fflush(stdout);
    if (l.messages) print_messages(l.messages);
    if (status == TRM_OUT_OF_MEMORY) fprintf(stderr, "trammel: out of memory\n");
    trm_regularity_destroy(f.regularity);
    trm_analysis_destroy(f.analysis);
    trm_analysis_destroy(f.given);
    unload(&l);
    return status == TRM_OK ? EXIT_DONE : EXIT_BAD_INPUT;
}

static const option options[] = {
    {"--json", NULL, "print one JSON object instead of text"},
    {"--all", NULL, "list all bodies and joints (default: the first ones)"},
    {"--columns", NULL, "list the columns that a run can write, with units, instead"},
    MODEL_OPTIONS,
};

const command command_check = {
    .name = "check",
    .words = "MODEL",
    .least = 1,
    .most = 1,
    .summary = "read a model and describe it: degrees of freedom, loops, redundant rows, gaps, possible methods",
    .details = "Reports all errors of the file together, each with file, line, column, element and remedy. Lengths "
               "are in m,\n"
               "angles in rad. Exit code 3 if the model has errors.",
    .options = options,
    .option_count = COUNT_OF(options),
    .run = run,
};
