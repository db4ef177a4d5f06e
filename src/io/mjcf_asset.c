/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Materials and meshes of MJCF.
 *
 * The vertices of a mesh are shifted by -refpos, rotated by the conjugate of refquat, then multiplied by scale. Its
 * mass is that of the solid inside ("exact"), of the convex hull ("convex"), of its surface ("shell"), or of pyramids
 * that all count as positive ("legacy", the default, which for convex and star-shaped surfaces equals the solid). The
 * pyramids between the faces and the middle of the surface give the centre of mass; those between the faces and this
 * centre give volume and moments. */

#include <math.h>
#include <string.h>

#include "io/mjcf.h"
#include "io/resources.h"
#include "math/hull.h"

/* ---- Materials ---------------------------------------------------------------------------- */

static bool read_material(trm_mjcf *m, trm_xml *element, int class)
{
    double rgba[4] = {1, 1, 1, 1};
    const trm_mjcf_at at = trm_mjcf_resolve(m, element, "material", class);
    const bool given = trm_mjcf_numbers(&at, "rgba", rgba, 4) > 0;
    const char *name = trm_xml_value(element, "name");
    const trm_mjcf_material material = {name ? name : "", given ? trm_import_color(m->in, rgba) : NULL};
    return TRM_APPEND(m->in->scratch, m->materials, m->material_count, material) && (!given || material.color);
}

/* Returns the colour: rgba of the geom takes precedence over its material. Returns NULL if neither has one, or if out
 * of memory. */
const char *trm_mjcf_color(trm_mjcf *m, const char *material, const double *rgba, bool given)
{
    if (given) return trm_import_color(m->in, rgba);
    for (int i = 0; material && i < m->material_count; i++)
        if (strcmp(m->materials[i].name, material) == 0) return m->materials[i].color;
    return NULL;
}

/* ---- Meshes ------------------------------------------------------------------------------- */

/* Returns the name of a mesh without one: that of its file without folder and ending. */
const char *trm_mjcf_name_of_file(trm_mjcf *m, const char *file)
{
    const char *slash = strrchr(file, '/'), *start = slash ? slash + 1 : file, *dot = strrchr(start, '.');
    return trm_arena_text_n(m->in->scratch, start, dot ? (size_t)(dot - start) : strlen(start));
}

static bool add_mesh(trm_mjcf *m, trm_xml *element, int class)
{
    const trm_mjcf_at at = trm_mjcf_resolve(m, element, "mesh", class);
    const char *name = trm_xml_value(element, "name"), *file = trm_mjcf_value(&at, "file");
    if (!name && file) name = trm_mjcf_name_of_file(m, file);
    const trm_mjcf_mesh mesh = {.name = name ? name : "", .element = element, .class = at.class};
    return TRM_APPEND(m->in->scratch, m->meshes, m->mesh_count, mesh) && !m->in->scratch->failed;
}

bool trm_mjcf_read_assets(trm_mjcf *m, trm_xml *root)
{
    for (trm_xml *asset = trm_xml_child(root, "asset"); asset; asset = trm_xml_again(asset)) {
        const int class = trm_mjcf_class_of(m, asset, "class", 0);
        for (trm_xml *e = trm_xml_child(asset, "material"); e; e = trm_xml_again(e))
            if (!read_material(m, e, class)) return false;
        for (trm_xml *e = trm_xml_child(asset, "mesh"); e; e = trm_xml_again(e))
            if (!add_mesh(m, e, class)) return false;
    }
    return true;
}

/* ---- Their mass --------------------------------------------------------------------------- */

typedef struct face {
    trm_vec3 a, b, c, middle, normal; /* corners, middle, and a normal whose length is twice the area */
} face;

static face face_of(const trm_mesh *mesh, int i, trm_vec3 origin)
{
    const int *corner = mesh->triangles[i];
    face f;
    f.a = trm_v3_sub(mesh->vertices[corner[0]], origin);
    f.b = trm_v3_sub(mesh->vertices[corner[1]], origin);
    f.c = trm_v3_sub(mesh->vertices[corner[2]], origin);
    f.middle = trm_v3_scale(1.0 / 3, trm_v3_add(f.a, trm_v3_add(f.b, f.c)));
    f.normal = trm_v3_cross(trm_v3_sub(f.b, f.a), trm_v3_sub(f.c, f.a));
    return f;
}

static trm_vec3 middle_of_faces(const trm_mesh *mesh)
{
    trm_vec3 sum = {0, 0, 0};
    double area = 0;
    for (int i = 0; i < mesh->triangle_count; i++) {
        const face f = face_of(mesh, i, trm_v3(0, 0, 0));
        const double twice = trm_v3_length(f.normal);
        sum = trm_v3_add_scaled(sum, twice, f.middle);
        area += twice;
    }
    return area > 0 ? trm_v3_scale(1 / area, sum) : sum;
}

/* Adds the second moments of the pyramid of a face with its tip at the origin: v (a a + b b + c c)/20 and mixed
 * products. */
static void add_products(trm_mat3 *P, const face *f, double volume)
{
    const double s[3] = {f->a.x + f->b.x + f->c.x, f->a.y + f->b.y + f->c.y, f->a.z + f->b.z + f->c.z};
    const double v[3][3] = {{f->a.x, f->a.y, f->a.z}, {f->b.x, f->b.y, f->b.z}, {f->c.x, f->c.y, f->c.z}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double sum = s[i] * s[k];
            for (int n = 0; n < 3; n++) sum += v[n][i] * v[n][k];
            P->m[i][k] += volume / 20 * sum;
        }
}

static trm_mass mass_of_pyramids(const trm_mesh *mesh)
{
    const trm_vec3 middle = middle_of_faces(mesh);
    trm_mass made = {0};
    trm_mat3 P = {{{0}}};
    for (int i = 0; i < mesh->triangle_count; i++) {
        const face f = face_of(mesh, i, middle);
        const double volume = fabs(trm_v3_dot(f.middle, f.normal)) / 6;
        made.mass += volume;
        made.com = trm_v3_add_scaled(made.com, 0.75 * volume, f.middle);
    }
    if (!(made.mass > 0)) return made;
    made.com = trm_v3_add_scaled(middle, 1 / made.mass, made.com);
    made.mass = 0; /* recomputed from the second pyramids */
    for (int i = 0; i < mesh->triangle_count; i++) {
        const face f = face_of(mesh, i, made.com);
        const double volume = fabs(trm_v3_dot(f.middle, f.normal)) / 6;
        made.mass += volume;
        add_products(&P, &f, volume);
    }
    const double trace = P.m[0][0] + P.m[1][1] + P.m[2][2];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) made.inertia.m[i][k] = (i == k ? trace : 0) - P.m[i][k];
    return made;
}

static trm_mass mass_inside(const trm_mesh *mesh)
{
    return trm_mass_polyhedron(1, mesh->vertices, (const int(*)[3])mesh->triangles, mesh->triangle_count);
}

static bool find_mass(trm_mjcf *m, const trm_mjcf_at *at, trm_mjcf_mesh *mesh)
{
    const char *given = trm_mjcf_value(at, "inertia"),
               *rule = given ? given : trm_mjcf_options(m, mesh->element)->mesh_rule;
    trm_mesh hull;
    if (rule && strcmp(rule, "convex") == 0) {
        const trm_status status =
            trm_convex_hull(m->in->scratch, mesh->mesh.vertices, mesh->mesh.vertex_count, &hull, NULL);
        if (status == TRM_OK) mesh->mass = mass_inside(&hull);
        return status != TRM_OUT_OF_MEMORY;
    }
    if (rule && strcmp(rule, "shell") == 0) {
        mesh->mass = trm_mjcf_mesh_shell(&mesh->mesh);
        return true;
    }
    mesh->mass = rule && strcmp(rule, "exact") == 0 ? mass_inside(&mesh->mesh) : mass_of_pyramids(&mesh->mesh);
    return true;
}

/* ---- Their vertices ----------------------------------------------------------------------- */

static bool transform(const trm_mjcf_at *at, trm_mjcf_mesh *mesh)
{
    double p[3] = {0, 0, 0}, q[4] = {1, 0, 0, 0}, s[3] = {1, 1, 1};
    trm_mjcf_numbers(at, "refpos", p, 3);
    trm_mjcf_numbers(at, "refquat", q, 4);
    trm_mjcf_numbers(at, "scale", s, 3);
    const trm_quat turn = {q[0], q[1], q[2], q[3]};
    const bool moved = p[0] != 0 || p[1] != 0 || p[2] != 0 || q[1] != 0 || q[2] != 0 || q[3] != 0;
    mesh->plain = !moved && s[0] == 1 && s[1] == 1 && s[2] == 1;
    if (!(trm_quat_norm(turn) > 0)) return true;
    for (int i = 0; moved && i < mesh->mesh.vertex_count; i++) {
        trm_vec3 *v = &mesh->mesh.vertices[i];
        *v = trm_rotate_back(trm_quat_unit(turn), trm_v3_sub(*v, trm_v3(p[0], p[1], p[2])));
    }
    trm_scale_mesh(&mesh->mesh, trm_v3(s[0], s[1], s[2]));
    return true;
}

static int count_numbers(const char *text)
{
    int count = 0;
    for (bool inside = false; *text; text++) {
        const bool space = strchr(" \t\r\n", *text) != NULL;
        count += !space && !inside;
        inside = !space;
    }
    return count;
}

/* Reads vertices and faces given in the element; without faces the convex hull is taken. Returns false if out of
 * memory. */
static bool read_inline(trm_mjcf *m, const trm_mjcf_at *at, const char *text, trm_mjcf_mesh *mesh)
{
    const char *faces = trm_mjcf_value(at, "face");
    const int n = count_numbers(text), f = faces ? count_numbers(faces) : 0;
    double *v = TRM_NEW_ARRAY(m->in->scratch, double, n + f + 1);
    trm_vec3 *points = TRM_NEW_ARRAY(m->in->def->arena, trm_vec3, n / 3 + 1);
    mesh->mesh = (trm_mesh){.vertices = points, .vertex_count = n / 3, .triangle_count = f / 3};
    mesh->mesh.triangles = trm_arena_array(m->in->def->arena, (size_t)f / 3 + 1, sizeof *mesh->mesh.triangles);
    if (!v || !points || !mesh->mesh.triangles) return false;
    if (trm_xml_list(at->element, "vertex", text, v, n, m->in->messages) < 0) return true;
    for (int i = 0; i < n / 3; i++) points[i] = trm_v3(v[3 * i], v[3 * i + 1], v[3 * i + 2]);
    if (!faces) return trm_convex_hull(m->in->def->arena, points, n / 3, &mesh->mesh, NULL) != TRM_OUT_OF_MEMORY;
    if (trm_xml_list(at->element, "face", faces, v, f, m->in->messages) < 0) return true;
    for (int i = 0; i < f; i++) {
        const bool sound = v[i] >= 0 && v[i] < n / 3;
        if (!sound)
            trm_add_error(m->in->messages, at->element->place,
                          "mesh '%s': face %d names a vertex that does not exist", mesh->name, i / 3);
        mesh->mesh.triangles[i / 3][i % 3] = sound ? (int)v[i] : 0;
    }
    return true;
}

static const char *path_of(trm_mjcf *m, const trm_mjcf_compiler *compiler, const char *file)
{
    const char *slash = compiler->strip_path ? strrchr(file, '/') : NULL;
    if (slash) file = slash + 1;
    const bool bare = !compiler->meshdir || !compiler->meshdir[0] || file[0] == '/';
    return bare ? file : trm_arena_format(m->in->scratch, "%s/%s", compiler->meshdir, file);
}

/* Reads the mesh from a file, whose path is relative to the document that names it. Returns false if out of
 * memory. */
static bool load_file(trm_mjcf *m, trm_mjcf_mesh *mesh, const char *file)
{
    const trm_mjcf_compiler *compiler = trm_mjcf_options(m, mesh->element);
    const char *path = path_of(m, compiler, file), *before = m->in->directory;
    m->in->directory = compiler->directory;
    const bool good = path && trm_import_mesh(m->in, path, mesh->element->place, &mesh->mesh, &mesh->path);
    m->in->directory = before;
    return good;
}

static bool load_mesh(trm_mjcf *m, trm_mjcf_mesh *mesh)
{
    const trm_mjcf_at at = {m, mesh->element, "mesh", mesh->class};
    const char *file = trm_mjcf_value(&at, "file"), *text = trm_mjcf_value(&at, "vertex");
    mesh->asked = true;
    if (file) {
        if (!load_file(m, mesh, file)) return false;
    } else if (text && !read_inline(m, &at, text, mesh)) {
        return false;
    }
    mesh->missing = mesh->mesh.triangle_count == 0;
    if (!file && mesh->missing)
        trm_add_warning(m->in->messages, mesh->element->place,
                        "mesh '%s' has neither a file nor vertices that can be read", mesh->name);
    return mesh->missing || (transform(&at, mesh) && find_mass(m, &at, mesh));
}

bool trm_mjcf_find_mesh(trm_mjcf *m, const char *name, trm_place place, trm_mjcf_mesh **mesh)
{
    *mesh = NULL;
    for (int i = 0; i < m->mesh_count && !*mesh; i++)
        if (strcmp(m->meshes[i].name, name) == 0) *mesh = &m->meshes[i];
    if (!*mesh) {
        trm_add_error(m->in->messages, place, "there is no mesh '%s' in <asset>", name);
        return true;
    }
    if (!(*mesh)->asked && !load_mesh(m, *mesh)) return false;
    if ((*mesh)->missing) *mesh = NULL;
    return true;
}
