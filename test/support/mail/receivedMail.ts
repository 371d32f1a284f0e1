/** Reads a mail as a mail program does: headers, and the parts decoded. */
import type { SMTPServerSession } from 'smtp-server';

export interface ReceivedMail {
  /** Of the envelope. */
  readonly from: string;
  readonly to: readonly string[];
  readonly wasEncrypted: boolean;
  readonly user: string | undefined;
  /** By lower-case name; each must occur once. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  readonly html: string;
  readonly source: string;
}

export function readMail(source: string, { envelope, secure, user }: SMTPServerSession): ReceivedMail {
  const { headers, body } = split(source);
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1];
  if (boundary === undefined) throw new Error(`not a mail of several parts: ${source}`);
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => split(part.replace(/^\r\n/, '')));
  const partOf = (type: string): string => {
    const found = parts.filter((part) => part.headers.get('content-type')?.startsWith(type));
    if (found.length !== 1) throw new Error(`${found.length} parts are ${type}`);
    return found.map((part) => decode(part.body, part.headers.get('content-transfer-encoding') ?? '')).join('');
  };
  return {
    from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
    to: envelope.rcptTo.map(({ address }) => address),
    wasEncrypted: secure,
    user: user === undefined ? undefined : String(user),
    headers,
    text: partOf('text/plain'),
    html: partOf('text/html'),
    source,
  };
}

/** The secret of the only link in the mail, which both parts have. */
export function linkOf({ text, html }: ReceivedMail, page: string): { url: string; token: string } {
  const links = text.match(/https?:\/\/\S*#\S*/g) ?? [];
  const anchors = [...html.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href);
  const [url = ''] = links;
  if (links.length !== 1 || anchors.length !== 1 || anchors[0] !== url) throw new Error(`not one link: ${links.join()} ${anchors.join()}`);
  const token = url.slice(`${page}#token=`.length);
  if (url !== `${page}#token=${token}`) throw new Error(`the link is ${url}`);
  return { url, token };
}

function split(text: string): { headers: ReadonlyMap<string, string>; body: string } {
  const end = text.indexOf('\r\n\r\n');
  const headers = new Map<string, string>();
  for (const line of text
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')) {
    const [, name = '', value = ''] = /^([\w-]+): (.*)$/.exec(line) ?? [];
    if (name === '' || headers.has(name.toLowerCase())) throw new Error(`a bad or repeated header: ${line}`);
    headers.set(name.toLowerCase(), value);
  }
  return { headers, body: text.slice(end + 4) };
}

function decode(body: string, encoding: string): string {
  const plain = body.replace(/\r\n$/, '');
  if (encoding === 'base64') return Buffer.from(plain, 'base64').toString();
  if (encoding !== 'quoted-printable') return plain.replaceAll('\r\n', '\n');
  const bytes = plain.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_match, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(bytes, 'latin1').toString().replaceAll('\r\n', '\n');
}
