// A write-ahead log with a commit record: two bytes far apart change together, or recovery repeats the change.
//
// expect: ext4-ordered rc11 verified
// expect: ext4-writeback rc11 verified
// expect: ext4-ordered rc11 verified --crashes 2

#include <assert.h>
#include <fcntl.h>
#include <selvedge.h>
#include <unistd.h>

void __VERIFIER_recovery_routine(void)
{
    char log[8], first, last;
    int data = open("data", O_RDWR), fd = open("log", O_RDWR);
    pread(fd, log, 8, 0);
    if (log[6] == 'c') {
        pwrite(data, &log[0], 1, 0);
        pwrite(data, &log[1], 1, 7);
        fsync(data);
        pwrite(fd, "0", 1, 6);
    }
    pread(data, &first, 1, 0);
    pread(data, &last, 1, 7);
    assert(first == last);
}

int main(void)
{
    int data = open("data", O_CREAT | O_RDWR, 0600), log = open("log", O_CREAT | O_RDWR, 0600);
    write(data, "00000000", 8);
    write(log, "00000000", 8);
    __VERIFIER_pbarrier();
    pwrite(log, "11", 2, 0);
    fsync(log);
    pwrite(log, "c", 1, 6);
    fsync(log);
    pwrite(data, "1", 1, 0);
    pwrite(data, "1", 1, 7);
    fsync(data);
    pwrite(log, "0", 1, 6);
    return 0;
}
