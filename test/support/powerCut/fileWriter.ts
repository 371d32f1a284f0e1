/** Attaches files to a card and removes some of them: content takes several commits before its record exists. */
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Uuid } from '../../../src/domain/ids.js';
import type { Api } from '../http/api.js';
import { filePart, multipart, MULTIPART } from '../http/multipart.js';
import type { TestUser } from '../http/users.js';
import { Promised } from '../store/promised.js';

interface AttachedFile {
  id: Uuid | undefined;
  readonly name: string;
  readonly hash: string;
  readonly isThere: Promised<boolean>;
}

/** Content is kept in chunks of 64 KiB. Four files of this size fill a write-ahead log, so that it is copied back. */
const FILE_BYTES = 4_000_000;
const PACE_MS = 50;
/** The oldest are removed, because every file is downloaded after a cut. */
const MAX_FILES = 4;

export class FileWriter {
  readonly #user: TestUser;
  readonly #board: Uuid;
  readonly #card: Uuid;
  readonly #files: AttachedFile[] = [];

  private constructor(user: TestUser, board: Uuid, card: Uuid) {
    this.#user = user;
    this.#board = board;
    this.#card = card;
  }

  /** With a new user, so that no other list of boards changes. */
  static async prepare(api: Api, user: TestUser): Promise<FileWriter> {
    const make = async (path: string, title: string): Promise<Uuid> => {
      const { body } = await api.request<{ id: Uuid }>('POST', path, { token: user.token, json: { title } });
      return body.id;
    };
    const board = await make('/boards', 'Files');
    const column = await make(`/boards/${board}/columns`, 'All');
    return new FileWriter(user, board, await make(`/boards/${board}/columns/${column}/cards`, 'Card'));
  }

  get count(): number {
    return this.#files.length;
  }

  /** Until the service is gone or `goesOn` answers false. */
  async write(api: Api, goesOn: () => boolean): Promise<void> {
    try {
      do {
        await this.#writeOnce(api);
        await pause(PACE_MS);
      } while (goesOn());
    } catch (error) {
      // What `fetch` throws when the connection breaks.
      if (!(error instanceof TypeError)) throw error;
    }
  }

  async findProblems(api: Api, time: number): Promise<string[]> {
    const { token } = this.#user;
    const { body, status } = await api.request<{ attachments: { id: Uuid; name: string }[] }>('GET', `/cards/${this.#card}`, { token });
    if (status !== 200) return [`the card of board ${this.#board} with the files answers ${status}`];
    const problems: string[] = [];
    for (const { name, hash, isThere } of this.#files) {
      const { acknowledged, unanswered } = isThere.asOf(time);
      const found = body.attachments.filter((attachment) => attachment.name === name);
      const isRight = found.length === Number(acknowledged) || found.length === Number(unanswered);
      if (!isRight) problems.push(`${name} is there ${found.length} times, attached: ${acknowledged}`);
      for (const { id } of found) {
        const file = await api.request<Uint8Array>('GET', `/attachments/${id}`, { token });
        if (hashOf(file.body) !== hash) problems.push(`${name} has other content, status ${file.status}`);
      }
    }
    return problems;
  }

  async #writeOnce(api: Api): Promise<void> {
    const { token } = this.#user;
    const content = randomBytes(FILE_BYTES);
    const name = `file-${this.#files.length + 1}`;
    const file: AttachedFile = { id: undefined, name, hash: hashOf(content), isThere: new Promised(false) };
    this.#files.push(file);
    const body = multipart(filePart(content, `name="file"; filename="${file.name}"`));
    file.isThere.send(true);
    const path = `/cards/${this.#card}/attachments`;
    const attached = await api.request<{ id: Uuid }>('POST', path, { token, body, headers: MULTIPART });
    if (attached.status !== 201) throw new Error(`POST ${path} answered ${attached.status}`);
    file.isThere.acknowledge();
    file.id = attached.body.id;
    const old = this.#files.at(-1 - MAX_FILES);
    if (old?.id === undefined || !old.isThere.acknowledged) return;
    old.isThere.send(false);
    const removed = await api.request('DELETE', `/attachments/${old.id}`, { token });
    if (removed.status !== 204) throw new Error(`DELETE /attachments/${old.id} answered ${removed.status}`);
    old.isThere.acknowledge();
  }
}

function hashOf(content: Uint8Array | undefined): string {
  return createHash('sha256')
    .update(content ?? '')
    .digest('hex');
}
