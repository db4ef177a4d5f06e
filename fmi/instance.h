/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* An instance of an FMU, independent of the version of the standard: modes, values, steps, saved states. Every
 * function checks whether it may be called now; if not, it fails with a message to the importer's logger. */

#ifndef TRM_FMI_INSTANCE_H
#define TRM_FMI_INSTANCE_H

#include "machine.h"

typedef enum fmu_mode {
    FMU_INSTANTIATED,
    FMU_INITIALIZING,
    FMU_STEPPING,
    FMU_EVENTS, /* event mode of FMI 3 */
    FMU_TERMINATED,
    FMU_MODES,
} fmu_mode;

enum { /* sets of modes */
       FMU_IN_INSTANTIATED = 1 << FMU_INSTANTIATED,
       FMU_IN_INITIALIZING = 1 << FMU_INITIALIZING,
       FMU_IN_STEPPING = 1 << FMU_STEPPING,
       FMU_IN_EVENTS = 1 << FMU_EVENTS,
       FMU_IN_TERMINATED = 1 << FMU_TERMINATED,
       FMU_IN_ANY = (1 << FMU_MODES) - 1,
};

typedef struct fmu_instance fmu_instance;

typedef struct fmu_callbacks {
    void *context;
    void (*log)(void *context, const char *instance, const char *text); /* reports an error; may be NULL */
    /* Called after each step within a communication step, at t; outputs may be read. Returns true for an early
     * return. NULL: none. */
    bool (*intermediate)(void *context, double t);
    bool
        early_return; /* communication steps may end at the first step inside of them in which something has happened */
    void *owner;      /* data of the version of the standard */
} fmu_callbacks;

/* Opens an instance. Returns NULL after reporting why: wrong token, resources that cannot be read, or a model that
 * cannot be simulated. */
fmu_instance *fmu_open(const char *name, const char *token, const char *resources, fmu_callbacks callbacks);
void fmu_close(fmu_instance *f);
void *fmu_owner(const fmu_instance *f);
fmu_mode fmu_mode_of(const fmu_instance *f);

/* Returns whether a function may be called in the current mode; reports it if not. */
bool fmu_may(fmu_instance *f, unsigned modes, const char *function);
bool fmu_refuse(fmu_instance *f, const char *format, ...) TRM_PRINTF(2, 3); /* reports the text; returns false */

bool fmu_setup(fmu_instance *f, double start, bool has_stop, double stop);
bool fmu_enter_initialization(fmu_instance *f);
bool fmu_exit_initialization(fmu_instance *f, fmu_mode next);
void fmu_set_mode(fmu_instance *f, fmu_mode mode);
bool fmu_reset(fmu_instance *f);

bool fmu_get(fmu_instance *f, const unsigned *references, size_t count, double *values);
bool fmu_set(fmu_instance *f, const unsigned *references, size_t count, const double *values);

typedef struct fmu_step_result {
    double time;   /* s: time that was reached */
    bool early;    /* the step returned early, */
    bool happened; /* because of an event */
    bool failed;   /* the simulation could not continue; a shorter step may help */
} fmu_step_result;

/* Makes a communication step. Returns false after reporting that it may not be called with these arguments. */
bool fmu_step(fmu_instance *f, double time, double step, fmu_step_result *result);
double fmu_time(const fmu_instance *f);

/* Computes derivatives of outputs with respect to inputs, times a seed per input, at the current time. Returns false
 * if an output has none. */
bool fmu_derivative(fmu_instance *f, const unsigned *unknowns, size_t unknown_count, const unsigned *knowns,
                    size_t known_count, const double *seed, double *sensitivity);

/* Saved states: bytes that may also be given to a later instance of the same FMU. */
typedef struct fmu_state fmu_state;
fmu_state *fmu_state_get(fmu_instance *f,
                         fmu_state *reused); /* returns NULL if out of memory; reused then stays valid */
bool fmu_state_set(fmu_instance *f, const fmu_state *state);
void fmu_state_free(fmu_state *state);
const void *fmu_state_bytes(const fmu_state *state, size_t *count);
fmu_state *fmu_state_of_bytes(fmu_instance *f, const void *bytes,
                              size_t count); /* returns NULL if the bytes are not a state */

#endif
