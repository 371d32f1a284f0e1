/** The description of a backup. A folder without this file is not a backup. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as v from 'valibot';
import { AppError } from '../../domain/errors.js';
import { DIRECTORY_FILE, kindOf } from '../folder/dataFolder.js';

export const MANIFEST_FILE = 'manifest.json';

/** Raised if an older program could not restore the backup. */
const FORMAT = 1;

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const ManifestSchema = v.pipe(
  v.object({
    format: v.literal(FORMAT),
    /** The version of the program that took the backup. */
    program: v.string(),
    started_at: v.string(),
    finished_at: v.string(),
    shards: count,
    /** In the order of copying. */
    files: v.array(
      v.object({
        // Only the name of a data file, so that it cannot point outside the folder.
        name: v.pipe(
          v.string(),
          v.check((name) => kindOf(name) !== null),
        ),
        schema: count,
        bytes: count,
        sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
      }),
    ),
  }),
  v.check(({ shards, files }) => files.length === shards + 1 && files.some(({ name }) => name === DIRECTORY_FILE)),
);

export type Manifest = v.InferOutput<typeof ManifestSchema>;
export type ManifestFile = Manifest['files'][number];

export async function writeManifest(folder: string, content: Omit<Manifest, 'format'>): Promise<Manifest> {
  const manifest: Manifest = { format: FORMAT, ...content };
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  await writeFile(join(folder, MANIFEST_FILE), text, { mode: 0o600, flag: 'wx' });
  return manifest;
}

/** Null if the folder has none. */
export async function readManifest(folder: string): Promise<Manifest | null> {
  let text: string;
  try {
    text = await readFile(join(folder, MANIFEST_FILE), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  const parsed = v.safeParse(ManifestSchema, parseJson(text));
  if (parsed.success) return parsed.output;
  throw new AppError('invalid', `${join(folder, MANIFEST_FILE)} is damaged, or written by a newer version of this program`);
}

export async function describeFile(folder: string, name: string, schema: number): Promise<ManifestFile> {
  const file = join(folder, name);
  return { name, schema, bytes: (await stat(file)).size, sha256: await sha256Of(file) };
}

/** Differences between the folder and its manifest. */
export async function findManifestProblems(folder: string, { files }: Manifest): Promise<string[]> {
  const problems: string[] = [];
  for (const expected of files) {
    const size = (await stat(join(folder, expected.name)).catch(absent))?.size;
    if (size === undefined) problems.push(`${expected.name} is missing`);
    else if (size !== expected.bytes) problems.push(`${expected.name} has ${size} bytes instead of ${expected.bytes}`);
    else if ((await sha256Of(join(folder, expected.name))) !== expected.sha256) {
      problems.push(`${expected.name} is not what was backed up: its checksum differs`);
    }
  }
  return problems;
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
