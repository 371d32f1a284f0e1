/** Receives a file, and reports how much of it has arrived. */

/** Called with the bytes so far, from 0 again for each attempt; `total` is null if the service does not say it. */
export type OnReceived = (bytes: number, total: number | null) => void;

export function receiveBlob(response: Response, onReceived: OnReceived | undefined): Promise<Blob> {
  if (onReceived === undefined || response.body === null) return response.blob();
  const total = totalOf(response.headers);
  let bytes = 0;
  onReceived(0, total);
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      onReceived(bytes, total);
      controller.enqueue(chunk);
    },
  });
  // A response of its own, so that the platform collects the file: it may keep a large one out of memory.
  return new Response(response.body.pipeThrough(counter), { headers: { 'content-type': response.headers.get('content-type') ?? '' } }).blob();
}

/** A compressed answer has the length of what is sent, which says nothing about the file. */
function totalOf(headers: Headers): number | null {
  const length = Number(headers.get('content-length') ?? NaN);
  return Number.isSafeInteger(length) && !headers.has('content-encoding') ? length : null;
}
