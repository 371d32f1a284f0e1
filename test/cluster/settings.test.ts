/** Instances compare the settings that they must share. */
import t from 'tap';
import type { Logger } from 'pino';
import { clusterWideSettings, loadConfig, type Config } from '../../src/settings/config.js';
import type { PeerReading } from '../../src/cluster/peers.js';
import { digestSettings, type SettingDigests } from '../../src/cluster/settingDigests.js';
import { SettingWatch } from '../../src/cluster/settingWatch.js';
import { SETTINGS, type Setting } from '../../src/settings/settings.js';
import { UnreadablePeers } from '../../src/cluster/unreadablePeers.js';
import { Refusal } from '../../src/wire/refusal.js';
import { tokenDigest } from '../../src/wire/tokenDigest.js';
import { TestCluster, type Instance } from '../support/cluster/cluster.js';
import { until } from '../support/until.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { skipWithout } from '../support/service/programs.js';

function configWith(environment: Readonly<Record<string, string>>): Config {
  const result = loadConfig(environment);
  if (!result.ok) throw new Error(result.problems.join());
  return result.config;
}

function digestsOf(environment: Readonly<Record<string, string>>): Required<SettingDigests> {
  return digestSettings(clusterWideSettings(configWith(environment)));
}

function tokensOf(secret = 'a token secret'): string {
  return tokenDigest({ clusterSecret: 'c'.repeat(32), tokens: [secret], context: 'cluster' });
}

function reading(id: string, more: Partial<PeerReading> = {}): PeerReading {
  return { id, host: `host of ${id}`, version: 'v', tokens: tokensOf(), settings: digestsOf({}), clock: 0, receivedAt: 0, aheadMs: 0, ...more };
}

function setUp(environment: Readonly<Record<string, string>> = {}) {
  const logged: Array<Record<string, unknown>> = [];
  const log = { warn: (fields: Record<string, unknown>) => void logged.push(fields) } as unknown as Logger;
  return { watch: new SettingWatch({ settings: digestsOf(environment), tokens: tokensOf(), log }), logged };
}

t.test('LEASE29 instances name the settings that another one has otherwise, once, and without a value', async (t) => {
  const { watch, logged } = setUp({ READ_LEASE_MS: '10000', MAX_BOARD_CARDS: '7' });
  const { all } = digestsOf({});
  t.strictSame(Object.keys(watch.shown), ['all'], 'a heartbeat has one digest');
  watch.compare([reading('brief', { settings: { all } })], []);
  t.strictSame(watch.names, [], 'the other has not said which yet');
  t.strictSame(Object.keys(watch.shown), ['all', 'each'], 'both say it, because they differ');
  t.notMatch(JSON.stringify(watch.shown), /10000|development/);
  for (let n = 0; n < 3; n += 1)
    watch.compare([reading('whole'), reading('equal', { settings: digestsOf({ READ_LEASE_MS: '10000', MAX_BOARD_CARDS: '7' }) })], []);
  t.strictSame(watch.names, ['MAX_BOARD_CARDS', 'READ_LEASE_MS']);
  t.match(logged, [{ instance: 'whole', host: 'host of whole', settings: ['READ_LEASE_MS', 'MAX_BOARD_CARDS'].sort() }]);
  t.equal(logged.length, 1);
  watch.compare([], []);
  t.strictSame([watch.names, Object.keys(watch.shown)], [[], ['all']]);
});

t.test('LEASE29 an older program without digests takes part as before', async (t) => {
  const { watch, logged } = setUp();
  watch.compare([reading('older', { settings: null, tokens: null })], []);
  t.strictSame([watch.names, logged], [[], []]);
});

t.test('LEASE30 of two sides with different cluster secrets the one that owns partitions goes on, and the other takes none', async (t) => {
  const clock = { now: 0 };
  const strangers = new UnreadablePeers(() => clock.now);
  t.equal(strangers.exclusion(false), null);
  strangers.note(new Refusal('malformed', 'nonsense', 'other'));
  t.equal(strangers.exclusion(false), null, 'not every refused message is one of an instance');
  strangers.note(new Refusal('sealed', 'another key', 'other'));
  t.match(strangers.exclusion(false), /^CLUSTER_SECRET is not that/);
  t.equal(strangers.exclusion(true), null, 'one that owns partitions, or understands another instance, stays: anyone can send what it cannot read');
  const { watch } = setUp();
  watch.compare([reading('tokens', { tokens: tokensOf('another') })], strangers.all);
  t.strictSame(watch.names, ['CLUSTER_SECRET', 'JWT_SECRET']);
  clock.now = 4_999;
  t.match(strangers.exclusion(false), /CLUSTER_SECRET/, 'they may have lost their connection for a moment');
  clock.now = 5_000;
  t.equal(strangers.exclusion(false), null, 'when the others are gone it takes part: so the secret can be changed');
  for (let n = 0; n < 1_000; n += 1) strangers.note(new Refusal('version', 'another version', `forged ${n}`));
  t.ok(strangers.all.length <= 16, 'a bounded number is remembered');
  t.match(strangers.exclusion(false), /^instances of another version run/);
});

t.test('LEASE29 no secret, and nothing that is of one machine alone, is among the compared settings', async (t) => {
  const compared = [...clusterWideSettings(configWith({})).keys()];
  const secret = Object.values(SETTINGS)
    .filter((setting: Setting<unknown>) => setting.redact !== undefined)
    .map(({ name }) => name);
  t.ok(secret.includes('JWT_SECRET') && secret.includes('SMTP_URL'));
  for (const name of [...secret, 'HOST', 'PORT', 'DATA_DIR', 'SHARD_THREADS', 'MAX_SOCKETS']) t.notOk(compared.includes(name), name);
  for (const name of ['SHARDS', 'READ_LEASE_MS', 'REGISTRATION', 'PRESENCE_TTL_SECONDS', 'EVENT_RETENTION_DAYS']) t.ok(compared.includes(name), name);
});

t.test('LEASE29 `/health` of both instances names the setting', { skip: skipWithout(await findNatsServer()) }, async (t) => {
  const cluster = await TestCluster.prepare(t);
  const differing = async ({ api }: Instance, names: readonly string[]): Promise<void> => {
    const health = async (): Promise<{ status: string; differing_settings?: string[] }> =>
      (await api.request<{ status: string; differing_settings?: string[] }>('GET', '/health')).body;
    await until(async () => {
      const { status, differing_settings: shown } = await health();
      return status !== 'ok' && shown?.join() === names.join();
    }, health);
  };
  const one = await cluster.add();
  const other = await cluster.add({ MAX_BOARD_CARDS: '7' });
  for (const each of [one, other]) await differing(each, ['MAX_BOARD_CARDS']);
  await other.stop();
  const two = await cluster.add({ MAX_BOARD_CARDS: '7', CLUSTER_SECRET: 's'.repeat(40) });
  for (const each of [one, two]) await differing(each, ['CLUSTER_SECRET']);
  t.match(await two.api.request('GET', '/ready'), { status: 503, body: { detail: /CLUSTER_SECRET is not that/ } });
  t.equal((await one.api.request('GET', '/ready')).status, 200, 'LEASE30 the instance that owns the data goes on');
  await two.stop();
  await until(
    async () =>
      (await one.api.request<object>('GET', '/health')).status === 200 &&
      !('differing_settings' in (await one.api.request<object>('GET', '/health')).body),
  );
});
