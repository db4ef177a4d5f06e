/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Machines made by a few calls, for tests that count elements. Bodies are unit spheres or points called b1, b2, ...
 * in the order in which they are added (b0 is the ground), joints j0, j1, ... */

#ifndef TRM_TESTS_MACHINES_H
#define TRM_TESTS_MACHINES_H

#include "reading.h"

enum { MACHINE_MOST = 1024 };

typedef struct machine {
    trm_model_def *def;
    char body_names[MACHINE_MOST][16], joint_names[MACHINE_MOST][16];
} machine;

static inline void machine_init(machine *m)
{
    memset(m, 0, sizeof *m);
    m->def = trm_model_def_create(NULL);
    strcpy(m->body_names[0], "ground");
}

static inline int add_body(machine *m, trm_body_def body)
{
    const int index = m->def->body_count + 1;
    assert_true(index < MACHINE_MOST);
    snprintf(m->body_names[index], sizeof m->body_names[index], "b%d", index);
    body.name = m->body_names[index];
    assert_int_equal(trm_add_body(m->def, &body), TRM_OK);
    return index;
}

static inline int add_ball(machine *m, double x, double y, double z)
{
    trm_body_def body = trm_default_body_def();
    const double inertia[6] = {0.4, 0.4, 0.4, 0, 0, 0};
    body.mass = 1;
    memcpy(body.inertia, inertia, sizeof inertia);
    body.position = trm_v3(x, y, z);
    return add_body(m, body);
}

static inline int add_point(machine *m, double x, double y, double z)
{
    trm_body_def body = trm_default_body_def();
    body.kind = TRM_BODY_POINT;
    body.mass = 1;
    body.position = trm_v3(x, y, z);
    return add_body(m, body);
}

static inline int add_fixed(machine *m, double x, double y, double z)
{
    trm_body_def body = trm_default_body_def();
    body.kind = TRM_BODY_FIXED;
    body.position = trm_v3(x, y, z);
    return add_body(m, body);
}

/* Adds a joint. Returns its definition, which may be changed before the next joint is added. */
static inline trm_joint_def *add_joint(machine *m, const char *type, int a, int b)
{
    const int index = m->def->joint_count;
    trm_joint_def joint = trm_default_joint_def();
    assert_true(index < MACHINE_MOST);
    snprintf(m->joint_names[index], sizeof m->joint_names[index], "j%d", index);
    joint.name = m->joint_names[index];
    joint.type = type;
    joint.bodies[0] = m->body_names[a];
    joint.bodies[1] = m->body_names[b];
    assert_int_equal(trm_add_joint(m->def, &joint), TRM_OK);
    return &m->def->joints[index];
}

static inline trm_joint_def *add_joint_at(machine *m, const char *type, int a, int b, double x, double y, double z)
{
    trm_joint_def *joint = add_joint(m, type, a, b);
    joint->anchor = trm_v3(x, y, z);
    return joint;
}

/* Adds a hinge about the z axis. */
static inline trm_joint_def *add_hinge(machine *m, int a, int b, double x, double y, double z)
{
    trm_joint_def *joint = add_joint_at(m, "hinge", a, b, x, y, z);
    joint->axis = trm_v3(0, 0, 1);
    return joint;
}

/* Adds a distance between the origins of two bodies, with their present distance. */
static inline trm_joint_def *add_bar(machine *m, int a, int b)
{
    trm_joint_def *joint = add_joint(m, "distance", a, b);
    joint->anchors[0] = joint->anchors[1] = trm_v3(0, 0, 0);
    return joint;
}

static inline void add_drive(machine *m, int host, double value)
{
    const int index = m->def->joint_count;
    trm_joint_def drive = trm_default_joint_def();
    assert_true(index < MACHINE_MOST);
    snprintf(m->joint_names[index], sizeof m->joint_names[index], "j%d", index);
    drive.name = m->joint_names[index];
    drive.type = "drive";
    drive.joint = m->joint_names[host];
    drive.motion = trm_constant_function(value);
    assert_int_equal(trm_add_joint(m->def, &drive), TRM_OK);
}

/* Builds the model and destroys the machine. */
static inline trm_model *machine_finish(machine *m)
{
    trm_model *model = build_model(m->def);
    trm_model_def_destroy(m->def);
    m->def = NULL;
    return model;
}

#endif
