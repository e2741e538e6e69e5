/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of region proposal operations. */

#pragma once

#include "inference/graph/op.h"

/* Proposal, GenerateProposals,
 * ExperimentalDetectronGenerateProposalsSingleImage */
typedef struct
{
  gint64 pre_nms, post_nms; /* boxes before and after suppression */
  double min_size, nms_threshold;
  /* Proposal: anchors of base_size, every feat_stride pixels.  (element-type
   * double) */
  gint64 base_size, feat_stride;
  GArray *ratios, *scales;
  double size_scale, coordinate_scale;
  gboolean clip_before, clip_after;
  gboolean normalize;  /* of the output boxes */
  gboolean tensorflow; /* anchor placement; else Caffe's */
  /* GenerateProposals */
  gboolean normalized; /* the anchors; else a box of n pixels ends at n - 1 */
  double eta;
  InferType count_type;
} InferProposal;
