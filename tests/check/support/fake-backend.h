/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A backend without a device, for tests of the runtime: every stage can be
 * slow, fail or hang, and steps are recorded.  Whatever the model, output 0 =
 * input 0 + the state (zeros if reset or none), and the sum is the state's next
 * value. */

#pragma once

#include "inference/runtime/backend.h"

/* fake_cpu does everything in `start`; fake_device has upload, start, wait and
 * download.  Two devices each; those of fake_device are described as "Red Pipe
 * 3000" and "Blue Pipe 3000". */
extern const InferBackend fake_cpu;
extern const InferBackend fake_device;

#define FAKE_NEVER (-1)

typedef struct
{
  guint delay_us[INFER_N_STAGES];
  int fail_stage;      /* InferStage or FAKE_NEVER */
  int hang_stage;      /* blocks until fake_release */
  const char *refused; /* operation types that are unsupported; nullable */
  guint fail_every;    /* fails once per this many stages; 0: never */
  float fail_value;    /* fails steps with a row that begins with this value; 0:
                          none */
  guint jitter_us;     /* random addition to delay_us, up to this */
} FakeSettings;

/* Restores the default settings and clears the records.  Settings may only be
 * written while nothing runs. */
FakeSettings *fake_reset (void);
void fake_release (void);
/* Waits until a thread hangs. */
void fake_await_hanging (void);

/* First input values of the steps, in execution order. */
guint fake_n_steps (void);
float fake_step (guint index);
/* How often the stage was entered. */
guint fake_count (InferStage stage);
/* Number of scopes, executables and contexts. */
int fake_n_objects (void);
/* Maximum number of steps between start and the end of wait at once. */
int fake_max_steps_at_once (void);
/* The thread that last ran @stage on @device. */
GThread *fake_thread (guint device, InferStage stage);

/* A model with one f32 input and output of @shape ("2,3", "?,3"), and a
 * variable "sum" of shape @state (nullable: none). */
InferModel *fake_model (const char *shape, const char *state);
/* The model compiled for device number @device. */
InferExecutable *fake_executable (const InferBackend *backend, guint device,
    const char *config, const char *shape, const char *state);

typedef struct
{
  const char *name;
  GTestDataFunc run; /* its argument: the backend */
} FakeCase;

/* Adds @cases on both backends, as "@prefix/BACKEND/NAME". */
void fake_add_cases (const char *prefix, const FakeCase *cases, guint n);
