import { join } from 'node:path';
import { timed } from './measure.mjs';
import { duration } from './report.mjs';

const script = join(import.meta.dirname, '../scripts/build-sample.mjs');

/** Builds the whole sample from data/. */
export function wholeSample(folder) {
  const ms = timed(process.execPath, [script, join(folder, 'sample.db')]);
  return [{ name: 'the whole sample', ours: duration(ms), figure: ms / 1000, unit: 's', atMost: 15 }];
}
