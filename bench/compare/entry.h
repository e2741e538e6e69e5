/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The models to run, and their inputs. */

#pragma once

#include <glib.h>

typedef struct
{
  char *name;
  char *xml, *weights; /* weights nullable: beside the xml */
  char *f32;           /* nullable: the same model, stored in f32 */
  char *folder;        /* of the xml: the name in tables and of source files */
  GStrv groups;        /* for means */
  GStrv shapes;        /* nullable: of inputs, "NAME|INDEX=1,80" */
} Entry;

/* (element-type Entry) */
GArray *entries_new (void);

/* Lines of `NAME XML [WEIGHTS] [groups=a,b] [f32=XML]
 * [shapes=INPUT=1,80;INPUT=…]`, files below @shared;
 * '#' begins a comment. */
gboolean entries_read (
    GArray *entries, const char *path, const char *shared, GError **error);
/* Files of a command line, in no group. */
void entries_add_files (GArray *entries, char **paths);
/* Keeps entries with a match of the regular expression @pattern in their name.
 */
gboolean entries_filter (GArray *entries, const char *pattern, GError **error);

/* Values for each input of the model: (element-type EngineInput), (transfer
 * full). */
GArray *entry_make_inputs (const Entry *entry, GError **error);
