/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The models of a folder: FOLDER/NAME/model.xml or model.onnx, which is version
 * 1, or FOLDER/NAME/VERSION/model.xml or model.onnx.  Any thread. */

#pragma once

#include "tools/serve/model.h"

typedef struct _ServeRepository ServeRepository;

/* INFER_ERROR_NOT_FOUND: there is no such folder.  (transfer full) */
ServeRepository *serve_repository_new (
    const ServeSettings *settings, GError **error);
void serve_repository_free (ServeRepository *repository); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ServeRepository, serve_repository_free)

/* Loads all models; what cannot be loaded is listed with its reason. */
void serve_repository_load_all (ServeRepository *repository);

/* @version: "" for the highest one.  INFER_ERROR_NOT_FOUND with what there is.
 * (transfer full) */
ServeModel *serve_repository_find (ServeRepository *repository,
    const char *name, const char *version, GError **error);
/* (transfer full): all versions, highest first, are listed. */
ProtocolMetadata *serve_repository_describe (ServeRepository *repository,
    const char *name, const char *version, GError **error);

/* Loads what the folder has of @name now in place of what is loaded; if that
 * fails, what is loaded stays.  Sequences of a model that is replaced end.
 * @config: more settings of the model (nullable), as model-settings.h has
 * them; they hold until it is loaded again. */
gboolean serve_repository_load (ServeRepository *repository, const char *name,
    const char *config, GError **error);
gboolean serve_repository_unload (
    ServeRepository *repository, const char *name, GError **error);

typedef struct
{
  char *name, *version;
  gboolean ready;
  char *reason; /* why it is not ready; NULL: unloaded */
} ServeEntry;
/* Every model and version, sorted.  (transfer full) (element-type ServeEntry)
 */
GArray *serve_repository_list (ServeRepository *repository);

/* (transfer full) (element-type ServeModel) */
GPtrArray *serve_repository_models (ServeRepository *repository);
ServeLimits *serve_repository_limits (ServeRepository *repository);
