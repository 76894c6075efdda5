// expect: rc11 violated deadlock line=4
#include <unistd.h>
int main(void) {
    pause();
    return 0;
}
