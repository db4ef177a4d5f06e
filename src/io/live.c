/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Writes the data for a page that displays a running simulation (viewer/DATA.md, "Live"): the scene as JSON, frames
 * as numbers. */

#include <stdio.h>

#include "io/page.h"
#include "motion/state.h"
#include "sim/sim.h"

enum { MOST_CONTACTS = 2000 }; /* per frame; more arrows cannot be distinguished */

struct trm_live {
    trm_arena arena;
    trm_sim *sim;
    trm_animation *start; /* one row, from which the scene is made */
    trm_page_series series;
    int *drawn_joints; /* numbers of the joints in the scene */
    int drawn_count;
    trm_contact_row *contacts;
};

/* ---- Creation ------------------------------------------------------------------------------ */

static bool begin(trm_live *live)
{
    const trm_state *state = live->sim->state;
    const trm_model *model = state->model;
    live->start = trm_animation_create(state, &live->arena.allocator);
    live->drawn_joints = TRM_NEW_ARRAY(&live->arena, int, model->shown_joint_count);
    live->contacts = TRM_NEW_ARRAY(&live->arena, trm_contact_row, model->collisions.may_collide ? MOST_CONTACTS : 0);
    if (!live->start || !live->drawn_joints || !live->contacts) return false;
    for (int j = 0; j < model->shown_joint_count; j++)
        if (!model->joints[j].host) live->drawn_joints[live->drawn_count++] = j;
    return trm_page_list_series(&live->series, state, &live->arena);
}

trm_live *trm_live_create(trm_sim *sim, const trm_allocator *allocator)
{
    trm_live *made = trm_owner_create(allocator, sizeof *made);
    if (!made) return NULL;
    made->sim = sim;
    if (begin(made)) return made;
    trm_live_destroy(made);
    return NULL;
}

void trm_live_destroy(trm_live *live)
{
    if (!live) return;
    trm_animation_destroy(live->start);
    trm_owner_destroy(live, sizeof *live);
}

void trm_live_follow(trm_live *live, trm_sim *sim)
{
    live->sim = sim;
}

/* ---- The scene ----------------------------------------------------------------------------- */

static bool write_series(const trm_live *live, trm_sink sink)
{
    trm_json_writer w = trm_json_begin(sink);
    trm_json_open_array(&w, NULL);
    for (int i = 0; i < live->series.count; i++) {
        trm_json_open_object_flat(&w, NULL);
        trm_page_describe(&live->series, i, &w);
        trm_json_close(&w);
    }
    trm_json_close(&w);
    return trm_json_end(&w);
}

/* Writes which methods can continue with this machine, and why the others cannot. */
static trm_status write_methods(const trm_live *live, trm_sink sink)
{
    trm_analysis *analysis = trm_analyse(live->sim->state, &live->arena.allocator);
    if (!analysis) return TRM_OUT_OF_MEMORY;
    trm_json_writer w = trm_json_begin(sink);
    trm_method_verdict verdict;
    char why[300];
    trm_json_open_array(&w, NULL);
    for (int i = 0; trm_judge_method(live->sim->state, analysis, i, why, sizeof why, &verdict); i++) {
        trm_json_open_object_flat(&w, NULL);
        trm_json_put_text(&w, "name", verdict.name);
        trm_json_put_bool(&w, "can", verdict.could_run);
        trm_json_put_text(&w, "why", verdict.why);
        trm_json_close(&w);
    }
    trm_json_close(&w);
    trm_analysis_destroy(analysis);
    return trm_json_end(&w) ? TRM_OK : TRM_IO_ERROR;
}

trm_status trm_live_write_scene(const trm_live *live, const char *name, unsigned number, trm_sink sink)
{
    char head[80];
    snprintf(head, sizeof head, "{ \"kind\": \"scene\", \"number\": %u, \"scene\": ", number);
    if (!trm_put_text(sink, head)) return TRM_IO_ERROR;
    trm_status status = trm_page_write_scene(live->start, name, sink);
    if (status != TRM_OK) return status;
    if (!trm_put_text(sink, ", \"series\": ") || !write_series(live, sink) || !trm_put_text(sink, ", \"methods\": "))
        return TRM_IO_ERROR;
    status = write_methods(live, sink);
    return status == TRM_OK && !trm_put_text(sink, "}\n") ? TRM_IO_ERROR : status;
}

/* ---- Frames -------------------------------------------------------------------------------- */

/* The beginning of a frame. */
typedef struct frame_head {
    uint32_t scene, number, reactions, contacts, grips, rows; /* rows: set by the sender */
    double time;
} frame_head;

_Static_assert(sizeof(frame_head) == 32, "the layout of viewer/DATA.md");

static bool put_numbers(trm_sink sink, const double *numbers, int count)
{
    float small[16];
    for (int i = 0; i < count; i++) small[i] = (float)numbers[i];
    return sink.write(sink.context, (const char *)small, (size_t)count * sizeof *small);
}

static bool put_vector(trm_sink sink, trm_vec3 v)
{
    return put_numbers(sink, (double[]){v.x, v.y, v.z}, 3);
}

/* Moves the closed contacts to the front of the list. Returns their number. Impacts are not shown. */
static int find_contacts(trm_live *live)
{
    int kept = 0;
    if (!live->sim->state->model->collisions.may_collide) return 0;
    const int all = trm_sim_contacts(live->sim, live->contacts, MOST_CONTACTS);
    for (int i = 0; i < all && i < MOST_CONTACTS; i++)
        if (!live->contacts[i].impact) live->contacts[kept++] = live->contacts[i];
    return kept;
}

static bool write_poses(const trm_live *live, trm_sink sink)
{
    const trm_state *state = live->sim->state;
    bool good = true;
    for (int i = 0; good && i < state->model->shown_body_count; i++) {
        const trm_pose X = trm_body_pose(state, i);
        good = put_numbers(sink, (double[]){X.p.x, X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z}, 7);
    }
    return good;
}

/* Writes whether a joint is attached, for the joint or its link; joint -1: always. */
static bool put_presence(const trm_live *live, int joint, trm_sink sink)
{
    return put_numbers(sink, (double[]){joint < 0 || live->sim->state->attached[joint] ? 1 : 0}, 1);
}

static bool write_presence(const trm_live *live, trm_sink sink)
{
    bool good = true;
    for (int i = 0; good && i < live->drawn_count; i++) good = put_presence(live, live->drawn_joints[i], sink);
    for (int i = 0; good && i < live->start->link_count; i++)
        good = put_presence(live, live->start->links[i].joint, sink);
    return good;
}

bool trm_live_write_row(const trm_live *live, trm_sink sink)
{
    const double time = live->sim->state->clock->time;
    bool good = sink.write(sink.context, (const char *)&time, sizeof time);
    for (int i = 0; good && i < live->series.count; i++)
        good = put_numbers(sink, (double[]){trm_page_value(&live->series, i, live->sim->state)}, 1);
    return good;
}

/* Returns the force on the second body, or that on the first body if the second cannot move, because an arrow into
 * the ground would be invisible. */
static trm_vec3 shown_force(const trm_live *live, const trm_contact_row *contact)
{
    const bool is_held = live->sim->state->model->bodies[contact->body[1]].inverse_mass <= 0;
    return trm_v3_scale(is_held ? -1 : 1, contact->force);
}

static bool write_forces(const trm_live *live, const trm_frame_def *def, int contacts, trm_sink sink)
{
    bool good = true;
    for (int j = 0; good && def->reactions && j < live->drawn_count; j++)
        good = put_vector(sink, trm_joint_reaction(live->sim->state, live->drawn_joints[j]).lin);
    for (int i = 0; good && i < contacts; i++)
        good = put_vector(sink, live->contacts[i].point) && put_vector(sink, shown_force(live, &live->contacts[i]));
    for (int i = 0; good && i < def->grip_count; i++) {
        const trm_grip *grip = &def->grips[i];
        good = put_numbers(sink, (double[]){grip->body}, 1) && put_vector(sink, grip->point) &&
               put_vector(sink, grip->target) && put_vector(sink, grip->force);
    }
    return good;
}

bool trm_live_write_frame(trm_live *live, const trm_frame_def *def, trm_sink sink)
{
    const int contacts = find_contacts(live);
    const frame_head head = {.scene = def->scene,
                             .number = def->number,
                             .reactions = def->reactions ? (uint32_t)live->drawn_count : 0,
                             .contacts = (uint32_t)contacts,
                             .grips = (uint32_t)def->grip_count,
                             .time = live->sim->state->clock->time};
    return sink.write(sink.context, (const char *)&head, sizeof head) && write_poses(live, sink) &&
           write_presence(live, sink) && write_forces(live, def, contacts, sink);
}
