#!/usr/bin/env node
import { run } from './cli/run.js';

// Not awaited: the bundle of the program is no module, see `tools/build/program.ts`. A fault ends the process all the same.
void run(process.argv.slice(2), process).then((code) => {
  process.exitCode = code;
});
