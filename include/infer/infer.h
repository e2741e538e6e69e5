/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The whole API of libinfer-1. */

#pragma once

#include "infer/batch.h"
#include "infer/bindings.h"
#include "infer/error.h"
#include "infer/executor.h"
#include "infer/image.h"
#include "infer/model.h"
#include "infer/preprocess.h"
#include "infer/request.h"
#include "infer/runtime.h"
#include "infer/shape.h"
#include "infer/speech.h"
#include "infer/stage.h"
#include "infer/state.h"
#include "infer/tensor.h"
#include "infer/trace.h"
#include "infer/transcript.h"
#include "infer/type.h"
#include "infer/version.h"
#include "infer/voice.h"
