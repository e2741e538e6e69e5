/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/base/scope.h"

#include "cpu/base/memory.h"
#include "inference/base/tensor.h"

#include <string.h>

struct _CpuPack
{
  const char *kind;
  guint n_params;
  gint64 params[CPU_MAX_PACK_PARAMS];
  InferTensor *constant; /* its source */
  guint hash;
  gpointer data;
  gsize bytes;
  GBytes *cached; /* nullable: owns data */
  guint refs;
};

struct _CpuScope
{
  InferConfig config;
  CpuIsa isa;
  CpuKernels kernels;
  gsize most_grain;
  GMutex lock;
  GHashTable *packs; /* set of CpuPack, under lock */
  gsize packed_bytes;
  GHashTable *choices; /* key → name, "" for none, under lock */
  GPtrArray *teams;    /* idle ones, under lock */
  CpuArenas arenas;
  CpuRates rates;      /* under lock until they are there */
  InferTensor *hashed; /* the constant looked up last, and its hash */
  InferHash hash;
};

/* Packing less than this is faster than opening a file. */
#define LEAST_CACHED ((gsize) 16 << 10)

static guint
pack_hash (gconstpointer key)
{
  return ((const CpuPack *) key)->hash;
}

static gboolean
pack_equal (gconstpointer pa, gconstpointer pb)
{
  const CpuPack *a = pa, *b = pb;
  const InferTensor *ta = a->constant, *tb = b->constant;

  return strcmp (a->kind, b->kind) == 0 && a->n_params == b->n_params
         && memcmp (a->params, b->params, a->n_params * sizeof *a->params) == 0
         && ta->type == tb->type && infer_shape_equal (&ta->shape, &tb->shape)
         && (ta->data == tb->data
             || memcmp (ta->data, tb->data, ta->size) == 0);
}

static void
pack_free (CpuPack *pack)
{
  if (pack->cached != NULL)
    g_bytes_unref (pack->cached);
  else
    cpu_free (pack->data);
  infer_tensor_unref (pack->constant);
  g_free (pack);
}

static gsize
read_most_grain (void)
{
  const char *text = g_getenv ("INFER_CPU_GRAIN");
  guint64 grain = text != NULL ? g_ascii_strtoull (text, NULL, 10) : 0;

  return grain > 0 ? (gsize) grain : G_MAXSIZE;
}

CpuScope *
cpu_scope_new (const InferConfig *config)
{
  CpuScope *scope = g_new0 (CpuScope, 1);

  scope->config = *config;
  scope->isa = cpu_isa_detect ();
  cpu_kernels_init (&scope->kernels, scope->isa);
  scope->most_grain = read_most_grain ();
  g_mutex_init (&scope->lock);
  scope->packs = g_hash_table_new (pack_hash, pack_equal);
  scope->choices =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  scope->teams =
      g_ptr_array_new_with_free_func ((GDestroyNotify) cpu_team_free);
  cpu_arenas_init (&scope->arenas);
  return scope;
}

void
cpu_scope_free (CpuScope *scope)
{
  if (scope == NULL)
    return;
  g_assert (g_hash_table_size (scope->packs) == 0);
  g_hash_table_unref (scope->packs);
  g_hash_table_unref (scope->choices);
  g_ptr_array_unref (scope->teams);
  cpu_arenas_clear (&scope->arenas);
  infer_tensor_unref (scope->hashed);
  g_mutex_clear (&scope->lock);
  g_free (scope);
}

const CpuKernels *
cpu_scope_kernels (const CpuScope *scope)
{
  return &scope->kernels;
}

CpuIsa
cpu_scope_isa (const CpuScope *scope)
{
  return scope->isa;
}

const CpuRates *
cpu_scope_rates (CpuScope *scope)
{
  g_mutex_lock (&scope->lock);
  if (scope->rates.f32 <= 0)
    scope->rates = cpu_rates_measure (&scope->kernels, scope->isa);
  g_mutex_unlock (&scope->lock);
  return &scope->rates;
}

guint
cpu_scope_threads (const CpuScope *scope)
{
  return scope->config.threads;
}

gsize
cpu_scope_most_grain (const CpuScope *scope)
{
  return scope->most_grain;
}

gboolean
cpu_scope_perf_count (const CpuScope *scope)
{
  return scope->config.perf_count;
}

InferDump *
cpu_scope_dump (const CpuScope *scope)
{
  return scope->config.dump;
}

InferCache *
cpu_scope_cache (const CpuScope *scope)
{
  return scope->config.cache;
}

InferPrecision
cpu_scope_precision (const CpuScope *scope)
{
  return scope->config.precision;
}

guint
cpu_scope_quantized_group (const CpuScope *scope)
{
  return scope->config.quantized_group;
}

gboolean
cpu_scope_allows (const CpuScope *scope, gsize bytes, GError **error)
{
  const gsize limit = scope->config.memory_limit;

  if (limit == 0 || bytes <= limit)
    return TRUE;
  return infer_fail (error, INFER_ERROR_NO_MEMORY,
      "%" G_GSIZE_FORMAT " bytes for values are more than MEMORY_LIMIT, which "
      "is %" G_GSIZE_FORMAT,
      bytes, limit);
}

gboolean
cpu_scope_tunes (const CpuScope *scope)
{
  return scope->config.tune;
}

/* --- choices --- */

#define MAX_CHOICE 64

static char *
read_choice (CpuScope *scope, const char *key)
{
  g_autoptr (GBytes) bytes =
      infer_cache_get (scope->config.cache, CPU_CHOICE_KIND, key);
  gsize size = 0;
  const char *name = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

  return g_strndup (name != NULL ? name : "", MIN (size, MAX_CHOICE));
}

const char *
cpu_scope_choice (CpuScope *scope, const char *key)
{
  g_mutex_lock (&scope->lock);
  char *name = g_hash_table_lookup (scope->choices, key);
  if (name == NULL) {
    name = read_choice (scope, key);
    g_hash_table_insert (scope->choices, g_strdup (key), name);
  }
  g_mutex_unlock (&scope->lock);
  return *name != '\0' ? name : NULL;
}

/* --- the cache --- */

/* Of floats of 32 bits: what is only put into another order, or looked at.
 * Reading them to find the entry, and the entry to check it, takes longer than
 * making it again; that of recurrent weights does only if they are in the
 * process's memory already. */
static gboolean
is_fast_to_make (const CpuPack *pack)
{
  static const char *const kinds[] = { CPU_PACK_CONV, CPU_PACK_GEMM,
    CPU_PACK_INTEGERS, NULL };

  return pack->constant->type == INFER_TYPE_F32
         && (g_strv_contains (kinds, pack->kind)
             || (strcmp (pack->kind, CPU_PACK_RECURRENT) == 0
                 && !((const InferTensorPrivate *) pack->constant)->mapped));
}

/* The layout of oneDNN's packs depends on its version. */
static gboolean
may_cache (const CpuScope *scope, const CpuPack *pack)
{
  return scope->config.cache != NULL && pack->constant->size >= LEAST_CACHED
         && !g_str_has_suffix (pack->kind, "onednn")
         && strcmp (pack->kind, CPU_PACK_FLOATS) != 0
         && strcmp (pack->kind, CPU_PACK_FITS_F16) != 0
         && !is_fast_to_make (pack);
}

/* One constant is often packed in several ways. */
static const InferHash *
hash_constant (CpuScope *scope, InferTensor *constant)
{
  if (scope->hashed != constant) {
    infer_tensor_unref (scope->hashed);
    scope->hashed = infer_tensor_ref (constant);
    scope->hash = infer_hash (constant->data, constant->size, NULL);
  }
  return &scope->hash;
}

static char *
cache_key (CpuScope *scope, const CpuPack *pack)
{
  const InferTensor *constant = pack->constant;
  g_autofree char *shape = infer_shape_to_string (&constant->shape);
  GString *key = g_string_new (NULL);
  char digits[33];

  infer_hash_to_string (hash_constant (scope, pack->constant), digits);
  g_string_printf (key, "%s %s %s %s %s", pack->kind, cpu_isa_name (scope->isa),
      infer_type_name (constant->type), shape, digits);
  for (guint i = 0; i < pack->n_params; i++)
    g_string_append_printf (key, " %" G_GINT64_FORMAT, pack->params[i]);
  return g_string_free (key, FALSE);
}

static void
make_or_find (CpuScope *scope, CpuPack *pack, const CpuStep *step, guint input,
    CpuPackFunc make, gpointer data)
{
  const gboolean cached = may_cache (scope, pack);
  g_autofree char *key = cached ? cache_key (scope, pack) : NULL;

  if (cached)
    pack->cached = infer_cache_get (scope->config.cache, "cpu-pack", key);
  if (pack->cached != NULL) {
    pack->data =
        (gpointer) (gsize) g_bytes_get_data (pack->cached, &pack->bytes);
    return;
  }
  infer_tensor_fetch (pack->constant);
  pack->data = make (step, input, data, &pack->bytes);
  /* Gives the pages of the constant back.  A small pack, such as a flag, does
   * not replace the constant: another pack will read it. */
  if (pack->bytes >= pack->constant->size / 16)
    infer_tensor_forget (pack->constant);
  if (!cached || pack->data == NULL || pack->bytes == 0)
    return;
  g_autoptr (GBytes) bytes = g_bytes_new_static (pack->data, pack->bytes);
  infer_cache_put (scope->config.cache, "cpu-pack", key, bytes);
}

/* The lock is held while packing: another executable that wants the same thing
 * waits instead of making it twice. */
CpuPack *
cpu_scope_pack (CpuScope *scope, const CpuStep *step, guint input,
    InferTensor *constant, const char *kind, guint n_params,
    const gint64 *params, CpuPackFunc make, gpointer data)
{
  CpuPack key = { .kind = kind, .n_params = n_params, .constant = constant };

  g_return_val_if_fail (n_params <= CPU_MAX_PACK_PARAMS, NULL);
  if (n_params > 0)
    memcpy (key.params, params, n_params * sizeof *params);
  key.hash = infer_tensor_hash_sample (constant); /* equality compares all */

  g_mutex_lock (&scope->lock);
  CpuPack *pack = g_hash_table_lookup (scope->packs, &key);
  if (pack != NULL) {
    pack->refs++;
  } else {
    pack = g_new (CpuPack, 1);
    *pack = key;
    pack->refs = 1;
    pack->bytes = 0;
    infer_tensor_ref (constant);
    make_or_find (scope, pack, step, input, make, data);
    if (pack->data != NULL) {
      g_hash_table_add (scope->packs, pack);
      scope->packed_bytes += pack->bytes;
    } else {
      g_clear_pointer (&pack, pack_free);
    }
  }
  g_mutex_unlock (&scope->lock);
  return pack;
}

gconstpointer
cpu_pack_data (const CpuPack *pack)
{
  return pack->data;
}

void
cpu_pack_forget (const CpuPack *pack)
{
  infer_tensor_forget (pack->constant);
}

void
cpu_pack_unref (CpuScope *scope, CpuPack *pack)
{
  g_mutex_lock (&scope->lock);
  if (--pack->refs == 0) {
    g_hash_table_remove (scope->packs, pack);
    scope->packed_bytes -= pack->bytes;
    pack_free (pack);
    if (g_hash_table_size (scope->packs) == 0)
      g_clear_pointer (&scope->hashed, infer_tensor_unref);
  }
  g_mutex_unlock (&scope->lock);
}

gsize
cpu_scope_packed_bytes (CpuScope *scope)
{
  g_mutex_lock (&scope->lock);
  gsize bytes = scope->packed_bytes;
  g_mutex_unlock (&scope->lock);
  return bytes;
}

CpuArenas *
cpu_scope_arenas (CpuScope *scope)
{
  return &scope->arenas;
}

/* Locked.  With pinning, each stream has a team of its own. */
static CpuTeam *
take_idle_team (CpuScope *scope)
{
  for (guint i = scope->teams->len; i-- > 0;)
    if (!scope->config.pinning
        || cpu_team_maker (scope->teams->pdata[i]) == g_thread_self ())
      return g_ptr_array_steal_index_fast (scope->teams, i);
  return NULL;
}

CpuTeam *
cpu_scope_take_team (CpuScope *scope)
{
  if (scope->config.threads <= 1)
    return NULL;
  g_mutex_lock (&scope->lock);
  CpuTeam *team = take_idle_team (scope);
  g_mutex_unlock (&scope->lock);
  return team != NULL ? team : cpu_team_new (scope->config.threads);
}

void
cpu_scope_give_team (CpuScope *scope, CpuTeam *team)
{
  if (team == NULL)
    return;
  g_mutex_lock (&scope->lock);
  g_ptr_array_add (scope->teams, team);
  g_mutex_unlock (&scope->lock);
}
