/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "infer/type.h"

/* FakeConvert */
typedef struct
{
  InferType type; /* f8e4m3 or f8e5m2 */
} InferFakeConvert;
