/** The formats of setting values: how each is parsed, and how a refusal describes it. */
import { isIP } from 'node:net';
import { resolve } from 'node:path';

/** A shorter interval would cause nothing but heartbeats. */
const MIN_INTERVAL_SECONDS = 0.01;
const MAX_INTERVAL_SECONDS = 86_400;

export interface Format<T> {
  /** Completes the sentence "NAME must be …". */
  readonly allowed: string;
  /** Undefined if the text is not allowed. */
  parse(text: string): T | undefined;
}

export function oneOf<const T extends string>(values: readonly T[]): Format<T> {
  return {
    allowed: values.length === 2 ? values.join(' or ') : `one of ${values.join(', ')}`,
    parse: (text) => values.find((value) => value.toLowerCase() === text.toLowerCase()),
  };
}

export function oneNumber(values: readonly number[]): Format<number> {
  return {
    allowed: `one of ${values.join(', ')}`,
    parse: (text) => values.find((value) => String(value) === text),
  };
}

export function onOrOff(): Format<boolean> {
  const format = oneOf(['off', 'on']);
  return {
    allowed: format.allowed,
    parse: (text) => {
      const word = format.parse(text);
      return word === undefined ? undefined : word === 'on';
    },
  };
}

export function listOf<const T extends string>(values: readonly T[]): Format<readonly T[]> {
  const one = oneOf(values);
  return {
    allowed: `a comma-separated list of ${values.join(', ')}, or empty`,
    parse: (text) => parseList(text, one.parse),
  };
}

/** Each entry once; undefined if one of them is not allowed. */
function parseList<T>(text: string, parseEntry: (entry: string) => T | undefined): readonly T[] | undefined {
  const entries = new Set<T>();
  for (const part of text.split(',').map((entry) => entry.trim())) {
    if (part === '') continue;
    const entry = parseEntry(part);
    if (entry === undefined) return undefined;
    entries.add(entry);
  }
  return [...entries];
}

export function wholeNumber(min: number, max: number): Format<number> {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  return {
    allowed: `a whole number ${range}`,
    parse: (text) => (/^\d+$/.test(text) ? within(Number(text), min, max) : undefined),
  };
}

/** Null if it is empty. */
export function optional<T>({ allowed, parse }: Format<T>): Format<T | null> {
  return { allowed: `${allowed}, or empty`, parse: (text) => (text === '' ? null : parse(text)) };
}

/** At least 1. */
export function anyNumber(): Format<number> {
  return wholeNumber(1, Number.MAX_SAFE_INTEGER);
}

export function seconds(): Format<number> {
  return {
    allowed: `a number of seconds from ${MIN_INTERVAL_SECONDS} to ${MAX_INTERVAL_SECONDS}, fractions allowed`,
    parse: (text) => (/^\d+(\.\d+)?$/.test(text) ? within(Number(text), MIN_INTERVAL_SECONDS, MAX_INTERVAL_SECONDS) : undefined),
  };
}

function within(value: number, min: number, max: number): number | undefined {
  return value >= min && value <= max ? value : undefined;
}

export function hostName(): Format<string> {
  return {
    allowed: 'an IP address or a host name, without a port',
    parse: (text) => (/^[\w.-]+$|^[0-9a-f:.]+(%\w+)?$/i.test(text) ? text : undefined),
  };
}

export function optionalFile(): Format<string | null> {
  return { allowed: 'a file, or empty', parse: (text) => (text === '' ? null : resolve(text)) };
}

export function optionalText(): Format<string | null> {
  return { allowed: 'a text, or empty', parse: (text) => text || null };
}

/** An attacker who reads or changes the traffic could log in as anyone, so plain HTTP is for this machine alone. */
export function loopbackOrHttps(): Format<string | null> {
  return {
    allowed: 'an address such as https://id.example.org (http only for this machine; no query), or empty',
    parse: (text) => {
      if (text === '') return null;
      if (!URL.canParse(text) || /[?#@\s\\]/.test(text)) return undefined;
      const { protocol, hostname } = new URL(text);
      return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname)) ? text : undefined;
    },
  };
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

export function networks(): Format<readonly string[]> {
  return {
    allowed: 'a comma-separated list of addresses and networks such as 10.0.0.0/8',
    parse: (text) => parseList(text, (entry) => (isNetwork(entry) ? entry : undefined)),
  };
}

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return bits >= 0 && rest.length === 0 && (prefix === undefined || (/^\d+$/.test(prefix) && Number(prefix) <= bits));
}

export function origins(): Format<'*' | readonly string[]> {
  return {
    allowed: 'a comma-separated list of origins such as https://boards.example.org (no path), or * alone',
    parse: (text) => (text === '*' ? '*' : parseList(text, parseOrigin)),
  };
}

/** Of web pages. A slash at the end is left out. */
export function optionalOrigin(): Format<string | null> {
  return {
    allowed: 'an address such as https://boards.example.org (no path), or empty',
    parse: (text) => {
      if (text === '') return null;
      const origin = parseOrigin(text.replace(/\/$/, ''));
      return origin !== undefined && /^https?:/.test(origin) ? origin : undefined;
    },
  };
}

/** As browsers send it: lower case, without the default port of the scheme. */
function parseOrigin(text: string): string | undefined {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@*]+$/i.test(text) || !URL.canParse(text)) return undefined;
  const { origin } = new URL(text);
  // Schemes of packaged apps (app://localhost) have no origin by the URL standard, but their pages send one.
  return origin === 'null' ? text.toLowerCase() : origin;
}

export function natsAddresses(): Format<readonly string[] | null> {
  return {
    allowed: 'an address such as nats://localhost:4222 or tls://nats.example.org, a comma-separated list of them, or empty',
    parse: (text) => {
      if (text === '') return null;
      const addresses = splitAddresses(text).map(parseNatsAddress);
      return addresses.every((address) => address !== undefined) ? [...new Set(addresses)] : undefined;
    },
  };
}

/** At commas before a scheme: a password may contain a comma. */
function splitAddresses(text: string): string[] {
  return text.split(/,(?=\s*[a-z]+:\/\/)/i).map((address) => address.trim());
}

function parseNatsAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname } = new URL(text);
  return (protocol === 'nats:' || protocol === 'tls:') && hostname !== '' ? text : undefined;
}

export function withoutCredentials(text: string): string {
  return splitAddresses(text)
    .map((address) => address.replace(/^(.*\/\/)?.*@/, '$1(hidden)@'))
    .join(',');
}

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte. */
  readonly isSecure: boolean;
  readonly login: { readonly user: string; readonly password: string } | null;
}

const SMTP_PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

export function smtpAddress(): Format<SmtpServer | null> {
  return {
    allowed: 'an address such as smtp://user:password@mail.example.org:587 or smtps://mail.example.org, or empty',
    parse: (text) => (text === '' ? null : parseSmtpAddress(text)),
  };
}

function parseSmtpAddress(text: string): SmtpServer | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  const defaultPort = SMTP_PORTS[protocol];
  const hasMore = !['', '/'].includes(pathname) || search !== '' || hash !== '';
  if (defaultPort === undefined || hostname === '' || hasMore || (username === '') !== (password === '')) return undefined;
  const [user, secret] = [decoded(username), decoded(password)];
  if (user === undefined || secret === undefined) return undefined;
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? defaultPort : Number(port),
    isSecure: protocol === 'smtps:',
    login: user === '' ? null : { user, password: secret },
  };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Of a value that cannot be read nothing is shown: any part of it may be the password. */
export function withoutLogin(text: string): string {
  if (text === '') return '';
  const server = parseSmtpAddress(text);
  if (server === undefined) return '(hidden)';
  const { host, port, isSecure, login } = server;
  return `${isSecure ? 'smtps' : 'smtp'}://${login === null ? '' : '(hidden)@'}${host.includes(':') ? `[${host}]` : host}:${port}`;
}

export interface MailAddress {
  /** May be empty. */
  readonly name: string;
  readonly address: string;
}

const MAIL_ADDRESS = /^(?:([^<>"\p{C}]*)<)?([^\s<>"@(),:;\\[\]\p{C}]+@[^\s<>"@(),:;\\[\]\p{C}]+)(>?)$/u;

export function optionalMailAddress(): Format<MailAddress | null> {
  return {
    allowed: 'an e-mail address such as boards@example.org or Boards <boards@example.org>, or empty',
    parse: (text) => {
      if (text === '') return null;
      const [, name, address = '', end = ''] = MAIL_ADDRESS.exec(text) ?? [];
      return address === '' || (name === undefined) !== (end === '') ? undefined : { name: (name ?? '').trim(), address };
    },
  };
}
