/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/run/recording.h"

#include <string.h>

/* A variable alternates between two buffers; between N + 1 if a sequence runs
 * through N requests in turns. */
#define MAX_RECORDINGS 8
/* Drivers may keep a recording's buffers: it is released if they have not come
 * back for so many runs when new ones come. */
#define MAX_IDLE 64

#define COMMAND_BUFFER_FLAGS 0x1293 /* CL_COMMAND_BUFFER_FLAGS_KHR */
#define SIMULTANEOUS_USE 1          /* CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR */

typedef struct
{
  guint64 *serials;  /* of its buffers */
  guint64 used;      /* the clock at its last run; 0: free */
  gpointer commands; /* NULL: its buffers came once */
} Recording;

struct _OclRecordings
{
  OclPlan *plan;
  const OclCommandBuffers *calls;
  GPtrArray *launches; /* (element-type OclLaunch): that are enqueued */
  GPtrArray *outer;    /* those that use more than the arena and constants */
  guint64 clock;       /* counts runs */
  guint n_serials;
  guint64 *serials; /* of this run; those of the recordings follow */
  Recording recordings[MAX_RECORDINGS];
};

/* The arena is the same in all recordings. */
static gboolean
is_outer (const OclLaunch *launch)
{
  for (guint i = 0; i < launch->args->len; i++) {
    const OclArg *arg = &g_array_index (launch->args, OclArg, i);
    gsize offset;

    if (arg->value == NULL)
      continue;
    const OclPlace place = ocl_value_root (arg->value, &offset)->place;
    if (place != OCL_PLACE_ARENA && place != OCL_PLACE_CONSTANT)
      return TRUE;
  }
  return FALSE;
}

static void
list_launches (OclRecordings *self)
{
  for (guint i = 0; i < self->plan->steps->len; i++) {
    const OclStep *step = self->plan->steps->pdata[i];

    for (guint k = 0; k < step->launches->len; k++) {
      OclLaunch *launch = step->launches->pdata[k];

      if (!ocl_launch_is_enqueued (launch))
        continue;
      g_ptr_array_add (self->launches, launch);
      if (is_outer (launch))
        g_ptr_array_add (self->outer, launch);
    }
  }
}

OclRecordings *
ocl_recordings_new (OclPlan *plan)
{
  const OclScope *scope = plan->scope;

  /* Timings and dumps are of single launches. */
  if (!scope->device->records || scope->config.perf_count
      || scope->config.dump != NULL)
    return NULL;
  OclRecordings *self = g_new0 (OclRecordings, 1);
  self->plan = plan;
  self->calls = &scope->device->command_buffers;
  self->launches = g_ptr_array_new ();
  self->outer = g_ptr_array_new ();
  list_launches (self);
  self->n_serials = 1 + plan->inputs->len + plan->results->len
                    + 2 * infer_model_n_variables (plan->model);
  self->serials = g_new0 (guint64, (1 + MAX_RECORDINGS) * self->n_serials);
  for (guint r = 0; r < MAX_RECORDINGS; r++)
    self->recordings[r].serials = self->serials + (1 + r) * self->n_serials;
  if (self->launches->len > 1)
    return self;
  ocl_recordings_free (self);
  return NULL;
}

static void
release (const OclRecordings *self, Recording *recording)
{
  if (recording->commands != NULL)
    self->calls->release (recording->commands);
  recording->commands = NULL;
  recording->used = 0;
}

void
ocl_recordings_free (OclRecordings *self)
{
  if (self == NULL)
    return;
  for (guint r = 0; r < MAX_RECORDINGS; r++)
    release (self, &self->recordings[r]);
  g_ptr_array_unref (self->launches);
  g_ptr_array_unref (self->outer);
  g_free (self->serials);
  g_free (self);
}

/* --- the recording of a run --- */

static guint64
serial_of (const OclBuffer *buffer)
{
  return buffer != NULL ? buffer->serial : 0;
}

/* The arena comes first. */
static void
list_serials (OclRecordings *self, const OclBinding *binding)
{
  const OclPlan *plan = self->plan;
  guint64 *next = self->serials;

  *next++ = serial_of (binding->stream->arena);
  for (guint i = 0; i < plan->inputs->len; i++)
    *next++ = serial_of (binding->inputs[i]);
  for (guint k = 0; k < plan->results->len; k++)
    *next++ = serial_of (binding->results[k]);
  for (guint v = 0; v < infer_model_n_variables (plan->model); v++) {
    *next++ = serial_of (binding->states[v]);
    *next++ = plan->next[v] != NULL ? serial_of (binding->next[v]) : 0;
  }
}

static Recording *
find (OclRecordings *self)
{
  for (guint r = 0; r < MAX_RECORDINGS; r++) {
    Recording *recording = &self->recordings[r];

    if (recording->used > 0
        && memcmp (recording->serials, self->serials,
               self->n_serials * sizeof *self->serials)
               == 0)
      return recording;
  }
  return NULL;
}

/* An arena is replaced by a larger one only. */
static gboolean
is_stale (const OclRecordings *self, const Recording *recording)
{
  return recording->used > 0
         && (recording->serials[0] != self->serials[0]
             || self->clock - recording->used > MAX_IDLE);
}

/* The buffers of this run are new: notes them in place of the oldest. */
static void
note (OclRecordings *self)
{
  Recording *oldest = &self->recordings[0];

  for (guint r = 0; r < MAX_RECORDINGS; r++) {
    Recording *recording = &self->recordings[r];

    if (is_stale (self, recording))
      release (self, recording);
    if (recording->used < oldest->used)
      oldest = recording;
  }
  release (self, oldest);
  memcpy (
      oldest->serials, self->serials, self->n_serials * sizeof *self->serials);
  oldest->used = self->clock;
}

/* --- recording --- */

static gboolean
record_launches (const OclRecordings *self, gpointer commands, GError **error)
{
  for (guint i = 0; i < self->launches->len; i++) {
    const OclLaunch *launch = self->launches->pdata[i];

    if (ocl_check (self->calls->launch (commands, NULL, NULL, launch->kernel,
                       ocl_launch_dims (launch), NULL, launch->global,
                       launch->local, 0, NULL, NULL, NULL),
            "clCommandNDRangeKernelKHR", error))
      continue;
    ocl_launch_prefix_error (launch, error);
    return FALSE;
  }
  return ocl_check (
      self->calls->finalize (commands), "clFinalizeCommandBufferKHR", error);
}

/* NULL with @error. */
static gpointer
record (const OclRecordings *self, cl_command_queue queue, GError **error)
{
  /* Our runs do not overlap, but PoCL before revision 0.9.8 may call a run
   * pending for some time after its event. */
  const cl_bitfield properties[] = { COMMAND_BUFFER_FLAGS, SIMULTANEOUS_USE,
    0 };
  cl_int code;
  gpointer commands = self->calls->create (
      1, &queue, self->calls->simultaneous ? properties : NULL, &code);

  if (!ocl_check (code, "clCreateCommandBufferKHR", error))
    return NULL;
  if (record_launches (self, commands, error))
    return commands;
  self->calls->release (commands);
  return NULL;
}

gboolean
ocl_recordings_find (OclRecordings *self, const OclBinding *binding,
    gpointer *commands, GError **error)
{
  *commands = NULL;
  self->clock++;
  list_serials (self, binding);
  Recording *recording = find (self);
  if (recording == NULL) {
    note (self);
    return TRUE;
  }
  recording->used = self->clock;
  /* Not only for recording: PoCL 3.1 reads the arguments of kernels when a
   * command buffer is enqueued. */
  const GPtrArray *launches =
      recording->commands == NULL ? self->launches : self->outer;
  for (guint i = 0; i < launches->len; i++)
    if (!ocl_launch_bind (launches->pdata[i], binding, error))
      return FALSE;
  if (recording->commands == NULL)
    recording->commands = record (self, binding->stream->run, error);
  *commands = recording->commands;
  return *commands != NULL;
}
