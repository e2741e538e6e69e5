/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The files of a speech model.  Names are plain: nothing outside the folder is
 * opened. */

#pragma once

#include "infer/error.h"

typedef struct
{
  char *path;       /* as given, for messages */
  char *folder;     /* the folder, or that of the single file */
  char *file;       /* the single file's name; NULL: a folder was given */
  GPtrArray *names; /* of the regular files in the folder, sorted (char *) */
} SpeechFolder;

/* INFER_ERROR_NOT_FOUND: neither a file nor a folder. */
gboolean speech_folder_open (
    SpeechFolder *folder, const char *path, GError **error);
void speech_folder_clear (SpeechFolder *folder);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SpeechFolder, speech_folder_clear)

gboolean speech_folder_has (const SpeechFolder *folder, const char *name);
/* The name that matches @pattern (`*` and `?`, as GPatternSpec); NULL without
 * error: none.  Of several, the one with the shortest name; where @prefer
 * (nullable, e.g. ".int8.") is in a name, that one. */
const char *speech_folder_find (
    const SpeechFolder *folder, const char *pattern, const char *prefer);
/* The file of a network: @name.onnx, or a version of it (IR, quantised, f16);
 * NULL: there is none. */
const char *speech_folder_network (
    const SpeechFolder *folder, const char *name);
/* (transfer full) */
char *speech_folder_file (const SpeechFolder *folder, const char *name);
