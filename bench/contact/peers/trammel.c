/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Our own engine in its two modes: `event`, in which impacts and ends of slides are located to rounding, and
 * `window`, in which all contacts within a step are solved together. Large islands are swept in both. */

#include "common/peers/trammel.h"

static void *create_event(const scene *s, double h, const char **why)
{
    return trammel_create(s, h, &(trammel_settings){.impact = "event", .order = 2, .tolerance = 1e-11}, why);
}

static void *create_window(const scene *s, double h, const char **why)
{
    return trammel_create(s, h, &(trammel_settings){.impact = "window", .order = 2, .tolerance = 1e-11}, why);
}

const peer trammel_peers[] = {
    TRAMMEL_PEER("event", "impact event, solver direct, D_max 1e-11", create_event),
    TRAMMEL_PEER("window", "impact window, solver direct, D_max 1e-11; large islands by sweeps", create_window),
    {0},
};
