/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A further peer: a file with `const Engine engine_NAME`, a line here and the
 * file's name in bench/meson.build. */

/* What a peer's memory is measured with is linked without this runtime. */
#ifndef PEERS_ONLY
ENGINE (inferfilter)
#endif
ENGINE (openvino)
ENGINE (onnxruntime)
ENGINE (litert)
