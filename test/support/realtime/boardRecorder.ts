/** Records the messages about a board during a test. */
import type { BoardMessage } from '../../../src/bus/bus.js';
import { isLarge, type EventType } from '../../../src/domain/events.js';
import type { EventJson } from '../board/boardSnapshot.js';
import type { World } from '../board/boardWorld.js';

export interface BoardRecording {
  readonly messages: BoardMessage[];
  /** Ends the recording and returns its events. */
  stop(): EventJson[];
}

/** Subscribes to all messages about a board. */
export function recordBoard({ app }: World, boardId: string): BoardRecording {
  const messages: BoardMessage[] = [];
  const subscription = app.bus.subscribeToBoard(boardId, (message) => messages.push(message));
  return {
    messages,
    stop: () => {
      subscription.stop();
      return eventsIn(messages);
    },
  };
}

/** The next event of a kind; call this before the request that causes the event. */
export function nextEvent({ app }: World, boardId: string, type: EventType): Promise<EventJson> {
  return new Promise((resolve) => {
    const subscription = app.bus.subscribeToBoard(boardId, (message) => {
      const event = eventsIn([message]).find((each) => each.type === type);
      if (event === undefined) return;
      subscription.stop();
      resolve(event);
    });
  });
}

function eventsIn(messages: readonly BoardMessage[]): EventJson[] {
  const events = messages.flatMap((message) => (message.kind === 'events' ? message.events : []));
  return events.map((event) => {
    const json = isLarge(event) ? Buffer.from(event.bytes).toString() : event.json;
    return { seq: event.seq, ...(JSON.parse(json) as Omit<EventJson, 'seq'>) };
  });
}
