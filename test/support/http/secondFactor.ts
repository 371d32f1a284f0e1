/** A user with a second factor, and the codes of an authenticator application. */
import { stepAt, totpCode } from '../../../src/auth/totp.js';
import { DIRECTORY_FILE } from '../../../src/store/folder/dataFolder.js';
import { sql } from '../store/sqlFile.js';
import type { Api, ApiResponse } from './api.js';
import type { TestUser } from './users.js';

export interface SecondFactor {
  readonly secret: Buffer;
  readonly recoveryCodes: readonly string[];
}

/** As an application reads it. */
export function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** `offset`: in steps of 30 seconds. */
export function codeOf({ secret }: Pick<SecondFactor, 'secret'>, offset = 0): string {
  return totpCode(secret, stepAt(new Date()) + offset);
}

export async function beginFactor(api: Api, { token, password }: Pick<TestUser, 'token' | 'password'>): Promise<Buffer> {
  const { status, body } = await api.request<{ secret: string }>('POST', '/auth/factors/totp', { token, json: { password } });
  if (status !== 201) throw new Error(`the second factor answered ${status}: ${JSON.stringify(body)}`);
  return fromBase32(body.secret);
}

/** Afterwards the code of the present step was used, see `forgetSteps`. */
export async function turnOnFactor(api: Api, user: Pick<TestUser, 'token' | 'password'>): Promise<SecondFactor> {
  const secret = await beginFactor(api, user);
  const json = { code: codeOf({ secret }) };
  const path = '/auth/factors/totp/confirm';
  const { status, body } = await api.request<{ recovery_codes: string[] }>('POST', path, { token: user.token, json });
  if (status !== 200) throw new Error(`the confirmation answered ${status}: ${JSON.stringify(body)}`);
  return { secret, recoveryCodes: body.recovery_codes };
}

/** Makes used codes good again, instead of a wait for the next ones. */
export function forgetSteps(dataDir: string): void {
  sql(`${dataDir}/${DIRECTORY_FILE}`, 'UPDATE factor SET last_step = 0');
}

export function logInWith(
  api: Api,
  { email, password }: Pick<TestUser, 'email' | 'password'>,
  code?: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<ApiResponse<{ access_token: string; refresh_token: string; second_factor?: string; detail?: string }>> {
  return api.request('POST', '/auth/login', { form: { username: email, password, ...(code === undefined ? {} : { code }) }, headers });
}
