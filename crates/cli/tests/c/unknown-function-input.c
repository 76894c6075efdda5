// A function that nobody knows gives any value, if that is asked for.
// check: --unknown-functions input
// expect: sc verified executions=2
// expect: rc11 verified executions=2
#include <assert.h>
extern int driver_status(int port);
extern void driver_reset(void);
int main(void) {
    driver_reset();
    int status = driver_status(3);
    if (status > 5) assert(status != 5);
}
