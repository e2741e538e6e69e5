/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A live stream of 10 ms buffers through an infertranscriber, at the pace of
 * the clock, and when which words came. */

#pragma once

#include "bench/speech-live/sound.h"
#include "tests/check/support/pads.h"

typedef struct
{
  double begin, end;   /* s: of its words */
  double arrived;      /* s after sample 0 was spoken */
  gboolean of_partial; /* words that were stable before they were final */
} Arrival;

/* A word of a partial result, when it was stable for the first time. */
typedef struct
{
  char *text;
  double arrived;
} StableWord;

typedef struct
{
  const Sound *sound;
  TestPads pads;
  GstBus *bus;
  GThread *thread;
  gint64 start; /* monotonic µs of sample 0 */

  GMutex lock;     /* guards what follows */
  GArray *finals;  /* (element-type Arrival): segments */
  GArray *words;   /* (element-type Arrival): of the finals, when they were
                    * stable */
  GArray *shown;   /* (element-type Arrival): first partial of an utterance */
  GString *text;   /* of the finals, a line each */
  guint utterance; /* of the latest message */
  GArray *stable;  /* (element-type StableWord): its words, in order */
  guint n_final;   /* its words that were final */
  GPtrArray *said; /* (element-type utf8): these */
  guint n_shown, n_lost; /* stable words, and those that the finals lack */
  guint warnings;

  /* Of the process: seconds of processor time while somebody speaks and until
   * a second later, seconds in which somebody speaks; and the rest. */
  double busy, spoken, idle, quiet;
} Stream;

/* @settings: properties of the element, NAME=VALUE. */
void stream_begin (
    Stream *stream, const Sound *sound, const char *const *settings);
/* Waits until it has ended. */
void stream_end (Stream *stream);
guint64 stream_stat (const Stream *stream, const char *name);
void stream_clear (Stream *stream);
