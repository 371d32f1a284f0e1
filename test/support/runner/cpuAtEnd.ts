/** Imported before a test file that has a process of its own: the last line of its output is the processor time. */
import { writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { cpuComment, cpuMilliseconds } from './cpuTime.js';

// Threads inherit the import.
if (isMainThread) process.on('exit', () => void writeSync(process.stdout.fd, `# ${cpuComment(cpuMilliseconds())}\n`));
