/** The single executable, started as on a machine without the repository. */
import type { Test } from 'tap';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { temporaryFolder } from '../store/folder.js';

export type Environment = Readonly<Record<string, string>>;

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Root may write everywhere, so under root the program runs as the user that owns nothing. */
const UNKNOWN_ID = 65534;
const USER = process.getuid?.() === 0 ? { uid: UNKNOWN_ID, gid: UNKNOWN_ID } : {};

/** A place for the program: an empty working folder that it cannot write to, and two folders that it can. */
export class Room {
  readonly folder: string;
  readonly work: string;
  readonly data: string;
  readonly tmp: string;
  readonly #executable: string;

  private constructor(executable: string, folder: string) {
    this.#executable = executable;
    this.folder = folder;
    this.work = join(folder, 'work');
    this.data = join(folder, 'data');
    this.tmp = join(folder, 'tmp');
  }

  static async populate(t: Test, executable: string): Promise<Room> {
    const folder = await temporaryFolder(t);
    await chmod(folder, 0o755);
    const room = new Room(executable, folder);
    await mkdir(room.work, { mode: 0o555 });
    await room.makeFolder('data');
    await room.makeFolder('tmp');
    return room;
  }

  /** A folder that belongs to the user of the program. */
  async makeFolder(name: string, mode = 0o700): Promise<string> {
    const path = join(this.folder, name);
    await mkdir(path, { recursive: true });
    await chmod(path, mode);
    await this.own(path);
    return path;
  }

  async own(path: string): Promise<void> {
    if (USER.uid !== undefined) await chown(path, USER.uid, USER.gid);
  }

  /** The environment contains only what is given: no PATH, no HOME. */
  spawn(args: readonly string[], env: Environment = { TMPDIR: this.tmp }): ChildProcessWithoutNullStreams {
    return spawn(this.#executable, args, { cwd: this.work, env, ...USER });
  }

  async run(args: readonly string[], env?: Environment, input = ''): Promise<Finished> {
    const child = this.spawn(args, env);
    child.stdin.end(input);
    const [stdout, stderr] = await Promise.all([readAll(child.stdout), readAll(child.stderr), once(child, 'close')]);
    return { code: child.exitCode, stdout, stderr };
  }

  /** The folder that the program was unpacked into, which is the only one in the cache. */
  async unpacked(): Promise<string> {
    const [cache, ...otherCaches] = await readdir(this.tmp);
    const [program, ...more] = await readdir(join(this.tmp, cache ?? ''));
    const isOnlyOne = more.length === 0 && otherCaches.length === 0;
    if (program === undefined || !isOnlyOne) throw new Error(`there is not one program in ${this.tmp}`);
    return join(this.tmp, cache ?? '', program);
  }
}
