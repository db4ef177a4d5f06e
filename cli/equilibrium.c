/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel equilibrium: finds the pose at which a machine rests (docs/equilibrium.md). */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model.h"
#include "output.h"
#include "state_model.h"

enum { MOST_PRINTED = 40 };

/* ---- Text --------------------------------------------------------------------------------- */

static void print_coordinates(const loaded *l)
{
    for (int j = 0; j < trm_joint_count(l->model); j++) {
        double q[TRM_JOINT_COORDINATES];
        const int count = trm_joint_values(l->state, j, q, NULL);
        if (count == 0 || j >= MOST_PRINTED) continue;
        printf("%-12s %s", j == 0 ? "coordinates" : "", trm_joint_info_of(l->model, j).name);
        for (int k = 0; k < count; k++) printf(" %.12g", q[k]);
        printf("\n");
    }
}

static void print_reactions(const loaded *l, const trm_equilibrium_result *r)
{
    for (int j = 0; j < trm_joint_count(l->model) && j < MOST_PRINTED; j++) {
        const trm_spatial F = trm_joint_reaction(l->state, j);
        bool unique = true;
        for (int i = 0; i < r->not_unique_count; i++) unique = unique && r->not_unique[i] != j;
        printf("%-12s %s: force (%.9g, %.9g, %.9g) N, torque (%.9g, %.9g, %.9g) N m%s\n", j == 0 ? "reactions" : "",
               trm_joint_info_of(l->model, j).name, F.lin.x, F.lin.y, F.lin.z, F.ang.x, F.ang.y, F.ang.z,
               unique ? "" : "; not unique");
    }
    for (int i = 0; i < r->contact_count && i < MOST_PRINTED; i++) {
        const trm_contact_load *c = &r->contacts[i];
        printf("%-12s %s on %s: %.9g N at (%.6g, %.6g, %.6g)\n", i == 0 ? "contacts" : "",
               trm_body_info_of(l->model, c->body[0]).name, trm_body_info_of(l->model, c->body[1]).name, c->force,
               c->point.x, c->point.y, c->point.z);
    }
}

static void print_motions(const char *heading, const trm_motion_note *notes, int count)
{
    for (int i = 0; i < count && i < MOST_PRINTED; i++) printf("%-12s %s\n", i == 0 ? heading : "", notes[i].text);
}

static void print_result(const loaded *l, const char *file, const trm_equilibrium_result *r)
{
    printf("%s: %s after %d steps\n", title_of(l, file), r->steady ? "steady motion" : "equilibrium", r->iterations);
    printf("residual     %.3g N, %.3g of the largest force\n", r->residual, r->relative);
    printf("potential    %.12g J\n", r->potential);
    print_coordinates(l);
    print_reactions(l, r);
    for (int i = 0; i < r->active_count; i++)
        printf("%-12s %s\n", i == 0 ? "holding" : "", trm_joint_info_of(l->model, r->active[i]).name);
    if (r->not_unique_count > 0)
        printf("not unique   reactions of %d joints: rows are redundant; the shortest multipliers are printed\n",
               r->not_unique_count);
    printf("stability    %s: %d free motions, %d unstable, %d neutral\n",
           r->unstable > 0        ? "unstable"
           : r->neutral_count > 0 ? "stable but for neutral motions"
                                  : "stable",
           r->freedoms, r->unstable, r->neutral_count);
    print_motions("unstable", r->unstable_motions, r->unstable_count);
    print_motions("neutral", r->neutral, r->neutral_count);
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void put_vector(trm_json_writer *w, const char *key, trm_vec3 v)
{
    trm_json_put_numbers(w, key, (const double[]){v.x, v.y, v.z}, 3);
}

static void put_motions(trm_json_writer *w, const char *key, const trm_model *model, const trm_motion_note *notes,
                        int count)
{
    trm_json_open_array(w, key);
    for (int i = 0; i < count; i++) {
        trm_json_open_object(w, NULL);
        trm_json_put_text(w, "body", trm_body_info_of(model, notes[i].body).name);
        trm_json_put_bool(w, "alone", notes[i].alone);
        put_vector(w, "turn", notes[i].turn);
        put_vector(w, "shift", notes[i].shift);
        trm_json_put_text(w, "text", notes[i].text);
        trm_json_close(w);
    }
    trm_json_close(w);
}

static void put_bodies(trm_json_writer *w, const loaded *l)
{
    trm_json_open_object(w, "bodies");
    for (int b = 1; b < trm_body_count(l->model); b++) {
        const trm_pose X = trm_body_pose(l->state, b);
        trm_json_open_object(w, trm_body_info_of(l->model, b).name);
        put_vector(w, "position", X.p);
        trm_json_put_numbers(w, "orientation", (const double[]){X.q.w, X.q.x, X.q.y, X.q.z}, 4);
        trm_json_close(w);
    }
    trm_json_close(w);
}

static void put_joints(trm_json_writer *w, const loaded *l, const trm_equilibrium_result *r)
{
    trm_json_open_object(w, "joints");
    for (int j = 0; j < trm_joint_count(l->model); j++) {
        double q[TRM_JOINT_COORDINATES];
        const int count = trm_joint_values(l->state, j, q, NULL);
        const trm_spatial F = trm_joint_reaction(l->state, j);
        bool unique = true, active = false;
        for (int i = 0; i < r->not_unique_count; i++) unique = unique && r->not_unique[i] != j;
        for (int i = 0; i < r->active_count; i++) active = active || r->active[i] == j;
        trm_json_open_object(w, trm_joint_info_of(l->model, j).name);
        trm_json_put_numbers(w, "q", q, count);
        put_vector(w, "force", F.lin);
        put_vector(w, "torque", F.ang);
        trm_json_put_bool(w, "unique", unique);
        trm_json_put_bool(w, "active", active);
        trm_json_close(w);
    }
    trm_json_close(w);
}

static void put_contacts(trm_json_writer *w, const loaded *l, const trm_equilibrium_result *r)
{
    trm_json_open_array(w, "contacts");
    for (int i = 0; i < r->contact_count; i++) {
        trm_json_open_object(w, NULL);
        trm_json_put_texts(w, "bodies",
                           (const char *const[]){trm_body_info_of(l->model, r->contacts[i].body[0]).name,
                                                 trm_body_info_of(l->model, r->contacts[i].body[1]).name},
                           2);
        put_vector(w, "point", r->contacts[i].point);
        put_vector(w, "normal", r->contacts[i].normal);
        trm_json_put_number(w, "force", r->contacts[i].force);
        trm_json_close(w);
    }
    trm_json_close(w);
}

static void write_json(const loaded *l, const trm_equilibrium_result *r)
{
    trm_json_writer w = trm_json_begin(trm_file_sink(stdout));
    trm_json_open_object(&w, NULL);
    trm_json_put_bool(&w, "found", r->found);
    trm_json_put_bool(&w, "steady", r->steady);
    if (!r->found) trm_json_put_text(&w, "element", r->element), trm_json_put_text(&w, "why", r->why);
    trm_json_put_integer(&w, "iterations", r->iterations);
    trm_json_put_number(&w, "residual", r->residual);
    trm_json_put_number(&w, "relative", r->relative);
    trm_json_put_number(&w, "potential", r->potential);
    trm_json_put_integer(&w, "freedoms", r->freedoms);
    trm_json_put_integer(&w, "unstable", r->unstable);
    trm_json_put_bool(&w, "stable", r->found && r->unstable == 0);
    put_motions(&w, "unstable_motions", l->model, r->unstable_motions, r->unstable_count);
    put_motions(&w, "neutral", l->model, r->neutral, r->neutral_count);
    put_joints(&w, l, r);
    put_contacts(&w, l, r);
    put_bodies(&w, l);
    trm_json_close(&w);
    trm_json_end(&w);
}

/* ---- The command -------------------------------------------------------------------------- */

static bool read_from(const command_line *line, trm_equilibrium_def *def)
{
    const char *from = option_value(line, "--from");
    *def = trm_default_equilibrium_def();
    if (!from || strcmp(from, "now") == 0) return true;
    def->relaxed = strcmp(from, "relaxed") == 0;
    if (!def->relaxed) fprintf(stderr, "trammel equilibrium: --from is now or relaxed, not \"%s\"\n", from);
    return def->relaxed;
}

static exit_code find(const command_line *line, loaded *l, const trm_equilibrium_def *def)
{
    trm_equilibrium_result *r = NULL;
    const trm_status status = trm_equilibrium(l->state, def, NULL, l->messages, &r);
    if (status == TRM_OUT_OF_MEMORY) fprintf(stderr, "trammel equilibrium: out of memory\n");
    if (status != TRM_OK) return EXIT_BAD_INPUT;
    exit_code code = r->found ? EXIT_DONE : EXIT_STOPPED;
    if (has_option(line, "--json"))
        write_json(l, r);
    else if (r->found)
        print_result(l, line->words[0], r);
    if (!r->found) fprintf(stderr, "trammel equilibrium: %s%s%s\n", r->element, r->element[0] ? ": " : "", r->why);
    const char *out = option_value(line, "--out");
    if (r->found && out && !write_state_model("equilibrium", l, l->state, out)) code = EXIT_BAD_INPUT;
    trm_equilibrium_destroy(r);
    return code;
}

static exit_code run(const command_line *line)
{
    loaded l;
    trm_equilibrium_def def;
    exit_code code = EXIT_BAD_INPUT;
    const named_file read = {"the model", line->words[0]}, written = {"--out", option_value(line, "--out")};
    if (!read_from(line, &def) || !outputs_differ("equilibrium", &read, 1, &written, 1)) return EXIT_USAGE;
    if (load_model(line, &l) == TRM_OK) code = find(line, &l, &def);
    if (l.messages) print_messages(l.messages);
    unload(&l);
    return code;
}

static const option options[] = {
    {"--from", "HOW",
     "now: the equilibrium near the initial pose, also if unstable; relaxed: a stable one (default: now)"},
    {"--out", "FILE.json", "write the equilibrium as a model that starts there"},
    {"--json", NULL, "print the result as one JSON object"},
    MODEL_OPTIONS,
};

const command command_equilibrium = {
    .name = "equilibrium",
    .words = "MODEL",
    .least = 1,
    .most = 1,
    .summary = "find the equilibrium of a machine, its joint forces there, and whether it is stable",
    .details =
        "Considers gravity, springs, servos, constant forces, loops, redundant joints, ropes, limits and "
        "frictionless\n"
        "contacts; moving drives are balanced in steady motion. Without an equilibrium the exit code is 4, and the\n"
        "message names the unsupported element.",
    .options = options,
    .option_count = COUNT_OF(options),
    .run = run,
};
