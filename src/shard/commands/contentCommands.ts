/** Uploads and reads of attachment content. Refusals are returned, not thrown: they are no reason to retry the batch. */
import { INTERNAL_ERROR } from '../../domain/errors.js';
import { chunkEarly, uploadLost } from '../../domain/refusals.js';
import { DONE, type Outcome, type ShardCommand } from '../../partitions/messages.js';
import type { Batch } from '../batch.js';
import type { ShardStore } from '../shardStore.js';

const UPLOAD_LOST: Outcome = { ok: false, error: uploadLost().toData() };
const CHUNK_EARLY: Outcome = { ok: false, error: chunkEarly().toData(), notHere: true };

export function appendChunk(store: ShardStore, { id, n, bytes }: Extract<ShardCommand, { kind: 'upload.append' }>, batch: Batch): Outcome {
  // Several chunks are under way at once, and while a shard moves one may overtake another that is being sent again.
  if (store.content.lacksChunkBefore(id, n)) return CHUNK_EARLY;
  return batch.write().content.appendChunk(id, n, bytes) ? DONE : UPLOAD_LOST;
}

/** Damaged content fails this ask only. */
export function readContent(
  store: ShardStore,
  { id, from, to }: Extract<ShardCommand, { kind: 'content.read' }>,
  onError: (error: unknown) => void,
): Outcome {
  try {
    return { ok: true, value: Buffer.concat(store.content.read(id, from, to)) };
  } catch (error) {
    onError(error);
    return { ok: false, error: INTERNAL_ERROR };
  }
}
