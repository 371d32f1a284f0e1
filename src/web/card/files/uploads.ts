/** Files on their way to cards. They continue when the dialog is closed. */
import { effect, signal } from '@preact/signals';
import { ApiError, createdId, newKey, type Card } from '../../../client/index.js';
import { forgetFile, keepFile, keptFiles, type KeptFile } from '../../kept/fileStore.js';
import { filesOnTheirWay, refusedFiles, type RefusedFile } from '../../unsaved/files.js';
import { notify, reasonOf } from '../../state/notices.js';
import { route } from '../../state/route.js';
import { client, currentUser } from '../../state/session.js';
import { askBeforeLeaving } from '../../state/leaving.js';
import { say } from '../../words/catalogue.js';

export interface RunningUpload {
  readonly id: number;
  /** Of the file, in every attempt. */
  readonly key: string;
  readonly cardId: string;
  /** Undefined: it belongs to the card itself. */
  readonly commentId: string | undefined;
  /** That the file will have: its event may arrive before the answer. */
  readonly attachmentId: string;
  readonly name: string;
  readonly size: number;
  /** It outlives the window. */
  readonly isKept: boolean;
  readonly state:
    | { readonly kind: 'waiting' }
    | { readonly kind: 'sending'; readonly sent: number }
    | { readonly kind: 'refused'; readonly reason: string };
  cancel(): void;
}

/** More at once are not faster, and would fill the service's places for one user. */
const MAX_AT_ONCE = 3;
/** However long the service is away. */
const FOREVER = { attempts: Infinity, maxMs: Infinity } as const;

export const uploads = signal<readonly RunningUpload[]>([]);
effect(() => {
  filesOnTheirWay.value = uploads.value.filter(({ state }) => state.kind !== 'refused');
});

/** Those to the card itself, or to a comment on it, that the card does not show yet. */
export function runningOn({ id, attachments }: Pick<Card, 'id' | 'attachments'>, comment?: string): RunningUpload[] {
  return uploads.value.filter(({ cardId, commentId, attachmentId }) => {
    return cardId === id && commentId === comment && !attachments.some((attachment) => attachment.id === attachmentId);
  });
}

let count = 0;
let running = 0;
/** That end with the window. */
let unkept = 0;
const waiting: Array<() => void> = [];

/** To the card, or to a comment on it, which may still wait to be sent. Returns the ids that the attachments will have. */
export function uploadFiles({ id: cardId, board_id: boardId }: Pick<Card, 'id' | 'board_id'>, files: Iterable<File>, commentId?: string): string[] {
  const userId = currentUser().id;
  return [...files].map((file) => {
    const key = newKey();
    void start({ key, userId, boardId, cardId, commentId, name: file.name, content: file });
    return createdId(boardId, key);
  });
}

/** After a login: those that a window left behind. Windows that live send their own. */
export async function resumeUploads(userId: string): Promise<void> {
  for (const file of await keptFiles(userId)) {
    if (file.refusal === undefined) void whileHeld(file, 'if nobody sends it', () => upload(file, true));
    else listRefused(file, file.refusal);
  }
}

/** A refused file is given up with it. */
export function dismissUpload(id: number): void {
  const upload = uploads.value.find((each) => each.id === id);
  remove(id);
  refusedFiles.value.find(({ key }) => upload?.state.kind === 'refused' && key === upload.key)?.discard();
}

function remove(id: number): void {
  uploads.value = uploads.value.filter((each) => each.id !== id);
}

/** A file that is kept outlives the window; before any other is lost, the browser asks. */
async function start(file: KeptFile): Promise<void> {
  const isKept = await keepFile(file);
  if (!isKept) unkept += 1;
  askBeforeLeaving('uploads', unkept > 0);
  try {
    await whileHeld(file, 'always', () => upload(file, isKept));
  } finally {
    if (!isKept) unkept -= 1;
    askBeforeLeaving('uploads', unkept > 0);
  }
}

/** One window sends a file. Without locks two may, and the service recognises the key. */
async function whileHeld({ key }: KeptFile, when: 'always' | 'if nobody sends it', work: () => Promise<void>): Promise<void> {
  const { locks } = navigator as { readonly locks?: LockManager };
  if (locks === undefined) return work();
  await locks.request(`switchboard file ${key}`, { ifAvailable: when !== 'always' }, async (lock) => {
    if (lock !== null) await work();
  });
}

/** Until it is answered. A refused file stays in the list of what is not saved. */
async function upload(kept: KeptFile, isKept: boolean): Promise<void> {
  const { key, userId, boardId, cardId, commentId, name, content } = kept;
  count += 1;
  const id = count;
  const attachmentId = createdId(boardId, key);
  const controller = new AbortController();
  const { signal } = controller;
  const cancel = (): void => {
    controller.abort();
    remove(id);
  };
  uploads.value = [
    ...uploads.value,
    { id, key, cardId, commentId, attachmentId, name, size: content.size, isKept, state: { kind: 'waiting' }, cancel },
  ];
  await turn();
  try {
    const onProgress = (sent: number): void => update(id, { kind: 'sending', sent });
    const file = { name, content, ...(content.type === '' ? {} : { type: content.type }) };
    if (!signal.aborted) {
      await whenSent(boardId, signal);
      const options = { signal, idempotencyKey: key, asUser: userId, retry: FOREVER, onProgress };
      if (commentId === undefined) await client.attachment.create({ card_id: cardId }, file, options);
      else await client.commentFile.create({ comment_id: commentId }, file, options);
    }
    remove(id);
    await forgetFile(key);
  } catch (error) {
    if (signal.aborted) {
      remove(id);
      await forgetFile(key);
    } else if (error instanceof ApiError && error.status === 401) {
      // In the session of another user it is not sent, and stays for its own.
      refuse({ id, cardId, name }, reasonOf(error));
    } else if (await isAttached(cardId, attachmentId)) {
      // After days the service does not know the key any more, and refuses the id.
      remove(id);
      await forgetFile(key);
    } else {
      refuse({ id, cardId, name }, reasonOf(error));
      listRefused(kept, reasonOf(error));
      await keepFile({ ...kept, refusal: reasonOf(error) });
    }
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

async function isAttached(card_id: string, attachmentId: string): Promise<boolean> {
  try {
    return (await client.card.get({ card_id })).attachments.some(({ id }) => id === attachmentId);
  } catch (error) {
    // The card is gone, or lost: the file stays in the list.
    console.warn(error);
    return false;
  }
}

/** The card or the comment itself may still wait to be sent. */
async function whenSent(boardId: string, signal: AbortSignal): Promise<void> {
  const isWaiting = (): boolean => client.unsent.waiting.some((change) => change.boardId === boardId);
  if (!isWaiting()) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      if (isWaiting() && !signal.aborted) return;
      stop();
      resolve();
    };
    const stop = client.unsent.on('change', done);
    signal.addEventListener('abort', done, { once: true });
  });
}

function listRefused(file: KeptFile, reason: string): void {
  const { key, name, boardId } = file;
  const leave = (): void => {
    refusedFiles.value = refusedFiles.value.filter((each) => each.key !== key);
    uploads.value = uploads.value.filter((each) => each.key !== key);
  };
  const entry: RefusedFile = {
    key,
    name,
    boardId,
    reason,
    retry() {
      leave();
      const { refusal: _before, ...again } = file;
      void start(again);
    },
    discard() {
      // What is not in the list any more does not come back, however soon the window is closed.
      void forgetFile(key).then(leave);
    },
  };
  refusedFiles.value = [...refusedFiles.value.filter((each) => each.key !== key), entry];
}

/** A notice tells a user who does not see the list. */
function refuse({ id, cardId, name }: Pick<RunningUpload, 'id' | 'cardId' | 'name'>, reason: string): void {
  update(id, { kind: 'refused', reason });
  const place = route.peek();
  if (place.screen !== 'board' || place.cardId !== cardId) notify('failure', say('upload.notAttached', { name, reason }));
}

async function turn(): Promise<void> {
  if (running >= MAX_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  running += 1;
}

function update(id: number, state: RunningUpload['state']): void {
  uploads.value = uploads.value.map((each) => (each.id === id ? { ...each, state } : each));
}
