/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* SDF 1.4 to 1.11, the format of Gazebo and Drake (sdformat.org): a world with models of links and joints, which may form
 * loops. First all names are collected, including those of included models; then poses are resolved, and links and
 * joints are read. */

#include "io/sdf.h"

#include <stdlib.h>
#include <string.h>

#include "io/resources.h"

/* Elements and attributes without a counterpart in a model, with reasons. */
static const trm_xml_reason REASONS[] = {
    {"it is for drawing only",
     "light scene gui actor road population particle_emitter projector material/script material/shader "
     "material/specular material/emissive material/ambient material/lighting material/pbr material/double_sided "
     "material/shininess material/render_order visual/cast_shadows visual/transparency visual/visibility_flags "
     "visual/laser_retro visual/meta"},
    {"it holds settings of another simulator",
     "physics/real_time_factor physics/real_time_update_rate physics/max_contacts physics/ode physics/bullet "
     "physics/simbody physics/dart physics/magnetic_field physics@name physics@type physics@default "
     "drake:controller_gains plugin audio wind atmosphere magnetic_field spherical_coordinates state gripper battery "
     "audio_source audio_sink allow_auto_disable enable_wind must_be_base_link laser_retro max_contacts "
     "physics/provide_feedback ode/provide_feedback ode/cfm_damping ode/implicit_spring_damper ode/fudge_factor "
     "ode/bounce ode/max_force ode/velocity contact/collide_without_contact_bitmask"},
    {"contacts are rigid",
     "drake:proximity_properties contact/ode contact/bullet contact/poissons_ratio contact/elastic_modulus "
     "surface/soft_contact torsional/ode ode/slip1 ode/slip2"},
    {"this extension of Drake is not read; add a joint, a gear or a spring by --with",
     "drake:linear_bushing_rpy drake:diagonal_linear_bushing drake:ball_constraint drake:joint drake:mimic"},
    {"add no_collide to the model file", "drake:collision_filter_group"},
    {"there is no damping of single bodies; add a force of type drag", "velocity_decay"},
    {"sensors are added to the model file", "sensor"},
    {"stops are rigid", "limit/stiffness limit/dissipation ode/limit"},
    {"the file places the links themselves", "initial_position"},
    {"the spring of the axis is read", "ode/suspension"},
    {"every impact rebounds alike", "bounce/threshold"},
    {"contacts are rigid; patch_radius gives the lever arm of torsional friction", "torsional/surface_radius"},
    {"the friction of ode is read", "friction/bullet"},
    {"friction is the same in all directions", "ode/mu2 ode/fdir1"},
    {"there are no height fields", "geometry/heightmap"},
    {"there is no such shape", "geometry/polyline geometry/image"},
    {"there is no such shape, and it adds no mass", "geometry/cone"},
    {"it is empty", "geometry/empty"},
    {"a mesh is read as a whole", "mesh/submesh"},
    {"moving meshes collide as their convex hulls", "mesh@optimization mesh/convex_decomposition"},
    {"there is no fluid", "inertial/fluid_added_mass"},
    {"density is read, parameters of other programs are not", "inertial/auto_inertia_params auto_inertia_params"},
    {"the included model is read unchanged", "experimental:params"},
    {"it never had a meaning; relative_to has", "pose@frame"},
    {NULL, NULL},
};

/* ---- Entities ----------------------------------------------------------------------------- */

enum { MOST_DEPTH = 20 };

static bool gather(trm_sdf *s, trm_xml *element, int scope, const char *directory);

static const char *need_name(trm_sdf *s, trm_xml *element)
{
    const char *name = trm_xml_value(element, "name");
    if (name) return name;
    trm_add_error(s->in->messages, element->place, "<%s> has no attribute \"name\"", element->name);
    return "";
}

/* Returns a new entity. Returns NULL if out of memory. name: replaces its own name unless NULL. */
static trm_sdf_entity *add_entity(trm_sdf *s, trm_sdf_kind kind, trm_xml *element, int scope, const char *directory,
                                  const char *name)
{
    trm_sdf_entity *e = TRM_ADD(s->in->scratch, s->entities, s->entity_count);
    if (!e) return NULL;
    *e = (trm_sdf_entity){.kind = kind, .element = element, .scope = scope, .directory = directory, .part = -1};
    e->version = s->version;
    const char *own = need_name(s, element);
    e->name = name ? name : own;
    e->pose = trm_sdf_read_pose(s, element, &e->relative_to);
    bool is_new = true;
    if (!trm_sdf_enter(s, &is_new)) return NULL;
    if (!is_new) trm_add_error(s->in->messages, element->place, "there are two elements '%s'", e->name);
    return e;
}

static const char *given(const char *text)
{
    return text && *text ? text : NULL;
}

/* Reports an error if a model names a canonical link that it does not have. The link is looked up later. Returns
 * false if out of memory. */
static bool check_canonical(trm_sdf *s, trm_xml *element, int model)
{
    const char *name = given(trm_xml_value(element, "canonical_link"));
    if (name && trm_sdf_find(s, model, name) < 0)
        trm_add_error(s->in->messages, element->place, "model '%s': there is no canonical_link '%s'",
                      s->entities[model].name, name);
    return !s->in->scratch->failed;
}

/* Adds a model with its contents. include: element that overrides name, pose, static and placement; NULL: none.
 * Returns false if out of memory. */
static bool add_model(trm_sdf *s, trm_xml *element, trm_xml *include, int scope, const char *directory)
{
    const char *name = include ? given(trm_sdf_text(s, include, "name")) : NULL;
    trm_sdf_entity *e = add_entity(s, TRM_SDF_MODEL, element, scope, directory, name);
    const int index = s->entity_count - 1;
    if (!e) return false;
    e->base = given(trm_xml_value(element, "placement_frame"));
    e->is_static = trm_sdf_is(s, element, "static", false);
    e->self_collide = trm_sdf_is(s, element, "self_collide", scope >= 0 && s->entities[scope].self_collide);
    if (include) {
        const char *merge = trm_xml_value(include, "merge");
        const char *placement = given(trm_sdf_text(s, include, "placement_frame"));
        if (placement) e->base = placement;
        if (trm_xml_child(include, "pose")) {
            e->relative_to = NULL;
            e->pose = trm_sdf_read_pose(s, include, &e->relative_to);
        }
        e->is_static = trm_sdf_is(s, include, "static", e->is_static);
        e->merged = merge && (strcmp(merge, "true") == 0 || strcmp(merge, "1") == 0);
    }
    s->top_models += scope < 0;
    return gather(s, element, index, directory) && check_canonical(s, element, index);
}

/* ---- Included models ---------------------------------------------------------------------- */

/* Finds the file of a model in a folder: the one named by model.config, or model.sdf. Returns false if out of
 * memory. */
static bool find_in_folder(trm_sdf *s, const char *uri, const char **file)
{
    char *text;
    size_t length;
    const char *path, *why, *config = trm_arena_format(s->in->scratch, "%s/model.config", uri);
    *file = trm_arena_format(s->in->scratch, "%s/model.sdf", uri);
    if (!config || !*file || !trm_import_text(s->in, config, &text, &length, &path, &why)) return false;
    if (!path) return true;
    trm_xml *root = trm_xml_parse(s->in->scratch, text, length, path, s->in->messages);
    if (!root) return !s->in->scratch->failed;
    for (trm_xml *e = trm_xml_child(root, "sdf"); e; e = trm_xml_again(e)) {
        const size_t blank = strspn(e->text, " \t\r\n");
        *file = trm_arena_format(s->in->scratch, "%s/%.*s", uri, (int)strcspn(e->text + blank, " \t\r\n"),
                                 e->text + blank);
    }
    return *file != NULL;
}

/* Returns the first model of a document. Returns NULL if there is none. */
static trm_xml *model_of(trm_xml *root)
{
    root->used = true;
    trm_xml *world = trm_xml_child(root, "world"), *model = trm_xml_child(root, "model");
    return model ? model : trm_xml_child(world, "model");
}

/* Stores the root of a file, once per file, so that unused elements are reported. Returns false if out of memory. */
static bool keep_root(trm_sdf *s, trm_xml *root)
{
    for (int i = 0; i < s->root_count; i++)
        if (strcmp(s->roots[i]->place.file, root->place.file) == 0) return true;
    return TRM_APPEND(s->in->scratch, s->roots, s->root_count, root);
}

/* Sets the version of the file whose elements are being collected. */
static void read_version(trm_sdf *s, trm_xml *root)
{
    const char *text = trm_xml_value(root, "version");
    s->version = text && strncmp(text, "1.", 2) == 0 ? atoi(text + 2) : -1;
    if (s->version >= 4 && s->version <= 12) return;
    trm_add_warning(s->in->messages, root->place, "version \"%s\" is read as %s; 1.4 to 1.11 are known",
                    text ? text : "", s->version >= 0 && s->version < 4 ? "1.4" : "1.11");
    s->version = s->version >= 0 && s->version < 4 ? 4 : 11;
}

/* Adds the model of an included file, which may have another version than the file that includes it. Returns false if
 * out of memory. */
static bool add_file(trm_sdf *s, trm_xml *include, int scope, const char *uri, trm_xml *root)
{
    const int before = s->version;
    if (!keep_root(s, root)) return false;
    trm_xml *model = model_of(root);
    bool good = true;
    read_version(s, root);
    if (model)
        good = add_model(s, model, include, scope, trm_folder_of(s->in->scratch, root->place.file));
    else
        trm_add_warning(s->in->messages, include->place, "the model \"%s\" is left out: there is no <model> in it",
                        uri);
    s->version = before;
    return good;
}

/* Returns a plane at z = 0 in place of Gazebo's model ground_plane, whose file was not found: most worlds stand on it.
 * Returns NULL if the URI names another model, or if out of memory. */
static trm_xml *ground_plane(trm_sdf *s, const trm_xml *include, const char *uri)
{
    static const char GROUND[] = "<sdf version=\"1.6\"><model name=\"ground_plane\"><static>true</static>"
                                 "<link name=\"link\"><collision name=\"collision\"><geometry><plane>"
                                 "<normal>0 0 1</normal></plane></geometry><surface><friction><ode><mu>100</mu></ode>"
                                 "</friction></surface></collision></link></model></sdf>";
    if (strcmp(uri, "model://ground_plane") != 0) return NULL;
    trm_add_warning(s->in->messages, include->place,
                    "the model \"%s\" was not found; a plane at z = 0 with friction 100 replaces it", uri);
    return trm_xml_parse(s->in->scratch, GROUND, sizeof GROUND - 1, uri, s->in->messages);
}

/* Adds a plane in place of a file. It does not count as a model of the world, so that the links of a single robot
 * keep their own names. Returns false if out of memory. */
static bool add_ground(trm_sdf *s, trm_xml *include, int scope, const char *uri, trm_xml *ground)
{
    const int index = s->entity_count;
    if (!add_file(s, include, scope, uri, ground)) return false;
    if (index < s->entity_count) s->entities[index].replaced = true;
    s->top_models -= scope < 0;
    return true;
}

static bool read_included(trm_sdf *s, trm_xml *include, int scope, const char *uri)
{
    char *text;
    size_t length;
    const char *path, *why, *file = uri;
    if (!trm_import_text(s->in, uri, &text, &length, &path, &why)) return false;
    if (!path && (!find_in_folder(s, uri, &file) || !trm_import_text(s->in, file, &text, &length, &path, &why)))
        return false;
    if (!path) {
        trm_xml *ground = ground_plane(s, include, uri);
        if (ground) return add_ground(s, include, scope, uri, ground);
        trm_add_warning(s->in->messages, include->place, "the model \"%s\" is left out: %s", uri, why);
        return true;
    }
    trm_xml *root = trm_xml_parse(s->in->scratch, text, length, path, s->in->messages);
    if (!root) return !s->in->scratch->failed;
    if (strcmp(root->name, "sdf") == 0) return add_file(s, include, scope, uri, root);
    trm_add_warning(s->in->messages, include->place, "the model \"%s\" is left out: it is not SDF, its root is <%s>",
                    uri, root->name);
    return true;
}

static bool add_included(trm_sdf *s, trm_xml *include, int scope, const char *directory)
{
    const char *uri = given(trm_sdf_text(s, include, "uri")), *before = s->in->directory;
    if (!uri || s->depth == MOST_DEPTH) {
        trm_add_error(s->in->messages, include->place, "<include>: %s",
                      uri ? "more than 20 files include each other; one seems to include itself"
                          : "there is no <uri>");
        return true;
    }
    s->depth++;
    s->in->directory = directory;
    const bool good = read_included(s, include, scope, uri);
    s->in->directory = before;
    s->depth--;
    return good;
}

/* ---- Collecting entities ------------------------------------------------------------------ */

static bool gather_element(trm_sdf *s, trm_xml *e, int scope, const char *directory)
{
    const bool model = strcmp(e->name, "model") == 0, include = strcmp(e->name, "include") == 0;
    const bool link = strcmp(e->name, "link") == 0, joint = strcmp(e->name, "joint") == 0;
    const bool frame = strcmp(e->name, "frame") == 0;
    e->used = e->used || model || include || link || joint || frame;
    if (model) return add_model(s, e, NULL, scope, directory);
    if (include) return add_included(s, e, scope, directory);
    if (!link && !joint && !frame) return true;
    trm_sdf_entity *made = add_entity(s,
                                      link    ? TRM_SDF_LINK
                                      : joint ? TRM_SDF_JOINT
                                              : TRM_SDF_FRAME,
                                      e, scope, directory, NULL);
    if (!made) return false;
    if (frame) made->base = given(trm_xml_value(e, "attached_to"));
    if (joint) {
        const char *child = trm_sdf_text(s, e, "child");
        trm_xml *end = trm_xml_child(e, "child");
        made->base = end && trm_xml_value(end, "link") ? trm_xml_value(end, "link") : given(child);
    }
    return true;
}

static bool gather(trm_sdf *s, trm_xml *element, int scope, const char *directory)
{
    for (trm_xml *e = element->first_child; e; e = e->next)
        if (!gather_element(s, e, scope, directory)) return false;
    return true;
}

/* ---- The document ------------------------------------------------------------------------- */

static void read_world(trm_sdf *s, trm_xml *world)
{
    trm_vec3 gravity;
    trm_xml_value(world, "name");
    if (trm_sdf_vector(s, world, "gravity", &gravity)) s->in->def->gravity = gravity;
    for (trm_xml *physics = trm_xml_child(world, "physics"); physics; physics = trm_xml_again(physics)) {
        s->in->def->simulation.step = trm_sdf_number(s, physics, "max_step_size", s->in->def->simulation.step);
        if (s->version <= 4 && trm_sdf_vector(s, physics, "gravity", &gravity)) s->in->def->gravity = gravity;
    }
}

static bool read_entities(trm_sdf *s)
{
    bool good = trm_robot_reserve(&s->robot, s->entity_count, s->entity_count);
    for (int i = 0; good && i < s->entity_count; i++)
        if (s->entities[i].kind == TRM_SDF_LINK) good = trm_sdf_read_link(s, i);
    for (int i = 0; good && i < s->entity_count; i++)
        if (s->entities[i].kind == TRM_SDF_JOINT) good = trm_sdf_read_joint(s, i);
    for (int i = 0; good && i < s->entity_count; i++)
        if (s->entities[i].kind == TRM_SDF_JOINT) good = trm_sdf_read_gearbox(s, i);
    return good;
}

/* Adds frames as named frames of the links to which they are attached. Returns false if out of memory. */
static bool add_frames(trm_sdf *s)
{
    for (int i = 0; i < s->entity_count; i++) {
        if (s->entities[i].kind != TRM_SDF_FRAME) continue;
        const trm_pose X = trm_sdf_world(s, i);
        const int link = trm_sdf_link_of(s, i);
        if (link < 0 || s->entities[link].part < 0) continue;
        trm_robot_part *part = &s->robot.parts[s->entities[link].part];
        const char *name = trm_sdf_full_name(s, i);
        if (!name || !trm_part_add_frame(&s->robot, part, name, trm_pose_mul(trm_pose_inverse(part->world), X)))
            return false;
    }
    return true;
}

static bool read_all(trm_sdf *s, trm_xml *root)
{
    trm_xml *world = trm_xml_child(root, "world");
    read_version(s, root);
    if (world) read_world(s, world);
    const char *name = world && !trm_xml_child(root, "model") ? trm_xml_value(world, "name") : NULL;
    if (!gather(s, world ? world : root, -1, s->in->directory)) return false;
    if (!name && s->entity_count > 0) name = s->entities[0].name;
    s->in->def->name = trm_arena_text(s->in->def->arena, name ? name : "sdf");
    if (trm_error_count(s->in->messages) == 0 && !(read_entities(s) && add_frames(s))) return false;
    trm_import_report_meshes(s->in);
    if (s->robot.part_count == 0 && trm_error_count(s->in->messages) == 0)
        trm_add_error(s->in->messages, root->place, "there is no <link> in it");
    return trm_error_count(s->in->messages) > 0 || trm_robot_build(&s->robot);
}

static bool recognises(const char *text, size_t length)
{
    return trm_xml_root_is(text, length, "sdf");
}

/* s: default of the format. With a larger or smaller one worlds without max_step_size would run at another step than
 * in Gazebo, for which their controllers and contacts are tuned. */
static const double MAX_STEP_SIZE = 0.001;

static bool read_sdf(trm_import *in, const char *text, size_t length)
{
    trm_sdf s = {.in = in, .robot = {.in = in}};
    trm_xml *root = trm_xml_parse(in->scratch, text, length, in->def->file, in->messages);
    if (!root) return !in->scratch->failed;
    root->used = true;
    for (int i = 0; i < root->attribute_count; i++)
        if (strncmp(root->attributes[i].name, "xmlns", 5) == 0) root->attributes[i].used = true;
    in->def->gravity = trm_v3(0, 0, -9.8);
    in->def->simulation.step = MAX_STEP_SIZE;
    if (!read_all(&s, root) || !keep_root(&s, root)) return false;
    if (s.robot.part_count == 0) return !in->def->arena->failed; /* nothing was read because of errors */
    for (int i = 0; i < s.root_count; i++)
        if (!trm_xml_account(in->scratch, s.roots[i], REASONS, in->options->strict, in->messages, &in->counted))
            return false;
    return !in->def->arena->failed;
}

const trm_format trm_format_sdf = {"SDF", recognises, read_sdf, REASONS};
