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
  seconds,
  texts,
  word,
} from '../operations/value.ts';
import type { PullOptions, PullSummary, SourceName } from '../pull/options.ts';
import { checkArguments, type Kind, type Kinds, type Signature, unknownName } from './call.ts';

const sources = { fred: texts, treasury: texts, sec: texts } satisfies Record<SourceName, Kind>;

/** Lists of names by source. */
export const pullRequest: Kind = {
  check(value, name, clock) {
    if (!isPlain(value))
      throw refused({ param: name, value, reason: 'use lists by source: { fred: ["GDP"] }' });
    const kinds: Readonly<Record<string, Kind>> = sources;
    for (const [source, names] of Object.entries(value)) {
      const kind = Object.hasOwn(kinds, source) ? kinds[source] : undefined;
      if (kind === undefined) throw unknownName('source', source, Object.keys(kinds));
      if (names !== undefined) kind.check(names, `${name}.${source}`, clock);
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
  maxDuration: seconds('some', Number.MAX_SAFE_INTEGER),
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
