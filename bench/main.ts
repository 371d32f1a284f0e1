/** `npm run bench`: measures, prints a table, and writes the results and the report. */
import { helpText, parseCommand, type BenchOptions } from './options.js';
import { writeResults } from './report/files.js';
import { goalsTable, machineLines, terminalProgress } from './report/terminal.js';
import { runBench } from './run.js';

const command = parseCommand(process.argv.slice(2));
switch (command.kind) {
  case 'help':
    process.stdout.write(helpText());
    break;
  case 'refused':
    process.stderr.write(`${command.problem}\n\n${helpText()}`);
    process.exitCode = 2;
    break;
  case 'run':
    await run(command.options);
    break;
}

/** Fails if a scenario failed. A missed goal is a result, not a failure. */
async function run(options: BenchOptions): Promise<void> {
  const results = await runBench(options, terminalProgress(process.stdout));
  const files = await writeResults(results);
  process.stdout.write(`\n${goalsTable(results)}\n${machineLines(results)}\n${files.json}\n${files.html}\n`);
  if (results.scenarios.some(({ problems }) => problems.length > 0)) process.exitCode = 1;
}
