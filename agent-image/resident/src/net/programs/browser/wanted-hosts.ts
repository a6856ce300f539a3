const HOSTS_MAX = 10_000;
/** Time in which a page may say that it asks for a host to which a connection was made. On a busy machine seconds pass; then the page would not load. */
const WAIT_MS = 10_000;

/** Hosts that pages ask for. The request of a page may be known a moment after its connection. Mutable. */
export function createWanted() {
  const hosts = new Set<string>();
  const waiting = new Set<() => void>();
  return {
    add: (host: string): void => {
      if (hosts.size < HOSTS_MAX) hosts.add(host);
      for (const look of waiting) look();
    },
    has: (host: string): Promise<boolean> =>
      new Promise((resolve) => {
        const settle = (): void => {
          waiting.delete(look);
          clearTimeout(late);
          resolve(hosts.has(host));
        };
        const look = (): void => void (hosts.has(host) && settle());
        const late = setTimeout(settle, WAIT_MS);
        waiting.add(look);
        look();
      }),
  };
}
