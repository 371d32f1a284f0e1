/** A start that fails says what, where and what to do, in one line. */
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { findListenFault } from '../../src/http/listenFault.js';
import { workplace } from '../support/service/commandLine.js';
import { runProgram } from '../support/service/program.js';
import type { Settings } from '../support/service/serviceProcess.js';
import { smallDisk } from '../support/store/smallDisk.js';

/** The user "nobody": without a right to anything. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
/** Root may write everywhere, so that faults of permissions need another user. */
const someone = isRoot ? { userId: NOBODY } : {};
const needsRoot = isRoot ? false : 'only root can make files of another user';

/** A folder that every user can enter. */
function openPlace(t: Test): { folder: string; dataDir: string } {
  const place = workplace(t);
  chmodSync(place.folder, 0o755);
  return place;
}

async function expectFault(t: Test, folder: string, settings: Settings, texts: readonly (string | RegExp)[], options: object = {}): Promise<void> {
  const all = { PORT: '0', SHARDS: '1', LOG_LEVEL: 'silent', ...settings };
  const { code, stderr, stdout } = await runProgram(['serve'], all, { folder, ...options });
  t.strictSame({ code, stdout }, { code: 1, stdout: '' });
  t.match(stderr, /^switchboard: The service cannot start: .*\n$/, 'one line, without a stack trace');
  for (const text of texts) t.match(stderr, text);
}

t.test('CLI44 a port that is taken is named', async (t) => {
  const { folder } = openPlace(t);
  const taken = createServer().listen(0, '127.0.0.1');
  t.teardown(() => taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const texts = [`cannot listen on 127.0.0.1:${port}: another service listens on port ${port}`, 'set PORT'];
  await expectFault(t, folder, { PORT: String(port) }, texts);
  // Several instances may share a port, but not with another program.
  await expectFault(t, folder, { PORT: String(port), NATS_URL: 'nats://127.0.0.1:1' }, texts);
});

t.test('CLI44 an address that this machine does not have is named', async (t) => {
  const { folder } = openPlace(t);
  // Reserved for documentation.
  await expectFault(t, folder, { HOST: '192.0.2.1' }, ['cannot listen on 192.0.2.1:0', 'does not have the address of HOST', '127.0.0.1']);
  t.match(await findListenFault('no-such-name.invalid', 0), { text: /the name no-such-name\.invalid of HOST is unknown/ });
  t.equal(await findListenFault('127.0.0.1', 0), null);
});

const firstFreePort = process.platform === 'linux' ? Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8')) : 1024;
const anyPort = firstFreePort < 2 ? 'here every user has a right to every port' : false;
t.test('CLI44 a port to which the user has no right is named', { skip: anyPort }, async (t) => {
  const { folder } = openPlace(t);
  const dataDir = join(folder, 'open');
  mkdirSync(dataDir);
  chmodSync(dataDir, 0o777);
  await expectFault(t, folder, { PORT: '1', DATA_DIR: dataDir }, ['127.0.0.1:1: this user has no right to port 1', 'CAP_NET_BIND_SERVICE'], someone);
});

t.test('CLI44 a folder that cannot be written is named with its path and its owner', async (t) => {
  const { folder, dataDir } = openPlace(t);
  mkdirSync(dataDir);
  chmodSync(dataDir, 0o555);
  t.teardown(() => chmodSync(dataDir, 0o755));
  const owner = `${dataDir} belongs to user ${process.getuid?.()}, and this process cannot write it`;
  await expectFault(t, folder, { DATA_DIR: dataDir }, [owner, 'chown', 'DATA_DIR'], someone);
  await expectFault(
    t,
    folder,
    { DATA_DIR: join(dataDir, 'below') },
    [`The folder ${join(dataDir, 'below')} cannot be created`, 'EACCES', 'DATA_DIR'],
    someone,
  );
  t.strictSame(readdirSync(dataDir), [], 'nothing was begun');
});

t.test('CLI44 a folder with files of another user is named with the first of them', { skip: needsRoot }, async (t) => {
  const { folder, dataDir } = openPlace(t);
  t.match(await runProgram(['user', 'list'], { DATA_DIR: dataDir }, { folder }), { code: 0 });
  chmodSync(dataDir, 0o777);
  await expectFault(
    t,
    folder,
    { DATA_DIR: dataDir },
    [/data\/(commits|directory|folder)\S+ belongs to user 0, /, `as user ${NOBODY}: chown`],
    someone,
  );
});

t.test('CLI44 a file in the place of the folder is named', async (t) => {
  const { folder, dataDir } = openPlace(t);
  writeFileSync(dataDir, 'something else');
  await expectFault(t, folder, { DATA_DIR: dataDir }, [`${dataDir} is not a folder`, 'set DATA_DIR']);
  t.equal(readFileSync(dataDir, 'utf8'), 'something else');
});

t.test('CLI44 a full disk is named', async (t) => {
  const disk = await smallDisk(t, 64 * 1024);
  if ('missing' in disk) {
    t.pass('a full disk', { skip: disk.missing });
    return;
  }
  const dataDir = join(disk.folder, 'data');
  mkdirSync(dataDir);
  t.throws(() => writeFileSync(join(disk.folder, 'ballast'), Buffer.alloc(128 * 1024)), { code: 'ENOSPC' });
  await expectFault(t, openPlace(t).folder, { DATA_DIR: dataDir }, [`the disk of ${dataDir} is full`, 'make room']);
  t.strictSame(readdirSync(dataDir), [], 'nothing stays behind');
});

t.test('CLI44 a certificate that cannot be read is named', async (t) => {
  const { folder } = openPlace(t);
  const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  const settings = { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
  await expectFault(t, folder, settings, [`TLS_CERT_FILE cannot be read: ENOENT`, certFile, 'Correct the path']);
  writeFileSync(certFile, '');
  chmodSync(certFile, 0o000);
  await expectFault(t, folder, settings, [`TLS_CERT_FILE cannot be read: EACCES`, certFile, 'let the user of the service read'], someone);
});
