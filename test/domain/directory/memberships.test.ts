import type { Test } from 'tap';
import type { DirectoryCommand, MembershipChanges } from '../../../src/domain/commands/directoryCommands.js';
import { IdSource, type Uuid } from '../../../src/domain/ids.js';
import type { PublicUser } from '../../../src/domain/account/user.js';
import { onBoth, type OpenDirectory } from '../../support/store/directories.js';

const NOW = '2030-01-01T00:00:00.000Z';
const ids = new IdSource();

/** A directory with two users, and the questions of these tests. */
function setUp(t: Test, open: OpenDirectory) {
  const directory = open(t);
  const run = (command: DirectoryCommand): unknown => {
    const [outcome] = directory.runNow([command]);
    if (outcome?.ok !== true) throw new Error(JSON.stringify(outcome));
    return outcome.value;
  };
  const create = (username: string) => {
    const names = { email: `${username}@example.org`, username, firstname: null, lastname: null };
    const input = { id: ids.fresh(), ...names, hashed_password: 'hash', is_superuser: false, now: NOW };
    return run({ op: 'user.create', input }) as PublicUser;
  };
  return {
    ada: create('ada'),
    bob: create('bob'),
    run,
    apply: (board_id: Uuid, version: number, members: MembershipChanges['members']) =>
      run({ op: 'membership.apply', input: { board_id, version, members } }),
    boardsOf: ({ id }: PublicUser) => run({ op: 'membership.list', input: { user_id: id } }),
    rename: ({ id }: PublicUser, firstname: string) => run({ op: 'user.update', input: { id, now: NOW, changes: { firstname } } }) as PublicUser,
    /** The entries of the outbox. */
    pending: (after = 0) => {
      const [outcome] = directory.runNow([{ op: 'outbox.push', input: { after } }]);
      return outcome?.ok === true ? (outcome.undelivered?.rows ?? []) : [];
    },
    /** The entries that a command adds. */
    addedBy: (command: DirectoryCommand) => {
      const [outcome] = directory.runNow([command]);
      return outcome?.ok === true ? outcome.added : undefined;
    },
    delivered: (id: number) => run({ op: 'outbox.delivered', input: { id } }),
  };
}

function on(user: PublicUser) {
  return { user_id: user.id, profile: user };
}

function off(user: PublicUser) {
  return { user_id: user.id, profile: null };
}

onBoth('BOARD51 the boards of a user are listed in order of joining', (t, open) => {
  const { ada, bob, apply, boardsOf } = setUp(t, open);
  const [one, two, three] = [ids.fresh(), ids.fresh(), ids.fresh()];
  t.strictSame(boardsOf(ada), []);
  for (const board of [two, one, three]) t.equal(apply(board, 1, [on(ada)]), true);
  apply(one, 2, [on(bob)]);
  t.strictSame(boardsOf(ada), [two, one, three]);
  t.strictSame(boardsOf(bob), [one]);
  apply(two, 2, [on(ada)]);
  t.strictSame(boardsOf(ada), [two, one, three], 'a change of an existing member moves nothing');
  apply(two, 3, [off(ada)]);
  t.strictSame(boardsOf(ada), [one, three]);
  apply(two, 4, [on(ada)]);
  t.strictSame(boardsOf(ada), [one, three, two], 'a member who rejoins comes last');
});

onBoth('of named boards those of the user are listed in order of joining, and no other membership is read', (t, open) => {
  const { ada, bob, apply, run } = setUp(t, open);
  const [one, two, three, none] = [ids.fresh(), ids.fresh(), ids.fresh(), ids.fresh()];
  for (const board of [two, one, three]) apply(board, 1, [on(ada), on(bob)]);
  const named = (boards: readonly Uuid[]) => run({ op: 'membership.list', input: { user_id: ada.id, boards } });
  t.strictSame(named([one, none, two]), [two, one]);
  apply(two, 2, [off(ada)]);
  t.strictSame(named([one, two, one]), [one], 'a membership that ended is not listed, and none twice');
  t.strictSame(named([]), []);
});

onBoth('OUTBOX10 a membership change that arrives twice or late changes nothing', (t, open) => {
  const { ada, apply, boardsOf } = setUp(t, open);
  const [late, other] = [ids.fresh(), ids.fresh()];
  apply(late, 1, [on(ada)]);
  apply(late, 2, [off(ada)]);
  apply(late, 1, [on(ada)]);
  apply(late, 2, [on(ada)]);
  t.strictSame(boardsOf(ada), []);
  apply(other, 7, [off(ada)]);
  apply(other, 6, [on(ada)]);
  t.strictSame(boardsOf(ada), [], 'also if the leave arrived first');
  apply(other, 8, [on(ada)]);
  t.strictSame(boardsOf(ada), [other]);
});

onBoth('OUTBOX10 a deleted board has no members, also after a late change', (t, open) => {
  const { ada, bob, apply, boardsOf } = setUp(t, open);
  const [gone, kept] = [ids.fresh(), ids.fresh()];
  apply(gone, 1, [on(ada)]);
  apply(kept, 1, [on(ada)]);
  apply(gone, 3, 'none left');
  apply(gone, 3, 'none left');
  apply(gone, 2, [on(bob), on(ada)]);
  t.strictSame(boardsOf(ada), [kept]);
  t.strictSame(boardsOf(bob), []);
});

onBoth('MEMBER9 a changed profile is pending until delivered to the boards of its user', (t, open) => {
  const { ada, apply, rename, pending, delivered } = setUp(t, open);
  const board = ids.fresh();
  rename(ada, 'Nobody');
  t.strictSame(pending(), [], 'no board needs the change');
  apply(board, 1, [on(rename(ada, 'Ada'))]);
  const changed = rename(ada, 'Augusta');
  const [entry, ...more] = pending();
  t.strictSame(entry?.user, changed);
  t.strictSame(more, []);
  delivered(entry?.id ?? 0);
  t.strictSame(pending(), []);
});

onBoth('MEMBER9 the command that adds an entry to the outbox names it', (t, open) => {
  const { ada, bob, apply, rename, addedBy } = setUp(t, open);
  apply(ids.fresh(), 1, [on(ada)]);
  const renaming = (firstname: string): DirectoryCommand => {
    return { op: 'user.update', input: { id: ada.id, now: NOW, changes: { firstname } } };
  };
  t.strictSame(addedBy(renaming('Ada')), [{ id: 1, user: { ...ada, firstname: 'Ada' } }]);
  t.strictSame(addedBy(renaming('Ada')), undefined, 'nothing changed');
  const [newAda, newBob] = [rename(ada, 'Augusta'), rename(bob, 'Bob')];
  const input = { board_id: ids.fresh(), version: 2, members: [on(ada), on(bob)] };
  const added = [
    { id: 3, user: newAda },
    { id: 4, user: newBob },
  ];
  t.strictSame(addedBy({ op: 'membership.apply', input }), added, 'both copies are outdated');
});

onBoth('MEMBER9 a delivery of an older state does not confirm a newer change', (t, open) => {
  const { ada, bob, apply, rename, pending, delivered } = setUp(t, open);
  apply(ids.fresh(), 1, [on(ada), on(bob)]);
  rename(ada, 'first');
  const [older] = pending();
  rename(bob, 'Bob');
  const newest = rename(ada, 'second');
  delivered(older?.id ?? 0);
  t.match(pending(), [{ user: { id: bob.id } }, { user: newest }], 'and the oldest change comes first');
  t.equal(pending().length, 2);
});

onBoth('MEMBER9 a change that boards do not see is not delivered to them', (t, open) => {
  const { ada, apply, run, pending } = setUp(t, open);
  apply(ids.fresh(), 1, [on(ada)]);
  run({ op: 'user.update', input: { id: ada.id, now: NOW, changes: { hashed_password: 'other' } } });
  t.strictSame(pending(), []);
});

onBoth('MEMBER9 a board that copied a profile just before it changed gets the change', (t, open) => {
  const { ada, apply, rename, pending } = setUp(t, open);
  const board = ids.fresh();
  const changed = rename(ada, 'Ada');
  apply(board, 1, [on(ada)]);
  t.strictSame(pending(), [{ id: 1, user: changed }]);
});

onBoth('of a list of ids, those without a user are returned', (t, open) => {
  const { ada, bob, run } = setUp(t, open);
  const [x, y] = [ids.fresh(), ids.fresh()];
  t.strictSame(run({ op: 'user.missing', input: { ids: [x, ada.id, y, bob.id] } }), [x, y]);
  t.strictSame(run({ op: 'user.missing', input: { ids: [ada.id] } }), []);
  t.strictSame(run({ op: 'user.missing', input: { ids: [] } }), []);
});

onBoth('DEL3 a deletion reaches a board that names the user without ever having had them, before and after', (t, open) => {
  const { ada, bob, apply, run, addedBy } = setUp(t, open);
  const [one, two] = [ids.fresh(), ids.fresh()];
  const visit = (board_id: Uuid, user: PublicUser, version = 1) =>
    ({ op: 'membership.apply', input: { board_id, version, members: [off(user)] } }) as const;
  const remove = ({ id }: PublicUser) => ({ op: 'user.delete', input: { id, heir_id: null, now: NOW } }) as const;
  t.strictSame(addedBy(visit(one, ada)), undefined);
  t.match(addedBy(remove(ada)), [{ user: { id: ada.id } }], 'there is a board to visit');
  t.match(run({ op: 'user.deletion', input: { user: ada.id, by: 'id' } }), { board_ids: [one] });
  apply(one, 2, [on(bob)]);
  run(remove(bob));
  t.match(addedBy(visit(two, bob)), [{ user: { id: bob.id } }], 'what arrives late is visited too');
  t.strictSame(addedBy(visit(two, bob, 2)), undefined, 'once');
  t.strictSame(addedBy(visit(one, bob, 3)), undefined, 'who leaves a board needs no further visit');
  const come = { op: 'membership.apply', input: { board_id: one, version: 4, members: [{ ...off(bob), is_visitor: true }] } } as const;
  t.match(addedBy(come), [{ user: { id: bob.id } }], 'and whom a card names that came since, does');
});
