/** What several test files of a process share is closed at its end, not at that of the file that began it. */
import t from 'tap';

const teardown = t.teardown.bind(t);

export function atProcessEnd(close: () => unknown): void {
  teardown(close);
}
