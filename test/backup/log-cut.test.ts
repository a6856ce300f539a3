/** The folder of the sealed log is cut back to an earlier moment, also if the first attempt is interrupted. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import { cutLog, LOG_FOLDER } from '../../local/village/backup/log-volume.ts';

const HASH_BYTES = 32;
const KEPT = 300 * HASH_BYTES;
const folder = testFolder('log-cut');
const log = join(folder, 'log');
const programs = join(folder, 'programs');
const kubectl = join(folder, 'kubectl');
const note = (size: number): string => `hamlet.village/hamlet\n${size}\nroot\n`;
const hashes = Buffer.from(Array.from({ length: 600 * HASH_BYTES }, (_, at) => at % 251));

const writeProgram = (file: string, script: string): void =>
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });

mkdirSync(programs);
writeFileSync(join(folder, 'then'), note(300));
// Each attempt has its own second.
writeProgram(join(programs, 'date'), `echo >>${folder}/attempts; wc -l <${folder}/attempts`);
writeProgram(
  kubectl,
  `case "$*" in
*' exec '*) ;;
*' get deployment '*) echo '{"containers":[{"name":"api"}]}'; exit ;;
*) exit ;;
esac
while [ "$1" != -- ]; do shift; done
PATH='${programs}':"$PATH" exec sh -c "$(printf %s "$4" | sed 's#${LOG_FOLDER}#${log}#')" "$5" "$6"`,
);

const cut = (): Promise<void> =>
  cutLog(
    { kubectl, helm: 'helm', kubeconfig: undefined, namespace: 'hamlet' },
    { checkpoint: join(folder, 'then'), sealed: 300 },
    () => undefined,
  );

const INTERRUPTIONS = {
  'before the hashes are cut': ['truncate', 'exit 1'],
  'before the checkpoint is replaced': ['mv', 'case "$*" in *.checkpoint.new*) exit 1 ;; esac\nexec /bin/mv "$@"'],
} as const;

for (const [when, [program, script]] of Object.entries(INTERRUPTIONS))
  test(`a cut that is interrupted ${when} begins again, and loses no evidence`, async () => {
    rmSync(log, { recursive: true, force: true });
    mkdirSync(join(log, 'checkpoints'), { recursive: true });
    writeFileSync(join(log, 'checkpoint'), note(600));
    for (const size of [256, 512]) writeFileSync(join(log, 'checkpoints', String(size)), note(size));
    writeFileSync(join(log, 'hashes'), hashes);
    writeFileSync(join(log, 'key.pub'), 'the key');
    writeProgram(join(programs, program), script);
    await assert.rejects(cut());
    rmSync(join(programs, program));
    await cut();
    assert.equal(readFileSync(join(log, 'checkpoint'), 'utf8'), note(300));
    assert.deepEqual(readFileSync(join(log, 'hashes')), hashes.subarray(0, KEPT));
    assert.deepEqual(readdirSync(join(log, 'checkpoints')), ['256']);
    const [first = ''] = readdirSync(join(log, 'lost')).toSorted();
    const lost = join(log, 'lost', first);
    assert.equal(readFileSync(join(lost, 'checkpoint'), 'utf8'), note(600));
    assert.ok(!existsSync(join(log, 'key.pub')), 'the next api writes the key with which it continues');
    assert.deepEqual(readFileSync(join(lost, 'hashes')), hashes.subarray(KEPT));
  });
