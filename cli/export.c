/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel export: writes a model as an FMU, for programs that couple simulations by the Functional Mock-up Interface
 * (docs/fmi.md). An FMU is a ZIP archive:
 *
 *     modelDescription.xml         variables and capabilities
 *     binaries/PLATFORM/NAME.so    the library, and the libraries that it needs
 *     resources/model.json         the model; next to it trammel.txt, the options of the export
 *     documentation/index.html     meaning of the variables */

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi/derivative.h"
#include "fmi/description.h"
#include "fmu_library.h"
#include "model.h"
#include "output.h"
#include "simulation_options.h"

typedef struct exporting {
    const command_line *line;
    int version;
    fmu_settings settings;
    fmu_machine *machine;
    char identifier[100];
    trm_zip *zip;
    bool has_derivatives;
    bool failed; /* an error was found and reported */
} exporting;

/* ---- The model ----------------------------------------------------------------------------- */

/* Returns whether options other than --set change the model when it is read. They cannot be applied again inside the
 * FMU. */
static bool changes_model(const command_line *line)
{
    static const option known[] = {MODEL_OPTIONS};
    for (int i = 0; i < COUNT_OF(known); i++)
        if (strcmp(known[i].name, "--set") != 0 && has_option(line, known[i].name)) return true;
    return false;
}

/* Takes the text of the model file itself, if it is a Trammel model that refers to no other files. Its constants are
 * then parameters. Returns false if it is not. */
static bool take_text(exporting *e)
{
    char *text = text_of_file(e->line->words[0]);
    const char *begin = text ? text + strspn(text, " \t\r\n") : "";
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def = NULL;
    const bool own = text && messages && *begin != '<' && !changes_model(e->line) &&
                     trm_read_model_text(text, strlen(text), "model.json", NULL, NULL, messages, &def) == TRM_OK;
    trm_model_def_destroy(def);
    trm_messages_destroy(messages);
    if (own)
        e->settings.text = text;
    else
        free(text);
    return own;
}

/* Writes the definition as text, including everything that other files contained. Returns false when out of
 * memory. */
static bool write_text(exporting *e, const trm_model_def *def)
{
    trm_text *text = trm_text_create(NULL);
    const bool good = text && trm_write_model(def, trm_text_sink(text)) == TRM_OK;
    e->settings.text = good ? strdup(trm_text_get(text)) : NULL;
    e->settings.plain = true;
    trm_text_destroy(text);
    return e->settings.text != NULL;
}

static bool is_simulation_option(const char *name)
{
    static const option known[] = {SIMULATION_OPTIONS};
    for (int i = 0; i < COUNT_OF(known); i++)
        if (strcmp(known[i].name, name) == 0) return true;
    return false;
}

static bool take_options(exporting *e)
{
    const command_line *line = e->line;
    const char *inputs = option_value(line, "--inputs"), *outputs = option_value(line, "--outputs");
    if (inputs && !(e->settings.inputs = strdup(inputs))) return false;
    if (outputs && !(e->settings.outputs = strdup(outputs))) return false;
    for (int i = 0; i < line->option_count; i++) {
        const char *name = line->options[i]->name;
        const bool is_set = strcmp(name, "--set") == 0 && !e->settings.plain;
        if ((is_set || is_simulation_option(name)) && !fmu_add_option(&e->settings, name, line->values[i]))
            return false;
    }
    return true;
}

/* ---- Names --------------------------------------------------------------------------------- */

/* Makes a C identifier from the name of the file. */
static void make_identifier(const char *path, char *identifier, size_t room)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    size_t length = 0;
    if (!isalpha((unsigned char)*name)) identifier[length++] = 'm';
    for (; *name && name != dot && length < room - 1; name++)
        identifier[length++] = (char)(isalnum((unsigned char)*name) ? *name : '_');
    identifier[length] = 0;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; text && *text; text++) hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

/* Makes the token, 32 hexadecimal digits, which is the same for the same model, options and version. Returns false
 * when out of memory. */
static bool make_token(exporting *e)
{
    char token[48];
    uint64_t part[2] = {UINT64_C(0xcbf29ce484222325), UINT64_C(0x84222325cbf29ce4)};
    for (int k = 0; k < 2; k++) {
        part[k] = hash_text(hash_text(part[k], trm_version()), e->settings.text);
        part[k] = hash_text(hash_text(part[k], e->settings.inputs), e->settings.outputs);
        for (int i = 0; i < e->settings.option_count; i++)
            part[k] = hash_text(hash_text(part[k], e->settings.options[i]), e->settings.values[i]);
        for (int i = 0; i < e->settings.set_count; i++) part[k] = hash_text(part[k], e->settings.set[i]);
    }
    snprintf(token, sizeof token, "{%08x-%04x-%04x-%04x-%012llx}", (unsigned)(part[0] >> 32),
             (unsigned)(part[0] >> 16 & 0xffff), (unsigned)(part[0] & 0xffff), (unsigned)(part[1] >> 48),
             (unsigned long long)(part[1] & UINT64_C(0xffffffffffff)));
    e->settings.token = strdup(token);
    return e->settings.token != NULL;
}

/* ---- The archive --------------------------------------------------------------------------- */

static bool fails(exporting *e, const char *what, const char *why)
{
    if (!e->failed) fprintf(stderr, "trammel export: %s: %s\n", what, why);
    e->failed = true;
    return false;
}

static bool add_file(exporting *e, const char *name, const void *bytes, size_t count, bool executable)
{
    const trm_status status = trm_zip_add(e->zip, name, bytes, count, executable);
    return status == TRM_OK || fails(e, name, status == TRM_IO_ERROR ? strerror(errno) : trm_status_text(status));
}

static bool add_text(exporting *e, const char *name, const trm_text *text)
{
    return add_file(e, name, trm_text_get(text), trm_text_length(text), false);
}

static bool add_libraries(exporting *e)
{
    char name[300];
    size_t count;
    const void *bytes = fmu_library(&count);
    snprintf(name, sizeof name, "%s/%s.so", fmu_library_folder(e->version), e->identifier);
    return add_file(e, name, bytes, count, true);
}

static bool add_description(exporting *e, const char *title)
{
    const fmu_description d = {e->version, e->machine, title, e->identifier, e->settings.token, e->has_derivatives};
    trm_text *text = trm_text_create(NULL);
    const bool good =
        text && fmu_write_description(&d, trm_text_sink(text)) && add_text(e, "modelDescription.xml", text);
    trm_text_destroy(text);
    return good || fails(e, "modelDescription.xml", "out of memory");
}

static bool add_resources(exporting *e)
{
    trm_text *text = trm_text_create(NULL);
    const bool good = text && fmu_write_settings(&e->settings, trm_text_sink(text)) &&
                      add_text(e, "resources/trammel.txt", text) &&
                      add_file(e, "resources/model.json", e->settings.text, strlen(e->settings.text), false);
    trm_text_destroy(text);
    return good || fails(e, "resources", "out of memory");
}

static bool add_documentation(exporting *e)
{
    static const char page[] =
        "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>FMU of a Trammel model</title>\n"
        "<p>A machine of rigid bodies, simulated by Trammel, which is inside. Outputs are result columns of "
        "<code>trammel run</code>:\n"
        "BODY.x [m], BODY.qw, BODY.vx [m/s], JOINT.q [m or rad], JOINT.fx [N], sensors, energies [J]. Parameters are "
        "constants of the model.\n"
        "Inputs act from the next communication step on. SI units, radians, world axes.</p>\n";
    return add_file(e, "documentation/index.html", page, sizeof page - 1, false);
}

static bool write_archive(exporting *e, const char *title, FILE *file)
{
    e->zip = trm_zip_create(trm_file_sink(file), NULL);
    if (!e->zip) return fails(e, e->line->words[1], "out of memory");
    return add_description(e, title) && add_libraries(e) && add_resources(e) && add_documentation(e) &&
           (trm_zip_end(e->zip) == TRM_OK || fails(e, e->line->words[1], strerror(errno)));
}

/* Writes the FMU under a temporary name and renames it, so that a failure leaves the old file unchanged. */
static bool write_fmu(exporting *e, const char *title)
{
    char partial[4096];
    char *path = replaceable_file("export", "", e->line->words[1]);
    FILE *file = path && partial_name(path, partial, sizeof partial) ? fopen(partial, "wb") : NULL;
    bool good = file && write_archive(e, title, file);
    if (file && fclose(file) != 0 && good) good = fails(e, path, strerror(errno));
    if (good && rename(partial, path) != 0) good = fails(e, path, strerror(errno));
    if (file && !good) remove(partial);
    free(path);
    return good;
}

/* ---- The command --------------------------------------------------------------------------- */

/* Returns whether all outputs can be differentiated at the start. */
static bool has_derivatives(const fmu_machine *m, trm_sim *sim)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_linearisation *l = messages ? fmu_linearise(m, trm_sim_state(sim), messages) : NULL;
    const bool has = l != NULL;
    trm_linearisation_destroy(l);
    trm_messages_destroy(messages);
    return has;
}

/* Instantiates the model as the FMU will, to find errors now. Returns false after reporting them. */
static bool make_machine(exporting *e, trm_messages *messages)
{
    fmu_why why = {""};
    trm_sim *sim = NULL;
    e->machine = fmu_machine_create(&e->settings, NULL, messages, &why);
    if (!e->machine && why.text[0]) fprintf(stderr, "trammel export: %s\n", why.text);
    const bool good =
        e->machine && trm_sim_create(e->machine->model, &e->machine->options, NULL, messages, &sim) == TRM_OK;
    if (good) e->has_derivatives = has_derivatives(e->machine, sim);
    trm_sim_destroy(sim);
    return good;
}

static bool read_version(const command_line *line, int *version)
{
    const char *text = option_value(line, "--fmi");
    *version = text && strcmp(text, "3") == 0 ? 3 : 2;
    if (!text || *version == 3 || strcmp(text, "2") == 0) return true;
    fprintf(stderr, "trammel export: --fmi %s: it must be 2 or 3\n", text);
    return false;
}

static bool writes_there(const command_line *line)
{
    const char *dot = strrchr(line->words[1], '.');
    const named_file read = {"the model", line->words[0]}, written = {"OUT", line->words[1]};
    if (dot && strcmp(dot, ".fmu") == 0) return outputs_differ("export", &read, 1, &written, 1);
    fprintf(stderr, "trammel export: %s: the file must end in .fmu\n", line->words[1]);
    return false;
}

static exit_code export_model(exporting *e, const loaded *l)
{
    const bool own = take_text(e);
    if (!own && !write_text(e, l->def)) return EXIT_BAD_INPUT;
    if (!own && l->def->constant_count > 0)
        fprintf(stderr, "trammel export: warning: the model needs other files or options to be read, so its "
                        "constants are no parameters\n");
    make_identifier(e->line->words[0], e->identifier, sizeof e->identifier);
    if (!take_options(e) || !make_token(e)) return EXIT_BAD_INPUT;
    if (!make_machine(e, l->messages) || !write_fmu(e, title_of(l, e->identifier))) return EXIT_BAD_INPUT;
    int count[FMU_OUTPUT + 1] = {0};
    for (int i = 0; i < e->machine->count; i++) count[e->machine->variables[i].kind]++;
    printf("%s: FMI %d.0 for Co-Simulation, %d parameters, %d inputs, %d outputs\n", e->line->words[1], e->version,
           count[FMU_PARAMETER],
           count[FMU_INPUT] + count[FMU_MOTION] + count[FMU_JOINT_FORCE] + count[FMU_BODY_FORCE], count[FMU_OUTPUT]);
    return EXIT_DONE;
}

static exit_code run(const command_line *line)
{
    loaded l;
    exporting e = {.line = line};
    if (!read_version(line, &e.version) || !writes_there(line)) return EXIT_USAGE;
    exit_code code = EXIT_BAD_INPUT;
    if (load_model(line, &l) == TRM_OK) code = export_model(&e, &l);
    if (l.messages) print_messages(l.messages);
    trm_zip_destroy(e.zip);
    fmu_machine_destroy(e.machine);
    fmu_free_settings(&e.settings);
    unload(&l);
    return code;
}

static const option options[] = {
    {"--fmi", "VERSION", "version of FMI: 2 or 3 (default: 2)"},
    {"--inputs", "LIST",
     "inputs besides those of the model: SERVO.target, FORCE.value, MOTOR.velocity, JOINT.force, BODY.fx to .tz; * "
     "matches any text"},
    {"--outputs", "LIST", "output columns, as in run --columns (default: all)"},
    SIMULATION_OPTIONS,
    MODEL_OPTIONS,
};

const command command_export = {
    .name = "export",
    .words = "MODEL OUT.fmu",
    .least = 2,
    .most = 2,
    .summary = "write a model as an FMU for other simulation programs (FMI 2.0 or 3.0, Co-Simulation)",
    .details =
        "The FMU contains the model and Trammel for this platform; its users need no installation. Constants of the\n"
        "model are its parameters; its states are saved and restored bit-identically.",
    .options = options,
    .option_count = COUNT_OF(options),
    .run = run,
};
