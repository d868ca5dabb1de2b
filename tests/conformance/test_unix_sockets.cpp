// Processes of one node: a link over a Unix socket, and the owner's pool mapped through a descriptor that it passes.
#include "conformance/transport_suite.hpp"
#include "memory/sources.hpp"
#include "transport/endpoint.hpp"
#include "transport/mapped_pool.hpp"

namespace staithe::testing {
namespace {

struct UnixSockets {
    class Owner {
      public:
        explicit Owner(const std::string& directory) : endpoint_(transport::Endpoint::shared(directory).value()) {
            EXPECT_TRUE(endpoint_->offer(
                "owner", [this](const auto& link, transport::Packet packet) { answer(*link, packet.body); }));
        }
        [[nodiscard]] std::string address() const { return endpoint_->socket_name(); }
        Place store(std::span<const std::byte> data) {
            const auto block = pool_->allocate(static_cast<std::int64_t>(data.size())).value();
            std::memcpy(block.data, data.data(), data.size());
            return {block.offset, block.bytes};
        }

      private:
        void answer(transport::Link& link, Attributes body) {
            const std::int64_t id = find(body, "id")->as_int().value();
            if (find(body, "pool") != nullptr) {
                const auto file = os::duplicate_read_only(pool_->file()).value();
                static_cast<void>(link.reply(id, Attributes{}, std::vector{file.get()}));
            } else if (const Value* code = find(body, "fail")) {
                static_cast<void>(link.reply(id, base::fail(static_cast<ErrorCode>(*code->as_int()), "as asked")));
            } else if (find(body, "die") != nullptr) {
                ::raise(SIGKILL);
            } else if (find(body, "silence") == nullptr) {
                body.erase("id");
                body.erase("service");
                static_cast<void>(link.reply(id, std::move(body)));
            }
        }

        const std::shared_ptr<memory::Pool> pool_ = memory::open_pool("owner").value();
        const std::shared_ptr<transport::Endpoint> endpoint_;
    };

    class Visitor {
      public:
        Visitor(const std::string& directory, const std::string& address)
            : endpoint_(transport::Endpoint::shared(directory).value()),
              link_(endpoint_->connect(transport::Address::parse(address).value(), soon()).value()) {
            auto answer = link_->call({{"service", "owner"}, {"pool", true}}, {}, soon()).value();
            pool_ = std::make_unique<transport::MappedPool>(std::move(answer.descriptors.at(0)));
        }
        base::Result<Bytes> fetch(std::int64_t offset, std::int64_t bytes) {
            const auto view = pool_->bytes(offset, bytes);
            return view ? base::Result<Bytes>(Bytes(view->begin(), view->end())) : base::fail(view);
        }
        base::Result<Attributes> ask(Attributes request, const base::Deadline& deadline) {
            request["service"] = "owner";
            auto answer = link_->call(std::move(request), {}, deadline);
            if (!answer) {
                return base::fail(std::move(answer));
            }
            answer->body.erase("reply");
            return std::move(answer->body);
        }

      private:
        const std::shared_ptr<transport::Endpoint> endpoint_;
        const std::shared_ptr<transport::Link> link_;
        std::unique_ptr<transport::MappedPool> pool_;
    };
};

INSTANTIATE_TYPED_TEST_SUITE_P(UnixSockets, Transport, UnixSockets);

}  // namespace
}  // namespace staithe::testing
