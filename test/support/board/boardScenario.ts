/**
 * End-to-end scenarios on one board: a user sends a request, and the test checks the answer, its events, the absence of
 * others, and that the board agrees with both.
 */
import type { Test } from 'tap';
import type { EventType } from '../../../src/domain/events.js';
import { like } from '../../domain/like.js';
import type { ApiRequest, ApiResponse } from '../http/api.js';
import { recordBoard } from '../realtime/boardRecorder.js';
import {
  resourcesOf,
  type BoardJson,
  type CardJson,
  type CommentJson,
  type EventJson,
  type EventPageJson,
  type ArchiveJson,
} from './boardSnapshot.js';
import type { RuleJson, Snapshot } from './boardSnapshot.js';
import { send, type World } from './boardWorld.js';
import type { TestUser } from '../http/users.js';

export interface Scene extends Omit<ApiRequest, 'token'> {
  /** Null sends no credential. */
  readonly as: TestUser | null;
  /** Method and path, such as `PATCH /cards/…`. */
  readonly request: string;
  readonly status: number;
  /** Of a refusal: the pattern of its message. */
  readonly detail?: RegExp;
  /** Fields that the answer must have, among others. */
  readonly answer?: object;
  /** In order. Default: none. */
  readonly events?: readonly ExpectedEvent[];
}

export interface ExpectedEvent {
  readonly type: EventType;
  readonly by: TestUser | null;
  /** The id of the resource in its data. Default: the id in the answer. */
  readonly of?: string;
  /** For a resource that the same request changes again: fields of its data, which GET never shows. */
  readonly passing?: object;
}

export function emitted(type: EventType, by: TestUser | null, of?: string): ExpectedEvent {
  return of === undefined ? { type, by } : { type, by, of };
}

export interface Outcome<Body> {
  readonly body: Body;
  readonly events: readonly EventJson[];
  readonly before: Snapshot;
  /** Null when the board is gone. */
  readonly after: Snapshot | null;
}

export class ScenarioBoard {
  readonly world: World;
  readonly id: string;
  /** The user who reads the board before and after. */
  witness: TestUser;

  private constructor(world: World, id: string) {
    this.world = world;
    this.id = id;
    this.witness = world.owner;
  }

  /** A board with its owner and both members, and nothing on it. */
  static async create(world: World): Promise<ScenarioBoard> {
    const { owner, member, helper } = world;
    const created = await send<BoardJson>(world, owner, 'POST /boards', { title: 'Scenario' });
    const board = new ScenarioBoard(world, created.id);
    for (const user of [member, helper]) await board.do(owner, `POST /boards/${board.id}/invite`, { user_id: user.id });
    return board;
  }

  /** Sets the scene: a request that must succeed. */
  do<Body>(as: TestUser, request: string, json?: unknown): Promise<Body> {
    return send<Body>(this.world, as, request, json);
  }

  async look(): Promise<Snapshot> {
    const snapshot = await this.#lookIfThere();
    if (snapshot === null) throw new Error('the board is gone');
    return snapshot;
  }

  card(id: string): Promise<CardJson> {
    return this.do(this.witness, `GET /cards/${id}`);
  }

  /** Plays one scene and checks all its effects. */
  async play<Body = unknown>(t: Test, scene: Scene, name = scene.request): Promise<Outcome<Body>> {
    const before = await this.look();
    const recording = recordBoard(this.world, this.id);
    const { status, answer: fields, events: expected = [] } = scene;
    const answer = await perform<Body>(this.world, scene);
    const after = await this.#lookIfThere();
    const logged = after === null ? null : await this.#eventsSince(before.seq);
    const recorded = recording.stop();

    t.equal(answer.status, status, `${name}: status`, { answer: answer.body });
    if (fields !== undefined) like(t, answer.body, fields, `${name}: body`);
    t.strictSame(
      recorded.map(summary),
      expected.map(({ type, by }) => ({ type, user_id: by?.id ?? null })),
      `${name}: events`,
    );
    if (logged !== null) t.strictSame(logged, recorded, `${name}: the log has the same events`);
    recorded.forEach((event, index) => {
      checkEvent(t, event, expected[index], {
        before,
        after,
        answerId: idOf(answer.body),
        name: `${name}: ${event.type}`,
      });
    });
    this.#checkState(t, answer, { before, after, silent: expected.length === 0, name });
    return { body: answer.body, events: recorded, before, after };
  }

  /** Plays scenes that must all be refused, and then checks once that the board is unchanged. */
  async refuse(t: Test, scenes: readonly Scene[]): Promise<void> {
    const before = await this.look();
    const recording = recordBoard(this.world, this.id);
    for (const scene of scenes) {
      const { status, body } = await perform<{ detail?: string }>(this.world, scene);
      const messages = recording.messages.splice(0);
      const found = { status, detail: scene.detail === undefined ? '' : body.detail, messages };
      const expected = { status: scene.status, detail: scene.detail ?? '', messages: [] };
      like(t, found, expected, `${scene.request}: ${scene.status}`);
    }
    recording.stop();
    t.strictSame(await this.look(), before, 'the board is unchanged');
  }

  #checkState(
    t: Test,
    { status, body }: ApiResponse,
    { before, after, silent, name }: { before: Snapshot; after: Snapshot | null; silent: boolean; name: string },
  ): void {
    if (silent) t.strictSame([after?.seq, after?.board], [before.seq, before.board], `${name}: the board is unchanged`);
    if (status === 204) t.equal(body, undefined, `${name}: no body`);
    const shown = after?.resources.get(idOf(body) ?? '');
    if (status < 300 && shown !== undefined && isResource(body)) {
      t.strictSame(body, shown, `${name}: the answer is the resource that GET returns`);
    }
  }

  async #lookIfThere(): Promise<Snapshot | null> {
    const { api } = this.world;
    const as = { token: this.witness.token };
    const answer = await api.request<BoardJson>('GET', `/boards/${this.id}`, as);
    if (answer.status === 404) return null;
    if (answer.status !== 200) throw new Error(`the witness got ${answer.status}`);
    const rules = await api.request<RuleJson[]>('GET', `/boards/${this.id}/automations`, as);
    const seq = Number(JSON.parse(answer.headers.get('etag') ?? ''));
    const comments = await this.#comments(answer.body);
    const archive = await this.do<ArchiveJson>(this.witness, `GET /boards/${this.id}/archive?limit=200`);
    return { seq, board: answer.body, rules: rules.body, resources: resourcesOf(answer.body, rules.body, comments, archive) };
  }

  /** All of the board, whose cards count them. */
  async #comments({ columns }: BoardJson): Promise<CommentJson[]> {
    const comments: CommentJson[] = [];
    for (const { id, comment_count } of columns.flatMap(({ cards }) => cards)) {
      if (comment_count === 0) continue;
      const page = await this.do<{ comments: CommentJson[] }>(this.witness, `GET /cards/${id}/comments?limit=200`);
      if (page.comments.length !== comment_count) throw new Error(`the card ${id} counts ${comment_count} comments`);
      comments.push(...page.comments);
    }
    return comments;
  }

  async #eventsSince(seq: number): Promise<EventJson[]> {
    const events: EventJson[] = [];
    for (;;) {
      const since = events.at(-1)?.seq ?? seq;
      const page = await this.do<EventPageJson>(this.witness, `GET /boards/${this.id}/events?since=${since}`);
      events.push(...page.events);
      if (since === page.seq || page.events.length === 0) return events;
    }
  }
}

function perform<Body>({ api }: World, scene: Scene): Promise<ApiResponse<Body>> {
  const { as, request, json, form, body, headers } = scene;
  const [method = '', path = ''] = request.split(' ');
  const given = { json, form, body, headers, token: as?.token };
  const sent = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return api.request<Body>(method, path, sent);
}

interface Surroundings {
  readonly before: Snapshot;
  readonly after: Snapshot | null;
  readonly answerId: string | undefined;
  readonly name: string;
}

const ENVELOPE = ['data', 'seq', 'timestamp', 'type', 'user_id', 'version'];

function checkEvent(t: Test, event: EventJson, expected: ExpectedEvent | undefined, { before, after, answerId, name }: Surroundings): void {
  t.strictSame(Object.keys(event).sort(), ENVELOPE, `${name}: its fields`);
  if (expected === undefined) return;
  const id = expected.of ?? answerId ?? '';
  if (expected.passing !== undefined) {
    like(t, event.data, expected.passing, `${name}: intermediate data`);
    t.equal(idOf(event.data), id, `${name}: the resource of the data`);
    return;
  }
  const resource = event.type === 'board.deleted' ? { id } : (after?.resources.get(id) ?? before.resources.get(id));
  t.ok(resource, `${name}: ${id} is or was on the board`);
  t.strictSame(event.data, resource, `${name}: data`);
}

function summary({ type, user_id }: EventJson): object {
  return { type, user_id };
}

/** Of a resource, or of the user of a membership. */
function idOf(body: unknown): string | undefined {
  const { id, user_id } = (body ?? {}) as { id?: string; user_id?: string };
  return id ?? user_id;
}

/** An invitation shows only a part of the member. */
function isResource(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'created_at' in body && !('columns' in body);
}
