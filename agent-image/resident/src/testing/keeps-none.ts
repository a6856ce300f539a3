import type { KeepArtifact } from '../artifacts/keep-artifact.ts';

/** An API without room for artifacts. */
export const KEEPS_NONE: KeepArtifact = async () => ({ kind: 'refused', code: 'artifacts_full', detail: 'No room' });
