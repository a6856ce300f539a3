import type { ManifestFiles } from '@hamlet/contract';
import { useEffect, useRef, useState } from 'react';
import { Choices } from '../../../ui/fields.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { visibleText } from '@hamlet/core/visible-text';
import type { ConfigPlace } from './config-place.ts';

type FilesProps = Readonly<{ files: ManifestFiles; sha256: string; place: ConfigPlace | null }>;

const HASH_SHOWN = 12;

/** The manifests of a run as they were when it was created. `place`: the line that the engine refused. */
export function ManifestView({ files, sha256, place }: FilesProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  const shown = files.find(({ path }) => path === (chosen ?? place?.file)) ?? files[0];
  if (shown === undefined) return <p className="hint">The run has no manifests.</p>;
  return (
    <div className="manifest-view">
      <div className="manifest-head">
        <Choices
          label="File"
          small
          keys={files.map(({ path }) => path)}
          value={shown.path}
          wordOf={(path) => path}
          onChange={setChosen}
        />
        <span className="hint" title={sha256}>
          as given, {sha256.slice(0, HASH_SHOWN)}
        </span>
        <CopyButton text={shown.text} word="Copy" />
      </div>
      <Lines key={shown.path} text={shown.text} label={shown.path} place={place?.file === shown.path ? place : null} />
    </div>
  );
}

type LinesProps = Readonly<{ text: string; label: string; place: ConfigPlace | null }>;

function Lines({ text, label, place }: LinesProps) {
  const marked = useRef<HTMLLIElement>(null);
  useEffect(() => {
    const { current: line } = marked;
    const list = line?.parentElement;
    if (line !== null && list !== null && list !== undefined) list.scrollTop = line.offsetTop - list.clientHeight / 2;
  }, []);
  return (
    <ol className="manifest-lines" tabIndex={0} aria-label={label}>
      {text.split('\n').map((line, index) => {
        const isWrong = place?.line === index + 1;
        return (
          <li key={index} ref={isWrong ? marked : null} data-wrong={isWrong || undefined}>
            <code>{visibleText(line.replace('\r', ''))}</code>
            {isWrong && <strong className="manifest-problem">{place.message}</strong>}
          </li>
        );
      })}
    </ol>
  );
}
