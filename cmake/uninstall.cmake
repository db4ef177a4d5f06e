# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# cmake -DMANIFEST=install_manifest.txt -P uninstall.cmake: removes the files of the manifest, and the folders of ours that are
# then empty. DESTDIR stands before every path, as it did when they were installed.
if(NOT EXISTS "${MANIFEST}")
  message(FATAL_ERROR "${MANIFEST} does not exist: nothing was installed from this folder")
endif()
file(STRINGS "${MANIFEST}" files)
set(folders)
foreach(file IN LISTS files)
  set(path "$ENV{DESTDIR}${file}")
  if(EXISTS "${path}" OR IS_SYMLINK "${path}")
    message(STATUS "removing ${path}")
    file(REMOVE "${path}")
  endif()
  cmake_path(GET path PARENT_PATH folder)
  list(APPEND folders "${folder}")
endforeach()
list(REMOVE_DUPLICATES folders)
foreach(folder IN LISTS folders)
  file(GLOB rest "${folder}/*")
  if(folder MATCHES "/trammel$" AND NOT rest)
    file(REMOVE_RECURSE "${folder}")
  endif()
endforeach()
