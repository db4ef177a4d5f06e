/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A model file gives the same model as the same definition made by calls; elements can be added to a definition that
 * was read; and the cost of reading a long chain is proportional to its length. */

#include <stdlib.h>

#include "failing_allocator.h"
#include "reading.h"

/* ---- Calls and files ---------------------------------------------------------------------- */

static const char PENDULUM[] =
    "{\"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["
    "{\"name\": \"arm\", \"mass\": 1.1, \"inertia\": [0.3, 0.2, 0.4, 0.01, 0, 0.02], \"com\": [0.1, 0.2, 0],"
    " \"position\": [1, 0, 0.5], \"orientation\": [0.6, 0, 0.8, 0], \"velocity\": [0, 0.3, 0],"
    " \"angular_velocity\": [0.1, 0, 0.7]},"
    "{\"name\": \"bob\", \"point\": true, \"mass\": 0.3, \"position\": [3, 0, 0]}],"
    " \"joints\": [{\"name\": \"pin\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"arm\"], \"anchor\": [0, 0.1, "
    "0],"
    " \"axis\": [0, 1, 2], \"q0\": 0.3}, {\"name\": \"bar\", \"type\": \"distance\", \"bodies\": [\"arm\", \"bob\"],"
    " \"anchors\": [[0.5, 0, 0], [0, 0, 0]]}],"
    " \"forces\": [{\"type\": \"drive\", \"joint\": \"pin\", \"motion\": \"0.3 + t\"},"
    " {\"type\": \"force\", \"body\": \"bob\", \"value\": [1, \"sin(t)\", 0]}]}";

static void add_pendulum_bodies(trm_model_def *def)
{
    trm_body_def arm = trm_default_body_def(), bob = trm_default_body_def();
    const double inertia[6] = {0.3, 0.2, 0.4, 0.01, 0, 0.02};
    arm.name = "arm";
    arm.mass = 1.1;
    memcpy(arm.inertia, inertia, sizeof inertia);
    arm.com = trm_v3(0.1, 0.2, 0);
    arm.position = trm_v3(1, 0, 0.5);
    arm.orientation = (trm_quat){0.6, 0, 0.8, 0};
    arm.velocity = trm_v3(0, 0.3, 0);
    arm.angular_velocity = trm_v3(0.1, 0, 0.7);
    bob.name = "bob";
    bob.kind = TRM_BODY_POINT;
    bob.mass = 0.3;
    bob.position = trm_v3(3, 0, 0);
    assert_int_equal(trm_add_body(def, &arm), TRM_OK);
    assert_int_equal(trm_add_body(def, &bob), TRM_OK);
}

static void add_pendulum_joints(trm_model_def *def)
{
    trm_joint_def pin = trm_default_joint_def(), bar = pin, drive = pin;
    trm_force_def push = trm_default_force_def();
    pin.name = "pin", pin.type = "hinge", pin.bodies[0] = "ground", pin.bodies[1] = "arm";
    pin.anchor = trm_v3(0, 0.1, 0);
    pin.axis = trm_v3(0, 1, 2);
    pin.q0[0] = 0.3;
    bar.name = "bar", bar.type = "distance", bar.bodies[0] = "arm", bar.bodies[1] = "bob";
    bar.anchors[0] = trm_v3(0.5, 0, 0);
    bar.anchors[1] = trm_v3(0, 0, 0);
    drive.type = "drive", drive.joint = "pin";
    drive.motion = trm_expression_function("0.3 + t");
    push.type = "force", push.body = "bob";
    push.value[0] = trm_constant_function(1);
    push.value[1] = trm_expression_function("sin(t)");
    assert_int_equal(trm_add_joint(def, &pin), TRM_OK);
    assert_int_equal(trm_add_joint(def, &bar), TRM_OK);
    assert_int_equal(trm_add_joint(def, &drive), TRM_OK);
    assert_int_equal(trm_add_force(def, &push), TRM_OK);
}

static void a_file_and_the_same_calls_give_the_same_model_bit_for_bit(void **state)
{
    (void)state;
    trm_model_def *read = read_model(PENDULUM), *made = trm_model_def_create(NULL);
    made->gravity = trm_v3(0, -9.81, 0);
    add_pendulum_bodies(made);
    add_pendulum_joints(made);
    assert_true(hash_of_start(read) == hash_of_start(made));
    char *text_read = text_of(read), *text_made = text_of(made);
    assert_string_equal(text_read, text_made);

    trm_model *a = build_model(read), *b = build_model(made);
    trm_state *start_a = start_of(a), *start_b = start_of(b);
    for (int j = 0; j < 3; j++) {
        const trm_gap gap_a = trm_position_gap(start_a, j), gap_b = trm_position_gap(start_b, j);
        assert_memory_equal(&gap_a, &gap_b, sizeof gap_a);
    }
    const trm_energy energy_a = trm_state_energy(start_a), energy_b = trm_state_energy(start_b);
    assert_memory_equal(&energy_a, &energy_b, sizeof energy_a);
    trm_state_destroy(start_a);
    trm_state_destroy(start_b);
    trm_model_destroy(a);
    trm_model_destroy(b);
    free(text_read);
    free(text_made);
    trm_model_def_destroy(read);
    trm_model_def_destroy(made);
}

/* Lists that were read have no reserve and must move when they grow, at every size. */
static void elements_can_be_added_to_a_definition_that_was_read(void **state)
{
    (void)state;
    for (int bodies = 0; bodies < 9; bodies++) {
        char text[2000] = "{\"trammel\": 1, \"constants\": {\"k\": 1}, \"bodies\": [";
        for (int i = 0; i < bodies; i++)
            snprintf(text + strlen(text), sizeof text - strlen(text),
                     "{\"name\": \"b%d\", \"point\": true, \"mass\": 1, \"position\": [%d, 0, 0]},", i, i);
        strcat(text, "]}");
        trm_model_def *def = read_model(text);
        trm_constant extra = {"extra", 2};
        assert_int_equal(trm_add_constant(def, extra.name, extra.value), TRM_OK);
        add_pendulum_bodies(def);
        add_pendulum_joints(def);
        assert_int_equal(def->body_count, bodies + 2);
        assert_int_equal(def->constant_count, 2);
        if (bodies > 0) assert_int_equal(def->bodies[bodies - 1].name[1], '0' + bodies - 1);
        trm_model *model = build_model(def);
        assert_int_equal(trm_body_count(model), bodies + 3);
        assert_int_equal(trm_joint_count(model), 3);
        trm_model_destroy(model);
        trm_model_def_destroy(def);
    }
}

static void every_list_that_was_read_can_be_added_to(void **state)
{
    (void)state;
    trm_model_def *def = read_model(PENDULUM);
    trm_body_def spare = trm_default_body_def();
    trm_joint_def rope = trm_default_joint_def();
    trm_force_def spring = trm_default_force_def();
    spare.name = "spare", spare.kind = TRM_BODY_POINT, spare.mass = 1;
    rope.name = "rope", rope.type = "distance", rope.rope = true, rope.length = 5;
    rope.bodies[0] = "spare", rope.bodies[1] = "bob";
    spring.type = "spring", spring.bodies[0] = "spare", spring.bodies[1] = "bob", spring.stiffness = 1;
    for (int i = 0; i < 3; i++) assert_int_equal(trm_add_force(def, &spring), TRM_OK);
    assert_int_equal(trm_add_body(def, &spare), TRM_OK);
    assert_int_equal(trm_add_joint(def, &rope), TRM_OK);
    trm_model *model = build_model(def);
    assert_int_equal(trm_find_joint(model, "rope"), 2);  /* drives are the last joints */
    assert_int_equal(trm_force_count(model), 1 + 3 + 3); /* gravity on three bodies */
    trm_model_destroy(model);
    trm_model_def_destroy(def);
}

/* ---- Size --------------------------------------------------------------------------------- */

/* Returns the text of a chain of the given number of point masses and bars. */
static trm_text *chain_text(int bodies)
{
    trm_text *text = trm_text_create(NULL);
    trm_json_writer w = trm_json_begin(trm_text_sink(text));
    trm_json_open_object(&w, NULL);
    trm_json_put_integer(&w, "trammel", 1);
    for (int list = 0; list < 2; list++) {
        trm_json_open_array(&w, list == 0 ? "bodies" : "joints");
        for (int i = 1; i <= bodies; i++) {
            char name[20], before[20] = "ground";
            snprintf(name, sizeof name, "b%d", i);
            if (i > 1) snprintf(before, sizeof before, "b%d", i - 1);
            trm_json_open_object_flat(&w, NULL);
            trm_json_put_text(&w, "name", name);
            if (list == 0) {
                trm_json_put_bool(&w, "point", true);
                trm_json_put_number(&w, "mass", 1);
                trm_json_put_numbers(&w, "position", (double[]){i, 0, 0}, 3);
            } else {
                trm_json_put_text(&w, "type", "distance");
                trm_json_put_texts(&w, "bodies", (const char *const[]){before, name}, 2);
                trm_json_put_text(&w, "length", "2 - 1");
                trm_json_open_array_flat(&w, "anchors");
                for (int k = 0; k < 2; k++) trm_json_put_numbers(&w, NULL, (double[]){0, 0, 0}, 3);
                trm_json_close(&w);
            }
            trm_json_close(&w);
        }
        trm_json_close(&w);
    }
    trm_json_close(&w);
    assert_true(trm_json_end(&w));
    return text;
}

/* Reads and builds the chain; returns the bytes that definition, model and analysis occupy and the number of
 * allocations. */
static void cost_of_chain(int bodies, size_t *bytes, long *calls)
{
    failing_allocator memory;
    failing_allocator_reset(&memory, 0, false);
    const trm_allocator hooks = failing_allocator_hooks(&memory);
    trm_text *text = chain_text(bodies);
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def;
    trm_model *model;
    assert_int_equal(
        trm_read_model_text(trm_text_get(text), trm_text_length(text), "chain", NULL, &hooks, messages, &def),
        TRM_OK);
    assert_int_equal(trm_model_create(def, &hooks, messages, &model), TRM_OK);
    trm_state *start = trm_state_create(model, &hooks);
    trm_analysis *analysis = trm_analyse(start, &hooks);
    assert_int_equal(analysis->whole.rank, bodies);
    assert_int_equal(trm_assemble(start, NULL, messages, NULL), TRM_OK);
    *bytes = memory.bytes_live;
    *calls = memory.calls;
    trm_analysis_destroy(analysis);
    trm_state_destroy(start);
    trm_model_destroy(model);
    trm_model_def_destroy(def);
    trm_messages_destroy(messages);
    trm_text_destroy(text);
    assert_true(failing_allocator_is_clean(&memory));
}

/* Eight times as many bodies. Blocks of arenas grow by factors of 2, so that memory may be up to twice the used
 * bytes: a factor of eight becomes sixteen at most; quadratic growth would show as sixty-four. */
static void a_long_chain_costs_in_proportion(void **state)
{
    (void)state;
    size_t small_bytes, large_bytes;
    long small_calls, large_calls;
    cost_of_chain(2500, &small_bytes, &small_calls);
    cost_of_chain(20000, &large_bytes, &large_calls);
    assert_true(large_bytes < 16 * small_bytes);
    assert_true(large_calls < 8 * small_calls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_and_the_same_calls_give_the_same_model_bit_for_bit),
        cmocka_unit_test(elements_can_be_added_to_a_definition_that_was_read),
        cmocka_unit_test(every_list_that_was_read_can_be_added_to),
        cmocka_unit_test(a_long_chain_costs_in_proportion),
    };
    return RUN_TESTS(tests);
}
