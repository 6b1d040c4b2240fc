import type { Envelope } from '../operations/envelope.ts';
import type { Drawing } from './chart/drawing.ts';
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
  /** How the rows are drawn, for the formats that are pictures. */
  readonly drawing?: Drawing;
  /** Whether json names the request that was answered; it does unless told. */
  readonly requestId?: boolean;
};

/** A piece of an output: text, or the bytes of a format that is none. */
export type Chunk = string | Uint8Array;

/** One output in the making: takes pages one by one, gives chunks, and keeps no more than its format says. */
export type Renderer = {
  /** One more page; empty where the format must first see what follows. */
  readonly page: (envelope: Envelope) => Chunk;
  /** What completes the output, after the last of one or more pages; where that is much, made piece by piece. */
  readonly end: () => string | Iterable<Uint8Array>;
  /** The names of the columns that the width left no room for; final after `end`. */
  readonly dropped?: () => readonly string[];
};

/** An output that is text all along. */
export type TextRenderer = Omit<Renderer, 'page' | 'end'> & {
  readonly page: (envelope: Envelope) => string;
  readonly end: () => string;
};

/** How a format begins an output. */
export type MakeRenderer = (layout: Layout) => Renderer;

/** What completes an output, in chunks. */
export function ending(renderer: Renderer): Iterable<Chunk> {
  const rest = renderer.end();
  return typeof rest === 'string' ? [rest] : rest;
}

/** The whole output in chunks, each as soon as its page is there; no chunk is empty. */
export async function* rendered(
  renderer: Renderer,
  pages: AsyncIterable<Envelope> | Iterable<Envelope>,
): AsyncGenerator<Chunk, void, undefined> {
  for await (const envelope of pages) {
    const chunk = renderer.page(envelope);
    if (chunk.length > 0) yield chunk;
  }
  for (const chunk of ending(renderer)) if (chunk.length > 0) yield chunk;
}
