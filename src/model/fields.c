/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What follows from the tables of fields: defaults and the fingerprint.
 *
 * The fingerprint is a hash of every field that a variant takes and that is not the default, each with its offset: a
 * saved state belongs to the model that was defined in the same way. Expressions are hashed by their text, and all
 * constants by name and value. */

#include "model/fields.h"

#include <string.h>

#include "base/hash.h"

static const size_t BYTES[TRM_VALUE_KINDS] = {
#define TRM_VALUE_KIND(name, bytes, hash) [TRM_VALUE_##name] = (bytes),
#include "model/value_kinds.h"
#undef TRM_VALUE_KIND
};

static int count_of(const trm_field *field, const void *item)
{
    return *(const int *)(const void *)((const char *)item + field->count_offset);
}

/* ---- Variants ----------------------------------------------------------------------------- */

const trm_field *trm_form_field(const trm_form *form, const char *key)
{
    for (int i = 0; key[0] && i < form->field_count; i++)
        if (strcmp(form->fields[i].key, key) == 0) return &form->fields[i];
    return NULL;
}

bool trm_field_is_taken(const trm_field *field, unsigned takes)
{
    return field->when == EVERY || (field->when & takes) != 0;
}

trm_variant trm_form_variant_of(const trm_form *form, const void *item)
{
    if (form->variant_of) return form->variant_of(item);
    const trm_field *by = form->variant ? trm_form_field(form, "type") : NULL;
    const char *type = by ? *(const char *const *)((const char *)item + by->offset) : NULL;
    for (int i = 0; type && form->variant(i).name; i++)
        if (strcmp(form->variant(i).name, type) == 0) return form->variant(i);
    return (trm_variant){NULL, ~0u, NULL};
}

/* ---- Fingerprint -------------------------------------------------------------------------- */

/* Not a number is always the same one. */
static uint64_t hash_doubles(uint64_t hash, const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double number = isnan(numbers[i]) ? NAN : numbers[i];
        hash = trm_hash_numbers(hash, &number, sizeof number);
    }
    return hash;
}

static uint64_t hash_name(uint64_t hash, const char *text)
{
    return trm_hash_text(hash, text ? text : "");
}

static uint64_t hash_numbers(uint64_t hash, const trm_field *field, const void *item)
{
    const void *member = (const char *)item + field->offset;
    return hash_doubles(hash, member, BYTES[field->kind] / sizeof(double));
}

static uint64_t hash_texts(uint64_t hash, const trm_field *field, const void *item)
{
    const char *const *texts = (const void *)((const char *)item + field->offset);
    for (size_t i = 0; i < BYTES[field->kind] / sizeof *texts; i++) hash = hash_name(hash, texts[i]);
    return hash;
}

static uint64_t hash_flag(uint64_t hash, const trm_field *field, const void *item)
{
    return trm_hash_bytes(hash, (const char *)item + field->offset, sizeof(bool));
}

static uint64_t hash_mark(uint64_t hash, const trm_field *field, const void *item)
{
    return trm_hash_bytes(hash, (const char *)item + field->offset, sizeof(trm_body_kind));
}

static uint64_t hash_function(uint64_t hash, const trm_function_def *f)
{
    const double numbers[] = {f->kind, f->value, f->count, f->cubic};
    const size_t points = f->kind == TRM_FUNCTION_TABLE && f->count > 0 ? (size_t)f->count : 0;
    hash = hash_doubles(hash, numbers, sizeof numbers / sizeof *numbers);
    if (f->kind == TRM_FUNCTION_EXPRESSION) hash = hash_name(hash, f->expression);
    return hash_doubles(hash_doubles(hash, f->t, points), f->y, points);
}

static uint64_t hash_functions(uint64_t hash, const trm_field *field, const void *item)
{
    const trm_function_def *f = (const void *)((const char *)item + field->offset);
    for (size_t i = 0; i < BYTES[field->kind] / sizeof *f; i++) hash = hash_function(hash, &f[i]);
    return hash;
}

/* Goes through the items of a counted list: item is each in turn, hashed by what follows. */
#define EACH(type, name)                                                                                             \
    const type *name = *(const type *const *)(const void *)((const char *)item + field->offset),                     \
               *end = name + count_of(field, item);                                                                  \
    name < end;                                                                                                      \
    name++

static uint64_t hash_number_list(uint64_t hash, const trm_field *field, const void *item)
{
    for (EACH(double, x)) hash = hash_doubles(hash, x, 1);
    return hash;
}

static uint64_t hash_vectors(uint64_t hash, const trm_field *field, const void *item)
{
    for (EACH(trm_vec3, v)) hash = trm_hash_numbers(hash, v, sizeof *v);
    return hash;
}

typedef int triangle[3];

static uint64_t hash_triangles(uint64_t hash, const trm_field *field, const void *item)
{
    for (EACH(triangle, t)) hash = trm_hash_bytes(hash, t, sizeof *t);
    return hash;
}

static uint64_t hash_points(uint64_t hash, const trm_field *field, const void *item)
{
    for (EACH(trm_named_point, p)) hash = trm_hash_numbers(hash_name(hash, p->name), &p->position, sizeof(trm_vec3));
    return hash;
}

static uint64_t hash_frames(uint64_t hash, const trm_field *field, const void *item)
{
    for (EACH(trm_named_frame, f)) {
        hash = trm_hash_numbers(hash_name(hash, f->name), &f->position, sizeof f->position);
        hash = trm_hash_numbers(hash_name(hash, f->parent), &f->orientation, sizeof f->orientation);
    }
    return hash;
}

static uint64_t hash_settings(uint64_t hash, const trm_field *field, const void *item)
{
    for (EACH(trm_setting, s)) hash = hash_function(hash_name(hash, s->name), &s->value);
    return hash;
}

static uint64_t hash_constants(uint64_t hash, const trm_field *field, const void *item)
{
    for (EACH(trm_constant, c)) hash = hash_doubles(hash_name(hash, c->name), &c->value, 1);
    return hash;
}

static uint64_t hash_pairs(uint64_t hash, const trm_field *field, const void *item)
{
    for (EACH(trm_body_pair, p)) hash = hash_name(hash_name(hash, p->bodies[0]), p->bodies[1]);
    return hash;
}

static uint64_t hash_joint_values(uint64_t hash, const trm_field *field, const void *item)
{
    for (EACH(trm_joint_value, v)) hash = hash_doubles(hash_name(hash, v->joint), v->q, TRM_JOINT_COORDINATES);
    return hash;
}

static uint64_t hash_object(uint64_t hash, const trm_field *field, const void *item)
{
    return trm_form_hash(hash, field->form, (const char *)item + field->offset);
}

static uint64_t hash_items(uint64_t hash, const trm_field *field, const void *item)
{
    const char *list = *(const char *const *)(const void *)((const char *)item + field->offset);
    for (int i = 0; i < count_of(field, item); i++)
        hash = trm_form_hash(hash, field->form, list + (size_t)i * field->form->size);
    return hash;
}

static uint64_t hash_nothing(uint64_t hash, const trm_field *field, const void *item)
{
    (void)field, (void)item;
    return hash;
}

static uint64_t (*const HASH[TRM_VALUE_KINDS])(uint64_t, const trm_field *, const void *) = {
#define TRM_VALUE_KIND(name, bytes, hash) [TRM_VALUE_##name] = hash_##hash,
#include "model/value_kinds.h"
#undef TRM_VALUE_KIND
};

uint64_t trm_form_hash(uint64_t hash, const trm_form *form, const void *item)
{
    const trm_variant variant = trm_form_variant_of(form, item);
    for (int i = 0; i < form->field_count; i++) {
        const trm_field *field = &form->fields[i];
        if (field->apart || !trm_field_is_taken(field, variant.takes) || trm_field_is_default(field, item)) continue;
        const double identity[] = {(double)field->offset, field->count_offset ? count_of(field, item) : 0};
        hash = HASH[field->kind](hash_doubles(hash, identity, 2), field, item);
    }
    return trm_hash_text(hash, form->name); /* the end: the next item is another one */
}

/* ---- Defaults ----------------------------------------------------------------------------- */

static void set_initials(const trm_form *form, char *item)
{
    for (int i = 0; i < form->field_count; i++) {
        const trm_field *field = &form->fields[i];
        if (field->initial) memcpy(item + field->offset, field->initial, BYTES[field->kind]);
        if (field->size_offset) memcpy(item + field->size_offset, &field->form->size, sizeof(size_t));
        if (field->form && BYTES[field->kind] == 0) set_initials(field->form, item + field->offset);
    }
}

void trm_form_set_defaults(const trm_form *form, void *item)
{
    memset(item, 0, form->size);
    set_initials(form, item);
}

/* Keys that two forms share mostly follow each other in both. */
void trm_form_copy(const trm_form *from, const void *item, const trm_form *to, void *copy)
{
    const trm_field *same = from->fields, *end = from->fields + from->field_count;
    for (int i = 0; i < to->field_count; i++) {
        const trm_field *field = &to->fields[i];
        if (!field->key[0]) continue;
        if (!same || same == end || strcmp(same->key, field->key) != 0) same = trm_form_field(from, field->key);
        if (!same || same->kind != field->kind) continue;
        memcpy((char *)copy + field->offset, (const char *)item + same->offset, BYTES[field->kind]);
        same++;
    }
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_number(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* Zeros of two kinds are different: what is written reads back the same. */
bool trm_field_is_default(const trm_field *field, const void *item)
{
    static const trm_function_def zeros[3];
    const void *member = (const char *)item + field->offset, *initial = field->initial ? field->initial : zeros;
    const size_t bytes = BYTES[field->kind];
    bool same = true;
    if (field->count_offset) return count_of(field, item) == 0;
    if (HASH[field->kind] == hash_texts)
        for (size_t i = 0; i < bytes / sizeof(char *); i++)
            same = same && same_text(((const char *const *)member)[i], ((const char *const *)initial)[i]);
    else if (HASH[field->kind] == hash_numbers)
        for (size_t i = 0; i < bytes / sizeof(double); i++)
            same = same && same_number(((const double *)member)[i], ((const double *)initial)[i]);
    else if (bytes > 0)
        same = memcmp(member, initial, bytes) == 0;
    else
        for (int i = 0; field->form && i < field->form->field_count; i++)
            same = same && trm_field_is_default(&field->form->fields[i], member);
    return same;
}

const char **trm_field_text(const trm_field *field, void *item)
{
    const bool is_text = HASH[field->kind] == hash_texts && BYTES[field->kind] == sizeof(char *);
    return is_text ? (const char **)(void *)((char *)item + field->offset) : NULL;
}
