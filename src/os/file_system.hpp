// What kind of file system a directory lies on.
#pragma once

#include <string>

namespace staithe::os {

/// Whether other hosts may see what lies there: NFS, Lustre, GPFS and others of clusters, and those that programs serve
/// (FUSE), of which nobody can tell. A disk, memory and layers over them are of this host alone.
[[nodiscard]] bool may_be_shared_between_hosts(const std::string& path);

}  // namespace staithe::os
