/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Hints: each is given where it applies, and none for models without mistakes. */

#include "running.h"

static const char MACHINE[] =
    "{ \"trammel\": 1, \"constants\": { \"size\": 0.1, \"limit\": 1.5, \"far\": 0.2, \"k\": 100, \"heavy\": 1, "
    "\"top\": 1, \"slim\": 1, \"coil\": 1, \"turn\": 1, \"hook\": 2, \"cord\": 1 },"
    "\"bodies\": [{ \"name\": \"box\", \"mass\": 1, \"inertia\": [0.01, 0.01, 0.01],"
    "  \"shapes\": [{ \"type\": \"box\", \"size\": [\"size\", \"size\", \"size\"] }] },"
    "{ \"name\": \"arm\", \"mass\": \"heavy\", \"inertia\": [\"slim*heavy/100\", \"slim*heavy/100\", "
    "\"slim*heavy/100\"], "
    "\"position\": [1, 0, 0] },"
    "{ \"name\": \"bob\", \"point\": true, \"mass\": 1, \"position\": [0, 3, 0] }], \"joints\": ["
    "{ \"name\": \"pin\", \"type\": \"hinge\", \"bodies\": [\"box\", \"arm\"], \"anchor\": [\"far\", 0, 0], "
    "\"axis\": [0, 0, 1],"
    "  \"limits\": [\"-limit\", \"limit\"], \"stiffness\": \"coil\" },"
    "{ \"name\": \"pulled\", \"type\": \"tendon\", \"terms\": [{ \"joint\": \"pin\", \"factor\": 2 }],"
    "  \"stiffness\": \"cord\" }], \"forces\": ["
    "{ \"name\": \"leaf\", \"type\": \"torsion\", \"joint\": \"pin\", \"stiffness\": \"turn\" },"
    "{ \"name\": \"coil\", \"type\": \"spring\", \"bodies\": [\"ground\", \"bob\"], \"anchors\": [[0, \"hook\", 0], "
    "[0, 0, "
    "0]],"
    "  \"rest\": 1, \"stiffness\": \"k\" },"
    "{ \"name\": \"turn\", \"type\": \"drive\", \"joint\": \"pin\", \"motion\": \"top*t^2/100\" }],"
    "\"simulation\": { \"step\": 0.01, \"time\": 10 } }";

/* Asserts that the machine with one constant changed gets this hint and no other; "": no hint. */
static void assert_hint(const char *constant, double value, const char *element, const char *said)
{
    const trm_constant set = {constant, value};
    const trm_read_options options = {.set = &set, .set_count = 1};
    trm_model_def *def = read_with(MACHINE, &options);
    trm_model *model = build_model(def);
    trm_state *state = trm_state_create(model, NULL);
    trm_messages *messages = trm_messages_create(NULL);
    trm_find_hints(state, NULL, messages);
    const int count = trm_message_count(messages);
    if (said[0] && (count != 1 || !strstr(trm_message_at(messages, 0)->text, said))) {
        print_messages(messages);
        fail_msg("%s = %g: %d hints, expected \"%s\"", constant, value, count, said);
    }
    if (said[0]) assert_string_equal(trm_message_at(messages, 0)->element, element);
    if (!said[0] && count > 0) print_messages(messages);
    if (!said[0]) assert_int_equal(count, 0);
    trm_messages_destroy(messages);
    trm_state_destroy(state);
    trm_model_destroy(model);
    trm_model_def_destroy(def);
}

/* The pin is 0.2 and 0.8 m from centres of 1 kg and 0.01 kg m^2: 1/m = 0.52/0.0035 of its angle. */
static void each_hint_is_given_where_it_is_due(void **state)
{
    (void)state;
    assert_hint("k", 100, "", "");
    assert_hint("size", 100, "body 'box'", "are its lengths in millimetres?");
    assert_hint("limit", 90, "joint 'pin'", "are they in degrees?");
    assert_hint("far", 500, "joint 'pin'", "is its anchor in metres");
    assert_hint("k", 1e6, "force 'coil'", "use steps of 0.0005 s");
    assert_hint("hook", 3, "force 'coil'", "its points coincide at the start");
    assert_hint("coil", 1e5, "joint 'pin'", "oscillates by its stiffness with 3.85e+03 rad/s");
    assert_hint("turn", 1e5, "force 'leaf'", "oscillates with 3.85e+03 rad/s");
    assert_hint("cord", 25000, "joint 'pulled'", "oscillates by its stiffness with 3.85e+03 rad/s"); /* 4 times 1/m */
    assert_hint("slim", 1e6, "body 'arm'", "are its lengths in millimetres?");
    assert_hint("heavy", 1e7, "joint 'pin'", "lose as many digits");
    assert_hint("top", 2, "drive 'turn'", "beyond its limits");
}

/* Returns the hints on a ball with shapes of this group above a floor, with a contact and an event for them and for
 * a point mass, as one text. */
static void pair_hints(int group, const char *with, char *said, size_t size)
{
    char text[1200];
    snprintf(text, sizeof text,
             "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"ball\", \"position\": [0, 0, 1], \"shapes\": [{ \"type\":"
             "  \"sphere\", \"radius\": 0.1, \"density\": 500, \"group\": %d, \"mask\": %d }] },"
             "  { \"name\": \"floor\", \"fixed\": true, \"shapes\": [{ \"type\": \"plane\", \"normal\": [0, 0, 1],"
             "  \"offset\": 0 }] }, { \"name\": \"bob\", \"point\": true, \"mass\": 1, \"position\": [2, 0, 0] }],"
             "  \"contacts\": [{ \"bodies\": [\"ball\", \"%s\"], \"friction\": 0.2 }],"
             "  \"events\": [{ \"when\": \"contact\", \"bodies\": [\"%s\", \"ball\"], \"stop\": true }] }",
             group, group, with, with);
    trm_model *model = model_of_text(text);
    trm_state *state = trm_state_create(model, NULL);
    trm_messages *messages = trm_messages_create(NULL);
    trm_find_hints(state, NULL, messages);
    said[0] = 0;
    for (int i = 0; i < trm_message_count(messages); i++) {
        const trm_message *message = trm_message_at(messages, i);
        snprintf(said + strlen(said), size - strlen(said), "%s: %s\n", message->element, message->text);
    }
    trm_messages_destroy(messages);
    trm_state_destroy(state);
    trm_model_destroy(model);
}

static void pairs_that_never_collide_are_named(void **state)
{
    (void)state;
    char said[2000];
    pair_hints(1, "floor", said, sizeof said);
    assert_string_equal(said, "");
    pair_hints(2, "floor", said, sizeof said);
    assert_non_null(
        strstr(said, "contacts: has no effect: 'ball' and 'floor' never collide, because both are fixed"));
    assert_non_null(strstr(said, "event on contact: has no effect: "));
    pair_hints(1, "bob", said, sizeof said);
    assert_non_null(strstr(said, "'ball' and 'bob' never collide, because 'bob' has no \"shapes\" that collide"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_hint_is_given_where_it_is_due),
                                       cmocka_unit_test(pairs_that_never_collide_are_named)};
    return RUN_TESTS(tests);
}
