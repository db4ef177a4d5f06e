/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A model as an FMU presents it: a list of variables, whose positions in the list are their value references. The
 * exporter and the FMU itself make the list from the same settings, so that both agree. */

#ifndef TRM_FMI_MACHINE_H
#define TRM_FMI_MACHINE_H

#include "cli/method.h"
#include "trammel/trammel.h"

enum { FMU_MOST_OPTIONS = 64 };

/* The settings of the export, which the FMU contains as resources/trammel.txt, next to model.json. */
typedef struct fmu_settings {
    char *text;             /* text of the model file, which refers to no other files */
    bool plain;             /* its constants are not parameters: expressions were evaluated */
    char *inputs, *outputs; /* patterns, separated by commas; NULL: the defaults */
    char *token;            /* guid, or instantiation token */
    char *options[FMU_MOST_OPTIONS], *values[FMU_MOST_OPTIONS]; /* options of the simulation: "--step", "0.001" */
    int option_count;
    char *set[FMU_MOST_OPTIONS]; /* "NAME=VALUE": constants that differ from those of the text */
    int set_count;
} fmu_settings;

/* Adds an option, or a constant if name is "--set". Returns false if there are too many or if out of memory. */
bool fmu_add_option(fmu_settings *s, const char *name, const char *value);

bool fmu_write_settings(const fmu_settings *s, trm_sink sink);
/* Reads the settings of an FMU whose resources are in this folder. Returns false if they cannot be read or if out of
 * memory. */
bool fmu_read_settings(const char *folder, fmu_settings *s);
void fmu_free_settings(fmu_settings *s);

typedef enum fmu_kind {
    FMU_TIME,
    FMU_PARAMETER,   /* a constant of the model */
    FMU_INPUT,       /* an input of the model (trm_sim_inputs) */
    FMU_MOTION,      /* motion of a drive: its coordinate at the end of a communication step */
    FMU_JOINT_FORCE, /* force along a coordinate of a joint */
    FMU_BODY_FORCE,  /* component 0 .. 5 of force and torque on a body: index 6 k + component */
    FMU_OUTPUT,      /* a result column */
} fmu_kind;

/* The motion of a drive that is an input is p + v (t - t0). These three are inputs of the model after all others,
 * drive by drive. */
enum { FMU_MOTION_POSITION, FMU_MOTION_RATE, FMU_MOTION_TIME, FMU_MOTION_INPUTS };

typedef struct fmu_variable {
    char *name;
    const char *unit; /* "": none */
    fmu_kind kind;
    int index; /* index among the variables of its kind */
    double start, min, max;
} fmu_variable;

typedef struct fmu_machine {
    trm_model_def *def;
    trm_model *model;
    trm_results *columns;
    trm_simulation_def options; /* borrows from the settings, the model and the choice */
    method_choice choice;
    fmu_variable *variables; /* the first one is the time */
    int count, room;
    int parameters, inputs, motions, joint_forces, bodies; /* numbers of each; bodies on which forces act */
    trm_coordinate_name *joint_force;
    int *body;
    bool out_of_memory;
} fmu_machine;

/* The reason of a failure that is not in the messages; "": none, or out of memory. */
typedef struct fmu_why {
    char text[600];
} fmu_why;

/* Creates the machine. parameters: values of the constants; NULL: those of the file. Returns NULL after reporting the
 * reason in messages or why. The settings must outlive it. */
fmu_machine *fmu_machine_create(const fmu_settings *s, const double *parameters, trm_messages *messages,
                                fmu_why *why);
void fmu_machine_destroy(fmu_machine *m);

#endif
