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

/* A class of defaults; the first is "main". */
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
    bool asked, missing; /* whether it was read, and could not be */
    const char *path;
    trm_mesh mesh; /* scaled and moved into the frame of its geoms */
    bool plain;    /* it is as in the file */
    trm_mass mass; /* of density 1 */
} trm_mjcf_mesh;

typedef struct trm_mjcf_joint {
    const char *name;
    int connection, freedom; /* freedom -1: a ball or free joint */
    double ref;
    double springdamper[2]; /* s and 1: time constant and damping ratio of its spring; 0: not given */
    double force[2];        /* N or N m: what actuators may do; equal: no limit */
    bool acted_on;          /* by an actuator */
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
    int part, shape; /* shape -1: it has become none */
    trm_place place;
} trm_mjcf_geom;

/* fixed: terms; spatial and straight: sites. */
typedef struct trm_mjcf_tendon {
    const char *name;
    trm_xml *element;
    int class;
    trm_coupling_term *terms;
    int term_count;
    double start; /* length in the reference pose: of a fixed one */
    bool straight;
    const trm_mjcf_site *sites[2];
} trm_mjcf_tendon;

/* A length that follows one coordinate: length = gear q + offset. */
typedef struct trm_mjcf_line {
    const trm_robot_coordinate *q;
    double gear, offset;
} trm_mjcf_line;

/* The attributes of <compiler>, one for each document: an attached model keeps its own. */
typedef struct trm_mjcf_compiler {
    bool degrees, autolimits, balance_inertia;
    trm_mjcf_inertia inertia;
    double bound_mass, bound_inertia, total_mass, groups[2];
    const char *eulerseq, *meshdir;
    const char *directory; /* of the files that the document names */
    const char *mesh_rule; /* of meshes that do not say how their mass is computed; NULL: legacy */
    bool strip_path;
    bool fit_bounds; /* geoms are fitted to the bounds of meshes, else to their inertia */
} trm_mjcf_compiler;

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
    trm_mjcf_geom *geoms; /* with names */
    int geom_count;
    trm_mjcf_tendon *tendons;
    int tendon_count;
    trm_names body_names, joint_names, site_names, geom_names, input_names;
    int input_count;              /* names in input_names */
    int body_count;               /* read so far, the world included */
    int world;                    /* part with what the world carries; -1: nothing */
    trm_mjcf_compiler *compilers; /* of the document, and of the attached models: by the scope of elements */
    int compiler_count;
    /* <option><flag> */
    bool no_equality, no_springs;
    unsigned disabled_groups; /* bits: of actuators */
} trm_mjcf;

/* Where a value is looked for: the element, then its class and the classes above it. */
typedef struct trm_mjcf_at {
    trm_mjcf *m;
    trm_xml *element;
    const char *kind; /* of element in <default>: "geom" */
    int class;        /* -1: no defaults */
} trm_mjcf_at;

/* ---- mjcf_values.c ------------------------------------------------------------------------ */

/* An element with its own class, or else the given one. */
trm_mjcf_at trm_mjcf_resolve(trm_mjcf *m, trm_xml *element, const char *kind, int class);
int trm_mjcf_class_of(trm_mjcf *m, trm_xml *element, const char *attribute, int otherwise);
const char *trm_mjcf_value(const trm_mjcf_at *at, const char *attribute);
/* Reads the numbers of an attribute, up to a limit; numbers that are not given are unchanged. Returns their count,
 * 0 if there are none. */
int trm_mjcf_numbers(const trm_mjcf_at *at, const char *attribute, double *values, int most);
enum { TRM_MJCF_NUMBERS = 32 }; /* the most that an attribute can have */
/* Three numbers, or none; other counts are an error. */
void trm_mjcf_vector(const trm_mjcf_at *at, const char *attribute, double v[3]);
double trm_mjcf_number(const trm_mjcf_at *at, const char *attribute, double otherwise);
bool trm_mjcf_is(const trm_mjcf_at *at, const char *attribute, bool otherwise); /* true or false */
/* pos and one of quat, axisangle, euler, xyaxes, zaxis. */
trm_pose trm_mjcf_pose(const trm_mjcf_at *at);
double trm_mjcf_angle(const trm_mjcf_at *at, double value); /* in rad, as the compiler's option says */
/* The rotation of three angles by the compiler's sequence. */
trm_quat trm_mjcf_euler(const trm_mjcf_at *at, const double *angles);
/* The options that hold for an element. */
const trm_mjcf_compiler *trm_mjcf_options(const trm_mjcf *m, const trm_xml *element);
/* A copy of an attribute with the suffix of replicas; NULL: it has none. */
const char *trm_mjcf_name(const trm_mjcf_at *at, const char *attribute, const char *suffix);

/* ---- Other files -------------------------------------------------------------------------- */

/* mjcf.c: the root of another file, with what it includes; NULL after a message. *good: memory did not run out. */
trm_xml *trm_mjcf_open(trm_mjcf *m, const trm_xml *element, const char *file, bool *good);
bool trm_mjcf_read_options(trm_mjcf *m, trm_xml *root, const char *directory); /* of the next scope */
/* mjcf_attach.c: replaces each <attach> by what it stands for. Returns false if out of memory. */
bool trm_mjcf_attach_models(trm_mjcf *m, trm_xml *root);
/* mjcf_geom.c: one geom of a part (-1: of the world), X its frame's pose in that of the part. Returns false if out
 * of memory. */
bool trm_mjcf_read_geom(trm_mjcf *m, trm_xml *element, int part, int class, trm_pose X, const char *suffix,
                        trm_mass *mass);
/* mjcf_mass.c: of density 1, in the geom's frame, from half lengths; of mass 0: there is none for the type. */
trm_mass trm_mjcf_solid(const char *type, const double *size);
trm_mass trm_mjcf_shell(const char *type, const double *size);
trm_mass trm_mjcf_mesh_shell(const trm_mesh *mesh);
/* The size of a geom that is fitted to a mesh, and where it lies in the frame of the mesh. */
trm_pose trm_mjcf_fit(const trm_mass *mesh, const char *type, double scale, double *size);
trm_pose trm_mjcf_fit_bounds(const trm_mjcf_mesh *mesh, const char *type, double scale, double *size);
/* mjcf_asset.c */
bool trm_mjcf_read_assets(trm_mjcf *m, trm_xml *root);
bool trm_mjcf_find_mesh(trm_mjcf *m, const char *name, trm_place place, trm_mjcf_mesh **mesh);
const char *trm_mjcf_name_of_file(trm_mjcf *m, const char *file); /* of an asset without a name */
const char *trm_mjcf_color(trm_mjcf *m, const char *material, const double *rgba, bool given);
/* mjcf_body.c: all bodies below the world; then their weights, where actuators would compensate them. Return false if
 * out of memory. */
bool trm_mjcf_read_bodies(trm_mjcf *m, trm_xml *root);
bool trm_mjcf_set_gravity(trm_mjcf *m, bool has_actuators);
/* mjcf_rest.c: equality, before the bodies are in the definition; contact, after. */
bool trm_mjcf_read_constraints(trm_mjcf *m, trm_xml *root);
bool trm_mjcf_read_contacts(trm_mjcf *m, trm_xml *root);
/* Tables of the names of bodies, joints, sites and geoms, once all are read; an error for each that is there
 * twice. Returns false if out of memory. */
bool trm_mjcf_index_names(trm_mjcf *m);
void trm_mjcf_join_pairs(trm_mjcf *m, trm_xml *root);                          /* before */
int trm_mjcf_find_part(trm_mjcf *m, const trm_xml *element, const char *name); /* -1: the world; -2 after an error */
/* NULL after an error. */
const trm_mjcf_site *trm_mjcf_find_site(trm_mjcf *m, const trm_xml *element, const char *name);
trm_mjcf_joint *trm_mjcf_find_joint(trm_mjcf *m, const trm_xml *element, const char *name);
const char *trm_mjcf_name_of(trm_mjcf *m, const trm_mjcf_at *at, const char *kind, int number);
/* mjcf_inertia.c: the diagonal element of the mass matrix in the reference pose; 0: out of memory. Springs and
 * dampers of joints with springdamper, once all bodies are read; false: out of memory. */
double trm_mjcf_inertia_of(trm_mjcf *m, const trm_mjcf_joint *joint);
bool trm_mjcf_set_springdampers(trm_mjcf *m);
/* mjcf_tendon.c: before and after the bodies are in the definition. */
bool trm_mjcf_read_tendons(trm_mjcf *m, trm_xml *root);
bool trm_mjcf_read_tendon_coupling(trm_mjcf *m, trm_xml *element, int class);
bool trm_mjcf_add_tendon_forces(trm_mjcf *m);
const trm_mjcf_tendon *trm_mjcf_find_tendon(trm_mjcf *m, const trm_xml *element, const char *name);
/* Whether a fixed tendon follows one coordinate alone. */
bool trm_mjcf_tendon_line(const trm_mjcf *m, const trm_mjcf_tendon *tendon, trm_mjcf_line *line);
/* mjcf_actuator.c, mjcf_observe.c: after the bodies are in the definition. */
bool trm_mjcf_read_actuators(trm_mjcf *m, trm_xml *root);
int trm_mjcf_count_actuators(const trm_xml *root);
bool trm_mjcf_is_actuator(const char *name); /* an element that is read as such */
bool trm_mjcf_read_sensors(trm_mjcf *m, trm_xml *root);
bool trm_mjcf_read_keyframes(trm_mjcf *m, trm_xml *root);

#endif
