/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "inference/graph/attributes.h"

/* As infer_attr_type (), of what an operation makes: "dynamic" is refused. */
gboolean infer_attr_known_type (const InferAttributes *attributes,
    const char *name, InferType *value, GError **error);
