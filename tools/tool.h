/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the subcommands of infer-model share. */

#pragma once

#include "infer/request.h"

G_BEGIN_DECLS

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

/* One line on stderr, whatever @error's message holds; TOOL_FAILED. */
int tool_fail (const GError *error);
/* The same for wrong usage; TOOL_USAGE. */
int tool_usage (const ToolCommand *command, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

/* Options of @entries are taken out of @argv; what is left, between @min and
 * @max arguments, becomes *@arguments (transfer full).  FALSE: it was said on
 * stderr what is wrong with the command line. */
gboolean tool_parse (const ToolCommand *command, const GOptionEntry *entries,
    int argc, char **argv, guint min, guint max, GStrv *arguments);

/* "2" or "name" in front of the '=' of @text, and what follows it.  FALSE where
 * there is no '=' or nothing before it. */
gboolean tool_split (const char *text, char **key, const char **value);

/* `"text"` with what JSON wants escaped. */
void tool_json_string (GString *json, const char *text);

G_END_DECLS
