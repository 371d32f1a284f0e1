/** Repeats questions to NATS that no server could answer yet. */
import { JetStreamRefusal, NOT_YET } from './jetStream.js';

/** Longer than NATS needs to elect a leader. */
const PATIENCE_MS = 20_000;
const RETRY_MS = 100;

/** Repeats what got no answer, or was refused while servers elect a leader or find each other. Any other refusal is final. */
export async function patiently<Answer>(attempt: () => Promise<Answer>): Promise<Answer> {
  for (const end = performance.now() + PATIENCE_MS; ; await new Promise((resolve) => setTimeout(resolve, RETRY_MS))) {
    try {
      return await attempt();
    } catch (error) {
      const isFinal = error instanceof JetStreamRefusal && !NOT_YET.has(error.code);
      if (isFinal || performance.now() > end) throw error;
    }
  }
}
