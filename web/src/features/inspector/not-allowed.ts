import { type Role, roleMay } from '@hamlet/contract';
import type { Verb } from '../../client/lifecycle.ts';

/** Why a change of an agent's life cannot be asked for now, in words; null where it can. */
export function notAllowed(
  verb: Verb,
  now: { readonly power: 'Awake' | 'Asleep'; readonly role: Role; readonly pending: boolean },
): string | null {
  if (!roleMay(now.role, 'agent:lifecycle'))
    return now.role === 'visitor' ? 'Sign in as an admin to do this' : 'Only admins may do this';
  if (now.pending) return 'A change is on its way';
  if (verb === 'awaken' && now.power === 'Awake') return 'It is awake already';
  if (verb === 'suspend' && now.power === 'Asleep') return 'It is asleep already';
  if (verb === 'reboot' && now.power === 'Asleep') return 'It is asleep: awaken it instead';
  return null;
}
