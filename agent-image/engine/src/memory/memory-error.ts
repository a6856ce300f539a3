export type MemoryErrorCode = 'memory_locked' | 'memory_foreign' | 'memory_newer';

/** The memory cannot be opened. The message states the fix. */
export class MemoryError extends Error {
  readonly code: MemoryErrorCode;
  constructor(code: MemoryErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MemoryError';
    this.code = code;
  }
}
