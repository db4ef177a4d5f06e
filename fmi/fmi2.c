/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* FMI 2.0 for Co-Simulation on top of an instance. Functions that are called in a wrong mode, or with NULL, return
 * fmi2Error. A communication step that did not reach its end returns fmi2Discard; the state is that of the last good
 * step. */

#include "fmi2.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instance.h"

/* The data of an instance that only FMI 2 has, with the importer's functions. */
typedef struct owner {
    fmi2CallbackFunctions functions;
    double last_time; /* s: time that the last communication step reached */
    bool is_failed;   /* the last communication step was discarded */
} owner;

enum {
    ANY = FMU_IN_ANY,
    GETTING = FMU_IN_ANY,
    SETTING = FMU_IN_INSTANTIATED | FMU_IN_INITIALIZING | FMU_IN_STEPPING,
};

static void log_error(void *context, const char *instance, const char *text)
{
    const owner *o = context;
    if (o->functions.logger)
        o->functions.logger(o->functions.componentEnvironment, instance, fmi2Error, "logStatusError", "%s", text);
}

/* Returns whether the function may be called; reports it if not. */
static bool may(fmi2Component c, unsigned modes, const char *function)
{
    return c && fmu_may(c, modes, function);
}

static fmi2Status status_of(bool good)
{
    return good ? fmi2OK : fmi2Error;
}

/* ---- Creating ------------------------------------------------------------------------------ */

const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

const char *fmi2GetVersion(void)
{
    return "2.0";
}

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t count, const fmi2String categories[])
{
    (void)on;
    return status_of(may(c, ANY, "fmi2SetDebugLogging") && (count == 0 || categories));
}

/* Returns the value of a hexadecimal digit, as in %41 for A. */
static int hexadecimal(char letter)
{
    return letter >= '0' && letter <= '9'   ? letter - '0'
           : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10
           : letter >= 'A' && letter <= 'F' ? letter - 'A' + 10
                                            : -1;
}

/* Returns the path of file:///tmp/a%20b, file:/tmp or file://localhost/tmp. Returns NULL if it is not such an address
 * or if out of memory. */
static char *path_of(const char *address)
{
    if (!address || strncmp(address, "file:", 5) != 0) return NULL;
    address += 5;
    if (strncmp(address, "//", 2) == 0) address = strchr(address + 2, '/');
    char *path = address ? malloc(strlen(address) + 1) : NULL, *to = path;
    for (; path && *address; address++, to++) {
        const int high = *address == '%' ? hexadecimal(address[1]) : -1,
                  low = high >= 0 ? hexadecimal(address[2]) : -1;
        *to = low >= 0 ? (char)(unsigned char)(16 * high + low) : *address;
        if (low >= 0) address += 2;
    }
    if (path) *to = 0;
    return path;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging)
{
    (void)visible, (void)logging;
    owner *o = functions && name && name[0] ? calloc(1, sizeof *o) : NULL;
    if (!o) return NULL;
    o->functions = *functions;
    char *path = path_of(resources);
    fmu_instance *f = NULL;
    if (type != fmi2CoSimulation)
        log_error(o, name, "this FMU is for Co-Simulation only");
    else
        f = fmu_open(name, guid, path, (fmu_callbacks){.context = o, .log = log_error, .owner = o});
    free(path);
    if (!f) free(o);
    return f;
}

void fmi2FreeInstance(fmi2Component c)
{
    if (!c) return;
    owner *o = fmu_owner(c);
    fmu_close(c);
    free(o);
}

/* ---- Modes --------------------------------------------------------------------------------- */

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop)
{
    (void)tolerance_defined, (void)tolerance;
    return status_of(may(c, FMU_IN_INSTANTIATED, "fmi2SetupExperiment") && fmu_setup(c, start, stop_defined, stop));
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    return status_of(may(c, FMU_IN_INSTANTIATED, "fmi2EnterInitializationMode") && fmu_enter_initialization(c));
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    if (!may(c, FMU_IN_INITIALIZING, "fmi2ExitInitializationMode") || !fmu_exit_initialization(c, FMU_STEPPING))
        return fmi2Error;
    ((owner *)fmu_owner(c))->last_time = fmu_time(c);
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    if (!may(c, FMU_IN_STEPPING, "fmi2Terminate")) return fmi2Error;
    fmu_set_mode(c, FMU_TERMINATED);
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component c)
{
    if (!may(c, ANY, "fmi2Reset")) return fmi2Error;
    ((owner *)fmu_owner(c))->is_failed = false;
    return status_of(fmu_reset(c));
}

/* ---- Values -------------------------------------------------------------------------------- */

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2Real value[])
{
    return status_of(may(c, GETTING, "fmi2GetReal") && fmu_get(c, vr, count, value));
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2Real value[])
{
    return status_of(may(c, SETTING, "fmi2SetReal") && fmu_set(c, vr, count, value));
}

/* Refuses values of other types, because all variables are real. */
static fmi2Status none_of_type(fmi2Component c, size_t count, const char *function)
{
    if (!may(c, ANY, function)) return fmi2Error;
    return count == 0 ? fmi2OK : status_of(fmu_refuse(c, "%s: all variables are of type Real", function));
}

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2Integer value[])
{
    (void)vr, (void)value;
    return none_of_type(c, count, "fmi2GetInteger");
}

fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2Boolean value[])
{
    (void)vr, (void)value;
    return none_of_type(c, count, "fmi2GetBoolean");
}

fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2String value[])
{
    (void)vr, (void)value;
    return none_of_type(c, count, "fmi2GetString");
}

fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2Integer value[])
{
    (void)vr, (void)value;
    return none_of_type(c, count, "fmi2SetInteger");
}

fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2Boolean value[])
{
    (void)vr, (void)value;
    return none_of_type(c, count, "fmi2SetBoolean");
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2String value[])
{
    (void)vr, (void)value;
    return none_of_type(c, count, "fmi2SetString");
}

/* ---- States -------------------------------------------------------------------------------- */

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    if (!may(c, ANY, "fmi2GetFMUstate")) return fmi2Error;
    if (!state) return status_of(fmu_refuse(c, "fmi2GetFMUstate: the pointer to the state is NULL"));
    fmu_state *got = fmu_state_get(c, *state);
    if (got) *state = got;
    return status_of(got != NULL);
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    if (!may(c, ANY, "fmi2SetFMUstate")) return fmi2Error;
    if (!state) return status_of(fmu_refuse(c, "fmi2SetFMUstate: there is no state"));
    owner *o = fmu_owner(c);
    if (!fmu_state_set(c, state)) return fmi2Error;
    o->is_failed = false;
    o->last_time = fmu_time(c);
    return fmi2OK;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    if (!may(c, ANY, "fmi2FreeFMUstate")) return fmi2Error;
    if (!state) return fmi2OK;
    fmu_state_free(*state);
    *state = NULL;
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size)
{
    if (!may(c, ANY, "fmi2SerializedFMUstateSize")) return fmi2Error;
    if (!state || !size) return status_of(fmu_refuse(c, "fmi2SerializedFMUstateSize: an argument is NULL"));
    fmu_state_bytes(state, size);
    return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    size_t count;
    if (!may(c, ANY, "fmi2SerializeFMUstate")) return fmi2Error;
    if (!state || !bytes) return status_of(fmu_refuse(c, "fmi2SerializeFMUstate: an argument is NULL"));
    const void *from = fmu_state_bytes(state, &count);
    if (size < count) return status_of(fmu_refuse(c, "fmi2SerializeFMUstate: the state needs %zu bytes", count));
    memcpy(bytes, from, count);
    return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
    if (!may(c, ANY, "fmi2DeSerializeFMUstate")) return fmi2Error;
    if (!bytes || !state) return status_of(fmu_refuse(c, "fmi2DeSerializeFMUstate: an argument is NULL"));
    fmu_state *made = fmu_state_of_bytes(c, bytes, size);
    if (made) *state = made;
    return status_of(made != NULL);
}

/* ---- Derivatives ---------------------------------------------------------------------------- */

static fmi2Status is_not_provided(fmi2Component c, const char *function)
{
    return c ? status_of(fmu_refuse(c, "%s is not provided", function)) : fmi2Error;
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t unknowns,
                                        const fmi2ValueReference known[], size_t knowns, const fmi2Real seed[],
                                        fmi2Real sensitivity[])
{
    return status_of(may(c, FMU_IN_STEPPING, "fmi2GetDirectionalDerivative") &&
                     fmu_derivative(c, unknown, unknowns, known, knowns, seed, sensitivity));
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t count,
                                       const fmi2Integer order[], const fmi2Real value[])
{
    (void)vr, (void)count, (void)order, (void)value;
    return is_not_provided(c, "fmi2SetRealInputDerivatives");
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t count,
                                        const fmi2Integer order[], fmi2Real value[])
{
    (void)vr, (void)count, (void)order, (void)value;
    return is_not_provided(c, "fmi2GetRealOutputDerivatives");
}

/* ---- Steps --------------------------------------------------------------------------------- */

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real step, fmi2Boolean no_set_state_before)
{
    fmu_step_result result;
    (void)no_set_state_before;
    if (!may(c, FMU_IN_STEPPING, "fmi2DoStep")) return fmi2Error;
    owner *o = fmu_owner(c);
    if (!fmu_step(c, time, step, &result)) return fmi2Error;
    o->last_time = result.time;
    o->is_failed = result.failed;
    return result.failed ? fmi2Discard : fmi2OK;
}

fmi2Status fmi2CancelStep(fmi2Component c)
{
    return c ? status_of(fmu_refuse(c, "fmi2CancelStep: steps are not made asynchronously")) : fmi2Error;
}

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value)
{
    if (!may(c, ANY, "fmi2GetStatus") || !value || kind != fmi2DoStepStatus)
        return c && value ? fmi2Discard : fmi2Error;
    *value = ((const owner *)fmu_owner(c))->is_failed ? fmi2Discard : fmi2OK;
    return fmi2OK;
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value)
{
    if (!c || !value) return fmi2Error;
    if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
    *value = ((const owner *)fmu_owner(c))->last_time;
    return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value)
{
    (void)kind;
    return c && value ? fmi2Discard : fmi2Error;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value)
{
    if (!c || !value) return fmi2Error;
    if (kind != fmi2Terminated) return fmi2Discard;
    *value = fmu_mode_of(c) == FMU_TERMINATED;
    return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *value)
{
    if (!c || !value) return fmi2Error;
    if (kind != fmi2PendingStatus) return fmi2Discard;
    *value = "";
    return fmi2OK;
}
