/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "motion/sense.h"

#include "base/check.h"

static void give(trm_vec3 v, double *values)
{
    values[0] = v.x, values[1] = v.y, values[2] = v.z;
}

/* Writes a vector in the axes of the sensor. */
static void write_in_own_axes(const trm_state *state, const trm_sensor *s, trm_vec3 v, double *values)
{
    give(trm_rotate_back(s->axes, trm_rotate_back(trm_body_pose(state, s->body[0]).q, v)), values);
}

trm_vec3 trm_contact_force(const trm_state *state, const int body[2])
{
    trm_vec3 sum = {0, 0, 0};
    for (int i = 0; i < state->clock->contact_count; i++) {
        const trm_stored_contact *stored = &state->contacts[i];
        const bool same = stored->body[0] == body[0] && stored->body[1] == body[1];
        const bool other = stored->body[0] == body[1] && stored->body[1] == body[0];
        if (same || other) sum = trm_v3_add_scaled(sum, same ? 1 : -1, stored->force);
    }
    return sum;
}

void trm_sense(const trm_state *state, const trm_sensor *s, double *values)
{
    double q[TRM_JOINT_COORDINATES];
    switch (s->kind->id) {
    case TRM_SENSE_ACCELERATION: {
        const trm_vec3 a = trm_point_acceleration(state, s->body[0], s->point[0]);
        write_in_own_axes(state, s, trm_v3_sub(a, state->model->gravity), values);
        break;
    }
    case TRM_SENSE_SPIN: write_in_own_axes(state, s, state->velocity[s->body[0]].ang, values); break;
    case TRM_SENSE_ANGLE: trm_joint_values(state, s->joint, q, NULL), values[0] = q[s->coordinate]; break;
    case TRM_SENSE_RATE: trm_joint_values(state, s->joint, NULL, q), values[0] = q[s->coordinate]; break;
    case TRM_SENSE_FORCE: {
        const trm_spatial F = trm_joint_reaction(state, s->joint);
        give(F.lin, values);
        give(F.ang, values + 3);
        break;
    }
    case TRM_SENSE_DISTANCE:
        values[0] = trm_v3_length(trm_v3_sub(trm_point_position(state, s->body[1], s->point[1]),
                                             trm_point_position(state, s->body[0], s->point[0])));
        break;
    case TRM_SENSE_CONTACT: values[0] = trm_v3_length(trm_contact_force(state, s->body)); break;
    }
}

int trm_sensor_values(const trm_state *state, int sensor, double *values)
{
    TRM_ASSERT(sensor >= 0 && sensor < state->model->observed.sensor_count);
    const trm_sensor *s = &state->model->observed.sensors[sensor];
    for (int i = 0; i < s->kind->numbers; i++) values[i] = state->sample[s->offset + i];
    return s->kind->numbers;
}
