import type { KeepArtifact } from '../artifacts/keep-artifact.ts';
import type { ReadScript } from '../scripts/read-script.ts';

/** An API without room for artifacts. */
export const KEEPS_NONE: KeepArtifact = async () => ({ kind: 'refused', code: 'artifacts_full', detail: 'No room' });

/** An agent that has registered no script. */
export const HAS_NO_SCRIPTS: ReadScript = async () => ({
  kind: 'refused',
  code: 'no_such_script',
  detail: 'No script',
});
