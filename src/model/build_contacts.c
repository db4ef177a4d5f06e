/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Checks contacts and pairs that do not collide, and sorts them by their bodies. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "model/model.h"

/* A pair of bodies and its index in the list of the definition. */
typedef struct listed_pair {
    int body[2]; /* [0] < [1] */
    int index;
} listed_pair;

static int compare_listed(const void *a, const void *b)
{
    const listed_pair *p = a, *q = b;
    const int order = trm_compare_pairs(p->body, q->body);
    return order != 0 ? order : p->index - q->index;
}

/* Finds the indices of two bodies, the lower one first. Returns false after reporting an error. */
static bool find_pair(trm_build *build, trm_place place, const char *kind, const char *const bodies[2], int body[2])
{
    const int errors = trm_error_count(build->messages);
    trm_require_pair(build, place, kind, bodies[0], bodies);
    if (trm_error_count(build->messages) > errors) return false;
    const int a = trm_find_body(build->model, bodies[0]), b = trm_find_body(build->model, bodies[1]);
    body[0] = a < b ? a : b;
    body[1] = a < b ? b : a;
    return true;
}

/* ---- Contacts ----------------------------------------------------------------------------- */

#define WRONG(...) trm_report_element(build, def->place, "contact", def->bodies[0], __VA_ARGS__)

/* Reports an error if a value is negative or infinite. what: the key and, in a list, the entry: "mu" number 3. */
static void require_not_negative(trm_build *build, const trm_contact_def *def, const char *what, double value)
{
    if (!(value >= 0))
        WRONG("%s is %g; it must not be negative", what, value);
    else if (isinf(value))
        WRONG("%s is infinite; give a finite number", what);
}

static void check_friction_by_speed(trm_build *build, const trm_contact_def *def)
{
    for (int i = 0; i < def->speed_count; i++) {
        char what[40];
        snprintf(what, sizeof what, "\"mu\" number %d", i + 1);
        require_not_negative(build, def, what, def->mus[i]);
        snprintf(what, sizeof what, "\"speed\" number %d", i + 1);
        require_not_negative(build, def, what, def->speeds[i]);
        if (i > 0 && !(def->speeds[i] > def->speeds[i - 1]))
            WRONG("\"speed\" must increase: number %d is %g after %g", i + 1, def->speeds[i], def->speeds[i - 1]);
    }
}

static bool is_stronge(const trm_contact_def *def)
{
    return def->law && strcmp(def->law, "stronge") == 0;
}

static void check_contact(trm_build *build, const trm_contact_def *def)
{
    if (!isnan(def->friction)) require_not_negative(build, def, "\"friction\"", def->friction);
    if (!isnan(def->restitution) && !(def->restitution >= 0 && def->restitution <= 1))
        WRONG("\"restitution\" is %g; it must lie between 0 (no bounce) and 1 (elastic)", def->restitution);
    if (!isnan(def->rolling)) require_not_negative(build, def, "\"rolling\"", def->rolling);
    if (!isnan(def->torsional)) require_not_negative(build, def, "\"torsional\"", def->torsional);
    if (def->law && !is_stronge(def) && strcmp(def->law, "poisson") != 0)
        WRONG("\"law\" is \"%s\"; it is \"poisson\" or \"stronge\"", def->law);
    check_friction_by_speed(build, def);
}

/* Reports an error if two entries are for the same bodies, because neither has priority. */
static void check_twice(trm_build *build, const trm_contact_def *def, const trm_contact_def *before)
{
    if (before->place.line > 0)
        WRONG("line %d has an entry for '%s' and '%s' already; keep one of the two", before->place.line,
              def->bodies[0], def->bodies[1]);
    else
        WRONG("there is an entry for '%s' and '%s' already; keep one of the two", def->bodies[0], def->bodies[1]);
}

/* Builds one entry. Returns false when out of memory. */
static bool build_contact(trm_build *build, const listed_pair *pair, trm_contact_entry *entry)
{
    const trm_contact_def *def = &build->def->contacts[pair->index];
    trm_arena *arena = &build->model->arena;
    const size_t count = (size_t)def->speed_count;
    *entry = (trm_contact_entry){
        .body = {pair->body[0], pair->body[1]},
        .law = {.friction = def->friction,
                .speeds = trm_arena_copy(arena, def->speeds, count, sizeof *def->speeds),
                .mus = trm_arena_copy(arena, def->mus, count, sizeof *def->mus),
                .speed_count = def->speed_count,
                .restitution = def->restitution,
                .rolling = def->rolling,
                .torsional = def->torsional,
                .stronge = is_stronge(def)},
    };
    return entry->law.speeds && entry->law.mus;
}

static bool build_contacts(trm_build *build)
{
    const trm_model_def *def = build->def;
    trm_model *model = build->model;
    listed_pair *pairs = TRM_NEW_ARRAY(&model->arena, listed_pair, def->contact_count);
    model->collisions.contacts = TRM_NEW_ARRAY(&model->arena, trm_contact_entry, def->contact_count);
    if (!pairs || !model->collisions.contacts) return false;
    int count = 0;
    for (int i = 0; i < def->contact_count; i++) {
        const trm_contact_def *contact = &def->contacts[i];
        check_contact(build, contact);
        pairs[count].index = i;
        count += find_pair(build, contact->place, "contact", contact->bodies, pairs[count].body);
    }
    qsort(pairs, (size_t)count, sizeof *pairs, compare_listed);
    for (int i = 0; i < count; i++) {
        if (!build_contact(build, &pairs[i], &model->collisions.contacts[i])) return false;
        if (i > 0 && trm_compare_pairs(pairs[i - 1].body, pairs[i].body) == 0)
            check_twice(build, &def->contacts[pairs[i].index], &def->contacts[pairs[i - 1].index]);
    }
    model->collisions.contact_count = count;
    return true;
}

/* ---- Pairs that do not collide ------------------------------------------------------------ */

static int compare_parted(const void *a, const void *b)
{
    return trm_compare_pairs(((const trm_excluded_pair *)a)->body, ((const trm_excluded_pair *)b)->body);
}

static bool build_no_collide(trm_build *build)
{
    const trm_model_def *def = build->def;
    trm_model *model = build->model;
    trm_excluded_pair *pairs = TRM_NEW_ARRAY(&model->arena, trm_excluded_pair, def->no_collide_count);
    if (!pairs) return false;
    int count = 0;
    for (int i = 0; i < def->no_collide_count; i++)
        count += find_pair(build, def->no_collide[i].place, "no_collide pair", def->no_collide[i].bodies,
                           pairs[count].body);
    qsort(pairs, (size_t)count, sizeof *pairs, compare_parted);
    model->collisions.no_collide = pairs;
    model->collisions.no_collide_count = count;
    return true;
}

static bool may_contact_another(const trm_model *model, int body)
{
    for (int i = 0; i < model->body_count; i++)
        if (trm_body_has_colliding_shapes(&model->bodies[i]) && trm_bodies_may_collide(model, body, i)) return true;
    return false;
}

static const char *first_that_may_collide(const trm_model *model)
{
    for (int i = 0; i < model->body_count; i++)
        if (model->bodies[i].inverse_mass > 0 && trm_body_has_colliding_shapes(&model->bodies[i]) &&
            may_contact_another(model, i))
            return model->bodies[i].name;
    return NULL;
}

bool trm_build_contacts(trm_build *build)
{
    if (!build_contacts(build) || !build_no_collide(build)) return false;
    build->model->collisions.may_collide = first_that_may_collide(build->model);
    return true;
}
