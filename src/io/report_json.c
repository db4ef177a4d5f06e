/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Writes the accuracy report as JSON, with the keys that docs/results.md lists. */

#include <stdio.h>

#include "sim/sim.h"
#include "trammel/app.h"
#include "trammel/io.h"

static const char *joint_name(const trm_sim *sim, int joint)
{
    return joint >= 0 ? sim->state->model->joints[joint].name : NULL;
}

static void put_works(trm_json_writer *w, const char *key, const trm_works *works)
{
    trm_json_open_object(w, key);
    trm_json_put_number(w, "input", works->input);
    trm_json_put_number(w, "friction", works->friction);
    trm_json_put_number(w, "damping", works->damping);
    trm_json_put_number(w, "impact", works->impact);
    trm_json_put_number(w, "contact", works->contact);
    trm_json_close(w);
}

static void put_accuracy(trm_json_writer *w, const trm_sim *sim)
{
    const trm_accuracy accuracy = trm_sim_accuracy(sim), *a = &accuracy;
    trm_json_open_object(w, "energy");
    trm_json_put_number(w, "start", a->energy_start);
    trm_json_put_number(w, "end", a->energy_end);
    trm_json_put_number(w, "work", a->work);
    trm_json_put_number(w, "max_error", a->energy_error_max);
    trm_json_put_number(w, "mean_error", a->energy_error_mean);
    trm_json_put_number(w, "scale", a->energy_scale);
    trm_json_put_number(w, "expected_error", a->energy_expected); /* null: not known */
    trm_json_close(w);
    trm_json_open_object(w, "drift");
    trm_json_put_number(w, "position", a->motion_expected.position);
    trm_json_put_number(w, "angle", a->motion_expected.angle);
    trm_json_close(w);
    put_works(w, "works", &a->works);
    put_works(w, "gains", &a->gains);
    trm_json_open_object(w, "momentum"); /* null if a body is held from outside */
    trm_json_put_number(w, "linear_error", a->is_free ? a->linear_error : NAN);
    trm_json_put_number(w, "angular_error", a->is_free ? a->angular_error : NAN);
    trm_json_close(w);
    trm_json_open_object(w, "gap");
    trm_json_put_number(w, "position", a->gap.position);
    trm_json_put_number(w, "angle", a->gap.angle);
    trm_json_put_text(w, "joint", joint_name(sim, a->gap_joint));
    trm_json_close(w);
    trm_json_open_object(w, "velocity_gap");
    trm_json_put_number(w, "value", fmax(a->velocity_gap.position, a->velocity_gap.angle));
    trm_json_put_text(w, "joint", joint_name(sim, a->velocity_gap_joint));
    trm_json_close(w);
}

static void put_counters(trm_json_writer *w, const trm_counters *c)
{
    trm_json_put_integer(w, "checks", c->checks);
    trm_json_put_integer(w, "corrections", c->corrections);
    trm_json_put_integer(w, "rounds", c->rounds);
    trm_json_put_integer(w, "newton", c->newton);
    trm_json_put_integer(w, "factorisations", c->factorisations);
    trm_json_put_integer(w, "halvings", c->halvings);
    trm_json_put_integer(w, "impacts", c->impacts);
    trm_json_put_integer(w, "contacts", c->contacts);
    trm_json_put_integer(w, "dissipative", c->dissipative);
    trm_json_put_integer(w, "time_stepping", c->time_stepping);
    trm_json_put_integer(w, "contact_problems", c->contact_problems);
    trm_json_put_integer(w, "swept", c->swept);
    trm_json_put_integer(w, "plain", c->plain);
    trm_json_put_integer(w, "guarded", c->guarded);
    trm_json_put_integer(w, "jams", c->jams);
    trm_json_put_integer(w, "in_body", c->in_body);
}

static void put_tolerance(trm_json_writer *w, const trm_sim *sim)
{
    trm_json_open_object(w, "tolerance");
    trm_json_put_number(w, "position", sim->options.position_tolerance);
    trm_json_put_number(w, "angle", sim->options.angle_tolerance);
    trm_json_put_number(w, "velocity", sim->options.velocity_tolerance);
    trm_json_put_text(w, "note", trm_sim_tolerance_note(sim)); /* null: as requested, or by default */
    trm_json_close(w);
}

/* Writes the choice of the method "auto"; null if the options name the method. */
static void put_choice(trm_json_writer *w, const trm_sim *sim)
{
    trm_automatic_choice choice = {.error = NAN, .text = NULL};
    trm_sim_automatic_choice(sim, &choice);
    trm_json_open_object(w, "choice");
    trm_json_put_number(w, "error", choice.error);
    trm_json_put_text(w, "text", choice.text);
    trm_json_close(w);
}

static void put_assembly(trm_json_writer *w, const trm_assembly *done)
{
    trm_json_open_object(w, "assembly"); /* zeros: the start satisfied the joints */
    trm_json_put_number(w, "position", done->position);
    trm_json_put_number(w, "angle", done->angle);
    trm_json_put_number(w, "speed", done->speed);
    trm_json_put_number(w, "angular_speed", done->angular_speed);
    trm_json_close(w);
}

static void put_dropped_rows(trm_json_writer *w, const trm_sim *sim)
{
    enum { MOST_NAMED = 200 };
    trm_row_name rows[MOST_NAMED];
    const int count = trm_sim_dropped_rows(sim, rows, MOST_NAMED);
    trm_json_open_array(w, "dropped_rows");
    for (int i = 0; i < count && i < MOST_NAMED; i++) {
        const trm_joint_info joint = trm_joint_info_of(sim->state->model, rows[i].joint);
        char name[200];
        snprintf(name, sizeof name, "%s: %s", joint.name, joint.row_names[rows[i].row]);
        trm_json_put_text(w, NULL, name);
    }
    trm_json_close(w);
}

/* Writes the options of the method in the form of the model file. */
static void put_method_options(trm_json_writer *w, const trm_sim *sim)
{
    trm_option option;
    trm_json_open_object(w, "options");
    for (int i = 0; trm_sim_method_option(sim, i, &option); i++)
        if (option.text)
            trm_json_put_text(w, option.name, option.text);
        else
            trm_json_put_number(w, option.name, option.number);
    trm_json_close(w);
}

static void put_events(trm_json_writer *w, const trm_sim *sim)
{
    trm_event_note note;
    trm_json_open_array(w, "events");
    for (int i = 0; trm_sim_event(sim, i, &note); i++) {
        trm_json_open_object_flat(w, NULL);
        trm_json_put_number(w, "t", note.time);
        trm_json_put_text(w, note.joint >= 0 ? "joint" : "name", note.name);
        trm_json_put_text(w, "what", note.what);
        trm_json_put_number(w, "energy_before", note.energy_before);
        trm_json_put_number(w, "energy_after", note.energy_after);
        trm_json_close(w);
    }
    trm_json_close(w);
}

static void put_verdict(trm_json_writer *w, const trm_sim *sim)
{
    trm_verdict verdict;
    trm_sim_verdict(sim, &verdict);
    trm_json_put_text(w, "verdict", trm_grade_name(verdict.grade));
    trm_json_open_array(w, "reasons");
    for (int i = 0; i < verdict.count; i++) trm_json_put_text(w, NULL, verdict.reasons[i].text);
    trm_json_close(w);
}

bool trm_write_report_json(const trm_sim *sim, const char *status, double wall, trm_sink sink)
{
    const trm_simulation_def *o = &sim->options;
    trm_json_writer w = trm_json_begin(sink);
    trm_json_open_object(&w, NULL);
    trm_json_put_text(&w, "model", sim->state->model->name);
    trm_json_put_text(&w, "method", o->method);
    trm_json_put_text(&w, "solver", o->solver);
    put_choice(&w, sim);
    trm_json_put_number(&w, "order", o->order);
    trm_json_put_number(&w, "step", o->step);
    trm_json_put_number(&w, "time", sim->state->clock->time);
    trm_json_put_integer(&w, "steps", sim->counters.steps);
    trm_json_put_text(&w, "status", status);
    trm_json_put_number(&w, "wall_s", wall);
    trm_json_put_number(&w, "realtime_factor", (sim->state->clock->time - sim->rows.begun) / wall);
    put_tolerance(&w, sim);
    put_accuracy(&w, sim);
    put_counters(&w, &sim->counters);
    trm_json_put_integer(&w, "asleep", trm_bodies_asleep(sim->state));
    put_dropped_rows(&w, sim);
    trm_json_put_text(&w, "scheme", o->scheme);
    put_method_options(&w, sim);
    trm_json_put_number(&w, "error", o->error); /* null: none was requested */
    trm_json_put_integer(&w, "rejections", sim->counters.rejections);
    trm_json_put_integer(&w, "evaluations", sim->counters.evaluations);
    trm_json_put_integer(&w, "switches", sim->counters.switches);
    put_assembly(&w, &sim->assembly);
    put_events(&w, sim);
    put_verdict(&w, sim);
    trm_json_close(&w);
    return trm_json_end(&w);
}
