/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Builds the joint of a chain from its links (joints/chain.c).
 *
 * The definition gives the line of each link in the world at the start, where the coordinates are q0. The line at
 * q = 0 follows by undoing the motion of the links before it: with X = E_1(q0_1) ... E_i-1(q0_i-1) the axis is
 * R^-1 a and the point X^-1 c. Frame A has the axes of the first body, and its origin lies on the link in the
 * middle. Frame B is at X_AB(q0) at the start. */

#include <string.h>

#include "math/rotation.h"
#include "model/joints/chain.h"
#include "model/model.h"

#define WRONG(...)      trm_report_element(build, def->place, "joint", def->name, __VA_ARGS__)
#define WRONG_LINK(...) trm_report_element(build, link->place, "joint", def->name, __VA_ARGS__)

static bool is_slider(const trm_coordinate_def *link)
{
    return link->type && strcmp(link->type, "slider") == 0;
}

bool trm_build_chain_type(trm_build *build, const trm_joint_def *def, trm_joint *joint)
{
    trm_arena *arena = &build->model->arena;
    trm_joint_type *type = trm_arena_copy(arena, joint->type, 1, sizeof *type);
    trm_part *part = trm_arena_copy(arena, &trm_part_chain, 1, sizeof *part);
    if (!type || !part) return false;
    if (def->coordinate_count < 1 || def->coordinate_count > TRM_JOINT_COORDINATES) {
        WRONG("\"chain\" has %d links; give one to six, each a hinge or a slider", def->coordinate_count);
        return true; /* a chain without links is an error */
    }
    type->coordinates = type->memory = def->coordinate_count;
    for (int k = 0; k < type->coordinates; k++)
        type->kind[k] = is_slider(&def->coordinates[k]) ? TRM_COORDINATE_LENGTH : TRM_COORDINATE_TURN;
    part->rows = TRM_JOINT_ROWS - type->coordinates;
    type->parts[0] = part->rows > 0 ? part : NULL;
    joint->type = type;
    return true;
}

static bool read_link(trm_build *build, const trm_joint_def *def, const trm_coordinate_def *link, int index,
                      trm_chain_link *to)
{
    const double length = trm_v3_length(link->axis);
    const bool slides = is_slider(link), known = slides || (link->type && strcmp(link->type, "hinge") == 0);
    if (!known)
        WRONG_LINK("link %d is a \"%s\"; it must be a \"hinge\" or a \"slider\"", index + 1,
                   link->type ? link->type : "");
    else if (!(length > 0 && isfinite(length)))
        WRONG_LINK("link %d needs \"axis\": [x, y, z], a direction in the world at the start", index + 1);
    else if (!slides && !trm_v3_is_finite(link->anchor))
        WRONG_LINK("link %d, a hinge, needs \"anchor\": [x, y, z], a point of its axis in the world at the start",
                   index + 1);
    else {
        *to = (trm_chain_link){slides, trm_v3_scale(1 / length, link->axis), slides ? trm_v3(0, 0, 0) : link->anchor};
        return true;
    }
    return false;
}

/* Returns the point of the hinge nearest to the middle of the chain. Returns `otherwise` if there are no hinges. */
static trm_vec3 origin_of(const trm_joint_def *def, const trm_chain_link *links, trm_vec3 otherwise)
{
    const int count = def->coordinate_count, middle = count / 2;
    for (int away = 0; away <= count; away++)
        for (int side = -1; side <= 1; side += 2) {
            const int i = middle + side * away;
            if (i >= 0 && i < count && !links[i].slides) return links[i].point;
        }
    return otherwise;
}

/* Transforms the lines from the world at the start to frame A at q = 0. Returns X_AB(q0). */
static trm_pose set_back(trm_pose A, const double *q0, trm_chain_link *links, int count, const trm_joint *joint)
{
    double q[TRM_JOINT_COORDINATES] = {0};
    trm_pose X = trm_pose_identity();
    for (int i = 0; i < count; i++) {
        const trm_pose before = trm_pose_mul(A, X);
        links[i].axis = trm_rotate_back(before.q, links[i].axis);
        if (!links[i].slides) links[i].point = trm_pose_point_back(before, links[i].point);
        q[i] = q0[i];
        X = joint->type->place(joint, q); /* later links are at zero and do not contribute */
    }
    return X;
}

static void refuse_idle_link(trm_build *build, const trm_joint_def *def, const trm_joint *joint)
{
    const int idle = trm_chain_idle_link(joint);
    if (idle < 0) return;
    const trm_coordinate_def *link = &def->coordinates[idle];
    WRONG_LINK(
        "link %d, a %s, moves body '%s' only as the links before it already do, in every pose: nothing determines "
        "how they share the motion; remove it, or put a body with mass between them",
        idle + 1, is_slider(link) ? "slider" : "hinge", build->model->bodies[joint->body[1]].name);
}

bool trm_place_chain(trm_build *build, const trm_joint_def *def, trm_joint *joint, trm_pose F[2])
{
    const trm_body *a = &build->model->bodies[joint->body[0]], *b = &build->model->bodies[joint->body[1]];
    const int count = joint->type->coordinates;
    trm_chain_link *links = TRM_NEW_ARRAY(&build->model->arena, trm_chain_link, count);
    bool good = links && count > 0;
    for (int i = 0; links && i < count; i++) good = read_link(build, def, &def->coordinates[i], i, &links[i]) && good;
    if (!good) return false;
    joint->links = links;
    F[0] = trm_pose_mul(a->start, trm_pose_inverse(a->X_BP));
    F[0].p = origin_of(def, links, trm_pose_mul(b->start, trm_pose_inverse(b->X_BP)).p);
    F[1] = trm_pose_mul(F[0], set_back(F[0], def->q0, links, count, joint));
    refuse_idle_link(build, def, joint);
    return true;
}
