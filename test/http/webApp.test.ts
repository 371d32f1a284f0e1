import { get } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import t from 'tap';
import { chooseCoding } from '../../src/http/answer/contentCoding.js';
import { startTestApp } from '../support/service/app.js';

/** Of script and style before a card is opened, compressed. */
const MAX_FIRST_VISIT_BYTES = 80_000;
const BOARD = '00000000-0000-4000-8000-000000000000';

/** Every address that the page loads. */
function loadedBy(html: string): string[] {
  return [...html.matchAll(/(?:src|href)="(\/app\/[^"]+)"/g)].map(([, path = '']) => path);
}

t.test('WEBSERVE1 / and every path below /app are the page, and the paths of the API stay', async (t) => {
  const { url } = await startTestApp(t);
  const page = await (await fetch(`${url}/`)).text();
  t.match(page, /^<!doctype html>/);
  for (const path of ['/app', '/app/', `/app/boards/${BOARD}`, `/app/boards/${BOARD}/cards/${BOARD}`, '/app/account', '/app/admin']) {
    const response = await fetch(url + path);
    t.equal(response.headers.get('content-type'), 'text/html; charset=utf-8', path);
    t.equal(await response.text(), page, path);
  }
  t.equal((await fetch(`${url}/boards`)).status, 401, 'the API has its paths');
  t.equal((await fetch(`${url}/api/app`)).status, 404, 'the page has no second address');
  t.equal((await fetch(`${url}/application`)).status, 404);
  const refused = await fetch(`${url}/`, { method: 'POST' });
  t.equal(refused.status, 405);
  t.equal(refused.headers.get('allow'), 'GET, HEAD, OPTIONS');
});

t.test('WEBSERVE2 assets have hashed names and may be kept for ever; the page is asked for again', async (t) => {
  const { url } = await startTestApp(t);
  const page = await fetch(`${url}/`);
  t.equal(page.headers.get('cache-control'), 'no-cache');
  const again = await fetch(`${url}/`, { headers: { 'if-none-match': page.headers.get('etag') ?? '' } });
  t.equal(again.status, 304);
  const assets = loadedBy(await page.text());
  t.ok(assets.length >= 3, 'a script, a style and an icon');
  for (const path of assets) {
    t.match(path, /^\/app\/assets\/[\w.-]+-[0-9A-Za-z]{8}\.(?:js|css|svg|png|webmanifest)$/);
    const response = await fetch(url + path);
    t.equal(response.status, 200, path);
    t.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    t.equal(response.headers.get('x-content-type-options'), 'nosniff');
  }
  t.equal((await fetch(`${url}/app/assets/main-00000000.js`)).status, 404, 'an asset of another build is not the page');
});

t.test('WEBSERVE3 the policy of the page allows nothing inline and nothing from elsewhere', async (t) => {
  const { url } = await startTestApp(t);
  const response = await fetch(`${url}/app/account`);
  const policy = response.headers.get('content-security-policy') ?? '';
  t.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
  t.notMatch(policy, /unsafe|https?:|\*|data:/);
  t.match(policy, /frame-ancestors 'none'/);
  const html = await response.text();
  t.notMatch(html, /<style|\sstyle=|\son\w+=|<script(?![^>]* src=)/);
  t.notMatch(html, /(?:src|href)="(?:https?:)?\/\//);
});

t.test('WEBSERVE2 page, assets and documentation are sent as the client accepts them: brotli, gzip or plain', async (t) => {
  const { url } = await startTestApp(t);
  const plain = await fetchAs(url, '/', 'identity');
  t.equal(plain.encoding, null);
  for (const path of ['/', ...loadedBy(plain.content.toString())]) {
    const whole = await fetchAs(url, path, 'identity');
    const gzip = await fetchAs(url, path, 'gzip, deflate');
    const brotli = await fetchAs(url, path, 'gzip;q=0.8, br');
    t.strictSame([gzip.encoding, brotli.encoding], ['gzip', 'br'], path);
    t.ok(gunzipSync(gzip.content).equals(whole.content));
    t.ok(brotliDecompressSync(brotli.content).equals(whole.content));
    t.equal(whole.vary, 'Accept-Encoding');
  }
  for (const path of ['/docs', '/docs/swagger-ui-bundle.js', '/redoc', '/docs/events', '/docs/events.md', '/docs/api.md', '/llms.txt']) {
    const whole = await fetchAs(url, path, 'identity');
    const gzip = await fetchAs(url, path, 'gzip');
    t.strictSame([whole.encoding, gzip.encoding, whole.vary, gzip.vary], [null, 'gzip', 'Accept-Encoding', 'Accept-Encoding'], path);
    t.ok(gzip.content.length < whole.content.length && gunzipSync(gzip.content).equals(whole.content), path);
  }
  const all = { br: new Uint8Array(), gzip: new Uint8Array() };
  t.equal(chooseCoding('', all), null);
  t.equal(chooseCoding('*', all), 'br');
  t.equal(chooseCoding('br;q=0, *', all), 'gzip');
  t.equal(chooseCoding('GZIP;q=0.5', all), 'gzip');
  t.equal(chooseCoding('br', {}), null);
  t.equal(chooseCoding('gzip;q=nonsense, br;q=0', all), null);
});

t.test('WEBSERVE5 a first visit loads at most 80 kB of script and style', async (t) => {
  const { url } = await startTestApp(t);
  const { content } = await fetchAs(url, '/', 'identity');
  let bytes = 0;
  for (const path of loadedBy(content.toString())) bytes += (await fetchAs(url, path, 'gzip')).content.length;
  t.ok(bytes > 10_000, `${bytes} bytes`);
  t.ok(bytes <= MAX_FIRST_VISIT_BYTES, `${bytes} bytes`);
});

t.test('WEBSERVE1 a setting turns the page off', async (t) => {
  const { url } = await startTestApp(t, { WEB_APP: 'off' });
  for (const path of ['/', '/app', '/app/account']) {
    const response = await fetch(url + path);
    t.equal(response.status, 404, path);
    t.strictSame(await response.json(), { detail: 'Not Found' });
  }
  for (const path of ['/docs', '/redoc', '/docs/events']) {
    const response = await fetch(url + path);
    const text = await response.text();
    t.match([response.status, text], [200, /<nav class="sb-menu"/], path);
    t.notMatch(text, /href="\/"/, 'nothing leads to the page');
  }
});

interface Fetched {
  readonly encoding: string | null;
  readonly vary: string | null;
  /** As it was sent. */
  readonly content: Buffer;
}

/** `fetch` decodes what it gets, so the bytes are read below it. */
async function fetchAs(url: string, path: string, acceptEncoding: string): Promise<Fetched> {
  return new Promise((resolve, reject) => {
    get(url + path, { headers: { 'accept-encoding': acceptEncoding } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          encoding: response.headers['content-encoding'] ?? null,
          vary: response.headers.vary ?? null,
          content: Buffer.concat(chunks),
        }),
      );
    }).on('error', reject);
  });
}
