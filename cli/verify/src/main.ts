#!/usr/bin/env node
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { keyOf, NOTHING_KEPT, readKept, type Kept } from './kept.ts';
import { atItsCheckpoint, folderSource, saveLog, SourceError, villageSource, type LogSource } from './log-source.ts';
import { Contradiction, gatherReference } from './reference.ts';
import { verifyLog, type Reference, type Verdict } from './verify-log.ts';

const USAGE = `hamlet-verify: verifies that the sealed log of a village is unchanged

usage: hamlet-verify --running FOLDER [--kept PATH]
       hamlet-verify --url URL [--token TOKEN] [--kept PATH] [--key KEY]
       hamlet-verify --export FOLDER [--kept PATH] [--key KEY]
       hamlet-verify --url URL [--token TOKEN] --save FOLDER

  --running FOLDER the village of this machine: make up or make dev wrote its address, token and log folder to FOLDER (.hamlet)
  --url URL        a running village, for example http://localhost:8080
  --token TOKEN    an admin's token (or HAMLET_TOKEN): only admins may read entries
  --export FOLDER  a log that --save has written; the village is not needed
  --kept PATH      the copy outside of the village: a file with a signed checkpoint, or the folder of the api (HAMLET_LOG_DIR).
                   Without it the log is compared only with its own newest checkpoint, which an attacker who rewrites the log can sign too
  --key KEY        the public key of the checkpoints (name+id+key), or a file with it; default: the key beside the copy
  --save FOLDER    saves the log in the layout of C2SP tlog-tiles, and verifies nothing
  --json           one line of JSON instead of text

Exits 0 if every entry matches, 1 with the position of the first difference, 2 if the log cannot be verified.`;

const OPTIONS = {
  running: { type: 'string' },
  url: { type: 'string' },
  token: { type: 'string' },
  export: { type: 'string' },
  kept: { type: 'string' },
  key: { type: 'string' },
  save: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false, short: 'h' },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

function sourceOf({ url, token, export: folder }: Values): LogSource {
  if (url !== undefined && folder === undefined) return villageSource(url, token ?? process.env['HAMLET_TOKEN']);
  if (folder !== undefined && url === undefined) return folderSource(folder);
  throw new SourceError('set either --url or --export; see --help');
}

async function keyText(
  given: string | undefined,
  kept: Kept,
  source: LogSource,
): Promise<{ readonly text: string; readonly own: boolean }> {
  if (given !== undefined) return { text: given.includes('+') ? given : await readFile(given, 'utf8'), own: false };
  if (kept.key !== null) return { text: kept.key, own: false };
  const text = await source.key();
  if (text === null) throw new SourceError(`${source.name} has no key, because nothing is sealed yet`);
  return { text, own: true };
}

function textOf(verdict: Verdict, reference: Reference, notes: readonly string[]): string {
  if (!verdict.ok) {
    const where =
      verdict.until === verdict.position + 1
        ? `at position ${verdict.position}`
        : `between positions ${verdict.position} and ${verdict.until - 1}`;
    return [`DIFFERENCE ${where} of ${reference.checkpoints.at(-1)?.size ?? 0}: ${verdict.what}`, ...notes].join('\n');
  }
  const waiting =
    verdict.waiting === 0
      ? ''
      : ` ${verdict.waiting} entries wait for an earlier one of their account that is not sealed yet.`;
  return [
    `ok: all ${verdict.entries} entries match, ${verdict.transfers} of them transfers, and the balances follow from them.${waiting}`,
    ...notes,
  ].join('\n');
}

async function judge(
  source: LogSource,
  reference: () => Promise<Reference>,
): Promise<{ readonly verdict: Verdict; readonly reference: Reference }> {
  try {
    const gathered = await reference();
    return { verdict: await verifyLog(source, gathered), reference: gathered };
  } catch (error) {
    if (!(error instanceof Contradiction)) throw error;
    return {
      verdict: { ok: false, position: 0, until: error.size, what: error.message },
      reference: { checkpoints: [], hashes: new Uint8Array(0), contradicted: null },
    };
  }
}

interface Running {
  readonly url: string;
  readonly token: string;
  readonly kept?: string;
}

async function readState(file: string): Promise<Running | null> {
  const text = await readFile(file, 'utf8').catch(() => null);
  const { url, adminToken, sealedLog } =
    text === null ? {} : (JSON.parse(text) as { url?: unknown; adminToken?: unknown; sealedLog?: unknown });
  if (typeof url !== 'string' || typeof adminToken !== 'string') return null;
  return { url, token: adminToken, ...(typeof sealedLog === 'string' ? { kept: sealedLog } : {}) };
}

/** The village of this machine, from the files that `make up` and `make dev` write. Throws SourceError if none runs. */
async function runningVillage(folder: string, kept: string | undefined): Promise<Running> {
  const found = (await readState(join(folder, 'up.json'))) ?? (await readState(join(folder, 'dev.json')));
  if (found === null) throw new SourceError('no village runs here: run make up or make dev, or name one with --url');
  const { kept: own, ...village } = found;
  if (kept !== undefined) return { ...village, kept };
  const hasCheckpoint = own !== undefined && (await stat(join(own, 'checkpoint')).catch(() => null)) !== null;
  return hasCheckpoint ? { ...village, kept: own } : village;
}

async function main(values: Values): Promise<number> {
  const source = sourceOf(values);
  const kept = values.kept === undefined ? NOTHING_KEPT : await readKept(values.kept);
  const { text, own } = await keyText(values.key, kept, source);
  const key = keyOf(text);
  if (values.save !== undefined) {
    const sealed = await atItsCheckpoint(source);
    const { checkpoints } = await gatherReference(sealed, NOTHING_KEPT, key);
    const size = checkpoints.at(-1)?.size ?? 0;
    await saveLog(sealed, size, values.save);
    console.log(`saved ${size} entries in ${values.save}`);
    return 0;
  }
  const { verdict, reference } = await judge(source, () => gatherReference(source, kept, key));
  const notes = [
    ...(values.kept === undefined
      ? ['note: compared only with its own checkpoint; store one elsewhere and name it with --kept']
      : []),
    ...(own ? [`note: the key comes from the village itself: ${text.trim()}`] : []),
  ];
  console.log(values.json ? JSON.stringify(verdict) : textOf(verdict, reference, notes));
  return verdict.ok ? 0 : 1;
}

try {
  const { values: given } = parseArgs({ options: OPTIONS });
  if (given.help) console.log(USAGE);
  else
    process.exitCode = await main(
      given.running === undefined ? given : { ...given, ...(await runningVillage(given.running, given.kept)) },
    );
} catch (error) {
  console.error(`hamlet-verify: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
}
