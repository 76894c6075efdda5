// A line may be this one.
// expect: rc11 violated assertion line=10
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void) {
    char line[8] = "";
    if (fgets(line, sizeof line, stdin))
        assert(strcmp(line, "no\n"));
    return 0;
}
