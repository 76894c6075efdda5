// Overwrites of two files: may the second have persisted and the first not?
//
// expect: ext4-ordered rc11 violated recovery-assertion
// expect: ext4-journal rc11 verified states=3

#include <assert.h>
#include <fcntl.h>
#include <selvedge.h>
#include <unistd.h>

void __VERIFIER_recovery_routine(void)
{
    char x, y;
    pread(open("y", O_RDONLY), &y, 1, 0);
    pread(open("x", O_RDONLY), &x, 1, 0);
    assert(!(y == '1' && x == '0'));
}

int main(void)
{
    int x = open("x", O_CREAT | O_RDWR, 0600), y = open("y", O_CREAT | O_RDWR, 0600);
    write(x, "0", 1);
    write(y, "0", 1);
    __VERIFIER_pbarrier();
    pwrite(x, "1", 1, 0);
    pwrite(y, "1", 1, 0);
    return 0;
}
