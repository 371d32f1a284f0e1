/*
 * An LD_PRELOAD library that records all changes below one folder, with their content, in one order for all threads and
 * processes: creations, writes, sizes, names and flushes. trace.ts reads the records, disk.ts says what they mean.
 *
 * POWER_CUT_FOLDER  the folder, as an absolute path without symbolic links; empty when the first process starts
 * POWER_CUT_TRACE   the file of the records, outside the folder; a second process appends to it
 * POWER_CUT_KILL    the process kills itself before its next change once a file of this name exists
 *
 * A change and its record are made under one lock of all threads and processes, so the order of the records is the
 * order of the changes, and a process that kills itself leaves no change without a record. Flushes run outside of the
 * lock: the record of their beginning says which changes they cover, the record of their end when they are on disk.
 *
 * The system calls are made directly, so no other function of the C library is involved. Files named -shm are left out:
 * SQLite maps them into memory and builds them anew. A call that the model does not know is recorded as such, and the
 * reader refuses the trace. Duplicated descriptors are not followed; the test compares a rebuilt folder with the real one.
 */
#define _GNU_SOURCE
#include "recorder.h"
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/uio.h>

/* ------------------------------------------------------------------------------------------------ opening */

static int open_file(int at, const char *path, int flags, mode_t mode) {
  char absolute[PATH_MAX * 2];
  const char *name = below_root(at, path, absolute);
  if (name == NULL) {
    int other = (int)syscall(SYS_openat, at, path, flags, mode);
    remember(other, 0);
    return other;
  }
  enter();
  struct stat found;
  int existed = fstatat(at, path, &found, 0) == 0;
  int descriptor = (int)syscall(SYS_openat, at, path, flags, mode);
  if (descriptor >= 0) {
    if (fstat(descriptor, &found) != 0) give_up("an open file cannot be inspected");
    if ((flags & O_TMPFILE) == O_TMPFILE) record_text('X', found.st_ino, "a file without a name");
    else if ((flags & (O_SYNC | O_DSYNC)) != 0) record_text('X', found.st_ino, "a file opened with O_SYNC");
    else if (!existed) record_text('C', found.st_ino, name);
    else record_text('O', found.st_ino, name);
    if (existed && (flags & O_TRUNC) != 0) record('T', found.st_ino, 0, NULL, 0);
    remember(descriptor, found.st_ino);
  }
  leave();
  return descriptor;
}

static mode_t mode_of(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? (mode_t)va_arg(arguments, int) : 0;
}

int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_file(AT_FDCWD, path, flags, mode);
}

int openat(int at, const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_file(at, path, flags, mode);
}

int creat(const char *path, mode_t mode) {
  return open_file(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

int __open_2(const char *path, int flags) { return open_file(AT_FDCWD, path, flags, 0); }

int open64(const char *, int, ...) __attribute__((alias("open")));
int openat64(int, const char *, int, ...) __attribute__((alias("openat")));
int creat64(const char *, mode_t) __attribute__((alias("creat")));
int __open64_2(const char *, int) __attribute__((alias("__open_2")));

int close(int descriptor) {
  remember(descriptor, 0);
  return (int)syscall(SYS_close, descriptor);
}

/* ------------------------------------------------------------------------------------------------ content */

static ssize_t write_vector(int descriptor, const struct iovec *parts, int count, off_t position) {
  int has_position = position >= 0;
  if (!may_be_recorded(descriptor)) {
    return has_position ? syscall(SYS_pwritev, descriptor, parts, count, position, 0)
                        : syscall(SYS_writev, descriptor, parts, count);
  }
  enter();
  uint64_t inode = recorded_inode(descriptor);
  ssize_t done = has_position ? syscall(SYS_pwritev, descriptor, parts, count, position, 0)
                              : syscall(SYS_writev, descriptor, parts, count);
  if (inode != 0 && done > 0) {
    off_t end = has_position ? position + done : lseek(descriptor, 0, SEEK_CUR);
    off_t at = end - done;
    size_t left = (size_t)done;
    for (int n = 0; n < count && left > 0; n += 1) {
      size_t length = parts[n].iov_len < left ? parts[n].iov_len : left;
      if (length > 0) record('W', inode, (uint64_t)at, parts[n].iov_base, length);
      at += (off_t)length;
      left -= length;
    }
  }
  leave();
  return done;
}

ssize_t write(int descriptor, const void *content, size_t length) {
  if (!may_be_recorded(descriptor)) return syscall(SYS_write, descriptor, content, length);
  struct iovec part = {.iov_base = (void *)content, .iov_len = length};
  return write_vector(descriptor, &part, 1, -1);
}

ssize_t pwrite(int descriptor, const void *content, size_t length, off_t position) {
  if (!may_be_recorded(descriptor)) return syscall(SYS_pwrite64, descriptor, content, length, position);
  struct iovec part = {.iov_base = (void *)content, .iov_len = length};
  return write_vector(descriptor, &part, 1, position);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  return write_vector(descriptor, parts, count, -1);
}

ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t position) {
  return write_vector(descriptor, parts, count, position);
}

ssize_t pwrite64(int, const void *, size_t, off_t) __attribute__((alias("pwrite")));
ssize_t pwritev64(int, const struct iovec *, int, off_t) __attribute__((alias("pwritev")));

int ftruncate(int descriptor, off_t size) {
  if (!may_be_recorded(descriptor)) return (int)syscall(SYS_ftruncate, descriptor, size);
  enter();
  uint64_t inode = recorded_inode(descriptor);
  int result = (int)syscall(SYS_ftruncate, descriptor, size);
  if (inode != 0 && result == 0) record('T', inode, (uint64_t)size, NULL, 0);
  leave();
  return result;
}

int ftruncate64(int, off_t) __attribute__((alias("ftruncate")));

int truncate(const char *path, off_t size) {
  int descriptor = open_file(AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  int result = ftruncate(descriptor, size);
  int error = errno;
  close(descriptor);
  errno = error;
  return result;
}

int truncate64(const char *, off_t) __attribute__((alias("truncate")));

int fallocate(int descriptor, int mode, off_t position, off_t length) {
  if (!may_be_recorded(descriptor)) return (int)syscall(SYS_fallocate, descriptor, mode, position, length);
  enter();
  struct stat before;
  uint64_t inode = recorded_inode(descriptor);
  if (fstat(descriptor, &before) != 0) give_up("an open file cannot be inspected");
  int result = (int)syscall(SYS_fallocate, descriptor, mode, position, length);
  if (inode != 0 && result == 0) {
    if (mode != 0 && mode != FALLOC_FL_KEEP_SIZE) record_text('X', inode, "fallocate that changes content");
    else if (mode == 0 && position + length > before.st_size) {
      record('T', inode, (uint64_t)(position + length), NULL, 0);
    }
  }
  leave();
  return result;
}

int posix_fallocate(int descriptor, off_t position, off_t length) {
  int before = errno;
  int result = fallocate(descriptor, 0, position, length) == 0 ? 0 : errno;
  errno = before;
  return result;
}

int fallocate64(int, int, off_t, off_t) __attribute__((alias("fallocate")));
int posix_fallocate64(int, off_t, off_t) __attribute__((alias("posix_fallocate")));

static void refuse_change(int descriptor, const char *call) {
  if (!may_be_recorded(descriptor)) return;
  enter();
  uint64_t inode = recorded_inode(descriptor);
  if (inode != 0) record_text('X', inode, call);
  leave();
}

void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t position) {
  if (descriptor >= 0 && (protection & PROT_WRITE) != 0 && (flags & MAP_TYPE) != MAP_PRIVATE) {
    refuse_change(descriptor, "a file mapped for writing");
  }
  return (void *)syscall(SYS_mmap, address, length, protection, flags, descriptor, position);
}

void *mmap64(void *, size_t, int, int, int, off_t) __attribute__((alias("mmap")));

ssize_t sendfile(int to, int from, off_t *position, size_t length) {
  refuse_change(to, "sendfile");
  return syscall(SYS_sendfile, to, from, position, length);
}

ssize_t sendfile64(int, int, off_t *, size_t) __attribute__((alias("sendfile")));

ssize_t copy_file_range(int from, off_t *at, int to, off_t *position, size_t length, unsigned flags) {
  refuse_change(to, "copy_file_range");
  return syscall(SYS_copy_file_range, from, at, to, position, length, flags);
}

/* ------------------------------------------------------------------------------------------------ flushes */

static atomic_uint flushes;

static int flush(int descriptor, long call) {
  if (!may_be_recorded(descriptor)) return (int)syscall(call, descriptor);
  uint64_t number = ((uint64_t)getpid() << 32) | atomic_fetch_add(&flushes, 1);
  enter();
  uint64_t inode = recorded_inode(descriptor);
  if (inode != 0) record('F', inode, number, NULL, 0);
  leave();
  int result = (int)syscall(call, descriptor);
  if (inode != 0 && result == 0) {
    enter();
    record('E', inode, number, NULL, 0);
    leave();
  }
  return result;
}

int fsync(int descriptor) { return flush(descriptor, SYS_fsync); }

int fdatasync(int descriptor) { return flush(descriptor, SYS_fdatasync); }

/* ------------------------------------------------------------------------------------------------ names */

/* Both names, with a zero byte between them. */
static void record_pair(char kind, uint64_t inode, const char *from, const char *to) {
  char text[PATH_MAX * 4];
  size_t length = strlen(from) + 1;
  memcpy(text, from, length);
  memcpy(text + length, to, strlen(to));
  record(kind, inode, 0, text, length + strlen(to));
}

static int rename_file(int from_at, const char *from, int to_at, const char *to, unsigned flags) {
  char absolute_from[PATH_MAX * 2], absolute_to[PATH_MAX * 2];
  const char *old = below_root(from_at, from, absolute_from);
  const char *new = below_root(to_at, to, absolute_to);
  if (old == NULL && new == NULL) return (int)syscall(SYS_renameat2, from_at, from, to_at, to, flags);
  enter();
  struct stat found;
  int recorded = is_recorded_kind(from_at, from, &found);
  int result = (int)syscall(SYS_renameat2, from_at, from, to_at, to, flags);
  if (recorded && result == 0) {
    if (old == NULL || new == NULL) record_text('X', found.st_ino, "a rename across the edge of the folder");
    else if ((flags & ~(unsigned)RENAME_NOREPLACE) != 0) record_text('X', found.st_ino, "an exchange of names");
    else if (S_ISDIR(found.st_mode)) record_text('X', found.st_ino, "a renamed folder");
    else record_pair('R', found.st_ino, old, new);
  }
  leave();
  return result;
}

int rename(const char *from, const char *to) { return rename_file(AT_FDCWD, from, AT_FDCWD, to, 0); }

int renameat(int from_at, const char *from, int to_at, const char *to) {
  return rename_file(from_at, from, to_at, to, 0);
}

int renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags) {
  return rename_file(from_at, from, to_at, to, flags);
}

int linkat(int from_at, const char *from, int to_at, const char *to, int flags) {
  char absolute_from[PATH_MAX * 2], absolute_to[PATH_MAX * 2];
  const char *old = below_root(from_at, from, absolute_from);
  const char *new = below_root(to_at, to, absolute_to);
  if (new == NULL) return (int)syscall(SYS_linkat, from_at, from, to_at, to, flags);
  enter();
  struct stat found;
  int recorded = is_recorded_kind(from_at, from, &found);
  int result = (int)syscall(SYS_linkat, from_at, from, to_at, to, flags);
  if (recorded && result == 0) {
    if (old == NULL) record_text('X', found.st_ino, "a link across the edge of the folder");
    else record_pair('L', found.st_ino, old, new);
  }
  leave();
  return result;
}

int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

int unlinkat(int at, const char *path, int flags) {
  char absolute[PATH_MAX * 2];
  const char *name = below_root(at, path, absolute);
  if (name == NULL) return (int)syscall(SYS_unlinkat, at, path, flags);
  enter();
  struct stat found;
  int recorded = is_recorded_kind(at, path, &found);
  int result = (int)syscall(SYS_unlinkat, at, path, flags);
  if (recorded && result == 0) record_text('U', found.st_ino, name);
  leave();
  return result;
}

int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }

int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int remove(const char *path) {
  struct stat found;
  if (lstat(path, &found) != 0) return -1;
  return S_ISDIR(found.st_mode) ? rmdir(path) : unlink(path);
}

int mkdirat(int at, const char *path, mode_t mode) {
  char absolute[PATH_MAX * 2];
  const char *name = below_root(at, path, absolute);
  if (name == NULL) return (int)syscall(SYS_mkdirat, at, path, mode);
  enter();
  int result = (int)syscall(SYS_mkdirat, at, path, mode);
  if (result == 0) {
    struct stat made;
    if (fstatat(at, path, &made, AT_SYMLINK_NOFOLLOW) != 0) give_up("a new folder cannot be inspected");
    record_text('D', made.st_ino, name);
  }
  leave();
  return result;
}

int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }
