import './client/no-eval.ts';
import '@fontsource-variable/nunito';
import './ui/styles/tokens.css';
import './ui/styles/controls.css';
import './ui/styles/layout.css';
import './ui/styles/panels.css';
import './ui/styles/forms.css';
import './ui/styles/pages.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App, loadTown } from './app.tsx';
import { forgetInAddress, keepAddress } from './client/address.ts';
import { Agents } from './client/agents/agents.ts';
import { BoardLive } from './client/board/board-live.ts';
import { type Api, createApi } from './client/api.ts';
import { loadBrand } from './client/brand.ts';
import { INITIAL_STATE } from './client/app-state.ts';
import { forgetDraft } from './client/drafts.ts';
import { Lifecycle } from './client/lifecycle.ts';
import { createMessageOutbox } from './client/minds/message-outbox.ts';
import { followHints, isHinted } from './client/query/hints.ts';
import { createQueries } from './client/query/use-live.ts';
import { Reach } from './client/reach.ts';
import { SessionMonitor } from './client/session.ts';
import { createStore } from './client/store.ts';
import { placeOf, readInvitation, readUrl } from './client/url-state.ts';
import { LiveSource } from './client/world/live-source.ts';
import { PAY_DRAFT } from './features/payments/pay-labels.ts';
import { applyTheme, savedTheme } from './ui/preferences.ts';

function main(): void {
  const root = document.getElementById('root');
  if (root === null) throw new Error('index.html has no #root');
  applyTheme(savedTheme());
  const url = readUrl(window.location.search);
  // If the URL names an agent but no position, the map follows the agent.
  const store = createStore({
    ...INITIAL_STATE,
    place: placeOf(url),
    selected: url.agent,
    following: url.agent !== null && url.x === null,
    payment: url.payment,
  });
  if (url.payment !== null) forgetInAddress('payment');
  if (url.payment === 'captured') forgetDraft(PAY_DRAFT);
  keepAddress(store);
  const reach = new Reach(store);
  const api: Api = createApi({
    onRefused: (route, refused) => session.refused(refused, route.name),
    onEnd: (isAnswered, beganMs) => (isAnswered ? reach.answered(Date.now()) : reach.missed(beganMs)),
  });
  const session = new SessionMonitor(api, store);
  const world = new LiveSource(api, store);
  const board = new BoardLive(api, store);
  const agents = new Agents({ api, store, world, isHinted: () => isHinted(board) });
  const parts = {
    api,
    queries: createQueries(),
    store,
    world,
    agents,
    session,
    lifecycle: new Lifecycle(api, agents),
    board,
    messages: createMessageOutbox(api, store),
  };
  // Requests begin before the first render, which takes as long as their answers.
  session.start();
  agents.start();
  board.start();
  followHints(parts);
  const town = loadTown(parts, url);
  void loadBrand(api, store);
  createRoot(root).render(
    <StrictMode>
      <App
        parts={parts}
        start={url}
        town={town}
        // Invitations of earlier versions have their code in the query.
        invitation={readInvitation(window.location.hash) ?? readInvitation(window.location.search)}
      />
    </StrictMode>,
  );
}

main();
