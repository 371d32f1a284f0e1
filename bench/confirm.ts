/** Asks before load goes to a machine that is not this one. */
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stderr: Writable;
}

export function isThisMachine(url: string): boolean {
  return LOOPBACK.test(new URL(url).hostname);
}

/** Null if it may begin, else why not. */
export async function whyNotAllowed(url: string, isConfirmed: boolean, { stdin, stderr }: Terminal): Promise<string | null> {
  const { host, protocol } = new URL(url);
  if (isThisMachine(url)) return null;
  const plain = protocol === 'http:' ? ' The token goes there unencrypted.' : '';
  stderr.write(`This sends as many requests as ${host} answers. Others may notice it, and their limits may refuse you.${plain}\n`);
  if (isConfirmed) return null;
  if (!stdin.isTTY) return `${host} is not this machine: confirm with --yes.`;
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    const answer = await lines.question(`Type "${host}" to go on: `);
    return answer.trim() === host ? null : 'Nothing was sent.';
  } finally {
    lines.close();
  }
}
