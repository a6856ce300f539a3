import { type Artifact, listRunArtifacts, listRunSources, type Run } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { runRefreshMs } from '../../client/minds/run-refresh.ts';
import { useLive } from '../../client/query/use-live.ts';
import { SourceList, UnopenedList } from '../citations/source-list.tsx';
import { type Source, unopenedIn, useKeysOf } from '../citations/opened-pages.ts';
import { ArtifactCard } from './artifact-card.tsx';
import { ArtifactImage } from './artifact-image.tsx';
import './results.css';

const PAGE = 100;
const NO_ARTIFACTS: readonly Artifact[] = [];

/** The artifacts of a run, read again with each new event of the run. */
export function useRunArtifacts(run: Pick<Run, 'run_id' | 'state'>, version: number): readonly Artifact[] {
  const input = { params: { run_id: run.run_id }, query: { limit: PAGE } };
  return useLive(listRunArtifacts, input, { everyMs: runRefreshMs(run), version }).data?.artifacts ?? NO_ARTIFACTS;
}

/** The pages that a run opened; null before the answer. */
export function useRunSources(run: Pick<Run, 'run_id' | 'state'>, version: number): readonly Source[] | null {
  const input = { params: { run_id: run.run_id } };
  return useLive(listRunSources, input, { everyMs: runRefreshMs(run), version }).data?.sources ?? null;
}

/** Deliverables as cards, then screenshots, then other things that the run kept. */
export function RunResults({ artifacts }: { readonly artifacts: readonly Artifact[] }): ReactElement | null {
  const delivered = artifacts.filter(({ deliverable }) => deliverable !== null);
  const images = artifacts.filter(({ deliverable, image }) => deliverable === null && image);
  const others = artifacts.filter(({ deliverable, image }) => deliverable === null && !image);
  return (
    <>
      {delivered.length > 0 && <Cards word="Delivered" artifacts={delivered} />}
      {images.length > 0 && (
        <>
          <dt>Screenshots</dt>
          <dd>
            <div className="artifact-images">
              {images.toReversed().map((image) => (
                <ArtifactImage key={image.artifact_id} artifact={image} />
              ))}
            </div>
          </dd>
        </>
      )}
      {others.length > 0 && <Cards word="Kept" artifacts={others} />}
    </>
  );
}

function Cards({ word, artifacts }: Readonly<{ word: string; artifacts: readonly Artifact[] }>): ReactElement {
  return (
    <>
      <dt>{word}</dt>
      <dd className="artifacts">
        {artifacts.map((artifact) => (
          <ArtifactCard key={artifact.artifact_id} artifact={artifact} />
        ))}
      </dd>
    </>
  );
}

/** The pages that the run opened, and the links of its result that it never opened. */
export function RunSources({ sources, text }: Readonly<{ sources: readonly Source[] | null; text: string }>) {
  const unopened = unopenedIn(text, useKeysOf(sources));
  if (sources === null || (sources.length === 0 && unopened.length === 0)) return null;
  return (
    <>
      <dt>Links</dt>
      <dd>
        {sources.length > 0 && <SourceList sources={sources} />}
        <UnopenedList urls={unopened} />
      </dd>
    </>
  );
}
