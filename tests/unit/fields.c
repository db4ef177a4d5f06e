/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The tables of fields, visited form by form: every field has a default that its kind can represent, and a change of
 * any of its values changes the fingerprint. A new key is tested as soon as it is in its table. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "model/fields.h"

enum { ITEM_BYTES = 4096, FORMS = 40, LEAST_FIELDS = 150 };

/* Memory for a definition, and for an item of a list in it. */
typedef union room {
    char bytes[ITEM_BYTES];
    double number;
    void *pointer;
} room;

typedef struct walk {
    const trm_form *seen[FORMS];
    int seen_count, fields, values;
    room item, in_list;
} walk;

static size_t bytes_of(trm_value_kind kind)
{
    static const size_t bytes[] = {
#define TRM_VALUE_KIND(name, size, hash) [TRM_VALUE_##name] = (size),
#include "model/value_kinds.h"
#undef TRM_VALUE_KIND
    };
    return bytes[kind];
}

/* Returns whether the values of a kind are hashed by the function of this name. */
static bool is_hashed_as(trm_value_kind kind, const char *name)
{
    static const char *const names[] = {
#define TRM_VALUE_KIND(name, size, hash) [TRM_VALUE_##name] = #hash,
#include "model/value_kinds.h"
#undef TRM_VALUE_KIND
    };
    return strcmp(names[kind], name) == 0;
}

/* Returns the size in bytes of one number, text or function of a member. */
static size_t part_of(trm_value_kind kind)
{
    if (is_hashed_as(kind, "numbers")) return sizeof(double);
    if (is_hashed_as(kind, "texts")) return sizeof(char *);
    return is_hashed_as(kind, "functions") ? sizeof(trm_function_def) : bytes_of(kind);
}

/* Returns the hash of the item for the variants that use the field, without the type, as for a form without types. */
static uint64_t hash_of(const trm_form *form, const walk *w)
{
    trm_form all = *form;
    all.variant = NULL;
    all.variant_of = NULL;
    return trm_form_hash(1, &all, &w->item);
}

static void expect_change(walk *w, const trm_form *form, const trm_field *field, uint64_t before)
{
    const bool differs = hash_of(form, w) != before;
    if (differs == field->apart)
        print_error("%s \"%s\": the fingerprint is %s\n", form->name, field->key, differs ? "another" : "the same");
    assert_true(differs != field->apart);
    w->values++;
}

/* Changes the numbers, texts or other parts of the member one after another. */
static void change_values(walk *w, const trm_form *form, const trm_field *field)
{
    const uint64_t before = hash_of(form, w);
    const size_t part = part_of(field->kind);
    for (size_t at = 0; at < bytes_of(field->kind); at += part) {
        const double number = 0.37;
        const char *const text = "other";
        const trm_function_def function = {.value = 0.37};
        char *member = w->item.bytes + field->offset + at, kept[sizeof function];
        memcpy(kept, member, part);
        if (is_hashed_as(field->kind, "numbers"))
            memcpy(member, &number, part);
        else if (is_hashed_as(field->kind, "texts"))
            memcpy(member, (const void *)&text, part);
        else if (is_hashed_as(field->kind, "functions"))
            memcpy(member, &function, part);
        else
            member[0] ^= 1; /* a truth value, or the kind of a body */
        expect_change(w, form, field, before);
        memcpy(member, kept, part);
    }
    assert_true(hash_of(form, w) == before);
}

/* Gives one item to each list with this count: some lists share their count. */
static void change_list(walk *w, const trm_form *form, const trm_field *field)
{
    const uint64_t before = hash_of(form, w);
    const void *list = &w->in_list;
    const int one = 1;
    for (int i = 0; i < form->field_count; i++)
        if (form->fields[i].count_offset == field->count_offset)
            memcpy(w->item.bytes + form->fields[i].offset, &list, sizeof list);
    memcpy(w->item.bytes + field->count_offset, &one, sizeof one);
    expect_change(w, form, field, before);
}

static void walk_fields(walk *w, const trm_form *form)
{
    for (int i = 0; i < form->field_count; i++) {
        const trm_field *field = &form->fields[i];
        trm_form_set_defaults(form, &w->item);
        assert_true(trm_field_is_default(field, &w->item));
        w->fields++;
        if (field->count_offset && field->kind != TRM_VALUE_options)
            change_list(w, form, field);
        else if (!field->count_offset && bytes_of(field->kind) > 0)
            change_values(w, form, field);
    }
}

/* Visits a form once, and the forms of its fields. An object in place has the size of the whole definition. */
static void walk_form(walk *w, const trm_form *form)
{
    for (int i = 0; i < w->seen_count; i++)
        if (w->seen[i] == form) return;
    assert_in_range(w->seen_count, 0, FORMS - 1);
    w->seen[w->seen_count++] = form;
    trm_form sized = *form;
    if (sized.size == 0) sized.size = ITEM_BYTES;
    assert_in_range(sized.size, 1, ITEM_BYTES);
    walk_fields(w, &sized);
    for (int i = 0; i < form->field_count; i++)
        if (form->fields[i].form) walk_form(w, form->fields[i].form);
}

static void every_field_changes_the_fingerprint(void **state)
{
    (void)state;
    walk *w = calloc(1, sizeof *w);
    assert_non_null(w);
    walk_form(w, &trm_form_model);
    walk_form(w, &trm_form_drive);
    print_message("%d forms, %d fields, %d values\n", w->seen_count, w->fields, w->values);
    assert_in_range(w->fields, LEAST_FIELDS, 100000);
    free(w);
}

static void a_default_is_what_the_definition_begins_with(void **state)
{
    (void)state;
    const trm_joint_def joint = trm_default_joint_def();
    const trm_force_def force = trm_default_force_def();
    assert_true(isnan(joint.curve.circle.major) && isnan(joint.surface.sphere.axis.z) && joint.attached);
    assert_true(joint.limits[0] == -INFINITY && joint.limits[1] == INFINITY && joint.coordinate_size > 0);
    assert_string_equal(joint.align, "start");
    assert_true(force.gear == 1 && force.max == INFINITY && isnan(force.anchors[1].z) && force.damping == 0);
    assert_true(trm_default_coordinate_def().effort == INFINITY && isnan(trm_default_coordinate_def().anchor.x));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_changes_the_fingerprint),
        cmocka_unit_test(a_default_is_what_the_definition_begins_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
