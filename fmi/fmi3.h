/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The interface of FMI 3.0, in our own words (fmi-standard.org, version 3.0, sections 2.2 and 4.2): the functions in
 * the library of an FMU. All functions of the standard exist; those of Model Exchange and Scheduled Execution return
 * errors. */

#ifndef TRM_FMI_FMI3_H
#define TRM_FMI_FMI3_H

#include <stddef.h>
#include <stdint.h>

#include "trammel/base.h"

typedef void *fmi3Instance, *fmi3InstanceEnvironment, *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8, fmi3Byte;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean, fmi3Clock;
typedef const char *fmi3String;
typedef const fmi3Byte *fmi3Binary;

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum {
    fmi3Independent,
    fmi3Constant,
    fmi3Fixed,
    fmi3Tunable,
    fmi3Discrete,
    fmi3Dependent
} fmi3DependencyKind;
typedef enum { fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged } fmi3IntervalQualifier;

typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String category, fmi3String message);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment, fmi3Float64 time, fmi3Boolean set_requested,
                                               fmi3Boolean get_allowed, fmi3Boolean step_finished,
                                               fmi3Boolean can_return_early, fmi3Boolean *return_requested,
                                               fmi3Float64 *return_time);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

TRM_API const char *fmi3GetVersion(void);
TRM_API fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t count, const fmi3String categories[]);
TRM_API fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                                  fmi3Boolean visible, fmi3Boolean logging,
                                                  fmi3InstanceEnvironment environment, fmi3LogMessageCallback log);
TRM_API fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                                 fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode,
                                                 fmi3Boolean early_return, const fmi3ValueReference required[],
                                                 size_t required_count, fmi3InstanceEnvironment environment,
                                                 fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update);
TRM_API fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                                       fmi3Boolean visible, fmi3Boolean logging,
                                                       fmi3InstanceEnvironment environment,
                                                       fmi3LogMessageCallback log, fmi3ClockUpdateCallback update,
                                                       fmi3LockPreemptionCallback lock,
                                                       fmi3UnlockPreemptionCallback unlock);
TRM_API void fmi3FreeInstance(fmi3Instance c);
TRM_API fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                               fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop);
TRM_API fmi3Status fmi3ExitInitializationMode(fmi3Instance c);
TRM_API fmi3Status fmi3EnterEventMode(fmi3Instance c);
TRM_API fmi3Status fmi3Terminate(fmi3Instance c);
TRM_API fmi3Status fmi3Reset(fmi3Instance c);
TRM_API fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Float64 values[],
                                  size_t value_count);
TRM_API fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                  const fmi3Float64 values[], size_t value_count);
TRM_API fmi3Status fmi3GetFloat32(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Float32 values[],
                                  size_t value_count);
TRM_API fmi3Status fmi3SetFloat32(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                  const fmi3Float32 values[], size_t value_count);
TRM_API fmi3Status fmi3GetInt8(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Int8 values[],
                               size_t value_count);
TRM_API fmi3Status fmi3SetInt8(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Int8 values[],
                               size_t value_count);
TRM_API fmi3Status fmi3GetUInt8(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3UInt8 values[],
                                size_t value_count);
TRM_API fmi3Status fmi3SetUInt8(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3UInt8 values[],
                                size_t value_count);
TRM_API fmi3Status fmi3GetInt16(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Int16 values[],
                                size_t value_count);
TRM_API fmi3Status fmi3SetInt16(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Int16 values[],
                                size_t value_count);
TRM_API fmi3Status fmi3GetUInt16(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3UInt16 values[],
                                 size_t value_count);
TRM_API fmi3Status fmi3SetUInt16(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                 const fmi3UInt16 values[], size_t value_count);
TRM_API fmi3Status fmi3GetInt32(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Int32 values[],
                                size_t value_count);
TRM_API fmi3Status fmi3SetInt32(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Int32 values[],
                                size_t value_count);
TRM_API fmi3Status fmi3GetUInt32(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3UInt32 values[],
                                 size_t value_count);
TRM_API fmi3Status fmi3SetUInt32(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                 const fmi3UInt32 values[], size_t value_count);
TRM_API fmi3Status fmi3GetInt64(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Int64 values[],
                                size_t value_count);
TRM_API fmi3Status fmi3SetInt64(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Int64 values[],
                                size_t value_count);
TRM_API fmi3Status fmi3GetUInt64(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3UInt64 values[],
                                 size_t value_count);
TRM_API fmi3Status fmi3SetUInt64(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                 const fmi3UInt64 values[], size_t value_count);
TRM_API fmi3Status fmi3GetBoolean(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Boolean values[],
                                  size_t value_count);
TRM_API fmi3Status fmi3SetBoolean(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                  const fmi3Boolean values[], size_t value_count);
TRM_API fmi3Status fmi3GetString(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3String values[],
                                 size_t value_count);
TRM_API fmi3Status fmi3SetString(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                 const fmi3String values[], size_t value_count);
TRM_API fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t count, size_t sizes[],
                                 fmi3Binary values[], size_t value_count);
TRM_API fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const size_t sizes[],
                                 const fmi3Binary values[], size_t value_count);
TRM_API fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Clock values[]);
TRM_API fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                const fmi3Clock values[]);
TRM_API fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, fmi3ValueReference vr, size_t *count);
TRM_API fmi3Status fmi3GetVariableDependencies(fmi3Instance c, fmi3ValueReference dependent,
                                               size_t dependent_elements[], fmi3ValueReference independents[],
                                               size_t independent_elements[], fmi3DependencyKind kinds[],
                                               size_t count);
TRM_API fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state);
TRM_API fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state);
TRM_API fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state);
TRM_API fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size);
TRM_API fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size);
TRM_API fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state);
TRM_API fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference unknowns[],
                                                size_t unknown_count, const fmi3ValueReference knowns[],
                                                size_t known_count, const fmi3Float64 seed[], size_t seed_count,
                                                fmi3Float64 sensitivity[], size_t sensitivity_count);
TRM_API fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const fmi3ValueReference unknowns[], size_t unknown_count,
                                            const fmi3ValueReference knowns[], size_t known_count,
                                            const fmi3Float64 seed[], size_t seed_count, fmi3Float64 sensitivity[],
                                            size_t sensitivity_count);
TRM_API fmi3Status fmi3EnterConfigurationMode(fmi3Instance c);
TRM_API fmi3Status fmi3ExitConfigurationMode(fmi3Instance c);
TRM_API fmi3Status fmi3GetIntervalDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                          fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[]);
TRM_API fmi3Status fmi3GetIntervalFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                           fmi3UInt64 counters[], fmi3UInt64 resolutions[],
                                           fmi3IntervalQualifier qualifiers[]);
TRM_API fmi3Status fmi3GetShiftDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                       fmi3Float64 shifts[]);
TRM_API fmi3Status fmi3GetShiftFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                        fmi3UInt64 counters[], fmi3UInt64 resolutions[]);
TRM_API fmi3Status fmi3SetIntervalDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                          const fmi3Float64 intervals[]);
TRM_API fmi3Status fmi3SetIntervalFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                           const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]);
TRM_API fmi3Status fmi3SetShiftDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                       const fmi3Float64 shifts[]);
TRM_API fmi3Status fmi3SetShiftFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                        const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]);
TRM_API fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c);
TRM_API fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *again, fmi3Boolean *terminate,
                                            fmi3Boolean *nominals_changed, fmi3Boolean *values_changed,
                                            fmi3Boolean *next_event_defined, fmi3Float64 *next_event);
TRM_API fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c);
TRM_API fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean no_set_state_before,
                                               fmi3Boolean *enter_event_mode, fmi3Boolean *terminate);
TRM_API fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 time);
TRM_API fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 states[], size_t count);
TRM_API fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 derivatives[], size_t count);
TRM_API fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 indicators[], size_t count);
TRM_API fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 states[], size_t count);
TRM_API fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 nominals[], size_t count);
TRM_API fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *count);
TRM_API fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *count);
TRM_API fmi3Status fmi3EnterStepMode(fmi3Instance c);
TRM_API fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                            const fmi3Int32 orders[], fmi3Float64 values[], size_t value_count);
TRM_API fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 time, fmi3Float64 step, fmi3Boolean no_set_state_before,
                              fmi3Boolean *event_needed, fmi3Boolean *terminate, fmi3Boolean *early_return,
                              fmi3Float64 *last_time);
TRM_API fmi3Status fmi3ActivateModelPartition(fmi3Instance c, fmi3ValueReference clock, fmi3Float64 time);

#endif
