/** Deletes a stream of a cluster. */
import { CHANGE_MS, JetStreamRefusal, type JetStream, NO_STREAM } from './jetStream.js';
import { patiently } from './patience.js';

/** Also if it does not exist: the answer to an earlier attempt may be lost. */
export async function removeStream(server: JetStream, stream: string): Promise<void> {
  try {
    await patiently(() => server.call(`STREAM.DELETE.${stream}`, {}, CHANGE_MS));
  } catch (error) {
    if (!(error instanceof JetStreamRefusal) || error.code !== NO_STREAM) throw error;
  }
}
