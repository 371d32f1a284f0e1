/** Compares the settings of all instances, and logs what differs. */
import type { Logger } from 'pino';
import type { PeerReading } from './peers.js';
import { differingSettings, type SettingDigests } from './settingDigests.js';
import type { UnreadablePeer } from './unreadablePeers.js';

const CLUSTER_SECRET = 'CLUSTER_SECRET';

export interface SettingWatchOptions {
  readonly settings: Required<SettingDigests>;
  readonly tokens: string;
  readonly log: Logger;
}

export class SettingWatch {
  readonly #options: SettingWatchOptions;
  /** For each instance whose settings differ, what was logged of it. */
  #logged = new Map<string, string>();
  #names: readonly string[] = [];
  #isComplete = false;

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

  /** Of an unreadable peer nothing but its secret is known to differ. */
  compare(others: readonly PeerReading[], unreadable: readonly UnreadablePeer[]): void {
    const { settings } = this.#options;
    const differing = others.map((other) => ({ other, names: differingSettings(this.#options, other) })).filter(({ names }) => names.length > 0);
    this.#isComplete = others.some((other) => other.settings !== null && other.settings.all !== settings.all);
    const secrets = unreadable.some(({ reason }) => reason === 'sealed') ? [CLUSTER_SECRET] : [];
    this.#names = [...new Set([...secrets, ...differing.flatMap(({ names }) => names)])].sort();
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
