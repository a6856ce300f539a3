import type { ServerResponse } from 'node:http';
import { pktLine } from './pkt-line.ts';
import { PUSH_RESULT_TYPE } from './push-report.ts';

/** A push that is decided within this time shows nothing of the wait. */
const FIRST_MS = 1_500;
const EVERY_MS = 30_000;
const PROGRESS_BAND = 2;

/**
 * Notifies git that its push waits for a person: git prints the lines as `remote: …` while it waits (gitprotocol-pack, side-band-64k).
 * The answer of the server follows in the same response.
 */
export class PushProgress {
  readonly #response: ServerResponse;
  #timer: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse, capabilities: readonly string[]) {
    this.#response = response;
    if (capabilities.includes('side-band-64k')) this.#timer = setTimeout(() => this.#show(), FIRST_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #show(): void {
    if (this.#response.destroyed) return;
    if (!this.#response.headersSent) this.#response.writeHead(200, { 'content-type': PUSH_RESULT_TYPE });
    const line = 'This push waits for a person to permit it.\n';
    this.#response.write(pktLine(Buffer.concat([Buffer.from([PROGRESS_BAND]), Buffer.from(line)])));
    this.#timer = setTimeout(() => this.#show(), EVERY_MS);
  }
}
