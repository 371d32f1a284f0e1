import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import t from 'tap';
import type { Since } from '../../../src/realtime/socket/follower.js';
import { FakeRoom, FakeSharedClient, type FakeSocket } from '../../support/realtime/fakeRoom.js';

type Form = 'plain' | 'numbered' | 'shared';

type Step =
  /** Events of this size; `isLost`: the instance is not told of them. */
  | { readonly do: 'write'; readonly count: number; readonly characters: number; readonly isLost: boolean }
  | { readonly do: 'writeLarge' }
  | { readonly do: 'connect'; readonly form: Form; readonly isLate: boolean }
  | { readonly do: 'leave' | 'return' | 'sleep' | 'read' | 'wake'; readonly who: number }
  | { readonly do: 'check' | 'announce' | 'turn' };

const who = fc.nat({ max: 7 });
const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('write' as const),
        count: fc.integer({ min: 1, max: 4 }),
        characters: fc.constantFrom(0, 0, 5_000, 70_000),
        isLost: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('writeLarge' as const) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('connect' as const),
        form: fc.constantFrom<Form>('plain', 'numbered', 'shared', 'shared'),
        isLate: fc.boolean(),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({ do: fc.constantFrom('leave' as const, 'return' as const, 'sleep' as const, 'read' as const, 'wake' as const), who }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('check' as const, 'announce' as const, 'turn' as const) }) },
  ),
  { maxLength: 60 },
) as fc.Arbitrary<Step[]>;

/** A client and what it must have received. */
class Follower {
  readonly socket: FakeSocket;
  readonly form: Form;
  /** Joins under way. */
  joining: Promise<void> = Promise.resolve();

  constructor(form: Form, socket: FakeSocket) {
    this.form = form;
    this.socket = socket;
  }

  /** The last number of every unbroken run, and each text with its number. Throws if a run has a gap. */
  read(log: readonly { readonly json: string }[], first: number): number {
    let last = first;
    let isFollowing = this.form !== 'shared';
    for (const text of this.socket.received) {
      const { type, n, seq, x, board_id } = JSON.parse(text) as { type?: string; n?: number; seq?: number; x?: string; board_id?: string };
      assert.equal(board_id !== undefined, this.form === 'shared');
      if (type === 'subscribed') isFollowing = true;
      if (type === 'unsubscribed') isFollowing = false;
      if (type === 'resync') last = seq ?? NaN;
      if (n === undefined) continue;
      assert.ok(isFollowing, 'no event of a board that is not followed');
      assert.equal(n, last + 1, `${this.form}: every number once, in order`);
      if (this.form !== 'plain') assert.equal(seq, n);
      // The log does not keep large events.
      const kept = JSON.parse(log[n - 1]?.json ?? '{}') as { x?: string };
      if (kept.x !== undefined) assert.equal(x, kept.x);
      last = n;
    }
    return last;
  }
}

class Scene {
  readonly fake = new FakeRoom();
  readonly #followers: Array<Follower & { readonly first: number }> = [];

  async perform(step: Step): Promise<void> {
    const { fake } = this;
    switch (step.do) {
      case 'write': {
        const events = fake.write(step.count).map((event) => ({ ...event, json: `{"n":${event.seq},"x":"${'x'.repeat(step.characters)}"}` }));
        fake.log.splice(-events.length, events.length, ...events);
        if (!step.isLost) fake.publish(events);
        return;
      }
      case 'writeLarge':
        return fake.publish(fake.writeLarge());
      case 'connect':
        return this.#connect(step.form, step.isLate ? Math.max(0, fake.log.length - 5) : fake.log.length);
      case 'check':
        return fake.room.check();
      case 'announce':
        return fake.room.receive({ kind: 'presence', connection_id: 99, message: { type: 'user_left', user_id: 'x', username: 'x' } });
      case 'turn':
        await nextTurn();
        return;
      default:
        return this.#act(step.do, step.who);
    }
  }

  /** The hub closes a room without clients, and a new one begins anew. So one stays all the time. */
  async begin(): Promise<void> {
    await this.fake.connect({ kind: 'latest' });
  }

  /** Everyone reads, and those who were sent away return; then everyone has everything. */
  async finish(): Promise<void> {
    const { fake } = this;
    fake.room.check();
    for (let round = 0; round < 100; round += 1) {
      for (const follower of this.#followers) {
        follower.socket.isReading = true;
        if (follower.socket.closedWith === null) follower.socket.read();
        this.#return(follower);
      }
      await fake.delivered();
    }
    for (const follower of this.#followers) {
      const last = follower.read(fake.log, follower.first);
      if (follower.socket.closedWith === null) assert.equal(last, fake.log.length, `${follower.form}: nothing is missing`);
    }
    assert.deepEqual(fake.errors, []);
  }

  #connect(form: Form, since: number): void {
    const { fake } = this;
    const position: Since = form === 'plain' ? { kind: 'unnumbered' } : { kind: 'after', position: { epoch: '0', seq: since } };
    const first = form === 'plain' ? fake.log.length : since;
    if (form === 'shared') {
      const client = new FakeSharedClient(fake, `ann ${this.#followers.length}`);
      const follower = new Follower(form, client);
      follower.joining = client.follow(fake, position);
      this.#followers.push(Object.assign(follower, { first }));
      return;
    }
    const client = fake.enter(position);
    const follower = new Follower(form, client);
    // As the edge does.
    follower.joining = fake.letIn(client, position).catch(() => client.follower.end({ code: 1013, reason: '' }));
    this.#followers.push(Object.assign(follower, { first }));
  }

  #act(what: 'leave' | 'return' | 'sleep' | 'read' | 'wake', index: number): void {
    const follower = this.#followers[index];
    if (follower === undefined || follower.socket.closedWith !== null) return;
    const { socket } = follower;
    switch (what) {
      case 'leave':
        if (socket instanceof FakeSharedClient) socket.unfollow(this.fake);
        return;
      case 'return':
        return this.#return(follower);
      case 'sleep':
        socket.isReading = false;
        return;
      case 'read':
        return socket.read();
      case 'wake':
        socket.isReading = true;
        return socket.read();
    }
  }

  /** From the last number that it knows. */
  #return(follower: Follower & { readonly first: number }): void {
    const { socket } = follower;
    if (!(socket instanceof FakeSharedClient) || socket.closedWith !== null || socket.client.size > 0) return;
    const seq = follower.read(this.fake.log, follower.first);
    follower.joining = socket.follow(this.fake, { kind: 'after', position: { epoch: '0', seq } });
  }
}

t.test('WS5 clients of one board and of several get the same events without a gap, under any losses, leaves and slow reading', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const scene = new Scene();
      await scene.begin();
      for (const step of all) await scene.perform(step);
      await scene.finish();
    }),
    { numRuns: 150 },
  );
});
