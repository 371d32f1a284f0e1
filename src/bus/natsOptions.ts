const RECONNECT_MS = 250;
/** An attempt that a frozen server does not answer is given up, so that the next one finds the server awake. */
const CONNECT_TIMEOUT_MS = 2_000;
/** A server that leaves two pings unanswered is gone, whether or not it closed the connection. */
const PING_MS = 500;
const MOST_PINGS_OUT = 2;

/** Tries for ever: an instance serves its own boards without NATS, and everyone's again when it is back. */
export function natsOptions(url: string, name: string) {
  const { host, username, password, protocol } = new URL(url);
  return {
    servers: host,
    name,
    ...credentials(decodeURIComponent(username), decodeURIComponent(password)),
    ...(protocol === 'tls:' ? { tls: {} } : {}),
    timeout: CONNECT_TIMEOUT_MS,
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    // A server that is being set up anew may refuse a password that it takes a moment later.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: RECONNECT_MS,
    reconnectJitter: RECONNECT_MS,
    pingInterval: PING_MS,
    maxPingOut: MOST_PINGS_OUT,
    noEcho: true,
  };
}

/** A name alone is a token. */
function credentials(user: string, pass: string): { user?: string; pass?: string; token?: string } {
  if (user === '') return {};
  return pass === '' ? { token: user } : { user, pass };
}
