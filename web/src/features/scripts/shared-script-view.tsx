import { SharedScript } from '@hamlet/contract';
import { type ReactElement, useMemo } from 'react';
import { visibleText } from '../permissions/shown-arguments.ts';
import { parameterLabels } from './script-labels.ts';
import './scripts.css';

/** A script that an agent delivered, as another agent would adopt it. */
export function SharedScriptView({ text }: { readonly text: string }): ReactElement {
  const script = useMemo(() => readShared(text), [text]);
  if (script === null) return <p className="hint">This is no script that an agent could adopt: download it.</p>;
  const labels = parameterLabels(script.parameters);
  return (
    <div className="shared-script">
      <p>
        <b>{script.name}</b> <span className="hint">{script.language}</span>
      </p>
      <p className="script-text">{visibleText(script.description)}</p>
      {labels.length > 0 && <p className="hint">Parameters: {labels.join(', ')}</p>}
      <pre className="call-result script-source" tabIndex={0} aria-label={`Source of ${script.name}`}>
        {visibleText(script.source)}
      </pre>
    </div>
  );
}

function readShared(text: string): SharedScript | null {
  try {
    return SharedScript.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
