/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "bench/live/live.h"

#define AUDIO                                                                  \
  "audio/x-raw, format=F32LE, layout=interleaved, rate=16000, channels=1"
#define TENSOR(dimensions, framerate)                                          \
  "other/tensors, format=static, num_tensors=1, types=(string)float32, "       \
  "dimensions=(string)" dimensions ", framerate=(fraction)" framerate

const LiveModel live_models[] = {
  /* The bundled model: a tenth of a second a window. */
  { .name = "digits",
      .model = BENCH_ROOT "/pipelines/models/digits/digits-wave.xml",
      .properties = "window=100 tail=drop",
      .caps = AUDIO,
      .part_us = 10000,
      .part_size = 160 * sizeof (float),
      .window_us = 100000 },
  { .name = "silero",
      .model = "models/silero_vad_16k/model_stateful.xml",
      .weights = "models/silero_vad_16k/model.bin",
      .properties = "context=64 tail=drop model-info=sample_rate=16000",
      .caps = AUDIO,
      .part_us = 16000,
      .part_size = 256 * sizeof (float),
      .window_us = 32000 },
  /* A spectrum each 16 ms. */
  { .name = "gtcrn",
      .model = "models/gtcrn/model_stateful.xml",
      .caps = TENSOR ("2:1:257:1", "125/2"),
      .part_us = 16000,
      .part_size = 257 * 2 * sizeof (float),
      .window_us = 16000 },
  /* 49 frames of ten coefficients; asked ten times a second. */
  { .name = "kws",
      .model = "models/tiny_kws_dscnn/model_static.xml",
      .caps = TENSOR ("1:10:49:1", "10/1"),
      .part_us = 100000,
      .part_size = 49 * 10 * sizeof (float),
      .window_us = 100000 },
  /* Three seconds a window. */
  { .name = "hama",
      .model = "models/hama_phoneme_asr/model_static.xml",
      .weights = "models/hama_phoneme_asr/model.bin",
      .properties = "tail=drop model-info=sample_rate=16000 "
                    "constant-inputs=/Cast_2_output_0=48000",
      .caps = AUDIO,
      .part_us = 10000,
      .part_size = 160 * sizeof (float),
      .window_us = 3000000 },
  { .name = NULL },
};

const LiveModel *
live_model_find (const char *name)
{
  for (const LiveModel *model = live_models; model->name != NULL; model++)
    if (strcmp (model->name, name) == 0)
      return model;
  return NULL;
}
