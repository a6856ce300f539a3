import { deny, type EgressDenial, type EgressRequest } from '@hamlet/core/egress';

const REFS = /^(\/.+)\/info\/refs\?service=(git-upload-pack|git-receive-pack)$/;
const SERVICE = /^(\/.+)\/(git-upload-pack|git-receive-pack)$/;

const NO_GIT = deny(
  'egress_git_refused',
  'this way out carries clone, fetch and push over smart HTTP alone; Git LFS and the dumb protocol have no way out',
);

/**
 * The request that rules judge in place of one of git's own: a fetch is a GET, although git sends it as a POST, and
 * all of a push is a POST to `…/git-receive-pack`. Other requests are refused.
 */
export function judgedGit(method: string, target: string): EgressRequest | EgressDenial {
  const [, repository = '', service] =
    (method === 'GET' ? REFS : method === 'POST' ? SERVICE : null)?.exec(target) ?? [];
  if (service === undefined) return NO_GIT;
  const path = target.split('?', 1)[0] ?? target;
  if (service === 'git-upload-pack') return { method: 'GET', target: path };
  return { method: 'POST', target: `${repository}/${service}` };
}
