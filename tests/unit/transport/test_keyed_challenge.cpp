#include "transport/keyed_challenge.hpp"

#include <sys/stat.h>

#include <fstream>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "support/temporary_directory.hpp"

namespace staithe::transport {
namespace {

const std::string digits(64, 'a');
const std::string other_digits(64, 'b');

class KeyTest : public ::testing::Test {
  protected:
    [[nodiscard]] base::Result<std::shared_ptr<const Key>> load(const std::string& content,
                                                                unsigned mode = 0600) const {
        const std::string path = directory_ / "key";
        std::ofstream(path, std::ios::trunc) << content;
        EXPECT_EQ(::chmod(path.c_str(), mode), 0);
        return Key::load(path);
    }
    [[nodiscard]] std::shared_ptr<const Key> key() const { return load(digits).value(); }

    static inline const Parties parties{"a caller", "a listener"};

    /// The first message of a caller with that nonce.
    static Attributes challenge(const Nonce& nonce) { return {{"challenge", to_hex(nonce)}}; }
    static std::string text(const Attributes& message, const std::string& name) {
        return *find(message, name)->as_string();
    }
    static Nonce listeners_nonce(const Attributes& answer) { return nonce_from_hex(text(answer, "challenge")).value(); }

  private:
    testing::TemporaryDirectory directory_;
};

TEST_F(KeyTest, IsReadFromAPrivateFileOfHexadecimalDigits) {
    EXPECT_TRUE(load(digits));
    EXPECT_TRUE(load(digits + "\n"));
    EXPECT_EQ(load(std::string(62, '0') + "0f").value()->bytes()[31], 0x0f);
    EXPECT_EQ(load(digits, 0640).error().code, ErrorCode::system);
    EXPECT_FALSE(Key::load("/nowhere/key"));
    for (const std::string& wrong :
         {std::string(), std::string("\n"), digits + "a", digits.substr(1), std::string(64, 'x'),
          digits.substr(1) + "g", std::string(10'000, 'a'), digits + "\n" + digits}) {
        const auto loaded = load(wrong);
        ASSERT_FALSE(loaded) << wrong;
        EXPECT_EQ(loaded.error().message.find(wrong.empty() ? "aaaa" : wrong), std::string::npos)
            << "a key shows in no message";
    }
}

TEST_F(KeyTest, NoncesAreFresh) {
    std::set<std::string> seen;
    for (int i = 0; i < 1000; ++i) {
        EXPECT_TRUE(seen.insert(to_hex(fresh_nonce())).second);
    }
    EXPECT_EQ(nonce_from_hex(to_hex(Nonce{1, 2, 3})).value(), (Nonce{1, 2, 3}));
    EXPECT_FALSE(nonce_from_hex("12"));
}

TEST_F(KeyTest, EverythingThatIsSaidChangesTheProof) {
    const Nonce a{1};
    const Nonce b{2};
    const auto k = key();
    const std::set<std::string> proofs{
        proof_of(*k, Role::caller, parties, a, b),
        proof_of(*k, Role::listener, parties, a, b),
        proof_of(*k, Role::caller, parties, b, a),
        proof_of(*k, Role::caller, parties, a, a),
        proof_of(*k, Role::caller, {"another caller", "a listener"}, a, b),
        proof_of(*k, Role::caller, {"a callera ", "listener"}, a, b),
        proof_of(*k, Role::caller, {"a caller", "another listener"}, a, b),
        proof_of(*k, Role::caller, {"", "a listener"}, a, b),
        proof_of(*k, Role::caller, {"a listener", "a caller"}, a, b),
        proof_of(*load(other_digits).value(), Role::caller, parties, a, b),
    };
    EXPECT_EQ(proofs.size(), 10U);
    EXPECT_EQ(proof_of(*k, Role::caller, parties, a, b), proof_of(*key(), Role::caller, parties, a, b));
}

TEST_F(KeyTest, ProofsAreComparedWhole) {
    const std::string proof = proof_of(*key(), Role::caller, parties, {}, {});
    EXPECT_TRUE(same_proof(proof, proof));
    EXPECT_FALSE(same_proof(proof, proof.substr(1)));
    EXPECT_FALSE(same_proof(proof, proof + "0"));
    EXPECT_FALSE(same_proof(proof, ""));
    EXPECT_FALSE(same_proof("", "")) << "nothing is no proof";
    std::string almost = proof;
    almost.back() = almost.back() == '0' ? '1' : '0';
    EXPECT_FALSE(same_proof(proof, almost));
}

TEST_F(KeyTest, GateOpensForWhoHasTheKeyAndShowsThatItHasItToo) {
    Gate gate(key(), parties);
    const Nonce own = fresh_nonce();
    EXPECT_FALSE(gate.is_open());
    const auto answer = gate.answer(challenge(own)).value();
    const Nonce listeners = listeners_nonce(answer);
    EXPECT_EQ(text(answer, "proof"), proof_of(*key(), Role::listener, parties, own, listeners));
    EXPECT_FALSE(gate.is_open());
    EXPECT_TRUE(gate.answer({{"proof", proof_of(*key(), Role::caller, parties, own, listeners)}}));
    EXPECT_TRUE(gate.is_open());
}

TEST_F(KeyTest, GateStaysClosedForAnythingElse) {
    const Nonce own = fresh_nonce();
    const auto wrong_key = load(other_digits).value();
    const std::vector<std::function<Attributes(const Attributes&)>> attempts{
        [](const Attributes&) { return Attributes{}; },
        [](const Attributes&) { return Attributes{{"proof", ""}}; },
        [](const Attributes&) { return Attributes{{"proof", 5}}; },
        [](const Attributes& answer) { return Attributes{{"proof", text(answer, "proof")}}; },  // sent back
        [&](const Attributes& answer) {
            return Attributes{{"proof", proof_of(*wrong_key, Role::caller, parties, own, listeners_nonce(answer))}};
        },
        [&](const Attributes& answer) {  // passed on from a connection of others
            return Attributes{{"proof", proof_of(*key(), Role::caller, {"another caller", "a listener"}, own,
                                                 listeners_nonce(answer))}};
        },
        [&](const Attributes&) { return challenge(own); },
    };
    for (const auto& attempt : attempts) {
        Gate gate(key(), parties);
        const auto answer = gate.answer(challenge(own)).value();
        EXPECT_FALSE(gate.answer(attempt(answer)));
        EXPECT_FALSE(gate.is_open());
    }
}

TEST_F(KeyTest, GateAsksForAChallengeFirst) {
    for (const Attributes& first :
         {Attributes{}, Attributes{{"challenge", "x"}}, Attributes{{"challenge", 5}},
          Attributes{{"proof", proof_of(*key(), Role::caller, parties, {}, {})}}, Attributes{{"service", "melt"}}}) {
        Gate gate(key(), parties);
        EXPECT_FALSE(gate.answer(first));
        EXPECT_FALSE(gate.is_open());
    }
}

TEST_F(KeyTest, RecordedAnswersOpenNoOtherGate) {
    const Nonce own = fresh_nonce();
    Gate gate(key(), parties);
    const auto answer = gate.answer(challenge(own)).value();
    const Attributes recorded{{"proof", proof_of(*key(), Role::caller, parties, own, listeners_nonce(answer))}};
    ASSERT_TRUE(gate.answer(recorded));
    Gate another(key(), parties);
    ASSERT_TRUE(another.answer(challenge(own)));
    EXPECT_FALSE(another.answer(recorded));
    EXPECT_FALSE(another.is_open());
}

TEST_F(KeyTest, VisitorAndGateLetEachOtherInAndShareASession) {
    Visitor visitor(key(), parties);
    Gate gate(key(), parties);
    EXPECT_FALSE(gate.is_challenged());
    const auto proof = visitor.answer(gate.answer(visitor.challenge()).value());
    EXPECT_TRUE(gate.is_challenged());
    ASSERT_TRUE(proof);
    ASSERT_TRUE(gate.answer(*proof));
    EXPECT_TRUE(gate.is_open());
    EXPECT_EQ(visitor.session()->token("data"), gate.session()->token("data"));
}

TEST_F(KeyTest, VisitorBelievesNobodyWithoutTheKey) {
    const auto wrong_key = load(other_digits).value();
    for (const auto& [its_key, its_parties] : {std::pair{wrong_key, parties}, {key(), Parties{"a caller", "other"}}}) {
        Visitor visitor(key(), parties);
        Gate gate(its_key, its_parties);
        const auto answer = visitor.answer(gate.answer(visitor.challenge()).value());
        ASSERT_FALSE(answer);
        EXPECT_NE(answer.error().message.find("STAITHE_KEY_FILE"), std::string::npos) << answer.error().message;
        EXPECT_FALSE(visitor.session());
    }
    Visitor visitor(key(), parties);
    EXPECT_FALSE(visitor.answer(visitor.challenge())) << "sent back to its author";
}

TEST_F(KeyTest, ProcessesOfDifferentHostsSayWhoTheyAreAndAreHeldToIt) {
    Visitor visitor(key(), {"one", ""});
    Gate gate(key(), {"", "two"});
    const auto answer = gate.answer(visitor.challenge()).value();
    const auto proof = visitor.answer(answer);
    ASSERT_TRUE(proof);
    EXPECT_EQ(visitor.listener(), "two");
    EXPECT_TRUE(gate.answer(*proof));

    Visitor deceived(key(), {"one", ""});
    Gate other_gate(key(), {"", "two"});
    Attributes changed = other_gate.answer(deceived.challenge()).value();
    changed["process"] = "three";
    EXPECT_FALSE(deceived.answer(changed));
    Gate nobodys_gate(key(), {"", "two"});
    EXPECT_FALSE(nobodys_gate.answer(challenge(fresh_nonce()))) << "who does not say who it is";
}

TEST_F(KeyTest, EachConnectionHasASessionOfItsOwn) {
    const Nonce a{1};
    const Nonce b{2};
    const std::set<std::string> tokens{session_of(*key(), parties, a, b).token("data"),
                                       session_of(*key(), parties, a, b).token("other"),
                                       session_of(*key(), parties, b, a).token("data"),
                                       session_of(*key(), parties, a, a).token("data"),
                                       session_of(*key(), {"x", "y"}, a, b).token("data"),
                                       session_of(*load(other_digits).value(), parties, a, b).token("data"),
                                       proof_of(*key(), Role::caller, parties, a, b)};
    EXPECT_EQ(tokens.size(), 7U);
}

TEST_F(KeyTest, RunDirectoryHasOneThatIsMadeOnce) {
    const testing::TemporaryDirectory directory;
    EXPECT_EQ(Key::of_run_directory(directory.path(), Key::IfMissing::leave).value(), nullptr);
    std::vector<std::thread> threads;
    std::vector<std::shared_ptr<const Key>> keys(8);
    for (auto& made : keys) {
        threads.emplace_back([&] { made = Key::of_run_directory(directory.path(), Key::IfMissing::make).value(); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const auto& made : keys) {
        EXPECT_EQ(made->bytes(), keys.front()->bytes());
    }
    struct stat status{};
    ASSERT_EQ(::stat((directory / "key").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
    const testing::TemporaryDirectory other;
    EXPECT_NE(Key::of_run_directory(other.path(), Key::IfMissing::make).value()->bytes(), keys.front()->bytes());
}

}  // namespace
}  // namespace staithe::transport
