/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A checkpoint resumes into the model that wrote it and into no other: the fingerprint covers every key.
 *
 * The model that uses every key (all_keys.json; io_schema_keys checks that it does) is changed in one value at a time:
 * numbers and expressions grow a little, truth values are turned round. Where the changed model can be built at all, its
 * fingerprint must differ. Of an array of numbers one that makes a difference is enough: the length of an axis has no
 * meaning. Keys that change neither the motion nor what is read off it are listed below. */

#include <jansson.h>
#include <stdlib.h>

#include "model/model.h"
#include "reading.h"

/* Titles, drawing, defaults of `trammel run`; a density next to a mass; leave to use an inertia that is possible anyway. */
static const char *const without_effect[] = {"simulation",         "color", "hidden", "trammel", "density",
                                             "impossible_inertia", NULL};

/* Values that have to be among those changed, so that the test cannot pass by changing nothing. */
enum { LEAST_CHANGES = 200 };

typedef struct walk {
    json_t *root;
    uint64_t original;
    char path[300];
    int changed, same;
} walk;

/* 0: the text is not a model. */
static uint64_t fingerprint_of(const json_t *root)
{
    char *text = json_dumps(root, JSON_COMPACT);
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def = NULL;
    trm_model *model = NULL;
    uint64_t fingerprint = 0;
    if (trm_read_model_text(text, strlen(text), "changed", NULL, NULL, messages, &def) == TRM_OK &&
        trm_model_create(def, NULL, messages, &model) == TRM_OK)
        fingerprint = model->fingerprint;
    trm_model_destroy(model);
    trm_model_def_destroy(def);
    trm_messages_destroy(messages);
    free(text);
    return fingerprint;
}

/* Whether the model as it is now has another fingerprint; one that cannot be built says nothing. */
typedef enum verdict { CANNOT_BE_BUILT, SAME, OTHER } verdict;

static verdict judge(walk *w)
{
    const uint64_t fingerprint = fingerprint_of(w->root);
    if (fingerprint == 0) return CANNOT_BE_BUILT;
    w->changed++;
    return fingerprint == w->original ? SAME : OTHER;
}

/* A little more of it; NULL: it is neither number nor truth value nor text. */
static json_t *changed_value(const json_t *value)
{
    if (json_is_number(value)) return json_real(json_number_value(value) * (1 + 0x1p-10) + 0x1p-10);
    if (json_is_boolean(value)) return json_boolean(!json_boolean_value(value));
    return json_is_string(value) ? json_sprintf("(%s)*(1+2^-10)+2^-10", json_string_value(value)) : NULL;
}

static void put(json_t *parent, const char *key, size_t index, json_t *value)
{
    if (key)
        json_object_set_new(parent, key, value);
    else
        json_array_set_new(parent, index, value);
}

static verdict try_value(walk *w, json_t *parent, const char *key, size_t index, json_t *value)
{
    verdict best = CANNOT_BE_BUILT;
    json_t *changed = changed_value(value), *item;
    size_t i;
    if (changed) {
        json_incref(value);
        put(parent, key, index, changed);
        best = judge(w);
        put(parent, key, index, value);
    }
    json_array_foreach(value, i, item)
    {
        const verdict of_item = try_value(w, value, NULL, i, item);
        if (of_item > best) best = of_item;
    }
    return best;
}

static bool has_no_effect(const char *key)
{
    for (int i = 0; without_effect[i]; i++)
        if (strcmp(key, without_effect[i]) == 0) return true;
    return false;
}

static bool holds_objects(const json_t *value)
{
    return json_is_object(value) || json_is_object(json_array_get(value, 0));
}

static void visit(walk *w, json_t *value);

static void visit_member(walk *w, json_t *object, const char *key, json_t *member)
{
    const size_t length = strlen(w->path);
    if (has_no_effect(key)) return;
    snprintf(w->path + length, sizeof w->path - length, ".%s", key);
    if (holds_objects(member)) {
        visit(w, member);
    } else if (try_value(w, object, key, 0, member) == SAME) {
        print_error("the fingerprint does not cover %s\n", w->path);
        w->same++;
    }
    w->path[length] = 0;
}

/* A shape that does not collide is only drawn. */
static void visit(walk *w, json_t *value)
{
    const size_t length = strlen(w->path);
    json_t *copy = json_is_object(value) ? json_copy(value) : NULL, *member;
    const char *key;
    size_t i;
    json_array_foreach(value, i, member)
    {
        snprintf(w->path + length, sizeof w->path - length, "[%d]", (int)i);
        visit(w, member);
        w->path[length] = 0;
    }
    if (!strstr(w->path, ".shapes") || !json_is_false(json_object_get(value, "collide")))
        json_object_foreach(copy, key, member) visit_member(w, value, key, member);
    json_decref(copy);
}

static void the_fingerprint_covers_every_key(void **state)
{
    (void)state;
    walk w = {.root = json_load_file(TRM_TESTS_IO "/all_keys.json", 0, NULL)};
    assert_non_null(w.root);
    w.original = fingerprint_of(w.root);
    assert_true(w.original != 0);
    json_object_del(w.root, "name"); /* a title */
    visit(&w, w.root);
    json_decref(w.root);
    print_message("%d values changed\n", w.changed);
    assert_int_equal(w.same, 0);
    assert_in_range(w.changed, LEAST_CHANGES, 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_fingerprint_covers_every_key)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
