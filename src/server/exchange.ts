import type { Writable } from 'node:stream';
import { type Logger, pino, stdTimeFunctions } from 'pino';
import { newRequestId } from '../service/service.ts';
import type { Admission } from './keys/gate.ts';

/** One request and what is known of it so far, for the headers of its answer and for the log. */
export type Exchange = {
  readonly requestId: string;
  readonly now: Date;
  readonly request: Request;
  /** The pattern of the endpoint. The path itself may hold a secret and is never logged. */
  route?: string;
  admission?: Admission;
};

/** A new exchange for a request. */
export function beginExchange(request: Request, now: Date): Exchange {
  return { requestId: newRequestId(now), now, request };
}

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
