/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A small font of our own: 5 × 9 points for each character of ASCII (7 above
 * the baseline, 2 below), a box for all others. */

#pragma once

#include <glib.h>

#define GST_INFER_FONT_WIDTH 5
#define GST_INFER_FONT_HEIGHT 9
#define GST_INFER_FONT_ADVANCE 6

/* Returns nine rows, the leftmost point in bit 4. */
const guint8 *gst_infer_font_glyph (gunichar letter);
