import type { EgressDenial } from '@hamlet/core/egress';
import { PKT_FLUSH, pktLine } from './pkt-line.ts';
import type { PushCommand } from './push-commands.ts';
import type { ServerResponse } from 'node:http';

const MAX_TEXT_LENGTH = 900;

export const PUSH_RESULT_TYPE = 'application/x-git-receive-pack-result';

/**
 * The answer of a server that rejects every reference, with the reasons (gitprotocol-pack, report-status). git prints
 * these beside each branch, but would not print the body of an HTTP refusal.
 */
export function refusedPush(
  commands: readonly PushCommand[],
  capabilities: readonly string[],
  denial: EgressDenial,
): Buffer {
  const text = `${denial.code}: ${denial.message}`.replaceAll(/[^\x20-\x7e]/g, ' ').slice(0, MAX_TEXT_LENGTH);
  const report = Buffer.concat([
    pktLine('unpack ok\n'),
    ...commands.map(({ ref }) => pktLine(`ng ${ref} ${text}\n`)),
    PKT_FLUSH,
  ]);
  if (!capabilities.includes('side-band-64k')) return report;
  const bands = chunksOf(report).map((part) => pktLine(Buffer.concat([Buffer.from([1]), part])));
  return Buffer.concat([...bands, PKT_FLUSH]);
}

const BAND_LENGTH = 60_000;

function chunksOf(bytes: Buffer): readonly Buffer[] {
  const count = Math.ceil(bytes.length / BAND_LENGTH);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * BAND_LENGTH, (at + 1) * BAND_LENGTH));
}

/** Delay in milliseconds before git prints that it waits for a person. */
const FIRST_MS = 1_500;
const EVERY_MS = 30_000;
const PROGRESS_BAND = 2;

/**
 * Sends progress lines that git prints as `remote: …` while its push waits for a person (gitprotocol-pack,
 * side-band-64k). The answer of the server follows in the same response.
 */
export class PushProgress {
  readonly #response: ServerResponse;
  readonly #from: string;
  #timer: NodeJS.Timeout | undefined;

  /** `from`: who may permit the push, in words. */
  constructor(response: ServerResponse, capabilities: readonly string[], from: string) {
    this.#response = response;
    this.#from = from;
    if (capabilities.includes('side-band-64k')) this.#timer = setTimeout(() => this.#show(), FIRST_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #show(): void {
    if (this.#response.destroyed) return;
    if (!this.#response.headersSent) this.#response.writeHead(200, { 'content-type': PUSH_RESULT_TYPE });
    const line = `This push waits for the permission of ${this.#from}.\n`;
    this.#response.write(pktLine(Buffer.concat([Buffer.from([PROGRESS_BAND]), Buffer.from(line)])));
    this.#timer = setTimeout(() => this.#show(), EVERY_MS);
  }
}
