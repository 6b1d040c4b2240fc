import { entryOf } from '../domain/values/groups.ts';
import type { Cell, Envelope, Row } from '../operations/envelope.ts';
import {
  type CellChange,
  changesOf,
  type Field,
  headToWire,
  isPlainType,
  toWire,
} from '../operations/field.ts';

/** An envelope as JSON, in three parts: what is before its rows, the rows, and what is after them. */
export type WrittenEnvelope = readonly [before: string, rows: Buffer, after: string];

/** Makes a function that writes envelopes with rows of these fields as JSON. */
export function envelopeWriter(fields: readonly Field[]): (envelope: Envelope) => WrittenEnvelope {
  const changes = new Map(changesOf(fields, 'toWire'));
  const forms = new Map(
    fields.map(({ name, type }): readonly [string, JsonForm] => [
      name,
      { change: changes.get(name), isPlain: isPlainType(type) },
    ]),
  );
  const convert = toWire(fields);
  /** Frozen rows as they were written before: they are answered again for other days. */
  const known = new WeakMap<readonly Row[], Buffer>();
  const mayDiffer = fields.some(({ occasional }) => occasional === true);
  const write = (rows: readonly Row[]) =>
    Buffer.from((mayDiffer ? undefined : alikeRows(rows, forms)) ?? JSON.stringify(rows.map(convert)));
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

/** How the cells of a field become JSON; plain texts, such as numbers and days, have no character to escape. */
type JsonForm = { readonly change: CellChange | undefined; readonly isPlain: boolean };

const anyForm: JsonForm = { change: undefined, isPlain: false };

/**
 * Writes rows with the members of the first as JSON; undefined if one lacks a member.
 * What all rows have in common is written once: JSON.stringify takes three times as long for a page of observations.
 */
function alikeRows(rows: readonly Row[], forms: ReadonlyMap<string, JsonForm>): string | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  const differing: { readonly name: string; readonly lead: string; readonly form: JsonForm }[] = [];
  let lead = '';
  for (const name of Object.keys(first)) {
    const cell = first[name];
    if (cell === undefined) return undefined;
    const form = forms.get(name) ?? anyForm;
    lead += `${lead === '' && differing.length === 0 ? '{' : ','}"${name}":`;
    if (rows.every((row) => row[name] === cell)) lead += cellText(cell, form);
    else {
      differing.push({ name, lead, form });
      lead = '';
    }
  }
  const end = `${lead}}`;
  let text = '[';
  for (const row of rows) {
    if (text !== '[') text += ',';
    for (const { name, lead, form } of differing) {
      const cell = row[name];
      if (cell === undefined) return undefined;
      text += lead + cellText(cell, form);
    }
    text += end;
  }
  return `${text}]`;
}

function cellText(cell: Cell, { change, isPlain }: JsonForm): string {
  const content = cell === null || change === undefined ? cell : change(cell);
  const isAsWritten = typeof content === 'string' && (isPlain || isPlainText.test(content));
  return isAsWritten ? `"${content}"` : JSON.stringify(content);
}

/** A text that JSON writes as it is. */
const isPlainText = /^[ !#-[\]-~]*$/;
