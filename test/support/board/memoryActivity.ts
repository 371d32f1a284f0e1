import { MAX_LOOKED_THROUGH, type ActivityOnDisk, type ActivityRange, type StoredFact } from '../../../src/domain/board/activity/activityOnDisk.js';
import type { Activity, FactDetails } from '../../../src/domain/board/activity/facts.js';
import type { EventType } from '../../../src/domain/events.js';
import type { Uuid } from '../../../src/domain/ids.js';

/** The activity of a board without a disk. */
export class MemoryActivity implements ActivityOnDisk {
  readonly #facts: StoredFact[] = [];
  readonly #names = new Map<Uuid, string>();

  add({ first, facts, former }: Activity, at: string): void {
    for (const fact of facts) this.#facts.push({ ...fact, first, at });
    for (const { user_id, username } of former) {
      if (username === null) this.#names.delete(user_id);
      else this.#names.set(user_id, username);
    }
  }

  /** As another program would have stored the last fact of this kind. */
  rewrite(kind: EventType, change: (details: FactDetails) => FactDetails): void {
    const at = this.#facts.findLastIndex((fact) => fact.kind === kind);
    const fact = this.#facts[at];
    if (fact !== undefined) this.#facts[at] = { ...fact, json: JSON.stringify(change(JSON.parse(fact.json) as FactDetails)) };
  }

  read(range: ActivityRange): Iterable<StoredFact> {
    const { card_id } = range;
    const facts = this.#in(range);
    return card_id === null ? facts : facts.slice(0, MAX_LOOKED_THROUGH).filter((fact) => fact.card_id === card_id);
  }

  endOf(range: ActivityRange): number | null {
    const facts = this.#in(range);
    return facts.length > MAX_LOOKED_THROUGH ? (facts[MAX_LOOKED_THROUGH - 1]?.seq ?? null) : null;
  }

  #in({ before, after }: ActivityRange): StoredFact[] {
    return this.#facts.filter(({ seq }) => seq > after && (before === null || seq < before)).reverse();
  }

  commandAt(seq: number): number | null {
    const fact = this.#facts.find((each) => each.seq >= seq);
    return fact !== undefined && fact.first <= seq ? fact.first : null;
  }

  command(first: number, limit: number): readonly StoredFact[] {
    return this.#facts.filter((fact) => fact.first === first).slice(0, limit);
  }

  formerName(user: Uuid): string | undefined {
    return this.#names.get(user);
  }
}
