import { join } from 'node:path';
import { readData, testData } from './repository.ts';

/** One recorded exchange with a live source. */
export type Recording = {
  readonly request: { readonly host: string; readonly path: string };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
};

/** A recorded exchange of test/data/recordings: `sec/submissions-404.json`. */
export function recording(path: string): Recording {
  return JSON.parse(recordedBody(path).toString());
}

/** A recorded body that was kept alone: `treasury/daily_treasury_yield_curve_2010.xml`. */
export function recordedBody(path: string): Buffer {
  return readData(join(testData, 'recordings'), path);
}
