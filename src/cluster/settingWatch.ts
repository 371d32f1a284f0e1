/** Compares the settings of this instance with those of the others, logs what differs, and says whether it may take part. */
import type { Logger } from 'pino';
import type { SecretDigests } from '../wire/secretDigests.js';
import type { PeerReading } from './peers.js';
import { CLUSTER_SECRET, differingSettings, type SettingDigests } from './settingDigests.js';

export interface SettingWatchOptions {
  readonly settings: Required<SettingDigests>;
  readonly secrets: SecretDigests;
  readonly log: Logger;
}

export class SettingWatch {
  readonly #options: SettingWatchOptions;
  /** For each instance whose settings differ, what was logged of it. */
  #logged = new Map<string, string>();
  #names: readonly string[] = [];
  #isComplete = false;
  #exclusion: string | null = null;

  constructor(options: SettingWatchOptions) {
    this.#options = options;
  }

  /** For the next heartbeat: everything only while another instance shows something else. */
  get shown(): SettingDigests {
    const { settings } = this.#options;
    return this.#isComplete ? settings : { all: settings.all };
  }

  /** Those that differ on another instance. */
  get names(): string[] {
    return [...this.#names];
  }

  /** Why this instance takes no partitions, or null. */
  get exclusion(): string | null {
    return this.#exclusion;
  }

  /**
   * `isOwner`: whether this instance owns a partition. Of two sides that do not understand each other the one that owns
   * partitions goes on, so one wrong newcomer takes nothing out of service.
   */
  compare(others: readonly PeerReading[], isOwner: boolean): void {
    const { settings } = this.#options;
    const differing = others.map((other) => ({ other, names: differingSettings(this.#options, other) })).filter(({ names }) => names.length > 0);
    this.#isComplete = others.some((other) => other.settings !== null && other.settings.all !== settings.all);
    this.#names = [...new Set(differing.flatMap(({ names }) => names))].sort();
    const isStranger = differing.some(({ other, names }) => other.isOwner && names.includes(CLUSTER_SECRET));
    this.#exclusion = !isOwner && isStranger ? `${CLUSTER_SECRET} is not that of the instances that own the data` : null;
    this.#log(differing);
  }

  /** Once for each instance, and again when something else differs. */
  #log(differing: ReadonlyArray<{ readonly other: PeerReading; readonly names: readonly string[] }>): void {
    const logged = new Map<string, string>();
    for (const { other, names } of differing) {
      logged.set(other.id, names.join());
      if (this.#logged.get(other.id) === names.join()) continue;
      const { id: instance, host } = other;
      this.#options.log.warn({ instance, host, settings: names }, 'settings differ from those of another instance; set the same on all, and restart');
    }
    this.#logged = logged;
  }
}
