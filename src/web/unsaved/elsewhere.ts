/** What other windows of the user have not sent yet. They share the session, so a logout here ends theirs too. */
import { useEffect, useState } from 'preact/hooks';
import type { KeptChange } from '../../client/index.js';
import { forgetFile, keptFiles, mayHaveFiles, type KeptFile } from '../kept/fileStore.js';
import { inTime } from '../kept/pageTable.js';
import { keptChanges, pageStore } from '../state/pageStore.js';
import { session } from '../state/session.js';
import { refused, waiting } from '../state/unsaved.js';
import { discardOwn, filesOnTheirWay, refusedFiles } from './files.js';

export interface Elsewhere {
  /** The browser's database did not answer, so there may be more. */
  readonly isUnread: boolean;
  readonly changes: readonly KeptChange[];
  readonly files: readonly KeptFile[];
}

export const NOTHING_ELSEWHERE: Elsewhere = { isUnread: false, changes: [], files: [] };
const UNREAD: Elsewhere = { ...NOTHING_ELSEWHERE, isUnread: true };
/** While a caller waits for it. */
const READ_AGAIN_MS = 500;
/** Carries the id of the user who has discarded everything. */
const channel = new BroadcastChannel('switchboard discard');

channel.onmessage = ({ data }: MessageEvent<string>) => {
  const { value } = session;
  if (value.kind === 'in' && value.user.id === data) discardOwn();
};

/** A database that cannot be read keeps nothing. */
export function readElsewhere(userId: string): Promise<Elsewhere> {
  return inTime(
    read(userId).catch((error: unknown) => {
      console.warn(error);
      return NOTHING_ELSEWHERE;
    }),
    UNREAD,
  );
}

async function read(userId: string): Promise<Elsewhere> {
  const changes = await keptChanges(userId);
  if (changes === null) return UNREAD;
  const files = (await mayHaveFiles()) ? await keptFiles(userId) : [];
  const own = new Set([...waiting.peek(), ...refused.peek(), ...filesOnTheirWay.peek(), ...refusedFiles.peek()].map(({ key }) => key));
  return { isUnread: false, changes: changes.filter(({ key }) => !own.has(key)), files: files.filter(({ key }) => !own.has(key)) };
}

export function isNothingIn({ isUnread, changes, files }: Elsewhere): boolean {
  return !isUnread && changes.length + files.length === 0;
}

/** Null until it is known. */
export function useElsewhere(userId: string): Elsewhere | null {
  const [elsewhere, setElsewhere] = useState<Elsewhere | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const follow = async (): Promise<void> => {
      const found = await readElsewhere(userId);
      if (isOver) return;
      setElsewhere(found);
      timer = setTimeout(() => void follow(), READ_AGAIN_MS);
    };
    void follow();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [userId]);
  return elsewhere;
}

/** Here, in the other windows and in what is kept, if the database answers. */
export async function discardEverywhere(userId: string): Promise<void> {
  const { changes, files } = await readElsewhere(userId);
  discardOwn();
  channel.postMessage(userId);
  const removed = Promise.all([...changes.map(({ key }) => pageStore.remove(userId, key)), ...files.map(({ key }) => forgetFile(key))]);
  await inTime(removed, undefined);
}
