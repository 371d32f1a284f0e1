/** A provider whose answers a test makes up: wrong tokens, slow and large answers, and none at all. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose';

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface FakeProvider {
  readonly issuer: string;
  /** With which it signs by right. */
  readonly key: CryptoKey;
  /** Additions to the claims of the next tokens. */
  claims: JWTPayload;
  /** Makes the token of the claims; a test may replace it. */
  sign: (claims: JWTPayload) => Promise<string>;
  /** Paths that a test answers itself. */
  readonly answers: Map<string, Answer>;
  /** The paths of all requests. */
  readonly requests: string[];
  /** Additions to its metadata. */
  metadata: Readonly<Record<string, unknown>>;
}

/** `code` is the nonce of the login, so the fake needs no memory. */
export function codeFor(authorizationUrl: string): string {
  return new URL(authorizationUrl).searchParams.get('nonce') ?? '';
}

/** Made once: it takes longer than most tests. */
let keyPair: ReturnType<typeof generateKeyPair> | null = null;

export async function startFakeProvider(t: Test, clientId: string): Promise<FakeProvider> {
  const { privateKey, publicKey } = await (keyPair ??= generateKeyPair('RS256', { extractable: true }));
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', use: 'sig', alg: 'RS256' }] };
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    fake.requests.push(path);
    const own = fake.answers.get(path);
    if (own !== undefined) own(request, response);
    else void answerFrom(path, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fake: FakeProvider = {
    issuer,
    key: privateKey,
    claims: {},
    sign: (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(privateKey),
    answers: new Map(),
    requests: [],
    metadata: {},
  };

  const answerFrom = async (path: string, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    switch (path) {
      case '/.well-known/openid-configuration':
        return sendJson(response, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          ...fake.metadata,
        });
      case '/keys':
        return sendJson(response, keys);
      case '/token': {
        let body = '';
        for await (const chunk of request) body += String(chunk);
        const now = Math.floor(Date.now() / 1000);
        const nonce = new URLSearchParams(body).get('code') ?? '';
        const claims = { iss: issuer, aud: clientId, sub: 'ann', nonce, iat: now, exp: now + 60, ...fake.claims };
        return sendJson(response, { access_token: 'opaque', token_type: 'bearer', id_token: await fake.sign(claims) });
      }
      default:
        response.writeHead(404).end();
    }
  };
  return fake;
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
