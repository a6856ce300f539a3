import { canonicalJson } from '../../json/canonical-json.ts';
import type { Plan } from './plan.ts';

/** The JSON text of a plan, with sorted keys: equal plans have equal texts, so a hash of the text names the plan. Pure. */
export const planText = (plan: Plan): string => canonicalJson(plan);
