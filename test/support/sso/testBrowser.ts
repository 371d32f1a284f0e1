/** A browser as far as logins need one: cookies by host and path, and redirects that the test follows one by one. */

export interface Visit {
  readonly url: string;
  readonly status: number;
  /** Absolute; null without one. */
  readonly location: string | null;
  readonly headers: Headers;
  readonly text: string;
}

export interface VisitOptions {
  readonly method?: string;
  readonly form?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Cookie {
  readonly host: string;
  readonly path: string;
  readonly name: string;
  readonly value: string;
}

export class TestBrowser {
  /** By host, path and name. */
  readonly #cookies = new Map<string, Cookie>();
  /** Where the server of an origin really is. */
  readonly #servers: ReadonlyMap<string, string>;

  constructor(servers: Readonly<Record<string, string>> = {}) {
    this.#servers = new Map(Object.entries(servers));
  }

  async visit(url: string, { method = 'GET', form, json, headers = {} }: VisitOptions = {}): Promise<Visit> {
    const { origin, pathname, search, host } = new URL(url);
    const server = this.#servers.get(origin);
    const response = await fetch((server ?? origin) + pathname + search, {
      method,
      redirect: 'manual',
      headers: { cookie: this.cookieHeader(url), ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      body: form !== undefined ? new URLSearchParams(form) : json !== undefined ? JSON.stringify(json) : null,
    });
    for (const line of response.headers.getSetCookie()) this.#store(host, line);
    const location = response.headers.get('location');
    return {
      url,
      status: response.status,
      location: location === null ? null : new URL(location, url).href,
      headers: response.headers,
      text: await response.text(),
    };
  }

  cookie(name: string): string | undefined {
    return [...this.#cookies.values()].find((cookie) => cookie.name === name)?.value;
  }

  /** What it would send to that address. */
  cookieHeader(url: string): string {
    const { host, pathname } = new URL(url);
    const fitting = [...this.#cookies.values()].filter((cookie) => cookie.host === host && covers(cookie.path, pathname));
    return fitting.map(({ name, value }) => `${name}=${value}`).join('; ');
  }

  /** An equal one, as a thief would have who copied the cookies. */
  copy(servers = Object.fromEntries(this.#servers)): TestBrowser {
    const other = new TestBrowser(servers);
    for (const [key, cookie] of this.#cookies) other.#cookies.set(key, cookie);
    return other;
  }

  setCookie(host: string, path: string, name: string, value: string): void {
    this.#cookies.set(`${host} ${path} ${name}`, { host, path, name, value });
  }

  #store(host: string, line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const [name, value] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
    const given = new Map(attributes.map((attribute) => [attribute.split('=')[0]?.toLowerCase() ?? '', attribute.split('=')[1] ?? '']));
    const path = given.get('path') ?? '/';
    const expires = given.get('expires');
    const isGone = given.get('max-age') === '0' || (expires !== undefined && Date.parse(expires) < Date.now());
    if (isGone) this.#cookies.delete(`${host} ${path} ${name}`);
    else this.setCookie(host, path, name, value);
  }
}

function covers(path: string, pathname: string): boolean {
  return path === '/' || pathname === path || pathname.startsWith(`${path}/`);
}
