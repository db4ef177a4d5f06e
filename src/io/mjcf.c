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

#include "io/resources.h"

static const char SOFT[] = "contacts, limits and equality constraints are rigid here";
static const char LOOKS[] = "it is for drawing only";
static const char SOLVER[] = "it sets MuJoCo's solver; options of trammel run take its place";
static const char MUSCLES[] = "muscles, adhesion and plugins are not read; add forces to the model file";
static const char OBSERVED[] = "it is computed from columns of the results, or added to the model file";
static const char OF_KEYS[] = "a pose holds coordinates of joints only";
static const char OF_MODEL[] = "it holds data of other programs";
static const char OF_LAGS[] = "the control acts at once";
static const char MEMORY[] = "it sets the size of MuJoCo's memory";

/* Elements and attributes without a counterpart in a model, with reasons. */
static const trm_xml_reason REASONS[] = {
    {"visual", LOOKS},
    {"statistic", LOOKS},
    {"light", LOOKS},
    {"camera", LOOKS},
    {"texture", LOOKS},
    {"asset/skin", LOOKS},
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
    {"mesh@builtin", "built-in meshes are not made; save the mesh to a file"},
    {"mesh@params", "built-in meshes are not made; save the mesh to a file"},
    {"mesh@content_type", "the ending of the file tells the format"},
    {"geom@hfield", "there are no height fields"},
    {"hfield", "there are no height fields"},
    {"geom@solref", SOFT},
    {"geom@solimp", SOFT},
    {"geom@solmix", SOFT},
    {"geom@margin", SOFT},
    {"geom@gap", SOFT},
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
    {"spatial@frictionloss", "tendons between sites have no friction"},
    {"tendon@solreflimit", SOFT},
    {"tendon@solimplimit", SOFT},
    {"fluidshape", "there is no fluid"},
    {"geom@fluidshape", "there is no fluid"},
    {"geom@fluidcoef", "there is no fluid"},
    {"option@density", "there is no fluid"},
    {"option@viscosity", "there is no fluid"},
    {"option@wind", "there is no fluid"},
    {"option@magnetic", "there are no magnets"},
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
    {"option/flag", SOLVER},
    {"flag@clampctrl", SOLVER},
    {"flag@warmstart", SOLVER},
    {"flag@filterparent", SOLVER},
    {"flag@refsafe", SOLVER},
    {"flag@sensor", SOLVER},
    {"flag@midphase", SOLVER},
    {"flag@nativeccd", SOLVER},
    {"flag@eulerdamp", SOLVER},
    {"flag@autoreset", SOLVER},
    {"flag@override", SOLVER},
    {"flag@energy", SOLVER},
    {"flag@fwdinv", SOLVER},
    {"flag@invdiscrete", SOLVER},
    {"flag@multiccd", SOLVER},
    {"flag@island", SOLVER},
    {"flag@sleep", SOLVER},
    {"flag@diagexact", SOLVER},
    {"flag@cctrl", SOLVER},
    {"flag@fluid", SOLVER},
    {"size", MEMORY},
    {"custom", OF_MODEL},
    {"extension", "plugins are not read"},
    {"plugin", "plugins are not read"},
    {"composite", "soft and composite objects are not read"},
    {"flexcomp", "soft and composite objects are not read"},
    {"deformable", "soft and composite objects are not read"},
    {"flex", "soft and composite objects are not read"},
    {"lengthrange", "it belongs to muscles"},
    {"actuator@user", OF_MODEL},
    {"actuator@group", LOOKS},
    {"actuator@lengthrange", "it belongs to muscles"},
    {"actuator@actlimited", OF_LAGS},
    {"actuator@actrange", OF_LAGS},
    {"actuator@actdim", OF_LAGS},
    {"actuator@actearly", OF_LAGS},
    {"actuator@dynprm", OF_LAGS},
    {"actuator@timeconst", OF_LAGS},
    {"actuator@delay", OF_LAGS},
    {"actuator@nsample", OF_LAGS},
    {"actuator@interp", OF_LAGS},
    {"actuator@refsite", "sites are not driven against each other"},
    {"actuator@slidersite", "sliders and cranks are not read"},
    {"actuator@cranksite", "sliders and cranks are not read"},
    {"actuator@cranklength", "sliders and cranks are not read"},
    {"tendon/spatial", "only tendons that go straight between two sites of different bodies are"},
    {"sensor/touch", OBSERVED},
    {"sensor/velocimeter", OBSERVED},
    {"sensor/force", OBSERVED},
    {"sensor/torque", OBSERVED},
    {"sensor/magnetometer", OBSERVED},
    {"sensor/camprojection", OBSERVED},
    {"sensor/rangefinder", OBSERVED},
    {"sensor/actuatorpos", OBSERVED},
    {"sensor/actuatorvel", OBSERVED},
    {"sensor/actuatorfrc", OBSERVED},
    {"sensor/jointactuatorfrc", OBSERVED},
    {"sensor/tendonactuatorfrc", OBSERVED},
    {"sensor/ballquat", OBSERVED},
    {"sensor/ballangvel", OBSERVED},
    {"sensor/jointlimitpos", OBSERVED},
    {"sensor/jointlimitvel", OBSERVED},
    {"sensor/jointlimitfrc", OBSERVED},
    {"sensor/tendonlimitpos", OBSERVED},
    {"sensor/tendonlimitvel", OBSERVED},
    {"sensor/tendonlimitfrc", OBSERVED},
    {"sensor/framepos", OBSERVED},
    {"sensor/framequat", OBSERVED},
    {"sensor/framexaxis", OBSERVED},
    {"sensor/frameyaxis", OBSERVED},
    {"sensor/framezaxis", OBSERVED},
    {"sensor/framelinvel", OBSERVED},
    {"sensor/frameangvel", OBSERVED},
    {"sensor/framelinacc", OBSERVED},
    {"sensor/frameangacc", OBSERVED},
    {"sensor/subtreecom", OBSERVED},
    {"sensor/subtreelinvel", OBSERVED},
    {"sensor/subtreeangmom", OBSERVED},
    {"sensor/insidesite", OBSERVED},
    {"sensor/distance", OBSERVED},
    {"sensor/normal", OBSERVED},
    {"sensor/fromto", OBSERVED},
    {"sensor/contact", OBSERVED},
    {"sensor/e_potential", OBSERVED},
    {"sensor/e_kinetic", OBSERVED},
    {"sensor/clock", OBSERVED},
    {"sensor/tactile", OBSERVED},
    {"sensor/user", OBSERVED},
    {"sensor/plugin", OBSERVED},
    {"jointpos@user", OF_MODEL},
    {"jointvel@user", OF_MODEL},
    {"gyro@user", OF_MODEL},
    {"accelerometer@user", OF_MODEL},
    {"jointpos@cutoff", "values are not clipped"},
    {"jointvel@cutoff", "values are not clipped"},
    {"gyro@cutoff", "values are not clipped"},
    {"accelerometer@cutoff", "values are not clipped"},
    {"tendonpos@cutoff", "values are not clipped"},
    {"pair@solref", SOFT},
    {"pair@solimp", SOFT},
    {"pair@solreffriction", SOFT},
    {"pair@margin", SOFT},
    {"pair@gap", SOFT},
    {"fixed@solreflimit", SOFT},
    {"fixed@solimplimit", SOFT},
    {"fixed@solreffriction", SOFT},
    {"fixed@solimpfriction", SOFT},
    {"fixed@margin", SOFT},
    {"fixed@group", LOOKS},
    {"fixed@user", OF_MODEL},
    {"fixed@actuatorfrcrange", "it limits actuators"},
    {"fixed@actuatorfrclimited", "it limits actuators"},
    {"spatial@armature", "tendons between sites have no inertia"},
    {"spatial@user", OF_MODEL},
    {"spatial@actuatorfrcrange", "it limits actuators"},
    {"spatial@actuatorfrclimited", "it limits actuators"},
    {"spatial@solreffriction", SOFT},
    {"spatial@solimpfriction", SOFT},
    {"tendon@margin", SOFT},
    {"tendon@user", OF_MODEL},
    {"tendon@solref", SOFT},
    {"tendon@solimp", SOFT},
    {"default@user", OF_MODEL},
    {"default@group", LOOKS},
    {"default@lengthrange", "it belongs to muscles"},
    {"default@actlimited", OF_LAGS},
    {"default@actrange", OF_LAGS},
    {"default@actdim", OF_LAGS},
    {"default@actearly", OF_LAGS},
    {"default@dynprm", OF_LAGS},
    {"default@timeconst", OF_LAGS},
    {"default@delay", OF_LAGS},
    {"default@nsample", OF_LAGS},
    {"default@interp", OF_LAGS},
    {"key@time", OF_KEYS},
    {"key@qvel", OF_KEYS},
    {"key@act", OF_KEYS},
    {"key@mpos", OF_KEYS},
    {"key@mquat", OF_KEYS},
    {"muscle", MUSCLES},
    {"adhesion", MUSCLES},
    {"actuator/plugin", MUSCLES},
    {"dcmotor", MUSCLES},
    {"body@user", OF_MODEL},
    {"body@sleep", "it belongs to MuJoCo's islands"},
    {"geom@user", OF_MODEL},
    {"joint@user", OF_MODEL},
    {"site@user", OF_MODEL},
    {"freejoint@group", LOOKS},
    {"freejoint@align", "the body's frame stays as it is"},
    {"joint@align", "the body's frame stays as it is"},
    {"compiler@texturedir", LOOKS},
    {"compiler@discardvisual", "shapes that do not collide are kept"},
    {"compiler@usethread", "it says how MuJoCo compiles"},
    {"compiler@fusestatic", "links without joints are merged in any case"},
    {"compiler@convexhull", "moving meshes collide as their hulls in any case"},
    {"compiler@alignfree", "the body's frame stays as it is"},
    {"compiler@saveinertial", "it says what MuJoCo writes"},
    {"compiler@conflict", "options of attached models hold for their own elements"},
    {NULL, NULL},
};

/* Attributes that are read wherever they occur. In <default> they may apply to no element. */
static const char *const READ[] = {
    "geom@type",
    "geom@size",
    "geom@fromto",
    "geom@pos",
    "geom@quat",
    "geom@axisangle",
    "geom@euler",
    "geom@xyaxes",
    "geom@zaxis",
    "geom@mass",
    "geom@density",
    "geom@contype",
    "geom@friction",
    "geom@condim",
    "geom@priority",
    "geom@rgba",
    "geom@material",
    "geom@mesh",
    "geom@conaffinity",
    "geom@shellinertia",
    "geom@fitscale",
    "joint@type",
    "joint@pos",
    "joint@axis",
    "joint@range",
    "joint@limited",
    "joint@ref",
    "joint@damping",
    "joint@armature",
    "joint@springref",
    "joint@stiffness",
    "joint@frictionloss",
    "joint@springdamper",
    "mesh@scale",
    "mesh@refpos",
    "mesh@refquat",
    "mesh@inertia",
    "material@rgba",
    "site@pos",
    "site@quat",
    "site@euler",
    "site@axisangle",
    "site@xyaxes",
    "site@zaxis",
    "equality@active",
    "tendon@range",
    "tendon@limited",
    "tendon@damping",
    "tendon@stiffness",
    "tendon@springlength",
    "geom@group",
    "geom@class",
    "joint@actuatorfrcrange",
    "joint@actuatorfrclimited",
    "joint@actuatorgravcomp",
    "tendon@armature",
    "tendon@frictionloss",
    "pair@friction",
    "pair@condim",
    "actuator@ctrlrange",
    "actuator@ctrllimited",
    "actuator@forcerange",
    "actuator@forcelimited",
    "actuator@gear",
    "actuator@kp",
    "actuator@kv",
    "actuator@dampratio",
    "actuator@inheritrange",
    "actuator@gainprm",
    "actuator@biasprm",
    "actuator@gaintype",
    "actuator@biastype",
    "actuator@dyntype",
    "actuator@area",
    "actuator@diameter",
    "actuator@bias",
    "actuator@joint",
    "actuator@class",
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
        trm_add_message(in->messages, TRM_ERROR, element->place, "", "<%s>: \"%s\" cannot be read: %s", element->name,
                        file, why);
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
    i->files = trm_arena_list(i->m->in->scratch, 1, sizeof *i->files);
    if (i->files) i->files[i->count++] = slash ? slash + 1 : file ? file : "";
    return i->files != NULL;
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
            trm_add_message(i->m->in->messages, TRM_ERROR, e->place, "", "<include>: %s",
                            file ? "a file can be included only once, and not in itself"
                                 : "there is no attribute \"file\"");
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
        trm_add_message(at->m->in->messages, TRM_ERROR, at->element->place, "",
                        "<compiler>: eulerseq is \"%.20s\"; it must be three letters of x, y, z, X, Y, Z", given);
}

static void read_compiler(trm_mjcf *m, trm_xml *element, trm_mjcf_compiler *c)
{
    const trm_mjcf_at at = {m, element, "compiler", -1};
    const char *angle = trm_mjcf_value(&at, "angle"), *coordinate = trm_mjcf_value(&at, "coordinate");
    const char *assets = trm_mjcf_value(&at, "assetdir"), *meshes = trm_mjcf_value(&at, "meshdir");
    if (angle) c->degrees = strcmp(angle, "radian") != 0;
    if (angle && c->degrees && strcmp(angle, "degree") != 0)
        trm_add_message(m->in->messages, TRM_ERROR, element->place, "",
                        "<compiler>: angle is \"%.20s\"; it must be degree or radian", angle);
    if (coordinate && strcmp(coordinate, "local") != 0)
        trm_add_message(m->in->messages, TRM_ERROR, element->place, "",
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
    trm_mjcf_compiler *grown = trm_arena_grow(m->in->scratch, m->compilers, m->compiler_count, sizeof *grown);
    if (!grown) return false;
    m->compilers = grown;
    trm_mjcf_compiler *c = &grown[m->compiler_count++];
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
    static const char *const KINDS[] = {"default",  "geom",     "joint",  "site", "mesh",
                                        "material", "equality", "tendon", "pair"};
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (strcmp(kind, KINDS[i]) == 0) return true;
    return trm_mjcf_is_actuator(kind);
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
    if (!first) {
        m->classes = trm_arena_list(m->in->scratch, 1, sizeof *m->classes);
        if (!m->classes) return false;
        m->classes[m->class_count++] = (trm_mjcf_class){"main", NULL, -1};
        return true;
    }
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
            for (int i = 0; i < e->attribute_count; i++)
                for (size_t k = 0; k < sizeof READ / sizeof *READ; k++) {
                    const char *kind = trm_mjcf_is_actuator(e->name) ? "actuator" : e->name;
                    const size_t length = strlen(kind);
                    if (strncmp(READ[k], kind, length) == 0 && READ[k][length] == '@' &&
                        strcmp(READ[k] + length + 1, e->attributes[i].name) == 0)
                        e->attributes[i].used = true;
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
    if (m->body_count == 1)
        trm_add_message(m->in->messages, TRM_ERROR, root->place, "", "there is no <body> in <worldbody>");
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
