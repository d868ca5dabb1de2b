// What a server keeps on disk, and has again when it is started anew: blocks of versions that it was told to, and what
// it was told of variables and containers.
//
// Under the reception's mutex, but for what the log calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "server/persisted_records.hpp"
#include "server/safekeeping.hpp"
#include "store/log/record_log.hpp"
#include "store/space/catalog.hpp"

namespace staithe::server {

class Persisted final : public Safekeeping {
  public:
    static base::Result<std::unique_ptr<Persisted>> open(const std::string& folder);

    /// Where what was kept goes to.
    class Home {
      public:
        Home() = default;
        virtual ~Home() = default;
        Home(const Home&) = delete;
        Home& operator=(const Home&) = delete;
        /// For the bytes of a block.
        virtual base::Result<std::byte*> make_room(store::space::Put& put) = 0;
        virtual void free_room(const store::space::Put& put) = 0;
        /// The serial number of its version.
        virtual base::Result<std::int64_t> put(const std::string& space, const store::space::Put& put) = 0;
        /// What belongs together under one of these keys is not whole.
        virtual void remove(base::FunctionRef<bool(std::uint64_t key)> is_lost) = 0;
        virtual void set_attributes(const PersistedAttributes& attributes) = 0;
        virtual void retain(const PersistedRules& rules) = 0;
    };
    /// Everything in the order in which it was put, then what was said; once, first. What is damaged is left
    /// out, with the version that it was part of, and said.
    base::Result<> restore(Home& home);

    [[nodiscard]] bool keeps(const store::space::Put& put) const override { return put.persist; }
    void put(const std::string& space, store::space::Put put, const store::space::Version& version,
             std::span<const std::byte> bytes, Done done) override;
    void drop(const std::string& space, const store::space::Version& version) override;
    void retain(const PersistedRules& rules, Done done) override;
    void set_attributes(const PersistedAttributes& attributes, Done done) override;
    [[nodiscard]] std::size_t drops() const override { return drops_; }
    void flush(Done done) override { log_.kill({}, std::move(done)); }

    [[nodiscard]] Attributes describe() const { return {{"folder", folder_}, {"bytes", log_.bytes()}}; }

  private:
    class Restoring;
    Persisted(std::string folder, store::log::LogFolder files) : folder_(std::move(folder)), log_(std::move(files)) {}

    /// In place of what was said under that key before; with an empty description nothing is.
    void say(std::uint64_t key, std::vector<std::byte> description, Done done);

    const std::string folder_;
    store::log::RecordLog log_;
    std::unordered_map<std::int64_t, std::vector<std::uint64_t>> places_;  // of records, by a version's serial
    std::unordered_map<std::uint64_t, std::uint64_t> sayings_;  // places of rules and attributes, by their keys
    std::size_t drops_ = 0;
};

}  // namespace staithe::server
