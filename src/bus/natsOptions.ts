/** An attempt that a frozen server does not answer is given up, so that the next one finds the server awake. */
const CONNECT_TIMEOUT_MS = 2_000;
/** A server that leaves two pings unanswered is gone, whether or not it closed the connection. */
const PING_MS = 500;
const MAX_PINGS_OUT = 2;

/** For one connection: who uses it makes the next one. */
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

/** A name alone is a token. */
function credentials(user: string, pass: string): { user?: string; pass?: string; token?: string } {
  if (user === '') return {};
  return pass === '' ? { token: user } : { user, pass };
}
