/**
 * When an undo may be refused, and when it must be: each reason that a refusal gives must be true of the history, and an undo
 * that is done has left alone nothing that was changed since.
 */
import { deepStrictEqual, fail, ok } from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Activity, Fact, FactDetails } from '../../src/domain/board/activity/facts.js';
import type { ErrorData } from '../../src/domain/errors.js';
import type { Uuid } from '../../src/domain/ids.js';

/** Records by kind and id. */
export type Content = Readonly<Record<string, unknown>>;

export interface PlayedStep {
  readonly before: Content;
  readonly after: Content;
  readonly activity: Activity | null;
  /** The command that this one took back. */
  readonly undone: number | null;
}

/** An undo by Ann of one step. */
export interface Undoing {
  readonly undoing: Activity;
  readonly history: readonly PlayedStep[];
  readonly now: Content;
  /** Nothing but a reason in the history may refuse an owner. */
  readonly isOwner: boolean;
  readonly isInTrash: (id: Uuid) => boolean;
  readonly canBeAssigned: (user: Uuid) => boolean;
  readonly boardId: Uuid;
}

type Told = Fact & { readonly details: FactDetails };

/** Texts of refusals, with what must be true then. */
const REASONS: ReadonlyArray<readonly [text: RegExp, isTrue: (undoing: Undoing, named: string) => boolean]> = [
  [/ changed .* since: (.+)$/s, (undoing, named) => named.split(', ').every((field) => isNamedSince(undoing, field))],
  [/undone already/, ({ history, undoing }) => history.some(({ undone }) => undone === undoing.first)],
  [/^Changes of members and roles, and of comments/, ({ undoing, boardId }) => told(undoing).some((fact) => isOfPeople(fact, boardId))],
  [
    /not there any more|is archived/,
    ({ undoing, now }) => told(undoing).some(({ details }) => !referencesOf(details).every((id) => isThere(now, id))),
  ],
  [
    /not on the board any more/,
    (undoing) => told(undoing.undoing).some((fact) => fact.kind.endsWith('assigned') && isNobodyLeft(undoing, fact.details)),
  ],
  [/used since/, ({ undoing }) => has(undoing, /\.created$/)],
  [
    /cannot be brought back|kept no longer/,
    ({ undoing, isInTrash }) => told(undoing).some((fact) => isDeletion(fact) && !isInTrash(fact.details.id)),
  ],
  [/switched off/, ({ undoing }) => told(undoing).some(({ details }) => details.omitted?.includes('rules') === true)],
  // Before the change the rule lacked what was deleted.
  [/^(?:Column|Label) not found|not a member of the board|cannot be assigned|: required by /, ({ undoing }) => has(undoing, /^rule\./)],
  [/Nothing is left of the change/, ({ undoing }) => has(undoing, /labeled$|assigned$/)],
];

export function checkRefusal(undoing: Undoing, { code, detail }: ErrorData): void {
  if (code === 'forbidden') return ok(!undoing.isOwner, detail);
  deepStrictEqual(code, 'conflict', detail);
  const found = REASONS.flatMap(([text, isTrue]) => {
    const match = text.exec(detail);
    return match === null ? [] : [isTrue(undoing, match[1] ?? '')];
  });
  if (found.length === 0) fail(`no reason to refuse: ${detail}`);
  ok(found.includes(true), `it is not so that ${detail}`);
}

/** What was done since has changed no field that the undone change had changed. */
export function checkUntouched({ undoing, history }: Undoing): void {
  const own = history.find(({ activity }) => activity === undoing) ?? fail('the step is in the history');
  for (const later of since(undoing, history)) {
    for (const [key, fields] of changedFields(own)) {
      const others = changedFields(later).get(key) ?? new Map<string, readonly string[] | null>();
      for (const [field, elements] of fields) {
        const changed = others.get(field);
        const isSame = changed !== undefined && (changed === null || elements === null || elements.some((each) => changed.includes(each)));
        ok(!isSame, `${key} ${field} was changed since, and the undo was not refused`);
      }
    }
  }
}

/** The steps after it, without those that were taken back and their undoing. */
function since(undoing: Activity, history: readonly PlayedStep[]): readonly PlayedStep[] {
  const cancelled = new Set<number>();
  const left: PlayedStep[] = [];
  for (const step of history.toReversed()) {
    const { activity, undone } = step;
    if (activity === null || activity.first <= undoing.first || cancelled.has(activity.first)) continue;
    if (undone !== null) cancelled.add(undone);
    if (undone === null || undone <= undoing.first) left.push(step);
  }
  return left;
}

/** By record, of those that are there before and after. Of a list the elements that came or went. Ranks change with those of others. */
function changedFields({ before, after }: PlayedStep): ReadonlyMap<string, ReadonlyMap<string, readonly string[] | null>> {
  const changed = new Map<string, Map<string, readonly string[] | null>>();
  for (const [key, record] of Object.entries(after)) {
    const [was, is] = [before[key] as Fields | undefined, record as Fields];
    // What rules and totals become is not undone.
    if (was === undefined || key.startsWith('rule ') || key.startsWith('member ')) continue;
    for (const field of Object.keys(is)) {
      const [old, current] = [was[field], is[field]];
      if (field === 'rank' || field === 'archived' || isDeepStrictEqual(old, current)) continue;
      const elements = Array.isArray(old) && Array.isArray(current) ? difference(old as string[], current as string[]) : null;
      changed.set(key, (changed.get(key) ?? new Map<string, readonly string[] | null>()).set(field, elements));
    }
  }
  return changed;
}

type Fields = Readonly<Record<string, unknown>>;

function difference(one: readonly string[], other: readonly string[]): readonly string[] {
  return [...one.filter((each) => !other.includes(each)), ...other.filter((each) => !one.includes(each))];
}

/** A field, or the kind of an event. */
function isNamedSince({ undoing, history }: Undoing, field: string): boolean {
  const ids = new Set(told(undoing).map(({ details }) => details.id));
  const later = since(undoing, history).flatMap(({ activity }) => (activity === null ? [] : told(activity)));
  return later.some(({ kind, card_id, details }) => {
    if (!ids.has(details.id) && (card_id === null || !ids.has(card_id))) return false;
    return kind === field || [details.before, details.after].some((fields) => fields !== undefined && field in fields);
  });
}

function told({ facts }: Activity): readonly Told[] {
  return facts.map((fact) => ({ ...fact, details: JSON.parse(fact.json) as FactDetails }));
}

function has({ facts }: Activity, kinds: RegExp): boolean {
  return facts.some(({ kind }) => kinds.test(kind));
}

function isDeletion({ kind }: Fact): boolean {
  return kind.endsWith('.deleted');
}

function isOfPeople({ kind, details }: Told, boardId: Uuid): boolean {
  return /^board\.member_|^comment\./.test(kind) || (kind === 'board.updated' && details.id !== boardId);
}

/** Of what was changed, and of where it was. */
function referencesOf({ id, before = {} }: FactDetails): readonly Uuid[] {
  const ids = [before['column_id'], before['card_id'], before['checklist_id'], before['label_ids']];
  return [id, ...ids.flat().filter((each) => typeof each === 'string')];
}

/** Those who were assigned are not, and those who were unassigned cannot be. */
function isNobodyLeft({ now, canBeAssigned }: Undoing, { id, before = {}, after = {} }: FactDetails): boolean {
  const { assignee_ids } = (now[`card ${id}`] ?? now[`item ${id}`] ?? { assignee_ids: [] }) as { readonly assignee_ids: readonly Uuid[] };
  const [gone, come] = [before['assignee_ids'] ?? [], after['assignee_ids'] ?? []] as Array<readonly Uuid[]>;
  return !gone?.some(canBeAssigned) && !come?.some((user) => assignee_ids.includes(user));
}

function isThere(now: Content, id: Uuid): boolean {
  return Object.keys(now).some((key) => key.endsWith(` ${id}`));
}
