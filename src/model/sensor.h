/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Sensors: where each kind is mounted, which parts of the motion it needs, and how many numbers it returns.
 * motion/sense.h defines the values, sim/sample.c the times of samples. */

#ifndef TRM_MODEL_SENSOR_H
#define TRM_MODEL_SENSOR_H

#include "trammel/model.h"
#include "trammel/vecmath.h"

/* In the order of the table of kinds. */
typedef enum trm_sensor_id {
    TRM_SENSE_ACCELERATION,
    TRM_SENSE_SPIN,
    TRM_SENSE_ANGLE,
    TRM_SENSE_RATE,
    TRM_SENSE_FORCE,
    TRM_SENSE_DISTANCE,
    TRM_SENSE_CONTACT,
} trm_sensor_id;

typedef enum trm_sensor_host { TRM_ON_BODY, TRM_ON_JOINT, TRM_ON_PAIR } trm_sensor_host;

/* The quantities that must be computed before a sensor is read. */
typedef enum trm_sensor_reads { TRM_READS_POSES, TRM_READS_VELOCITIES, TRM_READS_ACCELERATIONS } trm_sensor_reads;

typedef struct trm_sensor_kind {
    const char *name;
    trm_sensor_id id;
    trm_sensor_host host;
    trm_sensor_reads reads;
    bool has_point;       /* it is mounted at a point of its body */
    bool one_coordinate;  /* requires a joint with exactly one coordinate */
    bool turns;           /* requires a body with an orientation */
    int numbers;          /* number of values that it returns */
    const char *parts[6]; /* names of its numbers in columns, NAME.part; none: one number, called NAME */
} trm_sensor_kind;

typedef struct trm_sensor {
    const char *name;
    const trm_sensor_kind *kind;
    int body[2];
    int joint;
    int coordinate;    /* index of the joint's coordinate, from 0 */
    trm_vec3 point[2]; /* in the body frames */
    trm_quat axes;     /* accelerometer, gyro: its axes in the body frame */
    double rate;       /* Hz; 0: every step */
    double noise;      /* standard deviation, in the unit of the sensor */
    int offset;        /* index of its first number among those of all sensors */
} trm_sensor;

/* Returns the sensor kind of this name, NULL if there is none. */
const trm_sensor_kind *trm_find_sensor_kind(const char *name);

#endif
