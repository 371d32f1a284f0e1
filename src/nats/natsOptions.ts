/** An attempt that a frozen server does not answer is abandoned, so that the next one can succeed. */
const CONNECT_TIMEOUT_MS = 2_000;
/** A server that misses two pings counts as gone, whether or not it closed the connection. */
const PING_MS = 500;
const MAX_PINGS_OUT = 2;

/** The status of a message which says that there is no subscriber. */
export const NO_RESPONDERS = 503;

/** Options for one connection. The caller reconnects itself. */
export function natsOptions(url: string, name: string) {
  const { host, username, password, protocol } = new URL(url);
  return {
    servers: host,
    name,
    ...credentials(decodeURIComponent(username), decodeURIComponent(password)),
    ...(protocol === 'tls:' ? { tls: {} } : {}),
    timeout: CONNECT_TIMEOUT_MS,
    reconnect: false,
    pingInterval: PING_MS,
    maxPingOut: MAX_PINGS_OUT,
    noEcho: true,
  };
}

/** A user name without a password is a token. */
function credentials(user: string, pass: string): { user?: string; pass?: string; token?: string } {
  if (user === '') return {};
  return pass === '' ? { token: user } : { user, pass };
}
