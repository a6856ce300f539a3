import { z } from 'zod';
import { AgentId, Time } from '../values/scalars.ts';
import { Mind } from '../values/mind.ts';

export const CAPABILITIES_MAX = 48;
export const CAPABILITY_NAME_MAX_CHARS = 64;
export const CAPABILITY_TEXT_MAX_CHARS = 300;

export const CAPABILITY_KINDS = [
  'runtime',
  'model',
  'memory',
  'workspace',
  'hands',
  'shell',
  'git',
  'browser',
  'egress',
  'mcp',
  'skill',
] as const;
export const CapabilityKind = z.enum(CAPABILITY_KINDS);
export type CapabilityKind = z.infer<typeof CapabilityKind>;

/** Something that the spec promises to an agent, and whether it is available, as its resident claims. */
export const Capability = z.strictObject({
  kind: CapabilityKind,
  name: z.string().min(1).max(CAPABILITY_NAME_MAX_CHARS).describe('For example the name of an MCP server'),
  ok: z.boolean(),
  why: z.string().max(CAPABILITY_TEXT_MAX_CHARS).describe('Finding of the check'),
  fix: z.string().max(CAPABILITY_TEXT_MAX_CHARS).nullable().describe('Null if nothing needs to be done'),
  mind: Mind.optional().describe('Only of the kind `runtime`'),
});
export type Capability = z.infer<typeof Capability>;

export const CapabilityReport = z.strictObject({
  cycle: z.int().min(0),
  capabilities: z.array(Capability).max(CAPABILITIES_MAX),
});

export const CapabilitiesView = z.strictObject({
  cycle: z.int().min(0).nullable().describe('Cycle of the report; null if no resident has reported yet'),
  reported_at: Time.nullable(),
  capabilities: z.array(Capability),
});
export type CapabilitiesView = z.infer<typeof CapabilitiesView>;

/** Maximum characters about broken capabilities in a condition; leaves room for the rest of its message. */
export const CAPABILITY_SUMMARY_MAX_CHARS = 400;

export const CapabilitySummary = z.strictObject({
  agent_id: AgentId,
  uid: z.string(),
  cycle: z.int().min(0),
  checked: z.int().min(0),
  broken: z.int().min(0),
  message: z.string().max(CAPABILITY_SUMMARY_MAX_CHARS).describe('The broken capabilities, with cause and fix'),
});
export type CapabilitySummary = z.infer<typeof CapabilitySummary>;
