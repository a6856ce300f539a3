import type { CallData, CallInput, ModelCredential } from '@hamlet/contract';
import { finishSubscription, ModelOffers, startSubscription } from '@hamlet/contract';
import {
  type ConnectDraft,
  type ConnectProblems,
  emptyRows,
  type Issue,
  offersOf,
  problemsOf,
} from '../connect/connect-draft.ts';
import type { Reading } from '../../../client/drafts.ts';

export interface SubscriptionDraft extends Pick<ConnectDraft, 'name' | 'models' | 'context' | 'agent'> {
  readonly accepted: boolean;
  /** The final address in the browser. It contains a single-use code, so the page never stores it. */
  readonly callback: string;
}

export type Begun = CallData<typeof startSubscription>;
type StartBody = CallInput<typeof startSubscription>['body'];
type FinishBody = CallInput<typeof finishSubscription>['body'];
type StartProblems = ConnectProblems & { readonly accepted?: string };

export const DEFAULT_NAME = 'subscription';

export function emptySubscription(names: readonly string[]): SubscriptionDraft {
  return { name: '', models: emptyRows(names), context: '', agent: '', accepted: false, callback: '' };
}

/** The form that signs in again to a connected subscription; null for another provider. */
export function subscriptionDraftOf({ name, agent_id: agent, provider }: ModelCredential): SubscriptionDraft | null {
  if (provider?.kind !== 'openai-subscription') return null;
  const context = provider.models[0]?.context_tokens;
  return {
    ...emptySubscription([]),
    name,
    models: provider.models.map(({ name: own, model }) => ({ name: own, model })),
    context: context === undefined ? '' : String(context),
    agent: agent ?? '',
  };
}

/** Reads the first step. It includes the models, so that an invalid one does not use up the code of a sign-in. */
export function readStart(draft: SubscriptionDraft): Reading<{ body: StartBody }, StartProblems> {
  const name = draft.name.trim();
  const parsed = startSubscription.body.safeParse({
    name: name === '' ? DEFAULT_NAME : name,
    notice_accepted: draft.accepted,
    ...(draft.agent === '' ? {} : { agent_id: draft.agent }),
  });
  const models = ModelOffers.safeParse(offersOf(draft));
  if (parsed.success && models.success) return { ok: true, body: parsed.data };
  const wrong = [...(parsed.error?.issues ?? []), ...(models.error?.issues ?? []).map(inModels)];
  return { ok: false, problems: startProblems(wrong, draft.accepted) };
}

const inModels = (issue: Issue): Issue => ({ ...issue, path: ['models', ...issue.path] });

function startProblems(issues: readonly Issue[], isAccepted: boolean): StartProblems {
  const ofFields = issues.filter(({ path }) => path[0] !== 'notice_accepted');
  return {
    ...problemsOf(ofFields),
    ...(isAccepted ? {} : { accepted: 'Read the notice, and accept it to continue' }),
  };
}

/** Reads the second step. An address of another page is refused before its text leaves the browser. */
export function readFinish(draft: SubscriptionDraft, redirectUri: string): Reading<{ body: FinishBody }, string> {
  const callback = draft.callback.trim();
  const [address = ''] = callback.split(/[?#]/);
  if (address !== redirectUri.split(/[?#]/)[0])
    return { ok: false, problems: `Copy the whole address of the last page: it begins with ${redirectUri}` };
  const parsed = finishSubscription.body.safeParse({ callback, models: offersOf(draft) });
  if (!parsed.success) return { ok: false, problems: parsed.error.issues[0]?.message ?? 'Copy the whole address' };
  if (!new URL(callback).searchParams.has('state'))
    return { ok: false, problems: 'Copy the address with the part after the question mark' };
  return { ok: true, body: parsed.data };
}
