/** The commands of an operator while the service runs, through its socket for operators. */
import { connectOperator, type OperatorClient } from '../../../src/operator/client.js';
import type { UserChanges } from '../../../src/domain/commands/directoryCommands.js';

export async function changeUser(dataDir: string, id: string, changes: UserChanges): Promise<unknown> {
  return (await operatorOf(dataDir)).ask('user.update', { id, now: new Date().toISOString(), changes });
}

export async function hashOf(dataDir: string, id: string): Promise<string> {
  const user = await (await operatorOf(dataDir)).ask('user.getWithHash', { id });
  if (user === null) throw new Error(`there is no user ${id}`);
  return user.hashed_password;
}

export async function operatorOf(dataDir: string): Promise<OperatorClient> {
  const operator = await connectOperator(dataDir);
  if (operator === null) throw new Error(`no service runs on ${dataDir}`);
  return operator;
}
