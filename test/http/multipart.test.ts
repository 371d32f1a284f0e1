import t from 'tap';
import type { HttpResponse } from 'uWebSockets.js';
import { BodyWatch, DEFAULT_PACE } from '../../src/http/body/bodyWatch.js';
import { InflowGate } from '../../src/http/body/inflowGate.js';
import { MultipartUpload } from '../../src/http/body/multipart.js';
import { filePart, multipart, MULTIPART } from '../support/http/multipart.js';

const CHUNK_BYTES = 512 * 1024;
const FILE_BYTES = 20 * CHUNK_BYTES;

/** A response whose body the test delivers; it records pauses. */
class BodySource {
  readonly orders: string[] = [];
  #take: (chunk: ArrayBuffer, isLast: boolean) => void = () => undefined;

  onData(take: (chunk: ArrayBuffer, isLast: boolean) => void): void {
    this.#take = take;
  }

  pause(): void {
    this.orders.push('pause');
  }

  resume(): void {
    this.orders.push('resume');
  }

  /** All at once, as uWebSockets delivers what it is already reading, despite a pause. */
  deliver(body: Uint8Array): void {
    for (let at = 0; at < body.length; at += CHUNK_BYTES) {
      const chunk = new Uint8Array(body.subarray(at, at + CHUNK_BYTES));
      this.#take(chunk.buffer, at + CHUNK_BYTES >= body.length);
    }
  }
}

t.test('ATT60 an upload that arrives faster than it is stored is paused once at a time', async (t) => {
  const warnings: Error[] = [];
  const note = (warning: Error): number => warnings.push(warning);
  process.on('warning', note);
  t.teardown(() => process.off('warning', note));
  const body = multipart(filePart(Buffer.alloc(FILE_BYTES)));
  const source = new BodySource();
  const watch = new BodyWatch(DEFAULT_PACE);
  t.teardown(() => watch.stop());
  const framing = { kind: 'length', bytes: body.length } as const;
  const upload = new MultipartUpload(source as unknown as HttpResponse, framing, MULTIPART['content-type'], {
    watch,
    gate: new InflowGate((turn) => turn()),
  });
  let stored = 0;
  const receiving = upload.receive(FILE_BYTES, async (bytes) => {
    stored += bytes.length;
  });
  source.deliver(body);
  t.match(await receiving, { size: FILE_BYTES });
  t.equal(stored, FILE_BYTES);
  upload.discard();
  t.strictSame(source.orders, ['pause', 'resume', 'pause', 'resume'], 'before the request reads; now; wait; the next request');
  t.strictSame(warnings, [], 'Node suspects no leak');
});
