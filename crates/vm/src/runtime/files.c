/* Files, for every front end: lowered to `files.ir` by `scripts/runtime-files.sh`.
 *
 * The disk is four arrays, which the machine knows by their names and gives their sizes: bytes and sizes of files,
 * journals, and what names stand for. All of it is durable; the rest (open files, locks) is gone after a crash.
 * A name has a number, by its text. What it stands for is 0 for nothing, `DIRECTORY`, or one more than an inode.
 * Inodes are not used again; after a crash, the next ones begin elsewhere.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

ssize_t __selvedge_print(const void *text, size_t size);
ssize_t __selvedge_input_bytes(char *to, size_t n);
long __selvedge_path(const char *path);
long __selvedge_disk(long what);
void __selvedge_disk_fsync(long unit);
void __selvedge_disk_sync(void);
long __selvedge_call_failed(const char *call, long error);
void *__selvedge_map(long path, size_t size);
int __selvedge_choose(int ways);
int pthread_mutex_lock(void *lock);
int pthread_mutex_unlock(void *lock);

#define INODES 1024
#define INODES_BETWEEN_CRASHES 256
#define DIRECTORY 1000000
#define ROOT_IS_THERE 1
#define DESCRIPTORS 256
#define MAPPED (1L << 40)
#define SYNC 0x80000 /* MAP_SYNC */

char __selvedge_disk_data[INODES];
long __selvedge_disk_sizes[INODES];
long __selvedge_disk_journals[INODES];
long __selvedge_disk_names[1];

struct lock {
    long words[5];
};
struct description {
    long inode; /* or, of a directory, INODES and more */
    long flags;
    long offset;
    long references;
};

struct lock __selvedge_fs_names_lock;
struct lock __selvedge_fs_locks[INODES];
long __selvedge_fs_inodes;
long __selvedge_fs_descriptions_used;
struct description __selvedge_fs_descriptions[DESCRIPTORS];
int __selvedge_fs_descriptors[DESCRIPTORS]; /* 1 + the number of the description */
int __selvedge_fs_taken; /* so many from 3 on are taken, at least */

static long __selvedge_fs_fail(const char *call, long error)
{
    return __selvedge_call_failed(call, error);
}

static void __selvedge_fs_journal(long inode)
{
    __selvedge_disk_journals[inode] = __selvedge_disk_journals[inode] + 1;
}

static long __selvedge_fs_stands_for(long path)
{
    return path == __selvedge_disk(4) ? DIRECTORY : __selvedge_disk_names[path];
}

static struct description *__selvedge_fs_open_file(int fd)
{
    int number = 0;
    if (fd >= 3 && fd < DESCRIPTORS)
        number = __atomic_load_n(&__selvedge_fs_descriptors[fd], __ATOMIC_ACQUIRE);
    return number ? &__selvedge_fs_descriptions[number - 1] : NULL;
}

/* With the lock of names held. */
static int __selvedge_fs_new_descriptor(long description)
{
    for (int fd = 3 + __selvedge_fs_taken; fd < DESCRIPTORS; fd++)
        if (!__atomic_load_n(&__selvedge_fs_descriptors[fd], __ATOMIC_RELAXED)) {
            __selvedge_fs_taken = fd - 2;
            __atomic_store_n(&__selvedge_fs_descriptors[fd], (int)description + 1, __ATOMIC_RELEASE);
            return fd;
        }
    return -1;
}

/* Files that are mapped are persistent memory, which calls do not look at: its size. */
static long __selvedge_fs_mapped(long inode)
{
    return __selvedge_disk(MAPPED + __selvedge_disk(3) + inode);
}

static void __selvedge_fs_set_size(long inode, long size)
{
    __selvedge_fs_journal(inode);
    __selvedge_disk_sizes[inode] = size;
    __selvedge_fs_journal(inode);
}

static int __selvedge_fs_open(const char *call, const char *name, int flags)
{
    long error = 0, inode = 0, fd = -1;
    int access = flags & O_ACCMODE;
    long path = __selvedge_path(name);
    if (access == O_ACCMODE || (flags & ~(O_ACCMODE | O_CREAT | O_TRUNC | O_EXCL | O_APPEND | O_SYNC | O_DSYNC |
                                          O_CLOEXEC | O_NOFOLLOW | O_DIRECTORY | O_NOCTTY)))
        return (int)__selvedge_fs_fail(call, EINVAL);
    pthread_mutex_lock(&__selvedge_fs_names_lock);
    long is = __selvedge_fs_stands_for(path);
    if (!is && !(flags & O_CREAT))
        error = ENOENT;
    else if (!is && __selvedge_fs_stands_for(__selvedge_disk(16 + path)) != DIRECTORY)
        error = ENOENT;
    else if (is && (flags & O_CREAT) && (flags & O_EXCL))
        error = EEXIST;
    else if (is == DIRECTORY && access != O_RDONLY)
        error = EISDIR;
    else if (is && is != DIRECTORY && (flags & O_DIRECTORY))
        error = ENOTDIR;
    else if (is && is != DIRECTORY && (flags & O_TRUNC) && __selvedge_fs_mapped(is - 1))
        /* What is in memory would have to be zero again. */
        error = EOPNOTSUPP;
    else if (!is) {
        if (__selvedge_fs_inodes >= INODES_BETWEEN_CRASHES)
            error = ENOSPC;
        else {
            inode = __selvedge_disk(2) * INODES_BETWEEN_CRASHES + __selvedge_fs_inodes++;
            __selvedge_disk_names[path] = inode + 1;
        }
    } else
        inode = is == DIRECTORY ? __selvedge_disk(1) + path : is - 1;
    if (!error && __selvedge_fs_descriptions_used >= DESCRIPTORS)
        error = EMFILE;
    if (!error) {
        long description = __selvedge_fs_descriptions_used++;
        struct description *file = &__selvedge_fs_descriptions[description];
        file->inode = inode;
        file->flags = flags;
        file->offset = 0;
        file->references = 1;
        fd = __selvedge_fs_new_descriptor(description);
        if (fd < 0)
            error = EMFILE;
    }
    pthread_mutex_unlock(&__selvedge_fs_names_lock);
    if (error)
        return (int)__selvedge_fs_fail(call, error);
    if (is && is != DIRECTORY && (flags & O_TRUNC) && access != O_RDONLY) {
        pthread_mutex_lock(&__selvedge_fs_locks[inode]);
        if (__selvedge_disk_sizes[inode])
            __selvedge_fs_set_size(inode, 0);
        pthread_mutex_unlock(&__selvedge_fs_locks[inode]);
    }
    return (int)fd;
}

int open(const char *name, int flags, ...)
{
    return __selvedge_fs_open("open", name, flags);
}

int open64(const char *name, int flags, ...)
{
    return __selvedge_fs_open("open", name, flags);
}

int openat(int directory, const char *name, int flags, ...)
{
    if (directory != AT_FDCWD && name[0] != '/')
        return (int)__selvedge_fs_fail("openat", EOPNOTSUPP);
    return __selvedge_fs_open("openat", name, flags);
}

int creat(const char *name, mode_t mode)
{
    return __selvedge_fs_open("creat", name, O_CREAT | O_WRONLY | O_TRUNC);
}

int close(int fd)
{
    if (fd >= 0 && fd < 3)
        return 0;
    pthread_mutex_lock(&__selvedge_fs_names_lock);
    int was = fd >= 3 && fd < DESCRIPTORS ? __atomic_load_n(&__selvedge_fs_descriptors[fd], __ATOMIC_RELAXED) : 0;
    if (was) {
        __atomic_store_n(&__selvedge_fs_descriptors[fd], 0, __ATOMIC_RELEASE);
        if (fd - 3 < __selvedge_fs_taken)
            __selvedge_fs_taken = fd - 3;
    }
    pthread_mutex_unlock(&__selvedge_fs_names_lock);
    return was ? 0 : (int)__selvedge_fs_fail("close", EBADF);
}

int dup(int fd)
{
    pthread_mutex_lock(&__selvedge_fs_names_lock);
    int was = fd >= 3 && fd < DESCRIPTORS ? __atomic_load_n(&__selvedge_fs_descriptors[fd], __ATOMIC_RELAXED) : 0;
    int copy = was ? __selvedge_fs_new_descriptor(was - 1) : -1;
    pthread_mutex_unlock(&__selvedge_fs_names_lock);
    return copy >= 0 ? copy : (int)__selvedge_fs_fail("dup", was ? EMFILE : EBADF);
}

int fcntl(int fd, int command, ...)
{
    struct description *file = __selvedge_fs_open_file(fd);
    if (!file)
        return (int)__selvedge_fs_fail("fcntl", EBADF);
    if (command == F_GETFL)
        return (int)file->flags;
    if (command == F_GETFD || command == F_SETFD)
        return 0;
    return (int)__selvedge_fs_fail("fcntl", EOPNOTSUPP);
}

/* With the lock of the file held. `offset` is where to, or -1: the descriptor's own, or the end of the file. */
static ssize_t __selvedge_fs_put(struct description *file, const char *from, size_t n, long offset, long *error)
{
    long inode = file->inode, most = __selvedge_disk(0);
    long size = __selvedge_disk_sizes[inode];
    long at = offset >= 0 ? offset : file->flags & O_APPEND ? size : file->offset;
    if (n == 0)
        return 0;
    if (at < 0 || (long)n < 0 || at + (long)n > most) {
        *error = EFBIG;
        return -1;
    }
    int grows = at + (long)n > size;
    if (grows)
        __selvedge_fs_journal(inode);
    for (long hole = size; hole < at; hole++)
        __selvedge_disk_data[inode * most + hole] = 0;
    for (size_t i = 0; i < n; i++)
        __selvedge_disk_data[inode * most + at + i] = from[i];
    if (grows) {
        __selvedge_disk_sizes[inode] = at + n;
        __selvedge_fs_journal(inode);
    }
    if (offset < 0)
        file->offset = at + n;
    return n;
}

static ssize_t __selvedge_fs_get(struct description *file, char *to, size_t n, long offset)
{
    long inode = file->inode, most = __selvedge_disk(0);
    long at = offset >= 0 ? offset : file->offset;
    long size = __selvedge_disk_sizes[inode];
    long left = at < size ? size - at : 0;
    if ((long)n > left)
        n = left;
    for (size_t i = 0; i < n; i++)
        to[i] = __selvedge_disk_data[inode * most + at + i];
    if (offset < 0)
        file->offset = at + n;
    return n;
}

/* How much of what was asked for is done, if that may be less. */
static size_t __selvedge_fs_part(size_t n)
{
    return n > 1 && __selvedge_disk(5) ? n - (size_t)__selvedge_choose((int)n) : n;
}

static ssize_t __selvedge_fs_write(const char *call, int fd, const struct iovec *parts, int count, long offset)
{
    long error = 0;
    ssize_t done = 0;
    if (fd == 1 || fd == 2) {
        for (int i = 0; i < count; i++)
            done += __selvedge_print(parts[i].iov_base, parts[i].iov_len);
        return done;
    }
    struct description *file = __selvedge_fs_open_file(fd);
    if (!file || (file->flags & O_ACCMODE) == O_RDONLY || file->inode >= __selvedge_disk(1))
        return __selvedge_fs_fail(call, EBADF);
    if (__selvedge_fs_mapped(file->inode))
        return __selvedge_fs_fail(call, EOPNOTSUPP);
    pthread_mutex_lock(&__selvedge_fs_locks[file->inode]);
    for (int i = 0; i < count && !error; i++) {
        size_t part = __selvedge_fs_part(parts[i].iov_len);
        ssize_t n = __selvedge_fs_put(file, parts[i].iov_base, part, offset < 0 ? -1 : offset + done, &error);
        if (n > 0)
            done += n;
        if (part < parts[i].iov_len)
            break;
    }
    if (!error && (file->flags & (O_SYNC | O_DSYNC)))
        __selvedge_disk_fsync(file->inode);
    pthread_mutex_unlock(&__selvedge_fs_locks[file->inode]);
    return error ? __selvedge_fs_fail(call, error) : done;
}

static ssize_t __selvedge_fs_read(const char *call, int fd, const struct iovec *parts, int count, long offset)
{
    ssize_t done = 0;
    if (fd == 0) {
        for (int i = 0; i < count; i++) {
            ssize_t n = __selvedge_input_bytes(parts[i].iov_base, parts[i].iov_len);
            done += n;
            if ((size_t)n < parts[i].iov_len)
                break;
        }
        return done;
    }
    struct description *file = __selvedge_fs_open_file(fd);
    if (!file || (file->flags & O_ACCMODE) == O_WRONLY)
        return __selvedge_fs_fail(call, EBADF);
    if (file->inode >= __selvedge_disk(1))
        return __selvedge_fs_fail(call, EISDIR);
    if (__selvedge_fs_mapped(file->inode))
        return __selvedge_fs_fail(call, EOPNOTSUPP);
    pthread_mutex_lock(&__selvedge_fs_locks[file->inode]);
    for (int i = 0; i < count; i++) {
        size_t part = __selvedge_fs_part(parts[i].iov_len);
        ssize_t n = __selvedge_fs_get(file, parts[i].iov_base, part, offset < 0 ? -1 : offset + done);
        done += n;
        if ((size_t)n < parts[i].iov_len)
            break;
    }
    pthread_mutex_unlock(&__selvedge_fs_locks[file->inode]);
    return done;
}

ssize_t write(int fd, const void *from, size_t n)
{
    struct iovec part = {(void *)from, n};
    return __selvedge_fs_write("write", fd, &part, 1, -1);
}

ssize_t pwrite(int fd, const void *from, size_t n, off_t offset)
{
    struct iovec part = {(void *)from, n};
    if (offset < 0)
        return __selvedge_fs_fail("pwrite", EINVAL);
    return __selvedge_fs_write("pwrite", fd, &part, 1, offset);
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
    return __selvedge_fs_write("writev", fd, parts, count, -1);
}

ssize_t read(int fd, void *to, size_t n)
{
    struct iovec part = {to, n};
    return __selvedge_fs_read("read", fd, &part, 1, -1);
}

ssize_t pread(int fd, void *to, size_t n, off_t offset)
{
    struct iovec part = {to, n};
    if (offset < 0)
        return __selvedge_fs_fail("pread", EINVAL);
    return __selvedge_fs_read("pread", fd, &part, 1, offset);
}

ssize_t readv(int fd, const struct iovec *parts, int count)
{
    return __selvedge_fs_read("readv", fd, parts, count, -1);
}

off_t lseek(int fd, off_t offset, int whence)
{
    long to = -1;
    struct description *file = __selvedge_fs_open_file(fd);
    if (!file || file->inode >= __selvedge_disk(1))
        return __selvedge_fs_fail("lseek", EBADF);
    pthread_mutex_lock(&__selvedge_fs_locks[file->inode]);
    if (whence == 0)
        to = offset;
    else if (whence == 1)
        to = file->offset + offset;
    else if (whence == 2)
        to = __selvedge_disk_sizes[file->inode] + offset;
    if (to >= 0)
        file->offset = to;
    pthread_mutex_unlock(&__selvedge_fs_locks[file->inode]);
    return to >= 0 ? to : __selvedge_fs_fail("lseek", EINVAL);
}

static int __selvedge_fs_truncate(const char *call, long inode, off_t size)
{
    long most = __selvedge_disk(0);
    if (size < 0)
        return (int)__selvedge_fs_fail(call, EINVAL);
    if (size > most)
        return (int)__selvedge_fs_fail(call, EFBIG);
    pthread_mutex_lock(&__selvedge_fs_locks[inode]);
    long old = __selvedge_disk_sizes[inode];
    /* The same of what is cut off, and of what comes back after a crash that lost the size. */
    if (__selvedge_fs_mapped(inode) && (size < old || (size > old && __selvedge_disk(2)))) {
        pthread_mutex_unlock(&__selvedge_fs_locks[inode]);
        return (int)__selvedge_fs_fail(call, EOPNOTSUPP);
    }
    if (old != size) {
        __selvedge_fs_journal(inode);
        for (long hole = old; hole < size; hole++)
            __selvedge_disk_data[inode * most + hole] = 0;
        __selvedge_disk_sizes[inode] = size;
        __selvedge_fs_journal(inode);
    }
    pthread_mutex_unlock(&__selvedge_fs_locks[inode]);
    return 0;
}

int ftruncate(int fd, off_t size)
{
    struct description *file = __selvedge_fs_open_file(fd);
    if (!file || file->inode >= __selvedge_disk(1))
        return (int)__selvedge_fs_fail("ftruncate", EBADF);
    if ((file->flags & O_ACCMODE) == O_RDONLY)
        return (int)__selvedge_fs_fail("ftruncate", EINVAL);
    return __selvedge_fs_truncate("ftruncate", file->inode, size);
}

/* What a name stands for. */
static long __selvedge_fs_look(const char *name)
{
    long path = __selvedge_path(name);
    pthread_mutex_lock(&__selvedge_fs_names_lock);
    long is = __selvedge_fs_stands_for(path);
    pthread_mutex_unlock(&__selvedge_fs_names_lock);
    return is;
}

int truncate(const char *name, off_t size)
{
    long is = __selvedge_fs_look(name);
    if (!is || is == DIRECTORY)
        return (int)__selvedge_fs_fail("truncate", is ? EISDIR : ENOENT);
    return __selvedge_fs_truncate("truncate", is - 1, size);
}

int fsync(int fd)
{
    struct description *file = __selvedge_fs_open_file(fd);
    if (!file)
        return (int)__selvedge_fs_fail("fsync", EBADF);
    __selvedge_disk_fsync(file->inode);
    return 0;
}

int fdatasync(int fd)
{
    struct description *file = __selvedge_fs_open_file(fd);
    if (!file)
        return (int)__selvedge_fs_fail("fdatasync", EBADF);
    __selvedge_disk_fsync(file->inode);
    return 0;
}

void sync(void)
{
    __selvedge_disk_sync();
}

int syncfs(int fd)
{
    if (!__selvedge_fs_open_file(fd))
        return (int)__selvedge_fs_fail("syncfs", EBADF);
    __selvedge_disk_sync();
    return 0;
}

/* It promises nothing for after a crash. */
int sync_file_range(int fd, off_t from, off_t n, unsigned flags)
{
    return __selvedge_fs_open_file(fd) ? 0 : (int)__selvedge_fs_fail("sync_file_range", EBADF);
}

static int __selvedge_fs_name(const char *call, const char *old, const char *new, int rename)
{
    long error = 0, from = __selvedge_path(old), to = __selvedge_path(new);
    pthread_mutex_lock(&__selvedge_fs_names_lock);
    long is = __selvedge_fs_stands_for(from), was = __selvedge_fs_stands_for(to);
    if (!is || __selvedge_fs_stands_for(__selvedge_disk(16 + to)) != DIRECTORY)
        error = ENOENT;
    else if (is == DIRECTORY)
        error = EOPNOTSUPP;
    else if (was == DIRECTORY)
        error = EISDIR;
    else if (!rename && was)
        error = EEXIST;
    else if (is != was) {
        __selvedge_disk_names[to] = is;
        if (rename)
            __selvedge_disk_names[from] = 0;
    }
    pthread_mutex_unlock(&__selvedge_fs_names_lock);
    return error ? (int)__selvedge_fs_fail(call, error) : 0;
}

int rename(const char *old, const char *new)
{
    return __selvedge_fs_name("rename", old, new, 1);
}

int link(const char *old, const char *new)
{
    return __selvedge_fs_name("link", old, new, 0);
}

static int __selvedge_fs_remove(const char *call, const char *name, int directory)
{
    long error = 0, path = __selvedge_path(name);
    pthread_mutex_lock(&__selvedge_fs_names_lock);
    long is = __selvedge_fs_stands_for(path);
    if (!is)
        error = ENOENT;
    else if (directory && is != DIRECTORY)
        error = ENOTDIR;
    else if (!directory && is == DIRECTORY)
        error = EISDIR;
    else if (path == __selvedge_disk(4))
        error = EBUSY;
    if (!error && directory)
        for (long i = 0, n = __selvedge_disk(3); i < n && !error; i++)
            if (i != path && __selvedge_disk(16 + i) == path && __selvedge_disk_names[i])
                error = ENOTEMPTY;
    if (!error)
        __selvedge_disk_names[path] = 0;
    pthread_mutex_unlock(&__selvedge_fs_names_lock);
    return error ? (int)__selvedge_fs_fail(call, error) : 0;
}

int unlink(const char *name)
{
    return __selvedge_fs_remove("unlink", name, 0);
}

int rmdir(const char *name)
{
    return __selvedge_fs_remove("rmdir", name, 1);
}

int mkdir(const char *name, mode_t mode)
{
    long error = 0, path = __selvedge_path(name);
    pthread_mutex_lock(&__selvedge_fs_names_lock);
    if (__selvedge_fs_stands_for(path))
        error = EEXIST;
    else if (__selvedge_fs_stands_for(__selvedge_disk(16 + path)) != DIRECTORY)
        error = ENOENT;
    else
        __selvedge_disk_names[path] = DIRECTORY;
    pthread_mutex_unlock(&__selvedge_fs_names_lock);
    return error ? (int)__selvedge_fs_fail("mkdir", error) : 0;
}

int access(const char *name, int mode)
{
    return __selvedge_fs_look(name) ? 0 : (int)__selvedge_fs_fail("access", ENOENT);
}

static void __selvedge_fs_describe(struct stat *to, long inode)
{
    int directory = inode >= __selvedge_disk(1);
    to->st_ino = inode;
    to->st_mode = directory ? S_IFDIR | 0755 : S_IFREG | 0644;
    to->st_nlink = 1;
    if (directory) {
        to->st_size = 0;
        return;
    }
    pthread_mutex_lock(&__selvedge_fs_locks[inode]);
    to->st_size = __selvedge_disk_sizes[inode];
    pthread_mutex_unlock(&__selvedge_fs_locks[inode]);
}

int stat(const char *name, struct stat *to)
{
    long is = __selvedge_fs_look(name);
    if (!is)
        return (int)__selvedge_fs_fail("stat", ENOENT);
    __selvedge_fs_describe(to, is == DIRECTORY ? __selvedge_disk(1) + __selvedge_path(name) : is - 1);
    return 0;
}

int lstat(const char *name, struct stat *to)
{
    return stat(name, to);
}

int fstat(int fd, struct stat *to)
{
    struct description *file = __selvedge_fs_open_file(fd);
    if (!file)
        return (int)__selvedge_fs_fail("fstat", EBADF);
    __selvedge_fs_describe(to, file->inode);
    return 0;
}

/* A file on persistent memory, as memory: the whole of it, without the page cache in between. Memory of no file is that
 * of `calloc`. */
void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    long error = 0;
    if ((flags & MAP_ANONYMOUS) && !(flags & MAP_FIXED) && size)
        return calloc(1, size);
    if ((flags & MAP_ANONYMOUS) || !(flags & SYNC) || (flags & MAP_TYPE) == MAP_PRIVATE || offset)
        return (void *)__selvedge_fs_fail("mmap", EOPNOTSUPP);
    struct description *file = __selvedge_fs_open_file(fd);
    if (!file || file->inode >= __selvedge_disk(1))
        return (void *)__selvedge_fs_fail("mmap", EBADF);
    pthread_mutex_lock(&__selvedge_fs_locks[file->inode]);
    if (size == 0 || (long)size != __selvedge_disk_sizes[file->inode])
        error = EINVAL;
    pthread_mutex_unlock(&__selvedge_fs_locks[file->inode]);
    if (error)
        return (void *)__selvedge_fs_fail("mmap", error);
    return __selvedge_map(__selvedge_disk(3) + file->inode, size);
}
