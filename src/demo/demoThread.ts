/** The thread of the colleagues: they reach the service over the network, as people do. */
import { setTimeout as wait } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { ApiError } from '../client/index.js';
import { act } from './colleagues.js';
import { populate } from './populate.js';
import type { DemoSettings, DemoStarted } from './messages.js';

/** Milliseconds between two acts. */
const SHORTEST_PAUSE = 700;
const LONGEST_PAUSE = 2_600;

void animate(workerData as DemoSettings);

async function animate({ url, password }: DemoSettings): Promise<void> {
  const { boardId, colleagues } = await populate(url, password);
  const connections = colleagues.map((client) => client.connect(boardId));
  await Promise.all(connections.map(({ ready }) => ready));
  parentPort?.postMessage({ boardId } satisfies DemoStarted);

  for (;;) {
    await wait(SHORTEST_PAUSE + Math.random() * (LONGEST_PAUSE - SHORTEST_PAUSE));
    const connection = connections[Math.floor(Math.random() * connections.length)];
    try {
      if (connection !== undefined) await act(connection, Math);
    } catch (error) {
      // A change can be refused, because the visitor deleted the card: colleagues are used to that.
      if (!(error instanceof ApiError)) throw error;
    }
  }
}
