import type { CapabilitiesView, Capability, CapabilitySummary } from '@hamlet/contract';
import { CAPABILITY_SUMMARY_MAX_CHARS } from '@hamlet/contract';
import { findReport, readReports, storeReport, type AgentReport, type StoredReport } from '@hamlet/store';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import type { SnapshotPart } from '../operator/internal-feed.ts';
import type { Village } from '../village.ts';

/**
 * Reports of residents about the capabilities that their Agents declare. They are claims, and nothing depends on them.
 */
export function capabilityHandlers({ db, source }: Village) {
  return {
    reportCapabilities: plain(async ({ params, body, actor }) => {
      if (source.get(params.agent_id) === null) return refused('no_such_agent');
      if (body.cycle !== actor.cycle) return refused('stale_cycle');
      const report = { ...body, agentId: actor.agentId, uid: actor.uid };
      return accepted({ stored: await storeReport(db, report, summaryOf(report)) });
    }),
    getCapabilities: plain(async ({ params }) => {
      const record = source.get(params.agent_id);
      if (record === null) return refused('no_such_agent');
      const report = await findReport(db, params.agent_id);
      // The report of an earlier life does not apply to this one.
      return accepted(report?.uid === record.uid ? viewOf(report) : NOTHING);
    }),
  } satisfies Partial<Handlers>;
}

const NOTHING: CapabilitiesView = { cycle: null, reported_at: null, capabilities: [] };

function viewOf({ cycle, reportedAt, capabilities }: StoredReport): CapabilitiesView {
  return { cycle, reported_at: reportedAt.toISOString(), capabilities: [...capabilities] };
}

export const capabilitiesPart: SnapshotPart = async (tx) =>
  (await readReports(tx)).map((report) => ({ event: 'capabilities', data: summaryOf(report) }));

export function summaryOf({ agentId, uid, cycle, capabilities }: Omit<AgentReport, 'skills'>): CapabilitySummary {
  const broken = capabilities.filter(({ ok }) => !ok);
  const message = shortened(broken.map(sentenceOf));
  return { agent_id: agentId, uid, cycle, checked: capabilities.length, broken: broken.length, message };
}

function sentenceOf({ kind, name, why, fix }: Capability): string {
  const subject = kind === name ? name : `${kind} ${name}`;
  return fix === null ? `${subject}: ${why}` : `${subject}: ${why}; ${fix}`;
}

function shortened(sentences: readonly string[]): string {
  const more = (count: number): string => (count === 0 ? '' : ` (and ${count} more)`);
  for (let shown = sentences.length; shown > 0; shown -= 1) {
    const text = `${sentences.slice(0, shown).join(' · ')}${more(sentences.length - shown)}`;
    if (text.length <= CAPABILITY_SUMMARY_MAX_CHARS) return text;
  }
  return (sentences[0] ?? '').slice(0, CAPABILITY_SUMMARY_MAX_CHARS);
}
