import type { Layout, Renderer } from './renderer.ts';
import { wireRow } from './wire-row.ts';

/** One result a line, as it is on the wire. */
export function ndjson({ columns }: Layout): Renderer {
  const wire = wireRow(columns);
  return {
    page: ({ results }) => results.map((row) => `${JSON.stringify(wire(row))}\n`).join(''),
    end: () => '',
  };
}
