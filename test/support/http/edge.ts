/** The HTTP edge alone, with operations of the test, for behaviour that the real operations do not show on demand. */
import type { Test } from 'tap';
import { pino } from 'pino';
import { Callers } from '../../../src/auth/callers.js';
import { createTokens, type Tokens } from '../../../src/auth/tokens.js';
import type { Operation, Services } from '../../../src/api/operation/operation.js';
import { BodyMemory } from '../../../src/http/answer/bodyMemory.js';
import { HttpServer, type HttpServerOptions } from '../../../src/http/server.js';
import { NO_WEB_APP } from '../../../src/http/pages/webApp.js';
import { ListPlaces } from '../../../src/partitions/cache/listPlaces.js';
import { RequestMetrics } from '../../../src/metrics/requestMetrics.js';
import { NO_AUDIT } from '../noAudit.js';
import { testConfig } from '../service/app.js';

export interface Edge {
  readonly url: string;
  readonly server: HttpServer;
  readonly tokens: Tokens;
}

type EdgeOptions = Partial<Pick<HttpServerOptions, 'bodyPace' | 'kept' | 'stopDeadlineMs' | 'patienceMs' | 'log' | 'pages'>>;

/** `services` are those that the operations use; callers are looked up in their directory. */
export async function startEdge(
  t: Test,
  operations: readonly Operation[],
  services: Partial<Services> = {},
  options: EdgeOptions = {},
): Promise<Edge> {
  const config = testConfig({});
  const noDirectory = { ask: () => Promise.reject(new Error('there is no directory here')) };
  const tokens = createTokens({
    secret: config.jwtSecret,
    algorithm: config.jwtAlgorithm,
    lifetimeSeconds: config.jwtLifetimeSeconds,
    audience: config.jwtAudience,
  });
  const held = new BodyMemory();
  const server = new HttpServer({
    held,
    host: config.host,
    port: 0,
    sharePort: false,
    metrics: new RequestMetrics(),
    operations,
    services: { config, audit: NO_AUDIT, lists: new ListPlaces(held), ...services } as Services,
    callers: new Callers(tokens, services.directory ?? noDirectory),
    pages: { find: () => undefined },
    webApp: NO_WEB_APP,
    log: pino({ level: 'silent' }),
    ...options,
  });
  const port = server.listen();
  t.teardown(() => server.stop());
  return { url: `http://${config.host}:${port}`, server, tokens };
}
