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

/* Returns a sink that writes to an open file. The file is buffered: only fflush or fclose reports whether everything
 * was written. */
TRM_API trm_sink trm_file_sink(FILE *file);

/* Writes a terminated text. Returns false if the sink failed. */
TRM_API bool trm_put_text(trm_sink sink, const char *text);

/* A text that grows in memory. It belongs to one thread at a time. */
typedef struct trm_text trm_text;

/* Creates an empty text. Returns NULL if out of memory. */
TRM_API trm_text *trm_text_create(const trm_allocator *allocator);
/* Releases the text. */
TRM_API void trm_text_destroy(trm_text *text);
/* Returns a sink that appends to the text. Its write fails when out of memory. */
TRM_API trm_sink trm_text_sink(trm_text *text);
/* Returns the text, terminated; valid until the next write. */
TRM_API const char *trm_text_get(const trm_text *text);
/* Returns the length in bytes. */
TRM_API size_t trm_text_length(const trm_text *text);

/* ---- Models ------------------------------------------------------------------------------- */

/* What an import does with moments of inertia that no body can have. */
typedef enum trm_inertia_policy {
    TRM_INERTIA_KEEP,   /* uses them as given, with a warning */
    TRM_INERTIA_REPAIR, /* raises the smaller ones, with a warning */
    TRM_INERTIA_REFUSE, /* reports an error */
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

/* A file in memory. */
typedef struct trm_file {
    const char *name;  /* relative path, with slashes, without "." and ".." */
    const char *bytes; /* contents; they need no terminator */
    size_t length;     /* number of bytes */
} trm_file;

/* Options of reading a model. */
typedef struct trm_read_options {
    const trm_constant *set; /* values that replace constants of the model, by name */
    int set_count;
    const trm_constant *inputs; /* initial values of inputs, by name */
    int input_count;
    trm_exchange *ranks; /* ranks that read the model together: only rank 0 reads files and sends them; NULL: none */
    /* Of imported formats (docs/import.md): */
    bool strict;         /* input that is not used is an error, not a warning */
    bool free_base;      /* true: the root link moves freely; false: the root link is fixed */
    bool self_collision; /* links of one robot collide with each other, except neighbours */
    trm_inertia_policy inertia;
    const char *const *paths; /* additional folders to search for packages and their files */
    int path_count;
    /* kg/m^3: links without mass get the mass of their shapes at this density; 0: they get no mass */
    double density;
    bool without_mass; /* accept a file without any mass, for viewing only; false: it is an error */
    /* Of all formats: */
    const char *const *with; /* model files whose elements are added */
    int with_count;
    unsigned without; /* bits of trm_without: parts that are left out */
    /* Files in memory, such as those of an archive. If given, no file is read from disk. If no file has the path that
     * the model names, the file with the same last component is read, provided that it is the only one. NULL: files
     * are read from disk. */
    const trm_file *files;
    int file_count;
} trm_read_options;

/* Reads a model file (docs/model-format.md), or a file of another format (docs/import.md), recognised by its
 * content. The caller destroys the definition. options may be NULL. On failure *def is NULL, and the messages name
 * file, line and column of every error found. */
TRM_API trm_status trm_read_model_file(const char *path, const trm_read_options *options,
                                       const trm_allocator *allocator, trm_messages *messages, trm_model_def **def);

/* Reads a model from memory, as trm_read_model_file does. name replaces the file in messages. Mesh files that the
 * model names cannot be read in this way, unless they are in options->files. Fails as trm_read_model_file does. */
TRM_API trm_status trm_read_model_text(const char *text, size_t length, const char *name,
                                       const trm_read_options *options, const trm_allocator *allocator,
                                       trm_messages *messages, trm_model_def **def);

/* Writes the definition as a model file: all values that differ from the defaults, with expressions of numbers
 * evaluated. Fails if the sink does. */
TRM_API trm_status trm_write_model(const trm_model_def *def, trm_sink sink);

/* Writes a definition and its model as MJCF (docs/import.md): the trees and loops that MJCF can represent. The
 * messages name everything that is lost. Fails if the sink does or when out of memory. */
TRM_API trm_status trm_write_mjcf(const trm_model_def *def, const trm_model *model, const trm_allocator *allocator,
                                  trm_messages *messages, trm_sink sink);

/* Writes the JSON Schema of the model file, from the tables that the reader uses. Fails if the sink does. */
TRM_API trm_status trm_write_model_schema(trm_sink sink);

/* ---- Meshes ------------------------------------------------------------------------------- */

/* Properties of a mesh file, in its own length unit (COLLADA: metres), z up. */
typedef struct trm_mesh_facts {
    int triangles, vertices; /* number of triangles and of distinct vertices */
    bool closed;             /* every edge belongs to two triangles that traverse it in opposite directions */
    double volume;     /* length^3; negative if the mesh is inside out; of an open mesh relative to the origin */
    trm_vec3 centroid; /* of the volume */
    double area;       /* of the surface, length^2 */
    trm_vec3 min, max; /* corners of the bounding box */
} trm_mesh_facts;

/* Reads a mesh file and computes its properties. The ending of its name gives the format: STL, OBJ, COLLADA or
 * glTF. Fails with a message if the file cannot be read. */
TRM_API trm_status trm_read_mesh_facts(const char *path, const trm_allocator *allocator, trm_messages *messages,
                                       trm_mesh_facts *facts);

/* ---- Results ------------------------------------------------------------------------------ */

/* Result columns, computed from a state (docs/results.md): t, NAME.x ..., JOINT.q ..., SENSOR, E_kin, E_pot, W.
 * Several threads may read the same columns, each of its own state. */
typedef struct trm_results trm_results;

/* Creates the columns that a selection names; the caller destroys them. selection: patterns with * separated by
 * commas, "t,rod.*,j1.q"; NULL: all except those that must be requested by name. Returns TRM_BAD_INPUT with a
 * message if a pattern matches no column. */
TRM_API trm_status trm_results_create(const trm_model *model, const char *selection, const trm_allocator *allocator,
                                      trm_messages *messages, trm_results **columns);
/* Releases the columns. */
TRM_API void trm_results_destroy(trm_results *columns);
/* Returns whether at least one column is a joint reaction or an acceleration. Then call trm_sim_enable_reactions. */
TRM_API bool trm_results_need_reactions(const trm_results *columns);
/* Registers these columns with a simulation. The simulation then computes reactions if a column needs them, and its
 * verdict covers the forces among the columns. May be called for several lists of columns. Fails only when out of
 * memory. */
TRM_API trm_status trm_results_enable(const trm_results *columns, trm_sim *sim);
/* Returns the number of columns. */
TRM_API int trm_result_count(const trm_results *columns);
/* Returns the name of a column, index from 0. */
TRM_API const char *trm_result_name(const trm_results *columns, int column);
/* Returns the unit of a column: "m", "N m"; "" for a dimensionless number. */
TRM_API const char *trm_result_unit(const trm_results *columns, int column);
/* Returns the value of a column at a state. */
TRM_API double trm_result_value(const trm_results *columns, int column, const trm_state *state);

/* Rows of result columns in memory: a row-major matrix with trm_result_count numbers per row. It belongs
 * to one thread at a time. */
typedef struct trm_table trm_table;

/* Creates an empty table. The columns must stay valid until the last row is added. Returns NULL if out of memory. */
TRM_API trm_table *trm_table_create(const trm_results *columns, const trm_allocator *allocator);
/* Releases the table. */
TRM_API void trm_table_destroy(trm_table *table);
/* Adds the row of a state. Returns false if out of memory; earlier rows are kept. */
TRM_API bool trm_table_add(trm_table *table, const trm_state *state);
/* Returns the number of rows. */
TRM_API size_t trm_table_rows(const trm_table *table);
/* Returns all numbers, valid until the next row is added; NULL if there is no row. */
TRM_API const double *trm_table_numbers(const trm_table *table);

/* Writes the beginning of a CSV file: comment lines with version, model and options, and one header row. Returns
 * false if the sink failed. */
TRM_API bool trm_write_csv_header(const trm_results *columns, const trm_sim *sim, trm_sink sink);
/* Writes the row of a state. Numbers have the fewest digits that read back bit-identically. Returns false if the
 * sink failed. */
TRM_API bool trm_write_csv_row(const trm_results *columns, const trm_state *state, trm_sink sink);
/* Writes rows from memory, such as trm_table_numbers. Returns false if the sink failed. */
TRM_API bool trm_write_csv_numbers(const double *values, size_t rows, int columns, trm_sink sink);

/* Writes the rows of a table as a numpy .npz file: one array per column, by its name. Returns TRM_BAD_INPUT if the
 * file would exceed the 4 GiB of the format, or if a name is longer than 290 bytes. */
TRM_API trm_status trm_write_npz(const trm_results *columns, const trm_table *table, const trm_allocator *allocator,
                                 trm_sink sink);

/* A log in the MCAP format, which Foxglove and others read (docs/results.md). It contains the shapes once, and
 * columns and poses at each row. It belongs to one thread at a time. */
typedef struct trm_mcap trm_mcap;

/* Begins the log with the shapes at this state; the caller destroys it. The columns, their model and the sink must
 * outlive it. Returns TRM_IO_ERROR if the sink failed, or TRM_OUT_OF_MEMORY. */
TRM_API trm_status trm_mcap_create(const trm_results *columns, const trm_state *start, const trm_allocator *allocator,
                                   trm_sink sink, trm_mcap **mcap);
/* Adds the row of a state. Fails when out of memory or when the sink fails. */
TRM_API trm_status trm_mcap_add(trm_mcap *mcap, const trm_state *state);
/* Writes the remaining data and the summary. Fails when out of memory or when the sink fails. */
TRM_API trm_status trm_mcap_end(trm_mcap *mcap);
/* Releases the log. */
TRM_API void trm_mcap_destroy(trm_mcap *mcap);

/* Writes the accuracy report as one JSON object. status: "ok", or why the run ended; wall: wall-clock time of the
 * run, s. Returns false if the sink failed. */
TRM_API bool trm_write_report_json(const trm_sim *sim, const char *status, double wall, trm_sink sink);

/* ---- Animations --------------------------------------------------------------------------- */

enum { TRM_ANIMATION_RATE = 60 }; /* rows stored per second of simulated time, at most, if there are more than 300 */

/* Poses of all bodies at selected times, in single precision. It belongs to one thread at a time. */
typedef struct trm_animation trm_animation;

/* Creates an animation that begins with this state. The model of the state must outlive it. Returns NULL if out of
 * memory. */
TRM_API trm_animation *trm_animation_create(const trm_state *start, const trm_allocator *allocator);
/* Releases the animation. */
TRM_API void trm_animation_destroy(trm_animation *animation);

/* Adds a later state. The animation stores the last state, and of earlier ones the first at or after each multiple
 * of 1/60 s. A state that is not later than the last is ignored. Returns false if out of memory; stored states are
 * kept. */
TRM_API bool trm_animation_add(trm_animation *animation, const trm_state *state);

/* Writes the animation as binary glTF 2.0 (.glb): all shapes, and skeletons of bodies without shapes
 * (docs/results.md). Returns TRM_IO_ERROR if the sink failed, or TRM_BAD_INPUT if the file would exceed the 4 GiB
 * of the format; then nothing is written. */
TRM_API trm_status trm_write_gltf(const trm_animation *animation, trm_sink sink);

/* ---- Reports ------------------------------------------------------------------------------ */

/* An HTML report of a run: one file with animation, plots and the accuracy report. It needs no network. A
 * report belongs to one thread at a time. */
typedef struct trm_report trm_report;

/* Creates a report that begins with the current state of a simulation, which must outlive it. The report includes
 * reactions if they are requested (trm_sim_enable_reactions). Returns NULL if out of memory. */
TRM_API trm_report *trm_report_create(trm_sim *sim, const trm_allocator *allocator);
/* Releases the report. */
TRM_API void trm_report_destroy(trm_report *report);

/* Makes the report plot these columns before all others. Call it before the first trm_report_add. The columns must
 * outlive the report. Returns false if out of memory. */
TRM_API bool trm_report_add_columns(trm_report *report, const trm_results *columns);

/* Adds a later state of the run, as trm_animation_add does. Returns false if out of memory. */
TRM_API bool trm_report_add(trm_report *report, const trm_state *state);

/* Texts of a report. */
typedef struct trm_report_def {
    const char *page;  /* text of the template, viewer/dist/report.html as viewer/build.mjs writes it */
    const char *title; /* name of the model */
    /* "ok", or why the run ended. NULL: the rows are not a run; the page then shows coordinates but no accuracy. */
    const char *status;
    double wall;         /* wall-clock time of the run, s */
    const char *model;   /* text of the model file */
    const char *command; /* command that made the report */
    const char *date;    /* date of the report */
} trm_report_def;

/* Writes the report. Returns TRM_BAD_INPUT if the page is not a template of a report; fails also if the sink does. */
TRM_API trm_status trm_write_report_html_sized(const trm_report *report, trm_sized def, trm_sink sink);
static inline trm_status trm_write_report_html(const trm_report *report, const trm_report_def *def, trm_sink sink)
{
    return trm_write_report_html_sized(report, trm_with_size(def, sizeof *def), sink);
}

/* ---- Recording ---------------------------------------------------------------------------- */

/* A run whose rows are recorded. Rows go to those of table, animation and report that are not NULL. */
typedef struct trm_record_def {
    double until; /* end time, s */
    double every; /* interval of rows, s; NAN: a row after each step */
    trm_table *table;
    trm_animation *animation;
    trm_report *report;
    bool (*may_continue)(void *context); /* called between steps, on the thread of the caller; false ends the run */
    void *context;
    double period; /* wall-clock time between two calls of may_continue, s; 0: after each step */
} trm_record_def;

/* Runs from the current state as trm_sim_run does. The outcome is not ok if joints did not close, may_continue
 * returned false, or memory for a row ran out. All rows up to that time are kept. */
TRM_API trm_outcome trm_sim_record_sized(trm_sim *sim, trm_sized def);
static inline trm_outcome trm_sim_record(trm_sim *sim, const trm_record_def *def)
{
    return trm_sim_record_sized(sim, trm_with_size(def, sizeof *def));
}

#ifdef __cplusplus
}
#endif

#endif
