// A file gets another name: may it have none?
//
// expect: ext4-ordered rc11 verified states=3 --syscall-errors

#include <assert.h>
#include <fcntl.h>
#include <selvedge.h>
#include <stdio.h>
#include <unistd.h>

void __VERIFIER_recovery_routine(void)
{
    int bar = open("bar", O_RDONLY), foo = open("foo", O_RDONLY);
    assert(foo >= 0 || bar >= 0);
}

int main(void)
{
    creat("foo", 0600);
    __VERIFIER_pbarrier();
    rename("foo", "bar");
    return 0;
}
