/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bench/speech-live/stream.h"

#include <string.h>
#include <time.h>

#include "gst/speech/gstinfertranscriber.h"
#include "inference/media/speech/agree.h"
#include "tools/usage.h"

#define PART 160 /* samples in a buffer */
#define PART_US 10000
#define CAPS                                                                   \
  "audio/x-raw, format=F32LE, layout=interleaved, rate=16000, channels=1"

/* --- messages --- */

static double
time_of (const GstStructure *s, const char *field)
{
  guint64 time = 0;

  gst_structure_get_uint64 (s, field, &time);
  return (double) time / GST_SECOND;
}

static const GstStructure *
word_at (const GValue *list, guint i)
{
  return gst_value_get_structure (gst_value_array_get_value (list, i));
}

/* How many of the words in @list are in @stable. */
static guint
count_stable (const GValue *list, const char *stable)
{
  gsize left = strlen (stable);
  guint n = gst_value_array_get_size (list);

  for (guint i = 0; i < n; i++) {
    const GstStructure *word = word_at (list, i);
    const char *text = gst_structure_get_string (word, "text");
    gboolean joined = TRUE;

    gst_structure_get_boolean (word, "joined", &joined);
    gsize size = strlen (text) + (i > 0 && !joined ? 1 : 0);
    if (size > left)
      return i;
    left -= size;
  }
  return n;
}

static void
clear_stable (gpointer word)
{
  g_free (((StableWord *) word)->text);
}

/* How many of the stable words the final ones have in the same order. */
static guint
count_kept (const GArray *stable, const GPtrArray *said)
{
  g_autofree guint *kept = g_new0 (guint, said->len + 1);

  /* Longest common subsequence, a row for each stable word. */
  for (guint i = 0; i < stable->len; i++) {
    const char *text = g_array_index (stable, StableWord, i).text;
    guint before = 0;

    for (guint k = 1; k <= said->len; k++) {
      guint above = kept[k];

      if (infer_words_equal (text, said->pdata[k - 1]))
        kept[k] = MAX (above, before + 1);
      kept[k] = MAX (kept[k], kept[k - 1]);
      before = above;
    }
  }
  return kept[said->len];
}

/* Locked.  The utterance has no more messages. */
static void
end_utterance (Stream *stream)
{
  stream->n_shown += stream->stable->len;
  stream->n_lost +=
      stream->stable->len - count_kept (stream->stable, stream->said);
  g_array_set_size (stream->stable, 0);
  g_ptr_array_set_size (stream->said, 0);
  stream->n_final = 0;
}

/* The first @n words of a partial result are stable. */
static void
take_stable (Stream *stream, const GValue *list, guint n, double now)
{
  for (guint i = 0; i < n; i++) {
    StableWord word = {
      g_strdup (gst_structure_get_string (word_at (list, i), "text")), now
    };

    if (stream->n_final + i < stream->stable->len)
      g_free (word.text);
    else
      g_array_append_val (stream->stable, word);
  }
}

static void
take_final (Stream *stream, const GValue *list, double now)
{
  guint n = gst_value_array_get_size (list);

  for (guint i = 0; i < n; i++, stream->n_final++) {
    const GstStructure *word = word_at (list, i);
    gboolean shown = stream->n_final < stream->stable->len;
    Arrival arrival = { time_of (word, "timestamp"), time_of (word, "end"), now,
      shown };

    if (shown)
      arrival.arrived =
          g_array_index (stream->stable, StableWord, stream->n_final).arrived;
    g_array_append_val (stream->words, arrival);
    g_ptr_array_add (
        stream->said, g_strdup (gst_structure_get_string (word, "text")));
  }
}

/* Locked. */
static void
take_transcript (Stream *stream, const GstStructure *s, double now)
{
  const GValue *list = gst_structure_get_value (s, "words");
  gboolean final = FALSE;
  guint utterance = 0;
  Arrival arrival = { time_of (s, "timestamp"), time_of (s, "end"), now,
    FALSE };

  gst_structure_get_boolean (s, "final", &final);
  gst_structure_get_uint (s, "utterance", &utterance);
  if (utterance != stream->utterance) {
    end_utterance (stream);
    stream->utterance = utterance;
    g_array_append_val (stream->shown, arrival);
  }
  if (!final) {
    take_stable (stream, list,
        count_stable (list, gst_structure_get_string (s, "stable")), now);
    return;
  }
  take_final (stream, list, now);
  g_array_append_val (stream->finals, arrival);
  g_string_append_printf (
      stream->text, "%s\n", gst_structure_get_string (s, "text"));
}

static void
fail (GstMessage *message)
{
  g_autoptr (GError) error = NULL;

  gst_message_parse_error (message, &error, NULL);
  g_error ("%s: %s", GST_MESSAGE_SRC_NAME (message), error->message);
}

static GstBusSyncReply
take_message (GstBus *bus, GstMessage *message, gpointer data)
{
  Stream *stream = data;
  const GstStructure *s = gst_message_get_structure (message);
  double now =
      (double) (g_get_monotonic_time () - stream->start) / G_USEC_PER_SEC;

  g_mutex_lock (&stream->lock);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
    stream->warnings++;
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    fail (message);
  else if (s != NULL && gst_structure_has_name (s, "infer-transcript"))
    take_transcript (stream, s, now);
  g_mutex_unlock (&stream->lock);
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static GstFlowReturn
drop (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

/* --- playing --- */

static gboolean
answer (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return FALSE;
  gst_query_set_latency (
      query, TRUE, PART_US * GST_USECOND, PART_US * GST_USECOND);
  return TRUE;
}

/* Somebody speaks at sample @at, or did until @after samples before it. */
static gboolean
is_speech (const Sound *sound, guint64 at, guint64 after)
{
  for (guint i = 0; i < sound->utterances->len; i++) {
    const Utterance *u = &g_array_index (sound->utterances, Utterance, i);

    if (at >= u->begin && at < u->end + after)
      return TRUE;
  }
  return FALSE;
}

static void
account (Stream *stream, guint64 at, double seconds)
{
  if (is_speech (stream->sound, at, SOUND_RATE)) {
    stream->busy += seconds;
    if (is_speech (stream->sound, at, 0))
      stream->spoken += PART_US * 1e-6;
    return;
  }
  stream->idle += seconds;
  stream->quiet += PART_US * 1e-6;
}

static double
thread_seconds (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

/* A buffer can be pushed when its last sample was spoken.  What this thread
 * takes to wait and to make buffers is not the element's. */
static gpointer
play (gpointer data)
{
  Stream *stream = data;
  const GArray *samples = stream->sound->samples;
  guint n = samples->len / PART;
  double before = tool_processor_seconds ();

  for (guint i = 0; i < n; i++) {
    double own = thread_seconds ();
    gint64 due = stream->start + (gint64) (i + 1) * PART_US;
    gint64 now = g_get_monotonic_time ();
    GstBuffer *buffer = gst_buffer_new_memdup (
        &g_array_index (samples, float, i *PART), PART * sizeof (float));

    if (now < due)
      g_usleep ((gulong) (due - now));
    GST_BUFFER_PTS (buffer) = i * (GstClockTime) PART_US * GST_USECOND;
    GST_BUFFER_DURATION (buffer) = PART_US * GST_USECOND;
    own = thread_seconds () - own;
    gst_pad_push (stream->pads.src, buffer);
    double after = tool_processor_seconds ();
    account (stream, (guint64) i * PART, after - before - own);
    before = after;
  }
  g_autoptr (GstQuery) drain = gst_query_new_drain ();
  gst_pad_peer_query (stream->pads.src, drain);
  return NULL;
}

void
stream_begin (Stream *stream, const Sound *sound, const char *const *settings)
{
  GstElement *element =
      g_object_new (GST_TYPE_INFER_TRANSCRIBER, "name", "transcriber", NULL);
  g_autoptr (GstQuery) latency = gst_query_new_latency ();

  stream->sound = sound;
  stream->bus = gst_bus_new ();
  g_mutex_init (&stream->lock);
  stream->finals = g_array_new (FALSE, FALSE, sizeof (Arrival));
  stream->words = g_array_new (FALSE, FALSE, sizeof (Arrival));
  stream->shown = g_array_new (FALSE, FALSE, sizeof (Arrival));
  stream->stable = g_array_new (FALSE, FALSE, sizeof (StableWord));
  g_array_set_clear_func (stream->stable, clear_stable);
  stream->said = g_ptr_array_new_with_free_func (g_free);
  stream->text = g_string_new (NULL);
  stream->start = G_MAXINT64;
  for (; *settings != NULL; settings++) {
    g_auto (GStrv) pair = g_strsplit (*settings, "=", 2);

    gst_util_set_object_arg (G_OBJECT (element), pair[0], pair[1]);
  }
  gst_bus_set_sync_handler (stream->bus, take_message, stream, NULL);
  gst_element_set_bus (element, stream->bus);
  if (!test_pads_begin (&stream->pads, element, drop, stream)
      || gst_element_get_state (element, NULL, NULL, GST_CLOCK_TIME_NONE)
             == GST_STATE_CHANGE_FAILURE)
    g_error ("the element does not start");
  gst_pad_set_query_function (stream->pads.src, answer);
  test_pads_send_beginning (&stream->pads, "live", CAPS);
  gst_pad_peer_query (stream->pads.sink, latency);
  stream->start = g_get_monotonic_time ();
  stream->thread = g_thread_new ("source", play, stream);
}

void
stream_end (Stream *stream)
{
  g_thread_join (g_steal_pointer (&stream->thread));
  g_mutex_lock (&stream->lock);
  end_utterance (stream);
  g_mutex_unlock (&stream->lock);
}

guint64
stream_stat (const Stream *stream, const char *name)
{
  g_autoptr (GstStructure) stats = NULL;
  guint64 value = 0;

  g_object_get (stream->pads.element, "stats", &stats, NULL);
  if (!gst_structure_get_uint64 (stats, name, &value))
    g_error ("stats have no %s", name);
  return value;
}

void
stream_clear (Stream *stream)
{
  gst_bus_set_flushing (stream->bus, TRUE);
  test_pads_end (&stream->pads);
  gst_clear_object (&stream->bus);
  g_array_unref (stream->finals);
  g_array_unref (stream->words);
  g_array_unref (stream->shown);
  g_array_unref (stream->stable);
  g_ptr_array_unref (stream->said);
  g_string_free (stream->text, TRUE);
  g_mutex_clear (&stream->lock);
}
