import t from 'tap';
import { RefreshTokens } from '../../src/auth/refreshTokens.js';
import { AttackedService, expectUnharmed } from '../support/hostile/attackedService.js';
import { WITHOUT_PEAK } from '../support/hostile/processMemory.js';
import { logInPair } from '../support/http/sessions.js';
import { newUser } from '../support/http/users.js';

/** Two services start, which is slow on a busy machine. */

t.test('HOSTILE40 a flood of refreshes costs a bounded number of writes and delays no bystander', { skip: WITHOUT_PEAK }, async (t) => {
  const attacked = await AttackedService.start(t);
  const user = await newUser(attacked.api);
  let { refresh_token: token } = await logInPair(attacked.api, user);
  const forged = new RefreshTokens('another secret').issue({ id: user.id, generation: 1 });
  const send = async (refresh_token: string): Promise<number> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${attacked.url}/auth/refresh`, { method: 'POST', headers, body: JSON.stringify({ refresh_token }) });
    const body = (await response.json()) as { refresh_token?: string };
    if (body.refresh_token !== undefined) token = body.refresh_token;
    return response.status;
  };
  const startedAt = performance.now();
  const counts = new Map<number, number>();
  const damage = await attacked.suffer(t, async () => {
    const flood = async (next: () => string, times: number): Promise<void> => {
      for (let count = 0; count < times; count += 1) {
        const status = await send(next());
        counts.set(status, (counts.get(status) ?? 0) + 1);
      }
    };
    // One that always has the newest token, so that each is a write, and others beside it.
    await Promise.all([flood(() => token, 120), ...Array.from({ length: 4 }, () => flood(() => forged, 30))]);
  });
  const seconds = (performance.now() - startedAt) / 1000;
  const generation = Number(/\.(\d+)\./.exec(token)?.[1]);
  t.ok(generation - 1 <= 30 + seconds / 2 + 1, `${generation - 1} writes in ${seconds.toFixed(1)} s`);
  t.ok((counts.get(401) ?? 0) <= 60 * Math.ceil(seconds / 60 + 1), `${counts.get(401)} forged tokens were looked at`);
  await expectUnharmed(t, attacked, damage);
});
