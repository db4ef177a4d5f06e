/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* 100 generated documents of each robot format. Each is a small robot that is read completely, into which elements
 * and attributes of the reader's table of reasons are inserted where they are allowed, each entry of the table at
 * least once in all.
 *
 *     elements of the document = used + named      elements of the robot are used      each entry is named in some file */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "io/format.h"
#include "io/xml.h"
#include "running.h"

enum { FILES = 100, MOST_ENTRIES = 400, LONGEST = 60, DEPTH = 12, ROOM = 1 << 16 };

/* The names of all reasons of a reader. */
typedef struct entries {
    char name[MOST_ENTRIES][LONGEST];
    int count;
} entries;

/* ---- Writing ------------------------------------------------------------------------------ */

typedef struct writer {
    char text[ROOM];
    size_t length;
    const char *open[DEPTH];
    int depth;
    int elements, added; /* elements: number written; added: those of the table */
    const trm_format *format;
    const entries *table;
    int file;
    bool *named; /* per entry of the table: whether a message of some file names it */
    bool here[MOST_ENTRIES];
    trm_random random;
} writer;

static void add(writer *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(w->text + w->length, ROOM - w->length, format, list);
    va_end(list);
    assert_true(n >= 0 && (size_t)n < ROOM - w->length);
    w->length += (size_t)n;
}

/* Returns whether an entry is inserted: in one file always, in others at random. */
static bool is_due(writer *w, int entry)
{
    if (w->here[entry]) return false;
    return entry % FILES == w->file || trm_random_uniform(&w->random, 0, 1) < 0.05;
}

static void note(writer *w, int entry)
{
    w->here[entry] = true;
}

/* Parents of elements whose entry does not give one, by the root of the document; other elements are in the root,
 * those of SDF in the world. */
static const char *const HOMES[][3] = {
    {"mujoco", "light", "worldbody"},
    {"mujoco", "camera", "body"},
    {"mujoco", "texture", "asset"},
    {"mujoco", "layer", "material"},
    {"mujoco", "hfield", "asset"},
    {"mujoco", "composite", "body"},
    {"mujoco", "flexcomp", "worldbody"},
    {"mujoco", "plugin", "body"},
    {"mujoco", "muscle", "actuator"},
    {"mujoco", "adhesion", "actuator"},
    {"mujoco", "dcmotor", "actuator"},
    {"mujoco", "lengthrange", "compiler"},
    {"robot", "safety_controller", "joint"},
    {"robot", "calibration", "joint"},
    {"robot", "drake:controller_gains", "joint"},
    {"robot", "verbose", "collision"},
    {"robot", "drake:proximity_properties", "collision"},
    {"robot", "contact", "link"},
    {"robot", "hardwareInterface", "actuator"},
    {"sdf", "sensor", "link"},
    {"sdf", "audio_source", "link"},
    {"sdf", "audio_sink", "link"},
    {"sdf", "projector", "link"},
    {"sdf", "battery", "link"},
    {"sdf", "velocity_decay", "link"},
    {"sdf", "must_be_base_link", "link"},
    {"sdf", "particle_emitter", "link"},
    {"sdf", "enable_wind", "model"},
    {"sdf", "allow_auto_disable", "model"},
    {"sdf", "gripper", "model"},
    {"sdf", "plugin", "model"},
    {"sdf", "laser_retro", "collision"},
    {"sdf", "max_contacts", "collision"},
    {"sdf", "auto_inertia_params", "collision"},
    {"sdf", "initial_position", "axis"},
};

static bool belongs_in(const writer *w, const char *name, const char *parent)
{
    const char *slash = strchr(name, '/'), *root = w->open[0];
    if (slash) return strlen(parent) == (size_t)(slash - name) && strncmp(name, parent, strlen(parent)) == 0;
    for (size_t i = 0; i < sizeof HOMES / sizeof *HOMES; i++)
        if (strcmp(HOMES[i][0], root) == 0 && strcmp(HOMES[i][1], name) == 0) return strcmp(HOMES[i][2], parent) == 0;
    return strcmp(parent, strcmp(root, "sdf") == 0 ? "world" : root) == 0;
}

/* Adds elements of the table that are allowed in the open element. */
static void add_children(writer *w)
{
    const char *parent = w->open[w->depth - 1];
    for (int i = 0; i < w->table->count; i++) {
        const char *entry = w->table->name[i], *slash = strchr(entry, '/'), *name = slash ? slash + 1 : entry;
        if (strchr(entry, '@') || !belongs_in(w, entry, parent) || !is_due(w, i)) continue;
        const bool deep = trm_random_uniform(&w->random, 0, 1) < 0.5;
        add(w, deep ? "<%s name=\"n%d\"><inside x=\"1\"/></%s>\n" : "<%s name=\"n%d\"/>\n", name, i, name);
        w->elements += deep ? 2 : 1;
        w->added += deep ? 2 : 1;
        note(w, i);
    }
}

/* Adds attributes of the table that an element may have: those of its own name, and those of all elements of its
 * parent. tag: position of its beginning. */
static void add_attributes(writer *w, const char *name, size_t tag)
{
    const char *parent = w->depth > 0 ? w->open[w->depth - 1] : "";
    for (int i = 0; i < w->table->count; i++) {
        const char *entry = w->table->name[i], *at = strchr(entry, '@');
        const size_t length = at ? (size_t)(at - entry) : 0;
        char have[100];
        if (!at) continue;
        const bool own = strlen(name) == length && strncmp(name, entry, length) == 0;
        const bool around = strlen(parent) == length && strncmp(parent, entry, length) == 0;
        snprintf(have, sizeof have, " %s=", at + 1);
        if ((!own && !around) || strstr(w->text + tag, have) || !is_due(w, i)) continue;
        add(w, " %s=\"1\"", at + 1);
        note(w, i);
    }
}

static void begin(writer *w, const char *name, const char *attributes)
{
    const size_t tag = w->length;
    add(w, "<%s%s%s", name, attributes[0] ? " " : "", attributes);
    add_attributes(w, name, tag);
    add(w, ">\n");
    assert_true(w->depth < DEPTH);
    w->open[w->depth++] = name;
    w->elements++;
    add_children(w);
}

static void end(writer *w)
{
    add(w, "</%s>\n", w->open[--w->depth]);
}

static void leaf(writer *w, const char *name, const char *attributes)
{
    begin(w, name, attributes);
    end(w);
}

static void leaf_of(writer *w, const char *name, const char *format, ...)
{
    char attributes[500];
    va_list list;
    va_start(list, format);
    vsnprintf(attributes, sizeof attributes, format, list);
    va_end(list);
    leaf(w, name, attributes);
}

static void words(writer *w, const char *name, const char *format, ...)
{
    char text[200];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    begin(w, name, "");
    add(w, "%s", text);
    end(w);
}

static double some(writer *w, double least, double most)
{
    return trm_random_uniform(&w->random, least, most);
}

static bool chance(writer *w)
{
    return some(w, 0, 1) < 0.5;
}

/* ---- Robots ------------------------------------------------------------------------------- */

static void write_urdf_shape(writer *w, const char *kind)
{
    begin(w, kind, "");
    leaf_of(w, "origin", "xyz=\"%g 0 %g\" rpy=\"0 %g 0\"", some(w, -1, 1), some(w, -1, 1), some(w, -1, 1));
    begin(w, "geometry", "");
    if (chance(w))
        leaf_of(w, "box", "size=\"%g 0.2 0.3\"", some(w, 0.1, 1));
    else
        leaf_of(w, chance(w) ? "cylinder" : "capsule", "radius=\"%g\" length=\"0.5\"", some(w, 0.1, 1));
    end(w);
    if (strcmp(kind, "visual") == 0) {
        begin(w, "material", "");
        leaf(w, "color", "rgba=\"0.5 0.2 0.1 1\"");
        end(w);
    }
    end(w);
}

static void write_urdf_link(writer *w, int i)
{
    char name[40];
    snprintf(name, sizeof name, "name=\"l%d\"", i);
    begin(w, "link", name);
    begin(w, "inertial", "");
    leaf_of(w, "origin", "xyz=\"%g 0 0.1\"", some(w, -1, 1));
    leaf_of(w, "mass", "value=\"%g\"", some(w, 0.1, 5));
    leaf(w, "inertia", "ixx=\"0.2\" iyy=\"0.3\" izz=\"0.25\" ixy=\"0.01\" ixz=\"0\" iyz=\"0\"");
    end(w);
    write_urdf_shape(w, "visual");
    write_urdf_shape(w, "collision");
    end(w);
}

static void write_urdf_joint(writer *w, int i)
{
    static const char *const TYPES[] = {"revolute", "continuous", "prismatic", "fixed",
                                        "floating", "planar",     "spherical"};
    char name[80];
    const bool mimics = i == 2; /* the first two joints are revolute */
    snprintf(name, sizeof name, "name=\"j%d\" type=\"%s\"", i, TYPES[i < 3 ? 0 : trm_random_bits(&w->random) % 7]);
    begin(w, "joint", name);
    leaf_of(w, "parent", "link=\"l%d\"", i - 1);
    leaf_of(w, "child", "link=\"l%d\"", i);
    leaf_of(w, "origin", "xyz=\"0 %g 0.5\" rpy=\"%g 0 0\"", some(w, -1, 1), some(w, -1, 1));
    leaf(w, "axis", "xyz=\"0 1 0\"");
    leaf(w, "limit", "lower=\"-1\" upper=\"2\" effort=\"10\" velocity=\"3\"");
    leaf_of(w, "dynamics", "damping=\"%g\" friction=\"0.1\"", some(w, 0, 1));
    if (mimics) leaf(w, "mimic", "joint=\"j1\" multiplier=\"2\" offset=\"0.1\"");
    end(w);
}

static void write_urdf_transmission(writer *w)
{
    begin(w, "transmission", "name=\"t\"");
    leaf(w, "joint", "name=\"j1\"");
    begin(w, "actuator", "name=\"m\"");
    words(w, "mechanicalReduction", "10");
    words(w, "motorInertia", "0.001");
    end(w);
    end(w);
}

/* Writes torsional friction in the form of SDF, which Gazebo's extension of URDF uses, too. */
static void write_torsional(writer *w)
{
    begin(w, "torsional", "");
    words(w, "coefficient", "%g", some(w, 0, 1));
    words(w, "patch_radius", "0.05");
    end(w);
}

static void write_urdf(writer *w)
{
    const int links = 3 + (int)(trm_random_bits(&w->random) % 4);
    begin(w, "robot", "name=\"r\"");
    begin(w, "material", "name=\"red\"");
    leaf(w, "color", "rgba=\"1 0 0 1\"");
    end(w);
    for (int i = 0; i < links; i++) write_urdf_link(w, i);
    for (int i = 1; i < links; i++) write_urdf_joint(w, i);
    begin(w, "gazebo", "reference=\"l1\"");
    words(w, "mu1", "%g", some(w, 0, 1));
    words(w, "selfCollide", "true");
    begin(w, "collision", "");
    begin(w, "surface", "");
    begin(w, "friction", "");
    write_torsional(w);
    for (int i = 0; i < 4; i++) end(w);
    begin(w, "gazebo", "reference=\"j1\"");
    words(w, "springStiffness", "%g", some(w, 0, 10));
    end(w);
    write_urdf_transmission(w);
    end(w);
}

static void write_mjcf_defaults(writer *w)
{
    begin(w, "default", "");
    leaf_of(w, "geom", "density=\"%g\" friction=\"0.7\"", some(w, 100, 2000));
    leaf_of(w, "joint", "damping=\"%g\" armature=\"0.01\"", some(w, 0, 2));
    leaf(w, "site", "pos=\"0 0 0.1\"");
    leaf(w, "motor", "ctrlrange=\"-1 1\"");
    begin(w, "default", "class=\"hard\"");
    leaf(w, "geom", "type=\"box\" size=\"0.1 0.2 0.3\"");
    end(w);
    end(w);
}

static void write_mjcf_body(writer *w, int i, int depth)
{
    char name[80];
    snprintf(name, sizeof name, "name=\"b%d\" pos=\"%g 0 0.5\"", i, some(w, -1, 1));
    begin(w, "body", name);
    if (depth > 3 && i == 1)
        leaf(w, "freejoint", "name=\"j1\"");
    else
        leaf_of(w, "joint", "name=\"j%d\" type=\"%s\" axis=\"0 1 0\" range=\"-20 40\" stiffness=\"%g\"", i,
                i == 3 && chance(w) ? "slide" : "hinge", some(w, 0, 5));
    if (chance(w)) leaf(w, "inertial", "pos=\"0 0 0.1\" mass=\"2\" diaginertia=\"0.1 0.2 0.15\"");
    leaf_of(w, "geom", "name=\"g%d\" type=\"capsule\" fromto=\"0 0 0 0 0 0.4\" size=\"%g\"", i, some(w, 0.02, 0.1));
    leaf(w, "geom", "class=\"hard\" rgba=\"1 0 0 1\"");
    leaf_of(w, "site", "name=\"s%d\" pos=\"0 %g 0\"", i, some(w, -1, 1));
    if (i < depth) write_mjcf_body(w, i + 1, depth);
    end(w);
}

static void write_mjcf_couplings(writer *w)
{
    begin(w, "contact", "");
    leaf(w, "exclude", "body1=\"b1\" body2=\"b3\"");
    leaf(w, "pair", "geom1=\"g1\" geom2=\"g3\" friction=\"0.5 0.5\"");
    end(w);
    begin(w, "equality", "");
    leaf(w, "joint", "name=\"e1\" joint1=\"j2\" joint2=\"j3\" polycoef=\"0 0.5\"");
    leaf(w, "connect", "name=\"e2\" body1=\"b3\" anchor=\"0 0 0.1\" active=\"false\"");
    leaf(w, "weld", "name=\"e3\" body1=\"b3\" body2=\"b2\" active=\"false\"");
    leaf(w, "tendon", "name=\"e4\" tendon1=\"t1\" active=\"false\"");
    end(w);
    begin(w, "tendon", "");
    begin(w, "fixed", "name=\"t1\"");
    leaf(w, "joint", "joint=\"j2\" coef=\"1\"");
    leaf(w, "joint", "joint=\"j3\" coef=\"-1\"");
    end(w);
    begin(w, "spatial", "name=\"t2\" stiffness=\"5\"");
    leaf(w, "site", "site=\"s1\"");
    leaf(w, "site", "site=\"s3\"");
    end(w);
    end(w);
}

static void write_mjcf_senses(writer *w)
{
    begin(w, "actuator", "");
    leaf_of(w, "motor", "name=\"a1\" joint=\"j2\" gear=\"%g\"", some(w, 1, 50));
    leaf_of(w, "position", "name=\"a2\" joint=\"j3\" kp=\"%g\"", some(w, 1, 50));
    leaf(w, "general", "name=\"a3\" joint=\"j2\" gainprm=\"2\" biastype=\"affine\" biasprm=\"0 -2 -1\"");
    end(w);
    begin(w, "sensor", "");
    leaf(w, "jointpos", "name=\"q1\" joint=\"j2\"");
    leaf(w, "jointvel", "name=\"q2\" joint=\"j2\"");
    leaf(w, "gyro", "name=\"q3\" site=\"s3\"");
    leaf(w, "accelerometer", "name=\"q4\" site=\"s3\"");
    leaf(w, "tendonpos", "name=\"q5\" tendon=\"t2\"");
    end(w);
    begin(w, "keyframe", "");
    leaf(w, "key", "name=\"home\"");
    end(w);
}

static void write_mjcf(writer *w)
{
    begin(w, "mujoco", "model=\"r\"");
    leaf(w, "compiler", "angle=\"degree\" autolimits=\"true\"");
    begin(w, "option", "gravity=\"0 0 -9.81\"");
    leaf(w, "flag", "gravity=\"enable\"");
    end(w);
    write_mjcf_defaults(w);
    begin(w, "asset", "");
    leaf(w, "material", "name=\"red\" rgba=\"1 0 0 1\"");
    leaf(w, "mesh", "name=\"m\" vertex=\"0 0 0 1 0 0 0 1 0 0 0 1\" scale=\"0.1 0.1 0.1\"");
    end(w);
    begin(w, "worldbody", "");
    leaf(w, "geom", "type=\"plane\" size=\"1 1 1\"");
    leaf(w, "geom", "type=\"mesh\" mesh=\"m\" material=\"red\" pos=\"0 0 -3\"");
    write_mjcf_body(w, 1, 3 + (int)(trm_random_bits(&w->random) % 3));
    end(w);
    write_mjcf_couplings(w);
    write_mjcf_senses(w);
    end(w);
}

static void write_sdf_shape(writer *w, const char *kind)
{
    begin(w, kind, strcmp(kind, "visual") == 0 ? "name=\"v\"" : "name=\"c\"");
    words(w, "pose", "%g 0 0 0 0 0", some(w, -1, 1));
    begin(w, "geometry", "");
    begin(w, "box", "");
    words(w, "size", "0.1 0.2 %g", some(w, 0.1, 1));
    end(w);
    end(w);
    if (strcmp(kind, "visual") == 0) {
        begin(w, "material", "");
        words(w, "diffuse", "1 0 0 1");
        end(w);
    } else {
        begin(w, "surface", "");
        begin(w, "friction", "");
        begin(w, "ode", "");
        words(w, "mu", "%g", some(w, 0, 1));
        end(w);
        write_torsional(w);
        end(w);
        begin(w, "bounce", "");
        words(w, "restitution_coefficient", "0.3");
        end(w);
        begin(w, "contact", "");
        words(w, "collide_bitmask", "3");
        end(w);
        end(w);
    }
    end(w);
}

static void write_sdf_mesh(writer *w)
{
    begin(w, "visual", "name=\"m\"");
    begin(w, "geometry", "");
    begin(w, "mesh", "");
    words(w, "uri", "not-there.stl");
    end(w);
    end(w);
    end(w);
}

static void write_sdf_link(writer *w, int i)
{
    char name[40];
    snprintf(name, sizeof name, "name=\"l%d\"", i);
    begin(w, "link", name);
    words(w, "pose", "0 %g 1 0 %g 0", some(w, -1, 1), some(w, -1, 1));
    begin(w, "inertial", "");
    words(w, "pose", "0 0 %g 0 0 0", some(w, -1, 1));
    words(w, "mass", "%g", some(w, 0.1, 5));
    begin(w, "inertia", "");
    words(w, "ixx", "0.2");
    words(w, "iyy", "0.3");
    words(w, "izz", "0.25");
    end(w);
    end(w);
    write_sdf_shape(w, "visual");
    write_sdf_shape(w, "collision");
    write_sdf_mesh(w);
    words(w, "gravity", "%d", chance(w));
    end(w);
}

static void write_sdf_axis(writer *w, const char *name)
{
    begin(w, name, "");
    words(w, "xyz", strcmp(name, "axis") == 0 ? "0 1 0" : "1 0 0");
    begin(w, "limit", "");
    words(w, "lower", "-1");
    words(w, "upper", "%g", some(w, 0, 2));
    words(w, "effort", "10");
    words(w, "velocity", "2");
    end(w);
    begin(w, "dynamics", "");
    words(w, "damping", "%g", some(w, 0, 1));
    words(w, "friction", "0.1");
    words(w, "spring_stiffness", "%g", some(w, 0, 4));
    words(w, "spring_reference", "0.1");
    end(w);
    end(w);
}

static void write_sdf_joint(writer *w, int i)
{
    static const char *const TYPES[] = {"revolute", "prismatic", "universal", "revolute2", "continuous"};
    const int type = (int)(trm_random_bits(&w->random) % 5);
    char name[80];
    snprintf(name, sizeof name, "name=\"j%d\" type=\"%s\"", i, TYPES[type]);
    begin(w, "joint", name);
    words(w, "parent", "l%d", i - 1);
    words(w, "child", "l%d", i);
    write_sdf_axis(w, "axis");
    if (type == 2 || type == 3) write_sdf_axis(w, "axis2");
    end(w);
}

static void write_sdf(writer *w)
{
    const int links = 2 + (int)(trm_random_bits(&w->random) % 3);
    char version[40];
    snprintf(version, sizeof version, "version=\"1.%d\"", 5 + w->file % 7);
    begin(w, "sdf", version);
    begin(w, "world", "name=\"w\"");
    words(w, "gravity", "0 0 -9.8");
    begin(w, "physics", "");
    words(w, "max_step_size", "0.004");
    end(w);
    begin(w, "model", "name=\"r\"");
    words(w, "static", "false");
    words(w, "self_collide", "%d", chance(w));
    for (int i = 0; i < links; i++) write_sdf_link(w, i);
    for (int i = 1; i < links; i++) write_sdf_joint(w, i);
    begin(w, "frame", "name=\"f\" attached_to=\"l0\"");
    words(w, "pose", "0 0 1 0 0 0");
    end(w);
    end(w);
    end(w);
    end(w);
}

/* ---- Reading ------------------------------------------------------------------------------ */

/* Returns whether a message names the entry: "<element>", "attribute x of". */
static bool is_named(const trm_messages *messages, const char *entry)
{
    char what[200];
    const char *at = strchr(entry, '@'), *slash = strchr(entry, '/');
    if (at)
        snprintf(what, sizeof what, "attribute %s of", at + 1);
    else
        snprintf(what, sizeof what, "<%s>", slash ? slash + 1 : entry);
    for (int i = 0; i < trm_message_count(messages); i++)
        if (strstr(trm_message_at(messages, i)->text, what)) return true;
    return false;
}

/* Asserts that inserted elements are named, unless the reader uses them here; each entry must be named in some
 * file. */
static void check(const writer *w, const trm_messages *messages, const trm_xml_count *count)
{
    assert_int_equal(count->elements, w->elements);
    assert_int_equal(count->used + count->named, count->elements);
    if (count->used < w->elements - w->added) {
        print_messages(messages);
        print_error("%s\n", w->text);
    }
    assert_true(count->used >= w->elements - w->added);
    for (int i = 0; i < w->table->count; i++)
        if (w->here[i] && is_named(messages, w->table->name[i])) w->named[i] = true;
}

static void read_back(const writer *w)
{
    const trm_read_options options = {0};
    trm_arena scratch;
    trm_arena_init(&scratch, NULL);
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def = trm_model_def_create(NULL);
    def->file = trm_arena_text(def->arena, "corpus.xml");
    trm_import in = {.def = def, .scratch = &scratch, .options = &options, .messages = messages};
    assert_true(w->format->recognises(w->text, w->length));
    assert_true(w->format->read(&in, w->text, w->length));
    if (trm_error_count(messages) > 0) {
        print_messages(messages);
        print_error("%s\n", w->text);
    }
    assert_int_equal(trm_error_count(messages), 0);
    check(w, messages, &in.counted);
    trm_arena_destroy(&scratch);
    trm_model *model = build_model(def);
    assert_non_null(model);
    trm_model_destroy(model);
    trm_model_def_destroy(def);
    trm_messages_destroy(messages);
}

static void list_entries(const trm_xml_reason *reason, entries *table)
{
    for (; reason->why; reason++)
        for (const char *at = reason->names; *at; at += strspn(at, " ")) {
            const size_t length = strcspn(at, " ");
            assert_true(table->count < MOST_ENTRIES && length < LONGEST);
            memcpy(table->name[table->count++], at, length);
            at += length;
        }
}

static void read_corpus(const trm_format *format, void (*write)(writer *))
{
    bool named[MOST_ENTRIES] = {false};
    int elements = 0, added = 0;
    writer *w = calloc(1, sizeof *w);
    entries *table = calloc(1, sizeof *table);
    list_entries(format->reasons, table);
    for (int file = 0; file < FILES; file++) {
        *w = (writer){.format = format,
                      .table = table,
                      .file = file,
                      .named = named,
                      .random = trm_random_seed((uint64_t)file + 1)};
        write(w);
        read_back(w);
        elements += w->elements, added += w->added;
    }
    for (int i = 0; i < table->count; i++)
        if (!named[i]) print_error("%s: no file makes the reader name '%s'\n", format->name, table->name[i]);
    for (int i = 0; i < table->count; i++) assert_true(named[i]);
    print_message("%s: %d files, %d elements = used + named, %d of them from the %d entries of the table\n",
                  format->name, FILES, elements, added, table->count);
    free(table);
    free(w);
}

static void urdf_is_read_or_named(void **state)
{
    (void)state;
    read_corpus(&trm_format_urdf, write_urdf);
}

static void mjcf_is_read_or_named(void **state)
{
    (void)state;
    read_corpus(&trm_format_mjcf, write_mjcf);
}

static void sdf_is_read_or_named(void **state)
{
    (void)state;
    read_corpus(&trm_format_sdf, write_sdf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urdf_is_read_or_named),
        cmocka_unit_test(mjcf_is_read_or_named),
        cmocka_unit_test(sdf_is_read_or_named),
    };
    return RUN_TESTS(tests);
}
