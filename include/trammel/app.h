/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Functions that the program trammel and its pages need besides simulation: they write JSON, archives, pages,
 * plots and live frames. A program that only simulates does not need this header. Its functions may change with
 * any minor version. */

#ifndef TRAMMEL_APP_H
#define TRAMMEL_APP_H

#include "trammel/base.h"
#include "trammel/sim.h"
#include "trammel/vecmath.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- JSON writing ------------------------------------------------------------------------- */

/* Writes a document value by value, indented by two spaces:
 *
 *   trm_json_writer w = trm_json_begin(trm_file_sink(stdout));
 *   trm_json_open_object(&w, NULL);
 *   trm_json_put_text(&w, "name", "pendulum");
 *   trm_json_put_numbers(&w, "axis", (double[]){0, 0, 1}, 3);
 *   trm_json_close(&w);
 *   const bool written = trm_json_end(&w);
 *
 * key: inside an object the member's key, NULL elsewhere. After the sink has failed, later calls write nothing. */
enum { TRM_JSON_WRITER_DEPTH = 128 }; /* deepest nesting of arrays and objects; more is a caller's mistake */

/* A document that is being written. The caller reads `failed` and leaves the fields unchanged. */
typedef struct trm_json_writer {
    trm_sink sink;
    bool failed;                                     /* the sink has failed */
    int depth;                                       /* number of arrays and objects that are open */
    unsigned char levels[TRM_JSON_WRITER_DEPTH + 1]; /* private: what is open at each depth */
} trm_json_writer;

/* Begins a document. Nothing is allocated. */
TRM_API trm_json_writer trm_json_begin(trm_sink sink);
TRM_API bool trm_json_end(trm_json_writer *w); /* ends the document; returns false if the sink failed at any time */

/* Open and close an object or array, in pairs. The contents of a flat one are in one line. */
TRM_API void trm_json_open_object(trm_json_writer *w, const char *key);
TRM_API void trm_json_open_array(trm_json_writer *w, const char *key);
TRM_API void trm_json_open_object_flat(trm_json_writer *w, const char *key);
TRM_API void trm_json_open_array_flat(trm_json_writer *w, const char *key);
TRM_API void trm_json_close(trm_json_writer *w);

/* Write a number with the fewest digits that read back bit-identically, or null if it is not finite. */
TRM_API void trm_json_put_number(trm_json_writer *w, const char *key, double value);
TRM_API void trm_json_put_integer(trm_json_writer *w, const char *key, long long value);
/* Writes a UTF-8 text; each invalid byte becomes U+FFFD. NULL is written as null. */
TRM_API void trm_json_put_text(trm_json_writer *w, const char *key, const char *value);
/* Write a boolean, or null. */
TRM_API void trm_json_put_bool(trm_json_writer *w, const char *key, bool value);
TRM_API void trm_json_put_null(trm_json_writer *w, const char *key);
/* Write an array in one line: [1, 2, 3] */
TRM_API void trm_json_put_numbers(trm_json_writer *w, const char *key, const double *values, int count);
TRM_API void trm_json_put_texts(trm_json_writer *w, const char *key, const char *const *values, int count);

/* ---- Archives ----------------------------------------------------------------------------- */

/* A ZIP archive whose entries are stored without compression. The same entries give the same bytes. It belongs to one
 * thread at a time. */
typedef struct trm_zip trm_zip;

/* Begins an archive. Returns NULL if out of memory. */
TRM_API trm_zip *trm_zip_create(trm_sink sink, const trm_allocator *allocator);
/* Releases the archive's memory. Bytes already written to the sink are not affected. */
TRM_API void trm_zip_destroy(trm_zip *zip);
/* Adds a file. name: path with / as separator. executable: true gives the file execute permission. Returns
 * TRM_BAD_INPUT if the archive would exceed the 65534 entries or 4 GiB of the format, TRM_IO_ERROR if the sink
 * failed, or TRM_OUT_OF_MEMORY. */
TRM_API trm_status trm_zip_add(trm_zip *zip, const char *name, const void *bytes, size_t count, bool executable);
/* Writes the list of entries. Call it after the last entry. Fails if the sink does. */
TRM_API trm_status trm_zip_end(trm_zip *zip);

/* ---- Live pages --------------------------------------------------------------------------- */

/* A writer of the data for a page that displays a running simulation (viewer/DATA.md): the scene once, then frames.
 * It belongs to the thread of its simulation. */
typedef struct trm_live trm_live;

/* Creates the data of a simulation that was observed (trm_sim_observe) and must outlive it. Energies are relative
 * to the current state. Returns NULL if out of memory. */
TRM_API trm_live *trm_live_create(trm_sim *sim, const trm_allocator *allocator);
/* Releases the data. */
TRM_API void trm_live_destroy(trm_live *live);

/* Switches to another simulation that has taken over from the current one (trm_sim_take_over). */
TRM_API void trm_live_follow(trm_live *live, trm_sim *sim);

/* Writes the scene at the time of creation, the names of its curves, and which methods can run the model. number:
 * identifies this scene in its frames. Fails if the sink does or when out of memory. */
TRM_API trm_status trm_live_write_scene(const trm_live *live, const char *name, unsigned number, trm_sink sink);

/* A body that the user drags, world axes. */
typedef struct trm_grip {
    int body;
    trm_vec3 point, target; /* point where it is gripped, and where it is dragged to, m */
    trm_vec3 force;         /* force on the body, N */
} trm_grip;

/* Options of a frame. */
typedef struct trm_frame_def {
    unsigned scene, number;
    bool reactions; /* include the forces in the joints, from the last observation that computed them */
    const trm_grip *grips;
    int grip_count;
} trm_frame_def;

/* Writes a row of the curves: the time as a double, then a float for each curve. Returns false if the sink failed. */
TRM_API bool trm_live_write_row(const trm_live *live, trm_sink sink);

/* Writes the current state without rows of curves and removes the impacts from the simulation, as trm_sim_contacts
 * does. Returns false if the sink failed. */
TRM_API bool trm_live_write_frame(trm_live *live, const trm_frame_def *def, trm_sink sink);

/* ---- Pages -------------------------------------------------------------------------------- */

/* Data inside a page. The output of `write` is placed in <script id="..."> unchanged, except that each < of JSON
 * becomes \u003c. */
typedef struct trm_page_part {
    const char *id;
    const char *form; /* attribute data-form of data that is not JSON; NULL: it is JSON */
    trm_status (*write)(void *context, trm_sink sink);
    void *context;
} trm_page_part;

/* Writes a template of viewer/build.mjs with its data. Returns TRM_BAD_INPUT if the page is not a template, or the
 * status of a writer that failed. */
TRM_API trm_status trm_write_page(const char *page, const trm_page_part *parts, int count, trm_sink sink);

/* Writes bytes as base64, in one line. Returns false if the sink failed. */
TRM_API bool trm_write_base64(const void *bytes, size_t count, trm_sink sink);

/* ---- Plots -------------------------------------------------------------------------------- */

/* An axis of a plot. */
typedef struct trm_plot_axis {
    const char *label; /* with its unit: "error, m" */
    bool logarithmic;  /* true: logarithmic scale; false: linear */
} trm_plot_axis;

/* A line with markers through the points in their order. The line has a gap where a point is not finite, or not
 * positive on a logarithmic axis. Values above 1e300 count as infinite, values below 1e-300 as not positive. */
typedef struct trm_plot_series {
    const char *name;    /* shown in the legend, which is drawn if at least one series has a name */
    const double *x, *y; /* coordinates of the points */
    int count;
} trm_plot_series;

/* A plot. Texts are UTF-8; NULL is an empty text. */
typedef struct trm_plot {
    const char *title;
    trm_plot_axis x, y;
    const trm_plot_series *series;
    int series_count;
} trm_plot;

/* Writes one self-contained SVG picture, for light and dark pages. Axes fit the points; long series are thinned to
 * what is visible. Allocates nothing. Returns false if the sink failed. */
TRM_API bool trm_write_plot_svg(const trm_plot *plot, trm_sink sink);

/* Writes several plots in one picture, one below the other, with aligned frames. Returns false if the sink failed. */
TRM_API bool trm_write_plots_svg(const trm_plot *plots, int count, trm_sink sink);

/* A quantity as a function of two others, shown by colours: a heat map if the points form a grid, else a dot at
 * each point. Points that an axis or the colours cannot show stay empty. */
typedef struct trm_plot_map {
    const char *title;
    trm_plot_axis x, y, value;
    const double *xs, *ys; /* coordinates of the columns and rows of cells, each increasing; or of each point */
    int x_count, y_count;  /* y_count 0: ys and values have one number per point, x_count in all */
    const double *values;  /* value at (xs[i], ys[k]): values[i*y_count + k] */
} trm_plot_map;

/* Writes several maps in one SVG picture. Allocates nothing. Returns false if the sink failed. */
TRM_API bool trm_write_maps_svg(const trm_plot_map *maps, int count, trm_sink sink);

#ifdef __cplusplus
}
#endif

#endif
