/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The whole API of libgstinfer-1.0. */

#pragma once

#include "gst/infer/bindings.h"
#include "gst/infer/keypoints-meta.h"
#include "gst/infer/map.h"
#include "gst/infer/mask-meta.h"
#include "gst/infer/results.h"
#include "gst/infer/scene-meta.h"
#include "gst/infer/tensor-meta.h"
