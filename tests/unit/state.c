/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The state: copies, hashes, saving and loading bit for bit, values of bodies and points as seen by the user, energy
 * and momentum compared with closed forms. */

#include "motion/state.h"

#include <stdlib.h>

#include "random_bodies.h"
#include "reading.h"

/* A dozen roundings of numbers of magnitude one. */
static const double rounding = 4e-15;

#define assert_vector(v, expected, tolerance)                                                                        \
    do {                                                                                                             \
        assert_near((v).x, (expected).x, tolerance);                                                                 \
        assert_near((v).y, (expected).y, tolerance);                                                                 \
        assert_near((v).z, (expected).z, tolerance);                                                                 \
    } while (0)

/* Two bodies whose frames are not at their centres of mass, a point, joints with memory, a joint that is not
 * attached. */
static trm_model *some_model(double mass)
{
    trm_model_def *def = trm_model_def_create(NULL);
    trm_random random = trm_random_seed(7);
    trm_body_def a = random_body(&random, "a"), b = random_body(&random, "b"), p = trm_default_body_def();
    trm_joint_def hinge = trm_default_joint_def(), ball = hinge;
    p.name = "p", p.kind = TRM_BODY_POINT, p.mass = mass, p.velocity = trm_v3(1, 2, 3);
    hinge.name = "hinge", hinge.type = "hinge", hinge.bodies[0] = "ground", hinge.bodies[1] = "a";
    hinge.anchor = trm_v3(0, 0, 0), hinge.axis = trm_v3(1, 1, 0), hinge.q0[0] = 7;
    ball.name = "ball", ball.type = "ball", ball.bodies[0] = "a", ball.bodies[1] = "b";
    ball.anchor = trm_v3(0, 1, 0), ball.attached = false;
    trm_add_body(def, &a);
    trm_add_body(def, &b);
    trm_add_body(def, &p);
    trm_add_joint(def, &hinge);
    trm_add_joint(def, &ball);
    trm_model *model = build_model(def);
    trm_model_def_destroy(def);
    return model;
}

/* Returns the bytes of a saved state; the caller frees them with trm_text_destroy. */
static trm_text *saved(const trm_state *state)
{
    trm_text *text = trm_text_create(NULL);
    assert_int_equal(trm_state_save(state, trm_text_sink(text)), TRM_OK);
    return text;
}

static void move_body(trm_state *state, int body, double x)
{
    trm_pose pose = trm_body_pose(state, body);
    pose.p.x += x;
    trm_set_body_pose(state, body, pose);
}

/* ---- Copies ------------------------------------------------------------------------------- */

static void a_copy_is_equal_until_it_changes(void **unused)
{
    (void)unused;
    trm_model *model = some_model(1);
    trm_state *a = start_of(model), *b = start_of(model);
    assert_true(trm_state_equal(a, b));
    assert_true(trm_state_hash(a) == trm_state_hash(b));
    move_body(b, 2, 1e-12);
    assert_false(trm_state_equal(a, b));
    assert_false(trm_state_hash(a) == trm_state_hash(b));
    trm_state_copy(a, b);
    assert_true(trm_state_equal(a, b));
    assert_true(trm_state_hash(a) == trm_state_hash(b));
    trm_state_copy(a, a);
    assert_true(trm_state_equal(a, b));
    trm_state_destroy(a);
    trm_state_destroy(b);
    trm_model_destroy(model);
}

static void states_of_two_models_are_never_equal(void **unused)
{
    (void)unused;
    trm_model *model = some_model(1), *twin = some_model(1);
    trm_state *a = start_of(model), *b = start_of(twin);
    assert_false(trm_state_equal(a, b));
    assert_true(trm_state_hash(a) == trm_state_hash(b)); /* the numbers are equal */
    trm_state_destroy(a);
    trm_state_destroy(b);
    trm_model_destroy(model);
    trm_model_destroy(twin);
}

static void the_start_is_that_of_the_model(void **unused)
{
    (void)unused;
    trm_model *model = some_model(1);
    trm_state *state = start_of(model);
    double q[TRM_JOINT_COORDINATES];
    assert_near(trm_state_time(state), 0, 0);
    assert_true(trm_joint_attached(state, 0));
    assert_false(trm_joint_attached(state, 1));
    assert_int_equal(trm_joint_values(state, 0, q, NULL), 1);
    assert_near(q[0], 7, 1e-14); /* more than one turn, which the memory counts */
    trm_state_destroy(state);
    trm_model_destroy(model);
}

/* ---- Saving and loading ------------------------------------------------------------------- */

static void what_is_saved_loads_bit_for_bit(void **unused)
{
    (void)unused;
    trm_model *model = some_model(1);
    trm_state *state = start_of(model), *loaded = start_of(model);
    trm_messages *messages = trm_messages_create(NULL);
    state->clock->time = 1.0 / 3;
    state->clock->step = 0.01;
    state->attached[1] = true;
    state->memory[0] = -12;
    for (int i = 0; i < model->row_count; i++) state->reaction[i] = 0.1 * i;
    move_body(state, 1, 0.7);
    trm_text *text = saved(state);
    assert_int_equal(trm_state_load(loaded, trm_text_get(text), trm_text_length(text), "f", messages), TRM_OK);
    assert_int_equal(trm_message_count(messages), 0);
    assert_true(trm_state_equal(state, loaded));
    assert_near(trm_state_time(loaded), 1.0 / 3, 0);
    assert_true(trm_joint_attached(loaded, 1));
    trm_text *again = saved(loaded);
    assert_int_equal(trm_text_length(again), trm_text_length(text));
    assert_memory_equal(trm_text_get(again), trm_text_get(text), trm_text_length(text));
    trm_text_destroy(again);
    trm_text_destroy(text);
    trm_messages_destroy(messages);
    trm_state_destroy(state);
    trm_state_destroy(loaded);
    trm_model_destroy(model);
}

/* Asserts that the bytes are refused with one message that contains the piece and names the file, and that the state
 * is unchanged. */
static void assert_refused(const trm_model *model, const void *bytes, size_t count, const char *piece)
{
    trm_state *state = start_of(model);
    const uint64_t before = trm_state_hash(state);
    trm_messages *messages = trm_messages_create(NULL);
    /* an allocation of exact size, so that a sanitizer detects reading beyond it */
    unsigned char *copy = malloc(count ? count : 1);
    memcpy(copy, bytes, count);
    assert_int_equal(trm_state_load(state, copy, count, "some.state", messages), TRM_BAD_INPUT);
    free(copy);
    assert_int_equal(trm_error_count(messages), 1);
    assert_string_equal(trm_message_at(messages, 0)->place.file, "some.state");
    if (!strstr(trm_message_at(messages, 0)->text, piece)) print_messages(messages);
    assert_non_null(strstr(trm_message_at(messages, 0)->text, piece));
    assert_true(trm_state_hash(state) == before);
    trm_messages_destroy(messages);
    trm_state_destroy(state);
}

/* Saves a state that differs from the start, so that a change by loading would show. */
static char *moved_state(const trm_model *model, size_t *count)
{
    trm_state *state = start_of(model);
    move_body(state, 1, 0.5);
    trm_text *text = saved(state);
    *count = trm_text_length(text);
    char *bytes = malloc(*count + 16);
    memcpy(bytes, trm_text_get(text), *count);
    memset(bytes + *count, 0, 16);
    trm_text_destroy(text);
    trm_state_destroy(state);
    return bytes;
}

enum { MAGIC_AT = 0, VERSION_AT = 8, BYTE_ORDER_AT = 12, MODEL_AT = 16, HEADER_BYTES = 32 };

static void a_state_cut_short_anywhere_is_refused(void **unused)
{
    (void)unused;
    trm_model *model = some_model(1);
    size_t count;
    char *bytes = moved_state(model, &count);
    for (size_t length = 0; length < count; length++)
        assert_refused(model, bytes, length, length < HEADER_BYTES ? "not a saved Trammel state" : "truncated");
    for (size_t length = count + 1; length <= count + 16; length++)
        assert_refused(model, bytes, length, "additional bytes at its end");
    free(bytes);
    trm_model_destroy(model);
}

static void a_state_with_one_wrong_byte_anywhere_is_refused(void **unused)
{
    (void)unused;
    trm_model *model = some_model(1);
    size_t count;
    char *bytes = moved_state(model, &count);
    for (size_t at = 0; at < count; at++) {
        const char *piece = at < VERSION_AT      ? "not a saved Trammel state"
                            : at < BYTE_ORDER_AT ? "another version"
                            : at < MODEL_AT      ? "byte order"
                            : at < HEADER_BYTES  ? "another model"
                                                 : "damaged";
        for (int bit = 0; bit < 8; bit += 7) {
            bytes[at] = (char)(bytes[at] ^ (1 << bit));
            assert_refused(model, bytes, count, piece);
            bytes[at] = (char)(bytes[at] ^ (1 << bit));
        }
    }
    free(bytes);
    trm_model_destroy(model);
}

static void a_state_of_another_byte_order_is_known_as_such(void **unused)
{
    (void)unused;
    trm_model *model = some_model(1);
    size_t count;
    char *bytes = moved_state(model, &count);
    for (int i = 0; i < 2; i++) {
        const char kept = bytes[BYTE_ORDER_AT + i];
        bytes[BYTE_ORDER_AT + i] = bytes[BYTE_ORDER_AT + 3 - i];
        bytes[BYTE_ORDER_AT + 3 - i] = kept;
    }
    assert_refused(model, bytes, count, "the other byte order");
    free(bytes);
    trm_model_destroy(model);
}

static void a_state_of_another_model_is_refused(void **unused)
{
    (void)unused;
    trm_model *model = some_model(1), *heavier = some_model(1.0000001);
    size_t count;
    char *bytes = moved_state(model, &count);
    assert_refused(heavier, bytes, count, "another model");
    free(bytes);
    trm_model_destroy(model);
    trm_model_destroy(heavier);
}

/* The same definition built again: a saved state can be loaded by another program. */
static void a_state_fits_the_same_model_built_anew(void **unused)
{
    (void)unused;
    trm_model *model = some_model(1), *again = some_model(1);
    size_t count;
    char *bytes = moved_state(model, &count);
    trm_state *state = start_of(again);
    trm_messages *messages = trm_messages_create(NULL);
    assert_int_equal(trm_state_load(state, bytes, count, "f", messages), TRM_OK);
    trm_messages_destroy(messages);
    trm_state_destroy(state);
    free(bytes);
    trm_model_destroy(model);
    trm_model_destroy(again);
}

static bool refuse_after(void *context, const char *text, size_t length)
{
    (void)text;
    (void)length;
    return --*(int *)context >= 0;
}

static void a_sink_that_fails_is_reported(void **unused)
{
    (void)unused;
    trm_model *model = some_model(1);
    trm_state *state = start_of(model);
    int writes = 100;
    assert_int_equal(trm_state_save(state, (trm_sink){refuse_after, &writes}), TRM_OK);
    for (int most = 0; most < 100 - writes; most++) {
        int left = most;
        assert_int_equal(trm_state_save(state, (trm_sink){refuse_after, &left}), TRM_IO_ERROR);
    }
    trm_state_destroy(state);
    trm_model_destroy(model);
}

/* ---- Values seen by the user -------------------------------------------------------------- */

static void the_frame_that_was_given_is_the_frame_that_is_seen(void **unused)
{
    (void)unused;
    trm_random random = trm_random_seed(1);
    for (int round = 0; round < 50; round++) {
        trm_model_def *def = trm_model_def_create(NULL);
        const trm_body_def body = random_body(&random, "b");
        trm_add_body(def, &body);
        trm_model *model = build_model(def);
        trm_state *state = start_of(model);
        const trm_pose pose = trm_body_pose(state, 1);
        const trm_spatial velocity = trm_body_velocity(state, 1);
        assert_vector(pose.p, body.position, rounding);
        assert_near(fabs(pose.q.w * body.orientation.w + pose.q.x * body.orientation.x +
                         pose.q.y * body.orientation.y + pose.q.z * body.orientation.z),
                    1, rounding);
        assert_vector(velocity.lin, body.velocity, rounding);
        assert_vector(velocity.ang, body.angular_velocity, rounding);
        trm_state_destroy(state);
        trm_model_destroy(model);
        trm_model_def_destroy(def);
    }
}

static void what_is_set_is_what_is_got(void **unused)
{
    (void)unused;
    trm_model *model = some_model(1);
    trm_state *state = start_of(model);
    trm_random random = trm_random_seed(2);
    for (int round = 0; round < 50; round++) {
        const trm_pose pose = random_pose(&random);
        const trm_spatial velocity = random_spatial(&random);
        const trm_vec3 point = random_vector(&random, 1);
        trm_set_body_pose(state, 1, (trm_pose){{2 * pose.q.w, 2 * pose.q.x, 2 * pose.q.y, 2 * pose.q.z}, pose.p});
        trm_set_body_velocity(state, 1, velocity);
        const trm_pose got = trm_body_pose(state, 1);
        assert_vector(got.p, pose.p, rounding);
        assert_vector(trm_rotate(got.q, trm_axis(0)), trm_rotate(pose.q, trm_axis(0)), rounding);
        assert_vector(trm_rotate(got.q, trm_axis(2)), trm_rotate(pose.q, trm_axis(2)), rounding);
        assert_vector(trm_body_velocity(state, 1).lin, velocity.lin, rounding);
        assert_vector(trm_body_velocity(state, 1).ang, velocity.ang, rounding);
        assert_vector(trm_point_position(state, 1, point), trm_v3_add(pose.p, trm_rotate(pose.q, point)), rounding);
        assert_vector(trm_point_velocity(state, 1, point),
                      trm_v3_add(velocity.lin, trm_v3_cross(velocity.ang, trm_rotate(pose.q, point))), rounding);
    }
    trm_state_destroy(state);
    trm_model_destroy(model);
}

/* A quaternion of any length is accepted as the rotation that it represents. */
static void an_orientation_that_is_set_is_normalised(void **unused)
{
    (void)unused;
    trm_model *model = some_model(1);
    trm_state *state = start_of(model);
    trm_set_body_pose(state, 2, (trm_pose){{3, 0, 0, 4}, {0, 0, 0}});
    const trm_quat q = trm_body_pose(state, 2).q;
    assert_near(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, rounding);
    trm_state_destroy(state);
    trm_model_destroy(model);
}

/* ---- Energy and momentum ------------------------------------------------------------------ */

/* A rod that rotates about its middle and moves: E = m v^2/2 + J w^2/2, L = J w about its own centre. */
static void a_spinning_rod_has_the_energy_of_the_closed_form(void **unused)
{
    (void)unused;
    const double m = 2, l = 3, r = 0.1, w = 5, J = m * (3 * r * r + l * l) / 12;
    trm_model *model =
        model_of_text("{\"trammel\": 1, \"bodies\": [{\"name\": \"rod\", \"rod\": {\"from\": [-1.5, 0, 0],"
                      " \"to\": [1.5, 0, 0], \"mass\": 2, \"radius\": 0.1}, \"velocity\": [0, 4, 0],"
                      " \"angular_velocity\": [0, 0, 5]}]}");
    trm_state *state = start_of(model);
    const trm_energy energy = trm_state_energy(state);
    const trm_momentum momentum = trm_state_momentum(state);
    assert_near(energy.kinetic, 0.5 * m * 16 + 0.5 * J * w * w, 1e-13);
    assert_near(energy.potential, 0, 0);
    assert_near(energy.power, 0, 0);
    assert_vector(momentum.linear, trm_v3(0, 8, 0), 1e-14);
    assert_vector(momentum.angular, trm_v3(0, 0, J * w), 1e-13);
    trm_state_destroy(state);
    trm_model_destroy(model);
}

/* The same rod with its frame at one end, rotated by 90 degrees: the energy depends on the mass, not on the frame. */
static void energy_does_not_depend_on_where_the_frame_is(void **unused)
{
    (void)unused;
    trm_model *model =
        model_of_text("{\"trammel\": 1, \"bodies\": [{\"name\": \"rod\", \"mass\": 2, \"inertia\": [0.01, 1.5, 1.5],"
                      " \"com\": [1.5, 0, 0], \"orientation\": {\"axis\": [0, 0, 1], \"angle\": \"90*deg\"},"
                      " \"angular_velocity\": [0, 0, 5]}], \"gravity\": [0, -10, 0]}");
    trm_state *state = start_of(model);
    const trm_energy energy = trm_state_energy(state);
    const trm_momentum momentum = trm_state_momentum(state);
    assert_near(energy.kinetic, 0.5 * (1.5 + 2 * 1.5 * 1.5) * 25,
                1e-13); /* moment of inertia about the end, which is at rest */
    assert_near(energy.potential, 2 * 10 * 1.5, 1e-13);
    assert_vector(momentum.linear, trm_v3(-2 * 5 * 1.5, 0, 0), 1e-13);
    assert_vector(momentum.angular, trm_v3(0, 0, (1.5 + 2 * 1.5 * 1.5) * 5), 1e-13);
    trm_state_destroy(state);
    trm_model_destroy(model);
}

/* Two points joined by a spring; E_pot = k (d - rest)^2/2 - m g.x, damping dissipates c v^2. */
static void two_points_and_a_spring_add_up(void **unused)
{
    (void)unused;
    trm_model *model = model_of_text(
        "{\"trammel\": 1, \"gravity\": [0, 0, -10], \"bodies\": ["
        "{\"name\": \"a\", \"point\": true, \"mass\": 1, \"position\": [0, 0, 1], \"velocity\": [0, 2, 0]},"
        "{\"name\": \"b\", \"point\": true, \"mass\": 3, \"position\": [4, 0, 1], \"velocity\": [1, 0, 0]}],"
        "\"forces\": [{\"type\": \"spring\", \"bodies\": [\"a\", \"b\"], \"rest\": 3, \"stiffness\": 8, \"damping\": "
        "0.5},"
        "{\"type\": \"force\", \"body\": \"a\", \"value\": [7, 5, 0]}]}");
    trm_state *state = start_of(model);
    const trm_energy energy = trm_state_energy(state);
    const trm_momentum momentum = trm_state_momentum(state);
    assert_near(energy.kinetic, 0.5 * 4 + 0.5 * 3, 1e-14);
    assert_near(energy.potential, 0.5 * 8 * 1 + 10 * 1 + 30 * 1, 1e-13);
    assert_near(energy.power, 5 * 2 - 0.5 * 1 * 1, 1e-14);
    assert_vector(momentum.linear, trm_v3(3, 2, 0), 1e-14);
    assert_vector(momentum.angular, trm_v3(-2, 3, 0), 1e-14); /* (0,0,1) x (0,2,0) + (4,0,1) x (3,0,0) */
    trm_state_destroy(state);
    trm_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_is_equal_until_it_changes),
        cmocka_unit_test(states_of_two_models_are_never_equal),
        cmocka_unit_test(the_start_is_that_of_the_model),
        cmocka_unit_test(what_is_saved_loads_bit_for_bit),
        cmocka_unit_test(a_state_cut_short_anywhere_is_refused),
        cmocka_unit_test(a_state_with_one_wrong_byte_anywhere_is_refused),
        cmocka_unit_test(a_state_of_another_byte_order_is_known_as_such),
        cmocka_unit_test(a_state_of_another_model_is_refused),
        cmocka_unit_test(a_state_fits_the_same_model_built_anew),
        cmocka_unit_test(a_sink_that_fails_is_reported),
        cmocka_unit_test(the_frame_that_was_given_is_the_frame_that_is_seen),
        cmocka_unit_test(what_is_set_is_what_is_got),
        cmocka_unit_test(an_orientation_that_is_set_is_normalised),
        cmocka_unit_test(a_spinning_rod_has_the_energy_of_the_closed_form),
        cmocka_unit_test(energy_does_not_depend_on_where_the_frame_is),
        cmocka_unit_test(two_points_and_a_spring_add_up),
    };
    return RUN_TESTS(tests);
}
