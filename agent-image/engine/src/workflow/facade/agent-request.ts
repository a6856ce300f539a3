import { buildAgentPrompt, type ContextItem } from '../../context/agent-prompt.ts';
import { ContextProfile } from '../../context/profile.ts';
import { byBytes } from '../../context/text-piece.ts';
import { marked } from '../../effects/tool-outcome.ts';
import type { AgentRun, StageAt } from '../../flow/flow-ports.ts';
import type { Budgets } from '../../journal/event.ts';
import type { Manifests } from '../manifest/manifests.ts';
import type { AgentSpec, BudgetSpec } from '../manifest/schemas.ts';
import type { StageFailure } from '../plan/failure.ts';

const MILLION = 1_000_000;
const MS_PER_MINUTE = 60_000;
/**
 * Bytes per token, for the budget of a prompt: low, so that a prompt rarely has more tokens than its profile allows.
 */
const BYTES_PER_TOKEN = 3;
/** Answers that an agent may give before one fits its schema. */
const ANSWERS = 3;

/** Limits of an agent, and of a task, whose manifests name none. Money is unlimited where models have no price. */
export const DEFAULT_BUDGET: Budgets = {
  steps: 100,
  tokens: 2_000_000,
  moneyMicros: Number.MAX_SAFE_INTEGER,
  timeMs: 60 * MS_PER_MINUTE,
  idleCalls: 10,
};

/** The limits of a budget in a manifest; those that it leaves out are those of `base`. */
export const budgetsOf = ({ steps, tokens, minutes, money }: BudgetSpec, base: Budgets): Budgets => ({
  steps: steps ?? base.steps,
  tokens: tokens ?? base.tokens,
  moneyMicros: money === undefined ? base.moneyMicros : Math.max(1, Math.round(Number(money) * MILLION)),
  timeMs: minutes === undefined ? base.timeMs : Math.max(1, Math.round(minutes * MS_PER_MINUTE)),
  idleCalls: base.idleCalls,
});

export const tokensOf = (items: readonly ContextItem[]): number =>
  items.reduce((sum, { text }) => sum + byBytes(BYTES_PER_TOKEN)(text), 0);

const DEFAULT_PROFILE: ContextProfile = ContextProfile.parse({ max_tokens: 100_000 });

export type AgentRequest = Readonly<{ ok: true; run: AgentRun }> | Readonly<{ ok: false; failure: StageFailure }>;

/**
 * `items`: what the profile may choose from: results of earlier stages and memories. `isOutside`: text from outside has reached the task, so
 * the agent reads input and items as data between marks.
 */
type Given = Readonly<{ agent: AgentSpec; manifests: Manifests; items: readonly ContextItem[]; isOutside: boolean }>;

/** The request of an agent stage: its prompt within the profile of its context, its model, limits and output schema. Pure. */
export function agentRequest(
  { stage, input }: Pick<StageAt, 'stage' | 'input'>,
  { agent, manifests, items, isOutside }: Given,
): AgentRequest {
  const named = manifests.context_profiles.find(({ id }) => id === agent.context);
  const { id: _id, ...profile } = named ?? { id: '', ...DEFAULT_PROFILE };
  const shown = isOutside ? marked : (text: string): string => text;
  const parts = {
    system: agent.instructions,
    task: shown(taskText(input)),
    decisions: [],
    items: items.map((item) => ({ ...item, text: shown(item.text) })),
    schema: null,
  };
  const prompt = buildAgentPrompt(parts, { profile, countTokens: byBytes(BYTES_PER_TOKEN) });
  if (!prompt.isComplete) {
    const message = `The instructions and the input of ${stage.id} do not fit into ${profile.max_tokens} tokens. Raise max_tokens of its context profile, or shorten them.`;
    return { ok: false, failure: { category: 'context', code: 'context_too_small', message } };
  }
  const budgets = budgetsOf(agent.budget ?? {}, DEFAULT_BUDGET);
  const run: AgentRun = {
    input: prompt.user,
    prompt: { stable: prompt.system, situation: '' },
    model: agent.model,
    budgets: { ...budgets, timeMs: Math.min(budgets.timeMs, stage.timeoutMs ?? budgets.timeMs) },
    ...(agent.output && { output: { schema: agent.output, answers: ANSWERS } }),
  };
  return { ok: true, run };
}

/** A value as an agent reads it. */
export const taskText = (input: unknown): string =>
  typeof input === 'string' ? input : (JSON.stringify(input, null, 2) ?? '');
