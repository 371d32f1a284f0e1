/** The audit log as its readers see it. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditEntry } from '../../../src/domain/audit.js';
import type { Api } from './api.js';

/** Every line of every audit file, oldest first. */
export async function auditLines(dataDir: string): Promise<AuditEntry[]> {
  return (await auditTexts(join(dataDir, 'audit'))).map((line) => JSON.parse(line) as AuditEntry);
}

export async function auditTexts(folder: string): Promise<string[]> {
  // The name of the current one comes last.
  const names = (await readdir(folder)).sort((a, b) => Number(a === 'audit.log') - Number(b === 'audit.log') || a.localeCompare(b));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts
    .join('')
    .split('\n')
    .filter((line) => line !== '');
}

export async function auditEntries(api: Api, token: string, query = ''): Promise<AuditEntry[]> {
  const { status, body } = await api.request<{ entries: AuditEntry[] }>('GET', `/admin/audit?limit=200${query}`, { token });
  if (status !== 200) throw new Error(`the audit log answered ${status}`);
  return body.entries;
}
