/** Every group of scenarios, in the order in which they run. */
import { connections } from './connections.js';
import { delivery } from './delivery.js';
import { fanout } from './fanout.js';
import { login } from './login.js';
import { machines } from './machines.js';
import { mixed } from './mixed.js';
import { reads } from './reads.js';
import { scaling } from './scaling.js';
import { outages } from './outages.js';
import type { Group } from './scenario.js';
import { sharedSockets } from './sharedSockets.js';
import { slowFlushes } from './slowDisk.js';
import { sockets10k } from './sockets10k.js';
import { web } from './web.js';
import { webhooks } from './webhooks.js';
import { writes } from './writes.js';

export const GROUPS: readonly Group[] = [
  reads,
  writes,
  slowFlushes,
  mixed,
  login,
  fanout,
  delivery,
  connections,
  sockets10k,
  sharedSockets,
  scaling,
  machines,
  outages,
  web,
  webhooks,
];
