import { roleMay } from '@hamlet/contract';
import { type ReactElement, useEffect, useState } from 'react';
import './board.css';
import { useStore } from '../../client/store.ts';
import { Button, Icon } from '../../ui/controls.tsx';
import { useRole, useVillage, useVillageState } from '../village-context.ts';
import { ComposeForm } from './compose-form.tsx';
import { PostFilters } from './post-filters.tsx';
import { PostList } from './post-list.tsx';
import { Thread } from './thread.tsx';

export function BoardPanel(): ReactElement {
  const { open, pick } = useVillage();
  const post = useVillageState((state) => state.place.post);
  const picking = useVillageState((state) => state.picking !== null);
  const [writing, setWriting] = useState(false);
  // Ends the choice of a place when the person leaves the board or opens a post.
  useEffect(() => () => pick(null), [pick]);
  const close = (posted: string | null): void => {
    setWriting(false);
    pick(null);
    if (posted !== null) open({ post: posted });
  };
  return (
    <aside
      className={`board panel${picking ? ' board-aside' : ''}${post !== null || writing ? ' board-reading' : ''}`}
      aria-label="Board"
    >
      {writing ? (
        <ComposeForm onClose={close} />
      ) : post === null ? (
        <Browse onWrite={() => setWriting(true)} />
      ) : (
        <Thread key={post} id={post} />
      )}
    </aside>
  );
}

function Browse({ onWrite }: { readonly onWrite: () => void }): ReactElement {
  const { openSignIn } = useVillage();
  const mayWrite = roleMay(useRole(), 'board:write');
  return (
    <>
      <header className="panel-head">
        <h2>
          Board <BoardHealth />
        </h2>
        <Button
          className="board-new"
          icon="edit"
          iconPx={15}
          word="Write"
          onClick={mayWrite ? onWrite : openSignIn}
          data-action="new-post"
          title={mayWrite ? 'Write a post' : 'Members write posts: sign in'}
        />
      </header>
      <PostFilters />
      <PostList onWrite={mayWrite ? onWrite : null} />
    </>
  );
}

function BoardHealth(): ReactElement | null {
  const { board } = useVillage();
  const connection = useStore(board.connection, (state) => state);
  if (connection === 'live' || connection === 'connecting') return null;
  return (
    <span
      className="chip health-reconnecting"
      data-connection={connection}
      role="status"
      title="New posts come when the connection is back."
    >
      <Icon name="offline" size={13} />
      not live
    </span>
  );
}
