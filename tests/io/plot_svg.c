/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Plots: the picture is read back, and its ticks and points are compared with the numbers. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "io/json.h"
#include "small_sink.h"
#include "trammel/trammel.h"

/* Coordinates are written with two decimals. */
static const double PLACE_TOLERANCE = 0.006;

/* For a point between two ticks, whose own positions are rounded. */
static const double TICK_TOLERANCE = 0.02;

/* ---- Reading a picture -------------------------------------------------------------------- */

static char *draw(const trm_plot *plot)
{
    trm_text *text = trm_text_create(NULL);
    assert_true(trm_write_plot_svg(plot, trm_text_sink(text)));
    char *copy = strdup(trm_text_get(text));
    trm_text_destroy(text);
    return copy;
}

/* Checks the rules of XML that matter here: tags in pairs, closed quotes, & only before entities, no forbidden
 * byte. */
static bool is_well_formed(const char *text)
{
    enum { DEEPEST = 20 };
    const char *open[DEEPEST], *end = text + strlen(text);
    int depth = 0;
    for (const char *at = text; at < end;) {
        const int bytes = trm_utf8_length(at, end);
        if (bytes == 0 || ((unsigned char)*at < ' ' && !strchr("\t\n\r", *at))) return false;
        if (bytes == 3 && memcmp(at, "\xef\xbf", 2) == 0 && (unsigned char)at[2] >= 0xbe) return false;
        if (*at == '&' && strncmp(at, "&amp;", 5) != 0 && strncmp(at, "&lt;", 4) != 0 && strncmp(at, "&gt;", 4) != 0)
            return false;
        if (*at == '<') {
            const char *name = at + 1 + (at[1] == '/'), *close = at;
            const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz");
            for (bool quoted = false; *close && (quoted || *close != '>'); close++)
                if (*close == '"') quoted = !quoted;
            if (!*close || length == 0) return false;
            if (at[1] == '/' && (depth == 0 || strncmp(open[--depth], name, length) != 0)) return false;
            if (at[1] != '/' && close[-1] != '/') {
                if (depth == DEEPEST) return false;
                open[depth++] = name;
            }
            at = close;
        }
        at += *at == '>' ? 1 : bytes;
    }
    return depth == 0;
}

static int count_of(const char *text, const char *what)
{
    int count = 0;
    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what)) count++;
    return count;
}

/* Returns the number of an attribute such as x=" in the tag at text. */
static double attribute(const char *tag, const char *name)
{
    const char *found = strstr(tag, name);
    assert_non_null(found);
    return strtod(found + strlen(name), NULL);
}

typedef struct tick {
    double value, place;
} tick;

enum { MOST_TICKS = 40 };

/* Reads the labelled ticks of the axis "x" or "y"; returns their number. */
static int read_ticks(const char *picture, const char *axis, tick *ticks)
{
    char start[40], place[8];
    int count = 0;
    snprintf(start, sizeof start, "<text class=\"%s tick\"", axis);
    snprintf(place, sizeof place, " %s=\"", axis);
    for (const char *at = strstr(picture, start); at; at = strstr(at + 1, start)) {
        const char *label = strchr(at, '>') + 1;
        const char *power = strncmp(label, "10<tspan", 8) == 0 ? strchr(label, '>') + 1 : NULL;
        assert_true(count < MOST_TICKS);
        ticks[count].place = attribute(at, place);
        ticks[count++].value = power ? pow(10, atoi(power)) : strtod(label, NULL);
    }
    return count;
}

/* Returns the position of a value according to the ticks. */
static double place_by_ticks(const char *picture, const char *axis, double value, bool logarithmic)
{
    tick ticks[MOST_TICKS];
    const int count = read_ticks(picture, axis, ticks);
    assert_true(count >= 2);
    const tick a = ticks[0], b = ticks[count - 1];
    const double share =
        logarithmic ? log(value / a.value) / log(b.value / a.value) : (value - a.value) / (b.value - a.value);
    return a.place + share * (b.place - a.place);
}

typedef struct point {
    double x, y;
} point;

/* Reads the points of a path, the first of its class in the picture: numbers after M and L. */
static int read_path(const char *picture, const char *class, point *points, int most)
{
    char start[60];
    int count = 0;
    snprintf(start, sizeof start, "<path class=\"%s\" d=\"", class);
    const char *at = strstr(picture, start);
    assert_non_null(at);
    for (at += strlen(start); *at != '"'; at++) {
        char *next;
        if (*at != 'M' && *at != 'L') continue;
        assert_true(count < most);
        points[count].x = strtod(at + 1, &next);
        points[count++].y = strtod(next, NULL);
    }
    return count;
}

typedef struct frame {
    double left, top, right, bottom;
} frame;

static frame read_frame(const char *picture)
{
    const char *tag = strstr(picture, "<rect class=\"frame\"");
    assert_non_null(tag);
    const double left = attribute(tag, " x=\""), top = attribute(tag, " y=\"");
    return (frame){left, top, left + attribute(tag, " width=\""), top + attribute(tag, " height=\"")};
}

/* ---- Points and axes ---------------------------------------------------------------------- */

static void assert_points_lie_right(trm_plot_series series, bool x_logarithmic, bool y_logarithmic)
{
    const trm_plot plot = {"", {"", x_logarithmic}, {"", y_logarithmic}, &series, 1};
    char *picture = draw(&plot);
    point points[10];
    assert_int_equal(read_path(picture, "marker", points, 10), series.count);
    for (int i = 0; i < series.count; i++) {
        assert_near(points[i].x, place_by_ticks(picture, "x", series.x[i], x_logarithmic), TICK_TOLERANCE);
        assert_near(points[i].y, place_by_ticks(picture, "y", series.y[i], y_logarithmic), TICK_TOLERANCE);
    }
    free(picture);
}

static void a_point_lies_where_its_axes_say(void **state)
{
    (void)state;
    const double small[] = {1e-9, 3.3e-7, 2e-3}, times[] = {0, 0.7, 1.3}, mixed[] = {-3, 12.5, 7};
    const double close[] = {0.0011, 0.0042, 0.0199}, offset[] = {1e6 + 1, 1e6 + 2.5, 1e6 + 7};
    assert_points_lie_right((trm_plot_series){"", times, mixed, 3}, false, false);
    assert_points_lie_right((trm_plot_series){"", close, small, 3}, true, true);
    assert_points_lie_right((trm_plot_series){"", offset, small, 3}, false, true);
    assert_points_lie_right((trm_plot_series){"", small, offset, 3}, true, false);
}

static void larger_is_right_and_above(void **state)
{
    (void)state;
    const double x[] = {1, 2}, y[] = {3, 4};
    const trm_plot_series series = {"", x, y, 2};
    const trm_plot plot = {"", {"", false}, {"", false}, &series, 1};
    char *picture = draw(&plot);
    point points[2];
    read_path(picture, "marker", points, 2);
    assert_true(points[1].x > points[0].x && points[1].y < points[0].y);
    free(picture);
}

static void assert_labels(double least, double most, bool logarithmic, const double *expected, int count)
{
    const double x[] = {least, most}, y[] = {0, 0};
    const trm_plot_series series = {"", x, y, 2};
    const trm_plot plot = {"", {"", logarithmic}, {"", false}, &series, 1};
    char *picture = draw(&plot);
    tick ticks[MOST_TICKS];
    assert_int_equal(read_ticks(picture, "x", ticks), count);
    for (int i = 0; i < count; i++) assert_near(ticks[i].value, expected[i], 1e-15 * fabs(expected[i]));
    free(picture);
}

static void ticks_are_round_numbers(void **state)
{
    (void)state;
    assert_labels(0, 10, false, (double[]){0, 2, 4, 6, 8, 10}, 6);
    assert_labels(0.1, 0.7, false, (double[]){0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}, 7);
    assert_labels(-0.03, 2.1, false, (double[]){-0.5, 0, 0.5, 1, 1.5, 2, 2.5}, 7);
    assert_labels(2, 2, false, (double[]){1, 1.5, 2, 2.5, 3}, 5);
    assert_labels(0, 0, false, (double[]){-1, -0.5, 0, 0.5, 1}, 5);
    assert_labels(3e-6, 1e-3, true, (double[]){2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3}, 9);
    assert_labels(2e-6, 5e-2, true, (double[]){1e-5, 1e-4, 1e-3, 1e-2}, 4);
    assert_labels(1, 1, true, (double[]){0.5, 1, 2}, 3);
    assert_labels(1e-20, 1e20, true, (double[]){1e-20, 1e-16, 1e-12, 1e-8, 1e-4, 1, 1e4, 1e8, 1e12, 1e16, 1e20}, 11);
}

static void assert_inside(point p, frame f)
{
    assert_true(p.x >= f.left - PLACE_TOLERANCE && p.x <= f.right + PLACE_TOLERANCE);
    assert_true(p.y >= f.top - PLACE_TOLERANCE && p.y <= f.bottom + PLACE_TOLERANCE);
}

static void assert_axes_hold(const double *values, int count, bool logarithmic)
{
    const trm_plot_series series = {"", values, values, count};
    const trm_plot plot = {"", {"", logarithmic}, {"", logarithmic}, &series, 1};
    char *picture = draw(&plot);
    const frame f = read_frame(picture);
    point points[10];
    tick ticks[MOST_TICKS];
    assert_true(is_well_formed(picture));
    assert_int_equal(read_path(picture, "marker", points, 10), count);
    for (int i = 0; i < count; i++) assert_inside(points[i], f);
    const int labels = read_ticks(picture, "x", ticks);
    assert_true(labels >= 2 && labels <= 12);
    for (int i = 1; i < labels; i++) assert_true(ticks[i].place > ticks[i - 1].place);
    free(picture);
}

static void axes_contain_all_points_of_any_range(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(7);
    assert_axes_hold((double[]){-1e300, 1e300}, 2, false);
    assert_axes_hold((double[]){5e-324, 1e-310}, 2, false);
    assert_axes_hold((double[]){1e-300, 1e300}, 2, true);
    assert_axes_hold((double[]){1e-300}, 1, true);
    assert_axes_hold((double[]){1e300}, 1, true);
    assert_axes_hold((double[]){1, 1 + 1e-15}, 2, false);
    for (int round = 0; round < 2000; round++) {
        const double middle = trm_random_uniform(&random, -1, 1) * pow(10, trm_random_uniform(&random, -20, 20));
        const double width = fabs(middle) * pow(10, trm_random_uniform(&random, -14, 3));
        const double values[3] = {middle, middle + width, middle + 0.3 * width};
        const double positive[3] = {fabs(values[0]), fabs(values[1]), fabs(values[2])};
        assert_axes_hold(values, 3, false);
        assert_axes_hold(positive, 3, true);
    }
}

/* ---- Points that are left out ------------------------------------------------------------- */

static void values_that_cannot_be_drawn_leave_a_gap(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4, 5, 6, 7, INFINITY, 9}, y[] = {1, 2, NAN, 3, 0, -1, 4, 5, 6};
    const trm_plot_series series = {"", x, y, 9};
    trm_plot plot = {"", {"", false}, {"", true}, &series, 1};
    char *picture = draw(&plot);
    point points[10];
    assert_int_equal(read_path(picture, "marker", points, 10), 5);
    assert_int_equal(read_path(picture, "line", points, 10), 5);
    assert_int_equal(count_of(strstr(picture, "class=\"line\""), "h0"), 4); /* 1 2, 4, 7, 9 */
    free(picture);

    plot.y.logarithmic = false;
    picture = draw(&plot);
    assert_int_equal(read_path(picture, "marker", points, 10), 7);
    assert_int_equal(count_of(strstr(picture, "class=\"line\""), "h0"), 3); /* 1 2, 4 5 6 7, 9 */
    free(picture);
}

static void a_plot_of_nothing_has_axes(void **state)
{
    (void)state;
    const double x[] = {NAN, 1}, y[] = {1, -INFINITY};
    const trm_plot_series series[] = {{"empty", NULL, NULL, 0}, {"none", x, y, 2}};
    for (int count = 0; count <= 2; count++)
        for (int logarithmic = 0; logarithmic <= 1; logarithmic++) {
            const trm_plot plot = {NULL, {NULL, logarithmic}, {NULL, logarithmic}, count ? series : NULL, count};
            char *picture = draw(&plot);
            tick ticks[MOST_TICKS];
            assert_true(is_well_formed(picture));
            assert_true(read_ticks(picture, "x", ticks) >= 2);
            assert_true(read_ticks(picture, "y", ticks) >= 2);
            free(picture);
        }
}

/* ---- Texts and legend --------------------------------------------------------------------- */

static void any_text_gives_a_picture_that_is_xml(void **state)
{
    (void)state;
    const char *const texts[] = {"a < b & \"c\" > 'd' ]]>",
                                 "\x01\x1f\x7f",
                                 "\xff\xc3(\xed\xa0\x80",
                                 "\xef\xbf\xbf",
                                 "\xc3\xa9\xe2\x82\xac\xf0\x9f\x99\x82",
                                 "%",
                                 "",
                                 NULL};
    const double x[] = {1}, y[] = {2};
    for (int i = 0; i < 8; i++) {
        const trm_plot_series series = {texts[i], x, y, 1};
        const trm_plot plot = {texts[i], {texts[i], false}, {texts[i], false}, &series, 1};
        char *picture = draw(&plot);
        assert_true(is_well_formed(picture));
        free(picture);
    }
    assert_false(is_well_formed("<a><b></a></b>")); /* the check does refuse invalid text */
    assert_false(is_well_formed("<a>&</a>"));
    assert_false(is_well_formed("<a>\x01</a>"));
}

static void texts_are_found_in_the_picture(void **state)
{
    (void)state;
    const double x[] = {1}, y[] = {2};
    const trm_plot_series series = {"R&D \xff 100%", x, y, 1};
    const trm_plot plot = {"a<b", {"t, s", false}, {"error, m", false}, &series, 1};
    char *picture = draw(&plot);
    assert_int_equal(count_of(picture, ">a&lt;b</t"), 2); /* title, and the text above the frame */
    assert_int_equal(count_of(picture, ">t, s</text>"), 1);
    assert_int_equal(count_of(picture, ">error, m</text>"), 1);
    assert_int_equal(count_of(picture, ">R&amp;D \xef\xbf\xbd 100%</text>"), 1);
    free(picture);
}

static void the_legend_is_on_the_sheet_and_covers_no_data(void **state)
{
    (void)state;
    enum { MANY = 60 };
    const double x[] = {1, 2}, y[] = {2, 3};
    trm_plot_series series[MANY];
    for (int i = 0; i < MANY; i++) series[i] = (trm_plot_series){"a rather long name of a series", x, y, 2};
    for (int count = 1; count <= MANY; count += MANY - 1) {
        const trm_plot plot = {"", {"", false}, {"", false}, series, count};
        char *picture = draw(&plot);
        const frame f = read_frame(picture);
        assert_int_equal(count_of(picture, "<text class=\"legend\""), count);
        for (const char *at = strstr(picture, "class=\"legend\""); at; at = strstr(at + 1, "class=\"legend\"")) {
            assert_true(attribute(at, " x=\"") > f.right);
            assert_true(attribute(at, " x=\"") + 5 * (double)strlen(series[0].name) <
                        attribute(picture, " width=\""));
            assert_true(attribute(at, " y=\"") < attribute(picture, " height=\""));
        }
        free(picture);
    }
    series[0].name = NULL;
    const trm_plot plot = {"", {"", false}, {"", false}, series, 1};
    char *picture = draw(&plot);
    assert_int_equal(count_of(picture, "<text class=\"legend\""), 0);
    free(picture);
}

/* Returns colour and shape of the marker of each series as in the picture. */
static void series_can_be_told_apart(void **state)
{
    (void)state;
    enum { MANY = 56, LOOK = 400 };
    static char looks[MANY][LOOK];
    const double x[] = {1}, y[] = {2};
    trm_plot_series series[MANY];
    for (int i = 0; i < MANY; i++) series[i] = (trm_plot_series){NULL, x, y, 1};
    const trm_plot plot = {"", {"", false}, {"", false}, series, MANY};
    char *picture = draw(&plot);
    const char *at = picture;
    for (int i = 0; i < MANY; i++) {
        at = strstr(at + 1, "<g class=\"c");
        assert_non_null(at);
        snprintf(looks[i], LOOK, "%.*s", (int)strcspn(at, "\n"), at);
        for (int k = 0; k < i; k++) assert_string_not_equal(looks[i], looks[k]);
    }
    free(picture);
}

/* Markers of twenty-four lines would hide each other: the lines have dashes instead, and all names. */
static void many_series_have_names_and_dashes_but_no_markers(void **state)
{
    (void)state;
    enum { MANY = 24 };
    char names[MANY][20];
    const double x[] = {1, 2}, y[] = {2, 3};
    trm_plot_series series[MANY];
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "line %d.", i);
        series[i] = (trm_plot_series){names[i], x, y, 2};
    }
    const trm_plot plot = {"", {"", false}, {"", false}, series, MANY};
    char *picture = draw(&plot);
    assert_null(strstr(picture, "class=\"marker\""));
    assert_non_null(strstr(picture, "stroke-dasharray"));
    for (int i = 0; i < MANY; i++) assert_non_null(strstr(picture, names[i]));
    free(picture);
}

/* ---- Many points -------------------------------------------------------------------------- */

static void long_series_are_thinned_and_keep_their_extremes(void **state)
{
    (void)state;
    enum { MANY = 200000, MOST_DRAWN = 4 * 641 };
    double *x = test_malloc(MANY * sizeof *x), *y = test_malloc(MANY * sizeof *y);
    point *points = test_malloc(MOST_DRAWN * sizeof *points);
    trm_random random = trm_random_seed(3);
    for (int i = 0; i < MANY; i++) {
        x[i] = i;
        y[i] = trm_random_uniform(&random, -0.5, 0.5);
    }
    y[77777] = 1; /* two peaks of one point each */
    y[123456] = -1;
    const trm_plot_series series = {"", x, y, MANY};
    const trm_plot plot = {"", {"", false}, {"", false}, &series, 1};
    char *picture = draw(&plot);
    const frame f = read_frame(picture);
    const int count = read_path(picture, "line", points, MOST_DRAWN);
    double highest = f.bottom, lowest = f.top;
    for (int i = 0; i < count; i++) {
        highest = fmin(highest, points[i].y);
        lowest = fmax(lowest, points[i].y);
    }
    assert_near(highest, f.top, PLACE_TOLERANCE);
    assert_near(lowest, f.bottom, PLACE_TOLERANCE);
    assert_near(points[0].x, f.left, PLACE_TOLERANCE);
    assert_near(points[count - 1].x, place_by_ticks(picture, "x", MANY - 1, false), TICK_TOLERANCE);
    const int marked = read_path(picture, "marker", points, MOST_DRAWN);
    assert_true(marked >= 5 && marked <= 20);
    free(picture);
    test_free(points);
    test_free(y);
    test_free(x);
}

/* ---- Maps --------------------------------------------------------------------------------- */

static char *draw_map(const trm_plot_map *map)
{
    trm_text *text = trm_text_create(NULL);
    assert_true(trm_write_maps_svg(map, 1, trm_text_sink(text)));
    char *copy = strdup(trm_text_get(text));
    trm_text_destroy(text);
    assert_true(is_well_formed(copy));
    return copy;
}

/* Cells of a grid tile the frame between the outermost values; values that are not numbers give empty cells; texts
 * are escaped. */
static void cells_of_maps_meet_half_way(void **state)
{
    (void)state;
    const double x[] = {0, 1, 3}, y[] = {10, 20}, values[] = {0, 1, 2, NAN, 4, 5};
    const trm_plot_map map = {.title = "a<b & c",
                              .x = {"x", false},
                              .y = {"y", false},
                              .xs = x,
                              .ys = y,
                              .x_count = 3,
                              .y_count = 2,
                              .values = values};
    char *picture = draw_map(&map);
    const frame f = read_frame(picture);
    assert_int_equal(count_of(picture, "class=\"cell\""), 5);
    const char *cell = strstr(picture, "class=\"cell\"");
    const double left[] = {0, 0, 0.5, 2, 2}; /* the cell at x = 1, y = 20 is empty */
    for (int i = 0; i < 5; i++, cell = strstr(cell + 1, "class=\"cell\""))
        assert_near(attribute(cell, " x=\""), f.left + (place_by_ticks(picture, "x", left[i], false) - f.left),
                    TICK_TOLERANCE);
    assert_non_null(strstr(picture, "rgb(68,1,84)"));
    assert_non_null(strstr(picture, "rgb(253,231,37)"));
    free(picture);
}

static void maps_without_numbers_are_drawn(void **state)
{
    (void)state;
    const double nothing[] = {NAN, INFINITY}, same[] = {1, 1};
    const trm_plot_map maps[] = {
        {.xs = nothing, .ys = nothing, .x_count = 2, .values = nothing},
        {.xs = same, .ys = same, .x_count = 1, .y_count = 1, .values = same},
        {.xs = same, .ys = same, .x_count = 0, .y_count = 0, .values = same},
        {.x = {"x", true}, .y = {"y", true}, .xs = same, .ys = same, .x_count = 2, .values = same}};
    for (int i = 0; i < 4; i++) free(draw_map(&maps[i]));
}

/* Spikes up and down within one column, in either order. */
static void thinned_points_keep_their_order(void **state)
{
    (void)state;
    enum { SPIKES = 100, PERIOD = 500, MANY = SPIKES * PERIOD, MOST_DRAWN = 4 * 641 };
    double *x = test_malloc(MANY * sizeof *x), *y = test_malloc(MANY * sizeof *y);
    point *points = test_malloc(MOST_DRAWN * sizeof *points);
    for (int i = 0; i < MANY; i++) {
        const int sign = i / PERIOD % 2 ? 1 : -1;
        x[i] = i;
        y[i] = i % PERIOD == 10 ? sign : i % PERIOD == 20 ? -sign : 0;
    }
    const trm_plot_series series = {"", x, y, MANY};
    const trm_plot plot = {"", {"", false}, {"", false}, &series, 1};
    char *picture = draw(&plot);
    const frame f = read_frame(picture);
    const int count = read_path(picture, "line", points, MOST_DRAWN);
    int ups = 0, downs = 0;
    for (int i = 0; i < count; i++) {
        ups += points[i].y == f.top;
        downs += points[i].y == f.bottom;
        if (i > 0) assert_true(points[i].x >= points[i - 1].x);
    }
    assert_int_equal(ups, SPIKES);
    assert_int_equal(downs, SPIKES);
    free(picture);
    test_free(points);
    test_free(y);
    test_free(x);
}

/* ---- Several plots ------------------------------------------------------------------------ */

static void plots_are_stacked_with_their_frames_in_line(void **state)
{
    (void)state;
    const double x[] = {0, 1}, y[] = {0, 1}, large[] = {0, 123456};
    const trm_plot_series one = {"one", x, y, 2}, two = {"two", x, large, 2};
    const trm_plot plots[] = {{"title", {"t, s", false}, {"y, m", false}, &one, 1},
                              {NULL, {"t, s", false}, {"z, N", false}, &two, 1}};
    trm_text *text = trm_text_create(NULL);
    assert_true(trm_write_plots_svg(plots, 2, trm_text_sink(text)));
    const char *picture = trm_text_get(text);
    assert_true(is_well_formed(picture));
    const char *first = strstr(picture, "<rect class=\"frame\""),
               *second = strstr(first + 1, "<rect class=\"frame\"");
    assert_non_null(second);
    assert_near(attribute(second, " x=\""), attribute(first, " x=\""), 0);
    assert_true(attribute(second, " y=\"") > attribute(first, " y=\"") + attribute(first, " height=\""));
    assert_true(attribute(picture, " height=\"") > attribute(second, " y=\"") + attribute(second, " height=\""));
    assert_non_null(strstr(picture, ">y, m<"));
    assert_non_null(strstr(picture, ">z, N<"));
    trm_text_destroy(text);
}

/* ---- Failures ----------------------------------------------------------------------------- */

static void a_sink_that_refuses_is_reported_and_left_alone(void **state)
{
    (void)state;
    const double x[] = {1, 2}, y[] = {2, 3};
    const trm_plot_series series = {"one", x, y, 2};
    const trm_plot plot = {"title", {"t, s", false}, {"y, m", true}, &series, 1};
    char *picture = draw(&plot);
    const size_t length = strlen(picture);
    free(picture);
    for (size_t room = 0; room < length; room++) {
        small_sink s = {.left = room};
        assert_false(trm_write_plot_svg(&plot, (trm_sink){write_some, &s}));
        assert_int_equal(s.refusals, 1);
    }
    small_sink s = {.left = length};
    assert_true(trm_write_plot_svg(&plot, (trm_sink){write_some, &s}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_lies_where_its_axes_say),
        cmocka_unit_test(larger_is_right_and_above),
        cmocka_unit_test(ticks_are_round_numbers),
        cmocka_unit_test(axes_contain_all_points_of_any_range),
        cmocka_unit_test(values_that_cannot_be_drawn_leave_a_gap),
        cmocka_unit_test(a_plot_of_nothing_has_axes),
        cmocka_unit_test(any_text_gives_a_picture_that_is_xml),
        cmocka_unit_test(texts_are_found_in_the_picture),
        cmocka_unit_test(the_legend_is_on_the_sheet_and_covers_no_data),
        cmocka_unit_test(series_can_be_told_apart),
        cmocka_unit_test(many_series_have_names_and_dashes_but_no_markers),
        cmocka_unit_test(long_series_are_thinned_and_keep_their_extremes),
        cmocka_unit_test(thinned_points_keep_their_order),
        cmocka_unit_test(cells_of_maps_meet_half_way),
        cmocka_unit_test(maps_without_numbers_are_drawn),
        cmocka_unit_test(plots_are_stacked_with_their_frames_in_line),
        cmocka_unit_test(a_sink_that_refuses_is_reported_and_left_alone),
    };
    return RUN_TESTS(tests);
}
