import { ScheduleSpec, ScheduleStatus } from '@hamlet/contract/kinds';
import { slim, type KubeObject } from '@hamlet/kube';
import type { ScheduleView } from './views.ts';

type Raw = KubeObject & { readonly spec?: unknown; readonly status?: unknown };

const millis = (time: string | undefined): number | undefined =>
  time === undefined || Number.isNaN(Date.parse(time)) ? undefined : Date.parse(time);

/** A Schedule as it is kept. What cannot be read (written under an older schema) becomes a problem, not an exception. */
export function scheduleView(raw: Raw): ScheduleView {
  const { metadata } = slim(raw);
  const spec = ScheduleSpec.safeParse(raw.spec);
  const read = ScheduleStatus.safeParse(raw.status ?? {});
  const status = read.success ? read.data : {};
  const problem = spec.success
    ? undefined
    : spec.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  return {
    metadata,
    spec: spec.data,
    problem,
    status,
    createdMs: millis(metadata.creationTimestamp) ?? 0,
    lastSlotMs: millis(status.lastSlot),
  };
}
