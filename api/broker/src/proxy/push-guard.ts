import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { deny, type Destination, type EgressDenial } from '@hamlet/core/egress';
import type { Caller } from './caller.ts';
import { giveBack, nextChunk } from './first-bytes.ts';
import { REFUSAL_HEADER, refuseRequest } from './refuse.ts';
import type { PermissionAsk, Village } from '../village.ts';
import { describeCommand, ownBranches, readPushHead, type PushCommand, type PushHead } from '../git/push-commands.ts';
import { PUSH_RESULT_TYPE, refusedPush } from '../git/push-report.ts';

/** Time in which a program sends the commands of its push. */
const HEAD_MS = 30_000;
const MAX_SUMMARY_LENGTH = 1000;

/** A request that may be a push, and whose it is. */
export interface PushRequest {
  readonly caller: Caller;
  readonly destination: Destination;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

type Push = Extract<PushHead, { kind: 'commands' }>;

/** A push that must not go out, with its commands where they could be read. */
export interface RefusedPush {
  readonly denial: EgressDenial;
  readonly push: Push | null;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Whether a server may read the request as a push of git, by its path in any spelling or by the type of its body. */
export function mayBePush({ method, url = '/', headers }: IncomingMessage): boolean {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return false;
  const path = decoded(url.split(/[?#]/, 1)[0] ?? '').toLowerCase();
  return /\/git-receive-pack\/*$/.test(path) || /git-receive-pack/i.test(headers['content-type'] ?? '');
}

async function readHead(request: IncomingMessage): Promise<PushHead> {
  const timer = setTimeout(() => request.destroy(), HEAD_MS);
  let bytes: Buffer = Buffer.alloc(0);
  try {
    for (;;) {
      const head = readPushHead(bytes);
      if (head.kind !== 'more') {
        giveBack(request, bytes);
        return head;
      }
      const more = await nextChunk(request);
      if (more === null) return { kind: 'unclear', why: 'it ends within its commands' };
      bytes = Buffer.concat([bytes, more]);
    }
  } finally {
    clearTimeout(timer);
  }
}

function judgeRefs(agent: string, commands: readonly PushCommand[]): EgressDenial | null {
  const own = ownBranches(agent);
  const other = commands.find(({ ref }) => !ref.startsWith(own));
  if (other === undefined) return null;
  return deny(
    'egress_push_ref',
    `the agent ${agent} may push to branches below ${own} only, not to ${other.ref}; push to ${own}NAME and ask a person to merge it`,
  );
}

function ask({ caller, destination, request }: PushRequest, { commands }: Push): PermissionAsk {
  const { admission, identity } = caller;
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
  const sha256 = createHash('sha256')
    .update(JSON.stringify([destination, path, commands]))
    .digest('hex');
  const summary = `push to ${destination.host}${path}: ${commands.map(describeCommand).join('; ')}`;
  return {
    ask: randomUUID(),
    admission,
    run: identity.run,
    call: identity.call,
    kind: 'push',
    host: destination.host,
    port: destination.port,
    method: request.method ?? 'POST',
    path,
    sha256,
    summary: summary.slice(0, MAX_SUMMARY_LENGTH),
  };
}

/**
 * Reads the commands of a push and puts their bytes back, refuses other branches than the agent's own, and waits for
 * a permission. Null where the push may go out. Object ids are hashes of all that is pushed, so a permission for the
 * commands is one for the content.
 */
export async function guardPush(village: Pick<Village, 'permit'>, passage: PushRequest): Promise<RefusedPush | null> {
  const { caller, request, response } = passage;
  const encoding = request.headers['content-encoding'] ?? 'identity';
  const head: PushHead =
    encoding === 'identity' ? await readHead(request) : { kind: 'unclear', why: 'its body is compressed' };
  if (head.kind !== 'commands') {
    const why = head.kind === 'unclear' ? head.why : 'it is not complete';
    return { denial: deny('egress_push_unclear', `the broker cannot read this push: ${why}`), push: null };
  }
  // git sends an empty request before a large one.
  if (head.commands.length === 0) return null;
  const denial = judgeRefs(caller.admission.agent, head.commands) ?? (await permission(village, passage, head));
  if (denial !== null) return { denial, push: head };
  if (!response.destroyed) return null;
  return { denial: deny('egress_push_unclear', 'the program did not wait for the permission'), push: head };
}

async function permission(
  village: Pick<Village, 'permit'>,
  passage: PushRequest,
  push: Push,
): Promise<EgressDenial | null> {
  const gone = new AbortController();
  const stop = (): void => gone.abort();
  passage.response.once('close', stop);
  try {
    const answer = await village.permit(ask(passage, push), gone.signal);
    return answer === 'allowed' ? null : answer;
  } catch {
    return deny('egress_log_unavailable', 'the broker cannot ask the API for a permission; try again in a minute');
  } finally {
    passage.response.off('close', stop);
  }
}

/** Answers a push as a server does that refuses its references, after the program has sent all of it. */
export function refusePush({ request, response }: PushRequest, { denial, push }: RefusedPush): void {
  request.resume();
  if (push === null) return refuseRequest(response, denial);
  const send = (): void => {
    response.writeHead(200, { 'content-type': PUSH_RESULT_TYPE, [REFUSAL_HEADER]: denial.code });
    response.end(refusedPush(push.commands, push.capabilities, denial));
  };
  if (request.complete) send();
  else request.once('end', send);
}
