/**
 * Shows which settings differ between instances. Heartbeats carry one digest of all that must be equal; instances that
 * see another one add a digest of each, so that both can name the settings. None of these is secret: what tokens are checked
 * with has a keyed digest (`wire/tokenDigest.ts`), and another CLUSTER_SECRET makes peers that cannot read each other.
 */
import { createHash } from 'node:crypto';

export interface SettingDigests {
  readonly all: string;
  /** By the name of the setting. */
  readonly each?: Readonly<Record<string, string>>;
}

/** What an instance shows of its configuration. An older program shows less, and is not compared. */
export interface ShownSettings {
  readonly settings: SettingDigests | null;
  readonly tokens: string | null;
}

const DIGEST_CHARACTERS = 16;

export function digestSettings(settings: ReadonlyMap<string, string>): Required<SettingDigests> {
  const each = Object.fromEntries([...settings].map(([name, value]) => [name, digest([name, value])]));
  return { all: digest(each), each };
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, DIGEST_CHARACTERS);
}

/** The names of settings that surely differ. A newer program may have settings that this one does not know. */
export function differingSettings(own: ShownSettings, other: ShownSettings): string[] {
  const secrets = own.tokens !== null && other.tokens !== null && own.tokens !== other.tokens ? ['JWT_SECRET'] : [];
  return [...secrets, ...differingValues(own.settings?.each ?? {}, other.settings?.each ?? {})];
}

function differingValues(own: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): string[] {
  return Object.keys(own).filter((name) => other[name] !== undefined && other[name] !== own[name]);
}
