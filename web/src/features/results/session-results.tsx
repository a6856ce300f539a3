import { Fact, Part } from '../../ui/controls.tsx';
import type { Artifact, Run, RunSource } from '@hamlet/contract';
import { getSessionResults, listRunArtifacts, listRunSources } from '@hamlet/contract';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { useLive } from '../../client/query/use-live.ts';
import { type Source, unopenedIn, useKeysOf } from '../citations/opened-pages.ts';
import { SourceList, UnopenedList } from '../citations/source-list.tsx';
import { ArtifactCard, ArtifactImage } from './artifact-card.tsx';
import { byName } from './result-labels.ts';
import './results.css';
import { runRefreshMs } from '../../client/minds/run-trace.ts';

/** Results appear when calls and answers end, so a change of the transcript requests them at once. */
const EVERY_MS = 15_000;

type Results = Readonly<{ artifacts: readonly Artifact[]; sources: readonly RunSource[] }>;

const Context = createContext<Results | null>(null);

type ProviderProps = Readonly<{ sessionId: string; version: number; children: ReactNode }>;

/** Gives the answers below it the deliverables and opened pages of their runs, with one request for the conversation. */
export function SessionResults({ sessionId, version, children }: ProviderProps) {
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

export function AnswerDeliverables({ runId }: { readonly runId: string }) {
  const delivered = (useContext(Context)?.artifacts ?? []).filter(({ run_id: id }) => id === runId);
  if (delivered.length === 0) return null;
  return (
    <div className="artifacts">
      {byName(delivered).map((versions) => (
        <Versions key={versions[0]?.name ?? ''} versions={versions} />
      ))}
    </div>
  );
}

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

const PAGE = 100;
const NO_ARTIFACTS: readonly Artifact[] = [];

export function useRunArtifacts(run: Pick<Run, 'run_id' | 'state'>, version: number): readonly Artifact[] {
  const input = { params: { run_id: run.run_id }, query: { limit: PAGE } };
  return useLive(listRunArtifacts, input, { everyMs: runRefreshMs(run), version }).data?.artifacts ?? NO_ARTIFACTS;
}

export function useRunSources(run: Pick<Run, 'run_id' | 'state'>, version: number): readonly Source[] | null {
  const input = { params: { run_id: run.run_id } };
  return useLive(listRunSources, input, { everyMs: runRefreshMs(run), version }).data?.sources ?? null;
}

export function RunResults({ artifacts }: { readonly artifacts: readonly Artifact[] }) {
  const delivered = artifacts.filter(({ deliverable }) => deliverable !== null);
  const images = artifacts.filter(({ deliverable, image }) => deliverable === null && image);
  const others = artifacts.filter(({ deliverable, image }) => deliverable === null && !image);
  return (
    <>
      {delivered.length > 0 && (
        <Part name="Delivered" className="artifacts">
          {byName(delivered).map((versions) => (
            <Versions key={versions[0]?.name ?? ''} versions={versions} />
          ))}
        </Part>
      )}
      {images.length > 0 && (
        <Part name="Screenshots">
          <div className="artifact-images">
            {images.toReversed().map((image) => (
              <ArtifactImage key={image.artifact_id} artifact={image} />
            ))}
          </div>
        </Part>
      )}
      {others.length > 0 && (
        <Part name="Kept" className="artifacts">
          {others.map((artifact) => (
            <ArtifactCard key={artifact.artifact_id} artifact={artifact} />
          ))}
        </Part>
      )}
    </>
  );
}

/** A deliverable in its newest version; the earlier ones are folded. */
function Versions({ versions }: { readonly versions: readonly Artifact[] }) {
  const [newest, ...earlier] = versions;
  if (newest === undefined) return null;
  return (
    <div className="artifact-versions" data-versions={versions.length}>
      <ArtifactCard artifact={newest} />
      {earlier.length > 0 && (
        <details>
          <summary>{earlier.length === 1 ? '1 earlier version' : `${earlier.length} earlier versions`}</summary>
          <div className="artifacts">
            {earlier.map((artifact) => (
              <ArtifactCard key={artifact.artifact_id} artifact={artifact} />
            ))}
          </div>
        </details>
      )}
    </div>
  );
}

export function RunSources({ sources, text }: Readonly<{ sources: readonly Source[] | null; text: string }>) {
  const unopened = unopenedIn(text, useKeysOf(sources));
  if (sources === null || (sources.length === 0 && unopened.length === 0)) return null;
  return (
    <Fact name="Links">
      {sources.length > 0 && <SourceList sources={sources} />}
      <UnopenedList urls={unopened} />
    </Fact>
  );
}
