/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every kind of features, one line each: its name and its number in the
 * property `type` of inferfeatures, which never changes.  Meson reads the
 * lines.
 *
 * To add kind NAME_X: write inference/media/features/NAME-X.c with
 * `const InferFeaturesKind infer_features_NAME_X` (see kind.h), a line here
 * with the next number, and its definition in tests/data/make-features.py. */

FEATURES (log_mel, 0)
FEATURES (mfcc, 1)
FEATURES (fbank, 2)
FEATURES (whisper, 3)
FEATURES (nemo, 4)
