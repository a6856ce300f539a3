#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { keyOf, NOTHING_KEPT, readKept } from './kept.ts';
import type { Kept } from './kept.ts';
import { runningVillage } from './running-village.ts';
import { folderSource, saveLog, SourceError, villageSource } from './log-source.ts';
import type { LogSource } from './log-source.ts';
import { Contradiction, gatherReference } from './reference.ts';
import type { Reference, Verdict } from './verify-log.ts';
import { verifyLog } from './verify-log.ts';

const USAGE = `hamlet-verify: whether the log of a village is what was once sealed

usage: hamlet-verify --running FOLDER [--kept PATH]
       hamlet-verify --url URL [--token TOKEN] [--kept PATH] [--key KEY]
       hamlet-verify --export FOLDER [--kept PATH] [--key KEY]
       hamlet-verify --url URL [--token TOKEN] --save FOLDER

  --running FOLDER the village of this machine, as make up or make dev wrote it to FOLDER (.hamlet): its url, token, and what it keeps outside
  --url URL        a running village, for example http://localhost:8080
  --token TOKEN    an admin's token (or HAMLET_TOKEN): entries of the log are for admins
  --export FOLDER  a log that was saved with --save: nothing is asked of the village
  --kept PATH      what was kept outside of the village: a file with a signed checkpoint, or the folder that the api writes (HAMLET_LOG_DIR).
                   Without it the log is held to its own newest checkpoint only, which whoever rewrites all of it can make
  --key KEY        the key that checkpoints are signed with (name+id+key), or a file with it; else the one beside what was kept
  --save FOLDER    saves the log in the layout of C2SP tlog-tiles, and verifies nothing
  --json           one line of JSON instead of words

Ends with 0 where every entry is what was sealed, 1 with the position of the first difference, 2 where it cannot be told.`;

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
  throw new SourceError('name either --url or --export; --help says how');
}

async function keyText(
  given: string | undefined,
  kept: Kept,
  source: LogSource,
): Promise<{ readonly text: string; readonly own: boolean }> {
  if (given !== undefined) return { text: given.includes('+') ? given : await readFile(given, 'utf8'), own: false };
  if (kept.key !== null) return { text: kept.key, own: false };
  const text = await source.key();
  if (text === null) throw new SourceError(`${source.name} has no key: nothing is sealed`);
  return { text, own: true };
}

/** What is said of a verdict. */
function wordsOf(verdict: Verdict, reference: Reference, notes: readonly string[]): string {
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
      : ` ${verdict.waiting} sides of transfers wait for an earlier one that is not sealed yet.`;
  return [
    `ok: all ${verdict.entries} entries are what was sealed, ${verdict.transfers} of them money, and the books follow from them.${waiting}`,
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

async function main(values: Values): Promise<number> {
  const source = sourceOf(values);
  const kept = values.kept === undefined ? NOTHING_KEPT : await readKept(values.kept);
  const { text, own } = await keyText(values.key, kept, source);
  const key = keyOf(text);
  if (values.save !== undefined) {
    const { checkpoints } = await gatherReference(source, NOTHING_KEPT, key);
    const size = checkpoints.at(-1)?.size ?? 0;
    await saveLog(source, size, values.save);
    console.log(`saved ${size} entries in ${values.save}`);
    return 0;
  }
  const { verdict, reference } = await judge(source, () => gatherReference(source, kept, key));
  const notes = [
    ...(values.kept === undefined
      ? ['note: held to its own checkpoint only; keep one elsewhere and name it with --kept']
      : []),
    ...(own ? [`note: the key is the village's own word: ${text.trim()}`] : []),
  ];
  console.log(values.json ? JSON.stringify(verdict) : wordsOf(verdict, reference, notes));
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
