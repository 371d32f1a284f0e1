/** What the directory knows of deleted boards, in whatever order and however often their shards report it. */
import type { Test } from 'tap';
import type { DirectoryCommand, DirectoryCommands } from '../../../src/domain/commands/directoryCommands.js';
import { IdSource, type Uuid } from '../../../src/domain/ids.js';
import type { PublicUser } from '../../../src/domain/account/user.js';
import { onBoth, type OpenDirectory } from '../../support/store/directories.js';
import { ann, ben } from '../scenario.js';

const NOON = '2030-01-01T12:00:00.000Z';
const ids = new IdSource();

function setUp(t: Test, open: OpenDirectory) {
  const directory = open(t);
  const run = (command: DirectoryCommand) => directory.runNow([command])[0];
  const value = (command: DirectoryCommand): unknown => {
    const outcome = run(command);
    return outcome?.ok === true ? outcome.value : outcome;
  };
  for (const { id, email, username } of [ann, ben]) {
    run({
      op: 'user.create',
      input: { id, email, username, hashed_password: 'hash', firstname: null, lastname: null, is_superuser: false, now: NOON },
    });
  }
  return {
    run,
    reserve: (board_id: Uuid, max = 10) => value({ op: 'board.reserve', input: { user_id: ann.id, board_id, max, now: NOON } }),
    apply: (board_id: Uuid, version: number, change: Partial<DirectoryCommands['membership.apply']['input']>) =>
      run({ op: 'membership.apply', input: { board_id, version, members: [], ...change } }),
    boardsOf: ({ id: user_id }: PublicUser) => value({ op: 'membership.list', input: { user_id } }),
    trashOf: ({ id: user_id }: PublicUser) => value({ op: 'trash.list', input: { user_id, since: '2029', before: null, limit: 10 } }),
    find: ({ id: user_id }: PublicUser, board_id: Uuid) => value({ op: 'trash.find', input: { user_id, board_id } }),
  };
}

const joined = (...users: readonly PublicUser[]) => ({ members: users.map((user) => ({ user_id: user.id, profile: user })) });
const restored = (...users: readonly PublicUser[]) => ({ ...joined(...users), is_restored: true }) as const;
const GONE = { members: 'none left' } as const;
const trashed = (at = NOON) => ({ ...GONE, trashed: { title: 'Plans', deleted_at: at, owners: [ann.id] } }) as const;

onBoth('TRASH2 deletion and restoration are reported twice and late, and the latest counts', async (t, open) => {
  const { apply, boardsOf, trashOf, find, reserve, run } = setUp(t, open);
  const board = ids.fresh();
  reserve(board);
  apply(board, 1, joined(ann, ben));
  t.match(apply(board, 2, trashed()), { ok: true }, 'all leave');
  for (const again of [1, 2]) {
    t.strictSame([boardsOf(ann), boardsOf(ben)], [[], []], `after report ${again}`);
    t.strictSame(trashOf(ann), [{ board_id: board, title: 'Plans', deleted_at: NOON }]);
    t.strictSame([trashOf(ben), find(ben, board)], [[], null], 'a member was no owner');
    t.match(find(ann, board), { creator_id: ann.id, isErasing: false });
    t.equal(run({ op: 'board.wasDeleted', input: { board_id: board } })?.ok, true);
    apply(board, 2, trashed());
    apply(board, 1, joined(ann, ben));
  }
  apply(board, 3, restored(ann, ben));
  for (const late of [
    [3, restored(ann, ben)],
    [2, trashed()],
    [1, joined(ann, ben)],
  ] as const) {
    t.strictSame([boardsOf(ann), boardsOf(ben), trashOf(ann)], [[board], [board], []]);
    t.match(run({ op: 'board.wasDeleted', input: { board_id: board } }), { value: false });
    apply(board, late[0], late[1]);
  }
  apply(board, 4, { members: [{ user_id: ben.id, profile: null }] });
  t.strictSame(boardsOf(ben), [], 'a later change counts');
  apply(board, 5, trashed());
  apply(board, 3, restored(ann, ben));
  t.strictSame([boardsOf(ann), trashOf(ann)], [[], [{ board_id: board, title: 'Plans', deleted_at: NOON }]], 'deleted again');
  apply(board, 6, GONE);
  for (const late of [
    [5, trashed()],
    [3, restored(ann, ben)],
    [1, joined(ann)],
  ] as const) {
    t.strictSame([boardsOf(ann), trashOf(ann), find(ann, board)], [[], [], null], 'gone for good');
    apply(board, late[0], late[1]);
  }
});

onBoth('TRASH4 deleted boards take the places that are left, and a restored one takes its place again', async (t, open) => {
  const { apply, reserve, trashOf } = setUp(t, open);
  const [one, two, three, four] = [ids.fresh(), ids.fresh(), ids.fresh(), ids.fresh()];
  for (const [index, board] of [one, two, three].entries()) {
    t.equal(reserve(board, 3), true);
    apply(board, 1, joined(ann));
    apply(board, 2, trashed(`2030-01-0${index + 1}T12:00:00.000Z`));
  }
  t.strictSame(reserve(four, 3), { excess: [one] }, 'the longest deleted gives way');
  t.strictSame(reserve(four, 3), { excess: [one] }, 'repeated, until it has');
  apply(one, 3, GONE);
  t.equal(reserve(four, 3), true);
  t.equal(reserve(two, 3), true, 'that of a board which is restored');
  apply(two, 3, restored(ann));
  t.match(reserve(ids.fresh(), 2), { error: { code: 'limit' } });
  t.match(trashOf(ann), [{ board_id: three }]);
});

onBoth('TRASH3 a deleted user restores nothing, and boards in the trash are visited too', async (t, open) => {
  const { apply, find, run, trashOf } = setUp(t, open);
  const board = ids.fresh();
  apply(board, 1, joined(ann, ben));
  apply(board, 2, trashed());
  run({ op: 'user.delete', input: { id: ben.id, heir_id: null, now: NOON } });
  t.match(run({ op: 'user.deletion', input: { user: ben.id, by: 'id' } }), { value: { isPending: true, board_ids: [board] } });
  t.match(find(ann, board), { isErasing: true });
  run({ op: 'outbox.delivered', input: { id: 1 } });
  t.match(find(ann, board), { isErasing: false });
  run({ op: 'user.delete', input: { id: ann.id, heir_id: null, now: NOON } });
  t.strictSame([trashOf(ann), find(ann, board)], [[], null]);
});
