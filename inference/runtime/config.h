/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* "KEY=value,KEY=value" with OpenVINO's property keys.  A comma or a backslash
 * inside a value stands behind a backslash. */

#pragma once

#include "inference/runtime/backend.h"
#include "infer/error.h"

G_BEGIN_DECLS

/* Fills *@config, to be cleared afterwards even on failure, with the defaults
 * and what @text (nullable) says.
 * INFER_ERROR_INVALID_ARGUMENT for an unknown key or an impossible value,
 * INFER_ERROR_UNSUPPORTED for a value that OpenVINO knows and we do not. */
gboolean infer_config_parse (
    const char *text, InferConfig *config, GError **error);
void infer_config_clear (InferConfig *config);

/* Appends "KEY=value" with what separates it from what is there, and what the
 * value needs of backslashes. */
void infer_config_append (GString *text, const char *key, const char *value);

G_END_DECLS
