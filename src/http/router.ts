/** Maps path and method to an operation. A tree of path segments, built once from the table. */
import type { Method, Operation } from '../api/operation/operation.js';

export type Route =
  | { readonly kind: 'operation'; readonly operation: Operation; readonly params: Record<string, string> }
  | { readonly kind: 'method_not_allowed'; readonly allow: string }
  | { readonly kind: 'not_found' };

interface Node {
  readonly literal: Map<string, Node>;
  parameter: Node | null;
  readonly methods: Map<Method, Endpoint>;
}

interface Endpoint {
  readonly operation: Operation;
  readonly parameterNames: readonly string[];
}

const NOT_FOUND: Route = { kind: 'not_found' };

export class Router {
  readonly #root: Node = emptyNode();

  constructor(operations: readonly Operation[]) {
    for (const operation of operations) this.#add(operation);
  }

  /** `path` begins with a slash; `method` is HEAD or one of the table's. */
  match(method: string, path: string): Route {
    const values: string[] = [];
    let node = this.#root;
    // Like `segmentsOf` without a list, which is measurable for a small request.
    for (let start = 1; start <= path.length;) {
      const slash = path.indexOf('/', start);
      const end = slash < 0 ? path.length : slash;
      const segment = path.slice(start, end);
      start = end + 1;
      const literal = node.literal.get(segment);
      if (literal !== undefined) {
        node = literal;
      } else if (node.parameter !== null && segment !== '') {
        values.push(segment);
        node = node.parameter;
      } else {
        return NOT_FOUND;
      }
    }
    if (node.methods.size === 0) return NOT_FOUND;
    const endpoint = node.methods.get((method === 'HEAD' ? 'GET' : method) as Method);
    if (endpoint === undefined) return { kind: 'method_not_allowed', allow: allowed(node) };
    const params: Record<string, string> = {};
    endpoint.parameterNames.forEach((name, index) => {
      params[name] = values[index] ?? '';
    });
    return { kind: 'operation', operation: endpoint.operation, params };
  }

  #add(operation: Operation): void {
    const parameterNames: string[] = [];
    let node = this.#root;
    for (const segment of segmentsOf(operation.path)) {
      if (segment.startsWith('{')) {
        parameterNames.push(segment.slice(1, -1));
        node = node.parameter ??= emptyNode();
      } else {
        const next = node.literal.get(segment) ?? emptyNode();
        node.literal.set(segment, next);
        node = next;
      }
    }
    if (node.methods.has(operation.method)) throw new Error(`${operation.method} ${operation.path} is in the table twice`);
    node.methods.set(operation.method, { operation, parameterNames });
  }
}

function segmentsOf(path: string): string[] {
  return path.slice(1).split('/');
}

function emptyNode(): Node {
  return { literal: new Map(), parameter: null, methods: new Map() };
}

function allowed(node: Node): string {
  const methods = [...node.methods.keys()] as string[];
  if (node.methods.has('GET')) methods.push('HEAD');
  return [...methods, 'OPTIONS'].sort().join(', ');
}
