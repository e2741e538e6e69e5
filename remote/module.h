/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "remote/client.h"

/* The client of the module "grpc" or "http", which stays loaded.  NULL with
 * INFER_ERROR_UNSUPPORTED: it is not installed. */
const RemoteProtocol *remote_module_load (const char *name, GError **error);
