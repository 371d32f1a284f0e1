import { Writable } from 'node:stream';
import { pino, type Logger } from 'pino';

/** A log that keeps everything, without the redaction of the real one. */
export interface LogLines {
  readonly log: Logger;
  readonly text: () => string;
  readonly lines: () => Array<Record<string, unknown>>;
}

export function logLines(): LogLines {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  return {
    log: pino({ level: 'trace' }, stream),
    text: () => text,
    lines: () =>
      text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}
