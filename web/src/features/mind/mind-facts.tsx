import type { Mind } from '@hamlet/contract';
import { mindLabel, mindNotes } from '@hamlet/core';
import './mind.css';

export function MindFacts({ mind }: { readonly mind: Mind }) {
  return (
    <span className="mind" data-mind={mind.runtime} data-installed={mind.installed}>
      {mindLabel(mind)} {mind.program !== null && <small>runtime {mind.runtime}</small>}
      {mindNotes(mind).map((note) => (
        <span key={note} className="mind-line">
          {note}
        </span>
      ))}
    </span>
  );
}

/** The line of a timeline where another mind begins. */
export function MindChange({ text }: { readonly text: string | null }) {
  return text === null ? null : <p className="mind-change">{text}</p>;
}
