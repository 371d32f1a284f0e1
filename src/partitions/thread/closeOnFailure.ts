/** Closes the store if its partition cannot be opened: the next attempt, here or elsewhere, needs its lock. */
export function closeOnFailure<Opened>(store: { close(): void }, open: () => Opened): Opened {
  try {
    return open();
  } catch (error) {
    store.close();
    throw error;
  }
}
