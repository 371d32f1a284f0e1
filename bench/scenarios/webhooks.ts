/** Deliveries of webhooks: events that lie in the logs of boards, sent again in order to a receiver on this machine. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Histogram } from '../histogram.js';
import type { LoadReport } from '../load/jobs.js';
import { Account, inParallel } from './account.js';
import { metered } from './metered.js';
import type { Group, Lane, Stage } from './scenario.js';

const BOARDS = [1, 16] as const;
/** Enough for a tenth of a second and more, because a user can replay 200 times an hour. */
const EVENTS = 1_000;
const BATCH_SIZE = 100;
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
    const contestant = await stage.start('switchboard', { SWITCHBOARD_SETTINGS: JSON.stringify({ WEBHOOK_ALLOW: `${HOST}/32` }) });
    const receiver = await CountingReceiver.start(stage);
    const lanes: Lane[] = [];
    for (const boards of stage.depth === 'quick' ? BOARDS.slice(-1) : BOARDS) {
      const hooks = await inParallel(boards, () => hookOf(contestant.url, receiver.url));
      lanes.push({
        contestant: contestant.name,
        variant: boards === 1 ? '1 board' : `${boards} boards`,
        x: boards,
        measure: (seconds) => metered(contestant, () => replay(receiver, hooks, seconds)),
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
  readonly owner: Account;
}

/** A board of a user of its own, whose log has many new cards. */
async function hookOf(service: string, url: string): Promise<Hook> {
  const owner = await Account.open(service);
  const board = await owner.createBoard();
  const path = `/boards/${board.id}/columns/${board.columns[0]}/cards`;
  const operations = Array.from({ length: BATCH_SIZE }, (_, n) => ({ method: 'POST', path, body: { title: `Card ${n}` } }));
  for (let made = 0; made < EVENTS; made += BATCH_SIZE) await owner.post(`/boards/${board.id}/batch`, { operations });
  const { id, board_id } = await owner.post<Omit<Hook, 'owner'>>(`/boards/${board.id}/webhooks`, { url, event_types: ['card.created'] });
  return { id, board_id, owner };
}

/** Every board begins again when it is done, until the time is over. */
async function replay(receiver: CountingReceiver, hooks: readonly Hook[], seconds: number): Promise<LoadReport> {
  const latency = new Histogram();
  const last = new Map<string, { readonly seq: number; readonly at: number }>();
  const problems = new Set<string>();
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  let operations = 0;
  const again = ({ id, owner }: Hook): Promise<unknown> => owner.post(`/webhooks/${id}/replay`, { since: 0 });
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
      if (hook !== undefined && seq > EVENTS) void again(hook).catch((error: unknown) => problems.add(String(error)));
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
