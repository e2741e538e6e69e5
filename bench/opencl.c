/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Matrix products, convolutions and sums on an OpenCL device, by its own clock,
 * compared with its best: multiply-adds without memory, and a copy.
 *
 *     opencl [DEVICE]     default OPENCL */

#include "inference/runtime/backend.h"
#include "ocl/device/device.h"
#include "tests/check/support/net.h"

#include <stdio.h>
#include <string.h>

#define N_RUNS 15
#define COPIED (256u << 20) /* bytes: beyond the caches */
#define STEPS 1000          /* length of a chain of multiply-adds */
#define LONGEST 0.05 /* seconds that a case may take at the device's best */

/* --- best of the device --- */

/* Independent chains keep all units busy: vectors of 16 where that is what a
 * work-item computes with, else single floats, which all fit the registers. */
static const char source[] =
    "#ifdef CPU\n"
    "#define VALUE float16\n"
    "#define CHAINS 12\n"
    "#define GROUP 1\n"
    "#define SUM(v) (v.s0 + v.s5 + v.sa + v.sf)\n"
    "#else\n"
    "#define VALUE float\n"
    "#define CHAINS 32\n"
    "#define GROUP 256\n"
    "#define SUM(v) (v)\n"
    "#endif\n"
    "__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1)))\n"
    "void chains (__global float *out, int n) {\n"
    "  VALUE a[CHAINS];\n"
    "#pragma unroll\n"
    "  for (int k = 0; k < CHAINS; k++) a[k] = get_global_id (0) + k;\n"
    "  for (int i = 0; i < n; i++) {\n"
    "#pragma unroll\n"
    "    for (int k = 0; k < CHAINS; k++)\n"
    "      a[k] = fma (a[k], (VALUE) (0.999f), (VALUE) (0.5f));\n"
    "  }\n"
    "  VALUE s = 0;\n"
    "#pragma unroll\n"
    "  for (int k = 0; k < CHAINS; k++) s += a[k];\n"
    "  out[get_global_id (0)] = SUM (s);\n"
    "}\n"
    "__kernel void copy (__global float4 *out, __global const float4 *in) {\n"
    "  out[get_global_id (0)] = in[get_global_id (0)];\n"
    "}\n";

typedef struct
{
  cl_context context;
  cl_command_queue queue;
  cl_program program;
  cl_mem in, out;
} Best;

static void
fail_unless_done (cl_int code, const char *what)
{
  g_autoptr (GError) error = NULL;

  if (!ocl_check (code, what, &error))
    g_error ("%s", error->message);
}

static void
best_init (Best *best, const OclDevice *device)
{
  const char *text = source;
  cl_int code;

  best->context = clCreateContext (NULL, 1, &device->id, NULL, NULL, &code);
  fail_unless_done (code, "clCreateContext");
  best->queue = clCreateCommandQueue (
      best->context, device->id, CL_QUEUE_PROFILING_ENABLE, &code);
  fail_unless_done (code, "clCreateCommandQueue");
  best->program =
      clCreateProgramWithSource (best->context, 1, &text, NULL, &code);
  fail_unless_done (code, "clCreateProgramWithSource");
  fail_unless_done (clBuildProgram (best->program, 1, &device->id,
                        device->cpu ? "-DCPU" : "", NULL, NULL),
      "clBuildProgram");
  best->in =
      clCreateBuffer (best->context, CL_MEM_READ_WRITE, COPIED, NULL, &code);
  fail_unless_done (code, "clCreateBuffer");
  best->out =
      clCreateBuffer (best->context, CL_MEM_READ_WRITE, COPIED, NULL, &code);
  fail_unless_done (code, "clCreateBuffer");
}

static void
best_clear (Best *best)
{
  clReleaseMemObject (best->in);
  clReleaseMemObject (best->out);
  clReleaseProgram (best->program);
  clReleaseCommandQueue (best->queue);
  clReleaseContext (best->context);
}

/* Least nanoseconds of a kernel; @group 0: chosen by the driver. */
static double
time_kernel (const Best *best, cl_kernel kernel, gsize items, gsize group)
{
  double least = G_MAXDOUBLE;

  for (guint i = 0; i < 4 * N_RUNS; i++) {
    cl_ulong begin = 0, end = 0;
    cl_event event;

    fail_unless_done (clEnqueueNDRangeKernel (best->queue, kernel, 1, NULL,
                          &items, group > 0 ? &group : NULL, 0, NULL, &event),
        "clEnqueueNDRangeKernel");
    fail_unless_done (clWaitForEvents (1, &event), "clWaitForEvents");
    clGetEventProfilingInfo (
        event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL);
    clGetEventProfilingInfo (
        event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    clReleaseEvent (event);
    least = MIN (least, (double) (end - begin));
  }
  return least;
}

static cl_kernel
get_kernel (const Best *best, const char *name)
{
  cl_int code;
  cl_kernel kernel = clCreateKernel (best->program, name, &code);

  fail_unless_done (code, "clCreateKernel");
  return kernel;
}

/* GFLOP/s and GB/s. */
static void
measure_best (const OclDevice *device, double *flops, double *bandwidth)
{
  const cl_int n = STEPS;
  const gsize group = device->cpu ? 1 : 256;
  const gsize items = device->cpu ? 256 : 8 * group * MAX (device->units, 1);
  const double each = device->cpu ? 12 * 16 : 32; /* multiply-adds of a step */
  Best best;

  best_init (&best, device);
  cl_kernel chains = get_kernel (&best, "chains");
  clSetKernelArg (chains, 0, sizeof best.out, &best.out);
  clSetKernelArg (chains, 1, sizeof n, &n);
  *flops =
      (double) items * n * each * 2 / time_kernel (&best, chains, items, group);
  clReleaseKernel (chains);
  cl_kernel copy = get_kernel (&best, "copy");
  clSetKernelArg (copy, 0, sizeof best.out, &best.out);
  clSetKernelArg (copy, 1, sizeof best.in, &best.in);
  *bandwidth = 2.0 * COPIED / time_kernel (&best, copy, COPIED / 16, 0);
  clReleaseKernel (copy);
  best_clear (&best);
}

/* --- operations --- */

typedef struct
{
  const char *type; /* of the operation */
  gint64 in[4], weights[5];
  int rank; /* of the weights; 0: the input is both operands */
} Case;

static const Case cases[] = {
  { "MatMul", { 1, 1, 256, 256 }, { 256, 256 }, 2 },
  { "MatMul", { 1, 1, 512, 512 }, { 512, 512 }, 2 },
  { "MatMul", { 1, 1, 1024, 1024 }, { 1024, 1024 }, 2 },
  { "MatMul", { 1, 1, 2048, 2048 }, { 2048, 2048 }, 2 },
  { "MatMul", { 1, 1, 4096, 4096 }, { 4096, 4096 }, 2 },
  { "MatMul", { 1, 1, 1500, 384 }, { 384, 1536 }, 2 },
  { "MatMul", { 1, 1, 1, 2048 }, { 2048, 2048 }, 2 },
  { "Convolution", { 1, 64, 56, 56 }, { 64, 64, 3, 3 }, 4 },
  { "Convolution", { 1, 128, 28, 28 }, { 128, 128, 3, 3 }, 4 },
  { "Convolution", { 1, 256, 28, 28 }, { 256, 256, 1, 1 }, 4 },
  { "Convolution", { 1, 128, 112, 112 }, { 128, 128, 3, 3 }, 4 },
  { "Convolution", { 1, 256, 56, 56 }, { 256, 256, 3, 3 }, 4 },
  { "Convolution", { 1, 3, 224, 224 }, { 32, 3, 3, 3 }, 4 },
  { "GroupConvolution", { 1, 128, 56, 56 }, { 128, 1, 1, 3, 3 }, 5 },
  { "Add", { 1, 64, 112, 112 }, { 0 }, 0 },
};

static gint64
product (const gint64 *dims, int rank)
{
  gint64 n = 1;

  for (int d = 0; d < rank; d++)
    n *= dims[d];
  return n;
}

static InferModel *
make_model (const Case *c)
{
  InferModel *net = net_new ();
  g_autofree char *shape = g_strdup_printf ("%d,%d,%d,%d", (int) c->in[0],
      (int) c->in[1], (int) c->in[2], (int) c->in[3]);

  net_parameter (net, "x", shape);
  if (c->rank > 0) {
    const gint64 n = product (c->weights, c->rank);
    g_autofree float *values = g_new (float, n);

    for (gint64 i = 0; i < n; i++)
      values[i] = (float) (i % 13) / 100;
    net_const_f32 (net, "flat", n, values);
    net_const_i64 (net, "dims", c->rank, c->weights);
    net_add (
        net, "Reshape", "w", "flat dims", 1, "special_zero", "false", NULL);
  }
  if (strcmp (c->type, "MatMul") == 0)
    net_add (net, c->type, "y", "x w", 1, "transpose_a", "false", "transpose_b",
        "false", NULL);
  else if (c->rank == 0)
    net_add (net, c->type, "y", "x x", 1, NULL);
  else
    net_add (net, c->type, "y", "x w", 1, "strides", "1,1", "pads_begin", "0,0",
        "pads_end", "0,0", "dilations", "1,1", "auto_pad", "same_upper", NULL);
  net_result (net, "out", "y");
  net_settle (net);
  return net;
}

/* Least nanoseconds of the operation, and its kernel. */
static double
time_case (const Case *c, InferRuntime *runtime, const char **kernel)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) model = make_model (c);
  g_autoptr (InferExecutable) executable =
      infer_executable_new (model, runtime, &error);
  g_autoptr (InferRequest) request = NULL;
  double least = G_MAXDOUBLE;

  if (executable != NULL)
    request = infer_request_new (executable, &error);
  for (guint i = 0; request != NULL && i < N_RUNS; i++) {
    if (!infer_request_infer (request, &error))
      break;
    g_autoptr (GArray) timings = infer_request_get_op_timings (request);
    double ns = 0;

    for (guint t = 0; t < timings->len; t++) {
      const InferOpTiming *timing = &g_array_index (timings, InferOpTiming, t);

      ns += (double) timing->ns;
      if (timing->ns > 0)
        *kernel = timing->kernel;
    }
    least = MIN (least, ns);
  }
  if (error != NULL)
    g_error ("%s", error->message);
  return least;
}

/* Multiply-adds per element of the output. */
static double
work_of_each (const Case *c)
{
  if (c->rank == 0)
    return 0.5;
  if (c->rank == 2)
    return (double) c->weights[0];
  return (double) product (c->weights + c->rank - 3, 3);
}

static void
show_case (const Case *c, InferRuntime *runtime, double flops, double bandwidth)
{
  const gboolean product_of_two = strcmp (c->type, "MatMul") == 0;
  const gint64 weights = c->rank > 0 ? product (c->weights, c->rank) : 0;
  const gint64 in = product (c->in, 4);
  const gint64 out = product_of_two ? c->in[2] * c->weights[1]
                     : c->rank == 4 ? c->weights[0] * c->in[2] * c->in[3]
                                    : in;
  const double each = work_of_each (c);
  const double work = 2 * (double) out * each;
  const double bytes = 4 * (double) (in + out + weights);
  const char *kernel = "-";

  if (work / flops > 1e9 * LONGEST)
    return;
  const double ns = time_case (c, runtime, &kernel);
  g_autofree char *text = g_strdup_printf (
      "%s %dx%dx%d", c->type, (int) c->in[1], (int) c->in[2], (int) c->in[3]);

  printf ("%-28s %-14s %10.1f %9.1f %6.1f %8.1f %6.1f\n", text, kernel,
      ns / 1000, work / ns, 100 * work / ns / flops, bytes / ns,
      100 * bytes / ns / bandwidth);
}

int
main (int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : "OPENCL";
  g_autoptr (GError) error = NULL;
  g_autoptr (InferRuntime) runtime =
      infer_runtime_new (name, "PERF_COUNT=YES", &error);
  double flops, bandwidth;
  guint index;

  if (runtime == NULL) {
    g_printerr ("opencl: %s\n", error->message);
    return 1;
  }
  if (strcmp (infer_backend_find (name, &index, NULL)->name, "OPENCL") != 0) {
    g_printerr ("opencl: %s is no OpenCL device\n", name);
    return 2;
  }
  const OclDevice *device = ocl_device_get (index);
  measure_best (device, &flops, &bandwidth);
  printf ("%s: %.1f GFLOP/s, %.1f GB/s, inputs and outputs: %s%s\n",
      device->name, flops, bandwidth, ocl_host_kind_name (device->host),
      device->unified ? ", in place" : "");
  printf ("%-28s %-14s %10s %9s %6s %8s %6s\n", "operation", "kernel",
      "least us", "GFLOP/s", "%", "GB/s", "%");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    show_case (&cases[i], runtime, flops, bandwidth);
  return 0;
}
