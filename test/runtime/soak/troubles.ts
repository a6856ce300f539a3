/** Faults of the operator's connection during a soak: one at a time, and a watch must survive each. */
import {
  answerLost,
  breakInMidEvent,
  byteByByte,
  goneAsEvent,
  refusing,
  slowDrip,
  through,
  watchesOf,
  writes,
} from '../proxy/faults.ts';
import type { FaultProxy } from '../proxy/fault-proxy.ts';

type Trouble = (proxy: FaultProxy) => void | Promise<void>;

const REFUSED_MS = 4_000;
const all = (): boolean => true;

function oneWatch(proxy: FaultProxy, random: () => number): FaultProxy['watches'][number] | undefined {
  const { watches } = proxy;
  return watches[Math.floor(random() * watches.length)];
}

/** Faults by name. A fault of a watch first breaks a watch, so that the operator opens it again. */
export function troubles(random: () => number): Readonly<Record<string, Trouble>> {
  const reopened =
    (fault: Parameters<FaultProxy['inject']>[0]): Trouble =>
    (proxy) => {
      proxy.inject(fault);
      oneWatch(proxy, random)?.reset();
    };
  return {
    reset: (proxy) => oneWatch(proxy, random)?.reset(),
    resetAll: (proxy) => proxy.watches.forEach((watch) => watch.reset()),
    halfOpen: (proxy) => oneWatch(proxy, random)?.freeze(),
    brokenEvent: (proxy) => reopened(through(watchesOf(), 1, breakInMidEvent))(proxy),
    splitBytes: (proxy) => reopened(through(watchesOf(), 1, byteByByte))(proxy),
    drip: (proxy) => reopened(through(watchesOf(), 1, slowDrip(64, 20)))(proxy),
    expired: (proxy) => reopened(refusing(watchesOf(), 1, { code: 410, reason: 'Expired' }))(proxy),
    expiredEvent: (proxy) => reopened(through(watchesOf(), 1, goneAsEvent))(proxy),
    throttled: (proxy) =>
      proxy.inject(refusing(all, 3, { code: 429, reason: 'TooManyRequests', headers: { 'retry-after': '2' } })),
    unavailable: (proxy) => proxy.inject(refusing(all, 3, { code: 503, reason: 'ServiceUnavailable' })),
    lostAnswer: (proxy) => proxy.inject(answerLost(writes, 1)),
    refused: async (proxy) => {
      await proxy.refuse();
      await new Promise((resolve) => setTimeout(resolve, REFUSED_MS));
      await proxy.start();
    },
  };
}
