import type { Writable } from 'node:stream';
import { type Logger, pino, stdTimeFunctions } from 'pino';

/** The log of the service: one JSON object per line. */
export type Log = Logger;

/** A log that writes to a stream, all lines of one tick at once. */
export function createLog(stream: Writable, level: 'info' | 'warn' = 'info'): Log {
  let waiting = '';
  const flush = (): void => {
    const text = waiting;
    waiting = '';
    stream.write(text);
  };
  const destination = {
    write(line: string): void {
      if (waiting === '') setImmediate(flush);
      waiting += line;
    },
  };
  return pino({ level, base: null, timestamp: stdTimeFunctions.isoTime }, destination);
}
