/** Validates TLS files before use: uWebSockets refuses bad ones without a reason. */
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { AppError } from '../domain/errors.js';

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface CertificateFacts {
  readonly subject: string;
  readonly names: string;
  readonly validFrom: Date;
  readonly validTo: Date;
}

/** Reads both files. If they cannot serve together, throws an error that names the settings. */
export function checkCertificate({ certFile, keyFile }: TlsFiles): CertificateFacts {
  const certificate = parseCertificate(read('TLS_CERT_FILE', certFile), certFile);
  const key = parseKey(read('TLS_KEY_FILE', keyFile), keyFile);
  if (!certificate.checkPrivateKey(key)) {
    throw refusal(`The key in TLS_KEY_FILE (${keyFile}) does not belong to the certificate in ${certFile}`);
  }
  return {
    subject: certificate.subject ?? '',
    names: certificate.subjectAltName ?? '',
    validFrom: new Date(certificate.validFrom),
    validTo: new Date(certificate.validTo),
  };
}

/** A certificate that can be served, but that clients refuse. Null if there is nothing wrong. */
export function findCertificateFlaw({ validFrom, validTo }: CertificateFacts, now: Date): string | null {
  if (validTo <= now) return `The certificate expired on ${validTo.toISOString()}: clients refuse it. Renew it`;
  if (validFrom > now)
    return `The certificate is valid from ${validFrom.toISOString()} on: until then clients refuse it. Is the clock of this machine right?`;
  return null;
}

function read(setting: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw refusal(`${setting} cannot be read: ${reason}. Correct the path, or let the user of the service read the file`, error);
  }
}

/** The first certificate in the file is the service's own; its issuers follow. */
function parseCertificate(pem: Buffer, path: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (error) {
    throw refusal(`TLS_CERT_FILE (${path}) contains no certificate in PEM format`, error);
  }
}

function parseKey(pem: Buffer, path: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw refusal(`TLS_KEY_FILE (${path}) contains no private key in PEM format without a passphrase`, error);
  }
}

function refusal(message: string, cause?: unknown): AppError {
  return new AppError('unavailable', message, { cause });
}
