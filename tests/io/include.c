/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Models that include other models. */

#include <stdlib.h>
#include <unistd.h>

#include "model/model.h"
#include "running.h"

static void a_walker_of_six_included_legs_equals_the_whole_one(void **state)
{
    (void)state;
    const double same = 1e-12; /* m */
    running parts = run_file(TRM_TESTS "/io/include/walker.json", 0.005, 1e-12);
    running whole = run_file(TRM_EXAMPLES "/walker.json", 0.005, 1e-12);
    double worst = 0;
    assert_int_equal(trm_body_count(parts.model), trm_body_count(whole.model));
    for (int row = 1; row <= 10; row++) {
        go(&parts, 0.1 * row);
        go(&whole, 0.1 * row);
        for (int b = 1; b < trm_body_count(whole.model); b++) {
            const int other = trm_find_body(parts.model, trm_body_info_of(whole.model, b).name);
            assert_true(other > 0);
            const trm_pose X = trm_body_pose(trm_sim_state(whole.sim), b),
                           Y = trm_body_pose(trm_sim_state(parts.sim), other);
            worst = fmax(worst, trm_v3_length(trm_v3_sub(X.p, Y.p)));
        }
    }
    print_message("    bodies differ by at most %.1e m in 1 s\n", worst);
    assert_true(worst <= same);
    stop(&parts);
    stop(&whole);
}

/* Reads a model that includes others and collects its messages; "": none. */
static trm_model_def *read_with_includes(const char *include, trm_messages *messages)
{
    static const char path[] = TRM_TESTS "/io/include/made.json";
    char text[1000];
    trm_model_def *def = NULL;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    snprintf(text, sizeof text, "{ \"trammel\": 1, \"constants\": { \"d\": 0.5 },\n  \"include\": [%s] }\n", include);
    fputs(text, file);
    fclose(file);
    trm_read_model_file(path, NULL, NULL, messages, &def);
    unlink(path);
    return def;
}

static void assert_refused(const char *include, const char *file, int line, const char *said)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def = read_with_includes(include, messages);
    assert_null(def);
    const trm_message *first = trm_message_at(messages, 0);
    if (!strstr(first->text, said) || !strstr(first->place.file, file) || first->place.line != line)
        fail_msg("%s:%d: %s", first->place.file, first->place.line, first->text);
    trm_messages_destroy(messages);
}

static void invalid_includes_are_refused(void **state)
{
    (void)state;
    assert_refused("{ \"file\": \"cycle.json\" }", "cycle.json", 1, "includes itself");
    assert_refused("{ \"file\": \"broken.json\" }", "broken.json", 2, "no key \"colour\"");
    assert_refused("{ \"file\": \"../all_keys.json\" }", "made.json", 2, "outside the folder of the model");
    assert_refused("{ \"file\": \"none.json\" }", "made.json", 2, "cannot be read: No such file");
    assert_refused("{ \"prefix\": \"a\" }", "made.json", 2, "\"file\"");
    assert_refused("{ \"file\": \"light.json\", \"repeat\": 1.5 }", "made.json", 2, "whole number from 0");
    assert_refused("{ \"file\": \"light.json\", \"constants\": { \"n\": 1 } }", "light.json", 0, "no constant \"n\"");
}

static void assert_at(trm_vec3 v, double x, double y, double z)
{
    assert_near(trm_v3_length(trm_v3_sub(v, trm_v3(x, y, z))), 0, 1e-15);
}

/* Rotated by 90 degrees about z, then moved by 10 m along x: (x, y, z) becomes (10 - y, x, z). */
static void chains_and_what_is_on_the_ground_move_too(void **state)
{
    (void)state;
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def =
        read_with_includes("{ \"file\": \"placed.json\", \"position\": [10, 0, 0], \"orientation\": {"
                           "\"axis\": [0, 0, 1], \"angle\": \"90*deg\" } }",
                           messages);
    print_messages(messages);
    assert_non_null(def);
    assert_at(def->bodies[0].position, 10, 0, -1);
    assert_at(def->joints[0].coordinates[0].anchor, 10, 0, 2);
    assert_at(def->joints[0].coordinates[0].axis, 0, 1, 0);
    assert_at(def->joints[0].coordinates[1].axis, -1, 0, 0);
    assert_at(def->joints[1].anchors[0], 3, 0, 0);
    assert_at(def->joints[1].anchors[1], 10, 3, -1);
    assert_at(def->joints[1].axes[0], 1, 0, 0);
    assert_at(def->joints[1].axes[1], 0, 1, 0);
    assert_at(def->joints[2].curve.points[2], 9, 2, 0);
    assert_at(def->forces[0].anchors[0], 10, 4, 0);
    assert_at(def->forces[0].anchors[1], 5, 0, 0);
    assert_at(def->sensors[0].anchors[1], 10, 0, 0);
    assert_true(isnan(def->sensors[0].anchors[0].x));
    trm_model_def_destroy(def);
    trm_messages_destroy(messages);
}

/* The same hinge and chain, in the world and in a frame of a body that is rotated and moved. */
static void joints_are_placed_in_the_frames_of_bodies(void **state)
{
    (void)state;
    static const char bodies[] =
        "{ 'trammel': 1, 'bodies': [{ 'name': 'b', 'mass': 1, 'inertia': [1, 2, 2.5], 'com': [0.1, 0.2, 0], "
        "'position': [1, 2, 3],"
        " 'orientation': { 'axis': [0, 0, 1], 'angle': '90*deg' }, 'frames': { 'f': { 'position': [1, 0, 0] } } },"
        " { 'name': 'c', 'mass': 1, 'inertia': [1, 1, 1] }], 'joints': [";
    static const char world[] =
        "{ 'name': 'h', 'type': 'hinge', 'bodies': ['ground', 'b'], 'anchor': [1, 3.5, 3], 'axis': [0, 1, 0],"
        " 'x_axis': [-1, 0, 0] },"
        "{ 'name': 'k', 'type': 'chain', 'bodies': ['b', 'c'], 'chain': [{ 'type': 'hinge', 'anchor': [0, 3, 3],"
        " 'axis': [0, 1, 0] }, { 'type': 'slider', 'axis': [-1, 0, 0] }] }] }";
    static const char framed[] =
        "{ 'name': 'h', 'type': 'hinge', 'bodies': ['ground', 'b'], 'parent': 'b.f', 'anchor': [0.5, 0, 0], 'axis': "
        "[1, 0, 0] },"
        "{ 'name': 'k', 'type': 'chain', 'bodies': ['b', 'c'], 'parent': 'b.f', 'chain': [{ 'type': 'hinge',"
        " 'anchor': [0, 1, 0], 'axis': [1, 0, 0] }, { 'type': 'slider', 'axis': [0, 1, 0] }] }] }";
    char text[2][2000];
    snprintf(text[0], sizeof text[0], "%s%s", bodies, world);
    snprintf(text[1], sizeof text[1], "%s%s", bodies, framed);
    trm_model *model[2] = {quoted(text[0]), quoted(text[1])};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            const trm_pose a = model[0]->joints[i].frame[k], b = model[1]->joints[i].frame[k];
            assert_near(trm_v3_length(trm_v3_sub(a.p, b.p)), 0, 1e-14);
            assert_near(fabs(a.q.w * b.q.w + a.q.x * b.q.x + a.q.y * b.q.y + a.q.z * b.q.z), 1, 1e-14);
        }
    for (int k = 0; k < 2; k++) trm_model_destroy(model[k]);
}

static void elements_are_repeated_renamed_and_placed(void **state)
{
    (void)state;
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def =
        read_with_includes("{ \"file\": \"light.json\", \"prefix\": \"p{i}-\", \"repeat\": 3, "
                           "\"position\": [\"i*d\", 0, 0], \"orientation\": { \"axis\": [0, 0, 1], \"angle\": "
                           "\"90*deg\" }, \"constants\": { \"m\": \"1 + i\" } }",
                           messages);
    print_messages(messages);
    assert_non_null(def);
    assert_int_equal(def->body_count, 3);
    assert_string_equal(def->bodies[2].name, "p2-a");
    assert_near(def->bodies[2].mass, 3, 0);
    assert_near(def->bodies[2].position.x, 1, 0);
    assert_near(def->bodies[2].position.z, 1, 0);
    assert_near(def->bodies[2].velocity.y, 1, 1e-15);
    assert_string_equal(def->joints[1].bodies[0], "ground");
    assert_string_equal(def->joints[1].bodies[1], "p1-a");
    assert_near(def->joints[1].axis.y, 1, 1e-15);
    assert_string_equal(def->forces[1].value[0].expression, "(2)*t");
    assert_string_equal(def->outputs[1].name, "p1-o");
    assert_string_equal(def->outputs[1].value, "'p1-a'.z + 'p1-j'.q + 'p1-push'.force*(2)");
    assert_string_equal(def->events[1].detach, "p1-j");
    trm_model_def_destroy(def);
    trm_messages_destroy(messages);
}

static void single_elements_are_repeated(void **state)
{
    (void)state;
    trm_model *model = model_of_text("{ \"trammel\": 1, \"constants\": { \"n\": 4 }, \"bodies\": [{ \"name\": "
                                     "\"first\", \"mass\": 1, \"inertia\": [1, 1, 1] },"
                                     "{ \"name\": \"link{i}\", \"repeat\": \"n\", \"mass\": \"1 + {i}\", "
                                     "\"inertia\": [1, 1, 1], \"position\": [\"0.5*{i-1}\", 0, 0],"
                                     "  \"points\": { \"end{i}\": [1, 0, 0] },"
                                     "  \"shapes\": [{ \"type\": \"sphere\", \"repeat\": 2, \"radius\": 1, "
                                     "\"collide\": false, \"position\": [\"{i}\", 0, 0] }] },"
                                     "{ \"name\": \"none\", \"repeat\": 0, \"mass\": 1, \"inertia\": [1, 1, 1] }],"
                                     "\"joints\": [{ \"name\": \"j{i+1}\", \"repeat\": 3, \"type\": \"ball\", "
                                     "\"bodies\": [\"link{i}\", \"link{i+1}\"],"
                                     "  \"anchor\": [0, 0, 0] }],"
                                     "\"forces\": [{ \"name\": \"f{2*i}\", \"repeat\": 2, \"type\": \"force\", "
                                     "\"body\": \"link{i}\", \"value\": [\"{i}*t\", 0, 0] }] }");
    assert_int_equal(trm_body_count(model), 6);
    assert_int_equal(trm_joint_count(model), 3);
    assert_int_equal(trm_find_body(model, "none"), -1);
    const int last = trm_find_body(model, "link3");
    const trm_body_info info = trm_body_info_of(model, last);
    assert_near(info.mass, 4, 0);
    assert_string_equal(info.points[0].name, "end3");
    assert_near(model->bodies[last].start.p.x, 1, 0);
    assert_int_equal(model->bodies[last].shape_count, 2);
    assert_near(model->bodies[last].shapes[1].pose.p.x, 1, 0); /* its own index, not that of the body */
    const trm_joint_info joint = trm_joint_info_of(model, trm_find_joint(model, "j3"));
    assert_int_equal(joint.bodies[1], last);
    trm_model_destroy(model);
}

static void bodies_are_placed_in_the_frames_of_others(void **state)
{
    (void)state;
    trm_model *model = model_of_text(
        "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"a\", \"mass\": 1, \"inertia\": [1, 1, 1], \"com\": [0.1, 0, 0],"
        "  \"position\": [1, 2, 3], \"orientation\": { \"axis\": [0, 0, 1], \"angle\": \"90*deg\" },"
        "  \"points\": { \"tip\": [2, 0, 0] }, \"frames\": { \"flange\": { \"position\": [2, 0, 0],"
        "  \"orientation\": { \"axis\": [0, 0, 1], \"angle\": \"90*deg\" } } } },"
        "{ \"name\": \"b\", \"parent\": \"a\", \"point\": true, \"mass\": 1, \"position\": [1, 0, 0] },"
        "{ \"name\": \"c\", \"parent\": \"a.tip\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [1, 0, 0],"
        "  \"orientation\": { \"axis\": [0, 0, 1], \"angle\": \"90*deg\" } },"
        "{ \"name\": \"d\", \"parent\": \"a.flange\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [1, 0, 0] "
        "}],"
        "\"outputs\": { \"seat\": { \"of\": \"d\", \"in\": \"a.flange\" } } }");
    trm_state *start = trm_state_create(model, NULL);
    const trm_vec3 b = trm_body_pose(start, 2).p, c = trm_body_pose(start, 3).p;
    const trm_vec3 x = trm_rotate(trm_body_pose(start, 3).q, trm_v3(1, 0, 0));
    const double rounding = 1e-15;
    assert_near(b.x, 1, rounding);
    assert_near(b.y, 3, rounding);
    assert_near(b.z, 3, rounding);
    assert_near(c.x, 1, rounding);
    assert_near(c.y, 5, rounding);
    assert_near(x.x, -1, rounding);
    /* the orientation of a frame applies to bodies placed in it and to poses in it */
    const trm_pose d = trm_body_pose(start, 4);
    assert_near(d.p.x, 0, rounding);
    assert_near(d.p.y, 4, rounding);
    assert_near(trm_rotate(d.q, trm_v3(1, 0, 0)).x, -1, rounding);
    trm_results *seat = NULL;
    trm_messages *messages = trm_messages_create(NULL);
    assert_int_equal(trm_results_create(model, "seat.x,seat.y,seat.qw", NULL, messages, &seat), TRM_OK);
    assert_near(trm_result_value(seat, 0, start), 1, rounding);
    assert_near(trm_result_value(seat, 1, start), 0, rounding);
    assert_near(fabs(trm_result_value(seat, 2, start)), 1, rounding);
    trm_results_destroy(seat);
    trm_messages_destroy(messages);
    trm_state_destroy(start);
    trm_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_walker_of_six_included_legs_equals_the_whole_one),
        cmocka_unit_test(invalid_includes_are_refused),
        cmocka_unit_test(elements_are_repeated_renamed_and_placed),
        cmocka_unit_test(chains_and_what_is_on_the_ground_move_too),
        cmocka_unit_test(joints_are_placed_in_the_frames_of_bodies),
        cmocka_unit_test(single_elements_are_repeated),
        cmocka_unit_test(bodies_are_placed_in_the_frames_of_others),
    };
    return RUN_TESTS(tests);
}
