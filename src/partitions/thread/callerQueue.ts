/**
 * Limits the commands of one caller that are under way in a store thread. The others wait here in order, so a flood of one
 * user fills neither a commit nor the queues of the partitions, and delays only itself.
 */
import type { BatchStep, BoardCommand } from '../../domain/commands/commands.js';
import type { Effect } from '../../domain/commands/steps/effect.js';
import { HANDLERS } from '../../domain/commands/table.js';
import type { Uuid } from '../../domain/ids.js';
import type { Ask, BoardReply, Reply } from '../messages.js';

/** Small commands of one caller take a few milliseconds together, and enough of them share a flush. */
export const MAX_ASKS_UNDER_WAY = 64;
/** Of the texts or answers of these commands. A text is weighed, rendered, stored with its event, and sent. */
export const MAX_CHARACTERS_UNDER_WAY = 64 * 1024;
/** What a character of an answer counts for if nothing is stored. */
const READ_SHARE = 1 / 4;

interface Line {
  readonly waiting: Ask[];
  /** Under way. A batch counts as its operations. */
  asks: number;
  characters: number;
  /** Of the last answer. A short command may cause a long answer and event, and the next one is likely to be similar. */
  lastAnswer: number;
}

interface UnderWay {
  readonly caller: Uuid;
  readonly asks: number;
  readonly characters: number;
}

export class CallerQueue {
  /** Callers with asks that wait or are under way. */
  readonly #lines = new Map<Uuid, Line>();
  readonly #underWay = new Map<number, UnderWay>();
  #waiting = 0;

  /** Whether asks wait. */
  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  /**
   * Takes new asks and returns those that may go now: the asks of a caller in order, callers with less under way first.
   * An ask without a user as its caller never waits.
   */
  admit(asks: readonly Ask[]): readonly Ask[] {
    const free: Ask[] = [];
    for (const ask of asks) {
      const caller = callerOf(ask);
      if (caller === null) free.push(ask);
      else this.#lineOf(caller).waiting.push(ask);
    }
    this.#waiting += asks.length - free.length;
    return this.#waiting === 0 ? free : free.concat(this.#next());
  }

  /** All that wait, whatever is under way. */
  takeAll(): Ask[] {
    const all: Ask[] = [];
    for (const [caller, line] of this.#lines) {
      for (const ask of line.waiting.splice(0)) all.push(this.#start(caller, line, ask, charactersOf(ask, line)));
    }
    this.#waiting = 0;
    return all;
  }

  /** There was no time for these: they are the next of their callers, in the same order. Returns those that cannot wait. */
  putBack(asks: readonly Ask[]): readonly Ask[] {
    const free: Ask[] = [];
    const back = new Map<Line, Ask[]>();
    for (const ask of asks) {
      const started = this.#underWay.get(ask.id);
      if (started === undefined) {
        free.push(ask);
        continue;
      }
      this.#underWay.delete(ask.id);
      const line = this.#lineOf(started.caller);
      line.asks -= started.asks;
      line.characters -= started.characters;
      const own = back.get(line);
      if (own === undefined) back.set(line, [ask]);
      else own.push(ask);
    }
    for (const [line, own] of back) line.waiting.unshift(...own);
    this.#waiting += asks.length - free.length;
    return free;
  }

  noteReplies(replies: readonly Reply[]): void {
    for (const reply of replies) {
      const ended = this.#underWay.get(reply.id);
      if (ended === undefined) continue;
      this.#underWay.delete(reply.id);
      const line = this.#lineOf(ended.caller);
      line.asks -= ended.asks;
      line.characters -= ended.characters;
      line.lastAnswer = answerCharacters(reply);
      if (line.asks === 0 && line.waiting.length === 0) this.#lines.delete(ended.caller);
    }
  }

  #next(): Ask[] {
    const lines = [...this.#lines].filter(([, { waiting }]) => waiting.length > 0);
    if (lines.length > 1) lines.sort(([, a], [, b]) => a.asks - b.asks);
    const admitted: Ask[] = [];
    for (const [caller, line] of lines) {
      let taken = 0;
      for (const ask of line.waiting) {
        const characters = charactersOf(ask, line);
        if (!hasRoom(line, characters)) break;
        admitted.push(this.#start(caller, line, ask, characters));
        taken += 1;
      }
      line.waiting.splice(0, taken);
      this.#waiting -= taken;
    }
    return admitted;
  }

  #start(caller: Uuid, line: Line, ask: Ask, characters: number): Ask {
    const asks = stepsOf(ask)?.length ?? 1;
    line.asks += asks;
    line.characters += characters;
    this.#underWay.set(ask.id, { caller, asks, characters });
    return ask;
  }

  #lineOf(caller: Uuid): Line {
    let line = this.#lines.get(caller);
    if (line === undefined) this.#lines.set(caller, (line = { waiting: [], asks: 0, characters: 0, lastAnswer: 0 }));
    return line;
  }
}

/** One ask of a caller may always be under way, however long it is. */
function hasRoom({ asks, characters }: Line, more: number): boolean {
  return asks === 0 || (asks < MAX_ASKS_UNDER_WAY && characters + more <= MAX_CHARACTERS_UNDER_WAY);
}

/** Null if it is no user. */
function callerOf(ask: Ask): Uuid | null {
  if ('kind' in ask.command && ask.command.kind === 'webhook') return ask.command.user_id;
  const caller = boardCommandOf(ask)?.caller ?? 'system';
  return caller === 'system' ? null : caller.user_id;
}

function boardCommandOf({ command }: Ask): BoardCommand | null {
  return 'kind' in command && (command.kind === 'board' || command.kind === 'keyed') ? command.command : null;
}

function charactersOf(ask: Ask, { lastAnswer }: Line): number {
  const command = boardCommandOf(ask);
  if (command === null) return 0;
  if (isRead(command)) return lastAnswer * READ_SHARE;
  let characters = 0;
  for (const { input } of stepsOf(ask) ?? [command]) {
    for (const value of Object.values(input)) if (typeof value === 'string') characters += value.length;
  }
  return Math.max(characters, lastAnswer);
}

/** The operations of a batch. */
function stepsOf(ask: Ask): readonly BatchStep[] | null {
  const command = boardCommandOf(ask);
  return command !== null && 'operations' in command.input ? command.input.operations : null;
}

/** A newer instance may ask for an operation that is unknown here. */
function isRead({ op }: BoardCommand): boolean {
  const handlers: Readonly<Record<string, { readonly effect: Effect } | undefined>> = HANDLERS;
  return handlers[op]?.effect === 'read';
}

function answerCharacters({ outcome }: Reply): number {
  const answer = outcome.ok ? (outcome.value as Partial<BoardReply> | null)?.outcome : undefined;
  return answer?.ok === true ? (answer.bytes?.byteLength ?? answer.json?.length ?? 0) : 0;
}
