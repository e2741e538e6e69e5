/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* To add a peer: NAME.c with `const Engine engine_NAME`, a line here, and the
 * file's name in bench/meson.build. */

/* compare-peer is linked without this runtime. */
#ifndef PEERS_ONLY
ENGINE (inferfilter)
ENGINE (direct)
#endif
ENGINE (openvino)
ENGINE (onnxruntime)
ENGINE (litert)
ENGINE (ncnn)
