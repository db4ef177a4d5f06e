/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Reading, writing and describing one object by its form. */

#include "io/form.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/names.h"

enum { MESSAGE_TEXT = 500, MOST_FIELDS = 64 };

/* ---- Messages ----------------------------------------------------------------------------- */

static void report_at(trm_reader *reader, int line, int column, const char *format, va_list arguments)
{
    char text[MESSAGE_TEXT];
    vsnprintf(text, sizeof text, format, arguments);
    const trm_place place = {reader->file, line, column};
    if (reader->key)
        trm_add_message(reader->messages, TRM_ERROR, place, reader->element, "\"%s\": %s", reader->key, text);
    else
        trm_add_message(reader->messages, TRM_ERROR, place, reader->element, "%s", text);
}

void trm_read_error_at(trm_reader *reader, int line, int column, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report_at(reader, line, column, format, arguments);
    va_end(arguments);
}

void trm_read_error(trm_reader *reader, const trm_json *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report_at(reader, at->line, at->column, format, arguments);
    va_end(arguments);
}

void trm_name_element(trm_reader *reader, const char *label, const trm_json *object, int index)
{
    const trm_json *name = object->kind == TRM_JSON_OBJECT ? trm_json_member_value(object, "name") : NULL;
    if (name && name->kind == TRM_JSON_STRING)
        snprintf(reader->element, sizeof reader->element, "%s '%s'", label, name->text);
    else
        snprintf(reader->element, sizeof reader->element, "%s number %d", label, index + 1);
}

static const char *article(const char *word)
{
    return strchr("aeio", word[0]) ? "an" : "a";
}

/* ---- Kinds and hooks ---------------------------------------------------------------------- */

const trm_kind *trm_kind_of(const trm_field *field)
{
    static const trm_kind *const kinds[TRM_VALUE_KINDS] = {
#define TRM_VALUE_KIND(name, bytes, hash) [TRM_VALUE_##name] = &trm_kind_##name,
#include "model/value_kinds.h"
#undef TRM_VALUE_KIND
    };
    return kinds[field->kind];
}

const trm_form_hooks *trm_hooks_of(const trm_form *form)
{
    static const trm_form_hooks none = {0};
    static const trm_form_hooks *const all[] = {&trm_hooks_body, &trm_hooks_shape, &trm_hooks_event,
                                                &trm_hooks_model};
    for (int i = 0; i < TRM_COUNT_OF(all); i++)
        if (all[i]->form == form) return all[i];
    return &none;
}

/* ---- Variants ----------------------------------------------------------------------------- */

/* Returns whether a variant has the field in the file. */
static bool takes(const trm_field *field, unsigned variant_takes)
{
    return field->key[0] && trm_field_is_taken(field, variant_takes);
}

/* Words that other programs use for what we have. */
static const struct {
    const char *word, *ours;
} known_elsewhere[] = {
    {"revolute", "hinge"}, {"pin", "hinge"},      {"prismatic", "slider"},     {"spherical", "ball"},
    {"socket", "ball"},    {"weld", "fixed"},     {"hooke", "universal"},      {"cardan", "universal"},
    {"cube", "box"},       {"helical", "screw"},  {"cylindrical", "cylinder"}, {"rope", "distance"},
    {"damper", "spring"},  {"dashpot", "spring"},
};

/* Our keys and what other programs call them, in the order in which they are tried. */
static const struct {
    const char *ours, *keys;
} keys_elsewhere[] = {
    {"stiffness", "k"},
    {"damping", "d c"},
    {"velocity", "speed"},
    {"step", "dt h timestep"},
    {"size", "half half_size extents"},
    {"length", "height"},
    {"bodies", "child body1 links"},
    {"position", "origin pos"},
    {"orientation", "quat rotation rpy euler"},
    {"time", "duration"},
    {"rest", "rest_length restlength"},
    {"value", "torque force"},
    {"joints", "joint1"},
    {"q0", "angle"},
    {"motion", "value"},
    {"target", "value"},
    {"kp", "p"},
    {"ki", "i"},
    {"kd", "d"},
    {"max", "torque max_torque max_force"},
    {"radius", "r"},
    {"shapes", "geometry collision"},
    {"forces", "springs motors actuators"},
};

/* Returns the key that a variant has in place of one of other programs, NULL: none. */
static const char *key_from_elsewhere(const char *key, const char *const *keys, int count)
{
    for (size_t i = 0; i < sizeof keys_elsewhere / sizeof *keys_elsewhere; i++)
        for (int k = 0; k < count; k++)
            if (strcmp(keys[k], keys_elsewhere[i].ours) == 0 && trm_has_word(keys_elsewhere[i].keys, key))
                return keys[k];
    return NULL;
}

static bool has_variant(const trm_form *form, const char *name)
{
    for (int i = 0; form->variant(i).name; i++)
        if (strcmp(form->variant(i).name, name) == 0) return true;
    return false;
}

/* Returns whether the word is one of the choices, and sets which. */
static bool explain_word(trm_reader *reader, const trm_form *form, const trm_json *type)
{
    for (size_t i = 0; i < sizeof known_elsewhere / sizeof known_elsewhere[0]; i++) {
        if (strcmp(known_elsewhere[i].word, type->text) != 0) continue;
        if (!has_variant(form, known_elsewhere[i].ours)) return false;
        trm_read_error(reader, type, "there is no %s type \"%s\"; it is called \"%s\" here", form->name, type->text,
                       known_elsewhere[i].ours);
        return true;
    }
    return false;
}

/* Reports that no variant has the type, and which is meant. */
static void report_type(trm_reader *reader, const trm_form *form, const trm_json *type)
{
    const char *names[MOST_FIELDS];
    char known[MESSAGE_TEXT / 2] = "";
    int count = 0;
    if (explain_word(reader, form, type)) return;
    for (; count < MOST_FIELDS && form->variant(count).name; count++) {
        const size_t used = strlen(known);
        names[count] = form->variant(count).name;
        snprintf(known + used, sizeof known - used, "%s%s", count ? ", " : "", names[count]);
    }
    const char *near = trm_nearest_word(type->text, names, count);
    const char *list = reader->root ? trm_list_of_type(reader->root, type->text) : NULL;
    if (list)
        trm_read_error(reader, type, "there is no %s type \"%s\"; put it under \"%s\"", form->name, type->text, list);
    else if (near)
        trm_read_error(reader, type, "there is no %s type \"%s\"; did you mean \"%s\"?", form->name, type->text,
                       near);
    else
        trm_read_error(reader, type, "there is no %s type \"%s\"; the types are %s", form->name, type->text, known);
}

/* Finds the variant by the word under "type". Returns false after reporting that there is none. */
static bool variant_by_type(trm_reader *reader, const trm_form *form, const trm_json *object, trm_variant *variant)
{
    const trm_json *type = trm_json_member_value(object, "type");
    if (!type) {
        trm_read_error(reader, object, "%s %s needs a \"type\", such as \"%s\"", article(form->name), form->name,
                       form->variant(0).name);
        return false;
    }
    reader->key = "type";
    const bool is_word = trm_require_kind(reader, type, TRM_JSON_STRING, "a word in quotes");
    reader->key = NULL;
    if (!is_word) return false;
    for (int i = 0; (*variant = form->variant(i)).name; i++)
        if (strcmp(variant->name, type->text) == 0) return true;
    report_type(reader, form, type);
    return false;
}

static bool find_variant(trm_reader *reader, const trm_form *form, const trm_json *object, void *item,
                         trm_variant *variant)
{
    *variant = (trm_variant){NULL, ~0u, NULL};
    if (!form->variant) return true;
    const trm_form_hooks *hooks = trm_hooks_of(form);
    return hooks->which ? hooks->which(reader, object, item, variant)
                        : variant_by_type(reader, form, object, variant);
}

/* ---- Reading ------------------------------------------------------------------------------ */

/* A key may have several fields, for variants that mean different things by it. */
static bool knows_key(const trm_form *form, unsigned variant_takes, const char *key)
{
    for (int i = 0; i < form->field_count; i++)
        if (takes(&form->fields[i], variant_takes) && strcmp(form->fields[i].key, key) == 0) return true;
    return false;
}

/* "a hinge", "an event", "\"tolerance\"" */
static void name_owner(const trm_form *form, const trm_variant *variant, char *buffer, size_t size)
{
    const char *kind = variant->name ? variant->name : form->name;
    if (form->size > 0)
        snprintf(buffer, size, "%s %s", article(kind), kind);
    else
        snprintf(buffer, size, "\"%s\"", kind);
}

/* "; it is a key of a body and of a joint", or an empty text if no element has the key */
static void name_owners_of(const trm_reader *reader, const trm_form *form, const char *key, char *text, size_t size)
{
    const trm_form *owners[TRM_MOST_OWNERS];
    const bool is_element = form->size > 0 && form != reader->root;
    const int count = reader->root && is_element ? trm_owners_of_key(reader->root, key, owners) : 0;
    size_t at = 0;
    text[0] = 0;
    for (int i = 0; i < count && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s of %s %s",
                               i == 0           ? "; it is a key"
                               : i == count - 1 ? " and"
                                                : ",",
                               article(owners[i]->name), owners[i]->name);
}

/* "; remove it (motor, servo take it)": the variants of the same element that have the key, if they are few */
static void name_variants_of(const trm_form *form, const char *key, char *text, size_t size)
{
    enum { FEW = 6 };
    int count = 0;
    size_t at = (size_t)snprintf(text, size, "; remove it");
    for (int i = 0; form->variant(i).name; i++) count += knows_key(form, form->variant(i).takes, key);
    if (count == 0 || count > FEW) return;
    for (int i = 0, listed = 0; form->variant(i).name && at < size; i++)
        if (knows_key(form, form->variant(i).takes, key)) {
            const char *before = listed == 0 ? " (" : listed == count - 1 ? " and " : ", ";
            at += (size_t)snprintf(text + at, size - at, "%s%s", before, form->variant(i).name);
            listed++;
        }
    if (at < size) snprintf(text + at, size - at, count == 1 ? " takes it)" : " take it)");
}

/* Returns the key of a list of the element whose items have a key: "coordinates" of a cylinder has "limits"; NULL: none */
static const char *list_with_key(const trm_form *form, const trm_variant *variant, const char *key)
{
    for (int i = 0; i < form->field_count; i++) {
        const trm_field *field = &form->fields[i];
        if (field->form && takes(field, variant->takes) && trm_form_field(field->form, key)) return field->key;
    }
    return NULL;
}

static void unknown_key(trm_reader *reader, const trm_form *form, const trm_variant *variant,
                        const trm_json_member *member)
{
    const char *keys[MOST_FIELDS];
    int count = 0;
    for (int i = 0; i < form->field_count && count < MOST_FIELDS; i++)
        if (takes(&form->fields[i], variant->takes)) keys[count++] = form->fields[i].key;
    const char *known = key_from_elsewhere(member->key, keys, count);
    const char *near = known ? known : trm_nearest_word(member->key, keys, count);
    const bool other_variant = trm_form_field(form, member->key);
    char whose[80], remedy[240];
    name_owner(form, variant, whose, sizeof whose);
    const char *list = near ? NULL : list_with_key(form, variant, member->key);
    if (list)
        snprintf(remedy, sizeof remedy, "; it belongs in its \"%s\"", list);
    else if (other_variant && form->variant && !near)
        name_variants_of(form, member->key, remedy, sizeof remedy);
    else
        name_owners_of(reader, form, member->key, remedy, sizeof remedy);
    if (other_variant && near) remedy[0] = 0;
    if (!remedy[0] && near) snprintf(remedy, sizeof remedy, "; did you mean \"%s\"?", near);
    if (!remedy[0]) snprintf(remedy, sizeof remedy, "; remove it");
    trm_read_error_at(reader, member->line, member->column, "%s %s \"%s\"%s", whose,
                      other_variant ? "does not take" : "has no key", member->key, remedy);
}

/* What the file must say and does not; a missing "type" has been said. */
static void require_keys(trm_reader *reader, const trm_form *form, const trm_variant *variant, const trm_json *object)
{
    for (int i = 0; i < form->field_count; i++) {
        const trm_field *field = &form->fields[i];
        if (!field->required || !takes(field, variant->takes) || trm_json_member_value(object, field->key)) continue;
        char whose[80];
        name_owner(form, variant, whose, sizeof whose);
        trm_read_error(reader, object, "%s needs \"%s\": %s (%s)", whose, field->key, trm_kind_of(field)->what,
                       field->help);
    }
}

/* Keys that are unknown are said in the order of the file, values are read in the order of the form: what later ones
 * stand on (constants, joints before the drives on them) comes first there. */
static bool read_members(trm_reader *reader, const trm_form *form, const trm_json *object, void *item)
{
    trm_variant variant;
    if (!find_variant(reader, form, object, item, &variant)) return true;

    require_keys(reader, form, &variant, object);
    for (int i = 0; i < object->count; i++)
        if (!knows_key(form, variant.takes, object->members[i].key))
            unknown_key(reader, form, &variant, &object->members[i]);
    for (int i = 0; i < form->field_count; i++) {
        const trm_field *field = &form->fields[i];
        const trm_json *value = takes(field, variant.takes) ? trm_json_member_value(object, field->key) : NULL;
        reader->key = field->key;
        if (value && !trm_kind_of(field)->read(reader, field, value, (char *)item + field->offset)) return false;
    }
    reader->key = NULL;
    const trm_form_hooks *hooks = trm_hooks_of(form);
    return !hooks->finish || hooks->finish(reader, object, item);
}

bool trm_form_read(trm_reader *reader, const trm_form *form, const trm_json *object, void *item)
{
    trm_form_set_defaults(form, item);
    return trm_form_read_into(reader, form, object, item);
}

bool trm_form_read_into(trm_reader *reader, const trm_form *form, const trm_json *object, void *item)
{
    const char *key = reader->key;
    if (form->has_place) *(trm_place *)item = (trm_place){reader->file, object->line, object->column};
    if (!trm_require_kind(reader, object, TRM_JSON_OBJECT, "an object { ... }")) return true;
    reader->key = NULL;
    const bool read = read_members(reader, form, object, item);
    reader->key = key;
    return read;
}

/* ---- Writing ------------------------------------------------------------------------------ */

/* A reader wants it even where it is the default: a mark, or what is required; NAN stands for what is not given. */
static bool is_written_always(const trm_field *field, const trm_variant *variant, const void *slot)
{
    if (variant->mark && strcmp(field->key, variant->mark) == 0) return true;
    if (!field->required) return false;
    if (field->kind == TRM_VALUE_number) return !isnan(*(const double *)slot);
    return field->kind == TRM_VALUE_function || field->kind == TRM_VALUE_functions || field->kind == TRM_VALUE_list;
}

void trm_form_write(trm_json_writer *w, const trm_form *form, const void *item)
{
    const trm_variant variant = trm_form_variant_of(form, item);
    for (int i = 0; i < form->field_count; i++) {
        const trm_field *field = &form->fields[i];
        const trm_kind *kind = trm_kind_of(field);
        const char *slot = (const char *)item + field->offset;
        if (!takes(field, variant.takes)) continue;
        if (!kind->decides && trm_field_is_default(field, item) && !is_written_always(field, &variant, slot))
            continue;
        if (kind->write) {
            kind->write(w, field, slot);
        } else { /* an object in place */
            trm_json_open_object(w, field->key);
            trm_form_write(w, field->form, slot);
            trm_json_close(w);
        }
    }
}

/* ---- Schema ------------------------------------------------------------------------------- */

static void schema_of_variant(trm_json_writer *w, const trm_form *form, const trm_variant *variant)
{
    const trm_form_hooks *hooks = trm_hooks_of(form);
    const bool by_type = form->variant && !hooks->mark;
    trm_json_put_text(w, "type", "object");
    trm_json_open_object(w, "properties");
    if (hooks->mark) hooks->mark(w, variant);
    if (form->repeats) {
        trm_json_open_object(w, "repeat");
        trm_schema_ref(w, "number");
        trm_json_put_text(w, "description", "number of copies; {i} and {i+1} in their texts count from 0");
        trm_json_close(w);
    }
    for (int i = 0; i < form->field_count; i++) {
        const trm_field *field = &form->fields[i];
        const trm_kind *kind = trm_kind_of(field);
        const bool is_mark = !kind->schema && !kind->definition;
        if (!takes(field, variant->takes) || is_mark) continue;
        trm_json_open_object(w, field->key);
        if (by_type && strcmp(field->key, "type") == 0)
            trm_json_put_text(w, "const", variant->name);
        else
            trm_kind_schema(w, kind, field);
        if (field->help) trm_json_put_text(w, "description", field->help);
        trm_json_close(w);
    }
    trm_json_close(w);
    trm_json_open_array_flat(w, "required");
    for (int i = 0; i < form->field_count; i++)
        if (form->fields[i].required && takes(&form->fields[i], variant->takes))
            trm_json_put_text(w, NULL, form->fields[i].key);
    if (variant->mark) trm_json_put_text(w, NULL, variant->mark);
    trm_json_close(w);
    trm_json_put_bool(w, "additionalProperties", false);
}

void trm_form_schema(trm_json_writer *w, const trm_form *form)
{
    if (!form->variant) {
        const trm_variant all = {NULL, ~0u, NULL};
        schema_of_variant(w, form, &all);
        return;
    }
    trm_json_open_array(w, "oneOf");
    for (int i = 0; form->variant(i).name; i++) {
        const trm_variant variant = form->variant(i);
        trm_json_open_object(w, NULL);
        schema_of_variant(w, form, &variant);
        trm_json_close(w);
    }
    trm_json_close(w);
}
