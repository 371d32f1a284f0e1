/**
 * Shows which settings differ between instances. Heartbeats carry one digest of all that must be equal; instances that
 * see another one add a digest of each, so that both can name the settings. None of these is secret: secrets have keyed
 * digests (`wire/secretDigests.ts`).
 */
import { createHash } from 'node:crypto';
import type { SecretDigests } from '../wire/secretDigests.js';

export interface SettingDigests {
  readonly all: string;
  /** By the name of the setting. */
  readonly each?: Readonly<Record<string, string>>;
}

/** What an instance shows of its configuration. An older program shows less, and is not compared. */
export interface ShownSettings {
  readonly settings: SettingDigests | null;
  readonly secrets: SecretDigests | null;
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
  return [...differingSecrets(own.secrets, other.secrets), ...differingValues(own.settings?.each ?? {}, other.settings?.each ?? {})];
}

/** The digest of tokens is keyed with the other secret, so it says something only if that is equal. */
function differingSecrets(own: SecretDigests | null, other: SecretDigests | null): string[] {
  if (own === null || other === null) return [];
  if (own.cluster !== other.cluster) return [CLUSTER_SECRET];
  return own.tokens === other.tokens ? [] : ['JWT_SECRET'];
}

function differingValues(own: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): string[] {
  return Object.keys(own).filter((name) => other[name] !== undefined && other[name] !== own[name]);
}

/** Without the same one neither reads what the other seals: with it an instance takes no partition from those that own them. */
export const CLUSTER_SECRET = 'CLUSTER_SECRET';
