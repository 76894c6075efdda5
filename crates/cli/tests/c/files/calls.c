// What system calls on files do, and what they fail with. The same program runs as it is on Linux, but for locks, and
// for how large a file may be.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define FAILS(call, why) (errno = 0, assert((call) == -1 && errno == (why)))

int main(void)
{
    char b[8] = {0}, c[8] = {0};
    struct stat s;
    /* open, creat, openat, flags */
    FAILS(open("a", O_RDONLY), ENOENT);
    FAILS(open("none/a", O_CREAT | O_RDWR, 0600), ENOENT);
    int fd = open("a", O_CREAT | O_EXCL | O_RDWR, 0600);
    assert(fd == 3);
    FAILS(open("a", O_CREAT | O_EXCL | O_RDWR, 0600), EEXIST);
    FAILS(open("a", O_RDONLY | O_DIRECTORY), ENOTDIR);
    FAILS(open("a", 3), EINVAL);
    assert(write(fd, "abcdef", 6) == 6);
    assert(lseek(fd, 1, SEEK_SET) == 1 && read(fd, b, 2) == 2 && b[0] == 'b' && b[1] == 'c');
    assert(lseek(fd, -1, SEEK_CUR) == 2 && lseek(fd, -1, SEEK_END) == 5 && read(fd, b, 8) == 1 && b[0] == 'f');
    assert(read(fd, b, 8) == 0);
    FAILS(lseek(fd, -9, SEEK_SET), EINVAL);
    FAILS(lseek(fd, 0, 7), EINVAL);
    /* pread, pwrite do not move the offset */
    assert(pwrite(fd, "X", 1, 2) == 1 && pread(fd, b, 3, 1) == 3 && b[1] == 'X' && lseek(fd, 0, SEEK_CUR) == 6);
    FAILS(pread(fd, b, 1, -1), EINVAL);
    FAILS(pwrite(fd, b, 1, -1), EINVAL);
    /* past the end: zeros */
    assert(pwrite(fd, "z", 1, 8) == 1 && pread(fd, b, 8, 6) == 3 && b[0] == 0 && b[1] == 0 && b[2] == 'z');
    /* readv, writev */
    struct iovec two[2] = {{b, 1}, {c, 2}}, out[2] = {{"12", 2}, {"3", 1}};
    assert(lseek(fd, 0, SEEK_SET) == 0 && writev(fd, out, 2) == 3);
    assert(lseek(fd, 0, SEEK_SET) == 0 && readv(fd, two, 2) == 3 && b[0] == '1' && c[0] == '2' && c[1] == '3');
    /* dup shares the offset; close of one leaves the other */
    int other = dup(fd);
    assert(other == 4 && lseek(other, 4, SEEK_SET) == 4 && lseek(fd, 0, SEEK_CUR) == 4);
    assert(close(other) == 0 && fstat(fd, &s) == 0 && s.st_size == 9);
    FAILS(close(other), EBADF);
    FAILS(dup(other), EBADF);
    FAILS(read(other, b, 1), EBADF);
    FAILS(write(other, b, 1), EBADF);
    FAILS(lseek(other, 0, SEEK_SET), EBADF);
    FAILS(fsync(other), EBADF);
    FAILS(fdatasync(other), EBADF);
    FAILS(sync_file_range(other, 0, 0, 0), EBADF);
    FAILS(fstat(other, &s), EBADF);
    FAILS(ftruncate(other, 0), EBADF);
    FAILS(fcntl(other, F_GETFL), EBADF);
    /* locks are refused */
    FAILS(fcntl(fd, F_SETLK, 0), EOPNOTSUPP);
    assert(fcntl(fd, F_GETFD) == 0 && (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR);
    /* for reading or writing only */
    int r = open("a", O_RDONLY), w = open("a", O_WRONLY);
    FAILS(write(r, "x", 1), EBADF);
    FAILS(read(w, b, 1), EBADF);
    FAILS(ftruncate(r, 0), EINVAL);
    /* truncate */
    assert(ftruncate(fd, 2) == 0 && stat("a", &s) == 0 && s.st_size == 2 && S_ISREG(s.st_mode));
    assert(truncate("a", 4) == 0 && pread(fd, b, 8, 0) == 4 && b[1] == '2' && b[2] == 0 && b[3] == 0);
    FAILS(truncate("b", 1), ENOENT);
    FAILS(truncate("a", -1), EINVAL);
    FAILS(truncate("a", 1000), EFBIG);
    FAILS(pwrite(fd, "x", 1, 64), EFBIG);
    /* O_TRUNC, creat, O_APPEND */
    close(creat("a", 0600));
    assert(stat("a", &s) == 0 && s.st_size == 0);
    int log = open("a", O_WRONLY | O_APPEND), twice = open("a", O_WRONLY | O_APPEND);
    assert(write(log, "p", 1) == 1 && write(twice, "q", 1) == 1 && write(log, "r", 1) == 1);
    assert(pread(fd, b, 8, 0) == 3 && b[0] == 'p' && b[1] == 'q' && b[2] == 'r');
    /* link, unlink, rename: open files stay what they are */
    assert(link("a", "b") == 0 && unlink("a") == 0 && access("a", F_OK) == -1 && access("b", F_OK) == 0);
    FAILS(unlink("a"), ENOENT);
    FAILS(link("a", "c"), ENOENT);
    close(creat("c", 0600));
    FAILS(link("b", "c"), EEXIST);
    FAILS(rename("a", "c"), ENOENT);
    int old = open("c", O_RDWR);
    write(old, "old", 3);
    assert(rename("b", "c") == 0 && pread(old, b, 8, 0) == 3 && b[0] == 'o');
    assert(stat("c", &s) == 0 && s.st_size == 3 && pread(fd, b, 8, 0) == 3 && b[0] == 'p');
    assert(unlink("c") == 0 && pwrite(fd, "s", 1, 3) == 1 && fstat(fd, &s) == 0 && s.st_size == 4);
    /* directories */
    assert(mkdir("d", 0700) == 0 && stat("d", &s) == 0 && S_ISDIR(s.st_mode));
    FAILS(mkdir("d", 0700), EEXIST);
    FAILS(mkdir("none/d", 0700), ENOENT);
    FAILS(rmdir("none"), ENOENT);
    FAILS(unlink("d"), EISDIR);
    FAILS(open("d", O_WRONLY), EISDIR);
    close(openat(AT_FDCWD, "d/f", O_CREAT | O_WRONLY, 0600));
    FAILS(rmdir("d"), ENOTEMPTY);
    FAILS(rmdir("d/f"), ENOTDIR);
    FAILS(rename("c", "d"), ENOENT);
    int dir = open("d", O_RDONLY | O_DIRECTORY);
    FAILS(read(dir, b, 1), EISDIR);
    assert(fsync(dir) == 0 && syncfs(dir) == 0);
    assert(unlink("d/f") == 0 && rmdir("d") == 0);
    FAILS(stat("d", &s), ENOENT);
    FAILS(access("d", F_OK), ENOENT);
    /* nothing to write, nothing to read */
    assert(write(fd, b, 0) == 0 && read(fd, b, 0) == 0);
    sync();
    return 0;
}
