import { browserName, type PushAbility, pushAbility } from './push-ability.ts';

const WORKER = '/push-worker.js';

interface Subscription {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}

/** `dismissed`: the person closed the question. `no_service`: the browser cannot reach its push service. */
export type PushProblem = 'blocked' | 'dismissed' | 'no_service';

/** The ability of this browser to show notices now. */
export function thisAbility(): PushAbility {
  const hasPush = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
  return pushAbility({
    userAgent: navigator.userAgent,
    touchPoints: navigator.maxTouchPoints,
    isSecure: window.isSecureContext,
    hasPush,
    permission: hasPush ? Notification.permission : 'default',
  });
}

export const thisName = (): string =>
  browserName({ userAgent: navigator.userAgent, touchPoints: navigator.maxTouchPoints });

async function currentSubscription(): Promise<PushSubscription | null> {
  if (thisAbility() === 'unable' || !('serviceWorker' in navigator)) return null;
  const registration = await navigator.serviceWorker.getRegistration(WORKER);
  return (await registration?.pushManager?.getSubscription()) ?? null;
}

/** The endpoint of this browser at its push service; null if it has no subscription. */
export const thisEndpoint = async (): Promise<string | null> => (await currentSubscription())?.endpoint ?? null;

/** Ends the subscription of this browser: its push service refuses further notices. */
export async function unsubscribe(): Promise<void> {
  await (await currentSubscription())?.unsubscribe();
}

/** Asks the person, and subscribes this browser at its push service with the key of the village. */
export async function subscribe(publicKey: string): Promise<Subscription | PushProblem> {
  const permission = await Notification.requestPermission();
  if (permission !== 'granted') return permission === 'denied' ? 'blocked' : 'dismissed';
  try {
    await navigator.serviceWorker.register(WORKER);
    const { pushManager } = await navigator.serviceWorker.ready;
    // An earlier subscription may belong to an earlier key of the village.
    await (await pushManager.getSubscription())?.unsubscribe();
    const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
    const { p256dh = '', auth = '' } = made.toJSON().keys ?? {};
    return { endpoint: made.endpoint, p256dh, auth };
  } catch (error) {
    console.warn('this browser was not subscribed', error);
    return 'no_service';
  }
}
