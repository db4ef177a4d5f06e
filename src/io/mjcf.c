/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* MJCF, the format of MuJoCo (mujoco.readthedocs.io, XML reference): a tree of bodies in each other.
 *
 *     compiler  how angles, masses and files are meant         default   values by classes
 *     worldbody bodies with joints, geoms and sites            equality  loops and couplings
 *
 * Contacts and equality constraints are rigid here; MuJoCo makes them soft by solref and solimp. */

#include "io/mjcf.h"

#include <string.h>

#include "base/names.h"
#include "io/resources.h"

/* Elements and attributes without a counterpart in a model, with reasons. */
static const trm_xml_reason REASONS[] = {
    {"groups of geoms only choose whose mass counts", "geom@group"},
    {"it is for drawing only",
     "visual statistic light camera texture asset/skin layer material@texture material@texrepeat material@texuniform "
     "material@specular material@shininess material@reflectance material@metallic material@roughness "
     "material@emission site@group site@type site@size site@rgba site@material joint@group spatial@rgba "
     "spatial@width spatial@material spatial@group tendon@rgba tendon@width tendon@material tendon@group "
     "mesh@smoothnormal mesh@normal mesh@texcoord actuator@group fixed@group default@group freejoint@group "
     "compiler@texturedir"},
    {"hulls keep all their vertices", "mesh@maxhullvert"},
    {"built-in meshes are not made; save the mesh to a file", "mesh@builtin mesh@params"},
    {"the ending of the file tells the format", "mesh@content_type"},
    {"there are no height fields", "geom@hfield hfield"},
    {"contacts, limits and equality constraints are rigid here",
     "geom@solref geom@solimp geom@solmix geom@margin geom@gap joint@solreflimit joint@solimplimit "
     "joint@solreffriction joint@solimpfriction joint@solreffix joint@solimpfix joint@margin connect@solref "
     "connect@solimp weld@solref weld@solimp joint@solref joint@solimp equality@solref equality@solimp "
     "spatial@solreflimit spatial@solimplimit spatial@margin tendon@solreflimit tendon@solimplimit option@impratio "
     "option@o_margin option@o_solref option@o_solimp option@o_friction pair@solref pair@solimp pair@solreffriction "
     "pair@margin pair@gap fixed@solreflimit fixed@solimplimit fixed@solreffriction fixed@solimpfriction "
     "fixed@margin spatial@solreffriction spatial@solimpfriction tendon@margin tendon@solref tendon@solimp"},
    {"tendons between sites have no friction", "spatial@frictionloss"},
    {"there is no fluid", "fluidshape geom@fluidshape geom@fluidcoef option@density option@viscosity option@wind"},
    {"there are no magnets", "option@magnetic"},
    {"it sets MuJoCo's solver; options of trammel run take its place",
     "option@integrator option@cone option@jacobian option@solver option@iterations option@tolerance "
     "option@ls_iterations option@ls_tolerance option@noslip_iterations option@noslip_tolerance "
     "option@ccd_iterations option@ccd_tolerance option@mpr_iterations option@mpr_tolerance option@sdf_iterations "
     "option@sdf_initpoints option@apirate option@collision option/flag flag@clampctrl flag@warmstart "
     "flag@filterparent flag@refsafe flag@sensor flag@midphase flag@nativeccd flag@eulerdamp flag@autoreset "
     "flag@override flag@energy flag@fwdinv flag@invdiscrete flag@multiccd flag@island flag@sleep flag@diagexact "
     "flag@cctrl flag@fluid"},
    {"it sets the size of MuJoCo's memory", "size"},
    {"it holds data of other programs",
     "custom actuator@user jointpos@user jointvel@user gyro@user accelerometer@user fixed@user spatial@user "
     "tendon@user default@user body@user geom@user joint@user site@user"},
    {"plugins are not read", "extension plugin"},
    {"soft and composite objects are not read", "composite flexcomp deformable flex"},
    {"it belongs to muscles", "lengthrange actuator@lengthrange default@lengthrange"},
    {"the control acts at once",
     "actuator@actlimited actuator@actrange actuator@actdim actuator@actearly actuator@dynprm actuator@timeconst "
     "actuator@delay actuator@nsample actuator@interp default@actlimited default@actrange default@actdim "
     "default@actearly default@dynprm default@timeconst default@delay default@nsample default@interp"},
    {"sites are not driven against each other", "actuator@refsite"},
    {"sliders and cranks are not read", "actuator@slidersite actuator@cranksite actuator@cranklength"},
    {"only tendons that go straight between two sites of different bodies are", "tendon/spatial"},
    {"it is computed from columns of the results, or added to the model file",
     "sensor/touch sensor/velocimeter sensor/force sensor/torque sensor/magnetometer sensor/camprojection "
     "sensor/rangefinder sensor/actuatorpos sensor/actuatorvel sensor/actuatorfrc sensor/jointactuatorfrc "
     "sensor/tendonactuatorfrc sensor/ballquat sensor/ballangvel sensor/jointlimitpos sensor/jointlimitvel "
     "sensor/jointlimitfrc sensor/tendonlimitpos sensor/tendonlimitvel sensor/tendonlimitfrc sensor/framepos "
     "sensor/framequat sensor/framexaxis sensor/frameyaxis sensor/framezaxis sensor/framelinvel sensor/frameangvel "
     "sensor/framelinacc sensor/frameangacc sensor/subtreecom sensor/subtreelinvel sensor/subtreeangmom "
     "sensor/insidesite sensor/distance sensor/normal sensor/fromto sensor/contact sensor/e_potential "
     "sensor/e_kinetic sensor/clock sensor/tactile sensor/user sensor/plugin"},
    {"values are not clipped", "jointpos@cutoff jointvel@cutoff gyro@cutoff accelerometer@cutoff tendonpos@cutoff"},
    {"it limits actuators",
     "fixed@actuatorfrcrange fixed@actuatorfrclimited spatial@actuatorfrcrange spatial@actuatorfrclimited"},
    {"tendons between sites have no inertia", "spatial@armature"},
    {"a pose holds coordinates of joints only", "key@time key@qvel key@act key@mpos key@mquat"},
    {"muscles, adhesion and plugins are not read; add forces to the model file",
     "muscle adhesion actuator/plugin dcmotor"},
    {"it belongs to MuJoCo's islands", "body@sleep"},
    {"the body's frame stays as it is", "freejoint@align joint@align compiler@alignfree"},
    {"shapes that do not collide are kept", "compiler@discardvisual"},
    {"it says how MuJoCo compiles", "compiler@usethread"},
    {"links without joints are merged in any case", "compiler@fusestatic"},
    {"moving meshes collide as their hulls in any case", "compiler@convexhull"},
    {"it says what MuJoCo writes", "compiler@saveinertial"},
    {"options of attached models hold for their own elements", "compiler@conflict"},
    {NULL, NULL},
};

/* Attributes that are read wherever they occur. In <default> they may apply to no element. */
static const struct {
    const char *element, *attributes;
} READ[] = {
    {"geom", "type size fromto pos quat axisangle euler xyaxes zaxis mass density contype friction condim "
             "priority rgba material mesh conaffinity shellinertia fitscale group class"},
    {"joint", "type pos axis range limited ref damping armature springref stiffness frictionloss springdamper "
              "actuatorfrcrange actuatorfrclimited actuatorgravcomp"},
    {"mesh", "scale refpos refquat inertia"},
    {"material", "rgba"},
    {"site", "pos quat euler axisangle xyaxes zaxis"},
    {"equality", "active"},
    {"tendon", "range limited damping stiffness springlength armature frictionloss"},
    {"pair", "friction condim"},
    {"actuator", "ctrlrange ctrllimited forcerange forcelimited gear kp kv dampratio inheritrange gainprm biasprm "
                 "gaintype biastype dyntype area diameter bias joint class"},
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

/* Returns the root of a file. Returns NULL if out of memory, or, with *good true, after reporting an error. */
static trm_xml *read_included(including *i, const trm_xml *element, const char *file, bool *good)
{
    trm_import *in = i->m->in;
    char *text;
    size_t length;
    const char *path, *why;
    *good = trm_import_text(in, file, &text, &length, &path, &why);
    if (!*good) return NULL;
    if (!path) {
        trm_add_error(in->messages, element->place, "<%s>: \"%s\" cannot be read: %s", element->name, file, why);
        return NULL;
    }
    trm_xml *root = trm_xml_parse(in->scratch, text, length, path, in->messages);
    *good = root || !in->scratch->failed;
    return root;
}

/* Marks the document itself as included. Returns false if out of memory. */
static bool include_self(including *i, const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    return TRM_APPEND(i->m->in->scratch, i->files, i->count, slash ? slash + 1 : file ? file : "");
}

/* Replaces each <include> by the contents of its file, including those in included files. Returns false if out of
 * memory. */
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
            trm_add_error(i->m->in->messages, e->place, "<include>: %s",
                          file ? "a file can be included only once, and not in itself"
                               : "there is no attribute \"file\"");
            continue;
        }
        if (!TRM_APPEND(i->m->in->scratch, i->files, i->count, file)) return false;
        trm_xml *root = read_included(i, e, file, &good);
        if (!good) return false;
        if (root) trm_xml_splice(e, root);
    }
    return true;
}

trm_xml *trm_mjcf_open(trm_mjcf *m, const trm_xml *element, const char *file, bool *good)
{
    including i = {.m = m};
    trm_xml *root = read_included(&i, element, file, good);
    const char *before = m->in->directory, *folder = root ? trm_folder_of(m->in->scratch, root->place.file) : NULL;
    if (!root) return NULL;
    m->in->directory = folder;
    *good = folder && include_self(&i, root->place.file) && expand(&i, root);
    m->in->directory = before;
    return root;
}

/* ---- Options ------------------------------------------------------------------------------ */

static void read_inertia_rule(trm_mjcf_compiler *c, const trm_mjcf_at *at)
{
    const char *rule = trm_mjcf_value(at, "inertiafromgeom");
    if (!rule) return;
    c->inertia = strcmp(rule, "true") == 0    ? TRM_MJCF_INERTIA_GEOMS
                 : strcmp(rule, "false") == 0 ? TRM_MJCF_INERTIA_GIVEN
                                              : TRM_MJCF_INERTIA_AUTO;
}

static void read_euler_sequence(trm_mjcf_compiler *c, const trm_mjcf_at *at)
{
    const char *given = trm_mjcf_value(at, "eulerseq");
    if (!given) return;
    if (strlen(given) == 3 && strspn(given, "xyzXYZ") == 3)
        c->eulerseq = given;
    else
        trm_add_error(at->m->in->messages, at->element->place,
                      "<compiler>: eulerseq is \"%.20s\"; it must be three letters of x, y, z, X, Y, Z", given);
}

static void read_compiler(trm_mjcf *m, trm_xml *element, trm_mjcf_compiler *c)
{
    const trm_mjcf_at at = {m, element, "compiler", -1};
    const char *angle = trm_mjcf_value(&at, "angle"), *coordinate = trm_mjcf_value(&at, "coordinate");
    const char *assets = trm_mjcf_value(&at, "assetdir"), *meshes = trm_mjcf_value(&at, "meshdir");
    if (angle) c->degrees = strcmp(angle, "radian") != 0;
    if (angle && c->degrees && strcmp(angle, "degree") != 0)
        trm_add_error(m->in->messages, element->place, "<compiler>: angle is \"%.20s\"; it must be degree or radian",
                      angle);
    if (coordinate && strcmp(coordinate, "local") != 0)
        trm_add_error(m->in->messages, element->place,
                      "global coordinates are not read; MuJoCo 2.3.3 and later neither");
    c->autolimits = trm_mjcf_is(&at, "autolimits", c->autolimits);
    c->balance_inertia = trm_mjcf_is(&at, "balanceinertia", c->balance_inertia);
    c->strip_path = trm_mjcf_is(&at, "strippath", c->strip_path);
    c->fit_bounds = trm_mjcf_is(&at, "fitaabb", c->fit_bounds);
    c->bound_mass = trm_mjcf_number(&at, "boundmass", c->bound_mass);
    c->bound_inertia = trm_mjcf_number(&at, "boundinertia", c->bound_inertia);
    c->total_mass = trm_mjcf_number(&at, "settotalmass", c->total_mass);
    trm_mjcf_numbers(&at, "inertiagrouprange", c->groups, 2);
    if (trm_mjcf_is(&at, "exactmeshinertia", false)) c->mesh_rule = "exact";
    read_inertia_rule(c, &at);
    read_euler_sequence(c, &at);
    if (assets) c->meshdir = assets;
    if (meshes) c->meshdir = meshes;
}

bool trm_mjcf_read_options(trm_mjcf *m, trm_xml *root, const char *directory)
{
    trm_mjcf_compiler *c = TRM_ADD(m->in->scratch, m->compilers, m->compiler_count);
    if (!c) return false;
    *c = (trm_mjcf_compiler){.degrees = true,
                             .autolimits = true,
                             .inertia = TRM_MJCF_INERTIA_AUTO,
                             .total_mass = -1,
                             .groups = {0, 5},
                             .eulerseq = "xyz",
                             .directory = directory};
    for (trm_xml *e = trm_xml_child(root, "compiler"); e; e = trm_xml_again(e)) read_compiler(m, e, c);
    return true;
}

/* Reads <flag>: parts that it disables are left out. */
static void read_flags(trm_mjcf *m, trm_xml *element)
{
    static const struct {
        const char *name;
        unsigned without;
        bool equality, springs;
    } FLAGS[] = {
        {"gravity", TRM_WITHOUT_GRAVITY, false, false},
        {"contact", TRM_WITHOUT_CONTACTS, false, false},
        {"limit", TRM_WITHOUT_LIMITS, false, false},
        {"frictionloss", TRM_WITHOUT_FRICTION, false, false},
        {"actuation", TRM_WITHOUT_ACTUATORS, false, false},
        {"damper", TRM_WITHOUT_DAMPING, false, false},
        {"spring", 0, false, true},
        {"passive", TRM_WITHOUT_DAMPING, false, true},
        {"equality", 0, true, false},
        {"constraint", TRM_WITHOUT_CONTACTS | TRM_WITHOUT_LIMITS | TRM_WITHOUT_FRICTION, true, false},
    };
    for (size_t i = 0; i < sizeof FLAGS / sizeof *FLAGS; i++) {
        const char *value = trm_xml_value(element, FLAGS[i].name);
        if (!value || strcmp(value, "disable") != 0) continue;
        m->in->without |= FLAGS[i].without;
        m->no_equality = m->no_equality || FLAGS[i].equality;
        m->no_springs = m->no_springs || FLAGS[i].springs;
    }
}

static void read_option(trm_mjcf *m, trm_xml *element)
{
    const trm_mjcf_at at = {m, element, "option", -1};
    double g[3] = {0, 0, -9.81};
    if (trm_mjcf_numbers(&at, "gravity", g, 3) == 3) m->in->def->gravity = trm_v3(g[0], g[1], g[2]);
    m->in->def->simulation.step = trm_mjcf_number(&at, "timestep", m->in->def->simulation.step);
    double groups[TRM_MJCF_NUMBERS];
    const int count = trm_mjcf_numbers(&at, "actuatorgroupdisable", groups, TRM_MJCF_NUMBERS);
    for (int i = 0; i < count; i++)
        if (groups[i] >= 0 && groups[i] <= 30) m->disabled_groups |= 1u << (int)groups[i];
    for (trm_xml *e = trm_xml_child(element, "flag"); e; e = trm_xml_again(e)) read_flags(m, e);
}

static bool has_defaults(const char *kind)
{
    return trm_has_word("default geom joint site mesh material equality tendon pair", kind) ||
           trm_mjcf_is_actuator(kind);
}

static bool add_class(trm_mjcf *m, trm_xml *element, int parent)
{
    const char *name = trm_xml_value(element, "class");
    const int own = m->class_count;
    const trm_mjcf_class class = {name ? name : "main", element, parent};
    if (!TRM_APPEND(m->in->scratch, m->classes, m->class_count, class)) return false;
    for (trm_xml *e = element->first_child; e; e = e->next) e->used = has_defaults(e->name);
    for (trm_xml *e = trm_xml_child(element, "default"); e; e = trm_xml_again(e))
        if (!add_class(m, e, own)) return false;
    return true;
}

/* Returns the next <default> of the document itself (scope 0), or of the models that are attached to it. Returns NULL
 * after the last. */
static trm_xml *default_from(trm_xml *e, bool attached)
{
    while (e && (strcmp(e->name, "default") != 0 || (e->scope > 0) != attached)) e = e->next;
    if (e) e->used = true;
    return e;
}

/* Reads the class "main", which always exists; several top-level <default> elements form one class. Returns false if
 * out of memory. */
static bool read_main_class(trm_mjcf *m, trm_xml *root)
{
    trm_xml *first = default_from(root->first_child, false);
    const trm_mjcf_class empty = {"main", NULL, -1};
    if (!first) return TRM_APPEND(m->in->scratch, m->classes, m->class_count, empty);
    for (trm_xml *e = default_from(first->next, false); e;) {
        trm_xml *next = default_from(e->next, false);
        while (first->last_child && e->first_child) trm_xml_splice(first->last_child, e);
        if (!first->last_child) first->first_child = e->first_child, first->last_child = e->last_child;
        e = next;
    }
    return add_class(m, first, -1);
}

static bool read_classes(trm_mjcf *m, trm_xml *root)
{
    if (!read_main_class(m, root)) return false;
    for (trm_xml *e = default_from(root->first_child, true); e; e = default_from(e->next, true))
        if (!add_class(m, e, -1)) return false;
    return true;
}

/* ---- The document ------------------------------------------------------------------------- */

/* Marks attributes of defaults as used that no element has read. */
static void use_defaults(trm_mjcf *m)
{
    for (int c = 0; c < m->class_count; c++)
        for (trm_xml *e = m->classes[c].element ? m->classes[c].element->first_child : NULL; e; e = e->next)
            for (size_t k = 0; k < sizeof READ / sizeof *READ; k++) {
                if (strcmp(READ[k].element, trm_mjcf_is_actuator(e->name) ? "actuator" : e->name) != 0) continue;
                for (int i = 0; i < e->attribute_count; i++)
                    if (trm_has_word(READ[k].attributes, e->attributes[i].name)) e->attributes[i].used = true;
            }
}

static bool read_all(trm_mjcf *m, trm_xml *root)
{
    including i = {.m = m};
    if (!include_self(&i, m->in->def->file) || !expand(&i, root)) return false;
    if (!trm_mjcf_read_options(m, root, m->in->directory) || !trm_mjcf_attach_models(m, root)) return false;
    for (trm_xml *e = trm_xml_child(root, "option"); e; e = trm_xml_again(e)) read_option(m, e);
    if (!read_classes(m, root) || !trm_mjcf_read_assets(m, root) || !trm_mjcf_read_bodies(m, root)) return false;
    if (!trm_mjcf_set_gravity(m, trm_mjcf_count_actuators(root) > 0)) return false;
    if (!trm_mjcf_index_names(m) || !trm_mjcf_set_springdampers(m)) return false;
    if (!trm_mjcf_read_constraints(m, root)) return false;
    trm_mjcf_join_pairs(m, root);
    trm_import_report_meshes(m->in);
    if (m->body_count == 1) trm_add_error(m->in->messages, root->place, "there is no <body> in <worldbody>");
    if (trm_error_count(m->in->messages) == 0 && !trm_robot_build(&m->robot)) return false;
    if (trm_error_count(m->in->messages) > 0) return true;
    return trm_mjcf_add_tendon_forces(m) && trm_mjcf_read_actuators(m, root) && trm_mjcf_read_sensors(m, root) &&
           trm_mjcf_read_keyframes(m, root) && trm_mjcf_read_contacts(m, root);
}

static bool recognises(const char *text, size_t length)
{
    return trm_xml_root_is(text, length, "mujoco");
}

/* s: default of the format. A larger or smaller one would run files without a timestep at another step than MuJoCo
 * does, for which their servos are designed. */
static const double TIMESTEP = 0.002;

static bool read_mjcf(trm_import *in, const char *text, size_t length)
{
    trm_mjcf m = {.in = in, .robot = {.in = in}};
    trm_xml *root = trm_xml_parse(in->scratch, text, length, in->def->file, in->messages);
    if (!root) return !in->scratch->failed;
    root->used = true;
    const char *name = trm_xml_value(root, "model");
    in->def->name = trm_arena_text(in->def->arena, name ? name : "MuJoCo Model");
    in->def->gravity = trm_v3(0, 0, -9.81);
    in->def->simulation.step = TIMESTEP;
    if (!read_all(&m, root)) return false;
    use_defaults(&m);
    return trm_xml_account(in->scratch, root, REASONS, in->options->strict, in->messages, &in->counted) &&
           !in->def->arena->failed;
}

const trm_format trm_format_mjcf = {"MJCF", recognises, read_mjcf, REASONS};
