import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections: until its program listens, such a connection of another test
 * could take the port.
 */
const FIRST_PORT = 10_000;
/** Each test process has a block of its own, and holds its first port: ports of servers that are down stay reserved too. */
const BLOCK_PORTS = 100;
const BLOCKS = 220;

interface Block {
  readonly from: number;
  next: number;
}

let reserved: Promise<Block> | null = null;

/** An unused port, for programs that cannot choose one themselves. No other test process gets it while this one runs. */
export async function freePort(): Promise<number> {
  reserved ??= reserveBlock();
  const block = await reserved;
  for (let attempt = 1; attempt < BLOCK_PORTS; attempt += 1) {
    block.next = (block.next % (BLOCK_PORTS - 1)) + 1;
    const port = block.from + block.next;
    if (await isFree(port)) return port;
  }
  throw new Error('no free port was found');
}

async function reserveBlock(): Promise<Block> {
  const start = process.pid % BLOCKS;
  for (let attempt = 0; attempt < BLOCKS; attempt += 1) {
    const from = FIRST_PORT + ((start + attempt) % BLOCKS) * BLOCK_PORTS;
    const holder = await listen(from);
    if (holder === null) continue;
    holder.unref();
    return { from, next: 0 };
  }
  throw new Error('no free block of ports was found');
}

async function isFree(port: number): Promise<boolean> {
  const server = await listen(port);
  if (server === null) return false;
  server.close();
  await once(server, 'close');
  return true;
}

/** Null if another program has the port. */
async function listen(port: number): Promise<Server | null> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return null;
  }
}

/** Whether a program takes connections there. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
