import { type HandsCall, listCalls, type Run } from '@hamlet/contract';
import { useMemo } from 'react';
import { runRefreshMs } from '../../../client/minds/run-trace.ts';
import { type Pages, useLive, usePages } from '../../../client/query/use-live.ts';
import { Part } from '../../../ui/controls.tsx';
import { DiffView } from '../../hands/diff-view.tsx';
import { type ChangedFile, changedFiles, fileLabel } from '../../hands/changed-files.ts';
import '../../hands/hands.css';
import { visibleText } from '@hamlet/core/visible-text';

export function useChangedFiles(calls: readonly HandsCall[]): readonly ChangedFile[] {
  const changer = calls.find(({ report }) => report?.change !== undefined);
  const undos = useUndos(changer?.agent_id ?? null);
  return useMemo(() => changedFiles(calls, undos), [calls, undos]);
}

/** The files that a run changed, each with one diff from its first edit to its last. */
export function RunFiles({ files }: { readonly files: readonly ChangedFile[] }) {
  if (files.length === 0) return null;
  return (
    <Part name="Files">
      <ul className="run-files">
        {files.map((file) => (
          <li key={file.path} data-undone={file.undone}>
            <details>
              <summary>
                <span className="run-file">{visibleText(file.path)}</span>
                <span className="run-file-label">{fileLabel(file)}</span>
              </summary>
              {file.diffs.map((diff, index) => (
                <DiffView key={index} diff={diff} path={file.path} />
              ))}
            </details>
          </li>
        ))}
      </ul>
    </Part>
  );
}

const UNDOS_EVERY_MS = 10_000;
const PAGE = 50;
const NO_CALLS: readonly HandsCall[] = [];

export function useRunCalls(run: Pick<Run, 'run_id' | 'state'>, version: number): Pages<HandsCall, unknown> {
  return usePages(
    listCalls,
    { query: { run_id: run.run_id, limit: PAGE } },
    { list: 'calls', id: ({ run_id: id, call_id: call }) => `${id} ${call}`, everyMs: runRefreshMs(run), version },
  );
}

/** The newest undos of an agent in all of its runs; none are requested for null. */
function useUndos(agentId: string | null): readonly HandsCall[] {
  const input = agentId === null ? null : { query: { agent_id: agentId, tool: 'undo_change', limit: PAGE } };
  return useLive(listCalls, input, UNDOS_EVERY_MS).data?.calls ?? NO_CALLS;
}
