import type { Test } from 'tap';
import type { DirectoryCommand } from '../../../src/domain/commands/directoryCommands.js';
import { IdSource, type Uuid } from '../../../src/domain/ids.js';
import type { DirectoryOutcome } from '../../support/store/memoryDirectory.js';
import { onBoth, type OpenDirectory } from '../../support/store/directories.js';
import { ann } from '../scenario.js';

const NOON = '2030-01-01T12:00:00.000Z';
const LATER = '2030-01-01T13:00:00.001Z';
const ids = new IdSource();
const user_id = ann.id;

function setUp(t: Test, open: OpenDirectory): (command: DirectoryCommand) => DirectoryOutcome | undefined {
  const directory = open(t);
  return (command) => directory.runNow([command])[0];
}

function reserve(board_id: Uuid, max: number, now = NOON): DirectoryCommand {
  return { op: 'board.reserve', input: { user_id, board_id, max, now } };
}

function grants(wanted: number, max: number, now = NOON): DirectoryCommand {
  return { op: 'grant.reserve', input: { user_id, wanted, max, now } };
}

onBoth('QUOTA13 a board reserves a place before it exists, and frees it when it is deleted or was not created', async (t, open) => {
  const run = setUp(t, open);
  const [one, two, three] = [ids.fresh(), ids.fresh(), ids.fresh()];
  const member = (board_id: Uuid): DirectoryCommand => {
    return { op: 'membership.apply', input: { board_id, version: 1, members: [{ user_id, profile: ann }] } };
  };
  const detail = 'A user can create at most 2 boards (MAX_BOARDS_PER_USER); delete one first';
  t.match(run(reserve(one, 2)), { ok: true });
  t.match(run(reserve(one, 2)), { ok: true }, 'a repeated reservation takes no second place');
  t.match(run(reserve(two, 2)), { ok: true });
  t.match(run(reserve(three, 2)), { ok: false, error: { code: 'limit', detail } });
  t.match(run({ op: 'board.release', input: { board_id: two } }), { ok: true });
  t.match(run(reserve(three, 2)), { ok: true });
  run(member(one));
  t.match(run(reserve(two, 2)), { ok: false });
  t.match(run(reserve(two, 2, LATER)), { ok: true }, 'a board without a member after an hour was never created');
  run(member(two));
  t.match(run(reserve(three, 2, '2031-01-01T00:00:00.000Z')), { ok: false }, 'those with members stay');
  run({ op: 'membership.apply', input: { board_id: one, version: 2, members: 'none left' } });
  t.match(run(reserve(three, 2)), { ok: true });
});

onBoth('QUOTA14 granted memberships are counted by day, and grants that failed are not counted', async (t, open) => {
  const run = setUp(t, open);
  t.match(run(grants(3, 5)), { value: 3 });
  t.match(run(grants(3, 5)), { value: 2 }, 'as many as are left');
  t.match(run(grants(1, 5)), { value: 0 });
  t.match(run({ op: 'grant.release', input: { user_id, count: 1, now: NOON } }), { ok: true });
  t.match(run(grants(3, 5)), { value: 1 });
  t.match(run({ op: 'grant.release', input: { user_id, count: 1, now: NOON } }), { ok: true });
  const invite = (invited: Uuid): DirectoryCommand => ({ op: 'grant.reserve', input: { user_id, wanted: 1, max: 5, now: NOON, invited } });
  const { id, email, username } = ann;
  const created = { id, email, username, hashed_password: 'hash', firstname: null, lastname: null, is_superuser: false, now: NOON };
  t.match(run({ op: 'user.create', input: created }), { ok: true });
  t.strictSame(run(invite(ids.fresh())), { ok: true, value: { count: 0, user: null } }, 'nothing is counted for an unknown user');
  t.match(run(invite(id)), { value: { count: 1, user: { id, username } } }, 'the invited user is in the answer');
  t.match(run(invite(id)), { value: { count: 0, user: { id } } });
  const tomorrow = '2030-01-02T00:00:00.000Z';
  t.match(run(grants(5, 5, tomorrow)), { value: 5 });
  run({ op: 'grant.release', input: { user_id, count: 5, now: NOON } });
  t.match(run(grants(5, 5, tomorrow)), { value: 0 }, 'a release of yesterday counts for yesterday');
  t.match(run(grants(1, 0, tomorrow)), { value: 0 }, 'a limit that was lowered');
});
