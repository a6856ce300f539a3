import { createECDH, randomBytes } from 'node:crypto';
import { classifyAddress } from '@hamlet/core/egress';
import type { PostOut } from '../../egress/post-out.ts';
import { NoticeRefusal } from '../notice-refusal.ts';
import { encryptPush, type BrowserKeys } from './encrypt-push.ts';
import { pushEndpoint } from './push-services.ts';
import { vapidHeader, type VapidKey } from './vapid.ts';

const DAY_S = 86_400;
/** Seconds for which a push service keeps a notice for a browser that is not running. */
const KEPT_S = DAY_S / 2;

/** A service that did not answer is asked again after this time: each attempt takes up to ten seconds from all other browsers. */
const SILENT_MS = 60_000;

/** A browser that subscribed to notices. */
export interface Browser extends BrowserKeys {
  readonly endpoint: string;
}

/** A notification for a browser. */
interface PushNotice {
  readonly title: string;
  readonly body: string;
}

/** Sends a notice to a browser. Rejects with a NoticeRefusal if its push service did not take it. */
export type SendPush = (to: Browser, notice: PushNotice, stopping: AbortSignal) => Promise<void>;

interface Ports {
  readonly key: VapidKey;
  readonly contact: string;
  readonly hosts: readonly string[];
  readonly post: PostOut;
  readonly nowMs: () => number;
}

/** Seconds of a header Retry-After, at most a day; 0 without one. */
function waitOf(retryAfter: string | undefined, nowMs: number): number {
  if (retryAfter === undefined) return 0;
  const seconds = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - nowMs) / 1_000;
  return Number.isFinite(seconds) ? Math.min(DAY_S, Math.max(0, Math.ceil(seconds))) : 0;
}

/** One push service says nothing about the others, so a failure delays only its own browser. */
const refusal = (
  code: string,
  { isGone = false, waitS = 0, cause }: { isGone?: boolean; waitS?: number; cause?: unknown },
) => new NoticeRefusal(code, { isOfAddress: isGone, isOfRecipient: true, waitS }, cause);

/** Sends notices to push services (RFC 8030), encrypted for their browser, and never to an address inside. */
export function createSendPush({ key, contact, hosts, post, nowMs }: Ports): SendPush {
  const silentUntilMs = new Map<string, number>();
  function noteSilence(host: string): void {
    for (const [each, untilMs] of silentUntilMs) if (untilMs <= nowMs()) silentUntilMs.delete(each);
    silentUntilMs.set(host, nowMs() + SILENT_MS);
  }
  return async ({ endpoint, p256dh, auth }, notice, stopping) => {
    const url = pushEndpoint(endpoint, hosts);
    if (url === null) throw refusal('SERVICE_CLOSED', {});
    if (nowMs() < (silentUntilMs.get(url.hostname) ?? 0)) throw refusal('NO_ANSWER', {});
    const keys = createECDH('prime256v1');
    keys.generateKeys();
    const text = Buffer.from(JSON.stringify(notice));
    const body = encryptPush(text, { p256dh, auth }, { keys, salt: randomBytes(16) });
    const headers = {
      authorization: vapidHeader(key, { endpoint: url, contact, nowMs: nowMs() }),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      'content-length': String(body.length),
      ttl: String(KEPT_S),
      // A newer notice replaces one that the service still keeps.
      topic: 'needs',
    };
    const mayConnect = (address: string): boolean => classifyAddress(address) === 'public';
    const sent = { url, host: url.hostname, mayConnect, body, headers };
    const { status, retryAfter } = await post(sent, stopping).catch((error: unknown) => {
      noteSilence(url.hostname);
      throw refusal('NO_ANSWER', { cause: error });
    });
    if (status >= 200 && status < 300) return;
    throw refusal(`HTTP ${status}`, { isGone: status === 404 || status === 410, waitS: waitOf(retryAfter, nowMs()) });
  };
}
