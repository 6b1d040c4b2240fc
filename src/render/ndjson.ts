import type { Layout, TextRenderer } from './renderer.ts';
import { wireRow } from './wire-row.ts';

/** One result a line, as it is on the wire. */
export function ndjson({ columns }: Layout): TextRenderer {
  const wire = wireRow(columns);
  return {
    page: ({ results }) => results.map((row) => `${JSON.stringify(wire(row))}\n`).join(''),
    end: () => '',
  };
}
