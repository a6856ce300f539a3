/** What the audit calls an account, as an actor and as an object. */
export function accountObject(accountId: string): string {
  return `account ${accountId}`;
}
