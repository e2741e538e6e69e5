/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What all models of one runtime share on a device: the context, queues, built
 * programs, constants.  Any thread. */

#pragma once

#include <pthread.h>

#include "inference/runtime/backend.h"
#include "ocl/device/device.h"

G_BEGIN_DECLS

typedef struct _OclScope OclScope;
typedef struct _OclProgram OclProgram;

/* Device memory; counted, since kernels in flight outlive plans. */
typedef struct
{
  gint refs;
  cl_mem mem;
  gpointer pointer; /* instead of mem: memory of another owner */
  gsize size;
  guint64 serial; /* of no other buffer, ever; never 0 */
} OclBuffer;

/* Requests of one stream compute one after the other, and so share the memory
 * of what is between inputs and outputs.  Transfers go by themselves. */
typedef struct
{
  pthread_mutex_t lock; /* held while a request is enqueued */
  cl_command_queue copy, run;
  OclBuffer *arena; /* under lock; nullable */
} OclStream;

struct _OclScope
{
  const OclDevice *device;
  InferConfig config;
  cl_context context;
  guint n_streams;
  OclStream *streams;
  gint next_stream;
  pthread_mutex_t lock;
  GHashTable *programs;  /* text → OclProgram, under lock */
  GHashTable *constants; /* set of OclConstant, under lock */
};

OclScope *ocl_scope_new (
    guint device, const InferConfig *config, GError **error);
void ocl_scope_free (OclScope *scope);

/* Where a buffer should lie. */
typedef enum
{
  OCL_MEMORY_DEVICE,
  OCL_MEMORY_HOST, /* that the host sees as well: for inputs and outputs */
} OclMemory;

/* Contents are undefined; @size may be 0. */
OclBuffer *ocl_buffer_new (
    cl_context context, OclMemory memory, gsize size, GError **error);
/* What shared virtual or unified memory is to kernels. */
OclBuffer *ocl_buffer_new_pointer (gpointer pointer, gsize size);
gboolean ocl_buffer_set_argument (const OclBuffer *buffer,
    const OclDevice *device, cl_kernel kernel, guint index, GError **error);
OclBuffer *ocl_buffer_ref (OclBuffer *buffer);
void ocl_buffer_unref (OclBuffer *buffer); /* NULL is fine */
/* At least @size bytes in *@buffer; a new one if need be. */
gboolean ocl_buffer_reserve (OclScope *scope, OclMemory memory,
    OclBuffer **buffer, gsize size, GError **error);

/* --- constants: constant.c --- */

typedef struct _OclConstant OclConstant;

/* Memory from g_malloc with what is to go to the device; NULL where memory is
 * short. */
typedef gpointer (*OclPackFunc) (
    const InferTensor *tensor, const gint64 *params, gsize *bytes);

#define OCL_MAX_PARAMS 16

/* The bytes of @tensor, or what @make (nullable) makes of them, on the device:
 * once for equal content.  @kind: a static string naming what is made, @params:
 * numbers on which it depends besides the tensor.  (transfer full) */
OclConstant *ocl_scope_constant (OclScope *scope, InferTensor *tensor,
    const char *kind, guint n_params, const gint64 *params, OclPackFunc make,
    GError **error);
OclBuffer *ocl_constant_buffer (const OclConstant *constant);
void ocl_constant_unref (OclScope *scope, OclConstant *constant);
/* For the table of the scope. */
guint ocl_constant_hash (gconstpointer key);
gboolean ocl_constant_equal (gconstpointer pa, gconstpointer pb);

/* --- programs: program.c --- */

/* The program of kernels/@family.cl with @options for the compiler and, before
 * it, the text @generated (both nullable); not built yet.  Lives as long as the
 * scope.  Never NULL. */
OclProgram *ocl_scope_program (OclScope *scope, const char *family,
    const char *options, const char *generated);
/* The program of a whole text. */
OclProgram *ocl_scope_program_of_text (OclScope *scope, const char *text);
gboolean ocl_scope_has_text (OclScope *scope, const char *text);
/* The whole text, and the options for the compiler. */
const char *ocl_program_text (const OclProgram *program);
const char *ocl_program_options (const OclProgram *program);
/* Letters and digits that no other text has. */
const char *ocl_program_id (const OclProgram *program);
/* Its text as part of another one: what @make makes, the first time. */
const char *ocl_program_link (
    OclProgram *program, char *(*make) (const OclProgram *program));
/* For the table of the scope. */
guint ocl_program_text_hash (gconstpointer text);
/* All of them, in parallel; what is built already costs nothing.
 * (element-type OclProgram) */
gboolean ocl_programs_build (
    OclScope *scope, const GPtrArray *programs, GError **error);
/* Of a built program; (transfer full). */
cl_kernel ocl_program_kernel (
    OclProgram *program, const char *name, GError **error);
void ocl_program_free (OclProgram *program);

G_END_DECLS
