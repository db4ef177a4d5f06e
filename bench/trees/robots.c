/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Robots as nested bodies: limbs are chains of hinges with changing axes (robots.h). */

#include "trees/robots.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const AXES[] = {"0 1 0", "1 0 0", "0 0 1"};

static void add(char *text, size_t size, const char *format, ...)
{
    const size_t length = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + length, size - length, format, list);
    va_end(list);
}

static void open_body(char *text, size_t size, const char *name, int index, const double *at)
{
    add(text, size, "<body name=\"%s%d\" pos=\"%g %g %g\">", name, index, at[0], at[1], at[2]);
}

/* Adds a limb of hinges that hangs down from a point in its parent's frame; each link is a little lighter than the
 * one before. */
static void add_limb(char *text, size_t size, const char *name, int links, const double *at, double length,
                     double mass)
{
    double here[3] = {at[0], at[1], at[2]};
    for (int i = 0; i < links; i++) {
        const double m = mass * (1 - 0.08 * i), I = m * length * length;
        open_body(text, size, name, i, here);
        add(text, size, "<joint name=\"%s%d\" type=\"hinge\" axis=\"%s\"/>", name, i, AXES[i % 3]);
        add(text, size, "<inertial pos=\"0.02 0.01 %g\" mass=\"%g\" diaginertia=\"%g %g %g\"/>", -0.5 * length, m,
            0.1 * I, 0.12 * I, 0.05 * I);
        here[0] = here[1] = 0, here[2] = -length;
    }
    for (int i = 0; i < links; i++) add(text, size, "</body>");
}

static void open_trunk(char *text, size_t size, double height, double mass)
{
    const double at[3] = {0, 0, height};
    open_body(text, size, "trunk", 0, at);
    add(text, size, "<freejoint/><inertial pos=\"0 0 0.05\" mass=\"%g\" diaginertia=\"%g %g %g\"/>", mass,
        0.03 * mass, 0.02 * mass, 0.01 * mass);
}

static void write_pendulum(char *text, size_t size)
{
    add(text, size,
        "<body name=\"p0\" pos=\"0 0 2\"><joint type=\"hinge\" axis=\"0 1 0\"/>"
        "<inertial pos=\"0.5 0 0\" mass=\"1\" diaginertia=\"0.01 0.08 0.08\"/>"
        "<body name=\"p1\" pos=\"1 0 0\"><joint type=\"hinge\" axis=\"0 1 0\"/>"
        "<inertial pos=\"0.5 0 0.1\" mass=\"1\" diaginertia=\"0.01 0.08 0.08\"/></body></body>");
}

static void write_arm(char *text, size_t size)
{
    static const double at[3] = {0, 0, 2};
    add_limb(text, size, "arm", 7, at, 0.3, 4);
}

static void write_quadruped(char *text, size_t size)
{
    open_trunk(text, size, 1, 12);
    for (int leg = 0; leg < 4; leg++) {
        static const char *const NAMES[] = {"fl", "fr", "hl", "hr"};
        const double at[3] = {leg < 2 ? 0.25 : -0.25, leg % 2 ? -0.15 : 0.15, 0};
        add_limb(text, size, NAMES[leg], 3, at, 0.2, 1.5);
    }
    add(text, size, "</body>");
}

static void write_humanoid(char *text, size_t size)
{
    static const double left_hip[3] = {0, 0.1, -0.15}, right_hip[3] = {0, -0.1, -0.15}, neck[3] = {0, 0, 0.3},
                        left_shoulder[3] = {0, 0.25, 0.2}, right_shoulder[3] = {0, -0.25, 0.2};
    open_trunk(text, size, 1.2, 25);
    add_limb(text, size, "neck", 1, neck, 0.1, 4);
    add_limb(text, size, "ll", 6, left_hip, 0.15, 4);
    add_limb(text, size, "rl", 6, right_hip, 0.15, 4);
    add_limb(text, size, "la", 7, left_shoulder, 0.1, 2);
    add_limb(text, size, "ra", 7, right_shoulder, 0.1, 2);
    add(text, size, "</body>");
}

const robot_kind ROBOTS[ROBOT_KINDS] = {
    {"double pendulum", write_pendulum},
    {"arm, 7 hinges", write_arm},
    {"quadruped, 12 hinges", write_quadruped},
    {"humanoid, 27 hinges", write_humanoid},
};

void write_robot(const robot_kind *kind, double h, char *text, size_t size)
{
    text[0] = 0;
    add(text, size,
        "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\"/><option timestep=\"%.17g\" "
        "integrator=\"RK4\" gravity=\"0 0 -9.81\"/><worldbody>",
        h);
    kind->write(text, size);
    add(text, size, "</worldbody></mujoco>");
}
