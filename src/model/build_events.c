/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Events: they attach or detach joints and replace functions of time, at a given time, at the first contact of two
 * bodies, or by a condition. */

#include <string.h>

#include "base/message.h"
#include "model/model.h"
#include "model/settings.h"

#define WRONG(...) trm_report_element(build, def->place, "event", label_of(def), __VA_ARGS__)

/* ---- Names -------------------------------------------------------------------------------- */

/* Returns whether a joint exists. Searches the definitions, because joints are not built after an error in a body. */
static bool joint_exists(const trm_build *build, const char *name)
{
    for (int i = 0; i < build->def->joint_count; i++)
        if (build->def->joints[i].name && strcmp(build->def->joints[i].name, name) == 0) return true;
    return false;
}

bool trm_require_joint(trm_build *build, trm_place place, const char *kind, const char *element, const char *joint)
{
    if (!joint || joint_exists(build, joint)) return true;
    const char *near = trm_nearest_joint(build, joint);
    trm_report_element(build, place, kind, element, "there is no joint '%s'; %s%s%s", joint,
                       near ? "did you mean '" : "joints are defined under \"joints\"", near ? near : "",
                       near ? "'?" : "");
    return false;
}

static const char *label_of(const trm_event_def *def)
{
    return def->attach              ? def->attach
           : def->detach            ? def->detach
           : def->setting_count > 0 ? "set"
           : def->stop              ? "stop"
                                    : "";
}

static bool waits_for_contact(const trm_event_def *def)
{
    return def->when && strcmp(def->when, "contact") == 0;
}

static void check_event(trm_build *build, const trm_event_def *def)
{
    if (isnan(def->at) == !def->when)
        WRONG("needs either \"at\" (seconds) or \"when\": \"contact\", or a condition such as \"arm.q > 2\"");
    if (!isnan(def->at) && !(def->at >= 0 && isfinite(def->at)))
        WRONG("\"at\" is %g s; it must not be negative", def->at);
    if (waits_for_contact(def)) trm_require_pair(build, def->place, "event", label_of(def), def->bodies);
    if (!waits_for_contact(def) && (def->bodies[0] || def->bodies[1]))
        WRONG("takes \"bodies\" only with \"when\": \"contact\"");
    if (!(def->delay >= 0 && isfinite(def->delay))) WRONG("\"delay\" is %g s; it must not be negative", def->delay);
    if (def->delay > 0 && !def->when) WRONG("has \"at\" and \"delay\"; add them up in \"at\"");
    if (!def->attach && !def->detach && def->setting_count == 0 && !def->stop)
        WRONG("does nothing; give \"attach\", \"detach\", \"set\" or \"stop\"");
    trm_require_joint(build, def->place, "event", label_of(def), def->attach);
    trm_require_joint(build, def->place, "event", label_of(def), def->detach);
}

/* ---- Functions that are replaced ---------------------------------------------------------- */

/* Finds "s1.target" of a servo, drive, motor or actuator s1. After reporting an error, `chosen` of the result is
 * NULL. */
static trm_settable find_settable(trm_build *build, const trm_event_def *def, const char *name)
{
    const char *dot = strrchr(name, '.');
    trm_settable found = {NULL, 0, NULL};
    if (dot) found = trm_settable_called(build->model, name, (size_t)(dot - name), dot + 1);
    if (!found.key) {
        WRONG("there is no '%s' to set; name a servo, drive, motor or actuator and its function of time, as in "
              "\"s1.target\"",
              name);
    } else if (!found.chosen || strcmp(dot + 1, found.key) != 0) {
        WRONG("'%s' cannot be set; what can is \"target\", \"max\" and \"brake\" of a servo, \"motion\" of a drive, "
              "\"velocity\" of a motor, "
              "\"value\" of an actuator",
              name);
        found.chosen = NULL;
    }
    return found;
}

/* Adds the new function to those from which a choice is made. Returns false when out of memory. */
static bool add_choice(trm_build *build, const trm_event_def *def, const trm_setting *setting, trm_event *event)
{
    trm_arena *arena = &build->model->arena;
    const trm_settable found = find_settable(build, def, setting->name);
    if (!found.chosen) return true;
    const trm_function *function =
        trm_build_function(build, def->place, "event", label_of(def), setting->name, &setting->value);
    if (!function) return !arena->failed;
    trm_chosen *chosen = found.chosen;
    trm_remember_choice(build->model, &found);
    if (!TRM_APPEND(arena, chosen->others, chosen->other_count, function)) return false;
    event->choices[event->choice_count++] =
        (trm_choice){trm_arena_text(arena, setting->name), chosen->memory + found.memory_offset, chosen->other_count};
    return !arena->failed;
}

/* ---- The list ----------------------------------------------------------------------------- */

/* Inserts an event by its time. Events of equal time stay in the order of the file. */
static void insert_event(trm_model *model, trm_event event)
{
    int place = model->schedule.count++;
    for (; place > 0 && model->schedule.events[place - 1].at > event.at; place--)
        model->schedule.events[place] = model->schedule.events[place - 1];
    model->schedule.events[place] = event;
    model->schedule.timed += isfinite(event.at) != 0;
}

/* Compiles the condition, and assigns the two numbers in the memory: whether the condition has been false, and the
 * time at which the event acts. Returns false when out of memory. */
static bool build_condition(trm_build *build, const trm_event_def *def, bool sound, trm_event *event)
{
    trm_model *model = build->model;
    trm_expression_error error;
    const bool condition = def->when && !waits_for_contact(def);
    event->memory = model->schedule.memory + 2 * model->schedule.count;
    model->schedule.delayed += def->delay > 0;
    model->schedule.conditions += condition;
    if (!condition || !sound) return true; /* the condition may name elements that were not built */
    if (!trm_compile_formula(model, def->when, build->def->constants, build->def->constant_count, true,
                             &event->condition, &error))
        return false;
    if (!event->condition.expression)
        trm_report_formula(build, def->when_place, "event", label_of(def), def->when, &error);
    return true;
}

/* Builds one event. sound: all elements that it may name are built. Returns false when out of memory. */
static bool build_event(trm_build *build, const trm_event_def *def, bool sound)
{
    trm_model *model = build->model;
    trm_event event = {
        .at = def->when ? INFINITY : def->at,
        .bodies = {-1, -1},
        .attach = def->attach ? trm_names_find(&model->joint_names, def->attach) : -1,
        .detach = def->detach ? trm_names_find(&model->joint_names, def->detach) : -1,
        .delay = def->delay,
        .stop = def->stop,
        .choices = TRM_NEW_ARRAY(&model->arena, trm_choice, def->setting_count),
    };
    if (!event.choices) return false;
    if (!build_condition(build, def, sound, &event)) return false;
    for (int k = 0; waits_for_contact(def) && k < 2; k++)
        event.bodies[k] = def->bodies[k] ? trm_names_find(&model->body_names, def->bodies[k]) : -1;
    for (int i = 0; i < def->setting_count; i++)
        if (!add_choice(build, def, &def->settings[i], &event)) return false;
    insert_event(model, event);
    return true;
}

bool trm_build_events(trm_build *build)
{
    const trm_model_def *def = build->def;
    const bool sound = trm_messages_status(build->messages) == TRM_OK;
    build->model->schedule.memory = build->model->memory_count;
    build->model->memory_count += 2 * def->event_count;
    build->model->schedule.stop_memory = -1;
    for (int i = 0; i < def->event_count && build->model->schedule.stop_memory < 0; i++)
        if (def->events[i].stop) build->model->schedule.stop_memory = build->model->memory_count++;
    build->model->choice_start = build->model->memory_count;
    if (!trm_build_settings(build)) return false;
    build->model->schedule.events = TRM_NEW_ARRAY(&build->model->arena, trm_event, def->event_count);
    if (!build->model->schedule.events) return false;
    for (int i = 0; i < def->event_count; i++) {
        check_event(build, &def->events[i]);
        if (!build_event(build, &def->events[i], sound)) return false;
    }
    return true;
}
