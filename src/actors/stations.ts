/** The store thread's side of asking: takes every ask that waits, lets each station settle its own together, replies. */
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { AppError, INTERNAL_ERROR } from '../domain/errors.js';
import type { Ask, FromThread, Notice, Outcome, Reply, StationName, ToThread } from './messages.js';

export interface Settlement {
  /** One for each command, in order. Whatever they tell is on disk. */
  readonly outcomes: readonly Outcome[];
  readonly notices: readonly Notice[];
}

export interface Station {
  /** Handles the commands in order and commits them together. */
  settle(commands: readonly unknown[]): Settlement;
  close(): void;
}

export type OpenStation = (name: StationName, onError: (error: unknown) => void) => Station;

export function serveStations(port: MessagePort, openStation: OpenStation): void {
  const stations = new Map<StationName, Station>();
  const send = (message: FromThread): void => port.postMessage(message);
  const onError = (error: unknown): void => send({ kind: 'trouble', error });

  port.on('message', (first: ToThread) => {
    const asks: Ask[] = [];
    // Everything that has piled up while the last commit was flushed shares the next one.
    for (let message: ToThread | undefined = first; message !== undefined; message = nextMessage(port)) {
      if (message.kind === 'asks') {
        asks.push(...message.asks);
        continue;
      }
      settle(asks.splice(0));
      if (message.kind === 'open') {
        send({ kind: 'settled', notices: [], replies: [{ id: message.id, outcome: open(message.station) }] });
      } else {
        for (const station of stations.values()) station.close();
        stations.clear();
        send({ kind: 'closed' });
      }
    }
    settle(asks);
  });

  function open(name: StationName): Outcome {
    try {
      stations.set(name, openStation(name, onError));
      return { ok: true, value: null };
    } catch (error) {
      if (error instanceof AppError) return { ok: false, error: error.toData() };
      onError(error);
      return { ok: false, error: { code: 'unavailable', detail: `the ${name} cannot be opened: ${String(error)}` } };
    }
  }

  function settle(asks: readonly Ask[]): void {
    if (asks.length === 0) return;
    const replies: Reply[] = [];
    const notices: Notice[] = [];
    for (const [name, own] of groupByStation(asks)) {
      const settlement = settleAt(name, own);
      notices.push(...settlement.notices);
      own.forEach(({ id }, index) => {
        replies.push({ id, outcome: settlement.outcomes[index] ?? { ok: false, error: INTERNAL_ERROR } });
      });
    }
    send({ kind: 'settled', notices, replies });
  }

  function settleAt(name: StationName, asks: readonly Ask[]): Settlement {
    const station = stations.get(name);
    if (station === undefined) return refuseAll(asks, { code: 'unavailable', detail: `the ${name} is not open here` });
    try {
      return station.settle(asks.map(({ command }) => command));
    } catch (error) {
      // A station answers for its own failures. One that throws is a fault of ours; the others must not suffer for it.
      onError(error);
      return refuseAll(asks, INTERNAL_ERROR);
    }
  }
}

function nextMessage(port: MessagePort): ToThread | undefined {
  return (receiveMessageOnPort(port) as { message: ToThread } | undefined)?.message;
}

function groupByStation(asks: readonly Ask[]): Map<StationName, Ask[]> {
  const groups = new Map<StationName, Ask[]>();
  for (const ask of asks) {
    const group = groups.get(ask.station);
    if (group === undefined) groups.set(ask.station, [ask]);
    else group.push(ask);
  }
  return groups;
}

function refuseAll(asks: readonly Ask[], error: (Outcome & { ok: false })['error']): Settlement {
  return { outcomes: asks.map(() => ({ ok: false, error })), notices: [] };
}
