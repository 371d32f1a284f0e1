/** Self-signed certificates for tests. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { lookFor, type Found } from '../service/programs.js';

export interface TestCertificate {
  readonly certFile: string;
  readonly keyFile: string;
  /** The certificate that a client must trust. */
  readonly pem: string;
}

export function findOpenssl(): Promise<Found> {
  return lookFor('openssl', 'Debian: apt-get install openssl');
}

/** For 127.0.0.1 and localhost; `name` distinguishes certificates. */
export async function makeCertificate(openssl: string, folder: string, name: string): Promise<TestCertificate> {
  const certFile = join(folder, `${name}.crt`);
  const keyFile = join(folder, `${name}.key`);
  await promisify(execFile)(openssl, [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
    '-subj',
    `/CN=${name}`,
    '-addext',
    'subjectAltName=DNS:localhost,IP:127.0.0.1',
    '-keyout',
    keyFile,
    '-out',
    certFile,
  ]);
  return { certFile, keyFile, pem: await readFile(certFile, 'utf8') };
}

/** `openssl req` makes none that has expired; its small certificate authority does. */
export async function makeExpiredCertificate(openssl: string, folder: string): Promise<Omit<TestCertificate, 'pem'>> {
  const file = (name: string): string => join(folder, name);
  const [certFile, keyFile] = [file('expired.crt'), file('expired.key')];
  const lines = [
    '[ca]',
    'default_ca = own',
    '[own]',
    `database = ${file('index.txt')}`,
    `new_certs_dir = ${folder}`,
    'rand_serial = yes',
    'default_md = sha256',
    'policy = any',
    '[any]',
    'commonName = supplied',
    '[req]',
    'distinguished_name = none',
    '[none]',
    '',
  ];
  await writeFile(file('ca.conf'), lines.join('\n'));
  await writeFile(file('index.txt'), '');
  const execute = promisify(execFile);
  await execute(openssl, [
    'req',
    '-new',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-config',
    file('ca.conf'),
    '-subj',
    '/CN=expired',
    '-keyout',
    keyFile,
    '-out',
    file('expired.csr'),
  ]);
  await execute(openssl, [
    'ca',
    '-batch',
    '-selfsign',
    '-notext',
    '-config',
    file('ca.conf'),
    '-keyfile',
    keyFile,
    '-in',
    file('expired.csr'),
    '-startdate',
    '20200101000000Z',
    '-enddate',
    '20200102000000Z',
    '-out',
    certFile,
  ]);
  return { certFile, keyFile };
}
