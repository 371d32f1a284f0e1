/**
 * Shows failures at their places in the sources. Node can do this itself, but then reads the source map of every module
 * that a test loads: a twentieth of the CPU time of the suite, for the few files that fail.
 */
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { packagePath } from '../../../src/paths.js';

/** As in a line of a stack: the path below dist/, with whatever is before it, the line and the column. */
const POSITION = /[^\s()]*\bdist\/([^\s():]+\.js):(\d+):(\d+)/g;

/** The text with positions below dist/ replaced by those in the sources. */
export function inSources(text: string): string {
  return text.replace(POSITION, (compiled, path: string, line: string, column: string) => {
    if (compiled.includes('node_modules')) return compiled;
    return sourceOf(path, Number(line), Number(column)) ?? compiled;
  });
}

function sourceOf(path: string, line: number, column: number): string | null {
  const file = packagePath('dist', path);
  if (!existsSync(`${file}.map`)) return null;
  const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMapPayload);
  // Counted from 0.
  const entry = map.findEntry(line - 1, column - 1);
  if (!('originalSource' in entry)) return null;
  const source = relative(packagePath(), join(dirname(file), entry.originalSource));
  return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}
