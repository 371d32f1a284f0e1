/** A nats-server for scenarios with several instances. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../test/support/service/ports.js';
import { findNatsServer } from '../../test/support/cluster/natsServer.js';

export interface NatsServer {
  readonly url: string;
  stop(): void;
}

const RETRY_MS = 20;

/** With the reason if there is none. */
export async function startNats(): Promise<NatsServer | { readonly missing: string }> {
  const program = await findNatsServer();
  if ('missing' in program) return program;
  const port = await freePort();
  const child = spawn(program.path, ['-a', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
  while (!(await accepts(port))) {
    if (child.exitCode !== null) return { missing: `nats-server ended with code ${child.exitCode}` };
    await pause(RETRY_MS);
  }
  return { url: `nats://127.0.0.1:${port}`, stop: () => child.kill('SIGKILL') };
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    // Connection refused: not ready yet.
    return false;
  } finally {
    socket.destroy();
  }
}
