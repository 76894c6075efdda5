// A text without its end.
// expect: rc11 violated out-of-bounds line=6
#include <string.h>
int main(void) {
    char s[3] = {'a', 'b', 'c'};
    return strlen(s);
}
