/** The number of unread texts; nothing if there are none. */
export function UnreadMark({ texts }: { readonly texts: number }) {
  if (texts === 0) return null;
  return (
    <span className="unseen" data-unseen={texts}>
      {texts > 99 ? '99+' : texts}
      <span className="sr-only"> unread</span>
    </span>
  );
}
