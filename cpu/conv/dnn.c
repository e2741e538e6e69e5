/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "cpu/conv/dnn.h"

#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>
#include <string.h>

#define MAX_ARGS 6

struct _CpuDnnConv
{
  dnnl_primitive_t primitive;
  dnnl_primitive_desc_t desc;
  dnnl_stream_t stream;
  guint n_args;
  dnnl_exec_arg_t args[MAX_ARGS];
  gsize weights_bytes, scratch_bytes;
  int ndims;
  dnnl_dims_t weights_dims;
};

/* --- what differs between 2.x and 3.x --- */

#if DNNL_VERSION_MAJOR >= 3
typedef dnnl_memory_desc_t Md;
typedef const_dnnl_memory_desc_t ConstMd;

static void
md_free (Md md)
{
  dnnl_memory_desc_destroy (md);
}

static Md
md_new (int ndims, const dnnl_dims_t dims, dnnl_format_tag_t tag)
{
  Md md = NULL;

  dnnl_memory_desc_create_with_tag (&md, ndims, dims, dnnl_f32, tag);
  return md;
}

static void
append_eltwise (
    dnnl_post_ops_t ops, dnnl_alg_kind_t kind, float alpha, float beta)
{
  dnnl_post_ops_append_eltwise (ops, kind, alpha, beta);
}
#else
typedef dnnl_memory_desc_t *Md;
typedef const dnnl_memory_desc_t *ConstMd;

static void
md_free (Md md)
{
  g_free (md);
}

static Md
md_new (int ndims, const dnnl_dims_t dims, dnnl_format_tag_t tag)
{
  Md md = g_new0 (dnnl_memory_desc_t, 1);

  dnnl_memory_desc_init_by_tag (md, ndims, dims, dnnl_f32, tag);
  return md;
}

static void
append_eltwise (
    dnnl_post_ops_t ops, dnnl_alg_kind_t kind, float alpha, float beta)
{
  dnnl_post_ops_append_eltwise (ops, 1.0f, kind, alpha, beta);
}
#endif

typedef struct
{
  Md data, weights, bias, out;
  dnnl_dims_t strides, dilates, before, after;
} Shapes;

static dnnl_status_t
create_desc (dnnl_primitive_desc_t *desc, dnnl_engine_t engine, const Shapes *s,
    dnnl_primitive_attr_t attr)
{
#if DNNL_VERSION_MAJOR >= 3
  return dnnl_convolution_forward_primitive_desc_create (desc, engine,
      dnnl_forward_inference, dnnl_convolution_direct, s->data, s->weights,
      s->bias, s->out, s->strides, s->dilates, s->before, s->after, attr);
#else
  dnnl_convolution_desc_t conv;
  dnnl_status_t status = dnnl_dilated_convolution_forward_desc_init (&conv,
      dnnl_forward_inference, dnnl_convolution_direct, s->data, s->weights,
      s->bias, s->out, s->strides, s->dilates, s->before, s->after);

  if (status != dnnl_success)
    return status;
  return dnnl_primitive_desc_create (desc, &conv, attr, engine, NULL);
#endif
}

/* --- threads --- */

typedef void (*SetThreads) (int n);
typedef int (*GetThreads) (void);

/* oneDNN brings OpenMP; these are the only two functions of it used here. */
static SetThreads set_threads;
static GetThreads get_threads;

static gboolean
find_threads (void)
{
#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_OMP
  gpointer set = dlsym (RTLD_DEFAULT, "omp_set_num_threads");
  gpointer get = dlsym (RTLD_DEFAULT, "omp_get_max_threads");

  memcpy (&set_threads, &set, sizeof set);
  memcpy (&get_threads, &get, sizeof get);
  return set != NULL && get != NULL;
#else
  /* If OpenMP cannot be limited to this thread, only a build without OpenMP is
   * used. */
  return DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_SEQ;
#endif
}

/* Returns the argument for `restore_threads`. */
static int
limit_threads (void)
{
  int before = 1;

  if (set_threads != NULL) {
    before = get_threads ();
    if (before != 1)
      set_threads (1);
  }
  return before;
}

static void
restore_threads (int before)
{
  if (before != 1)
    set_threads (before);
}

/* --- construction --- */

/* Below AVX2 oneDNN is not used, and f32 convolutions use nothing beyond
 * AVX-512. */
static void
limit_isa (void)
{
  const CpuIsa isa = cpu_isa_detect ();

  if (g_getenv ("INFER_CPU_ISA") != NULL && (isa & CPU_ISA_VNNI) == 0)
    dnnl_set_max_cpu_isa ((isa & CPU_ISA_AVX512) != 0 ? dnnl_cpu_isa_avx512_core
                          : cpu_isa_has_int8 (isa)    ? dnnl_cpu_isa_avx2_vnni
                                                      : dnnl_cpu_isa_avx2);
}

/* One engine per process, never freed; NULL: it could not be created. */
static dnnl_engine_t
the_engine (void)
{
  static gsize once;
  static dnnl_engine_t engine;

  if (g_once_init_enter (&once)) {
    limit_isa ();
    if (!find_threads ()
        || dnnl_engine_create (&engine, dnnl_cpu, 0) != dnnl_success)
      engine = NULL;
    g_once_init_leave (&once, 1);
  }
  return engine;
}

static gboolean
append_act (dnnl_post_ops_t ops, const CpuAct *act)
{
  static const struct
  {
    CpuActivation kind;
    dnnl_alg_kind_t dnnl;
  } kinds[] = {
    { CPU_ACT_RELU, dnnl_eltwise_relu },
    { CPU_ACT_LEAKY_RELU, dnnl_eltwise_relu },
    { CPU_ACT_CLAMP, dnnl_eltwise_clip_v2 },
    { CPU_ACT_SIGMOID, dnnl_eltwise_logistic },
    { CPU_ACT_TANH, dnnl_eltwise_tanh },
    { CPU_ACT_SWISH, dnnl_eltwise_swish },
    { CPU_ACT_ELU, dnnl_eltwise_elu },
    { CPU_ACT_GELU_ERF, dnnl_eltwise_gelu_erf },
    { CPU_ACT_GELU_TANH, dnnl_eltwise_gelu_tanh },
  };

  if (act->kind == CPU_ACT_NONE)
    return TRUE;
  if (act->kind == CPU_ACT_HSWISH) { /* 2.x ignores the numbers */
    append_eltwise (ops, dnnl_eltwise_hardswish, 1.0f / 6, 0.5f);
    return TRUE;
  }
  if (act->kind == CPU_ACT_HSWISH_AFFINE) {
    append_eltwise (ops, dnnl_eltwise_hardswish, 1.0f / 6, 0.5f);
    append_eltwise (ops, dnnl_eltwise_linear, act->alpha, act->beta);
    return TRUE;
  }
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    if (kinds[i].kind == act->kind) {
      append_eltwise (ops, kinds[i].dnnl,
          act->kind == CPU_ACT_RELU ? 0 : act->alpha, act->beta);
      return TRUE;
    }
  }
  return FALSE;
}

static int
append_posts (
    dnnl_post_ops_t ops, const CpuEpilogue *e, gboolean residual, ConstMd out)
{
  if (!append_act (ops, &e->act))
    return -1;
  int index = dnnl_post_ops_len (ops);
  if (!residual)
    return 0;
  if (dnnl_post_ops_append_binary (ops, dnnl_binary_add, out) != dnnl_success
      || !append_act (ops, &e->last_act))
    return -1;
  return index;
}

static void
fill_shapes (Shapes *s, const CpuConvGeometry *g, gboolean bias, int *ndims,
    dnnl_dims_t weights_dims)
{
  int first = g->in[0] == 1 && g->k[0] == 1 && g->out[0] == 1 ? 1 : 0;
  int n = 5 - first;
  dnnl_dims_t data = { (dnnl_dim_t) g->batch, (dnnl_dim_t) g->ic };
  dnnl_dims_t out = { (dnnl_dim_t) g->batch, (dnnl_dim_t) g->oc };
  dnnl_dims_t weights = { (dnnl_dim_t) g->oc, (dnnl_dim_t) g->ic };
  dnnl_dims_t biases = { (dnnl_dim_t) g->oc };
  dnnl_format_tag_t tag = n == 5 ? dnnl_ndhwc : dnnl_nhwc;

  for (int d = first; d < 3; d++) {
    int i = d - first;
    gint64 reach = ((gint64) g->out[d] - 1) * g->stride[d]
                   + ((gint64) g->k[d] - 1) * g->dilation[d] + 1;

    data[2 + i] = (dnnl_dim_t) g->in[d];
    out[2 + i] = (dnnl_dim_t) g->out[d];
    weights[2 + i] = (dnnl_dim_t) g->k[d];
    s->strides[i] = g->stride[d];
    s->dilates[i] = g->dilation[d] - 1;
    s->before[i] = g->pad[d];
    s->after[i] = reach - (gint64) g->in[d] - g->pad[d];
  }
  *ndims = n;
  memcpy (weights_dims, weights, sizeof weights);
  s->data = md_new (n, data, tag);
  s->weights = md_new (n, weights, dnnl_format_tag_any);
  s->bias = bias ? md_new (1, biases, dnnl_a) : NULL;
  s->out = md_new (n, out, tag);
}

static gboolean
add_arg (CpuDnnConv *conv, dnnl_engine_t engine, int arg, ConstMd md)
{
  dnnl_exec_arg_t *to = &conv->args[conv->n_args];

  if (dnnl_memory_create (&to->memory, md, engine, DNNL_MEMORY_NONE)
      != dnnl_success)
    return FALSE;
  to->arg = arg;
  conv->n_args++;
  return TRUE;
}

static ConstMd
query (const CpuDnnConv *conv, dnnl_query_t what)
{
  return dnnl_primitive_desc_query_md (conv->desc, what, 0);
}

static gboolean
create_memories (
    CpuDnnConv *conv, dnnl_engine_t engine, const Shapes *s, int residual)
{
  ConstMd weights = query (conv, dnnl_query_weights_md);
  ConstMd scratch = query (conv, dnnl_query_scratchpad_md);

  conv->weights_bytes = dnnl_memory_desc_get_size (weights);
  conv->scratch_bytes = dnnl_memory_desc_get_size (scratch);
  return add_arg (conv, engine, DNNL_ARG_WEIGHTS, weights)
         && add_arg (conv, engine, DNNL_ARG_SRC, s->data)
         && add_arg (conv, engine, DNNL_ARG_DST, s->out)
         && add_arg (conv, engine, DNNL_ARG_SCRATCHPAD, scratch)
         && (s->bias == NULL || add_arg (conv, engine, DNNL_ARG_BIAS, s->bias))
         && (residual < 0
             || add_arg (conv, engine,
                 DNNL_ARG_ATTR_MULTIPLE_POST_OP (residual) | DNNL_ARG_SRC_1,
                 s->out));
}

static gboolean
create (CpuDnnConv *conv, dnnl_engine_t engine, const Shapes *s,
    const CpuEpilogue *e, gboolean residual)
{
  dnnl_primitive_attr_t attr = NULL;
  dnnl_post_ops_t ops = NULL;
  gboolean ok = dnnl_primitive_attr_create (&attr) == dnnl_success
                && dnnl_post_ops_create (&ops) == dnnl_success;
  int index = ok ? append_posts (ops, e, residual, s->out) : -1;
  const char *info = NULL;

  ok = ok && index >= 0
       && dnnl_primitive_attr_set_scratchpad_mode (
              attr, dnnl_scratchpad_mode_user)
              == dnnl_success
       && dnnl_primitive_attr_set_post_ops (attr, ops) == dnnl_success
       && create_desc (&conv->desc, engine, s, attr) == dnnl_success
       && dnnl_primitive_desc_query (
              conv->desc, dnnl_query_impl_info_str, 0, &info)
              == dnnl_success
       && strstr (info, "ref") == NULL
       && dnnl_primitive_create (&conv->primitive, conv->desc) == dnnl_success
       && dnnl_stream_create (&conv->stream, engine, dnnl_stream_default_flags)
              == dnnl_success
       && create_memories (conv, engine, s, residual ? index : -1);
  dnnl_post_ops_destroy (ops);
  dnnl_primitive_attr_destroy (attr);
  return ok;
}

CpuDnnConv *
cpu_dnn_conv_new (
    const CpuConvGeometry *g, const CpuEpilogue *epilogue, gboolean residual)
{
  dnnl_engine_t engine = the_engine ();
  Shapes s = { 0 };

  if (engine == NULL || g->transposed || g->groups != 1
      || epilogue->scale != NULL)
    return NULL;
  CpuDnnConv *conv = g_new0 (CpuDnnConv, 1);
  fill_shapes (&s, g, epilogue->bias != NULL, &conv->ndims, conv->weights_dims);
  int before = limit_threads ();
  gboolean ok = create (conv, engine, &s, epilogue, residual);
  restore_threads (before);
  md_free (s.data);
  md_free (s.weights);
  if (s.bias)
    md_free (s.bias);
  md_free (s.out);
  if (!ok)
    g_clear_pointer (&conv, cpu_dnn_conv_free);
  return conv;
}

void
cpu_dnn_conv_free (CpuDnnConv *conv)
{
  if (conv == NULL)
    return;
  for (guint i = 0; i < conv->n_args; i++)
    dnnl_memory_destroy (conv->args[i].memory);
  dnnl_primitive_destroy (conv->primitive);
  dnnl_primitive_desc_destroy (conv->desc);
  dnnl_stream_destroy (conv->stream);
  g_free (conv);
}

gsize
cpu_dnn_conv_weights_bytes (const CpuDnnConv *conv)
{
  return conv->weights_bytes;
}

gsize
cpu_dnn_conv_scratch_bytes (const CpuDnnConv *conv)
{
  return conv->scratch_bytes;
}

/* --- weights --- */

static gboolean
reorder (CpuDnnConv *conv, dnnl_engine_t engine, ConstMd from, gpointer src,
    ConstMd to, gpointer dst)
{
  dnnl_primitive_desc_t desc = NULL;
  dnnl_primitive_t primitive = NULL;
  dnnl_exec_arg_t args[2] = { { .arg = DNNL_ARG_FROM },
    { .arg = DNNL_ARG_TO } };
  gboolean ok =
      dnnl_memory_create (&args[0].memory, from, engine, src) == dnnl_success
      && dnnl_memory_create (&args[1].memory, to, engine, dst) == dnnl_success
      && dnnl_reorder_primitive_desc_create (
             &desc, from, engine, to, engine, NULL)
             == dnnl_success
      && dnnl_primitive_create (&primitive, desc) == dnnl_success
      && dnnl_primitive_execute (primitive, conv->stream, 2, args)
             == dnnl_success
      && dnnl_stream_wait (conv->stream) == dnnl_success;

  dnnl_primitive_destroy (primitive);
  dnnl_primitive_desc_destroy (desc);
  dnnl_memory_destroy (args[0].memory);
  dnnl_memory_destroy (args[1].memory);
  return ok;
}

gboolean
cpu_dnn_conv_pack (CpuDnnConv *conv, const float *filters, gpointer packed)
{
  Md plain = md_new (conv->ndims, conv->weights_dims,
      conv->ndims == 5 ? dnnl_abcde : dnnl_abcd);
  int before = limit_threads ();
  gpointer from;

  memcpy (&from, &filters, sizeof from); /* not written to */
  gboolean ok = reorder (conv, the_engine (), plain, from,
      query (conv, dnnl_query_weights_md), packed);
  restore_threads (before);
  md_free (plain);
  return ok;
}

/* --- running */

static gboolean
set_handle (dnnl_memory_t memory, gconstpointer data)
{
  gpointer handle;

  memcpy (&handle, &data, sizeof handle); /* inputs are not written to */
  return dnnl_memory_set_data_handle (memory, handle) == dnnl_success;
}

gboolean
cpu_dnn_conv_set_weights (CpuDnnConv *conv, gconstpointer packed)
{
  return set_handle (conv->args[0].memory, packed);
}

gboolean
cpu_dnn_conv_run (CpuDnnConv *conv, const float *data, const float *bias,
    const float *residual, float *out, gpointer scratch)
{
  gconstpointer handles[MAX_ARGS] = { NULL, data, out, scratch, bias };
  gboolean ok = TRUE;

  if (bias == NULL)
    handles[4] = residual;
  else
    handles[5] = residual;
  for (guint i = 1; i < conv->n_args; i++)
    ok = ok && set_handle (conv->args[i].memory, handles[i]);
  int before = limit_threads ();
  ok = ok
       && dnnl_primitive_execute (
              conv->primitive, conv->stream, (int) conv->n_args, conv->args)
              == dnnl_success
       && dnnl_stream_wait (conv->stream) == dnnl_success;
  restore_threads (before);
  return ok;
}
