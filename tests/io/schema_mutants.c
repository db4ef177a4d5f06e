/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* schema_mutants ALL_KEYS FOLDER: splits the model that uses every key into models of one element each, makes every
 * structural mistake in each, and writes the results to FOLDER/0001.json ...; FOLDER/accepted lists those that the
 * reader accepts. schema.sh asks an independent validator whether the schema accepts the same ones.
 *
 * Mistakes are: every value replaced by one of each JSON type; every array shortened and lengthened by one; every
 * object with an additional key and without each of its keys; every "type" replaced by all others. Strings in place
 * of numbers are valid expressions, because the schema does not check them. Not changed are the lengths of tables,
 * which must agree with each other, and meshes from files. */

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/shape.h"
#include "trammel/trammel.h"

typedef struct mutants {
    const char *folder;
    FILE *accepted;
    json_t *root;    /* the present model */
    const char *key; /* key of the value being changed, "" inside arrays */
    int count, taken;
} mutants;

static void require(bool condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "schema_mutants: %s\n", what);
    exit(2);
}

/* ---- Verdict ------------------------------------------------------------------------------ */

static bool reader_takes(const char *text)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def = NULL;
    require(messages != NULL, "out of memory");
    const trm_status status = trm_read_model_text(text, strlen(text), "mutant", NULL, NULL, messages, &def);
    require((status == TRM_OK) == (def != NULL), "status and definition disagree");
    require((status == TRM_OK) == (trm_error_count(messages) == 0), "status and messages disagree");
    trm_model_def_destroy(def);
    trm_messages_destroy(messages);
    return status == TRM_OK;
}

static void record(mutants *m)
{
    char path[1000];
    char *text = json_dumps(m->root, JSON_COMPACT);
    snprintf(path, sizeof path, "%s/%04d.json", m->folder, ++m->count);
    FILE *file = fopen(path, "wb");
    require(text && file, "cannot write");
    fputs(text, file);
    require(fclose(file) == 0, "cannot write");
    if (reader_takes(text)) {
        fprintf(m->accepted, "%04d.json\n", m->count);
        m->taken++;
    }
    free(text);
}

/* ---- Spoiling ----------------------------------------------------------------------------- */

/* A place in the tree: a member of an object or an item of an array. */
typedef struct place {
    json_t *parent;
    const char *key;
    size_t index;
} place;

static void put(place at, json_t *value)
{
    if (json_is_object(at.parent))
        json_object_set_new(at.parent, at.key, value);
    else
        json_array_set_new(at.parent, at.index, value);
}

static bool lengths_must_agree(const char *key)
{
    return strcmp(key, "t") == 0 || strcmp(key, "y") == 0 || strcmp(key, "speed") == 0 || strcmp(key, "mu") == 0;
}

/* false is meaningful for marks ("rod": false), a full array in place of an array; elsewhere they test no more than
 * true and [] do. */
static bool is_worth_trying(const mutants *m, const json_t *value, const json_t *substitute)
{
    if (json_is_false(substitute)) return json_is_boolean(value) || json_is_object(value);
    if (!json_is_array(substitute)) return true;
    if (lengths_must_agree(m->key)) return false;
    return json_array_size(substitute) == 0 || json_is_array(value);
}

/* The replacing numbers are below those of the model, so that tables still increase. */
static void replace(mutants *m, place at, json_t *value)
{
    static const char *const substitutes[] = {"null", "true", "false", "-3", "\"-1-1\"", "[]", "{}", "[1,2,3]"};
    json_incref(value);
    for (size_t i = 0; i < sizeof substitutes / sizeof *substitutes; i++) {
        json_t *substitute = json_loads(substitutes[i], JSON_DECODE_ANY, NULL);
        if (!is_worth_trying(m, value, substitute)) {
            json_decref(substitute);
            continue;
        }
        put(at, substitute);
        record(m);
    }
    put(at, value);
}

static void change_length(mutants *m, json_t *array)
{
    const size_t last = json_array_size(array) - 1;
    if (lengths_must_agree(m->key) || json_array_size(array) == 0) return;
    json_t *item = json_incref(json_array_get(array, last));
    json_array_remove(array, last);
    record(m);
    json_array_append(array, item);
    json_array_append(array, item);
    record(m);
    json_array_remove(array, last + 1);
    json_decref(item);
}

/* Constants refer to each other, so none is removed. */
static void change_keys(mutants *m, json_t *object)
{
    json_t *copy = json_copy(object), *value;
    const char *key;
    json_object_set_new(object, "no_such_key", json_integer(1));
    record(m);
    json_object_del(object, "no_such_key");
    json_object_foreach(copy, key, value)
    {
        if (strcmp(m->key, "constants") == 0) break;
        json_object_del(object, key);
        record(m);
        json_object_set(object, key, value);
    }
    json_decref(copy);
}

static void change_type(mutants *m, place at, json_t *value)
{
    json_incref(value);
    for (int i = 0; trm_joint_type_name(i); i++) {
        put(at, json_string(trm_joint_type_name(i)));
        record(m);
    }
    for (int i = 0; trm_force_type_name(i); i++) {
        put(at, json_string(trm_force_type_name(i)));
        record(m);
    }
    for (int i = 0; trm_shape_type_at(i); i++) {
        put(at, json_string(trm_shape_type_at(i)->name));
        record(m);
    }
    put(at, value);
}

static void spoil(mutants *m, place at, json_t *value)
{
    const char *outer = m->key, *key;
    json_t *member;
    size_t i;
    m->key = at.key ? at.key : "";
    replace(m, at, value);
    if (strcmp(m->key, "type") == 0) change_type(m, at, value);
    if (json_is_array(value)) {
        change_length(m, value);
        json_array_foreach(value, i, member)
        {
            const bool repeated = i > 0 && json_typeof(member) == json_typeof(json_array_get(value, i - 1));
            if (!repeated || json_is_object(member)) spoil(m, (place){value, NULL, i}, member);
        }
    }
    if (json_is_object(value)) {
        change_keys(m, value);
        json_t *copy = json_copy(value); /* the original changes during the loop */
        json_object_foreach(copy, key, member) spoil(m, (place){value, key, 0}, member);
        json_decref(copy);
    }
    m->key = outer;
}

/* ---- Taking apart ------------------------------------------------------------------------- */

static void spoil_section(mutants *m, const json_t *all, const char *key, json_t *section)
{
    m->root = json_object();
    json_object_set(m->root, "trammel", json_object_get(all, "trammel"));
    json_object_set(m->root, "constants", json_object_get(all, "constants"));
    if (strcmp(key, "constants") != 0) /* functions of time name inputs, whose ranges name constants */
        json_object_set(m->root, "inputs", json_object_get(all, "inputs"));
    json_object_set_new(m->root, key, section);
    record(m);
    spoil(m, (place){m->root, key, 0}, json_object_get(m->root, key));
    json_decref(m->root);
}

/* Changes each shape in a body that has nothing else; the body then continues without shapes. */
static void spoil_shapes(mutants *m, const json_t *all, json_t *body)
{
    json_t *shapes = json_object_get(body, "shapes"), *shape;
    size_t i;
    json_array_foreach(shapes, i, shape)
    {
        json_t *alone = json_pack("[o]", json_deep_copy(shape));
        m->root = json_pack("{sO sO s[{ss sO}]}", "trammel", json_object_get(all, "trammel"), "constants",
                            json_object_get(all, "constants"), "bodies", "name", "b", "shapes", alone);
        spoil(m, (place){alone, NULL, 0}, json_array_get(alone, 0));
        json_decref(m->root);
        json_decref(alone);
    }
    json_array_clear(shapes);
}

static bool same_keys(const json_t *a, const json_t *b)
{
    const char *key;
    json_t *value;
    if (json_object_size(a) != json_object_size(b)) return false;
    json_object_foreach((json_t *)(uintptr_t)a, key, value) if (!json_object_get(b, key)) return false;
    return json_equal(json_object_get(a, "type"), json_object_get(b, "type")) || !json_object_get(a, "type");
}

/* Returns whether an earlier element has the same form. */
static bool is_repeated(const json_t *section, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (same_keys(json_array_get(section, i), json_array_get(section, index))) return true;
    return false;
}

static void spoil_all(mutants *m, const json_t *all)
{
    const char *key;
    json_t *section, *element;
    size_t i;
    json_object_foreach((json_t *)(uintptr_t)all, key, section)
    {
        if (!json_is_array(section) || strcmp(key, "gravity") == 0 || strcmp(key, "no_collide") == 0) {
            spoil_section(m, all, key, json_deep_copy(section));
            continue;
        }
        json_array_foreach(section, i, element)
        {
            if (is_repeated(section, i)) continue;
            json_t *copy = json_deep_copy(element);
            spoil_shapes(m, all, copy);
            spoil_section(m, all, key, json_pack("[o]", copy));
        }
    }
}

int main(int argc, char **argv)
{
    char path[1000];
    require(argc == 3, "usage: schema_mutants ALL_KEYS FOLDER");
    json_t *all = json_load_file(argv[1], 0, NULL);
    require(all != NULL, "cannot read the model");
    snprintf(path, sizeof path, "%s/accepted", argv[2]);
    mutants m = {.folder = argv[2], .accepted = fopen(path, "wb"), .key = ""};
    require(m.accepted != NULL, "cannot write");
    spoil_all(&m, all);
    require(fclose(m.accepted) == 0, "cannot write");
    json_decref(all);
    printf("%d models, %d of them accepted\n", m.count, m.taken);
    return 0;
}
