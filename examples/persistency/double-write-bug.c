// As double-write.c, but the buffer is not synchronised before the page is written in its place.
//
// expect: ext4-ordered rc11 violated recovery-assertion
// expect: ext4-writeback rc11 violated recovery-assertion

#include <assert.h>
#include <fcntl.h>
#include <selvedge.h>
#include <unistd.h>

void __VERIFIER_recovery_routine(void)
{
    char page[5], copy[5];
    pread(open("data", O_RDONLY), page, 4, 0);
    pread(open("buffer", O_RDONLY), copy, 5, 0);
    int torn = page[0] != page[1] || page[1] != page[2] || page[2] != page[3];
    if (torn)
        assert(copy[4] == copy[0] && copy[0] == copy[1] && copy[1] == copy[2] && copy[2] == copy[3]);
}

int main(void)
{
    int data = open("data", O_CREAT | O_RDWR, 0600), buffer = open("buffer", O_CREAT | O_RDWR, 0600);
    write(data, "aaaa", 4);
    write(buffer, "aaaaa", 5);
    __VERIFIER_pbarrier();
    pwrite(buffer, "?", 1, 4);
    fsync(buffer);
    pwrite(buffer, "bbbb", 4, 0);
    pwrite(buffer, "b", 1, 4);
    pwrite(data, "bbbb", 4, 0);
    fsync(data);
    return 0;
}
