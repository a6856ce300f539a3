/** Secrets of this checkout's village: tokens for tools and the first admin's login, in a file that only its owner can read. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { stateFile } from './paths.ts';

const TOKEN_BYTES = 24;

export interface Secrets {
  readonly adminToken: string;
  readonly memberToken: string;
  readonly adminName: string;
  readonly adminPassword: string;
}

export function secrets(): Secrets {
  const file = stateFile('secrets.json');
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Secrets;
  const made = { adminToken: token(), memberToken: token(), adminName: 'admin', adminPassword: token() };
  writePrivate(file, made);
  return made;
}

export function writePrivate(file: string, value: object): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
}

const token = (): string => randomBytes(TOKEN_BYTES).toString('base64url');
