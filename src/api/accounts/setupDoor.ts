/** Whether the first superuser can still be made. The answer "no" is final, so the directory is not asked again. */
import type { SetupView } from '../../domain/account/setup.js';
import type { DirectoryPort } from '../../domain/commands/directoryCommands.js';

export class SetupDoor {
  readonly #directory: DirectoryPort;
  readonly #onDone: () => void;
  #isDone = false;

  /** `onDone`: called once, when it is known to be over. */
  constructor(directory: DirectoryPort, onDone: () => void) {
    this.#directory = directory;
    this.#onDone = onDone;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  async read(): Promise<SetupView> {
    if (this.#isDone) return { state: 'done', has_users: true };
    const view = await this.#directory.ask('setup.read', {});
    if (view.state === 'done') this.close();
    return view;
  }

  close(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#onDone();
  }
}
