/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "remote/grpc/channel.h"

/* The entries `call_…` of RemoteProtocol. */
RemoteCall *remote_call_new (RemoteClient *client);
void remote_call_free (RemoteCall *call);
gboolean remote_call_start (RemoteCall *call, const RemoteRequest *request,
    void (*done) (gpointer data), gpointer data, GError **error);
void remote_call_cancel (RemoteCall *call);
ProtocolInfer *remote_call_finish (
    RemoteCall *call, RemoteFailure *failure, GError **error);

/* The message in one piece; NULL: none.  (transfer full) */
GBytes *remote_take_message (grpc_byte_buffer *buffer);
