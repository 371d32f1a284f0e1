/**
 * A command that is an operation of the service. Words and summary are chosen for people; target and options come from the
 * API document, when they are needed: every start of the program loads this module.
 */
import type { Client } from '../../client/index.js';
import { parseUuid } from '../../domain/ids.js';
import { command, type Command, type Terminal } from '../command.js';
import { EX_OK, UsageError } from '../outcome.js';
import { accessOptions, findAccess, withClient } from './access.js';
import { findColumn } from './columns.js';
import { describeOperation, NAMED_BY_TITLE, readValue, type DescribedOperation } from './describedOperation.js';

interface Definition {
  readonly words: string;
  /** As the client and the API document call it. */
  readonly operation: string;
  readonly summary: string;
  readonly description?: string;
  /** The first id of the path, for people. */
  readonly operand?: string;
  /** For people; scripts use `--json`. */
  show(answer: unknown): string;
}

type GivenOptions = Readonly<Record<string, string | boolean | undefined>>;

type Call = (...args: readonly unknown[]) => Promise<unknown>;

export function operationCommand(definition: Definition): Command {
  const { words, operation, summary, description, operand, show } = definition;
  const documentation = { words, summary, ...(description === undefined ? {} : { description }), ...(operand === undefined ? {} : { operand }) };
  const options = (described: DescribedOperation): Command['options'] => ({ ...described.options, ...accessOptions });
  return {
    ...documentation,
    get options() {
      return options(describeOperation(operation));
    },
    execute(args, terminal) {
      const described = describeOperation(operation);
      return command({
        ...documentation,
        options: options(described),
        async run(call, terminal) {
          const given = call.options as GivenOptions;
          const target = described.target === null ? {} : { [described.target]: requireId(call.operand, operand ?? 'id') };
          const input = readInput(described, given);
          const access = await findAccess({ url: textIn(given, 'url'), 'token-stdin': given['token-stdin'] === true }, terminal);
          const answer = await withClient(access, async (client) => {
            const ids = await resolve(client, { ...target, ...input.path }, target);
            const body = input.body === null ? [] : [await resolve(client, input.body, target)];
            return methodOf(client, operation)(...(Object.keys(ids).length === 0 ? [] : [ids]), ...body);
          });
          return print(terminal, given['json'] === true, answer, show);
        },
      }).execute(args, terminal);
    },
  };
}

export function print(terminal: Terminal, asJson: boolean, answer: unknown, show: (answer: unknown) => string): number {
  terminal.stdout.write(asJson ? `${JSON.stringify(answer ?? null)}\n` : show(answer));
  return EX_OK;
}

export function requireId(text: string, name: string): string {
  const id = parseUuid(text);
  if (id === undefined) throw new UsageError(`"${text}" is no ${name}: ids look like 01234567-89ab-4cde-8f01-23456789abcd.`);
  return id;
}

interface Input {
  readonly path: Readonly<Record<string, unknown>>;
  /** Null if the operation has none. */
  readonly body: Readonly<Record<string, unknown>> | null;
}

function readInput({ fields }: DescribedOperation, given: GivenOptions): Input {
  const all = Object.entries(fields);
  const inPlace = (place: 'path' | 'body'): Record<string, unknown> =>
    Object.fromEntries(
      all.flatMap(([option, field]) => {
        const text = textIn(given, option);
        return field.place !== place || text === undefined ? [] : [[field.name, readValue(option, text, field)]];
      }),
    );
  const hasBody = all.some(([, { place }]) => place === 'body');
  return { path: inPlace('path'), body: hasBody ? inPlace('body') : null };
}

function textIn(given: GivenOptions, option: string): string | undefined {
  const value = given[option];
  return typeof value === 'string' ? value : undefined;
}

/** A column that is named by its title: on the board that a card goes to, else on its own. */
async function resolve(
  client: Client,
  values: Readonly<Record<string, unknown>>,
  target: Readonly<Record<string, string>>,
): Promise<Record<string, unknown>> {
  const column = values[NAMED_BY_TITLE];
  if (typeof column !== 'string' || parseUuid(column) !== undefined) return { ...values };
  const [card, goal] = [target['card_id'], values['board_id']];
  const given = typeof goal === 'string' ? goal : target['board_id'];
  const board_id = given ?? (card === undefined ? undefined : (await client.card.get({ card_id: card })).board_id);
  if (board_id === undefined) throw new UsageError('--column must be the id of a column.');
  return { ...values, [NAMED_BY_TITLE]: findColumn(await client.board.get({ board_id }), column).id };
}

function methodOf(client: Client, operation: string): Call {
  const [group = '', name = ''] = operation.split('.');
  const methods = client[group as keyof Client] as unknown as Readonly<Record<string, Call>>;
  const method = methods[name];
  if (method === undefined) throw new Error(`the client has no ${operation}`);
  return method;
}
