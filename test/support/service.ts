import { Problem } from '../../src/errors/problem.ts';
import type { Envelope } from '../../src/operations/envelope.ts';
import type { Operation, Principal } from '../../src/operations/operation.ts';
import type { ParamTexts } from '../../src/operations/param.ts';
import { createService, owner, type ServiceOptions } from '../../src/service/service.ts';
import { withStore } from './scratch-store.ts';

/** A plan without vintage access. */
export const free: Principal = {
  plan: 'free',
  monthlyLimit: 10000,
  dailyLimit: 500,
  ratePerMinute: 30,
  vintageAccess: false,
};

/** The time of a request, its plan, and the settings of the service. */
type RequestSetting = Partial<Omit<ServiceOptions, 'store' | 'clock'>> & {
  readonly now?: string;
  readonly principal?: Principal;
};

/** Parameters as a URL has them: `id=GDP&limit=3`. */
export const given = (query: string): ParamTexts => [...new URLSearchParams(query)];

/** The answer of the service of a store; by default to the owner of the store, at noon of 2026-01-15. */
export function ask(
  path: string,
  operation: Operation,
  texts: ParamTexts | string = [],
  setting: RequestSetting = {},
): Promise<Envelope> {
  const { now = '2026-01-15T12:00:00Z', principal = owner, ...options } = setting;
  return withStore(path, (store) =>
    createService({ store, clock: () => new Date(now), ...options }).answer(
      operation,
      typeof texts === 'string' ? given(texts) : texts,
      principal,
    ),
  );
}

/** The problem with which the service of a store refuses a request. */
export async function problemOf(
  path: string,
  operation: Operation,
  texts: ParamTexts | string,
  setting: RequestSetting = {},
): Promise<Problem> {
  const outcome = await ask(path, operation, texts, setting).catch((error: unknown) => error);
  if (outcome instanceof Problem) return outcome;
  throw new Error(`the service answered ${JSON.stringify(outcome)}`);
}

/** `answer` and `refusal` for one store. */
export function serviceOf(path: string) {
  return {
    ask: (operation: Operation, texts: ParamTexts = [], setting: RequestSetting = {}) =>
      ask(path, operation, texts, setting),
    problemOf: (operation: Operation, texts: ParamTexts, setting: RequestSetting = {}) =>
      problemOf(path, operation, texts, setting),
  };
}
