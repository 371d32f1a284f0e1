/** The command line of the suite. */
import { parseArgs } from 'node:util';
import { GROUPS } from './scenarios/catalogue.js';
import type { Depth, Group } from './scenarios/scenario.js';
import { targetGroup } from './scenarios/target.js';

export interface BenchOptions {
  readonly groups: readonly Group[];
  readonly depth: Depth;
  readonly rounds: number;
  /** Null: each scenario's own default. */
  readonly seconds: number | null;
  /** The address of a running service that is measured alone. */
  readonly target?: string;
  /** Whether the caller has confirmed that load may go to another machine. */
  readonly isConfirmed?: boolean;
}

export type Command =
  | { readonly kind: 'run'; readonly options: BenchOptions }
  | { readonly kind: 'compare'; readonly before: string; readonly after: string }
  | { readonly kind: 'help' }
  | { readonly kind: 'refused'; readonly problem: string };

const ROUNDS = 5;
/** Of a run against a service that others may use. */
const TARGET_CONNECTIONS = 16;
const MAX_TARGET = { connections: 256, seconds: 30, rounds: 20 } as const;
const TARGET_SECONDS = 2;

/** `token` is the one of the environment, if there is one. */
export function parseCommand(args: readonly string[], token?: string): Command {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        full: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        compare: { type: 'boolean', default: false },
        connections: { type: 'string' },
        target: { type: 'string' },
        token: { type: 'string' },
        yes: { type: 'boolean', default: false },
      },
    });
    if (values.help) return { kind: 'help' };
    if (values.compare) return compareCommand(positionals);
    const depth = values.full ? 'full' : positionals.length > 0 ? 'normal' : 'quick';
    const rounds = readNumber('rounds', values.rounds, 1) ?? ROUNDS;
    if (!Number.isInteger(rounds)) throw new Error('--rounds must be a whole number');
    const seconds = readNumber('seconds', values.seconds, 0.1);
    if (values.target !== undefined) {
      if (positionals.length > 0) throw new Error(`--target has scenarios of its own: leave out ${positionals.join(', ')}`);
      const connections = readNumber('connections', values.connections, 1) ?? TARGET_CONNECTIONS;
      return {
        kind: 'run',
        options: targetOptions(values.target, values.token ?? token, { connections, rounds, seconds: seconds ?? TARGET_SECONDS }, values.yes),
      };
    }
    if (values.token !== undefined || values.connections !== undefined) throw new Error('--token and --connections need --target');
    return { kind: 'run', options: { groups: chooseGroups(positionals, depth), depth, rounds, seconds } };
  } catch (error) {
    if (error instanceof Error) return { kind: 'refused', problem: error.message };
    throw error;
  }
}

export function helpText(): string {
  const width = Math.max(...GROUPS.map(({ name }) => name.length));
  const groups = GROUPS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `Measures Switchboard against bare uWebSockets.js (the limit) and the usual stack (Fastify, ws, Socket.IO).

Usage: npm run bench -- [group …] [options]

Without a group, all groups except sockets10k and shared run briefly. Name groups for more detail:
${groups.join('\n')}

Options:
  --full         all groups in all sizes, longer rounds: about half an hour
  --rounds N     rounds of every contestant, taking turns; medians are shown (default ${ROUNDS})
  --seconds S    length of a round (default 0.3; 2 with --full)
  --target URL   measure a running service alone, as one of its users: its boards are made and deleted again
  --token KEY    an API key with the scope write, or an access token (default: SWITCHBOARD_TOKEN, which others of this machine do not see)
  --connections N  requests at a time with --target (default ${TARGET_CONNECTIONS}, at most ${MAX_TARGET.connections}; at most ${MAX_TARGET.seconds} s and ${MAX_TARGET.rounds} rounds)
  --yes          send load to another machine without asking
  --compare A.json B.json   show what became better or worse from one run to the other
  --help         this text

Results are written to bench/results: a JSON file, a CSV file and an HTML report a run. Scripts for k6 and autocannon are in bench/.
`;
}

function compareCommand([before, after, extra]: readonly string[]): Command {
  if (before === undefined || after === undefined || extra !== undefined) throw new Error('--compare needs two JSON files of bench/results');
  return { kind: 'compare', before, after };
}

interface TargetLimits {
  readonly connections: number;
  readonly rounds: number;
  readonly seconds: number;
}

function targetOptions(target: string, token: string | undefined, limits: TargetLimits, isConfirmed: boolean): BenchOptions {
  const url = URL.canParse(target) ? new URL(target) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '')
    throw new Error('--target must be an address such as https://boards.example.org');
  if (!token) throw new Error('--target needs a key: --token, or SWITCHBOARD_TOKEN');
  if (!/^[\w.~+/=-]+$/.test(token)) throw new Error('the token has characters that no token has');
  for (const [name, most] of Object.entries(MAX_TARGET) as Array<[keyof TargetLimits, number]>) {
    if (limits[name] > most) throw new Error(`--${name} may be at most ${most} with --target`);
  }
  if (!Number.isInteger(limits.connections)) throw new Error('--connections must be a whole number');
  const address = url.href.replace(/\/+$/, '');
  const groups = [targetGroup({ url: address, token, connections: limits.connections })];
  return { groups, depth: 'normal', rounds: limits.rounds, seconds: limits.seconds, target: address, isConfirmed };
}

function chooseGroups(names: readonly string[], depth: Depth): Group[] {
  const unknown = names.filter((name) => !GROUPS.some((group) => group.name === name));
  if (unknown.length > 0) {
    throw new Error(`no such group: ${unknown.join(', ')} (there are ${GROUPS.map(({ name }) => name).join(', ')})`);
  }
  if (names.length > 0) return GROUPS.filter(({ name }) => names.includes(name));
  return GROUPS.filter(({ onlyInFull }) => depth === 'full' || !onlyInFull);
}

function readNumber(name: string, text: string | undefined, least: number): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (!(value >= least) || !Number.isFinite(value)) throw new Error(`--${name} must be a number of at least ${least}`);
  return value;
}
