import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { Connection, Joined } from '../../../src/domain/ports/presence.js';
import { Deferred } from '../../../src/flow/deferred.js';
import { JoinTurns } from '../../../src/realtime/entry/joinTurns.js';
import { SharedFollower } from '../../../src/realtime/socket/sharedSocket.js';
import { FakeRoom, FakeSharedClient } from '../../support/realtime/fakeRoom.js';
import { range } from '../../support/realtime/realtimeBoard.js';

const JOINED: Joined = { ok: true, epoch: '0', seq: 0 };
const AT_ONCE = 8;

interface Joins {
  readonly turns: JoinTurns;
  /** Those that the owner was asked for. */
  readonly asked: Connection[];
  answer(index: number): void;
}

function startTurns(t: Test): Joins {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const asked: Connection[] = [];
  const answers: Array<Deferred<Joined>> = [];
  const join = (connection: Connection): Promise<Joined> => {
    asked.push(connection);
    const answer = new Deferred<Joined>();
    answers.push(answer);
    return answer.promise;
  };
  return { turns: new JoinTurns({ join }), asked, answer: (index) => answers[index]?.resolve(JOINED) };
}

const fake = new FakeRoom();

function followersOf(client: FakeSharedClient, count: number): SharedFollower[] {
  return range(1, count).map(() => new SharedFollower(client.client, fake.room, fake.nextNumber()));
}

t.test('SHARE34 a few joins of a user are under way at a time, in order, and other users do not wait for them', async (t) => {
  const { turns, asked, answer } = startTurns(t);
  const [ann, bob] = [new FakeSharedClient(fake, 'ann'), new FakeSharedClient(fake, 'bob')];
  const followers = followersOf(ann, 20);
  const joining = followers.map((follower) => turns.join(follower));
  const [other] = followersOf(bob, 1);
  if (other === undefined) throw new Error('there is one');
  const joiningOther = turns.join(other);
  await nextTurn();
  t.equal(asked.length, AT_ONCE + 1);
  answer(AT_ONCE);
  t.strictSame(await joiningOther, JOINED);
  for (const index of range(0, 20)) {
    answer(index);
    await nextTurn();
  }
  t.strictSame(
    await Promise.all(joining),
    followers.map(() => JOINED),
  );
  t.strictSame(
    asked.filter(({ user_id }) => user_id === 'ann').map(({ id }) => id),
    followers.map(({ connectionId }) => connectionId),
  );
});

t.test('SHARE34 a board that was left before its turn is not joined at all', async (t) => {
  const { turns, asked, answer } = startTurns(t);
  const ann = new FakeSharedClient(fake, 'ann');
  const followers = followersOf(ann, AT_ONCE + 2);
  const joining = followers.map((follower) => turns.join(follower));
  await nextTurn();
  followers[AT_ONCE]?.noteEnd();
  answer(0);
  await nextTurn();
  t.equal(await joining[AT_ONCE], null);
  t.equal(asked.at(-1)?.id, followers[AT_ONCE + 1]?.connectionId, 'the next one follows');
});

t.test('SHARE34 a board that is out of reach delays the others of its user only for a moment', async (t) => {
  const { turns, asked, answer } = startTurns(t);
  const followers = followersOf(new FakeSharedClient(fake, 'ann'), AT_ONCE + 1);
  const joining = followers.map((follower) => turns.join(follower));
  await nextTurn();
  t.equal(asked.length, AT_ONCE);
  mock.timers.tick(200);
  await nextTurn();
  t.equal(asked.length, AT_ONCE + 1);
  answer(0);
  t.strictSame(await joining[0], JOINED, 'and is joined when it answers');
});

t.test('SHARE34 a client that has not read the earlier answers joins no other board', async (t) => {
  const { turns, asked, answer } = startTurns(t);
  const ann = new FakeSharedClient(fake, 'ann');
  ann.backlog = 100_000;
  const [follower] = followersOf(ann, 1);
  if (follower === undefined) throw new Error('there is one');
  ann.client.add(follower);
  const joining = turns.join(follower);
  await nextTurn();
  t.equal(asked.length, 0);
  ann.read();
  await nextTurn();
  t.equal(asked.length, 1);
  answer(0);
  t.strictSame(await joining, JOINED);
});
