/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The state of a machine: create, copy, compare, hash, save, load, and read or set what the user sees. */

#include "motion/state.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/message.h"
#include "model/settings.h"

/* ---- Creating ----------------------------------------------------------------------------- */

/* Capacity for stored contacts, per shape that collides. */
enum { CONTACTS_PER_SHAPE = 24 };

static int most_stored_contacts(const trm_model *model)
{
    int shapes = 0;
    for (int i = 0; model->collisions.may_collide && i < model->body_count; i++)
        for (int k = 0; model->bodies[i].inverse_mass > 0 && k < model->bodies[i].shape_count; k++)
            shapes += model->bodies[i].shapes[k].collide;
    return CONTACTS_PER_SHAPE * shapes;
}

/* Sets the pointers of all arrays into the block, unless block is NULL. Returns the size of all arrays together, in
 * bytes. */
static size_t lay_out(trm_state *state, unsigned char *block)
{
    const trm_model *model = state->model;
    size_t used = 0;
#define PLACE(array, count)                                                                                          \
    do {                                                                                                             \
        if (block) (array) = (void *)(block + used);                                                                 \
        used += ((size_t)(count) * sizeof *(array) + 7) / 8 * 8;                                                     \
    } while (0)
    PLACE(state->clock, 1);
    PLACE(state->pose, model->body_count);
    PLACE(state->velocity, model->body_count);
    PLACE(state->memory, model->memory_count);
    PLACE(state->force, model->row_count);
    PLACE(state->reaction, model->row_count);
    PLACE(state->acceleration, model->body_count);
    PLACE(state->sample, model->observed.sample_count);
    PLACE(state->sampled, model->observed.sensor_count);
    PLACE(state->happened, model->schedule.count);
    PLACE(state->attached, model->joint_count);
    PLACE(state->mode, model->joint_count);
    PLACE(state->rest, model->collisions.may_collide ? model->body_count : 0);
    PLACE(state->contacts, state->stored_contact_room);
#undef PLACE
    return used;
}

/* Returns held, or slipping in the direction of the velocity. */
static trm_joint_mode mode_by_speed(const trm_state *state, int joint)
{
    const double speed = trm_joint_speed(state, joint);
    return speed > TRM_NO_SLIP ? TRM_PLUS : speed < -TRM_NO_SLIP ? TRM_MINUS : TRM_HELD;
}

static void set_modes(trm_state *state)
{
    for (int i = 0; i < state->model->joint_count; i++) {
        const trm_joint *joint = &state->model->joints[i];
        state->mode[i] = joint->one_sided ? TRM_SLACK : TRM_HELD;
        if (isfinite(joint->most)) state->mode[i] = (signed char)mode_by_speed(state, i);
    }
}

static void set_start(trm_state *state)
{
    const trm_model *model = state->model;
    for (int i = 0; i < model->body_count; i++) {
        state->pose[i] = model->bodies[i].start;
        state->velocity[i] = model->bodies[i].start_velocity;
        if (model->collisions.may_collide) state->rest[i].pose = state->pose[i];
    }
    for (int i = 0; i < model->input_count; i++) state->memory[i] = model->inputs[i].start;
    for (int i = 0; i < model->joint_count; i++) {
        const trm_joint *joint = &model->joints[i];
        state->attached[i] = joint->attached;
        for (int k = 0; k < joint->memory_count; k++)
            state->memory[joint->memory_offset + k] = joint->start_memory[k];
    }
    for (int i = 0; i < model->observed.sample_count; i++) state->sample[i] = NAN;
    for (int i = 0; i < model->observed.sensor_count; i++) state->sampled[i] = TRM_NOT_SAMPLED;
    set_modes(state);
}

trm_state *trm_state_create(const trm_model *model, const trm_allocator *allocator)
{
    TRM_ASSERT(model);
    const trm_allocator from = trm_allocator_or_default(allocator);
    trm_state *state = trm_allocate(&from, sizeof *state);
    if (!state) return NULL;
    state->model = model;
    state->allocator = from;
    state->stored_contact_room = most_stored_contacts(model);
    state->bytes = lay_out(state, NULL);
    unsigned char *block = trm_allocate(&from, state->bytes);
    if (!block) {
        trm_release(&from, state, sizeof *state);
        return NULL;
    }
    lay_out(state, block);
    set_start(state);
    return state;
}

void trm_state_destroy(trm_state *state)
{
    if (!state) return;
    const trm_allocator from = state->allocator;
    trm_release(&from, state->clock, state->bytes);
    trm_release(&from, state, sizeof *state);
}

/* Copies the block up to the last stored contact; the rest is zero. */
void trm_state_copy(trm_state *to, const trm_state *from)
{
    TRM_ASSERT(to->model == from->model);
    if (to == from) return;
    const int count = (int)from->clock->contact_count;
    if (count < to->clock->contact_count) trm_state_set_contact_count(to, count);
    memcpy(to->clock, from->clock,
           from->bytes - (size_t)(from->stored_contact_room - count) * sizeof *from->contacts);
}

bool trm_state_equal(const trm_state *a, const trm_state *b)
{
    return a->model == b->model && memcmp(a->clock, b->clock, a->bytes) == 0;
}

uint64_t trm_state_hash(const trm_state *state)
{
    return trm_hash_bytes(TRM_HASH_START, state->clock, state->bytes);
}

/* ---- Saving and loading ------------------------------------------------------------------- */

/* The file: this header, the block, the hash of both. Numbers are in the machine's own format. */
typedef struct saved_header {
    char magic[8];
    uint32_t version;
    uint32_t byte_order;
    uint64_t fingerprint; /* of the model */
    uint64_t bytes;       /* of the block */
} saved_header;

static const char MAGIC[8] = {'T', 'R', 'M', 'S', 'T', 'A', 'T', 'E'};
enum { SAVED_VERSION = 7, BYTE_ORDER_MARK = 0x01020304 };

static saved_header header_of(const trm_state *state)
{
    saved_header header = {.version = SAVED_VERSION, .byte_order = BYTE_ORDER_MARK};
    memcpy(header.magic, MAGIC, sizeof MAGIC);
    header.fingerprint = state->model->fingerprint;
    header.bytes = state->bytes;
    return header;
}

static uint64_t seal_of(const saved_header *header, const void *block, size_t bytes)
{
    return trm_hash_bytes(trm_hash_bytes(TRM_HASH_START, header, sizeof *header), block, bytes);
}

trm_status trm_state_save(const trm_state *state, trm_sink sink)
{
    const saved_header header = header_of(state);
    const uint64_t seal = seal_of(&header, state->clock, state->bytes);
    const bool written = sink.write(sink.context, (const char *)&header, sizeof header) &&
                         sink.write(sink.context, (const char *)state->clock, state->bytes) &&
                         sink.write(sink.context, (const char *)&seal, sizeof seal);
    return written ? TRM_OK : TRM_IO_ERROR;
}

/* Returns why a file cannot be loaded into the state; NULL if it can. */
static const char *load_error(const trm_state *state, const unsigned char *bytes, size_t count)
{
    saved_header header;
    uint64_t seal;
    if (count < sizeof header || memcmp(bytes, MAGIC, sizeof MAGIC) != 0) return "this is not a saved Trammel state";
    memcpy(&header, bytes, sizeof header);
    if (header.byte_order != BYTE_ORDER_MARK) return "the state was saved on a machine of the other byte order";
    if (header.version != SAVED_VERSION) return "the state was saved by another version of the format; save it again";
    if (header.fingerprint != state->model->fingerprint || header.bytes != state->bytes)
        return "the state belongs to another model: bodies, masses or joints differ; load it with the model it was "
               "saved from";
    if (count != sizeof header + state->bytes + sizeof seal)
        return "the file is truncated or has additional bytes at its end; save it again";
    memcpy(&seal, bytes + sizeof header + state->bytes, sizeof seal);
    if (seal != seal_of(&header, bytes + sizeof header, state->bytes))
        return "the file is damaged: its checksum is wrong; save it again";
    return NULL;
}

static bool are_finite(const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(numbers[i])) return false;
    return true;
}

/* Returns whether all bytes of a file are 0 or 1. Other values must not be read as bool. */
static bool are_booleans(const bool *truths, int count)
{
    const unsigned char *bytes = (const unsigned char *)truths;
    for (int i = 0; i < count; i++)
        if (bytes[i] > 1) return false;
    return true;
}

static bool contacts_are_sound(const trm_state *state)
{
    const int bodies = state->model->body_count;
    if (state->clock->contact_count < 0 || state->clock->contact_count > state->stored_contact_room) return false;
    for (int i = 0; i < state->clock->contact_count; i++)
        for (int b = 0; b < 2; b++)
            if (state->contacts[i].body[b] < 0 || state->contacts[i].body[b] >= bodies) return false;
    for (int i = 0; state->model->collisions.may_collide && i < bodies; i++)
        if (state->rest[i].island < 0 || state->rest[i].island > bodies) return false;
    return true;
}

/* Returns whether all counts, indices and truth values are valid and the motion is finite. A checksum detects
 * accidents, but not files that were made by hand. */
static bool is_valid(const trm_state *state)
{
    const trm_model *model = state->model;
    const trm_clock *clock = state->clock;
    bool sound = isfinite(clock->time) && isfinite(clock->time_low) && isfinite(clock->step);
    sound = sound && clock->events >= 0 && clock->events <= model->schedule.timed;
    sound = sound && clock->velocities_projected >= TRM_NONE_PROJECTED &&
            clock->velocities_projected <= TRM_SHAPED_PROJECTED;
    sound = sound && are_booleans(state->happened, model->schedule.count) &&
            are_booleans(state->attached, model->joint_count);
    for (int i = 0; sound && i < model->joint_count; i++)
        sound = state->mode[i] >= TRM_SLACK && state->mode[i] <= TRM_MINUS;
    for (int i = 0; sound && i < model->body_count; i++)
        sound = are_finite((const double *)&state->pose[i], sizeof state->pose[i] / sizeof(double)) &&
                are_finite((const double *)&state->velocity[i], sizeof state->velocity[i] / sizeof(double));
    return sound && trm_choices_are_valid(model, state->memory) && contacts_are_sound(state);
}

/* Copies the block into the state if it is sound. Copies it first, because the given bytes may not be aligned. */
static trm_status take_block(trm_state *state, const unsigned char *block, bool *sound)
{
    trm_state copy = *state;
    unsigned char *bytes = trm_allocate(&state->allocator, state->bytes);
    if (!bytes) return TRM_OUT_OF_MEMORY;
    memcpy(bytes, block, state->bytes);
    lay_out(&copy, bytes);
    *sound = is_valid(&copy);
    if (*sound) memcpy(state->clock, bytes, state->bytes);
    trm_release(&state->allocator, bytes, state->bytes);
    return *sound ? TRM_OK : TRM_BAD_INPUT;
}

trm_status trm_state_load(trm_state *state, const void *bytes, size_t count, const char *file, trm_messages *messages)
{
    const char *why = load_error(state, bytes, count);
    bool sound = true;
    trm_status status = TRM_BAD_INPUT;
    if (!why) status = take_block(state, (const unsigned char *)bytes + sizeof(saved_header), &sound);
    if (!sound) why = "the file contains numbers that no saved state can have; save it again";
    if (why) trm_add_error(messages, (trm_place){file, 0, 0}, "%s", why);
    return status;
}

/* ---- Sleeping ----------------------------------------------------------------------------- */

/* Gives the woken bodies the half kick of gravity of the last step if the velocities of the other bodies include it,
 * that is, if these are not projected at present. */
void trm_state_wake(trm_state *state, int body)
{
    if (!trm_body_sleeps(state, body)) return;
    const int64_t island = state->rest[body].island;
    const double fallen = state->clock->velocities_projected ? 0 : 0.5 * state->clock->step;
    const double before = trm_state_energy(state).kinetic;
    for (int i = 0; i < state->model->body_count; i++) {
        if (state->rest[i].island != island) continue;
        state->rest[i] = (trm_rest){state->pose[i], state->clock->time, 0};
        state->velocity[i].lin = trm_v3_scale(fallen, state->model->bodies[i].gravity);
    }
    trm_add_work(state, 1, (trm_works){.contact = trm_state_energy(state).kinetic - before});
}

int trm_bodies_asleep(const trm_state *state)
{
    int count = 0;
    for (int i = 0; i < state->model->body_count; i++) count += trm_body_sleeps(state, i);
    return count;
}

/* ---- What the user sees ------------------------------------------------------------------- */

double trm_state_time(const trm_state *state)
{
    return state->clock->time;
}

static const trm_body *body_at(const trm_state *state, int body)
{
    TRM_ASSERT(body >= 0 && body < state->model->body_count);
    return &state->model->bodies[body];
}

trm_pose trm_body_pose(const trm_state *state, int body)
{
    return trm_pose_mul(state->pose[body], trm_pose_inverse(body_at(state, body)->X_BP));
}

trm_spatial trm_body_velocity(const trm_state *state, int body)
{
    const trm_vec3 to_origin = trm_v3_sub(trm_body_pose(state, body).p, state->pose[body].p);
    const trm_spatial V = state->velocity[body];
    return trm_sp(V.ang, trm_v3_add(V.lin, trm_v3_cross(V.ang, to_origin)));
}

static bool has_body(const trm_joint *joint, int body)
{
    for (int b = 0; b < joint->body_count; b++)
        if (joint->body[b] == body) return true;
    return false;
}

/* Updates the modes of joints after the caller has set a velocity: they may slip or leave their bounds. */
static void change_modes(trm_state *state, int body)
{
    for (int j = 0; j < state->model->joint_count; j++) {
        const trm_joint *joint = &state->model->joints[j];
        if (!has_body(joint, body)) continue;
        if (isfinite(joint->most)) state->mode[j] = (signed char)mode_by_speed(state, j);
        if (joint->one_sided && trm_joint_speed(state, j) < -TRM_NO_SLIP) state->mode[j] = TRM_SLACK;
    }
}

/* Makes a joint of limited force hold its present coordinate. */
static void set_held_value(trm_state *state, int joint)
{
    trm_joint_at at = trm_joint_now(state, joint);
    at.mode = TRM_PLUS;
    trm_joint_remember(&at, 0, state->memory + at.joint->memory_offset);
}

/* Updates the memory of friction and motors after the caller has moved a body, so that they hold it at its new
 * pose. */
static void move_held_positions(trm_state *state, int body)
{
    for (int j = 0; j < state->model->joint_count; j++) {
        const trm_joint *joint = &state->model->joints[j];
        if (isfinite(joint->most) && has_body(joint, body)) set_held_value(state, j);
    }
}

void trm_state_stick_or_slip(trm_state *state)
{
    for (int j = 0; j < state->model->joint_count; j++) {
        if (!isfinite(state->model->joints[j].most)) continue;
        set_held_value(state, j);
        state->mode[j] = (signed char)mode_by_speed(state, j);
    }
}

/* ---- Rotors ------------------------------------------------------------------------------- */

/* Sets x = q, dx/dt = dq/dt, and the second derivative if accelerations are known. Restarts the memory of the gear at
 * this pose. */
void trm_state_move_rotor(trm_state *state, int joint)
{
    const trm_joint *gear = &state->model->joints[joint];
    if (!trm_joint_drives_rotor(state->model, gear)) return;
    const int host = (int)(gear->host - state->model->joints), rotor = gear->body[3];
    const trm_joint_at at = trm_joint_now(state, host);
    double *memory = state->memory + gear->memory_offset;
    trm_spatial G[TRM_JOINT_BODIES];
    const double rate = trm_joint_coordinate_rate(&at, gear->coordinate);
    state->pose[rotor].p.z = trm_joint_coordinate(&at, gear->coordinate);
    state->velocity[rotor].lin.z = rate;
    trm_joint_coordinate_row(&at, gear->coordinate, G);
    state->acceleration[rotor].lin.z = trm_joint_coordinate_bias_of(&at, gear->coordinate);
    for (int b = 0; b < at.joint->body_count; b++)
        state->acceleration[rotor].lin.z += trm_sp_dot(G[b], state->acceleration[at.joint->body[b]]);
    memset(memory, 0, (size_t)gear->memory_count * sizeof *memory);
    trm_joint_at here = trm_joint_now(state, joint);
    here.memory = memory;
    trm_joint_remember(&here, 0, memory);
    memory[gear->memory_count - 1] = 0; /* the error c of the gear (joints/gear.c) */
}

static void take_rotors_along(trm_state *state, int body)
{
    for (int j = state->model->shown_joint_count; j < state->model->joint_count; j++)
        if (has_body(&state->model->joints[j], body)) trm_state_move_rotor(state, j);
}

void trm_set_body_pose(trm_state *state, int body, trm_pose pose)
{
    TRM_ASSERT(body_at(state, body)->inverse_mass > 0);
    trm_state_wake(state, body);
    pose.q = trm_quat_unit(pose.q);
    state->pose[body] = trm_pose_mul(pose, body_at(state, body)->X_BP);
    state->clock->velocities_projected = 0;
    move_held_positions(state, body);
    take_rotors_along(state, body);
}

void trm_set_body_velocity(trm_state *state, int body, trm_spatial velocity)
{
    TRM_ASSERT(body_at(state, body)->inverse_mass > 0);
    if (body_at(state, body)->kind == TRM_BODY_POINT) velocity.ang = trm_v3(0, 0, 0);
    trm_state_wake(state, body);
    const trm_vec3 to_com = trm_v3_sub(state->pose[body].p, trm_body_pose(state, body).p);
    state->velocity[body] = trm_sp(velocity.ang, trm_v3_add(velocity.lin, trm_v3_cross(velocity.ang, to_com)));
    state->clock->velocities_projected = 0;
    change_modes(state, body);
    take_rotors_along(state, body);
}

void trm_set_state_time(trm_state *state, double time)
{
    state->clock->time = time;
    state->clock->time_low = 0;
    for (int i = 0; i < state->model->body_count; i++) {
        const trm_motion *motion = state->model->bodies[i].motion;
        if (motion) trm_motion_at(motion, time, &state->pose[i], &state->velocity[i], &state->acceleration[i]);
    }
}

double trm_input_value(const trm_state *state, int input)
{
    TRM_ASSERT(input >= 0 && input < state->model->input_count);
    return state->memory[input];
}

double trm_setting_value(const trm_state *state, int setting)
{
    TRM_ASSERT(setting >= 0 && setting < state->model->setting_count);
    const trm_setting_place *place = &state->model->settings[setting];
    return trm_chosen_at(place->chosen, state->memory + place->memory_offset, state->clock->time).v;
}

trm_vec3 trm_point_position(const trm_state *state, int body, trm_vec3 point)
{
    return trm_pose_point(trm_body_pose(state, body), point);
}

trm_vec3 trm_point_velocity(const trm_state *state, int body, trm_vec3 point)
{
    const trm_vec3 arm = trm_v3_sub(trm_point_position(state, body, point), state->pose[body].p);
    return trm_v3_add(state->velocity[body].lin, trm_v3_cross(state->velocity[body].ang, arm));
}

/* Returns the acceleration of a point fixed in the body, r from the centre of mass: a + alpha x r + omega x (omega
 * x r). */
static trm_vec3 carried_acceleration(const trm_state *state, int body, trm_vec3 r)
{
    const trm_spatial a = state->acceleration[body];
    const trm_vec3 omega = state->velocity[body].ang;
    return trm_v3_add(a.lin, trm_v3_add(trm_v3_cross(a.ang, r), trm_v3_cross(omega, trm_v3_cross(omega, r))));
}

trm_vec3 trm_point_acceleration(const trm_state *state, int body, trm_vec3 point)
{
    return carried_acceleration(state, body, trm_v3_sub(trm_point_position(state, body, point), state->pose[body].p));
}

trm_spatial trm_body_acceleration(const trm_state *state, int body)
{
    return trm_sp(state->acceleration[body].ang, trm_point_acceleration(state, body, trm_v3(0, 0, 0)));
}

/* Computes the acceleration of the centre of mass from that of the frame's origin, by subtracting the acceleration of
 * the origin relative to the centre of mass. */
void trm_set_body_acceleration(trm_state *state, int body, trm_spatial acceleration)
{
    TRM_ASSERT(body_at(state, body)->inverse_mass > 0);
    if (body_at(state, body)->kind == TRM_BODY_POINT) acceleration.ang = trm_v3(0, 0, 0);
    const trm_vec3 r = trm_v3_sub(trm_body_pose(state, body).p, state->pose[body].p);
    state->acceleration[body] = trm_sp(acceleration.ang, trm_v3(0, 0, 0));
    state->acceleration[body].lin = trm_v3_sub(acceleration.lin, carried_acceleration(state, body, r));
    take_rotors_along(state, body);
}

trm_joint_at trm_joint_now(const trm_state *state, int joint)
{
    TRM_ASSERT(joint >= 0 && joint < state->model->joint_count);
    const trm_joint *j = &state->model->joints[joint];
    trm_joint_at at =
        trm_joint_at_poses(j, state->pose, state->velocity, state->clock->time, state->memory + j->memory_offset);
    at.mode = (trm_joint_mode)state->mode[joint];
    return at;
}

bool trm_joint_lacks_host(const trm_state *state, const trm_joint *joint)
{
    const trm_joint *first = state->model->joints;
    for (int k = 0; k < joint->term_count; k++)
        if (!state->attached[joint->terms[k].host - first]) return true;
    return joint->host && !state->attached[joint->host - first];
}

double trm_joint_speed(const trm_state *state, int joint)
{
    trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
    double speed[TRM_JOINT_ROWS];
    const trm_joint_at at = trm_joint_now(state, joint);
    trm_joint_rate(&at, speed);
    trm_joint_jacobian(&at, J);
    for (int b = 0; b < at.joint->body_count; b++) speed[0] += trm_sp_dot(J[b], at.V[b]);
    return speed[0];
}

trm_force_at trm_force_now(const trm_state *state, int force)
{
    const trm_force *f = &state->model->forces[force];
    return trm_force_at_poses(f, state->pose, state->velocity, state->clock->time, state->memory);
}

void trm_remember_turn(trm_state *state, int joint, double h)
{
    const trm_joint_at at = trm_joint_now(state, joint);
    trm_joint_remember(&at, h, state->memory + at.joint->memory_offset);
}

void trm_remember_force(trm_state *state, int force)
{
    const trm_force_at at = trm_force_now(state, force);
    at.force->type->remember(&at, state->memory + at.force->memory_offset);
}

int trm_joint_values(const trm_state *state, int joint, double *q, double *qd)
{
    const trm_joint_at at = trm_joint_now(state, joint);
    if (q) trm_joint_coordinates(&at, q);
    if (qd) trm_joint_coordinate_rates(&at, qd);
    return at.joint->coordinates;
}

bool trm_joint_attached(const trm_state *state, int joint)
{
    return state->attached[joint];
}

/* Returns the wrench of the rows of one joint on its second body, about the centre of mass. */
static trm_spatial wrench_of(const trm_state *state, int joint)
{
    const trm_joint_at at = trm_joint_now(state, joint);
    const int n = at.joint->body_count;
    const double *lambda = state->reaction + at.joint->row_offset;
    trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES], F = {{0, 0, 0}, {0, 0, 0}};
    trm_joint_jacobian(&at, J);
    for (int r = 0; r < at.joint->rows; r++) F = trm_sp_add_scaled(F, lambda[r], J[r * n + 1]);
    return F;
}

trm_spatial trm_joint_reaction(const trm_state *state, int joint)
{
    const trm_model *model = state->model;
    const trm_joint_at at = trm_joint_now(state, joint);
    trm_spatial F = wrench_of(state, joint);
    for (int j = model->shown_joint_count; j < model->joint_count; j++) /* limits belong to their host */
        if (model->joints[j].host == at.joint) F = trm_sp_add_scaled(F, 1, wrench_of(state, j));
    return trm_sp(trm_v3_sub(F.ang, trm_v3_cross(at.r[1], F.lin)),
                  F.lin); /* moved from the centre of mass to the anchor */
}

trm_gap trm_position_gap(const trm_state *state, int joint)
{
    const trm_joint_at at = trm_joint_now(state, joint);
    return trm_joint_gap(&at);
}

trm_gap trm_velocity_gap(const trm_state *state, int joint)
{
    const trm_joint_at at = trm_joint_now(state, joint);
    return trm_joint_velocity_gap(&at);
}
