// k6: nine reads of a card for one change, on a board that it makes and deletes again, and followers of its events.
//
//   k6 run -e SWITCHBOARD_URL=https://boards.example.org -e SWITCHBOARD_TOKEN=swb_… bench/k6.js
//   k6 run -e … -e VUS=50 -e FOLLOWERS=100 -e DURATION=1m bench/k6.js
//
// Not with --vus or --duration: k6 then runs none of the scenarios below.
import http from 'k6/http';
import ws from 'k6/ws';
import { check, fail } from 'k6';
import { Trend } from 'k6/metrics';

const url = (__ENV.SWITCHBOARD_URL || 'http://127.0.0.1:8000').replace(/\/+$/, '');
const token = __ENV.SWITCHBOARD_TOKEN;
const cards = Number(__ENV.CARDS || 50);
const delivery = new Trend('event_delivery', true);

const duration = __ENV.DURATION || '30s';
export const options = {
  scenarios: {
    requests: { executor: 'constant-vus', vus: Number(__ENV.VUS || 20), duration, exec: 'requests' },
    followers: {
      executor: 'per-vu-iterations',
      vus: Number(__ENV.FOLLOWERS || 10),
      iterations: 1,
      maxDuration: duration,
      // A follower never ends by itself; k6 would wait for it half a minute longer.
      gracefulStop: '0s',
      exec: 'followers',
    },
  },
  thresholds: { http_req_failed: ['rate<0.01'], checks: ['rate>0.99'] },
};

const params = { headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Accept-Encoding': 'gzip' } };

function create(path, body) {
  const response = http.post(url + path, JSON.stringify(body), params);
  if (response.status !== 201) fail(`POST ${path} got ${response.status}: ${response.body}`);
  return response.json('id');
}

export function setup() {
  if (!token) fail('Set SWITCHBOARD_TOKEN to an API key with the scope write.');
  const board = create('/boards', { title: `k6 ${new Date().toISOString()}` });
  const column = create(`/boards/${board}/columns`, { title: 'To do' });
  const ids = [];
  for (let n = 0; n < cards; n += 1) ids.push(create(`/boards/${board}/columns/${column}/cards`, { title: `Card ${n}` }));
  return { board, ids };
}

export function requests({ board, ids }) {
  for (let n = 0; n < 9; n += 1) {
    const path = n === 0 ? `/boards/${board}` : `/cards/${ids[(__ITER + n) % ids.length]}`;
    // One name for all cards, or every card would be a metric.
    const response = http.get(url + path, { ...params, tags: { name: n === 0 ? 'GET board' : 'GET card' } });
    check(response, { 'read: 200': ({ status }) => status === 200 });
  }
  // The time is part of the title, so a follower knows how long the event took.
  const changed = http.patch(`${url}/cards/${ids[__ITER % ids.length]}`, JSON.stringify({ title: `Changed ${Date.now()}` }), {
    ...params,
    tags: { name: 'PATCH card' },
  });
  check(changed, { 'change: 200': ({ status }) => status === 200 });
}

export function followers({ board }) {
  const address = `${url.replace(/^http/, 'ws')}/ws/boards/${board}?token=${token}`;
  ws.connect(address, { tags: { name: 'WS board' } }, (socket) => {
    socket.on('message', (text) => {
      const { type, data } = JSON.parse(text);
      if (type === 'ping') socket.send('{"type":"pong"}');
      const [, sentAt] = type === 'card.updated' ? /^Changed (\d+)$/.exec(data.title) || [] : [];
      if (sentAt) delivery.add(Date.now() - Number(sentAt));
    });
  });
}

export function teardown({ board }) {
  http.del(`${url}/boards/${board}`, null, params);
}
