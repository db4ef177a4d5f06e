/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Frames and shapes in the schemas of Foxglove (docs.foxglove.dev, "schemas"). Shapes are those of an animation
 * (scene.c): boxes, spheres and cylinders as primitives, all others as triangles. */

#include "base/memory.h"
#include "io/animation.h"
#include "io/result_mcap.h"
#include "io/scene.h"
#include "motion/state.h"

/* Beginnings and end of objects and lists in JSON schemas. */
#define OBJECT     "{\"type\":\"object\",\"properties\":{"
#define END        "}}"
#define LIST       "{\"type\":\"array\",\"items\":"
#define LIST_END   "}"
#define NUMBER     "{\"type\":\"number\"}"
#define INTEGER    "{\"type\":\"integer\"}"
#define TEXT       "{\"type\":\"string\"}"
#define TIME       OBJECT "\"sec\":" INTEGER ",\"nsec\":" INTEGER END
#define VECTOR     OBJECT "\"x\":" NUMBER ",\"y\":" NUMBER ",\"z\":" NUMBER END
#define QUATERNION OBJECT "\"x\":" NUMBER ",\"y\":" NUMBER ",\"z\":" NUMBER ",\"w\":" NUMBER END
#define POSE       OBJECT "\"position\":" VECTOR ",\"orientation\":" QUATERNION END
#define COLOUR     OBJECT "\"r\":" NUMBER ",\"g\":" NUMBER ",\"b\":" NUMBER ",\"a\":" NUMBER END
#define SIZED      "\"pose\":" POSE ",\"size\":" VECTOR ",\"color\":" COLOUR
#define CYLINDER   SIZED ",\"bottom_scale\":" NUMBER ",\"top_scale\":" NUMBER
#define TRIANGLES                                                                                                    \
    "\"pose\":" POSE ",\"points\":" LIST VECTOR LIST_END ",\"color\":" COLOUR ",\"colors\":" LIST COLOUR LIST_END    \
    ",\"indices\":" LIST INTEGER LIST_END
#define UNUSED LIST OBJECT END LIST_END

const char trm_mcap_transforms_schema[] =
    OBJECT "\"transforms\":" LIST OBJECT "\"timestamp\":" TIME ",\"parent_frame_id\":" TEXT
           ",\"child_frame_id\":" TEXT ",\"translation\":" VECTOR ",\"rotation\":" QUATERNION END LIST_END END;

const char trm_mcap_scene_schema[] = OBJECT
    "\"deletions\":" UNUSED ",\"entities\":" LIST OBJECT "\"timestamp\":" TIME ",\"frame_id\":" TEXT ",\"id\":" TEXT
    ",\"lifetime\":" TIME ",\"frame_locked\":{\"type\":\"boolean\"},\"metadata\":" UNUSED ",\"arrows\":" UNUSED
    ",\"cubes\":" LIST OBJECT SIZED END LIST_END ",\"spheres\":" LIST OBJECT SIZED END LIST_END
    ",\"cylinders\":" LIST OBJECT CYLINDER END LIST_END ",\"lines\":" UNUSED
    ",\"triangles\":" LIST OBJECT TRIANGLES END LIST_END ",\"texts\":" UNUSED ",\"models\":" UNUSED END LIST_END END;

static void put_time(trm_json_writer *w, const char *key, uint64_t nanoseconds)
{
    const uint64_t second = UINT64_C(1000000000);
    trm_json_open_object_flat(w, key);
    trm_json_put_integer(w, "sec", (long long)(nanoseconds / second));
    trm_json_put_integer(w, "nsec", (long long)(nanoseconds % second));
    trm_json_close(w);
}

static void put_vector(trm_json_writer *w, const char *key, trm_vec3 v)
{
    trm_json_open_object_flat(w, key);
    trm_json_put_number(w, "x", v.x);
    trm_json_put_number(w, "y", v.y);
    trm_json_put_number(w, "z", v.z);
    trm_json_close(w);
}

static void put_quaternion(trm_json_writer *w, const char *key, trm_quat q)
{
    trm_json_open_object_flat(w, key);
    trm_json_put_number(w, "x", q.x);
    trm_json_put_number(w, "y", q.y);
    trm_json_put_number(w, "z", q.z);
    trm_json_put_number(w, "w", q.w);
    trm_json_close(w);
}

/* ---- Frames -------------------------------------------------------------------------------- */

/* All poses are relative to the ground, the frame "ground". */
bool trm_mcap_put_transforms(const trm_model *model, const trm_state *state, trm_sink sink)
{
    const uint64_t time = trm_mcap_nanoseconds(trm_state_time(state));
    trm_json_writer w = trm_json_begin(sink);
    trm_json_open_object_flat(&w, NULL);
    trm_json_open_array_flat(&w, "transforms");
    for (int i = 1; i < trm_body_count(model); i++) {
        const trm_pose pose = trm_body_pose(state, i);
        trm_json_open_object_flat(&w, NULL);
        put_time(&w, "timestamp", time);
        trm_json_put_text(&w, "parent_frame_id", trm_body_info_of(model, 0).name);
        trm_json_put_text(&w, "child_frame_id", trm_body_info_of(model, i).name);
        put_vector(&w, "translation", pose.p);
        put_quaternion(&w, "rotation", pose.q);
        trm_json_close(&w);
    }
    trm_json_close(&w);
    trm_json_close(&w);
    return trm_json_end(&w);
}

/* ---- Shapes -------------------------------------------------------------------------------- */

static void put_pose_and_colour(trm_json_writer *w, const trm_scene *scene, const trm_scene_part *part)
{
    const uint32_t colour = scene->materials[part->material].colour;
    trm_json_open_object_flat(w, "pose");
    put_vector(w, "position", part->pose.p);
    put_quaternion(w, "orientation", part->pose.q);
    trm_json_close(w);
    trm_json_open_object_flat(w, "color");
    trm_json_put_number(w, "r", (double)(colour >> 16 & 0xff) / 255);
    trm_json_put_number(w, "g", (double)(colour >> 8 & 0xff) / 255);
    trm_json_put_number(w, "b", (double)(colour & 0xff) / 255);
    trm_json_put_number(w, "a", 1);
    trm_json_close(w);
}

/* Writes a box with edges 1, or a round shape of radius 1 and length 1, with the scale of the part. */
static void put_sized(trm_json_writer *w, const trm_scene_part *part, trm_scene_kind kind)
{
    const trm_vec3 s = part->scale;
    put_vector(w, "size",
               kind == TRM_SCENE_BOX      ? s
               : kind == TRM_SCENE_SPHERE ? trm_v3_scale(2, s)
                                          : trm_v3(2 * s.x, 2 * s.y, s.z));
    if (kind != TRM_SCENE_CYLINDER) return;
    trm_json_put_number(w, "bottom_scale", 1);
    trm_json_put_number(w, "top_scale", 1);
}

static void put_triangles(trm_json_writer *w, const trm_geometry *g, trm_vec3 scale)
{
    trm_json_open_array_flat(w, "points");
    for (int i = 0; i < g->vertex_count; i++)
        put_vector(w, NULL,
                   trm_v3(scale.x * (double)g->positions[i][0], scale.y * (double)g->positions[i][1],
                          scale.z * (double)g->positions[i][2]));
    trm_json_close(w);
    trm_json_open_array_flat(w, "colors");
    trm_json_close(w);
    trm_json_open_array_flat(w, "indices");
    for (int i = 0; i < g->index_count; i++) trm_json_put_integer(w, NULL, g->indices[i]);
    trm_json_close(w);
}

static bool is_sized(trm_scene_kind kind)
{
    return kind == TRM_SCENE_BOX || kind == TRM_SCENE_SPHERE || kind == TRM_SCENE_CYLINDER;
}

/* Writes all parts of a body that are of one kind. Shapes without a primitive are triangles. Lines are omitted. */
static void put_parts(trm_json_writer *w, const trm_scene *scene, int body, const char *key, trm_scene_kind kind)
{
    trm_json_open_array_flat(w, key);
    for (int i = scene->first_part[body]; i < scene->first_part[body + 1]; i++) {
        const trm_scene_part *part = &scene->parts[i];
        const trm_scene_geometry *g = &scene->geometries[part->geometry];
        const bool fits = is_sized(kind) ? g->kind == kind : !is_sized(g->kind) && g->triangles.index_count > 0;
        if (!fits) continue;
        trm_json_open_object_flat(w, NULL);
        put_pose_and_colour(w, scene, part);
        if (is_sized(kind))
            put_sized(w, part, kind);
        else
            put_triangles(w, &g->triangles, part->scale);
        trm_json_close(w);
    }
    trm_json_close(w);
}

static void put_entity(trm_json_writer *w, const trm_scene *scene, const trm_model *model, int body, uint64_t time)
{
    static const char *const empty[] = {"metadata", "arrows", "lines", "texts", "models"};
    const char *name = trm_body_info_of(model, body).name;
    trm_json_open_object_flat(w, NULL);
    put_time(w, "timestamp", time);
    trm_json_put_text(w, "frame_id", name);
    trm_json_put_text(w, "id", name);
    put_time(w, "lifetime", 0);
    trm_json_put_bool(w, "frame_locked", true);
    for (int i = 0; i < 5; i++) {
        trm_json_open_array_flat(w, empty[i]);
        trm_json_close(w);
    }
    put_parts(w, scene, body, "cubes", TRM_SCENE_BOX);
    put_parts(w, scene, body, "spheres", TRM_SCENE_SPHERE);
    put_parts(w, scene, body, "cylinders", TRM_SCENE_CYLINDER);
    put_parts(w, scene, body, "triangles", TRM_SCENE_MESH);
    trm_json_close(w);
}

static bool put_scene(const trm_scene *scene, const trm_state *state, trm_sink sink)
{
    const uint64_t time = trm_mcap_nanoseconds(trm_state_time(state));
    trm_json_writer w = trm_json_begin(sink);
    trm_json_open_object_flat(&w, NULL);
    trm_json_open_array_flat(&w, "deletions");
    trm_json_close(&w);
    trm_json_open_array_flat(&w, "entities");
    for (int i = 0; i < trm_body_count(state->model); i++)
        if (scene->first_part[i] < scene->first_part[i + 1]) put_entity(&w, scene, state->model, i, time);
    trm_json_close(&w);
    trm_json_close(&w);
    return trm_json_end(&w);
}

trm_status trm_mcap_put_scene(const trm_state *state, const trm_allocator *allocator, trm_sink sink)
{
    trm_arena arena;
    trm_scene scene;
    trm_animation *animation = trm_animation_create(state, allocator);
    trm_arena_init(&arena, allocator);
    const bool made = animation && trm_scene_make(animation, &arena, &scene);
    const bool written = made && put_scene(&scene, state, sink);
    trm_arena_destroy(&arena);
    trm_animation_destroy(animation);
    return !made ? TRM_OUT_OF_MEMORY : written ? TRM_OK : TRM_IO_ERROR;
}
