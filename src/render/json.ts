import type { Envelope, Row } from '../operations/envelope.ts';
import { headToWire } from '../operations/wire.ts';
import type { Layout, TextRenderer } from './renderer.ts';
import { wireRow } from './wire-row.ts';

/**
 * One envelope, indented by two. A single page is the service's envelope as it is; several become one that begins like
 * the first, holds all results and their count, and ends like the last: with a cursor only where a limit cut the answer.
 * Holds no page but the first.
 */
export function json({ columns, requestId = true }: Layout): TextRenderer {
  const wire = wireRow(columns);
  let first: Page | undefined;
  let ending: Ending = { has_more: false };
  let joined = false;
  let count = 0;

  const items = (rows: readonly Row[]): string => {
    const separator = count === 0 ? '' : ',';
    count += rows.length;
    return rows.length === 0 ? '' : separator + indented(rows);
  };

  return {
    page: (envelope) => {
      const asked = requestId ? envelope : unnamed(envelope);
      const page = { ...headToWire(asked), results: asked.results.map(wire) };
      if (first === undefined) {
        first = page;
        return '';
      }
      const opening = joined ? '' : openingOf(first) + items(first.results);
      joined = true;
      ending = endingOf(page);
      return opening + items(page.results);
    },
    end: () => {
      if (first === undefined) throw new Error('a JSON output needs an envelope');
      if (!joined) return `${JSON.stringify(first, null, 2)}\n`;
      const rest = JSON.stringify({ results_count: count, ...ending }, null, 2).slice('{'.length);
      return `${count === 0 ? '' : '\n  '}],${rest}\n`;
    },
  };
}

/** An envelope, perhaps without the request that it answers. */
type Page = Omit<Envelope, 'request_id'>;

function unnamed({ request_id: _, ...page }: Envelope): Page {
  return page;
}

/** Whether more follows what is shown, and where. */
type Ending = Pick<Envelope, 'has_more' | 'next_cursor'>;

function endingOf({ has_more, next_cursor }: Page): Ending {
  return { has_more, ...(next_cursor !== undefined && { next_cursor }) };
}

/** The envelope's beginning up to the bracket of its results; what is known only at the end is left for the end. */
function openingOf(first: Page): string {
  const { results, results_count, has_more, next_cursor, ...head } = first;
  return `${JSON.stringify(head, null, 2).slice(0, -'\n}'.length)},\n  "results": [`;
}

/** Rows as they stand inside of the envelope's brackets; no text of JSON holds a line break of its own. */
function indented(rows: readonly Row[]): string {
  return JSON.stringify(rows, null, 2).slice('['.length, -'\n]'.length).replaceAll('\n', '\n  ');
}
