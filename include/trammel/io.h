/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Models from files, and results to files: CSV, numpy, MCAP, glTF, reports. */

#ifndef TRAMMEL_IO_H
#define TRAMMEL_IO_H

#include <stdio.h>

#include "trammel/base.h"
#include "trammel/model.h"
#include "trammel/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Sinks -------------------------------------------------------------------------------- */

/* Into an open file. The file buffers: its caller learns from fflush or fclose whether all of it was written. */
TRM_API trm_sink trm_file_sink(FILE *file);

/* A text that is terminated; false: the sink refused. */
TRM_API bool trm_put_text(trm_sink sink, const char *text);

/* A text that grows in memory. */
typedef struct trm_text trm_text;

/* Creates an empty text. Returns NULL if out of memory. */
TRM_API trm_text *trm_text_create(const trm_allocator *allocator);
/* Releases the text. */
TRM_API void trm_text_destroy(trm_text *text);
/* Returns a sink that appends; its write fails if out of memory. */
TRM_API trm_sink trm_text_sink(trm_text *text);
/* Returns the text, terminated; valid until the next write. */
TRM_API const char *trm_text_get(const trm_text *text);
/* Returns the length in bytes. */
TRM_API size_t trm_text_length(const trm_text *text);

/* ---- Models ------------------------------------------------------------------------------- */

/* What becomes of moments of inertia that no body can have, in imported models. */
typedef enum trm_inertia_policy {
    TRM_INERTIA_KEEP,   /* they are used as given, with a warning */
    TRM_INERTIA_REPAIR, /* the smaller ones are raised, with a warning */
    TRM_INERTIA_REFUSE, /* they are an error */
} trm_inertia_policy;

/* Parts of a model that can be left out. */
typedef enum trm_without {
    TRM_WITHOUT_CONTACTS = 1 << 0, /* no shape collides */
    TRM_WITHOUT_DAMPING = 1 << 1,  /* of springs and joints; drag */
    TRM_WITHOUT_FRICTION = 1 << 2, /* of joints */
    TRM_WITHOUT_GRAVITY = 1 << 3,
    TRM_WITHOUT_LIMITS = 1 << 4,    /* stops of joints */
    TRM_WITHOUT_ACTUATORS = 1 << 5, /* servos, actuators and motors */
} trm_without;

typedef struct trm_read_options {
    const trm_constant *set; /* values that replace the model's constants of these names */
    int set_count;
    const trm_constant *inputs; /* values that inputs of these names start with */
    int input_count;
    trm_exchange *ranks; /* that all read this model: rank 0 alone reads the files, and sends them; NULL: alone */
    /* Of imported formats (docs/import.md): */
    bool strict;         /* what is not used is an error, not a warning */
    bool free_base;      /* the root link moves freely, else it is fixed */
    bool self_collision; /* links of one robot collide with each other, neighbours aside */
    trm_inertia_policy inertia;
    const char *const *paths; /* folders in which packages and their files are looked for too */
    int path_count;
    double density; /* kg/m^3: links without mass have that of their shapes; 0: they have none */
    bool
        without_mass; /* a file that gives no mass at all is read all the same, to be looked at; else it is refused */
    const char *const *with; /* model files whose elements are added, to models of all formats */
    int with_count;
    unsigned without; /* trm_without: left out of models of all formats */
} trm_read_options;

/* Reads a model file (docs/model-format.md), or one of another format (docs/import.md), which is recognised by its
 * content, into a definition, which the caller destroys. On failure *def is NULL and the messages name file, line
 * and column of every error found. options may be NULL. */
TRM_API trm_status trm_read_model_file(const char *path, const trm_read_options *options,
                                       const trm_allocator *allocator, trm_messages *messages, trm_model_def **def);

/* The same from memory; name stands for the file in messages. Meshes in files cannot be read this way. */
TRM_API trm_status trm_read_model_text(const char *text, size_t length, const char *name,
                                       const trm_read_options *options, const trm_allocator *allocator,
                                       trm_messages *messages, trm_model_def **def);

/* The definition as a model file: what differs from the defaults, expressions of numbers evaluated. */
TRM_API trm_status trm_write_model(const trm_model_def *def, trm_sink sink);

/* The definition and its model as MJCF (docs/import.md): trees and loops that it can hold. What is lost is in the
 * messages. */
TRM_API trm_status trm_write_mjcf(const trm_model_def *def, const trm_model *model, const trm_allocator *allocator,
                                  trm_messages *messages, trm_sink sink);

/* The JSON Schema of the model file, made of the same tables that the reader uses. */
TRM_API trm_status trm_write_model_schema(trm_sink sink);

/* ---- Meshes ------------------------------------------------------------------------------- */

/* What a mesh file holds, in its own units (COLLADA: metres), z up. */
typedef struct trm_mesh_facts {
    int triangles, vertices; /* vertices at different places */
    bool closed;             /* every edge belongs to two triangles that go along it in opposite directions */
    double volume;           /* signed, negative if it is inside out; of an open mesh against the origin */
    trm_vec3 centroid;       /* of the volume */
    double area;
    trm_vec3 min, max;
} trm_mesh_facts;

/* Reads a mesh file: STL, OBJ, COLLADA or glTF, by its ending. */
TRM_API trm_status trm_read_mesh_facts(const char *path, const trm_allocator *allocator, trm_messages *messages,
                                       trm_mesh_facts *facts);

/* ---- Results ------------------------------------------------------------------------------ */

/* Columns of numbers read off a state (docs/results.md): t, NAME.x ..., JOINT.q ..., SENSOR, E_kin, E_pot, W. */
typedef struct trm_results trm_results;

/* selection: patterns with * separated by commas, "t,rod.*,j1.q"; NULL: all that are not given on request only. A
 * pattern that fits no column is an error with a message. */
TRM_API trm_status trm_results_create(const trm_model *model, const char *selection, const trm_allocator *allocator,
                                      trm_messages *messages, trm_results **columns);
TRM_API void trm_results_destroy(trm_results *columns);
/* Whether some column is the reaction of a joint or an acceleration: then trm_sim_want_reactions. */
TRM_API bool trm_results_need_reactions(const trm_results *columns);
TRM_API int trm_result_count(const trm_results *columns);
TRM_API const char *trm_result_name(const trm_results *columns, int column);
TRM_API const char *trm_result_unit(const trm_results *columns, int column); /* "m", "N m"; "": a pure number */
TRM_API double trm_result_value(const trm_results *columns, int column, const trm_state *state);

/* Rows of these columns kept in memory: a matrix of trm_result_count numbers per row, row after row. */
typedef struct trm_table trm_table;

/* The columns must outlive the last row that is added. NULL: out of memory. */
TRM_API trm_table *trm_table_create(const trm_results *columns, const trm_allocator *allocator);
TRM_API void trm_table_destroy(trm_table *table);
/* Adds the row of a state. False: out of memory, and the rows before stay. */
TRM_API bool trm_table_add(trm_table *table, const trm_state *state);
TRM_API size_t trm_table_rows(const trm_table *table);
TRM_API const double *trm_table_numbers(const trm_table *table); /* valid until the next row is added; NULL: no row */

/* CSV: comment lines with version, model and options, one header row; then rows of the shortest digits that read
 * back to the same bits. */
TRM_API bool trm_write_csv_header(const trm_results *columns, const trm_sim *sim, trm_sink sink);
TRM_API bool trm_write_csv_row(const trm_results *columns, const trm_state *state, trm_sink sink);
/* Rows from memory, such as trm_table_numbers, one after another. */
TRM_API bool trm_write_csv_numbers(const double *values, size_t rows, int columns, trm_sink sink);

/* The rows of a table as numpy's .npz: one array per column, by its name. TRM_BAD_INPUT: it would be larger than
 * the 4 GiB that the format can hold, or a name is longer than 290 bytes. */
TRM_API trm_status trm_write_npz(const trm_results *columns, const trm_table *table, const trm_allocator *allocator,
                                 trm_sink sink);

/* A log in the MCAP format, which Foxglove and others read (docs/results.md): columns and poses at each row, and
 * the shapes once. */
typedef struct trm_mcap trm_mcap;

/* Begins the log with the shapes at this state. The columns, their model and the sink must outlive it.
 * TRM_IO_ERROR: the sink refused. */
TRM_API trm_status trm_mcap_create(const trm_results *columns, const trm_state *start, const trm_allocator *allocator,
                                   trm_sink sink, trm_mcap **mcap);
/* Adds the row of a state. Fails when out of memory or when the sink refuses. */
TRM_API trm_status trm_mcap_add(trm_mcap *mcap, const trm_state *state);
/* Writes what is left and the summary. */
TRM_API trm_status trm_mcap_end(trm_mcap *mcap);
TRM_API void trm_mcap_destroy(trm_mcap *mcap);

/* The accuracy report as one JSON object. status: "ok", or why the run ended; wall: seconds it took. */
TRM_API bool trm_write_report_json(const trm_sim *sim, const char *status, double wall, trm_sink sink);

/* ---- Animations --------------------------------------------------------------------------- */

enum { TRM_ANIMATION_RATE = 60 }; /* rows per second of simulated time that are kept, at most */

/* Poses of all bodies at some moments, in single precision. */
typedef struct trm_animation trm_animation;

/* Begins with this state, whose model must outlive it. NULL: out of memory. */
TRM_API trm_animation *trm_animation_create(const trm_state *start, const trm_allocator *allocator);
TRM_API void trm_animation_destroy(trm_animation *animation);

/* Keeps a later state: the last one, and of those before it the first at or behind each 1/60 s. One that is not later
 * than the last is passed over. False: out of memory, and what was kept before stays. */
TRM_API bool trm_animation_add(trm_animation *animation, const trm_state *state);

/* glTF 2.0, binary (.glb): all shapes, skeletons of bodies without (docs/results.md). TRM_IO_ERROR: the sink refused;
 * TRM_BAD_INPUT: it would be larger than the 4 GiB that the format can hold, and nothing is written. */
TRM_API trm_status trm_write_gltf(const trm_animation *animation, trm_sink sink);

/* ---- Reports ------------------------------------------------------------------------------ */

/* A run for people to look at: one HTML file that moves, with plots and the accuracy report, and needs no network. */
typedef struct trm_report trm_report;

/* Begins with the present state of a simulation, which must outlive it; its reactions are part of it if they are wanted
 * (trm_sim_want_reactions). NULL: out of memory. */
TRM_API trm_report *trm_report_create(trm_sim *sim, const trm_allocator *allocator);
TRM_API void trm_report_destroy(trm_report *report);

/* Plots these columns before all others; before the first trm_report_add. The columns must outlive the report.
 * Fails only when out of memory. */
TRM_API bool trm_report_add_columns(trm_report *report, const trm_results *columns);

/* Keeps a later state of the run, as trm_animation_add does. False: out of memory. */
TRM_API bool trm_report_add(trm_report *report, const trm_state *state);

typedef struct trm_report_def {
    const char *page;  /* the template: what viewer/build.mjs writes to viewer/dist/report.html */
    const char *title; /* of the model */
    const char *
        status; /* "ok", or why the run ended; NULL: the rows are no run, and the page has coordinates but no accuracy */
    double wall;         /* s that it took */
    const char *model;   /* text of the model's file */
    const char *command; /* by which it was made */
    const char *date;
} trm_report_def;

/* TRM_BAD_INPUT: the page is no such template. */
TRM_API trm_status trm_write_report_html(const trm_report *report, const trm_report_def *def, trm_sink sink);

/* ---- Recording ---------------------------------------------------------------------------- */

/* A run whose rows are kept. Whatever is NULL is not kept. */
typedef struct trm_record_def {
    double until; /* s */
    double every; /* s, between rows; NAN: a row after each step */
    trm_table *table;
    trm_animation *animation;
    trm_report *report;
    bool (*goes_on)(void *context); /* called between steps, on the thread of the caller; false ends the run */
    void *context;
    double period; /* s of the wall between two calls of goes_on; 0: after each step */
} trm_record_def;

/* Continues from where the simulation is, as trm_sim_run does. All rows up to the end are kept, also where the
 * outcome is not ok: joints that did not close, goes_on returned false, or no memory for a row. */
TRM_API trm_outcome trm_sim_record(trm_sim *sim, const trm_record_def *def);

#ifdef __cplusplus
}
#endif

#endif
