// Two threads that do nothing.
//
// expect: rc11 verified executions=1
#include <thread>

int main()
{
    std::thread one([] {}), other([] {});
    one.join();
    other.join();
}
