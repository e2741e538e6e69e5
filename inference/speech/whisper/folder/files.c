/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/whisper/folder/files.h"

#define IR_ENCODER "openvino_encoder_model.xml"
#define IR_DECODER "openvino_decoder_model.xml"
#define IR_PAST "openvino_decoder_with_past_model.xml"

static const char *
find (const SpeechFolder *folder, const char *name)
{
  return speech_folder_find (folder, name, NULL);
}

/* "tiny.en-encoder.onnx"; or "encoder.onnx" where nothing is a transducer's. */
static const char *
find_part (const SpeechFolder *folder, const char *part)
{
  static const char *const forms[] = { "*-%s.onnx", "*-%s.xml",
    "*-%s.int8.onnx", "%s.onnx", "%s.xml", "%s.int8.onnx" };
  const guint n = speech_folder_find (folder, "joiner*", NULL) != NULL ? 3 : 6;

  for (guint i = 0; i < n; i++) {
    g_auto (GStrv) around = g_strsplit (forms[i], "%s", 2);
    g_autofree char *pattern = g_strconcat (around[0], part, around[1], NULL);
    const char *found = find (folder, pattern);

    if (found != NULL)
      return found;
  }
  return NULL;
}

static gboolean
find_stacked (const SpeechFolder *folder, WhisperFiles *files)
{
  files->encoder = find_part (folder, "encoder");
  files->decoder = find_part (folder, "decoder");
  files->stacked = files->encoder != NULL || files->decoder != NULL;
  return files->encoder != NULL && files->decoder != NULL
         && find (folder, "*tokens.txt") != NULL;
}

gboolean
whisper_files_find (const SpeechFolder *folder, WhisperFiles *files)
{
  *files = (WhisperFiles){ .encoder = find (folder, IR_ENCODER),
    .decoder = find (folder, IR_DECODER),
    .past = find (folder, IR_PAST) };
  if (files->encoder != NULL || files->decoder != NULL)
    return files->encoder != NULL && files->decoder != NULL;
  files->encoder = speech_folder_network (folder, "encoder_model");
  files->decoder = speech_folder_network (folder, "decoder_model_merged");
  if (files->decoder == NULL) {
    files->decoder = speech_folder_network (folder, "decoder_model");
    files->past = speech_folder_network (folder, "decoder_with_past_model");
  }
  if (files->encoder == NULL && files->decoder == NULL)
    return find_stacked (folder, files);
  return files->encoder != NULL && files->decoder != NULL;
}
