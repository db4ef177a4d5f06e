/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Range of motion of a coordinate. The curve of poses (curve.h) is followed from the start in both directions. It
 * ends where dq/ds changes its sign (the machine locks), where a limit or a rope is reached, or after a whole turn. A
 * start at which dq/ds = 0 is a dead centre: there the only free motion is followed in both directions, which shows
 * to which side of q each leads. */

#include <math.h>

#include "analysis/curve.h"
#include "base/message.h"

enum { MOST_STEPS = 200000 };
/* In units of the machine's size: the longest step, and the distance after which a coordinate counts as unlimited.
 * Larger steps may pass the end of a range and come back on another branch, smaller ones take longer; a larger
 * distance takes longer to be reached, a smaller one calls long strokes unlimited. Tests pass with a tenth and
 * with ten times of it. */
static const double LONGEST_STEP = 0.05, ENDLESS = 1e4;

typedef struct range {
    trm_system s;
    trm_curve c;
    trm_balance b;
    trm_state *start;
    trm_coordinate_name name;
    int *stops; /* one-sided joints */
    int stop_count;
} range;

static double value_of(const range *r)
{
    const trm_joint_at at = trm_joint_now(r->s.state, r->name.joint);
    return trm_joint_coordinate(&at, r->name.coordinate);
}

/* Returns the stop that is violated most; -1: none is. */
static int violated_stop(const range *r, double *by)
{
    int worst = -1;
    *by = 1e-15 * r->s.size;
    for (int i = 0; i < r->stop_count; i++) {
        double c[TRM_JOINT_ROWS];
        const trm_joint_at at = trm_joint_now(r->s.state, r->stops[i]);
        trm_joint_residual(&at, c);
        if (c[0] > *by) *by = c[0], worst = r->stops[i];
    }
    return worst;
}

typedef enum ending { CONTINUES, TURNS_BACK, AT_STOP, FULL_TURN, NO_END } ending;

/* Returns what happens at the current point; direction is the sign of dq/ds after the start. */
static ending find_ending(const range *r, double direction, double start, bool turns, int *stop)
{
    double by;
    *stop = violated_stop(r, &by);
    if (*stop >= 0) return AT_STOP;
    if (trm_curve_rate(&r->c, r->name) * direction <= 0) return TURNS_BACK;
    const double way = fabs(value_of(r) - start);
    if (turns && way >= 2 * TRM_PI) return FULL_TURN;
    return way > ENDLESS * (turns ? 1 : r->s.size) ? NO_END : CONTINUES;
}

/* Stores the end of a curve on a side, if it is farther than the end known so far. */
static void store_end(const range *r, int side, ending end, int stop, trm_motion_range *found)
{
    const double endless = side ? INFINITY : -INFINITY;
    const double limit = end == FULL_TURN || end == NO_END ? endless : value_of(r);
    found->full_turn = found->full_turn || end == FULL_TURN;
    if (side ? limit < found->limits[1] : limit > found->limits[0]) return;
    found->limits[side] = limit;
    found->at_limit[side] = end == AT_STOP;
    found->locked_by[side] = end == AT_STOP      ? r->s.model->joints[stop].shown
                             : end == TURNS_BACK ? trm_curve_joint(&r->c)
                                                 : -1;
}

/* Follows the curve to its end; direction 0: dq/ds = 0 at the start. Returns false if it cannot be followed. */
static bool follow(range *r, double direction, bool turns, trm_motion_range *found)
{
    const double start = value_of(r);
    double h = 0.01 * r->s.size;
    ending end = CONTINUES;
    int stop = -1;
    for (int i = 0; i < MOST_STEPS && end == CONTINUES; i++) {
        if (h < 1e-14 * r->s.size) return false;
        if (!trm_curve_step(&r->c, h)) {
            h *= 0.5;
            continue;
        }
        if (direction == 0) direction = trm_curve_rate(&r->c, r->name) > 0 ? 1 : -1;
        end = find_ending(r, direction, start, turns, &stop);
        const bool exact =
            h <= 1e-11 * r->s.size || (end == TURNS_BACK && fabs(trm_curve_rate(&r->c, r->name)) * r->s.size < 1e-9);
        if ((end == TURNS_BACK || end == AT_STOP) && !exact) { /* repeat with a shorter step */
            trm_curve_restore(&r->c);
            h *= 0.5;
            end = CONTINUES;
        } else if (end == CONTINUES) {
            h = fmin(1.3 * h, LONGEST_STEP * r->s.size);
        }
    }
    if (end != CONTINUES) store_end(r, direction > 0, end, stop, found);
    return end != CONTINUES;
}

/* Sets the tangent at the start along which the coordinate increases (or decreases). Returns false if none does. */
static bool begin(range *r, double direction)
{
    const trm_system *s = &r->s;
    trm_system_coordinate_row(s, r->name.joint, r->name.coordinate, direction, r->c.tangent);
    return trm_curve_find_tangent(&r->c) && fabs(trm_curve_rate(&r->c, r->name)) > 1e-9 / s->size;
}

/* Sets the tangent to the only free motion at the start, or its opposite. Returns false if there is not just one. */
static bool begin_at_dead_centre(range *r, double sign)
{
    const trm_null_space *null = r->c.null;
    if (null->n - null->rank != 1) return false;
    for (int i = 0; i < null->n; i++)
        r->c.tangent[i] = sign * null->Q[(size_t)i * (size_t)null->n + (size_t)null->rank];
    return trm_curve_find_tangent(&r->c);
}

/* Removes drives on the coordinate and all one-sided joints from the rows. */
static bool choose_rows(range *r)
{
    const trm_model *model = r->s.model;
    r->s.collider = NULL;
    r->stops = TRM_NEW_ARRAY(&r->s.arena, int, model->joint_count + 1);
    if (!r->stops) return false;
    for (int j = 0; j < model->joint_count; j++) {
        const trm_joint *joint = &model->joints[j];
        const bool own = joint->host == &model->joints[r->name.joint] && joint->coordinate == r->name.coordinate &&
                         trm_joint_is_rheonomic(joint);
        r->s.off[j] = joint->one_sided || own;
        if (joint->one_sided && r->s.state->attached[j]) r->stops[r->stop_count++] = j;
    }
    return trm_system_find_rows(&r->s, 0);
}

static trm_status find(range *r, trm_messages *messages, trm_motion_range *found)
{
    const trm_joint *joint = &r->s.model->joints[r->name.joint];
    const bool turns = joint->type->kind[r->name.coordinate] == TRM_COORDINATE_TURN;
    r->b.s = &r->s;
    r->start = trm_state_create(r->s.model, &r->s.arena.allocator);
    if (!r->start || !choose_rows(r) || !trm_curve_create(&r->c, &r->s, false, 1)) return TRM_OUT_OF_MEMORY;
    bool good = trm_balance_project(&r->b);
    trm_state_copy(r->start, r->s.state);
    found->limits[0] = found->limits[1] = value_of(r);
    for (int side = 0; good && side < 2; side++) {
        double direction = side ? 1 : -1;
        trm_state_copy(r->s.state, r->start);
        if (!begin(r, direction)) {
            if (!begin_at_dead_centre(r, direction)) {
                trm_add_message(messages, TRM_ERROR, joint->source, joint->name,
                                "its coordinate cannot move at the start: other drives or joints hold it");
                return TRM_BAD_INPUT;
            }
            found->locked_by[0] = found->locked_by[0] < 0 ? trm_curve_joint(&r->c) : found->locked_by[0];
            found->locked_by[1] = found->locked_by[1] < 0 ? trm_curve_joint(&r->c) : found->locked_by[1];
            direction = 0;
        }
        good = follow(r, direction, turns, found);
    }
    if (r->s.failed) return TRM_OUT_OF_MEMORY;
    if (!good)
        trm_add_message(messages, TRM_ERROR, joint->source, joint->name,
                        "its motion cannot be followed from the start");
    return good ? TRM_OK : TRM_BAD_INPUT;
}

trm_status trm_find_range(const trm_model *model, trm_coordinate_name coordinate, const trm_allocator *allocator,
                          trm_messages *messages, trm_motion_range *found)
{
    range r = {.name = coordinate};
    *found = (trm_motion_range){.locked_by = {-1, -1}};
    trm_state *start = trm_state_create(model, allocator);
    if (!start) return TRM_OUT_OF_MEMORY;
    trm_status status = trm_assemble_quietly(start, allocator, messages);
    if (status == TRM_OK) {
        status = trm_system_create(&r.s, start, allocator, messages);
        if (status == TRM_OK) status = find(&r, messages, found);
        trm_curve_destroy(&r.c);
        trm_state_destroy(r.start);
        trm_system_destroy(&r.s);
    }
    trm_state_destroy(start);
    return status;
}
