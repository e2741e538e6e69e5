/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/scene/readings.h"

#include <math.h>
#include <string.h>

#define MOST_TEXTS 16 /* different ones; the lightest makes room */
#define MOST_SIZE 256
#define LEAST_WEIGHT 0.01 /* of a text whose model gives no confidence */

typedef struct
{
  char *text;
  glong length; /* characters */
  double weight;
  guint votes;
} Vote;

struct _GstInferReadings
{
  guint n, votes;
  double weight; /* of all */
  Vote texts[MOST_TEXTS];
};

void
gst_infer_readings_free (GstInferReadings *self)
{
  for (guint i = 0; self != NULL && i < self->n; i++)
    g_free (self->texts[i].text);
  g_free (self);
}

static void
remove_lightest (GstInferReadings *self)
{
  guint lightest = 0;

  for (guint i = 1; i < self->n; i++)
    if (self->texts[i].weight < self->texts[lightest].weight)
      lightest = i;
  self->weight -= self->texts[lightest].weight;
  self->votes -= self->texts[lightest].votes;
  g_free (self->texts[lightest].text);
  self->texts[lightest] = self->texts[--self->n];
}

static Vote *
find_text (GstInferReadings *self, const char *text)
{
  for (guint i = 0; i < self->n; i++)
    if (g_str_equal (self->texts[i].text, text))
      return &self->texts[i];
  if (self->n == MOST_TEXTS)
    remove_lightest (self);
  self->texts[self->n] =
      (Vote){ g_strdup (text), g_utf8_strlen (text, -1), 0, 0 };
  return &self->texts[self->n++];
}

void
gst_infer_readings_add (
    GstInferReadings **self, const char *text, double confidence)
{
  const double weight = CLAMP (confidence, LEAST_WEIGHT, 1);

  if (*text == '\0' || strlen (text) > MOST_SIZE || isnan (confidence)
      || !g_utf8_validate (text, -1, NULL))
    return;
  if (*self == NULL)
    *self = g_new0 (GstInferReadings, 1);
  Vote *vote = find_text (*self, text);
  vote->weight += weight;
  vote->votes++;
  (*self)->weight += weight;
  (*self)->votes++;
}

static char *
settle_text (const GstInferReadings *self, guint least, double *confidence)
{
  const Vote *best = &self->texts[0];

  for (guint i = 1; i < self->n; i++)
    if (self->texts[i].weight > best->weight)
      best = &self->texts[i];
  *confidence = best->weight / self->weight;
  return best->votes >= least ? g_strdup (best->text) : NULL;
}

static glong
best_length (const GstInferReadings *self)
{
  glong best = 0;
  double most = 0;

  for (guint i = 0; i < self->n; i++) {
    double weight = 0;

    for (guint k = 0; k < self->n; k++)
      if (self->texts[k].length == self->texts[i].length)
        weight += self->texts[k].weight;
    if (weight > most)
      most = weight, best = self->texts[i].length;
  }
  return best;
}

/* The character at which each of @at points that has most weight.  Steps each
 * of @at (NULL: a text of another length) to its next. */
static gunichar
best_character (
    const GstInferReadings *self, const char *at[MOST_TEXTS], double *most)
{
  gunichar characters[MOST_TEXTS] = { 0 }, best = 0;

  *most = 0;
  for (guint i = 0; i < self->n; i++)
    if (at[i] != NULL) {
      characters[i] = g_utf8_get_char (at[i]);
      at[i] += g_utf8_skip[(guchar) *at[i]];
    }
  for (guint i = 0; i < self->n; i++) {
    double weight = 0;

    for (guint k = 0; k < self->n; k++)
      if (at[k] != NULL && characters[k] == characters[i])
        weight += self->texts[k].weight;
    if (at[i] != NULL && weight > *most)
      *most = weight, best = characters[i];
  }
  return best;
}

static char *
settle_characters (
    const GstInferReadings *self, guint least, double *confidence)
{
  const glong length = best_length (self);
  const char *at[MOST_TEXTS] = { NULL };
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < self->n; i++)
    if (self->texts[i].length == length)
      at[i] = self->texts[i].text;
  *confidence = 1;
  for (glong i = 0; i < length; i++) {
    double weight;

    g_string_append_unichar (text, best_character (self, at, &weight));
    *confidence = MIN (*confidence, weight / self->weight);
  }
  return g_string_free (text, self->votes < least);
}

char *
gst_infer_readings_settle (const GstInferReadings *self, GstInferReading how,
    guint least, double share, double *confidence)
{
  if (self == NULL || self->n == 0)
    return NULL;
  char *text = how == GST_INFER_READING_TEXT
                   ? settle_text (self, least, confidence)
                   : settle_characters (self, least, confidence);
  if (text != NULL && *confidence < share)
    g_clear_pointer (&text, g_free);
  return text;
}
