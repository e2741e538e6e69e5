/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-infertranscriber
 * @title: infertranscriber
 * @short_description: recognises speech
 *
 * Audio in, what was said out, as `text/x-raw, format=utf8`; where the next
 * element takes only `application/x-subtitle`, `application/x-subtitle-vtt` or
 * `application/json`, as the cues of SubRip or WebVTT, or as lines of JSON with
 * `pts`, `duration` (nanoseconds) and `text`.
 * #GstInferTranscriber:model is a folder as speech models are published, or the
 * file of a CTC model; what is in it decides which kind of model it is
 * (#GstInferTranscriber:kind).  docs/guides/speech.md has the kinds, where to
 * get models, and their settings.
 *
 * ## What leaves
 *
 * A buffer for each segment of speech, or for each word
 * (#GstInferTranscriber:granularity), when it is final, with the time when it
 * was said; buffers never overlap.  Between them, GAP events of 200 ms at most
 * say that nothing was said.  After each segment follows the custom event
 * `rstranscribe/final-transcript`, and for each buffer
 * `rstranscribe/new-item` is sent upstream, as the transcribers of
 * gst-plugins-rs do.
 *
 * With #GstInferTranscriber:partial-interval, what is probably being said
 * leaves before it is final: as element messages, and as buffers of the request
 * pad `partial`, each of which replaces the one before.
 *
 * The element messages `infer-transcript` have the fields `final` (boolean),
 * `text`, `stable` (strings; the beginning of the text that will probably not
 * change: words on which two revisions agree, or which the model is sure of),
 * `utterance`, `revision` (guint), `timestamp`, `end`, `running-time`
 * (guint64), `language` (string), `log-probability` (double), and `words`, an
 * array of structures with `text`, `joined` (whether it is written together
 * with the word before), `timestamp`, `end` and `probability`.
 *
 * PROGRESS messages `load-model` say when the model begins to load, and that it
 * is loaded or has failed.
 *
 * Where decoded text is dropped or decoding was cut short, element messages
 * `infer-speech-dropped` tell it: `reason` (`no-speech`,
 * `log-probability`, `compression`, `loop`, `time`), `text` (what was decoded),
 * `timestamp`, `end`, `running-time`, `log-probability` and `no-speech`.  The
 * field `dropped` of #GstInferTranscriber:stats counts them by reason.
 *
 * ## Utterances
 *
 * A voice activity detector (#GstInferTranscriber:vad) finds where speech
 * begins and ends; only speech is recognised.  Utterances that become too long
 * are cut where they are quietest; both parts hear what is around the cut, so
 * that no word is lost or doubled.  A discontinuity, a gap or jump of more than
 * a second, new caps, a segment that does not continue, and EOS end an
 * utterance, too.
 *
 * ## Live pipelines
 *
 * A text leaves after it was said: LATENCY says how long after, as far as seen,
 * or #GstInferTranscriber:latency.  With #GstInferTranscriber:commit=deadline,
 * words leave when that time has passed, final or not.
 * #GstInferTranscriber:lateness shows texts later instead of delaying all other
 * streams.  Where the model is too slow, partial results are left out first;
 * audio is never dropped, and a WARNING says so once.
 *
 * ## Examples
 *
 * |[
 * gst-launch-1.0 filesrc location=call.wav ! wavparse ! audioconvert ! \
 *     audioresample ! infertranscriber model=digits-wave.xml ! fdsink
 * gst-launch-1.0 filesrc location=call.wav ! wavparse ! audioconvert ! \
 *     audioresample ! infertranscriber model=digits-wave.xml ! \
 *     application/x-subtitle-vtt ! filesink location=call.vtt
 * gst-launch-1.0 -m autoaudiosrc ! audioconvert ! audioresample ! \
 *     infertranscriber model=digits-wave.xml partial-interval=500 ! fakesink
 * ]|
 */

#include "gst/speech/gstinfertranscriber.h"

#include "gst/common/audio-caps.h"
#include "gst/common/error-message.h"
#include "gst/speech/transcriber.h"

GST_DEBUG_CATEGORY (gst_infer_transcriber_debug);
#define GST_CAT_DEFAULT gst_infer_transcriber_debug

#define TEXT_CAPS "text/x-raw, format = (string) utf8"

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
        GST_STATIC_CAPS (
            GST_INFER_AUDIO_CAPS "rate = [ 1, max ], channels = [ 1, 64 ]"));

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE (
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (GST_INFER_CUE_CAPS));

static GstStaticPadTemplate partial_template = GST_STATIC_PAD_TEMPLATE (
    "partial", GST_PAD_SRC, GST_PAD_REQUEST, GST_STATIC_CAPS (TEXT_CAPS));

G_DEFINE_TYPE_WITH_CODE (GstInferTranscriber, gst_infer_transcriber,
    GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (gst_infer_transcriber_debug, "infertranscriber", 0,
        "infertranscriber element"))
GST_ELEMENT_REGISTER_DEFINE (infertranscriber, "infertranscriber",
    GST_RANK_NONE, GST_TYPE_INFER_TRANSCRIBER)

/* --- states --- */

static gboolean
start (GstInferTranscriber *self)
{
  g_autoptr (GError) error = NULL;

  self->intake = (GstInferIntake){ .have_caps = FALSE };
  self->outlet = (GstInferOutlet){ .caps_sent = FALSE };
  gst_segment_init (&self->outlet.segment, GST_FORMAT_UNDEFINED);
  gst_segment_init (&self->hearing.segment, GST_FORMAT_UNDEFINED);
  self->hearing.out_time = 0;
  gst_infer_speech_stats_reset (&self->stats);
  if (gst_infer_transcriber_open (self, &error))
    return TRUE;
  gst_infer_post_error (self, error);
  gst_infer_transcriber_close (self);
  return FALSE;
}

/* Events that still wait are lost. */
static void
stop (GstInferTranscriber *self)
{
  gst_infer_transcriber_forget (self);
  gst_infer_forget_unmet (self, &self->unmet);
  gst_infer_transcriber_close (self);
}

static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstInferTranscriber *self = GST_INFER_TRANSCRIBER (element);

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !start (self))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_infer_transcriber_interrupt (self);

  GstStateChangeReturn result =
      GST_ELEMENT_CLASS (gst_infer_transcriber_parent_class)
          ->change_state (element, transition);

  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      || (transition == GST_STATE_CHANGE_READY_TO_PAUSED
          && result == GST_STATE_CHANGE_FAILURE))
    stop (self);
  return result;
}

/* --- the pad `partial` --- */

static GstPad *
request_pad (GstElement *element, GstPadTemplate *template, const char *name,
    const GstCaps *caps)
{
  GstInferTranscriber *self = GST_INFER_TRANSCRIBER (element);
  g_autoptr (GstPad) pad =
      gst_object_ref_sink (gst_pad_new_from_template (template, "partial"));

  gst_pad_set_event_function (pad, gst_infer_transcriber_src_event);
  gst_pad_set_query_function (pad, gst_infer_transcriber_src_query);
  gst_pad_use_fixed_caps (pad);
  GST_OBJECT_LOCK (self);
  gboolean taken = self->partialpad != NULL;
  if (!taken)
    self->partialpad = gst_object_ref (pad);
  GST_OBJECT_UNLOCK (self);
  if (taken)
    return NULL; /* there is only one */
  if (GST_STATE (self) >= GST_STATE_PAUSED
      || GST_STATE_PENDING (self) >= GST_STATE_PAUSED)
    gst_pad_set_active (pad, TRUE);
  return gst_element_add_pad (element, pad) ? pad : NULL;
}

static void
release_pad (GstElement *element, GstPad *pad)
{
  GstInferTranscriber *self = GST_INFER_TRANSCRIBER (element);

  GST_OBJECT_LOCK (self);
  gboolean ours = self->partialpad == pad;
  if (ours)
    self->partialpad = NULL;
  GST_OBJECT_UNLOCK (self);
  if (!ours)
    return;
  gst_pad_set_active (pad, FALSE);
  gst_element_remove_pad (element, pad);
  gst_object_unref (pad);
}

/* --- class --- */

static void
dispose (GObject *object)
{
  GstInferTranscriber *self = GST_INFER_TRANSCRIBER (object);

  gst_clear_object (&self->partialpad);
  G_OBJECT_CLASS (gst_infer_transcriber_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  GstInferTranscriber *self = GST_INFER_TRANSCRIBER (object);
  GstInferHearing *hearing = &self->hearing;

  gst_infer_transcriber_settings_clear (&self->settings);
  gst_infer_transcriber_settings_clear (&self->active);
  gst_infer_transcriber_settings_clear (&hearing->applied);
  gst_clear_object (&self->worker);
  g_rec_mutex_clear (&self->worker_lock);
  gst_infer_speech_queue_free (self->input);
  gst_infer_speech_queue_free (self->output);
  gst_infer_history_clear (&hearing->history);
  gst_infer_sample_clock_clear (&hearing->clock);
  g_array_unref (hearing->arrivals);
  g_ptr_array_unref (hearing->tail);
  infer_agreement_free (hearing->agreement);
  g_mutex_clear (&self->delays.lock);
  g_mutex_clear (&self->stats.lock);
  G_OBJECT_CLASS (gst_infer_transcriber_parent_class)->finalize (object);
}

static void
gst_infer_transcriber_class_init (GstInferTranscriberClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->dispose = dispose;
  object_class->finalize = finalize;
  gst_infer_transcriber_install_properties (object_class);
  element_class->change_state = change_state;
  element_class->request_new_pad = request_pad;
  element_class->release_pad = release_pad;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_add_static_pad_template (element_class, &partial_template);
  gst_element_class_set_static_metadata (element_class, "Speech recognition",
      "Audio/Text/Filter",
      "Recognises speech: words with their times, partial and final",
      "The inferfilter authors");
}

static void
init_pads (GstInferTranscriber *self)
{
  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad, gst_infer_transcriber_chain);
  gst_pad_set_event_function (self->sinkpad, gst_infer_transcriber_sink_event);
  gst_pad_set_query_function (self->sinkpad, gst_infer_transcriber_sink_query);
  gst_pad_set_activatemode_function (
      self->sinkpad, gst_infer_transcriber_sink_activate);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);

  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_event_function (self->srcpad, gst_infer_transcriber_src_event);
  gst_pad_set_query_function (self->srcpad, gst_infer_transcriber_src_query);
  gst_pad_set_activatemode_function (
      self->srcpad, gst_infer_transcriber_src_activate);
  gst_pad_use_fixed_caps (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}

static void
gst_infer_transcriber_init (GstInferTranscriber *self)
{
  GstInferHearing *hearing = &self->hearing;

  self->input = gst_infer_speech_queue_new ();
  self->output = gst_infer_speech_queue_new ();
  g_mutex_init (&self->delays.lock);
  g_mutex_init (&self->stats.lock);
  g_rec_mutex_init (&self->worker_lock);
  self->worker = gst_task_new (gst_infer_transcriber_work, self, NULL);
  gst_task_set_lock (self->worker, &self->worker_lock);
  gst_object_set_name (GST_OBJECT (self->worker), "infertranscriber:worker");
  gst_infer_history_init (&hearing->history);
  gst_infer_sample_clock_init (&hearing->clock);
  hearing->arrivals = g_array_new (FALSE, FALSE, sizeof (GstInferArrival));
  hearing->tail = gst_infer_transcriber_new_words ();
  hearing->agreement = infer_agreement_new ();
  g_queue_init (&hearing->waiting);
  init_pads (self);
}
