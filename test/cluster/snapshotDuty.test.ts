import t from 'tap';
import type { CopyReport, OtherInstance } from '../../src/cluster/replicas.js';
import { snapshotTaker } from '../../src/cluster/snapshotDuty.js';

const PARTITION = 'shard 0';

function instance(id: string, state: CopyReport['state']): OtherInstance {
  return { id, copies: [{ partition: PARTITION, state, applied: 1, chain: 'c', term: 1, schema: 7 }] };
}

t.test('a snapshot is taken by the first instance that does not own the partition, or by its lone owner', async (t) => {
  t.equal(snapshotTaker(PARTITION, [instance('b', 'following'), instance('a', 'owning'), instance('c', 'following')]), 'b');
  t.equal(snapshotTaker(PARTITION, [instance('c', 'following'), instance('b', 'following')]), 'b', 'by its id, wherever it is decided');
  t.equal(snapshotTaker(PARTITION, [instance('b', 'halted'), instance('a', 'owning')]), 'a');
  t.equal(snapshotTaker(PARTITION, [instance('b', 'halted')]), null, 'not from a copy that has halted');
  t.equal(snapshotTaker('shard 1', [instance('b', 'following')]), null);
});
