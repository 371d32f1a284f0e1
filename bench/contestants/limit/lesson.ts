/** The one answer that the limit is configured with. It has nothing else: no users, no boards, no rules. */
export interface Lesson {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly status: string;
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  readonly body: string;
  /**
   * `insert`: the request's body is on disk before the answer. `publish`: before the answer the event goes to all sockets
   * of the topic, with its label replaced by the label in the request's body.
   */
  readonly work:
    | { readonly kind: 'none' }
    | { readonly kind: 'insert' }
    | { readonly kind: 'publish'; readonly topic: string; readonly event: string };
}

/** Sockets connect to this path and get everything that is published to the topic. */
export function topicPath(topic: string): string {
  return `/topics/${topic}`;
}
