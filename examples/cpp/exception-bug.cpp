// An exception that leaves a thread.
//
// expect: rc11 violated abort
#include <stdexcept>
#include <thread>

int main()
{
    std::thread thread([] { throw std::runtime_error("nobody is there"); });
    thread.join();
}
