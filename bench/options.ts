/** The command line of the suite. */
import { parseArgs } from 'node:util';
import { GROUPS } from './scenarios/catalogue.js';
import type { Depth, Group } from './scenarios/scenario.js';

export interface BenchOptions {
  readonly groups: readonly Group[];
  readonly depth: Depth;
  readonly rounds: number;
  /** Null: each scenario's own default. */
  readonly seconds: number | null;
}

export type Command =
  | { readonly kind: 'run'; readonly options: BenchOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'refused'; readonly problem: string };

const ROUNDS = 5;

export function parseCommand(args: readonly string[]): Command {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        full: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
      },
    });
    if (values.help) return { kind: 'help' };
    const depth = values.full ? 'full' : positionals.length > 0 ? 'normal' : 'quick';
    const rounds = readNumber('rounds', values.rounds, 1) ?? ROUNDS;
    if (!Number.isInteger(rounds)) throw new Error('--rounds must be a whole number');
    const seconds = readNumber('seconds', values.seconds, 0.1);
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
  --help         this text

Results are written to bench/results: one JSON file and one HTML report a run.
`;
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
