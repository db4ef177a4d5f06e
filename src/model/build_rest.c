/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Checks names and numbers of the sections "defaults" and "simulation". */

#include "base/message.h"
#include "model/model.h"

void trm_require_pair(trm_build *build, trm_place place, const char *kind, const char *element,
                      const char *const bodies[2])
{
    int index[2];
    if (!bodies[0] || !bodies[1]) {
        trm_report_element(build, place, kind, element, "needs \"bodies\": the names of two bodies");
        return;
    }
    for (int k = 0; k < 2; k++) index[k] = trm_named_body(build, place, kind, element, bodies[k]);
    if (index[0] >= 0 && index[0] == index[1])
        trm_report_element(build, place, kind, element, "names the same body twice; a pair needs two");
}

static void check_defaults(trm_build *build)
{
    const trm_model_def *def = build->def;
    if (!(def->friction >= 0 && isfinite(def->friction)))
        trm_report_element(build, (trm_place){0}, "model", def->name,
                           "the default \"friction\" is %g; it must not be negative", def->friction);
    if (!(def->restitution >= 0 && def->restitution <= 1))
        trm_report_element(build, (trm_place){0}, "model", def->name,
                           "the default \"restitution\" is %g; it must lie between 0 (no bounce) and 1 (elastic)",
                           def->restitution);
}

/* Reports an error unless a value is positive. NAN means "not given" and is allowed. */
static void require_positive(trm_build *build, const trm_simulation_def *def, const char *key, double value,
                             const char *unit)
{
    if (!(value > 0 && isfinite(value)))
        trm_report_element(build, def->place, "simulation", build->def->name,
                           "\"%s\" is %g; it must be a positive number%s%s", key, value, unit[0] ? " of " : "", unit);
}

static void check_simulation(trm_build *build, const trm_simulation_def *def)
{
    require_positive(build, def, "step", def->step, "s");
    if (!isnan(def->position_tolerance))
        require_positive(build, def, "tolerance.position", def->position_tolerance, "m");
    if (!isnan(def->angle_tolerance)) require_positive(build, def, "tolerance.angle", def->angle_tolerance, "rad");
    if (!isnan(def->velocity_tolerance))
        require_positive(build, def, "tolerance.velocity", def->velocity_tolerance, "m/s and rad/s");
    if (!isnan(def->error)) require_positive(build, def, "error", def->error, "");
    if (!isnan(def->every)) require_positive(build, def, "every", def->every, "s");
    if (!(def->time >= 0 && isfinite(def->time)))
        trm_report_element(build, def->place, "simulation", build->def->name,
                           "\"time\" is %g s; it must not be negative", def->time);
    if (!(def->order >= 2 && isfinite(def->order) && def->order == floor(def->order)))
        trm_report_element(build, def->place, "simulation", build->def->name,
                           "\"order\" is %g; it must be a whole number, 2 or more", def->order);
}

bool trm_check_remaining(trm_build *build)
{
    check_defaults(build);
    check_simulation(build, &build->def->simulation);
    return trm_build_contacts(build);
}
