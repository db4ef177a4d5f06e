/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "ode.h"

#include <math.h>

#include "trammel/elementary.h"
#include "trammel/vecmath.h"

static const double G = 9.81;
const double ode_slope = 35 * TRM_PI / 180, ode_friction = 0.5;

/* (m/s)/N: compliance of contacts. Four corners have twelve rows for six freedoms. With a smaller value dWorldStep fails
 * in the first step of the box on the diagonal ("LCP internal error"), and the block slips by millimetres. */
static const double SOFTNESS = 1e-6;

/* ---- Problems ------------------------------------------------------------------------------ */

/* c'' + 2 beta c' + gamma^2 c = gravity. */
static ode_problem damped(const char *name, double mass, double beta, double gamma, double until)
{
    const double h = 0.0005, stiffness = mass * gamma * gamma, damping = 2 * mass * beta;
    return (ode_problem){.name = name,
                         .h = h,
                         .steps = (int)lround(until / h),
                         .mass = mass,
                         .erp = h * stiffness / (h * stiffness + damping),
                         .cfm = 1 / (h * stiffness + damping)};
}

static ode_problem baumgarte(const char *name, double beta, double gamma)
{
    ode_problem p = damped(name, 2, beta, gamma, 0.2);
    p.gap = 0.01;
    return p;
}

/* Problem (5), (6): alpha adds to the inertia along c, not to the weight. */
static ode_problem soft(const char *name)
{
    const double alpha = 100, omega = 30, mu = 0.3, mass = 2, all = alpha + mass;
    ode_problem p = damped(name, all, alpha / all * omega * mu, sqrt(alpha / all) * omega, 0.1);
    p.gravity = mass * G / all;
    return p;
}

static ode_problem reduced(const char *name, double erp)
{
    return (ode_problem){.name = name, .h = 0.01, .steps = 8, .mass = 2, .erp = erp, .gap = 0.02};
}

static ode_problem slide(const char *name, bool pyramid, double degrees)
{
    return (ode_problem){.name = name,
                         .h = 0.01,
                         .steps = 100,
                         .mass = 0.032,
                         .gravity = G,
                         .erp = 0.2,
                         .cfm = SOFTNESS,
                         .block = true,
                         .pyramid = pyramid,
                         .direction = degrees * TRM_PI / 180};
}

void ode_list_problems(ode_problem all[ODE_PROBLEMS])
{
    const ode_problem list[ODE_PROBLEMS] = {
        baumgarte("Baumgarte, beta 20, gamma 10, after 0.2 s", 20, 10),
        baumgarte("Baumgarte, beta 10, gamma 10, after 0.2 s", 10, 10),
        baumgarte("Baumgarte, beta 3, gamma 20, after 0.2 s", 3, 20),
        soft("penalty (5), alpha 100, after 0.1 s"),
        soft("constraint force mixing (6), 1/alpha"),
        reduced("ERP 0.2, gap after 8 steps", 0.2),
        reduced("ERP 0.8, gap after 8 steps", 0.8),
        {.name = "CFM 0.001, ERP 0.2: sag of 2 kg",
         .h = 0.01,
         .steps = 500,
         .mass = 2,
         .gravity = G,
         .erp = 0.2,
         .cfm = 1e-3},
        slide("pyramid of 4, along a direction", true, 90),
        slide("pyramid of 4, between two", true, 135),
        slide("box, along a side", false, 0),
        slide("box, along the diagonal", false, 45),
    };
    for (int i = 0; i < ODE_PROBLEMS; i++) all[i] = list[i];
}

/* ---- Closed forms -------------------------------------------------------------------------- */

/* Returns c after n steps of implicit Euler of c'' + 2 beta c' + gamma^2 c = 0 from c0 at rest: (1 - h s)^-n instead
 * of exp(s t). */
static double dying_in_steps(double beta, double gamma, double c0, double h, int n)
{
    const double square = beta * beta - gamma * gamma, root = sqrt(fabs(square));
    double even, odd; /* half the sum of both modes; half their difference over the root */
    if (square > 0) {
        const double fast = trm_pow(1 + h * (beta + root), -n);
        const double more = trm_expm1(n * trm_log1p(2 * h * root / (1 + h * (beta - root)))); /* slow/fast - 1 */
        even = fast * (1 + more / 2), odd = fast * more / (2 * root);
    } else {
        const double size = trm_pow(trm_hypot(1 + h * beta, h * root), -n);
        const double turned = n * trm_atan2(h * root, 1 + h * beta);
        even = size * trm_cos(turned);
        odd = square < 0 ? size * trm_sin(turned) / root : size * n * h / (1 + h * beta);
    }
    return c0 * (even + beta * odd);
}

static double gap_of_steps(const ode_problem *p)
{
    if (p->cfm == 0) return p->gap * trm_pow(1 - p->erp, p->steps);
    const double stiffness = p->erp / (p->h * p->cfm), damping = (1 - p->erp) / p->cfm;
    const double rest = p->mass * p->gravity / stiffness;
    return rest + dying_in_steps(damping / (2 * p->mass), sqrt(stiffness / p->mass), p->gap - rest, p->h, p->steps);
}

double slide_of_steps(double mu, double h, int n)
{
    const double a = G * (trm_sin(ode_slope) - mu * trm_cos(ode_slope));
    return fmax(0, a) * h * h * n * (n + 1) / 2;
}

/* Returns the coefficient of friction along the fall line: for the pyramid it is smaller between x and y, for the box
 * larger. */
static double coefficient(const ode_problem *p)
{
    const double share = fmax(fabs(trm_cos(p->direction)), fabs(trm_sin(p->direction)));
    return ode_friction * (p->pyramid ? share : 1 / share);
}

double ode_closed_form(const ode_problem *p)
{
    return p->block ? slide_of_steps(coefficient(p), p->h, p->steps) : gap_of_steps(p);
}
