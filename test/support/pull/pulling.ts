import fc from 'fast-check';
import type { PullOptions, PullSummary } from '../../../src/pull/options.ts';
import { pull } from '../../../src/pull/pull.ts';
import type { Trouble } from './loopback-treasury.ts';

/** Pulls at an instant, over a time that passes only in waits. */
export function pullAt(
  instant: string,
  options: PullOptions,
): Promise<PullSummary & { readonly waited: number }> {
  const begun = Date.parse(instant);
  let waited = 0;
  const timing = {
    now: () => begun + waited,
    sleep: async (milliseconds: number) => {
      waited += milliseconds;
    },
  };
  const clock = () => new Date(timing.now());
  return pull({ clock, timing, env: {}, retries: 0, ...options }).then((summary) => ({ ...summary, waited }));
}

/** How each subject ended: `par pulled`, with what was counted and why it failed. */
export function endings(summary: PullSummary): readonly string[] {
  return summary.subjects.map(({ name, outcome, problem }) =>
    problem === undefined ? `${name} ${outcome}` : `${name} ${outcome}: ${problem.kind}`,
  );
}

/** Pulls at an instant, the next time an hour later, and so on. */
export function eachHourFrom(instant: string, options: PullOptions): () => Promise<PullSummary> {
  let hours = 0;
  return () => pullAt(new Date(Date.parse(instant) + hours++ * 3_600_000).toISOString(), options);
}

/** A loopback source, a pull from it, and what must hold after a pull without faults. */
type BreakablePull = {
  readonly server: {
    readonly asked: readonly string[];
    trouble: (number: number, what: string) => Trouble;
  };
  readonly run: () => Promise<unknown>;
  readonly check: () => Promise<void>;
};

/**
 * The property that pulls which break off at up to three random requests, and then one that does not, come to what
 * `check` wants. `begin` starts a source and an empty store; a break is at one of the first `requests` requests of
 * its pull.
 */
export async function checkBreaks(
  {
    faults,
    requests,
    numRuns,
  }: {
    readonly faults: readonly Trouble[];
    readonly requests: number;
    readonly numRuns: number;
  },
  begin: () => Promise<BreakablePull>,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(requests), fc.constantFrom(...faults)), { maxLength: 3 }),
      async (breaks) => {
        const { server, run, check } = await begin();
        for (const [at, fault] of breaks) {
          const from = server.asked.length;
          server.trouble = (number) => (number === from + at ? fault : undefined);
          await run();
        }
        server.trouble = () => undefined;
        await run();
        await check();
      },
    ),
    { numRuns },
  );
}
