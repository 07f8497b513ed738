/* Let one disk call of a process fail, or kill the process there. Loaded with LD_PRELOAD, armed by `faults.py`.

   Counted are the calls that change a regular file or a folder. Each is noted by a letter in memory that is shared
   with the parent process, which so learns where a command that was killed had been. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NONE, KILLED, FULL, BROKEN, SHORT };
enum { PASS, FAIL, HALF, HALF_AND_DIE };
#define MOST 20000

static struct { long calls; char letters[MOST]; } *shared;
static pid_t armed;
static long fatal;
static int kind;
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void make(void) {
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

/* Count from now on in this process; its n-th call meets the fault (0: none does). */
void arm_fault(long n, int what) { fatal = n; kind = what; shared->calls = 0; armed = getpid(); }
void disarm_fault(void) { armed = 0; }
long count_calls(void) { return shared->calls; }
const char *read_letters(void) { return shared->letters; }

static int needs_space(char letter) { return strchr("owmlc", letter) != NULL; }

static int meet(char letter) {
    int fate = PASS;
    if (armed != getpid()) return PASS;
    pthread_mutex_lock(&one);
    long n = ++shared->calls;
    if (n < MOST) { shared->letters[n - 1] = letter; shared->letters[n] = 0; }
    if (fatal && n == fatal && kind == KILLED) {
        if (letter == 'w' && n % 2) fate = HALF_AND_DIE;
        else kill(getpid(), SIGKILL);
    } else if (fatal && n == fatal && kind == BROKEN) { errno = EIO; fate = FAIL; }
    else if (fatal && n == fatal && kind == SHORT && letter == 'w') fate = HALF;
    else if (fatal && n >= fatal && kind == FULL && needs_space(letter)) { errno = ENOSPC; fate = FAIL; }
    pthread_mutex_unlock(&one);
    return fate;
}

/* A file that is no standard stream. */
static int is_regular(int fd) { struct stat s; return fd > 2 && !fstat(fd, &s) && S_ISREG(s.st_mode); }

#define REAL(name) static __typeof__(name) *real; if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define WRITE(name, parameters, half, ...) ssize_t name parameters { \
    REAL(name); \
    int fate = is_regular(fd) ? meet('w') : PASS; \
    if (fate == FAIL) return -1; \
    if (fate == HALF && count > 1) return half; \
    if (fate == HALF_AND_DIE) { half; kill(getpid(), SIGKILL); } \
    return real(__VA_ARGS__); }
WRITE(write, (int fd, const void *data, size_t count), real(fd, data, count / 2), fd, data, count)
WRITE(pwrite, (int fd, const void *data, size_t count, off_t at), real(fd, data, count / 2, at), fd, data, count, at)
WRITE(pwrite64, (int fd, const void *data, size_t count, off64_t at), real(fd, data, count / 2, at), fd, data, count, at)

#define OPEN(name, parameters, ...) int name parameters { \
    REAL(name); \
    va_list more; va_start(more, flags); mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0; va_end(more); \
    if (flags & (O_CREAT | O_TRUNC) && meet('o') == FAIL) return -1; \
    return real(__VA_ARGS__, flags, mode); }
OPEN(open, (const char *path, int flags, ...), path)
OPEN(open64, (const char *path, int flags, ...), path)
OPEN(openat, (int folder, const char *path, int flags, ...), folder, path)
OPEN(openat64, (int folder, const char *path, int flags, ...), folder, path)

#define CALL(letter, name, parameters, ...) int name parameters { \
    REAL(name); return meet(letter) == FAIL ? -1 : real(__VA_ARGS__); }
CALL('s', fsync, (int fd), fd)
CALL('s', fdatasync, (int fd), fd)
CALL('t', ftruncate, (int fd, off_t size), fd, size)
CALL('t', ftruncate64, (int fd, off64_t size), fd, size)
CALL('t', truncate, (const char *path, off_t size), path, size)
CALL('t', truncate64, (const char *path, off64_t size), path, size)
CALL('r', rename, (const char *from, const char *to), from, to)
CALL('r', renameat, (int a, const char *from, int b, const char *to), a, from, b, to)
CALL('u', unlink, (const char *path), path)
CALL('u', unlinkat, (int folder, const char *path, int flags), folder, path, flags)
CALL('u', rmdir, (const char *path), path)
CALL('m', mkdir, (const char *path, mode_t mode), path, mode)
CALL('m', mkdirat, (int folder, const char *path, mode_t mode), folder, path, mode)
CALL('l', link, (const char *from, const char *to), from, to)
CALL('l', linkat, (int a, const char *from, int b, const char *to, int flags), a, from, b, to, flags)
CALL('l', symlink, (const char *from, const char *to), from, to)
CALL('l', symlinkat, (const char *from, int folder, const char *to), from, folder, to)
CALL('p', chmod, (const char *path, mode_t mode), path, mode)
CALL('p', fchmod, (int fd, mode_t mode), fd, mode)
CALL('p', fchmodat, (int folder, const char *path, mode_t mode, int flags), folder, path, mode, flags)
CALL('p', fchown, (int fd, uid_t user, gid_t group), fd, user, group)

#define COPY(name, parameters, target, ...) ssize_t name parameters { \
    REAL(name); return is_regular(target) && meet('w') == FAIL ? -1 : real(__VA_ARGS__); }
COPY(sendfile, (int to, int from, off_t *at, size_t count), to, to, from, at, count)
COPY(sendfile64, (int to, int from, off64_t *at, size_t count), to, to, from, at, count)
COPY(copy_file_range, (int from, off64_t *a, int to, off64_t *b, size_t count, unsigned flags), to, from, a, to, b, count, flags)
