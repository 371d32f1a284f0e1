import t from 'tap';
import type { Uuid } from '../../src/domain/ids.js';
import type { PublicUser } from '../../src/domain/account/user.js';
import { ann, ben, BOARD_ID, cleo, idleRule, Scenario } from './scenario.js';
import type { WireResource } from './wire.js';

const NAMES = ['first', 'second', 'third'];
const dora: PublicUser = { ...cleo, id: 'aaaaaaaa-0000-4000-8000-000000000000', username: 'dora' };

for (const pace of [0, -3]) {
  t.test(`RANK12 the order of creation is kept if each command comes ${pace} ms after the last`, async (t) => {
    const scenario = Scenario.withBoard();
    const card = scenario.addCard(scenario.addColumn('A'), 'x');
    scenario.disorder({ pace });
    for (const name of NAMES) {
      scenario.addLabel(name);
      scenario.must(ann, 'rule.create', BOARD_ID, { ...idleRule, name });
      attach(scenario, card, name, `b0a2db0a-2d00-4000-8000-ff00000000${90 - NAMES.indexOf(name)}`);
    }
    for (const user of [cleo, dora]) scenario.must(ann, 'member.add', BOARD_ID, { user_id: user.id, user });
    const [label] = (scenario.full as unknown as { labels: WireResource[] }).labels.slice(-1);
    const renamed = scenario.must(ann, 'label.update', label?.id ?? '', { color: 'blue' });
    t.ok(renamed.updated_at >= renamed.created_at, 'nothing is changed before it is created');
    const { labels, members } = scenario.full as unknown as Record<string, WireResource[]>;
    t.strictSame(namesOf(labels), NAMES);
    t.strictSame(namesOf(scenario.must(ann, 'rule.list', BOARD_ID, {})), NAMES);
    t.strictSame(namesOf(scenario.must(ann, 'card.get', card, {})['attachments']), NAMES);
    t.strictSame(
      members?.map(({ user_id }) => user_id),
      [ann, ben, cleo, dora].map(({ id }) => id),
    );
  });
}

t.test('RANK12 a sibling of the far future changes the time of no other', async (t) => {
  const scenario = Scenario.withBoard();
  scenario.addLabel('later');
  scenario.disorder({ pace: -3_600_000 });
  const { created_at } = scenario.must(ann, 'label.create', BOARD_ID, { name: 'now', color: 'red' });
  t.match(created_at, /^2029-12-31T23:/);
});

function attach(scenario: Scenario, card: Uuid, name: string, id: Uuid): void {
  scenario.must(ann, 'attachment.create', card, { id, name, mime_type: 'text/plain', size: 1 });
}

function namesOf(records: unknown): unknown[] {
  return (records as WireResource[]).map((record) => record['name']);
}
