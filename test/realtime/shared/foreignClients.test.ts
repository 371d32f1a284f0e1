import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { packagePath } from '../../../src/paths.js';
import { RealtimeBoard } from '../../support/realtime/realtimeBoard.js';
import { TestSharedSocket } from '../../support/realtime/sharedSocket.js';
import { startTestApp, WITH_THREADS } from '../../support/service/app.js';
import { findPythonWebsockets } from '../../support/service/pythonWebsockets.js';

interface Step {
  readonly step: string;
  readonly [field: string]: unknown;
}

const python = await findPythonWebsockets();
const HEARTBEAT = { HEARTBEAT_INTERVAL_SECONDS: '0.5', PONG_TIMEOUT_SECONDS: '2' };
const app = await startTestApp(t, { ...WITH_THREADS, ...HEARTBEAT });

/** Follows a board with this program, and takes part in everything. */
async function takePart(t: Test, name: string, command: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<void> {
  const board = await RealtimeBoard.on(app);
  const witness = await TestSharedSocket.enter(app.url, board.owner);
  await witness.subscribe(board.id);
  const address = app.url.replace(/^http/, 'ws');
  const client = spawn(command, [...args, address, board.member.token, board.id], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => client.kill());
  const lines = createInterface({ input: client.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<Step> => {
    for (;;) {
      const line = await lines.next();
      if (line.done === true) throw new Error(`the ${name} client ended`);
      const step = JSON.parse(line.value) as Step;
      if (step.step !== 'ping') return step;
    }
  };
  t.strictSame(await next(), { step: 'authenticated' });
  t.strictSame(await next(), { step: 'subscribed' });
  await board.addLabel('Größe');
  t.strictSame(await next(), { step: 'event', seq: await board.seq(), name: 'Größe' });
  t.match(await witness.find('signal'), { user_id: board.member.id, data: { from: name, text: 'hé \u{1f600}' } });
  t.strictSame(await next(), { step: 'answered' });
  // Longer than a client that answers no ping is tolerated.
  await witness.ping(witness.pings.length + 5);
  witness.tell({ type: 'signal', board_id: board.id, data: ['still', 'here'] });
  t.strictSame(await next(), { step: 'signal', data: ['still', 'here'] });
}

t.test(
  'WS1 Python’s websockets follows a board, sends a signal and answers pings',
  { skip: 'missing' in python ? python.missing : false },
  async (t) => {
    if ('missing' in python) return;
    await takePart(t, 'python', python.path, [packagePath('test', 'fixtures', 'followBoard.py')], python.env);
  },
);

t.test('WS1 the WebSocket of Node itself follows a board, sends a signal and answers pings', async (t) => {
  await takePart(t, 'node', process.execPath, ['--experimental-websocket', packagePath('test', 'fixtures', 'followBoard.mjs')], {});
});
