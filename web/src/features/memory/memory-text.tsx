import { useState } from 'react';
import { LinkButton } from '../../ui/controls.tsx';
import { isLongText } from './memory-labels.ts';

/** The words of a memory. Long ones begin folded, so that a list stays a list. */
export function MemoryText({ text }: { readonly text: string }) {
  const [open, setOpen] = useState(false);
  if (!isLongText(text)) return <p className="memory-text">{text}</p>;
  return (
    <>
      <p className="memory-text" data-folded={!open}>
        {text}
      </p>
      <LinkButton
        className="memory-more"
        word={open ? 'Show less' : 'Show all'}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      />
    </>
  );
}
