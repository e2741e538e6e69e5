/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Writes models as OpenVINO IR v11. */

#pragma once

#include "infer/model.h"

/* Writes @model, as it was loaded or changed but not after passes, to @path,
 * which ends with ".xml", and its constants, each once, to the file of that
 * name with ".bin".  The weights are there first.  INFER_ERROR_UNSUPPORTED
 * names an operation that an IR cannot express. */
gboolean infer_ir_write (
    const InferModel *model, const char *path, GError **error);

/* Appends @text so that an attribute of XML has it. */
void infer_ir_write_text (GString *xml, const char *text);
/* Appends <rt_info> with "a/b/c" → value as nested elements; keys that are not
 * names of elements are left out. */
void infer_ir_write_info (GString *xml, GHashTable *info);
