/** Instances compare the settings that they must share. */
import t from 'tap';
import type { Logger } from 'pino';
import { clusterWideSettings, loadConfig, type Config } from '../../src/settings/config.js';
import type { PeerReading } from '../../src/cluster/peers.js';
import { digestSettings, type SettingDigests } from '../../src/cluster/settingDigests.js';
import { SettingWatch } from '../../src/cluster/settingWatch.js';
import { SETTINGS, type Setting } from '../../src/settings/settings.js';
import { secretDigests, type SecretDigests } from '../../src/wire/secretDigests.js';
import { TestCluster } from '../support/cluster/cluster.js';
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

function secretsOf({ cluster = 'c'.repeat(32), tokens = 'a token secret' } = {}): SecretDigests {
  return secretDigests({ clusterSecret: cluster, tokens: [tokens], context: 'cluster' });
}

function reading(id: string, more: Partial<PeerReading> = {}): PeerReading {
  return { id, host: `host of ${id}`, version: 'v', secrets: secretsOf(), settings: digestsOf({}), isOwner: true, clock: 0, receivedAt: 0, aheadMs: 0, ...more };
}

function setUp(environment: Readonly<Record<string, string>> = {}, secrets = secretsOf()) {
  const logged: Array<Record<string, unknown>> = [];
  const log = { warn: (fields: Record<string, unknown>) => void logged.push(fields) } as unknown as Logger;
  return { watch: new SettingWatch({ settings: digestsOf(environment), secrets, log }), logged };
}

t.test('LEASE29 instances name the settings that another one has otherwise, once, and without a value', async (t) => {
  const { watch, logged } = setUp({ READ_LEASE_MS: '10000', MAX_BOARD_CARDS: '7' });
  const { all } = digestsOf({});
  t.strictSame(Object.keys(watch.shown), ['all'], 'a heartbeat has one digest');
  watch.compare([reading('brief', { settings: { all } })], true);
  t.strictSame(watch.names, [], 'the other has not said which yet');
  t.strictSame(Object.keys(watch.shown), ['all', 'each'], 'both say it, because they differ');
  t.notMatch(JSON.stringify(watch.shown), /10000|development/);
  for (let n = 0; n < 3; n += 1) watch.compare([reading('whole'), reading('equal', { settings: digestsOf({ READ_LEASE_MS: '10000', MAX_BOARD_CARDS: '7' }) })], true);
  t.strictSame(watch.names, ['MAX_BOARD_CARDS', 'READ_LEASE_MS']);
  t.match(logged, [{ instance: 'whole', host: 'host of whole', settings: ['READ_LEASE_MS', 'MAX_BOARD_CARDS'].sort() }]);
  t.equal(logged.length, 1);
  t.equal(watch.exclusion, null, 'and go on');
  watch.compare([], true);
  t.strictSame([watch.names, Object.keys(watch.shown)], [[], ['all']]);
});

t.test('LEASE29 an older program without digests takes part as before', async (t) => {
  const { watch, logged } = setUp();
  watch.compare([reading('older', { settings: null, secrets: null })], false);
  t.strictSame([watch.names, watch.exclusion, logged], [[], null, []]);
});

t.test('LEASE30 of two sides with different cluster secrets the one that owns partitions goes on, and the other takes none', async (t) => {
  const other = reading('other', { secrets: secretsOf({ cluster: 'd'.repeat(32) }) });
  const { watch } = setUp();
  watch.compare([other], false);
  t.strictSame(watch.names, ['CLUSTER_SECRET']);
  t.match(watch.exclusion, /^CLUSTER_SECRET is not that/);
  watch.compare([other], true);
  t.equal(watch.exclusion, null, 'an owner stays');
  watch.compare([{ ...other, isOwner: false }], false);
  t.equal(watch.exclusion, null, 'so it can be changed on one machine after another');
  watch.compare([reading('tokens', { secrets: secretsOf({ tokens: 'another' }) })], false);
  t.strictSame([watch.names, watch.exclusion], [['JWT_SECRET'], null]);
});

t.test('LEASE29 no secret, and nothing that is of one machine alone, is among the compared settings', async (t) => {
  const compared = [...clusterWideSettings(configWith({})).keys()];
  const secret = Object.values(SETTINGS).filter((setting: Setting<unknown>) => setting.redact !== undefined).map(({ name }) => name);
  t.ok(secret.includes('JWT_SECRET') && secret.includes('SMTP_URL'));
  for (const name of [...secret, 'HOST', 'PORT', 'DATA_DIR', 'SHARD_THREADS', 'MAX_SOCKETS']) t.notOk(compared.includes(name), name);
  for (const name of ['SHARDS', 'READ_LEASE_MS', 'REGISTRATION', 'PRESENCE_TTL_SECONDS', 'EVENT_RETENTION_DAYS']) t.ok(compared.includes(name), name);
});

t.test('LEASE29 `/health` of both instances names the setting', { skip: skipWithout(await findNatsServer()) }, async (t) => {
  const cluster = await TestCluster.prepare(t);
  const [one, two] = [await cluster.add(), await cluster.add({ MAX_BOARD_CARDS: '7', CLUSTER_SECRET: 's'.repeat(40) })];
  for (const { api } of [one, two]) {
    const { body } = await until(async () => {
      const answer = await api.request<{ differing_settings?: string[] }>('GET', '/health');
      return (answer.body.differing_settings?.length ?? 0) > 1 && answer;
    });
    t.match(body, { status: 'degraded', differing_settings: ['CLUSTER_SECRET', 'MAX_BOARD_CARDS'] });
  }
  t.match(await two.api.request('GET', '/ready'), { status: 503, body: { detail: /CLUSTER_SECRET is not that/ } });
  t.equal((await one.api.request('GET', '/ready')).status, 200, 'LEASE30 the instance that owns the data goes on');
  await two.stop();
  await until(async () => (await one.api.request<object>('GET', '/health')).status === 200 && !('differing_settings' in (await one.api.request<object>('GET', '/health')).body));
});
