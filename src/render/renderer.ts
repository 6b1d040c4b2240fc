import type { Envelope } from '../model/envelope.ts';
import type { Columns } from './columns.ts';

/** What the user decides about an output besides its format. */
export type Layout = {
  readonly columns: Columns;
  /** Whether csv, tsv and table begin with the columns' names. */
  readonly header: boolean;
  /** The cells of a terminal's line, which a table keeps to; without it nothing is cut. */
  readonly width?: number;
  /** Whether a table may use escape sequences (a bold header). */
  readonly colour: boolean;
  /** Whether json names the request that was answered; it does unless told. */
  readonly requestId?: boolean;
};

/** One output in the making: takes pages one by one, gives text, and keeps at most a bounded number of rows. */
export type Renderer = {
  /** The text of one more page; empty where the format must first see what follows. */
  readonly page: (envelope: Envelope) => string;
  /** The text that completes the output, after the last of one or more pages. */
  readonly end: () => string;
  /** The names of the columns that the width left no room for; final after `end`. */
  readonly dropped?: () => readonly string[];
};

/** How a format begins an output. */
export type MakeRenderer = (layout: Layout) => Renderer;

/** The whole output in chunks, each as soon as its page is there; no chunk is empty. */
export async function* rendered(
  renderer: Renderer,
  pages: AsyncIterable<Envelope> | Iterable<Envelope>,
): AsyncGenerator<string, void, undefined> {
  for await (const envelope of pages) {
    const text = renderer.page(envelope);
    if (text !== '') yield text;
  }
  const rest = renderer.end();
  if (rest !== '') yield rest;
}
