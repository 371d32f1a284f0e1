/** Self-signed certificates for tests. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram, type Found } from '../service/programs.js';

export interface TestCertificate {
  readonly certFile: string;
  readonly keyFile: string;
  /** The certificate that a client must trust. */
  readonly pem: string;
}

export async function findOpenssl(): Promise<Found> {
  const path = await findProgram('openssl');
  return path === null ? { missing: 'no openssl is installed (Debian: apt-get install openssl)' } : { path };
}

/** For 127.0.0.1 and localhost; `name` distinguishes certificates. */
export async function makeCertificate(openssl: string, folder: string, name: string): Promise<TestCertificate> {
  const certFile = join(folder, `${name}.crt`);
  const keyFile = join(folder, `${name}.key`);
  await promisify(execFile)(openssl, [
    'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2',
    '-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1',
    '-keyout', keyFile, '-out', certFile,
  ]);
  return { certFile, keyFile, pem: await readFile(certFile, 'utf8') };
}
