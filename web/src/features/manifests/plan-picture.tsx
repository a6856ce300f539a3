import { drawPlan, type Plan } from '@hamlet/engine/manifests';
import { useMemo } from 'react';

/** The picture of a plan. */
export function PlanPicture({ plan }: { readonly plan: Plan }) {
  const address = useMemo(() => `data:image/svg+xml,${encodeURIComponent(drawPlan(plan))}`, [plan]);
  return <img className="plan-picture" src={address} alt={`Stages: ${plan.stages.map(({ id }) => id).join(', ')}`} />;
}
