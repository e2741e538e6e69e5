/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The fake driver: its properties, its settings, and its entry points. */

#include "tests/check/support/fake-icd/fake-icd.h"

#include "tests/check/support/fake-icd/private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define F(name) #name,
static const char *const names[] = { TABLE (F) NAMED (F) };
#undef F

/* --- faults --- */

static guint n_calls, n_commands, fail_at, fail_command_at;
static gboolean fail_all;
static gint n_alive, last_failed = -1;
static guint64 now; /* of the device's clock */
static guint
    *tally; /* failures of each function, including those in forked processes */
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

gboolean
fake_fails (gint function)
{
  const guint n = ADD (n_calls, 1), at = GET (fail_at);

  if (at == 0 || (GET (fail_all) ? n < at : n != at))
    return FALSE;
  ADD (tally[function], 1);
  SET (last_failed, function);
  return TRUE;
}

gboolean
fake_command_fails (void)
{
  return ADD (n_commands, 1) == GET (fail_command_at);
}

guint64
fake_tick (void)
{
  return ADD (now, 1000);
}

void
fake_count (gint n)
{
  ADD (n_alive, n);
}

/* --- objects --- */

static const struct _cl_icd_dispatch table;

static pthread_mutex_t buffers_lock = PTHREAD_MUTEX_INITIALIZER;
static GHashTable *buffers;

static void
note_buffer (gpointer object, gboolean (*note) (GHashTable *, gpointer))
{
  pthread_mutex_lock (&buffers_lock);
  if (buffers == NULL)
    buffers = g_hash_table_new (NULL, NULL);
  note (buffers, object);
  pthread_mutex_unlock (&buffers_lock);
}

static gboolean
forget_buffer (GHashTable *table_of_buffers, gpointer object)
{
  return g_hash_table_remove (table_of_buffers, object);
}

gboolean
fake_is_buffer (guint64 address)
{
  pthread_mutex_lock (&buffers_lock);
  const gboolean is =
      buffers != NULL
      && g_hash_table_contains (buffers, (gpointer) (gsize) address);
  pthread_mutex_unlock (&buffers_lock);
  return is;
}

gpointer
fake_object_new (Kind kind, gsize size, Object *owner, void (*clear) (gpointer))
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
  if (kind == BUFFER)
    note_buffer (object, g_hash_table_add);
  return object;
}

gpointer
fake_check (gconstpointer object, Kind kind)
{
  g_assert_nonnull (object);
  g_assert_cmpint (((const Object *) object)->kind, ==, kind);
  g_assert_cmpint (GET (((const Object *) object)->refs), >, 0);
  return (gpointer) (gsize) object;
}

void
fake_object_ref (gpointer data)
{
  ADD (((Object *) data)->refs, 1);
}

void
fake_object_unref (gpointer data)
{
  Object *object = data, *owner;

  if (object == NULL
      || __atomic_sub_fetch (&object->refs, 1, __ATOMIC_ACQ_REL) > 0)
    return;
  owner = object->owner;
  if (object->kind == BUFFER)
    note_buffer (object, forget_buffer);
  if (object->clear != NULL)
    object->clear (object);
  object->kind = 0;
  free (object);
  ADD (n_alive, -1);
  fake_object_unref (owner);
}

static Object platform = { &table, PLATFORM, 1, NULL, NULL };
static Object device = { &table, DEVICE, 1, NULL, NULL };

/* --- platform and device --- */

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
                 ? "cl_khr_icd cl_khr_command_buffer "
                   "cl_intel_unified_shared_memory"
             : strcmp (announced, "discrete") == 0
                 ? "cl_khr_icd"
                 : "cl_khr_icd cl_khr_command_buffer";
    case CL_PLATFORM_VERSION:
    case CL_DEVICE_VERSION:
      return "OpenCL 2.0 fake";
    default:
      return "fake";
  }
}

cl_int
fake_clGetPlatformInfo (cl_platform_id id, cl_platform_info what, size_t size,
    void *value, size_t *given)
{
  const char *text = text_of (what);

  if (FAILS (clGetPlatformInfo))
    return CL_OUT_OF_RESOURCES;
  return fake_give (text, strlen (text) + 1, size, value, given);
}

cl_int
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
    case 0x12a9: /* CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR */
      return 0;
    case 0x12aa: /* CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR */
      return 0;
    default: /* available, little-endian, with a compiler, USM: yes */
      return 1;
  }
}

cl_int
fake_clGetDeviceInfo (cl_device_id id, cl_device_info what, size_t size,
    void *value, size_t *given)
{
  fake_check (id, DEVICE);
  if (FAILS (clGetDeviceInfo))
    return CL_OUT_OF_RESOURCES;
  if (what == CL_DEVICE_NAME || what == CL_DEVICE_VERSION
      || what == CL_DRIVER_VERSION || what == CL_DEVICE_EXTENSIONS)
    return fake_give (
        text_of (what), strlen (text_of (what)) + 1, size, value, given);
  g_assert_true (value != NULL && (size == 4 || size == 8));
  cl_ulong number = number_of (what);
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
  FIND (clCommandNDRangeKernelKHR);
  FIND (clCreateCommandBufferKHR);
  FIND (clEnqueueCommandBufferKHR);
  FIND (clFinalizeCommandBufferKHR);
  FIND (clHostMemAllocINTEL);
  FIND (clMemFreeINTEL);
  FIND (clReleaseCommandBufferKHR);
  FIND (clSetKernelArgMemPointerINTEL);
#undef FIND
  return found;
}

void *
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

/* Looked up by loaders. */
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
