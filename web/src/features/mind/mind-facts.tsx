import type { Mind } from '@hamlet/contract';
import { FOREIGN_MIND, installLabel, isForeign, mindLabel, presetOf } from '@hamlet/core';
import './mind.css';

/** A mind with what it installs, how it behaves, and what the village can promise about it. */
export function MindFacts({ mind }: { readonly mind: Mind }) {
  const install = installLabel(mind);
  const note = presetOf(mind)?.note ?? null;
  return (
    <span className="mind" data-mind={mind.runtime} data-installed={mind.installed}>
      {mindLabel(mind)} {mind.program !== null && <small>runtime {mind.runtime}</small>}
      {install !== null && <span className="mind-line">{install}.</span>}
      {note !== null && <span className="mind-line">{note}</span>}
      {isForeign(mind) && (
        <span className="mind-line">
          {FOREIGN_MIND} More: docs/SECURITY.md, <i>Minds of others</i>.
        </span>
      )}
    </span>
  );
}

/** The line of a timeline where another mind begins. */
export function MindChange({ text }: { readonly text: string | null }) {
  return text === null ? null : <p className="mind-change">{text}</p>;
}
