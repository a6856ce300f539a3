import { createHash } from 'node:crypto';
import { SKILL_RUNS_SHOWN, type AgentSpec, type RunSkill, type SkillSet, type SkillView } from '@hamlet/contract';
import { compareText } from '@hamlet/core';
import type { RunRow, SkillLoadRow, SkillSetRow, StoredReport } from '@hamlet/store';
import {
  findReport,
  findRun,
  findSkillSet,
  insertSkillSet,
  inTransaction,
  noteSkillLoad,
  readSkillLoads,
  readSkillSets,
} from '@hamlet/store';
import type { AgentRecord } from '../agents/agent-source.ts';
import { skillSource } from '../agents/describe-agent.ts';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import { lockWork } from '../permissions/ask-permission.ts';
import { redactSecrets } from '../permissions/redact-secrets.ts';
import { isRunOfReader, shownRuns } from '../runs/audience/run-audience.ts';
import type { Village } from '../village.ts';
import { offeredSkillHandlers } from './offered-skills.ts';

export function skillHandlers(village: Village) {
  return {
    readSkillFiles: readSkillFiles(village),
    pinSkills: pinSkills(village),
    loadSkill: loadSkill(village),
    listSkills: listSkills(village),
    ...offeredSkillHandlers(village),
  } satisfies Partial<Handlers>;
}

function readSkillFiles({ source, skillMaps }: Village): Handlers['readSkillFiles'] {
  return plain(async ({ params }) => {
    const record = source.get(params.agent_id);
    if (record === null) return refused('no_such_agent');
    const name = record.spec.skills?.find((skill) => skill.name === params.skill)?.configMapName;
    if (name === undefined)
      return refused('no_such_skill', `${params.skill} is not from a ConfigMap, so the API has no files of it`);
    const map = await skillMaps.read(name);
    return map.ok ? accepted({ files: map.files }) : refused('skill_unusable', map.problem);
  });
}

/** Hash of the names and versions of skills, in the order of their names: equal sets have equal hashes. Pure. */
function setHash(skills: readonly RunSkill[]): Buffer {
  const hash = createHash('sha256');
  for (const { name, from, sha256 } of skills) hash.update(`${name} ${from} ${sha256}\n`);
  return hash.digest();
}

const byName = (one: RunSkill, other: RunSkill): number => compareText(one.name, other.name);

function pinSkills({ db }: Village): Handlers['pinSkills'] {
  return plain((request) =>
    inTransaction(db, async (tx) => {
      const held = await lockWork(tx, request);
      if (!held.ok) return held;
      const { runId, agentId } = held.data;
      const known = await findSkillSet(tx, runId);
      if (known !== null) return accepted({ skills: [...known.skills] });
      const skills = [...new Map(request.body.skills.map((skill) => [skill.name, skill])).values()].toSorted(byName);
      await insertSkillSet(tx, { runId, agentId }, { skills, sha256: setHash(skills) });
      return accepted({ skills });
    }),
  );
}

function loadSkill({ db }: Village): Handlers['loadSkill'] {
  return plain((request) =>
    inTransaction(db, async (tx) => {
      const held = await lockWork(tx, request);
      if (!held.ok) return held;
      const { run_id: runId, skill: name } = request.params;
      const set = await findSkillSet(tx, runId);
      const pinned = set?.skills.find((skill) => skill.name === name);
      if (pinned === undefined) return refused('no_such_skill', `The run has no skill ${name}`);
      const { call_id: callId, why } = request.body;
      await noteSkillLoad(tx, { runId, name, callId, why: redactSecrets(why) });
      return accepted({ sha256: pinned.sha256 });
    }),
  );
}

function listSkills({ db, source }: Village): Handlers['listSkills'] {
  return plain(async ({ params, query, actor }) => {
    const record = source.get(params.agent_id);
    if (record === null) return refused('no_such_agent');
    const asked = { agentId: params.agent_id, runId: query.run_id, limit: SKILL_RUNS_SHOWN };
    const sets = await readSkillSets(db, asked);
    const rows = (await Promise.all(sets.map(({ runId }) => findRun(db, runId)))).filter((row) => row !== null);
    const mine = await Promise.all(rows.map((row) => isRunOfReader(db, actor, row)));
    const seen = rows.filter((_row, at) => mine[at] === true);
    const runs = await shownRuns(db, actor, seen);
    const loads = await readSkillLoads(
      db,
      seen.map(({ runId }) => runId),
    );
    const report = await findReport(db, params.agent_id);
    return accepted({
      skills: skillViews(record, report?.uid === record.uid ? report : null),
      runs: seen.flatMap((row, at) => setView(sets, row, { loads, veiled: runs[at]?.veiled === true })),
    });
  });
}

function skillViews({ spec }: AgentRecord, report: StoredReport | null): SkillView[] {
  return (spec.skills ?? [])
    .toSorted((one, other) => compareText(one.name, other.name))
    .map((skill) => skillView(skill, report));
}

function skillView(skill: NonNullable<AgentSpec['skills']>[number], report: StoredReport | null): SkillView {
  const { name, configMapName = null, sha256 = null } = skill;
  const from = skillSource(skill);
  const found = report?.skills.find((each) => each.name === name && each.from === from);
  const spec = { name, from, config_map_name: configMapName, pinned_sha256: sha256 };
  if (found === undefined || report === null)
    return { ...spec, state: 'unknown', description: null, sha256: null, files: [], problem: null, found_at: null };
  return { ...found, ...spec, found_at: report.reportedAt.toISOString() };
}

function setView(
  sets: readonly SkillSetRow[],
  { runId }: Pick<RunRow, 'runId'>,
  { loads, veiled }: { readonly loads: readonly SkillLoadRow[]; readonly veiled: boolean },
): SkillSet[] {
  const set = sets.find((each) => each.runId === runId);
  if (set === undefined) return [];
  const skills = set.skills.map((skill) => {
    const load = loads.find((each) => each.runId === runId && each.name === skill.name);
    const why = load === undefined || veiled ? null : load.why;
    return { ...skill, loaded_at: load?.loadedAt.toISOString() ?? null, call_id: load?.callId ?? null, why };
  });
  return [{ run_id: runId, sha256: set.sha256.toString('hex'), pinned_at: set.pinnedAt.toISOString(), skills }];
}
