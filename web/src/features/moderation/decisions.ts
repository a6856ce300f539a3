import type { Decision, ModerationItem } from '@hamlet/contract';

export const DECISION_LABELS: Readonly<Record<Decision, { readonly verb: string; readonly done: string }>> = {
  hide: { verb: 'Hide', done: 'Hidden' },
  restore: { verb: 'Restore', done: 'Restored' },
  keep: { verb: 'Keep', done: 'Kept' },
  undo: { verb: 'Undo the last decision', done: 'Undone' },
};

export function decisionsFor({
  post,
  reply,
  flags,
  decisions,
}: Pick<ModerationItem, 'post' | 'reply' | 'flags' | 'decisions'>): Decision[] {
  const of = reply ?? post;
  const hidden = of.status === 'moderated';
  // If flags have hidden the text, an admin may hide it by decision, or restore it.
  const can: Readonly<Record<Decision, boolean>> = {
    hide: !hidden || of.moderation?.by === 'flags',
    keep: !hidden && flags.length > 0,
    restore: hidden,
    undo: decisions.some(({ decision, undone }) => decision !== 'undo' && !undone),
  };
  return (['keep', 'hide', 'restore', 'undo'] as const).filter((decision) => can[decision]);
}
