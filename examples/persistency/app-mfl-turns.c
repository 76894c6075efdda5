// Four bytes are appended to two files in turn: may the second be longer than the first? With everything in the journal,
// the eight changes of sizes persist one after the other: nine states.
//
// expect: ext4-ordered rc11 violated recovery-assertion
// expect: ext4-journal rc11 verified states=9

#include <assert.h>
#include <fcntl.h>
#include <selvedge.h>
#include <unistd.h>

void __VERIFIER_recovery_routine(void)
{
    long bar = lseek(open("bar", O_RDONLY), 0, SEEK_END);
    long foo = lseek(open("foo", O_RDONLY), 0, SEEK_END);
    assert(bar <= foo);
}

int main(void)
{
    int foo = open("foo", O_CREAT | O_WRONLY | O_APPEND, 0600), bar = open("bar", O_CREAT | O_WRONLY | O_APPEND, 0600);
    __VERIFIER_pbarrier();
    for (int i = 0; i < 4; i++) {
        write(foo, "x", 1);
        write(bar, "x", 1);
    }
    return 0;
}
