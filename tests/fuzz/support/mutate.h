/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The entry points of a custom mutator for libFuzzer. */

#pragma once

#include <stddef.h>
#include <stdint.h>

size_t LLVMFuzzerMutate (uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator (
    uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver (const uint8_t *data1, size_t size1,
    const uint8_t *data2, size_t size2, uint8_t *out, size_t max_out,
    unsigned int seed);

/* The numbers that mutators choose by. */
void fuzz_mutate_seed (unsigned int seed);
/* Below @n; 0 where @n is 0. */
unsigned int fuzz_mutate_below (unsigned int n);
