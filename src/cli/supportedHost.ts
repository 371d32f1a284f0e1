/** Whether this Node can load the binaries of packages. */

/** Throws `UnsupportedHost` if it cannot. They are imported here, so that other commands start without them. */
export async function requireSupportedHost(): Promise<void> {
  const { loadUWebSockets } = await import('../http/uWebSockets.js');
  loadUWebSockets();
  // Loads its binary.
  await import('../store/sqlite/sqlite.js');
}
