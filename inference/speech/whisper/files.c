/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/whisper/files.h"

#define IR_ENCODER "openvino_encoder_model.xml"
#define IR_DECODER "openvino_decoder_model.xml"
#define IR_PAST "openvino_decoder_with_past_model.xml"

static const char *
find (const SpeechFolder *folder, const char *name)
{
  return speech_folder_find (folder, name, NULL);
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
  return files->encoder != NULL && files->decoder != NULL;
}
