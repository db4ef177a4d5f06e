/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Poses of SDF (sdformat.org, "Pose semantics").
 *
 * <pose relative_to="F">x y z roll pitch yaw</pose>: R = Rz(yaw) Ry(pitch) Rx(roll). Without F the pose of a link or
 * a nested model is relative to the frame of their model, that of a joint to its child, and that of a frame to the
 * link or frame to which it is attached. The pose of a model with a placement frame P is that of P: X_model = X_pose
 * X_P^-1, with X_P relative to the model. */

#include <string.h>

#include "io/sdf.h"
#include "math/rotation.h"

/* ---- Reading ------------------------------------------------------------------------------ */

static trm_quat rotation_of(const double *v, int count, bool degrees)
{
    const double unit = degrees ? TRM_PI / 180 : 1;
    if (count == 7) {
        const trm_quat q = {v[6], v[3], v[4], v[5]};
        return trm_quat_norm(q) > 0 ? trm_quat_unit(q) : trm_quat_identity();
    }
    return trm_quat_from_rpy(unit * v[3], unit * v[4], unit * v[5]);
}

trm_pose trm_sdf_read_pose(trm_sdf *s, trm_xml *element, const char **relative_to)
{
    double v[7] = {0};
    trm_xml *pose = trm_xml_child(element, "pose");
    if (!pose) return trm_pose_identity();
    const char *frame = trm_xml_value(pose, "relative_to"), *degrees = trm_xml_value(pose, "degrees");
    const char *format = trm_xml_value(pose, "rotation_format");
    const bool quaternion = format && strcmp(format, "quat_xyzw") == 0;
    if (relative_to && frame && *frame) *relative_to = frame;
    const int count = trm_xml_list(pose, "its text", pose->text, v, quaternion ? 7 : 6, s->in->messages);
    if (count > 0 && count != (quaternion ? 7 : 6))
        trm_add_error(s->in->messages, pose->place, "<pose> is \"%.60s\"; it must be %s", pose->text,
                      quaternion ? "7 numbers: x y z and the quaternion x y z w" : "6 numbers: x y z roll pitch yaw");
    const bool in_degrees = degrees && (strcmp(degrees, "true") == 0 || strcmp(degrees, "1") == 0);
    return (trm_pose){rotation_of(v, quaternion && count == 7 ? 7 : 6, in_degrees), {v[0], v[1], v[2]}};
}

/* ---- Names -------------------------------------------------------------------------------- */

static trm_sdf_scope *scope_of(trm_sdf *s, int scope)
{
    return scope < 0 ? &s->world : &s->entities[scope].inside;
}

bool trm_sdf_enter(trm_sdf *s, bool *is_new)
{
    const int entity = s->entity_count - 1;
    trm_sdf_scope *scope = scope_of(s, s->entities[entity].scope);
    const char *name = s->entities[entity].name;
    *is_new = scope->count == 0 || trm_names_find(&scope->names, name) < 0;
    if (!*is_new) return true;
    int *grown = trm_arena_grow(s->in->scratch, scope->entities, scope->count, sizeof *grown);
    if (!grown) return false;
    scope->entities = grown;
    grown[scope->count] = entity;
    return trm_names_append(&scope->names, s->in->scratch, &scope->count, name);
}

static int find_here(const trm_sdf *s, int scope, const char *name)
{
    const trm_sdf_scope *here = scope < 0 ? &s->world : &s->entities[scope].inside;
    const int found = here->count > 0 ? trm_names_find(&here->names, name) : -1;
    if (found >= 0) return here->entities[found];
    for (int i = 0; i < here->count; i++)
        if (s->entities[here->entities[i]].merged) {
            const int inside = find_here(s, here->entities[i], name);
            if (inside >= 0) return inside;
        }
    return -1;
}

int trm_sdf_find(const trm_sdf *s, int scope, const char *name)
{
    const int whole = find_here(s, scope, name);
    const char *colons = strstr(name, "::");
    if (whole >= 0 || !colons) return whole;
    const char *outer = trm_arena_text_n(s->in->scratch, name, (size_t)(colons - name));
    const int model = outer ? find_here(s, scope, outer) : -1;
    return model >= 0 ? trm_sdf_find(s, model, colons + 2) : -1;
}

const char *trm_sdf_full_name(const trm_sdf *s, int entity)
{
    const trm_sdf_entity *e = &s->entities[entity];
    int scope = e->scope;
    while (scope >= 0 && s->entities[scope].merged) scope = s->entities[scope].scope;
    const bool single = scope >= 0 && s->entities[scope].scope < 0 && s->top_models <= 1;
    if (scope < 0 || (single && !s->entities[scope].replaced)) return e->name;
    const char *outer = trm_sdf_full_name(s, scope);
    return outer ? trm_arena_format(s->in->scratch, "%s::%s", outer, e->name) : NULL;
}

/* ---- Links to which frames are attached --------------------------------------------------- */

static int first_link(const trm_sdf *s, int model)
{
    trm_xml *element = s->entities[model].element;
    const char *canonical = trm_xml_value(element, "canonical_link");
    const int given = canonical && *canonical ? trm_sdf_find(s, model, canonical) : -1;
    if (given >= 0) return given;
    for (int i = 0; i < s->entity_count; i++)
        if (s->entities[i].scope == model && s->entities[i].kind == TRM_SDF_LINK) return i;
    for (int i = 0; i < s->entity_count; i++)
        if (s->entities[i].scope == model && s->entities[i].kind == TRM_SDF_MODEL) return i;
    return -1;
}

int trm_sdf_link_of(const trm_sdf *s, int entity)
{
    for (int round = 0; entity >= 0 && round <= s->entity_count; round++) {
        const trm_sdf_entity *e = &s->entities[entity];
        if (e->kind == TRM_SDF_LINK) return entity;
        if (e->kind == TRM_SDF_MODEL)
            entity = first_link(s, entity);
        else if (e->base)
            entity = trm_sdf_find(s, e->scope, e->base);
        else
            entity = e->scope;
    }
    return -1;
}

/* ---- Resolution --------------------------------------------------------------------------- */

static trm_pose in_scope(trm_sdf *s, int entity);

/* Returns the pose of an entity in the frame of a model that contains it; -1: in the world. */
static trm_pose seen_from(trm_sdf *s, int entity, int scope)
{
    trm_pose X = trm_pose_identity();
    for (int e = entity; e >= 0 && e != scope; e = s->entities[e].scope) X = trm_pose_mul(in_scope(s, e), X);
    return X;
}

/* Returns the frame to which the pose of an entity is relative, in the frame of its scope. */
static trm_pose base_of(trm_sdf *s, const trm_sdf_entity *e)
{
    const bool own = e->kind == TRM_SDF_FRAME || e->kind == TRM_SDF_JOINT;
    const char *name = e->relative_to ? e->relative_to : own ? e->base : NULL;
    if (!name || strcmp(name, "__model__") == 0 || strcmp(name, "world") == 0) return trm_pose_identity();
    const int base = trm_sdf_find(s, e->scope, name);
    if (base < 0) {
        trm_add_error(s->in->messages, e->element->place, "'%s': there is no frame '%s' that its pose is relative to",
                      e->name, name);
        return trm_pose_identity();
    }
    return seen_from(s, base, e->scope);
}

static trm_pose in_scope(trm_sdf *s, int entity)
{
    trm_sdf_entity *e = &s->entities[entity];
    if (e->state == 2) return e->in_scope;
    if (e->state == 1) {
        trm_add_error(s->in->messages, e->element->place, "the pose of '%s' depends on itself", e->name);
        return trm_pose_identity();
    }
    e->state = 1;
    trm_pose X = trm_pose_mul(base_of(s, e), e->pose);
    const int placed = e->kind == TRM_SDF_MODEL && e->base ? trm_sdf_find(s, entity, e->base) : -1;
    if (e->kind == TRM_SDF_MODEL && e->base && placed < 0)
        trm_add_error(s->in->messages, e->element->place, "model '%s': there is no frame '%s', which places it",
                      e->name, e->base);
    if (placed >= 0) X = trm_pose_mul(X, trm_pose_inverse(seen_from(s, placed, entity)));
    X.q = trm_quat_unit(X.q);
    e->in_scope = X;
    e->state = 2;
    return X;
}

trm_pose trm_sdf_world(trm_sdf *s, int entity)
{
    return seen_from(s, entity, -1);
}

bool trm_sdf_frame(trm_sdf *s, int scope, const char *name, trm_place place, trm_pose *world)
{
    *world = trm_pose_identity();
    if (strcmp(name, "world") == 0) return true;
    const int frame = strcmp(name, "__model__") == 0 ? scope : trm_sdf_find(s, scope, name);
    if (frame >= 0) {
        *world = trm_sdf_world(s, frame);
        return true;
    }
    if (scope < 0 && strcmp(name, "__model__") == 0) return true;
    trm_add_error(s->in->messages, place, "there is no frame '%s'", name);
    return false;
}
