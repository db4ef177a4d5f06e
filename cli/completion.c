/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel completion: prints a shell script that completes commands and options, from their tables. */

#include <stdio.h>
#include <string.h>

#include "command.h"

static void print_bash(void)
{
    printf("_trammel() {\n"
           "    local word=\"${COMP_WORDS[COMP_CWORD]}\" words=\"\"\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        words=\"");
    for (int i = 0; i < command_count; i++) printf("%s ", commands[i]->name);
    printf("--help --version\"\n"
           "    else\n"
           "        case \"${COMP_WORDS[1]}\" in\n");
    for (int i = 0; i < command_count; i++) {
        printf("        %s) words=\"", commands[i]->name);
        for (int k = 0; k < commands[i]->option_count; k++) printf("%s ", commands[i]->options[k].name);
        printf("--help\" ;;\n");
    }
    printf("        esac\n"
           "    fi\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
           "    case \"$word\" in -*) ;; *) [ \"$COMP_CWORD\" -gt 1 ] && COMPREPLY+=($(compgen -f -- \"$word\")) ;; "
           "esac\n"
           "}\n"
           "complete -o filenames -F _trammel trammel\n");
}

static void print_zsh(void)
{
    printf("#compdef trammel\nautoload -U +X bashcompinit && bashcompinit\n");
    print_bash();
}

static void print_fish(void)
{
    for (int i = 0; i < command_count; i++) {
        const command *c = commands[i];
        printf("complete -c trammel -n __fish_use_subcommand -a %s -d '%s'\n", c->name, c->summary);
        for (int k = 0; k < c->option_count; k++)
            printf("complete -c trammel -n '__fish_seen_subcommand_from %s' -l %s%s -d '%s'\n", c->name,
                   c->options[k].name + 2, c->options[k].value ? " -r" : "", c->options[k].help);
    }
}

static exit_code run(const command_line *line)
{
    const char *shell = line->words[0];
    if (strcmp(shell, "bash") == 0)
        print_bash();
    else if (strcmp(shell, "zsh") == 0)
        print_zsh();
    else if (strcmp(shell, "fish") == 0)
        print_fish();
    else {
        fprintf(stderr, "trammel completion: no script for \"%s\"; there is one for bash, zsh and fish\n", shell);
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

const command command_completion = {
    .name = "completion",
    .words = "bash|zsh|fish",
    .least = 1,
    .most = 1,
    .summary = "print a completion script for the shell",
    .details = "For bash: source <(trammel completion bash)",
    .run = run,
};
