/** Makes the first admin with the one-time code, as a person would in the browser. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../failure.ts';

const ATTEMPTS = 30;
const PAUSE_MS = 1_000;

export interface FirstAdmin {
  readonly url: string;
  readonly code: string;
  readonly name: string;
  readonly password: string;
}

/**
 * What became of it: `made`, `existed` with this login, or `unknown` when the village has an account already and it is
 * not this one (made in the browser or by another checkout). The api may take a moment to answer after a start.
 */
export async function makeFirstAdmin(admin: FirstAdmin): Promise<'made' | 'existed' | 'unknown'> {
  let last = '';
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (attempt > 0) await sleep(PAUSE_MS);
    try {
      const response = await post(admin, '/accounts/bootstrap', { code: admin.code });
      if (response.ok) return 'made';
      last = await response.text();
      if (last.includes('bootstrap_closed')) return (await post(admin, '/login', {})).ok ? 'existed' : 'unknown';
      if (response.status < 500 && response.status !== 429) break;
    } catch (error) {
      last = String(error);
    }
  }
  throw new Failure(`the api did not make the first admin: ${last}`, 'make logs WHO=api');
}

async function post({ url, name, password }: FirstAdmin, path: string, more: object): Promise<Response> {
  return fetch(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ name, password, ...more }),
  });
}
