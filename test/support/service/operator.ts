/** The commands of an operator while the service runs, through its control socket. */
import { connectControl, type ControlClient } from '../../../src/control/client.js';
import type { UserChanges } from '../../../src/domain/commands/directoryCommands.js';

export function changeUser(dataDir: string, id: string, changes: UserChanges): Promise<unknown> {
  return withControl(dataDir, (control) => control.ask('user.update', { id, now: new Date().toISOString(), changes }));
}

export async function hashOf(dataDir: string, id: string): Promise<string> {
  const user = await withControl(dataDir, (control) => control.ask('user.getWithHash', { id }));
  if (user === null) throw new Error(`there is no user ${id}`);
  return user.hashed_password;
}

async function withControl<T>(dataDir: string, act: (control: ControlClient) => Promise<T>): Promise<T> {
  const control = await connectControl(dataDir);
  if (control === null) throw new Error(`no service runs on ${dataDir}`);
  try {
    return await act(control);
  } finally {
    control.close();
  }
}
