/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Checks JSON that is inserted into other JSON. */

#pragma once

#include <glib.h>

/* Whether @text is one value of RFC 8259, nested at most 64 deep. */
gboolean gst_infer_json_is_valid (const char *text);
