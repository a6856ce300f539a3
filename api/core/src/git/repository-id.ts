const SCP = /^[^@/\s]+@([^:/\s]+):(.+)$/;
const NAME_MAX_CHARS = 100;
const ID_MAX_CHARS = 2_048;

/** Host and path of a repository, without user, scheme and suffix: one text for all addresses of one repository. Pure. */
export function repositoryId(url: string): string {
  const [, host, path] = SCP.exec(url) ?? [];
  const parsed = host === undefined && URL.canParse(url) ? new URL(url) : null;
  const place = parsed === null ? `${(host ?? '').toLowerCase()}/${path ?? url}` : `${parsed.host}${parsed.pathname}`;
  const id = place
    .replaceAll(/\/{2,}/g, '/')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
  return id.slice(0, ID_MAX_CHARS);
}

/** The name of the folder of a repository: the last part of its path. Pure. */
export function repositoryName(url: string): string {
  const last = repositoryId(url).split('/').at(-1) ?? '';
  const name = last
    .replaceAll(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, NAME_MAX_CHARS);
  return name === '' ? 'repository' : name;
}
