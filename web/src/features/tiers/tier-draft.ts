import type { EntitlementBody, EntitlementView } from '@hamlet/contract';
import { EntitlementSpec, formatAiDollars, putEntitlement, type TierLimit, tierLimitsBy } from '@hamlet/contract';
import { limitsOfTier } from '@hamlet/core';
import { readAmount, capital } from '../../client/labels.ts';
import type { Reading } from '../../client/drafts.ts';

/** The fields of a tier while a person writes it. Texts stay as typed and may be invalid. */
export interface TierDraft extends Readonly<Record<TierLimit['field'], string>> {
  readonly name: string;
  readonly rank: string;
  readonly minBalance: string;
  readonly models: string;
  readonly cpu: string;
  readonly memory: string;
  readonly priorityClass: string;
  /** The source of the GPU: a resource that nodes advertise, or a claim template. */
  readonly gpuBy: 'resource' | 'template';
  readonly gpuMode: 'None' | 'Shared' | 'Exclusive';
  readonly gpuResource: string;
  readonly gpuCount: string;
  readonly gpuTemplate: string;
  readonly perHour: string;
  readonly perThousandTokens: string;
}
export type TierProblems = Readonly<Partial<Record<keyof TierDraft, string>>>;
type TierReading = Reading<{ name: string; spec: EntitlementSpec }, TierProblems>;

export function emptyTier(tiers: readonly Pick<EntitlementView, 'rank'>[]): TierDraft {
  return {
    name: '',
    rank: String(Math.max(-1, ...tiers.map(({ rank }) => rank)) + 1),
    minBalance: '',
    ...tierLimitsBy('field', ({ usual }) => (usual === null ? '' : String(usual))),
    models: '',
    cpu: '500m',
    memory: '512Mi',
    priorityClass: '',
    gpuMode: 'None',
    gpuBy: 'resource',
    gpuResource: '',
    gpuCount: '1',
    gpuTemplate: '',
    perHour: '0',
    perThousandTokens: '0',
  };
}

export function tierDraftOf({
  name,
  rank,
  min_balance: minBalance,
  limits,
  compute,
  price,
}: EntitlementView): TierDraft {
  return {
    name,
    rank: String(rank),
    minBalance,
    ...tierLimitsBy('field', ({ name: wire, usual }) => String(limits[wire] ?? usual ?? '')),
    models: limits.models.join(', '),
    cpu: compute.cpu,
    memory: compute.memory,
    priorityClass: compute.priority_class_name ?? '',
    ...gpuTexts(compute.gpu),
    perHour: price.per_hour,
    perThousandTokens: price.per_thousand_tokens,
  };
}

function gpuTexts(
  gpu: EntitlementView['compute']['gpu'],
): Pick<TierDraft, 'gpuMode' | 'gpuBy' | 'gpuResource' | 'gpuCount' | 'gpuTemplate'> {
  return {
    gpuMode: gpu.mode,
    gpuBy: gpu.claim_template_name === null ? 'resource' : 'template',
    gpuResource: gpu.resource_name ?? '',
    gpuCount: String(Math.max(1, gpu.count)),
    gpuTemplate: gpu.claim_template_name ?? '',
  };
}

/** Validates a draft by the schema of the custom resource. A new tier cannot have a name that is `taken`. */
export function readTier(draft: TierDraft, taken: readonly string[]): TierReading {
  const reading = EntitlementSpec.safeParse(candidateOf(draft));
  const name = draft.name.trim();
  const problems: TierProblems = {
    ...issueLabel(reading.success ? [] : reading.error.issues),
    ...nameProblem(name, taken),
  };
  if (Object.keys(problems).length > 0 || !reading.success) return { ok: false, problems };
  return { ok: true, name, spec: reading.data };
}

function nameProblem(name: string, taken: readonly string[]): TierProblems {
  if (!putEntitlement.params.shape.name.safeParse(name).success)
    return { name: "Use lower case letters, digits and '-', for example tier-3" };
  return taken.includes(name) ? { name: `There is a tier ${name} already: edit it, or choose another name` } : {};
}

function candidateOf(draft: TierDraft): object {
  const { priorityClass } = draft;
  return {
    rank: wholeOf(draft.rank),
    minBalance: amountOf(draft.minBalance),
    limits: {
      ...tierLimitsBy('field', ({ field }) => wholeOf(draft[field])),
      models: listOf(draft.models),
    },
    compute: {
      resources: { cpu: draft.cpu.trim(), memory: draft.memory.trim() },
      gpu: gpuOf(draft),
      ...(priorityClass.trim() === '' ? {} : { priorityClassName: priorityClass.trim() }),
    },
    price: { perHour: amountOf(draft.perHour), perThousandTokens: amountOf(draft.perThousandTokens) },
  };
}

function gpuOf({ gpuMode: mode, gpuBy, gpuResource, gpuCount, gpuTemplate }: TierDraft): object {
  if (mode === 'None') return { mode };
  if (gpuBy === 'template') return { mode, claimTemplateName: gpuTemplate.trim() };
  return {
    mode,
    count: mode === 'Shared' ? 1 : wholeOf(gpuCount),
    ...(gpuResource.trim() === '' ? {} : { resourceName: gpuResource.trim() }),
  };
}

function wholeOf(text: string): number {
  return /^[0-9]{1,12}$/.test(text.trim().replaceAll(',', '')) ? Number(text.trim().replaceAll(',', '')) : Number.NaN;
}

/** An amount in its canonical form; another text unchanged, so that the schema names the problem. */
function amountOf(text: string): string {
  const micro = readAmount(text);
  return micro === null ? text.trim() : formatAiDollars(micro);
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** The fields of the draft for keys of the spec that have another name there. */
const FIELDS: Readonly<Record<string, keyof TierDraft>> = {
  priorityClassName: 'priorityClass',
  resourceName: 'gpuResource',
  count: 'gpuCount',
  claimTemplateName: 'gpuTemplate',
  gpu: 'gpuMode',
};
const EMPTY = emptyTier([]);
const isField = (key: string): key is keyof TierDraft => Object.hasOwn(EMPTY, key);
const fieldOf = (key: PropertyKey): keyof TierDraft | undefined =>
  FIELDS[String(key)] ?? (isField(String(key)) ? (String(key) as keyof TierDraft) : undefined);

type Issue = Readonly<{ path: readonly PropertyKey[]; code: string; message: string }>;

function issueLabel(issues: readonly Issue[]): TierProblems {
  const problems: Partial<Record<keyof TierDraft, string>> = {};
  for (const issue of issues) {
    problems[issue.path.map(fieldOf).findLast((field) => field !== undefined) ?? 'name'] ??= problemLabel(issue);
  }
  return problems;
}

/** Rewrites a message of the schema for a form, because the schema words it for YAML. */
function problemLabel({ code, message }: Issue): string {
  const words = code === 'invalid_type' ? 'write a whole number' : message.replace(', in quotes', '');
  return capital(words);
}

export function bodyOf({ rank, minBalance, limits, compute, price }: EntitlementSpec): EntitlementBody {
  const { gpu } = compute;
  return {
    rank,
    min_balance: minBalance,
    limits: limitsOfTier({ limits }),
    compute: {
      ...compute.resources,
      priority_class_name: compute.priorityClassName ?? null,
      gpu: {
        mode: gpu.mode,
        resource_name: gpu.resourceName ?? null,
        count: gpu.count,
        claim_template_name: gpu.claimTemplateName ?? null,
      },
    },
    price: { per_hour: price.perHour, per_thousand_tokens: price.perThousandTokens },
  };
}
