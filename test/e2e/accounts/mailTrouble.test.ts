import t, { type Test } from 'tap';
import type { Api, ApiResponse } from '../../support/http/api.js';
import { newUser } from '../../support/http/users.js';
import { smtpError, startMailServer, startSilentServer } from '../../support/mail/mailServer.js';
import { linkOf } from '../../support/mail/receivedMail.js';
import { startTestApp } from '../../support/service/app.js';
import { logLines } from '../../support/service/logLines.js';
import { freePort } from '../../support/service/ports.js';
import { parsePrometheus, valueOf } from '../../support/service/prometheusText.js';
import { MODULES, ServiceProcess } from '../../support/service/serviceProcess.js';
import { temporaryFolder } from '../../support/store/folder.js';
import { until } from '../../support/until.js';

const PUBLIC_URL = 'https://boards.example.org';
const METRICS_TOKEN = 'for-prometheus-alone';

const forgot = (api: Api, email: string): Promise<ApiResponse> => api.request('POST', '/auth/forgot-password', { json: { email } });

async function mailCounts(api: Api): Promise<Record<string, number>> {
  const response = await fetch(`${api.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  const families = parsePrometheus(await response.text());
  const count = (outcome: string): number => valueOf(families, 'switchboard_mails_total', { outcome });
  return { sent: count('sent'), failed: count('failed'), dropped: count('dropped'), waiting: valueOf(families, 'switchboard_mails_waiting') };
}

t.test('MAIL16 requests are answered while the mail server is away, and the mails come when it is back', async (t) => {
  const port = await freePort();
  const { log, lines } = logLines();
  const app = await startTestApp(t, { SMTP_URL: `smtp://127.0.0.1:${port}`, PUBLIC_URL, METRICS_TOKEN }, log);
  const ann = await newUser(app.api);
  t.match(await forgot(app.api, ann.email), { status: 202 });
  await until(() => lines().filter(({ msg }) => msg === 'a mail could not be sent; it is tried again').length >= 2);
  t.match(await mailCounts(app.api), { sent: 0, failed: 0, dropped: 0, waiting: 2 });
  const server = await startMailServer(t, { port });
  await server.received(2);
  const reset = server.mails.find(({ text }) => text.includes('/app/reset-password'));
  if (reset === undefined) throw new Error('no reset');
  const { token } = linkOf(reset, `${PUBLIC_URL}/app/reset-password`);
  t.match(await app.api.request('POST', '/auth/reset-password', { json: { token, password: 'another horse' } }), { status: 200 });
  await until(async () => (await mailCounts(app.api))['sent'] === 3);
  t.strictSame(await mailCounts(app.api), { sent: 3, failed: 0, dropped: 0, waiting: 0 }, 'and are counted');
});

t.test('MAIL16 a silent mail server delays no answer, and a stop only for a short time', async (t) => {
  const silent = await startSilentServer(t);
  const { log, lines } = logLines();
  const app = await startTestApp(t, { SMTP_URL: silent.url, PUBLIC_URL }, log);
  const ann = await newUser(app.api);
  await silent.connected;
  const answers = [await forgot(app.api, ann.email), await forgot(app.api, 'nobody@example.org')];
  t.strictSame(
    answers.map(({ status }) => status),
    [202, 202],
  );
  t.strictSame(answers[0]?.body, answers[1]?.body);
  const began = performance.now();
  await app.close();
  t.ok(performance.now() - began >= 2_500, 'what is being sent gets its time');
  const lost = lines().find(({ msg }) => msg === 'the service stopped before these mails were sent');
  t.match(lost, { mails: ['verification', 'reset'] });
});

async function logOfRefusedMails(t: Test, refuse: (content: string) => Error): Promise<{ text: string; contents: string[]; email: string }> {
  const contents: string[] = [];
  const server = await startMailServer(t, {
    refuse: (content) => {
      contents.push(content);
      return refuse(content);
    },
  });
  const { log, lines, text } = logLines();
  const app = await startTestApp(t, { SMTP_URL: server.url, PUBLIC_URL }, log);
  const { email } = await newUser(app.api);
  await until(() => lines().some(({ msg }) => String(msg).startsWith('a mail could not be sent')));
  await app.close();
  return { text: text(), contents, email };
}

t.test('LOG1 the log has neither addresses nor links, whatever the mail server answers', async (t) => {
  for (const status of [554, 451]) {
    const { text, contents, email } = await logOfRefusedMails(t, (content) => {
      return smtpError(status, `blocked for ${/^To: (.*)$/m.exec(content)?.[1]}: ${content.replace(/=\r\n/g, '').replace(/\s+/g, ' ')}`);
    });
    const token = /swv_[\w.-]+/.exec(contents.map((content) => content.replace(/=\r\n/g, '').replaceAll('=3D', '=')).join('\n'))?.[0] ?? '';
    t.match(token, /^swv_.{100}/);
    t.notMatch(text, token.slice(4, 60));
    t.notMatch(text, email);
    t.match(text, new RegExp(`"status":${status}`), 'but the reason');
  }
});

/** Lets the mail library not be found. */
const WITHOUT_LIBRARY = `--import=data:text/javascript,${encodeURIComponent(
  "import { register } from 'node:module';" +
    "register('data:text/javascript,' + encodeURIComponent('export async function resolve(name, context, next) " +
    '{ if (name === "nodemailer") throw new Error("the mail library is not here"); return next(name, context); }\'));',
)}`;

t.test('the mail library is loaded only where mail is configured', async (t) => {
  const settings = { NODE_OPTIONS: WITHOUT_LIBRARY, DATA_DIR: await temporaryFolder(t), SHARDS: '1', SHARD_THREADS: '1' };
  const service = await ServiceProcess.start(settings, MODULES);
  t.equal(await service.stop(), 0);
  const withMail = ServiceProcess.start({ ...settings, SMTP_URL: 'smtp://127.0.0.1:25', PUBLIC_URL }, MODULES);
  await t.rejects(withMail, { message: /the mail library is not here/ });
});
