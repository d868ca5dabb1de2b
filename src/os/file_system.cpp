#include "os/file_system.hpp"

#include <sys/statfs.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace staithe::os {
namespace {

// statfs(2), linux/magic.h, and the sources of those that are not in the kernel.
constexpr std::array<std::uint32_t, 14> shared_types{
    0x6969,      // NFS
    0x0BD00BD0,  // Lustre
    0x47504653,  // GPFS (Storage Scale)
    0x00C36400,  // CephFS
    0x19830326,  // BeeGFS
    0xAAD7AAEA,  // PanFS
    0x65735546,  // FUSE: GlusterFS, sshfs, DAOS, WekaFS, …
    0x01021997,  // 9p
    0x20030528,  // OrangeFS
    0x01161970,  // GFS2
    0x7461636F,  // OCFS2
    0x5346414F,  // AFS
    0xFF534D42,  // CIFS
    0xFE534D42,  // SMB2
};

}  // namespace

bool may_be_shared_between_hosts(const std::string& path) {
    struct statfs status{};
    return ::statfs(path.c_str(), &status) == 0 &&
           std::ranges::find(shared_types, static_cast<std::uint32_t>(status.f_type)) != shared_types.end();
}

}  // namespace staithe::os
