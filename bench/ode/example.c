/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "example.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/messages.h"
#include "trammel/trammel.h"

static void put(double *to, trm_vec3 v)
{
    to[0] = v.x, to[1] = v.y, to[2] = v.z;
}

/* Body 0 is the ground, which a scene does not count. The velocity is that of the centre of mass. */
static scene_body body_of(const trm_model *model, const trm_state *state, int index)
{
    const trm_body_info info = trm_body_info_of(model, index);
    const trm_quat q = trm_quat_mul(trm_body_pose(state, index).q, info.principal.q);
    scene_body body = {.mass = info.mass, .q = {q.w, q.x, q.y, q.z}};
    put(body.inertia, info.moments);
    put(body.p, trm_point_position(state, index, info.principal.p));
    put(body.v, trm_point_velocity(state, index, info.principal.p));
    put(body.w, trm_body_velocity(state, index).ang);
    return body;
}

static bool joint_of(const trm_model *model, const trm_joint_def *def, scene_joint *joint)
{
    const bool hinge = strcmp(def->type, "hinge") == 0;
    *joint = (scene_joint){.type = hinge ? SCENE_HINGE : SCENE_BALL,
                           .a = trm_find_body(model, def->bodies[0]) - 1,
                           .b = trm_find_body(model, def->bodies[1]) - 1};
    put(joint->anchor, def->anchor);
    if (hinge) put(joint->axis, trm_v3_unit(def->axis));
    return hinge || strcmp(def->type, "ball") == 0;
}

static bool copy(const trm_model_def *def, const trm_model *model, const trm_state *state, scene *s)
{
    bool known = scene_make_room(s, def->body_count, def->joint_count);
    put(s->gravity, def->gravity);
    for (int i = 0; known && i < def->body_count; i++) {
        known = trm_body_info_of(model, i + 1).kind == TRM_BODY_RIGID;
        s->bodies[s->body_count++] = body_of(model, state, i + 1);
    }
    for (int j = 0; known && j < def->joint_count; j++)
        known = joint_of(model, &def->joints[j], &s->joints[s->joint_count++]);
    return known;
}

scene *read_example(const char *name)
{
    char path[1000];
    trm_model_def *def = NULL;
    trm_model *model = NULL;
    trm_messages *messages = trm_messages_create(NULL);
    snprintf(path, sizeof path, "%s/%s.json", TRM_EXAMPLES, name);
    const bool read = messages && trm_read_model_file(path, NULL, NULL, messages, &def) == TRM_OK &&
                      trm_model_create(def, NULL, messages, &model) == TRM_OK;
    trm_state *state = read ? trm_state_create(model, NULL) : NULL;
    scene *s = state ? calloc(1, sizeof *s) : NULL;
    if (s) s->name = name;
    if (s && !copy(def, model, state, s)) {
        fprintf(stderr, "%s: has more than rigid bodies on balls and hinges\n", name);
        scene_destroy(s);
        s = NULL;
    }
    print_messages(name, messages);
    trm_state_destroy(state);
    trm_model_destroy(model);
    trm_model_def_destroy(def);
    trm_messages_destroy(messages);
    return s;
}
