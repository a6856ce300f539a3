import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { connectHands, type HandsClient } from './hands-client.ts';
import { OutputPart, ProcessRecord } from './process-record.ts';
import { endProcess, startProcess, type EnvironmentOf, type ProcessPlace } from './start-process.ts';

export interface HandsProcess {
  write(data: Buffer): Promise<void>;
  /** True if its output comes near the limit, after which nothing more can be read. */
  isWorn(): boolean;
  /** The next bytes of its output, or null at its end. */
  read(): Promise<Buffer | null>;
  /** Why it ended, with its last words on the error stream. */
  cause(): Promise<string>;
  end(): Promise<void>;
}

export interface HandsProcessPorts {
  readonly socket: string;
  readonly cwd: string;
  readonly environmentOf: EnvironmentOf;
}

const READ_BYTES = 256 << 10;
const WAIT_MS = 30_000;
/** Output that the supervisor keeps for reading; a program that prints more is ended. */
const OUTPUT_BYTES = 64 << 20;
const WORN_BYTES = 32 << 20;
/** Maximum life of a program. The next call starts another. */
const LIFE_MS = 86_400_000;
const LAST_WORDS_BYTES = 2_000;

export interface StreamedProgram {
  /** The processes of an owner end together, and before another program of the owner starts. */
  readonly owner: string;
  readonly place: ProcessPlace;
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a program whose standard streams stay open. Rejects with `HandsError`. */
export async function startHandsProcess(
  { socket, cwd, environmentOf }: HandsProcessPorts,
  { owner, place, argv, env }: StreamedProgram,
): Promise<HandsProcess> {
  const hands = await connectHands(socket);
  const id = `${owner}.${randomUUID().slice(0, 8)}`;
  const limits = { timeoutMs: LIFE_MS, outputBytes: OUTPUT_BYTES };
  try {
    await hands.ask('close', { owner }, z.unknown());
    const process = { id, owner, place, argv, cwd, ...(env && { env }), openStdin: true, limits };
    await startProcess(hands, process, environmentOf);
  } catch (error) {
    hands.close();
    throw error;
  }
  return running(hands, id);
}

function running(hands: HandsClient, id: string): HandsProcess {
  let offset = 0;
  const record = (): Promise<ProcessRecord> => hands.ask('wait', { process: id, timeoutMs: 0 }, ProcessRecord);
  const read = async (): Promise<Buffer | null> => {
    while (offset < OUTPUT_BYTES) {
      const args = { process: id, stream: 'stdout', offset, bytes: READ_BYTES, waitMs: WAIT_MS };
      const { data } = await hands.ask('read', args, OutputPart);
      offset += data.length;
      if (data.length > 0) return data;
      if ((await record()).exit !== undefined) return null;
    }
    return null;
  };
  return {
    read,
    isWorn: () => offset > WORN_BYTES,
    write: async (data) => {
      await hands.ask('stdin', { process: id, data: data.toString('base64') }, z.unknown());
    },
    cause: async () => causeOf(await record(), offset),
    end: async () => {
      await endProcess(hands, id).catch(() => {});
      await hands.ask('forget', { process: id }, z.unknown()).catch(() => {});
      hands.close();
    },
  };
}

const lastWords = ({ stderr }: ProcessRecord): string =>
  (stderr?.tail ?? stderr?.head)?.subarray(-LAST_WORDS_BYTES).toString() ?? '';

function causeOf(record: ProcessRecord, offset: number): string {
  const { exit } = record;
  if (exit === undefined) return offset >= OUTPUT_BYTES ? `it printed more than ${OUTPUT_BYTES >> 20} MiB` : 'it runs';
  const how = {
    exit: `it ended with code ${exit.code}`,
    killed: 'it was ended',
    timeout: 'it reached its maximum life',
    oom: 'it used up the memory',
    full: 'it was ended, because the disk of the machine was full',
  }[exit.cause];
  const words = lastWords(record);
  return words === '' ? how : `${how}; its last words: ${words}`;
}
