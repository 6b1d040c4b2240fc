import { Problem } from '../errors/problem.ts';
import type { Exchange } from './exchange.ts';
import { jsonAnswer, respond, respondProblem } from './respond.ts';

/** Something that the service needs, by name; the check throws when it does not work. */
type Check = readonly [name: string, check: () => unknown];

/** What readiness depends on. */
export type Readiness = {
  readonly checks: readonly Check[];
  readonly stopping: () => boolean;
  readonly errorsBase: () => string;
  readonly onFailure: (name: string, cause: unknown) => void;
};

/** The answer to `/readyz`: 503 with the failing checks named, and while the service shuts down. */
export async function readiness(exchange: Exchange, options: Readiness): Promise<Response> {
  const { checks, stopping, errorsBase, onFailure } = options;
  const found = await Promise.all(
    checks.map(async ([name, check]) => {
      try {
        await check();
        return [name, 'healthy'] as const;
      } catch (error) {
        onFailure(name, error);
        return [name, 'unhealthy'] as const;
      }
    }),
  );
  const failing = found.flatMap(([name, health]) => (health === 'healthy' ? [] : [name]));
  const reasons = [
    ...(stopping() ? ['the service is shutting down'] : []),
    ...failing.map((name) => `${name} is unhealthy`),
  ];
  const report = { checks: Object.fromEntries(found) };
  if (reasons.length === 0) return respond(exchange, jsonAnswer({ status: 'ok', ...report }));
  const problem = new Problem('service-unavailable', reasons.join('; '));
  return respondProblem(exchange, problem, errorsBase(), report);
}
