/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* OpenVINO's C library, found at run time: nothing of it is needed to build. */

#pragma once

#include "inference/tensor.h"

G_BEGIN_DECLS

typedef struct _Peer Peer;
typedef struct _PeerModel PeerModel;

/* @library: libopenvino_c.so…; never unloaded.  (transfer full) */
Peer *peer_new (const char *library, GError **error);
void peer_free (Peer *peer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Peer, peer_free)

/* "2026.4.1-…" */
const char *peer_get_version (const Peer *peer);

/* Compiled for CPU at f32 for latency; @weights nullable. */
PeerModel *peer_model_new (Peer *peer, const char *xml, const char *weights,
    int threads, GError **error);
void peer_model_free (PeerModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PeerModel, peer_model_free)

/* A copy of @values, which must have the element type that the model's port
 * has. */
gboolean peer_model_set_input (
    PeerModel *model, guint index, const InferTensor *values, GError **error);
gboolean peer_model_infer (PeerModel *model, GError **error);
/* Starts and waits. */
gboolean peer_model_infer_async (PeerModel *model, GError **error);
/* Bytes of an output of the last run; valid until the next. */
gboolean peer_model_get_output (PeerModel *model, guint index,
    gconstpointer *data, gsize *size, GError **error);

G_END_DECLS
