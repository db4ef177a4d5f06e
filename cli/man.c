/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel --man: the manual page trammel(1) in roff, from the tables of --help. */

#include "man.h"

#include <stdio.h>
#include <string.h>

#include "command.h"

/* Prints a text for roff: backslashes and hyphens escaped, and no line begins with a control character. */
static void put(const char *text)
{
    bool line_begins = true;
    for (const char *c = text; *c; c++) {
        if (line_begins && (*c == '.' || *c == '\'')) printf("\\&");
        if (*c == '\\')
            printf("\\e");
        else if (*c == '-')
            printf("\\-");
        else
            putchar(*c);
        line_begins = *c == '\n';
    }
}

static void put_option(const option *o)
{
    printf(".TP\n\\fB");
    put(o->name);
    printf("\\fR");
    if (o->value) {
        const size_t length = strlen(o->value);
        const bool repeated = length > 3 && strcmp(o->value + length - 3, "...") == 0;
        printf(" \\fI%.*s\\fR%s", (int)(repeated ? length - 3 : length), o->value, repeated ? " ..." : "");
    }
    printf("\n");
    put(o->help);
    printf("%s\n", o->value && strstr(o->value, "...") ? "; may be repeated" : "");
}

static void put_command(const command *c)
{
    printf(".SS trammel %s %s\n", c->name, c->words);
    put(c->summary);
    printf(".\n");
    if (c->details) {
        printf(".PP\n");
        put(c->details);
        printf("\n");
    }
    for (int i = 0; i < c->option_count; i++) put_option(&c->options[i]);
}

void print_manual(void)
{
    printf(".TH TRAMMEL 1 \"\" \"Trammel %s\" \"User Commands\"\n", trm_version());
    printf(".SH NAME\ntrammel \\- simulation of rigid bodies with joints, contacts and friction\n");
    printf(".SH SYNOPSIS\n\\fBtrammel\\fR \\fICOMMAND\\fR ...\n.br\n\\fBtrammel\\fR \\fICOMMAND\\fR "
           "\\fB\\-\\-help\\fR\n");
    printf(
        ".SH DESCRIPTION\nTrammel simulates rigid multibody systems: joints, closed loops, springs, drives, contact "
        "and Coulomb\n"
        "friction. Models are JSON files; URDF, MJCF and SDF files work too. Units are SI, angles are in radians.\n"
        "Results go to stdout, messages to stderr.\n");
    printf(".SH COMMANDS\n");
    for (int i = 0; i < command_count; i++) put_command(commands[i]);
    printf(".SH EXIT STATUS\n"
           ".TP\n0\nSuccess.\n"
           ".TP\n1\nA compared result differs.\n"
           ".TP\n2\nWrong usage.\n"
           ".TP\n3\nBad input, or a file that cannot be read or written.\n"
           ".TP\n4\nThe simulation failed before its end.\n"
           ".TP\n5\nThe simulation reached its end, but the verdict on its result is bad.\n");
    printf(".SH ENVIRONMENT\n.TP\nOMP_NUM_THREADS\nNumber of threads; results are bit\\-identical for any number.\n");
    printf(".SH EXAMPLES\n.nf\ntrammel check model.json\n"
           "trammel run model.json \\-\\-time 10 \\-\\-every 0.01 \\-\\-out rows.csv \\-\\-report page.html\n"
           "trammel view model.json\n.fi\n");
}
