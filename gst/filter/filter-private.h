/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the files of inferfilter share.
 *
 *   gstinferfilter.c      the type, state changes
 *   filter-properties.c   properties and action signals
 *   filter-model.c        settings → model, executable, requests
 *   filter-sink.c         streaming thread: events, queries, chain
 *   filter-run.c          streaming thread: windows → requests
 *   filter-output.c       results → buffers, by the form of output
 *   filter-audio.c        … audio → audio
 *   filter-meta.c         … the frame with metas
 *   filter-picture.c      … video → video
 *   filter-video.c        streaming thread: frames → requests
 *   filter-source.c       source-pad task, latency
 *   filter-swap.c         models that take over while data flows
 *   filter-skip.c         what is not inferred on purpose
 *   filter-batch.c        what batches need to know of the stream
 */

#pragma once

#include "gst/filter/gstinferfilter.h"
#include "gst/common/model-input.h"
#include "gst/filter/ordered-queue.h"
#include "gst/filter/shared-model.h"
#include "gst/common/stage-stats.h"
#include "gst/common/window.h"
#include "infer/request.h"

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (gst_infer_filter_debug);

typedef enum
{
  GST_INFER_TAIL_PAD,
  GST_INFER_TAIL_DROP,
  GST_INFER_TAIL_RUN,
} GstInferTail;

typedef enum
{
  GST_INFER_OUTPUT_TENSORS,
  GST_INFER_OUTPUT_MEDIA_WITH_META,
  GST_INFER_OUTPUT_MEDIA,
} GstInferOutput;

typedef enum
{
  GST_INFER_REGION_FULL_FRAME,
  GST_INFER_REGION_ROI_LIST,
} GstInferRegion;

typedef enum
{
  GST_INFER_RESET_DISCONT = 1 << 0,
  GST_INFER_RESET_FLUSH = 1 << 1,
  GST_INFER_RESET_SEGMENT = 1 << 2,
  GST_INFER_RESET_STREAM_START = 1 << 3,
  GST_INFER_RESET_GAP = 1 << 4,
} GstInferReset;
#define GST_INFER_RESET_ALL 0x1f

typedef struct
{
  char *model, *weights, *device, *config, *extra_outputs, *object_class, *crop,
      *model_info, *instance;
  guint batch_size;
  int batch_timeout; /* ms, < 0: for ever */
  gboolean async_load;
  guint stats_interval; /* ms, 0: none */
  gboolean qos;         /* may change at any time */
  guint interval;       /* of inferences, in buffers */
  char *state_pairs, *dump, *dump_dir;
  gboolean low_latency;
  guint nireq, window, hop;
  GstInferTail tail;
  GstInferOutput output;
  GstInferRegion region;
  GstInferReset state_reset;
  GstClockTime max_gap;
} GstInferSettings;

typedef struct
{
  guint64 buffers, inferences, resets, errors;
  guint64 dropped, skipped; /* by qos, by inference-interval */
  GstClockTime max_delay;   /* of an inference */
  GstInferStageStats preprocess, execute, postprocess, total, push;
} GstInferCounters;

typedef struct _GstInferForm GstInferForm;
typedef struct _GstInferPicture GstInferPicture;

/* An inference under way: a request and what its result will be pushed as. */
typedef struct
{
  GstInferFilter *filter;
  InferAsyncRequest *request;
  const GstInferForm *form;
  GstInferSpan span;
  gsize skip, keep; /* media: rows of the result before and within the span */
  /* Video.  empty: nothing is inferred, the frame only keeps its place; last:
   * of its frame, which it then has. */
  gboolean empty, last;
  gboolean skipped; /* has the last results, that much older */
  GstBuffer *frame;
  GstEvent *model_info;
  GstInferPicture *picture;
  InferPlacement placement;
  guint input_width, input_height;
  int roi_id;
  gboolean discont;
  gboolean reset; /* begins with fresh states */
  gint64 begun;   /* monotonic µs */
  gint64 filled;  /* µs that filling the inputs took */
  GError *error;
} GstInferJob;

/* A form of output, as property `output` and the input's caps choose it. */
struct _GstInferForm
{
  /* Streaming thread: the caps that leave for the negotiated input.  NULL
   * without error: only known when the model has run. */
  GstCaps *(*caps) (GstInferFilter *self, GstCaps *sink_caps, GError **error);
  /* Source-pad task: what leaves for a job that is done, to be stamped by the
   * caller.  NULL without error: nothing.  *caps: set (transfer full) where
   * others than before are needed. */
  GstBuffer *(*collect) (
      GstInferFilter *self, GstInferJob *job, GstCaps **caps, GError **error);
  gboolean untouched; /* not stamped: what came leaves */
};

/* A frame, and the part of it that is next. */
typedef struct
{
  GstBuffer *buffer; /* mapped; NULL once its last job has it */
  GstVideoFrame mapped;
  InferImage image;
  InferBox box; /* of no width: nothing to infer */
  int roi_id;
  gboolean last, skipped;
} GstInferFrame;

/* A model in use, with what was made for it. */
typedef struct
{
  GstInferShared *shared;
  InferStateSet *states;
  InferExecutor *callbacks;
  GPtrArray *jobs; /* (element-type GstInferJob) idle */
} GstInferModelUse;

struct _GstInferFilter
{
  GstElement parent;
  GstPad *sinkpad, *srcpad;
  GstInferQueue *queue;
  InferExecutor *host; /* its task, where that waits for a job */
  GMutex starting; /* an inference starts either before an interruption, which
                      then cancels it, or not at all */

  /* Guarded by the object lock. */
  GstInferSettings settings; /* as set; taken over in READY → PAUSED */
  GstInferCounters counters;
  /* Own latency: what a window waits for its rows, beyond the buffer that
   * begins it; and what an inference takes. */
  GstClockTime window_time, processing;
  gboolean window_seen;  /* it is what was observed, not the whole window */
  GstClockTime reported; /* NONE: nobody asked */
  GstClockTime earliest; /* running time that is not too late; NONE: any */
  double proportion;     /* of downstream's speed, from QOS events */
  InferStateSet *states; /* NULL while no model is loaded */
  GHashTable *restore;   /* values for states of the next start; nullable */
  GThread *loader;       /* nullable */
  gboolean loading;
  guint load_serial;
  GstInferShared *next; /* loaded, to take over; nullable */
  GstInferSettings next_settings;
  GCond loaded;

  /* From READY → PAUSED to PAUSED → READY. */
  GstInferSettings active;
  GstInferShared *shared;
  InferModel *model;           /* its */
  InferExecutable *executable; /* its */
  InferExecutor *callbacks;
  guint n_jobs;
  gboolean joined; /* batches expect something of it; under `starting` */
  guint withheld;  /* requests that are done but not idle yet; likewise */
  guint urges;     /* of the executable, by events and others; likewise */
  guint barriers;  /* events in the queue that no batch makes wait; likewise */

  /* Streaming thread. */
  GstSegment segment;
  GstCaps *caps;        /* NULL: not negotiated */
  GstCaps *wanted_caps; /* those while a model takes over */
  GstInferInput input;
  const GstInferForm *form;
  GstInferWindow *window;          /* NULL for tensors */
  InferPreprocessor *preprocessor; /* video only */
  GstEvent *model_info;
  GstInferPicture *picture; /* NULL: no video leaves */
  GstClockTime after; /* end of what came last, where there is no window */
  GstClockTime chunk; /* duration of the rows that came last */
  gsize late;         /* rows by which the output comes after the input */
  guint64 fresh;      /* the first row that a dropped window left over */
  guint turn;         /* buffers since the last that was inferred */
  gboolean discont;   /* the next inference begins a sequence */
  int reset_pending;  /* atomic: and with fresh states */
  int pristine;       /* atomic: nothing has been inferred */
  int restored;       /* atomic: but not those set before the beginning */
  int eos;            /* atomic: nothing will follow */
  int warned;         /* atomic: of caps that do not fit */

  /* Source-pad task. */
  gboolean negotiated; /* caps have left */
  GstInferTensors out; /* what they say, if tensors */
  GQueue held;         /* sticky events that wait for the caps */
  GPtrArray *results;  /* of the frame's regions so far; filter-meta.c */
  GPtrArray *previous; /* of the last frame that has any */
  guint age;           /* of those, in frames */
  gint64 last_report;  /* of stats, monotonic µs */
};

/* filter-properties.c */
void gst_infer_filter_install_properties (GObjectClass *klass);
void gst_infer_settings_copy (
    GstInferSettings *to, const GstInferSettings *from);
void gst_infer_settings_clear (GstInferSettings *settings);

/* filter-model.c.  open: errors are for gst_infer_post_error. */
gboolean gst_infer_filter_open (GstInferFilter *self, GError **error);
void gst_infer_filter_close (GstInferFilter *self);
/* Loads what @settings say; posts the PROGRESS messages START and ERROR, while
 * COMPLETE is the caller's.  Any thread. */
GstInferShared *gst_infer_filter_load (
    GstInferFilter *self, const GstInferSettings *settings, GError **error);
void gst_infer_filter_post_progress (GstInferFilter *self, GstProgressType type,
    const GstInferSettings *settings);
/* Streaming thread, with nothing under way, or no streaming thread.  use takes
 * @shared, on failure too; stop_using gives all that was used. */
gboolean gst_infer_filter_use (
    GstInferFilter *self, GstInferShared *shared, GError **error);
void gst_infer_filter_stop_using (GstInferFilter *self, GstInferModelUse *use);
void gst_infer_filter_use_again (GstInferFilter *self, GstInferModelUse *use);
void gst_infer_model_use_clear (GstInferModelUse *use);
/* What the outputs will be for the negotiated input; FALSE where the model
 * leaves it open until it runs. */
gboolean gst_infer_filter_predict (GstInferFilter *self, GstInferTensors *out);

/* filter-sink.c */
gboolean gst_infer_filter_sink_event (
    GstPad *pad, GstObject *parent, GstEvent *event);
gboolean gst_infer_filter_sink_query (
    GstPad *pad, GstObject *parent, GstQuery *query);
gboolean gst_infer_filter_sink_activate (
    GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active);
/* Cancels what runs; every wait ends. */
void gst_infer_filter_interrupt (GstInferFilter *self);
/* Task and streaming thread stand still: nothing is left of the past, but for
 * the sticky events that a flush leaves valid. */
void gst_infer_filter_forget (GstInferFilter *self);

/* For @caps, whatever was negotiated before. */
gboolean gst_infer_filter_negotiate (
    GstInferFilter *self, GstCaps *caps, GError **error);

/* filter-signals.c: what set-state was given for the next start. */
void gst_infer_filter_restore_states (
    GstInferFilter *self, InferStateSet *states);

/* filter-swap.c.  load_aside: the model that the settings now name, to take
 * over when it is there; end_loading: waits for that and forgets it. */
void gst_infer_filter_load_aside (GstInferFilter *self);
void gst_infer_filter_end_loading (GstInferFilter *self);
/* While the first is being loaded; FALSE: there is none, or stopped. */
gboolean gst_infer_filter_await_model (GstInferFilter *self);
/* And what is to be made of it; NULL: none.  Any thread.  (transfer full) */
InferModel *gst_infer_filter_ref_model (
    GstInferFilter *self, GstInferOutput *output);
/* Streaming thread, between two buffers: a model that is ready takes over. */
GstFlowReturn gst_infer_filter_take_over (GstInferFilter *self);

/* filter-run.c */
GstFlowReturn gst_infer_filter_chain (
    GstPad *pad, GstObject *parent, GstBuffer *buffer);
/* Runs the tail; the next row is the first of a sequence, with fresh states if
 * @reset. */
GstFlowReturn gst_infer_filter_end_sequence (
    GstInferFilter *self, gboolean reset);
/* Without a window: something with these came, and what should come next is
 * timestamped accordingly. */
void gst_infer_filter_note_time (
    GstInferFilter *self, GstClockTime pts, GstClockTime duration);
/* As many missing rows as @duration has. */
GstFlowReturn gst_infer_filter_fill_gap (
    GstInferFilter *self, GstClockTime pts, GstClockTime duration);

/* Posts that @rows rows do not fit in memory; GST_FLOW_ERROR. */
GstFlowReturn gst_infer_filter_no_memory (GstInferFilter *self, guint64 rows);
/* One inference on the part of @frame that is next. */
GstFlowReturn gst_infer_filter_run_picture (
    GstInferFilter *self, GstInferFrame *frame);
/* One inference on @rows rows; @skip, @keep: as in the job. */
GstFlowReturn gst_infer_filter_run_rows (GstInferFilter *self,
    const float *rows, const GstInferSpan *span, gsize skip, gsize keep);

/* filter-output.c.  choose_form: for the negotiated input; what the model
 * cannot give is an error.  src_caps: all that can leave (transfer full). */
gboolean gst_infer_filter_choose_form (GstInferFilter *self, GError **error);
GstCaps *gst_infer_filter_src_caps (GstInferFilter *self);
GstCaps *gst_infer_filter_sink_caps (GstInferFilter *self);
/* @result as dense floats: itself where it is, else a copy.  (transfer full) */
InferTensor *gst_infer_filter_floats (InferTensor *result, GError **error);

/* filter-meta.c */
extern const GstInferForm gst_infer_form_meta;
void gst_infer_result_free (gpointer result);

/* filter-picture.c */
extern const GstInferForm gst_infer_form_picture;
GstInferPicture *gst_infer_picture_ref (GstInferPicture *picture);
void gst_infer_picture_unref (GstInferPicture *picture);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstInferPicture, gst_infer_picture_unref)

/* filter-video.c.  begin: for the negotiated input.  run_frame: takes @buffer.
 * fill, note: @frame into the request, and what its result will need into the
 * job. */
gboolean gst_infer_filter_begin_video (GstInferFilter *self, GError **error);
GstFlowReturn gst_infer_filter_run_frame (
    GstInferFilter *self, GstBuffer *buffer, gboolean skip);
gboolean gst_infer_filter_fill_frame (GstInferFilter *self,
    InferRequest *request, const GstInferFrame *frame, GError **error);
void gst_infer_filter_note_frame (
    GstInferFilter *self, GstInferJob *job, GstInferFrame *frame);
void gst_infer_job_forget_frame (GstInferJob *job);

/* filter-audio.c.  The windows at hand, with the samples up to number @end as
 * output; and the rest of a sequence, whatever it takes to get it out. */
extern const GstInferForm gst_infer_form_audio;
GstFlowReturn gst_infer_filter_run_audio (GstInferFilter *self, guint64 end);
GstFlowReturn gst_infer_filter_finish_audio (GstInferFilter *self);

/* filter-batch.c.  join, leave: under `starting`. */
void gst_infer_filter_join_batch (GstInferFilter *self);
void gst_infer_filter_leave_batch (GstInferFilter *self);
/* A request is done, or has been given back. */
void gst_infer_filter_withhold (GstInferFilter *self, gboolean withheld);
/* From urge to relax no batch of the model waits, whichever it is then. */
void gst_infer_filter_urge (GstInferFilter *self);
void gst_infer_filter_relax (GstInferFilter *self);
/* The model's, which is urged as the one before was; NULL: none. */
void gst_infer_filter_set_executable (
    GstInferFilter *self, InferExecutable *executable);
/* An event, or @all of them, has left the queue. */
void gst_infer_filter_event_left (GstInferFilter *self, gboolean all);
/* Into the queue, urging until the task takes it out; FALSE: stopped. */
gboolean gst_infer_filter_queue_event (GstInferFilter *self, GstEvent *event);
/* How long an inference may wait for its batch. */
GstClockTime gst_infer_filter_batch_wait (GstInferFilter *self);

/* filter-stats.c.  (transfer full) a structure @name.  report: posts one if it
 * is time to. */
GstStructure *gst_infer_filter_make_stats (
    GstInferFilter *self, const char *name);
void gst_infer_filter_report_stats (GstInferFilter *self);

/* filter-skip.c.  drops: too late, which has been said; takes_turn: FALSE for
 * all but each so many buffers.  Streaming thread. */
void gst_infer_filter_forget_qos (GstInferFilter *self);
void gst_infer_filter_note_qos (GstInferFilter *self, GstEvent *event);
gboolean gst_infer_filter_drops (
    GstInferFilter *self, GstClockTime pts, GstClockTime duration);
gboolean gst_infer_filter_takes_turn (GstInferFilter *self);

/* filter-source.c */
gboolean gst_infer_filter_src_activate (
    GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active);
gboolean gst_infer_filter_src_event (
    GstPad *pad, GstObject *parent, GstEvent *event);
gboolean gst_infer_filter_src_query (
    GstPad *pad, GstObject *parent, GstQuery *query);
void gst_infer_filter_start_task (GstInferFilter *self);
/* The callback stage of a request. */
void gst_infer_filter_done (
    InferAsyncRequest *request, const GError *error, gpointer job);

G_END_DECLS
