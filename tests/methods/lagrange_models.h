/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The machines on which the method of Lagrange multipliers is tested, and helpers of these tests. */

#ifndef TRM_TESTS_METHODS_LAGRANGE_MODELS_H
#define TRM_TESTS_METHODS_LAGRANGE_MODELS_H

#include "choosing.h"
#include "machines.h"

/* m, rad: tolerance of joints, so small that the remaining error is that of the step. */
static const double TIGHT = 1e-13;

/* A double pendulum with a force that acts on it. */
#define DOUBLE_PENDULUM(force)                                                                                       \
    "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["                                                    \
    "    { \"name\": \"a\", \"rod\": { \"from\": [0, 0, 0], \"to\": [1, 0, 0], \"mass\": 1 } },"                     \
    "    { \"name\": \"b\", \"rod\": { \"from\": [1, 0, 0], \"to\": [2, 0.3, 0], \"mass\": 1 } }],"                  \
    "  \"joints\": ["                                                                                                \
    "    { \"name\": \"j1\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"a\"], \"anchor\": [0, 0, 0],"           \
    "      \"axis\": [0, 0, 1] },"                                                                                   \
    "    { \"name\": \"j2\", \"type\": \"hinge\", \"bodies\": [\"a\", \"b\"], \"anchor\": [1, 0, 0],"                \
    "      \"axis\": [0, 0, 1] }],"                                                                                  \
    "  \"forces\": [" force "] }"

#define UNDRIVEN DOUBLE_PENDULUM("")
#define DAMPED                                                                                                       \
    DOUBLE_PENDULUM("{ \"type\": \"spring\", \"bodies\": [\"ground\", \"b\"],"                                       \
                    "  \"anchors\": [[0.5, 1, 0], [0.4, 0, 0]], \"stiffness\": 20, \"damping\": 1.5 }")
#define DRIVEN DOUBLE_PENDULUM("{ \"type\": \"drive\", \"joint\": \"j1\", \"motion\": \"0.3 * (1 - cos(3 * t))\" }")

/* The table on which a pendulum hangs is moved. */
#define MOVED                                                                                                        \
    "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["                                                    \
    "  { \"name\": \"table\", \"moving\": { \"position\": [\"0.3 * (1 - cos(3 * t))\", 0, 0] } },"                   \
    "  { \"name\": \"rod\", \"rod\": { \"from\": [0, 0, 0], \"to\": [1, 0, 0], \"mass\": 1 } }],"                    \
    "  \"joints\": [{ \"name\": \"j\", \"type\": \"hinge\", \"bodies\": [\"table\", \"rod\"],"                       \
    "    \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1] }] }"

/* A rod that tumbles about one of its ends. */
#define ON_A_BALL                                                                                                    \
    "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["                                                    \
    "  { \"name\": \"rod\", \"rod\": { \"from\": [0, 0, 0], \"to\": [1, 0, 0], \"mass\": 1, \"radius\": 0.1 },"      \
    "    \"velocity\": [0, 0, -0.5], \"angular_velocity\": [2, 1, 0] }],"                                            \
    "  \"joints\": [{ \"name\": \"j\", \"type\": \"ball\", \"bodies\": [\"ground\", \"rod\"],"                       \
    "    \"anchor\": [0, 0, 0] }] }"

/* A net of points and bars, one corner held. */
#define POINTS                                                                                                       \
    "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["                                                    \
    "  { \"name\": \"p\", \"point\": true, \"mass\": 1, \"position\": [1, 0, 0] },"                                  \
    "  { \"name\": \"q\", \"point\": true, \"mass\": 2, \"position\": [1.5, 0.8, 0] },"                              \
    "  { \"name\": \"r\", \"point\": true, \"mass\": 1, \"position\": [1.2, 0.3, 0.9] }],"                           \
    "  \"joints\": ["                                                                                                \
    "  { \"name\": \"a\", \"type\": \"distance\", \"bodies\": [\"ground\", \"p\"],"                                  \
    "    \"anchors\": [[0, 0, 0], [0, 0, 0]] },"                                                                     \
    "  { \"name\": \"b\", \"type\": \"distance\", \"bodies\": [\"p\", \"q\"],"                                       \
    "    \"anchors\": [[0, 0, 0], [0, 0, 0]] },"                                                                     \
    "  { \"name\": \"c\", \"type\": \"distance\", \"bodies\": [\"q\", \"r\"],"                                       \
    "    \"anchors\": [[0, 0, 0], [0, 0, 0]] },"                                                                     \
    "  { \"name\": \"d\", \"type\": \"distance\", \"bodies\": [\"r\", \"p\"],"                                       \
    "    \"anchors\": [[0, 0, 0], [0, 0, 0]] }] }"

static inline trm_model *example(const char *name)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s.json", TRM_EXAMPLES, name);
    return model_of_file(path);
}

/* Reads an example by its name, or a model from its text. */
static inline trm_model *model_of(const char *what)
{
    return what[0] == '{' ? model_of_text(what) : example(what);
}

/* The slider crank of the examples with a driven crank: one turn in a second, smoothly begun. */
static inline trm_model *driven_crank(void)
{
    trm_model_def *def = read_model_file(TRM_EXAMPLES "/slider-crank.json");
    trm_joint_def drive = trm_default_joint_def();
    drive.name = "drive";
    drive.type = "drive";
    drive.joint = "main";
    drive.motion = trm_expression_function("pi/3 + 10*t + 0.3*(1 - cos(5*t))");
    assert_int_equal(trm_add_joint(def, &drive), TRM_OK);
    trm_model *model = build_model(def);
    trm_model_def_destroy(def);
    return model;
}

/* A ball in the middle with many others joined to it, some of which hold it: its joints are solved in slices. */
static inline trm_model *hub(void)
{
    enum { AROUND = 30 };
    machine m;
    machine_init(&m);
    const int middle = add_ball(&m, 0, 0, 0);
    for (int i = 0; i < AROUND; i++) {
        const double angle = 0.7 * i, x = cos(angle), y = sin(angle), z = 0.1 * i - 1.5;
        const int ball = add_ball(&m, 2 * x, 2 * y, z);
        add_joint_at(&m, "ball", middle, ball, x, y, 0.5 * z);
        if (i % 10 == 0) add_joint_at(&m, "ball", 0, ball, 3 * x, 3 * y, z);
    }
    m.def->gravity = trm_v3(0, -9.81, 0);
    return machine_finish(&m);
}

#endif
