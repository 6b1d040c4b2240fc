import { cellTexts } from './cell-text.ts';
import type { Layout, TextRenderer } from './renderer.ts';

/** An output of records, the header first (also with no rows), from the text that a format gives to records. */
export function delimited(
  { columns, header }: Layout,
  write: (records: readonly (readonly string[])[]) => string,
): TextRenderer {
  const texts = cellTexts(columns.fields);
  let opening = header ? [columns.fields.map((field) => field.name)] : [];
  const records = (rows: string[][]): string => {
    const text = write([...opening, ...rows]);
    opening = [];
    return text;
  };
  return { page: ({ results }) => records(results.map(texts)), end: () => records([]) };
}
