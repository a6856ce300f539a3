import type { SocketRoute } from '../../http/sockets/serve-sockets.ts';
import type { BoardFeed } from './board-feed.ts';
import { viewerOf } from '../viewer-of.ts';

const MARK_EVERY_MS = 20_000;
/** Sockets of one replica, and the close code where there are more. */
const SOCKETS_MAX = 5_000;
const TOO_MANY = 1_013;

/** /ws/board: whoever may read the board may follow it. */
export function boardSocket(feed: BoardFeed): SocketRoute {
  let open = 0;
  return {
    permission: 'board:read',
    attach: ({ webSocket, query, actor }) => {
      if (open >= SOCKETS_MAX) return webSocket.close(TOO_MANY, 'too many sockets here; try again');
      const reader = feed.follow({ viewer: viewerOf(actor), after: query.get('after') ?? undefined, out: webSocket });
      const marks = setInterval(() => reader.mark(), MARK_EVERY_MS);
      open += 1;
      webSocket.on('close', () => {
        open -= 1;
        clearInterval(marks);
        reader.close();
      });
    },
  };
}
