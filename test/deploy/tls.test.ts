import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { startApp, type App } from '../../src/app.js';
import { testConfig } from '../support/service/app.js';
import { findOpenssl, makeCertificate, type TestCertificate } from '../support/http/certificates.js';
import { temporaryFolder } from '../support/store/folder.js';
import { logLines, type LogLines } from '../support/service/logLines.js';
import { pathOf, skipWithout } from '../support/service/programs.js';
import { sendRaw } from '../support/http/rawHttp.js';
import { rawRequest } from '../support/http/rawRequest.js';
import { ServiceProcess } from '../support/service/serviceProcess.js';
import { TestSocket } from '../support/realtime/socket.js';
import { askOverTls, keptConnection } from '../support/http/tlsClient.js';
import { newRegistration } from '../support/http/users.js';
import { until } from '../support/until.js';

const found = await findOpenssl();
const options = { skip: skipWithout(found) };

/** The certificate files of a service, which a test can replace. */
class CertificateFolder {
  readonly folder: string;
  readonly settings: { readonly TLS_CERT_FILE: string; readonly TLS_KEY_FILE: string };

  private constructor(folder: string) {
    this.folder = folder;
    this.settings = { TLS_CERT_FILE: join(folder, 'cert.pem'), TLS_KEY_FILE: join(folder, 'key.pem') };
  }

  static async make(t: Test): Promise<CertificateFolder> {
    return new CertificateFolder(await temporaryFolder(t));
  }

  make(name: string): Promise<TestCertificate> {
    return makeCertificate(pathOf(found), this.folder, name);
  }

  async install({ certFile, keyFile }: Pick<TestCertificate, 'certFile' | 'keyFile'>): Promise<void> {
    await copyFile(certFile, this.settings.TLS_CERT_FILE);
    await copyFile(keyFile, this.settings.TLS_KEY_FILE);
  }
}

interface SecureService {
  readonly app: App;
  readonly files: CertificateFolder;
  readonly first: TestCertificate;
  readonly log: LogLines;
}

async function startSecure(t: Test): Promise<SecureService> {
  const files = await CertificateFolder.make(t);
  const first = await files.make('first');
  await files.install(first);
  const log = logLines();
  const app = await startApp(testConfig({ ...files.settings, DATA_DIR: await temporaryFolder(t) }), log.log);
  t.teardown(() => app.close());
  return { app, files, first, log };
}

interface Member {
  readonly id: string;
  readonly token: string;
  readonly boardId: string;
}

/** A user with a board. */
async function newMember(url: string, ca: string): Promise<Member> {
  const { email, username, password } = newRegistration();
  const json = { email, username, password };
  const { body: user } = await askOverTls<{ id: string }>(`${url}/auth/register`, { ca, method: 'POST', json });
  const login = { ca, method: 'POST', form: { username: email, password } };
  const { access_token: token } = (await askOverTls<{ access_token: string }>(`${url}/auth/login`, login)).body;
  const board = { ca, token, method: 'POST', json: { title: 'Secure' } };
  const { body } = await askOverTls<{ id: string }>(`${url}/boards`, board);
  return { id: user.id, token, boardId: body.id };
}

t.test('TLS1 with a certificate the service speaks only HTTPS and wss', options, async (t) => {
  const { app, first } = await startSecure(t);
  t.match(app.url, /^https:\/\//);
  const health = await askOverTls(`${app.url}/health`, { ca: first.pem });
  t.match(health, { status: 200, body: { status: 'ok' }, certificate: 'first' });
  const member = await newMember(app.url, first.pem);
  const socket = await TestSocket.join(app.url, member.boardId, member, { ca: first.pem });
  await rename(app.url, first.pem, member, 'Renamed');
  t.match(await socket.find('board.updated'), { data: { title: 'Renamed' } });
  await t.rejects(sendRaw(app.url, rawRequest('GET /health')), /the connection ended/, 'plain HTTP is cut off');
  await app.close();
  t.match(await socket.closed, { code: 1001 }, 'a stop sends the close code here as well');
});

t.test('TLS1 a renewed certificate serves new connections, and open connections continue', options, async (t) => {
  const { app, files, first } = await startSecure(t);
  const member = await newMember(app.url, first.pem);
  const kept = keptConnection();
  t.teardown(() => kept.destroy());
  const ask = (): ReturnType<typeof askOverTls> => askOverTls(`${app.url}/health`, { ca: first.pem, agent: kept });
  t.match(await ask(), { certificate: 'first' });
  const before = await TestSocket.join(app.url, member.boardId, member, { ca: first.pem });

  const second = await files.make('second');
  await files.install(second);
  app.renewCertificate();
  t.match(await ask(), { status: 200, certificate: 'first' }, 'a kept connection');
  t.match(await askOverTls(`${app.url}/health`, { ca: second.pem }), { status: 200, certificate: 'second' });
  const after = await TestSocket.join(app.url, member.boardId, member, { ca: second.pem });
  await rename(app.url, second.pem, member, 'Renamed');
  for (const socket of [before, after]) t.match(await socket.find('board.updated'), { data: { title: 'Renamed' } });

  await app.close();
  for (const socket of [before, after]) t.match(await socket.closed, { code: 1001 }, 'a stop ends both');
});

t.test('TLS4 a broken renewal changes nothing and is logged', options, async (t) => {
  const { app, files, first, log } = await startSecure(t);
  const second = await files.make('second');
  await files.install({ certFile: second.certFile, keyFile: first.keyFile });
  app.renewCertificate();
  t.match(await askOverTls(`${app.url}/health`, { ca: first.pem }), { status: 200, certificate: 'first' });
  const complaint = log.lines().find(({ msg }) => msg === 'the certificate was not renewed');
  t.match(complaint, { level: 50, err: { message: /does not belong to the certificate/ } });
});

t.test('TLS4 unusable certificate files are refused at the start, in plain words', options, async (t) => {
  const files = await CertificateFolder.make(t);
  const [good, other] = [await files.make('good'), await files.make('other')];
  const nonsense = join(files.folder, 'nonsense.pem');
  await writeFile(nonsense, 'This is no certificate.\n');
  const missing = join(files.folder, 'missing.pem');
  for (const { certFile, keyFile, message } of [
    { ...good, certFile: missing, message: /^TLS_CERT_FILE cannot be read: ENOENT.*missing\.pem/ },
    { ...good, keyFile: missing, message: /^TLS_KEY_FILE cannot be read: ENOENT.*missing\.pem/ },
    { ...good, certFile: nonsense, message: /^TLS_CERT_FILE \(.*nonsense\.pem\) contains no certificate in PEM format$/ },
    { ...good, keyFile: nonsense, message: /^TLS_KEY_FILE \(.*nonsense\.pem\) contains no private key in PEM format/ },
    { ...good, keyFile: other.keyFile, message: /^The key in TLS_KEY_FILE .* does not belong to the certificate/ },
  ]) {
    const settings = { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile, DATA_DIR: await temporaryFolder(t) };
    await t.rejects(startApp(testConfig(settings)), { code: 'unavailable', message }, String(message));
  }
  const settings = { TLS_CERT_FILE: missing, TLS_KEY_FILE: missing, DATA_DIR: files.folder };
  await t.rejects(ServiceProcess.start(settings), /^switchboard: The service cannot start: TLS_CERT_FILE/);
});

t.test('TLS1 SIGHUP makes the process read its certificate again', options, async (t) => {
  const files = await CertificateFolder.make(t);
  const [first, second] = [await files.make('first'), await files.make('second')];
  await files.install(first);
  const service = await startProcess(t, files.settings);
  t.match(await askOverTls(`${service.url}/health`, { ca: first.pem }), { certificate: 'first' });
  await files.install(second);
  process.kill(service.pid, 'SIGHUP');
  const ca = first.pem + second.pem;
  const answer = await until(async () => {
    const given = await askOverTls(`${service.url}/health`, { ca });
    return given.certificate !== 'first' && given;
  });
  t.match(answer, { status: 200, certificate: 'second' });
  t.equal(await service.stop(), 0);
});

t.test('TLS1 without a certificate SIGHUP changes nothing', async (t) => {
  const service = await startProcess(t, {});
  process.kill(service.pid, 'SIGHUP');
  t.equal((await fetch(`${service.url}/health`)).status, 200);
  t.equal(await service.stop(), 0, 'and the process was still there to be stopped');
});

t.test('TLS1 hundreds of connections before and after a renewal cause no fault', options, async (t) => {
  const files = await CertificateFolder.make(t);
  const [first, second] = [await files.make('first'), await files.make('second')];
  await files.install(first);
  const service = await startProcess(t, files.settings);
  const ca = first.pem + second.pem;
  const askMany = (): Promise<{ readonly status: number }[][]> =>
    Promise.all(
      Array.from({ length: 8 }, async () => {
        const answers = [];
        for (let n = 0; n < 25; n += 1) answers.push(await askOverTls(`${service.url}/health`, { ca }));
        return answers;
      }),
    );
  const before = await askMany();
  await files.install(second);
  process.kill(service.pid, 'SIGHUP');
  const answers = [...before, ...(await askMany())].flat();
  t.equal(answers.filter(({ status }) => status === 200).length, 400);
  t.equal(await service.stop(), 0);
});

async function startProcess(t: Test, settings: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  const service = await ServiceProcess.start({ ...settings, SHARD_THREADS: '1', DATA_DIR: await temporaryFolder(t) });
  t.teardown(() => service.kill());
  return service;
}

async function rename(url: string, ca: string, { token, boardId }: Member, title: string): Promise<void> {
  await askOverTls(`${url}/boards/${boardId}`, { ca, token, method: 'PATCH', json: { title } });
}
