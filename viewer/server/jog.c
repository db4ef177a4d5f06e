/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Moves a joint coordinate in short steps. After each step the loops are closed with that coordinate held, so a
 * machine stays on its branch of poses and stops where it locks. */

#include "jog.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "controls.h"

/* largest numbers of short steps: for a length; for any motion */
enum { MOST_SHOWN = 64, SHORT_STEPS = 16, MOST_STEPS = 200 };
static const double LONGEST_TURN = 0.1; /* rad: largest rotation of one step */
static const double MOUSE = 1e-6;       /* m: tolerance for positions given by the mouse */
static const double NOT_MOVED = 1e-9;   /* m or rad: smaller changes do not count as motion */

static double value_of(const trm_state *state, trm_coordinate_name at)
{
    double q[TRM_JOINT_COORDINATES];
    trm_joint_values(state, at.joint, q, NULL);
    return q[at.coordinate];
}

/* Searches for a pose from the present state only, because only the nearest pose is acceptable. Returns false with
 * the reason in why. */
static bool seek(trm_state *state, const trm_goal *goal, trm_inverse_kinematics_def *def, char *why)
{
    trm_inverse_kinematics_result result;
    trm_messages *messages = trm_messages_create(NULL);
    def->starts = 1;
    const trm_status status =
        messages ? trm_inverse_kinematics(state, goal, 1, def, NULL, messages, &result) : TRM_OUT_OF_MEMORY;
    const bool told = messages && trm_message_count(messages) > 0;
    if (status != TRM_OK)
        snprintf(why, SENTENCE, "%s", told ? trm_message_at(messages, 0)->text : "there is not enough memory");
    trm_messages_destroy(messages);
    return status == TRM_OK;
}

/* Returns the last body of a joint that can move; -1 if none can. */
static int moved_body(const trm_model *model, const trm_joint_info *joint)
{
    int body = -1;
    for (int k = 0; k < joint->body_count; k++)
        if (trm_body_info_of(model, joint->bodies[k]).mass > 0) body = joint->bodies[k];
    return body;
}

/* The motion of a coordinate. */
typedef struct motion {
    trm_state *state, *kept; /* state: present pose; kept: pose before the last short step */
    trm_coordinate_name at;
    int body; /* body that the coordinate moves */
    double from, to;
    char *why;
} motion;

/* Closes the loops that contain the joint, with its coordinates held. The goal, the present place of its body, has
 * infinite tolerance, so that only the loops matter. Returns false if the loops cannot be closed. */
static bool close_loops(const motion *w)
{
    trm_inverse_kinematics_def def = trm_default_inverse_kinematics_def();
    trm_goal goal = trm_default_goal();
    def.tolerance = INFINITY;
    def.held = &w->at.joint;
    def.held_count = 1;
    goal.body = w->body;
    goal.position = trm_point_position(w->state, w->body, trm_v3(0, 0, 0));
    return seek(w->state, &goal, &def, w->why);
}

/* Makes one short step. Returns false if it cannot be made; the pose is then that before the step. */
static bool make_short_step(const motion *w, double value)
{
    double q[TRM_JOINT_COORDINATES];
    for (int k = 0; k < TRM_JOINT_COORDINATES; k++) q[k] = NAN;
    q[w->at.coordinate] = value;
    trm_state_copy(w->kept, w->state);
    const bool moved = trm_set_joint_values(w->state, w->at.joint, q, NULL) == TRM_OK && close_loops(w) &&
                       fabs(value_of(w->state, w->at) - value) <= NOT_MOVED;
    if (!moved) trm_state_copy(w->state, w->kept);
    return moved;
}

static bool go(const motion *w, bool is_angle, const char *name)
{
    const double wanted = is_angle ? ceil(fabs(w->to - w->from) / LONGEST_TURN) : SHORT_STEPS;
    const int steps = (int)fmin(fmax(wanted, 1), MOST_STEPS);
    int made = 0;
    while (made < steps && make_short_step(w, w->from + (w->to - w->from) * (made + 1) / steps)) made++;
    if (made > 0 || fabs(w->to - w->from) <= NOT_MOVED) return true;
    snprintf(w->why, SENTENCE,
             "joint '%s' cannot be moved: it closes a loop, or the machine locks; move another joint, or drag a body",
             name);
    return false;
}

bool jog_coordinate(const trm_model *model, trm_state *state, double coordinate, double value, char *why)
{
    const int count = trm_coordinate_count(model);
    const int number = coordinate >= 0 && coordinate < count ? (int)coordinate : -1;
    if (number != coordinate) {
        snprintf(why, SENTENCE, "there is no coordinate %g; there are %d", coordinate, count);
        return false;
    }
    const trm_coordinate_name at = trm_coordinate_at(model, number);
    const trm_joint_info joint = trm_joint_info_of(model, at.joint);
    const double *limits = joint.limits[at.coordinate];
    const motion w = {state,
                      trm_state_create(model, NULL),
                      at,
                      moved_body(model, &joint),
                      value_of(state, at),
                      fmin(fmax(value, limits[0]), limits[1]),
                      why};
    snprintf(why, SENTENCE, w.kept ? "joint '%s' moves no body" : "there is not enough memory", joint.name);
    const bool moved =
        w.kept && w.body >= 0 && go(&w, strcmp(trm_coordinate_unit(model, number), "rad") == 0, joint.name);
    if (w.kept) trm_state_destroy(w.kept);
    return moved;
}

bool jog_point(trm_state *state, int body, trm_vec3 point, trm_vec3 target, char *why)
{
    trm_inverse_kinematics_def def = trm_default_inverse_kinematics_def();
    trm_goal goal = trm_default_goal();
    def.tolerance = MOUSE;
    goal.body = body;
    goal.frame.p = point;
    goal.position = target;
    return seek(state, &goal, &def, why);
}

/* Writes the name of a coordinate as in results: "pin.q", or "pin.q2" if the joint has several. */
static void name_coordinate(const trm_joint_info *joint, int index, char *name, size_t size)
{
    if (joint->coordinates == 1)
        snprintf(name, size, "%s.q", joint->name);
    else
        snprintf(name, size, "%s.q%d", joint->name, index + 1);
}

bool jog_write(const trm_model *model, const trm_state *state, trm_sink sink)
{
    trm_json_writer w = trm_json_begin(sink);
    char name[300];
    trm_json_open_array_flat(&w, NULL);
    for (int i = 0; i < trm_coordinate_count(model) && i < MOST_SHOWN; i++) {
        const trm_coordinate_name at = trm_coordinate_at(model, i);
        const trm_joint_info joint = trm_joint_info_of(model, at.joint);
        name_coordinate(&joint, at.coordinate, name, sizeof name);
        put_control(&w, name, trm_coordinate_unit(model, i), joint.limits[at.coordinate], value_of(state, at));
    }
    trm_json_close(&w);
    return trm_json_end(&w);
}
