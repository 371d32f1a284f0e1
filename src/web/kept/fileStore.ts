/**
 * Files on their way to cards, in the browser's database: they outlive a reload, a closed window and a crash, and are sent in
 * the next session of their user.
 */
import { answered, inTime, PageTable } from './pageTable.js';

const DATABASE = 'switchboard files';
const BY_USER = 'by user';
const table = new PageTable(DATABASE, 'files', (database) => database.createObjectStore('files', { keyPath: 'key' }).createIndex(BY_USER, 'userId'));

const MIB = 2 ** 20;
/** A larger file, or one beyond what a user has waiting, is sent by its window alone, which says so when it is closed. */
export const MAX_KEPT_FILE_BYTES = 25 * MIB;
export const MAX_KEPT_BYTES = 100 * MIB;

export interface KeptFile {
  /** Its idempotency key. */
  readonly key: string;
  readonly userId: string;
  readonly boardId: string;
  readonly cardId: string;
  /** Absent: it belongs to the card itself. */
  readonly commentId?: string | undefined;
  readonly name: string;
  readonly content: Blob;
  /** Why the service did not take it: it waits for the user's decision. */
  readonly refusal?: string;
}

/** Whether the file outlives the window. */
export async function keepFile(file: KeptFile): Promise<boolean> {
  if (file.content.size > MAX_KEPT_FILE_BYTES) return false;
  try {
    const kept = table.transact('readwrite', async (files) => {
      const own = (await ofUser(files, file.userId)).filter(({ key }) => key !== file.key);
      const bytes = own.reduce((sum, { content }) => sum + content.size, file.content.size);
      if (bytes > MAX_KEPT_BYTES) return false;
      await answered(files.put(file));
      return true;
    });
    return await inTime(kept, false);
  } catch (error) {
    // No database, or no room: the window asks before it is closed.
    console.warn(error);
    return false;
  }
}

export async function forgetFile(key: string): Promise<void> {
  try {
    const forgotten = table.transact('readwrite', (files) => answered(files.delete(key)));
    await inTime(forgotten, undefined);
  } catch (error) {
    // It would be sent once more, with the same key.
    console.warn(error);
  }
}

/** Those that no window sends are for the caller to find out. */
export function keptFiles(userId: string): Promise<KeptFile[]> {
  return table.transact('readonly', (files) => ofUser(files, userId));
}

/** Whether there may be any, without making a database for them. */
export async function mayHaveFiles(): Promise<boolean> {
  // Not in every browser.
  if (typeof indexedDB.databases !== 'function') return true;
  return (await indexedDB.databases()).some(({ name }) => name === DATABASE);
}

function ofUser(files: IDBObjectStore, userId: string): Promise<KeptFile[]> {
  return answered(files.index(BY_USER).getAll(userId) as IDBRequest<KeptFile[]>);
}
