# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# The machine that live pages watch, without what serves them: of trammel-view, and of the module for WebAssembly.
set(view_machine)
foreach(file controls mailbox grips jog machine pace parcel past request rows settings)
  list(APPEND view_machine ${CMAKE_CURRENT_LIST_DIR}/${file}.c)
endforeach()
