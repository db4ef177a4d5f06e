/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A report contains what viewer/DATA.md specifies: the unchanged page around it, JSON that reads back, poses and
 * numbers of the run. */

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "failing_allocator.h"
#include "motion/state.h"
#include "running.h"
#include "trammel/trammel.h"

static const char PAGE[] = "<html>before\n<!--TRAMMEL-DATA-->\nbehind</html>";
/* float32 for numbers of about one. */
static const double SINGLE = 1e-6;

typedef struct reported {
    running r;
    trm_report *report;
    trm_text *text;
} reported;

static bool on_row(void *context, const trm_state *state)
{
    const reported *it = context;
    return trm_report_add(it->report, state);
}

static trm_report_def facts(void)
{
    return (trm_report_def){.page = PAGE,
                            .title = "a </script> in its name",
                            .status = "ok",
                            .wall = 1,
                            .model = "{ \"text\": \"</script><!--<script\" }",
                            .command = "trammel run model.json",
                            .date = "2026-11-16"};
}

static reported report_of(const char *model, double until, double every)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s.json", TRM_EXAMPLES, model);
    reported it = {.r = run_file(path, 0.01, 1e-10), .text = trm_text_create(NULL)};
    trm_sim_enable_reactions(it.r.sim, true);
    assert_good(trm_sim_observe(it.r.sim));
    it.report = trm_report_create(it.r.sim, NULL);
    assert_non_null(it.report);
    assert_good(trm_sim_run(it.r.sim, &(trm_run_def){.until = until, .every = every, .row = on_row, .context = &it}));
    const trm_report_def def = facts();
    assert_int_equal(trm_write_report_html(it.report, &def, trm_text_sink(it.text)), TRM_OK);
    return it;
}

static void end(reported *it)
{
    trm_report_destroy(it->report);
    trm_text_destroy(it->text);
    stop(&it->r);
}

/* Returns the contents of the script with that id; the caller frees them. */
static char *script(const reported *it, const char *id)
{
    char head[100];
    snprintf(head, sizeof head, "id=\"%s\"", id);
    const char *from = strstr(trm_text_get(it->text), head);
    assert_non_null(from);
    from = strchr(from, '>') + 1;
    const char *to = strstr(from, "</script>");
    assert_non_null(to);
    return strndup(from, (size_t)(to - from));
}

static json_t *json_in(const reported *it, const char *id)
{
    char *text = script(it, id);
    json_error_t error;
    json_t *json = json_loads(text, 0, &error);
    if (!json) fail_msg("%s: line %d: %s", id, error.line, error.text);
    free(text);
    return json;
}

/* ---- Base64 -------------------------------------------------------------------------------- */

static int digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Decodes the floats of a base64 text; the caller frees them; *count: how many. */
static float *floats_of(const char *text, size_t *count)
{
    const size_t length = strlen(text);
    unsigned char *bytes = calloc(length, 1);
    size_t size = 0;
    assert_int_equal(length % 4, 0);
    for (size_t i = 0; i < length; i += 4) {
        unsigned three = 0;
        int kept = 3;
        for (size_t k = 0; k < 4; k++) {
            const int d = digit(text[i + k]);
            if (d < 0) kept--;
            three = three << 6 | (unsigned)(d < 0 ? 0 : d);
        }
        for (int k = 0; k < kept; k++) bytes[size++] = (unsigned char)(three >> (16 - 8 * k));
    }
    assert_int_equal(size % sizeof(float), 0);
    *count = size / sizeof(float);
    return (float *)bytes;
}

/* ---- Contents ------------------------------------------------------------------------------ */

static void the_page_around_the_data_is_untouched(void **state)
{
    reported it = report_of("pendulum", 0.2, 0.05);
    const char *text = trm_text_get(it.text);
    (void)state;
    assert_true(strncmp(text, "<html>before\n", 13) == 0);
    assert_non_null(strstr(text, "</script>\nbehind</html>"));
    assert_null(strstr(text, "TRAMMEL-DATA"));
    end(&it);
}

static void nothing_inside_ends_a_script(void **state)
{
    reported it = report_of("pendulum", 0.1, 0.05);
    const char *at = trm_text_get(it.text);
    int ends = 0;
    (void)state;
    while ((at = strstr(at, "</")) != NULL) ends++, at += 2;
    assert_int_equal(ends, 4 + 1); /* four scripts and the page */
    json_t *told = json_in(&it, "facts");
    assert_string_equal(json_string_value(json_object_get(told, "model")), facts().model);
    assert_string_equal(json_string_value(json_object_get(json_object_get(told, "report"), "status")), "ok");
    json_decref(told);
    end(&it);
}

static void frames_hold_the_poses_of_all_bodies(void **state)
{
    reported it = report_of("four-bar", 0.5, 0.1);
    const trm_state *last = trm_sim_state(it.r.sim);
    const int bodies = last->model->body_count;
    const size_t width = 4 + 20 * (size_t)bodies;
    size_t count;
    char *text = script(&it, "frames");
    float *frames = floats_of(text, &count);
    const char *frame = (const char *)frames + 5 * width;
    float t;
    (void)state;
    assert_int_equal(count * sizeof(float), 6 * width);
    memcpy(&t, frame, sizeof t);
    assert_near(t, 0.5, SINGLE);
    for (int i = 0; i < bodies; i++) {
        const trm_pose X = trm_body_pose(last, i);
        float p[3];
        int16_t q[4];
        memcpy(p, frame + 4 + 20 * i, sizeof p);
        memcpy(q, frame + 16 + 20 * i, sizeof q);
        const double sign = X.q.w * q[0] + X.q.x * q[1] + X.q.y * q[2] + X.q.z * q[3] < 0 ? -1 : 1;
        assert_near(p[0], X.p.x, SINGLE);
        assert_near(p[1], X.p.y, SINGLE);
        assert_near(p[2], X.p.z, SINGLE);
        assert_near(q[0], 32767 * sign * X.q.w, 0.6);
        assert_near(q[3], 32767 * sign * X.q.z, 0.6);
    }
    free(frames);
    free(text);
    end(&it);
}

static json_t *series_named(json_t *all, const char *name, const char *group)
{
    size_t i;
    json_t *one;
    json_array_foreach(all, i, one)
    {
        if (strcmp(json_string_value(json_object_get(one, "name")), name) == 0 &&
            strcmp(json_string_value(json_object_get(one, "group")), group) == 0)
            return one;
    }
    fail_msg("no series '%s' of %s", name, group);
    return NULL;
}

static float last_of(json_t *series, size_t wanted)
{
    size_t count;
    float *values = floats_of(json_string_value(json_object_get(series, "values")), &count);
    assert_int_equal(count, wanted);
    const float last = values[count - 1];
    free(values);
    return last;
}

static void series_hold_the_numbers_of_the_run(void **state)
{
    reported it = report_of("four-bar", 0.5, 0.1);
    const trm_state *last = trm_sim_state(it.r.sim);
    const int joint = trm_find_joint(last->model, "A");
    json_t *all = json_in(&it, "series");
    double q[TRM_JOINT_COORDINATES];
    (void)state;
    assert_near(last_of(series_named(all, "kinetic", "energy"), 6), trm_state_energy(last).kinetic, 1e-5);
    trm_joint_values(last, joint, q, NULL);
    assert_near(last_of(series_named(all, "A", "coordinate"), 6), q[0], SINGLE);
    const double force = trm_v3_length(trm_joint_reaction(last, joint).lin);
    assert_true(force > 1);
    assert_near(last_of(series_named(all, "A", "reaction"), 6), force, 1e-6 * force);
    json_decref(all);
    end(&it);
}

/* Force elements and columns of bodies are series; columns that the caller chooses come before all others. */
static void what_the_user_asks_for_comes_first(void **state)
{
    char path[1000];
    (void)state;
    snprintf(path, sizeof path, "%s/spring-mass.json", TRM_EXAMPLES);
    reported it = {.r = run_file(path, 0.01, 1e-10), .text = trm_text_create(NULL)};
    trm_messages *messages = trm_messages_create(NULL);
    trm_results *columns;
    const trm_state *now = trm_sim_state(it.r.sim);
    assert_int_equal(trm_results_create(now->model, "t,E_kin", NULL, messages, &columns), TRM_OK);
    assert_good(trm_sim_observe(it.r.sim));
    it.report = trm_report_create(it.r.sim, NULL);
    assert_true(trm_report_add_columns(it.report, columns));
    assert_good(trm_sim_run(it.r.sim, &(trm_run_def){.until = 0.5, .every = 0.1, .row = on_row, .context = &it}));
    const trm_report_def def = facts();
    assert_int_equal(trm_write_report_html(it.report, &def, trm_text_sink(it.text)), TRM_OK);
    json_t *all = json_in(&it, "series"), *first = json_array_get(all, 0), *second = json_array_get(all, 1);
    assert_string_equal(json_string_value(json_object_get(first, "name")), "E_kin");
    assert_string_equal(json_string_value(json_object_get(first, "group")), "chosen");
    assert_string_equal(json_string_value(json_object_get(second, "group")), "force");
    assert_near(last_of(first, 6), trm_state_energy(now).kinetic, 1e-5);
    const char *body = trm_body_info_of(now->model, 1).name;
    char name[200];
    snprintf(name, sizeof name, "%s.x", body);
    assert_near(last_of(series_named(all, name, "column"), 6), trm_body_pose(now, 1).p.x, SINGLE);
    json_decref(all);
    trm_results_destroy(columns);
    trm_messages_destroy(messages);
    end(&it);
}

static void the_scene_names_bodies_parts_and_joints(void **state)
{
    reported it = report_of("stack", 0.02, 0.01);
    json_t *scene = json_in(&it, "scene"), *bodies = json_object_get(scene, "bodies");
    (void)state;
    assert_int_equal(json_array_size(bodies), (size_t)trm_sim_state(it.r.sim)->model->body_count);
    assert_string_equal(json_string_value(json_object_get(json_array_get(bodies, 0), "kind")), "ground");
    assert_string_equal(json_string_value(json_object_get(scene, "name")), facts().title);
    size_t boxes = 0, i;
    json_t *body;
    json_array_foreach(bodies, i, body)
    {
        json_t *part = json_array_get(json_object_get(body, "parts"), 0);
        if (part && strcmp(json_string_value(json_object_get(part, "type")), "box") == 0) boxes++;
    }
    assert_true(boxes > 5);
    json_decref(scene);
    end(&it);
}

static json_t *joint_named(const json_t *scene, const char *name)
{
    size_t i;
    json_t *joint;
    json_array_foreach(json_object_get(scene, "joints"), i, joint)
    {
        if (strcmp(json_string_value(json_object_get(joint, "name")), name) == 0) return joint;
    }
    fail_msg("there is no joint %s", name);
    return NULL;
}

static void assert_changes(const json_t *joint, int count, const double *times)
{
    const json_t *changes = json_object_get(joint, "changes");
    assert_int_equal(json_array_size(changes), (size_t)count);
    for (int i = 0; i < count; i++)
        assert_near(json_number_value(json_array_get(changes, (size_t)i)), times[i], 1e-12);
}

/* The arm grips its part from the shelf at 0.5 s and releases it at 3.5 s. */
static void joints_tell_when_they_are_there(void **state)
{
    reported it = report_of("arm", 4, 0.1);
    json_t *scene = json_in(&it, "scene");
    (void)state;
    assert_changes(joint_named(scene, "a1"), 0, NULL);
    assert_changes(joint_named(scene, "shelf"), 1, (double[]){0.5});
    assert_changes(joint_named(scene, "grip"), 3, (double[]){0, 0.5, 3.5});
    json_decref(scene);
    end(&it);
}

/* A point in a plane, a car on a curve: the joint is not at the frame of either. */
static void joints_are_marked_where_they_are(void **state)
{
    static const struct {
        const char *model, *joint;
        int at;
    } cases[] = {{"problems/s01-swinging-pendulum", "plane", 1},
                 {"problems/s01-swinging-pendulum", "bar", 0},
                 {"roller-coaster", "track1", 1},
                 {"four-bar", "A", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        reported it = report_of(cases[i].model, 0.02, 0.01);
        json_t *scene = json_in(&it, "scene");
        assert_int_equal(json_integer_value(json_object_get(joint_named(scene, cases[i].joint), "at")), cases[i].at);
        json_decref(scene);
        end(&it);
    }
}

/* Recording and writing, with one allocation after the other failing. */
static void a_report_survives_want_of_memory(void **state)
{
    running r = run_file(TRM_EXAMPLES "/four-bar.json", 0.01, 1e-10);
    trm_text *text = trm_text_create(NULL);
    const trm_report_def def = facts();
    bool done = false;
    (void)state;
    assert_good(trm_sim_observe(r.sim));
    for (long k = 1; !done; k++) {
        failing_allocator memory;
        failing_allocator_reset(&memory, k, false);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        trm_report *report = trm_report_create(r.sim, &hooks);
        const trm_status status =
            report ? trm_write_report_html(report, &def, trm_text_sink(text)) : TRM_OUT_OF_MEMORY;
        done = memory.refusals == 0;
        assert_int_equal(status, done ? TRM_OK : TRM_OUT_OF_MEMORY);
        trm_report_destroy(report);
        assert_true(failing_allocator_is_clean(&memory));
    }
    trm_text_destroy(text);
    stop(&r);
}

static void a_page_without_a_place_for_data_is_refused(void **state)
{
    reported it = report_of("pendulum", 0.02, 0.01);
    trm_report_def def = facts();
    (void)state;
    def.page = "<html></html>";
    assert_int_equal(trm_write_report_html(it.report, &def, trm_text_sink(it.text)), TRM_BAD_INPUT);
    end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_around_the_data_is_untouched),
        cmocka_unit_test(nothing_inside_ends_a_script),
        cmocka_unit_test(frames_hold_the_poses_of_all_bodies),
        cmocka_unit_test(series_hold_the_numbers_of_the_run),
        cmocka_unit_test(what_the_user_asks_for_comes_first),
        cmocka_unit_test(the_scene_names_bodies_parts_and_joints),
        cmocka_unit_test(joints_tell_when_they_are_there),
        cmocka_unit_test(joints_are_marked_where_they_are),
        cmocka_unit_test(a_report_survives_want_of_memory),
        cmocka_unit_test(a_page_without_a_place_for_data_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
