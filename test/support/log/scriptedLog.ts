/** A log whose answers a test gives. */
import { Deposed } from '../../../src/domain/errors.js';
import { LOG_START, type LogPosition, type OwnedLog } from '../../../src/domain/ports/partitionLog.js';

export class ScriptedLog implements OwnedLog {
  readonly contents: Uint8Array[] = [];
  readonly halts: Error[] = [];
  position: LogPosition = LOG_START;
  /** What the next appends get: stored at once, refused, unknown, or held until `answer`. */
  answerWith: 'stored' | 'no' | 'unknown' | 'nothing' = 'stored';
  #held: Array<() => void> = [];

  append(content: Uint8Array, settled: (error: Deposed | null) => void): void {
    const how = this.answerWith;
    const answer = (): void => {
      if (how === 'no' || how === 'unknown') return settled(new Deposed(how));
      this.contents.push(content);
      const applied = this.position.applied + 1;
      this.position = { ...this.position, applied, chain: String(applied).padStart(32, '0') };
      settled(null);
    };
    if (how === 'nothing') this.#held.push(answer);
    else answer();
  }

  confirm(settled: (error: Deposed | null) => void): void {
    settled(this.answerWith === 'stored' ? null : new Deposed('no'));
  }

  halt(reason: Error): void {
    this.halts.push(reason);
  }

  /** Answers what was held, as stored. */
  answer(): void {
    for (const each of this.#held.splice(0)) each();
  }
}
