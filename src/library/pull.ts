import { requestLimits } from '../client/remote/retry.ts';
import { refused } from '../errors/problem.ts';
import {
  abortSignal,
  callable,
  clockAt,
  day,
  flag,
  isPlain,
  object,
  texts,
  word,
} from '../operations/value.ts';
import { duration, type PullOptions, type PullSummary, sourceNames } from '../pull/options.ts';
import { checkArguments, type Kind, type Kinds, type Signature, unknownName } from './call.ts';

/** Lists of names by source. */
export const pullRequest: Kind = {
  check(value, name, clock) {
    if (!isPlain(value))
      throw refused({ param: name, value, reason: 'use lists by source: { fred: ["GDP"] }' });
    for (const [source, names] of Object.entries(value)) {
      if (!sourceNames.some((known) => known === source)) throw unknownName('source', source, sourceNames);
      if (names !== undefined) texts.check(names, `${name}.${source}`, clock);
    }
    return value;
  },
};

/** What the options of a pull may be. */
export const pullKinds = {
  settings: object,
  full: flag,
  since: day,
  dryRun: flag,
  maxDuration: duration,
  ...requestLimits,
  cacheFolder: word,
  env: object,
  clock: callable,
  signal: abortSignal,
  onProgress: callable,
  onSubject: callable,
  watch: callable,
  timing: object,
} satisfies Kinds<Omit<PullOptions, 'request' | 'store'>>;

const signature: Signature = {
  name: 'pull',
  args: [],
  params: {
    noun: 'option',
    kinds: { ...pullKinds, store: word, request: pullRequest } satisfies Kinds<PullOptions>,
    required: ['store'],
  },
};

/**
 * Brings a store up to date from live sources. Failures are in the summary; only what makes a pull impossible as a
 * whole is thrown.
 */
export async function pull(options: PullOptions): Promise<PullSummary> {
  checkArguments(signature, [options], clockAt(new Date()));
  return (await import('../pull/pull.ts')).pull(options);
}
