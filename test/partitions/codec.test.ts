import t from 'tap';
import type { Ask, Notice, Outcome } from '../../src/partitions/messages.js';
import { encodeAsks, encodeNotices, encodeReplies, decodeAsks, decodeNotices, decodeReplies } from '../../src/partitions/thread/codec.js';

const ID = '0123456789ab-4cde-8f01-23456789abcd';

t.test('asks arrive unchanged between threads', (t) => {
  const member = { user_id: ID };
  const asks: Ask[] = [
    {
      id: 1,
      partition: 'shard 3',
      command: { kind: 'board', command: { op: 'card.get', caller: member, target: ID, input: {} } },
    },
    {
      id: 2,
      partition: 'shard 3',
      command: { kind: 'board', command: { op: 'board.events', caller: 'system', target: ID, input: { since: { epoch: 'k3', seq: 0 } } } },
    },
    { id: 3, partition: 'shard 0', command: { kind: 'upload.append', id: ID, n: 0, bytes: new Uint8Array([1]) } },
    { id: 4, partition: 'directory', command: { op: 'user.get', input: { id: ID } } },
  ];
  t.strictSame(decodeAsks(structuredClone(encodeAsks(asks))), asks);
  t.end();
});

t.test('replies arrive unchanged between threads', (t) => {
  const refusal = { code: 'not_found', detail: 'Card not found' } as const;
  const outcomes: Outcome[] = [
    { ok: true, value: { outcome: { ok: true, json: '{}' } } },
    { ok: true, value: { outcome: { ok: true, json: '{}', position: '0' } } },
    { ok: true, value: { outcome: { ok: true, json: null, position: 'k3-7' } } },
    { ok: true, value: { outcome: { ok: true, json: null } } },
    { ok: true, value: { outcome: { ok: true, json: '' } } },
    { ok: true, value: { outcome: { ok: true, json: '{}' }, outboxId: 3 } },
    { ok: true, value: { outcome: { ok: false, error: refusal, unknownUsers: [ID] } } },
    { ok: false, error: { ...refusal, code: 'unavailable', retryAfter: 1 }, notHere: true },
    { ok: true, value: null },
    { ok: true, value: [{ user_id: ID, username: 'ann' }] },
  ];
  const replies = outcomes.map((outcome, id) => ({ id, outcome }));
  t.strictSame(decodeReplies(structuredClone(encodeReplies(replies))), replies);
  t.end();
});

t.test('HOSTILE21 a large answer to many asks of one turn is encoded once, and all receivers share its memory', (t) => {
  const [large, other] = ['x'.repeat(300_000), 'y'.repeat(300_000)];
  const texts = [large, '{}', large, other, large.slice(0, 150_000) + large.slice(150_000)];
  const replies = texts.map((json, id) => ({ id, outcome: { ok: true, value: { outcome: { ok: true, json } } } as const }));
  const bodies = decodeReplies(structuredClone(encodeReplies(replies))).map(({ outcome }) => {
    const { outcome: answer } = (outcome as { value: { outcome: { json: string | null; bytes?: Uint8Array } } }).value;
    return answer.bytes ?? answer.json;
  });
  t.strictSame(
    bodies.map((body) => (body instanceof Uint8Array ? Buffer.from(body).toString() : body)),
    texts,
  );
  t.equal(bodies[0], bodies[2]);
  t.equal(bodies[0], bodies[4], 'equal texts too');
  t.equal(new Set(bodies).size, 3);
  t.end();
});

t.test('notices arrive unchanged between threads', (t) => {
  const event = (seq: number) => ({ seq, type: 'card.moved', json: `{"n":${seq}}` }) as const;
  const notices: Notice[] = [
    { kind: 'board.events', board_id: ID, epoch: 'k3', events: [event(1), event(2)] },
    { kind: 'board.gone', board_id: ID },
    { kind: 'board.events', board_id: ID, epoch: 'k3', events: [] },
    { kind: 'board.left', board_id: ID, user_ids: [ID] },
    { kind: 'board.events', board_id: ID, epoch: 'k3', events: [event(3)] },
  ];
  t.strictSame(decodeNotices(structuredClone(encodeNotices(notices))), notices);
  t.end();
});
