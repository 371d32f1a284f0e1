/** The usual stack with Socket.IO instead of ws: a room for each board, one emit for each event. */
import { Server } from 'socket.io';
import { announce } from '../ready.js';
import { buildUsualStack, type Publish } from '../fastify/app.js';

const publish: Publish = (boardId, event) => {
  io.to(boardId).emit('event', event);
};

const { app, admit } = await buildUsualStack(() => publish);
const io = new Server(app.server, { transports: ['websocket'], serveClient: false, maxHttpBufferSize: 4096 });

io.use((socket, next) => {
  const { token, board_id } = socket.handshake.auth as { token?: string; board_id?: string };
  if (token === undefined || board_id === undefined || !admit(token, board_id)) {
    next(new Error('Not allowed'));
    return;
  }
  socket.data = { board_id };
  next();
});
io.on('connection', (socket) => {
  void socket.join((socket.data as { board_id: string }).board_id);
});

const url = await app.listen({ host: '127.0.0.1', port: 0 });
announce(url, async () => {
  io.disconnectSockets(true);
  await app.close();
});
