/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* "KEY=value,KEY=value" with OpenVINO's property keys. */

#pragma once

#include "inference/backend.h"
#include "inference/error.h"

G_BEGIN_DECLS

/* Fills *@config with the defaults and what @text (nullable) says.
 * INFER_ERROR_INVALID_ARGUMENT for an unknown key or an impossible value,
 * INFER_ERROR_UNSUPPORTED for a value that OpenVINO knows and we do not. */
gboolean infer_config_parse (
    const char *text, InferConfig *config, GError **error);

G_END_DECLS
