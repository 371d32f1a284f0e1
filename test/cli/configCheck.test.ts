/** `config check` looks at what the settings name. */
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { findCertificateFlaw } from '../../src/http/certificate.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { NatsProcess } from '../support/cluster/natsProcess.js';
import { findOpenssl, makeCertificate, makeExpiredCertificate } from '../support/http/certificates.js';
import { run, workplace } from '../support/service/commandLine.js';
import { pathOf, skipWithout } from '../support/service/programs.js';
import { ServiceProcess, type Settings } from '../support/service/serviceProcess.js';
import { sql } from '../support/store/sqlFile.js';

const openssl = await findOpenssl();
const nats = await findNatsServer();

async function check(folder: string, settings: Settings = {}): Promise<{ code: number | null; problems: string[]; stderr: string }> {
  const { code, stderr } = await run(folder, ['config', 'check'], { settings: { PORT: '0', SHARDS: '2', ...settings } });
  return { code, problems: [...stderr.matchAll(/^ {2}- (.*)$/gm)].map(([, text]) => text ?? ''), stderr };
}

t.test('CLI12 config check accepts what a service would start with, and creates nothing', async (t) => {
  const { folder, dataDir } = workplace(t);
  t.match(await check(folder), { code: 0, stderr: '' });
  t.notOk(existsSync(dataDir));
  t.match(await run(folder, ['user', 'list'], { settings: { SHARDS: '2' } }), { code: 0 });
  const before = readdirSync(dataDir);
  t.match(await check(folder), { code: 0, stderr: '' });
  t.strictSame(readdirSync(dataDir), before);
});

t.test('CLI12 config check lists all problems at once, those of the settings too', async (t) => {
  const { folder, dataDir } = workplace(t);
  writeFileSync(dataDir, '');
  const settings = {
    LOG_LEVEL: 'loud',
    HOST: '192.0.2.1',
    NATS_URL: 'nats://127.0.0.1:1',
    TLS_CERT_FILE: join(folder, 'missing.crt'),
    TLS_KEY_FILE: join(folder, 'missing.key'),
  };
  const { code, problems } = await check(folder, settings);
  t.equal(code, 78);
  t.match(problems, [
    /^LOG_LEVEL is "loud"/,
    /^TLS_CERT_FILE cannot be read: ENOENT.*missing\.crt.* Correct the path/,
    /^DATA_DIR: .*data is not a folder/,
    /^HOST, PORT: cannot listen on 192\.0\.2\.1:0: this machine does not have the address/,
    /^NATS_URL: the server nats:\/\/127\.0\.0\.1:1 does not answer .* Start it, or correct the address\.$/,
  ]);
  t.equal(problems.length, 5);
});

t.test('CLI12 config check looks at the data folder', async (t) => {
  const { folder, dataDir } = workplace(t);
  const below = { DATA_DIR: join(folder, 'file', 'data') };
  writeFileSync(join(folder, 'file'), '');
  t.match(await check(folder, below), { code: 78, problems: [/cannot be created: .*file is not a folder/] });
  if (process.platform === 'linux') t.match(await check(folder, { DATA_DIR: '/proc/data' }), { code: 78, problems: [/\/proc/] });

  mkdirSync(dataDir);
  if (process.getuid?.() !== 0) {
    chmodSync(dataDir, 0o555);
    t.match(await check(folder), { code: 78, problems: [/cannot write it/] });
    chmodSync(dataDir, 0o755);
  }
  const service = await ServiceProcess.start({ DATA_DIR: dataDir, SHARDS: '2' });
  t.teardown(() => service.kill());
  t.match(await check(folder), { code: 0 }, 'beside a running service');
  t.match(await check(folder, { SHARDS: '3' }), { code: 78, problems: [/folder of 2 shards.*set SHARDS=2 instead of 3/] });
  await service.stop();
  sql(join(dataDir, 'shard-01.sqlite'), "INSERT INTO schema_version VALUES (9999, '9999-future.sql', '2099-01-01T00:00:00.000Z')");
  t.match(await check(folder), { code: 78, problems: [/shard-01\.sqlite was written by a newer version/] });
  writeFileSync(join(dataDir, 'folder.json'), '{}');
  t.match(await check(folder), { code: 78, problems: [/folder\.json is damaged/] });
});

t.test('CLI12 config check looks at the certificate', { skip: skipWithout(openssl) }, async (t) => {
  const { folder } = workplace(t);
  const [own, other] = [await makeCertificate(pathOf(openssl), folder, 'own'), await makeCertificate(pathOf(openssl), folder, 'other')];
  const settings = (certFile: string, keyFile: string): Settings => ({ TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile });
  t.match(await check(folder, settings(own.certFile, own.keyFile)), { code: 0, stderr: '' });
  t.match(await check(folder, settings(own.certFile, other.keyFile)), { code: 78, problems: [/does not belong to the certificate/] });
  t.match(await check(folder, settings(own.keyFile, own.keyFile)), { code: 78, problems: [/contains no certificate/] });
  const expired = await makeExpiredCertificate(pathOf(openssl), folder);
  const found = await check(folder, settings(expired.certFile, expired.keyFile));
  t.match(found, { code: 0, problems: [] }, 'the service would start');
  t.match(found.stderr, /^Warning: TLS_CERT_FILE \(.*expired\.crt\): The certificate expired on .*Renew it\.$/m);
});

t.test('CLI12 a certificate that clients refuse is a warning', async (t) => {
  const facts = { subject: '', names: '', validFrom: new Date(1000), validTo: new Date(2000) };
  t.equal(findCertificateFlaw(facts, new Date(1000)), null);
  t.match(findCertificateFlaw(facts, new Date(2000)), /expired on 1970/);
  t.match(findCertificateFlaw(facts, new Date(999)), /valid from 1970/);
});

t.test('CLI12 config check looks at NATS', { skip: skipWithout(nats) }, async (t) => {
  const { folder } = workplace(t);
  const server = await NatsProcess.start(t, pathOf(nats));
  const cluster = { REPLICATION: 'jetstream', CLUSTER_SECRET: 'a secret of the cluster in this test', JWT_SECRET: 'a secret of this test alone' };
  t.match(await check(folder, { NATS_URL: server.url }), { code: 0, stderr: '' });
  const wrong = server.url.replace(/:[^:@]+@/, ':another-password@');
  const refused = await check(folder, { NATS_URL: wrong });
  t.match(refused, { code: 78, problems: [/refuses these credentials\. Correct the user/] });
  t.notMatch(refused.stderr, 'another-password');
  const partly = await check(folder, { NATS_URL: `${server.url},nats://127.0.0.1:1` });
  t.match(partly, { code: 0, problems: [], stderr: /^Warning: NATS_URL: the server nats:\/\/127\.0\.0\.1:1 does not answer/ });
  // Of this server either the version is too old or JetStream is off.
  t.match(await check(folder, { ...cluster, NATS_URL: server.url }), { code: 78, problems: [/has version .*Upgrade it|offers no JetStream/] });
});
