/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <locale.h>
#include <string.h>

#include "tools/tool.h"

#define COMMAND(name) &tool_##name,
static const ToolCommand *const commands[] = {
#include "tools/command-list.h"
};
#undef COMMAND

static int
print_help (void)
{
  g_print ("Usage:\n");
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    g_print ("  infer-model %s %s\n      %s\n", commands[i]->name,
        commands[i]->arguments, commands[i]->summary);
  g_print ("'infer-model COMMAND --help' lists a command's options.\n");
  return TOOL_DONE;
}

int
main (int argc, char **argv)
{
  /* Not LC_NUMERIC: JSON needs decimal points. */
  setlocale (LC_CTYPE, "");
  g_set_prgname ("infer-model");
  if (argc < 2) {
    g_printerr ("infer-model: no command given, see infer-model --help\n");
    return TOOL_USAGE;
  }
  if (strcmp (argv[1], "--help") == 0 || strcmp (argv[1], "-h") == 0
      || strcmp (argv[1], "help") == 0)
    return print_help ();
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (strcmp (argv[1], commands[i]->name) == 0)
      return commands[i]->run (argc - 1, argv + 1);
  g_printerr (
      "infer-model: no command '%.100s', see infer-model --help\n", argv[1]);
  return TOOL_USAGE;
}
