/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/features/features.h"

#include <math.h>
#include <string.h>

#include "inference/media/features/kind.h"

#define MAX_WIDTH 4096
#define DEFAULT_RATE 16000
#define ZEROS 256 /* at a time */

/* Sample numbers are those of the utterance: the stream, or a block of it. */
struct _InferFeatures
{
  const InferFeaturesKind *kind;
  InferFeaturesConfig config;
  InferFeaturesTables tables;
  double *samples; /* [window], scratch */
  guint lead;

  float *data; /* [capacity]: samples from number `first` on */
  gsize capacity;
  guint64 first, n; /* n: samples of the utterance so far */
  guint64 next;     /* frame */
  gboolean ended;
  guint64 total; /* with ended: frames */
};

/* --- kinds --- */

const InferFeaturesKind *
infer_features_kind (int number)
{
  switch (number) {
#define FEATURES(id, value)                                                    \
  case value:                                                                  \
    return &infer_features_##id;
#include "inference/media/features/kind-list.h"
#undef FEATURES
    default:
      return NULL;
  }
}

const char *
infer_features_kind_name (const InferFeaturesKind *kind)
{
  return kind->name;
}

const char *
infer_features_kind_description (const InferFeaturesKind *kind)
{
  return kind->description;
}

/* --- config --- */

InferFeaturesConfig
infer_features_unset (void)
{
  return (InferFeaturesConfig){
    .fmin = -1,
    .fmax = -1,
    .floor = -1,
    .preemphasis = -1,
    .scale = -1,
    .energy_floor = -1,
    .snip_edges = TRUE,
    .use_energy = TRUE,
  };
}

static void
fill_number (guint *number, double value)
{
  if (*number == 0)
    *number = (guint) (value + 0.5);
}

static void
fill_real (double *real, double value)
{
  if (*real < 0)
    *real = value;
}

void
infer_features_fill (const InferFeaturesKind *kind, InferFeaturesConfig *c)
{
  const InferFeaturesConfig *d = &kind->defaults;

  fill_number (&c->sample_rate, d->sample_rate);
  double scale = (double) c->sample_rate / DEFAULT_RATE;
  fill_number (&c->window, d->window * scale);
  fill_number (&c->hop, d->hop * scale);
  fill_number (&c->fft, d->fft > 0 ? c->window : 0);
  if (c->fft == 0)
    for (c->fft = 16; c->fft < c->window && c->fft < 65536;)
      c->fft *= 2;
  fill_number (&c->bands, d->bands);
  fill_number (&c->coefficients, d->coefficients);
  fill_number (&c->block, d->block);
  fill_real (&c->fmin, d->fmin);
  double nyquist = 0.5 * c->sample_rate;
  fill_real (&c->fmax, d->fmax > 0 ? MIN (d->fmax, nyquist) : nyquist);
  fill_real (&c->floor, d->floor);
  fill_real (&c->preemphasis, d->preemphasis);
  fill_real (&c->scale, d->scale);
  fill_real (&c->energy_floor, d->energy_floor);
}

static gboolean
check_frames (const InferFeaturesConfig *c, GError **error)
{
  gboolean power_of_two = (c->fft & (c->fft - 1)) == 0;

  if (c->fft < 16 || c->fft > 65536 || (!power_of_two && c->fft != c->window))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "features: an FFT of %u points is neither a power of two from 16 to "
        "65536 nor the window (%u)",
        c->fft, c->window);
  if (c->hop == 0 || c->hop > c->window || c->window > c->fft)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "features: needs 1 ≤ hop (%u) ≤ window (%u) ≤ FFT points (%u)", c->hop,
        c->window, c->fft);
  return TRUE;
}

static gboolean
check_config (const InferFeaturesConfig *c, GError **error)
{
  if (c->sample_rate == 0 || c->bands == 0 || c->bands > MAX_WIDTH)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "features: needs a sample rate (%u Hz) above 0 and 1 to 4096 bands (%u)",
        c->sample_rate, c->bands);
  if (c->coefficients > c->bands)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "features: %u coefficients of only %u bands", c->coefficients,
        c->bands);
  if (!check_frames (c, error))
    return FALSE;
  if (!(c->fmin >= 0) || !(c->fmin < c->fmax)
      || !(c->fmax <= 0.5 * c->sample_rate))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "features: needs 0 ≤ lowest (%g Hz) < highest (%g Hz) ≤ %g Hz", c->fmin,
        c->fmax, 0.5 * c->sample_rate);
  if (!(c->floor > 0) || !isfinite (c->floor))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "features: the floor %g is not above 0", c->floor);
  if (!(c->scale > 0) || !isfinite (c->scale))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "features: samples cannot be multiplied by %g", c->scale);
  return TRUE;
}

/* --- new and free --- */

InferFeatures *
infer_features_new (const InferFeaturesKind *kind,
    const InferFeaturesConfig *config, GError **error)
{
  if (!check_config (config, error))
    return NULL;
  if (config->block == 0 && kind->count == NULL) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "features: %s needs the frames of an utterance", kind->name);
    return NULL;
  }

  g_autoptr (InferFeatures) f = g_new0 (InferFeatures, 1);
  f->kind = kind;
  f->config = *config;
  f->lead = kind->lead (config);
  f->capacity = 4 * (gsize) config->window;
  f->data = g_try_new (float, f->capacity);
  f->samples = g_try_new (double, config->window);
  f->tables.spectrum = infer_spectrum_new (config->fft);
  f->tables.energies = g_try_new (double, config->bands);
  if (f->data != NULL && f->samples != NULL && f->tables.spectrum != NULL
      && f->tables.energies != NULL
      && (kind->prepare == NULL || kind->prepare (config, &f->tables)))
    return g_steal_pointer (&f);
  infer_fail (error, INFER_ERROR_NO_MEMORY,
      "features: no memory for an FFT of %u points and %u bands", config->fft,
      config->bands);
  return NULL;
}

void
infer_features_free (InferFeatures *f)
{
  if (f == NULL)
    return;
  g_free (f->tables.window);
  infer_spectrum_free (f->tables.spectrum);
  infer_mel_bank_free (f->tables.bank);
  g_free (f->tables.energies);
  g_free (f->tables.matrix);
  g_free (f->samples);
  g_free (f->data);
  g_free (f);
}

guint
infer_features_width (const InferFeatures *f)
{
  return f->kind->width (&f->config);
}

gboolean
infer_features_bands_first (const InferFeatures *f)
{
  return f->kind->bands_first;
}

guint64
infer_features_delay (
    const InferFeaturesKind *kind, const InferFeaturesConfig *c, guint frames)
{
  return c->block > 0
             ? (guint64) c->block * c->hop
             : (guint64) (frames - 1) * c->hop + c->window - kind->lead (c);
}

/* --- samples --- */

void
infer_features_reset (InferFeatures *f)
{
  f->first = f->n = f->next = f->total = 0;
  f->ended = FALSE;
}

/* The number of the sample that stands for number @i. */
static gint64
fold (const InferFeatures *f, gint64 i)
{
  gint64 n = (gint64) f->n, beyond = f->kind->edge == INFER_EDGE_REFLECT;

  if (f->kind->edge == INFER_EDGE_ZERO || n <= beyond)
    return i >= 0 && i < n ? i : -1;
  while (i < 0 || i >= n)
    i = i < 0 ? -i - 1 + beyond : 2 * n - 1 - beyond - i;
  return i;
}

static void
read_window (InferFeatures *f)
{
  gint64 start = (gint64) (f->next * f->config.hop) - f->lead;

  for (guint k = 0; k < f->config.window; k++) {
    gint64 i = fold (f, start + k);

    f->samples[k] =
        i < 0 ? 0.0 : f->config.scale * f->data[(guint64) i - f->first];
  }
}

/* How many samples the next frame needs, unless the utterance ends. */
static guint64
needed (const InferFeatures *f)
{
  guint64 hops = f->next * f->config.hop;
  guint64 end = hops + f->config.window - f->lead;
  guint64 reflected = hops < f->lead ? f->lead - hops + 1 : 0;

  return f->kind->edge == INFER_EDGE_ZERO ? end : MAX (end, reflected);
}

static gboolean
is_ready (const InferFeatures *f)
{
  return f->ended ? f->next < f->total : f->n >= needed (f);
}

static void
compute (InferFeatures *f, float *frame)
{
  read_window (f);
  f->kind->compute (&f->config, &f->tables, f->samples, frame);
  f->next++;
}

/* Samples before the next window are no longer needed, but for as many as are
 * reflected at the end. */
static void
make_room (InferFeatures *f)
{
  guint64 start = f->next * f->config.hop;
  guint64 back = f->lead + (guint64) f->config.window;
  guint64 keep = MIN (start > back ? start - back : 0, f->n);

  if (keep <= f->first)
    return;
  memmove (f->data, f->data + (keep - f->first),
      (gsize) (f->n - keep) * sizeof (float));
  f->first = keep;
}

static void
append (InferFeatures *f, const float *samples, gsize n)
{
  if (f->n - f->first + n > f->capacity)
    make_room (f);
  memcpy (f->data + (f->n - f->first), samples, n * sizeof (float));
  f->n += n;
}

gsize
infer_features_push (InferFeatures *f, const float *samples, gsize n,
    float *frame, gboolean *complete)
{
  guint64 block = (guint64) f->config.block * f->config.hop;
  gsize taken = 0;

  for (*complete = FALSE; !*complete;) {
    if (f->ended && f->next == f->total)
      infer_features_reset (f);
    if (is_ready (f)) {
      compute (f, frame);
      *complete = TRUE;
    } else if (taken == n) {
      break;
    } else {
      guint64 want = needed (f) - f->n;
      if (block > 0)
        want = MIN (want, block - f->n);
      gsize part = (gsize) MIN (want, n - taken);

      append (f, samples + taken, part);
      taken += part;
      if (block > 0 && f->n == block) {
        f->ended = TRUE;
        f->total = f->config.block;
      }
    }
  }
  return taken;
}

/* Fills the block with zeros. */
static gboolean
finish_block (InferFeatures *f, float *frame)
{
  static const float zeros[ZEROS];
  guint64 block = (guint64) f->config.block * f->config.hop;
  gboolean complete = FALSE;

  if (f->ended && f->next == f->total)
    infer_features_reset (f);
  while (f->n > 0 && !complete)
    infer_features_push (
        f, zeros, (gsize) MIN (ZEROS, block - f->n), frame, &complete);
  return complete;
}

gboolean
infer_features_finish (InferFeatures *f, float *frame)
{
  if (f->config.block > 0)
    return finish_block (f, frame);
  if (!f->ended) {
    f->ended = TRUE;
    f->total = f->kind->count (&f->config, f->n);
  }
  if (f->next < f->total) {
    compute (f, frame);
    return TRUE;
  }
  infer_features_reset (f);
  return FALSE;
}

/* --- kept --- */

typedef struct
{
  guint64 first, n, next, total;
  gboolean ended;
} Kept;

void
infer_features_keep (const InferFeatures *f, GByteArray *kept)
{
  const Kept head = { f->first, f->n, f->next, f->total, f->ended };

  g_byte_array_set_size (kept, 0);
  g_byte_array_append (kept, (const guint8 *) &head, sizeof head);
  g_byte_array_append (kept, (const guint8 *) f->data,
      (guint) ((f->n - f->first) * sizeof (float)));
}

void
infer_features_restore (InferFeatures *f, const GByteArray *kept)
{
  Kept head;

  memcpy (&head, kept->data, sizeof head);
  f->first = head.first;
  f->n = head.n;
  f->next = head.next;
  f->total = head.total;
  f->ended = head.ended;
  memcpy (f->data, kept->data + sizeof head, kept->len - sizeof head);
}

void
infer_features_normalize (const InferFeatures *f, float *rows, gsize n)
{
  if (f->kind->normalize != NULL)
    f->kind->normalize (rows, n * infer_features_width (f));
}

void
infer_features_unit_variance (
    float *values, gsize n, gsize stride, double least)
{
  double mean = 0, variance = 0;

  for (gsize i = 0; i < n; i++)
    mean += (double) values[i * stride] / (double) n;
  for (gsize i = 0; i < n; i++)
    variance += (values[i * stride] - mean) * (values[i * stride] - mean);
  const double deviation = sqrt (variance / (double) MAX (n - 1, 1)) + least;
  for (gsize i = 0; i < n; i++)
    values[i * stride] = (float) ((values[i * stride] - mean) / deviation);
}

guint64
infer_features_pending (const InferFeatures *f)
{
  guint64 done = f->next * f->config.hop;

  return f->n > done ? f->n - done : 0;
}
