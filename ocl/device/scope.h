/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* State that all models of a runtime share on a device: context, queues, built
 * programs, constants.  Any thread. */

#pragma once

#include <pthread.h>

#include "inference/runtime/backend.h"
#include "ocl/device/device.h"

typedef struct _OclScope OclScope;
typedef struct _OclProgram OclProgram;

/* Device memory; counted, since kernels in flight outlive plans. */
typedef struct
{
  gint refs;
  cl_mem mem;
  gpointer pointer; /* instead of mem: memory with another owner */
  gsize size;
  guint64 serial; /* unique in the process; never 0 */
} OclBuffer;

/* Requests of one stream compute one after the other, so that they share the
 * arena.  Transfers have a queue of their own. */
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

/* The kind of memory a buffer should be in. */
typedef enum
{
  OCL_MEMORY_DEVICE,
  OCL_MEMORY_HOST, /* shared with the host: for inputs and outputs */
} OclMemory;

/* Contents are undefined; @size may be 0. */
OclBuffer *ocl_buffer_new (
    cl_context context, OclMemory memory, gsize size, GError **error);
/* Shared virtual or unified memory as a kernel argument. */
OclBuffer *ocl_buffer_new_pointer (gpointer pointer, gsize size);
gboolean ocl_buffer_set_argument (const OclBuffer *buffer,
    const OclDevice *device, cl_kernel kernel, guint index, GError **error);
OclBuffer *ocl_buffer_ref (OclBuffer *buffer);
void ocl_buffer_unref (OclBuffer *buffer); /* NULL is fine */
/* Replaces *@buffer (nullable) if it has less than @size bytes. */
gboolean ocl_buffer_reserve (OclScope *scope, OclMemory memory,
    OclBuffer **buffer, gsize size, GError **error);

/* --- constants: constant.c --- */

typedef struct _OclConstant OclConstant;

/* Returns the bytes for the device, from g_malloc; NULL if out of memory. */
typedef gpointer (*OclPackFunc) (
    const InferTensor *tensor, const gint64 *params, gsize *bytes);

#define OCL_MAX_PARAMS 16

/* The bytes of @tensor, packed by @make (nullable), on the device: shared by
 * equal contents.  @kind: a static string that names the packing; @params: its
 * parameters.  (transfer full) */
OclConstant *ocl_scope_constant (OclScope *scope, InferTensor *tensor,
    const char *kind, guint n_params, const gint64 *params, OclPackFunc make,
    GError **error);
OclBuffer *ocl_constant_buffer (const OclConstant *constant);
void ocl_constant_unref (OclScope *scope, OclConstant *constant);
/* For the table of the scope. */
guint ocl_constant_hash (gconstpointer key);
gboolean ocl_constant_equal (gconstpointer pa, gconstpointer pb);

/* --- programs: program.c --- */

/* The program of @generated followed by kernels/@family.cl, with compiler
 * @options (both nullable).  Not built yet; owned by the scope; never NULL. */
OclProgram *ocl_scope_program (OclScope *scope, const char *family,
    const char *options, const char *generated);
/* The program whose complete source is @text. */
OclProgram *ocl_scope_program_of_text (OclScope *scope, const char *text);
gboolean ocl_scope_has_text (OclScope *scope, const char *text);
/* The complete source, and the compiler options. */
const char *ocl_program_text (const OclProgram *program);
const char *ocl_program_options (const OclProgram *program);
/* Letters and digits, unique to the source. */
const char *ocl_program_id (const OclProgram *program);
/* The source as part of a chain; @make writes it at the first call. */
const char *ocl_program_link (
    OclProgram *program, char *(*make) (const OclProgram *program));
/* For the table of the scope. */
guint ocl_program_text_hash (gconstpointer text);
/* Builds @programs (element-type OclProgram) in parallel, unless they are built
 * already. */
gboolean ocl_programs_build (
    OclScope *scope, const GPtrArray *programs, GError **error);
/* @program is built.  (transfer full) */
cl_kernel ocl_program_kernel (
    OclProgram *program, const char *name, GError **error);
void ocl_program_free (OclProgram *program);
