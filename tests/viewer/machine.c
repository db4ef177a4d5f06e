/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The machine that pages watch: what they set, drag and load is applied completely or not at all, and frames have the
 * lengths of viewer/DATA.md. */

#include "machine.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { HEAD = 32, POSE = 7 };

/* ---- Frames as a page reads them ----------------------------------------------------------- */

typedef struct frame {
    trm_text *text;
    uint32_t head[6];
    double time;
    const float *poses;
    size_t numbers; /* after the head */
} frame;

static frame frame_of(machine *m)
{
    frame f = {.text = trm_text_create(NULL)};
    assert_true(machine_write_frame(m, 7, trm_text_sink(f.text)));
    const char *bytes = trm_text_get(f.text);
    memcpy(f.head, bytes, sizeof f.head);
    memcpy(&f.time, bytes + sizeof f.head, sizeof f.time);
    f.poses = (const float *)(const void *)(bytes + HEAD);
    f.numbers = (trm_text_length(f.text) - HEAD) / sizeof(float);
    return f;
}

static json_t *json_of(const machine *m, bool status)
{
    trm_text *text = trm_text_create(NULL);
    json_error_t error;
    const machine_status now = {.playing = true, .speed = 1, .pace = 1, .pages = 1};
    assert_true(status ? machine_write_status(m, &now, trm_text_sink(text))
                       : machine_write_scene(m, trm_text_sink(text)));
    json_t *read = json_loads(trm_text_get(text), 0, &error);
    if (!read) fail_msg("%s, line %d", error.text, error.line);
    trm_text_destroy(text);
    return read;
}

static machine *watch(command_line *line, const char **words, const char *model)
{
    static char path[1000];
    char why[SENTENCE] = "";
    snprintf(path, sizeof path, "%s/%s.json", TRM_EXAMPLES, model);
    words[0] = path;
    *line = (command_line){.words = words, .word_count = 1};
    machine *m = machine_open(line, why);
    assert_string_equal(why, "");
    assert_non_null(m);
    return m;
}

static void steps(machine *m, int count)
{
    for (int i = 0; i < count; i++) assert_true(machine_step(m));
}

static json_int_t count_in(const json_t *scene, const char *key)
{
    return (json_int_t)json_array_size(json_object_get(json_object_get(scene, "scene"), key));
}

static size_t row_length(const machine *m)
{
    trm_text *row = trm_text_create(NULL);
    assert_true(machine_write_row(m, trm_text_sink(row)));
    const size_t length = trm_text_length(row);
    trm_text_destroy(row);
    return length;
}

static void frames_are_as_long_as_the_scene_says(void **state)
{
    static const char *const models[] = {"eight-loop", "crane", "walker-on-ground", "tensegrity"};
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        for (int reactions = 0; reactions < 2; reactions++) {
            command_line line;
            const char *words[1];
            machine *m = watch(&line, words, models[i]);
            machine_enable_reactions(m, 1, reactions != 0);
            steps(m, 20);
            json_t *scene = json_of(m, false);
            frame f = frame_of(m);
            const json_int_t joints = count_in(scene, "joints");
            assert_int_equal(f.head[0], machine_scene(m));
            assert_int_equal(f.head[1], 7);
            assert_int_equal(f.head[2], reactions ? joints : 0);
            assert_int_equal(row_length(m), 8 + 4 * json_array_size(json_object_get(scene, "series")));
            assert_int_equal(f.numbers, POSE * count_in(scene, "bodies") + joints + count_in(scene, "links") +
                                            3 * f.head[2] + 6 * f.head[3] + 10 * f.head[4]);
            assert_true(f.time == machine_time(m));
            trm_text_destroy(f.text);
            json_decref(scene);
            machine_close(m);
        }
}

/* The arm takes its part from the shelf at 0.5 s. */
static void frames_tell_which_joints_are_attached(void **state)
{
    command_line line;
    const char *words[1];
    machine *m = watch(&line, words, "arm");
    json_t *scene = json_of(m, false);
    const json_t *joints = json_object_get(json_object_get(scene, "scene"), "joints");
    size_t i;
    json_t *joint;
    (void)state;
    for (int late = 0; late < 2; late++) {
        while (machine_time(m) < 0.6 * late) steps(m, 1);
        frame f = frame_of(m);
        const float *there = f.poses + POSE * count_in(scene, "bodies");
        json_array_foreach(joints, i, joint)
        {
            const char *name = json_string_value(json_object_get(joint, "name"));
            const bool is_shelf = strcmp(name, "shelf") == 0, is_grip = strcmp(name, "grip") == 0;
            assert_int_equal(there[i] > 0, is_shelf ? !late : is_grip ? late : 1);
        }
        trm_text_destroy(f.text);
    }
    json_decref(scene);
    machine_close(m);
}

static double energy_error(const machine *m)
{
    json_t *status = json_of(m, true);
    const json_t *energy = json_object_get(json_object_get(status, "report"), "energy");
    const double error = json_number_value(json_object_get(energy, "max_error"));
    json_decref(status);
    return error;
}

/* ---- Poses by hand ------------------------------------------------------------------------- */

static json_t *joint_in(json_t *status, size_t number)
{
    return json_array_get(json_object_get(status, "joints"), number);
}

static double joint_value(const machine *m, size_t number)
{
    json_t *status = json_of(m, true);
    const double value = json_number_value(json_object_get(joint_in(status, number), "value"));
    json_decref(status);
    return value;
}

/* The crank of a four-bar is turned by a whole turn in jogs. The loop stays closed, and the machine continues from
 * there. */
static void a_joint_is_moved_by_hand_and_loops_stay_closed(void **state)
{
    char why[SENTENCE] = "";
    command_line line;
    const char *words[1];
    machine *m = watch(&line, words, "four-bar");
    const double start = joint_value(m, 0);
    (void)state;
    for (int i = 1; i <= 6; i++) {
        if (!machine_jog(m, 0, start + i, why)) fail_msg("%s", why);
        assert_near(joint_value(m, 0), start + i, 1e-8);
        assert_true(machine_time(m) == 0);
    }
    steps(m, 20);
    assert_true(machine_time(m) > 0);
    assert_true(energy_error(m) < 1e-3);
    assert_false(machine_jog(m, 99, 1, why));
    assert_non_null(strstr(why, "no coordinate 99"));
    machine_close(m);
}

static const char *const limited = "{ \"trammel\": 1, \"bodies\": [ { \"name\": \"arm\", \"mass\": 1, \"inertia\": "
                                   "[0.1, 0.1, 0.1], \"position\": [1, 0, 0] } ],"
                                   " \"joints\": [ { \"name\": \"pin\", \"type\": \"hinge\", \"bodies\": "
                                   "[\"ground\", \"arm\"], \"anchor\": [0, 0, 0],"
                                   " \"axis\": [0, 0, 1], \"limits\": [-1, 0.5] } ] }";

/* Limits are obeyed, whether a joint is moved by a slider or by the mouse. */
static void limits_bound_what_is_moved_by_hand(void **state)
{
    char why[SENTENCE] = "";
    command_line line;
    const char *words[1];
    machine *m = watch(&line, words, "pendulum");
    (void)state;
    assert_true(machine_replace(m, "limited.json", limited, strlen(limited), why));
    assert_true(machine_jog(m, 0, 2, why));
    assert_near(joint_value(m, 0), 0.5, 1e-9);
    assert_true(machine_place(m, 1, trm_v3(0, 0, 0), trm_v3(0.5, -0.5, 0), why));
    assert_near(joint_value(m, 0), -0.25 * 3.14159265358979, 1e-5);
    assert_true(machine_place(m, 1, trm_v3(0, 0, 0), trm_v3(-1, -1, 0), why));
    assert_near(joint_value(m, 0), -1, 1e-6);
    assert_false(machine_place(m, 0, trm_v3(0, 0, 0), trm_v3(1, 0, 0), why));
    assert_non_null(strstr(why, "is held"));
    machine_close(m);
}

/* ---- Dragging ------------------------------------------------------------------------------ */

static trm_vec3 place_of(const frame *f, int body)
{
    const float *at = f->poses + POSE * body;
    return trm_v3((double)at[0], (double)at[1], (double)at[2]);
}

/* Pulls a body to the other side and releases it. Returns the fraction of the way that it covered; *error: error of
 * the energy balance. */
static double drag(const char *step, double *error)
{
    command_line line;
    const char *words[1];
    char why[SENTENCE] = "";
    machine *m = watch(&line, words, "pendulum");
    assert_true(machine_set(m, "step", step, why));
    assert_true(machine_grab(m, 1, 1, trm_v3(0, 0, 0), why));
    frame f = frame_of(m);
    const trm_vec3 here = place_of(&f, 1), there = trm_v3(-here.x, here.y, here.z);
    assert_int_equal(f.head[4], 1);
    assert_true(fabs(here.x) > 0.1);
    trm_text_destroy(f.text);
    machine_pull(m, 1, there);
    const int count = (int)lround(2 / machine_step_length(m));
    for (int i = 0; i < count; i++) {
        steps(m, 1);
        f = frame_of(m);
        trm_text_destroy(f.text);
    }
    f = frame_of(m);
    const double left = trm_v3_length(trm_v3_sub(place_of(&f, 1), there)) / trm_v3_length(trm_v3_sub(here, there));
    trm_text_destroy(f.text);
    *error = energy_error(m);
    machine_release(m, 1);
    f = frame_of(m);
    assert_int_equal(f.head[4], 0);
    trm_text_destroy(f.text);
    steps(m, 10);
    machine_close(m);
    return left;
}

/* The work of the mouse counts as input: the balance holds as well as without it, to the order of the method. */
static void a_body_follows_the_mouse(void **state)
{
    double coarse, fine;
    (void)state;
    assert_true(drag("0.01", &coarse) < 0.2);
    assert_true(drag("0.005", &fine) < 0.2);
    print_message("energy error while dragging: %.1e J at h = 0.01 s, %.1e J at 0.005 s\n", coarse, fine);
    assert_true(coarse > 3 * fine && coarse < 5 * fine);
}

static void what_is_fixed_is_not_pulled(void **state)
{
    command_line line;
    const char *words[1];
    (void)state;
    machine *m = watch(&line, words, "eight-loop");
    static const struct {
        double body;
        const char *why;
    } bodies[] = {{0, "cannot be pulled"}, {-1, "no body -1"}, {1e9, "no body 1e+09"}, {1.5, "no body 1.5"}};
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        char why[SENTENCE] = "";
        assert_false(machine_grab(m, 1, bodies[i].body, trm_v3(0, 0, 0), why));
        assert_non_null(strstr(why, bodies[i].why));
    }
    machine_close(m);
}

/* Events keep the names of the simulation in which they happened. */
static void events_stay_when_a_body_is_grabbed(void **state)
{
    command_line line;
    const char *words[1];
    char why[SENTENCE] = "";
    size_t events = 0;
    (void)state;
    machine *m = watch(&line, words, "bouncing-ball");
    for (int i = 0; i < 2000 && events == 0; i++) {
        steps(m, 10);
        json_t *status = json_of(m, true);
        events = json_array_size(json_object_get(json_object_get(status, "report"), "events"));
        json_decref(status);
    }
    assert_true(events > 0);
    assert_true(machine_grab(m, 1, 1, trm_v3(0, 0, 0), why));
    json_t *status = json_of(m, true);
    const json_t *told = json_object_get(json_object_get(status, "report"), "events");
    assert_int_equal(json_array_size(told), events);
    char *text = json_dumps(told, JSON_COMPACT);
    if (!strstr(text, " on ")) fail_msg("%s", text);
    free(text);
    json_decref(status);
    machine_close(m);
}

/* ---- Settings ------------------------------------------------------------------------------ */

static void a_setting_continues_from_the_present_position(void **state)
{
    static const char *const settings[][2] = {
        {"method", "lagrange"}, {"step", "0.001"}, {"method", "minimal"}, {"method", "impulse"}, {"order", "4"},
        {"tolerance", "1e-8"},  {"method", "lcp"}, {"method", "impulse"}, {"error", "1e-6"},     {"error", "none"}};
    command_line line;
    const char *words[1];
    char why[SENTENCE] = "";
    (void)state;
    machine *m = watch(&line, words, "eight-loop");
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        steps(m, 10);
        frame before = frame_of(m);
        if (!machine_set(m, settings[i][0], settings[i][1], why))
            fail_msg("%s %s: %s", settings[i][0], settings[i][1], why);
        frame after = frame_of(m);
        assert_true(after.time == before.time);
        /* joints that lcp left open are closed again */
        for (int k = 0; k < POSE * 7; k++) assert_near((double)after.poses[k], (double)before.poses[k], 1e-3);
        trm_text_destroy(before.text);
        trm_text_destroy(after.text);
    }
    steps(m, 10);
    machine_close(m);
}

/* Asserts the present value of an option of the simulation or of the method, as a page receives it in JSON. */
static void assert_at_work(const machine *m, const char *name, const char *wanted)
{
    json_t *status = json_of(m, true);
    const json_t *options = json_object_get(status, "options"), *value = json_object_get(options, name);
    size_t i;
    json_t *own;
    json_array_foreach(json_object_get(options, "own"), i, own)
    {
        if (strcmp(json_string_value(json_object_get(own, "name")), name) == 0) value = json_object_get(own, "value");
    }
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));
    if (!text || strcmp(text, wanted) != 0) fail_msg("%s is %s, not %s", name, text ? text : "nothing", wanted);
    free(text);
    json_decref(status);
}

/* Options are set one after the other. Earlier settings stay, unless they belong to another method. */
static void options_of_the_methods_own_are_set_one_by_one(void **state)
{
    static const struct {
        const char *name, *value; /* set, */
        const char *of, *is;      /* expected option and value afterwards */
    } changes[] = {
        {"rounds", "3", "rounds", "3"},
        {"method", "lcp", "solvers", "[\"dantzig\",\"lemke\",\"pgs\"]"},
        {"solver", "pgs", "solver", "\"pgs\""},
        {"erp", "0.8", "erp", "0.8"},
        {"cfm", "2e-7", "erp", "0.8"},
        {"erp", "1/4", "erp", "0.25"},
        {"friction", "pyramid", "solver", "\"pgs\""},
        {"erp", "none", "erp", "0.2"},
        {"step", "0.002", "cfm", "2e-7"},
        {"friction", "none", "friction", "\"box\""},
        {"method", "lcp", "cfm", "0"},
        {"method", "lagrange", "solvers", "[\"direct\"]"},
        {"stabilise", "baumgarte", "stabilise", "\"baumgarte\""},
        {"stabilise", "none", "stabilise", "\"none\""},
        {"method", "none", "method", "\"impulse\""},
        {"method", "impulse", "rounds", "0"},
    };
    command_line line;
    const char *words[1];
    (void)state;
    machine *m = watch(&line, words, "eight-loop");
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        char why[SENTENCE] = "";
        if (!machine_set(m, changes[i].name, changes[i].value, why))
            fail_msg("%s %s: %s", changes[i].name, changes[i].value, why);
        assert_at_work(m, changes[i].of, changes[i].is);
        steps(m, 1);
    }
    machine_close(m);
}

/* A setting that would be kept and be wrong for the next method is refused. */
static void what_has_no_effect_is_refused(void **state)
{
    command_line line;
    const char *words[1];
    char why[SENTENCE] = "";
    (void)state;
    machine *m = watch(&line, words, "eight-loop");
    assert_true(machine_set(m, "order", "8", why));
    assert_true(machine_set(m, "method", "lagrange", why)); /* lagrange has an order of its own */
    assert_false(machine_set(m, "order", "3", why));
    assert_string_equal(why, "order 3 has no effect: the method \"lagrange\" has order 4");
    assert_false(machine_set(m, "beta", "20", why));
    assert_string_equal(why, "lagrange.beta has no effect: stabilise is projection");
    assert_true(machine_set(m, "method", "impulse", why));
    assert_at_work(m, "order", "8");
    machine_close(m);
}

static void an_error_can_be_taken_back(void **state)
{
    command_line line;
    const char *words[1];
    char why[SENTENCE] = "";
    (void)state;
    machine *m = watch(&line, words, "problems/s09-rssr"); /* the file requests an error */
    assert_at_work(m, "error", "1e-12");
    assert_true(machine_set(m, "error", "1e-6", why));
    assert_at_work(m, "error", "1e-6");
    assert_true(machine_set(m, "method", "impulse", why));
    assert_true(machine_set(m, "error", "none", why));
    assert_at_work(m, "error", "null");
    machine_close(m);
}

/* Bars that no joint holds together, after steps that are much too long. */
static void what_has_blown_up_is_to_be_reset(void **state)
{
    command_line line;
    const char *words[1];
    char why[SENTENCE] = "";
    (void)state;
    machine *m = watch(&line, words, "eight-loop");
    assert_true(machine_set(m, "step", "0.05", why));
    assert_true(machine_set(m, "method", "lagrange:stabilise=none", why));
    for (int i = 0; i < 20000 && machine_step(m); i++) continue;
    assert_false(machine_set(m, "method", "impulse", why));
    assert_string_equal(why, "the joints are too far open to continue; reset the simulation first");
    assert_true(machine_stopped(m)[0]);
    assert_true(machine_grab(m, 1, 1, trm_v3(0, 0, 0), why));
    assert_true(machine_stopped(m)[0]); /* still */
    assert_true(machine_reset(m, why));
    assert_string_equal(machine_stopped(m), "");
    assert_true(machine_set(m, "method", "impulse", why));
    machine_close(m);
}

static void too_many_options_are_refused(void **state)
{
    command_line line;
    const char *words[1];
    char why[SENTENCE] = "", joints[380] = "";
    (void)state;
    machine *m = watch(&line, words, "four-bar");
    assert_true(machine_set(m, "method", "minimal", why));
    memset(joints, 'x', sizeof joints - 1);
    assert_true(machine_set(m, "ratio", "123456789", why));
    assert_false(machine_set(m, "cut", joints, why));
    assert_non_null(strstr(why, "too many options"));
    assert_at_work(m, "ratio", "123456789");
    machine_close(m);
}

static void what_cannot_be_set_changes_nothing(void **state)
{
    static const char *const settings[][3] = {{"method", "nix", "nix"},        {"step", "-1", "must be positive"},
                                              {"step", "abc", "abc"},          {"order", "3", "order 3"},
                                              {"solver", "pgs", "pgs"},        {"colour", "red", "colour"},
                                              {"method", "lagrange:x=1", "x"}, {"erp", "0.5", "erp"},
                                              {"rounds", "-1", "rounds"},      {"rounds", "a:b", "a"}};
    command_line line;
    const char *words[1];
    (void)state;
    machine *m = watch(&line, words, "eight-loop");
    steps(m, 10);
    frame before = frame_of(m);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        char why[SENTENCE] = "";
        assert_false(machine_set(m, settings[i][0], settings[i][1], why));
        if (!strstr(why, settings[i][2])) fail_msg("\"%s\" does not speak of %s", why, settings[i][2]);
    }
    frame after = frame_of(m);
    assert_int_equal(trm_text_length(before.text), trm_text_length(after.text));
    assert_memory_equal(trm_text_get(before.text), trm_text_get(after.text), trm_text_length(after.text));
    trm_text_destroy(before.text);
    trm_text_destroy(after.text);
    machine_close(m);
}

static void reset_goes_back_to_the_start(void **state)
{
    command_line line;
    const char *words[1];
    char why[SENTENCE];
    (void)state;
    machine *m = watch(&line, words, "eight-loop");
    frame start = frame_of(m);
    steps(m, 30);
    assert_true(machine_reset(m, why));
    frame again = frame_of(m);
    assert_memory_equal(trm_text_get(start.text), trm_text_get(again.text), trm_text_length(again.text));
    trm_text_destroy(start.text);
    trm_text_destroy(again.text);
    machine_close(m);
}

/* Returns the position of a body, and waits for it only a limited time. */
static trm_vec3 place_now(machine *m, int body)
{
    frame f = frame_of(m);
    const trm_vec3 place = place_of(&f, body);
    trm_text_destroy(f.text);
    return place;
}

/* Returns to a stored state and continues from there as before. */
static void it_goes_back_and_on_again(void **state)
{
    command_line line;
    const char *words[1];
    char why[SENTENCE] = "";
    machine *m = watch(&line, words, "double-pendulum");
    (void)state;
    assert_false(machine_rewind(m, 0, why));
    assert_non_null(strstr(why, "nothing to go back to"));
    steps(m, 200);
    const double end = machine_time(m);
    const trm_vec3 there = place_now(m, 2);
    assert_true(machine_rewind(m, 0.5 * end, why));
    const double then = machine_time(m);
    assert_true(then <= 0.5 * end && then > 0.5 * end - 0.1);
    while (machine_time(m) < end - 0.5 * machine_step_length(m)) assert_true(machine_step(m));
    assert_near(place_now(m, 2).x, there.x, 1e-6);
    assert_true(machine_rewind(m, -1, why));
    assert_near(machine_time(m), 0, 0);
    machine_close(m);
}

/* The text of a dropped model is read again with the other value. */
static void a_constant_begins_the_run_anew(void **state)
{
    static const char text[] = "{ \"trammel\": 1, \"constants\": { \"L\": 0.5 }, \"bodies\": [ { \"name\": \"b\", "
                               "\"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [\"L\", 0, 0] } ] }";
    command_line line;
    const char *words[1];
    char why[SENTENCE] = "";
    machine *m = watch(&line, words, "double-pendulum");
    (void)state;
    assert_true(machine_replace(m, "dropped.json", text, strlen(text), why));
    steps(m, 3);
    const unsigned scene = machine_scene(m);
    assert_true(machine_set_constant(m, "L", "2 * 0.4", why));
    assert_int_equal(machine_scene(m), scene + 1);
    assert_near(machine_time(m), 0, 0);
    assert_near(place_now(m, 1).x, 0.8, 1e-6);
    assert_false(machine_set_constant(m, "L", "far", why));
    assert_false(machine_set_constant(m, "none_such", "1", why));
    assert_near(place_now(m, 1).x, 0.8, 1e-6);
    assert_true(machine_set_constant(m, "L", "none", why));
    assert_near(place_now(m, 1).x, 0.5, 1e-6);
    machine_close(m);
}

static void a_step_that_changes_no_time_is_reported(void **state)
{
    command_line line;
    const char *words[1];
    char why[SENTENCE] = "";
    (void)state;
    machine *m = watch(&line, words, "eight-loop");
    steps(m, 1);
    assert_true(machine_set(m, "step", "1e-300", why));
    assert_false(machine_step(m));
    assert_non_null(strstr(machine_stopped(m), "too short"));
    assert_true(machine_set(m, "step", "0.01", why));
    steps(m, 1);
    machine_close(m);
}

/* ---- Models -------------------------------------------------------------------------------- */

static void a_model_is_replaced_or_stays(void **state)
{
    static const char good[] =
        "{ \"trammel\": 1, \"bodies\": [ { \"name\": \"p\", \"point\": true, \"mass\": 1 } ] }";
    static const char bad[] = "{ \"trammel\": 1,\n \"bodies\": [ { \"name\": 3 } ] }";
    static const char mesh[] = "{ \"trammel\": 1, \"bodies\": [ { \"name\": \"bowl\", \"fixed\": true,"
                               " \"shapes\": [ { \"type\": \"mesh\", \"file\": \"no.obj\" } ] } ] }";
    command_line line;
    const char *words[1];
    char why[SENTENCE] = "";
    (void)state;
    machine *m = watch(&line, words, "eight-loop");
    const unsigned scene = machine_scene(m);
    assert_false(machine_replace(m, "bad.json", bad, strlen(bad), why));
    if (!strstr(why, "bad.json:2:")) fail_msg("no line in \"%s\"", why);
    assert_false(machine_replace(m, "mesh.json", mesh, strlen(mesh), why));
    if (!strstr(why, "drop it together with the model")) fail_msg("no way out in \"%s\"", why);
    assert_int_equal(machine_scene(m), scene);
    steps(m, 5);
    if (!machine_replace(m, "good.json", good, strlen(good), why)) fail_msg("%s", why);
    assert_int_equal(machine_scene(m), scene + 1);
    assert_true(machine_time(m) == 0);
    steps(m, 5);
    assert_false(machine_reload(m, why));
    assert_non_null(strstr(why, "drop it again"));
    machine_close(m);
}

/* A robot is loaded together with its mesh. The files are released when another model is loaded, or when loading
 * fails. */
static void a_model_is_loaded_with_its_files(void **state)
{
    static const char robot[] = "{ \"trammel\": 1, \"constants\": { \"x\": 1 }, \"bodies\": [ { \"name\": \"cup\", "
                                "\"fixed\": true, \"position\": [\"x\", 0, 0], \"shapes\": [ { \"type\": \"mesh\", "
                                "\"file\": \"../meshes/a.obj\" } ] } ] }";
    static const char mesh[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    command_line line;
    const char *words[1];
    char why[SENTENCE] = "";
    (void)state;
    machine *m = watch(&line, words, "eight-loop");
    for (int good = 0; good < 2; good++) {
        parcel *files = parcel_create();
        assert_true(parcel_add(files, "robot/m/r.json", robot, strlen(robot), why));
        assert_true(parcel_add(files, "robot/meshes/a.obj", mesh, 10, why));
        assert_true(parcel_add(files, "robot/meshes/a.obj", mesh + 10, strlen(mesh) - 10, why));
        assert_int_equal(parcels_held(), strlen(robot) + strlen(mesh));
        assert_int_equal(machine_load(m, good ? "robot/m/r.json" : "r.json", files, why), good);
        assert_int_equal(parcels_held(), good ? strlen(robot) + strlen(mesh) : 0);
    }
    assert_true(machine_set_constant(m, "x", "3", why));
    assert_near(place_now(m, 1).x, 3, 1e-6);
    assert_false(machine_set_constant(m, "none_such", "1", why));
    assert_int_equal(parcels_held(), strlen(robot) + strlen(mesh));
    assert_false(machine_load(m, "r.json", NULL, why));
    assert_true(machine_replace(m, "empty.json", "{ \"trammel\": 1 }", 16, why));
    assert_int_equal(parcels_held(), 16);
    machine_close(m);
    assert_int_equal(parcels_held(), 0);
}

static void a_parcel_refuses_paths_that_lead_elsewhere(void **state)
{
    static const char *const bad[] = {"", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/..", "a/./b", "a\\b"};
    static const char *const good[] = {"a", ".a", "..a", "a..", "a/b c/d.stl", "\xc3\xa4/x", "..."};
    char why[SENTENCE] = "";
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        parcel *p = parcel_create();
        if (parcel_add(p, bad[i], "x", 1, why)) fail_msg("\"%s\" was taken", bad[i]);
        assert_non_null(strstr(why, "relative path"));
        parcel_destroy(p);
    }
    parcel *p = parcel_create();
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) assert_true(parcel_add(p, good[i], "x", 1, why));
    assert_false(parcel_add(p, "a", "x", 1, why)); /* a file with this path was added before */
    assert_non_null(strstr(why, "same path"));
    parcel_destroy(p);
    assert_int_equal(parcels_held(), 0);
}

static void a_file_is_read_again(void **state)
{
    command_line line;
    const char *words[1];
    char why[SENTENCE] = "";
    (void)state;
    machine *m = watch(&line, words, "eight-loop");
    steps(m, 5);
    assert_true(machine_set(m, "step", "0.004", why));
    assert_true(machine_reload(m, why));
    assert_true(machine_time(m) == 0 && machine_step_length(m) == 0.004);
    machine_close(m);
}

/* Returns the first word of each line that the controller has written. */
static int lines_of(const char *path)
{
    FILE *file = fopen(path, "r");
    int count = 0;
    assert_non_null(file);
    for (int letter; (letter = fgetc(file)) != EOF;) count += letter == '\n';
    fclose(file);
    return count;
}

static void a_controller_is_kept_when_the_machine_is_reset(void **state)
{
    static const option named = {.name = "--controller"}, period = {.name = "--controller-period"};
    static char path[1000];
    const option *options[] = {&named, &period};
    const char *values[] = {
        "echo began >>starts; read -r g; while read -r m; do echo $m >>messages; echo '{\"push\": 1}'; done", "0.02"};
    const char *words[] = {path};
    command_line line = {words, 1, options, values, 2};
    char why[SENTENCE] = "";
    (void)state;
    remove("starts");
    remove("messages");
    snprintf(path, sizeof path, "%s/cart-pole.json", TRM_EXAMPLES);
    machine *m = machine_open(&line, why);
    assert_string_equal(why, "");
    steps(m, 9); /* of 0.005 s: exchanges at 0, 0.02, 0.04 */
    assert_int_equal(lines_of("messages"), 3);
    assert_true(machine_reset(m, why));
    steps(m, 1);
    assert_int_equal(lines_of("messages"), 4);
    assert_int_equal(lines_of("starts"), 1);
    assert_true(machine_replace(m, "dropped.json", "{ \"trammel\": 1 }", 16, why)); /* has no controller */
    steps(m, 9);
    assert_int_equal(lines_of("messages"), 4);
    machine_close(m);
}

static void a_controller_that_dies_stops_the_machine(void **state)
{
    static const option named = {.name = "--controller"};
    static char path[1000];
    const option *options[] = {&named};
    const char *values[] = {"exit 3"}, *words[] = {path};
    command_line line = {words, 1, options, values, 1};
    char why[SENTENCE] = "";
    (void)state;
    snprintf(path, sizeof path, "%s/cart-pole.json", TRM_EXAMPLES);
    machine *m = machine_open(&line, why);
    assert_non_null(m);
    assert_false(machine_step(m));
    assert_string_equal(machine_stopped(m), "at t = 0 s: controller: has ended with exit code 3");
    machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_as_long_as_the_scene_says),
        cmocka_unit_test(frames_tell_which_joints_are_attached),
        cmocka_unit_test(a_body_follows_the_mouse),
        cmocka_unit_test(what_is_fixed_is_not_pulled),
        cmocka_unit_test(a_joint_is_moved_by_hand_and_loops_stay_closed),
        cmocka_unit_test(limits_bound_what_is_moved_by_hand),
        cmocka_unit_test(events_stay_when_a_body_is_grabbed),
        cmocka_unit_test(a_setting_continues_from_the_present_position),
        cmocka_unit_test(options_of_the_methods_own_are_set_one_by_one),
        cmocka_unit_test(what_has_no_effect_is_refused),
        cmocka_unit_test(an_error_can_be_taken_back),
        cmocka_unit_test(what_has_blown_up_is_to_be_reset),
        cmocka_unit_test(too_many_options_are_refused),
        cmocka_unit_test(what_cannot_be_set_changes_nothing),
        cmocka_unit_test(reset_goes_back_to_the_start),
        cmocka_unit_test(it_goes_back_and_on_again),
        cmocka_unit_test(a_constant_begins_the_run_anew),
        cmocka_unit_test(a_model_is_replaced_or_stays),
        cmocka_unit_test(a_model_is_loaded_with_its_files),
        cmocka_unit_test(a_parcel_refuses_paths_that_lead_elsewhere),
        cmocka_unit_test(a_file_is_read_again),
        cmocka_unit_test(a_step_that_changes_no_time_is_reported),
        cmocka_unit_test(a_controller_is_kept_when_the_machine_is_reset),
        cmocka_unit_test(a_controller_that_dies_stops_the_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
