/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Our own engine at several orders; its method lcp with the parameters of ODE's dWorldStep, and by sweeps as the QuickStep of
 * this bench. */

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

static void *create_by_lcp(const scene *s, double h, const trm_option *options, int count, const char **why)
{
    const trammel_settings settings = {
        .method = "lcp", .options = options, .option_count = count, .order = 2, .tolerance = 1e-10};
    return trammel_create(s, h, &settings, why);
}

static void *create_lcp(const scene *s, double h, const char **why)
{
    static const trm_option as_ode[] = {{.method = "lcp", .name = "solver", .text = "dantzig"},
                                        {.method = "lcp", .name = "erp", .number = 0.2},
                                        {.method = "lcp", .name = "cfm", .number = 1e-10}};
    return create_by_lcp(s, h, as_ode, 3, why);
}

static void *create_sweeps(const scene *s, double h, const char **why)
{
    static const trm_option as_ode[] = {{.method = "lcp", .name = "solver", .text = "pgs"},
                                        {.method = "lcp", .name = "iterations", .number = 50},
                                        {.method = "lcp", .name = "erp", .number = 0.8},
                                        {.method = "lcp", .name = "cfm", .number = 1e-10}};
    return create_by_lcp(s, h, as_ode, 4, why);
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
    TRAMMEL_PEER("lcp", "velocity-level complementarity as in ODE, dantzig, ERP 0.2, CFM 1e-10", create_lcp),
    TRAMMEL_PEER("lcp pgs", "the same by 50 sweeps, ERP 0.8", create_sweeps),
    {0},
};

const peer trammel_reference = TRAMMEL_PEER("reference", "order 8, D_max 1e-13", create_reference);
