# SPDX-License-Identifier: Apache-2.0
# Install rules and the package that `find_package(pliant)` finds.
