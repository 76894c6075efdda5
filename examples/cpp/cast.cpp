// Casts to where an object is more than it seems.
//
// expect: rc11 verified executions=1
#include <cassert>
#include <typeinfo>

struct Left {
    virtual ~Left() = default;
};
struct Right {
    virtual ~Right() = default;
};
struct Both : Left, virtual Right { };

int main()
{
    Both both;
    Left plain, *left = &both;
    assert(dynamic_cast<Both *>(left) == &both);
    assert(dynamic_cast<Right *>(left) == &both);
    assert(!dynamic_cast<Both *>(&plain));
    assert(typeid(*left) == typeid(Both));
    try {
        (void)dynamic_cast<Both &>(plain);
        assert(false);
    } catch (const std::bad_cast &) {
    }
}
