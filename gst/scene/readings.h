/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The texts that were read of one object on its frames, and the reading that
 * they agree on.  One thread at a time. */

#pragma once

#include <glib.h>

typedef enum
{
  GST_INFER_READING_OFF,
  GST_INFER_READING_TEXT,      /* whole texts are voted for */
  GST_INFER_READING_CHARACTERS /* the length, then each character */
} GstInferReading;

typedef struct _GstInferReadings GstInferReadings;

void gst_infer_readings_free (GstInferReadings *self); /* NULL is fine */

/* A text, of weight @confidence (0 … 1).  *@self is created if it is NULL.
 * Texts that are empty, too long or not UTF-8 do not count. */
void gst_infer_readings_add (
    GstInferReadings **self, const char *text, double confidence);

/* The winner and its share of the weight: of characters, that of the least
 * certain one.  NULL: there are fewer texts than @least, or none has @share.
 * (transfer full) */
char *gst_infer_readings_settle (const GstInferReadings *self,
    GstInferReading how, guint least, double share, double *confidence);
