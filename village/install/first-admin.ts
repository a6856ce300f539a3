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

/** `made`, or `existed` when the village has an account already; the answer may take a moment after a start. */
export async function makeFirstAdmin({ url, code, name, password }: FirstAdmin): Promise<'made' | 'existed'> {
  let last = '';
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (attempt > 0) await sleep(PAUSE_MS);
    try {
      const response = await fetch(`${url}/api/v1/accounts/bootstrap`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: url },
        body: JSON.stringify({ code, name, password }),
      });
      if (response.ok) return 'made';
      last = await response.text();
      if (last.includes('bootstrap_closed')) return 'existed';
      if (response.status < 500 && response.status !== 429) break;
    } catch (error) {
      last = String(error);
    }
  }
  throw new Failure(`the api did not make the first admin: ${last}`, 'make logs WHO=api');
}
