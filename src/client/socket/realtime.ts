/** The live side of a client: one socket, the boards on it, and the feed. */
import { Allowance } from '../calls/allowance.js';
import { BoardConnection, type SharedBoard } from '../board/boardConnection.js';
import { Changes } from '../board/changes.js';
import type { Clock } from '../clock.js';
import type { ConnectOptions } from './connectOptions.js';
import { Feed } from './feed.js';
import { FollowedBoard } from '../board/followedBoard.js';
import { MAX_SHOWN_BYTES, SIGNALS_PER_SECOND } from '../facts.js';
import { readPosition } from '../board/position.js';
import { OPERATIONS } from '../operations.js';
import { OwnStates } from '../board/ownStates.js';
import type { FullBoard } from '../resources.js';
import type { Session } from '../calls/session.js';
import { SharedSocket } from './sharedSocket.js';
import { socketUrl, type SocketConstructor } from './socket.js';
import type { UnsentChanges } from '../unsent/unsentChanges.js';

export interface RealtimeOptions extends Required<ConnectOptions> {
  readonly session: Session;
  readonly clock: Clock;
  readonly random: () => number;
  readonly unsent: UnsentChanges;
  /** Throws if the platform has none. */
  findWebSocket(): SocketConstructor;
}

/** Some room is left for the clock of the service. */
const SENT_PER_SECOND = SIGNALS_PER_SECOND - 5;

interface HeldBoard {
  readonly board: FollowedBoard;
  readonly changes: Changes;
  connections: number;
}

export class Realtime {
  readonly #options: RealtimeOptions;
  readonly #socket: SharedSocket;
  readonly #ownStates: OwnStates;
  readonly #signals: Allowance;
  readonly #boards = new Map<string, HeldBoard>();

  constructor(options: RealtimeOptions) {
    const { session, clock, findWebSocket } = options;
    this.#options = options;
    this.#socket = new SharedSocket({
      ...options,
      tokens: session.tokens,
      open: (token) => new (findWebSocket())(socketUrl(session.baseUrl, token)),
    });
    this.#ownStates = new OwnStates(clock, (message) => this.#socket.send(message));
    this.#signals = new Allowance(clock, SENT_PER_SECOND);
  }

  connect(givenId: string): BoardConnection {
    this.#requireMeans();
    const boardId = givenId.toLowerCase();
    const held = this.#boards.get(boardId) ?? this.#follow(boardId);
    held.connections += 1;
    return new BoardConnection(this.#shareOf(boardId, held));
  }

  feed(): Feed {
    this.#requireMeans();
    return new Feed(this.#socket);
  }

  #follow(boardId: string): HeldBoard {
    const board = new FollowedBoard({
      ...this.#options,
      boardId,
      socket: this.#socket,
      ownStates: this.#ownStates,
      load: async (signal) => {
        const path = { board_id: boardId };
        const { body, headers } = await this.#session.perform(OPERATIONS['board.get'], [path, { signal, retry: false }]);
        const position = readPosition(/^(?:W\/)?"(.*)"$/.exec(headers.get('etag') ?? '')?.[1]);
        if (position === null) throw new Error('The answer has no ETag, so the position of the board is unknown');
        return { board: body as FullBoard, ...position };
      },
    });
    const held = { board, changes: this.#changesOf(boardId, board), connections: 0 };
    this.#boards.set(boardId, held);
    board.listeners.add('state', ({ kind }) => {
      if (kind !== 'closed') return;
      held.changes.close();
      if (this.#boards.get(boardId) === held) this.#boards.delete(boardId);
    });
    return held;
  }

  #changesOf(boardId: string, board: FollowedBoard): Changes {
    const { unsent, clock } = this.#options;
    const userId = (): string | null => unsent.userId ?? this.#session.tokens.current.userId;
    return new Changes({ boardId, board, unsent, userId, now: () => clock.now() });
  }

  #shareOf(boardId: string, held: HeldBoard): SharedBoard {
    const { board, changes } = held;
    return {
      board,
      changes,
      setState: (state) => this.#ownStates.set(boardId, sized(state), board.isSubscribed),
      signal: (data) => this.#signal(boardId, board, sized(data)),
      release: () => {
        held.connections -= 1;
        if (held.connections === 0) board.close();
      },
    };
  }

  #signal(boardId: string, board: FollowedBoard, data: unknown): boolean {
    if (!board.isSubscribed || !this.#signals.take()) return false;
    this.#socket.send({ type: 'signal', board_id: boardId, data });
    return true;
  }

  get #session(): Session {
    return this.#options.session;
  }

  #requireMeans(): void {
    const { isUsable, canAsk } = this.#session.tokens;
    if (!isUsable && !canAsk) throw new Error('Connecting to a board needs a token: log in first');
    this.#options.findWebSocket();
  }
}

function sized(value: unknown): unknown {
  const bytes = new TextEncoder().encode(JSON.stringify(value) ?? 'null').length;
  if (bytes > MAX_SHOWN_BYTES) throw new RangeError(`${bytes} bytes of JSON are too many: at most ${MAX_SHOWN_BYTES}`);
  return value ?? null;
}
