/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Compares each version of each kernel with the portable one, and times it.
 *
 * To check a kernel: write check-FILE.c with `void check_NAME (const CpuKernels
 * *ref, const CpuKernels *opt)`, which fills buffers, calls both versions and
 * compares; add CHECK (NAME, FILE) to check-list.h. */

#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cpu/kernels/kernels.h"

/* Size of a buffer; test lengths around every vector width. */
#define KC_MAX 1024
#define KC_BYTES (KC_MAX * sizeof (float))
extern const size_t kc_lengths[]; /* 1 first, KC_MAX last, then 0 */

/* NaN, infinities, zeros, subnormals, the largest and smallest numbers. */
extern const float kc_specials[];
extern const size_t kc_n_specials;

/* Names the case in later messages ("exp"); "": none. */
void kc_label (const char *label);

/* KC_BYTES at @offset bytes from a 64-byte boundary, between guards that are
 * verified after the check.  Owned by the checker, valid until then. */
void *kc_buffer (size_t offset);
/* The same, filled. */
float *kc_floats (size_t offset, float lo, float hi);
void kc_fill (float *buf, size_t n, float lo, float hi);
/* Puts every special value somewhere into @buf (KC_MAX floats). */
void kc_sprinkle (float *buf);
uint32_t kc_random (void);

/* kc_poison marks an output before the call; kc_check_beyond fails if the call
 * has written at or after byte @bytes. */
void kc_poison (void *buf);
void kc_check_beyond (const void *buf, size_t bytes);

/* Fails if |got - want| > abs + rel |want|.  NaN equals only NaN, an infinity
 * only itself. */
void kc_check_f32 (
    const float *got, const float *want, size_t n, float rel, float abs);
void kc_check_bytes (const void *got, const void *want, size_t n);

bool kc_timing (void);
double kc_now (void);
void kc_report (double seconds_per_call);

/* Best of 20 repeats. */
#define KC_BENCH(call)                                                         \
  do {                                                                         \
    if (kc_timing ()) {                                                        \
      double best_ = 1e9;                                                      \
      for (int rep_ = 0; rep_ < 20; rep_++) {                                  \
        double start_ = kc_now (), each_;                                      \
        for (int i_ = 0; i_ < 100; i_++)                                       \
          call;                                                                \
        each_ = (kc_now () - start_) / 100;                                    \
        best_ = each_ < best_ ? each_ : best_;                                 \
      }                                                                        \
      kc_report (best_);                                                       \
    }                                                                          \
  } while (0)

#define CHECK(name, file)                                                      \
  void check_##name (const CpuKernels *ref, const CpuKernels *opt);
#include "tests/kernels/check-list.h"
#undef CHECK
