import type { Mind } from '@hamlet/contract';
import { isForeign, mindLabel } from '@hamlet/core';
import './mind.css';

/** A mind in a list. Most agents have the village's own, so only screen readers read that one out. */
export function MindName({ mind }: { readonly mind: Mind | null | undefined }) {
  if (mind === null || mind === undefined) return null;
  const name = mindLabel(mind);
  return isForeign(mind) ? (
    <span className="agent-mind" title={name}>
      {name}
    </span>
  ) : (
    <span className="sr-only">{name}</span>
  );
}
