// Three threads that push to a stack.
#include <atomic>
#include <cassert>
#include <thread>

struct Node {
    int value;
    Node *next;
};
static std::atomic<Node *> top;

static void push(int value)
{
    auto *node = new Node {value, top.load(std::memory_order_relaxed)};
    while (!top.compare_exchange_weak(node->next, node, std::memory_order_release, std::memory_order_relaxed)) { }
}

int main()
{
    std::thread threads[3];
    for (int i = 0; i < 3; i++)
        threads[i] = std::thread(push, i + 1);
    for (auto &thread : threads)
        thread.join();
    int sum = 0;
    for (Node *node = top; node; node = node->next)
        sum += node->value;
    assert(sum == 6);
}
