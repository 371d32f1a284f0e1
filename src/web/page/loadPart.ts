/**
 * Loads a part of the application. A browser may remember that it could not load a module, and ask for it no more: the error has its
 * address, and with something added that is another one.
 */
export async function loadPart<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    const address = /http\S+js/.exec(String(error));
    if (address === null) throw error;
    return (await import(`${address[0]}?${Date.now()}`)) as Module;
  }
}

/**
 * Whether the service has another version of the page than this one, whose parts it has no more. False while it does not answer.
 */
export async function isPageRenewed(): Promise<boolean> {
  const main = document.querySelector<HTMLScriptElement>('script[type="module"]')?.getAttribute('src');
  try {
    const response = await fetch('/app', { cache: 'no-cache' });
    return response.ok && typeof main === 'string' && !(await response.text()).includes(main);
  } catch {
    return false;
  }
}
