/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/transducer/files.h"

#include <string.h>

#define QUANTISED ".int8"
#define JOINT "decoder_joint"

static gboolean
is_network (const char *name, const char *part)
{
  return g_str_has_prefix (name, part)
         && (strcmp (part, "decoder") != 0 || !g_str_has_prefix (name, JOINT))
         && (g_str_has_suffix (name, ".onnx")
             || g_str_has_suffix (name, ".xml"));
}

static gboolean
has_part (const SpeechFolder *folder, const char *part)
{
  for (guint i = 0; i < folder->names->len; i++)
    if (is_network (folder->names->pdata[i], part))
      return TRUE;
  return FALSE;
}

gboolean
transducer_files_probe (const SpeechFolder *folder)
{
  return (folder->file == NULL || is_network (folder->file, "encoder"))
         && has_part (folder, "encoder")
         && (has_part (folder, "joiner") || has_part (folder, JOINT));
}

/* Names of @part are equal but for the part, and, if @loose, the
 * quantisation. */
static gboolean
names_match (
    const char *name, const char *part, const char *encoder, gboolean loose)
{
  const char *a = name + strlen (part), *b = encoder + strlen ("encoder");

  if (!loose)
    return strcmp (a, b) == 0;
  while (*a != '\0' && *b != '\0') {
    if (g_str_has_prefix (a, QUANTISED))
      a += strlen (QUANTISED);
    else if (g_str_has_prefix (b, QUANTISED))
      b += strlen (QUANTISED);
    else if (*a++ != *b++)
      return FALSE;
  }
  return *a == *b;
}

static const char *
find_match (const SpeechFolder *folder, const char *part, const char *encoder,
    gboolean loose)
{
  for (guint i = 0; i < folder->names->len; i++) {
    const char *name = folder->names->pdata[i];

    if (is_network (name, part) && names_match (name, part, encoder, loose))
      return name;
  }
  return NULL;
}

/* The only file of @part; quantised ones count where there are no others. */
static const char *
find_only (const SpeechFolder *folder, const char *part, GError **error)
{
  const char *found[2] = { NULL, NULL };

  for (guint i = 0; i < folder->names->len; i++) {
    const char *name = folder->names->pdata[i];
    gboolean quantised = strstr (name, QUANTISED) != NULL;

    if (!is_network (name, part))
      continue;
    if (found[quantised] != NULL) {
      infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "%s: %s and %s are both there; leave one of them in the folder, or "
          "give the path of the encoder",
          folder->path, found[quantised], name);
      return NULL;
    }
    found[quantised] = name;
  }
  if (found[0] == NULL && found[1] == NULL)
    infer_fail (error, INFER_ERROR_NOT_FOUND,
        "%s: there is no %s*.onnx; a transducer is encoder*.onnx, "
        "decoder*.onnx, joiner*.onnx and tokens.txt, or encoder*.onnx, " JOINT
        "*.onnx and vocab.txt",
        folder->path, part);
  return found[0] != NULL ? found[0] : found[1];
}

static const char *
find_part (const SpeechFolder *folder, const char *part, const char *encoder,
    GError **error)
{
  const char *name = find_match (folder, part, encoder, FALSE);

  if (name == NULL)
    name = find_match (folder, part, encoder, TRUE);
  return name != NULL ? name : find_only (folder, part, error);
}

gboolean
transducer_files_find (
    TransducerFiles *files, const SpeechFolder *folder, GError **error)
{
  *files = (TransducerFiles){ .encoder = NULL };
  files->encoder = folder->file != NULL ? folder->file
                                        : find_only (folder, "encoder", error);
  if (files->encoder == NULL)
    return FALSE;
  if (!has_part (folder, "joiner") && has_part (folder, JOINT)) {
    files->joint = find_part (folder, JOINT, files->encoder, error);
    return files->joint != NULL;
  }
  files->decoder = find_part (folder, "decoder", files->encoder, error);
  if (files->decoder == NULL)
    return FALSE;
  files->joiner = find_part (folder, "joiner", files->encoder, error);
  return files->joiner != NULL;
}
