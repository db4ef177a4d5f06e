/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The parts of the MJCF reader (docs/import.md). */

#ifndef TRM_IO_MJCF_H
#define TRM_IO_MJCF_H

#include "io/robot.h"
#include "io/xml.h"
#include "math/mesh.h"

typedef enum trm_mjcf_inertia {
    TRM_MJCF_INERTIA_GIVEN,
    TRM_MJCF_INERTIA_GEOMS,
    TRM_MJCF_INERTIA_AUTO
} trm_mjcf_inertia;

/* A class of defaults. The first class is "main". */
typedef struct trm_mjcf_class {
    const char *name;
    trm_xml *element;
    int parent; /* -1: none */
} trm_mjcf_class;

typedef struct trm_mjcf_material {
    const char *name, *color;
} trm_mjcf_material;

typedef struct trm_mjcf_mesh {
    const char *name;
    trm_xml *element;
    int class;
    bool asked, missing; /* asked: reading was tried; missing: it failed */
    const char *path;
    trm_mesh mesh; /* triangles, scaled and in the frame of its geoms */
    bool plain;    /* the mesh is as in the file */
    trm_mass mass; /* at density 1 kg/m^3 */
} trm_mjcf_mesh;

typedef struct trm_mjcf_joint {
    const char *name;
    int connection, freedom; /* freedom -1: a ball or free joint */
    double ref;
    double springdamper[2]; /* time constant [s] and damping ratio of its spring; 0: not given */
    double force[2];        /* N or N m: limits of the force of actuators; equal: no limit */
    bool acted_on;          /* an actuator acts on it */
    bool by_actuator;       /* gravity compensation acts through its actuator */
    trm_place place;
} trm_mjcf_joint;

typedef struct trm_mjcf_site {
    const char *name;
    int part; /* -1: the world */
    trm_pose world;
    trm_place place;
} trm_mjcf_site;

typedef struct trm_mjcf_geom {
    const char *name;
    int part, shape; /* shape -1: the geom has become no shape */
    trm_place place;
} trm_mjcf_geom;

/* A tendon. terms: of a fixed one; sites: of a spatial one that is straight. */
typedef struct trm_mjcf_tendon {
    const char *name;
    trm_xml *element;
    int class;
    trm_coupling_term *terms;
    int term_count;
    double start; /* length of a fixed tendon in the reference pose */
    bool straight;
    const trm_mjcf_site *sites[2];
    trm_robot_coordinate own; /* coordinate of the joint that the tendon has become; without joint: none */
} trm_mjcf_tendon;

/* A length that depends on one coordinate: length = gear q + offset. */
typedef struct trm_mjcf_line {
    const trm_robot_coordinate *q;
    double gear, offset;
    const char *why; /* if q is NULL: why there is no such coordinate */
} trm_mjcf_line;

/* The attributes of <compiler>, one for each document: an attached model keeps its own. */
typedef struct trm_mjcf_compiler {
    bool degrees, autolimits, balance_inertia;
    trm_mjcf_inertia inertia;
    double bound_mass, bound_inertia, total_mass, groups[2];
    const char *eulerseq, *meshdir;
    const char *directory; /* folder of the files that the document names */
    const char *mesh_rule; /* rule for the mass of meshes that do not give one; NULL: legacy */
    bool strip_path;
    bool fit_bounds; /* true: geoms are fitted to the bounds of meshes; false: to their inertia */
} trm_mjcf_compiler;

/* The input of each actuator, in the order of the file; -1: it has none. */
typedef struct trm_mjcf_controls {
    int *input;
    int count;
} trm_mjcf_controls;

typedef struct trm_mjcf {
    trm_import *in;
    trm_robot robot;
    trm_mjcf_class *classes;
    int class_count;
    trm_mjcf_material *materials;
    int material_count;
    trm_mjcf_mesh *meshes;
    int mesh_count;
    trm_mjcf_joint *joints;
    int joint_count;
    trm_mjcf_site *sites;
    int site_count;
    trm_mjcf_geom *geoms; /* geoms with names */
    int geom_count;
    trm_mjcf_tendon *tendons;
    int tendon_count;
    trm_names body_names, joint_names, site_names, geom_names, input_names;
    int input_count;              /* number of names in input_names */
    int body_count;               /* number of bodies read so far, with the world */
    int world;                    /* part that has the shapes and sites of the world; -1: the world has none */
    trm_mjcf_compiler *compilers; /* options of the document and of the attached models, by the scope of elements */
    int compiler_count;
    /* set by <option><flag> */
    bool no_equality, no_springs;
    unsigned disabled_groups; /* bits of disabled groups of actuators */
    trm_mjcf_controls controls;
} trm_mjcf;

/* Where a value is searched: the element, then its class, then the classes above that. */
typedef struct trm_mjcf_at {
    trm_mjcf *m;
    trm_xml *element;
    const char *kind; /* name of the element in <default>: "geom" */
    int class;        /* -1: no defaults */
} trm_mjcf_at;

/* ---- mjcf_values.c ------------------------------------------------------------------------ */

/* Returns where values of an element are searched: with its own class if it names one, else with the given class. */
trm_mjcf_at trm_mjcf_resolve(trm_mjcf *m, trm_xml *element, const char *kind, int class);
int trm_mjcf_class_of(trm_mjcf *m, trm_xml *element, const char *attribute, int otherwise);
const char *trm_mjcf_value(const trm_mjcf_at *at, const char *attribute);
/* Reads at most `most` numbers of an attribute; others are unchanged. Returns the number of numbers read. */
int trm_mjcf_numbers(const trm_mjcf_at *at, const char *attribute, double *values, int most);
enum { TRM_MJCF_NUMBERS = 32 }; /* largest number of numbers of an attribute */
/* Reads three numbers or none. Reports an error for another count. */
void trm_mjcf_vector(const trm_mjcf_at *at, const char *attribute, double v[3]);
double trm_mjcf_number(const trm_mjcf_at *at, const char *attribute, double otherwise);
/* returns a value "true" or "false" */
bool trm_mjcf_is(const trm_mjcf_at *at, const char *attribute, bool otherwise);
/* Returns the pose given by pos and one of quat, axisangle, euler, xyaxes, zaxis. */
trm_pose trm_mjcf_pose(const trm_mjcf_at *at);
/* returns it in rad; the compiler's option says in which unit it is given */
double trm_mjcf_angle(const trm_mjcf_at *at, double value);
/* Returns the rotation by three angles in the compiler's sequence. */
trm_quat trm_mjcf_euler(const trm_mjcf_at *at, const double *angles);
/* Returns the options that apply to an element. */
const trm_mjcf_compiler *trm_mjcf_options(const trm_mjcf *m, const trm_xml *element);
/* Returns a copy of an attribute with the suffix of replicas. Returns NULL if the element has no such attribute. */
const char *trm_mjcf_name(const trm_mjcf_at *at, const char *attribute, const char *suffix);

/* ---- Other files -------------------------------------------------------------------------- */

/* mjcf.c: returns the root of another file, with its includes expanded. Returns NULL after reporting an error, or,
 * with *good false, if out of memory. */
trm_xml *trm_mjcf_open(trm_mjcf *m, const trm_xml *element, const char *file, bool *good);
/* reads the options of the next scope; returns false if out of memory */
bool trm_mjcf_read_options(trm_mjcf *m, trm_xml *root, const char *directory);
/* mjcf_attach.c: replaces each <attach> by the elements that it attaches. Returns false if out of memory. */
bool trm_mjcf_attach_models(trm_mjcf *m, trm_xml *root);
/* mjcf_geom.c: reads one geom of a part (-1: of the world) and adds its mass to *mass. X: pose of the frame of the
 * element in that of the part. Returns false if out of memory. */
bool trm_mjcf_read_geom(trm_mjcf *m, trm_xml *element, int part, int class, trm_pose X, const char *suffix,
                        trm_mass *mass);
/* mjcf_mass.c: returns the mass properties of a geom with half lengths `size` at density 1, in the frame of the geom.
 * The mass is 0 for types that have none. */
trm_mass trm_mjcf_solid(const char *type, const double *size);
trm_mass trm_mjcf_shell(const char *type, const double *size);
trm_mass trm_mjcf_mesh_shell(const trm_mesh *mesh);
/* Computes the size of a geom that is fitted to a mesh. Returns its pose in the frame of the mesh. */
trm_pose trm_mjcf_fit(const trm_mass *mesh, const char *type, double scale, double *size);
trm_pose trm_mjcf_fit_bounds(const trm_mjcf_mesh *mesh, const char *type, double scale, double *size);
/* mjcf_asset.c: read and find meshes and materials. */
bool trm_mjcf_read_assets(trm_mjcf *m, trm_xml *root);
bool trm_mjcf_find_mesh(trm_mjcf *m, const char *name, trm_place place, trm_mjcf_mesh **mesh);
const char *trm_mjcf_name_of_file(trm_mjcf *m, const char *file); /* returns the name of an asset without one */
const char *trm_mjcf_color(trm_mjcf *m, const char *material, const double *rgba, bool given);
/* mjcf_body.c: reads all bodies below the world; then sets their gravity, which actuators may compensate. Both return
 * false if out of memory. */
bool trm_mjcf_read_bodies(trm_mjcf *m, trm_xml *root);
bool trm_mjcf_set_gravity(trm_mjcf *m, bool has_actuators);
/* mjcf_rest.c: read <equality>, before the bodies are in the definition, and <contact>, after that. Both return false
 * if out of memory. */
bool trm_mjcf_read_constraints(trm_mjcf *m, trm_xml *root);
bool trm_mjcf_read_contacts(trm_mjcf *m, trm_xml *root);
/* Makes tables of the names of all bodies, joints, sites and geoms, and reports an error for each repeated name.
 * Returns false if out of memory. */
bool trm_mjcf_index_names(trm_mjcf *m);
void trm_mjcf_join_pairs(trm_mjcf *m, trm_xml *root); /* makes the geoms of each <pair> collide; call it before */
/* Returns the part of a body, -1 for the world, -2 after reporting that there is no such body. */
int trm_mjcf_find_part(trm_mjcf *m, const trm_xml *element, const char *name);
/* Returns the site of this name. Returns NULL after reporting that there is none. */
const trm_mjcf_site *trm_mjcf_find_site(trm_mjcf *m, const trm_xml *element, const char *name);
trm_mjcf_joint *trm_mjcf_find_joint(trm_mjcf *m, const trm_xml *element, const char *name);
const char *trm_mjcf_name_of(trm_mjcf *m, const trm_mjcf_at *at, const char *kind, int number);
/* mjcf_inertia.c: returns the diagonal element of the mass matrix in the reference pose, or 0 if out of memory. The
 * second function sets springs and dampers of joints with springdamper, after all bodies are read. It returns false
 * if out of memory. */
double trm_mjcf_inertia_of(trm_mjcf *m, const trm_mjcf_joint *joint);
bool trm_mjcf_set_springdampers(trm_mjcf *m);
/* mjcf_tendon.c: read tendons before, and add their elements after the bodies are in the definition. Return false if
 * out of memory. */
bool trm_mjcf_read_tendons(trm_mjcf *m, trm_xml *root);
bool trm_mjcf_read_tendon_coupling(trm_mjcf *m, trm_xml *element, int class);
bool trm_mjcf_add_tendon_forces(trm_mjcf *m);
trm_mjcf_tendon *trm_mjcf_find_tendon(trm_mjcf *m, const trm_xml *element, const char *name);
/* Finds the coordinate on which the length of a fixed tendon depends. If it depends on several, adds a joint of type
 * tendon, whose coordinate it is. Returns false if out of memory. */
bool trm_mjcf_tendon_line(trm_mjcf *m, trm_mjcf_tendon *tendon, trm_mjcf_line *line);
/* mjcf_actuator.c, mjcf_observe.c: read actuators, sensors and keyframes, after the bodies are in the definition.
 * Return false if out of memory. */
bool trm_mjcf_read_actuators(trm_mjcf *m, trm_xml *root);
int trm_mjcf_count_actuators(const trm_xml *root);
bool trm_mjcf_is_actuator(const char *name); /* returns whether an element of this name is read as an actuator */
bool trm_mjcf_read_sensors(trm_mjcf *m, trm_xml *root);
bool trm_mjcf_read_keyframes(trm_mjcf *m, trm_xml *root);

/* Returns the frame of a part in the world; -1: the world. */
static inline trm_pose trm_mjcf_world(const trm_mjcf *m, int part)
{
    return part < 0 ? trm_pose_identity() : m->robot.parts[part].world;
}

/* Converts a polynomial in x - start to one in x. */
static inline void trm_mjcf_shift_polynomial(double a[5], double start)
{
    for (int i = 0; i < 5; i++)
        for (int k = 3; k >= i; k--) a[k] -= start * a[k + 1];
}

#endif
