/** The life of the service's process, from the start to the signal that ends it. */
import type { App } from '../app.js';
import type { Config } from '../settings/config.js';
import type { Terminal } from './command.js';
import { CommandFailure, EX_FAILURE, EX_OK, isForeseen } from './outcome.js';
import { requireSupportedHost } from './supportedHost.js';

/** An orderly stop takes less; service managers kill after more (systemd 90 s, Docker 10 s). */
const STOP_WATCHDOG_MS = 10_000;

/** 128 plus the number of the signal, as a shell reports it. */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
type Signal = keyof typeof EXIT_CODES;

/** Resolves to the exit code. */
export async function runService(config: Config, terminal: Terminal, onStarted: (app: App) => void): Promise<number> {
  const isOnTerminal = terminal.stdout.isTTY === true;
  let app: App | null = null;
  const giveUp = new AbortController();
  const stopAsked = listenForStop(isOnTerminal ? ['SIGINT', 'SIGTERM', 'SIGHUP'] : ['SIGINT', 'SIGTERM']);
  // Also before the start: without a handler this signal would end the process.
  if (!isOnTerminal) process.on('SIGHUP', () => app?.renewCertificate());
  const starting = start(config, giveUp.signal);
  if (
    (await Promise.race([
      starting.then(
        () => 'started',
        () => 'failed',
      ),
      stopAsked,
    ])) === 'asked'
  ) {
    // The current step of the start is awaited, so that what it has opened is closed, but only until the watchdog.
    startWatchdog(terminal);
    giveUp.abort();
    await starting.then((started) => started.close(), reportUnlessGivenUp);
    return EX_OK;
  }
  app = await starting;
  onStarted(app);
  const end = await Promise.race([stopAsked, app.broken]);
  startWatchdog(terminal);
  await app.close();
  if (end === 'asked') return EX_OK;
  throw new CommandFailure(EX_FAILURE, `The service broke down: ${String(end)}`);
}

async function start(config: Config, signal: AbortSignal): Promise<App> {
  // Before anything is opened: no setting and no second attempt cures it.
  await requireSupportedHost();
  // Imported here, so that other commands start without loading the whole service.
  const { startApp } = await import('../app.js');
  try {
    return await startApp(config, undefined, signal);
  } catch (error) {
    if (!isForeseen(error)) throw error;
    throw new CommandFailure(EX_FAILURE, `The service cannot start: ${error.message}`, { cause: error });
  }
}

/** An aborted start is a requested stop. A start that failed by itself is still reported. */
function reportUnlessGivenUp(error: unknown): void {
  if (!(error instanceof Error && error.name === 'AbortError')) throw error;
}

/**
 * Resolves on the first signal; the second one ends the process at once. Registered before the start, because the first
 * process of a container ignores signals without a handler.
 */
function listenForStop(signals: readonly Signal[]): Promise<'asked'> {
  return new Promise((resolve) => {
    let asked = false;
    const onSignal = (signal: Signal): void => {
      if (asked) process.exit(EXIT_CODES[signal]);
      asked = true;
      resolve('asked');
    };
    for (const signal of signals) process.on(signal, () => onSignal(signal));
  });
}

/** Not cleared after the stop: it keeps nothing alive, and ends a process that something else keeps alive. */
function startWatchdog({ stderr }: Terminal): void {
  setTimeout(() => {
    stderr.write(`switchboard: not stopped after ${STOP_WATCHDOG_MS / 1000} seconds; giving up\n`);
    process.exit(EX_FAILURE);
  }, STOP_WATCHDOG_MS).unref();
}
