/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Our own engine at several orders. */

#include "peers/trammel.h"

#include "common/peers/trammel.h"

static void *create_order_2(const scene *s, double h, const char **why)
{
    return trammel_create(s, h, &(trammel_settings){.order = 2, .tolerance = 1e-10}, why);
}

static void *create_order_4(const scene *s, double h, const char **why)
{
    return trammel_create(s, h, &(trammel_settings){.order = 4, .tolerance = 1e-12}, why);
}

static void *create_order_6(const scene *s, double h, const char **why)
{
    return trammel_create(s, h, &(trammel_settings){.order = 6, .tolerance = 1e-12}, why);
}

static void *create_order_8(const scene *s, double h, const char **why)
{
    return trammel_create(s, h, &(trammel_settings){.order = 8, .tolerance = 1e-12}, why);
}

static void *create_reference(const scene *s, double h, const char **why)
{
    return trammel_create(s, h, &(trammel_settings){.order = 8, .tolerance = 1e-13}, why);
}

const peer trammel_peers[] = {
    TRAMMEL_PEER("order 2", "impulse method, direct solver, D_max 1e-10", create_order_2),
    TRAMMEL_PEER("order 4", "composed of 5 steps, D_max 1e-12", create_order_4),
    TRAMMEL_PEER("order 6", "composed of 9 steps, D_max 1e-12", create_order_6),
    TRAMMEL_PEER("order 8", "composed of 15 steps, D_max 1e-12", create_order_8),
    {0},
};

const peer trammel_reference = TRAMMEL_PEER("reference", "order 8, D_max 1e-13", create_reference);
