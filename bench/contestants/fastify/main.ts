/** The usual stack with ws: each event is serialised once and sent to every socket of its board. */
import websocket from '@fastify/websocket';
import type { WebSocket } from 'ws';
import { announce } from '../ready.js';
import { buildUsualStack, type Publish } from './app.js';

const HEARTBEAT_MS = 30_000;
const REFUSED = 1008;

const rooms = new Map<string, Set<WebSocket>>();
const alive = new WeakSet<WebSocket>();

const publish: Publish = (boardId, event) => {
  const room = rooms.get(boardId);
  if (room === undefined) return;
  const message = Buffer.from(JSON.stringify(event));
  for (const socket of room) {
    if (socket.readyState === socket.OPEN) socket.send(message, { binary: false });
  }
};

const { app, admit } = await buildUsualStack(() => publish);
await app.register(websocket, { options: { maxPayload: 4096, perMessageDeflate: false } });

app.get<{ Params: { board_id: string }; Querystring: { token: string } }>(
  '/ws/boards/:board_id',
  { websocket: true },
  (socket, { params, query }) => {
    if (!admit(query.token, params.board_id)) {
      socket.close(REFUSED, 'Not allowed');
      return;
    }
    const room = rooms.get(params.board_id) ?? new Set();
    rooms.set(params.board_id, room.add(socket));
    alive.add(socket);
    socket.on('pong', () => alive.add(socket));
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      room.delete(socket);
      if (room.size === 0) rooms.delete(params.board_id);
    });
  },
);

const heartbeat = setInterval(() => {
  for (const room of rooms.values()) {
    for (const socket of room) {
      if (alive.delete(socket)) socket.ping();
      else socket.terminate();
    }
  }
}, HEARTBEAT_MS);

const url = await app.listen({ host: '127.0.0.1', port: 0 });
announce(url, async () => {
  clearInterval(heartbeat);
  await app.close();
});
