/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Functions of FMI 3.0 that this FMU does not support: values of other types than Float64, clocks, dependencies,
 * derivatives, Model Exchange and Scheduled Execution. Each returns fmi3Error, or fmi3OK if nothing is requested. */

#include "fmi3.h"

#include "instance.h"

static fmi3Status no_such_type(fmi3Instance c, size_t count, const char *function)
{
    if (!c) return fmi3Error;
    if (count == 0) return fmi3OK;
    fmu_refuse(c, "%s: all variables are of type Float64", function);
    return fmi3Error;
}

static fmi3Status is_not_provided(fmi3Instance c, const char *function)
{
    if (c) fmu_refuse(c, "%s is not provided", function);
    return fmi3Error;
}

fmi3Status fmi3GetFloat32(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Float32 values[],
                          size_t value_count)
{
    (void)vr, (void)values, (void)value_count;
    return no_such_type(c, count, "fmi3GetFloat32");
}

fmi3Status fmi3SetFloat32(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Float32 values[],
                          size_t value_count)
{
    (void)vr, (void)values, (void)value_count;
    return no_such_type(c, count, "fmi3SetFloat32");
}

fmi3Status fmi3GetInt8(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Int8 values[],
                       size_t value_count)
{
    (void)vr, (void)values, (void)value_count;
    return no_such_type(c, count, "fmi3GetInt8");
}

fmi3Status fmi3SetInt8(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Int8 values[],
                       size_t value_count)
{
    (void)vr, (void)values, (void)value_count;
    return no_such_type(c, count, "fmi3SetInt8");
}

fmi3Status fmi3GetUInt8(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3UInt8 values[],
                        size_t value_count)
{
    (void)vr, (void)values, (void)value_count;
    return no_such_type(c, count, "fmi3GetUInt8");
}

fmi3Status fmi3SetUInt8(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3UInt8 values[],
                        size_t value_count)
{
    (void)vr, (void)values, (void)value_count;
    return no_such_type(c, count, "fmi3SetUInt8");
}

fmi3Status fmi3GetInt16(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Int16 values[],
                        size_t value_count)
{
    (void)vr, (void)values, (void)value_count;
    return no_such_type(c, count, "fmi3GetInt16");
}

fmi3Status fmi3SetInt16(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Int16 values[],
                        size_t value_count)
{
    (void)vr, (void)values, (void)value_count;
    return no_such_type(c, count, "fmi3SetInt16");
}

fmi3Status fmi3GetUInt16(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3UInt16 values[],
                         size_t value_count)
{
    (void)vr, (void)values, (void)value_count;
    return no_such_type(c, count, "fmi3GetUInt16");
}

fmi3Status fmi3SetUInt16(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3UInt16 values[],
                         size_t value_count)
{
    (void)vr, (void)values, (void)value_count;
    return no_such_type(c, count, "fmi3SetUInt16");
}

fmi3Status fmi3GetInt32(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Int32 values[],
                        size_t value_count)
{
    (void)vr, (void)values, (void)value_count;
    return no_such_type(c, count, "fmi3GetInt32");
}

fmi3Status fmi3SetInt32(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Int32 values[],
                        size_t value_count)
{
    (void)vr, (void)values, (void)value_count;
    return no_such_type(c, count, "fmi3SetInt32");
}

fmi3Status fmi3GetUInt32(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3UInt32 values[],
                         size_t value_count)
{
    (void)vr, (void)values, (void)value_count;
    return no_such_type(c, count, "fmi3GetUInt32");
}

fmi3Status fmi3SetUInt32(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3UInt32 values[],
                         size_t value_count)
{
    (void)vr, (void)values, (void)value_count;
    return no_such_type(c, count, "fmi3SetUInt32");
}

fmi3Status fmi3GetInt64(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Int64 values[],
                        size_t value_count)
{
    (void)vr, (void)values, (void)value_count;
    return no_such_type(c, count, "fmi3GetInt64");
}

fmi3Status fmi3SetInt64(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Int64 values[],
                        size_t value_count)
{
    (void)vr, (void)values, (void)value_count;
    return no_such_type(c, count, "fmi3SetInt64");
}

fmi3Status fmi3GetUInt64(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3UInt64 values[],
                         size_t value_count)
{
    (void)vr, (void)values, (void)value_count;
    return no_such_type(c, count, "fmi3GetUInt64");
}

fmi3Status fmi3SetUInt64(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3UInt64 values[],
                         size_t value_count)
{
    (void)vr, (void)values, (void)value_count;
    return no_such_type(c, count, "fmi3SetUInt64");
}

fmi3Status fmi3GetBoolean(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Boolean values[],
                          size_t value_count)
{
    (void)vr, (void)values, (void)value_count;
    return no_such_type(c, count, "fmi3GetBoolean");
}

fmi3Status fmi3SetBoolean(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Boolean values[],
                          size_t value_count)
{
    (void)vr, (void)values, (void)value_count;
    return no_such_type(c, count, "fmi3SetBoolean");
}

fmi3Status fmi3GetString(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3String values[],
                         size_t value_count)
{
    (void)vr, (void)values, (void)value_count;
    return no_such_type(c, count, "fmi3GetString");
}

fmi3Status fmi3SetString(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3String values[],
                         size_t value_count)
{
    (void)vr, (void)values, (void)value_count;
    return no_such_type(c, count, "fmi3SetString");
}

fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t count, size_t sizes[],
                         fmi3Binary values[], size_t value_count)
{
    (void)vr, (void)sizes, (void)values, (void)value_count;
    return no_such_type(c, count, "fmi3GetBinary");
}

fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const size_t sizes[],
                         const fmi3Binary values[], size_t value_count)
{
    (void)vr, (void)sizes, (void)values, (void)value_count;
    return no_such_type(c, count, "fmi3SetBinary");
}

fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Clock values[])
{
    (void)vr, (void)values;
    return no_such_type(c, count, "fmi3GetClock");
}

fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Clock values[])
{
    (void)vr, (void)values;
    return no_such_type(c, count, "fmi3SetClock");
}

fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, fmi3ValueReference vr, size_t *count)
{
    (void)vr, (void)count;
    return is_not_provided(c, "fmi3GetNumberOfVariableDependencies");
}

fmi3Status fmi3GetVariableDependencies(fmi3Instance c, fmi3ValueReference dependent, size_t dependent_elements[],
                                       fmi3ValueReference independents[], size_t independent_elements[],
                                       fmi3DependencyKind kinds[], size_t count)
{
    (void)dependent, (void)dependent_elements, (void)independents, (void)independent_elements, (void)kinds,
        (void)count;
    return is_not_provided(c, "fmi3GetVariableDependencies");
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const fmi3ValueReference unknowns[], size_t unknown_count,
                                    const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 seed[],
                                    size_t seed_count, fmi3Float64 sensitivity[], size_t sensitivity_count)
{
    (void)unknowns, (void)unknown_count, (void)knowns, (void)known_count, (void)seed, (void)seed_count,
        (void)sensitivity, (void)sensitivity_count;
    return is_not_provided(c, "fmi3GetAdjointDerivative");
}

fmi3Status fmi3EnterConfigurationMode(fmi3Instance c)
{
    return is_not_provided(c, "fmi3EnterConfigurationMode");
}

fmi3Status fmi3ExitConfigurationMode(fmi3Instance c)
{
    return is_not_provided(c, "fmi3ExitConfigurationMode");
}

fmi3Status fmi3GetIntervalDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                  fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[])
{
    (void)vr, (void)intervals, (void)qualifiers;
    return no_such_type(c, count, "fmi3GetIntervalDecimal");
}

fmi3Status fmi3GetIntervalFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3UInt64 counters[],
                                   fmi3UInt64 resolutions[], fmi3IntervalQualifier qualifiers[])
{
    (void)vr, (void)counters, (void)resolutions, (void)qualifiers;
    return no_such_type(c, count, "fmi3GetIntervalFraction");
}

fmi3Status fmi3GetShiftDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Float64 shifts[])
{
    (void)vr, (void)shifts;
    return no_such_type(c, count, "fmi3GetShiftDecimal");
}

fmi3Status fmi3GetShiftFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3UInt64 counters[],
                                fmi3UInt64 resolutions[])
{
    (void)vr, (void)counters, (void)resolutions;
    return no_such_type(c, count, "fmi3GetShiftFraction");
}

fmi3Status fmi3SetIntervalDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                  const fmi3Float64 intervals[])
{
    (void)vr, (void)intervals;
    return no_such_type(c, count, "fmi3SetIntervalDecimal");
}

fmi3Status fmi3SetIntervalFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                   const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
{
    (void)vr, (void)counters, (void)resolutions;
    return no_such_type(c, count, "fmi3SetIntervalFraction");
}

fmi3Status fmi3SetShiftDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                               const fmi3Float64 shifts[])
{
    (void)vr, (void)shifts;
    return no_such_type(c, count, "fmi3SetShiftDecimal");
}

fmi3Status fmi3SetShiftFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
{
    (void)vr, (void)counters, (void)resolutions;
    return no_such_type(c, count, "fmi3SetShiftFraction");
}

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c)
{
    return is_not_provided(c, "fmi3EnterContinuousTimeMode");
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean no_set_state_before, fmi3Boolean *enter_event_mode,
                                       fmi3Boolean *terminate)
{
    (void)no_set_state_before, (void)enter_event_mode, (void)terminate;
    return is_not_provided(c, "fmi3CompletedIntegratorStep");
}

fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 time)
{
    (void)time;
    return is_not_provided(c, "fmi3SetTime");
}

fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 states[], size_t count)
{
    (void)states, (void)count;
    return is_not_provided(c, "fmi3SetContinuousStates");
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 derivatives[], size_t count)
{
    (void)derivatives, (void)count;
    return is_not_provided(c, "fmi3GetContinuousStateDerivatives");
}

fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 indicators[], size_t count)
{
    (void)indicators, (void)count;
    return is_not_provided(c, "fmi3GetEventIndicators");
}

fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 states[], size_t count)
{
    (void)states, (void)count;
    return is_not_provided(c, "fmi3GetContinuousStates");
}

fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 nominals[], size_t count)
{
    (void)nominals, (void)count;
    return is_not_provided(c, "fmi3GetNominalsOfContinuousStates");
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *count)
{
    (void)count;
    return is_not_provided(c, "fmi3GetNumberOfEventIndicators");
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *count)
{
    (void)count;
    return is_not_provided(c, "fmi3GetNumberOfContinuousStates");
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                    const fmi3Int32 orders[], fmi3Float64 values[], size_t value_count)
{
    (void)vr, (void)count, (void)orders, (void)values, (void)value_count;
    return is_not_provided(c, "fmi3GetOutputDerivatives");
}

fmi3Status fmi3ActivateModelPartition(fmi3Instance c, fmi3ValueReference clock, fmi3Float64 time)
{
    (void)clock, (void)time;
    return is_not_provided(c, "fmi3ActivateModelPartition");
}
