/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "methods/minimal/closed_forms/planar.h"

#include "math/rotation.h"

/* ---- Recognising -------------------------------------------------------------------------- */

/* Finds the axis of the first hinge. Returns false if there are not four joints, or not `sliders` sliders. */
static bool find_normal(const trm_ring *ring, int sliders, trm_vec3 *normal)
{
    int hinges = 0;
    for (int i = 0; i < ring->count; i++) {
        if (ring->joints[i].joint->type == &trm_joint_slider) sliders--;
        if (ring->joints[i].joint->type == &trm_joint_hinge && hinges++ == 0)
            *normal = trm_planar_axis(&ring->joints[i]);
    }
    return ring->count == 4 && sliders == 0 && hinges > 0;
}

static bool lies_in_plane(const trm_ring_joint *joint, trm_vec3 normal)
{
    const trm_vec3 axis = trm_planar_axis(joint);
    if (joint->joint->type == &trm_joint_slider) return fabs(trm_v3_dot(axis, normal)) <= TRM_ASKEW;
    return joint->joint->type == &trm_joint_hinge && trm_v3_length(trm_v3_cross(axis, normal)) <= TRM_ASKEW;
}

static trm_plane_vector project(trm_quat plane, trm_vec3 v)
{
    const trm_vec3 seen = trm_rotate_back(plane, v);
    return (trm_plane_vector){seen.x, seen.y};
}

static void draw_joint(trm_closed_place *place, int i, trm_quat plane)
{
    trm_planar_ring *p = &place->planar;
    const trm_ring_joint *joint = &place->ring.joints[i], *before = &place->ring.joints[(i + 3) % 4];
    const bool slides = joint->joint->type == &trm_joint_slider;
    const trm_vec3 normal = trm_rotate(plane, trm_axis(2));
    p->link[i] = project(plane, trm_v3_sub(joint->in.p, before->out.p));
    p->sign[i] = joint->sign * (!slides && trm_v3_dot(trm_planar_axis(joint), normal) < 0 ? -1 : 1);
    p->start[i] = slides ? 0 : joint->coordinate;
    if (!slides) return;
    p->slider = i;
    p->axis = project(plane, trm_planar_axis(joint));
}

/* Returns whether every body between two hinges has a length. */
static bool has_lengths(const trm_planar_ring *p)
{
    double longest = 0, shortest = INFINITY;
    for (int i = 0; i < 4; i++) {
        const double length = trm_plane_length(p->link[i]);
        const bool extends = p->slider >= 0 && (i == p->slider || i == (p->slider + 1) % 4);
        longest = fmax(longest, length);
        if (!extends) shortest = fmin(shortest, length);
    }
    return shortest > TRM_SHORTEST_SIDE * longest;
}

bool trm_planar_recognise(trm_closed_place *place, int sliders)
{
    trm_vec3 normal;
    if (!find_normal(&place->ring, sliders, &normal)) return false;
    for (int i = 0; i < 4; i++)
        if (!lies_in_plane(&place->ring.joints[i], normal)) return false;
    place->planar.slider = -1;
    for (int i = 0; i < 4; i++) draw_joint(place, i, trm_frame_from_z(normal));
    return has_lengths(&place->planar);
}

/* ---- Values ------------------------------------------------------------------------------- */

int trm_planar_known(const trm_loop *loop, const trm_closed_place *place)
{
    if (trm_ring_independent(loop, &place->ring) != 1) return -1;
    int i = 0;
    while (place->ring.joints[i].count == 0 || !trm_loop_is_independent(loop, place->ring.joints[i].at)) i++;
    return i;
}

double trm_planar_value(const trm_closed_place *place, int joint, const double *y)
{
    const trm_planar_ring *p = &place->planar;
    return p->sign[joint] * (y[place->ring.joints[joint].at] - p->start[joint]);
}

bool trm_planar_triangle(trm_plane_vector w, trm_plane_vector p, trm_plane_vector q, double x[2], double z[2])
{
    const trm_plane_vector back = {-w.x, -w.y};
    const double towards = trm_plane_angle(p, back);
    double angle;
    if (!trm_triangle_angle(trm_plane_length(p), trm_plane_length(w), trm_plane_length(q), &angle)) return false;
    for (int c = 0; c < 2; c++) {
        x[c] = towards + (c == 0 ? angle : -angle);
        z[c] = trm_plane_angle(q, trm_plane_add_scaled(back, -1, trm_plane_turn(x[c], p)));
    }
    return true;
}

/* Turns values into coordinates. Returns their squared distance from the prediction. */
static double bring_near(const trm_closed_place *place, int known, const double *y, double *value)
{
    const trm_planar_ring *p = &place->planar;
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        const trm_ring_joint *joint = &place->ring.joints[i];
        if (joint->count == 0 || i == known) continue;
        value[i] = p->start[i] + p->sign[i] * value[i];
        if (i != p->slider) value[i] = trm_angle_near(value[i], y[joint->at]);
        sum += (value[i] - y[joint->at]) * (value[i] - y[joint->at]);
    }
    return sum;
}

void trm_planar_take_nearest(const trm_closed_place *place, int known, double value[2][TRM_RING_JOINTS], double *y)
{
    const double first = bring_near(place, known, y, value[0]), second = bring_near(place, known, y, value[1]);
    const double *nearest = second < first ? value[1] : value[0];
    for (int i = 0; i < 4; i++) {
        const trm_ring_joint *joint = &place->ring.joints[i];
        if (joint->count > 0 && i != known) y[joint->at] = nearest[i];
    }
}
