import { createHash } from 'node:crypto';
import type { Artifact, DeliverableKind } from '@hamlet/contract';
import { ARTIFACT_MAX_BYTES, ARTIFACT_NAME_MAX_CHARS, ArtifactName } from '@hamlet/contract/resident';
import type { ToolKit } from '../tools/tool-kit.ts';
import { retry } from '../village/retry.ts';

export interface MadeArtifact {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly deliverable?: DeliverableKind;
  readonly signal: AbortSignal;
}

/**
 * Uploads bytes of a call that has begun at the API. The API stores equal bytes of one call once, so a repeated call changes
 * nothing. Refusals: `artifact_too_large`, `artifacts_full`, `no_such_call`, and those of work on a run.
 */
export type KeepArtifact = (run: string, call: string, made: MadeArtifact) => Promise<KeepAnswer>;

export type KeepAnswer =
  | { readonly kind: 'ok'; readonly value: Artifact }
  | { readonly kind: 'refused'; readonly code: string; readonly detail: string };

const MIB = 1024 * 1024;

export function keepArtifactWith(kit: Pick<ToolKit, 'work' | 'book' | 'rest' | 'random'>): KeepArtifact {
  return async (run, call, { signal, ...made }) => {
    const refused = (code: string, detail: string) => ({ kind: 'refused', code, detail }) as const;
    const booked = kit.book.find(run);
    if (booked === undefined) return refused('claim_lapsed', 'This process has no lease on the run');
    if (made.bytes.length === 0) return refused('artifact_empty', 'The artifact has no bytes: write something first');
    if (made.bytes.length > ARTIFACT_MAX_BYTES)
      return refused('artifact_too_large', `An artifact has at most ${ARTIFACT_MAX_BYTES / MIB} MiB: make it smaller`);
    const sha256 = createHash('sha256').update(made.bytes).digest('hex');
    const upload = { ...booked.lease, ...made, sha256 };
    const answer = await retry(() => kit.work.keepArtifact(run, call, upload), signal, kit);
    if (answer.kind === 'refused' && answer.code === 'claim_lapsed') booked.onLeaseLost();
    return answer;
  };
}

const UNFIT = /[/\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A name that the API accepts, from the last part of a path or from any other text. Pure. */
export function artifactNameOf(text: string, fallback: string): string {
  const last = text.split('/').at(-1) ?? '';
  const clean = last.toWellFormed().replaceAll(UNFIT, '_').slice(-ARTIFACT_NAME_MAX_CHARS).toWellFormed().trim();
  return ArtifactName.safeParse(clean).success ? clean : fallback;
}
