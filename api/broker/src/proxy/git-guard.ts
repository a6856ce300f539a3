import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EgressRule } from '@hamlet/contract';
import { deny, type EgressDenial, type WireRequest } from '@hamlet/core/egress';
import type { Push, PushCommand, PushHead } from '../git/push-commands.ts';
import { MAX_COMMAND_BYTES, ownBranches, PushHeadReader } from '../git/push-commands.ts';
import { PKT_FLUSH } from '../git/pkt-line.ts';
import { readFetch } from '../git/read-fetch.ts';
import { PUSH_RESULT_TYPE, refusedPush } from '../git/push-report.ts';
import { giveBack, nextChunk } from './first-bytes.ts';
import { phraseOf, REFUSAL_HEADER, refuseRequest } from './refuse.ts';

/** Milliseconds that a program has to send the start of its body. */
const HEAD_MS = 30_000;
/** Maximum bytes that the broker keeps of a body that its readers cannot judge; then the body counts as ended. */
const HEAD_MAX_BYTES = 4 * MAX_COMMAND_BYTES;

/** A refused push; `push` is null if the broker could not read its commands. */
export interface RefusedPush {
  readonly denial: EgressDenial;
  readonly push: Push | null;
}

/**
 * Reads the start of a body until `judge` decides, and puts the bytes back. `judge` gets each chunk once, and null at
 * the end; it returns null to request more.
 */
async function readStart<T>(request: IncomingMessage, judge: (chunk: Buffer | null) => T | null): Promise<T> {
  const timer = setTimeout(() => request.destroy(), HEAD_MS);
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for (;;) {
      const chunk = await nextChunk(request);
      length += chunk?.length ?? 0;
      const answer = judge(length > HEAD_MAX_BYTES ? null : chunk);
      if (chunk !== null) chunks.push(chunk);
      if (answer === null) continue;
      if (chunk !== null) giveBack(request, Buffer.concat(chunks));
      return answer;
    }
  } finally {
    clearTimeout(timer);
  }
}

export const LONG_FETCH = deny(
  'egress_git_refused',
  'this fetch is longer than 4 MiB, or other fetches of this agent fill the memory of the broker; fetch fewer branches at once, or wait until the others have ended',
);

/** Reads the requests of a body that is a git fetch and nothing else; a denial for any other. */
export function judgeFetch(
  body: Buffer,
  { headers }: Pick<WireRequest, 'headers'>,
): EgressDenial | { readonly isOfProposals: boolean } {
  const read = readFetch(body, headers['content-encoding'] === 'gzip');
  if (read.unclear === null) return read;
  return deny(
    'egress_git_refused',
    `this body is not a clone or fetch of git, because ${read.unclear}; use git itself`,
  );
}

/** Answers git's probe, an empty request before a large push, instead of the server. */
export async function answerProbe(request: IncomingMessage, response: ServerResponse): Promise<EgressDenial | null> {
  let text = '';
  const isProbe = await readStart(request, (chunk) => {
    text += chunk?.toString('latin1') ?? '';
    return chunk === null || text.length >= PKT_FLUSH.length ? PKT_FLUSH.equals(Buffer.from(text, 'latin1')) : null;
  });
  if (!isProbe) return unclear('it is four bytes long and has no commands').denial;
  request.resume();
  response.writeHead(200, { 'content-type': PUSH_RESULT_TYPE, 'content-length': 0 }).end();
  return null;
}

/** Null if a push changes only branches of the agent; else the denial, which an admin may override in a run. */
export function judgeRefs(agent: string, commands: readonly PushCommand[]): EgressDenial | null {
  const own = ownBranches(agent);
  const other = commands.find(({ ref }) => !ref.startsWith(own));
  if (other === undefined) return null;
  return deny(
    'egress_push_ref',
    `the agent ${agent} may push to branches below ${own} only, not to ${other.ref}; push to ${own}NAME and ask a person to merge it`,
  );
}

/** Refuses other push options, because servers act on them: they merge requests or make a repository public. */
function judgeOptions(options: readonly string[], allowed: readonly string[] = []): EgressDenial | null {
  const other = options.find((option) => !allowed.includes(option));
  if (other === undefined) return null;
  return deny(
    'egress_push_option',
    `no rule of this agent allows the push option ${JSON.stringify(other.slice(0, 100))}; push without it, or ask an admin to add it to pushOptions of the rule`,
  );
}

function unclear(why: string): RefusedPush {
  return { denial: deny('egress_push_unclear', `the broker cannot read this push: ${why}`), push: null };
}

/**
 * Reads the commands of a push and puts their bytes back; refuses options that the rule does not name. Object ids are hashes of the pushed content, so a permission for the commands covers the content.
 */
export async function readPush(
  request: IncomingMessage,
  rule: Pick<EgressRule, 'pushOptions'>,
): Promise<Push | RefusedPush> {
  const reader = new PushHeadReader();
  let left = Number(request.headers['content-length'] ?? Infinity);
  const head = await readStart(request, (chunk): Exclude<PushHead, { kind: 'more' }> | null => {
    if (chunk === null) return { kind: 'unclear', why: 'it ends within its commands' };
    left -= chunk.length;
    const added = reader.add(chunk);
    const read = added.kind === 'more' && left <= 0 ? reader.end() : added;
    return read.kind === 'more' ? null : read;
  });
  if (head.kind === 'unclear') return unclear(head.why);
  if (head.commands.length === 0) return unclear('it has no commands');
  const denial = judgeOptions(head.options, rule.pushOptions);
  return denial === null ? head : { denial, push: head };
}

export const repositoryIn = (target: string): string => target.replace(/\/git-receive-pack$/, '');

/** Answers a push like a server that rejects its references, after reading all of it. */
export function refusePush(
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  { denial, push }: RefusedPush,
): void {
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
