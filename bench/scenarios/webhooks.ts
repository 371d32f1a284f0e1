/** Deliveries of webhooks: events that lie in the logs of boards, sent again in order to a receiver on this machine. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Histogram } from '../histogram.js';
import type { LoadReport } from '../load/jobs.js';
import { Account } from './account.js';
import { metered } from './metered.js';
import type { Group, Lane, Stage } from './scenario.js';

const BOARDS = [1, 16] as const;
const EVENTS = 200;
/** All of one host, so that no more than its share of connections is used. */
const HOST = '127.0.0.1';

interface Delivered {
  readonly board_id: string;
  readonly seq: number;
}

/** Counts, and says when a board has everything. */
class CountingReceiver {
  readonly url: string;
  onDelivery: (delivered: Delivered) => void = () => undefined;

  private constructor(port: number) {
    this.url = `http://${HOST}:${port}/hook`;
  }

  static async start(stage: Stage): Promise<CountingReceiver> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.writeHead(204).end();
        receiver.onDelivery(JSON.parse(Buffer.concat(chunks).toString()) as Delivered);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
    stage.onClear(() => {
      server.closeAllConnections();
      server.close();
    });
    const receiver = new CountingReceiver((server.address() as AddressInfo).port);
    return receiver;
  }
}

export const webhooks: Group = {
  name: 'webhooks',
  summary: 'webhooks a second, signed and in order, to one receiver',
  async prepare(stage) {
    const contestant = await stage.start('switchboard', { WEBHOOK_ALLOW: `${HOST}/32` });
    const account = await Account.open(contestant.url);
    const receiver = await CountingReceiver.start(stage);
    const lanes: Lane[] = [];
    for (const boards of stage.depth === 'quick' ? BOARDS.slice(-1) : BOARDS) {
      const hooks = await Promise.all(Array.from({ length: boards }, () => hookOf(account, receiver.url)));
      lanes.push({
        contestant: contestant.name,
        variant: boards === 1 ? '1 board' : `${boards} boards`,
        x: boards,
        measure: (seconds) => metered(contestant, () => replay(account, receiver, hooks, seconds)),
      });
    }
    return [
      {
        name: 'webhooks',
        title: 'Webhooks delivered',
        operation: 'delivery',
        speedBy: 'none',
        note: 'Latency is the time between two deliveries of one board. The receiver shares the processors of the service.',
        lanes,
      },
    ];
  },
};

interface Hook {
  readonly id: string;
  readonly board_id: string;
}

/** A board whose log has a few hundred events. */
async function hookOf(account: Account, url: string): Promise<Hook> {
  const { id, columns } = await account.createBoard();
  for (let n = 1; n < EVENTS; n += 1) await account.post(`/boards/${id}/columns/${columns[0]}/cards`, { title: `Card ${n}` });
  return account.post<Hook>(`/boards/${id}/webhooks`, { url, event_types: ['card.created'] });
}

/** Every board begins again when it is done, until the time is over. */
async function replay(account: Account, receiver: CountingReceiver, hooks: readonly Hook[], seconds: number): Promise<LoadReport> {
  const latency = new Histogram();
  const last = new Map<string, { readonly seq: number; readonly at: number }>();
  const problems = new Set<string>();
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  let operations = 0;
  const again = ({ id }: Hook): Promise<unknown> => account.post(`/webhooks/${id}/replay`, { since: 0 });
  const byBoard = new Map(hooks.map((hook) => [hook.board_id, hook]));
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000);
    receiver.onDelivery = ({ board_id, seq }) => {
      const now = performance.now();
      const before = last.get(board_id);
      if (before !== undefined && seq > before.seq) latency.record(now - before.at);
      last.set(board_id, { seq, at: now });
      operations += 1;
      const hook = byBoard.get(board_id);
      if (hook !== undefined && seq >= EVENTS) void again(hook).catch((error: unknown) => problems.add(String(error)));
    };
    void Promise.all(hooks.map(again)).catch((error: unknown) => {
      problems.add(String(error));
      clearTimeout(timer);
      resolve();
    });
  });
  receiver.onDelivery = () => undefined;
  const elapsed = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return {
    operations,
    seconds: elapsed,
    latency: latency.pack(),
    loadShare: (user + system) / 1e6 / elapsed,
    deliveries: 0,
    problems: [...problems],
  };
}
