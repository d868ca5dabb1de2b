// What becomes of Staithe in a process that fork() made: nothing of its parent's is used there, or ended there.
//
// The child has copies of its parent's objects, but not of its threads, and its descriptors are the parent's
// connections. As it begins, those descriptors are turned into ones of /dev/null: a connection ends with the parent,
// whether children live or not. Objects know by a `Home` that they are copies; their memory is left alone.
#pragma once

#include <atomic>
#include <memory>

namespace staithe::os {

/// The process that an object was made in.
class Home {
  public:
    Home() : forks_(forks.load(std::memory_order_relaxed)) {}
    /// False in a process that was forked off later. Costs a load: every call of the public interface asks.
    [[nodiscard]] bool here() const { return forks_ == forks.load(std::memory_order_relaxed); }

  private:
    friend void begin_as_child();
    static inline std::atomic<unsigned> forks{0};  // that led to this process
    unsigned forks_;                               // before
};

/// Owns an object that a forked child must not destroy: doing so would end what is its parent's, or wait for threads
/// that are not there.
template <class T>
std::shared_ptr<T> kept_at_home(T* object) {
    return std::shared_ptr<T>(object, [home = Home()](T* last) {
        if (home.here()) {
            delete last;
        }
    });
}

/// What there is one of in each process: a forked child gets its own, since a thread of its parent may hold the lock of
/// the old one for ever. Never destroyed: what ends last may still use it.
template <class T>
class OnePerProcess {
  public:
    T& get() {
        Instance* now = current_.load(std::memory_order_acquire);
        if (now == nullptr || !now->home.here()) {
            auto fresh = std::make_unique<Instance>();
            if (current_.compare_exchange_strong(now, fresh.get(), std::memory_order_acq_rel)) {
                now = fresh.release();
            }
        }
        return now->object;
    }

  private:
    struct Instance {
        Home home;
        T object;
    };
    std::atomic<Instance*> current_{nullptr};
};

/// From now on the descriptor is Staithe's: children do not keep its file open.
void withhold_from_children(int descriptor);
void hand_to_children(int descriptor);

}  // namespace staithe::os
