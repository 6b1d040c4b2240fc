import type { PullOptions } from '../../../src/pull/options.ts';
import { pull } from '../../../src/pull/pull.ts';
import type { PullSummary } from '../../../src/pull/summary.ts';

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
