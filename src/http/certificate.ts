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
    validTo: new Date(certificate.validTo),
  };
}

function read(setting: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw refusal(`${setting} cannot be read: ${error instanceof Error ? error.message : String(error)}`, error);
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
