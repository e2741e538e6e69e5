/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The rules are those of OpenAI's transcribe.py (MIT). */

#include "inference/speech/whisper/segments.h"

static gsize
time_of (const WhisperConfig *c, guint token)
{
  return (gsize) (token - c->timestamps) * WHISPER_FRAMES_PER_POSITION;
}

static void
add (const WhisperConfig *c, const guint *tokens, guint first, guint end,
    GArray *segments)
{
  WhisperSegment segment = { .first = first, .end = end };

  if (whisper_is_timestamp (c, tokens[first]))
    segment.start_at = time_of (c, tokens[first]);
  if (whisper_is_timestamp (c, tokens[end - 1]))
    segment.end_at = time_of (c, tokens[end - 1]);
  segment.end_at = MAX (segment.end_at, segment.start_at);
  g_array_append_val (segments, segment);
}

/* No two timestamps follow each other: the window is one segment, from its
 * beginning. */
static void
add_whole (const WhisperConfig *c, const guint *tokens, guint n, gsize frames,
    GArray *segments)
{
  WhisperSegment segment = { .end = n, .end_at = frames };

  for (guint i = n; i-- > 0;)
    if (whisper_is_timestamp (c, tokens[i])) {
      if (tokens[i] != c->timestamps)
        segment.end_at = MIN (frames, time_of (c, tokens[i]));
      break;
    }
  g_array_append_val (segments, segment);
}

gsize
whisper_segments_cut (const WhisperConfig *c, const guint *tokens, guint n,
    gsize frames, GArray *segments)
{
  guint first = 0;
  gboolean ends = n >= 1 && whisper_is_timestamp (c, tokens[n - 1])
                  && (n < 2 || !whisper_is_timestamp (c, tokens[n - 2]));

  for (guint i = 1; i < n; i++)
    if (whisper_is_timestamp (c, tokens[i - 1])
        && whisper_is_timestamp (c, tokens[i])) {
      add (c, tokens, first, i, segments);
      first = i;
    }
  if (first == 0) {
    if (n > 0)
      add_whole (c, tokens, n, frames, segments);
    return frames;
  }
  if (ends) {
    add (c, tokens, first, n, segments);
    return frames;
  }
  return MIN (frames, time_of (c, tokens[first - 1]));
}
