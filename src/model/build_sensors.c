/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The table of sensor kinds, and the building of sensors. */

#include <string.h>

#include "base/names.h"
#include "model/model.h"

/* Hz: highest rate of samples. With step-size control a step ends at each sample. A larger rate allows runs that
 * hardly progress, a smaller one refuses rates of real sensors. Tests pass with a tenth and with ten times of it. */
static const double MOST_RATE = 1e6;

static const trm_sensor_kind kinds[] = {
    {.name = "accelerometer",
     .id = TRM_SENSE_ACCELERATION,
     .host = TRM_ON_BODY,
     .reads = TRM_READS_ACCELERATIONS,
     .has_point = true,
     .numbers = 3,
     .parts = {"x", "y", "z"}},
    {.name = "gyro",
     .id = TRM_SENSE_SPIN,
     .host = TRM_ON_BODY,
     .reads = TRM_READS_VELOCITIES,
     .has_point = true,
     .turns = true,
     .numbers = 3,
     .parts = {"x", "y", "z"}},
    {.name = "angle", .id = TRM_SENSE_ANGLE, .host = TRM_ON_JOINT, .one_coordinate = true, .numbers = 1},
    {.name = "rate",
     .id = TRM_SENSE_RATE,
     .host = TRM_ON_JOINT,
     .reads = TRM_READS_VELOCITIES,
     .one_coordinate = true,
     .numbers = 1},
    {.name = "force",
     .id = TRM_SENSE_FORCE,
     .host = TRM_ON_JOINT,
     .reads = TRM_READS_ACCELERATIONS,
     .numbers = TRM_SENSOR_NUMBERS,
     .parts = {"fx", "fy", "fz", "tx", "ty", "tz"}},
    {.name = "distance", .id = TRM_SENSE_DISTANCE, .host = TRM_ON_PAIR, .numbers = 1},
    {.name = "contact", .id = TRM_SENSE_CONTACT, .host = TRM_ON_PAIR, .numbers = 1},
};

const trm_sensor_kind *trm_find_sensor_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
    return NULL;
}

#define WRONG(...) trm_report_element(build, def->place, "sensor", def->name, __VA_ARGS__)

/* ---- Mounting ----------------------------------------------------------------------------- */

/* Reports keys that belong to another kind of sensor. Without this they would be ignored silently. */
static void refuse_other_hosts(trm_build *build, const trm_sensor_def *def, const trm_sensor_kind *kind)
{
    const char *const given[] = {def->body, def->joint, def->bodies[0] ? def->bodies[0] : def->bodies[1]};
    static const char *const keys[] = {"body", "joint", "bodies"};
    for (int host = 0; host < 3; host++)
        if (given[host] && host != (int)kind->host)
            WRONG("a sensor of type \"%s\" takes \"%s\", not \"%s\"", kind->name, keys[kind->host], keys[host]);
    const trm_vec3 turn = trm_v3(def->orientation.x, def->orientation.y, def->orientation.z);
    if (!kind->has_point && trm_v3_length(turn) > 0)
        WRONG("a sensor of type \"%s\" takes no \"orientation\"; accelerometers and gyros do", kind->name);
    if (!kind->has_point && trm_v3_length(def->at) != 0)
        WRONG("a sensor of type \"%s\" takes no \"at\"%s", kind->name,
              kind->id == TRM_SENSE_DISTANCE ? "; its points are \"anchors\"" : "");
    const bool anchored = !isnan(def->anchors[0].x) || !isnan(def->anchors[1].x);
    if (anchored && kind->id != TRM_SENSE_DISTANCE)
        WRONG("a sensor of type \"%s\" takes no \"anchors\"; a distance does", kind->name);
}

static void place_on_body(trm_build *build, const trm_sensor_def *def, trm_sensor *sensor)
{
    if (!def->body) {
        WRONG("needs a \"body\" to sense");
        return;
    }
    trm_pose frame;
    const double norm = trm_quat_norm(def->orientation);
    if (!trm_v3_is_finite(def->at)) WRONG("\"at\" must be three finite numbers");
    if (!(norm > 0 && isfinite(norm)))
        WRONG("\"orientation\" is the zero quaternion or too long; without any rotation it is [1, 0, 0, 0]");
    if (!trm_named_frame_of(build, def->place, "sensor", def->name, def->body, &sensor->body[0], &frame)) return;
    sensor->point[0] = trm_pose_point(frame, def->at);
    sensor->axes = trm_quat_mul(frame.q, trm_quat_unit(def->orientation));
    const trm_body *body = &build->model->bodies[sensor->body[0]];
    if (body->kind != TRM_BODY_POINT) return;
    if (sensor->kind->turns) WRONG("cannot sit on the point mass '%s', which has no orientation", body->name);
    if (trm_v3_length(sensor->point[0]) != 0) WRONG("lies off the point mass '%s'; leave out \"at\"", body->name);
}

/* Mounts a sensor on its joint. Does nothing more if the joint is faulty, because its errors are already reported. */
static void place_on_joint(trm_build *build, const trm_sensor_def *def, trm_sensor *sensor)
{
    if (!def->joint) {
        WRONG("needs a \"joint\" to sense");
        return;
    }
    if (!trm_require_joint(build, def->place, "sensor", def->name, def->joint)) return;
    sensor->joint = trm_names_find(&build->model->joint_names, def->joint);
    if (sensor->joint < 0 || !sensor->kind->one_coordinate) return;
    sensor->coordinate =
        trm_named_host(build, def->place, "sensor", def->name, def->joint, def->coordinate).coordinate;
}

static void place_on_pair(trm_build *build, const trm_sensor_def *def, trm_sensor *sensor)
{
    if (!def->bodies[0] || !def->bodies[1]) {
        WRONG("needs two \"bodies\" to sense");
        return;
    }
    for (int k = 0; k < 2; k++) {
        trm_pose frame = trm_pose_identity();
        if (sensor->kind->id == TRM_SENSE_DISTANCE)
            trm_named_frame_of(build, def->place, "sensor", def->name, def->bodies[k], &sensor->body[k], &frame);
        else
            sensor->body[k] = trm_named_body(build, def->place, "sensor", def->name, def->bodies[k]);
        sensor->point[k] = isnan(def->anchors[k].x) ? frame.p : trm_pose_point(frame, def->anchors[k]);
        if (!trm_v3_is_finite(sensor->point[k])) WRONG("\"anchors\" must be two times three finite numbers");
    }
    if (sensor->body[0] >= 0 && sensor->body[0] == sensor->body[1])
        WRONG("names the same body twice; a pair needs two");
}

/* ---- Building ----------------------------------------------------------------------------- */

/* Reports an error if columns of results would have the same name. */
static void check_columns(trm_build *build, const trm_sensor_def *def, const trm_sensor_kind *kind)
{
    const trm_model *model = build->model;
    if (kind->numbers == 1 && trm_has_word("t E_kin E_pot W", def->name))
        WRONG("the name is that of a column of all results; take another");
    if (kind->host == TRM_ON_BODY && trm_names_find(&model->body_names, def->name) >= 0)
        WRONG("the name is that of a body, which has columns NAME.x, too; take another");
    if (kind->id == TRM_SENSE_FORCE && trm_names_find(&model->joint_names, def->name) >= 0)
        WRONG("the name is that of a joint, which has columns NAME.fx, too; take another");
}

static void build_sensor(trm_build *build, const trm_sensor_def *def, trm_sensor *sensor)
{
    static void (*const place[])(trm_build *, const trm_sensor_def *, trm_sensor *) = {
        [TRM_ON_BODY] = place_on_body,
        [TRM_ON_JOINT] = place_on_joint,
        [TRM_ON_PAIR] = place_on_pair,
    };
    const trm_sensor_kind *kind = def->type ? trm_find_sensor_kind(def->type) : NULL;
    sensor->rate = def->rate;
    sensor->noise = def->noise;
    if (isfinite(def->rate) && def->rate > MOST_RATE)
        WRONG("\"rate\" is %g Hz; it must be at most %g Hz", def->rate, MOST_RATE);
    if (!(def->rate >= 0 && isfinite(def->rate)) || !(def->noise >= 0 && isfinite(def->noise)))
        WRONG("\"rate\" (Hz) and \"noise\" must not be negative");
    if (!kind) {
        WRONG("needs a \"type\": accelerometer, gyro, angle, rate, force, distance or contact");
        return;
    }
    sensor->kind = kind;
    sensor->offset = build->model->observed.sample_count;
    build->model->observed.sample_count += kind->numbers;
    check_columns(build, def, kind);
    refuse_other_hosts(build, def, kind);
    place[kind->host](build, def, sensor);
}

bool trm_build_sensors(trm_build *build)
{
    trm_model *model = build->model;
    const int count = build->def->sensor_count;
    model->observed.sensors = TRM_NEW_ARRAY(&model->arena, trm_sensor, count);
    if (!model->observed.sensors || !trm_names_init(&model->sensor_names, &model->arena, count)) return false;
    for (int i = 0; i < count; i++) {
        const trm_sensor_def *def = &build->def->sensors[i];
        trm_sensor *sensor = &model->observed.sensors[model->observed.sensor_count++];
        *sensor = (trm_sensor){.joint = -1, .body = {-1, -1}, .axes = {1, 0, 0, 0}};
        if (!trm_check_name(build, def->place, "sensor", def->name)) continue;
        sensor->name = trm_arena_text(&model->arena, def->name);
        if (!sensor->name) return false;
        if (trm_names_add(&model->sensor_names, sensor->name, i) != i)
            WRONG("the name is taken by another sensor; names must differ");
        build_sensor(build, def, sensor);
    }
    return true;
}
