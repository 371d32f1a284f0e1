const RECONNECT_MS = 250;
/** A server that answers no ping for two of these is gone, whether or not it closed the connection. */
const PING_MS = 1_000;
const MOST_PINGS_OUT = 2;

/** Tries for ever: an instance serves its own boards without NATS, and everyone's again when it is back. */
export function natsOptions(url: string, name: string) {
  const { host, username, password, protocol } = new URL(url);
  return {
    servers: host,
    name,
    ...credentials(decodeURIComponent(username), decodeURIComponent(password)),
    ...(protocol === 'tls:' ? { tls: {} } : {}),
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
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
