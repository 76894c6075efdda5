// What is thrown is caught by its type, by a base, by anything; what is on the way is destroyed.
//
// expect: rc11 verified executions=1
#include <cassert>
#include <stdexcept>
#include <string>
#include <thread>

struct Noticed {
    int &count;
    ~Noticed() { count++; }
};

struct Own : std::runtime_error {
    using std::runtime_error::runtime_error;
};

static int which(int n)
{
    try {
        switch (n) {
        case 0: throw 7;
        case 1: throw Own("own");
        case 2: throw std::out_of_range("range");
        case 3: throw 'c';
        default: return 0;
        }
    } catch (int number) {
        return number;
    } catch (const std::runtime_error &error) {
        return std::string(error.what()) == "own" ? 1 : -1;
    } catch (const std::exception &) {
        return 2;
    } catch (...) {
        return 3;
    }
}

int main()
{
    assert(which(0) == 7 && which(1) == 1 && which(2) == 2 && which(3) == 3 && which(4) == 0);
    int count = 0;
    try {
        Noticed outer { count };
        try {
            Noticed inner { count };
            throw Own("again");
        } catch (const Own &) {
            assert(count == 1);
            throw;
        }
    } catch (const std::exception &error) {
        assert(std::string(error.what()) == "again");
    }
    assert(count == 2);
}
