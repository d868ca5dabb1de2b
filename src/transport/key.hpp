// The key that processes share which must prove to each other that they belong together.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "transport/secret.hpp"

namespace staithe::transport {

class Key {
  public:
    static constexpr std::size_t size = Secret::size;

    /// From a file that only this user can read: 64 hexadecimal digits. `whose` is for messages: "the key of …".
    static base::Result<std::shared_ptr<const Key>> load(const std::string& file,
                                                         const std::string& whose = "STAITHE_KEY_FILE");
    /// That of STAITHE_KEY_FILE; nullptr if it is not set.
    static base::Result<std::shared_ptr<const Key>> of_environment();

    /// As another process told it, in hexadecimal digits; nullptr if it is none.
    static std::shared_ptr<const Key> from_hex(std::string_view digits, const std::string& whose);

    enum class IfMissing { leave, make };
    /// Of the run directory: its file `key`, so that hosts that share a directory need no setting. nullptr if there is
    /// none.
    static base::Result<std::shared_ptr<const Key>> of_run_directory(const std::string& directory, IfMissing then);

    /// "STAITHE_KEY_FILE", "the run directory" or "the group".
    [[nodiscard]] const std::string& whose() const { return whose_; }
    [[nodiscard]] const std::array<unsigned char, size>& bytes() const { return secret_.bytes(); }

  private:
    Key() = default;
    Secret secret_;
    std::string whose_;
};

}  // namespace staithe::transport
