/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Places bodies, joints and frames that are given in the frame of another element: "parent".
 *
 * Every element has a pose X in the world at the start. With the frame P of its parent, which is the world without
 * one, and its own numbers x
 *   body    X = P x                             x: position and orientation
 *   frame   X = P x, P the frame of its body if it has no parent of its own
 *   joint   X = (anchor, [x, y, z]), z the axis: anchor and axis in P, or in the first body ("anchors", "axes")
 * x of a joint is that of "x_axis", of "axis2", or perpendicular to the axis in the frame in which the axis is given.
 * A joint without axis has the axes of its first body.
 *
 * An element may stand before its parent in the file. Therefore poses are computed depth first. The stack is an
 * array, because chains of parents can be as long as the model. An element that is found again while it is on the
 * stack closes a cycle. The definition is then copied with all elements given in the world. Elements that could not
 * be placed keep their parent. */

#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/print.h"
#include "math/rotation.h"
#include "model/model.h"

typedef enum item_kind { BODY, JOINT, FRAME } item_kind;
typedef enum item_state { UNSEEN, ON_STACK, PLACED, FAULTY } item_state;

enum { NOTHING = -1, DEPENDENCIES = 3, NAME_TEXT = 300 };

typedef struct item {
    item_kind kind;
    item_state state;
    int index, frame; /* index of the body or joint in the definition, and of the frame in the body */
    /* items that are placed before: the parent, and of a joint its first and second body; NOTHING: none */
    int depends_on[DEPENDENCIES];
    trm_pose within; /* frame of the parent, relative to the item of the parent */
    trm_pose pose;   /* pose in the world at the start; not finite for a joint without frame */
} item;

typedef struct placing {
    trm_build *build;
    trm_arena *arena;
    const trm_model_def *def;
    trm_names body_names, joint_names;
    int *first_frame; /* by body: item of its first frame */
    int item_count;
    item *items; /* bodies, joints, then frames */
    int *stack, depth;
} placing;

/* ---- Elements ----------------------------------------------------------------------------- */

static const trm_body_def *body_of(const placing *p, const item *it)
{
    return &p->def->bodies[it->index];
}

static const trm_joint_def *joint_of(const placing *p, const item *it)
{
    return &p->def->joints[it->index];
}

static const trm_named_frame *frame_of(const placing *p, const item *it)
{
    return &body_of(p, it)->frames[it->frame];
}

static const char *parent_of(const placing *p, const item *it)
{
    if (it->kind == JOINT) return joint_of(p, it)->parent;
    return it->kind == FRAME ? frame_of(p, it)->parent : body_of(p, it)->parent;
}

static trm_place place_of(const placing *p, const item *it)
{
    return it->kind == JOINT ? joint_of(p, it)->place : body_of(p, it)->place;
}

static const char *name_of(const placing *p, const item *it)
{
    const char *name = it->kind == JOINT ? joint_of(p, it)->name : body_of(p, it)->name;
    return name ? name : "";
}

#define WRONG(it, ...)                                                                                               \
    trm_report_element(p->build, place_of(p, it), it->kind == JOINT ? "joint" : "body", name_of(p, it), __VA_ARGS__)

static unsigned takes_of(const trm_joint_def *def)
{
    const trm_joint_type *type = def->type ? trm_find_joint_type(def->type) : NULL;
    return type ? type->takes : 0;
}

/* Returns whether joints with these keys have a frame. Those on curves and surfaces have none: their anchor is a
 * point of the second body. */
static bool has_frame(unsigned takes)
{
    return (takes & TRM_TAKES_ANCHOR) && !(takes & (TRM_TAKES_CURVE | TRM_TAKES_SURFACE));
}

/* ---- Names of parents --------------------------------------------------------------------- */

static void report_name(placing *p, const item *it, const char *name)
{
    enum { SEARCHED = 400 }; /* names searched; enough for a message */
    const char *names[SEARCHED];
    int count = 0;
    for (int i = 0; i < p->def->body_count && count < SEARCHED / 2; i++)
        if (p->def->bodies[i].name) names[count++] = p->def->bodies[i].name;
    for (int i = 0; i < p->def->joint_count && count < SEARCHED; i++)
        if (p->def->joints[i].name) names[count++] = p->def->joints[i].name;
    const char *near = trm_nearest_word(name, names, count);
    WRONG(it, "\"parent\": there is no body or joint '%s'%s%s%s", name, near ? "; did you mean '" : "",
          near ? near : "; write BODY, BODY.POINT or JOINT", near ? "'?" : "");
}

/* Finds a point or frame of a body. Returns false after reporting that the body has neither. */
static bool find_point(placing *p, item *it, int body, const char *name)
{
    const trm_body_def *def = body >= 0 ? &p->def->bodies[body] : NULL;
    for (int i = 0; def && i < def->frame_count; i++)
        if (def->frames[i].name && strcmp(def->frames[i].name, name) == 0) {
            it->depends_on[0] = p->first_frame[body] + i;
            return true;
        }
    for (int i = 0; def && i < def->point_count; i++)
        if (def->points[i].name && strcmp(def->points[i].name, name) == 0) {
            it->depends_on[0] = body;
            it->within.p = def->points[i].position;
            return true;
        }
    if (def)
        WRONG(it, "\"parent\": the body '%s' has no point or frame '%s'; add it to its \"frames\"", def->name, name);
    else
        WRONG(it, "\"parent\": the ground has no points or frames; write \"ground\"");
    return false;
}

static bool find_joint(placing *p, item *it, int index, const char *point)
{
    const trm_joint_def *joint = &p->def->joints[index];
    if (point) {
        WRONG(it, "\"parent\": the joint '%s' has one frame only; write \"%s\"", joint->name, joint->name);
        return false;
    }
    if (takes_of(joint) && !has_frame(takes_of(joint))) {
        WRONG(it,
              "\"parent\": the joint '%s' is a %s, which has no frame; name a body, or a joint with one anchor, such "
              "as a hinge",
              joint->name, joint->type);
        return false;
    }
    it->depends_on[0] = p->def->body_count + index;
    return takes_of(joint) != 0; /* a type that does not exist is reported with the joint */
}

/* Finds the parent of an item by its name. Returns false after reporting that there is none. */
static bool find_parent(placing *p, item *it)
{
    const char *parent = parent_of(p, it), *dot = strchr(parent, '.');
    char owner[NAME_TEXT];
    trm_print(owner, sizeof owner, "%.*s", (int)(dot ? dot - parent : (ptrdiff_t)strlen(parent)), parent);
    const bool ground = strcmp(owner, "ground") == 0;
    const int body = ground ? NOTHING : trm_names_find(&p->body_names, owner);
    const int joint = trm_names_find(&p->joint_names, owner);
    if (body >= 0 && joint >= 0)
        trm_warn(p->build, place_of(p, it), it->kind == JOINT ? "joint" : "body", name_of(p, it),
                 "\"parent\": '%s' is a body and a joint; the body is its parent; rename one of them", owner);
    it->depends_on[0] = body;
    if (ground || body >= 0) return !dot || find_point(p, it, body, dot + 1);
    if (joint >= 0) return find_joint(p, it, joint, dot ? dot + 1 : NULL);
    report_name(p, it, owner);
    return false;
}

/* ---- Dependencies ------------------------------------------------------------------------- */

static bool is_point_mass(const placing *p, int body)
{
    return body >= 0 && p->def->bodies[body].kind == TRM_BODY_POINT;
}

/* Sets the bodies on which the frame of a joint depends. The names of bodies are checked when the joint is built. */
static void add_bodies(const placing *p, item *it)
{
    const trm_joint_def *def = joint_of(p, it);
    const unsigned takes = takes_of(def);
    int body[2];
    if (!has_frame(takes)) return;
    for (int k = 0; k < 2; k++) body[k] = def->bodies[k] ? trm_names_find(&p->body_names, def->bodies[k]) : NOTHING;
    const bool anchors = trm_is_given(def->anchors[0]), axes = trm_is_given(def->axes[0]),
               held = !anchors && !trm_is_given(def->anchor);
    if (anchors || axes || !(takes & TRM_TAKES_AXIS) || (held && is_point_mass(p, body[0])))
        it->depends_on[1] = body[0];
    if ((axes && (takes & TRM_TAKES_AXIS2)) || (held && !is_point_mass(p, body[0]))) it->depends_on[2] = body[1];
}

/* Sets the items that are placed before this one. Returns false after reporting that the item cannot be placed. */
static bool find_dependencies(placing *p, item *it)
{
    it->within = trm_pose_identity();
    for (int k = 0; k < DEPENDENCIES; k++) it->depends_on[k] = NOTHING;
    if (parent_of(p, it) && !find_parent(p, it)) return false;
    if (it->kind == FRAME && !parent_of(p, it)) it->depends_on[0] = it->index;
    if (it->kind == JOINT) add_bodies(p, it);
    return true;
}

/* ---- Poses -------------------------------------------------------------------------------- */

static trm_pose pose_of(const placing *p, int node)
{
    return node == NOTHING ? trm_pose_identity() : p->items[node].pose;
}

/* Returns the frame in which the numbers of an item are given. */
static trm_pose base_of(const placing *p, const item *it)
{
    return trm_pose_mul(pose_of(p, it->depends_on[0]), it->within);
}

/* Returns a prescribed pose at time 0. It is not finite if its functions are wrong, which is reported when the body
 * is built. */
static trm_pose moving_start(const placing *p, const trm_body_def *def)
{
    const trm_model *model = p->build->model;
    trm_expression_error error;
    trm_motion motion = {.axis = trm_v3_unit(def->moving.axis)};
    trm_spatial velocity;
    trm_pose X = {trm_quat_identity(), trm_v3(NAN, NAN, NAN)};
    const trm_function *f[4];
    for (int i = 0; i < 4; i++)
        f[i] = trm_function_build(p->arena, i < 3 ? &def->moving.position[i] : &def->moving.angle, p->def->constants,
                                  p->def->constant_count, model->input_starts, model->input_count, &error);
    if (!f[0] || !f[1] || !f[2] || !f[3]) return X;
    for (int i = 0; i < 3; i++) motion.position[i] = f[i];
    motion.angle = f[3];
    trm_motion_at(&motion, 0, &X, &velocity, NULL);
    return X;
}

/* Returns a copy of a definition with its numbers in the world. P: the frame in which they are given. */
static trm_body_def body_in_world(const trm_body_def *def, trm_pose P)
{
    trm_body_def own = *def;
    own.position = trm_pose_point(P, def->position);
    own.orientation = trm_quat_mul(P.q, trm_quat_unit(def->orientation));
    own.rod.from = trm_pose_point(P, def->rod.from);
    own.rod.to = trm_pose_point(P, def->rod.to);
    own.parent = NULL;
    return own;
}

static trm_pose body_pose(const placing *p, const item *it)
{
    const trm_body_def *def = body_of(p, it);
    if (def->kind == TRM_BODY_MOVING) return moving_start(p, def);
    const trm_body_def own = body_in_world(def, base_of(p, it));
    return trm_start_frame(&own);
}

static trm_vec3 turned(trm_pose X, trm_vec3 v)
{
    return trm_rotate(X.q, v);
}

/* Returns the axes of the frame of a joint. */
static trm_quat joint_axes(const placing *p, const item *it, trm_pose P)
{
    const trm_joint_def *def = joint_of(p, it);
    const unsigned takes = takes_of(def);
    const trm_pose A = pose_of(p, it->depends_on[1]), B = pose_of(p, it->depends_on[2]);
    if (!(takes & TRM_TAKES_AXIS)) return A.q;
    const bool axes = trm_is_given(def->axes[0]);
    const trm_vec3 axis = trm_v3_unit(axes ? def->axes[0] : def->axis);
    const trm_vec3 z = turned(axes ? A : P, axis);
    trm_vec3 x = turned(axes ? A : P, trm_perpendicular(axis));
    if (takes & TRM_TAKES_AXIS2) x = axes ? turned(B, def->axes[1]) : turned(P, def->axis2);
    if (trm_is_given(def->x_axis)) x = turned(P, def->x_axis);
    return trm_frame_from_zx(z, x);
}

/* Returns the frame of a joint. It is not finite if its anchor or axis is missing. */
static trm_pose joint_pose(const placing *p, const item *it)
{
    const trm_joint_def *def = joint_of(p, it);
    const trm_pose P = base_of(p, it), A = pose_of(p, it->depends_on[1]);
    const int held = it->depends_on[is_point_mass(p, it->depends_on[1]) ? 1 : 2];
    trm_vec3 origin =
        trm_is_given(def->anchors[0]) ? trm_pose_point(A, def->anchors[0]) : trm_pose_point(P, def->anchor);
    if (!trm_is_given(def->anchors[0]) && !trm_is_given(def->anchor) && is_point_mass(p, held))
        origin = pose_of(p, held).p;
    if (!has_frame(takes_of(def))) return trm_pose_identity(); /* no element can be placed in such a joint */
    return (trm_pose){joint_axes(p, it, P), origin};
}

static trm_pose frame_pose(const placing *p, const item *it)
{
    const trm_named_frame *frame = frame_of(p, it);
    return trm_pose_mul(base_of(p, it), (trm_pose){trm_quat_unit(frame->orientation), frame->position});
}

/* Computes the pose of an item after those on which it depends. Wrong numbers are reported when the element is built,
 * except those of a joint with a faulty body, which is not built. Therefore a joint without frame is reported
 * here. */
static void compute(placing *p, item *it)
{
    const item *first = it->depends_on[0] == NOTHING ? NULL : &p->items[it->depends_on[0]];
    if (first && first->kind == JOINT && !trm_pose_is_finite(first->pose)) {
        WRONG(
            it,
            "\"parent\": the joint '%s' has no frame, because its anchor or its axis is missing or wrong; give both",
            name_of(p, first));
        it->state = FAULTY;
        return;
    }
    it->pose = it->kind == BODY ? body_pose(p, it) : it->kind == JOINT ? joint_pose(p, it) : frame_pose(p, it);
    it->state = it->kind == JOINT || trm_pose_is_finite(it->pose) ? PLACED : FAULTY;
}

/* ---- Order -------------------------------------------------------------------------------- */

/* Prints what an item is and its name. Returns the number of characters. */
static int print_item(const placing *p, const item *it, char *text, size_t size)
{
    const char *word = it->kind == BODY ? "body" : it->kind == JOINT ? "joint" : "frame";
    const char *frame = it->kind == FRAME && frame_of(p, it)->name ? frame_of(p, it)->name : "";
    return snprintf(text, size, "%s '%.40s%s%.40s'", word, name_of(p, it), it->kind == FRAME ? "." : "", frame);
}

/* Reports the cycle of parents that begins with this item and ends on top of the stack. */
static void report_cycle(placing *p, int node)
{
    enum { SHOWN = 5, TEXT = 500 };
    char text[TEXT] = "";
    int from = p->depth - 1, used = 0;
    while (p->stack[from] != node) from--;
    for (int k = from; k < p->depth; k++) {
        const item *child = &p->items[p->stack[k]], *up = &p->items[k + 1 < p->depth ? p->stack[k + 1] : node];
        if (k - from >= SHOWN || used > TEXT - 200) {
            trm_print(text + used, sizeof text - (size_t)used, ", and so on");
            break;
        }
        used += snprintf(text + used, sizeof text - (size_t)used, "%s", k > from ? ", " : "");
        used += print_item(p, child, text + used, sizeof text - (size_t)used);
        used += snprintf(text + used, sizeof text - (size_t)used, " is placed in ");
        used += print_item(p, up, text + used, sizeof text - (size_t)used);
    }
    const item *it = &p->items[node];
    WRONG(it, "\"parent\" forms a cycle: %s; place one of them in the world", text);
    for (int k = 0; k < p->depth; k++) p->items[p->stack[k]].state = FAULTY;
    p->depth = 0;
}

static void push(placing *p, int node)
{
    item *it = &p->items[node];
    it->state = ON_STACK;
    if (find_dependencies(p, it))
        p->stack[p->depth++] = node;
    else
        it->state = FAULTY;
}

/* Advances the item on top of the stack: pushes the next item on which it depends, or computes its pose and removes
 * it. */
static void advance(placing *p)
{
    item *it = &p->items[p->stack[p->depth - 1]];
    for (int k = 0; k < DEPENDENCIES; k++) {
        const int need = it->depends_on[k];
        const item_state state = need == NOTHING ? PLACED : p->items[need].state;
        if (state == PLACED) continue;
        if (state == ON_STACK) {
            report_cycle(p, need);
        } else if (state == UNSEEN) {
            push(p, need);
        } else {
            it->state = FAULTY; /* the reason has been reported */
            p->depth--;
        }
        return;
    }
    compute(p, it);
    p->depth--;
}

static bool place(placing *p, int node)
{
    if (p->items[node].state == UNSEEN) push(p, node);
    while (p->depth > 0) advance(p);
    return p->items[node].state == PLACED;
}

/* ---- The definition in the world ---------------------------------------------------------- */

static void place_round(trm_pose X, trm_round_def *round)
{
    round->origin = trm_pose_point(X, round->origin);
    round->axis = trm_rotate(X.q, round->axis);
}

/* Moves a joint from the frame of its parent to the world. Returns false when out of memory. */
static bool place_joint(placing *p, trm_joint_def *joint, trm_pose X)
{
    trm_coordinate_def *links =
        trm_arena_copy(p->arena, joint->coordinates, (size_t)joint->coordinate_count, sizeof *links);
    trm_round_def *const rounds[] = {&joint->curve.circle, &joint->curve.helix, &joint->surface.sphere,
                                     &joint->surface.cylinder, &joint->surface.torus};
    if (!links) return false;
    trm_default_x_axis(joint, takes_of(joint));
    joint->x_axis = trm_rotate(X.q, joint->x_axis);
    joint->anchor = trm_pose_point(X, joint->anchor);
    joint->axis = trm_rotate(X.q, joint->axis);
    joint->axis2 = trm_rotate(X.q, joint->axis2);
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) place_round(X, rounds[i]);
    for (int i = 0; i < joint->coordinate_count; i++) {
        links[i].anchor = trm_pose_point(X, links[i].anchor);
        links[i].axis = trm_rotate(X.q, links[i].axis);
    }
    joint->coordinates = links;
    joint->parent = NULL;
    return true;
}

/* Converts frames of a body that have a parent of their own to the frame of the body. Returns false when out of
 * memory. */
static bool place_frames(placing *p, int body, trm_body_def *own)
{
    trm_named_frame *frames = trm_arena_copy(p->arena, own->frames, (size_t)own->frame_count, sizeof *frames);
    if (!frames) return false;
    for (int i = 0; i < own->frame_count; i++) {
        const int node = p->first_frame[body] + i;
        if (!frames[i].parent || !place(p, node) || !place(p, body)) continue;
        const trm_pose X = trm_pose_mul(trm_pose_inverse(p->items[body].pose), p->items[node].pose);
        frames[i] = (trm_named_frame){frames[i].name, X.p, X.q, NULL};
    }
    own->frames = frames;
    return true;
}

static bool place_all(placing *p, trm_body_def *bodies, trm_joint_def *joints)
{
    for (int i = 0; i < p->def->body_count; i++) {
        if (bodies[i].frame_count > 0 && !place_frames(p, i, &bodies[i])) return false;
        if (bodies[i].parent && place(p, i)) {
            const trm_named_frame *frames = bodies[i].frames;
            bodies[i] = body_in_world(&p->def->bodies[i], base_of(p, &p->items[i]));
            bodies[i].frames = frames;
        }
    }
    for (int i = 0; i < p->def->joint_count; i++) {
        const int node = p->def->body_count + i;
        if (joints[i].parent && place(p, node) && !place_joint(p, &joints[i], base_of(p, &p->items[node])))
            return false;
    }
    return true;
}

/* ---- All items ---------------------------------------------------------------------------- */

static bool has_parents(const trm_model_def *def)
{
    for (int i = 0; i < def->joint_count; i++)
        if (def->joints[i].parent) return true;
    for (int i = 0; i < def->body_count; i++) {
        if (def->bodies[i].parent) return true;
        for (int k = 0; k < def->bodies[i].frame_count; k++)
            if (def->bodies[i].frames[k].parent) return true;
    }
    return false;
}

/* Lists the items and their names. Returns false when out of memory. */
static bool list_items(placing *p)
{
    trm_arena *arena = p->arena;
    const trm_model_def *def = p->def;
    p->item_count = def->body_count + def->joint_count;
    for (int i = 0; i < def->body_count; i++) p->item_count += def->bodies[i].frame_count;
    p->first_frame = TRM_NEW_ARRAY(arena, int, def->body_count);
    p->items = TRM_NEW_ARRAY(arena, item, p->item_count);
    p->stack = TRM_NEW_ARRAY(arena, int, p->item_count);
    if (arena->failed || !trm_names_init(&p->body_names, arena, def->body_count)) return false;
    if (!trm_names_init(&p->joint_names, arena, def->joint_count)) return false;
    int next = def->body_count + def->joint_count;
    for (int i = 0; i < def->body_count; i++) {
        p->first_frame[i] = next;
        p->items[i] = (item){.kind = BODY, .index = i};
        if (def->bodies[i].name) trm_names_add(&p->body_names, def->bodies[i].name, i);
        for (int k = 0; k < def->bodies[i].frame_count; k++)
            p->items[next++] = (item){.kind = FRAME, .index = i, .frame = k};
    }
    for (int i = 0; i < def->joint_count; i++) {
        p->items[def->body_count + i] = (item){.kind = JOINT, .index = i};
        if (def->joints[i].name) trm_names_add(&p->joint_names, def->joints[i].name, i);
    }
    return true;
}

void trm_default_x_axis(trm_joint_def *joint, unsigned takes)
{
    if ((takes & TRM_TAKES_X_AXIS) && !trm_is_given(joint->x_axis) && trm_is_given(joint->axis))
        joint->x_axis = trm_perpendicular(trm_v3_unit(joint->axis));
}

bool trm_build_places(trm_build *build, trm_arena *arena)
{
    placing p = {.build = build, .arena = arena, .def = build->def};
    if (!has_parents(p.def)) return true;
    trm_model_def *own = trm_arena_copy(arena, p.def, 1, sizeof *own);
    trm_body_def *bodies = trm_arena_copy(arena, p.def->bodies, (size_t)p.def->body_count, sizeof *bodies);
    trm_joint_def *joints = trm_arena_copy(arena, p.def->joints, (size_t)p.def->joint_count, sizeof *joints);
    if (arena->failed || !list_items(&p) || !place_all(&p, bodies, joints)) return false;
    own->bodies = bodies;
    own->joints = joints;
    build->def = own;
    return !arena->failed;
}
