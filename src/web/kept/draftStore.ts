/**
 * Texts that users began and did not save, in the browser's database: they outlive a reload, a closed window and a crash. Those
 * without an edit for long go, and so do the oldest of many.
 */
import { signal } from '@preact/signals';
import { askBeforeLeaving } from '../state/leaving.js';
import { DAY_MS } from '../dates/dates.js';
import { answered, PageTable } from './pageTable.js';

export interface Draft {
  readonly text: string;
  /** The saved text when the draft was begun. */
  readonly base: string;
  /** Its version, with which the service merges what others save meanwhile. Absent in drafts of an older page, and of texts without versions. */
  readonly version?: number | undefined;
  /** The board that it is for. */
  readonly boardId: string;
  /** Null if it is for no card. */
  readonly cardId: string | null;
}

/** Since the last edit. */
const MAX_AGE_MS = 90 * DAY_MS;
/** Of a user, together. What is being written is the newest, and stays whatever its length. */
const MAX_DRAFTS = 200;
const MAX_CHARACTERS = 5_000_000;

interface Row {
  readonly key: string;
  /** Null in a note: the draft has ended. */
  readonly draft: Draft | null;
  /** When it was edited last, in milliseconds. */
  readonly at: number;
}

const table = new PageTable('switchboard drafts', 'drafts', (database) => database.createObjectStore('drafts', { keyPath: 'key' }));

/** Drafts of all users of this browser. The key begins with the id of the user. */
export const drafts = signal<ReadonlyMap<string, Draft>>(new Map());

let reading: Promise<void> | null = null;
/** Keys of what the database does not have as it is here. */
const unwritten = new Set<string>();
/** When this window last read or edited each of them; also of those that have ended. A younger one in the database is another window's. */
const editedAt = new Map<string, number>();
let youngest = 0;
/** Keys that a transaction is about. */
let inTransaction: readonly string[] = [];
/** Then drafts end with the window, but for what it can note. */
let isBroken = false;

/** A database that does not answer keeps nobody out: forms then begin without their drafts, and get them later. */
const READ_MS = 2_000;

/** Drafts of earlier visits, once. */
export function readDrafts(): Promise<void> {
  reading ??= table
    .transact('readonly', readAll)
    .then((rows) => take([...rows, ...noted()]))
    .catch((error: unknown) => {
      take(noted());
      breakDown(error);
    });
  return Promise.race([reading, new Promise<void>((resolve) => setTimeout(resolve, READ_MS))]);
}

/** What is in the database, and what the last window of this browser noted when it was left. What was edited here since stays. */
function take(rows: readonly Row[]): void {
  const oldest = Date.now() - MAX_AGE_MS;
  const younger = rows.filter(({ key, at }) => at > (editedAt.get(key) ?? 0)).sort((one, other) => one.at - other.at);
  const next = new Map(drafts.value);
  for (const { key, draft, at } of younger) {
    editedAt.set(key, at);
    youngest = Math.max(youngest, at);
    if (draft === null || at < oldest) {
      next.delete(key);
      unwritten.add(key);
    } else next.set(key, draft);
  }
  drafts.value = next;
  if (unwritten.size > 0) void write();
}

/** Who goes on in this window goes on with what another one has by then. */
addEventListener('focus', () => {
  reading
    ?.then(async () => {
      if (!isBroken) take(await table.transact('readonly', readAll));
    })
    .catch(console.warn);
});

function readAll(rows: IDBObjectStore): Promise<Row[]> {
  return answered(rows.getAll() as IDBRequest<Row[]>);
}

/** Null ends it. */
export function setDraft(key: string, draft: Draft | null): void {
  if (draft === null && !drafts.value.has(key)) return;
  const next = new Map(drafts.value);
  next.delete(key);
  if (draft !== null) {
    next.set(key, draft);
    // Also if the clock goes back.
    youngest = Math.max(Date.now(), youngest + 1);
    editedAt.set(key, youngest);
  }
  unwritten.add(key);
  for (const old of beyondBounds(next, userOf(key))) {
    next.delete(old);
    unwritten.add(old);
  }
  drafts.value = next;
  void write();
}

/** The oldest drafts of the user, as many as are too many. */
function beyondBounds(all: ReadonlyMap<string, Draft>, userId: string): readonly string[] {
  let characters = 0;
  return [...all]
    .filter(([key]) => userOf(key) === userId)
    .sort(([one], [other]) => (editedAt.get(other) ?? 0) - (editedAt.get(one) ?? 0))
    .filter(([, { text, base }], index) => {
      characters += text.length + base.length;
      return index >= MAX_DRAFTS || (index > 0 && characters > MAX_CHARACTERS);
    })
    .map(([key]) => key);
}

function userOf(key: string): string {
  return key.slice(0, key.indexOf(' '));
}

/** One transaction at a time; what is typed meanwhile is in the next one. */
async function write(): Promise<void> {
  warnOfLoss();
  if (inTransaction.length > 0 || isBroken) return;
  try {
    while (unwritten.size > 0) {
      inTransaction = [...unwritten];
      unwritten.clear();
      await table.transact('readwrite', async (rows) => {
        for (const key of inTransaction) {
          const row = rowOf(key);
          if (row.draft !== null) await answered(rows.put(row));
          // What another window has edited since is neither too old nor what was saved here.
          else if (((await answered(rows.get(key) as IDBRequest<Row | undefined>))?.at ?? 0) <= row.at) await answered(rows.delete(key));
        }
      });
      inTransaction.forEach(erase);
    }
  } catch (error) {
    for (const key of inTransaction) unwritten.add(key);
    breakDown(error);
  }
  inTransaction = [];
  warnOfLoss();
}

function rowOf(key: string): Row {
  return { key, draft: drafts.peek().get(key) ?? null, at: editedAt.get(key) ?? 0 };
}

/** A window that is left gives its transactions up. What they were about is noted here, where writing takes no time. */
const NOTE_PREFIX = 'draft ';
addEventListener('pagehide', () => {
  try {
    for (const key of [...inTransaction, ...unwritten]) {
      localStorage.setItem(NOTE_PREFIX + key, JSON.stringify(rowOf(key)));
    }
  } catch (error) {
    // It is full, or not allowed. The browser has asked before the window was left.
    console.warn(error);
  }
});

/** They go into the database with the drafts of this window, and are erased then. */
function noted(): readonly Row[] {
  try {
    const names = Object.keys(localStorage).filter((name) => name.startsWith(NOTE_PREFIX));
    const rows = names.map((name) => JSON.parse(localStorage.getItem(name) ?? '') as Row);
    for (const { key } of rows) unwritten.add(key);
    return rows;
  } catch (error) {
    console.warn(error);
    return [];
  }
}

function erase(key: string): void {
  try {
    localStorage.removeItem(NOTE_PREFIX + key);
  } catch {
    // It is not allowed, so nothing was noted.
  }
}

/** No database, or no room. */
function breakDown(error: unknown): void {
  console.warn(error);
  isBroken = true;
  warnOfLoss();
}

function warnOfLoss(): void {
  askBeforeLeaving('drafts', isBroken ? drafts.peek().size > 0 : inTransaction.length > 0 || unwritten.size > 0);
}
