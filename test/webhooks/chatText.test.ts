import t from 'tap';
import { EVENT_TYPES, type EventType } from '../../src/domain/events.js';
import { escapeForSlack, inWords } from '../../src/webhooks/chatText.js';
import { ntfyAddress, requestFor } from '../../src/webhooks/requestFor.js';
import type { Job } from '../../src/webhooks/messages.js';

const NAMES = { u1: 'Ann <!channel>' };

t.test('HOOK1 every event has words, with who did what to which thing', async (t) => {
  for (const type of EVENT_TYPES) {
    const { title, sentence } = inWords({ type, user_id: 'u1', data: { title: 'Paint' } }, { board_title: 'House', names: NAMES });
    t.equal(title, 'House');
    t.match(sentence, /^Ann <!channel> .+\.$/, type);
  }
  const told = (data: object, user_id: string | null = null): string => {
    return inWords({ type: 'card.moved', user_id, data }, { board_title: '', names: {} }).sentence;
  };
  t.equal(told({ title: 'Paint' }), 'A rule moved the card “Paint”.');
  t.equal(told({ title: 'a\nb\u202ec' }, 'u9'), 'Someone moved the card “a b c”.');
  t.ok(told({ title: 'x'.repeat(5000) }).length < 300);
});

t.test('HOOK1 an event of a newer program has words too', async (t) => {
  const told = (type: string, data: object = { title: 'Paint' }): string => {
    return inWords({ type: type as EventType, user_id: 'u1', data }, { board_title: 'House', names: { u1: 'Ann' } }).sentence;
  };
  t.equal(told('card.pinned'), 'Ann changed the card “Paint”.');
  t.equal(told('checklist_item.split'), 'Ann changed the item “Paint”.');
  t.equal(told('poll.opened'), 'Ann changed something “Paint”.');
  t.equal(told('constructor', {}), 'Ann changed something.');
});

t.test('HOOK1 a chat message mentions nobody and links nowhere', async (t) => {
  t.equal(escapeForSlack('<!channel> & <http://evil|x>'), '&lt;!channel&gt; &amp; &lt;http://evil|x&gt;');
  t.notMatch(escapeForSlack('@all @everyone [x](http://evil)'), /@all|@everyone|\]\(/);
});

t.test('HOOK1 a notification goes to the topic of its URL', async (t) => {
  t.strictSame(ntfyAddress('https://ntfy.sh/my%20topic?auth=x'), { base: 'https://ntfy.sh/?auth=x', topic: 'my topic' });
  t.strictSame(ntfyAddress('https://example.org/push/alerts/'), { base: 'https://example.org/push/', topic: 'alerts' });
  t.equal(ntfyAddress('https://ntfy.sh/%').topic, '%');
  const job: Job = {
    url: 'https://ntfy.sh/alerts',
    format: 'ntfy',
    secrets: [],
    board_id: null,
    board_title: 'House',
    names: {},
    due: [],
    attempt: 0,
  };
  const request = requestFor(job, { id: 'x', type: 'test', position: null, json: null }, new Date(0));
  t.strictSame(JSON.parse(request.body), { topic: 'alerts', title: 'House', message: 'This is a test of the webhook.' });
  t.equal(request.headers['webhook-signature'], undefined, 'only standard ones are signed');
});
