export const shares = (cents, people) =>
  Array.from({ length: people }, (_, at) => Math.floor((cents + at) / people));
