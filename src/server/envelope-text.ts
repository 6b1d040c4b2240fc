import type { Envelope } from '../operations/envelope.ts';
import type { Field } from '../operations/field.ts';
import { headToWire, toWire } from '../operations/wire.ts';

/** The texts of rows that several envelopes hold: to word a page's rows costs more than all the rest of its answer. */
const worded = new WeakMap<Envelope['results'], string>();

const noRows = '"results":[]';

/** The JSON of an envelope around rows with these fields. */
export function envelopeText(envelope: Envelope, fields: readonly Field[]): string {
  const { results } = envelope;
  const rows = worded.get(results) ?? JSON.stringify(results.map(toWire(fields)));
  worded.set(results, rows);
  // Inside a string the quotes would be escaped, so that this can only be the member.
  const frame = JSON.stringify({ ...headToWire(envelope), results: [] });
  const at = frame.indexOf(noRows);
  return `${frame.slice(0, at)}"results":${rows}${frame.slice(at + noRows.length)}`;
}
