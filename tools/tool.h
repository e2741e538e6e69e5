/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by the subcommands of infer-model. */

#pragma once

#include "infer/request.h"

/* Exit statuses. */
enum
{
  TOOL_DONE = 0,
  TOOL_FAILED = 1,
  TOOL_USAGE = 2,
};

typedef struct
{
  const char *name;
  const char *arguments; /* for the usage line */
  const char *summary;
  int (*run) (int argc, char **argv); /* argv[0] is the command's name */
} ToolCommand;

#define COMMAND(name) extern const ToolCommand tool_##name;
#include "tools/command-list.h"
#undef COMMAND

/* Prints @error as one line on stderr; TOOL_FAILED. */
int tool_fail (const GError *error);
/* The same for wrong usage; TOOL_USAGE. */
int tool_usage (const ToolCommand *command, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

/* Parses the options @entries; the rest of @argv, @min to @max arguments,
 * becomes
 * *@arguments (transfer full).  FALSE: the error was printed on stderr. */
gboolean tool_parse (const ToolCommand *command, const GOptionEntry *entries,
    int argc, char **argv, guint min, guint max, GStrv *arguments);

/* Splits @text at '=' into "2" or "name" and a value.  FALSE if there is no '='
 * or nothing before it. */
gboolean tool_split (const char *text, char **key, const char **value);

/* Appends `"text"`, escaped for JSON. */
void tool_json_string (GString *json, const char *text);
