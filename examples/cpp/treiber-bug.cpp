// A stack whose nodes are published without an ordering.
//
// expect: rc11 violated unpublished-object
#include <atomic>
#include <thread>

struct Node {
    int value;
    Node *next;
};
static std::atomic<Node *> top;

static void push(int value)
{
    auto *node = new Node {value, top.load(std::memory_order_relaxed)};
    while (!top.compare_exchange_weak(node->next, node, std::memory_order_relaxed)) { }
}

int main()
{
    std::thread pusher(push, 1);
    if (Node *node = top.load(std::memory_order_acquire))
        (void)*static_cast<volatile int *>(&node->value);
    pusher.join();
}
