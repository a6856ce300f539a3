import { z } from 'zod';

/** An agent's id everywhere: the `metadata.name` of its custom resource. */
export const AgentId = z
  .string()
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'an agent id is a Kubernetes name: lower case letters, digits and hyphens')
  .meta({ example: 'ada' });

export const AgentParams = z.strictObject({ agent_id: AgentId });

/** A tick is 100 ms of village time since the village began. */
export const Tick = z.int().min(0);
/** The number of an event in the world's log; it only grows. */
export const Seq = z.int().min(0);
/** RFC 3339, UTC. */
export const Time = z.iso.datetime();
/** A number as a query writes it. */
export const SeqQuery = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

export const LandmarkId = z.string().min(1).max(64);
/** Anything JSON under string keys; the body limit of a route bounds its size. */
export const JsonObject = z.record(z.string(), z.unknown());
