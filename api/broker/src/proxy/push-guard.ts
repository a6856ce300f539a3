import type { IncomingMessage, ServerResponse } from 'node:http';
import { EGRESS_SUMMARY_MAX_CHARS } from '@hamlet/contract/broker';
import { deny, type Destination, type EgressDenial } from '@hamlet/core/egress';
import type { Caller } from './caller.ts';
import { giveBack, nextChunk } from './first-bytes.ts';
import { phraseOf, REFUSAL_HEADER, refuseRequest } from './refuse.ts';
import { describeCommand, ownBranches, readPushHead, type PushCommand, type PushHead } from '../git/push-commands.ts';
import { PUSH_RESULT_TYPE, refusedPush } from '../git/push-report.ts';

/** Time in which a program sends the commands of its push. */
const HEAD_MS = 30_000;
/** Length of git's probe: a request without commands before a large one. */
const PROBE_LENGTH = '4';

export interface PushRequest {
  readonly caller: Caller;
  readonly destination: Destination;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export type Push = Extract<PushHead, { kind: 'commands' }>;

/** A push to the agent's own branches, described for a person; `push` is null for git's probe. */
export interface ReadPush {
  readonly push: Push | null;
  readonly summary: string;
  readonly changes: readonly string[];
}

/** A push that must not go out; `push` is null if the broker could not read its commands. */
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

/** True if a server may take the request for a push: by its path in any spelling, or by the type of its body. */
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

function unclear(why: string): RefusedPush {
  return { denial: deny('egress_push_unclear', `the broker cannot read this push: ${why}`), push: null };
}

/**
 * Reads the commands of a push and puts their bytes back; refuses other branches than the agent's own. Object ids are hashes
 * of all that is pushed, so a permission for the commands is one for the content.
 */
export async function readPush({ caller, destination, request }: PushRequest): Promise<ReadPush | RefusedPush> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') return unclear('its body is compressed');
  const head = await readHead(request);
  if (head.kind !== 'commands') return unclear(head.kind === 'unclear' ? head.why : 'it is not complete');
  if (head.commands.length === 0)
    return request.headers['content-length'] === PROBE_LENGTH
      ? { push: null, summary: '', changes: [] }
      : unclear('something follows its end');
  const denial = judgeRefs(caller.admission.agent, head.commands);
  if (denial !== null) return { denial, push: head };
  const changes = head.commands.map(describeCommand);
  const summary = `push to ${destination.host}${repositoryIn(request.url ?? '/')}: ${changes.join('; ')}`;
  return { push: head, changes, summary: summary.slice(0, EGRESS_SUMMARY_MAX_CHARS) };
}

const repositoryIn = (url: string): string => url.replace(/\?[^]*$/, '').replace(/\/git-receive-pack$/, '');

/** Answers a push like a server that refuses its references, once the program has sent all of it. */
export function refusePush({ request, response }: PushRequest, { denial, push }: RefusedPush): void {
  request.resume();
  if (push === null) return refuseRequest(response, denial);
  const send = (): void => {
    if (!response.headersSent)
      response.writeHead(200, phraseOf(denial), { 'content-type': PUSH_RESULT_TYPE, [REFUSAL_HEADER]: denial.code });
    response.end(refusedPush(push.commands, push.capabilities, denial));
  };
  if (request.complete) send();
  else request.once('end', send);
}
