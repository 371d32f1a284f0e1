/** Whether one NATS server can be used, and what it offers. */
import { connect, ErrorCode, NatsError } from 'nats';
import { natsOptions } from './natsOptions.js';

const REQUEST_MS = 5_000;

export type ExaminedServer =
  | { readonly state: 'up'; readonly version: string; readonly hasJetStream: boolean }
  | { readonly state: 'refused' }
  | { readonly state: 'down'; readonly reason: string };

export async function examineServer(url: string): Promise<ExaminedServer> {
  try {
    const connection = await connect(natsOptions(url, 'switchboard config check'));
    try {
      const hasJetStream = await offersJetStream((subject) => connection.request(subject, '', { timeout: REQUEST_MS }));
      return { state: 'up', version: connection.info?.version ?? '', hasJetStream };
    } finally {
      await connection.close();
    }
  } catch (error) {
    const code = error instanceof NatsError ? error.code : null;
    if (code === ErrorCode.AuthorizationViolation || code === ErrorCode.AuthenticationExpired) return { state: 'refused' };
    return { state: 'down', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Asked of the account, because another server of the cluster may have it. */
async function offersJetStream(request: (subject: string) => Promise<{ json<T>(): T }>): Promise<boolean> {
  try {
    return (await request('$JS.API.INFO')).json<{ readonly error?: object }>().error === undefined;
  } catch (error) {
    // No responders, or none within the time.
    if (error instanceof NatsError) return false;
    throw error;
  }
}
