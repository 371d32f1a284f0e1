/** The service in its own process, started as an operator does, so that it can be killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text as readAll } from 'node:stream/consumers';
import type { Environment } from '../../../src/config.js';
import { packagePath } from '../../../src/paths.js';

export interface RunningService {
  readonly url: string;
  /** SIGKILL: no handler runs, nothing is closed. Resolves when the process is gone. */
  kill(): Promise<void>;
}

/** It gets nothing of the environment of the tests, nor a `.env` of the checkout. */
export async function startService(folder: string, settings: Environment): Promise<RunningService> {
  const env = { PATH: process.env['PATH'] ?? '', PORT: '0', ...settings };
  const child = spawn(process.execPath, [packagePath('dist/src/main.js')], { cwd: folder, env });
  const ended = once(child, 'close');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  const errors = readAll(child.stderr);
  const url = await new Promise<string>((resolve, reject) => {
    let log = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      log += chunk;
      const found = /"url":"(http:[^"]+)"/.exec(log)?.[1];
      if (found !== undefined) resolve(found);
    });
    void errors.then((text) => reject(new Error(`the service did not start: ${text}${log}`)));
  });
  return { url, kill };
}
