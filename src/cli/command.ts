/** A command: its words, options, documentation and action. */
import type { Readable, Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { UsageError } from './outcome.js';

export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** The placeholder of the value in the help. */
  readonly placeholder?: string;
  readonly required?: true;
  /** An empty text is a value too, such as a list of nothing. */
  readonly canBeEmpty?: true;
  readonly meaning: string;
}

type Options = Readonly<Record<string, Option>>;

type ValueOf<O extends Option> = O['type'] extends 'boolean' ? boolean : string;

/** Boolean options default to false; of the others only required ones are always present. */
type Values<O extends Options> = {
  readonly [Name in keyof O]: O[Name] extends { type: 'boolean' } | { required: true } ? ValueOf<O[Name]> : ValueOf<O[Name]> | undefined;
};

interface Documentation {
  /** As typed, such as `user create`. */
  readonly words: string;
  readonly summary: string;
  readonly description?: string;
  /** The name of the command's one operand. */
  readonly operand?: string;
  /** The operand is optional; `run` then gets an empty string. */
  readonly operandIsOptional?: true;
}

interface Definition<O extends Options> extends Documentation {
  readonly options: O;
  run(call: { readonly options: Values<O>; readonly operand: string }, terminal: Terminal): Promise<number>;
}

export interface Command extends Documentation {
  readonly options: Options;
  /** Takes the arguments after the words; resolves to the exit code. */
  execute(args: readonly string[], terminal: Terminal): Promise<number>;
}

export function command<const O extends Options>(definition: Definition<O>): Command {
  const { run, ...documentation } = definition;
  return {
    ...documentation,
    execute: async (args, terminal) => run(parse(definition, args), terminal),
  };
}

function parse<O extends Options>(
  { options, operand, operandIsOptional }: Definition<O>,
  args: readonly string[],
): { options: Values<O>; operand: string } {
  const { values, positionals } = parseStrictly(options, args);
  for (const [name, option] of Object.entries(options)) {
    if (option.type === 'boolean') values[name] ??= false;
    if (option.required && !(option.canBeEmpty ? values[name] !== undefined : values[name])) throw new UsageError(`--${name} is missing.`);
  }
  const [first, extra] = operand === undefined ? [undefined, positionals[0]] : positionals;
  if (extra !== undefined) throw new UsageError(`"${extra}" is one argument too many.`);
  if (operand !== undefined && !first && !operandIsOptional) throw new UsageError(`Name the ${operand}.`);
  // Each option was just checked, which TypeScript cannot follow.
  return { options: values as Values<O>, operand: first ?? '' };
}

function parseStrictly(options: Options, args: readonly string[]): { values: Record<string, unknown>; positionals: readonly string[] } {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { values: { ...values }, positionals };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // The first sentence says what is wrong; the rest is advice that does not fit our commands.
    throw new UsageError(`${error.message.split(/[.\n]/, 1)[0]}.`);
  }
}
