import { stringify } from 'csv-stringify/sync';
import { delimited } from './delimited.ts';
import type { Layout, Renderer } from './renderer.ts';

/** RFC 4180 with LF line ends; texts come through as they are, also those that a spreadsheet takes for a formula. */
export function csv(layout: Layout): Renderer {
  const options = {
    record_delimiter: '\n',
    // A bare CR ends a line for many readers.
    quoted_match: /\r/,
    // In a single column an empty cell would be an empty line, which many readers pass over.
    quoted_empty: layout.columns.fields.length === 1,
  } as const;
  return delimited(layout, (records) => stringify([...records], options));
}
