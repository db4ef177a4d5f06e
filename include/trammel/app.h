/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What the program trammel and its pages are made of besides the simulation: writing of JSON, archives, pages,
 * plots and live frames. A program that simulates does not need this header; its functions may change with any
 * minor version. */

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
 * key: inside an object the member's key, NULL elsewhere. After a failure of the sink nothing more is written. */
enum { TRM_JSON_WRITER_DEPTH = 128 }; /* arrays and objects inside each other; more is the caller's mistake */

typedef struct trm_json_writer {
    trm_sink sink;
    bool failed;
    int depth;
    unsigned char levels[TRM_JSON_WRITER_DEPTH + 1]; /* what is open at each depth; the writer's own */
} trm_json_writer;

/* Begins a document. Nothing is allocated. */
TRM_API trm_json_writer trm_json_begin(trm_sink sink);
TRM_API bool trm_json_end(trm_json_writer *w); /* ends the last line; false if anything could not be written */

/* Opened and closed in pairs. A flat one has all its contents in one line. */
TRM_API void trm_json_open_object(trm_json_writer *w, const char *key);
TRM_API void trm_json_open_array(trm_json_writer *w, const char *key);
TRM_API void trm_json_open_object_flat(trm_json_writer *w, const char *key);
TRM_API void trm_json_open_array_flat(trm_json_writer *w, const char *key);
TRM_API void trm_json_close(trm_json_writer *w);

/* A number is written with as few digits as read back to the same bits; null if it is not finite. */
TRM_API void trm_json_put_number(trm_json_writer *w, const char *key, double value);
TRM_API void trm_json_put_integer(trm_json_writer *w, const char *key, long long value);
/* UTF-8; a byte that is not becomes U+FFFD. NULL is written as null. */
TRM_API void trm_json_put_text(trm_json_writer *w, const char *key, const char *value);
TRM_API void trm_json_put_bool(trm_json_writer *w, const char *key, bool value);
TRM_API void trm_json_put_null(trm_json_writer *w, const char *key);
/* Arrays in one line: [1, 2, 3] */
TRM_API void trm_json_put_numbers(trm_json_writer *w, const char *key, const double *values, int count);
TRM_API void trm_json_put_texts(trm_json_writer *w, const char *key, const char *const *values, int count);

/* ---- Archives ----------------------------------------------------------------------------- */

/* A ZIP archive whose entries are stored without compression. The same entries give the same bytes. */
typedef struct trm_zip trm_zip;

/* Begins an archive. Returns NULL if out of memory. */
TRM_API trm_zip *trm_zip_create(trm_sink sink, const trm_allocator *allocator);
/* Releases the memory; what was written stays. */
TRM_API void trm_zip_destroy(trm_zip *zip);
/* Adds a file. name: with / between folders. TRM_BAD_INPUT: there would be more than 65534 entries or 4 GiB, which
 * the format cannot hold. */
TRM_API trm_status trm_zip_add(trm_zip *zip, const char *name, const void *bytes, size_t count, bool executable);
/* Writes the list of entries, after the last one. */
TRM_API trm_status trm_zip_end(trm_zip *zip);

/* ---- Live pages --------------------------------------------------------------------------- */

/* What a page that watches a simulation is told (viewer/DATA.md): its scene once, then frames as it goes on. */
typedef struct trm_live trm_live;

/* Of a simulation that was observed (trm_sim_observe) and outlives this. Energies are counted from its present state.
 * NULL: out of memory. */
TRM_API trm_live *trm_live_create(trm_sim *sim, const trm_allocator *allocator);
TRM_API void trm_live_destroy(trm_live *live);

/* Goes on with another simulation that took over from its own (trm_sim_take_over). */
TRM_API void trm_live_follow(trm_live *live, trm_sim *sim);

/* The scene as it was then, the names of its curves, and what methods say of it; number: which frames belong to it. */
TRM_API trm_status trm_live_write_scene(const trm_live *live, const char *name, unsigned number, trm_sink sink);

/* A body that is dragged: where it is held, where to, and the force on it; world axes. */
typedef struct trm_grip {
    int body;
    trm_vec3 point, target; /* m */
    trm_vec3 force;         /* N */
} trm_grip;

typedef struct trm_frame_def {
    unsigned scene, number;
    bool reactions; /* with the forces in the joints, which are those of the last observation that found them */
    const trm_grip *grips;
    int grip_count;
} trm_frame_def;

/* The present state; impacts are forgotten as in trm_sim_contacts. false: the sink refused. */
TRM_API bool trm_live_write_frame(trm_live *live, const trm_frame_def *def, trm_sink sink);

/* ---- Pages -------------------------------------------------------------------------------- */

/* Data inside a page: what is written stands in <script id="..."> as it is, but for each < of JSON, which becomes
 * \u003c. */
typedef struct trm_page_part {
    const char *id;
    const char *form; /* of what is no JSON: its attribute data-form; NULL: it is JSON */
    trm_status (*write)(void *context, trm_sink sink);
    void *context;
} trm_page_part;

/* A template of viewer/build.mjs with its data. TRM_BAD_INPUT: the page is no template; else what a part's writer
 * gave. */
TRM_API trm_status trm_write_page(const char *page, const trm_page_part *parts, int count, trm_sink sink);

/* Bytes as base64, in one line. */
TRM_API bool trm_write_base64(const void *bytes, size_t count, trm_sink sink);

/* ---- Plots -------------------------------------------------------------------------------- */

typedef struct trm_plot_axis {
    const char *label; /* with its unit: "error, m" */
    bool logarithmic;
} trm_plot_axis;

/* A line with markers through the points in their order. Points that are not finite, or not positive where an axis is
 * logarithmic, are left out, and the line has a gap there; beyond 1e300 is infinite, below 1e-300 is not positive. */
typedef struct trm_plot_series {
    const char *name; /* in the legend, right of the frame, which is there if some series has a name */
    const double *x, *y;
    int count;
} trm_plot_series;

/* Texts are UTF-8; NULL is an empty one. */
typedef struct trm_plot {
    const char *title;
    trm_plot_axis x, y;
    const trm_plot_series *series;
    int series_count;
} trm_plot;

/* One SVG picture that needs nothing else, for light and dark pages. Axes fit the points; long series are thinned to
 * what can be seen. Allocates nothing. false: the sink refused. */
TRM_API bool trm_write_plot_svg(const trm_plot *plot, trm_sink sink);

/* Several in one picture, one below the other, frames in line. */
TRM_API bool trm_write_plots_svg(const trm_plot *plots, int count, trm_sink sink);

/* A quantity over two others, as colours: a heat map where the points are a grid, else a dot at each point.
 * Points that an axis or the colours cannot show stay empty. */
typedef struct trm_plot_map {
    const char *title;
    trm_plot_axis x, y, value;
    const double *xs, *ys; /* of the columns and of the rows of cells, each increasing; or of each point */
    int x_count, y_count;  /* y_count 0: ys and values have one number per point, x_count in all */
    const double *values;  /* at (xs[i], ys[k]): values[i*y_count + k] */
} trm_plot_map;

/* Returns false if the sink refused. Allocates nothing. */
TRM_API bool trm_write_maps_svg(const trm_plot_map *maps, int count, trm_sink sink);

#ifdef __cplusplus
}
#endif

#endif
