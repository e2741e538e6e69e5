/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Element types of IR files and of shape inference. */

#pragma once

#include "infer/type.h"

/* From a port's `precision` ("FP32", "BOOL", "UNSPECIFIED", …). */
gboolean infer_type_from_precision (const char *precision, InferType *type);

/* FALSE where both are known and differ; else *@merged is the known one. */
gboolean infer_type_merge (InferType a, InferType b, InferType *merged);
