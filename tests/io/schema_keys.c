/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The keys of the schema are those of the reader, type by type: every key of the schema is tried on every kind of
 * body, shape, joint and force; the reader must refuse it exactly where the schema does not list it. all_keys.json
 * contains all of them. The schema is read by jansson. */

#include <jansson.h>
#include <stdlib.h>

#include "reading.h"

/* ---- The schema --------------------------------------------------------------------------- */

static int load_schema(void **state)
{
    trm_text *text = trm_text_create(NULL);
    if (!text || trm_write_model_schema(trm_text_sink(text)) != TRM_OK) return -1;
    *state = json_loads(trm_text_get(text), JSON_REJECT_DUPLICATES, NULL);
    trm_text_destroy(text);
    return *state ? 0 : -1;
}

static int free_schema(void **state)
{
    json_decref(*state);
    return 0;
}

/* Collects all names under any "properties" of the schema as the keys of one object. */
static void gather_keys(json_t *schema, json_t *keys)
{
    const char *name;
    json_t *member;
    size_t i;
    json_array_foreach(schema, i, member) gather_keys(member, keys);
    json_object_foreach(schema, name, member)
    {
        const char *key;
        json_t *property;
        if (strcmp(name, "properties") == 0)
            json_object_foreach(member, key, property) json_object_set_new(keys, key, json_true());
        gather_keys(member, keys);
    }
}

static json_t *items_of(json_t *schema, const char *section)
{
    json_t *properties = json_object_get(schema, "properties");
    return json_object_get(json_object_get(properties, section), "items");
}

static json_t *property_of(json_t *variant, const char *key)
{
    return json_object_get(json_object_get(variant, "properties"), key);
}

/* Returns the type that a variant is for. */
static const char *type_of(json_t *variant)
{
    const char *type = json_string_value(json_object_get(property_of(variant, "type"), "const"));
    assert_non_null(type);
    return type;
}

/* ---- The reader --------------------------------------------------------------------------- */

/* Returns whether reading complains about the key itself, whatever it says about the value. */
static bool refuses_key(const char *text, const char *key)
{
    char unknown[100], not_taken[100];
    bool refused = false;
    snprintf(unknown, sizeof unknown, "has no key \"%s\"", key);
    snprintf(not_taken, sizeof not_taken, "does not take \"%s\"", key);
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def = NULL;
    trm_read_model_text(text, strlen(text), "text", NULL, NULL, messages, &def);
    for (int i = 0; i < trm_message_count(messages); i++) {
        const char *said = trm_message_at(messages, i)->text;
        refused = refused || strstr(said, unknown) || strstr(said, not_taken);
    }
    trm_model_def_destroy(def);
    trm_messages_destroy(messages);
    return refused;
}

/* Returns whether the text has the key already, so that it would be there twice. */
static bool stands_in(const char *text, const char *key)
{
    char quoted[100];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    return strstr(text, quoted) != NULL;
}

/* Returns whether the key would change the kind of the body. */
static bool is_mark(const char *key)
{
    return strcmp(key, "point") == 0 || strcmp(key, "fixed") == 0 || strcmp(key, "moving") == 0 ||
           strcmp(key, "rod") == 0;
}

/* Compares the keys; one more member can be inserted between the texts `before` and `after`. */
static void compare_keys(json_t *schema, json_t *variant, const char *what, const char *before, const char *after)
{
    json_t *keys = json_object(), *ignored;
    const char *key;
    int taken = 0;
    gather_keys(schema, keys);
    assert_true(json_object_size(keys) > 80);
    json_object_foreach(keys, key, ignored)
    {
        char text[500];
        const bool listed = property_of(variant, key) != NULL;
        snprintf(text, sizeof text, "%s, \"%s\": 0%s", before, key, after);
        if (stands_in(before, key) || is_mark(key)) continue;
        const bool refused = refuses_key(text, key);
        if (refused == listed)
            print_error("%s: the schema %s \"%s\", the reader does%s\n", what, listed ? "lists" : "does not list",
                        key, refused ? " not" : "");
        assert_int_equal(refused, !listed);
        taken += listed;
    }
    assert_true(taken > 0);
    json_decref(keys);
}

/* ---- Tests -------------------------------------------------------------------------------- */

static void compare_types(json_t *schema, json_t *variants, const char *before, const char *after, int least)
{
    size_t i;
    json_t *variant;
    assert_true((int)json_array_size(variants) >= least);
    json_array_foreach(variants, i, variant)
    {
        char start[300];
        snprintf(start, sizeof start, "%s\"type\": \"%s\"", before, type_of(variant));
        compare_keys(schema, variant, type_of(variant), start, after);
    }
}

static void joints_have_the_same_keys_in_schema_and_reader(void **state)
{
    json_t *variants = json_object_get(items_of(*state, "joints"), "oneOf");
    int types = 0;
    for (int i = 0; trm_joint_type_name(i); i++) types++;
    compare_types(*state, variants, "{\"trammel\": 1, \"joints\": [{", "}]}", 6);
    json_t *hosted =
        json_object_get(json_array_get(json_object_get(items_of(*state, "forces"), "anyOf"), 1), "oneOf");
    assert_int_equal(json_array_size(variants) + json_array_size(hosted), types);
}

static void forces_have_the_same_keys_in_schema_and_reader(void **state)
{
    json_t *groups = json_object_get(items_of(*state, "forces"), "anyOf"), *group;
    size_t i;
    assert_int_equal(json_array_size(groups), 2);
    json_array_foreach(groups, i, group)
        compare_types(*state, json_object_get(group, "oneOf"), "{\"trammel\": 1, \"forces\": [{", "}]}", 1);
}

static void bodies_have_the_same_keys_in_schema_and_reader(void **state)
{
    static const char *const marks[] = {"\"name\": \"b\"", "\"point\": true", "\"fixed\": true", "\"moving\": {}",
                                        "\"rod\": {}"};
    json_t *variants = json_object_get(items_of(*state, "bodies"), "oneOf"), *variant;
    size_t i;
    assert_int_equal(json_array_size(variants), 5);
    json_array_foreach(variants, i, variant)
    {
        char before[100];
        snprintf(before, sizeof before, "{\"trammel\": 1, \"bodies\": [{%s", marks[i]);
        compare_keys(*state, variant, marks[i], before, "}]}");
    }
}

static void shapes_have_the_same_keys_in_schema_and_reader(void **state)
{
    json_t *rigid = json_array_get(json_object_get(items_of(*state, "bodies"), "oneOf"), 0);
    json_t *variants = json_object_get(json_object_get(property_of(rigid, "shapes"), "items"), "oneOf");
    compare_types(*state, variants, "{\"trammel\": 1, \"bodies\": [{\"name\": \"b\", \"shapes\": [{", "}]}]}", 7);
}

static void the_rest_has_the_same_keys_in_schema_and_reader(void **state)
{
    compare_keys(*state, *state, "model", "{\"trammel\": 1", "}");
    compare_keys(*state, items_of(*state, "contacts"), "contact", "{\"trammel\": 1, \"contacts\": [{\"bodies\": 0",
                 "}]}");
    compare_keys(*state, items_of(*state, "events"), "event", "{\"trammel\": 1, \"events\": [{\"at\": 0", "}]}");
    compare_keys(*state, items_of(*state, "sensors"), "sensor", "{\"trammel\": 1, \"sensors\": [{\"name\": 0", "}]}");
    json_t *simulation = property_of(*state, "simulation");
    compare_keys(*state, simulation, "simulation", "{\"trammel\": 1, \"simulation\": {\"step\": 1", "}}");
    compare_keys(*state, property_of(simulation, "tolerance"), "tolerance",
                 "{\"trammel\": 1, \"simulation\": {\"tolerance\": {\"position\": 1", "}}}");
    compare_keys(*state, property_of(*state, "defaults"), "defaults",
                 "{\"trammel\": 1, \"defaults\": {\"friction\": 1", "}}");
}

/* Collects all keys of all objects in a tree. */
static void gather_used(const json_t *value, json_t *keys)
{
    const char *key;
    json_t *member;
    size_t i;
    json_array_foreach((json_t *)(uintptr_t)value, i, member) gather_used(member, keys);
    json_object_foreach((json_t *)(uintptr_t)value, key, member)
    {
        json_object_set_new(keys, key, json_true());
        gather_used(member, keys);
    }
}

/* Meshes need a file next to the model; the options of each method are tested with two of them. */
static bool is_exempt(const char *key)
{
    static const char *const exempt[] = {"file",    "include", "prefix",  "repeat",
                                         "impulse", "taylor",  "minimal", "subsystem"};
    for (size_t i = 0; i < sizeof exempt / sizeof *exempt; i++)
        if (strcmp(key, exempt[i]) == 0) return true;
    return false;
}

static void the_model_of_all_keys_forgets_none(void **state)
{
    json_t *known = json_object(), *used = json_object(), *ignored;
    json_t *model = json_load_file(TRM_TESTS_IO "/all_keys.json", JSON_REJECT_DUPLICATES, NULL);
    const char *key;
    assert_non_null(model);
    gather_keys(*state, known);
    gather_used(model, used);
    json_object_foreach(known, key, ignored)
    {
        if (is_exempt(key) || json_object_get(used, key)) continue;
        print_error("all_keys.json does not use \"%s\"\n", key);
        fail();
    }
    json_decref(known);
    json_decref(used);
    json_decref(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_have_the_same_keys_in_schema_and_reader),
        cmocka_unit_test(forces_have_the_same_keys_in_schema_and_reader),
        cmocka_unit_test(bodies_have_the_same_keys_in_schema_and_reader),
        cmocka_unit_test(shapes_have_the_same_keys_in_schema_and_reader),
        cmocka_unit_test(the_rest_has_the_same_keys_in_schema_and_reader),
        cmocka_unit_test(the_model_of_all_keys_forgets_none),
    };
    return cmocka_run_group_tests(tests, load_schema, free_schema);
}
