/** The texts of `--help`, generated from the commands. */
import type { Command, Option } from './command.js';

export const PROGRAM = 'switchboard';

export function overviewHelp(commands: readonly Command[]): string {
  return [
    'Switchboard: shared task boards over HTTP and WebSockets.',
    '',
    `Usage: ${PROGRAM} [command] [options]`,
    '',
    'Commands:',
    ...columns(commands.map(({ words, summary }) => [words, summary])),
    '',
    'Options:',
    ...columns([
      ['-h, --help', 'Show this, or the help of a command; "help <command>" does the same.'],
      ['-v, --version', 'Show the version.'],
    ]),
    '',
    'Settings are environment variables, or lines of a .env file in the current folder:',
    `"${PROGRAM} config check" lists them. Without a command, the service is started.`,
    '',
  ].join('\n');
}

export function groupHelp(group: string, commands: readonly Command[]): string {
  return [
    `Usage: ${PROGRAM} ${group} <command> [options]`,
    '',
    'Commands:',
    ...columns(commands.map(({ words, summary }) => [words, summary])),
    '',
  ].join('\n');
}

export function commandHelp(command: Command): string {
  const { words, options, summary, description } = command;
  const entries = Object.entries(options);
  const required = entries.filter(([, option]) => option.required).map(([name, option]) => ` ${flag(name, option)}`);
  return [
    `Usage: ${PROGRAM} ${words}${operandOf(command)}${required.join('')} [options]`,
    '',
    summary,
    ...(description === undefined ? [] : ['', description]),
    '',
    'Options:',
    ...columns([...entries.map(([name, option]): [string, string] => [flag(name, option), option.meaning]), ['-h, --help', 'Show this.']]),
    '',
  ].join('\n');
}

function operandOf({ operand, operandIsOptional }: Command): string {
  if (operand === undefined) return '';
  return operandIsOptional ? ` [${operand}]` : ` <${operand}>`;
}

function flag(name: string, { short, placeholder }: Option): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${placeholder === undefined ? '' : ` <${placeholder}>`}`;
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
