/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Queues of the fake driver, and the effects of commands. */

#include "tests/check/support/fake-icd/private.h"

#include <stdlib.h>
#include <string.h>

typedef struct
{
  Object object;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  Command *first, *last;
  gboolean stop;
} Queue;

/* --- commands --- */

static void
event_clear (gpointer data)
{
  Event *event = data;

  pthread_mutex_destroy (&event->lock);
  pthread_cond_destroy (&event->changed);
}

static Event *
event_new (void)
{
  Event *event = fake_object_new (EVENT, sizeof *event, NULL, event_clear);

  pthread_mutex_init (&event->lock, NULL);
  pthread_cond_init (&event->changed, NULL);
  return event;
}

static cl_int
event_wait (Event *event)
{
  pthread_mutex_lock (&event->lock);
  while (!event->done)
    pthread_cond_wait (&event->changed, &event->lock);
  cl_int code = event->code;
  pthread_mutex_unlock (&event->lock);
  return code;
}

static void
event_end (Event *event, guint64 begin, cl_int code)
{
  pthread_mutex_lock (&event->lock);
  event->begin = begin;
  event->end = fake_tick ();
  event->code = code;
  event->done = TRUE;
  pthread_cond_broadcast (&event->changed);
  pthread_mutex_unlock (&event->lock);
}

void
fake_command_free (Command *command)
{
  for (guint i = 0; i < command->n_arguments; i++)
    fake_object_unref (command->arguments[i].buffer);
  free (command->arguments);
  fake_object_unref (command->kept[0]);
  fake_object_unref (command->kept[1]);
  fake_object_unref (command->event);
  free (command);
}

static Command *
take (Queue *queue)
{
  pthread_mutex_lock (&queue->lock);
  while (queue->first == NULL && !queue->stop)
    pthread_cond_wait (&queue->changed, &queue->lock);
  Command *command = queue->first;
  if (command != NULL)
    queue->first = command->next;
  pthread_mutex_unlock (&queue->lock);
  return command;
}

static void *
work (void *data)
{
  Queue *queue = data;
  gboolean lost = FALSE;
  Command *command;

  while ((command = take (queue)) != NULL) {
    const guint64 begin = fake_tick ();

    lost |= fake_command_fails ();
    if (!lost && command->run != NULL)
      command->run (command);
    if (command->pending != NULL)
      ADD (*command->pending, -1);
    event_end (command->event, begin, lost ? CL_OUT_OF_RESOURCES : CL_SUCCESS);
    fake_command_free (command);
  }
  return NULL;
}

static void
queue_clear (gpointer data)
{
  Queue *queue = data;

  pthread_mutex_lock (&queue->lock);
  queue->stop = TRUE;
  pthread_cond_signal (&queue->changed);
  pthread_mutex_unlock (&queue->lock);
  pthread_join (queue->thread, NULL);
  pthread_mutex_destroy (&queue->lock);
  pthread_cond_destroy (&queue->changed);
}

Command *
fake_command_new (void (*run) (Command *command), Object *a, Object *b)
{
  Command *command = calloc (1, sizeof *command);

  g_assert_nonnull (command);
  command->event = event_new ();
  command->run = run;
  command->kept[0] = a;
  command->kept[1] = b;
  for (guint i = 0; i < 2; i++)
    if (command->kept[i] != NULL)
      fake_object_ref (command->kept[i]);
  return command;
}

cl_int
fake_submit (
    cl_command_queue handle, Command *command, cl_bool wait, cl_event *given)
{
  Queue *queue = fake_check (handle, QUEUE);
  Event *event = command->event;
  cl_int code = CL_SUCCESS;

  fake_object_ref (event);
  pthread_mutex_lock (&queue->lock);
  if (queue->first == NULL)
    queue->first = command;
  else
    queue->last->next = command;
  queue->last = command;
  pthread_cond_signal (&queue->changed);
  pthread_mutex_unlock (&queue->lock);
  if (wait)
    code = event_wait (event);
  if (given != NULL && code == CL_SUCCESS)
    *given = (cl_event) event;
  else
    fake_object_unref (event);
  return code;
}

/* --- execution of commands --- */

static void
run_copy (Command *command)
{
  memcpy (command->to, command->from, command->size);
}

static void
run_unmap (Command *command)
{
  memcpy (command->to, command->from, command->size);
  memset ((guchar *) (gsize) command->from, 0xee, command->size);
}

/* The start of the value of argument @i; *@rest: bytes from there on. */
static guchar *
place (const Command *command, guint i, gsize *rest)
{
  const Argument *argument = &command->arguments[i];
  gsize size, offset;

  if (argument->buffer != NULL)
    size = argument->buffer->size;
  else if (argument->pointer != NULL)
    size = ((const Shared *) (gconstpointer) (argument->pointer - PAGE))->size;
  else
    return NULL;
  g_assert_cmpuint (i + 1, <, command->n_arguments);
  g_assert_cmpuint (command->arguments[i + 1].size, ==, sizeof offset);
  memcpy (&offset, command->arguments[i + 1].bytes, sizeof offset);
  g_assert_cmpuint (offset, <=, size);
  *rest = size - offset;
  return (argument->buffer != NULL ? argument->buffer->data : argument->pointer)
         + offset;
}

/* FAKE_ICD_MOST: of a buffer, for programs to whom time matters more. */
static gsize
most_filled (void)
{
  static gsize most;

  if (g_once_init_enter (&most)) {
    const char *text = g_getenv ("FAKE_ICD_MOST");

    g_once_init_leave (&most,
        text != NULL ? (gsize) g_ascii_strtoull (text, NULL, 10) : G_MAXSIZE);
  }
  return most;
}

static void
run_kernel (Command *command)
{
  guint64 hash = command->hash;
  guchar *first = NULL;
  gsize n_first = 0;

  for (guint i = 0; i < command->n_arguments; i++) {
    const Argument *argument = &command->arguments[i];
    gsize rest;
    guchar *value = place (command, i, &rest);

    if (value == NULL) {
      /* Of local memory, only the size is given. */
      hash = fake_mix (
          hash, argument->bytes, MIN (argument->size, sizeof argument->bytes));
      continue;
    }
    if (first != NULL)
      hash = fake_mix (hash, value, MIN (rest, 4));
    else
      n_first = rest;
    first = first != NULL ? first : value;
  }
  if (first == NULL)
    return;
  memset (first, (gint) (hash & 0x3f), MIN (n_first, most_filled ()));
  memcpy (first, &hash, MIN (n_first, 3));
}

cl_int
fake_clEnqueueReadBuffer (cl_command_queue queue, cl_mem mem, cl_bool wait,
    size_t offset, size_t size, void *data, cl_uint n, const cl_event *list,
    cl_event *event)
{
  Buffer *buffer = fake_check (mem, BUFFER);

  if (FAILS (clEnqueueReadBuffer))
    return CL_OUT_OF_RESOURCES;
  g_assert_true (n == 0 && offset + size <= buffer->size);
  Command *command = fake_command_new (run_copy, &buffer->object, NULL);
  command->to = data;
  command->from = buffer->data + offset;
  command->size = size;
  return fake_submit (queue, command, wait, event);
}

cl_int
fake_clEnqueueWriteBuffer (cl_command_queue queue, cl_mem mem, cl_bool wait,
    size_t offset, size_t size, const void *data, cl_uint n,
    const cl_event *list, cl_event *event)
{
  Buffer *buffer = fake_check (mem, BUFFER);

  if (FAILS (clEnqueueWriteBuffer))
    return CL_OUT_OF_RESOURCES;
  g_assert_true (n == 0 && offset + size <= buffer->size);
  Command *command = fake_command_new (run_copy, &buffer->object, NULL);
  command->to = buffer->data + offset;
  command->from = data;
  command->size = size;
  return fake_submit (queue, command, wait, event);
}

cl_int
fake_clEnqueueCopyBuffer (cl_command_queue queue, cl_mem from, cl_mem to,
    size_t from_offset, size_t to_offset, size_t size, cl_uint n,
    const cl_event *list, cl_event *event)
{
  Buffer *src = fake_check (from, BUFFER), *dst = fake_check (to, BUFFER);

  if (FAILS (clEnqueueCopyBuffer))
    return CL_OUT_OF_RESOURCES;
  g_assert_true (n == 0 && from_offset + size <= src->size);
  g_assert_true (to_offset + size <= dst->size);
  Command *command = fake_command_new (run_copy, &src->object, &dst->object);
  command->to = dst->data + to_offset;
  command->from = src->data + from_offset;
  command->size = size;
  return fake_submit (queue, command, CL_FALSE, event);
}

void *
fake_clEnqueueMapBuffer (cl_command_queue queue, cl_mem mem, cl_bool wait,
    cl_map_flags flags, size_t offset, size_t size, cl_uint n,
    const cl_event *list, cl_event *event, cl_int *code)
{
  Buffer *buffer = fake_check (mem, BUFFER);

  *code = CL_MAP_FAILURE;
  if (FAILS (clEnqueueMapBuffer))
    return NULL;
  g_assert_true (n == 0 && wait && offset == 0 && size <= buffer->size);
  g_assert_false (buffer->is_mapped);
  if (buffer->mapped == NULL)
    buffer->mapped = aligned_alloc (PAGE, (size + PAGE - 1) / PAGE * PAGE);
  if (buffer->mapped == NULL)
    return NULL;
  Command *command = fake_command_new (run_copy, &buffer->object, NULL);
  command->to = buffer->mapped;
  command->from = buffer->data;
  command->size = size;
  *code = fake_submit (queue, command, wait, event);
  buffer->is_mapped = *code == CL_SUCCESS;
  return buffer->is_mapped ? buffer->mapped : NULL;
}

cl_int
fake_clEnqueueUnmapMemObject (cl_command_queue queue, cl_mem mem, void *data,
    cl_uint n, const cl_event *list, cl_event *event)
{
  Buffer *buffer = fake_check (mem, BUFFER);

  if (FAILS (clEnqueueUnmapMemObject))
    return CL_OUT_OF_RESOURCES;
  g_assert_true (n == 0 && buffer->is_mapped && data == buffer->mapped);
  buffer->is_mapped = FALSE;
  Command *command = fake_command_new (run_unmap, &buffer->object, NULL);
  command->to = buffer->data;
  command->from = buffer->mapped;
  command->size = buffer->size;
  return fake_submit (queue, command, CL_FALSE, event);
}

cl_int
fake_clEnqueueSVMMap (cl_command_queue queue, cl_bool wait, cl_map_flags flags,
    void *data, size_t size, cl_uint n, const cl_event *list, cl_event *event)
{
  Shared *shared = (Shared *) (gpointer) ((guchar *) data - PAGE);

  if (FAILS (clEnqueueSVMMap))
    return CL_OUT_OF_RESOURCES;
  g_assert_true (n == 0 && wait && size <= shared->size && !shared->is_mapped);
  cl_int code =
      fake_submit (queue, fake_command_new (NULL, NULL, NULL), wait, event);
  shared->is_mapped = code == CL_SUCCESS;
  return code;
}

cl_int
fake_clEnqueueSVMUnmap (cl_command_queue queue, void *data, cl_uint n,
    const cl_event *list, cl_event *event)
{
  Shared *shared = (Shared *) (gpointer) ((guchar *) data - PAGE);

  if (FAILS (clEnqueueSVMUnmap))
    return CL_OUT_OF_RESOURCES;
  g_assert_true (n == 0 && shared->is_mapped);
  shared->is_mapped = FALSE;
  return fake_submit (
      queue, fake_command_new (NULL, NULL, NULL), CL_FALSE, event);
}

static void
take_arguments (Command *command, const Argument *arguments, guint n)
{
  command->n_arguments = n;
  command->arguments = calloc (n, sizeof *command->arguments);
  memcpy (command->arguments, arguments, n * sizeof *arguments);
  for (guint i = 0; i < n; i++)
    if (arguments[i].buffer != NULL)
      fake_object_ref (fake_check (arguments[i].buffer, BUFFER));
}

Command *
fake_command_of_kernel (cl_kernel handle, cl_uint dims, const size_t *offset,
    const size_t *global, const size_t *local)
{
  Kernel *kernel = fake_check (handle, KERNEL);
  guint n = 0;

  g_assert_true (dims >= 1 && dims <= 3 && offset == NULL);
  for (guint d = 0; d < dims; d++) {
    g_assert_cmpuint (global[d], >, 0);
    if (local != NULL)
      g_assert_cmpuint (global[d] % local[d], ==, 0);
  }
  Command *command = fake_command_new (run_kernel, &kernel->object, NULL);
  command->hash =
      fake_mix (kernel->hash, (const guchar *) global, dims * sizeof *global);
  while (n < MAX_ARGUMENTS && kernel->arguments[n].size > 0)
    n++;
  take_arguments (command, kernel->arguments, n);
  return command;
}

Command *
fake_command_copy (const Command *command)
{
  Command *copy =
      fake_command_new (command->run, command->kept[0], command->kept[1]);

  copy->hash = command->hash;
  take_arguments (copy, command->arguments, command->n_arguments);
  return copy;
}

cl_int
fake_clEnqueueNDRangeKernel (cl_command_queue queue, cl_kernel kernel,
    cl_uint dims, const size_t *offset, const size_t *global,
    const size_t *local, cl_uint n, const cl_event *list, cl_event *event)
{
  if (FAILS (clEnqueueNDRangeKernel))
    return CL_OUT_OF_RESOURCES;
  g_assert_cmpuint (n, ==, 0);
  return fake_submit (queue,
      fake_command_of_kernel (kernel, dims, offset, global, local), CL_FALSE,
      event);
}

cl_int
fake_clEnqueueMarkerWithWaitList (
    cl_command_queue queue, cl_uint n, const cl_event *list, cl_event *event)
{
  if (FAILS (clEnqueueMarkerWithWaitList))
    return CL_OUT_OF_RESOURCES;
  g_assert_true (n == 0);
  return fake_submit (
      queue, fake_command_new (NULL, NULL, NULL), CL_FALSE, event);
}

/* A device that reports a failure computes nothing more. */
cl_int
fake_clFinish (cl_command_queue queue)
{
  const cl_int code =
      fake_submit (queue, fake_command_new (NULL, NULL, NULL), CL_TRUE, NULL);

  return FAILS (clFinish) ? CL_OUT_OF_RESOURCES : code;
}

cl_int
fake_clFlush (cl_command_queue queue)
{
  fake_check (queue, QUEUE);
  return FAILS (clFlush) ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

cl_int
fake_clWaitForEvents (cl_uint n, const cl_event *events)
{
  cl_int code = CL_SUCCESS;

  if (FAILS (clWaitForEvents))
    return CL_OUT_OF_RESOURCES;
  for (cl_uint i = 0; i < n; i++)
    if (event_wait (fake_check (events[i], EVENT)) != CL_SUCCESS)
      code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  return code;
}

cl_int
fake_clGetEventProfilingInfo (cl_event handle, cl_profiling_info what,
    size_t size, void *value, size_t *given)
{
  Event *event = fake_check (handle, EVENT);

  if (FAILS (clGetEventProfilingInfo))
    return CL_OUT_OF_RESOURCES;
  event_wait (event);
  cl_ulong time =
      what == CL_PROFILING_COMMAND_START ? event->begin : event->end;
  g_assert_cmpuint (size, ==, sizeof time);
  memcpy (value, &time, size);
  return CL_SUCCESS;
}

cl_command_queue
fake_clCreateCommandQueue (cl_context context, cl_device_id id,
    cl_command_queue_properties properties, cl_int *code)
{
  Queue *queue;

  *code = CL_OUT_OF_HOST_MEMORY;
  if (FAILS (clCreateCommandQueue))
    return NULL;
  fake_check (id, DEVICE);
  queue = fake_object_new (
      QUEUE, sizeof *queue, fake_check (context, CONTEXT), queue_clear);
  pthread_mutex_init (&queue->lock, NULL);
  pthread_cond_init (&queue->changed, NULL);
  g_assert_cmpint (pthread_create (&queue->thread, NULL, work, queue), ==, 0);
  *code = CL_SUCCESS;
  return (cl_command_queue) queue;
}
