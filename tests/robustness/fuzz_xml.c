/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Fuzz target: any bytes as an XML document are either refused with a message, or a tree in which every element is
 * counted as used or named. */

#include <stdlib.h>

#include "io/xml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) abort();
}

/* Marks every second element as used. */
static void use_some(trm_xml *element, int *seen)
{
    element->used = (*seen)++ % 2 == 0;
    for (trm_xml *child = element->first_child; child; child = child->next) {
        require(child->parent == element && child->place.line > 0);
        use_some(child, seen);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const trm_xml_reason NONE[] = {{NULL, NULL}};
    trm_arena arena;
    trm_xml_count count = {0};
    int seen = 0;
    trm_arena_init(&arena, NULL);
    trm_messages *messages = trm_messages_create(NULL);
    trm_xml *root = trm_xml_parse(&arena, (const char *)data, size, "fuzz.xml", messages);
    require(root || trm_error_count(messages) > 0);
    if (root) {
        use_some(root, &seen);
        require(trm_xml_account(&arena, root, NONE, false, messages, &count));
        require(count.elements == seen && count.used + count.named == seen);
    }
    trm_messages_destroy(messages);
    trm_arena_destroy(&arena);
    return 0;
}
