import type { SocketRoute } from '../http/pipeline/serve-sockets.ts';
import type { HandsWatch } from '../residents/hands-watch.ts';
import type { Fanout } from './fanout/fanout.ts';

/** A viewer that sends no view within this time gets a view of the whole map. */
const DEFAULT_VIEW_AFTER_MS = 250;

interface WorldSocketPorts {
  readonly fanout: Fanout;
  readonly hands: Pick<HandsWatch, 'join'>;
  readonly size: { readonly width: number; readonly height: number };
}

export function worldSocket({ fanout, hands, size }: WorldSocketPorts): SocketRoute {
  const wholeMap = JSON.stringify({ type: 'view', x: 0, y: 0, width: size.width, height: size.height, zoom: 'near' });
  return {
    permission: 'world:read',
    attach: ({ webSocket, sendBinary, query }) => {
      const viewer = fanout.attach(
        {
          send: (data) => (typeof data === 'string' ? webSocket.send(data) : sendBinary(data)),
          get bufferedAmount() {
            return webSocket.bufferedAmount;
          },
          close: (code, reason) => webSocket.close(code, reason),
        },
        { format: query.get('format') === 'json' ? 'json' : 'binary' },
      );
      const leaveHands = hands.join({
        send: (text) => webSocket.send(text),
        get bufferedAmount() {
          return webSocket.bufferedAmount;
        },
      });
      const silence = setTimeout(() => viewer.receive(wholeMap), DEFAULT_VIEW_AFTER_MS);
      webSocket.on('message', (data, isBinary) => {
        clearTimeout(silence);
        // Viewers send only text.
        if (!isBinary) viewer.receive(Buffer.isBuffer(data) ? data.toString() : '');
      });
      webSocket.on('close', () => {
        clearTimeout(silence);
        leaveHands();
        viewer.detach();
      });
    },
  };
}
