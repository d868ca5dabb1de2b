// The same blocks as a BlockOffer's, for those who read them by RDMA: one set of ports and registered memory for each
// provider and address that readers come to. Of one thread.
#pragma once

#include <memory>
#include <string>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "transport/fabric/exposed_pools.hpp"

namespace staithe::stream {

class FabricOffer {
  public:
    using Files = transport::fabric::ExposedPools::Files;
    /// What a reader's process has agreed on, for as long as it may read.
    using Agreed = std::shared_ptr<transport::fabric::ExposedPools>;

    /// Its question, and its answer. The files stay as long as anything that was agreed on.
    base::Result<Attributes> answer(const Attributes& request, const Files& files, Agreed& agreed);

  private:
    base::Result<Attributes> agree(const Attributes& request, const Files& files, Agreed& agreed);

    std::map<std::string, std::weak_ptr<transport::fabric::ExposedPools>> exposed_;  // by provider and host
};

}  // namespace staithe::stream
