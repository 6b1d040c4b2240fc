import { entryOf } from '../domain/values/groups.ts';
import type { Cell, Envelope, Row } from '../operations/envelope.ts';
import { type CellChange, changesOf, type Field, headToWire, toWire } from '../operations/field.ts';

/** An envelope as JSON, in three parts: what is before its rows, the rows, and what is after them. */
export type WrittenEnvelope = readonly [before: string, rows: Buffer, after: string];

/** Makes a function that writes envelopes with rows of these fields as JSON. */
export function envelopeWriter(fields: readonly Field[]): (envelope: Envelope) => WrittenEnvelope {
  const changes = new Map(changesOf(fields, 'toWire'));
  const convert = toWire(fields);
  /** Frozen rows as they were written before: they are answered again for other days. */
  const known = new WeakMap<readonly Row[], Buffer>();
  const mayDiffer = fields.some(({ occasional }) => occasional === true);
  const write = (rows: readonly Row[]) =>
    Buffer.from((mayDiffer ? undefined : alikeRows(rows, changes)) ?? JSON.stringify(rows.map(convert)));
  return (envelope) => {
    const { results } = envelope;
    const parts = { before: '', after: '' };
    let part: keyof typeof parts = 'before';
    for (const [name, content] of Object.entries(headToWire(envelope))) {
      if (content === undefined) continue;
      parts[part] += `${parts.before === '' ? '{' : ','}"${name}":`;
      if (name === 'results') part = 'after';
      else parts[part] += JSON.stringify(content);
    }
    const rows = Object.isFrozen(results) ? entryOf(known, results, () => write(results)) : write(results);
    return [parts.before, rows, `${parts.after}}`];
  };
}

/**
 * Writes rows with the members of the first as JSON; undefined if one lacks a member.
 * What all rows have in common is written once: JSON.stringify takes three times as long for a page of observations.
 */
function alikeRows(rows: readonly Row[], changes: ReadonlyMap<string, CellChange>): string | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  const differing: { readonly name: string; readonly lead: string; readonly change?: CellChange }[] = [];
  let lead = '';
  for (const name of Object.keys(first)) {
    const cell = first[name];
    if (cell === undefined) return undefined;
    const change = changes.get(name);
    lead += `${lead === '' && differing.length === 0 ? '{' : ','}"${name}":`;
    if (rows.every((row) => row[name] === cell)) lead += cellText(cell, change);
    else {
      differing.push({ name, lead, ...(change && { change }) });
      lead = '';
    }
  }
  const end = `${lead}}`;
  let text = '[';
  for (const row of rows) {
    if (text !== '[') text += ',';
    for (const { name, lead, change } of differing) {
      const cell = row[name];
      if (cell === undefined) return undefined;
      text += lead + cellText(cell, change);
    }
    text += end;
  }
  return `${text}]`;
}

function cellText(cell: Cell, change: CellChange | undefined): string {
  const content = cell === null || change === undefined ? cell : change(cell);
  return typeof content === 'string' && isPlainText.test(content) ? `"${content}"` : JSON.stringify(content);
}

/** A text that JSON writes as it is. */
const isPlainText = /^[ !#-[\]-~]*$/;
