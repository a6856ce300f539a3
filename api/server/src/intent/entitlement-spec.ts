import type { EntitlementBody } from '@hamlet/contract';

/** A tier as its custom resource has it; what is null is left out. Pure. */
export function entitlementSpecOf({
  rank,
  min_balance,
  limits,
  compute,
  price,
}: EntitlementBody): Readonly<Record<string, unknown>> {
  const { gpu } = compute;
  return {
    rank,
    minBalance: min_balance,
    limits: {
      requestsPerMinute: limits.requests_per_minute,
      concurrentTools: limits.concurrent_tools,
      tokensPerHour: limits.tokens_per_hour,
      models: limits.models,
    },
    compute: {
      resources: { cpu: compute.cpu, memory: compute.memory },
      gpu: {
        mode: gpu.mode,
        count: gpu.count,
        ...(gpu.resource_name === null ? {} : { resourceName: gpu.resource_name }),
        ...(gpu.claim_template_name === null ? {} : { claimTemplateName: gpu.claim_template_name }),
      },
      ...(compute.priority_class_name === null ? {} : { priorityClassName: compute.priority_class_name }),
    },
    price: { perHour: price.per_hour, perThousandTokens: price.per_thousand_tokens },
  };
}
