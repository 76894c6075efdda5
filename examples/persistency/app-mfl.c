// Blocks are appended to two files: may the second have grown and the first not?
//
// expect: ext4-ordered rc11 violated recovery-assertion
// expect: ext4-journal rc11 verified states=3

#include <assert.h>
#include <fcntl.h>
#include <selvedge.h>
#include <unistd.h>

void __VERIFIER_recovery_routine(void)
{
    long bar = lseek(open("bar", O_RDONLY), 0, SEEK_END);
    long foo = lseek(open("foo", O_RDONLY), 0, SEEK_END);
    assert(!(bar == 2 && foo == 0));
}

int main(void)
{
    char block[2] = {2, 2};
    int foo = open("foo", O_CREAT | O_WRONLY | O_APPEND, 0600), bar = open("bar", O_CREAT | O_WRONLY | O_APPEND, 0600);
    __VERIFIER_pbarrier();
    write(foo, block, 2);
    write(bar, block, 2);
    return 0;
}
