/** The link in mails with notices: who follows it gets none any more, without a login. For browsers, so both answer with a page. */
import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { AppError } from '../../../domain/errors.js';
import type { Uuid } from '../../../domain/ids.js';
import { Speaker } from '../../../words/speaker.js';
import { languageOf } from '../../accounts/accountMail.js';
import { operation, type Operation, type OperationAnswer, type QueryOf, type Services } from '../../operation/operation.js';

const tag = 'Notifications';
const path = '/unsubscribe';
const HTML = 'text/html; charset=utf-8';
const MAX_TOKEN_CHARACTERS = 200;
/** The look of the application (`src/web/style/tokens.css`): the page is read once, so it brings its own few rules. */
const STYLE = `
:root { color-scheme: light dark; --bg: #f5f6f9; --surface: #fff; --text: #191d26; --muted: #565e6d; --line: #dcdfe7; --accent: #3d4ccc; --solid: #4353d6; }
@media (prefers-color-scheme: dark) {
  :root { --bg: #0f1116; --surface: #1c2029; --text: #e8ebf2; --muted: #a5aebd; --line: #303744; --accent: #a8b4ff; --solid: #5665ea; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 2rem 1rem; background: var(--bg); color: var(--text); overflow-wrap: anywhere;
  font: 1rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; }
header, main { max-width: 26rem; margin: 0 auto; }
header { margin-bottom: .75rem; color: var(--muted); font-size: .875rem; font-weight: 600; }
main { padding: 1.5rem; background: var(--surface); border: 1px solid var(--line); border-radius: 14px; }
h1, button { text-wrap: balance; }
h1 { margin: 0 0 .75rem; font-size: 1.25rem; line-height: 1.25; font-weight: 650; }
p { margin: 0 0 1.5rem; }
p:last-child { margin: 0; }
button { width: 100%; min-height: 2.75rem; padding: .5rem 1rem; border: 0; border-radius: 6px; background: var(--solid); color: #fff;
  font: inherit; font-weight: 550; cursor: pointer; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (min-width: 40rem) { body { padding-top: 18vh; } button { width: auto; } }
`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
/** Nothing but the form, which leads back to the same address, and this one sheet. */
const POLICY = `default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; style-src 'sha256-${STYLE_HASH}'`;

const query = {
  token: {
    schema: v.optional(v.pipe(v.string(), v.maxLength(MAX_TOKEN_CHARACTERS)), ''),
    description: 'From the link',
    document: { type: 'string', maxLength: MAX_TOKEN_CHARACTERS },
  },
};

const errors = {
  403: 'The link is not valid, or older than a year',
  429: 'Too many wrong tokens from this address; try again after `Retry-After` seconds',
};

const showUnsubscribe = operation({
  name: 'notification.unsubscribePage',
  method: 'GET',
  path,
  access: 'public',
  tag,
  summary: 'Show the page of an unsubscribe link',
  description: 'A button that sends the `POST`: programs that look at the links of a mail change nothing. A wrong token counts as a failed login.',
  query,
  success: { status: 200, description: 'A page', contentType: 'text/html' },
  errors,
  async handle(call, services) {
    const speaker = new Speaker(await languageOf(services, await requireReader(services, call)));
    const form = `<form method="post"><button>${speaker.say('unsubscribe.confirm')}</button></form>`;
    return page(speaker, 'unsubscribe.question', `<p>${speaker.say('unsubscribe.lead')}</p>\n${form}`);
  },
});

const unsubscribe = operation({
  name: 'notification.unsubscribe',
  method: 'POST',
  path,
  access: 'public',
  tag,
  summary: 'Send no notices by mail to the user of the link',
  description:
    'The address in `List-Unsubscribe` of such a mail (RFC 8058); a body is ignored. It sets `mail` of all kinds to `off`, as ' +
    '`PUT /me/notification-settings` does, and can be repeated. The link works for a year, and for nothing else.',
  query,
  isAnswerKept: false,
  success: { status: 200, description: 'A page that says that it is done', contentType: 'text/html' },
  errors,
  async handle(call, services) {
    const user_id = await requireReader(services, call);
    await services.directory.ask('noticeSettings.unsubscribe', { user_id });
    const speaker = new Speaker(await languageOf(services, user_id));
    return page(speaker, 'unsubscribe.done', `<p>${speaker.say('unsubscribe.told')}</p>`);
  },
});

export const unsubscribeOperations: readonly Operation[] = [showUnsubscribe, unsubscribe];

/** The user of the link. Each token is an account of its own, so that guesses from one address delay no one else. */
async function requireReader(
  { loginGuard, unsubscribeTokens, now }: Services,
  { query: { token }, address }: { readonly query: QueryOf<typeof query>; readonly address: () => string },
): Promise<Uuid> {
  const account = createHash('sha256').update(token).digest('hex');
  const user = await loginGuard.attempt(account, address(), () => Promise.resolve(unsubscribeTokens.read(token, now())));
  if (user === null) throw new AppError('forbidden', 'The link is not valid, or is older than a year');
  return user;
}

function page(speaker: Speaker, heading: 'unsubscribe.question' | 'unsubscribe.done', content: string): OperationAnswer {
  const title = speaker.say(heading);
  const text = `<!doctype html>
<html lang="${speaker.locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} – Switchboard</title>
<style>${STYLE}</style>
</head>
<body>
<header>Switchboard</header>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
  return { json: null, text: { type: HTML, content: text }, headers: [['Content-Security-Policy', POLICY]] };
}
