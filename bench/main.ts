/** `npm run bench`: measures, prints a table, and writes the results and the report. */
import { whyNotAllowed } from './confirm.js';
import { helpText, parseCommand, type BenchOptions } from './options.js';
import { comparison, readResults } from './report/compare.js';
import { writeResults } from './report/files.js';
import { goalsTable, machineLines, terminalProgress } from './report/terminal.js';
import { runBench } from './run.js';

const command = parseCommand(process.argv.slice(2), process.env['SWITCHBOARD_TOKEN']);
switch (command.kind) {
  case 'help':
    process.stdout.write(helpText());
    break;
  case 'refused':
    process.stderr.write(`${command.problem}\n\n${helpText()}`);
    process.exitCode = 2;
    break;
  case 'compare':
    await compare(command.before, command.after);
    break;
  case 'run':
    await run(command.options);
    break;
}

async function compare(before: string, after: string): Promise<void> {
  try {
    process.stdout.write(comparison(await readResults(before), await readResults(after)));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  }
}

/** Fails if a scenario failed. A missed goal is a result, not a failure. */
async function run(options: BenchOptions): Promise<void> {
  const refusal = options.target === undefined ? null : await whyNotAllowed(options.target, options.isConfirmed === true, process);
  if (refusal !== null) {
    process.stderr.write(`${refusal}\n`);
    process.exitCode = 2;
    return;
  }
  const results = await runBench(options, terminalProgress(process.stdout));
  const files = await writeResults(results);
  const goals = results.goals.length > 0 ? `${goalsTable(results)}\n` : '';
  process.stdout.write(`\n${goals}${machineLines(results)}\n${files.json}\n${files.csv}\n${files.html}\n`);
  if (results.scenarios.some(({ problems }) => problems.length > 0)) process.exitCode = 1;
}
