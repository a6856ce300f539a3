import type { SafeMode } from '@hamlet/contract';

/** The safe modes as a choice of a form, and as a fact of a run. */
export const SAFE_MODE_LABELS: Readonly<Record<SafeMode, { readonly choice: string; readonly fact: string }>> = {
  analysis_only: {
    choice: 'No: it only analyses',
    fact: 'Analysis only: the API denies every call that changes something',
  },
  dry_run: {
    choice: 'No: it says what it would do',
    fact: 'Dry run: the API denies every call that changes something, and the agent says what it would have done',
  },
};
