/** Uploads of artifacts: retries until the API answers, and requests that are never sent because the API would refuse them. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { ARTIFACT_MAX_BYTES, type Artifact } from '@hamlet/contract';
import { createRunBook } from '../engine/run-book.ts';
import type { Answer, RunLease } from '../village/village.ts';
import type { ArtifactUpload, WorkVillage } from '../village/work-village.ts';
import { artifactNameOf, keepArtifactWith } from './keep-artifact.ts';

const LEASE = { cycle: 2, attempt: 3 };
const { signal } = new AbortController();

function uploader(answers: readonly Answer<Artifact>[]) {
  const sent: (RunLease & ArtifactUpload)[] = [];
  const lost: string[] = [];
  const book = createRunBook();
  const onLeaseLost = () => void lost.push('r1');
  book.open({
    runId: 'r1',
    lease: LEASE,
    policy: null,
    model: null,
    audience: ['x'],
    repository: null,
    author: null,
    onLeaseLost,
    refused: new Set(),
    refusals: new Map(),
    memoryAudience: null,
  });
  const work = {
    keepArtifact: async (_run, _call, upload) => {
      sent.push(upload);
      return answers[sent.length - 1] ?? { kind: 'unreachable', why: 'no more answers' };
    },
  } satisfies Partial<WorkVillage> as unknown as WorkVillage;
  return { keep: keepArtifactWith({ work, book, rest: async () => {}, random: () => 0 }), sent, lost };
}

test('an upload is repeated with the same hash until the API answers', async () => {
  const value = { artifact_id: 'a1' } as Artifact;
  const { keep, sent } = uploader([
    { kind: 'unreachable', why: 'restart' },
    { kind: 'ok', value },
  ]);
  const bytes = new Uint8Array(Buffer.from('a,b\n1,2\n'));
  const made = { name: 'x.csv', mediaType: 'text/csv', bytes, deliverable: 'file', signal } as const;
  assert.deepEqual(await keep('r1', '1.0', made), { kind: 'ok', value });
  assert.equal(sent.length, 2);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  assert.deepEqual(sent[1], { ...LEASE, name: 'x.csv', mediaType: 'text/csv', bytes, deliverable: 'file', sha256 });
});

test('an artifact that is empty, too large or without a lease is not sent; a lapsed lease is reported', async () => {
  const { keep, sent, lost } = uploader([{ kind: 'refused', code: 'claim_lapsed', detail: 'over' }]);
  const code = async (run: string, bytes: Uint8Array<ArrayBuffer>) => {
    const answer = await keep(run, '1.0', { name: 'x', mediaType: 'text/plain', bytes, signal });
    return answer.kind === 'refused' ? answer.code : answer.kind;
  };
  assert.equal(await code('r2', new Uint8Array(1)), 'claim_lapsed');
  assert.equal(await code('r1', new Uint8Array(0)), 'artifact_empty');
  assert.equal(await code('r1', new Uint8Array(ARTIFACT_MAX_BYTES + 1)), 'artifact_too_large');
  assert.deepEqual([sent.length, lost], [0, []]);
  assert.equal(await code('r1', new Uint8Array(1)), 'claim_lapsed');
  assert.deepEqual(lost, ['r1']);
});

test('every path and title is turned into a name that the API accepts', () => {
  const names = ['/workspace/a/report.csv', 'a\\b\n.txt', 'gpj.\u202Eexe', '..', '', `${'x'.repeat(300)}.png`];
  assert.deepEqual(
    names.map((name) => artifactNameOf(name, 'artifact')),
    ['report.csv', 'a_b_.txt', 'gpj._exe', 'artifact', 'artifact', `${'x'.repeat(196)}.png`],
  );
});
