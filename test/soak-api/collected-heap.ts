/** The heap of another Node process after a full collection, through its inspector (Chrome DevTools Protocol). */
import { once } from 'node:events';

/** Reads the heap of a process that was started with `--inspect=127.0.0.1:PORT`. */
export interface CollectedHeap {
  /** Collects garbage in that process, then returns the size of the remaining heap in MB. */
  readMb(): Promise<number>;
  close(): void;
}

/** @param port port of the inspector on loopback */
export async function openCollectedHeap(port: number): Promise<CollectedHeap> {
  const listed = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as readonly {
    readonly webSocketDebuggerUrl: string;
  }[];
  const url = listed[0]?.webSocketDebuggerUrl;
  if (url === undefined) throw new Error(`no inspector answers on port ${port}`);
  const socket = new WebSocket(url);
  await once(socket, 'open');
  const waiting = new Map<number, (result: unknown) => void>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { readonly id?: number; readonly result?: unknown };
    if (id === undefined) return;
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  let asked = 0;
  const call = (method: string): Promise<unknown> =>
    new Promise((resolve) => {
      asked += 1;
      waiting.set(asked, resolve);
      socket.send(JSON.stringify({ id: asked, method }));
    });
  return {
    readMb: async () => {
      await call('HeapProfiler.collectGarbage');
      const { usedSize } = (await call('Runtime.getHeapUsage')) as { readonly usedSize: number };
      return usedSize / 2 ** 20;
    },
    close: () => socket.close(),
  };
}
