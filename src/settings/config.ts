/** The configuration: the environment, checked against the table of settings. Nothing else reads the environment. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import {
  MIN_SECRET_CHARACTERS,
  PLACEHOLDER_SECRET,
  SETTINGS,
  type EnvironmentName,
  type Setting,
  type SettingKey,
  type Settings,
} from './settings.js';

export interface Config extends Settings {
  readonly jwtSecretIsPlaceholder: boolean;
  /** Of new password hashes. No setting: only tests, which make thousands of users, choose a lower one. */
  readonly passwordCost?: { readonly memoryCost: number; readonly timeCost: number; readonly parallelism: number };
}

/** The number of shards is known: see replication/shardCount.ts. */
export type SettledConfig = Config & { readonly shards: number };

export type Environment = Readonly<Record<string, string | undefined>>;

export type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  /** `settings`: those that are valid. */
  | { readonly ok: false; readonly problems: readonly string[]; readonly settings: Partial<Settings> };

/** The exit code for a configuration error, from sysexits.h. */
export const EX_CONFIG = 78;

const KEYS = Object.keys(SETTINGS) as readonly SettingKey[];

/**
 * The variables of the process, and of a `.env` file in the folder if there is one; the process takes precedence.
 */
export function readEnvironment(folder: string): Environment {
  return { ...readDotEnv(join(folder, '.env')), ...process.env };
}

function readDotEnv(path: string): Environment {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
}

/** Reports all problems at once, so that they need not be found one start at a time. */
export function loadConfig(env: Environment): ConfigResult {
  const problems: string[] = [];
  const settings: Partial<Mutable<Settings>> = {};
  const environment = environmentOf(env);
  const read = <Key extends SettingKey>(key: Key): void => {
    const setting: Setting<Settings[Key]> = SETTINGS[key];
    const { text, isSet } = settingText(setting, env, environment);
    const value = setting.parse(text);
    if (value !== undefined) {
      settings[key] = value;
    } else {
      const given = isSet ? JSON.stringify(safeText(setting, text)) : 'not set';
      problems.push(`${setting.name} is ${given}. It must be ${setting.allowed}.`);
    }
  };
  for (const key of KEYS) read(key);
  problems.push(...contradictions(settings), ...productionRisks(settings));
  if (problems.length > 0 || !isComplete(settings)) return { ok: false, problems, settings };
  return { ok: true, config: { ...settings, jwtSecretIsPlaceholder: settings.jwtSecret === PLACEHOLDER_SECRET } };
}

/** The value in effect of one setting, as text: the variable if it is set and not empty, else the default. */
export function settingText(
  setting: Setting<unknown>,
  env: Environment,
  environment: EnvironmentName,
): { readonly text: string; readonly isSet: boolean } {
  const given = env[setting.name] ?? '';
  const text = setting.isVerbatim === true ? given : given.trim();
  if (text !== '') return { text, isSet: true };
  return { text: typeof setting.default === 'string' ? setting.default : setting.default[environment], isSet: false };
}

/**
 * Decides which defaults apply. An unknown name is reported and otherwise treated as development: assuming production
 * would bury that one mistake under complaints about other settings.
 */
export function environmentOf(env: Environment): EnvironmentName {
  return SETTINGS.environment.parse(settingText(SETTINGS.environment, env, 'development').text) ?? 'development';
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

function isComplete(settings: Partial<Settings>): settings is Settings {
  return KEYS.every((key) => settings[key] !== undefined);
}

function contradictions(settings: Partial<Settings>): string[] {
  const { presenceTtlSeconds: ttl, heartbeatIntervalSeconds: interval, maxSockets, maxSocketsPerUser } = settings;
  const problems: string[] = [];
  const { tlsCertFile, tlsKeyFile } = settings;
  if ((tlsCertFile === null) !== (tlsKeyFile === null)) {
    const [given, missing] = tlsKeyFile === null ? ['CERT', 'KEY'] : ['KEY', 'CERT'];
    problems.push(`TLS_${missing}_FILE is not set. It must be, because TLS_${given}_FILE is; HTTPS needs both.`);
  }
  if (ttl !== undefined && interval !== undefined && ttl <= interval) {
    problems.push(
      `PRESENCE_TTL_SECONDS is ${ttl}. It must be more than HEARTBEAT_INTERVAL_SECONDS (${interval}), ` +
        'or users would vanish from presence between two heartbeats.',
    );
  }
  if (maxSockets !== undefined && maxSocketsPerUser !== undefined && maxSocketsPerUser > maxSockets) {
    problems.push(`MAX_SOCKETS_PER_USER is ${maxSocketsPerUser}. It must be at most MAX_SOCKETS (${maxSockets}).`);
  }
  if (settings.smtpUrl != null && settings.publicUrl === null) {
    problems.push('PUBLIC_URL is not set. It must be, because SMTP_URL is; the links in mails begin with it.');
  }
  if (settings.replication === 'jetstream') {
    const required = { NATS_URL: settings.natsUrl, CLUSTER_SECRET: settings.clusterSecret };
    for (const [name, value] of Object.entries(required)) {
      if (value === null) problems.push(`${name} is not set. It must be, because REPLICATION is jetstream.`);
    }
  }
  return [...problems, ...ssoContradictions(settings)];
}

function ssoContradictions({ oidcIssuer, oidcClientId, oidcClientSecret, oidcSuperuserGroup, publicUrl, authMode }: Partial<Settings>): string[] {
  const given = { OIDC_CLIENT_ID: oidcClientId, OIDC_CLIENT_SECRET: oidcClientSecret, OIDC_SUPERUSER_GROUP: oidcSuperuserGroup };
  if (oidcIssuer === null) {
    const names = Object.entries(given).flatMap(([name, value]) => (typeof value === 'string' ? [name] : []));
    return names.length === 0 ? [] : [`OIDC_ISSUER is not set. It must be, because ${names.join(' and ')} is.`];
  }
  if (oidcIssuer === undefined) return [];
  const problems: string[] = [];
  const required = { OIDC_CLIENT_ID: oidcClientId, PUBLIC_URL: publicUrl };
  for (const [name, value] of Object.entries(required)) {
    if (value === null) problems.push(`${name} is not set. It must be, because OIDC_ISSUER is.`);
  }
  if (authMode === 'bearer') problems.push('AUTH_MODE is bearer. It must be cookie, because OIDC_ISSUER is set: a browser comes back from there.');
  return problems;
}

function productionRisks(settings: Partial<Settings>): string[] {
  if (settings.environment !== 'production') return [];
  const { jwtSecret, corsOrigins } = settings;
  const length = jwtSecret === undefined ? undefined : [...jwtSecret].length;
  const problems: string[] = [];
  if (jwtSecret === PLACEHOLDER_SECRET) {
    problems.push('JWT_SECRET is the public development placeholder. In production it must be a random text.');
  } else if (length !== undefined && length < MIN_SECRET_CHARACTERS) {
    problems.push(`JWT_SECRET has ${length} characters. In production it must have at least ${MIN_SECRET_CHARACTERS}.`);
  }
  if (settings.replication === 'jetstream' && settings.logReplicas === 1) {
    problems.push('LOG_REPLICAS is 1. In production it must be at least 3, or the loss of one NATS server loses the log.');
  }
  if (corsOrigins === '*') problems.push('CORS_ORIGINS is "*". In production it must list the allowed origins.');
  return problems;
}

/** The settings that differ from their defaults, by name and without secrets. */
export function changedSettings(config: Config): Readonly<Record<Uppercase<string>, string>> {
  const changed: Record<Uppercase<string>, string> = {};
  for (const key of KEYS) {
    const setting: Setting<unknown> = SETTINGS[key];
    const standard = setting.parse(settingText(setting, {}, config.environment).text);
    const value: unknown = config[key];
    if (JSON.stringify(value) !== JSON.stringify(standard)) changed[setting.name as Uppercase<string>] = safeText(setting, textOf(value));
  }
  return changed;
}

/** The values that all instances of a cluster must share, by name. None is a secret. */
export function clusterWideSettings(config: Config): ReadonlyMap<string, string> {
  const shared = KEYS.filter((key) => (SETTINGS[key] as Setting<unknown>).isClusterWide === true);
  return new Map(shared.map((key) => [SETTINGS[key].name, JSON.stringify(config[key])]));
}

/** About as it was set; of a value with parts, only that it was. */
function textOf(value: unknown): string {
  if (value === null) return '';
  return typeof value === 'object' && !Array.isArray(value) ? '(set)' : String(value);
}

/** A value as it may be printed or logged. */
export function safeText(setting: Setting<unknown>, text: string): string {
  return setting.redact ? setting.redact(text) : text;
}
