/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Datatypes of the Open Inference Protocol ("FP32", "INT64") and element types
 * of the runtime. */

#pragma once

#include "infer/type.h"

/* "BYTES" is INFER_TYPE_STRING.  NULL: the protocol has no such datatype. */
const char *protocol_datatype_name (InferType type);
/* FALSE: no datatype of this name. */
gboolean protocol_datatype_parse (const char *name, InferType *type);
