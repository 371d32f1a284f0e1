/**
 * The expected text of a description or comment with its versions. Texts of these histories have a fixed number of lines of one
 * word each, and no word is written twice, so what a merge must be follows line by line, without comparing texts as the service does.
 */
import { MAX_VERSIONS } from '../../../src/domain/board/versions/versionsOnDisk.js';
import type { ErrorCode } from '../../../src/domain/errors.js';

export type Text = string | null;

export interface ModelVersions {
  /** Of the current text. */
  version: number;
  /** Those before it that are kept, the latest first. */
  earlier: { version: number; text: Text }[];
}

/** What a refusal shows of a text that was changed meanwhile. */
export interface ShownConflict {
  readonly current: Text;
  readonly text_version: number;
}

export class ModelRefusal extends Error {
  readonly code: ErrorCode;
  readonly conflict: ShownConflict | null;

  constructor(code: ErrorCode, conflict: ShownConflict | null = null) {
    super(code);
    this.code = code;
    this.conflict = conflict;
  }
}

const LINES = 6;

export function firstVersion(): ModelVersions {
  return { version: 1, earlier: [] };
}

/** The text after an edit, and its versions. */
export function edit(known: ModelVersions, current: Text, text: Text, base?: number): { text: Text; versions: ModelVersions } {
  const next = editedText(known, current, text, base);
  if (next === current) return { text: current, versions: known };
  const earlier = [{ version: known.version, text: current }, ...known.earlier];
  return {
    text: next,
    versions: { version: known.version + 1, earlier: earlier.filter(({ version }) => version > known.version - MAX_VERSIONS) },
  };
}

function editedText(known: ModelVersions, current: Text, text: Text, base: number | undefined): Text {
  if (base === undefined) return text;
  if (base > known.version) throw new ModelRefusal('invalid');
  if (base === known.version || text === current) return text;
  const written = known.earlier.find(({ version }) => version === base);
  const conflict = { current, text_version: known.version };
  if (written === undefined) throw new ModelRefusal('conflict', conflict);
  if (text === written.text) return current;
  if (current === written.text) return text;
  const [old, mine, theirs] = [linesOf(written.text), linesOf(text), linesOf(current)];
  if (old === null || mine === null || theirs === null) throw new ModelRefusal('conflict', conflict);
  const merged = old.map((line, n) => (mine[n] === line ? theirs[n] : theirs[n] === line ? mine[n] : null));
  if (merged.includes(null)) throw new ModelRefusal('conflict', conflict);
  return merged.join('\n');
}

/** Null if an edit of such a text replaces it as a whole. */
function linesOf(text: Text): string[] | null {
  const lines = text?.split('\n') ?? [];
  return lines.length === LINES ? lines : null;
}

/** The text with some lines written anew; `words` are used nowhere else. `which` has a bit for each line. */
export function rewritten(text: Text, which: number, word: string): string {
  const lines = linesOf(text) ?? Array.from({ length: LINES }, () => null);
  return lines.map((line, n) => (line === null || (which >> n) % 2 === 1 ? `line${n}of${word}` : line)).join('\n');
}

/** The text of a version that is kept, the current one included. */
export function textAt({ version, earlier }: ModelVersions, current: Text, wanted: number): Text | undefined {
  return wanted === version ? current : earlier.find((each) => each.version === wanted)?.text;
}
