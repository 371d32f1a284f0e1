/** What the client needs of a WebSocket: browsers and the `ws` package have it. */
export interface Socket {
  send(text: string): void;
  close(): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { readonly code: number; readonly reason: string }) => void): void;
  addEventListener(type: 'error', listener: () => void): void;
}

export type SocketConstructor = new (url: string) => Socket;

/** The given constructor, else the platform's. */
export function findSocketConstructor(given: SocketConstructor | undefined): SocketConstructor {
  const found = given ?? (globalThis as { readonly WebSocket?: SocketConstructor }).WebSocket;
  if (found === undefined) {
    throw new Error('This runtime has no WebSocket: pass one to createClient as `webSocket`, such as that of the package ws');
  }
  return found;
}

/** Without a token the browser sends its cookie. */
export function socketUrl(baseUrl: string, token: string | null): string {
  const address = `${baseUrl.replace(/^http/, 'ws')}/ws`;
  return token === null ? address : `${address}?${new URLSearchParams({ token })}`;
}
