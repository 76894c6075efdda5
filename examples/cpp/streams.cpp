// Output from two threads, and to a string.
//
// expect: rc11 verified
#include <cassert>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <thread>

int main()
{
    std::thread thread([] { std::cout << "one " << 1 << std::endl; });
    std::cout << std::string("two ") << 2.5 << '\n';
    thread.join();

    std::ostringstream text;
    text << std::setw(4) << 7 << std::hex << 255 << std::boolalpha << true;
    assert(text.str() == "   7fftrue");
}
