/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Settings: functions of time f(t) of servos, motors and actuators. During a run the caller may replace them by a
 * number u, f = u with df/dt = 0 (trm_sim_set), and events may replace them by other functions (chosen.h). The motion
 * of a drive can be replaced by events only, because a position set by the caller would jump. */

#include "model/settings.h"

#include <string.h>

#include "base/check.h"

static trm_settable of_joint(trm_joint *joint)
{
    const bool drives = joint->type->takes & TRM_TAKES_MOTION, turns = joint->type->takes & TRM_TAKES_VELOCITY;
    return (trm_settable){drives                           ? &joint->motion
                          : turns && joint->velocity.first ? &joint->velocity
                                                           : NULL,
                          joint->memory_offset, drives ? "motion" : "velocity"};
}

static trm_settable of_force(trm_force *force)
{
    const bool servo = force->type->takes & TRM_FORCE_TAKES_TARGET, pull = force->type->takes & TRM_FORCE_TAKES_PULL;
    return (trm_settable){servo  ? &force->target
                          : pull ? &force->value[0]
                                 : NULL,
                          force->host ? force->host->memory_offset : 0, servo ? "target" : "value"};
}

/* Returns the function of a key. Only events may set "max" and "brake" of a servo. */
static trm_settable of_force_by(trm_force *force, const char *key)
{
    trm_settable found = of_force(force);
    if (!(force->type->takes & TRM_FORCE_TAKES_TARGET)) return found;
    if (strcmp(key, "max") == 0) found.chosen = &force->most_law, found.key = "max";
    if (strcmp(key, "brake") == 0) found.chosen = &force->brake_law, found.key = "brake";
    return found;
}

static bool is_called(const char *name, const char *text, size_t length)
{
    return name && strlen(name) == length && memcmp(name, text, length) == 0;
}

trm_settable trm_settable_called(const trm_model *model, const char *name, size_t length, const char *key)
{
    for (int i = 0; i < model->shown_joint_count; i++)
        if (model->joints[i].type && is_called(model->joints[i].name, name, length))
            return of_joint(&model->joints[i]);
    for (int i = 0; i < model->force_count; i++)
        if (model->forces[i].type && is_called(model->forces[i].name, name, length))
            return of_force_by(&model->forces[i], key);
    return (trm_settable){NULL, 0, NULL};
}

void trm_remember_choice(trm_model *model, const trm_settable *settable)
{
    trm_chosen *chosen = settable->chosen;
    if (chosen->remembered) return;
    chosen->remembered = true;
    chosen->memory = model->memory_count - settable->memory_offset;
    model->memory_count += 2; /* the choice, and the caller's number */
}

/* ---- Building ----------------------------------------------------------------------------- */

/* Returns whether the coordinate exists. It may not, because building continues after errors. */
static bool coordinate_exists(const trm_joint *host, int coordinate)
{
    return host && host->type && coordinate >= 0 && coordinate < host->coordinates;
}

/* Returns the range of a coordinate x = n q, or of a force along it. */
static trm_setting_info scaled(const char *unit, double low, double high, double scale)
{
    return (trm_setting_info){NULL, unit, {fmin(low * scale, high * scale), fmax(low * scale, high * scale)}};
}

static trm_setting_info info_of_motor(const trm_joint *motor)
{
    const trm_joint *host = motor->host;
    if (!coordinate_exists(host, motor->coordinate)) return scaled("", -INFINITY, INFINITY, 1);
    const double most = host->law[motor->coordinate].max_velocity;
    return scaled(trm_joint_shifts(host, motor->coordinate) ? "m/s" : "rad/s", -most, most, 1);
}

static trm_setting_info info_of_force(const trm_force *force)
{
    if (!coordinate_exists(force->host, force->coordinate)) return scaled("N", -INFINITY, INFINITY, 1);
    const trm_coordinate_law *law = &force->host->law[force->coordinate];
    const bool length = trm_joint_shifts(force->host, force->coordinate);
    const double n = force->gear;
    if (force->type->takes & TRM_FORCE_TAKES_TARGET)
        return scaled(length ? "m" : "rad", law->limits[0], law->limits[1], n);
    trm_setting_info info = scaled(length ? "N" : "N m", -law->effort, law->effort, n != 0 ? 1 / n : 1);
    for (int k = 0; k < 2; k++) /* the narrower range */
        info.range[k] = k == 0 ? fmax(info.range[k], force->range[k]) : fmin(info.range[k], force->range[k]);
    return info;
}

static bool add_setting(trm_model *model, const char *name, const trm_settable *of, trm_setting_info info)
{
    trm_remember_choice(model, of);
    trm_setting_place *setting = &model->settings[model->setting_count++];
    info.name = trm_arena_format(&model->arena, "%s.%s", name, of->key);
    *setting = (trm_setting_place){info, of->chosen, of->memory_offset};
    return info.name != NULL;
}

static bool is_named(const char *name)
{
    return name && name[0];
}

bool trm_build_settings(trm_build *build)
{
    trm_model *model = build->model;
    model->settings = TRM_NEW_ARRAY(&model->arena, trm_setting_place, model->shown_joint_count + model->force_count);
    bool made = model->settings != NULL;
    for (int i = 0; made && i < model->shown_joint_count; i++) {
        trm_joint *joint = &model->joints[i];
        if (!joint->type || joint->type->takes & TRM_TAKES_MOTION) continue;
        const trm_settable of = of_joint(joint);
        if (of.chosen && is_named(joint->name)) made = add_setting(model, joint->name, &of, info_of_motor(joint));
    }
    for (int i = 0; made && i < model->force_count; i++) {
        trm_force *force = &model->forces[i];
        if (!force->type) continue;
        const trm_settable of = of_force(force);
        if (of.chosen && is_named(force->name)) made = add_setting(model, force->name, &of, info_of_force(force));
    }
    return made;
}

/* ---- Queries ------------------------------------------------------------------------------ */

int trm_setting_count(const trm_model *model)
{
    return model->setting_count;
}

trm_setting_info trm_setting_info_of(const trm_model *model, int setting)
{
    TRM_ASSERT(setting >= 0 && setting < model->setting_count);
    return model->settings[setting].info;
}

int trm_find_setting(const trm_model *model, const char *name)
{
    for (int i = 0; i < model->setting_count; i++)
        if (strcmp(model->settings[i].info.name, name) == 0) return i;
    return -1;
}

static bool is_choice(const trm_chosen *chosen, const double *memory)
{
    if (!chosen->remembered) return true;
    const double number = memory[chosen->memory];
    if (number == TRM_CHOSEN_BY_CALLER) return isfinite(memory[chosen->memory + 1]);
    return number >= 0 && number <= chosen->other_count && number == (int)number;
}

bool trm_choices_are_valid(const trm_model *model, const double *memory)
{
    bool sound = true;
    for (int i = 0; sound && i < model->joint_count; i++) {
        const trm_joint *joint = &model->joints[i];
        const double *own = memory + joint->memory_offset;
        sound = is_choice(&joint->motion, own) && is_choice(&joint->velocity, own);
    }
    for (int i = 0; sound && i < model->force_count; i++) {
        const trm_force *force = &model->forces[i];
        const double *own = memory + (force->host ? force->host->memory_offset : 0);
        sound = is_choice(&force->target, own) && is_choice(&force->value[0], own) &&
                is_choice(&force->most_law, own) && is_choice(&force->brake_law, own);
    }
    return sound;
}
