/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The interface of FMI 2.0 for Co-Simulation, in our own words (fmi-standard.org, version 2.0.4, sections 2.1 and
 * 4.2): the functions in the library of an FMU. */

#ifndef TRM_FMI_FMI2_H
#define TRM_FMI_FMI2_H

#include <stddef.h>

#include "trammel/base.h"

typedef void *fmi2Component, *fmi2ComponentEnvironment, *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer, fmi2Boolean;
typedef char fmi2Char, fmi2Byte;
typedef const fmi2Char *fmi2String;

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;

typedef struct {
    void (*logger)(fmi2ComponentEnvironment, fmi2String instance, fmi2Status, fmi2String category, fmi2String text,
                   ...);
    void *(*allocateMemory)(size_t count, size_t size);
    void (*freeMemory)(void *memory);
    void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
    fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

TRM_API const char *fmi2GetTypesPlatform(void);
TRM_API const char *fmi2GetVersion(void);
TRM_API fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t count, const fmi2String categories[]);
TRM_API fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                                      const fmi2CallbackFunctions *functions, fmi2Boolean visible,
                                      fmi2Boolean logging);
TRM_API void fmi2FreeInstance(fmi2Component c);
TRM_API fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance,
                                       fmi2Real start, fmi2Boolean stop_defined, fmi2Real stop);
TRM_API fmi2Status fmi2EnterInitializationMode(fmi2Component c);
TRM_API fmi2Status fmi2ExitInitializationMode(fmi2Component c);
TRM_API fmi2Status fmi2Terminate(fmi2Component c);
TRM_API fmi2Status fmi2Reset(fmi2Component c);
TRM_API fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2Real value[]);
TRM_API fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2Integer value[]);
TRM_API fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2Boolean value[]);
TRM_API fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2String value[]);
TRM_API fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2Real value[]);
TRM_API fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t count,
                                  const fmi2Integer value[]);
TRM_API fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t count,
                                  const fmi2Boolean value[]);
TRM_API fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t count,
                                 const fmi2String value[]);
TRM_API fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state);
TRM_API fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state);
TRM_API fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state);
TRM_API fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size);
TRM_API fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size);
TRM_API fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state);
TRM_API fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t unknowns,
                                                const fmi2ValueReference known[], size_t knowns,
                                                const fmi2Real seed[], fmi2Real sensitivity[]);
TRM_API fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t count,
                                               const fmi2Integer order[], const fmi2Real value[]);
TRM_API fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t count,
                                                const fmi2Integer order[], fmi2Real value[]);
TRM_API fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real step, fmi2Boolean no_set_state_before);
TRM_API fmi2Status fmi2CancelStep(fmi2Component c);
TRM_API fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value);
TRM_API fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value);
TRM_API fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value);
TRM_API fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value);
TRM_API fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *value);

#endif
