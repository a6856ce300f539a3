import { isJsonObject, type Json } from '../../../client/json.ts';

/** The merge patch (RFC 7386) that turns one object into another; empty if they are equal. */
export function mergePatch(before: Json, after: Json): Json {
  const patch: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, now] = [before[key], after[key]];
    if (now === undefined) patch[key] = null;
    else if (isJsonObject(old) && isJsonObject(now)) {
      const inner = mergePatch(old, now);
      if (Object.keys(inner).length > 0) patch[key] = inner;
    } else if (JSON.stringify(old) !== JSON.stringify(now)) patch[key] = now;
  }
  return patch;
}
