/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* "KEY=value,KEY=value" with OpenVINO's property keys.  A comma or backslash in
 * a value is escaped by a backslash. */

#pragma once

#include "inference/runtime/backend.h"
#include "infer/error.h"

/* Fills *@config with the defaults and the settings in @text (nullable); clear
 * it even after a failure.  INFER_ERROR_INVALID_ARGUMENT for an unknown key or
 * an invalid value, INFER_ERROR_UNSUPPORTED for an OpenVINO value that is not
 * implemented. */
gboolean infer_config_parse (
    const char *text, InferConfig *config, GError **error);
/* FALSE with INFER_ERROR_NO_MEMORY if @bytes for @what exceed the limit. */
gboolean infer_config_allows (
    const InferConfig *config, gsize bytes, const char *what, GError **error);
void infer_config_clear (InferConfig *config);
