import { longest } from '../client/remote/retry.ts';
import { Problem } from '../errors/problem.ts';

/** The numbers of a connection, which settings, flags and variables name; a Problem if a text is none. */
export const connectionNumbers = {
  /** Seconds for one try of a request: more than 0, at most a day. */
  timeout(text: string): number {
    const seconds = decimal(text);
    if (seconds > 0 && seconds <= longest.timeout) return seconds;
    throw invalidLimit('timeout', text, `use seconds, at most ${longest.timeout}`);
  },

  /** Seconds to wait for one request in all: 0 or more, at most a week. */
  maxWait(text: string): number {
    const seconds = decimal(text);
    if (seconds >= 0 && seconds <= longest.wait) return seconds;
    throw invalidLimit('wait', text, `use seconds, at most ${longest.wait}`);
  },

  /** 0 to 100. */
  retries(text: string): number {
    if (/^\d{1,3}$/.test(text) && Number(text) <= longest.retries) return Number(text);
    throw invalidLimit('retries', text, `use an integer from 0 to ${longest.retries}`);
  },
};

function invalidLimit(param: string, value: string, reason: string): Problem {
  return new Problem('bad-input', `invalid ${param} ${JSON.stringify(value)}: ${reason}`, {
    refusal: { param, value, reason },
  });
}

function decimal(text: string): number {
  return /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
}
