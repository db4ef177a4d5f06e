/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel mesh: describes a mesh file. */

#include <math.h>
#include <stdio.h>

#include "command.h"

static void print_vector(const char *name, trm_vec3 v)
{
    printf("%-10s %.17g %.17g %.17g m\n", name, v.x, v.y, v.z);
}

static void print_facts(const char *path, const trm_mesh_facts *f)
{
    static const double LARGEST = 20; /* m: parts of robots are smaller */
    const trm_vec3 size = trm_v3_sub(f->max, f->min);
    printf("%s\n\ntriangles  %d\nvertices   %d\nclosed     %s\n", path, f->triangles, f->vertices,
           f->closed ? "yes" : "no");
    printf("volume     %.17g m^3%s\n", f->volume, f->closed && f->volume < 0 ? ", which is inside out" : "");
    print_vector("centroid", f->centroid);
    printf("area       %.17g m^2\n", f->area);
    print_vector("min", f->min);
    print_vector("max", f->max);
    if (fmax(size.x, fmax(size.y, size.z)) > LARGEST)
        printf("hint       it is %.3g m large, which looks like millimetres: use it with scale 0.001\n",
               fmax(size.x, fmax(size.y, size.z)));
}

static void put_vector(trm_json_writer *w, const char *key, trm_vec3 v)
{
    trm_json_put_numbers(w, key, (double[]){v.x, v.y, v.z}, 3);
}

static void print_json(const trm_mesh_facts *f)
{
    trm_json_writer w = trm_json_begin(trm_file_sink(stdout));
    trm_json_open_object(&w, NULL);
    trm_json_put_integer(&w, "triangles", f->triangles);
    trm_json_put_integer(&w, "vertices", f->vertices);
    trm_json_put_bool(&w, "closed", f->closed);
    trm_json_put_number(&w, "volume", f->volume);
    put_vector(&w, "centroid", f->centroid);
    trm_json_put_number(&w, "area", f->area);
    put_vector(&w, "min", f->min);
    put_vector(&w, "max", f->max);
    trm_json_close(&w);
    trm_json_end(&w);
}

static exit_code run(const command_line *line)
{
    trm_mesh_facts facts;
    trm_messages *messages = trm_messages_create(NULL);
    const trm_status status =
        messages ? trm_read_mesh_facts(line->words[0], NULL, messages, &facts) : TRM_OUT_OF_MEMORY;
    if (messages) print_messages(messages);
    trm_messages_destroy(messages);
    if (status == TRM_OUT_OF_MEMORY) fprintf(stderr, "trammel mesh: out of memory\n");
    if (status != TRM_OK) return EXIT_BAD_INPUT;
    if (has_option(line, "--json"))
        print_json(&facts);
    else
        print_facts(line->words[0], &facts);
    return EXIT_DONE;
}

static const option options[] = {
    {"--json", NULL, "print one JSON object instead of text"},
};

const command command_mesh = {
    .name = "mesh",
    .words = "FILE",
    .least = 1,
    .most = 1,
    .summary = "describe a mesh file: size, volume, area, whether it is closed",
    .details = "Reads STL, OBJ, COLLADA (.dae) and glTF (.gltf, .glb).",
    .options = options,
    .option_count = COUNT_OF(options),
    .run = run,
};
