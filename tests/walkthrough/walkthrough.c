/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Runs the additions of the walk-throughs of CONTRIBUTING.md to this copy of the library: a joint, a force, a shape,
 * a key, a method and a format, each compared with a closed form. Prints a line for each; returns 1 if any is
 * wrong. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "trammel/trammel.h"

/* Relative tolerance: steps of order 2 and 1/1000 s over one second of smooth motion. */
static const double CLOSE = 1e-6;

static int failures;

static void expect(const char *what, double value, double expected)
{
    const bool right = fabs(value - expected) <= CLOSE * fmax(1, fabs(expected));
    printf("%s %s: %.9g, expected %.9g\n", right ? "right" : "WRONG", what, value, expected);
    failures += !right;
}

/* Prints the messages. Returns whether one of them contains this text. */
static bool says(const trm_messages *messages, const char *text)
{
    bool found = false;
    for (int i = 0; i < trm_message_count(messages); i++) {
        char message[1000];
        trm_format_message(trm_message_at(messages, i), message, sizeof message);
        found = found || strstr(message, text);
        printf("      %s\n", message);
    }
    return found;
}

/* A machine that has run for a time. */
typedef struct machine {
    trm_messages *messages;
    trm_model_def *def;
    trm_model *model;
    trm_sim *sim;
} machine;

static bool start(machine *m, const char *text)
{
    *m = (machine){.messages = trm_messages_create(NULL)};
    return m->messages &&
           trm_read_model_text(text, strlen(text), "text", NULL, NULL, m->messages, &m->def) == TRM_OK &&
           trm_model_create(m->def, NULL, m->messages, &m->model) == TRM_OK &&
           trm_sim_create(m->model, NULL, NULL, m->messages, &m->sim) == TRM_OK;
}

static void end(machine *m)
{
    trm_sim_destroy(m->sim);
    trm_model_destroy(m->model);
    trm_model_def_destroy(m->def);
    trm_messages_destroy(m->messages);
}

/* Runs a model for a time. Returns the pose of its first body. */
static trm_pose run(const char *text, double time, double step)
{
    machine m;
    trm_pose pose = {{NAN, 0, 0, 0}, {NAN, NAN, NAN}};
    bool good = start(&m, text);
    for (int i = 0; good && i < (int)round(time / step); i++) good = trm_sim_step(m.sim, step).ok;
    if (good) pose = trm_body_pose(trm_sim_state(m.sim), 1);
    if (!good) says(m.messages, "");
    end(&m);
    return pose;
}

/* The body spins about z, and a torque about x cannot tilt it. */
static void joint(void)
{
    const trm_pose X =
        run("{\"trammel\": 1, \"gravity\": [0, 0, -10], \"bodies\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": "
            "[1, 1, 1], \"angular_velocity\": [0, 0, 1]}], \"joints\": [{\"name\": \"j\", \"type\": \"upright\", "
            "\"bodies\": [\"ground\", \"b\"], \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1]}], \"forces\": [{\"type\": "
            "\"torque\", "
            "\"body\": \"b\", \"value\": [3, 0, 0]}]}",
            1, 1e-3);
    expect("joint: height", X.p.z, -5);
    expect("joint: turn about z", 2 * atan2(X.q.z, X.q.w), 1);
    expect("joint: tilt", hypot(X.q.x, X.q.y), 0);
}

/* From rest at 8 m a constant force of 4 N moves 2 kg by t^2. */
static void force(void)
{
    const trm_pose X = run(
        "{\"trammel\": 1, \"bodies\": [{\"name\": \"b\", \"point\": true, \"mass\": 2, \"position\": [0, 8, 0]}], "
        "\"forces\": [{\"type\": \"lure\", \"body\": \"b\", \"value\": 4}]}",
        2, 1e-3);
    expect("force: way", X.p.y, 4);
}

/* A wedge of 1 x 1 x 1 m lies on its long side and stays. Its centre of mass is a third of the height above it. */
static void shape(void)
{
    const char *text =
        "{\"trammel\": 1, \"gravity\": [0, 0, -10], \"bodies\": [{\"name\": \"b\", \"position\": [0, 0, 0.5], "
        "\"shapes\": "
        "[{\"type\": \"wedge\", \"size\": [1, 1, 1], \"density\": 6}]}, {\"name\": \"floor\", \"fixed\": true, "
        "\"shapes\": [{\"type\": \"plane\", \"normal\": [0, 0, 1], \"offset\": 0}]}]}";
    machine m;
    if (start(&m, text)) expect("shape: mass", m.model->bodies[1].mass, 3);
    end(&m);
    const trm_pose X = run(text, 0.5, 0.01);
    expect("shape: height after 0.5 s on the floor", X.p.z, 0.5);
}

/* Three quarters of the weight are supported: the body falls by g/4 t^2/2. Wrong values and misspelt keys are refused
 * by name. */
static void key(void)
{
    const char *form = "{\"trammel\": 1, \"gravity\": [0, 0, -8], \"bodies\": [{\"name\": \"b\", \"point\": true, "
                       "\"mass\": 1, \"%s\": %g}]}";
    char text[400];
    machine m;
    snprintf(text, sizeof text, form, "buoyancy", 0.75);
    expect("key: fall", run(text, 1, 1e-3).p.z, -1);
    snprintf(text, sizeof text, form, "buoyancy", -1.0);
    start(&m, text);
    expect("key: a wrong value is refused", says(m.messages, "\"buoyancy\" is -1"), 1);
    end(&m);
    snprintf(text, sizeof text, form, "bouyancy", 0.75);
    start(&m, text);
    expect("key: the message for a misspelt one knows it", says(m.messages, "buoyancy"), 1);
    end(&m);
}

/* A body on a spring of 1 N/m and 1 kg: cos t. A model with a joint is refused by name. */
static void method(void)
{
    const char *spring = "\"forces\": [{\"type\": \"spring\", \"bodies\": [\"ground\", \"b\"], \"anchors\": [[0, 0, "
                         "0], [0, 0, 0]], \"rest\": 0, \"stiffness\": 1}], ";
    const char *joints = "\"joints\": [{\"name\": \"j\", \"type\": \"ball\", \"bodies\": [\"ground\", \"b\"], "
                         "\"anchor\": [1, 0, 0]}], ";
    const char *form =
        "{\"trammel\": 1, \"bodies\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": "
        "[1, 0, 0]}], %s\"simulation\": {\"method\": \"leapfrog\"}}";
    char text[600];
    machine m;
    snprintf(text, sizeof text, form, spring);
    expect("method: cos(1)", run(text, 1, 1e-3).p.x, cos(1));
    snprintf(text, sizeof text, form, joints);
    expect("method: what it cannot run is refused", start(&m, text), 0);
    expect("method: by its name", says(m.messages, "leapfrog"), 1);
    end(&m);
}

static void format(void)
{
    expect("format: position", run("masses\nfirst 1 2 0 0\nsecond 3 0 5 0\n", 0.01, 0.01).p.x, 2);
}

int main(void)
{
    joint();
    force();
    shape();
    key();
    method();
    format();
    printf("%d wrong\n", failures);
    return failures > 0;
}
