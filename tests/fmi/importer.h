/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* An importer of FMUs for tests, written from the text of the standard and without the exporter's code. It unpacks
 * the archive, reads the description, loads the library and calls its functions through pointers of its own types. */

#ifndef TRM_TESTS_FMI_IMPORTER_H
#define TRM_TESTS_FMI_IMPORTER_H

#include <dlfcn.h>
#include <expat.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "check.h"

/* ---- Unpacking ------------------------------------------------------------------------------ */

static inline uint32_t number_at(const unsigned char *bytes, int size)
{
    uint32_t number = 0;
    for (int i = size - 1; i >= 0; i--) number = number << 8 | bytes[i];
    return number;
}

static inline unsigned char *read_all(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("cannot read %s", path);
    fseek(file, 0, SEEK_END);
    *count = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*count + 1);
    assert_int_equal(fread(bytes, 1, *count, file), *count);
    bytes[*count] = 0;
    fclose(file);
    return bytes;
}

static inline void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0755);
        *slash = '/';
    }
}

/* Unpacks all stored entries of an archive by its central directory. */
static inline void unpack(const char *archive, const char *folder)
{
    size_t count;
    unsigned char *zip = read_all(archive, &count);
    const unsigned char *end = zip + count - 22;
    assert_int_equal(number_at(end, 4), 0x06054b50);
    const unsigned char *at = zip + number_at(end + 16, 4);
    for (uint32_t i = number_at(end + 10, 2); i > 0; i--) {
        char path[1000];
        assert_int_equal(number_at(at, 4), 0x02014b50);
        assert_int_equal(number_at(at + 10, 2), 0); /* method: stored, not compressed */
        const uint32_t size = number_at(at + 24, 4), name = number_at(at + 28, 2);
        const unsigned char *local = zip + number_at(at + 42, 4);
        snprintf(path, sizeof path, "%s/%.*s", folder, (int)name, (const char *)at + 46);
        make_folders(path);
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(local + 30 + number_at(local + 26, 2) + number_at(local + 28, 2), 1, size, file),
                         size);
        fclose(file);
        at += 46 + name + number_at(at + 30, 2) + number_at(at + 32, 2);
    }
    free(zip);
}

/* ---- The description ------------------------------------------------------------------------ */

enum { MOST_VARIABLES = 2000 };

typedef struct variable {
    char name[100], causality[24];
    unsigned reference;
} variable;

typedef struct described {
    char identifier[100], token[100];
    variable list[MOST_VARIABLES];
    int count;
} described;

static inline const char *attribute(const char **attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0) return attributes[1];
    return "";
}

static inline void on_element(void *context, const char *name, const char **attributes)
{
    described *d = context;
    if (strcmp(name, "fmiModelDescription") == 0)
        snprintf(d->token, sizeof d->token, "%s%s", attribute(attributes, "guid"),
                 attribute(attributes, "instantiationToken"));
    if (strcmp(name, "CoSimulation") == 0)
        snprintf(d->identifier, sizeof d->identifier, "%s", attribute(attributes, "modelIdentifier"));
    if (strcmp(name, "ScalarVariable") != 0 && strcmp(name, "Float64") != 0) return;
    assert_true(d->count < MOST_VARIABLES);
    variable *v = &d->list[d->count++];
    snprintf(v->name, sizeof v->name, "%s", attribute(attributes, "name"));
    snprintf(v->causality, sizeof v->causality, "%s", attribute(attributes, "causality"));
    v->reference = (unsigned)strtoul(attribute(attributes, "valueReference"), NULL, 10);
}

/* ---- Functions ------------------------------------------------------------------------------ */

enum { OK = 0, WARNING = 1, DISCARD = 2, ERROR = 3 };

typedef void *instance, *state;

/* The callbacks of FMI 2. */
typedef struct callbacks {
    void (*logger)(void *, const char *, int, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, int);
    void *environment;
} callbacks;

typedef void (*update_callback)(void *, double, bool, bool, bool, bool, bool *, double *);

typedef struct fmu {
    int version;
    char folder[400];
    described d;
    void *library;
    callbacks own;
    int logged; /* messages */
    char last[1000];
    bool event_mode, early_return; /* of FMI 3 */
    update_callback update;
    bool event_needed, returned_early; /* by the last step */
    double last_time;
} fmu;

static inline void *function(const fmu *f, const char *name)
{
    char full[100];
    snprintf(full, sizeof full, "fmi%d%s", f->version, name);
    void *found = dlsym(f->library, full);
    if (!found) fail_msg("there is no function %s", full);
    return found;
}

/* The function with this name and type. */
#define CALL(f, name, type) ((type)(uintptr_t)function(f, name))

static inline void logger2(void *environment, const char *name, int status, const char *category, const char *text,
                           ...)
{
    fmu *f = environment;
    (void)name, (void)status, (void)category, (void)text;
    f->logged++;
}

static inline void logger3(void *environment, int status, const char *category, const char *text)
{
    fmu *f = environment;
    (void)status, (void)category;
    f->logged++;
    snprintf(f->last, sizeof f->last, "%s", text);
}

/* Runs trammel export MODEL with these options, then unpacks and loads the FMU. */
static inline fmu *load_fmu(const char *model, int version, const char *options)
{
    static int number;
    char command[2000], path[600];
    size_t count;
    fmu *f = calloc(1, sizeof *f);
    f->version = version;
    f->own = (callbacks){logger2, calloc, free, NULL, f};
    snprintf(f->folder, sizeof f->folder, FOLDER "_%d_%d", version, ++number);
    snprintf(command, sizeof command,
             "rm -rf %s; mkdir %s && '%s' export '%s/%s.json' %s/m.fmu --fmi %d %s >/dev/null", f->folder, f->folder,
             getenv("TRAMMEL"), TRM_EXAMPLES, model, f->folder, version, options);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/m.fmu", f->folder);
    unpack(path, f->folder);
    snprintf(path, sizeof path, "%s/modelDescription.xml", f->folder);
    char *xml = (char *)read_all(path, &count);
    XML_Parser parser = XML_ParserCreate(NULL);
    XML_SetUserData(parser, &f->d);
    XML_SetStartElementHandler(parser, on_element);
    assert_int_equal(XML_Parse(parser, xml, (int)count, 1), XML_STATUS_OK);
    XML_ParserFree(parser);
    free(xml);
    snprintf(path, sizeof path, "%s/binaries/%s/%s.so", f->folder, version == 2 ? "linux64" : "x86_64-linux",
             f->d.identifier);
    char *absolute = realpath(path, NULL);
    f->library = dlopen(absolute, RTLD_NOW | RTLD_LOCAL);
    if (!f->library) fail_msg("%s", dlerror());
    free(absolute);
    return f;
}

static inline void unload_fmu(fmu *f)
{
    dlclose(f->library);
    free(f);
}

static inline instance open_with(fmu *f, const char *name, const char *token)
{
    char path[600];
    snprintf(path, sizeof path, "%s/resources", f->folder);
    char *absolute = realpath(path, NULL);
    instance c;
    if (f->version == 2) {
        snprintf(path, sizeof path, "file://%s", absolute);
        c = CALL(f, "Instantiate",
                 instance(*)(const char *, int, const char *, const char *, const callbacks *, int, int))(
            name, 1, token, path, &f->own, 0, 0);
    } else {
        c = CALL(f, "InstantiateCoSimulation",
                 instance(*)(const char *, const char *, const char *, bool, bool, bool, bool, const uint32_t *,
                             size_t, void *, void (*)(void *, int, const char *, const char *), update_callback))(
            name, token, absolute, false, false, f->event_mode, f->early_return, NULL, 0, f, logger3, f->update);
    }
    free(absolute);
    return c;
}

static inline instance open_fmu(fmu *f)
{
    instance c = open_with(f, "one", f->d.token);
    assert_non_null(c);
    return c;
}

static inline int call(const fmu *f, const char *name, instance c)
{
    return CALL(f, name, int (*)(instance))(c);
}

static inline void close_fmu(const fmu *f, instance c)
{
    CALL(f, "FreeInstance", void (*)(instance))(c);
}

static inline int enter(const fmu *f, instance c, double start, double stop)
{
    if (f->version == 3)
        return CALL(f, "EnterInitializationMode",
                    int (*)(instance, bool, double, double, bool, double))(c, false, 0, start, stop > start, stop);
    const int status = CALL(f, "SetupExperiment",
                            int (*)(instance, int, double, double, int, double))(c, 0, 0, start, stop > start, stop);
    return status == OK ? call(f, "EnterInitializationMode", c) : status;
}

static inline int get(const fmu *f, instance c, const unsigned *references, size_t count, double *values)
{
    if (f->version == 2)
        return CALL(f, "GetReal", int (*)(instance, const unsigned *, size_t, double *))(c, references, count,
                                                                                         values);
    return CALL(f, "GetFloat64", int (*)(instance, const unsigned *, size_t, double *, size_t))(c, references, count,
                                                                                                values, count);
}

static inline int set(const fmu *f, instance c, const unsigned *references, size_t count, const double *values)
{
    if (f->version == 2)
        return CALL(f, "SetReal", int (*)(instance, const unsigned *, size_t, const double *))(c, references, count,
                                                                                               values);
    return CALL(f, "SetFloat64", int (*)(instance, const unsigned *, size_t, const double *, size_t))(
        c, references, count, values, count);
}

static inline int do_step(fmu *f, instance c, double time, double step)
{
    bool ends = false;
    if (f->version == 2) return CALL(f, "DoStep", int (*)(instance, double, double, int))(c, time, step, 1);
    return CALL(f, "DoStep", int (*)(instance, double, double, bool, bool *, bool *, bool *, double *))(
        c, time, step, true, &f->event_needed, &ends, &f->returned_early, &f->last_time);
}

#define STATE(f) ((f)->version == 2 ? "FMUstate" : "FMUState")

static inline const char *state_function(const fmu *f, const char *before, const char *after)
{
    static char name[60];
    snprintf(name, sizeof name, "%s%s%s", before, STATE(f), after);
    return name;
}

static inline int get_state(const fmu *f, instance c, state *s)
{
    return CALL(f, state_function(f, "Get", ""), int (*)(instance, state *))(c, s);
}

static inline int set_state(const fmu *f, instance c, state s)
{
    return CALL(f, state_function(f, "Set", ""), int (*)(instance, state))(c, s);
}

static inline int free_state(const fmu *f, instance c, state *s)
{
    return CALL(f, state_function(f, "Free", ""), int (*)(instance, state *))(c, s);
}

static inline int state_size(const fmu *f, instance c, state s, size_t *size)
{
    return CALL(f, state_function(f, "Serialized", "Size"), int (*)(instance, state, size_t *))(c, s, size);
}

static inline int serialize(const fmu *f, instance c, state s, char *bytes, size_t size)
{
    return CALL(f, state_function(f, "Serialize", ""), int (*)(instance, state, char *, size_t))(c, s, bytes, size);
}

static inline int deserialize(const fmu *f, instance c, const char *bytes, size_t size, state *s)
{
    return CALL(f, state_function(f, f->version == 2 ? "DeSerialize" : "Deserialize", ""),
                int (*)(instance, const char *, size_t, state *))(c, bytes, size, s);
}

static inline unsigned reference_of(const fmu *f, const char *name)
{
    for (int i = 0; i < f->d.count; i++)
        if (strcmp(f->d.list[i].name, name) == 0) return f->d.list[i].reference;
    fail_msg("there is no variable '%s'", name);
    return 0;
}

#endif
