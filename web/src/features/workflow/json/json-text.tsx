import { useMemo, useState } from 'react';
import { LinkButton } from '../../../ui/controls.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { visibleText } from '@hamlet/core/visible-text';
import { foldedText } from './folded-text.ts';

/** A value as JSON, the first lines of a long one, and a copy of all of it. A text stands as it is. `json` is valid JSON. */
export function JsonText({ label, json }: Readonly<{ label: string; json: string }>) {
  const [isOpen, setOpen] = useState(false);
  const { text, first, lines } = useMemo(() => foldedText(json), [json]);
  return (
    <div className="json-text">
      <pre tabIndex={0} aria-label={label}>
        {visibleText(isOpen || first === null ? text : `${first}\n…`)}
      </pre>
      <div className="button-row">
        {first !== null && (
          <LinkButton
            word={isOpen ? 'Show less' : `Show all ${lines.toLocaleString('en')} lines`}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          />
        )}
        {text.length > COPY_MIN_CHARS && <CopyButton text={text} word="Copy" />}
      </div>
    </div>
  );
}

/** Shorter values are selected as quickly. */
const COPY_MIN_CHARS = 80;
