/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Contact modes: event-driven or time-stepping as requested, what is reported about them, what is refused. */

#include <limits.h>

#include "check.h"
#include "resuming.h"
#include "sim/sim.h"

#define FLOOR                                                                                                        \
    "{ \"name\": \"floor\", \"fixed\": true, \"shapes\": [{ \"type\": \"plane\", \"normal\": [0, 0, 1], "            \
    "\"offset\": 0 }] }"
#define SLOPE(more)                                                                                                  \
    "{ \"trammel\": 1, \"gravity\": [5.6268, 0, -8.0358], \"defaults\": { \"friction\": 0.5 }," more                 \
    "  \"bodies\": [{ \"name\": \"block\", \"position\": [0, 0, 0.1], \"shapes\": [{ \"type\": \"box\", \"size\": "  \
    "[0.4, 0.4, 0.2],"                                                                                               \
    "    \"density\": 500 }] }, " FLOOR "] }"

static running run_as(const char *text, const char *impact, double step)
{
    trm_model *model = model_of_text(text);
    trm_simulation_def options = *trm_model_simulation(model);
    options.impact = impact;
    options.step = step;
    return run_model(model, &options);
}

static double slid_in_two_seconds(const char *impact, double step)
{
    running r = run_as(SLOPE(""), impact, step);
    go_every(&r, 2, 2);
    const double x = place_of(&r, "block").x;
    stop(&r);
    return x;
}

static void events_and_windows_agree_on_a_slide(void **state)
{
    (void)state;
    const double least = 1e-4; /* m: required accuracy of both */
    for (double step = 0.005; step > 0.001; step /= 2) {
        const double apart = fabs(slid_in_two_seconds("event", step) - slid_in_two_seconds("window", step));
        print_message("    a slide of 3 m at h = %g s: event and window are %.1e m apart\n", step, apart);
        assert_true(apart <= least);
    }
}

static const char *const STACK =
    "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"defaults\": { \"friction\": 0.5 }, \"bodies\": ["
    "  { \"name\": \"a\", \"position\": [0, 0, 0.1], \"shapes\": [{ \"type\": \"box\", \"size\": [0.2, 0.2, 0.2], "
    "\"density\": 1000 }] },"
    "  { \"name\": \"b\", \"position\": [0.01, 0, 0.3], \"shapes\": [{ \"type\": \"box\", \"size\": [0.2, 0.2, 0.2], "
    "\"density\": 1000 }] },"
    "  { \"name\": \"c\", \"position\": [0, 0.02, 0.52], \"shapes\": [{ \"type\": \"box\", \"size\": [0.2, 0.2, "
    "0.2], \"density\": 1000 }] }," FLOOR "] }";

static void events_and_windows_agree_on_a_stack(void **state)
{
    (void)state;
    running event = run_as(STACK, "event", 0.004), window = run_as(STACK, "window", 0.004);
    go_every(&event, 2, 2);
    go_every(&window, 2, 2);
    const trm_vec3 apart = trm_v3_sub(place_of(&event, "c"), place_of(&window, "c"));
    print_message("    the top of a stack: event and window are %.1e m apart\n", trm_v3_length(apart));
    assert_true(trm_v3_length(apart) <= 1e-4);
    assert_near(place_of(&event, "c").z, 0.5, 1e-9);
    stop(&event);
    stop(&window);
}

/* ---- Chosen by itself --------------------------------------------------------------------- */

static void auto_is_event_driven_where_few_things_touch(void **state)
{
    (void)state;
    running event = run_as(SLOPE(""), "event", 0.004), automatic = run_as(SLOPE(""), "auto", 0.004);
    go_every(&event, 2, 2);
    go_every(&automatic, 2, 2);
    const trm_vec3 a = place_of(&event, "block"), b = place_of(&automatic, "block");
    assert_memory_equal(&a, &b, sizeof a);
    assert_int_equal(trm_sim_counters(automatic.sim)->time_stepping, 0);
    stop(&event);
    stop(&automatic);
}

/* Writes a stack of boxes of 0.2 m, rotated relative to each other so that every pair has eight contact points. */
static void write_turned_stack(char *text, size_t size, int count)
{
    size_t used =
        (size_t)snprintf(text, size,
                         "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"defaults\": { \"friction\": 0.5 }, "
                         "\"bodies\": [");
    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(
            text + used, size - used,
            "{ \"name\": \"b%d\", \"position\": [0, 0, %.1f], \"orientation\": { \"axis\": [0, 0, 1], "
            "\"angle\": %.1f }, \"shapes\": [{ \"type\": \"box\", \"size\": [0.2, 0.2, 0.2], "
            "\"density\": 1000 }] }, ",
            i, 0.1 + 0.2 * i, 0.3 * (i % 2));
    snprintf(text + used, size - used, FLOOR "] }");
}

static void auto_steps_over_time_where_many_things_touch(void **state)
{
    (void)state;
    enum { BOXES = 12 };
    static const double MOVED = 1e-6; /* m: events and windows agree to this on a stack */
    static char text[8000];
    write_turned_stack(text, sizeof text, BOXES);
    running r = run_as(text, "auto", 0.004);
    const trm_vec3 start = place_of(&r, "b11");
    go_every(&r, 2, 2);
    const double moved = trm_v3_length(trm_v3_sub(place_of(&r, "b11"), start));
    const trm_counters *c = trm_sim_counters(r.sim);
    print_message("    %lld of %lld steps by time-stepping, the top moved by %.1e m\n", c->time_stepping, c->steps,
                  moved);
    assert_true(c->time_stepping > c->steps / 2);
    assert_true(moved <= MOVED);
    stop(&r);
}

/* Writes a wall of bricks in a running bond, and a heavy ball in front of it. */
static void write_wall(char *text, size_t size, int rows, int row)
{
    size_t used = (size_t)snprintf(text, size, "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [");
    for (int i = 0; i < rows * row; i++)
        used +=
            (size_t)snprintf(text + used, size - used,
                             "{ \"name\": \"b%d\", \"position\": [%.17g, 0, %.17g], "
                             "\"shapes\": [{ \"type\": \"box\", \"size\": [0.25, 0.12, 0.1], \"density\": 1 }] }, ",
                             i, 0.25 * (i % row - row / 2) + 0.125 * (i / row % 2), 0.1 * (i / row) + 0.05);
    snprintf(text + used, size - used,
             "{ \"name\": \"ball\", \"position\": [0, -0.5, 0.6], \"velocity\": [0, 10, 0], "
             "\"shapes\": [{ \"type\": \"sphere\", \"radius\": 0.3, \"density\": 20 }] }, " FLOOR "] }");
}

/* A pile that Newton's method solves takes many iterations in each step, and some of its steps gain energy and become
 * dissipative: 22 of 72, with Newton's method also in the steps that "auto" makes by time-stepping; 0 with sweeps. */
static void auto_solves_piles_as_time_stepping_does(void **state)
{
    (void)state;
    enum { ROWS = 12, ROW = 12 };
    static char text[60000];
    write_wall(text, sizeof text, ROWS, ROW);
    running r = run_as(text, "auto", 1.0 / 240);
    go_every(&r, 0.3, 0.3);
    const trm_counters *c = trm_sim_counters(r.sim);
    print_message("    %lld iterations of Newton's method, %lld of %lld steps by time-stepping, %lld dissipative\n",
                  c->newton, c->time_stepping, c->steps, c->dissipative);
    assert_true(c->time_stepping > c->steps / 2);
    assert_true(c->dissipative < c->steps / 10);
    stop(&r);
}

/* A dozen dominoes lean on each other and slide. No island has very many contacts, but planned steps have several
 * events each, and all contacts are solved again in every part: 201 260 contact problems if only contacts are
 * counted, 45 035 with the parts. */
static void auto_steps_over_time_where_parts_of_steps_are_many(void **state)
{
    (void)state;
    enum { MOST_PROBLEMS = 100000 };
    static const char text[] =
        "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [" FLOOR ","
        "  { \"name\": \"d0\", \"position\": [0, 0, 0.1], \"velocity\": [0.15, 0, 0], \"angular_velocity\": [0, 1.5, "
        "0],"
        "    \"shapes\": [{ \"type\": \"box\", \"size\": [0.02, 0.1, 0.2], \"density\": 600 }] },"
        "  { \"name\": \"d{i+1}\", \"repeat\": 11, \"position\": [\"0.4*sin({i+1}/4)\", \"0.4 - 0.4*cos({i+1}/4)\", "
        "0.1],"
        "    \"orientation\": [\"cos({i+1}/8)\", 0, 0, \"sin({i+1}/8)\"],"
        "    \"shapes\": [{ \"type\": \"box\", \"size\": [0.02, 0.1, 0.2], \"density\": 600 }] }] }";
    running r = run_as(text, "auto", 0.005);
    go_every(&r, 1.5, 1.5);
    const trm_counters *c = trm_sim_counters(r.sim);
    print_message("    %lld contact problems, %lld of %lld steps by time-stepping\n", c->contact_problems,
                  c->time_stepping, c->steps);
    assert_true(c->contact_problems < MOST_PROBLEMS);
    assert_true(place_of(&r, "d11").z < 0.09); /* all have fallen */
    stop(&r);
}

/* Returns the steps of Newton's method until all dominoes have fallen, from a start whose velocities are larger by
 * this fraction. */
static long long newton_of_dominoes(double faster)
{
    enum { STEPS = 1200 }; /* 647 to 755 are made */
    trm_model *model = model_of_file(TRM_EXAMPLES "/dominoes.json");
    trm_simulation_def options = *trm_model_simulation(model);
    options.impact = "event";
    running r = run_model(model, &options);
    for (int i = 1; i < trm_body_count(model); i++) {
        const trm_spatial V = trm_body_velocity(trm_sim_state(r.sim), i);
        if (trm_sp_dot(V, V) > 0) trm_set_body_velocity(trm_sim_state(r.sim), i, trm_sp_scale(1 + faster, V));
    }
    go_every(&r, 1.1, 1.1);
    const trm_counters *c = trm_sim_counters(r.sim);
    const long long newton = c->newton;
    print_message("    %lld steps, %lld steps of Newton's method, %lld impacts\n", c->steps, newton, c->impacts);
    assert_true(c->impacts > 100);
    assert_true(c->steps < STEPS);
    stop(&r);
    return newton;
}

/* Impacts of a row of dominoes are located one by one. Steps over many of them must not leave contacts deep, because
 * every step after that would have to be shortened. The motion is chaotic: of 24 starts that differ by 1e-9, two
 * thirds take 27 000 to 47 000 steps of Newton's method, the others more. Therefore the best of three starts
 * counts. */
static void event_driven_dominoes_take_few_steps(void **state)
{
    (void)state;
    enum { STARTS = 3, NEWTON = 60000 };
    long long least = LLONG_MAX;
    for (int k = 0; k < STARTS && least >= NEWTON; k++) {
        const long long newton = newton_of_dominoes(1e-9 * k);
        least = newton < least ? newton : least;
    }
    assert_true(least < NEWTON);
}

/* ---- Reports ------------------------------------------------------------------------------ */

static void contacts_bear_the_weight_and_impacts_stop_the_fall(void **state)
{
    (void)state;
    enum { MOST = 2000 };
    static trm_contact_row rows[MOST];
    running r = run_as(STACK, "event", 0.005);
    go_every(&r, 2, 2);
    const int count = trm_sim_contacts(r.sim, rows, MOST);
    assert_true(count <= MOST);
    double weight = 0;
    bool impacts = false;
    for (int i = 0; i < count; i++) {
        const bool on_floor = rows[i].body[1] == trm_find_body(r.model, "floor");
        assert_true(trm_v3_dot(rows[i].force, rows[i].normal) >= -1e-12); /* they push */
        impacts = impacts || rows[i].impact;
        if (!rows[i].impact && on_floor) weight -= rows[i].force.z;
    }
    assert_true(impacts); /* the third box fell 2 cm */
    assert_near(weight, 3 * 8 * 9.81, 1e-6);
    assert_true(trm_sim_contacts(r.sim, rows, MOST) < count); /* impacts are reported once */
    stop(&r);
}

static void an_event_waits_for_a_contact(void **state)
{
    (void)state;
    trm_event_note note;
    running r = run_text(
        "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
        "  { \"name\": \"ball\", \"position\": [0, 0, 1.1], \"shapes\": [{ \"type\": \"sphere\", \"radius\": 0.1,"
        "    \"density\": 1000 }] }, " FLOOR "],"
        "  \"joints\": [{ \"name\": \"grip\", \"type\": \"fixed\", \"bodies\": [\"floor\", \"ball\"],"
        "    \"anchors\": [[0, 0, 0.1], [0, 0, 0]], \"attached\": false }],"
        "  \"events\": [{ \"when\": \"contact\", \"bodies\": [\"ball\", \"floor\"], \"attach\": \"grip\" }] }",
        0.01, 1e-10);
    go_every(&r, 1, 0.25);
    assert_int_equal(trm_sim_event_count(r.sim), 1);
    assert_true(trm_sim_event(r.sim, 0, &note));
    assert_near(note.time, sqrt(2 / 9.81), 1e-12);
    assert_near(velocity_of(&r, "ball").z, 0, 1e-12);
    assert_near(place_of(&r, "ball").z, 0.1, 1e-10);
    stop(&r);
}

/* A flap with friction in its hinge rests on its stop. In time-stepping steps both rows hold it. Event-driven steps
 * after them have two rows for one coordinate, which differ by rounding: one of them must be released. */
static void auto_settles_stops_and_friction_after_time_stepping(void **state)
{
    (void)state;
    running r = run_as("{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
                       "  { \"name\": \"flap\", \"position\": [0.5, 0, 1], \"shapes\": [{ \"type\": \"box\","
                       "    \"size\": [1, 0.2, 0.02], \"density\": 1000 }] }, " FLOOR "],"
                       "  \"joints\": [{ \"name\": \"hinge\", \"type\": \"hinge\", \"bodies\": [\"ground\","
                       "    \"flap\"], \"anchor\": [0, 0, 1], \"axis\": [0, 1, 0], \"limits\": [-0.1, 0.1],"
                       "    \"friction\": 1 }] }",
                       "auto", 0.005);
    const trm_state *now = r.sim->state;
    go(&r, 1);
    r.sim->memory.busy = 4; /* as if events chattered */
    for (int i = 1; i <= 8; i++) {
        int held = 0;
        go(&r, 1 + 0.005 * i);
        for (int k = 0; k < r.sim->events.watched_count; k++) held += now->mode[r.sim->events.watched[k]] == TRM_HELD;
        if (i >= 4) assert_int_equal(held, 1);
    }
    assert_int_equal(trm_sim_counters(r.sim)->time_stepping, 4);
    stop(&r);
}

/* ---- What is refused ---------------------------------------------------------------------- */

static void refuse(const char *text, double order, const char *said)
{
    trm_model *model = model_of_text(text);
    trm_simulation_def options = *trm_model_simulation(model);
    options.order = order;
    assert_refused(model, &options, said);
}

static void options_that_contacts_exclude_are_named(void **state)
{
    (void)state;
    refuse(SLOPE("\"contacts\": [{ \"bodies\": [\"block\", \"floor\"], \"rolling\": 0.01 }],"), 4,
           "has rolling or torsional friction, which is of order 2");
    refuse(
        SLOPE(
            "\"forces\": [{ \"name\": \"s\", \"type\": \"spring\", \"bodies\": [\"ground\", \"block\"], \"anchors\":"
            "  [[0, 0, 1], [0, 0, 0]], \"stiffness\": 10, \"implicit\": true }],"),
        2, "force 's' is to be applied implicitly");
}

static void bodies_that_overlap_are_named_with_their_depth(void **state)
{
    (void)state;
    refuse("{ \"trammel\": 1, \"bodies\": [{ \"name\": \"ball\", \"position\": [0, 0, 0.07], \"shapes\": [{ "
           "\"type\": \"sphere\","
           "  \"radius\": 0.1, \"density\": 1000 }] }, " FLOOR "] }",
           2, "bodies 'ball' and 'floor' overlap by 0.03 m at the start");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_and_windows_agree_on_a_slide),
        cmocka_unit_test(events_and_windows_agree_on_a_stack),
        cmocka_unit_test(auto_is_event_driven_where_few_things_touch),
        cmocka_unit_test(auto_steps_over_time_where_many_things_touch),
        cmocka_unit_test(auto_solves_piles_as_time_stepping_does),
        cmocka_unit_test(auto_steps_over_time_where_parts_of_steps_are_many),
        cmocka_unit_test(auto_settles_stops_and_friction_after_time_stepping),
        cmocka_unit_test(event_driven_dominoes_take_few_steps),
        cmocka_unit_test(contacts_bear_the_weight_and_impacts_stop_the_fall),
        cmocka_unit_test(an_event_waits_for_a_contact),
        cmocka_unit_test(options_that_contacts_exclude_are_named),
        cmocka_unit_test(bodies_that_overlap_are_named_with_their_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
