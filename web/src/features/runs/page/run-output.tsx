import { useEffect, useMemo, useState } from 'react';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { visibleText } from '@hamlet/core/visible-text';
import { indentedJson } from '../indented-json.ts';

/** The answer of a run with an output schema, with a copy and a file for other programs. `json` is valid JSON. */
export function RunOutput({ runId, json }: Readonly<{ runId: string; json: string }>) {
  const text = useMemo(() => indentedJson(json), [json]);
  const address = useBlobAddress(text);
  return (
    <div className="run-output">
      <pre tabIndex={0} aria-label="Output" data-output>
        {visibleText(text)}
      </pre>
      <div className="button-row">
        <CopyButton text={text} word="Copy the JSON" />
        {address !== null && (
          <a className="button button-small" href={address} download={`${runId}.json`} data-action="download-output">
            Download the JSON
          </a>
        )}
      </div>
    </div>
  );
}

function useBlobAddress(text: string): string | null {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [text]);
  return address;
}
