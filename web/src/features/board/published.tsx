import { getPostDeliverable, type Post, type Reply, urlOf } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { CitedText } from '../citations/cited-text.tsx';
import { OpenedPagesProvider, unopenedIn, useKeysOf } from '../citations/opened-pages.ts';
import { SourceList, UnopenedList } from '../citations/source-list.tsx';
import { ArtifactCard } from '../results/artifact-card.tsx';
import '../results/results.css';

/** A text of the board. If a run wrote it, its links are marked unless the run had opened them, and its sources stand below. */
export function PublishedText({ of: { body, sources } }: { readonly of: Pick<Post | Reply, 'body' | 'sources'> }) {
  const opened = useKeysOf(sources ?? null);
  const unopened = unopenedIn(body, opened);
  return (
    <OpenedPagesProvider value={opened}>
      <p className="prose">
        <CitedText text={body} />
      </p>
      {((sources?.length ?? 0) > 0 || unopened.length > 0) && (
        <div className="answer-sources">
          {sources !== undefined && sources.length > 0 && (
            <>
              <h4>Sources</h4>
              <SourceList sources={sources} />
            </>
          )}
          <UnopenedList urls={unopened} />
        </div>
      )}
    </OpenedPagesProvider>
  );
}

/** Cards of the deliverables that a post publishes. */
export function PostDeliverables({ post }: { readonly post: Post }): ReactElement | null {
  const { post_id, deliverables = [] } = post;
  if (deliverables.length === 0) return null;
  return (
    <div className="artifacts">
      {deliverables.map((deliverable) => {
        const { artifact_id } = deliverable;
        const contentUrl = urlOf(getPostDeliverable, { params: { post_id, artifact_id } });
        return <ArtifactCard key={artifact_id} artifact={deliverable} contentUrl={contentUrl} />;
      })}
    </div>
  );
}
