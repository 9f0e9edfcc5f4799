// SPDX-License-Identifier: Apache-2.0
#define PLIANT_PANEL_KERNELS panel_kernels_portable
#include "pliant/math/panel_kernels.inl"
