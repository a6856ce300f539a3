const plain = (host: string): string => host.trim().toLowerCase().replace(/\.$/, '');

/** True if an entry fits a host: `*` fits every one, `example.org` itself, `*.example.org` the names below it. Pure. */
export function fitsHost(entry: string, host: string): boolean {
  const [wanted, given] = [plain(entry), plain(host)];
  if (wanted === '*') return true;
  return wanted.startsWith('*.')
    ? given.endsWith(wanted.slice(1)) && given.length > wanted.length - 1
    : wanted === given;
}
