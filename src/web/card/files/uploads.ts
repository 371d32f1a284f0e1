/** Files on their way to cards. They continue when the dialog is closed. */
import { signal } from '@preact/signals';
import { createdId, newKey, type Card } from '../../../client/index.js';
import { notify, reasonOf } from '../../state/notices.js';
import { route } from '../../state/route.js';
import { client } from '../../state/session.js';
import { askBeforeLeaving } from '../../state/leaving.js';
import { say } from '../../words/catalogue.js';

export interface RunningUpload {
  readonly id: number;
  readonly cardId: string;
  /** That the file will have: its event may arrive before the answer. */
  readonly attachmentId: string;
  readonly name: string;
  readonly size: number;
  readonly state:
    | { readonly kind: 'waiting' }
    | { readonly kind: 'sending'; readonly sent: number }
    | { readonly kind: 'refused'; readonly reason: string };
  cancel(): void;
}

/** More at once are not faster, and would fill the service's places for one user. */
const MAX_AT_ONCE = 3;

export const uploads = signal<readonly RunningUpload[]>([]);

let count = 0;
let running = 0;
const waiting: Array<() => void> = [];

/** Returns the ids that the attachments will have. */
export function uploadFiles(card: Card, files: Iterable<File>): string[] {
  return [...files].map((file) => {
    const idempotencyKey = newKey();
    void upload(card, file, idempotencyKey);
    return createdId(card.board_id, idempotencyKey);
  });
}

export function dismissUpload(id: number): void {
  uploads.value = uploads.value.filter((each) => each.id !== id);
}

async function upload({ id: cardId, board_id }: Card, file: File, idempotencyKey: string): Promise<void> {
  count += 1;
  const id = count;
  const attachmentId = createdId(board_id, idempotencyKey);
  const controller = new AbortController();
  const { signal } = controller;
  const cancel = (): void => {
    controller.abort();
    dismissUpload(id);
  };
  uploads.value = [...uploads.value, { id, cardId, attachmentId, name: file.name, size: file.size, state: { kind: 'waiting' }, cancel }];
  await turn();
  try {
    if (!signal.aborted) {
      const onProgress = (sent: number): void => update(id, { kind: 'sending', sent });
      await client.attachment.create({ card_id: cardId }, file, { signal, idempotencyKey, onProgress });
    }
    dismissUpload(id);
  } catch (error) {
    if (signal.aborted) dismissUpload(id);
    else refuse({ id, cardId, name: file.name }, reasonOf(error));
  } finally {
    running -= 1;
    askBeforeLeaving('uploads', running + waiting.length > 0);
    waiting.shift()?.();
  }
}

/** Whoever does not see the list is told by a notice. */
function refuse({ id, cardId, name }: Pick<RunningUpload, 'id' | 'cardId' | 'name'>, reason: string): void {
  update(id, { kind: 'refused', reason });
  const place = route.peek();
  if (place.screen !== 'board' || place.cardId !== cardId) notify('failure', say('upload.notAttached', { name, reason }));
}

async function turn(): Promise<void> {
  if (running >= MAX_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  running += 1;
  askBeforeLeaving('uploads', true);
}

function update(id: number, state: RunningUpload['state']): void {
  uploads.value = uploads.value.map((each) => (each.id === id ? { ...each, state } : each));
}
