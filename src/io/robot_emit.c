/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Adds bodies and forces to the definition, after the body of each part was determined. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tolerance.h"
#include "io/robot.h"
#include "math/rotation.h"
#include "model/def.h"

/* ---- Names -------------------------------------------------------------------------------- */

/* Returns whether names of a model must not contain a character, because columns of results are NAME.x,NAME.y. */
static bool is_forbidden(char c)
{
    return (unsigned char)c < ' ' || c == 0x7f || c == '.' || c == ',' || c == '*' || c == '"' || c == '\'';
}

static bool is_sound(const char *name)
{
    for (const char *c = name; *c; c++)
        if (is_forbidden(*c)) return false;
    return *name && strcmp(name, "ground") != 0;
}

const char *trm_robot_keep_name(const trm_robot *a, const char *name)
{
    const bool reserved = !*name || strcmp(name, "ground") == 0;
    char *made =
        reserved ? trm_arena_format(a->in->def->arena, "%s_", name) : trm_arena_text(a->in->def->arena, name);
    for (char *c = made; c && *c; c++)
        if (is_forbidden(*c)) *c = '_';
    return made;
}

typedef struct renamed {
    const char *first;
    trm_place place;
    int count;
} renamed;

static void note_renamed(renamed *r, const char *name, trm_place place)
{
    if (!name || is_sound(name)) return;
    if (r->count++ == 0) r->first = name, r->place = place;
}

static void report_renamed(const trm_robot *a)
{
    renamed r = {0};
    for (int i = 0; i < a->part_count; i++) {
        const trm_robot_part *part = &a->parts[i];
        note_renamed(&r, part->name, part->place);
        for (int k = 0; k < part->frame_count; k++) note_renamed(&r, part->frames[k].name, part->place);
    }
    for (int i = 0; i < a->connection_count; i++) {
        const trm_connection *c = &a->connections[i];
        if (c->freedom_count == 0) note_renamed(&r, c->name, c->place);
        for (int k = 0; k < c->freedom_count; k++) note_renamed(&r, c->freedoms[k].name, c->freedoms[k].place);
    }
    if (r.count > 0)
        trm_add_warning(a->in->messages, r.place,
                        "%d name%s not possible here, the first is '%s': \"_\" replaces . , * quotes and control "
                        "characters, and is added to ground and to an empty name",
                        r.count, r.count == 1 ? " is" : "s are", r.first);
}

const char *trm_robot_body_name(const trm_robot *a, int part)
{
    return part < 0 ? "ground" : trm_robot_keep_name(a, a->parts[a->parts[part].body].name);
}

/* ---- Bodies ------------------------------------------------------------------------------- */

static trm_mass mass_of(const trm_robot *a, int body)
{
    trm_mass sum = {0};
    for (int i = body; i >= 0; i = a->parts[i].next) {
        const trm_robot_part *part = &a->parts[i];
        if (!(part->mass.mass > 0)) continue;
        const trm_mass moved = i == body ? part->mass : trm_mass_moved(part->mass, part->in_body);
        sum = sum.mass > 0 ? trm_mass_sum(sum, moved) : moved;
    }
    return sum;
}

static bool has_point(const trm_named_point *points, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(points[i].name, name) == 0) return true;
    return false;
}

/* Returns a name that no point of the body has yet; a site and a link that is fixed to the body may have the same
 * name. Returns NULL if out of memory. */
static const char *point_name(trm_arena *arena, const trm_named_point *points, int count, const char *name)
{
    const char *own = name;
    for (int k = 2; own && has_point(points, count, own); k++) own = trm_arena_format(arena, "%s_%d", name, k);
    return own;
}

/* The points of a body, with their orientations in the body frame. */
typedef struct point_list {
    trm_named_point *points;
    trm_quat *turned;
} point_list;

static bool add_point(trm_robot *a, trm_body_def *def, point_list *list, const char *name, trm_pose X)
{
    trm_arena *arena = a->in->def->arena;
    if (!name) return true;
    const char *kept = trm_robot_keep_name(a, name);
    const char *own = kept ? point_name(arena, list->points, def->point_count, kept) : NULL;
    if (!own) return false;
    trm_named_point *grown = trm_arena_grow(arena, list->points, def->point_count, sizeof *grown);
    trm_quat *turned = trm_arena_grow(a->in->scratch, list->turned, def->point_count, sizeof *turned);
    if (!grown || !turned) return false;
    *list = (point_list){grown, turned};
    turned[def->point_count] = X.q;
    grown[def->point_count++] = (trm_named_point){own, X.p};
    def->points = grown;
    return true;
}

/* Returns whether a point should become a frame: it is rotated relative to the body, and the names of the frame's
 * axes are free. */
static bool is_frame(const trm_body_def *def, const point_list *list, int index)
{
    const trm_quat q = list->turned[index];
    const size_t length = strlen(list->points[index].name);
    if (q.x == 0 && q.y == 0 && q.z == 0) return false;
    for (int i = 0; i < def->point_count; i++) {
        const char *other = list->points[i].name;
        if (strlen(other) == length + 2 && strncmp(other, list->points[index].name, length) == 0 &&
            other[length] == '_' && strchr("xyz", other[length + 1]))
            return false;
    }
    return true;
}

/* Converts points that are rotated relative to the body to frames, so that sites, and links fixed to the body, keep
 * their axes. Returns false if out of memory. */
static bool make_frames(trm_robot *a, trm_body_def *def, const point_list *list)
{
    if (def->point_count == 0) return true;
    trm_named_frame *frames = TRM_NEW_ARRAY(a->in->def->arena, trm_named_frame, def->point_count);
    bool *turned = TRM_NEW_ARRAY(a->in->scratch, bool, def->point_count);
    int left = 0;
    if (!frames || !turned) return false;
    for (int i = 0; i < def->point_count; i++) turned[i] = is_frame(def, list, i);
    for (int i = 0; i < def->point_count; i++) {
        const trm_named_point p = list->points[i];
        if (turned[i])
            frames[def->frame_count++] =
                (trm_named_frame){.name = p.name, .position = p.position, .orientation = list->turned[i]};
        else
            list->points[left++] = p;
    }
    def->point_count = left;
    if (def->frame_count > 0) def->frames = frames;
    return true;
}

static bool add_frames(trm_robot *a, int body, int p, trm_body_def *def, point_list *points)
{
    const trm_robot_part *part = &a->parts[p];
    if (p != body && !add_point(a, def, points, part->name, part->in_body)) return false;
    for (int k = 0; k < part->frame_count; k++)
        if (!add_point(a, def, points, part->frames[k].name, trm_pose_mul(part->in_body, part->frames[k].pose)))
            return false;
    return true;
}

/* Returns whether a shape has a volume. Warns about those that have none, which are placeholders in robot files. */
static bool has_size(const trm_robot *a, const trm_robot_part *part, const trm_shape_def *s)
{
    const bool sphere = strcmp(s->type, "sphere") == 0, capsule = strcmp(s->type, "capsule") == 0;
    const bool cylinder = strcmp(s->type, "cylinder") == 0;
    const bool box = strcmp(s->type, "box") == 0 || strcmp(s->type, "ellipsoid") == 0;
    const bool flat = ((sphere || capsule || cylinder) && !(s->radius > 0)) ||
                      ((capsule || cylinder) && !(s->length > 0)) ||
                      (box && !(s->size.x > 0 && s->size.y > 0 && s->size.z > 0));
    if (flat)
        trm_add_warning(a->in->messages, s->place,
                        "link '%s': a %s without a size is left out; its lengths must be positive", part->name,
                        s->type);
    return !flat;
}

static bool add_shapes(trm_robot *a, int body, int p, trm_body_def *def, trm_shape_def **shapes)
{
    const trm_robot_part *part = &a->parts[p];
    for (int k = 0; k < part->shape_count; k++) {
        if (!has_size(a, part, &part->shapes[k].def)) continue;
        trm_shape_def shape = part->shapes[k].def;
        shape.group = part->shapes[k].type, shape.mask = part->shapes[k].affinity;
        if (p != body) {
            const trm_pose X = trm_pose_mul(part->in_body, (trm_pose){shape.orientation, shape.position});
            shape.position = X.p, shape.orientation = X.q;
        }
        if (!TRM_APPEND(a->in->def->arena, *shapes, def->shape_count, shape)) return false;
        def->shapes = *shapes;
    }
    return true;
}

static bool gather(trm_robot *a, int body, trm_body_def *def)
{
    point_list points = {NULL, NULL};
    trm_shape_def *shapes = NULL;
    for (int p = body; p >= 0; p = a->parts[p].next)
        if (!add_frames(a, body, p, def, &points) || !add_shapes(a, body, p, def, &shapes)) return false;
    return make_frames(a, def, &points);
}

/* Returns possible moments for impossible ones: raises each of the smaller two by half of the missing amount. */
static trm_vec3 repaired(trm_vec3 m)
{
    const double largest = fmax(m.x, fmax(m.y, m.z)), missing = 2 * largest - (m.x + m.y + m.z);
    if (missing <= 0) return m;
    return trm_v3(m.x == largest ? m.x : m.x + 0.5 * missing, m.y == largest ? m.y : m.y + 0.5 * missing,
                  m.z == largest ? m.z : m.z + 0.5 * missing);
}

static void check_inertia(const trm_robot *a, int body, trm_mass *mass, trm_body_def *def)
{
    const trm_principal p = trm_principal_axes(mass->inertia);
    if (p.moments.x == 0 && p.moments.y == 0 && p.moments.z == 0) {
        trm_add_error(
            a->in->messages, a->parts[body].place,
            "link '%s' has a mass of %g kg but no moments of inertia; give them, or hold it by a fixed joint",
            a->parts[body].name, mass->mass);
        return;
    }
    if (trm_inertia_is_possible(p.moments, TRM_FILE_DIGITS)) return;
    const bool positive = fmin(p.moments.x, fmin(p.moments.y, p.moments.z)) > 0;
    const bool repair = a->in->options->inertia == TRM_INERTIA_REPAIR;
    const bool usable = repair || (positive && a->in->options->inertia == TRM_INERTIA_KEEP);
    if (repair) {
        const trm_mat3 R = trm_quat_matrix(p.axes);
        mass->inertia = trm_mat_mul(trm_mat_mul(R, trm_diag(repaired(p.moments))), trm_transpose(R));
    }
    def->impossible_inertia = !repair;
    trm_add_message(a->in->messages, usable ? TRM_WARNING : TRM_ERROR, a->parts[body].place, "",
                    "link '%s': no body can have the principal moments %.3g, %.3g, %.3g kg m^2: %s; %s",
                    a->parts[body].name, p.moments.x, p.moments.y, p.moments.z,
                    positive ? "one exceeds the sum of the other two" : "they must be positive",
                    repair   ? "the smaller ones are raised"
                    : usable ? "they are used as given (--inertia repair raises the smaller ones)"
                             : "take --inertia repair, which raises the smaller ones");
}

static void set_mass(const trm_robot *a, int body, trm_body_def *def)
{
    trm_mass mass = mass_of(a, body);
    check_inertia(a, body, &mass, def);
    def->mass = mass.mass;
    def->com = mass.com;
    const double(*I)[3] = (const double(*)[3])mass.inertia.m;
    const double moments[6] = {I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]};
    memcpy(def->inertia, moments, sizeof moments);
}

static bool add_body(trm_robot *a, int body)
{
    const trm_robot_part *part = &a->parts[body];
    trm_body_def def = trm_default_body_def();
    def.place = part->place;
    def.name = trm_robot_keep_name(a, part->name);
    def.position = part->world.p;
    def.orientation = trm_quat_unit(part->world.q);
    if (part->fixed)
        def.kind = TRM_BODY_FIXED;
    else
        set_mass(a, body, &def);
    if (!part->fixed) def.gravity_factor = part->gravity;
    return gather(a, body, &def) && trm_add_body(a->in->def, &def) == TRM_OK;
}

/* ---- Forces ------------------------------------------------------------------------------- */

/* Enters the names of forces that were added since the last call. Returns false if out of memory. */
static bool index_forces(trm_robot *a)
{
    const trm_model_def *def = a->in->def;
    while (a->force_count < def->force_count) {
        const char *name = def->forces[a->force_count].name;
        if (!trm_names_append(&a->force_names, a->in->scratch, &a->force_count, name ? name : "")) return false;
    }
    return true;
}

const char *trm_robot_force_name(trm_robot *a, const char *name)
{
    const char *made = trm_robot_keep_name(a, name);
    if (!index_forces(a)) return NULL;
    for (int k = 2; made && a->force_count > 0 && trm_names_find(&a->force_names, made) >= 0; k++)
        made = trm_arena_format(a->in->def->arena, "%s_%d", name, k);
    return made;
}

static bool add_tendon(trm_robot *a, const trm_robot_spring *s)
{
    trm_force_def def = trm_default_force_def();
    def.place = s->place;
    def.name = trm_robot_force_name(a, s->name);
    def.type = "spring";
    def.bodies[0] = trm_robot_body_name(a, s->parts[0]);
    def.bodies[1] = trm_robot_body_name(a, s->parts[1]);
    trm_robot_set_ends(a, s->parts, s->ends, def.anchors);
    def.stiffness = s->stiffness;
    def.damping = s->damping;
    def.rest = s->rest;
    return trm_add_force(a->in->def, &def) == TRM_OK;
}

/* Adds a force for a part whose factor of gravity differs from that of its body: the difference of its weight.
 * Returns false if out of memory. */
static bool add_lift(trm_robot *a, const trm_robot_part *part)
{
    trm_force_def def = trm_default_force_def();
    const double factor = part->gravity - a->parts[part->body].gravity;
    const trm_vec3 force = trm_v3_scale(factor * part->mass.mass, a->in->def->gravity);
    if (factor == 0 || !(part->mass.mass > 0) || a->parts[part->body].fixed) return true;
    def.place = part->place;
    const char *name = trm_arena_format(a->in->scratch, "%s lift", part->name);
    def.name = name ? trm_robot_keep_name(a, name) : NULL;
    def.type = "force";
    def.body = trm_robot_keep_name(a, a->parts[part->body].name);
    def.at = trm_pose_point(part->in_body, part->mass.com);
    def.value[0] = trm_constant_function(force.x);
    def.value[1] = trm_constant_function(force.y);
    def.value[2] = trm_constant_function(force.z);
    return def.name && trm_add_force(a->in->def, &def) == TRM_OK;
}

/* The bits of all colliding shapes of a body. */
typedef struct bits {
    unsigned group, mask;
} bits;

static bits bits_of(const trm_body_def *body)
{
    bits b = {0, 0};
    for (int k = 0; k < body->shape_count; k++)
        if (body->shapes[k].collide)
            b.group |= (unsigned)body->shapes[k].group, b.mask |= (unsigned)body->shapes[k].mask;
    return b;
}

static bool meet(bits a, bits b)
{
    return (a.group & b.mask) || (b.group & a.mask);
}

/* Selects time-stepping for robots that can come into contact, as in the programs of these formats: it accepts shapes
 * that overlap at the start, and its computing time does not depend on the number of impacts. --impact event selects
 * the event-driven mode. Bodies are compared by the kinds of their bits, of which there are few. Returns false if out
 * of memory. */
static bool choose_contacts(trm_robot *a)
{
    trm_model_def *def = a->in->def;
    bits *kinds = NULL;
    int count = 0;
    for (int i = 0; i < def->body_count; i++) {
        const bits own = bits_of(&def->bodies[i]);
        bool known = !own.group && !own.mask;
        for (int k = 0; k < count; k++) {
            if (meet(own, kinds[k])) {
                def->simulation.impact = "window";
                return true;
            }
            known = known || (own.group == kinds[k].group && own.mask == kinds[k].mask);
        }
        if (!known && !TRM_APPEND(a->in->scratch, kinds, count, own)) return false;
    }
    return true;
}

bool trm_robot_emit(trm_robot *a)
{
    bool good = trm_def_reserve(a->in->def, TRM_DEF_BODY, a->part_count) &&
                trm_def_reserve(a->in->def, TRM_DEF_JOINT, a->connection_count + a->coupling_count);
    report_renamed(a);
    trm_robot_mask_shapes(a);
    for (int b = 0; good && b < a->part_count; b++)
        if (a->parts[b].body == b && !a->parts[b].left_out) good = add_body(a, b);
    good = good && trm_robot_add_joints(a) && !a->in->def->arena->failed; /* after that all elements have names */
    for (int i = 0; good && i < a->spring_count; i++) good = add_tendon(a, &a->springs[i]);
    for (int i = 0; good && i < a->part_count; i++) good = add_lift(a, &a->parts[i]);
    if (good && !(a->in->without & TRM_WITHOUT_CONTACTS)) good = choose_contacts(a);
    return good && trm_robot_add_couplings(a) && trm_robot_part_robots(a);
}
