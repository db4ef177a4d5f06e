/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The report of a run in lines of text. */

#include "run_text.h"

#include <math.h>
#include <string.h>

#include "ranks.h"
#include "run_counters.h"

static void print_dropped_rows(const run_facts *r, FILE *to)
{
    enum { MOST_NAMED = 12 };
    trm_row_name rows[MOST_NAMED];
    const int count = trm_sim_dropped_rows(r->sim, rows, MOST_NAMED);
    if (count == 0) return;
    fprintf(to, "dropped      %d redundant row%s:", count, count == 1 ? "" : "s");
    for (int i = 0; i < count && i < MOST_NAMED; i++) {
        const trm_joint_info joint = trm_joint_info_of(r->model, rows[i].joint);
        fprintf(to, "%s %s %s", i ? "," : "", joint.name, joint.row_names[rows[i].row]);
    }
    fprintf(to, "%s\n", count > MOST_NAMED ? ", ..." : "");
}

static void print_assembly(const run_facts *r, FILE *to)
{
    const trm_assembly done = trm_sim_assembly(r->sim);
    const double rounding = 1e-6; /* of the file's digits, which is not reported */
    if (fmax(fmax(done.position, done.angle), fmax(done.speed, done.angular_speed)) <= rounding) return;
    fprintf(to, "assembly     bodies were moved by at most %.3g m, %.3g rad, %.3g m/s, %.3g rad/s\n", done.position,
            done.angle, done.speed, done.angular_speed);
}

/* Prints "lagrange, integrator rk4, beta 20". */
static void print_method(const run_facts *r, FILE *to)
{
    trm_option own;
    fprintf(to, "%s", trm_sim_options(r->sim)->method);
    for (int i = 0; trm_sim_method_option(r->sim, i, &own); i++)
        if (own.text)
            fprintf(to, ", %s %s", own.name, own.text);
        else
            fprintf(to, ", %s %g", own.name, own.number);
}

static void print_events(const run_facts *r, FILE *to)
{
    enum { MOST_PRINTED = 20 };
    trm_event_note note;
    const long long impacts = trm_sim_counters(r->sim)->impacts;
    const long long guarded = trm_sim_counters(r->sim)->guarded;
    const int asleep = trm_bodies_asleep(trm_sim_state(r->sim));
    if (impacts > 0) fprintf(to, "impacts      %lld\n", impacts);
    if (guarded > 0)
        fprintf(to, "             restitution reduced %lld times: excess energy, or too many contacts at once\n",
                guarded);
    print_contact_counters(r->sim, to);
    if (asleep > 0) fprintf(to, "asleep       %d %s at the end\n", asleep, asleep > 1 ? "bodies" : "body");
    for (int i = 0; i < MOST_PRINTED && trm_sim_event(r->sim, i, &note); i++)
        fprintf(to, "%s t = %.9g s: %s'%s' %s; energy %.9g J before, %.9g J after\n",
                i == 0 ? "events      " : "            ", note.time, note.joint >= 0 ? "joint " : "", note.name,
                note.what, note.energy_before, note.energy_after);
    if (trm_sim_event_count(r->sim) > MOST_PRINTED)
        fprintf(to, "             and %lld more\n", trm_sim_event_count(r->sim) - MOST_PRINTED);
}

/* Prints counters of hierarchical reduction; messages are those of the rank that reports. */
static void print_ranks(const trm_counters *c, FILE *to)
{
    fprintf(to, "subsystems   reduced %lld times", c->reductions);
    if (ranks())
        fprintf(to, " by the first of %d ranks, which sent %lld messages, %.3g kB", ranks()->count, ranks()->messages,
                1e-3 * (double)ranks()->bytes);
    fprintf(to, "\n");
}

/* Prints a line for each kind of work that is not zero. */
static void print_works(const trm_works *works, FILE *to)
{
    const struct {
        const char *name;
        double work;
    } parts[] = {{"put in", works->input},
                 {"friction in joints", works->friction},
                 {"dampers and drag", works->damping},
                 {"impacts", works->impact},
                 {"contacts", works->contact}};
    const char *heading = "work";
    for (int i = 0; i < COUNT_OF(parts); i++) {
        if (parts[i].work == 0) continue;
        fprintf(to, "%-12s %.9g J %s\n", heading, parts[i].work, parts[i].name);
        heading = "";
    }
}

void print_verdict(const trm_verdict *v, FILE *to)
{
    fprintf(to, "verdict      %s", trm_grade_name(v->grade));
    for (int i = 0; i < v->count; i++) {
        const bool good = v->grade == TRM_GOOD;
        if (!good && v->reasons[i].grade == TRM_GOOD) break;
        fprintf(to, "%s%s", i == 0 ? ": " : good ? ", " : "\n             ", v->reasons[i].text);
    }
    fprintf(to, "\n");
}

/* Prints the length of steps or the error that controls it, and the choice of the method auto. */
static void print_steps(const trm_sim *sim, FILE *to)
{
    const trm_simulation_def *o = trm_sim_options(sim);
    trm_automatic_choice choice = {.error = o->error};
    const bool chosen = trm_sim_automatic_choice(sim, &choice);
    if (isnan(o->error))
        fprintf(to, "step %g s\n", o->step);
    else
        fprintf(to, "at most %g m and rad of error per s\n", choice.error);
    if (chosen) fprintf(to, "chosen       %s\n", choice.text);
}

void print_run_facts(const run_facts *r, FILE *to)
{
    const trm_accuracy a = trm_sim_accuracy(r->sim);
    const trm_counters *c = trm_sim_counters(r->sim);
    const double t = trm_state_time(trm_sim_state(r->sim));
    const trm_simulation_def *o = trm_sim_options(r->sim);
    fprintf(to, "%s: ", r->title);
    print_method(r, to);
    fprintf(to, ", solver %s, order %g%s, ", o->solver, o->order,
            strcmp(o->scheme, "extrapolation") == 0 ? " by extrapolation" : "");
    print_steps(r->sim, to);
    fprintf(to, "time         %.9g s in %lld steps; wall-clock time %.3g s, %.3g times real time\n", t, c->steps,
            r->wall, (t - r->begun) / r->wall);
    fprintf(to, "energy       %.9g J at the start, %.9g J at the end, work %.9g J\n", a.energy_start, a.energy_end,
            a.work);
    fprintf(to, "             |E - E0 - W| at most %.3g J, %.3g J in the mean, at the %lld rows\n",
            a.energy_error_max, a.energy_error_mean, a.observed);
    print_works(&a.works, to);
    if (a.is_free)
        fprintf(to, "momentum     changed by %.3g kg m/s and %.3g kg m^2/s\n", a.linear_error, a.angular_error);
    if (trm_sim_tolerance_note(r->sim))
        fprintf(to, "tolerance    %.3g m, %.3g rad, %.3g m/s and rad/s: %s\n", o->position_tolerance,
                o->angle_tolerance, o->velocity_tolerance, trm_sim_tolerance_note(r->sim));
    if (a.gap_joint >= 0)
        fprintf(to, "joint gap    at most %.3g m, %.3g rad (joint '%s')\n", a.gap.position, a.gap.angle,
                trm_joint_info_of(r->model, a.gap_joint).name);
    if (a.velocity_gap_joint >= 0)
        fprintf(to, "             at most %.3g m/s, %.3g rad/s (joint '%s')\n", a.velocity_gap.position,
                a.velocity_gap.angle, trm_joint_info_of(r->model, a.velocity_gap_joint).name);
    if (c->evaluations > 0)
        fprintf(to,
                "solver work  %lld evaluations of accelerations, %lld steps of Newton's method, coordinates switched "
                "%lld times\n",
                c->evaluations, c->newton, c->switches);
    else
        fprintf(to,
                "solver work  %lld checks, %lld corrections, %lld rounds, %lld factorisations, %lld halvings of the "
                "step\n",
                c->checks, c->corrections, c->rounds, c->factorisations, c->halvings);
    if (c->in_body > 0) fprintf(to, "             %lld look-aheads in body coordinates\n", c->in_body);
    if (c->reductions > 0) print_ranks(c, to);
    if (!isnan(o->error)) fprintf(to, "             %lld steps rejected by error control\n", c->rejections);
    print_events(r, to);
    print_assembly(r, to);
    print_dropped_rows(r, to);
}
