/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* <attach> of MJCF: replaces the element by a body of another model with all its descendants, or by all of the other
 * model's world.
 *
 *     <asset><model name="M" file="F"/></asset>      <attach model="M" body="B" prefix="P"/>
 *
 * becomes a <frame> with a copy of B, in which P is put before all names and references. The defaults and assets of
 * the other model are copied in the same way, and those of its tendons, equalities, contacts, actuators and sensors
 * that refer to attached elements only. The copies keep the options of their own <compiler>: each document is a scope
 * (trm_xml.scope). */

#include <string.h>

#include "base/names.h"
#include "io/mjcf.h"
#include "io/resources.h"

typedef struct other_model {
    const trm_xml *asset;
    trm_xml *root; /* NULL: it could not be read; the error has been reported */
    int scope;
} other_model;

typedef struct attaching {
    trm_mjcf *m;
    trm_xml *root;
    other_model *models;
    int model_count;
    int depth;
} attaching;

/* One <attach>. */
typedef struct attachment {
    trm_mjcf *m;
    const other_model *model;
    const char *prefix;
    trm_names kept; /* "kind name" of each attached element */
    int left_out;   /* number of elements omitted because they refer to other elements */
} attachment;

enum { MOST_DEPTH = 10 };

/* ---- Copies ------------------------------------------------------------------------------- */

/* Returns the kind of element that an attribute names. Returns NULL if the attribute is not a name. */
static const char *kind_of(const trm_xml *element, const char *attribute)
{
    static const char *const KINDS[][2] = {
        {"joint", "joint"},     {"joint1", "joint"},      {"joint2", "joint"},  {"jointinparent", "joint"},
        {"body", "body"},       {"body1", "body"},        {"body2", "body"},    {"target", "body"},
        {"geom", "geom"},       {"geom1", "geom"},        {"geom2", "geom"},    {"site", "site"},
        {"site1", "site"},      {"site2", "site"},        {"refsite", "site"},  {"cranksite", "site"},
        {"slidersite", "site"}, {"sidesite", "site"},     {"tendon", "tendon"}, {"tendon1", "tendon"},
        {"tendon2", "tendon"},  {"actuator", "actuator"}, {"mesh", "mesh"},     {"material", "material"},
        {"texture", "texture"}, {"hfield", "hfield"},     {"class", "default"}, {"childclass", "default"},
        {"objname", "object"},  {"refname", "object"},
    };
    if (strcmp(attribute, "name") == 0) return element->name;
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (strcmp(attribute, KINDS[i][0]) == 0) return KINDS[i][1];
    return NULL;
}

static trm_xml *new_element(attachment *a, const char *name, trm_place place, int attributes)
{
    trm_arena *arena = a->m->in->scratch;
    trm_xml *made = TRM_NEW_ARRAY(arena, trm_xml, 1);
    if (!made) return NULL;
    *made = (trm_xml){.name = name, .text = "", .place = place, .scope = a->model->scope};
    made->attributes = TRM_NEW_ARRAY(arena, trm_xml_attribute, attributes + 1);
    return made->attributes ? made : NULL;
}

/* Adds an attribute with the value prefix + value. Returns false if out of memory. */
static bool add_attribute(attachment *a, trm_xml *element, const char *name, const char *prefix, const char *value)
{
    const char *text = *prefix ? trm_arena_format(a->m->in->scratch, "%s%s", prefix, value) : value;
    trm_xml_add_attribute(element, name, text);
    return text != NULL;
}

static void append(trm_xml *parent, trm_xml *child)
{
    child->parent = parent;
    if (parent->last_child) parent->last_child->next = child;
    if (!parent->first_child) parent->first_child = child;
    parent->last_child = child;
}

static const char *plain_value(const trm_xml *element, const char *name)
{
    for (int i = 0; i < element->attribute_count; i++)
        if (strcmp(element->attributes[i].name, name) == 0) return element->attributes[i].value;
    return NULL;
}

/* Adds the implicit name of an element of <asset> without a name. Returns false if out of memory. */
static bool add_asset_name(attachment *a, const trm_xml *from, trm_xml *made)
{
    const char *file = plain_value(from, "file");
    if (!file || plain_value(from, "name") || !from->parent || strcmp(from->parent->name, "asset") != 0) return true;
    const char *name = trm_mjcf_name_of_file(a->m, file);
    return name && add_attribute(a, made, "name", a->prefix, name);
}

/* Appends a copy of an element, with its contents, to another. Returns false if out of memory. */
static bool copy(attachment *a, const trm_xml *from, trm_xml *to)
{
    trm_xml *made = new_element(a, from->name, from->place, from->attribute_count + 1);
    if (!made) return false;
    made->text = from->text;
    if (from->scope > 0) made->scope = from->scope; /* from a model attached to that one */
    for (int i = 0; i < from->attribute_count; i++) {
        const trm_xml_attribute *given = &from->attributes[i];
        if (!add_attribute(a, made, given->name, kind_of(from, given->name) ? a->prefix : "", given->value))
            return false;
    }
    if (!add_asset_name(a, from, made)) return false;
    append(to, made);
    for (const trm_xml *e = from->first_child; e; e = e->next)
        /* the elements that it attaches have already been inserted after it */
        if (strcmp(e->name, "attach") != 0 && !copy(a, e, made)) return false;
    return true;
}

/* ---- What is attached --------------------------------------------------------------------- */

static const char *key_of(attachment *a, const char *kind, const char *name)
{
    return trm_arena_format(a->m->in->scratch, "%s %s", kind, name);
}

static bool keep_name(attachment *a, const char *kind, const trm_xml *element)
{
    const char *name = plain_value(element, "name"), *key = name ? key_of(a, kind, name) : "";
    if (name && key) trm_names_add(&a->kept, key, 0);
    return key != NULL;
}

static bool keep_names(attachment *a, const trm_xml *element)
{
    const char *kind = strcmp(element->name, "freejoint") == 0 ? "joint" : element->name;
    if (!keep_name(a, kind, element)) return false;
    for (const trm_xml *e = element->first_child; e; e = e->next)
        if (!keep_names(a, e)) return false;
    return true;
}

/* Returns whether an element and its contents refer only to attached elements, assets and defaults. *good becomes
 * false if out of memory. */
static bool refers_inside(attachment *a, const trm_xml *element, bool *good)
{
    const char *object = plain_value(element, "objtype");
    for (int i = 0; *good && i < element->attribute_count; i++) {
        const char *attribute = element->attributes[i].name, *kind = kind_of(element, attribute);
        if (!kind || strcmp(attribute, "name") == 0) continue;
        if (trm_has_word("mesh material texture hfield default", kind)) continue; /* always attached */
        if (strcmp(kind, "object") == 0) kind = !object || strcmp(object, "xbody") == 0 ? "body" : object;
        const char *key = key_of(a, kind, element->attributes[i].value);
        *good = key != NULL;
        if (key && trm_names_find(&a->kept, key) < 0) return false;
    }
    for (const trm_xml *e = element->first_child; e; e = e->next)
        if (!refers_inside(a, e, good)) return false;
    return true;
}

/* ---- Sections of the other model ---------------------------------------------------------- */

/* Returns a new section at the end of the document, whose elements have the defaults of the other model. Returns NULL
 * if out of memory. */
static trm_xml *new_section(attachment *a, trm_xml *root, const char *name, trm_place place)
{
    trm_xml *section = new_element(a, name, place, 1);
    if (!section || !add_attribute(a, section, "class", a->prefix, "main")) return NULL;
    section->attributes[0].used = true;
    append(root, section);
    return section;
}

static bool copy_defaults(attachment *a, trm_xml *root)
{
    trm_xml *section = new_section(a, root, "default", a->model->root->place);
    for (const trm_xml *e = a->model->root->first_child; section && e; e = e->next) {
        if (strcmp(e->name, "default") != 0) continue;
        if (e->scope > 0) { /* from a model attached to that one, with a default class of its own */
            if (!copy(a, e, root)) return false;
            continue;
        }
        for (const trm_xml *c = e->first_child; c; c = c->next)
            if (!copy(a, c, section)) return false;
    }
    return section != NULL;
}

static bool copy_assets(attachment *a, trm_xml *root)
{
    for (const trm_xml *e = a->model->root->first_child; e; e = e->next) {
        if (strcmp(e->name, "asset") != 0) continue;
        trm_xml *section = new_section(a, root, "asset", e->place);
        for (const trm_xml *c = e->first_child; section && c; c = c->next)
            if (strcmp(c->name, "model") != 0 && !copy(a, c, section)) return false;
        if (!section) return false;
    }
    return true;
}

static bool copy_section(attachment *a, trm_xml *root, const char *name)
{
    for (const trm_xml *e = a->model->root->first_child; e; e = e->next) {
        if (strcmp(e->name, name) != 0) continue;
        trm_xml *section = new_section(a, root, name, e->place);
        for (const trm_xml *c = e->first_child; section && c; c = c->next) {
            bool good = true;
            const bool inside = refers_inside(a, c, &good);
            a->left_out += !inside;
            if (!good || (inside && !copy(a, c, section))) return false;
            if (inside && !keep_name(a, name, c)) return false;
        }
        if (!section) return false;
    }
    return true;
}

static bool has_section(const attachment *a, const char *name)
{
    for (const trm_xml *e = a->model->root->first_child; e; e = e->next)
        if (strcmp(e->name, name) == 0) return true;
    return false;
}

static bool copy_sections(attachment *a, const trm_xml *element, trm_xml *root)
{
    static const char *const SECTIONS[] = {"tendon", "equality", "contact", "actuator", "sensor"};
    if (!copy_defaults(a, root) || !copy_assets(a, root)) return false;
    for (size_t i = 0; i < sizeof SECTIONS / sizeof *SECTIONS; i++)
        if (!copy_section(a, root, SECTIONS[i])) return false;
    if (a->left_out > 0)
        trm_add_warning(a->m->in->messages, element->place,
                        "<attach>: %d elements of \"%s\" refer to elements that are not attached, and are left out",
                        a->left_out, plain_value(a->model->asset, "file"));
    if (has_section(a, "keyframe") || has_section(a, "option"))
        trm_add_warning(a->m->in->messages, element->place, "<attach>: options and keyframes of \"%s\" are not used",
                        plain_value(a->model->asset, "file"));
    return true;
}

/* ---- One <attach> ------------------------------------------------------------------------- */

/* Returns the body of a name, and in *class the default class that applies to it. Returns NULL if there is none. */
static const trm_xml *find_body(const trm_xml *element, const char *name, const char **class)
{
    for (const trm_xml *e = element->first_child; e; e = e->next) {
        const char *own = plain_value(e, "name"), *childclass = plain_value(e, "childclass"), *before = *class;
        if (strcmp(e->name, "body") == 0 && own && strcmp(own, name) == 0) return e;
        if (childclass) *class = childclass;
        const trm_xml *found = find_body(e, name, class);
        if (found) return found;
        *class = before;
    }
    return NULL;
}

/* Copies the children of the world, or the named body, into the frame. *found: the body exists. Returns false if out
 * of memory. */
static bool copy_bodies(attachment *a, const char *body, trm_xml *frame, bool *found)
{
    const char *class = "main";
    const bool all = !body || strcmp(body, "world") == 0;
    const trm_xml *one = NULL;
    for (const trm_xml *w = a->model->root->first_child; w; w = w->next) {
        if (strcmp(w->name, "worldbody") != 0) continue;
        const char *childclass = plain_value(w, "childclass");
        if (childclass) class = childclass;
        if (!all && !one) one = find_body(w, body, &class);
        for (const trm_xml *e = all ? w->first_child : NULL; e; e = e->next)
            if (!keep_names(a, e) || !copy(a, e, frame)) return false;
    }
    *found = all || one;
    if (one && (!keep_names(a, one) || !copy(a, one, frame))) return false;
    return add_attribute(a, frame, "childclass", a->prefix, class);
}

static bool attach(attaching *all, trm_xml *element, const other_model *model)
{
    attachment a = {.m = all->m, .model = model};
    const char *prefix = trm_xml_value(element, "prefix"), *body = trm_xml_value(element, "body");
    bool found = true;
    a.prefix = prefix ? prefix : "";
    trm_xml *frame = new_element(&a, "frame", element->place, 1), holder = {.name = "", .text = ""};
    if (!frame || !trm_names_init(&a.kept, all->m->in->scratch, trm_xml_size(model->root))) return false;
    if (!copy_bodies(&a, body, frame, &found)) return false;
    if (!found)
        trm_add_error(all->m->in->messages, element->place, "<attach>: there is no body '%s' in \"%s\"", body,
                      plain_value(model->asset, "file"));
    append(&holder, frame);
    trm_xml_splice(element, &holder);
    return copy_sections(&a, element, all->root);
}

/* ---- Models ------------------------------------------------------------------------------- */

static bool attach_all(attaching *all);

/* Reads the file of <asset><model>. Returns false if out of memory. */
static bool open_model(attaching *all, const trm_xml *element, trm_xml *asset, other_model *made)
{
    trm_mjcf *m = all->m;
    const char *file = trm_xml_value(asset, "file");
    bool good = true;
    *made = (other_model){.asset = asset, .scope = m->compiler_count};
    if (!file || all->depth == MOST_DEPTH) {
        trm_add_error(m->in->messages, asset->place, "<model>: %s",
                      file ? "more than 10 models are attached to each other; one seems to be attached to itself"
                           : "there is no attribute \"file\"");
        return true;
    }
    made->root = trm_mjcf_open(m, element, file, &good);
    if (!good || !made->root) return good;
    const char *before = m->in->directory, *folder = trm_folder_of(m->in->scratch, made->root->place.file);
    if (!folder || !trm_mjcf_read_options(m, made->root, folder)) return false;
    attaching below = {.m = m, .root = made->root, .depth = all->depth + 1};
    m->in->directory = folder;
    good = attach_all(&below);
    m->in->directory = before;
    return good;
}

static bool is_named(trm_mjcf *m, trm_xml *asset, const char *name, bool *good)
{
    const char *own = trm_xml_value(asset, "name"), *file = trm_xml_value(asset, "file");
    trm_xml_value(asset, "content_type"); /* unused: the format is recognised from the file */
    if (!own && file) own = trm_mjcf_name_of_file(m, file);
    *good = own || !file;
    return own && strcmp(own, name) == 0;
}

/* Finds the model of a name, whose file is read only once. *found is NULL after an error was reported. Returns false
 * if out of memory. */
static bool find_model(attaching *all, const trm_xml *element, const char *name, const other_model **found)
{
    bool good = true;
    *found = NULL;
    for (trm_xml *list = trm_xml_child(all->root, "asset"); list; list = trm_xml_again(list))
        for (trm_xml *e = trm_xml_child(list, "model"); e; e = trm_xml_again(e)) {
            if (!is_named(all->m, e, name, &good)) continue;
            for (int i = 0; i < all->model_count; i++)
                if (all->models[i].asset == e) *found = &all->models[i];
            if (*found) return true;
            other_model *made = TRM_ADD(all->m->in->scratch, all->models, all->model_count);
            if (made) *found = made;
            return made && open_model(all, element, e, made);
        }
    trm_add_error(all->m->in->messages, element->place, "<attach>: <asset> has no model '%s'", name);
    return good;
}

/* Replaces each <attach> below an element. Attached elements contain no <attach>, because theirs were replaced
 * before. Returns false if out of memory. */
static bool walk(attaching *all, trm_xml *element)
{
    for (trm_xml *e = element->first_child; e; e = e->next) {
        if (strcmp(e->name, "attach") != 0) {
            if (e->scope == 0 && !walk(all, e)) return false;
            continue;
        }
        const other_model *model = NULL;
        const char *name = trm_xml_value(e, "model");
        e->used = true;
        if (!find_model(all, e, name ? name : "", &model)) return false;
        if (model && model->root && !attach(all, e, model)) return false;
    }
    return true;
}

static bool attach_all(attaching *all)
{
    bool good = true;
    for (trm_xml *e = all->root->first_child; good && e; e = e->next)
        if (strcmp(e->name, "worldbody") == 0) good = walk(all, e);
    for (trm_xml *list = trm_xml_child(all->root, "asset"); list; list = trm_xml_again(list))
        for (trm_xml *e = trm_xml_child(list, "model"); e; e = trm_xml_again(e))
            is_named(all->m, e, "", &good); /* models that are not attached count as read, too */
    return good;
}

bool trm_mjcf_attach_models(trm_mjcf *m, trm_xml *root)
{
    attaching all = {.m = m, .root = root};
    return attach_all(&all);
}
