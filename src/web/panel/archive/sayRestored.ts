/** What comes back to a board does not come back into its rules: they lost it, and are off. */
import { notify } from '../../state/notices.js';
import type { OpenBoard } from '../../state/openBoard.js';
import { isComplete } from '../../state/rules.js';
import { client } from '../../state/session.js';
import { say } from '../../words/catalogue.js';

/** Says that the thing is back, and how many rules lack something, with the way to them. */
export async function sayRestored(open: OpenBoard, title: string, isNamedByRules: boolean): Promise<void> {
  const count = isNamedByRules ? await incompleteRules(open) : 0;
  const text = say('trash.restored', { title });
  if (count === 0) return notify('info', text);
  const action = { name: say('restored.rules'), run: () => void (open.panel.value = 'rules') };
  notify('info', `${text} ${say('restored.rulesOff', { count })}`, action);
}

/** None if they cannot be read: the thing is back all the same. */
async function incompleteRules(open: OpenBoard): Promise<number> {
  const rules = await client.rule.list({ board_id: open.id }).catch(() => []);
  const board = open.board.peek();
  return board === null ? 0 : rules.filter((rule) => !isComplete(rule, board)).length;
}
