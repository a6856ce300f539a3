/** Streams bytes between a program in a pod and a local file: a database does not fit into memory. */
import { spawn } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Failure } from '../failure.ts';
import type { Place } from '../kubectl.ts';

/** Bytes between two progress reports. */
const SAY_EVERY_BYTES = 8 << 20;
/** Characters at the end of stderr that an error shows. */
const KEPT_CHARACTERS = 4_000;

export interface Transfer {
  readonly pod: string;
  readonly container?: string;
  readonly command: readonly string[];
  /** The file that receives standard output; `from` is the file that standard input comes from. */
  readonly to?: string;
  readonly from?: string;
  readonly doing: (text: string) => void;
}

/** Runs a program in a pod with its output to a file, or its input from one. A Failure shows the end of stderr. */
export async function transfer(place: Place, { pod, container, command, to, from, doing }: Transfer): Promise<void> {
  const target = container === undefined ? [pod] : [pod, '--container', container];
  const input = from === undefined ? [] : ['--stdin'];
  const flags = ['--namespace', place.namespace, 'exec', ...input, ...target, '--', ...command];
  const env = place.kubeconfig === undefined ? process.env : { ...process.env, KUBECONFIG: place.kubeconfig };
  const child = spawn(place.kubectl, flags, { env, stdio: 'pipe' });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-KEPT_CHARACTERS)));
  const ended = new Promise<number>((resolve, reject) =>
    child.on('error', reject).on('close', (code) => resolve(code ?? 1)),
  );
  const [code] = await Promise.all([ended, drain(child.stdout, to, doing), feed(child.stdin, from, doing)]);
  if (code !== 0)
    throw new Failure(`${command.join(' ').slice(0, 120)} in ${pod} ended with code ${code}:\n${stderr.trim()}`);
}

async function drain(output: Readable, to: string | undefined, doing: (text: string) => void): Promise<void> {
  if (to === undefined) return void output.resume();
  await pipeline(output, counted(doing), createWriteStream(to, { mode: 0o600 }));
}

async function feed(input: Writable, from: string | undefined, doing: (text: string) => void): Promise<void> {
  // A program that ends early closes its input; its exit code is the error to report.
  if (from === undefined) return void input.on('error', () => undefined).end();
  await pipeline(createReadStream(from), counted(doing, (await stat(from)).size), input).catch(() => undefined);
}

/** Passes bytes through and reports their count. */
function counted(
  doing: (text: string) => void,
  total?: number,
): (source: AsyncIterable<Buffer>) => AsyncGenerator<Buffer> {
  return async function* count(source) {
    let [bytes, next] = [0, 0];
    for await (const chunk of source) {
      bytes += chunk.length;
      if (bytes >= next) {
        doing(`${mebibytes(bytes)}${total === undefined ? '' : ` of ${mebibytes(total)}`}`);
        next = bytes + SAY_EVERY_BYTES;
      }
      yield chunk;
    }
  };
}

export const mebibytes = (bytes: number): string => `${(bytes / (1 << 20)).toFixed(1)} MiB`;
