// A function that is lent for a call: std::function without the copy, as C++26 has it.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace staithe::base {

template <class Signature>
class FunctionRef;

/// What it is made of must outlive it: use it for parameters alone.
template <class Result, class... Args>
class FunctionRef<Result(Args...)> {
  public:
    template <class Function>
        requires(!std::is_same_v<std::remove_cvref_t<Function>, FunctionRef> &&
                 std::is_object_v<std::remove_reference_t<Function>> &&
                 std::is_invocable_r_v<Result, Function&, Args...>)
    // NOLINTNEXTLINE(google-explicit-constructor): a lambda stands where one is asked for
    FunctionRef(Function&& function)
        : function_(const_cast<void*>(static_cast<const void*>(std::addressof(function)))),
          call_([](void* of, Args... args) -> Result {
              return (*static_cast<std::remove_reference_t<Function>*>(of))(std::forward<Args>(args)...);
          }) {}

    Result operator()(Args... args) const { return call_(function_, std::forward<Args>(args)...); }

  private:
    void* function_;
    Result (*call_)(void*, Args...);
};

}  // namespace staithe::base
