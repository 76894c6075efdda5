// As save-directory.c, but it is the empty file that is synchronised, not the directory that has its name.
//
// expect: ext4-ordered rc11 violated recovery-assertion --syscall-errors
// expect: ext4-writeback rc11 violated recovery-assertion --syscall-errors

#include <assert.h>
#include <fcntl.h>
#include <selvedge.h>
#include <sys/stat.h>
#include <unistd.h>

void __VERIFIER_recovery_routine(void)
{
    char done;
    pread(open("done", O_RDONLY), &done, 1, 0);
    if (done == '1')
        assert(open("data/new", O_RDONLY) >= 0);
}

int main(void)
{
    mkdir("data", 0700);
    int done = open("done", O_CREAT | O_RDWR, 0600);
    write(done, "0", 1);
    __VERIFIER_pbarrier();
    int new = open("data/new", O_CREAT | O_WRONLY, 0600), data = open("data", O_RDONLY | O_DIRECTORY);
    fsync(new);
    pwrite(done, "1", 1, 0);
    close(new);
    return 0;
}
