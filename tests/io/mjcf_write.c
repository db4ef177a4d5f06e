/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* MJCF: what is written reads back as a machine that moves alike, and what is lost is said. */

#include "importing.h"

/* The model file, written as MJCF; to be freed. *lost: how many messages. */
static char *written(const trm_model_def *def, const trm_model *model, int *lost)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_text *text = trm_text_create(NULL);
    assert_int_equal(trm_write_mjcf(def, model, NULL, messages, trm_text_sink(text)), TRM_OK);
    char *copy = strdup(trm_text_get(text));
    *lost = trm_message_count(messages);
    if (*lost > 0) print_messages(messages);
    trm_text_destroy(text);
    trm_messages_destroy(messages);
    return copy;
}

static running run_for_a_second(trm_model *model)
{
    trm_simulation_def o = trm_default_simulation_def();
    o.order = 4;
    running r = run_model(model, &o);
    for (int i = 0; i < 500; i++) assert_true(trm_sim_step(r.sim, 0.002).ok);
    return r;
}

/* Bodies of both are where they are in the other after a second. m: loops amplify rounding. */
static void assert_moves_alike(trm_model_def *def, double tolerance)
{
    int lost;
    for (int i = 0; i < def->body_count; i++)
        def->bodies[i].velocity = def->bodies[i].angular_velocity = trm_v3(0, 0, 0);
    trm_model *model = build_model(def);
    char *text = written(def, model, &lost);
    assert_int_equal(lost, 0);
    imported in = import_good(text);
    free(text);
    running ours = run_for_a_second(model), theirs = run_for_a_second(build_model(in.def));
    for (int i = 0; i < def->body_count; i++) {
        const char *name = def->bodies[i].name;
        const int body = trm_find_body(theirs.model, name);
        if (body < 0) continue; /* part of another */
        const trm_vec3 p = place_of(&ours, name);
        assert_vector(place_of(&theirs, name), p.x, p.y, p.z, tolerance);
    }
    stop(&ours);
    stop(&theirs);
    import_end(&in);
    trm_model_def_destroy(def);
}

static void examples_move_alike_once_written(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"double-pendulum", "four-bar", "paper-four-bar", "rhombus",
                                        "unequal-loop",    "bricard",  "figure-11-1"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        char path[500];
        snprintf(path, sizeof path, "%s/%s.json", TRM_EXAMPLES, NAMES[i]);
        trm_model_def *def = NULL;
        trm_messages *messages = trm_messages_create(NULL);
        const trm_read_options options = {.without = TRM_WITHOUT_CONTACTS};
        assert_int_equal(trm_read_model_file(path, &options, NULL, messages, &def), TRM_OK);
        trm_messages_destroy(messages);
        assert_moves_alike(def, 1e-9);
    }
}

/* Every joint that MJCF can hold, the bodies of some in reverse order; a gear and a spring. */
static const char MACHINE[] =
    "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
    "  { \"name\": \"a\", \"mass\": 2, \"inertia\": [0.1, 0.2, 0.15, 0.01, 0, 0], \"com\": [0.1, 0, 0], "
    "\"position\": [0, 0, 1] },"
    "  { \"name\": \"b\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [0.5, 0, 1],"
    "    \"orientation\": { \"rpy\": [0.3, 0.2, 0.1] } },"
    "  { \"name\": \"c\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [1, 0, 1], \"gravity_factor\": "
    "0.5 },"
    "  { \"name\": \"d\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [1.5, 0, 1],"
    "    \"shapes\": [{ \"type\": \"box\", \"size\": [0.1, 0.2, 0.3] }, { \"type\": \"sphere\", \"radius\": 0.1 }] },"
    "  { \"name\": \"e\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [2, 0, 1] },"
    "  { \"name\": \"f\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [2.5, 0, 1] } ],"
    "  \"joints\": ["
    "  { \"name\": \"ja\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"a\"], \"anchor\": [0, 0, 1], \"axis\": "
    "[0, 1, 0],"
    "    \"damping\": 0.1, \"armature\": 0.2, \"q0\": [0.3] },"
    "  { \"name\": \"jb\", \"type\": \"universal\", \"bodies\": [\"b\", \"a\"], \"anchor\": [0.4, 0, 1], \"axis\": "
    "[0, 1, 0],"
    "    \"axis2\": [0, 0, 1], \"coordinates\": [{ \"stiffness\": 3 }, { \"damping\": 0.2 }] },"
    "  { \"name\": \"jc\", \"type\": \"cylinder\", \"bodies\": [\"b\", \"c\"], \"anchor\": [1, 0, 1], \"axis\": [1, "
    "0, 0],"
    "    \"coordinates\": [{}, { \"stiffness\": 50, \"damping\": 1 }] },"
    "  { \"name\": \"jd\", \"type\": \"chain\", \"bodies\": [\"d\", \"c\"], \"chain\": ["
    "    { \"type\": \"hinge\", \"anchor\": [1.4, 0, 1.1], \"axis\": [0, 1, 0], \"armature\": 0.1 },"
    "    { \"type\": \"hinge\", \"anchor\": [1.3, 0, 1], \"axis\": [1, 0, 0.5] }] },"
    "  { \"name\": \"je\", \"type\": \"ball\", \"bodies\": [\"d\", \"e\"], \"anchor\": [1.8, 0, 1] },"
    "  { \"name\": \"jf\", \"type\": \"slider\", \"bodies\": [\"f\", \"e\"], \"anchor\": [2, 0, 1], \"axis\": [1, 0, "
    "1] },"
    "  { \"name\": \"g\", \"type\": \"gear\", \"joints\": [\"ja\", \"jf\"], \"ratio\": 2 } ],"
    "  \"forces\": [{ \"name\": \"s\", \"type\": \"spring\", \"bodies\": [\"ground\", \"d\"], \"anchors\": [[1.5, 0, "
    "2], [0, 0, 0]],"
    "    \"stiffness\": 20, \"damping\": 0.5, \"rest\": 0.8 }] }";

static void all_joints_that_it_can_hold_move_alike(void **state)
{
    (void)state;
    assert_moves_alike(read_model(MACHINE), 1e-9);
}

static void what_is_lost_is_said(void **state)
{
    (void)state;
    int lost;
    trm_model_def *def = read_model_file(TRM_EXAMPLES "/slider-crank.json");
    trm_model *model = build_model(def);
    char *text = written(def, model, &lost);
    assert_true(lost > 0);
    assert_non_null(strstr(text, "<mujoco"));
    free(text);
    trm_model_destroy(model);
    trm_model_def_destroy(def);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_move_alike_once_written),
        cmocka_unit_test(all_joints_that_it_can_hold_move_alike),
        cmocka_unit_test(what_is_lost_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
