/** The outcome of a promise, or a rejection with the signal's reason as soon as it aborts, however slow the work is. */
export async function unlessAborted<T>(signal: AbortSignal, outcome: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([outcome, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
