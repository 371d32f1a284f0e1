/** Describes the contestants and the method for readers of the report. */
export const CONTESTANT_NOTES: ReadonlyArray<readonly [name: string, note: string]> = [
  [
    'switchboard',
    'This service as it runs in production: one process, store threads on all cores but one, every change on ' +
      'disk before its answer (SQLite, synchronous=FULL), tokens and membership checked on every request, an event ' +
      'log and presence beside each change.',
  ],
  [
    'limit',
    'Bare uWebSockets.js: the maximum for this machine and this language. It returns the same bytes without ' +
      'parsing the request. For a write it makes one prepared insert in group commit with synchronous=FULL; for ' +
      'an event it publishes the same text for each change and stores nothing. It has no users, rules or ' +
      'boards, so it is of no use by itself. With one change at a time no server can be faster; parallel changes that ' +
      'share a commit also share a write to each socket.',
  ],
  [
    'fastify',
    'The usual stack in one process: Fastify with compiled serialisers, @fastify/jwt on every request, ' +
      'better-sqlite3 with prepared statements, normalised tables and an index for every query, one durable ' +
      'transaction a change (WAL, synchronous=FULL), ws for sockets. It does less than the service: no presence, no ' +
      'event log, no automation.',
  ],
  ['socketio', 'The same with Socket.IO over WebSocket instead of ws: a room for a board, one emit for an event.'],
];

export const LEFT_OUT: ReadonlyArray<readonly [name: string, reason: string]> = [
  ['Express, NestJS, Koa', 'The same stack with a slower router in front of the same SQLite and the same ws.'],
  [
    'PostgreSQL or MySQL with Redis',
    'They need servers that npm does not install, and a network hop for every query. On one machine they would ' +
      'lose more to that hop than the comparison is worth.',
  ],
  ['Bun and Deno servers', 'Another runtime: the difference would be that of the runtimes, not of the designs.'],
  ['Go, Elixir and Rust services', 'Another language; the limit already shows what is left to gain in this one.'],
];

export const METHOD: readonly string[] = [
  'Every contestant and every load generator has its own process. Contestants take turns, round by round, in ' +
    'one run. A first round that only warms up is discarded, and medians of the rest are shown.',
  'Server CPU is user and system time of all threads of the server process, divided by the operations of the ' +
    'round. Peak memory is the largest resident size within a round.',
  'HTTP load is autocannon in one process, which a fast server can exhaust. Socket load is our own client, which ' +
    'reads frames in place. If a load generator or other processes fill the machine, rates mean ' +
    'little; then speeds are compared by capacity: the rate at which the server’s busiest thread, or all cores ' +
    'together, would be full. For operations that wait for the disk only rates are compared.',
  'A request that is still without an answer when its round ends counts with the time it has waited, if that is longer than the median.',
  'Every status is checked and every delivery is counted. A scenario with a wrong answer or a missing delivery ' +
    'has failed, and its figures do not count.',
];
