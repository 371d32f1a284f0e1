/** Records the messages about a board during a test. */
import type { BoardMessage } from '../../../src/bus/bus.js';
import { isLarge, type EventType } from '../../../src/domain/events.js';
import type { EventJson } from '../board/boardSnapshot.js';
import type { World } from '../board/boardWorld.js';

export interface Hearing {
  readonly messages: BoardMessage[];
  /** Ends it, with the events that came. */
  stop(): EventJson[];
}

/** Subscribes to all messages about a board. */
export function hear({ app }: World, boardId: string): Hearing {
  const messages: BoardMessage[] = [];
  const listening = app.bus.subscribeToBoard(boardId, (message) => messages.push(message));
  return {
    messages,
    stop: () => {
      listening.stop();
      return eventsIn(messages);
    },
  };
}

/** The next event of a kind; ask for it before doing what leads to it. */
export function nextEvent({ app }: World, boardId: string, type: EventType): Promise<EventJson> {
  return new Promise((resolve) => {
    const listening = app.bus.subscribeToBoard(boardId, (message) => {
      const event = eventsIn([message]).find((each) => each.type === type);
      if (event === undefined) return;
      listening.stop();
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
