/*
 * The trace of recorder.c: its records, the lock that orders them, and which files they are about. For one source file,
 * so everything is static.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Little endian and without padding on every 64-bit system that Node runs on. */
struct header {
  uint64_t nanoseconds;
  uint64_t inode;
  /* Of a write: its position. Of a change of size: the size. Of a flush: its number. */
  uint64_t argument;
  uint32_t kind;
  uint32_t length;
};

enum { MAX_DESCRIPTORS = 1 << 16 };

static const char *root;
static size_t root_length;
static dev_t root_device;
static const char *kill_file;
static int trace = -1;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* The inode behind each descriptor of a recorded file, else 0. A close can be missed, so it is verified before use. */
static _Atomic uint64_t inodes[MAX_DESCRIPTORS];

static void give_up(const char *reason) {
  dprintf(2, "power cut recorder: %s (%s)\n", reason, strerror(errno));
  abort();
}

static void enter(void) {
  pthread_mutex_lock(&mutex);
  while (flock(trace, LOCK_EX) != 0) {
    if (errno != EINTR) give_up("the trace cannot be locked");
  }
  if (kill_file != NULL && access(kill_file, F_OK) == 0) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
  }
}

/* Keeps the error of the recorded call. */
static void leave(void) {
  int error = errno;
  flock(trace, LOCK_UN);
  pthread_mutex_unlock(&mutex);
  errno = error;
}

static void append(const void *bytes, size_t length) {
  const char *rest = bytes;
  while (length > 0) {
    ssize_t done = syscall(SYS_write, trace, rest, length);
    if (done < 0 && errno != EINTR) give_up("the trace cannot be written");
    if (done > 0) {
      rest += done;
      length -= (size_t)done;
    }
  }
}

static void record(char kind, uint64_t inode, uint64_t argument, const void *content, size_t length) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  struct header header = {
    .nanoseconds = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec,
    .inode = inode,
    .argument = argument,
    .kind = (uint32_t)kind,
    .length = (uint32_t)length,
  };
  append(&header, sizeof header);
  append(content, length);
}

static void record_text(char kind, uint64_t inode, const char *text) {
  record(kind, inode, 0, text, strlen(text));
}

__attribute__((constructor)) static void start(void) {
  const char *file = getenv("POWER_CUT_TRACE");
  root = getenv("POWER_CUT_FOLDER");
  kill_file = getenv("POWER_CUT_KILL");
  if (file == NULL || root == NULL) return;
  struct stat folder, written;
  if (stat(root, &folder) != 0) give_up("there is no such folder");
  root_length = strlen(root);
  root_device = folder.st_dev;
  trace = (int)syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (trace < 0) give_up("the trace cannot be opened");
  enter();
  if (fstat(trace, &written) != 0) give_up("the trace cannot be read");
  if (written.st_size == 0) record_text('D', folder.st_ino, "");
  leave();
}

/* The path below the folder, in `absolute`; NULL if it is elsewhere or not recorded. */
static const char *below_root(int at, const char *path, char absolute[PATH_MAX * 2]) {
  if (trace < 0 || path == NULL) return NULL;
  if (path[0] == '/') {
    if (strlen(path) >= PATH_MAX) return NULL;
    strcpy(absolute, path);
  } else {
    char link[64];
    snprintf(link, sizeof link, at == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", at);
    ssize_t length = readlink(link, absolute, PATH_MAX);
    if (length < 0 || strlen(path) >= PATH_MAX) return NULL;
    absolute[length] = '/';
    strcpy(absolute + length + 1, path);
  }
  if (strncmp(absolute, root, root_length) != 0) return NULL;
  const char *rest = absolute + root_length;
  if (rest[0] == '\0') return rest;
  if (rest[0] != '/') return NULL;
  size_t length = strlen(rest);
  if (length > 4 && strcmp(rest + length - 4, "-shm") == 0) return NULL;
  return rest + 1;
}

/* Whether the name is that of a file or folder: sockets are not recorded. */
static int is_recorded_kind(int at, const char *path, struct stat *found) {
  return fstatat(at, path, found, AT_SYMLINK_NOFOLLOW) == 0 && (S_ISREG(found->st_mode) || S_ISDIR(found->st_mode));
}

static void remember(int descriptor, uint64_t inode) {
  if (descriptor < 0) return;
  if (descriptor < MAX_DESCRIPTORS) atomic_store(&inodes[descriptor], inode);
  else if (inode != 0) give_up("too many open files");
}

static int may_be_recorded(int descriptor) {
  return trace >= 0 && descriptor >= 0 && descriptor < MAX_DESCRIPTORS && atomic_load(&inodes[descriptor]) != 0;
}

/* The inode of a recorded file, else 0. */
static uint64_t recorded_inode(int descriptor) {
  struct stat found;
  uint64_t inode = atomic_load(&inodes[descriptor]);
  if (fstat(descriptor, &found) == 0 && found.st_ino == inode && found.st_dev == root_device) return inode;
  atomic_store(&inodes[descriptor], 0);
  return 0;
}
