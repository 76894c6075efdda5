// A file gets another name twice: may it have none?
//
// expect: ext4-ordered rc11 verified states=5 --syscall-errors

#include <assert.h>
#include <fcntl.h>
#include <selvedge.h>
#include <stdio.h>
#include <unistd.h>

void __VERIFIER_recovery_routine(void)
{
    int baz = open("baz", O_RDONLY), bar = open("bar", O_RDONLY), foo = open("foo", O_RDONLY);
    assert(foo >= 0 || bar >= 0 || baz >= 0);
}

int main(void)
{
    creat("foo", 0600);
    __VERIFIER_pbarrier();
    rename("foo", "bar");
    rename("bar", "baz");
    return 0;
}
