/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* "parent": bodies, joints and frames in the frames of bodies and joints. */

#include <stdlib.h>
#include <unistd.h>

#include "math/rotation.h"
#include "model/model.h"
#include "reading.h"

static const double ROUNDING = 1e-14; /* for poses with lengths near 1 m */

static void assert_same_pose(trm_pose a, trm_pose b)
{
    assert_near(trm_v3_length(trm_v3_sub(a.p, b.p)), 0, ROUNDING);
    assert_near(fabs(a.q.w * b.q.w + a.q.x * b.q.x + a.q.y * b.q.y + a.q.z * b.q.z), 1, ROUNDING);
}

static trm_pose body_frame(const trm_model *model, const char *name)
{
    const trm_body *body = &model->bodies[trm_find_body(model, name)];
    return trm_pose_mul(body->start, trm_pose_inverse(body->X_BP));
}

/* Returns frame A of a joint in the world at the start, in whose axes reactions are given. */
static trm_pose frame_a(const trm_model *model, const char *name)
{
    const trm_joint *joint = &model->joints[trm_find_joint(model, name)];
    return trm_pose_mul(model->bodies[joint->body[0]].start, joint->frame[0]);
}

static const char BEGIN[] =
    "{ 'trammel': 1, 'bodies': [{ 'name': 'in', 'mass': 1, 'inertia': [1, 1, 1], 'parent': 'j' }, "
    "{ 'name': 'a', 'mass': 1, 'inertia': [1, 2, 2.5], 'com': [0.1, 0, 0], 'position': [1, 2, 3],"
    " 'orientation': { 'rpy': [0.3, -0.4, 2] }, 'frames': { 'f': { 'position': [0, 0.5, 0.25], 'orientation': { "
    "'rpy': [1, 0, 0] } } } },"
    "{ 'name': 'b', 'mass': 1, 'inertia': [1, 1, 1], 'position': [1, 0, 1], 'orientation': { 'rpy': [0.1, 0.2, 0.3] "
    "} }],"
    "'joints': [{ 'name': 'j', 'bodies': ['a', 'b'], ";

/* Every kind of joint with a frame, with its numbers in the world, in a parent, and in its bodies. */
static void a_body_placed_in_a_joint_has_the_frame_of_its_reactions(void **state)
{
    (void)state;
    static const char *const one_axis[] = {"hinge", "slider", "cylinder", "planar", "rail", "slot"};
    static const char *const places[] = {
        "'anchor': [0.5, 1, 2], 'axis': [1, 2, 2]",
        "'anchor': [0.5, 1, 2], 'axis': [1, 2, 2], 'x_axis': [3, 0, 1]",
        "'parent': 'a.f', 'anchor': [0.5, 1, 2], 'axis': [1, 2, 2]",
        "'parent': 'b', 'anchor': [0.5, 1, 2], 'axis': [1, 2, 2], 'x_axis': [3, 0, 1]",
        "'anchor': [0.5, 1, 2], 'axes': [[0, 0, 1], [0.1, 0.2, 1]]",
    };
    static const char *const others[] = {
        "'type': 'ball', 'anchor': [0.5, 1, 2]",
        "'type': 'ball', 'anchors': [[0.5, 1, 2], [1, 2, 0]]",
        "'type': 'fixed', 'parent': 'b', 'anchor': [0.5, 1, 2]",
        "'type': 'screw', 'pitch': 0.01, 'anchor': [0.5, 1, 2], 'axis': [1, 2, 2]",
        "'type': 'universal', 'anchor': [0.5, 1, 2], 'axis': [1, 0, 0], 'axis2': [0, 0, 1]",
        "'type': 'gimbal', 'parent': 'a.f', 'anchor': [0.5, 1, 2], 'axis': [1, 0, 0], 'axis2': [0, 0, 1]",
        "'type': 'universal', 'anchor': [0.5, 1, 2], 'axes': [[1, 0, 0], [0, 1, 0]]",
    };
    const int pairs = 6 * 5, count = pairs + 7;
    char text[4000];
    for (int i = 0; i < count; i++) {
        if (i < pairs)
            snprintf(text, sizeof text, "%s'type': '%s', %s }] }", BEGIN, one_axis[i / 5], places[i % 5]);
        else
            snprintf(text, sizeof text, "%s%s }] }", BEGIN, others[i - pairs]);
        trm_model *model = quoted(text);
        assert_same_pose(body_frame(model, "in"), frame_a(model, "j"));
        trm_model_destroy(model);
    }
}

/* The order of bodies and joints in the file does not matter, nor does q0. A rod and a frame take parents, too. */
static void order_and_q0_do_not_matter(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "{ 'name': 'u', 'parent': 's', 'mass': 1, 'inertia': [1, 1, 1], 'position': [0.5, 0, 0] }",
        ("{ 'name': 'v', 'parent': 'e', 'rod': { 'from': [0, 0, 0], 'to': [0, 2, 0], 'mass': 1 },"
         " 'frames': { 't': { 'parent': 'e', 'position': [0, 2, 1] } } }"),
        "{ 'name': 'w', 'parent': 'v.t', 'point': true, 'mass': 1, 'position': [0, 0, 1] }"};
    static const char *const joints[] = {"{ 'name': 's', 'type': 'hinge', 'bodies': ['ground', 'u'], 'anchor': [1, "
                                         "0, 0], 'axis': [0, 0, 1], 'q0': %s }",
                                         "{ 'name': 'e', 'type': 'slider', 'bodies': ['u', 'v'], 'parent': 'u', "
                                         "'anchor': [0.5, 0, 0], 'axis': [0, 0, 1], 'q0': %s }"};
    for (int k = 0; k < 4; k++) {
        const bool turned = k % 2 == 1;
        const char *q0 = k / 2 ? "0.3" : "0", *b0 = bodies[turned ? 2 : 0], *b2 = bodies[turned ? 0 : 2];
        char text[3000], joint[2][300];
        snprintf(joint[turned], sizeof joint[0], joints[0], q0);
        snprintf(joint[!turned], sizeof joint[0], joints[1], q0);
        snprintf(text, sizeof text, "{ 'trammel': 1, 'bodies': [%s, %s, %s], 'joints': [%s, %s] }", b0, bodies[1], b2,
                 joint[0], joint[1]);
        trm_model *model = quoted(text);
        assert_near(trm_v3_length(trm_v3_sub(body_frame(model, "u").p, trm_v3(1.5, 0, 0))), 0, ROUNDING);
        assert_near(trm_v3_length(trm_v3_sub(body_frame(model, "v").p, trm_v3(2, 1, 0))), 0, ROUNDING);
        assert_near(trm_v3_length(trm_v3_sub(body_frame(model, "w").p, trm_v3(2, 2, 2))), 0, ROUNDING);
        trm_pose t;
        int body;
        assert_true(trm_find_frame(model, "v.t", &body, &t));
        assert_same_pose(trm_pose_mul(body_frame(model, "v"), t), (trm_pose){trm_quat_identity(), trm_v3(2, 2, 1)});
        trm_model_destroy(model);
    }
}

/* The parts of a machine that are placed in bodies, in joints and in the world, rods with shapes and planar joints,
 * all turn with an included model as one rigid body, also after writing and reading. */
static void an_included_model_turns_as_a_whole(void **state)
{
    (void)state;
    static const char path[] = TRM_TESTS "/io/include/turned.json";
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *whole = read_model_file(TRM_TESTS "/io/include/stage.json"), *turned = NULL, *written = NULL;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("{ \"trammel\": 1, \"include\": [{ \"file\": \"stage.json\", \"prefix\": \"p_\", \"position\": [1, -2, 3],"
          " \"orientation\": { \"rpy\": [0.5, 0.25, 1.5] } }] }",
          file);
    fclose(file);
    assert_int_equal(trm_read_model_file(path, NULL, NULL, messages, &turned), TRM_OK);
    unlink(path);
    trm_text *text = trm_text_create(NULL);
    assert_int_equal(trm_write_model(turned, trm_text_sink(text)), TRM_OK);
    written = read_model(trm_text_get(text));
    trm_model *model[3] = {build_model(whole), build_model(turned), build_model(written)};
    const trm_pose X = {trm_quat_from_rpy(0.5, 0.25, 1.5), trm_v3(1, -2, 3)};
    for (int k = 1; k < 3; k++) {
        for (int i = 1; i < trm_body_count(model[0]); i++) {
            char name[100];
            snprintf(name, sizeof name, "p_%s", model[0]->bodies[i].name);
            assert_same_pose(body_frame(model[k], name),
                             trm_pose_mul(X, body_frame(model[0], model[0]->bodies[i].name)));
        }
        for (int i = 0; i < trm_joint_count(model[0]); i++) {
            char name[100];
            snprintf(name, sizeof name, "p_%s", model[0]->joints[i].name);
            assert_same_pose(frame_a(model[k], name), trm_pose_mul(X, frame_a(model[0], model[0]->joints[i].name)));
        }
    }
    for (int k = 0; k < 3; k++) trm_model_destroy(model[k]);
    trm_text_destroy(text);
    trm_model_def_destroy(whole);
    trm_model_def_destroy(turned);
    trm_model_def_destroy(written);
    trm_messages_destroy(messages);
}

/* Chains of parents as long as the model are placed without recursion. */
static void long_chains_of_parents_are_placed(void **state)
{
    (void)state;
    enum { LINKS = 100000 };
    trm_model_def *def = trm_model_def_create(NULL);
    static char names[LINKS][8];
    for (int i = LINKS - 1; i >= 0; i--) {
        snprintf(names[i], sizeof names[i], "b%d", i);
        trm_body_def body = trm_default_body_def();
        body.name = names[i];
        body.kind = TRM_BODY_POINT;
        body.mass = 1;
        body.position = trm_v3(1, 0, 0);
        body.parent = NULL;
        assert_int_equal(trm_add_body(def, &body), TRM_OK);
    }
    for (int k = 0; k + 1 < LINKS; k++) def->bodies[k].parent = def->bodies[k + 1].name;
    trm_model *model = build_model(def);
    assert_near(body_frame(model, "b99999").p.x, LINKS, ROUNDING);
    trm_model_destroy(model);
    trm_model_def_destroy(def);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_placed_in_a_joint_has_the_frame_of_its_reactions),
        cmocka_unit_test(order_and_q0_do_not_matter),
        cmocka_unit_test(an_included_model_turns_as_a_whole),
        cmocka_unit_test(long_chains_of_parents_are_placed),
    };
    return RUN_TESTS(tests);
}
