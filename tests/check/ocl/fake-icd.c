/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/ocl/fake-icd.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_icd.h>

#define PAGE 4096
#define MAX_ARGUMENTS 64
/* Tests' offsets are below it, addresses above. */
#define LEAST_ADDRESS ((guint64) 1 << 24)

/* What the backend calls: those that loaders find in the table of a driver, and
 * those that are asked for by name. */
#define TABLE(F)                                                               \
  F (clBuildProgram)                                                           \
  F (clCreateBuffer)                                                           \
  F (clCreateCommandQueue)                                                     \
  F (clCreateContext)                                                          \
  F (clCreateKernel)                                                           \
  F (clCreateProgramWithBinary)                                                \
  F (clCreateProgramWithSource)                                                \
  F (clEnqueueCopyBuffer)                                                      \
  F (clEnqueueMapBuffer)                                                       \
  F (clEnqueueMarkerWithWaitList)                                              \
  F (clEnqueueNDRangeKernel)                                                   \
  F (clEnqueueReadBuffer)                                                      \
  F (clEnqueueSVMMap)                                                          \
  F (clEnqueueSVMUnmap)                                                        \
  F (clEnqueueUnmapMemObject)                                                  \
  F (clEnqueueWriteBuffer)                                                     \
  F (clFinish)                                                                 \
  F (clFlush)                                                                  \
  F (clGetDeviceIDs)                                                           \
  F (clGetDeviceInfo)                                                          \
  F (clGetEventProfilingInfo)                                                  \
  F (clGetExtensionFunctionAddressForPlatform)                                 \
  F (clGetPlatformInfo)                                                        \
  F (clGetProgramBuildInfo)                                                    \
  F (clGetProgramInfo)                                                         \
  F (clReleaseCommandQueue)                                                    \
  F (clReleaseContext)                                                         \
  F (clReleaseEvent)                                                           \
  F (clReleaseKernel)                                                          \
  F (clReleaseMemObject)                                                       \
  F (clReleaseProgram)                                                         \
  F (clRetainCommandQueue)                                                     \
  F (clRetainContext)                                                          \
  F (clSVMAlloc)                                                               \
  F (clSetKernelArg)                                                           \
  F (clSetKernelArgSVMPointer)                                                 \
  F (clWaitForEvents)
#define NAMED(F)                                                               \
  F (clGetPlatformIDs)                                                         \
  F (clHostMemAllocINTEL)                                                      \
  F (clMemFreeINTEL)                                                           \
  F (clSetKernelArgMemPointerINTEL)

#define F(name) N_##name,
enum
{
  TABLE (F) NAMED (F) N_FUNCTIONS
};
#undef F

#define F(name) #name,
static const char *const names[] = { TABLE (F) NAMED (F) };
#undef F

/* --- faults ---------------------------------------------------------------
 * Relaxed, so that no thread waits for another on their account. */

#define ADD(x, n) __atomic_add_fetch (&(x), n, __ATOMIC_RELAXED)
#define GET(x) __atomic_load_n (&(x), __ATOMIC_RELAXED)
#define SET(x, n) __atomic_store_n (&(x), n, __ATOMIC_RELAXED)

static guint n_calls, n_commands, fail_at, fail_command_at;
static gboolean fail_all;
static gint n_alive, last_failed = -1;
static guint64 now;  /* of the device's clock */
static guint *tally; /* failures of each function, of forked processes too */
static const char *announced = "svm-fine";

__attribute__ ((constructor)) static void
make_tally (void)
{
  tally = mmap (NULL, N_FUNCTIONS * sizeof *tally, PROT_READ | PROT_WRITE,
      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  g_assert_true (tally != MAP_FAILED);
}

void
fake_icd_announce (const char *memory)
{
  announced = memory;
}

void
fake_icd_fail (guint at, gboolean all)
{
  SET (fail_at, 0U);
  SET (fail_command_at, 0U);
  SET (n_calls, 0U);
  SET (n_commands, 0U);
  SET (last_failed, -1);
  SET (fail_all, all);
  SET (fail_at, at);
}

void
fake_icd_fail_command (guint at)
{
  fake_icd_fail (0, FALSE);
  SET (fail_command_at, at);
}

guint
fake_icd_n_calls (void)
{
  return GET (n_calls);
}

guint
fake_icd_n_commands (void)
{
  return GET (n_commands);
}

const char *
fake_icd_failed (void)
{
  const gint function = GET (last_failed);

  return function >= 0 ? names[function] : NULL;
}

int
fake_icd_n_alive (void)
{
  return GET (n_alive);
}

const char *
fake_icd_never_failed (void)
{
  for (guint i = 0; i < N_FUNCTIONS; i++)
    if (GET (tally[i]) == 0)
      return names[i];
  return NULL;
}

static gboolean
fails (gint function)
{
  const guint n = ADD (n_calls, 1), at = GET (fail_at);

  if (at == 0 || (GET (fail_all) ? n < at : n != at))
    return FALSE;
  ADD (tally[function], 1);
  SET (last_failed, function);
  return TRUE;
}

#define FAILS(name) fails (N_##name)

/* --- objects --------------------------------------------------------------
 */

typedef enum
{
  PLATFORM = 1,
  DEVICE,
  CONTEXT,
  QUEUE,
  BUFFER,
  PROGRAM,
  KERNEL,
  EVENT,
} Kind;

typedef struct _Object Object;

struct _Object
{
  const struct _cl_icd_dispatch *dispatch; /* loaders expect it here */
  Kind kind;
  gint refs;
  Object *owner; /* kept by this; nullable */
  void (*clear) (gpointer object);
};

static const struct _cl_icd_dispatch table;

/* Memory of malloc, which sanitizers and valgrind watch. */
static gpointer
object_new (Kind kind, gsize size, Object *owner, void (*clear) (gpointer))
{
  Object *object = calloc (1, size);

  g_assert_nonnull (object);
  object->dispatch = &table;
  object->kind = kind;
  object->refs = 1;
  object->clear = clear;
  object->owner = owner;
  if (owner != NULL)
    ADD (owner->refs, 1);
  ADD (n_alive, 1);
  return object;
}

static gpointer
check (gconstpointer object, Kind kind)
{
  g_assert_nonnull (object);
  g_assert_cmpint (((const Object *) object)->kind, ==, kind);
  g_assert_cmpint (GET (((const Object *) object)->refs), >, 0);
  return (gpointer) (gsize) object;
}

static void
object_ref (gpointer data)
{
  ADD (((Object *) data)->refs, 1);
}

static void
object_unref (gpointer data)
{
  Object *object = data, *owner;

  if (object == NULL
      || __atomic_sub_fetch (&object->refs, 1, __ATOMIC_ACQ_REL) > 0)
    return;
  owner = object->owner;
  if (object->clear != NULL)
    object->clear (object);
  object->kind = 0;
  free (object);
  ADD (n_alive, -1);
  object_unref (owner);
}

static Object platform = { &table, PLATFORM, 1, NULL, NULL };
static Object device = { &table, DEVICE, 1, NULL, NULL };

typedef struct
{
  Object object;
  guchar *data, *mapped; /* what kernels and what the host see */
  gsize size;
  gboolean is_mapped;
} Buffer;

/* Before the memory that is shared. */
typedef struct
{
  gsize size;
  gboolean is_mapped;
} Shared;

typedef struct
{
  Object object;
  char *text;
  gboolean built;
} Program;

typedef struct
{
  gsize size; /* 0: not set */
  guchar bytes[64];
  Buffer *buffer;  /* a buffer instead, */
  guchar *pointer; /* or shared memory */
} Argument;

typedef struct
{
  Object object;
  guint64 hash;
  Argument arguments[MAX_ARGUMENTS];
} Kernel;

typedef struct
{
  Object object;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  gboolean done;
  cl_int code;
  guint64 begin, end;
} Event;

typedef struct _Command Command;

struct _Command
{
  Command *next;
  Event *event;
  void (*run) (Command *command);
  guchar *to;
  const guchar *from;
  gsize size;
  Object *kept[2];
  guint64 hash;
  guint n_arguments;
  Argument *arguments;
};

typedef struct
{
  Object object;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  Command *first, *last;
  gboolean stop;
} Queue;

/* --- commands -------------------------------------------------------------
 */

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
  Event *event = object_new (EVENT, sizeof *event, NULL, event_clear);

  pthread_mutex_init (&event->lock, NULL);
  pthread_cond_init (&event->changed, NULL);
  return event;
}

static cl_int
event_wait (Event *event)
{
  cl_int code;

  pthread_mutex_lock (&event->lock);
  while (!event->done)
    pthread_cond_wait (&event->changed, &event->lock);
  code = event->code;
  pthread_mutex_unlock (&event->lock);
  return code;
}

static void
event_end (Event *event, guint64 begin, cl_int code)
{
  pthread_mutex_lock (&event->lock);
  event->begin = begin;
  event->end = ADD (now, 1000);
  event->code = code;
  event->done = TRUE;
  pthread_cond_broadcast (&event->changed);
  pthread_mutex_unlock (&event->lock);
}

static void
command_free (Command *command)
{
  for (guint i = 0; i < command->n_arguments; i++)
    object_unref (command->arguments[i].buffer);
  free (command->arguments);
  object_unref (command->kept[0]);
  object_unref (command->kept[1]);
  object_unref (command->event);
  free (command);
}

static Command *
take (Queue *queue)
{
  Command *command;

  pthread_mutex_lock (&queue->lock);
  while (queue->first == NULL && !queue->stop)
    pthread_cond_wait (&queue->changed, &queue->lock);
  command = queue->first;
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
    const guint64 begin = ADD (now, 1000);

    lost |= ADD (n_commands, 1) == GET (fail_command_at);
    if (!lost && command->run != NULL)
      command->run (command);
    event_end (command->event, begin, lost ? CL_OUT_OF_RESOURCES : CL_SUCCESS);
    command_free (command);
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

static Command *
command_new (void (*run) (Command *command), Object *a, Object *b)
{
  Command *command = calloc (1, sizeof *command);

  g_assert_nonnull (command);
  command->event = event_new ();
  command->run = run;
  command->kept[0] = a;
  command->kept[1] = b;
  for (guint i = 0; i < 2; i++)
    if (command->kept[i] != NULL)
      object_ref (command->kept[i]);
  return command;
}

static cl_int
submit (
    cl_command_queue handle, Command *command, cl_bool wait, cl_event *given)
{
  Queue *queue = check (handle, QUEUE);
  Event *event = command->event;
  cl_int code = CL_SUCCESS;

  object_ref (event);
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
    object_unref (event);
  return code;
}

/* --- what commands do ------------------------------------------------------
 */

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

static guint64
mix (guint64 hash, const guchar *bytes, gsize n)
{
  for (gsize i = 0; i < n; i++)
    hash = (hash ^ bytes[i]) * 0x100000001b3;
  return hash ^ hash >> 29;
}

/* Where the value of argument @i begins, and how much there is. */
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
      hash = mix (hash, argument->bytes, argument->size);
      continue;
    }
    if (first != NULL)
      hash = mix (hash, value, MIN (rest, 4));
    else
      n_first = rest;
    first = first != NULL ? first : value;
  }
  if (first == NULL)
    return;
  memset (first, (gint) (hash & 0x3f), n_first);
  memcpy (first, &hash, MIN (n_first, 3));
}

static cl_int
fake_clEnqueueReadBuffer (cl_command_queue queue, cl_mem mem, cl_bool wait,
    size_t offset, size_t size, void *data, cl_uint n, const cl_event *list,
    cl_event *event)
{
  Buffer *buffer = check (mem, BUFFER);
  Command *command;

  if (FAILS (clEnqueueReadBuffer))
    return CL_OUT_OF_RESOURCES;
  g_assert_true (n == 0 && offset + size <= buffer->size);
  command = command_new (run_copy, &buffer->object, NULL);
  command->to = data;
  command->from = buffer->data + offset;
  command->size = size;
  return submit (queue, command, wait, event);
}

static cl_int
fake_clEnqueueWriteBuffer (cl_command_queue queue, cl_mem mem, cl_bool wait,
    size_t offset, size_t size, const void *data, cl_uint n,
    const cl_event *list, cl_event *event)
{
  Buffer *buffer = check (mem, BUFFER);
  Command *command;

  if (FAILS (clEnqueueWriteBuffer))
    return CL_OUT_OF_RESOURCES;
  g_assert_true (n == 0 && offset + size <= buffer->size);
  command = command_new (run_copy, &buffer->object, NULL);
  command->to = buffer->data + offset;
  command->from = data;
  command->size = size;
  return submit (queue, command, wait, event);
}

static cl_int
fake_clEnqueueCopyBuffer (cl_command_queue queue, cl_mem from, cl_mem to,
    size_t from_offset, size_t to_offset, size_t size, cl_uint n,
    const cl_event *list, cl_event *event)
{
  Buffer *src = check (from, BUFFER), *dst = check (to, BUFFER);
  Command *command;

  if (FAILS (clEnqueueCopyBuffer))
    return CL_OUT_OF_RESOURCES;
  g_assert_true (n == 0 && from_offset + size <= src->size);
  g_assert_true (to_offset + size <= dst->size);
  command = command_new (run_copy, &src->object, &dst->object);
  command->to = dst->data + to_offset;
  command->from = src->data + from_offset;
  command->size = size;
  return submit (queue, command, CL_FALSE, event);
}

static void *
fake_clEnqueueMapBuffer (cl_command_queue queue, cl_mem mem, cl_bool wait,
    cl_map_flags flags, size_t offset, size_t size, cl_uint n,
    const cl_event *list, cl_event *event, cl_int *code)
{
  Buffer *buffer = check (mem, BUFFER);
  Command *command;

  *code = CL_MAP_FAILURE;
  if (FAILS (clEnqueueMapBuffer))
    return NULL;
  g_assert_true (n == 0 && wait && offset == 0 && size <= buffer->size);
  g_assert_false (buffer->is_mapped);
  if (buffer->mapped == NULL)
    buffer->mapped = aligned_alloc (PAGE, (size + PAGE - 1) / PAGE * PAGE);
  command = command_new (run_copy, &buffer->object, NULL);
  command->to = buffer->mapped;
  command->from = buffer->data;
  command->size = size;
  *code = submit (queue, command, wait, event);
  buffer->is_mapped = *code == CL_SUCCESS;
  return buffer->is_mapped ? buffer->mapped : NULL;
}

static cl_int
fake_clEnqueueUnmapMemObject (cl_command_queue queue, cl_mem mem, void *data,
    cl_uint n, const cl_event *list, cl_event *event)
{
  Buffer *buffer = check (mem, BUFFER);
  Command *command;

  if (FAILS (clEnqueueUnmapMemObject))
    return CL_OUT_OF_RESOURCES;
  g_assert_true (n == 0 && buffer->is_mapped && data == buffer->mapped);
  buffer->is_mapped = FALSE;
  command = command_new (run_unmap, &buffer->object, NULL);
  command->to = buffer->data;
  command->from = buffer->mapped;
  command->size = buffer->size;
  return submit (queue, command, CL_FALSE, event);
}

static cl_int
fake_clEnqueueSVMMap (cl_command_queue queue, cl_bool wait, cl_map_flags flags,
    void *data, size_t size, cl_uint n, const cl_event *list, cl_event *event)
{
  Shared *shared = (Shared *) (gpointer) ((guchar *) data - PAGE);
  cl_int code;

  if (FAILS (clEnqueueSVMMap))
    return CL_OUT_OF_RESOURCES;
  g_assert_true (n == 0 && wait && size <= shared->size && !shared->is_mapped);
  code = submit (queue, command_new (NULL, NULL, NULL), wait, event);
  shared->is_mapped = code == CL_SUCCESS;
  return code;
}

static cl_int
fake_clEnqueueSVMUnmap (cl_command_queue queue, void *data, cl_uint n,
    const cl_event *list, cl_event *event)
{
  Shared *shared = (Shared *) (gpointer) ((guchar *) data - PAGE);

  if (FAILS (clEnqueueSVMUnmap))
    return CL_OUT_OF_RESOURCES;
  g_assert_true (n == 0 && shared->is_mapped);
  shared->is_mapped = FALSE;
  return submit (queue, command_new (NULL, NULL, NULL), CL_FALSE, event);
}

static cl_int
fake_clEnqueueNDRangeKernel (cl_command_queue queue, cl_kernel handle,
    cl_uint dims, const size_t *offset, const size_t *global,
    const size_t *local, cl_uint n, const cl_event *list, cl_event *event)
{
  Kernel *kernel = check (handle, KERNEL);
  Command *command;

  if (FAILS (clEnqueueNDRangeKernel))
    return CL_OUT_OF_RESOURCES;
  g_assert_true (n == 0 && dims >= 1 && dims <= 3 && offset == NULL);
  for (guint d = 0; d < dims; d++) {
    g_assert_cmpuint (global[d], >, 0);
    if (local != NULL)
      g_assert_cmpuint (global[d] % local[d], ==, 0);
  }
  command = command_new (run_kernel, &kernel->object, NULL);
  command->hash =
      mix (kernel->hash, (const guchar *) global, dims * sizeof *global);
  while (command->n_arguments < MAX_ARGUMENTS
         && kernel->arguments[command->n_arguments].size > 0)
    command->n_arguments++;
  command->arguments =
      calloc (command->n_arguments, sizeof *command->arguments);
  memcpy (command->arguments, kernel->arguments,
      command->n_arguments * sizeof *command->arguments);
  for (guint i = 0; i < command->n_arguments; i++)
    if (command->arguments[i].buffer != NULL)
      object_ref (check (command->arguments[i].buffer, BUFFER));
  return submit (queue, command, CL_FALSE, event);
}

static cl_int
fake_clEnqueueMarkerWithWaitList (
    cl_command_queue queue, cl_uint n, const cl_event *list, cl_event *event)
{
  if (FAILS (clEnqueueMarkerWithWaitList))
    return CL_OUT_OF_RESOURCES;
  g_assert_true (n == 0);
  return submit (queue, command_new (NULL, NULL, NULL), CL_FALSE, event);
}

/* A device that says it failed computes no more. */
static cl_int
fake_clFinish (cl_command_queue queue)
{
  const cl_int code =
      submit (queue, command_new (NULL, NULL, NULL), CL_TRUE, NULL);

  return FAILS (clFinish) ? CL_OUT_OF_RESOURCES : code;
}

static cl_int
fake_clFlush (cl_command_queue queue)
{
  check (queue, QUEUE);
  return FAILS (clFlush) ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

static cl_int
fake_clWaitForEvents (cl_uint n, const cl_event *events)
{
  cl_int code = CL_SUCCESS;

  if (FAILS (clWaitForEvents))
    return CL_OUT_OF_RESOURCES;
  for (cl_uint i = 0; i < n; i++)
    if (event_wait (check (events[i], EVENT)) != CL_SUCCESS)
      code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  return code;
}

static cl_int
fake_clGetEventProfilingInfo (cl_event handle, cl_profiling_info what,
    size_t size, void *value, size_t *given)
{
  Event *event = check (handle, EVENT);
  cl_ulong time;

  if (FAILS (clGetEventProfilingInfo))
    return CL_OUT_OF_RESOURCES;
  event_wait (event);
  time = what == CL_PROFILING_COMMAND_START ? event->begin : event->end;
  g_assert_cmpuint (size, ==, sizeof time);
  memcpy (value, &time, size);
  return CL_SUCCESS;
}

/* --- contexts, queues, memory ----------------------------------------------
 */

static cl_context
fake_clCreateContext (const cl_context_properties *properties, cl_uint n,
    const cl_device_id *devices,
    void (CL_CALLBACK *notify) (const char *, const void *, size_t, void *),
    void *data, cl_int *code)
{
  *code = CL_OUT_OF_HOST_MEMORY;
  if (FAILS (clCreateContext))
    return NULL;
  check (devices[0], DEVICE);
  *code = CL_SUCCESS;
  return object_new (CONTEXT, sizeof (Object), NULL, NULL);
}

static cl_command_queue
fake_clCreateCommandQueue (cl_context context, cl_device_id id,
    cl_command_queue_properties properties, cl_int *code)
{
  Queue *queue;

  *code = CL_OUT_OF_HOST_MEMORY;
  if (FAILS (clCreateCommandQueue))
    return NULL;
  check (id, DEVICE);
  queue =
      object_new (QUEUE, sizeof *queue, check (context, CONTEXT), queue_clear);
  pthread_mutex_init (&queue->lock, NULL);
  pthread_cond_init (&queue->changed, NULL);
  g_assert_cmpint (pthread_create (&queue->thread, NULL, work, queue), ==, 0);
  *code = CL_SUCCESS;
  return (cl_command_queue) queue;
}

static void
buffer_clear (gpointer data)
{
  Buffer *buffer = data;

  free (buffer->data);
  free (buffer->mapped);
}

static cl_mem
fake_clCreateBuffer (cl_context context, cl_mem_flags flags, size_t size,
    void *host, cl_int *code)
{
  Buffer *buffer;

  *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  if (FAILS (clCreateBuffer))
    return NULL;
  g_assert_true (host == NULL && size > 0);
  buffer = object_new (
      BUFFER, sizeof *buffer, check (context, CONTEXT), buffer_clear);
  buffer->data = calloc (1, size);
  buffer->size = size;
  g_assert_nonnull (buffer->data);
  *code = CL_SUCCESS;
  return (cl_mem) buffer;
}

static void *
share (gsize size)
{
  guchar *data = aligned_alloc (PAGE, PAGE + (size + PAGE - 1) / PAGE * PAGE);

  g_assert_nonnull (data);
  *(Shared *) (gpointer) data = (Shared){ .size = size };
  ADD (n_alive, 1);
  return data + PAGE;
}

static void *
fake_clSVMAlloc (
    cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
  check (context, CONTEXT);
  return FAILS (clSVMAlloc) ? NULL : share (size);
}

static void
fake_clSVMFree (cl_context context, void *data)
{
  check (context, CONTEXT);
  free ((guchar *) data - PAGE);
  ADD (n_alive, -1);
}

static void *
fake_clHostMemAllocINTEL (cl_context context, const cl_bitfield *properties,
    size_t size, cl_uint alignment, cl_int *code)
{
  check (context, CONTEXT);
  *code = CL_OUT_OF_HOST_MEMORY;
  if (FAILS (clHostMemAllocINTEL))
    return NULL;
  *code = CL_SUCCESS;
  return share (size);
}

/* What is released is gone, whatever is said. */
static cl_int
fake_clMemFreeINTEL (cl_context context, void *data)
{
  fake_clSVMFree (context, data);
  return FAILS (clMemFreeINTEL) ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

#define RELEASE(name, type, kind)                                              \
  static cl_int fake_##name (type object)                                      \
  {                                                                            \
    object_unref (check (object, kind));                                       \
    return FAILS (name) ? CL_OUT_OF_RESOURCES : CL_SUCCESS;                    \
  }

RELEASE (clReleaseCommandQueue, cl_command_queue, QUEUE)
RELEASE (clReleaseContext, cl_context, CONTEXT)
RELEASE (clReleaseEvent, cl_event, EVENT)
RELEASE (clReleaseKernel, cl_kernel, KERNEL)
RELEASE (clReleaseMemObject, cl_mem, BUFFER)
RELEASE (clReleaseProgram, cl_program, PROGRAM)

#define RETAIN(name, type, kind)                                               \
  static cl_int fake_##name (type object)                                      \
  {                                                                            \
    if (FAILS (name))                                                          \
      return CL_OUT_OF_RESOURCES;                                              \
    object_ref (check (object, kind));                                         \
    return CL_SUCCESS;                                                         \
  }

RETAIN (clRetainCommandQueue, cl_command_queue, QUEUE)
RETAIN (clRetainContext, cl_context, CONTEXT)

/* --- programs, kernels -----------------------------------------------------
 */

static void
program_clear (gpointer data)
{
  free (((Program *) data)->text);
}

static cl_program
fake_clCreateProgramWithSource (cl_context context, cl_uint n,
    const char **texts, const size_t *sizes, cl_int *code)
{
  Program *program;

  *code = CL_OUT_OF_HOST_MEMORY;
  if (FAILS (clCreateProgramWithSource))
    return NULL;
  g_assert_true (n == 1 && sizes == NULL);
  program = object_new (
      PROGRAM, sizeof *program, check (context, CONTEXT), program_clear);
  program->text = strdup (texts[0]);
  *code = CL_SUCCESS;
  return (cl_program) program;
}

/* A binary is the text. */
static cl_program
fake_clCreateProgramWithBinary (cl_context context, cl_uint n,
    const cl_device_id *devices, const size_t *sizes,
    const unsigned char **binaries, cl_int *status, cl_int *code)
{
  Program *program;

  *code = CL_OUT_OF_HOST_MEMORY;
  if (FAILS (clCreateProgramWithBinary))
    return NULL;
  g_assert_cmpuint (n, ==, 1);
  program = object_new (
      PROGRAM, sizeof *program, check (context, CONTEXT), program_clear);
  program->text = strndup ((const char *) binaries[0], sizes[0]);
  *status = *code = CL_SUCCESS;
  return (cl_program) program;
}

static cl_int
fake_clBuildProgram (cl_program handle, cl_uint n, const cl_device_id *devices,
    const char *options, void (CL_CALLBACK *notify) (cl_program, void *),
    void *data)
{
  Program *program = check (handle, PROGRAM);

  if (FAILS (clBuildProgram))
    return CL_BUILD_PROGRAM_FAILURE;
  program->built = TRUE;
  return CL_SUCCESS;
}

static cl_int
give (const void *answer, gsize n, gsize size, void *value, size_t *given)
{
  if (given != NULL)
    *given = n;
  if (value == NULL)
    return CL_SUCCESS;
  if (size < n)
    return CL_INVALID_VALUE;
  memcpy (value, answer, n);
  return CL_SUCCESS;
}

static cl_int
fake_clGetProgramBuildInfo (cl_program program, cl_device_id id,
    cl_program_build_info what, size_t size, void *value, size_t *given)
{
  static const char log[] = "the log of the compiler";

  check (program, PROGRAM);
  if (FAILS (clGetProgramBuildInfo))
    return CL_OUT_OF_RESOURCES;
  return give (log, sizeof log, size, value, given);
}

static cl_int
fake_clGetProgramInfo (cl_program handle, cl_program_info what, size_t size,
    void *value, size_t *given)
{
  const Program *program = check (handle, PROGRAM);
  const gsize n = strlen (program->text);

  if (FAILS (clGetProgramInfo))
    return CL_OUT_OF_RESOURCES;
  if (what == CL_PROGRAM_BINARY_SIZES)
    return give (&n, sizeof n, size, value, given);
  g_assert_cmpuint (what, ==, CL_PROGRAM_BINARIES);
  memcpy (*(guchar **) value, program->text, n);
  return CL_SUCCESS;
}

static cl_kernel
fake_clCreateKernel (cl_program handle, const char *name, cl_int *code)
{
  Program *program = check (handle, PROGRAM);
  Kernel *kernel;

  *code = CL_OUT_OF_HOST_MEMORY;
  if (FAILS (clCreateKernel))
    return NULL;
  g_assert_true (program->built);
  g_assert_nonnull (strstr (program->text, name));
  kernel = object_new (KERNEL, sizeof *kernel, &program->object, NULL);
  kernel->hash = mix (1, (const guchar *) name, strlen (name));
  *code = CL_SUCCESS;
  return (cl_kernel) kernel;
}

static cl_int
fake_clSetKernelArg (
    cl_kernel handle, cl_uint i, size_t size, const void *value)
{
  Kernel *kernel = check (handle, KERNEL);
  guint64 address = 0;

  if (FAILS (clSetKernelArg))
    return CL_OUT_OF_RESOURCES;
  g_assert_cmpuint (i, <, MAX_ARGUMENTS);
  kernel->arguments[i] = (Argument){ .size = size };
  if (value == NULL)
    return CL_SUCCESS;
  g_assert_cmpuint (size, <=, sizeof kernel->arguments[i].bytes);
  memcpy (kernel->arguments[i].bytes, value, size);
  if (size == sizeof address)
    memcpy (&address, value, size);
  if (address >= LEAST_ADDRESS)
    kernel->arguments[i].buffer = check ((gpointer) (gsize) address, BUFFER);
  return CL_SUCCESS;
}

static cl_int
set_pointer (cl_kernel handle, cl_uint i, const void *pointer)
{
  Kernel *kernel = check (handle, KERNEL);

  g_assert_cmpuint (i, <, MAX_ARGUMENTS);
  kernel->arguments[i] = (Argument){ .size = sizeof pointer };
  kernel->arguments[i].pointer = (guchar *) (gsize) pointer;
  return CL_SUCCESS;
}

static cl_int
fake_clSetKernelArgSVMPointer (cl_kernel kernel, cl_uint i, const void *pointer)
{
  return FAILS (clSetKernelArgSVMPointer) ? CL_OUT_OF_RESOURCES
                                          : set_pointer (kernel, i, pointer);
}

static cl_int
fake_clSetKernelArgMemPointerINTEL (
    cl_kernel kernel, cl_uint i, const void *pointer)
{
  return FAILS (clSetKernelArgMemPointerINTEL)
             ? CL_OUT_OF_RESOURCES
             : set_pointer (kernel, i, pointer);
}

/* --- what there is ---------------------------------------------------------
 */

static const char *
text_of (guint what)
{
  switch (what) {
    case CL_PLATFORM_EXTENSIONS:
    case CL_PLATFORM_ICD_SUFFIX_KHR:
      return "cl_khr_icd";
    case CL_PLATFORM_PROFILE:
      return "FULL_PROFILE";
    case CL_DEVICE_EXTENSIONS:
      return strcmp (announced, "usm") == 0
                 ? "cl_khr_icd cl_intel_unified_shared_memory"
                 : "cl_khr_icd";
    case CL_PLATFORM_VERSION:
    case CL_DEVICE_VERSION:
      return "OpenCL 2.0 fake";
    default:
      return "fake";
  }
}

static cl_int
fake_clGetPlatformInfo (cl_platform_id id, cl_platform_info what, size_t size,
    void *value, size_t *given)
{
  const char *text = text_of (what);

  if (FAILS (clGetPlatformInfo))
    return CL_OUT_OF_RESOURCES;
  return give (text, strlen (text) + 1, size, value, given);
}

static cl_int
fake_clGetDeviceIDs (cl_platform_id id, cl_device_type type, cl_uint n,
    cl_device_id *devices, cl_uint *given)
{
  if (FAILS (clGetDeviceIDs))
    return CL_OUT_OF_RESOURCES;
  if ((type & CL_DEVICE_TYPE_GPU) == 0)
    return CL_DEVICE_NOT_FOUND;
  if (given != NULL)
    *given = 1;
  if (devices != NULL)
    devices[0] = (cl_device_id) &device;
  return CL_SUCCESS;
}

static cl_ulong
number_of (cl_device_info what)
{
  switch (what) {
    case CL_DEVICE_TYPE:
      return CL_DEVICE_TYPE_GPU;
    case CL_DEVICE_HOST_UNIFIED_MEMORY:
      return strcmp (announced, "discrete") != 0;
    case CL_DEVICE_SINGLE_FP_CONFIG:
    case CL_DEVICE_DOUBLE_FP_CONFIG:
      return CL_FP_FMA | CL_FP_ROUND_TO_NEAREST;
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT:
      return 1;
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
      return 256;
    case CL_DEVICE_SVM_CAPABILITIES:
      return strcmp (announced, "svm-fine") == 0
                 ? CL_DEVICE_SVM_COARSE_GRAIN_BUFFER
                       | CL_DEVICE_SVM_FINE_GRAIN_BUFFER
             : strcmp (announced, "svm-coarse") == 0
                 ? CL_DEVICE_SVM_COARSE_GRAIN_BUFFER
                 : 0;
    case CL_DEVICE_LOCAL_MEM_SIZE:
      return 32768;
    default: /* available, little-endian, with a compiler, USM: yes */
      return 1;
  }
}

static cl_int
fake_clGetDeviceInfo (cl_device_id id, cl_device_info what, size_t size,
    void *value, size_t *given)
{
  cl_ulong number;

  check (id, DEVICE);
  if (FAILS (clGetDeviceInfo))
    return CL_OUT_OF_RESOURCES;
  if (what == CL_DEVICE_NAME || what == CL_DEVICE_VERSION
      || what == CL_DRIVER_VERSION || what == CL_DEVICE_EXTENSIONS)
    return give (
        text_of (what), strlen (text_of (what)) + 1, size, value, given);
  g_assert_true (value != NULL && (size == 4 || size == 8));
  number = number_of (what);
  memcpy (value, &number, size); /* little-endian */
  return CL_SUCCESS;
}

static void *
find_named (const char *name)
{
  gpointer found = NULL;

#define FIND(function)                                                         \
  if (strcmp (name, #function) == 0)                                           \
  *(__typeof__ (&fake_##function) *) &found = fake_##function
  FIND (clHostMemAllocINTEL);
  FIND (clMemFreeINTEL);
  FIND (clSetKernelArgMemPointerINTEL);
#undef FIND
  return found;
}

static void *
fake_clGetExtensionFunctionAddressForPlatform (
    cl_platform_id id, const char *name)
{
  return FAILS (clGetExtensionFunctionAddressForPlatform) ? NULL
                                                          : find_named (name);
}

static cl_int
get_platforms (cl_uint n, cl_platform_id *platforms, cl_uint *given)
{
  if (FAILS (clGetPlatformIDs))
    return CL_OUT_OF_HOST_MEMORY;
  if (given != NULL)
    *given = 1;
  if (platforms != NULL)
    platforms[0] = (cl_platform_id) &platform;
  return CL_SUCCESS;
}

/* clang-format off */
#define F(name) .name = fake_##name,
static const struct _cl_icd_dispatch table = {
  TABLE (F)
  .clSVMFree = fake_clSVMFree,
};
/* clang-format on */
#undef F

/* What loaders look for in the library. */
FAKE_ICD CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress (
    const char *name);

CL_API_ENTRY void *CL_API_CALL
clGetExtensionFunctionAddress (const char *name)
{
  gpointer found = NULL;

  if (strcmp (name, "clIcdGetPlatformIDsKHR") == 0)
    *(__typeof__ (&get_platforms) *) &found = get_platforms;
  else if (strcmp (name, "clGetPlatformInfo") == 0)
    *(__typeof__ (&fake_clGetPlatformInfo) *) &found = fake_clGetPlatformInfo;
  return found;
}
