import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import t, { type Test } from 'tap';
import type { Ask, FromThread, StationName } from '../../src/actors/messages.js';
import { packAsks, unpackReplies } from '../../src/actors/packing.js';
import { addStats } from '../../src/actors/stationStats.js';
import { serveStations, type Station } from '../../src/actors/stations.js';

interface Served {
  /** What had been replied, message by message, when each station was asked. */
  readonly repliedBefore: Map<StationName, number[][]>;
  ask(...asks: readonly { readonly id: number; readonly station: StationName }[]): void;
  replied(): number[][];
}

/** Stations that answer at once, some of them with a commit, on a port that is read by hand. */
function serve(t: Test, committing: readonly StationName[]): Served {
  const { port1: port, port2 } = new MessageChannel();
  t.teardown(() => port.close());
  const repliedBefore = new Map<StationName, number[][]>();
  const messages: number[][] = [];
  const replied = (): number[][] => {
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
      const message = next.message as FromThread;
      if (message.kind === 'settled') messages.push(unpackReplies(message.replies).map(({ id }) => id));
    }
    return [...messages];
  };
  serveStations(port2, (name): Station => ({
    take(asks: readonly Ask[], done) {
      repliedBefore.set(name, replied());
      const replies = asks.map(({ id }) => ({ id, outcome: { ok: true, value: null } as const }));
      done({ replies, notices: [], isCommitted: committing.includes(name) });
    },
    stats: () => addStats([]),
    close: () => undefined,
  }));
  const stations: readonly StationName[] = ['shard 0', 'shard 1', 'shard 2', 'shard 3'];
  stations.forEach((station, n) => port2.emit('message', { kind: 'open', id: -1 - n, station }));
  replied();
  messages.length = 0;
  const ask: Served['ask'] = (...asks) => {
    const command = { kind: 'outbox.delivered', id: 1 } as const;
    port2.emit('message', { kind: 'asks', asks: packAsks(asks.map((each) => ({ ...each, command }))) });
  };
  return { repliedBefore, ask, replied };
}

t.test('ACTOR45 whoever wrote to one file is answered before the next file is written', (t) => {
  const { repliedBefore, ask, replied } = serve(t, ['shard 1', 'shard 3']);
  ask(
    { id: 1, station: 'shard 0' },
    { id: 2, station: 'shard 1' },
    { id: 3, station: 'shard 2' },
    { id: 4, station: 'shard 3' },
    { id: 5, station: 'shard 1' },
  );
  t.strictSame(repliedBefore.get('shard 2'), [[1, 2, 5]], 'all that was there went with the first commit');
  t.strictSame(replied(), [[1, 2, 5], [3, 4]]);
  t.end();
});

t.test('ACTOR45 answers from memory leave as one message', (t) => {
  const { ask, replied } = serve(t, []);
  ask({ id: 1, station: 'shard 0' }, { id: 2, station: 'shard 1' }, { id: 3, station: 'shard 0' });
  t.strictSame(replied(), [[1, 3, 2]]);
  t.end();
});
