/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For implementers of decoders: what inferdecoder gives them and wants.  All
 * on the streaming thread. */

#pragma once

#include <gst/gst.h>

#include "gst/tensor-caps.h"
#include "inference/error.h"

G_BEGIN_DECLS

/* How a decoder is made.  Borrowed, for the time of `create`. */
typedef struct
{
  const GstStructure *info; /* model-info; NULL: nothing is known */
  GStrv labels;             /* from properties; NULL: not given */
  guint beam_width;
  const char *separator;
  const GstInferTensors *tensors;
} GstInferDecoderConfig;

/* A buffer: `tensors.n` dense tensors. */
typedef struct
{
  const GstInferTensors *tensors;
  gconstpointer data[GST_INFER_MAX_TENSORS];
  GstClockTime pts, duration; /* may be NONE */
} GstInferDecoderInput;

/* Buffers and GAP events to push, in this order.  (element-type
 * GstMiniObject, transfer full) */
typedef GQueue GstInferDecoderOutput;

typedef struct
{
  const char *name;
  const char *description;
  const char *const *model_types; /* NULL-terminated; those it is chosen for */
  const char *caps;               /* of what it gives */

  gpointer (*create) (const GstInferDecoderConfig *config, GError **error);
  void (*free) (gpointer decoder);
  gboolean (*decode) (gpointer decoder, const GstInferDecoderInput *input,
      GstInferDecoderOutput *output, GError **error);
  /* The sequence ends: what is still open becomes final, and the decoder is as
   * new.  Nullable: nothing is ever open. */
  void (*finish) (gpointer decoder, GstInferDecoderOutput *output);
  /* Forgets what is open.  Nullable. */
  void (*reset) (gpointer decoder);
} GstInferDecoderKind;

#define DECODER(name) extern const GstInferDecoderKind gst_infer_decoder_##name;
#include "gst/decoders/decoder-list.h"
#undef DECODER

/* NULL-terminated, in the order of decoder-list.h. */
const GstInferDecoderKind *const *gst_infer_decoders (void);

/* Number @key of @info; @fallback where absent or no number. */
double gst_infer_decoder_number (
    const GstStructure *info, const char *key, double fallback);

G_END_DECLS
