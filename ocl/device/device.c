/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/device/device.h"

#include <string.h>

static char *
platform_text (cl_platform_id id, cl_platform_info what)
{
  gsize size = 0;

  if (ocl_api.clGetPlatformInfo (id, what, 0, NULL, &size) != CL_SUCCESS)
    return g_strdup ("");
  char *text = g_malloc0 (size + 1);
  if (ocl_api.clGetPlatformInfo (id, what, size, text, NULL) != CL_SUCCESS)
    text[0] = '\0';
  return text;
}

static char *
device_text (cl_device_id id, cl_device_info what)
{
  gsize size = 0;

  if (ocl_api.clGetDeviceInfo (id, what, 0, NULL, &size) != CL_SUCCESS)
    return g_strdup ("");
  char *text = g_malloc0 (size + 1);
  if (ocl_api.clGetDeviceInfo (id, what, size, text, NULL) != CL_SUCCESS)
    text[0] = '\0';
  return text;
}

static char *
make_identity (cl_platform_id platform, cl_device_id id, const char *name)
{
  g_autofree char *platform_version =
      platform_text (platform, CL_PLATFORM_VERSION);
  g_autofree char *version = device_text (id, CL_DEVICE_VERSION);
  g_autofree char *driver = device_text (id, CL_DRIVER_VERSION);

  return g_strjoin ("\n", platform_version, name, version, driver, NULL);
}

/* --- extensions --- */

static gboolean
has_extension (cl_device_id id, const char *name)
{
  g_autofree char *extensions = device_text (id, CL_DEVICE_EXTENSIONS);
  g_auto (GStrv) words = g_strsplit (extensions, " ", -1);

  return g_strv_contains ((const char *const *) words, name);
}

/* CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR,
 * CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR */
#define COMMAND_BUFFER_CAPABILITIES 0x12a9
#define COMMAND_BUFFER_QUEUE_PROPERTIES 0x12aa
#define SIMULTANEOUS_USE 4

/* FALSE: launches are enqueued one by one. */
static gboolean
find_command_buffers (
    cl_platform_id platform, cl_device_id id, OclCommandBuffers *found)
{
  cl_bitfield capabilities = 0, required = 0;

  if (!has_extension (id, "cl_khr_command_buffer")
      || ocl_api.clGetDeviceInfo (id, COMMAND_BUFFER_CAPABILITIES,
             sizeof capabilities, &capabilities, NULL)
             != CL_SUCCESS
      || ocl_api.clGetDeviceInfo (id, COMMAND_BUFFER_QUEUE_PROPERTIES,
             sizeof required, &required, NULL)
             != CL_SUCCESS
      || required != 0) /* our queues have none */
    return FALSE;
  found->simultaneous = (capabilities & SIMULTANEOUS_USE) != 0;
#define FIND(member, name)                                                     \
  *(gpointer *) &found->member =                                               \
      ocl_api.clGetExtensionFunctionAddressForPlatform (platform, name);       \
  if (found->member == NULL)                                                   \
    return FALSE;
  FIND (create, "clCreateCommandBufferKHR")
  FIND (launch, "clCommandNDRangeKernelKHR")
  FIND (finalize, "clFinalizeCommandBufferKHR")
  FIND (enqueue, "clEnqueueCommandBufferKHR")
  FIND (release, "clReleaseCommandBufferKHR")
#undef FIND
  return TRUE;
}

/* --- shared memory --- */

#define USM_CAPABILITIES 0x4190 /* CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL */
#define USM_ACCESS 1

static gboolean
find_usm (cl_platform_id platform, cl_device_id id, OclUsm *usm)
{
  cl_bitfield access = 0;

  if (!has_extension (id, "cl_intel_unified_shared_memory")
      || ocl_api.clGetDeviceInfo (
             id, USM_CAPABILITIES, sizeof access, &access, NULL)
             != CL_SUCCESS
      || (access & USM_ACCESS) == 0)
    return FALSE;
  *(gpointer *) &usm->alloc = ocl_api.clGetExtensionFunctionAddressForPlatform (
      platform, "clHostMemAllocINTEL");
  *(gpointer *) &usm->free = ocl_api.clGetExtensionFunctionAddressForPlatform (
      platform, "clMemFreeINTEL");
  *(gpointer *) &usm->set_argument =
      ocl_api.clGetExtensionFunctionAddressForPlatform (
          platform, "clSetKernelArgMemPointerINTEL");
  return usm->alloc != NULL && usm->free != NULL && usm->set_argument != NULL;
}

static OclHostKind
find_host_kind (cl_platform_id platform, cl_device_id id, OclUsm *usm)
{
  cl_device_svm_capabilities svm = 0;

  if (find_usm (platform, id, usm))
    return OCL_HOST_USM;
  /* OpenCL 1.2 devices do not know the query. */
  if (ocl_api.clGetDeviceInfo (
          id, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL)
      != CL_SUCCESS)
    svm = 0;
  if ((svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0)
    return OCL_HOST_SVM_FINE;
  return (svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) != 0 ? OCL_HOST_SVM_COARSE
                                                        : OCL_HOST_PINNED;
}

const char *
ocl_host_kind_name (OclHostKind kind)
{
  static const char *const names[] = {
    [OCL_HOST_USM] = "usm",
    [OCL_HOST_SVM_FINE] = "svm-fine",
    [OCL_HOST_SVM_COARSE] = "svm-coarse",
    [OCL_HOST_PINNED] = "pinned",
  };

  return names[kind];
}

/* --- devices --- */

/* 0 where local memory is part of the device's other memory. */
static gsize
find_local_memory (cl_device_id id)
{
  cl_device_local_mem_type type = CL_NONE;
  cl_ulong size = 0;

  ocl_api.clGetDeviceInfo (
      id, CL_DEVICE_LOCAL_MEM_TYPE, sizeof type, &type, NULL);
  ocl_api.clGetDeviceInfo (
      id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof size, &size, NULL);
  return type == CL_LOCAL ? (gsize) size : 0;
}

/* FALSE if the device is not available, has no compiler or is big-endian. */
static gboolean
describe (cl_platform_id platform, cl_device_id id, OclDevice *device)
{
  cl_bool available = CL_FALSE, compiler = CL_FALSE, little = CL_FALSE;
  cl_bool unified = CL_FALSE;
  cl_device_type type = 0;
  cl_device_fp_config single = 0, twice = 0;
  cl_uint width = 0, units = 0;

  ocl_api.clGetDeviceInfo (
      id, CL_DEVICE_AVAILABLE, sizeof available, &available, NULL);
  ocl_api.clGetDeviceInfo (
      id, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiler, &compiler, NULL);
  ocl_api.clGetDeviceInfo (
      id, CL_DEVICE_ENDIAN_LITTLE, sizeof little, &little, NULL);
  ocl_api.clGetDeviceInfo (id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
  ocl_api.clGetDeviceInfo (
      id, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified, &unified, NULL);
  ocl_api.clGetDeviceInfo (
      id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof single, &single, NULL);
  ocl_api.clGetDeviceInfo (
      id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof twice, &twice, NULL);
  ocl_api.clGetDeviceInfo (
      id, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof width, &width, NULL);
  ocl_api.clGetDeviceInfo (
      id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
  ocl_api.clGetDeviceInfo (id, CL_DEVICE_MAX_WORK_GROUP_SIZE,
      sizeof device->max_group, &device->max_group, NULL);
  if (!available || !compiler || device->max_group == 0
      || little != (G_BYTE_ORDER == G_LITTLE_ENDIAN))
    return FALSE;
  device->platform = platform;
  device->id = id;
  device->name = device_text (id, CL_DEVICE_NAME);
  device->identity = make_identity (platform, id, device->name);
  device->cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
  device->unified = unified != CL_FALSE;
  device->units = units;
  device->local_memory = find_local_memory (id);
  device->f64 = twice != 0;
  device->fast_fma = (single & CL_FP_FMA) != 0;
  device->host = find_host_kind (platform, id, &device->usm);
  device->records =
      !device->cpu
      && find_command_buffers (platform, id, &device->command_buffers);
  device->chunk = device->cpu ? 256 : 1;
  device->tile = !device->cpu ? 4 : width >= 16 ? 14 : 6;
  return TRUE;
}

static void
add_devices (GArray *devices, cl_platform_id platform, cl_device_type type)
{
  cl_uint n = 0;

  if (ocl_api.clGetDeviceIDs (platform, type, 0, NULL, &n) != CL_SUCCESS
      || n == 0)
    return;
  g_autofree cl_device_id *ids = g_new0 (cl_device_id, n);
  if (ocl_api.clGetDeviceIDs (platform, type, n, ids, NULL) != CL_SUCCESS)
    return;
  for (cl_uint i = 0; i < n; i++) {
    OclDevice device = { 0 };

    if (describe (platform, ids[i], &device))
      g_array_append_val (devices, device);
  }
}

static gpointer
find_devices (gpointer unused)
{
  static const cl_device_type order[] = { CL_DEVICE_TYPE_GPU,
    CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CPU };
  GArray *devices = g_array_new (FALSE, FALSE, sizeof (OclDevice));
  cl_uint n = 0;

  if (!ocl_api_load () || ocl_api.clGetPlatformIDs (0, NULL, &n) != CL_SUCCESS
      || n == 0)
    return devices;
  g_autofree cl_platform_id *platforms = g_new0 (cl_platform_id, n);
  if (ocl_api.clGetPlatformIDs (n, platforms, NULL) != CL_SUCCESS)
    return devices;
  for (gsize k = 0; k < G_N_ELEMENTS (order); k++)
    for (cl_uint i = 0; i < n; i++)
      add_devices (devices, platforms[i], order[k]);
  return devices;
}

static GArray *
all_devices (void)
{
  static GOnce once = G_ONCE_INIT;

  return g_once (&once, find_devices, NULL);
}

guint
ocl_device_count (void)
{
  return all_devices ()->len;
}

const OclDevice *
ocl_device_get (guint index)
{
  return index < all_devices ()->len
             ? &g_array_index (all_devices (), OclDevice, index)
             : NULL;
}
