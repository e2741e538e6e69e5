/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "bench/steps/dnn.h"

#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>
#include <string.h>

#include "cpu/kernels/isa.h"

enum
{
  DATA,
  WEIGHTS,
  OUT,
  BIAS,
  MOST_ARGS
};

struct _BenchDnn
{
  dnnl_primitive_desc_t desc;
  dnnl_primitive_t primitive;
  guint n_args;
  dnnl_exec_arg_t args[MOST_ARGS];
  gsize data_bytes, out_bytes;
  gpointer weights, bias;
};

static dnnl_engine_t engine;
static dnnl_stream_t stream;

/* --- what differs between 2.x and 3.x --- */

#if DNNL_VERSION_MAJOR >= 3
typedef dnnl_memory_desc_t Md;
typedef const_dnnl_memory_desc_t ConstMd;

static void
md_free (Md md)
{
  if (md != NULL)
    dnnl_memory_desc_destroy (md);
}

static Md
md_with_tag (
    int n, const dnnl_dims_t dims, dnnl_data_type_t type, dnnl_format_tag_t tag)
{
  Md md = NULL;

  dnnl_memory_desc_create_with_tag (&md, n, dims, type, tag);
  return md;
}

static Md
md_with_strides (int n, const dnnl_dims_t dims, dnnl_data_type_t type,
    const dnnl_dims_t strides)
{
  Md md = NULL;

  dnnl_memory_desc_create_with_strides (&md, n, dims, type, strides);
  return md;
}

#define APPEND_SUM(ops, type) dnnl_post_ops_append_sum (ops, 1.0f, 0, type)
#define APPEND_ELTWISE(ops, kind, alpha, beta)                                 \
  dnnl_post_ops_append_eltwise (ops, kind, alpha, beta)
#else
typedef dnnl_memory_desc_t *Md;
typedef const dnnl_memory_desc_t *ConstMd;

static void
md_free (Md md)
{
  g_free (md);
}

static Md
md_with_tag (
    int n, const dnnl_dims_t dims, dnnl_data_type_t type, dnnl_format_tag_t tag)
{
  Md md = g_new0 (dnnl_memory_desc_t, 1);

  dnnl_memory_desc_init_by_tag (md, n, dims, type, tag);
  return md;
}

static Md
md_with_strides (int n, const dnnl_dims_t dims, dnnl_data_type_t type,
    const dnnl_dims_t strides)
{
  Md md = g_new0 (dnnl_memory_desc_t, 1);

  dnnl_memory_desc_init_by_strides (md, n, dims, type, strides);
  return md;
}

#define APPEND_SUM(ops, type) dnnl_post_ops_append_sum (ops, 1.0f)
#define APPEND_ELTWISE(ops, kind, alpha, beta)                                 \
  dnnl_post_ops_append_eltwise (ops, 1.0f, kind, alpha, beta)
#endif

typedef struct
{
  Md data, weights, bias, out;
} Operands;

#if DNNL_VERSION_MAJOR >= 3
static dnnl_status_t
create_desc (dnnl_primitive_desc_t *desc, const BenchProduct *p,
    const Operands *o, const dnnl_dims_t dilations, dnnl_primitive_attr_t attr)
{
  switch (p->kind) {
    case BENCH_CONVOLUTION:
      return dnnl_convolution_forward_primitive_desc_create (desc, engine,
          dnnl_forward_inference, dnnl_convolution_auto, o->data, o->weights,
          o->bias, o->out, p->strides, dilations, p->before, p->after, attr);
    case BENCH_INNER_PRODUCT:
      return dnnl_inner_product_forward_primitive_desc_create (desc, engine,
          dnnl_forward_inference, o->data, o->weights, o->bias, o->out, attr);
    default:
      return dnnl_matmul_primitive_desc_create (
          desc, engine, o->data, o->weights, o->bias, o->out, attr);
  }
}
#else
static dnnl_status_t
create_desc (dnnl_primitive_desc_t *desc, const BenchProduct *p,
    const Operands *o, const dnnl_dims_t dilations, dnnl_primitive_attr_t attr)
{
  union
  {
    dnnl_convolution_desc_t convolution;
    dnnl_inner_product_desc_t inner;
    dnnl_matmul_desc_t matmul;
  } d;
  dnnl_status_t status;

  if (p->kind == BENCH_CONVOLUTION)
    status = dnnl_dilated_convolution_forward_desc_init (&d.convolution,
        dnnl_forward_inference, dnnl_convolution_auto, o->data, o->weights,
        o->bias, o->out, p->strides, dilations, p->before, p->after);
  else if (p->kind == BENCH_INNER_PRODUCT)
    status = dnnl_inner_product_forward_desc_init (
        &d.inner, dnnl_forward_inference, o->data, o->weights, o->bias, o->out);
  else
    status =
        dnnl_matmul_desc_init (&d.matmul, o->data, o->weights, o->bias, o->out);
  return status != dnnl_success
             ? status
             : dnnl_primitive_desc_create (desc, &d, attr, engine, NULL);
}
#endif

/* --- the process --- */

typedef void (*SetThreads) (int n);

void
bench_dnn_begin (void)
{
  const CpuIsa isa = cpu_isa_detect ();
  gpointer found = dlsym (RTLD_DEFAULT, "omp_set_num_threads");
  SetThreads set_threads;

  if (g_getenv ("INFER_CPU_ISA") != NULL && (isa & CPU_ISA_VNNI) == 0)
    dnnl_set_max_cpu_isa ((isa & CPU_ISA_AVX512) != 0 ? dnnl_cpu_isa_avx512_core
                          : cpu_isa_has_int8 (isa)    ? dnnl_cpu_isa_avx2_vnni
                          : (isa & CPU_ISA_AVX2) != 0 ? dnnl_cpu_isa_avx2
                                                      : dnnl_cpu_isa_sse41);
  memcpy (&set_threads, &found, sizeof set_threads);
  if (found != NULL)
    set_threads (1);
  if (dnnl_engine_create (&engine, dnnl_cpu, 0) != dnnl_success
      || dnnl_stream_create (&stream, engine, dnnl_stream_default_flags)
             != dnnl_success)
    g_error ("oneDNN has no engine");
}

/* --- one product --- */

static void
append_act (dnnl_post_ops_t ops, BenchAct act)
{
  static const struct
  {
    dnnl_alg_kind_t kind;
    float alpha, beta;
  } kinds[] = {
    [BENCH_RELU] = { dnnl_eltwise_relu, 0, 0 },
    [BENCH_CLAMP] = { dnnl_eltwise_clip, 0, 6 },
    [BENCH_SIGMOID] = { dnnl_eltwise_logistic, 0, 0 },
    [BENCH_TANH] = { dnnl_eltwise_tanh, 0, 0 },
    [BENCH_HSWISH] = { dnnl_eltwise_hardswish, 1.0f / 6, 0.5f },
    [BENCH_SWISH] = { dnnl_eltwise_swish, 1, 0 },
    [BENCH_ELU] = { dnnl_eltwise_elu, 1, 0 },
    [BENCH_GELU] = { dnnl_eltwise_gelu_erf, 0, 0 },
  };

  if (act != BENCH_NO_ACT)
    APPEND_ELTWISE (ops, kinds[act].kind, kinds[act].alpha, kinds[act].beta);
}

/* @dims in memory order but for the last two, which may be exchanged. */
static Md
matrix_md (
    const gint64 *dims, guint n, dnnl_data_type_t type, gboolean transposed)
{
  dnnl_dims_t strides;
  gint64 step = dims[n - 1] * dims[n - 2];

  for (guint i = n - 2; i-- > 0;) {
    strides[i] = step;
    step *= dims[i];
  }
  strides[n - 2] = transposed ? 1 : dims[n - 1];
  strides[n - 1] = transposed ? dims[n - 2] : 1;
  return md_with_strides ((int) n, dims, type, strides);
}

static void
make_operands (Operands *o, const BenchProduct *p, dnnl_data_type_t type)
{
  const int n = (int) p->data_dims, w = (int) p->weights_dims;
  dnnl_dims_t bias = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };

  if (p->kind == BENCH_MATMUL) {
    bias[n - 1] = p->out[n - 1];
    o->data = matrix_md (p->data, p->data_dims, type, p->transposed_a);
    o->weights = matrix_md (p->weights, p->weights_dims, type, p->transposed_b);
    o->out = matrix_md (p->out, p->data_dims, type, FALSE);
    o->bias = p->bias ? matrix_md (bias, p->data_dims, dnnl_f32, FALSE) : NULL;
    return;
  }
  const dnnl_format_tag_t plain =
      p->kind == BENCH_INNER_PRODUCT ? dnnl_ab : dnnl_format_tag_any;
  bias[0] = p->out[1];
  o->data = md_with_tag (n, p->data, type, plain);
  o->weights = md_with_tag (w, p->weights, type, dnnl_format_tag_any);
  o->out = md_with_tag (n, p->out, type, plain);
  o->bias = p->bias ? md_with_tag (1, bias, dnnl_f32, dnnl_a) : NULL;
}

static gboolean
make_desc (BenchDnn *dnn, const BenchProduct *p, dnnl_data_type_t type)
{
  dnnl_primitive_attr_t attr = NULL;
  dnnl_post_ops_t ops = NULL;
  dnnl_dims_t dilations = { 0 };
  Operands o;
  gboolean ok;

  for (guint i = 0; i < 3; i++)
    dilations[i] = MAX (p->dilations[i], 1) - 1;
  make_operands (&o, p, type);
  dnnl_primitive_attr_create (&attr);
  dnnl_post_ops_create (&ops);
  if (p->residual)
    APPEND_SUM (ops, type);
  append_act (ops, p->act);
  dnnl_primitive_attr_set_post_ops (attr, ops);
  ok = create_desc (&dnn->desc, p, &o, dilations, attr) == dnnl_success
       || create_desc (&dnn->desc, p, &o, dilations, NULL) == dnnl_success;
  dnnl_post_ops_destroy (ops);
  dnnl_primitive_attr_destroy (attr);
  md_free (o.data);
  md_free (o.weights);
  md_free (o.bias);
  md_free (o.out);
  return ok;
}

static gsize
bytes_of (const BenchDnn *dnn, dnnl_query_t what)
{
  return dnnl_memory_desc_get_size (
      dnnl_primitive_desc_query_md (dnn->desc, what, 0));
}

static gboolean
add_arg (BenchDnn *dnn, int arg, ConstMd md, gpointer data)
{
  dnnl_exec_arg_t *to = &dnn->args[dnn->n_args];

  if (dnnl_memory_create (&to->memory, md, engine, data) != dnnl_success)
    return FALSE;
  to->arg = arg;
  dnn->n_args++;
  return TRUE;
}

/* Small numbers of the type: what they are does not matter, as long as results
 * are neither denormal nor infinite. */
static gpointer
make_weights (gsize bytes, gboolean bf16)
{
  const gsize size = (bytes + 63) / 64 * 64;
  gpointer memory = g_aligned_alloc (1, size, 64);

  for (gsize i = 0; i < size / sizeof (float) && !bf16; i++)
    ((float *) memory)[i] = ((float) (i * 7 % 17) - 8) / 256;
  for (gsize i = 0; i < size / sizeof (guint16) && bf16; i++)
    ((guint16 *) memory)[i] = (guint16) (0x3c00 | (i * 7 % 17) | (i % 2) << 15);
  return memory;
}

static gboolean
make_primitive (BenchDnn *dnn, const BenchProduct *p, gboolean bf16)
{
  dnnl_query_t weights = dnnl_query_weights_md;

  dnn->data_bytes = bytes_of (dnn, dnnl_query_src_md);
  dnn->out_bytes = bytes_of (dnn, dnnl_query_dst_md);
  dnn->weights = make_weights (bytes_of (dnn, weights), bf16);
  dnn->bias = make_weights (
      (gsize) p->out[p->kind == BENCH_MATMUL ? p->data_dims - 1 : 1]
          * sizeof (float),
      FALSE);
  return dnnl_primitive_create (&dnn->primitive, dnn->desc) == dnnl_success
         && add_arg (dnn, DNNL_ARG_SRC,
             dnnl_primitive_desc_query_md (dnn->desc, dnnl_query_src_md, 0),
             DNNL_MEMORY_NONE)
         && add_arg (dnn, DNNL_ARG_WEIGHTS,
             dnnl_primitive_desc_query_md (dnn->desc, weights, 0), dnn->weights)
         && add_arg (dnn, DNNL_ARG_DST,
             dnnl_primitive_desc_query_md (dnn->desc, dnnl_query_dst_md, 0),
             DNNL_MEMORY_NONE)
         && (!p->bias
             || add_arg (dnn, DNNL_ARG_BIAS,
                 dnnl_primitive_desc_query_md (dnn->desc, weights, 1),
                 dnn->bias));
}

BenchDnn *
bench_dnn_new (const BenchProduct *product, gboolean bf16)
{
  BenchDnn *dnn = g_new0 (BenchDnn, 1);

  if (make_desc (dnn, product, bf16 ? dnnl_bf16 : dnnl_f32)
      && make_primitive (dnn, product, bf16))
    return dnn;
  bench_dnn_free (dnn);
  return NULL;
}

void
bench_dnn_free (BenchDnn *dnn)
{
  if (dnn == NULL)
    return;
  for (guint i = 0; i < dnn->n_args; i++)
    dnnl_memory_destroy (dnn->args[i].memory);
  dnnl_primitive_destroy (dnn->primitive);
  dnnl_primitive_desc_destroy (dnn->desc);
  g_aligned_free (dnn->weights);
  g_aligned_free (dnn->bias);
  g_free (dnn);
}

gsize
bench_dnn_data_bytes (const BenchDnn *dnn)
{
  return dnn->data_bytes;
}

gsize
bench_dnn_out_bytes (const BenchDnn *dnn)
{
  return dnn->out_bytes;
}

const char *
bench_dnn_kernel (const BenchDnn *dnn)
{
  const char *info = NULL;

  return dnnl_primitive_desc_query (dnn->desc, dnnl_query_impl_info_str, 0,
             &info) == dnnl_success
                 && info != NULL
             ? info
             : "-";
}

gboolean
bench_dnn_bind (BenchDnn *dnn, gpointer data, gpointer out)
{
  return dnnl_memory_set_data_handle (dnn->args[DATA].memory, data)
             == dnnl_success
         && dnnl_memory_set_data_handle (dnn->args[OUT].memory, out)
                == dnnl_success;
}

gboolean
bench_dnn_run (BenchDnn *dnn)
{
  return dnnl_primitive_execute (
             dnn->primitive, stream, (int) dnn->n_args, dnn->args)
             == dnnl_success
         && dnnl_stream_wait (stream) == dnnl_success;
}
