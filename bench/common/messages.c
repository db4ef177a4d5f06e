/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "common/messages.h"

#include <stdio.h>

enum { MOST_PRINTED = 3 };

void print_messages(const char *about, const trm_messages *messages)
{
    for (int i = 0; messages && i < trm_message_count(messages) && i < MOST_PRINTED; i++)
        fprintf(stderr, "%s: %s\n", about, trm_message_at(messages, i)->text);
}
