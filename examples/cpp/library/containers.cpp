// Containers, text and types that threads share. -DPART names one, and -DWRONG=N has a mistake.
//
// expect: rc11 verified -DPART=counted
// expect: rc11 verified -DPART=sequences
// expect: rc11 verified -DPART=tables
// expect: rc11 verified -DPART=text
// expect: rc11 verified -DPART=types
// expect: rc11 verified -DPART=pointers
// expect: rc11 violated data-race -DPART=counted -DWRONG=1
// expect: rc11 violated use-after-free -DPART=pointers -DWRONG=2
// expect: rc11 violated out-of-bounds -DPART=pointers -DWRONG=3
// args: -std=c++23
#include <algorithm>
#include <any>
#include <array>
#include <cassert>
#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <queue>
#include <ranges>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>
#include <span>
#include <expected>
#include <bitset>
#ifndef WRONG
#define WRONG 0
#endif

std::map<std::string, int> words;
std::mutex mutex;

void count(std::string_view text)
{
    size_t from = 0;
    while (from < text.size()) {
        size_t to = std::min(text.find(' ', from), text.size());
#if WRONG != 1
        std::lock_guard lock(mutex);
#endif
        words[std::string(text.substr(from, to - from))]++;
        from = to + 1;
    }
}

void sequences()
{
    std::vector<int> numbers { 5, 3, 9 };
    numbers.push_back(1);
    numbers.insert(numbers.begin(), 7);
    std::sort(numbers.begin(), numbers.end());
    assert((numbers == std::vector { 1, 3, 5, 7, 9 }));
    numbers.erase(std::remove_if(numbers.begin(), numbers.end(), [](int n) { return n > 5; }), numbers.end());
    assert(std::accumulate(numbers.begin(), numbers.end(), 0) == 9);
    std::deque<int> deque;
    for (int n = 0; n < 200; n++)
        n % 2 ? deque.push_back(n) : deque.push_front(n);
    assert(deque.size() == 200 && deque.front() == 198 && deque.back() == 199);
    std::list<std::string> list { "b", "a", "c" };
    list.sort();
    list.reverse();
    assert(list.front() == "c");
    std::forward_list<int> forward { 1, 2 };
    forward.push_front(0);
    assert(std::distance(forward.begin(), forward.end()) == 3);
    std::array<int, 3> array { 1, 2, 3 };
    assert(std::ranges::max(array) == 3);
    std::priority_queue<int> queue;
    for (int n : { 3, 8, 5 })
        queue.push(n);
    assert(queue.top() == 8);
    auto even = array | std::views::filter([](int n) { return n % 2 == 0; });
    assert(std::ranges::distance(even) == 1);
    std::span<int> part(numbers.data(), 2);
    assert(part[1] == 3);
    std::bitset<70> bits;
    bits.set(69);
    assert(bits.count() == 1);
}

void tables()
{
    std::set<int> set { 4, 2, 8, 6 };
    set.erase(4);
    assert(*set.lower_bound(3) == 6 && set.size() == 3);
    std::multimap<int, char> many { { 1, 'a' }, { 1, 'b' } };
    assert(many.count(1) == 2);
    std::unordered_map<std::string, int> hashed;
    for (int n = 0; n < 30; n++)
        hashed[std::to_string(n)] = n;
    assert(hashed.size() == 30 && hashed.at("17") == 17 && !hashed.contains("31"));
    hashed.erase("17");
    assert(hashed.find("17") == hashed.end());
    std::unordered_set<int> numbers { 1, 1, 2 };
    assert(numbers.size() == 2);
}

void text()
{
    std::string text = "a text that is too long to be kept within its object";
    text.replace(0, 1, "one").append(", really").insert(3, "!");
    assert(text.starts_with("one! text") && text.find("too") != std::string::npos);
    assert(std::stoi("42") + std::stol("-2") == 40 && std::stod("2.5") == 2.5);
    std::ostringstream out;
    out << 3 << ' ' << 2.5 << ' ' << std::string("x") << ' ' << true;
    assert(out.str() == "3 2.5 x 1");
    assert(text.compare("p") < 0 && text.substr(5, 4) == "text" && std::string(3, 'z') + "y" == "zzzy");
}

struct Visitor {
    int operator()(int n) const { return n; }
    int operator()(const std::string &text) const { return static_cast<int>(text.size()); }
};

void types()
{
    std::optional<int> perhaps;
    assert(perhaps.value_or(3) == 3);
    perhaps = 4;
    assert(*perhaps == 4);
    std::variant<int, std::string> either = "four";
    assert(std::visit(Visitor(), either) == 4);
    either = 7;
    assert(std::get<int>(either) == 7);
    try {
        (void)std::get<std::string>(either);
        assert(false);
    } catch (const std::bad_variant_access &) {
    }
    std::any any = std::string("any");
    assert(std::any_cast<std::string &>(any) == "any");
    auto [a, b] = std::tuple(1, 'b');
    assert(a == 1 && b == 'b');
    std::function<int(int)> twice = [k = 2](int n) { return k * n; };
    assert(twice(4) == 8);
    auto bound = std::bind(std::plus<int>(), std::placeholders::_1, 5);
    assert(bound(1) == 6);
    std::expected<int, std::string> expected = std::unexpected("no");
    assert(!expected && expected.error() == "no");
}

void pointers()
{
    struct Node : std::enable_shared_from_this<Node> {
        int value = 6;
        std::weak_ptr<Node> back;
    };
#if WRONG == 2
    std::shared_ptr<Node> node(new Node);
#else
    auto node = std::make_shared<Node>();
#endif
    node->back = node->shared_from_this();
    std::thread other([copy = node] { assert(copy->value == 6); });
    std::weak_ptr<Node> weak = node;
#if WRONG == 2
    Node *raw = node.get();
    std::thread third([raw] { assert(raw->value == 6); });
    node.reset();
    third.join();
#else
    node.reset();
#endif
    if (auto strong = weak.lock())
        assert(strong->value == 6);
    other.join();
    assert(weak.expired());
    std::unique_ptr<int[]> array = std::make_unique<int[]>(3);
    array[WRONG == 3 ? 3 : 2] = 1;
}

void counted()
{
    std::thread other(count, "one two");
    count("two");
    other.join();
    assert(words["two"] == 2 && words.size() == 2);
}

int main() { PART(); }
