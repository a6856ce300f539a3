import type { HandsCall } from '@hamlet/contract';
import { type ReactElement, useMemo } from 'react';
import { visibleText } from '../permissions/shown-arguments.ts';
import { DiffView } from './diff-view.tsx';
import { changeLabel, fileChanges } from './hands-labels.ts';
import { useUndos } from './use-hands-calls.ts';
import './hands.css';

/** The files that a run changed, each with its difference, folded; an undone change says so. */
export function RunFiles({ calls }: { readonly calls: readonly HandsCall[] }): ReactElement | null {
  const changer = calls.find(({ report }) => report?.change !== undefined);
  const undos = useUndos(changer?.agent_id ?? null);
  const changes = useMemo(() => fileChanges(calls, undos), [calls, undos]);
  if (changes.length === 0) return null;
  return (
    <>
      <dt>Files</dt>
      <dd>
        <ul className="run-files">
          {changes.map((change) => (
            <li key={change.call.call_id} data-undone={change.undone}>
              <details>
                <summary>
                  <span className="run-file">{visibleText(change.path)}</span>
                  <span className="run-file-label">{changeLabel(change)}</span>
                </summary>
                <DiffView diff={change.diff} path={change.path} />
              </details>
            </li>
          ))}
        </ul>
      </dd>
    </>
  );
}
