// As two-files.c, but the file that is in use is written.
//
// expect: ext4-ordered rc11 violated recovery-assertion
// expect: ext4-writeback rc11 violated recovery-assertion

#include <assert.h>
#include <fcntl.h>
#include <selvedge.h>
#include <unistd.h>

void __VERIFIER_recovery_routine(void)
{
    char a[4], b[4];
    pread(open("a", O_RDONLY), a, 4, 0);
    pread(open("b", O_RDONLY), b, 4, 0);
    char *now = b[0] == b[3] && b[3] > a[3] ? b : a;
    assert(now[0] == now[3] && now[1] == now[2] && now[1] != 'y');
}

int main(void)
{
    int a = open("a", O_CREAT | O_RDWR, 0600), b = open("b", O_CREAT | O_RDWR, 0600);
    write(a, "1xx1", 4);
    write(b, "0yy0", 4);
    __VERIFIER_pbarrier();
    pwrite(a, "2zz", 3, 0);
    fsync(a);
    pwrite(a, "2", 1, 3);
    fsync(a);
    return 0;
}
