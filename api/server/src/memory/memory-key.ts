import { repositoryId } from '@hamlet/core/git';

const KEY_MAX_BYTES = 1_000;

/**
 * The key of a repository's memory: host and path, without user and password. Null if the address is too long. Pure.
 */
export function memoryKey(url: string): string | null {
  const key = repositoryId(url);
  return key === '' || Buffer.byteLength(key) > KEY_MAX_BYTES ? null : key;
}

const ADDRESS = /^(https:\/\/|ssh:\/\/|git@)/;

export const askedMemory = (text: string): string => (ADDRESS.test(text) ? memoryKey(text) : null) ?? text;
