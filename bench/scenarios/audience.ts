/** A contestant with boards, the sockets that follow them, and a load process that holds those sockets. */
import { WebSocket } from 'ws';
import { topicPath } from '../contestants/limit/lesson.js';
import { changeLabel } from '../load/changeLabel.js';
import type { ChangesJob, Dialect, LoadReport, Pace, SocketAddress } from '../load/jobs.js';
import type { Contestant, ContestantName } from '../processes/contestant.js';
import type { LoadProcess } from '../processes/loadProcess.js';
import { Account, inParallel } from './account.js';
import { metered } from './metered.js';
import type { Round, Stage } from './scenario.js';
import { copyAnswer, teach } from './teach.js';

/** A board with its sockets and changes. */
export interface Followed {
  readonly address: SocketAddress;
  /** The card that is changed to cause an event. */
  readonly path: string;
}

const DIALECTS: Readonly<Record<ContestantName, Dialect>> = {
  limit: 'bare',
  switchboard: 'switchboard',
  fastify: 'bare',
  socketio: 'socket.io',
};

const NO_AUTH = {};
/** Enough to share commits, so that thousands of changes are made in half a second. */
const WARM_UP_IN_FLIGHT = 32;

export interface AudienceOptions {
  /** Of the user who makes changes. */
  readonly token: string;
  readonly boards: readonly Followed[];
  /** Default: that of the contestant. */
  readonly dialect?: Dialect;
}

export class Audience {
  readonly contestant: Contestant;
  readonly load: LoadProcess;
  readonly #options: AudienceOptions;

  constructor(contestant: Contestant, load: LoadProcess, options: AudienceOptions) {
    this.contestant = contestant;
    this.load = load;
    this.#options = options;
  }

  /** Opens this many more sockets, spread evenly over the boards. */
  connect(count: number, atOnce: number): Promise<LoadReport> {
    return this.load.run({
      kind: 'connect',
      url: this.contestant.url,
      dialect: this.#options.dialect ?? DIALECTS[this.contestant.name],
      addresses: this.#options.boards.map(({ address }) => address),
      count,
      atOnce,
    });
  }

  /** Connects until there are this many. Fails if one is not admitted. */
  async fillTo(count: number): Promise<void> {
    const { open } = await this.load.run({ kind: 'state' });
    if (open >= count) return;
    const { problems } = await this.connect(count - open, HANDSHAKES_AT_ONCE);
    if (problems.length > 0) throw new Error(`${this.contestant.name}: ${problems.join('; ')}`);
  }

  /** Makes changes while no socket is connected. */
  async warmUp(seconds: number): Promise<void> {
    const { open } = await this.load.run({ kind: 'state' });
    if (open === 0) await this.change({ kind: 'window', inFlight: WARM_UP_IN_FLIGHT }, 0, seconds);
  }

  change(pace: Pace, sockets: number, seconds: number): Promise<Round> {
    const receivers = sockets / this.#options.boards.length;
    const job: ChangesJob = {
      kind: 'changes',
      url: this.contestant.url,
      token: this.#options.token,
      targets: this.#options.boards.map(({ path }) => ({ path, receivers })),
      pace,
      seconds,
    };
    return metered(this.contestant, () => this.load.run(job));
  }
}

/** More would only lengthen the queues of handshakes in both processes. */
export const HANDSHAKES_AT_ONCE = 100;

/** `limit` copies the service, so it can only run beside it. */
export async function openAudiences(stage: Stage, names: readonly ContestantName[], boards: number): Promise<readonly Audience[]> {
  const service = await stage.start('switchboard');
  const account = await Account.open(service.url);
  const cards = await createCards(account, boards);
  const audiences: Audience[] = [];
  for (const name of names) {
    if (name === 'switchboard') {
      audiences.push(new Audience(service, stage.load('socket'), { token: account.token, boards: cards.map(withToken(account)) }));
    } else if (name === 'limit') {
      const limit = await stage.start('limit');
      const followed = await teachEvents(limit, account, cards);
      audiences.push(new Audience(limit, stage.load('socket'), { token: account.token, boards: followed }));
    } else {
      const rival = await stage.start(name);
      const theirs = await Account.open(rival.url);
      const address = name === 'socketio' ? withHandshake(theirs) : withToken(theirs);
      const followed = (await createCards(theirs, boards)).map(address);
      audiences.push(new Audience(rival, stage.load('socket'), { token: theirs.token, boards: followed }));
    }
  }
  return audiences;
}

interface BoardCard {
  readonly board: string;
  readonly card: string;
}

async function createCards(account: Account, boards: number): Promise<BoardCard[]> {
  const filled = await account.createBoards(boards, { cards: 1 });
  return filled.map(({ id, cards }) => ({ board: id, card: cards[0] ?? '' }));
}

function withToken({ token }: Account): (place: BoardCard) => Followed {
  return ({ board, card }) => ({
    address: { path: `/ws/boards/${board}?token=${token}`, auth: NO_AUTH },
    path: `/cards/${card}`,
  });
}

function withHandshake({ token }: Account): (place: BoardCard) => Followed {
  return ({ board, card }) => ({
    address: { path: '/socket.io/?EIO=4&transport=websocket', auth: { token, board_id: board } },
    path: `/cards/${card}`,
  });
}

/** Records one change of the service; the limit then publishes the same text for every change. */
async function teachEvents(limit: Contestant, account: Account, cards: readonly BoardCard[]): Promise<Followed[]> {
  const [first] = cards;
  if (first === undefined) return [];
  const event = await watchChange(account, first);
  const answer = await copyAnswer(account, `/cards/${first.card}`);
  return inParallel(cards.length, async (n) => {
    const path = `/cards/${n}`;
    const topic = `board-${n}`;
    await teach(limit, { method: 'PATCH', path, ...answer, work: { kind: 'publish', topic, event } });
    return { address: { path: topicPath(topic), auth: NO_AUTH }, path };
  });
}

async function watchChange(account: Account, { board, card }: BoardCard): Promise<string> {
  const label = changeLabel(0);
  const socket = new WebSocket(`${account.url.replace('http', 'ws')}/ws/boards/${board}?token=${account.token}`);
  try {
    return await new Promise<string>((resolve, reject) => {
      socket.on('error', reject);
      socket.on('close', (code) => reject(new Error(`the socket was closed with ${code}`)));
      socket.on('message', (data: Buffer) => {
        const text = data.toString();
        if (text.includes(label)) resolve(text);
        else if (text.includes('user_joined')) changeTitle(account, card, label).catch(reject);
      });
    });
  } finally {
    socket.terminate();
  }
}

async function changeTitle({ url, headers }: Account, card: string, title: string): Promise<void> {
  const { status } = await fetch(`${url}/cards/${card}`, {
    method: 'PATCH',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ title }),
  });
  if (status !== 200) throw new Error(`a change got ${status}`);
}
