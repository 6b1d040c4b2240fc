import type { Format } from '../format.ts';
import { holdsSubmissions, readSubmissions } from './submissions-json.ts';

/** The SEC's list of a company's filings: it holds no trade, but dates the ownership XML that is imported with it. */
export const secSubmissionsJson: Format = {
  kind: 'sec-submissions-json',
  summary: 'list of a company’s or a person’s filings by the SEC (JSON): dates the XML imported with it',
  source: 'SEC',
  whole: false,
  takesAsOf: false,
  recognise: (head) => holdsSubmissions(head),
  async *read(file) {
    const { length } = await readSubmissions(file);
    const filings = length === 1 ? '1 ownership filing' : `${length} ownership filings`;
    yield { notes: [`dates ${filings}, and holds no trade itself`] };
  },
};
