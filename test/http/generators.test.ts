/** A generator of others makes types from the served document, and programs that use them compile or do not. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import openapiTypescript, { type OpenAPI3 } from 'openapi-typescript';
import t from 'tap';
import { operations as table } from '../../src/api/operations/table.js';
import { packagePath } from '../../src/paths.js';
import { startTestApp } from '../support/service/app.js';
import { temporaryFolder } from '../support/store/folder.js';

const PROGRAM = `
import type { components, operations, paths } from './generated.js';

type Answer<Name extends keyof operations, Status extends keyof operations[Name]['responses']> =
  operations[Name]['responses'][Status] extends { content: { 'application/json': infer Json } } ? Json : never;
type Body<Name extends keyof operations> =
  operations[Name] extends { requestBody: { content: { 'application/json': infer Json } } } ? Json : never;

export const move: Body<'card.move'> = { position: 0 };
// @ts-expect-error
export const wrongMove: Body<'card.move'> = { position: 'first' };
export const rule: Body<'rule.create'> = { name: 'Move', trigger_type: 'CARD_MOVED', trigger_column_id: 'a', action_type: 'ASSIGN_MEMBER', action_user_id: 'b' };
// @ts-expect-error
export const wrongRule: Body<'rule.create'> = { name: 'Move', trigger_type: 'CARD_EATEN', action_type: 'ASSIGN_MEMBER', action_user_id: 'b' };
export const hook: Body<'webhook.create'> = { url: 'https://example.org/hook', format: 'slack', event_types: ['card.moved'] };
// @ts-expect-error
export const wrongHook: Body<'webhook.create'> = { format: 'slack' };
export const key: Body<'key.create'> = { name: 'export', scopes: ['read'], expires_at: null };
export const imported: components['schemas']['IncomingBoard'] = { format: 'switchboard-board', version: 1, title: 'Plans' };

export function titles(board: Answer<'board.get', 200>): string[] {
  return board.columns.flatMap(({ cards }) => cards.map(({ title }) => title));
}
export function wrongTitles(board: Answer<'board.get', 200>): string[] {
  // @ts-expect-error
  return board.columns.flatMap(({ cards }) => cards.map(({ heading }) => heading));
}
export const detail = (refusal: Answer<'card.get', 404>): string => refusal.detail;
export type CardPath = paths['/cards/{card_id}']['get']['parameters']['path'];
export const path: CardPath = { card_id: 'a' };
`;

const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  target: 'es2022',
  module: 'nodenext',
  moduleResolution: 'nodenext',
  types: [],
};

t.test('HTTP16 openapi-typescript makes types of the served document that compile, and refuse wrong programs', async (t) => {
  const { url } = await startTestApp(t);
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenAPI3;
  const generated = await openapiTypescript(document);
  for (const { name } of table) t.ok(generated.includes(`operations["${name}"]`) || generated.includes(`operations.${name}`), name);
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'generated.ts'), generated);
  await writeFile(join(folder, 'program.ts'), PROGRAM);
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: STRICT, include: ['*.ts'] }));
  const compiler = packagePath('node_modules', 'typescript', 'bin', 'tsc');
  const complaints = await promisify(execFile)(process.execPath, [compiler, '-p', folder]).then(
    () => '',
    (failure: { stdout: string; stderr: string }) => failure.stdout + failure.stderr,
  );
  t.equal(complaints, '');
});
