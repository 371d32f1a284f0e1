/** Single sign-on with several instances: a browser may begin at one and return to another. */
import t from 'tap';
import { first, TestCluster } from '../support/cluster/cluster.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { statusOf } from '../support/http/sessions.js';
import { skipWithout } from '../support/service/programs.js';
import { startFakeProvider } from '../support/sso/fakeProvider.js';
import { CLIENT_ID } from '../support/sso/ssoClient.js';
import { beginLogin, callbackFor, errorOf, logInAtFake, PUBLIC_URL } from '../support/sso/ssoApp.js';
import { TestBrowser } from '../support/sso/testBrowser.js';
import { skipFile } from '../support/runner/skippedFile.js';

const skip = skipWithout(await findNatsServer());
if (skip !== false) skipFile('SSO5 and SSO11', skip);

const ANN = { sub: 'ann', email: 'ann@example.org', email_verified: true, groups: ['admins'] };

const fake = await startFakeProvider(t, CLIENT_ID);
const sso = { PUBLIC_URL, OIDC_ISSUER: fake.issuer, OIDC_CLIENT_ID: CLIENT_ID, OIDC_SUPERUSER_GROUP: 'admins' };
const cluster = await TestCluster.start(t, 2, sso);
const [a, b] = [first(cluster.instances), first(cluster.instances.slice(1))];

/** A browser whose requests go to this instance. */
const browserAt = (url: string): TestBrowser => new TestBrowser({ [PUBLIC_URL]: url });

t.test('SSO4 a login that began at one instance is finished once, at whichever comes first', async (t) => {
  fake.claims = ANN;
  for (const begun of [a, b]) {
    const browser = browserAt(begun.url);
    const callback = callbackFor(await beginLogin(browser));
    const visits = await Promise.all([a, b].map((instance) => browser.copy({ [PUBLIC_URL]: instance.url }).visit(callback)));
    t.strictSame(visits.map(errorOf).sort(), ['expired', null]);
  }
});

t.test('SSO11 a demotion by the provider at one instance ends the sessions at the other', async (t) => {
  const admin = browserAt(a.url);
  t.equal(errorOf(await logInAtFake(fake, admin, ANN)), null);
  const token = admin.cookie('svc_auth') ?? '';
  t.equal((await b.api.request('GET', '/admin/users', { token })).status, 200);
  t.equal(errorOf(await logInAtFake(fake, browserAt(b.url), { ...ANN, groups: [] })), null);
  t.equal(await statusOf(a.api, token), 401);
  t.equal(await statusOf(b.api, token), 401);
});
