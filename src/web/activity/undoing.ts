/** Takes back what the user did, and gives it back. */
import { attempt, dismiss, notices, notify } from '../state/notices.js';
import type { OpenBoard } from '../state/openBoard.js';
import { client, currentUser } from '../state/session.js';
import { say } from '../words/catalogue.js';

/** The entries among which it is, the newest first. */
const SEARCHED = 20;

/** The user's last change, or the one with this number. */
async function undo(open: OpenBoard, seq: number | null = null): Promise<void> {
  await open.sent();
  const isDone = await attempt(say('undo.notUndone'), async () => {
    const undone = await client.board.undo({ board_id: open.id }, { seq });
    open.undone.push(undone.seq);
  });
  if (!isDone) return;
  // Its offer would be refused now, and an older one is no longer for the last change.
  if (seq === null) withdrawOffer();
  notify('info', say('undo.undone'));
}

function withdrawOffer(): void {
  const offer = notices.value.findLast(({ action }) => action?.name === say('undo.undo'));
  if (offer !== undefined) dismiss(offer.id);
}

/** What was undone last in this window, unless the user has changed something since. */
async function redo(open: OpenBoard): Promise<void> {
  await open.sent();
  const seq = open.undone.pop();
  if (seq === undefined) return notify('info', say('undo.nothing'));
  if (await attempt(say('undo.notRedone'), () => client.board.undo({ board_id: open.id }, { seq }))) notify('info', say('undo.redone'));
}

/** What the user did, and can take back by the number of its entry in the activity. */
export interface Done {
  readonly kind: `${'card' | 'column' | 'checklist' | 'label' | 'attachment'}.deleted` | `${'card' | 'column'}.${'archived' | 'moved'}`;
  readonly id: string;
  readonly title: string;
}

/** Says that it is done, and offers to take it back. */
async function offerUndo(open: OpenBoard, { kind, id, title }: Done): Promise<void> {
  if (!(await open.sent())) return;
  const takeBack = async (): Promise<void> => {
    const query = { ...(kind.startsWith('card.') ? { card_id: id } : {}), user_id: currentUser().id, kind, limit: SEARCHED };
    const entry = (await client.activity.list({ board_id: open.id }, query)).activity.find((each) => each.id === id);
    if (entry !== undefined) await undo(open, entry.seq);
  };
  const isMove = kind.endsWith('.moved');
  const text = isMove ? 'undo.moved' : kind.endsWith('.archived') ? 'undo.archived' : 'news.cardDeleted';
  const action = { name: say('undo.undo'), run: () => void attempt(say('undo.notUndone'), takeBack) };
  // A user who sorts many cards sees the offer for the last one.
  notify('info', say(text, { title }), action, isMove ? 'moved' : undefined);
}

/** Loaded as a whole when one of them is first needed. */
export const UNDOING = { undo, redo, offerUndo };
