/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* MJCF, the format of MuJoCo (mujoco.readthedocs.io, XML reference): a tree of bodies in each other.
 *
 *     compiler  how angles, masses and files are meant         default   values by classes
 *     worldbody bodies with joints, geoms and sites            equality  loops and couplings
 *
 * Contacts and equality constraints are rigid here; MuJoCo makes them soft by solref and solimp. */

#include "io/mjcf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/resources.h"

static const char SOFT[] = "contacts, limits and equality constraints are rigid here";
static const char LOOKS[] = "it is for drawing only";
static const char SOLVER[] = "it sets MuJoCo's solver; options of trammel run take its place";
static const char ACTUATORS[] = "actuators are not read; add servos, motors or forces to the model file";
static const char MEMORY[] = "it sets the size of MuJoCo's memory";

/* What has no counterpart in a model, and why. */
static const trm_xml_reason REASONS[] = {
    {"visual", LOOKS},
    {"statistic", LOOKS},
    {"light", LOOKS},
    {"camera", LOOKS},
    {"texture", LOOKS},
    {"asset/skin", LOOKS},
    {"deformable/skin", LOOKS},
    {"layer", LOOKS},
    {"material@texture", LOOKS},
    {"material@texrepeat", LOOKS},
    {"material@texuniform", LOOKS},
    {"material@specular", LOOKS},
    {"material@shininess", LOOKS},
    {"material@reflectance", LOOKS},
    {"material@metallic", LOOKS},
    {"material@roughness", LOOKS},
    {"material@emission", LOOKS},
    {"geom@group", "groups of geoms only choose whose mass counts"},
    {"site@group", LOOKS},
    {"site@type", LOOKS},
    {"site@size", LOOKS},
    {"site@rgba", LOOKS},
    {"site@material", LOOKS},
    {"joint@group", LOOKS},
    {"spatial@rgba", LOOKS},
    {"spatial@width", LOOKS},
    {"spatial@material", LOOKS},
    {"spatial@group", LOOKS},
    {"tendon@rgba", LOOKS},
    {"tendon@width", LOOKS},
    {"tendon@material", LOOKS},
    {"tendon@group", LOOKS},
    {"mesh@smoothnormal", LOOKS},
    {"mesh@normal", LOOKS},
    {"mesh@texcoord", LOOKS},
    {"mesh@maxhullvert", "hulls keep all their vertices"},
    {"mesh@content_type", "the ending of the file tells the format"},
    {"geom@hfield", "there are no height fields"},
    {"hfield", "there are no height fields"},
    {"geom@solref", SOFT},
    {"geom@solimp", SOFT},
    {"geom@solmix", SOFT},
    {"geom@margin", SOFT},
    {"geom@gap", SOFT},
    {"geom@priority", "friction of a pair is that of both shapes"},
    {"geom@condim", "contacts have friction in both directions of the plane"},
    {"joint@solreflimit", SOFT},
    {"joint@solimplimit", SOFT},
    {"joint@solreffriction", SOFT},
    {"joint@solimpfriction", SOFT},
    {"joint@solreffix", SOFT},
    {"joint@solimpfix", SOFT},
    {"joint@margin", SOFT},
    {"connect@solref", SOFT},
    {"connect@solimp", SOFT},
    {"weld@solref", SOFT},
    {"weld@solimp", SOFT},
    {"joint@solref", SOFT},
    {"joint@solimp", SOFT},
    {"equality@solref", SOFT},
    {"equality@solimp", SOFT},
    {"spatial@solreflimit", SOFT},
    {"spatial@solimplimit", SOFT},
    {"spatial@margin", SOFT},
    {"spatial@frictionloss", "tendons have no friction"},
    {"tendon@solreflimit", SOFT},
    {"tendon@solimplimit", SOFT},
    {"default/pair", "pairs of geoms are not read"},
    {"fluidshape", "there is no fluid"},
    {"geom@fluidshape", "there is no fluid"},
    {"geom@fluidcoef", "there is no fluid"},
    {"option@density", "there is no fluid"},
    {"option@viscosity", "there is no fluid"},
    {"option@wind", "there is no fluid"},
    {"option@magnetic", "there are no magnets"},
    {"option@timestep", SOLVER},
    {"option@integrator", SOLVER},
    {"option@cone", SOLVER},
    {"option@jacobian", SOLVER},
    {"option@solver", SOLVER},
    {"option@iterations", SOLVER},
    {"option@tolerance", SOLVER},
    {"option@ls_iterations", SOLVER},
    {"option@ls_tolerance", SOLVER},
    {"option@noslip_iterations", SOLVER},
    {"option@noslip_tolerance", SOLVER},
    {"option@ccd_iterations", SOLVER},
    {"option@ccd_tolerance", SOLVER},
    {"option@mpr_iterations", SOLVER},
    {"option@mpr_tolerance", SOLVER},
    {"option@sdf_iterations", SOLVER},
    {"option@sdf_initpoints", SOLVER},
    {"option@apirate", SOLVER},
    {"option@impratio", SOFT},
    {"option@o_margin", SOFT},
    {"option@o_solref", SOFT},
    {"option@o_solimp", SOFT},
    {"option@o_friction", SOFT},
    {"option@collision", SOLVER},
    {"option@actuatorgroupdisable", SOLVER},
    {"option/flag", SOLVER},
    {"flag@contact", "take --without contacts"},
    {"size", MEMORY},
    {"custom", "it holds data of other programs"},
    {"extension", "plugins are not read"},
    {"plugin", "plugins are not read"},
    {"composite", "soft and composite objects are not read"},
    {"flexcomp", "soft and composite objects are not read"},
    {"deformable", "soft and composite objects are not read"},
    {"flex", "soft and composite objects are not read"},
    {"lengthrange", "it belongs to muscles"},
    {"actuator", ACTUATORS},
    {"general", ACTUATORS},
    {"motor", ACTUATORS},
    {"position", ACTUATORS},
    {"velocity", ACTUATORS},
    {"intvelocity", ACTUATORS},
    {"damper", ACTUATORS},
    {"cylinder", ACTUATORS},
    {"muscle", ACTUATORS},
    {"adhesion", ACTUATORS},
    {"joint@actuatorfrcrange", "it limits actuators"},
    {"joint@actuatorfrclimited", "it limits actuators"},
    {"joint@actuatorgravcomp", "it belongs to actuators"},
    {"tendon/fixed", "a fixed tendon acts by its actuators, springs and limits, which are not read"},
    {"sensor", "sensors are added to the model file"},
    {"keyframe", "the model starts at its reference pose"},
    {"contact/pair", "pairs of geoms are not read"},
    {"body/attach", "models are not attached to each other"},
    {"frame/attach", "models are not attached to each other"},
    {"attach", "models are not attached to each other"},
    {"asset/model", "models are not attached to each other"},
    {"body@user", "it holds data of other programs"},
    {"body@sleep", "it belongs to MuJoCo's islands"},
    {"geom@user", "it holds data of other programs"},
    {"joint@user", "it holds data of other programs"},
    {"site@user", "it holds data of other programs"},
    {"freejoint@group", LOOKS},
    {"freejoint@align", "the body's frame stays as it is"},
    {"joint@align", "the body's frame stays as it is"},
    {"compiler@texturedir", LOOKS},
    {"compiler@discardvisual", "shapes that do not collide are kept"},
    {"compiler@usethread", "it says how MuJoCo compiles"},
    {"compiler@fitaabb", "no shapes are fitted to meshes"},
    {"compiler@exactmeshinertia", "each mesh says how its inertia is computed"},
    {"compiler@fusestatic", "links without joints are merged in any case"},
    {"compiler@convexhull", "moving meshes collide as their hulls in any case"},
    {"compiler@alignfree", "the body's frame stays as it is"},
    {"compiler@saveinertial", "it says what MuJoCo writes"},
    {"compiler@conflict", "models are not attached to each other"},
    {NULL, NULL},
};

/* What is read wherever it is; in <default> it may be that no element takes it. */
static const char *const READ[] = {
    "geom@type",        "geom@size",           "geom@fromto",       "geom@pos",           "geom@quat",
    "geom@axisangle",   "geom@euler",          "geom@xyaxes",       "geom@zaxis",         "geom@mass",
    "geom@density",     "geom@contype",        "geom@friction",     "geom@rgba",          "geom@material",
    "geom@mesh",        "geom@conaffinity",    "geom@shellinertia", "joint@type",         "joint@pos",
    "joint@axis",       "joint@range",         "joint@limited",     "joint@ref",          "joint@damping",
    "joint@armature",   "joint@springref",     "joint@stiffness",   "joint@frictionloss", "joint@springdamper",
    "mesh@scale",       "mesh@refpos",         "mesh@refquat",      "mesh@inertia",       "material@rgba",
    "site@pos",         "site@quat",           "site@euler",        "site@axisangle",     "site@xyaxes",
    "site@zaxis",       "equality@active",     "tendon@range",      "tendon@limited",     "tendon@damping",
    "tendon@stiffness", "tendon@springlength", "geom@group",        "geom@class",
};

/* ---- Included files ----------------------------------------------------------------------- */

enum { MOST_INCLUDES = 1000 };

typedef struct including {
    trm_mjcf *m;
    const char **files;
    int count;
} including;

static bool is_included(const including *i, const char *file)
{
    for (int k = 0; k < i->count; k++)
        if (strcmp(i->files[k], file) == 0) return true;
    return false;
}

/* The root of a file; NULL with *good: after a message. */
static trm_xml *read_included(including *i, const trm_xml *element, const char *file, bool *good)
{
    trm_import *in = i->m->in;
    char *text;
    size_t length;
    const char *path, *why;
    *good = trm_import_text(in, file, &text, &length, &path, &why);
    if (!*good) return NULL;
    if (!path) {
        trm_say(in->messages, TRM_ERROR, element->place, "", "<include>: \"%s\" cannot be read: %s", file, why);
        return NULL;
    }
    trm_xml *root = trm_xml_parse(in->scratch, text, length, path, in->messages);
    *good = root || !in->scratch->failed;
    return root;
}

/* Replaces <include> by what its file holds, as often as there are such; false: out of memory. */
static bool expand(including *i, trm_xml *element)
{
    for (trm_xml *e = element->first_child; e; e = e->next) {
        bool good = true;
        if (strcmp(e->name, "include") != 0) {
            if (!expand(i, e)) return false;
            continue;
        }
        e->used = true;
        const char *file = trm_xml_value(e, "file");
        if (!file || is_included(i, file) || i->count == MOST_INCLUDES) {
            trm_say(i->m->in->messages, TRM_ERROR, e->place, "", "<include>: %s",
                    file ? "a file is included once" : "there is no attribute \"file\"");
            continue;
        }
        const char **grown = trm_arena_grow(i->m->in->scratch, i->files, i->count, sizeof *grown);
        if (!grown) return false;
        i->files = grown;
        grown[i->count++] = file;
        trm_xml *root = read_included(i, e, file, &good);
        if (!good) return false;
        if (root) trm_xml_splice(e, root);
    }
    return true;
}

/* ---- Options ------------------------------------------------------------------------------ */

static void read_inertia_rule(trm_mjcf *m, const trm_mjcf_at *at)
{
    const char *rule = trm_mjcf_value(at, "inertiafromgeom");
    if (!rule) return;
    m->inertia = strcmp(rule, "true") == 0    ? TRM_MJCF_INERTIA_GEOMS
                 : strcmp(rule, "false") == 0 ? TRM_MJCF_INERTIA_GIVEN
                                              : TRM_MJCF_INERTIA_AUTO;
}

static void read_euler_sequence(trm_mjcf *m, const trm_mjcf_at *at)
{
    const char *given = trm_mjcf_value(at, "eulerseq");
    if (!given) return;
    if (strlen(given) == 3 && strspn(given, "xyzXYZ") == 3)
        m->eulerseq = given;
    else
        trm_say(m->in->messages, TRM_ERROR, at->element->place, "",
                "<compiler>: eulerseq is \"%.20s\"; it must be three letters of x, y, z, X, Y, Z", given);
}

static void read_compiler(trm_mjcf *m, trm_xml *element)
{
    const trm_mjcf_at at = {m, element, "compiler", -1};
    const char *angle = trm_mjcf_value(&at, "angle"), *coordinate = trm_mjcf_value(&at, "coordinate");
    const char *assets = trm_mjcf_value(&at, "assetdir"), *meshes = trm_mjcf_value(&at, "meshdir");
    if (angle) m->degrees = strcmp(angle, "radian") != 0;
    if (coordinate && strcmp(coordinate, "local") != 0)
        trm_say(m->in->messages, TRM_ERROR, element->place, "",
                "global coordinates are not read; MuJoCo 2.3.3 and later neither");
    m->autolimits = trm_mjcf_is(&at, "autolimits", m->autolimits);
    m->balance_inertia = trm_mjcf_is(&at, "balanceinertia", m->balance_inertia);
    m->strip_path = trm_mjcf_is(&at, "strippath", m->strip_path);
    m->bound_mass = trm_mjcf_number(&at, "boundmass", m->bound_mass);
    m->bound_inertia = trm_mjcf_number(&at, "boundinertia", m->bound_inertia);
    m->total_mass = trm_mjcf_number(&at, "settotalmass", m->total_mass);
    trm_mjcf_numbers(&at, "inertiagrouprange", m->groups, 2);
    read_inertia_rule(m, &at);
    read_euler_sequence(m, &at);
    if (assets) m->meshdir = assets;
    if (meshes) m->meshdir = meshes;
}

static void read_option(trm_mjcf *m, trm_xml *element)
{
    const trm_mjcf_at at = {m, element, "option", -1};
    double g[3] = {0, 0, -9.81};
    if (trm_mjcf_numbers(&at, "gravity", g, 3) == 3) m->in->def->gravity = trm_v3(g[0], g[1], g[2]);
    for (trm_xml *e = trm_xml_child(element, "flag"); e; e = trm_xml_again(e)) {
        const char *gravity = trm_xml_value(e, "gravity");
        if (gravity && strcmp(gravity, "disable") == 0) m->in->def->gravity = trm_v3(0, 0, 0);
    }
}

static bool has_defaults(const char *kind)
{
    static const char *const KINDS[] = {"default", "geom", "joint", "site", "mesh", "material", "equality", "tendon"};
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (strcmp(kind, KINDS[i]) == 0) return true;
    return false;
}

static bool add_class(trm_mjcf *m, trm_xml *element, int parent)
{
    const char *name = trm_xml_value(element, "class");
    trm_mjcf_class *grown = trm_arena_grow(m->in->scratch, m->classes, m->class_count, sizeof *grown);
    if (!grown) return false;
    m->classes = grown;
    const int own = m->class_count++;
    grown[own] = (trm_mjcf_class){name ? name : "main", element, parent};
    for (trm_xml *e = element->first_child; e; e = e->next) e->used = has_defaults(e->name);
    for (trm_xml *e = trm_xml_child(element, "default"); e; e = trm_xml_again(e))
        if (!add_class(m, e, own)) return false;
    return true;
}

/* The class "main" is always there; several <default> on top are one. */
static bool read_classes(trm_mjcf *m, trm_xml *root)
{
    trm_xml *first = trm_xml_child(root, "default");
    if (!first) {
        m->classes = trm_arena_list(m->in->scratch, 1, sizeof *m->classes);
        if (!m->classes) return false;
        m->classes[m->class_count++] = (trm_mjcf_class){"main", NULL, -1};
        return true;
    }
    for (trm_xml *e = trm_xml_again(first); e;) {
        trm_xml *next = trm_xml_again(e);
        while (first->last_child && e->first_child) trm_xml_splice(first->last_child, e);
        if (!first->last_child) first->first_child = e->first_child, first->last_child = e->last_child;
        e = next;
    }
    return add_class(m, first, -1);
}

/* ---- The document ------------------------------------------------------------------------- */

/* What defaults hold and no element took is read all the same. */
static void use_defaults(trm_mjcf *m)
{
    for (int c = 0; c < m->class_count; c++)
        for (trm_xml *e = m->classes[c].element ? m->classes[c].element->first_child : NULL; e; e = e->next)
            for (int i = 0; i < e->attribute_count; i++)
                for (size_t k = 0; k < sizeof READ / sizeof *READ; k++) {
                    const size_t length = strlen(e->name);
                    if (strncmp(READ[k], e->name, length) == 0 && READ[k][length] == '@' &&
                        strcmp(READ[k] + length + 1, e->attributes[i].name) == 0)
                        e->attributes[i].used = true;
                }
}

static bool read_all(trm_mjcf *m, trm_xml *root)
{
    including i = {.m = m};
    if (!expand(&i, root)) return false;
    for (trm_xml *e = trm_xml_child(root, "compiler"); e; e = trm_xml_again(e)) read_compiler(m, e);
    for (trm_xml *e = trm_xml_child(root, "option"); e; e = trm_xml_again(e)) read_option(m, e);
    if (!read_classes(m, root) || !trm_mjcf_read_assets(m, root) || !trm_mjcf_read_bodies(m, root)) return false;
    if (!trm_mjcf_read_constraints(m, root)) return false;
    trm_import_report_meshes(m->in);
    if (m->body_count == 1) trm_say(m->in->messages, TRM_ERROR, root->place, "", "there is no <body> in <worldbody>");
    if (trm_error_count(m->in->messages) == 0 && !trm_robot_build(&m->robot)) return false;
    return trm_error_count(m->in->messages) > 0 || trm_mjcf_read_excludes(m, root);
}

static bool recognises(const char *text, size_t length)
{
    return trm_xml_root_is(text, length, "mujoco");
}

static bool read_mjcf(trm_import *in, const char *text, size_t length)
{
    trm_mjcf m = {.in = in,
                  .robot = {.in = in},
                  .degrees = true,
                  .autolimits = true,
                  .inertia = TRM_MJCF_INERTIA_AUTO,
                  .total_mass = -1,
                  .groups = {0, 5},
                  .eulerseq = "xyz"};
    trm_xml_count counted;
    trm_xml *root = trm_xml_parse(in->scratch, text, length, in->def->file, in->messages);
    if (!root) return !in->scratch->failed;
    root->used = true;
    const char *name = trm_xml_value(root, "model");
    in->def->name = trm_arena_text(in->def->arena, name ? name : "MuJoCo Model");
    in->def->gravity = trm_v3(0, 0, -9.81);
    if (!read_all(&m, root)) return false;
    use_defaults(&m);
    return trm_xml_account(in->scratch, root, REASONS, in->options->strict, in->messages, &counted) &&
           !in->def->arena->failed;
}

const trm_format trm_format_mjcf = {"MJCF", recognises, read_mjcf};
