// A file is created, then another one grows: may it have grown without the first being there?
//
// expect: ext4-ordered rc11 verified states=3 --syscall-errors
// expect: ext4-writeback rc11 verified states=3 --syscall-errors

#include <assert.h>
#include <fcntl.h>
#include <selvedge.h>
#include <unistd.h>

void __VERIFIER_recovery_routine(void)
{
    long size = lseek(open("foo", O_RDONLY), 0, SEEK_END);
    int bar = open("bar", O_RDONLY);
    assert(!(size == 2 && bar < 0));
}

int main(void)
{
    int foo = open("foo", O_CREAT | O_WRONLY | O_APPEND, 0600);
    __VERIFIER_pbarrier();
    creat("bar", 0600);
    write(foo, "xx", 2);
    return 0;
}
