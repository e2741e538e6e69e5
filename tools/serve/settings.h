/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the command line sets. */

#pragma once

#include <glib.h>

typedef struct
{
  char *models;                           /* the folder */
  char *listen;                           /* address or host name */
  int grpc_port, http_port, metrics_port; /* 0: none */
  char *device, *config;
  int streams;            /* inferences of a model at the same time; 0: as many
                             as processors */
  int threads;            /* of each */
  int batch;              /* 1: none */
  gboolean merge_batches; /* as rows of one inference */
  int batch_timeout_us;
  int max_message_mb; /* of one message */
  int max_waiting;    /* requests of a model that wait */
  int max_sequences;  /* of all models */
  int max_state_mb;   /* of the states of all sequences */
  int sequence_idle_s;
  int drain_s;
  char *token_file, *certificate, *key, *client_ca;
  char *token; /* read from token_file */
} ServeSettings;

void serve_settings_clear (ServeSettings *settings);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ServeSettings, serve_settings_clear)
