/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* FMI 3.0 for Co-Simulation on top of an instance. If the importer allows it, a communication step returns early at
 * the first event: an impact, a joint that was attached, detached or broken, or a function that was replaced. With
 * event mode such a step requests event handling, which needs no iteration. */

#include "fmi3.h"

#include <stdlib.h>
#include <string.h>

#include "instance.h"

typedef struct owner {
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
    fmi3IntermediateUpdateCallback update;
    bool event_mode, early_return;
    bool is_updating; /* a callback of the importer is running within a communication step */
} owner;

enum {
    ANY = FMU_IN_ANY,
    SETTING = FMU_IN_INSTANTIATED | FMU_IN_INITIALIZING | FMU_IN_STEPPING | FMU_IN_EVENTS,
};

static void log_error(void *context, const char *instance, const char *text)
{
    const owner *o = context;
    (void)instance;
    if (o->log) o->log(o->environment, fmi3Error, "logStatusError", text);
}

static bool update(void *context, double time)
{
    owner *o = context;
    fmi3Boolean requested = false;
    fmi3Float64 return_time = time;
    o->is_updating = true;
    o->update(o->environment, time, false, true, true, o->early_return, &requested, &return_time);
    o->is_updating = false;
    return requested && o->early_return && return_time <= time;
}

/* Returns whether the function may be called; reports it if not. Within a communication step only outputs may be
 * read. */
static bool may(fmi3Instance c, unsigned modes, const char *function)
{
    if (!c) return false;
    if (((const owner *)fmu_owner(c))->is_updating)
        return fmu_refuse(c, "%s must not be called by intermediateUpdate", function);
    return fmu_may(c, modes, function);
}

static fmi3Status status_of(bool good)
{
    return good ? fmi3OK : fmi3Error;
}

/* ---- Creating ------------------------------------------------------------------------------ */

const char *fmi3GetVersion(void)
{
    return "3.0";
}

fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t count, const fmi3String categories[])
{
    (void)on;
    return status_of(may(c, ANY, "fmi3SetDebugLogging") && (count == 0 || categories));
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                          fmi3Boolean visible, fmi3Boolean logging,
                                          fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging;
    if (log) log(environment, fmi3Error, "logStatusError", "this FMU is for Co-Simulation only");
    return NULL;
}

fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                               fmi3Boolean visible, fmi3Boolean logging,
                                               fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                               fmi3ClockUpdateCallback clock_update, fmi3LockPreemptionCallback lock,
                                               fmi3UnlockPreemptionCallback unlock)
{
    (void)clock_update, (void)lock, (void)unlock;
    return fmi3InstantiateModelExchange(name, token, resources, visible, logging, environment, log);
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early_return,
                                         const fmi3ValueReference required[], size_t required_count,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback intermediate)
{
    (void)visible, (void)logging, (void)required, (void)required_count;
    owner *o = name && name[0] ? calloc(1, sizeof *o) : NULL;
    if (!o) return NULL;
    *o = (owner){environment, log, intermediate, event_mode, early_return, false};
    fmu_instance *f = fmu_open(name, token, resources,
                               (fmu_callbacks){.context = o,
                                               .log = log_error,
                                               .intermediate = intermediate ? update : NULL,
                                               .early_return = early_return,
                                               .owner = o});
    if (!f) free(o);
    return f;
}

void fmi3FreeInstance(fmi3Instance c)
{
    if (!c) return;
    owner *o = fmu_owner(c);
    fmu_close(c);
    free(o);
}

/* ---- Modes --------------------------------------------------------------------------------- */

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop)
{
    (void)tolerance_defined, (void)tolerance;
    return status_of(may(c, FMU_IN_INSTANTIATED, "fmi3EnterInitializationMode") &&
                     fmu_setup(c, start, stop_defined, stop) && fmu_enter_initialization(c));
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance c)
{
    if (!may(c, FMU_IN_INITIALIZING, "fmi3ExitInitializationMode")) return fmi3Error;
    const owner *o = fmu_owner(c);
    return status_of(fmu_exit_initialization(c, o->event_mode ? FMU_EVENTS : FMU_STEPPING));
}

fmi3Status fmi3EnterEventMode(fmi3Instance c)
{
    if (!may(c, FMU_IN_STEPPING, "fmi3EnterEventMode")) return fmi3Error;
    if (!((const owner *)fmu_owner(c))->event_mode)
        return status_of(fmu_refuse(c, "fmi3EnterEventMode: the instance was made without event mode"));
    fmu_set_mode(c, FMU_EVENTS);
    return fmi3OK;
}

fmi3Status fmi3EnterStepMode(fmi3Instance c)
{
    if (!may(c, FMU_IN_EVENTS, "fmi3EnterStepMode")) return fmi3Error;
    fmu_set_mode(c, FMU_STEPPING);
    return fmi3OK;
}

fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c)
{
    return status_of(may(c, FMU_IN_INITIALIZING | FMU_IN_EVENTS, "fmi3EvaluateDiscreteStates"));
}

static void set(fmi3Boolean *place, bool value)
{
    if (place) *place = value;
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *again, fmi3Boolean *terminate,
                                    fmi3Boolean *nominals_changed, fmi3Boolean *values_changed,
                                    fmi3Boolean *next_event_defined, fmi3Float64 *next_event)
{
    (void)next_event;
    if (!may(c, FMU_IN_EVENTS, "fmi3UpdateDiscreteStates")) return fmi3Error;
    set(again, false);
    set(terminate, false);
    set(nominals_changed, false);
    set(values_changed, false);
    set(next_event_defined, false);
    return fmi3OK;
}

fmi3Status fmi3Terminate(fmi3Instance c)
{
    if (!may(c, FMU_IN_STEPPING | FMU_IN_EVENTS, "fmi3Terminate")) return fmi3Error;
    fmu_set_mode(c, FMU_TERMINATED);
    return fmi3OK;
}

fmi3Status fmi3Reset(fmi3Instance c)
{
    return status_of(may(c, ANY, "fmi3Reset") && fmu_reset(c));
}

/* ---- Values -------------------------------------------------------------------------------- */

static bool counts_agree(fmi3Instance c, size_t count, size_t value_count)
{
    return count == value_count || fmu_refuse(c, "there are %zu value references and %zu values", count, value_count);
}

fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Float64 values[],
                          size_t value_count)
{
    return status_of(c && counts_agree(c, count, value_count) && fmu_get(c, vr, count, values));
}

fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Float64 values[],
                          size_t value_count)
{
    return status_of(may(c, SETTING, "fmi3SetFloat64") && counts_agree(c, count, value_count) &&
                     fmu_set(c, vr, count, values));
}

/* ---- States -------------------------------------------------------------------------------- */

fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state)
{
    if (!may(c, ANY, "fmi3GetFMUState")) return fmi3Error;
    if (!state) return status_of(fmu_refuse(c, "fmi3GetFMUState: the pointer to the state is NULL"));
    fmu_state *got = fmu_state_get(c, *state);
    if (got) *state = got;
    return status_of(got != NULL);
}

fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state)
{
    if (!may(c, ANY, "fmi3SetFMUState")) return fmi3Error;
    return status_of(state ? fmu_state_set(c, state) : fmu_refuse(c, "fmi3SetFMUState: there is no state"));
}

fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state)
{
    if (!may(c, ANY, "fmi3FreeFMUState")) return fmi3Error;
    if (!state) return fmi3OK;
    fmu_state_free(*state);
    *state = NULL;
    return fmi3OK;
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size)
{
    if (!may(c, ANY, "fmi3SerializedFMUStateSize")) return fmi3Error;
    if (!state || !size) return status_of(fmu_refuse(c, "fmi3SerializedFMUStateSize: an argument is NULL"));
    fmu_state_bytes(state, size);
    return fmi3OK;
}

fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
    size_t count;
    if (!may(c, ANY, "fmi3SerializeFMUState")) return fmi3Error;
    if (!state || !bytes) return status_of(fmu_refuse(c, "fmi3SerializeFMUState: an argument is NULL"));
    const void *from = fmu_state_bytes(state, &count);
    if (size < count) return status_of(fmu_refuse(c, "fmi3SerializeFMUState: the state needs %zu bytes", count));
    memcpy(bytes, from, count);
    return fmi3OK;
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state)
{
    if (!may(c, ANY, "fmi3DeserializeFMUState")) return fmi3Error;
    if (!bytes || !state) return status_of(fmu_refuse(c, "fmi3DeserializeFMUState: an argument is NULL"));
    fmu_state *made = fmu_state_of_bytes(c, bytes, size);
    if (made) *state = made;
    return status_of(made != NULL);
}

/* ---- Derivatives --------------------------------------------------------------------------- */

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference unknowns[], size_t unknown_count,
                                        const fmi3ValueReference knowns[], size_t known_count,
                                        const fmi3Float64 seed[], size_t seed_count, fmi3Float64 sensitivity[],
                                        size_t sensitivity_count)
{
    return status_of(may(c, FMU_IN_STEPPING | FMU_IN_EVENTS, "fmi3GetDirectionalDerivative") &&
                     counts_agree(c, known_count, seed_count) && counts_agree(c, unknown_count, sensitivity_count) &&
                     fmu_derivative(c, unknowns, unknown_count, knowns, known_count, seed, sensitivity));
}

/* ---- Steps --------------------------------------------------------------------------------- */

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 time, fmi3Float64 step, fmi3Boolean no_set_state_before,
                      fmi3Boolean *event_needed, fmi3Boolean *terminate, fmi3Boolean *early_return,
                      fmi3Float64 *last_time)
{
    fmu_step_result result;
    (void)no_set_state_before;
    if (!may(c, FMU_IN_STEPPING, "fmi3DoStep")) return fmi3Error;
    if (!event_needed || !terminate || !early_return || !last_time)
        return status_of(fmu_refuse(c, "fmi3DoStep: an argument is NULL"));
    if (!fmu_step(c, time, step, &result)) return fmi3Error;
    *event_needed = result.happened && ((const owner *)fmu_owner(c))->event_mode;
    *terminate = result.failed;
    *early_return = result.early || result.failed;
    *last_time = result.time;
    return result.failed ? fmi3Error : fmi3OK;
}
