// check: --unknown-functions input
// expect: rc11 violated assertion line=6
#include <assert.h>
extern int driver_status(int port);
int main(void) {
    assert(driver_status(3) != 5);
}
