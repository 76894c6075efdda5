// expect: rc11 unknown
// message: a handler for signals
#include <signal.h>
static void handler(int s) { (void)s; }
int main(void) { signal(SIGINT, handler); return 0; }
