/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A model as an FMU shows it: a list of variables, whose places in it are their value references. The exporter and the FMU itself make the
 * list from the same settings, so that they cannot disagree. */

#ifndef TRM_FMI_MACHINE_H
#define TRM_FMI_MACHINE_H

#include "cli/method.h"
#include "trammel/trammel.h"

enum { FMU_MOST_OPTIONS = 64 };

/* What the exporter was told; kept in the FMU as resources/trammel.txt, next to model.json. */
typedef struct fmu_settings {
    char *text;             /* of the model file, which names no others */
    bool plain;             /* its constants are not parameters: expressions were evaluated */
    char *inputs, *outputs; /* patterns, separated by commas; NULL: as usual */
    char *token;            /* guid, or instantiation token */
    char *options[FMU_MOST_OPTIONS], *values[FMU_MOST_OPTIONS]; /* of the simulation: "--step", "0.001" */
    int option_count;
    char *set[FMU_MOST_OPTIONS]; /* "NAME=VALUE": constants that differ from the text's */
    int set_count;
} fmu_settings;

/* Adds an option, or a constant where name is "--set". False: too many, or out of memory. */
bool fmu_add_option(fmu_settings *s, const char *name, const char *value);

bool fmu_write_settings(const fmu_settings *s, trm_sink sink);
/* Of an FMU whose resources are in this folder. False: they cannot be read, or out of memory. */
bool fmu_read_settings(const char *folder, fmu_settings *s);
void fmu_free_settings(fmu_settings *s);

typedef enum fmu_kind {
    FMU_TIME,
    FMU_PARAMETER,   /* a constant of the model */
    FMU_INPUT,       /* of the model (trm_sim_inputs) */
    FMU_MOTION,      /* of a drive: what its coordinate is at the end of a communication step */
    FMU_JOINT_FORCE, /* along a coordinate of a joint */
    FMU_BODY_FORCE,  /* component 0 .. 5 of force and torque on a body: index 6 k + component */
    FMU_OUTPUT,      /* a result column */
} fmu_kind;

/* The motion of a drive that is an input is p + v (t - t0). These three are inputs of the model after all others, drive by drive. */
enum { FMU_MOTION_POSITION, FMU_MOTION_RATE, FMU_MOTION_TIME, FMU_MOTION_INPUTS };

typedef struct fmu_variable {
    char *name;
    const char *unit; /* "": none */
    fmu_kind kind;
    int index; /* among those of its kind */
    double start, min, max;
} fmu_variable;

typedef struct fmu_machine {
    trm_model_def *def;
    trm_model *model;
    trm_results *columns;
    trm_simulation_def options; /* borrows from the settings, the model and the choice */
    method_choice choice;
    fmu_variable *variables; /* the first is the time */
    int count, room;
    int parameters, inputs, motions, joint_forces, bodies; /* how many of each; bodies on which forces act */
    trm_coordinate_name *joint_force;
    int *body;
    bool out_of_memory;
} fmu_machine;

/* What is wrong besides what messages say; "": nothing, or out of memory. */
typedef struct fmu_why {
    char text[600];
} fmu_why;

/* parameters: values of the constants; NULL: those of the file. Messages or why say what is wrong where it is NULL. The settings must
 * outlive it. */
fmu_machine *fmu_machine_create(const fmu_settings *s, const double *parameters, trm_messages *messages,
                                fmu_why *why);
void fmu_machine_destroy(fmu_machine *m);

#endif
