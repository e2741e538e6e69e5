/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* model_info from the metadata that exporters write. */

#pragma once

#include "infer/model.h"

/* Adds "model_info/KEY" where "metadata/…" of @model, which the caller may
 * change, says so: "model_info KEY" of OpenVINO's Model API; names, stride and
 * task of Ultralytics; model_type, blank_id and subsampling_factor of
 * sherpa-onnx and NeMo; mean and std; labels. */
void onnx_derive_model_info (InferModel *model);
