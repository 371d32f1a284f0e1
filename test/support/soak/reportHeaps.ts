/**
 * Loaded with `--import` into every thread of the service under test: adds a line about the memory of its V8 to the file
 * that the variable names. Only the thread itself can read these figures.
 */
import { appendFileSync } from 'node:fs';
import { threadId } from 'node:worker_threads';
import { getHeapStatistics } from 'node:v8';
import { HEAP_REPORTS, SAMPLE_MS, type HeapReport } from './heapReport.js';

const file = process.env[HEAP_REPORTS];
if (file !== undefined) setInterval(() => appendFileSync(file, `${JSON.stringify(read())}\n`), SAMPLE_MS).unref();

function read(): HeapReport {
  const { total_physical_size: heapBytes, external_memory: bufferBytes } = getHeapStatistics();
  return { thread: threadId, heapBytes, bufferBytes };
}
