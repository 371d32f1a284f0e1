import t from 'tap';
import { cutIntoSlices } from '../../src/domain/document/boardPlan.js';
import type { Change, Member } from '../../src/domain/model.js';
import { planned } from '../support/board/plannedBoard.js';
import { ben, TestPartition } from '../support/store/faultyStorePartition.js';

const ROLES_CAME_WITH = 16;
const LOOKS_CAME_WITH = 13;

t.test('CLUSTER54 an import with roles, or looks of a board, is refused while a program runs that does not keep them', async (t) => {
  const { board, changes } = planned(3);
  const owner = changes.flatMap((change) => (change.kind === 'member' && 'put' in change ? [change.put] : []))[0] as Member;
  const viewer: Change = { kind: 'member', put: { ...owner, id: ben.id, user: ben, role: 'viewer' } };
  const colored = changes.map((change): Change => {
    return change.kind === 'board' && 'put' in change ? { kind: 'board', put: { ...change.put, color: 'teal' } } : change;
  });
  const cases: ReadonlyArray<[readonly Change[], since: number]> = [
    [[...changes, viewer], ROLES_CAME_WITH],
    [colored, LOOKS_CAME_WITH],
  ];
  for (const [imported, since] of cases) {
    for (const [schema, outcome] of [
      [since - 1, { ok: false, error: { code: 'unavailable', detail: /older version/ } }],
      [since, { ok: true, value: { outcome: { ok: true } } }],
    ] as const) {
      await t.test(`for schema ${schema}`, async (t) => {
        const partition = new TestPartition(t, { schema });
        t.match(await partition.send([{ kind: 'import', plan: cutIntoSlices(board, imported) }]), [outcome]);
      });
    }
  }
});
