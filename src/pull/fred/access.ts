import type { HttpReply } from '../../client/remote/exchange.ts';
import { Problem } from '../../errors/problem.ts';
import { isJsonObject, jsonIn, type UncheckedObject } from '../../import/readers/json.ts';
import type { ReplyMeaning, SourceAccess } from '../getter.ts';
import type { SourceSettings } from '../source.ts';

/** The base address of version 1 of FRED's API. */
const publicBase = 'https://api.stlouisfed.org/fred';

/** FRED wants no request for a minute after it has refused one for their number. */
const pauseSeconds = 60;

/** How requests go to FRED; `unauthorized` without a key. */
export function fredAccess({ url = publicBase, key }: SourceSettings): SourceAccess {
  if (key === undefined)
    throw new Problem('unauthorized', 'no key for FRED', {
      hints: [
        'https://fredaccount.stlouisfed.org/apikeys gives you one for free',
        'asof auth login --source fred stores it; FRED_API_KEY or ASOF_FRED_API_KEY_FILE names it',
      ],
    });
  return {
    title: 'FRED',
    base: withPath(url),
    query: `api_key=${encodeURIComponent(key)}`,
    secrets: [...new Set([key, encodeURIComponent(key)])],
    classify,
  };
}

/** A base address without a path gets the path that FRED's API has. */
function withPath(url: string): string {
  const isHost = URL.canParse(url) && new URL(url).pathname === '/';
  return isHost ? `${url.replace(/\/+$/, '')}/fred` : url;
}

/** Statuses with which FRED says that it is busy or broken for a moment; the body is a page of HTML. */
const passing: ReadonlySet<number> = new Set([408, 423, 500, 502, 503, 504, 520]);

function classify(reply: HttpReply, answered: boolean): ReplyMeaning {
  const { status } = reply;
  if (status === 200 || status === 400) {
    const body = jsonOf(reply);
    if (body === undefined) {
      const detail = `${reply.url} answered ${status} with a body that is not JSON or broke off`;
      return { transient: new Problem('bad-answer', detail) };
    }
    return status === 200 ? 'answer' : refused(errorOf(body), answered);
  }
  if (status === 429 || status === 403) return throttled(status);
  const detail = `${reply.url} answered ${status}`;
  if (passing.has(status)) return { transient: new Problem('service-unavailable', detail) };
  return { failed: new Problem('bad-answer', detail) };
}

function throttled(status: number): ReplyMeaning {
  const problem = new Problem('rate-limit-exceeded', `FRED answered ${status}: too many requests`);
  return { throttledFor: pauseSeconds, problem };
}

/** What a 400 means; those about series and periods are answers. */
function refused(message: string, answered: boolean): ReplyMeaning {
  if (!message.includes('api_key')) return 'answer';
  const problem = new Problem('unauthorized', `FRED does not take the key: ${message}`, {
    hints: ['https://fredaccount.stlouisfed.org/apikeys shows your keys'],
  });
  if (!/is not registered/.test(message)) return { failed: problem };
  // FRED also says this when it throttles.
  return answered ? throttled(400) : { transient: problem };
}

/** The object in a body; undefined if it is not JSON or broke off. */
export function jsonOf({ body }: HttpReply): UncheckedObject | undefined {
  const value = jsonIn(body.toString('utf8'));
  return isJsonObject(value) ? value : undefined;
}

/** The reason that FRED gives for a 400. */
export function errorOf({ error_message: message }: UncheckedObject): string {
  return typeof message === 'string' ? message.replace(/^Bad Request\.\s*/, '') : 'no reason given';
}
