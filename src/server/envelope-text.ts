import type { Envelope } from '../operations/envelope.ts';

/** The texts of rows that several envelopes hold: to word a page's rows costs more than all the rest of its answer. */
const worded = new WeakMap<Envelope['results'], string>();

const noRows = '"results":[]';

/** The JSON of an envelope. */
export function envelopeText(envelope: Envelope): string {
  const { results } = envelope;
  const rows = worded.get(results) ?? JSON.stringify(results);
  worded.set(results, rows);
  // Inside a string the quotes would be escaped, so that this can only be the member.
  const frame = JSON.stringify({ ...envelope, results: [] });
  const at = frame.indexOf(noRows);
  return `${frame.slice(0, at)}"results":${rows}${frame.slice(at + noRows.length)}`;
}
