/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Sample times of sensors, and their noise.
 *
 * Sample number n of a sensor of rate f is due at n / f. It is taken at the first end of a step, or at the first
 * timed event, that is not before. That is n / f itself where steps divide 1 / f, and with error control, because
 * then a step ends there. The sample is held until the next one. A sensor of rate 0 is read at the end of every
 * step.
 *
 * Reading needs projected velocities and accelerations. They are computed in the state, and the state is restored: a
 * machine moves as it would without sensors. Noise is a function of the sensor's name and the number of the sample, so
 * that interrupted runs resume bit-identically: Box and Muller's  sqrt(-2 ln u) cos(2 pi v). */

#include "base/hash.h"
#include "base/random.h"
#include "base/tolerance.h"
#include "motion/sense.h"
#include "sim/sim.h"

static int64_t number_at(const trm_sensor *sensor, double time)
{
    return (int64_t)fmax(fmin(floor(time * sensor->rate + TRM_SAME_TIME), TRM_MOST_COUNT), -TRM_MOST_COUNT);
}

static bool is_due(const trm_state *state, int index, bool step_ended)
{
    const trm_sensor *sensor = &state->model->observed.sensors[index];
    if (state->sampled[index] == TRM_NOT_SAMPLED) return true;
    return sensor->rate > 0 ? number_at(sensor, state->clock->time) != state->sampled[index] : step_ended;
}

static int64_t next_number(const trm_state *state, int index)
{
    const trm_sensor *sensor = &state->model->observed.sensors[index];
    if (sensor->rate > 0) return number_at(sensor, state->clock->time);
    return state->sampled[index] == TRM_NOT_SAMPLED ? 0 : state->sampled[index] + 1;
}

static void add_noise(const trm_sensor *sensor, int64_t number, double *values)
{
    const uint64_t seed = trm_hash_bytes(trm_hash_text(TRM_HASH_START, sensor->name), &number, sizeof number);
    trm_random random = trm_random_seed(seed);
    for (int i = 0; i < sensor->kind->numbers; i++) values[i] += sensor->noise * trm_random_normal(&random);
}

/* Reads a sensor from the state, into the samples of another state. */
static void take_sample(const trm_state *state, int index, trm_state *to)
{
    const trm_sensor *sensor = &state->model->observed.sensors[index];
    double *values = to->sample + sensor->offset;
    to->sampled[index] = next_number(state, index);
    trm_sense(state, sensor, values);
    if (sensor->noise > 0) add_noise(sensor, to->sampled[index], values);
}

static bool compute_read_quantities(trm_sim *sim, trm_sensor_reads reads, trm_outcome *outcome)
{
    if (reads >= TRM_READS_VELOCITIES && !sim->method->project_velocities(sim->workspace, outcome)) return false;
    return reads < TRM_READS_ACCELERATIONS || sim->method->reactions(sim->workspace, outcome);
}

bool trm_sim_sample(trm_sim *sim, bool step_ended, trm_outcome *outcome)
{
    const trm_model *model = sim->state->model;
    trm_sensor_reads reads = TRM_READS_POSES;
    bool any = false;
    for (int i = 0; i < model->observed.sensor_count; i++) {
        if (!is_due(sim->state, i, step_ended)) continue;
        any = true;
        if (model->observed.sensors[i].kind->reads > reads) reads = model->observed.sensors[i].kind->reads;
    }
    if (!any) return true;
    trm_state_copy(sim->steps.before, sim->state);
    const bool found = compute_read_quantities(sim, reads, outcome);
    for (int i = 0; found && i < model->observed.sensor_count; i++)
        if (is_due(sim->state, i, step_ended)) take_sample(sim->state, i, sim->steps.before);
    trm_state_copy(sim->state, sim->steps.before);
    return found;
}

double trm_sim_next_sample(const trm_sim *sim, double goal)
{
    const trm_model *model = sim->state->model;
    double next = INFINITY;
    for (int i = 0; sim->steps.start && i < model->observed.sensor_count; i++) {
        const trm_sensor *sensor = &model->observed.sensors[i];
        if (sensor->rate == 0) continue;
        const double due = (double)(number_at(sensor, sim->state->clock->time) + 1) / sensor->rate;
        if (due < goal - TRM_SAME_TIME / sensor->rate) next = fmin(next, due);
    }
    return next;
}

int trm_sim_sensor(const trm_sim *sim, int sensor, double *values)
{
    return trm_sensor_values(sim->state, sensor, values);
}
