import { getSessionResults, listRunArtifacts, type Permission } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { useLive } from '../../../client/query/use-live.ts';
import { ArtifactCard } from '../../results/artifact-card.tsx';
import { ArgumentList } from '../argument-list.tsx';
import { visibleText } from '../shown-arguments.ts';
import type { ShownPost } from './shown-post.ts';

/** Deliverables do not change; one of a worker may come a moment after the request. */
const EVERY_MS = 15_000;
const PAGE = 100;

interface PostProps {
  readonly permission: Permission;
  readonly post: ShownPost;
}

/** A post that waits for a person: its text, and the deliverables that it would publish, which can be opened before the answer. */
export function PostDetails({ permission: { run_id, session_id }, post }: PostProps): ReactElement {
  const ofRun = useLive(listRunArtifacts, { params: { run_id }, query: { limit: PAGE } }, EVERY_MS).data;
  const session = session_id === null ? null : { params: { session_id } };
  const ofSession = useLive(getSessionResults, session, EVERY_MS).data;
  const known = [...(ofRun?.artifacts ?? []), ...(ofSession?.artifacts ?? [])];
  return (
    <>
      <ArgumentList argumentsText={post.argumentsText} />
      <section className="post-publishes" aria-label="Deliverables">
        <b>Publishes with it, for all readers of the post:</b>
        <div className="artifacts">
          {post.deliverables.map((id) => {
            const artifact = known.find(({ artifact_id }) => artifact_id === id);
            return artifact === undefined ? (
              <p key={id} className="hint">
                Deliverable <code>{visibleText(id)}</code>
                {ofRun === null ? '' : ': this conversation has none of that id, so the post will fail'}
              </p>
            ) : (
              <ArtifactCard key={id} artifact={artifact} />
            );
          })}
        </div>
      </section>
    </>
  );
}
