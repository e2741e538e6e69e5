/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Command buffers of the fake driver (cl_khr_command_buffer).  Their kernels
 * have the arguments that were set when they were recorded. */

#include "tests/check/support/fake-icd/private.h"

typedef struct
{
  Object object;
  cl_command_queue queue; /* the owner */
  GPtrArray *commands;    /* (element-type Command) */
  gboolean finalized;
  gint pending; /* runs that have not ended */
} Commands;

static void
commands_clear (gpointer data)
{
  g_ptr_array_unref (((Commands *) data)->commands);
}

gpointer
fake_clCreateCommandBufferKHR (cl_uint n, const cl_command_queue *queues,
    const cl_bitfield *properties, cl_int *code)
{
  Commands *commands;

  *code = CL_OUT_OF_HOST_MEMORY;
  if (FAILS (clCreateCommandBufferKHR))
    return NULL;
  /* Simultaneous use is not among the capabilities. */
  g_assert_true (n == 1 && properties == NULL);
  commands = fake_object_new (COMMANDS, sizeof *commands,
      fake_check (queues[0], QUEUE), commands_clear);
  commands->queue = queues[0];
  commands->commands =
      g_ptr_array_new_with_free_func ((GDestroyNotify) fake_command_free);
  *code = CL_SUCCESS;
  return commands;
}

cl_int
fake_clCommandNDRangeKernelKHR (gpointer handle, cl_command_queue queue,
    const cl_bitfield *properties, cl_kernel kernel, cl_uint dims,
    const size_t *offset, const size_t *global, const size_t *local, cl_uint n,
    const cl_uint *list, cl_uint *point, gpointer *command)
{
  const Commands *commands = fake_check (handle, COMMANDS);

  if (FAILS (clCommandNDRangeKernelKHR))
    return CL_OUT_OF_RESOURCES;
  g_assert_true (queue == NULL && properties == NULL && n == 0);
  g_assert_true (point == NULL && command == NULL && !commands->finalized);
  g_ptr_array_add (commands->commands,
      fake_command_of_kernel (kernel, dims, offset, global, local));
  return CL_SUCCESS;
}

cl_int
fake_clFinalizeCommandBufferKHR (gpointer handle)
{
  Commands *commands = fake_check (handle, COMMANDS);

  if (FAILS (clFinalizeCommandBufferKHR))
    return CL_OUT_OF_RESOURCES;
  g_assert_false (commands->finalized);
  commands->finalized = TRUE;
  return CL_SUCCESS;
}

cl_int
fake_clEnqueueCommandBufferKHR (cl_uint n, cl_command_queue *queues,
    gpointer handle, cl_uint n_events, const cl_event *events, cl_event *event)
{
  Commands *commands = fake_check (handle, COMMANDS);

  if (FAILS (clEnqueueCommandBufferKHR))
    return CL_OUT_OF_RESOURCES;
  g_assert_true (n == 0 && queues == NULL && n_events == 0);
  g_assert_true (commands->finalized);
  g_assert_cmpint (ADD (commands->pending, 1), ==, 1);
  for (guint i = 0; i < commands->commands->len; i++)
    fake_submit (commands->queue,
        fake_command_copy (commands->commands->pdata[i]), CL_FALSE, NULL);
  /* It keeps nothing: the queue's thread must not release its own queue. */
  Command *end = fake_command_new (NULL, NULL, NULL);
  end->pending = &commands->pending;
  return fake_submit (commands->queue, end, CL_FALSE, event);
}

/* Not while it runs, though drivers would allow that. */
cl_int
fake_clReleaseCommandBufferKHR (gpointer handle)
{
  Commands *commands = fake_check (handle, COMMANDS);

  g_assert_cmpint (GET (commands->pending), ==, 0);
  fake_object_unref (&commands->object);
  return FAILS (clReleaseCommandBufferKHR) ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}
