import { afterPatch } from '@hamlet/core';
import type { Json } from '../../../client/json.ts';
import { trimmed } from './edit-spec.ts';
import { mergePatch } from './merge-patch.ts';
import { specProblems, type SpecProblems } from './spec-problems.ts';

/** The changes of a person, and the version of the agent on which they are based. */
export interface ChangeDraft {
  readonly version: string;
  readonly base: Json;
  readonly spec: Json;
}

type Stored = Readonly<{ resource_version: string; spec: Json }>;

export function draftOfStored({ resource_version: version, spec }: Stored): ChangeDraft {
  return { version, base: spec, spec };
}

/** The changes of a draft, and its problems. */
interface ChangeReading {
  readonly spec: Json;
  readonly patch: Json;
  readonly isChanged: boolean;
  readonly problems: SpecProblems;
}

export function readChange(draft: ChangeDraft): ChangeReading {
  const spec = trimmed(draft.spec);
  // Stored spaces do not count as a change by this person.
  const patch = mergePatch(trimmed(draft.base), spec);
  return { spec, patch, isChanged: Object.keys(patch).length > 0, problems: specProblems(spec) };
}

/** The same changes on top of a newer version. */
export function rebased(draft: ChangeDraft, newest: Stored): ChangeDraft {
  const spec = afterPatch(newest.spec, mergePatch(draft.base, draft.spec)) as Json;
  return { ...draftOfStored(newest), spec };
}
