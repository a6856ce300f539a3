import { type Artifact, getSessionResults, type RunSource } from '@hamlet/contract';
import { createContext, type ReactElement, type ReactNode, useContext, useMemo } from 'react';
import { useLive } from '../../client/query/use-live.ts';
import { type Source, unopenedIn, useKeysOf } from '../citations/opened-pages.ts';
import { SourceList, UnopenedList } from '../citations/source-list.tsx';
import { ArtifactCard } from './artifact-card.tsx';
import './results.css';

/** Results come with the end of calls and of answers; a change of the transcript asks at once. */
const EVERY_MS = 15_000;

interface Results {
  readonly artifacts: readonly Artifact[];
  readonly sources: readonly RunSource[];
}

const Context = createContext<Results | null>(null);

type ProviderProps = Readonly<{ sessionId: string; version: number; children: ReactNode }>;

/** Gives the answers below it the deliverables and opened pages of their runs, with one request for the conversation. */
export function SessionResults({ sessionId, version, children }: ProviderProps): ReactElement {
  const { data } = useLive(getSessionResults, { params: { session_id: sessionId } }, { everyMs: EVERY_MS, version });
  return <Context.Provider value={data}>{children}</Context.Provider>;
}

/** The pages that the run of an answer opened; null while they are not known. */
export function useAnswerSources(runId: string | null): readonly Source[] | null {
  const results = useContext(Context);
  return useMemo(
    () => (results === null || runId === null ? null : results.sources.filter(({ run_id: id }) => id === runId)),
    [results, runId],
  );
}

/** Cards of what the run of an answer delivered, and of its workers. */
export function AnswerDeliverables({ runId }: { readonly runId: string }): ReactElement | null {
  const delivered = (useContext(Context)?.artifacts ?? []).filter(({ run_id: id }) => id === runId);
  if (delivered.length === 0) return null;
  return (
    <div className="artifacts">
      {delivered.toReversed().map((artifact) => (
        <ArtifactCard key={artifact.artifact_id} artifact={artifact} />
      ))}
    </div>
  );
}

/** The sources of an answer, and its links that were never opened. */
export function AnswerSources({ sources, text }: Readonly<{ sources: readonly Source[] | null; text: string }>) {
  const unopened = unopenedIn(text, useKeysOf(sources));
  if (sources === null || (sources.length === 0 && unopened.length === 0)) return null;
  return (
    <div className="answer-sources">
      {sources.length > 0 && (
        <>
          <h4>Sources</h4>
          <SourceList sources={sources} />
        </>
      )}
      <UnopenedList urls={unopened} />
    </div>
  );
}
