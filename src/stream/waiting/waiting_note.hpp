// Waiting notes: who has waited for more than a moment, for what, and for whom.
//
// `<run directory>/<stream>.<n>.<process>.waiting`, written anew about once a second. By them processes find circles of
// waiting (`wait_circles.hpp`), and `staithe doctor` those who wait for a stream that nobody has opened, who are in no
// director's books. What a killed process left is removed by the next writer of any stream (`transport/directory`).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "os/fork.hpp"
#include "stream/waiting/awaited.hpp"
#include "transport/link.hpp"

namespace staithe::stream {

/// What a note says.
struct NotedWait {
    std::string id{};  // the name of its file
    std::string stream{};
    transport::Peer who{};
    std::string role{};                  // "reader rank 0"
    std::string wants{};                 // "the next step of"
    std::string reason{};                // why it does not come
    double since = 0.0;                  // seconds of the monotonic clock
    double looked = 0.0;                 // when this was last found to be so
    Awaited::Absent absent{};            // who has yet to open the stream, all that are to come
    std::vector<int> on{};               // processes that must act
    std::vector<std::string> held_up{};  // streams in which its process does nothing meanwhile
    // Streams that its process is to open meanwhile, with the ranks of its program.
    std::map<std::string, int> to_write{}, to_read{};
};

class WaitingNote {
  public:
    WaitingNote(const std::string& run_directory, const std::string& stream);
    ~WaitingNote();
    WaitingNote(const WaitingNote&) = delete;
    WaitingNote& operator=(const WaitingNote&) = delete;

    /// No matter if it cannot be written.
    void write(const NotedWait& wait) const;
    /// The name of its file.
    [[nodiscard]] const std::string& id() const { return id_; }

  private:
    const os::Home home_;
    const std::string id_;
    const std::string path_;
};

/// The notes of a run directory as they are now, but for those that are not whole, and those of other hosts and pid
/// namespaces, whose pids name other processes here. Untrusted, as all that lies there.
/// Read when they are asked for: there may be very many.
class WaitingNotes {
  public:
    explicit WaitingNotes(const std::string& run_directory);
    explicit WaitingNotes(std::vector<NotedWait> waits);

    /// Pointers to them stay good.
    [[nodiscard]] std::vector<const NotedWait*> of_process(int pid);
    [[nodiscard]] std::vector<const NotedWait*> all();

  private:
    struct File {
        int pid = 0;
        std::string path;
        std::unique_ptr<const NotedWait> wait{};
        bool is_read = false;
    };
    static void add(const NotedWait* wait, std::vector<const NotedWait*>& waits);
    static const NotedWait* read(File& file);

    std::vector<File> files_;
};

/// "msd (pid 8 on node3), reader rank 0, waits for the next step of 'melt': …".
[[nodiscard]] std::string to_string(const NotedWait& wait);

}  // namespace staithe::stream
