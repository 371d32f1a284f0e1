/*
 * An LD_PRELOAD library that makes every flush take SLOW_FLUSH_MICROS microseconds. It waits instead of flushing, so the
 * disk of the machine at hand has no part in it: the same run on any machine, and the same for every contestant.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <time.h>

static int wait_instead(void) {
  const char *setting = getenv("SLOW_FLUSH_MICROS");
  long micros = setting == NULL ? 0 : atol(setting);
  struct timespec rest = {.tv_sec = micros / 1000000, .tv_nsec = micros % 1000000 * 1000};
  while (nanosleep(&rest, &rest) != 0 && errno == EINTR) continue;
  return 0;
}

int fsync(int descriptor) {
  (void)descriptor;
  return wait_instead();
}

int fdatasync(int descriptor) {
  (void)descriptor;
  return wait_instead();
}
