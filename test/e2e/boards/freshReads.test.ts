import t from 'tap';
import { ScenarioBoard } from '../../support/board/boardScenario.js';
import type { CardJson, ColumnJson, RuleJson } from '../../support/board/boardSnapshot.js';
import { send, startWorld, type World } from '../../support/board/boardWorld.js';
import { WITH_THREADS } from '../../support/service/app.js';
import { TestSocket } from '../../support/realtime/socket.js';
import type { TestUser } from '../../support/http/users.js';

const CHANGES = 120;

async function seqNow({ api }: World, as: TestUser, board: string, known?: number): Promise<number> {
  const headers = known === undefined ? {} : { 'if-none-match': `"${known}"` };
  const response = await api.request('GET', `/boards/${board}`, { token: as.token, headers });
  return Number(JSON.parse(response.headers.get('etag') ?? '""'));
}

/** Reads a board while it changes, and records answers older than what the reader knew. */
class FreshnessCheck {
  readonly stale: string[] = [];
  readonly #world: World;
  readonly #board: ScenarioBoard;
  readonly #card: string;
  readonly #firstSeq: number;
  #acknowledged = 0;

  private constructor(world: World, board: ScenarioBoard, card: string, firstSeq: number) {
    this.#world = world;
    this.#board = board;
    this.#card = card;
    this.#firstSeq = firstSeq;
  }

  static async on(world: World): Promise<FreshnessCheck> {
    const { owner } = world;
    const board = await ScenarioBoard.create(world);
    const column = await board.do<ColumnJson>(owner, `POST /boards/${board.id}/columns`, { title: 'A' });
    const cards = `/boards/${board.id}/columns/${column.id}/cards`;
    const { id } = await board.do<CardJson>(owner, `POST ${cards}`, { title: '0' });
    return new FreshnessCheck(world, board, id, await seqNow(world, owner, board.id));
  }

  /** Titles count the changes. */
  async write(): Promise<void> {
    for (let change = 1; change <= CHANGES; change += 1) {
      await send(this.#world, this.#world.owner, `PATCH /cards/${this.#card}`, { title: String(change) });
      this.#acknowledged = change;
    }
  }

  async read(as: TestUser): Promise<void> {
    while (this.#acknowledged < CHANGES) {
      await this.#readCard(as, this.#acknowledged);
      await this.#readBoard(as, this.#acknowledged);
      await this.#readBoard(as, this.#acknowledged, this.#firstSeq + this.#acknowledged);
    }
  }

  join(as: TestUser): Promise<TestSocket> {
    return TestSocket.join(this.#world.app.url, this.#board.id, as, { unchecked: true });
  }

  /** Reads the card whenever a change of it arrives. */
  async listen(as: TestUser, socket: TestSocket): Promise<void> {
    for (let change = 1; change <= CHANGES; change += 1) {
      await socket.find(() => socket.events.length >= change);
      await this.#readCard(as, socket.events.length);
    }
    await socket.close();
  }

  async #readCard(as: TestUser, least: number): Promise<void> {
    const { title } = await send<CardJson>(this.#world, as, `GET /cards/${this.#card}`);
    if (Number(title) < least) this.stale.push(`card ${title} after ${least}`);
  }

  async #readBoard(as: TestUser, least: number, known?: number): Promise<void> {
    const seq = (await seqNow(this.#world, as, this.#board.id, known)) - this.#firstSeq;
    if (seq < least) this.stale.push(`board ${seq} after ${least}`);
  }
}

for (const threads of ['1', '0']) {
  t.test(`BOARD53 (SHARD_THREADS=${threads}) a read after a change was answered or received on a socket shows it`, async (t) => {
    const world = await startWorld(t, { DURABILITY: 'normal', SHARD_THREADS: threads });
    const { owner, member, helper } = world;
    const check = await FreshnessCheck.on(world);
    const socket = await check.join(helper);
    const reading = [owner, member, owner, member].map((user) => check.read(user));
    await Promise.all([check.write(), check.listen(helper, socket), ...reading]);
    t.strictSame(check.stale, []);
  });
}

t.test('BOARD53 a member who left, or a changed rule that is in no event, is correct in the next read', async (t) => {
  const world = await startWorld(t, WITH_THREADS);
  const { owner, member, api } = world;
  const board = await ScenarioBoard.create(world);
  const column = await board.do<ColumnJson>(owner, `POST /boards/${board.id}/columns`, { title: 'A' });
  const rules = `/boards/${board.id}/automations`;
  const list = (): Promise<RuleJson[]> => send(world, member, `GET ${rules}`);
  const names = async (): Promise<string[]> => (await list()).map(({ name }) => name);

  t.strictSame(await names(), []);
  const action = { action_type: 'MOVE_TO_COLUMN', action_column_id: column.id, trigger_type: 'CARD_CREATED' };
  const rule = await board.do<RuleJson>(owner, `POST ${rules}`, { name: 'one', ...action });
  t.strictSame(await names(), ['one']);
  await board.do(owner, `PATCH /automations/${rule.id}`, { name: 'two' });
  t.strictSame(await names(), ['two']);
  await board.do(owner, `DELETE /automations/${rule.id}`);
  t.strictSame(await names(), []);

  const paths = [`/boards/${board.id}`, rules, `/boards/${board.id}/labels`, `/boards/${board.id}/members`];
  const statuses = (): Promise<number[]> => Promise.all(paths.map(async (path) => (await api.request('GET', path, { token: member.token })).status));
  await statuses();
  t.strictSame(await statuses(), [200, 200, 200, 200]);
  await board.do(owner, `DELETE /boards/${board.id}/members/${member.id}`);
  t.strictSame(await statuses(), [403, 403, 403, 403]);
  await board.do(owner, `POST /boards/${board.id}/invite`, { user_id: member.id });
  t.strictSame(await statuses(), [200, 200, 200, 200]);
  await board.do(owner, `DELETE /boards/${board.id}`);
  t.strictSame(await statuses(), [404, 404, 404, 404]);
});
