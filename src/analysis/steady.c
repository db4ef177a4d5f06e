/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "analysis/steady.h"

#include "base/message.h"

bool trm_linearise_motion(trm_linear_work *l)
{
    trm_say(l->messages, TRM_ERROR, (trm_place){0}, "", "the state moves; linearise at a state at rest");
    l->failed = true;
    return false;
}
