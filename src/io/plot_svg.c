/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Plots as SVG, written in one pass over the points without allocating memory.
 *
 *   title
 *   +--------------------+  o series
 *   |  frame             |  x series
 *   +--------------------+
 *         axis label
 *
 * The frame has a fixed size; the picture is large enough for the legend, the title and the labels, whose widths are
 * estimated from their numbers of characters. All rules of style are below .trm-plot, so that a page may contain the
 * picture among other elements.
 *
 * Colours are those of Okabe and Ito, which colour-blind people can tell apart (https://jfly.uni-koeln.de/color/).
 * A few series have a marker each. Markers of many series would hide each other; if there are more than FEW, series
 * differ by seven colours and eight dash patterns instead.
 *
 * Long series are thinned: of successive points within a column one unit wide only the first, the lowest, the highest
 * and the last are drawn, which looks the same. */

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "io/json.h"
#include "io/plot_axis.h"
#include "trammel/app.h"
#include "trammel/io.h"

/* Lengths in units of the picture; the font size is 13 units. */
enum {
    FRAME_WIDTH = 640,
    FRAME_HEIGHT = 420, /* of one plot alone, */
    STACK_HEIGHT = 240, /* and of each of several */
    TOP = 44,
    BOTTOM = 60,
    MARGIN = 16,
    LINE = 20,        /* between lines of text */
    SAMPLE = 30,      /* length of the sample line in the legend */
    MAJOR_TICK = 6,   /* outside the frame */
    MINOR_TICK = 4,   /* inside */
    ALL_MARKED = 60,  /* a series of at most this many points has a marker at each */
    SOME_MARKED = 12, /* a longer one has this many markers */
    FEW = 8,          /* series: as many as there are markers */
};
/* Estimated width of a character, slightly too large. Only the placement of texts depends on it: with a larger one
 * margins are too wide, with a smaller one texts are cut off. */
static const double LETTER = 7.5, TITLE_LETTER = 9;

/* Paths of markers, relative to the point at which the pen is. */
static const char *const markers[] = {
    "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", /* circle */
    "m-3.5-3.5h7v7h-7z",                  /* square */
    "m-4.5 3.5h9l-4.5-8z",                /* triangle */
    "m0-5l5 5l-5 5l-5-5z",                /* diamond */
    "m-4.5-3.5h9l-4.5 8z",                /* triangle downwards */
    "m-4-4l8 8m0-8l-8 8",                 /* cross */
    "m-5 0h10m-5-5v10",                   /* plus */
    "m-4-4h8l-8 8h8z",                    /* hourglass */
};
enum { MARKERS = sizeof markers / sizeof markers[0], COLOURS = 7 };

/* Dash patterns: lengths of dashes and gaps; the first is a solid line. */
static const char *const dashes[] = {"", "7 3", "2 3", "9 3 2 3", "14 4", "4 2 1 2 1 2", "1 5", "14 3 4 3"};
enum { DASHES = sizeof dashes / sizeof dashes[0] };

/* Colours of maps from the least to the largest value: viridis by van der Walt and Smith, which is perceptually
 * uniform. */
static const double heat[][3] = {{68, 1, 84},    {72, 40, 120},  {62, 74, 137},  {49, 104, 142}, {38, 130, 142},
                                 {31, 158, 137}, {53, 183, 121}, {109, 205, 89}, {180, 222, 44}, {253, 231, 37}};
enum { HEATS = sizeof heat / sizeof heat[0], BAR_PARTS = 36, BAR_WIDTH = 18 };

static const char style[] =
    "<style>\n"
    ".trm-plot { font: 13px system-ui, sans-serif; color: #333 }\n"
    ".trm-plot text { fill: currentColor }\n"
    ".trm-plot .paper { fill: #fff }\n"
    ".trm-plot .title { font-size: 15px; font-weight: 600 }\n"
    ".trm-plot .power { font-size: 10px }\n"
    ".trm-plot .grid { fill: none; stroke: #e3e6e8 }\n"
    ".trm-plot .frame { fill: none; stroke: #888 }\n"
    ".trm-plot .line { fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linejoin: round; "
    "stroke-linecap: round }\n"
    ".trm-plot .marker { fill: currentColor; stroke: currentColor; stroke-width: 1.5 }\n"
    ".trm-plot .c0 { color: #0072b2 } .trm-plot .c1 { color: #d55e00 } .trm-plot .c2 { color: #009e73 }\n"
    ".trm-plot .c3 { color: #cc79a7 } .trm-plot .c4 { color: #e69f00 } .trm-plot .c5 { color: #56b4e9 }\n"
    ".trm-plot .c6 { color: #333 }\n"
    "@media (prefers-color-scheme: dark) {\n"
    ".trm-plot, .trm-plot .c6 { color: #ddd } .trm-plot .paper { fill: #1d2125 } .trm-plot .grid { stroke: #363c42 "
    "}\n"
    ".trm-plot .c0 { color: #2b94d6 }\n"
    "}\n"
    "</style>\n";

typedef struct point {
    double x, y;
} point;

typedef struct drawing {
    trm_sink sink;
    bool failed;
    const trm_plot *plot;
    trm_plot_scale x, y;
    point corner;  /* upper left corner of the frame */
    double height; /* of the frame */
} drawing;

/* ---- Text --------------------------------------------------------------------------------- */

static void put_bytes(drawing *d, const char *bytes, size_t length)
{
    if (!d->failed && length && !d->sink.write(d->sink.context, bytes, length)) d->failed = true;
}

static void put(drawing *d, const char *text)
{
    put_bytes(d, text, strlen(text));
}

/* Writes a number, rounded to a hundredth of a unit, which is not visible. */
static void put_number(drawing *d, double value)
{
    char text[TRM_NUMBER_TEXT];
    const double rounded = round(100 * value) / 100;
    put_bytes(d, text, (size_t)trm_format_number(text, rounded == 0 ? 0 : rounded)); /* not -0 */
}

/* Writes the text with each % replaced by the next number. */
static void put_with(drawing *d, const char *text, const double *numbers)
{
    for (const char *next = strchr(text, '%'); next; next = strchr(text, '%')) {
        put_bytes(d, text, (size_t)(next - text));
        put_number(d, *numbers++);
        text = next + 1;
    }
    put(d, text);
}

/* Returns the number of bytes of a character that XML 1.0 allows; 0 if there is none. */
static int character_length(const char *text, const char *end)
{
    const int bytes = trm_utf8_length(text, end);
    const unsigned char byte = (unsigned char)*text;
    const bool control = byte < ' ' && byte != '\t' && byte != '\n' && byte != '\r';
    const bool no_character =
        bytes == 3 && (memcmp(text, "\xef\xbf\xbe", 3) == 0 || memcmp(text, "\xef\xbf\xbf", 3) == 0);
    return control || no_character ? 0 : bytes;
}

/* Writes a text of the caller, escaped so that the picture is valid XML. NULL counts as "". */
static void put_escaped(drawing *d, const char *text)
{
    const char *end = text ? text + strlen(text) : NULL;
    for (const char *at = text; at < end;) {
        const int bytes = character_length(at, end);
        if (bytes == 0)
            put(d, "\xef\xbf\xbd"); /* U+FFFD */
        else if (*at == '&')
            put(d, "&amp;");
        else if (*at == '<')
            put(d, "&lt;");
        else if (*at == '>')
            put(d, "&gt;");
        else
            put_bytes(d, at, (size_t)bytes);
        at += bytes ? bytes : 1;
    }
}

/* Returns the length of a text in characters; an invalid byte counts as one. */
static int length_of(const char *text)
{
    int count = 0;
    for (; text && *text; text++) count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

/* ---- Layout ------------------------------------------------------------------------------- */

/* Returns whether a point of a series can be shown, and its place in *at. */
static bool place_point(const drawing *d, const trm_plot_series *series, int i, point *at)
{
    const double x = series->x[i], y = series->y[i];
    if (!trm_plot_scale_shows(d->plot->x.logarithmic, x) || !trm_plot_scale_shows(d->plot->y.logarithmic, y))
        return false;
    at->x = d->corner.x + FRAME_WIDTH * trm_plot_scale_place(&d->x, x);
    at->y = d->corner.y + d->height * (1 - trm_plot_scale_place(&d->y, y));
    return true;
}

typedef struct extent {
    double least, most;
} extent;

static void widen(extent *e, double value)
{
    e->least = fmin(e->least, value);
    e->most = fmax(e->most, value);
}

static void choose_scales(drawing *d)
{
    const trm_plot *p = d->plot;
    extent x = {DBL_MAX, -DBL_MAX}, y = x;
    for (int s = 0; s < p->series_count; s++)
        for (int i = 0; i < p->series[s].count; i++) {
            if (!trm_plot_scale_shows(p->x.logarithmic, p->series[s].x[i])) continue;
            if (!trm_plot_scale_shows(p->y.logarithmic, p->series[s].y[i])) continue;
            widen(&x, p->series[s].x[i]);
            widen(&y, p->series[s].y[i]);
        }
    d->x = trm_plot_scale_around(x.least, x.most, p->x.logarithmic);
    d->y = trm_plot_scale_around(y.least, y.most, p->y.logarithmic);
}

static double widest_label(const trm_plot_scale *scale)
{
    int most = 0;
    for (long long i = scale->first; i <= scale->last; i++) {
        const trm_plot_tick tick = trm_plot_scale_tick(scale, i);
        /* width of 10 with a small exponent such as -123 */
        const int length = tick.is_power ? 5 : length_of(tick.label);
        if (length > most) most = length;
    }
    return LETTER * most;
}

static bool has_legend(const trm_plot *plot)
{
    for (int s = 0; s < plot->series_count; s++)
        if (length_of(plot->series[s].name) > 0) return true;
    return false;
}

static double legend_width(const trm_plot *plot)
{
    int most = 0;
    if (!has_legend(plot)) return 0;
    for (int s = 0; s < plot->series_count; s++) {
        const int length = length_of(plot->series[s].name);
        if (length > most) most = length;
    }
    return MARGIN + SAMPLE + LETTER * (most + 1);
}

/* ---- Axes --------------------------------------------------------------------------------- */

static void put_label(drawing *d, const char *start, point at, const trm_plot_tick *tick)
{
    put_with(d, start, (double[]){at.x, at.y});
    if (tick->is_power)
        put_with(d, "10<tspan class=\"power\" dy=\"-5\">%</tspan></text>\n", (double[]){tick->exponent});
    else {
        put(d, tick->label);
        put(d, "</text>\n");
    }
}

static void draw_x_tick(drawing *d, const trm_plot_tick *tick)
{
    const double x = d->corner.x + FRAME_WIDTH * tick->place, bottom = d->corner.y + d->height;
    if (tick->kind == TRM_TICK_MINOR)
        put_with(d, "<path class=\"frame\" d=\"M% %v%\"/>\n", (double[]){x, bottom, -MINOR_TICK});
    if (tick->kind != TRM_TICK_MAJOR) return;
    put_with(d, "<path class=\"grid\" d=\"M% %v%\"/>", (double[]){x, bottom, -d->height});
    put_with(d, "<path class=\"frame\" d=\"M% %v%\"/>", (double[]){x, bottom, MAJOR_TICK});
    put_label(d, "<text class=\"x tick\" text-anchor=\"middle\" x=\"%\" y=\"%\">", (point){x, bottom + LINE}, tick);
}

static void draw_y_tick(drawing *d, const trm_plot_tick *tick)
{
    const double y = d->corner.y + d->height * (1 - tick->place), left = d->corner.x;
    if (tick->kind == TRM_TICK_MINOR)
        put_with(d, "<path class=\"frame\" d=\"M% %h%\"/>\n", (double[]){left, y, MINOR_TICK});
    if (tick->kind != TRM_TICK_MAJOR) return;
    put_with(d, "<path class=\"grid\" d=\"M% %h%\"/>", (double[]){left, y, FRAME_WIDTH});
    put_with(d, "<path class=\"frame\" d=\"M% %h%\"/>", (double[]){left, y, -MAJOR_TICK});
    put_label(d, "<text class=\"y tick\" text-anchor=\"end\" dy=\"4\" x=\"%\" y=\"%\">", (point){left - 9, y}, tick);
}

static void draw_axes(drawing *d)
{
    const point middle = {d->corner.x + 0.5 * FRAME_WIDTH, d->corner.y + 0.5 * d->height};
    for (long long i = d->x.first; i <= d->x.last; i++) {
        const trm_plot_tick tick = trm_plot_scale_tick(&d->x, i);
        draw_x_tick(d, &tick);
    }
    for (long long i = d->y.first; i <= d->y.last; i++) {
        const trm_plot_tick tick = trm_plot_scale_tick(&d->y, i);
        draw_y_tick(d, &tick);
    }
    put_with(d, "<rect class=\"frame\" x=\"%\" y=\"%\" width=\"%\" height=\"%\"/>\n",
             (double[]){d->corner.x, d->corner.y, FRAME_WIDTH, d->height});
    put_with(d, "<text text-anchor=\"middle\" x=\"%\" y=\"%\">",
             (double[]){middle.x, d->corner.y + d->height + 2.2 * LINE});
    put_escaped(d, d->plot->x.label);
    put_with(d, "</text>\n<text text-anchor=\"middle\" transform=\"translate(% %) rotate(-90)\">",
             (double[]){MARGIN + 4, middle.y});
    put_escaped(d, d->plot->y.label);
    put(d, "</text>\n");
}

/* ---- Series ------------------------------------------------------------------------------- */

/* Successive points within one column. */
typedef struct column {
    bool begins_line;
    int count;
    double number;
    point first, lowest, highest, last;
    int lowest_at, highest_at; /* positions of the lowest and the highest among the points */
} column;

/* Draws the points of a column. The line begins with a piece of length zero, so that a single point appears as a
 * dot. */
static void draw_column(drawing *d, const column *c)
{
    const bool low_first = c->lowest_at < c->highest_at;
    const point points[4] = {c->first, low_first ? c->lowest : c->highest, low_first ? c->highest : c->lowest,
                             c->last};
    if (c->count == 0) return;
    for (int i = 0; i < 4; i++) {
        if (i > 0 && points[i].x == points[i - 1].x && points[i].y == points[i - 1].y) continue;
        put_with(d, i == 0 && c->begins_line ? "M% %h0" : "L% %", (double[]){points[i].x, points[i].y});
    }
}

static void add_to_column(column *c, point at)
{
    if (c->count == 0) c->first = c->lowest = c->highest = at;
    if (at.y < c->lowest.y) c->lowest = at, c->lowest_at = c->count;
    if (at.y > c->highest.y) c->highest = at, c->highest_at = c->count;
    c->last = at;
    c->count++;
}

/* Draws the line of a series, with a gap at each point that cannot be shown. */
static void draw_line(drawing *d, const trm_plot_series *series)
{
    column c = {.begins_line = true};
    put(d, "<path class=\"line\" d=\"");
    for (int i = 0; i < series->count; i++) {
        point at = {0, 0};
        const bool shown = place_point(d, series, i, &at);
        if (!shown || floor(at.x) != c.number) {
            draw_column(d, &c);
            c = (column){.begins_line = !shown || (c.begins_line && c.count == 0), .number = floor(at.x)};
        }
        if (shown) add_to_column(&c, at);
    }
    draw_column(d, &c);
    put(d, "\"/>");
}

static void draw_markers(drawing *d, const trm_plot_series *series, int number)
{
    const int every = series->count > ALL_MARKED ? series->count / SOME_MARKED : 1;
    put(d, "<path class=\"marker\" d=\"");
    for (int i = (int)((long long)every * number / d->plot->series_count); i < series->count; i += every) {
        point at;
        if (!place_point(d, series, i, &at)) continue;
        put_with(d, "M% %", (double[]){at.x, at.y});
        put(d, markers[number % MARKERS]);
    }
    put(d, "\"/>");
}

static void begin_series(drawing *d, int number)
{
    const bool many = d->plot->series_count > FEW;
    put_with(d, "<g class=\"c%\"", (double[]){number % COLOURS});
    if (many && number / COLOURS % DASHES > 0) {
        put(d, " stroke-dasharray=\"");
        put(d, dashes[number / COLOURS % DASHES]);
        put(d, "\"");
    }
    put(d, ">");
}

static void draw_series(drawing *d, int number)
{
    begin_series(d, number);
    draw_line(d, &d->plot->series[number]);
    if (d->plot->series_count <= FEW) draw_markers(d, &d->plot->series[number], number);
    put(d, "</g>\n");
}

static void draw_legend_line(drawing *d, int number)
{
    const double x = d->corner.x + FRAME_WIDTH + MARGIN, y = d->corner.y + LINE * (number + 0.5);
    begin_series(d, number);
    put_with(d, "<path class=\"line\" d=\"M% %h%\"/>", (double[]){x, y, SAMPLE});
    if (d->plot->series_count <= FEW) {
        put_with(d, "<path class=\"marker\" d=\"M% %", (double[]){x + 0.5 * SAMPLE, y});
        put(d, markers[number % MARKERS]);
        put(d, "\"/>");
    }
    put_with(d, "</g><text class=\"legend\" x=\"%\" y=\"%\">", (double[]){x + SAMPLE + LETTER, y + 4});
    put_escaped(d, d->plot->series[number].name);
    put(d, "</text>\n");
}

/* ---- The picture -------------------------------------------------------------------------- */

static double legend_height(const trm_plot *plot)
{
    return has_legend(plot) ? LINE * plot->series_count : 0;
}

static double panel_width(const drawing *d, const trm_plot *plot)
{
    const double below = d->corner.x + FRAME_WIDTH + legend_width(plot),
                 above = d->corner.x + TITLE_LETTER * length_of(plot->title);
    return fmax(below, above) + MARGIN;
}

static double panel_height(const drawing *d, const trm_plot *plot)
{
    return TOP + fmax(d->height, legend_height(plot)) + BOTTOM;
}

static void begin_sheet(drawing *d, const char *title, double width, double height)
{
    put_with(d,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"trm-plot\" role=\"img\" width=\"%\" height=\"%\" "
             "viewBox=\"0 0 % %\">\n<title>",
             (double[]){width, height, width, height});
    put_escaped(d, title);
    put(d, "</title>\n");
    put(d, style);
    put(d, "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
}

static void draw_panel(drawing *d)
{
    put_with(d, "<text class=\"title\" x=\"%\" y=\"%\">", (double[]){d->corner.x, d->corner.y - 16});
    put_escaped(d, d->plot->title);
    put(d, "</text>\n");
    draw_axes(d);
    for (int s = 0; s < d->plot->series_count; s++) draw_series(d, s);
    for (int s = 0; has_legend(d->plot) && s < d->plot->series_count; s++) draw_legend_line(d, s);
}

bool trm_write_plots_svg(const trm_plot *plots, int count, trm_sink sink)
{
    drawing d = {.sink = sink, .height = count > 1 ? STACK_HEIGHT : FRAME_HEIGHT};
    double labels = 0, width = 0, height = 0;
    for (int i = 0; i < count; i++) {
        d.plot = &plots[i];
        choose_scales(&d);
        labels = fmax(labels, widest_label(&d.y));
    }
    d.corner = (point){MARGIN + LINE + labels + MAJOR_TICK, TOP};
    for (int i = 0; i < count; i++) {
        width = fmax(width, panel_width(&d, &plots[i]));
        height += panel_height(&d, &plots[i]);
    }
    begin_sheet(&d, count > 0 ? plots[0].title : "", width, height);
    for (int i = 0; i < count; i++) {
        d.plot = &plots[i];
        choose_scales(&d);
        draw_panel(&d);
        d.corner.y += panel_height(&d, &plots[i]);
    }
    put(&d, "</svg>\n");
    return !d.failed;
}

bool trm_write_plot_svg(const trm_plot *plot, trm_sink sink)
{
    return trm_write_plots_svg(plot, 1, sink);
}

/* ---- Maps --------------------------------------------------------------------------------- */

typedef struct map_drawing {
    drawing d;
    const trm_plot_map *map;
    trm_plot_scale value;
} map_drawing;

/* Writes " fill="rgb(..)"" for a position between 0 and 1 on the scale of values. */
static void put_heat(drawing *d, double place)
{
    const double at = fmax(0, fmin(1, place)) * (HEATS - 1);
    const int below = at < HEATS - 1 ? (int)at : HEATS - 2;
    double colour[3];
    for (int i = 0; i < 3; i++)
        colour[i] = round(heat[below][i] + (at - below) * (heat[below + 1][i] - heat[below][i]));
    put_with(d, " fill=\"rgb(%,%,%)\"/>", colour);
}

static bool can_show(const trm_plot_map *m, double x, double y, double value)
{
    return trm_plot_scale_shows(m->x.logarithmic, x) && trm_plot_scale_shows(m->y.logarithmic, y) &&
           trm_plot_scale_shows(m->value.logarithmic, value);
}

static int points_of(const trm_plot_map *m)
{
    return m->y_count > 0 ? m->x_count * m->y_count : m->x_count;
}

static double x_of(const trm_plot_map *m, int i)
{
    return m->xs[m->y_count > 0 ? i / m->y_count : i];
}

static double y_of(const trm_plot_map *m, int i)
{
    return m->ys[m->y_count > 0 ? i % m->y_count : i];
}

static void choose_map_scales(map_drawing *md)
{
    const trm_plot_map *m = md->map;
    extent x = {DBL_MAX, -DBL_MAX}, y = x, value = x;
    for (int i = 0; i < points_of(m); i++) {
        if (!can_show(m, x_of(m, i), y_of(m, i), m->values[i])) continue;
        widen(&x, x_of(m, i));
        widen(&y, y_of(m, i));
        widen(&value, m->values[i]);
    }
    md->d.x = trm_plot_scale_around(x.least, x.most, m->x.logarithmic);
    md->d.y = trm_plot_scale_around(y.least, y.most, m->y.logarithmic);
    md->value = trm_plot_scale_around(value.least, value.most, m->value.logarithmic);
}

/* Computes the sides of a cell along its axis, half-way to its neighbours and within the frame. */
static void find_sides(const trm_plot_scale *scale, const double *at, int count, int i, double sides[2])
{
    const double here = trm_plot_scale_place(scale, at[i]);
    const double before = i > 0 ? trm_plot_scale_place(scale, at[i - 1]) : NAN;
    const double after = i + 1 < count ? trm_plot_scale_place(scale, at[i + 1]) : NAN;
    const double alone = count == 1 ? 0.5 : 0; /* a single value fills the frame */
    const double half_before = isnan(before) ? (isnan(after) ? alone : 0.5 * (after - here)) : 0.5 * (here - before);
    const double half_after = isnan(after) ? (isnan(before) ? alone : 0.5 * (here - before)) : 0.5 * (after - here);
    sides[0] = fmax(0, here - half_before);
    sides[1] = fmin(1, here + half_after);
}

static void draw_cell(map_drawing *md, int i)
{
    drawing *d = &md->d;
    const trm_plot_map *m = md->map;
    double x[2], y[2];
    find_sides(&d->x, m->xs, m->x_count, i / m->y_count, x);
    find_sides(&d->y, m->ys, m->y_count, i % m->y_count, y);
    /* half a unit larger, so that no background is visible between two cells */
    put_with(d, "<rect class=\"cell\" x=\"%\" y=\"%\" width=\"%\" height=\"%\"",
             (double[]){d->corner.x + FRAME_WIDTH * x[0], d->corner.y + d->height * (1 - y[1]),
                        FRAME_WIDTH * (x[1] - x[0]) + 0.5, d->height * (y[1] - y[0]) + 0.5});
    put_heat(d, trm_plot_scale_place(&md->value, m->values[i]));
}

static void draw_dot(map_drawing *md, int i)
{
    drawing *d = &md->d;
    put_with(d, "<circle class=\"cell\" r=\"6\" cx=\"%\" cy=\"%\"",
             (double[]){d->corner.x + FRAME_WIDTH * trm_plot_scale_place(&d->x, x_of(md->map, i)),
                        d->corner.y + d->height * (1 - trm_plot_scale_place(&d->y, y_of(md->map, i)))});
    put_heat(d, trm_plot_scale_place(&md->value, md->map->values[i]));
}

/* Draws the scale of colours to the right of the frame. */
static void draw_bar(map_drawing *md)
{
    drawing *d = &md->d;
    const double left = d->corner.x + FRAME_WIDTH + MARGIN, right = left + BAR_WIDTH;
    for (int i = 0; i < BAR_PARTS; i++) {
        put_with(d, "<rect x=\"%\" y=\"%\" width=\"%\" height=\"%\"",
                 (double[]){left, d->corner.y + d->height * (1 - (i + 1.0) / BAR_PARTS), BAR_WIDTH,
                            d->height / BAR_PARTS + 0.5});
        put_heat(d, (i + 0.5) / BAR_PARTS);
    }
    for (long long i = md->value.first; i <= md->value.last; i++) {
        const trm_plot_tick tick = trm_plot_scale_tick(&md->value, i);
        const double y = d->corner.y + d->height * (1 - tick.place);
        if (tick.kind != TRM_TICK_MAJOR) continue;
        put_with(d, "<path class=\"frame\" d=\"M% %h%\"/>", (double[]){right, y, MAJOR_TICK});
        put_label(d, "<text class=\"value tick\" dy=\"4\" x=\"%\" y=\"%\">", (point){right + 9, y}, &tick);
    }
}

static void draw_map(map_drawing *md)
{
    const trm_plot_map *m = md->map;
    draw_panel(&md->d);
    for (int i = 0; i < points_of(m); i++) {
        if (!can_show(m, x_of(m, i), y_of(m, i), m->values[i])) continue;
        if (m->y_count > 0)
            draw_cell(md, i);
        else
            draw_dot(md, i);
    }
    draw_bar(md);
}

/* Returns a plot with the title and the axes of a map. */
static trm_plot frame_of(const trm_plot_map *m)
{
    return (trm_plot){.title = m->title, .x = m->x, .y = m->y};
}

bool trm_write_maps_svg(const trm_plot_map *maps, int count, trm_sink sink)
{
    map_drawing md = {.d = {.sink = sink, .height = count > 1 ? STACK_HEIGHT : FRAME_HEIGHT}};
    double labels = 0, width = 0, height = 0;
    for (int i = 0; i < count; i++) {
        md.map = &maps[i];
        choose_map_scales(&md);
        labels = fmax(labels, widest_label(&md.d.y));
    }
    md.d.corner = (point){MARGIN + LINE + labels + MAJOR_TICK, TOP};
    for (int i = 0; i < count; i++) {
        const trm_plot frame = frame_of(&maps[i]);
        md.map = &maps[i];
        choose_map_scales(&md);
        const double bar = 2 * MARGIN + BAR_WIDTH + MAJOR_TICK + widest_label(&md.value);
        width = fmax(width, fmax(panel_width(&md.d, &frame), md.d.corner.x + FRAME_WIDTH + bar + MARGIN));
        height += panel_height(&md.d, &frame);
    }
    begin_sheet(&md.d, count > 0 ? maps[0].title : "", width, height);
    for (int i = 0; i < count; i++) {
        const trm_plot frame = frame_of(&maps[i]);
        md.map = &maps[i];
        md.d.plot = &frame;
        choose_map_scales(&md);
        draw_map(&md);
        md.d.corner.y += panel_height(&md.d, &frame);
    }
    put(&md.d, "</svg>\n");
    return !md.d.failed;
}
