/** The outcome of a promise, or the reason of the signal as soon as it is aborted: nothing slow delays the end. */
export async function unlessStopped<T>(signal: AbortSignal, outcome: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  let stop = (): void => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop);
  });
  try {
    return await Promise.race([outcome, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
