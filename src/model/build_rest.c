/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Contacts, events, pairs that do not collide, defaults and simulation: their names and numbers are checked
 * here. */

#include <string.h>

#include "base/message.h"
#include "model/model.h"
#include "model/shape.h"

/* A joint by name; an error in a body keeps joints from being built, so look into the definitions. */
static bool joint_exists(const trm_build *build, const char *name)
{
    for (int i = 0; i < build->def->joint_count; i++)
        if (build->def->joints[i].name && strcmp(build->def->joints[i].name, name) == 0) return true;
    return false;
}

bool trm_want_joint(trm_build *build, trm_place place, const char *kind, const char *element, const char *joint)
{
    if (!joint || joint_exists(build, joint)) return true;
    const char *near = trm_nearest_joint(build, joint);
    trm_complain(build, place, kind, element, "there is no joint '%s'; %s%s%s", joint,
                 near ? "did you mean '" : "joints are defined under \"joints\"", near ? near : "", near ? "'?" : "");
    return false;
}

static void want_pair(trm_build *build, trm_place place, const char *kind, const char *element,
                      const char *const bodies[2])
{
    int index[2];
    if (!bodies[0] || !bodies[1]) {
        trm_complain(build, place, kind, element, "needs \"bodies\": the names of two bodies");
        return;
    }
    for (int k = 0; k < 2; k++) index[k] = trm_named_body(build, place, kind, element, bodies[k]);
    if (index[0] >= 0 && index[0] == index[1])
        trm_complain(build, place, kind, element, "names the same body twice; a pair needs two");
}

static void check_contact(trm_build *build, const trm_contact_def *def)
{
    want_pair(build, def->place, "contact", def->bodies[0], def->bodies);
    if (!isnan(def->friction) && !(def->friction >= 0))
        trm_complain(build, def->place, "contact", def->bodies[0], "\"friction\" is %g; it must not be negative",
                     def->friction);
    if (!isnan(def->restitution) && !(def->restitution >= 0 && def->restitution <= 1))
        trm_complain(build, def->place, "contact", def->bodies[0],
                     "\"restitution\" is %g; it must lie between 0 (no bounce) and 1 (elastic)", def->restitution);
    if (!(def->rolling >= 0))
        trm_complain(build, def->place, "contact", def->bodies[0], "\"rolling\" is %g; it must not be negative",
                     def->rolling);
    for (int i = 0; i < def->speed_count; i++) {
        if (!(def->mus[i] >= 0))
            trm_complain(build, def->place, "contact", def->bodies[0],
                         "\"mu\" number %d is %g; it must not be negative", i + 1, def->mus[i]);
        if (i > 0 && !(def->speeds[i] > def->speeds[i - 1]))
            trm_complain(build, def->place, "contact", def->bodies[0],
                         "\"speed\" must increase: number %d is %g after %g", i + 1, def->speeds[i],
                         def->speeds[i - 1]);
    }
}

static const char *label_of(const trm_event_def *def)
{
    return def->attach ? def->attach : def->detach ? def->detach : "set";
}

static void check_event(trm_build *build, const trm_event_def *def)
{
    const char *label = label_of(def);
    if (isnan(def->at) == !def->when)
        trm_complain(build, def->place, "event", label, "needs either \"at\" (seconds) or \"when\": \"contact\"");
    if (!isnan(def->at) && !(def->at >= 0 && isfinite(def->at)))
        trm_complain(build, def->place, "event", label, "\"at\" is %g s; it must not be negative", def->at);
    if (def->when) want_pair(build, def->place, "event", label, def->bodies);
    if (!def->attach && !def->detach && def->setting_count == 0)
        trm_complain(build, def->place, "event", label, "does nothing; give \"attach\", \"detach\" or \"set\"");
    trm_want_joint(build, def->place, "event", label, def->attach);
    trm_want_joint(build, def->place, "event", label, def->detach);
}

/* Where it stands among those before it; equal times stay in the order of the file. */
static void insert_event(trm_model *model, trm_timed_event event)
{
    int place = model->timed_count++;
    for (; place > 0 && model->timed[place - 1].at > event.at; place--) model->timed[place] = model->timed[place - 1];
    model->timed[place] = event;
}

/* False: out of memory. */
static bool build_events(trm_build *build)
{
    trm_model *model = build->model;
    model->timed = TRM_NEW_ARRAY(&model->arena, trm_timed_event, build->def->event_count);
    for (int i = 0; model->timed && i < build->def->event_count; i++) {
        const trm_event_def *def = &build->def->events[i];
        if (def->when || def->setting_count > 0) {
            model->other_event = trm_arena_text(&model->arena, label_of(def));
            continue;
        }
        insert_event(
            model, (trm_timed_event){.at = def->at,
                                     .attach = def->attach ? trm_names_find(&model->joint_names, def->attach) : -1,
                                     .detach = def->detach ? trm_names_find(&model->joint_names, def->detach) : -1});
    }
    return !model->arena.failed;
}

static void check_defaults(trm_build *build)
{
    const trm_model_def *def = build->def;
    if (!(def->friction >= 0 && isfinite(def->friction)))
        trm_complain(build, (trm_place){0}, "model", def->name,
                     "the default \"friction\" is %g; it must not be negative", def->friction);
    if (!(def->restitution >= 0 && def->restitution <= 1))
        trm_complain(build, (trm_place){0}, "model", def->name,
                     "the default \"restitution\" is %g; it must lie between 0 (no bounce) and 1 (elastic)",
                     def->restitution);
}

/* NAN stands for what is not given, where that is allowed. */
static void want_positive(trm_build *build, const trm_simulation_def *def, const char *key, double value,
                          const char *unit)
{
    if (!(value > 0 && isfinite(value)))
        trm_complain(build, def->place, "simulation", build->def->name,
                     "\"%s\" is %g; it must be a positive number%s%s", key, value, unit[0] ? " of " : "", unit);
}

static void check_simulation(trm_build *build, const trm_simulation_def *def)
{
    want_positive(build, def, "step", def->step, "s");
    want_positive(build, def, "tolerance.position", def->position_tolerance, "m");
    want_positive(build, def, "tolerance.angle", def->angle_tolerance, "rad");
    want_positive(build, def, "tolerance.velocity", def->velocity_tolerance, "m/s and rad/s");
    if (!isnan(def->error)) want_positive(build, def, "error", def->error, "");
    if (!isnan(def->every)) want_positive(build, def, "every", def->every, "s");
    if (!(def->time >= 0 && isfinite(def->time)))
        trm_complain(build, def->place, "simulation", build->def->name, "\"time\" is %g s; it must not be negative",
                     def->time);
    if (!(def->order >= 2 && isfinite(def->order) && def->order == floor(def->order)))
        trm_complain(build, def->place, "simulation", build->def->name,
                     "\"order\" is %g; it must be a whole number, 2 or more", def->order);
}

/* A free body with a shape that may touch one of another body; NULL: none. */
static const char *first_that_may_collide(const trm_model *model)
{
    int free_bodies = 0, held_bodies = 0;
    const char *first = NULL;
    for (int i = 0; i < model->body_count; i++) {
        const trm_body *body = &model->bodies[i];
        bool collides = false;
        for (int k = 0; k < body->shape_count; k++) collides = collides || body->shapes[k].collide;
        if (!collides) continue;
        *(body->inverse_mass > 0 ? &free_bodies : &held_bodies) += 1;
        if (body->inverse_mass > 0 && !first) first = body->name;
    }
    return free_bodies > 1 || (free_bodies == 1 && held_bodies > 0) ? first : NULL;
}

bool trm_check_the_rest(trm_build *build)
{
    const trm_model_def *def = build->def;
    for (int i = 0; i < def->contact_count; i++) check_contact(build, &def->contacts[i]);
    for (int i = 0; i < def->event_count; i++) check_event(build, &def->events[i]);
    for (int i = 0; i < def->no_collide_count; i++)
        want_pair(build, def->no_collide[i].place, "no_collide pair", def->no_collide[i].bodies[0],
                  def->no_collide[i].bodies);
    check_defaults(build);
    check_simulation(build, &def->simulation);
    build->model->contact_count = def->contact_count;
    build->model->event_count = def->event_count;
    if (!build_events(build)) return false;
    build->model->may_collide = first_that_may_collide(build->model);
    return true;
}
