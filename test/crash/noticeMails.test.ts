import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import type { SMTPServerOptions } from 'smtp-server';
import t from 'tap';
import { DIRECTORY_FILE } from '../../src/store/folder/dataFolder.js';
import { Api } from '../support/http/api.js';
import { newUser, type TestUser } from '../support/http/users.js';
import { startMailServer } from '../support/mail/mailServer.js';
import { changeUser } from '../support/service/operator.js';
import { ServiceProcess } from '../support/service/serviceProcess.js';
import { temporaryFolder } from '../support/store/folder.js';
import { query, sql } from '../support/store/sqlFile.js';
import { until } from '../support/until.js';

/** A mail server that takes notices for some recipients only in part. */
class HaltingServer {
  /** Recipients of notices whose content was sent to the end: the server may deliver it, whatever the service hears of it. */
  readonly handed: string[] = [];
  /** Recipients that were named, of every mail. */
  readonly named: string[] = [];
  /** It says nothing when this recipient is named. */
  silentAt = '';
  /** It takes the content for this recipient and does not say so. */
  haltsAfter = '';

  get options(): SMTPServerOptions {
    return {
      onRcptTo: ({ address }, _session, done) => {
        this.named.push(address);
        if (address !== this.silentAt) done();
      },
      onData: (stream, { envelope }, done) => {
        const take = async (): Promise<void> => {
          const isNotice = /^List-Unsubscribe:/m.test(await readAll(stream));
          const to = envelope.rcptTo.map(({ address }) => address);
          if (isNotice) this.handed.push(...to);
          if (!to.includes(this.haltsAfter)) done();
        };
        take().catch(done);
      },
    };
  }
}

t.test('MAIL41 a kill while mails are handed to the mail server sends none twice, and what was not taken is sent', async (t) => {
  const mails = new HaltingServer();
  const { url: SMTP_URL } = await startMailServer(t, { smtp: mails.options });
  const DATA_DIR = await temporaryFolder(t);
  const settings = { SHARDS: '2', SHARD_THREADS: '1', DATA_DIR, SMTP_URL, PUBLIC_URL: 'https://boards.example.org' };
  let service = await ServiceProcess.start(settings);
  t.teardown(() => service.kill());
  const api = await Api.connect(service.url);
  const send = async ({ token }: TestUser, request: string, json: object): Promise<{ id: string }> => {
    const [method = '', path = ''] = request.split(' ');
    const { status, body } = await api.request<{ id: string }>(method, path, { token, json });
    if (status >= 300) throw new Error(`${request} answered ${status}`);
    return body;
  };
  const file = join(DATA_DIR, DIRECTORY_FILE);
  const pending = (): unknown[] => query<{ user_id: string }>(file, 'SELECT user_id FROM notice_mail').map(({ user_id }) => user_id);
  const makeDue = (...users: readonly TestUser[]): void => {
    for (const { id } of users) sql(file, `UPDATE notice_mail SET due_at = '2026-01-01T00:00:00.000Z' WHERE user_id = '${id}'`);
  };

  const [ann, handed, named, later] = [await newUser(api), await newUser(api), await newUser(api), await newUser(api)];
  const { id: board } = await send(ann, 'POST /boards', { title: 'Plans' });
  for (const user of [handed, named, later]) {
    await changeUser(DATA_DIR, user.id, { is_verified: true });
    await send(ann, `POST /boards/${board}/invite`, { user_id: user.id });
  }
  await until(() => pending().length === 3);
  await until(() => mails.named.length === 4);
  await service.stop();
  mails.named.length = 0;

  makeDue(handed, named);
  [mails.haltsAfter, mails.silentAt] = [handed.email, named.email];
  service = await ServiceProcess.start(settings);
  await until(() => mails.handed.includes(handed.email) && mails.named.includes(named.email));
  await service.kill();
  [mails.haltsAfter, mails.silentAt] = ['', ''];

  service = await ServiceProcess.start(settings);
  t.equal(await service.stop(), 0);
  t.strictSame(pending(), [later.id], 'what was taken stays so');
  makeDue(later);
  service = await ServiceProcess.start(settings);
  await until(() => mails.handed.includes(later.email));
  t.equal(await service.stop(), 0);
  t.strictSame(mails.handed, [handed.email, later.email]);
  t.strictSame(mails.named.toSorted(), [handed.email, named.email, later.email].toSorted(), 'no second attempt');
});
