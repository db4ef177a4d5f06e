/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Finds where a misplaced word of the model file belongs: "mass" in a shape is a key of a body, a "motor" among the
 * joints is a force. Searches the forms list by list, so that new keys and types are found without further work. */

#include "io/form.h"

#include <string.h>

/* Returns the form of the elements of a list, or NULL if the field is not a list. */
static const trm_form *elements_of(const trm_field *field)
{
    return field->count_offset ? field->form : NULL;
}

/* Returns whether at least one variant of the elements accepts a field. */
static bool is_taken(const trm_form *form, const trm_field *field)
{
    if (field->when == 0 || !form->variant) return true;
    for (int i = 0; form->variant(i).name; i++)
        if (field->when & form->variant(i).takes) return true;
    return false;
}

static bool has_key(const trm_form *form, const char *key)
{
    for (int i = 0; i < form->field_count; i++)
        if (strcmp(form->fields[i].key, key) == 0 && is_taken(form, &form->fields[i])) return true;
    return false;
}

static bool has_type(const trm_form *form, const char *type)
{
    const bool by_type = form->variant && !trm_hooks_of(form)->which;
    for (int i = 0; by_type && form->variant(i).name; i++)
        if (strcmp(form->variant(i).name, type) == 0) return true;
    return false;
}

int trm_owners_of_key(const trm_form *form, const char *key, const trm_form *owners[TRM_MOST_OWNERS])
{
    int count = 0;
    for (int i = 0; i < form->field_count && count < TRM_MOST_OWNERS; i++) {
        const trm_form *elements = elements_of(&form->fields[i]);
        if (elements && has_key(elements, key)) owners[count++] = elements;
    }
    for (int i = 0; count == 0 && i < form->field_count; i++) {
        const trm_form *elements = elements_of(&form->fields[i]);
        if (elements) count = trm_owners_of_key(elements, key, owners);
    }
    return count;
}

const char *trm_list_of_type(const trm_form *form, const char *type)
{
    for (int i = 0; i < form->field_count; i++) {
        const trm_form *elements = elements_of(&form->fields[i]);
        if (!elements) continue;
        if (has_type(elements, type)) return form->fields[i].key;
        const char *inside = trm_list_of_type(elements, type);
        if (inside) return inside;
    }
    return NULL;
}
