import type { Viewer } from '@hamlet/store';
import type { Actor } from '../http/actor.ts';

/** Whoever asks, as row-level security knows them. Pure. */
export function viewerOf(actor: Actor): Viewer {
  switch (actor.role) {
    case 'agent':
      return { role: 'agent', actor: actor.agentId };
    case 'member':
    case 'admin':
      return { role: actor.role, actor: actor.id };
    case 'visitor':
    case 'operator':
      return { role: 'visitor', actor: '' };
  }
}
